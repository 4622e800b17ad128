//! Relative impulse rates of contacts, and their distribution.

use super::sampler::Sampler;
use super::stop::Stop;
use crate::rng::sobol::sobol_block;
use crate::{ContactProblem, ContactSpace, Error, Purpose, Real, Result, Stream, stream};

/// The length of a step of [`Sampler::Coverage`] relative to the impulse step: `2^x`, `x` uniform
/// in [-2, 4), with `2^x` linear between integers. Twin: `shaders/law/draws/rates.wgsl::stretch`.
#[inline]
pub fn stretch<R: Real>(octave: u32, place: u32) -> R {
    let power = f64::from(1u32 << stream::index(octave, 6)) / 4.0;
    R::from_f64(power) * (R::ONE + R::from_f64(f64::from(stream::unit(place))))
}

/// Most draws of the subset of contacts in a step of [`Sampler::Coverage`].
pub const SUBSETS: u32 = 4;

/// The length of a step or block prescribed by a law; if empty, by the problem.
#[derive(Clone, Copy, Debug, Default)]
pub struct Length {
    /// The length in N s.
    pub impulse: Option<f64>,
    /// The length over the natural step of the problem.
    pub block: Option<f64>,
}

impl Length {
    /// The length in N s on `problem`, if the law prescribes one and a contact approaches.
    fn on(self, problem: &ContactProblem) -> Option<f64> {
        let natural = || Some(self.block? * problem.natural_step()?);
        self.impulse.or_else(natural)
    }

    /// Whether the law prescribes no length.
    pub fn is_natural(self) -> bool {
        self.impulse.is_none() && self.block.is_none()
    }
}

/// The impulse step of a process, and the sampler that divides it among the contacts.
#[derive(Clone, Debug)]
pub struct Rates<R> {
    /// Impulse bound of a contact with rate 1 (m), dimensionless.
    pub caps: Vec<R>,
    /// The step prescribed by the law.
    step: Length,
    /// Whether a step suggested by the problem applies; problems suggest steps only for the
    /// published process.
    suggested: bool,
    /// Length of a step as a multiple of the natural step, if none is prescribed or suggested; a
    /// power of two: 1 for published steps, see [`reach_on`] for blocks.
    pub reach: f64,
    stop: Option<Stop>,
    /// The distribution of rates.
    pub sampler: Sampler,
    /// Number N >= 1 of steps that share one draw of the rates.
    pub persist: u32,
}

impl<R: Real> Rates<R> {
    /// The rates of `m` contacts, before the velocity is known.
    pub fn new(m: usize, step: Length, sampler: Sampler, persist: u32) -> Self {
        let caps = vec![R::ZERO; m];
        Rates { caps, step, suggested: true, reach: 1.0, stop: None, sampler, persist }
    }

    /// The rates of blocks, which ignore a step suggested by the problem.
    pub fn of_blocks(m: usize, step: Length, sampler: Sampler) -> Self {
        Rates { suggested: false, ..Rates::new(m, step, sampler, 1) }.reaching()
    }

    /// The rates whose longest step reaches the impulse that stops the impact.
    pub fn reaching(self) -> Self {
        Rates { stop: Some(Stop::new(self.caps.len())), ..self }
    }

    /// Sets the impulse step for the velocity of `problem`, whose contact space is `space`. Does
    /// not allocate.
    pub fn approach(&mut self, problem: &ContactProblem, space: &ContactSpace<R>) -> Result<()> {
        self.reach = self.reach_on(problem);
        let h = self.step_on(problem);
        if !(h.is_finite() && h > 0.0) {
            let what = format!("an impulse step is a finite number > 0, found {h}");
            return Err(Error::usage(what).at("step"));
        }
        for (i, cap) in self.caps.iter_mut().enumerate() {
            // Repeated contacts share one bound: the first contact gets their total impulse.
            let repeated = problem.repeats(i).is_some();
            *cap = if repeated { R::ZERO } else { R::from_f64(space.scaling.cap(h, i)) };
        }
        let natural =
            self.step.impulse.is_none() && !(self.suggested && problem.spec().step.is_some());
        if natural && !space.start.iter().chain(&self.caps).all(|x| x.is_finite()) {
            let what = format!("the velocities are out of the range of {}", R::NAME);
            return Err(Error::input(what).at("velocity"));
        }
        if !self.caps.iter().all(|c| c.is_finite()) {
            let what = format!("an impulse step of {h:e} N s is out of the range of {}", R::NAME);
            let hint =
                "steps near the impulse that stops one contact, max(-u_i / W_ii), serve best";
            return Err(Error::usage(what).at("step").hint(hint));
        }
        Ok(())
    }

