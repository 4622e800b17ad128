//! Cross-check of a GPU: the host recomputes some samples in f64.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use nalgebra::DVector;
use rand_core::Rng;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{Unchecked, Verifier, VerifierScratch};
use carom_core::error::{Error, Result};
use carom_core::outcome::Samples;
use carom_core::problem::ContactProblem;
use carom_core::real::Real;
use carom_core::rng::Stream;
use carom_core::rng::stream::StreamRng;
use carom_core::status::Status;
use carom_law::{Compiled, Ending, Process, ProcessKind};
use carom_shaders::Raw;

/// One sample in `EVERY` is checked.
pub const EVERY: u64 = 10_000;
/// Fewest samples of a run that are checked.
pub const LEAST: u64 = 16;
/// Tolerated number of unexplained samples of a run, and tolerated share of the checked samples.
const UNEXPLAINED: u64 = 2;
const SHARE: f64 = 0.05;
/// Largest difference of two equal samples, in roundings of the precision.
const ROUNDINGS: f64 = 2000.0;
/// Number of perturbed recomputations of a sample by the host.
const ATTEMPTS: usize = 64;
/// Sizes of the perturbations in roundings, cyclically.
const NUDGES: [f64; 4] = [4.0, 32.0, 256.0, 2048.0];
/// Largest amplification of a perturbation of the velocity by the impact.
const GAIN: f64 = 8.0;
/// Relative tolerance of the friction cones and of the energy balance.
const SLACK: f64 = 1e-4;

/// The results of the samples of a GPU that the host solved again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Doubted {
    /// Number of these samples.
    pub samples: u64,
    /// Samples that took another branch where a decision was closer than rounding: with other
    /// rounding the host takes it too.
    pub flips: u64,
    /// Samples that took another branch that the law allows, but that no rounding of the host
    /// reproduced.
    pub unexplained: u64,
    /// Samples that the device gave up or marked as inexact; all of these are solved again anyway.
    pub repaired: u64,
    /// The largest difference of the velocities of the other samples, `|.|_M` over `|v-|_M`.
    pub largest_difference: f64,
    /// The largest difference of two samples that count as the same.
    pub tolerance: f64,
}

impl Doubted {
    /// The sum of two cross-checks.
    pub fn and(&self, other: &Doubted) -> Doubted {
        Doubted {
            samples: self.samples + other.samples,
            flips: self.flips + other.flips,
            unexplained: self.unexplained + other.unexplained,
            repaired: self.repaired + other.repaired,
            largest_difference: self.largest_difference.max(other.largest_difference),
            tolerance: self.tolerance.max(other.tolerance),
        }
    }
}

/// The selection of checked samples: a random one in each stretch of equal length.
#[derive(Clone, Copy, Debug)]
pub struct SpotChecks {
    stride: u64,
}

impl SpotChecks {
    /// The selection for a run of `samples` samples.
    pub fn of(samples: u64) -> Self {
        SpotChecks { stride: (samples / LEAST).clamp(1, EVERY) }
    }

    /// Numbers of the checked samples in a range.
    pub fn within(self, range: Range<u64>) -> impl Iterator<Item = u64> {
        let stretches = range.start / self.stride..range.end.div_ceil(self.stride);
        let one = move |k: u64| {
            k * self.stride + (k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % self.stride
        };
        stretches.map(one).filter(move |sample| range.contains(sample))
    }

    /// Upper bound on the checked samples in a range of `count` samples.
    pub fn most(count: u64) -> u64 {
        count / EVERY + 2 * LEAST
    }
}

/// A sample as computed by a device.
#[derive(Clone, Debug)]
pub struct DeviceSample<R> {
    /// The number of the sample.
    pub sample: u64,
    /// The status, steps and residual of the sample.
    pub ending: Ending<R>,
    /// The dimensionless impulse of the sample (K).
    pub impulse: Vec<R>,
}

impl<R: Real> DeviceSample<R> {
    /// The selected samples in a range; `raw` begins with sample `first`.
    pub fn chosen(choice: SpotChecks, first: u64, raw: &Raw<R>, range: Range<u64>) -> Vec<Self> {
        let width = raw.impulses.len() / raw.endings.len().max(1);
        let one = |sample: u64| {
            let i = (sample - first) as usize;
            let impulse = raw.impulses[i * width..(i + 1) * width].to_vec();
            DeviceSample { sample, ending: raw.endings[i], impulse }
        };
        choice.within(range).map(one).collect()
    }
}

/// The comparison of a device's sample with the host's.
enum Verdict {
    Repaired,
    Same(f64),
    Flip,
    Unexplained(Error),
    Wrong(Error),
}

/// Recomputes samples of one problem on the host.
#[derive(Debug)]
pub struct Doubter<'a, R> {
    problem: &'a ContactProblem,
    process: &'a Process<R>,
    reference: &'a Process<f64>,
    seed: u64,
    device: &'a str,
    tolerance: f64,
    found: Mutex<(Doubted, Option<Error>)>,
}

