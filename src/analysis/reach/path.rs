use nalgebra::{DMatrix, DVector};

use super::automaton::{Automaton, in_states};
use super::fixpoint::Reached;
use super::state::{Phase, State};
use super::velocities::Velocities;
use carom_core::lcp::cone::nonnegative;
use carom_core::polyhedra::{Cone, Vector};

/// Largest residual of a leg, dimensionless; beyond it the path is dropped.
const MISSED: f64 = 1e-9;

/// Section of a path with constant contact states.
#[derive(Clone, Debug, PartialEq)]
pub struct Leg {
    /// Friction state of each contact (m).
    pub states: Vec<State>,
    /// Phase of each contact (m).
    pub phases: Vec<Phase>,
    /// Impulse in N s, normals first, then tangents ((1+d) m).
    pub impulse: Vec<f64>,
}

/// Chain of parents of a reach segment, from the first segment to `piece`.
pub fn lineage<V>(reached: &Reached<V>, piece: usize) -> Vec<usize> {
    let mut pieces = vec![piece];
    while let Some(parent) = pieces.last().and_then(|piece| reached.pieces[*piece].parent) {
        pieces.push(parent);
    }
    pieces.reverse();
    pieces
}

/// Path from the start through the segments of a [`lineage`] to the point `ray` of the last one.
///
/// Backward from the end, nonnegative least squares writes each point as a point of the preceding
/// segment plus nonnegative impulses along the edges of the friction cones. `None` if a residual
/// exceeds 1e-9.
pub fn path<V: Vector>(
    velocities: &Velocities<V>,
    automaton: &Automaton<V>,
    reached: &Reached<V>,
    lineage: &[usize],
    start: &Cone<V>,
    ray: &V,
) -> Option<Vec<Leg>> {
    let (m, rows) = (velocities.normal.len(), velocities.normal.len() + velocities.tangent.len());
    let axes = velocities.tangent.len() / m;
    let mut y = point(velocities, ray);
    let mut legs = Vec::new();
    for (k, piece) in lineage.iter().enumerate().rev() {
        let cell = &automaton.cells[reached.pieces[*piece].cell];
        let before = if k == 0 { start } else { &reached.pieces[lineage[k - 1]].cone };
        let mut part = start.clone();
        cell.enter(before, &mut part);
        let rays = part.rays.iter().filter(|ray| ray.x.weight() > 0);
        let points: Vec<DVector<f64>> = rays.map(|ray| point(velocities, &ray.x)).collect();
        let pushes: Vec<_> = cell.pushes(velocities).collect();
        // Last row: the weights of the points sum to 1.
        let column = |j: usize| match points.get(j) {
            Some(point) => point.push(1.0),
            None => pushes[j - points.len()].1.rounded.clone().push(0.0),
        };
        let columns: Vec<DVector<f64>> = (0..points.len() + pushes.len()).map(column).collect();
        let sizes: Vec<f64> =
            columns.iter().map(|column| column.norm().max(f64::MIN_POSITIVE)).collect();
        let scaled: Vec<DVector<f64>> =
            columns.iter().zip(&sizes).map(|(column, size)| column / *size).collect();
        let (x, missed) = nonnegative(&DMatrix::from_columns(&scaled), &y.push(1.0));
        if missed > MISSED {
            return None;
        }
        let x: Vec<f64> = x.iter().zip(&sizes).map(|(x, size)| x / size).collect();
        let mut impulse = vec![0.0; rows];
        for ((i, push), size) in pushes.iter().zip(&x[points.len()..]) {
            let size = size * velocities.impulse;
            impulse[*i] += size;
            for (axis, along) in push.along.iter().enumerate() {
                impulse[m + i * axes + axis] += size * along;
            }
        }
        let branches = || in_states(&velocities.contacts, &cell.branches);
        legs.push(Leg {
            states: branches().map(|branch| branch.state).collect(),
            phases: branches().map(|branch| branch.phase).collect(),
            impulse,
        });
        let weights: f64 = x[..points.len()].iter().sum();
        let parts = points.iter().zip(&x).map(|(point, x)| point * (x / weights));
        y = parts.fold(DVector::zeros(y.len()), |sum, part| sum + part);
    }
    legs.reverse();
    Some(legs)
}

fn point<V: Vector>(velocities: &Velocities<V>, ray: &V) -> DVector<f64> {
    let near = ray.near();
    DVector::from_fn(velocities.entries - 1, |k, _| near[k + 1] / near[0])
}
