use std::collections::BTreeMap;

use nalgebra::DVector;

use super::{ExactSet, Leg, OutcomePolytope};
use carom_core::outcome::Mode;
use carom_core::problem::ContactProblem;

/// Feasible combination of contact modes, with a witness.
#[derive(Clone, Debug, PartialEq)]
pub struct PossibleModes {
    /// Mode of each contact (m).
    pub modes: Vec<Mode>,
    /// Outcome (n) with these modes.
    pub velocity: Vec<f64>,
    /// Impulses that lead to this outcome. `None` if rounding prevented the search.
    pub path: Option<Vec<Leg>>,
}

/// All feasible combinations of contact modes on the closed polytopes of a set, in the order of the
/// modes.
///
/// On a polytope no contact velocity changes sign. The zero set of some contact velocities is a
/// face, spanned by the vertices at which they vanish; the mean of its vertices lies in its
/// relative interior. The mean of paths through the same states is a path.
pub fn possible_modes(problem: &ContactProblem, set: &ExactSet) -> Vec<PossibleModes> {
    let (m, tangents) = (problem.contact_count(), problem.tangents_per_contact());
    let contact = |v: &[f64]| problem.jacobian() * DVector::from_column_slice(v);
    let mut found: BTreeMap<Vec<Mode>, PossibleModes> = BTreeMap::new();
    for polytope in set.polytopes() {
        let at: Vec<DVector<f64>> = polytope.shape.vertices.iter().map(|v| contact(v)).collect();
        let rows = m * (1 + tangents);
        for vanish in 0..1_usize << rows {
            let vanishes = |row: usize| vanish >> row & 1 == 1;
            let on = |v: &usize| (0..rows).all(|k| !vanishes(k) || polytope.signs[*v][k] == 0);
            let face: Vec<usize> = (0..at.len()).filter(on).collect();
            if face.is_empty() {
                continue;
            }
            let share = 1.0 / face.len() as f64;
            let mean = face.iter().fold(DVector::zeros(rows), |sum, v| sum + &at[*v] * share);
            // Sign at the mean: the common sign of the vertices, if they agree.
            let sign = |row: usize| {
                let signs = || face.iter().map(|v| polytope.signs[*v][row]);
                match (signs().max(), signs().min()) {
                    (Some(1), Some(-1)) => mean[row],
                    (most, least) => f64::from(most.unwrap_or(0) + least.unwrap_or(0)),
                }
            };
            let mode = |i: usize| {
                let along: Vec<f64> = (0..tangents).map(|a| sign(m + i * tangents + a)).collect();
                Mode::of(sign(i), &along, [0.0; 2])
            };
            let modes: Vec<Mode> = (0..m).map(mode).collect();
            let known = found.get(&modes);
            if known.is_none_or(|known| known.path.is_none()) {
                let velocity = mean_of(face.iter().map(|v| polytope.shape.vertices[*v].as_slice()));
                let path = path(polytope, &face);
                found.insert(modes.clone(), PossibleModes { modes, velocity, path });
            }
        }
    }
    found.into_values().collect()
}

/// Path to the mean of some vertices.
fn path(polytope: &OutcomePolytope, face: &[usize]) -> Option<Vec<Leg>> {
    let paths: Vec<&Vec<Leg>> =
        face.iter().map(|v| polytope.paths.get(*v)?.as_ref()).collect::<Option<_>>()?;
    let first = paths.first()?;
    let alike = |(a, b): (&Leg, &Leg)| a.states == b.states && a.phases == b.phases;
    let same = |path: &&Vec<Leg>| path.len() == first.len() && path.iter().zip(*first).all(alike);
    if !paths.iter().all(same) {
        return None;
    }
    let leg = |k: usize| Leg {
        impulse: mean_of(paths.iter().map(|path| path[k].impulse.as_slice())),
        ..first[k].clone()
    };
    Some((0..first.len()).map(leg).collect())
}

/// The mean of vectors of the same length.
fn mean_of<'a>(vectors: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
    let mut sum: Vec<f64> = Vec::new();
    let mut count = 0.0;
    for vector in vectors {
        sum.resize(vector.len(), 0.0);
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
        count += 1.0;
    }
    sum.iter().map(|x| x / count).collect()
}