    /// Sets the bounds for an impulse step of one unit; each sample then scales them by its own
    /// step. Does not allocate.
    pub fn approach_in_units(
        &mut self,
        problem: &ContactProblem,
        space: &ContactSpace<R>,
    ) -> Result<()> {
        self.reach = self.reach_on(problem);
        for (i, cap) in self.caps.iter_mut().enumerate() {
            let repeated = problem.repeats(i).is_some();
            *cap = if repeated { R::ZERO } else { R::from_f64(space.scaling.sigma[i]) };
        }
        if space.start.iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        let what = format!("the velocities are out of the range of {}", R::NAME);
        Err(Error::input(what).at("velocity"))
    }

    /// The impulse step in N s on `problem`.
    pub fn step_on(&self, problem: &ContactProblem) -> f64 {
        let natural = if self.in_blocks(problem) { natural_block } else { step_on };
        self.reach * natural(problem, self.step)
    }

    /// Whether steps are blocks; no problem suggests the length of blocks.
    fn in_blocks(&self, problem: &ContactProblem) -> bool {
        self.stop.is_some() && !(self.suggested && problem.spec().step.is_some())
    }

    fn reach_on(&mut self, problem: &ContactProblem) -> f64 {
        let in_blocks = self.in_blocks(problem);
        match &mut self.stop {
            Some(stop) if in_blocks && self.step.is_natural() => reach(stop, problem),
            _ => 1.0,
        }
    }

    /// The rows of the contact velocity `u` (K) that determine the impulse step of `problem`, each
    /// with the derivative of the step by it, in N s per m/s: several if they are tied, none if the
    /// step is prescribed.
    pub fn deciding(&self, problem: &ContactProblem) -> Vec<(usize, f64)> {
        let Length { impulse, block } = self.step;
        let suggested = self.suggested && block.is_none() && problem.spec().step.is_some();
        if impulse.is_some() || suggested || problem.natural_step().is_none() {
            return Vec::new();
        }
        let slides = self.in_blocks(problem) && block.is_none();
        let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
        let (u, h) = (problem.contact_velocity(), self.step_on(problem));
        let slope = |row: usize| {
            let share = match row.checked_sub(m) {
                None => -block.unwrap_or(1.0),
                Some(t) if slides && problem.friction()[t / d] > 0.0 => SLIDING * u[row].signum(),
                Some(_) => 0.0,
            };
            (row, self.reach * share / problem.delassus()[(row, row)])
        };
        let decides = |(row, slope): &(usize, f64)| slope * u[*row] >= (1.0 - TIED) * h;
        (0..u.len()).map(slope).filter(decides).collect()
    }

    /// Draws the impulse bounds ("caps", m) `c = h p` of step number `step` at the contact velocity
    /// `u`; contact i approaches where `u[i] < rest[i]`.
    ///
    /// With [`Sampler::Coverage`] all bounds are multiplied by one [`stretch`], and only a random
    /// subset of the contacts, whose size is uniform on 1 .. m, has bounds above 0. A subset
    /// without an approaching contact is drawn again, at most [`SUBSETS`] times in all; if none has
    /// an approaching contact, all contacts take part. Twin:
    /// `shaders/law/draws/rates.wgsl::draw_caps`.
    #[inline]
    pub fn draw_caps(&self, stream: &Stream, step: u32, u: &[R], rest: &[R], caps: &mut [R]) {
        let m = self.caps.len() as u32;
        let draw = step / self.persist;
        let sampler = self.sampler.of(stream);
        let mut words = [0; 4];
        for i in 0..m {
            if i % 4 == 0 {
                words = match sampler {
                    Sampler::Sobol => sobol_block(stream, draw, i / 4, m),
                    _ => stream.block(draw, Purpose::Rate, i / 4),
                };
            }
            let rate = R::from_f64(f64::from(stream::unit(words[i as usize % 4])));
            caps[i as usize] = self.caps[i as usize] * rate;
        }
        if sampler != Sampler::Coverage {
            return;
        }
        words = stream.block(draw, Purpose::Order, 0);
        let length: R = stretch(words[0], words[1]);
        let (mut subset, mut approach) = (0, false);
        while subset < SUBSETS && !approach {
            let first = 1 + subset * (1 + m.div_ceil(4));
            let mut wanted = 1 + stream::index(stream.block(draw, Purpose::Order, first)[0], m);
            for i in 0..m {
                if i % 4 == 0 {
                    words = stream.block(draw, Purpose::Order, first + 1 + i / 4);
                }
                let i = i as usize;
                let taken = stream::index(words[i % 4], m - i as u32) < wanted;
                wanted -= u32::from(taken);
                approach |= taken && u[i] < rest[i];
                // A negative bound marks a contact that is not in the subset.
                caps[i] = if taken { caps[i].abs() } else { -caps[i].abs() };
            }
            subset += 1;
        }
        for cap in caps {
            *cap = length * if approach { Real::max(*cap, R::ZERO) } else { cap.abs() };
        }
    }

