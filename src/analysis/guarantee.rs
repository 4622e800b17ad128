//! What theorems promise for the published steps on a problem: how hard contacts push, how soon
//! impacts end.

use nalgebra::DVector;

use super::bounds::cone::{falls, pointing, rise};
use super::bounds::friction::Cones;
use super::bounds::proof::length;
use super::bounds::whitened::Whitened;
use crate::error::{Error, Result};
use crate::law::cones::conic::{ConicProgram, Stop, stopped};
use crate::law::draws::rates;
use crate::law::{Law, Routh};
use crate::lcp::ExplicitMap;
use crate::problem::ContactProblem;

/// The promises of \[HP23\] on a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee {
    /// A lower bound `e` of `|J' L|_{M^-1}` over all impulses `L` in the friction cones with normal
    /// parts that add up to 1 (Lemma 6), in `kg^-1/2`, with rounding accounted for; 0 where the
    /// cone is not pointed, or rounding cannot tell.
    pub force: f64,
    /// An upper bound of `e`: the value of an impulse that the solver found.
    pub force_at_most: f64,
    /// The lower bound `e` as a linear program, `max min_g r.g` over `|r_k| <= 1`, in the units of
    /// the coordinates (77).
    pub force_by_coordinates: f64,
    /// Whether the friction cone is pointed (Assumption 2): `e > 0`.
    pub pointed: bool,
    /// The impulse step `h` in N s, of the file or the natural one.
    pub step: f64,
    /// `N0 = 2 |v-|_M (m + 1) / (h e)` (78): the number of steps of mean size that use up the
    /// movement which energy allows; infinite where nothing is promised.
    pub steps: f64,
    /// Number m of contacts.
    pub contacts: usize,
    /// Whether every step has one outcome, up to a set of measure zero (Assumption 6); `None` where
    /// this is not decided: beyond two planar contacts, and with restitution.
    pub unique: Option<bool>,
}

/// The promises of \[HP23\] on a problem, for the published steps with the sampler `uniform`.
///
/// Source: \[HP23\] Lemma 6, Theorem 8, Assumptions 2 and 6. Deviation: the norm is the kinetic
/// one, in which kinetic energy bounds how far the velocity moves; the text does not say which it
/// takes.
pub fn guarantee(problem: &ContactProblem) -> Guarantee {
    promised(problem, &None)
}

/// [`guarantee`], unless the flag is raised.
///
/// # Errors
/// An interrupt.
pub fn guarantee_until(problem: &ContactProblem, stop: &Stop) -> Result<Guarantee> {
    let found = promised(problem, stop);
    if stopped(stop) { Err(Error::interrupted()) } else { Ok(found) }
}

fn promised(problem: &ContactProblem, stop: &Stop) -> Guarantee {
    let law = Routh::steps();
    let (m, step) = (problem.contact_count(), rates::step_on(problem, None));
    let space = Whitened::new(problem);
    let (force, force_at_most) =
        space.as_ref().map_or((0.0, f64::INFINITY), |space| net_force(problem, space, stop));
    let speed = length(problem.mass(), problem.velocity());
    let steps =
        if force > 0.0 { 2.0 * speed * (m + 1) as f64 / (step * force) } else { f64::INFINITY };
    let decided = m <= 2 && problem.tangents_per_contact() < 2 && !problem.bounces();
    let prepared = Law::Routh(law).prepare::<f64>(problem).ok().filter(|_| decided);
    Guarantee {
        force,
        force_at_most,
        force_by_coordinates: by_coordinates(problem, stop),
        pointed: force > 0.0,
        step,
        steps,
        contacts: m,
        unique: prepared.map(|process| ExplicitMap::pruned(&process.space().step).unique),
    }
}

impl Guarantee {
    /// Number of steps after which an impact is over with a probability of at least `1 - failure`;
    /// `None` where nothing is promised.
    ///
    /// ```text
    /// P(more than n steps) <= exp(-2 (n / (m + 1) - 2 |v-|_M / (h e))^2 / n)
    /// ```
    ///
    /// In every step a contact accrues all of its `h p_i` or the impact ends (Lemma 13), so the
    /// velocity moves by at least `h e min_i p_i`, whose mean is `h e / (m + 1)`, and by no more
    /// than `2 |v-|_M` in all; the tail is Hoeffding's (79).
    pub fn steps_for(&self, failure: f64) -> Option<u64> {
        let mean = 1.0 / (self.contacts + 1) as f64;
        let needed = self.steps * mean;
        // (n mean - needed)^2 = n d, solved for n.
        let d = -0.5 * failure.ln();
        let b = 2.0 * needed * mean + d;
        let n = (b + (b * b - 4.0 * mean * mean * needed * needed).max(0.0).sqrt())
            / (2.0 * mean * mean);
        (n.is_finite() && n < 1e18).then(|| (n - 1e-9).ceil() as u64)
    }