impl<'a, R: Compiled> Doubter<'a, R> {
    /// A cross-check of samples of a process, given in the precision of the device and in f64.
    pub fn new(
        problem: &'a ContactProblem,
        process: &'a Process<R>,
        reference: &'a Process<f64>,
        seed: u64,
        device: &'a str,
    ) -> Self {
        // The integration error stays below the acceptance tolerance of the samples.
        let accuracy = match reference.kind() {
            ProcessKind::Inclusion => reference.most_residual::<f64>(),
            _ => 0.0,
        };
        let tolerance = (ROUNDINGS * R::EPSILON.max(1e-12)).max(accuracy);
        Doubter {
            problem,
            process,
            reference,
            seed,
            device,
            tolerance,
            found: Mutex::new((Doubted { tolerance, ..Doubted::default() }, None)),
        }
    }

    /// Compares samples of the device with recomputed samples of the host.
    ///
    /// # Errors
    /// A sample that no rounding explains and that no impact can produce.
    pub fn doubt(&self, rows: Vec<DeviceSample<R>>) -> Result<()> {
        let verdicts: Vec<Verdict> = rows.into_par_iter().map(|row| self.judge(row)).collect();
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let (doubted, first) = &mut *found;
        for verdict in verdicts {
            doubted.samples += 1;
            match verdict {
                Verdict::Repaired => doubted.repaired += 1,
                Verdict::Same(apart) => {
                    doubted.largest_difference = doubted.largest_difference.max(apart);
                }
                Verdict::Flip => doubted.flips += 1,
                Verdict::Unexplained(error) => {
                    doubted.unexplained += 1;
                    first.get_or_insert(error);
                }
                Verdict::Wrong(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn judge(&self, row: DeviceSample<R>) -> Verdict {
        let theirs = self.placed(self.problem, self.reference, false, &row);
        if theirs.repaired[0] {
            return Verdict::Repaired;
        }
        let ours = self.solved(self.problem, self.reference, row.sample);
        // The device counts no work and ignores the host's budget.
        let ended = !matches!(ours.status[0], Status::Unsolved | Status::Budget);
        let sound = ended && ours.residual[0] <= self.reference.most_residual::<f64>();
        if !sound {
            return Verdict::Repaired;
        }
        let apart = self.difference(&theirs, &ours);
        if apart <= self.tolerance {
            return Verdict::Same(apart);
        }
        if self.host_flips(&row, &theirs) {
            return Verdict::Flip;
        }
        let error = Error::doubt(format!(
            "sample {} of {} differs from the host's by {apart:.1e} of |v-|: v+ = {:?}, the host has {:?}",
            row.sample, self.device, theirs.velocity, ours.velocity
        ))
        .option("device")
        .hint("the device or its driver computes wrongly: update the driver, or run with --device cpu");
        if self.possible(&theirs) { Verdict::Unexplained(error) } else { Verdict::Wrong(error) }
    }

    /// Whether the host reproduces a sample in the device's precision, or after a perturbation.
    fn host_flips(&self, row: &DeviceSample<R>, theirs: &Samples) -> bool {
        let tolerance = self.tolerance;
        let mut work = self.process.workspace();
        let ending = self.process.sample(&Stream::new(self.seed, row.sample), &mut work);
        let twin = DeviceSample { sample: row.sample, ending, impulse: work.total().to_vec() };
        let twin = self.placed(self.problem, self.reference, false, &twin);
        if self.difference(theirs, &twin) <= tolerance {
            return true;
        }
        let (mut problem, mut reference) = (self.problem.clone(), self.reference.clone());
        let mut rng = Stream::new(self.seed, row.sample).rng();
        (0..ATTEMPTS).any(|attempt| {
            let size = NUDGES[attempt % NUDGES.len()] * R::EPSILON;
            let nudged = self.nudged(&mut rng, size);
            let moved =
                problem.set_velocity(nudged.as_slice()).and_then(|()| reference.approach(&problem));
            let near = || self.difference(theirs, &self.solved(&problem, &reference, row.sample));
            moved.is_ok() && near() <= tolerance.max(GAIN * size)
        })
    }

    /// The velocity before the impact after random impulses, which change contact velocities by
    /// about `size`, relative.
    fn nudged(&self, rng: &mut StreamRng, size: f64) -> DVector<f64> {
        let w = self.problem.delassus();
        let fastest = self.problem.contact_velocity().amax();
        let impulse = DVector::from_fn(w.nrows(), |j, _| {
            let part = 2.0 * f64::from(rng.next_u32()) / f64::from(u32::MAX) - 1.0;
            part * size * fastest / w[(j, j)].max(f64::MIN_POSITIVE)
        });
        self.problem.velocity() + self.problem.response() * impulse
    }

    fn solved(&self, problem: &ContactProblem, reference: &Process<f64>, sample: u64) -> Samples {
        let mut work = reference.workspace();
        let ending = reference.sample(&Stream::new(self.seed, sample), &mut work);
        let row = DeviceSample { sample, ending, impulse: work.total().to_vec() };
        self.placed(problem, reference, true, &row)
    }

    /// The velocities of a sample. `mended`: the sample comes from the reference itself.
    fn placed<S: Real>(
        &self,
        problem: &ContactProblem,
        reference: &Process<f64>,
        mended: bool,
        row: &DeviceSample<S>,
    ) -> Samples {
        let verifier = Verifier::new::<S>(problem, reference, self.seed, mended);
        let raw = Unchecked { first: row.sample, endings: &[row.ending], totals: &row.impulse };
        let (mut scratch, mut samples) =
            (VerifierScratch::new(problem, reference.workspace()), Samples::default());
        verifier.verify(raw, &mut scratch, Some(&mut samples), None);
        samples
    }

    /// Distance of two samples, `|.|_M` over `|v-|_M`; infinite where their statuses differ.
    fn difference(&self, a: &Samples, b: &Samples) -> f64 {
        if a.status != b.status {
            return f64::INFINITY;
        }
        let apart: Vec<f64> = a.velocity.iter().zip(&b.velocity).map(|(a, b)| a - b).collect();
        let before = self.problem.kinetic_energy(self.problem.velocity().as_slice());
        let unit = if before > 0.0 { before } else { 1.0 };
        let apart = (self.problem.kinetic_energy(&apart) / unit).sqrt();
        if apart.is_nan() { f64::INFINITY } else { apart }
    }

    /// Whether impulses lie in their cones, and energy does not grow without restitution.
    fn possible(&self, samples: &Samples) -> bool {
        let (m, d) = (self.problem.contact_count(), self.problem.tangents_per_contact());
        let l = &samples.impulse;
        let slack = SLACK * l.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let uncertain = self.problem.uncertainty();
        let friction = uncertain.friction_of(self.problem.friction());
        let in_cone = |i: usize| {
            let tangent = (0..d).map(|t| l[m + d * i + t].powi(2)).sum::<f64>().sqrt();
            l[i] >= -slack && (d == 0 || tangent <= friction[i][1] * l[i] + slack)
        };
        let before = self.problem.kinetic_energy(self.problem.velocity().as_slice());
        let kept = self.problem.bounces()
            || uncertain.noise > 0.0
            || samples.kinetic_energy[0] <= before * (1.0 + SLACK);
        (0..m).all(in_cone) && kept
    }
}

/// Sums the cross-checks of several problems.
pub fn together<'d, R: Compiled>(
    of: impl IntoIterator<Item = &'d Doubter<'d, R>>,
) -> Result<Doubted> {
    let (mut all, mut first) = (Doubted::default(), None);
    for doubter in of {
        let found = doubter.found.lock().unwrap_or_else(PoisonError::into_inner);
        let (doubted, error) = &*found;
        all = all.and(doubted);
        first = first.or_else(|| error.clone());
    }
    let most = UNEXPLAINED + (SHARE * all.samples as f64) as u64;
    match first {
        Some(error) if all.unexplained > most => {
            let many = format!("{} of {} doubted samples differ so", all.unexplained, all.samples);
            Err(Error { what: format!("{}; {many}", error.what), ..error })
        }
        _ => Ok(all),
    }
}