    /// The largest possible impulse bounds (m) of a step.
    pub fn largest_caps(&self) -> impl Iterator<Item = R> + '_ {
        let longest = R::from_f64(self.sampler.lengths()[0]);
        self.caps.iter().map(move |cap| *cap * longest)
    }
}

/// The impulse step in N s on `problem`: `asked` if given, else the problem's own, else the natural
/// one.
pub fn step_on(problem: &ContactProblem, asked: Length) -> f64 {
    asked.on(problem).or(problem.spec().step).or_else(|| problem.natural_step()).unwrap_or(1.0)
}

/// The length of a block in N s on `problem`: `asked` if given; else [`reach_on`] times the larger
/// of the natural step and a fraction of the largest tangential impulse that stops a contact's
/// sliding. A contact that barely approaches may jam until it no longer slides, which takes that
/// impulse.
pub fn block_on(problem: &ContactProblem, asked: Length) -> f64 {
    natural_block(problem, asked) * reach_on(problem, asked)
}

/// Length of a block as a multiple of the natural block on `problem`, so that a block has about the
/// length of [`Stop::total`]: the largest power of two up to their ratio; [`MANY`] times as much in
/// space with more than four contacts. It is 1 if a length is requested, if a planar problem has
/// more than [`MOST_IN_A_PLANE`] contacts, or if there are fewer contacts and the ratio is at most
/// [`ENOUGH`]. A power of two leaves samples differentiable in the velocity; a ratio below a power
/// of two by rounding errors counts as equal.
pub fn reach_on(problem: &ContactProblem, asked: Length) -> f64 {
    if asked.is_natural() { reach(&mut Stop::new(problem.contact_count()), problem) } else { 1.0 }
}

/// [`reach_on`] with `stop` as workspace. Does not allocate.
fn reach(stop: &mut Stop, problem: &ContactProblem) -> f64 {
    if problem.tangents_per_contact() < 2 && problem.contact_count() > MOST_IN_A_PLANE {
        return 1.0;
    }
    let natural = natural_block(problem, Length::default());
    let ratio = stop.total(problem).map_or(1.0, |total| total / natural);
    let octaves = (ratio.max(1.0).log2() + SHORT).floor().min(MOST_OCTAVES);
    match problem.tangents_per_contact() == 2 && problem.contact_count() > 4 {
        true => MANY * octaves.exp2(),
        false if ratio > ENOUGH => octaves.exp2(),
        false => 1.0,
    }
}

/// Factor on the length of blocks in space with more than four contacts. On ten robots samples
/// then reach up to a tenth more of the best known width; twice as much adds less than a hundredth.
const MANY: f64 = 4.0;

/// Most octaves by which blocks become longer.
const MOST_OCTAVES: f64 = 20.0;

/// Contacts of a planar problem above which natural blocks are kept: longer blocks made one of ten
/// samples of a problem with 24 contacts fail the residual, for a reason that is not known.
const MOST_IN_A_PLANE: usize = 16;

/// Largest ratio with which natural blocks are kept; `coverage` draws up to sixteen natural blocks.
/// On the stack of disks (4.3) longer blocks lose a twentieth of the width of the set.
const ENOUGH: f64 = 4.5;

/// Relative tolerance, in octaves, for a ratio just below a power of two.
const SHORT: f64 = 1e-6;

/// [`block_on`] without [`reach_on`].
fn natural_block(problem: &ContactProblem, asked: Length) -> f64 {
    let natural = |h: f64| h.max(SLIDING * sliding(problem));
    asked.on(problem).or_else(|| problem.natural_step().map(natural)).unwrap_or(1.0)
}

/// Relative difference up to which impulses are tied.
const TIED: f64 = 1e-12;

/// Shortest block as a fraction of the impulse that stops sliding.
const SLIDING: f64 = 1.0 / 64.0;

/// The largest tangential impulse in N s that stops the sliding of a contact with friction along
/// one of its tangents.
fn sliding(problem: &ContactProblem) -> f64 {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let rows = (0..m * d).filter(|t| problem.friction()[t / d] > 0.0).map(|t| m + t);
    let stops = |row: usize| problem.contact_velocity()[row].abs() / problem.delassus()[(row, row)];
    rows.map(stops).filter(|impulse| impulse.is_finite()).fold(0.0, f64::max)
}