    /// The decimal logarithm of the number of samples that leave no gap above `gap` in the rates of
    /// `steps` steps, with a probability of at least `1 - failure`.
    ///
    /// ```text
    /// 1 - K (1 - 1/K)^N >= 1 - K exp(-N / K),   K = ceil(sqrt(D) / gap)^D,   D = m steps
    /// ```
    ///
    /// Source: \[HP23\] Lemma 1, for a Lipschitz constant of 1: with another one the outcomes have
    /// gaps that many times as large.
    pub fn samples_for(&self, steps: u64, gap: f64, failure: f64) -> f64 {
        let dimension = self.contacts as f64 * steps as f64;
        let cells = dimension * (dimension.sqrt() / gap).ceil().ln();
        (cells + (cells - failure.ln()).ln()) / std::f64::consts::LN_10
    }
}

/// Lower and upper bound of the least `|J' L|_{M^-1}` over impulses with normal parts that add up
/// to 1.
fn net_force(problem: &ContactProblem, space: &Whitened, stop: &Stop) -> (f64, f64) {
    let Some(r) = pointing(space, |_| 1.0, stop) else { return (0.0, f64::INFINITY) };
    let size = length(problem.mass(), &r);
    let rises = (0..problem.contact_count()).map(|i| -rise(problem, i, &-&r));
    let least = rises.fold(f64::INFINITY, f64::min) / size;
    let least = if least.is_finite() { (least * (1.0 - 1e-15)).max(0.0) } else { 0.0 };
    (least, weakest(space, stop).unwrap_or(f64::INFINITY))
}

/// `|J' L|_{M^-1}` of the weakest impulse, with normal parts that add up to 1, that the solver
/// finds.
fn weakest(space: &Whitened, stop: &Stop) -> Option<f64> {
    // The variables are the impulses in the generators of the cones, and the length.
    let cones = &space.cone;
    let mut columns: Vec<(DVector<f64>, f64)> = Vec::new();
    let mut groups = Vec::new();
    for ((normal, tangents), size) in cones.normal.iter().zip(&cones.tangents).zip(&cones.size) {
        groups.push((columns.len(), 1 + tangents.len()));
        columns.push((normal.clone(), 1.0 / size));
        columns.extend(tangents.iter().map(|tangent| (tangent.clone(), 0.0)));
    }
    let k = columns.len();
    let mut objective = vec![0.0; k + 1];
    objective[k] = 1.0;
    let mut program = ConicProgram::minimise(objective, stop);
    let mass: Vec<(usize, f64)> =
        columns.iter().enumerate().map(|(j, (_, part))| (j, -part)).collect();
    program.nonnegative(vec![(mass, -1.0)]);
    for (first, count) in groups {
        program.round((first..first + count).map(|j| (vec![(j, -1.0)], 0.0)).collect());
    }
    let along = |r: usize| {
        (columns.iter().enumerate().map(|(j, (column, _))| (j, -column[r])).collect(), 0.0)
    };
    program.round(
        std::iter::once((vec![(k, -1.0)], 0.0)).chain((0..space.dimension()).map(along)).collect(),
    );
    let x = program.solve()?.x;
    let total: f64 = columns.iter().zip(&x).map(|((_, part), x)| part * x).sum();
    let sum = columns
        .iter()
        .zip(&x)
        .fold(DVector::zeros(space.dimension()), |sum, ((column, _), x)| sum + column * *x);
    Some(sum.norm() / total)
}

/// `max min_g r.g` over `|r_k| <= 1`, `g` the impulses of the cones with a normal part of 1, as
/// force on the coordinates.
fn by_coordinates(problem: &ContactProblem, stop: &Stop) -> f64 {
    let n = problem.coordinate_count();
    let cones = Cones::new(problem, &problem.jacobian().transpose());
    let mut objective = vec![0.0; n + 1];
    objective[n] = 1.0;
    // The variables are -r and the negative of the value.
    let mut program = ConicProgram::minimise(objective, stop);
    falls(&mut program, &cones, |i| 1.0 / cones.size[i], n);
    let sides =
        [1.0, -1.0].into_iter().flat_map(|side| (0..n).map(move |k| (vec![(k, side)], 1.0)));
    program.nonnegative(sides.collect());
    let Some(solved) = program.solve() else { return 0.0 };
    let r = DVector::from_fn(n, |k, _| -solved.x[k])
        / solved.x[..n].iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    (0..problem.contact_count())
        .map(|i| -rise(problem, i, &-&r))
        .fold(f64::INFINITY, f64::min)
        .max(0.0)
}
