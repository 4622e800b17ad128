use nalgebra::DVector;

use super::rounding::Sum;
use super::{BoundKind, Limits, bound_until, is_cheap};
use carom_core::error::Result;
use carom_core::outcome::{PointSet, hull};
use carom_core::problem::ContactProblem;

/// Maximum number of directions, for slow and for quick proofs.
const PROOFS: [usize; 2] = [6, 24];
/// Number of bisections of the angle between directions.
const TURNS: usize = 6;

/// Half-space proved to contain all outcomes that excludes a given velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    /// Kind of the proof.
    pub kind: BoundKind,
    /// `c` (n); 0 for coordinates without a value.
    pub direction: Vec<f64>,
    /// Upper bound on `c.v+`.
    pub bound: f64,
    /// `c.v` of the given velocity.
    pub value: f64,
    /// Lower bound on the distance between the velocity and every outcome: its distance from the
    /// half-space in the kinetic metric, in units of `|v-|_M`.
    pub distance: f64,
}

/// Separating half-space: contains all outcomes, at a distance above `enough` from a velocity (n)
/// whose NaN coordinates are free; `None` if the search finds none. `known`: outcomes (N,n), row by
/// row.
///
/// The search maximises the concave function `d.v - h(d)` over directions `d` of unit length in the
/// kinetic metric, with the proved support bound `h(d)`. Directions for which a known outcome `w`
/// makes `d.v - d.w` too small are skipped. The first direction leads away from the hull of the
/// known outcomes, the others from their mean and from rest; then the best is turned towards each.
pub fn apart(
    problem: &ContactProblem,
    kind: BoundKind,
    velocity: &[f64],
    known: &[f64],
    enough: f64,
    limits: &Limits,
) -> Result<Option<Apart>> {
    let n = velocity.len();
    let Some(metric) = PointSet::new(problem.mass(), problem.velocity(), &[]) else {
        return Ok(None);
    };
    let (metric, given) = metric.where_given(velocity);
    let (y, set) = (metric.point(&given), metric.of(known));
    let points: Vec<_> = set.points().chunks_exact(n).map(DVector::from_column_slice).collect();
    let columns: Vec<Vec<_>> =
        (0..n).map(|i| points.iter().map(|point| point[i]).collect()).collect();
    let Some(nearest) = hull::towards(&columns, y.as_slice()) else { return Ok(None) };
    let mean = points.iter().sum::<DVector<f64>>() / points.len() as f64;
    let starts = [-nearest, &y - mean, y.clone()].into_iter();
    let starts: Vec<_> = starts.filter_map(|d| d.try_normalize(f64::MIN_POSITIVE)).collect();
    let mut proofs = PROOFS[usize::from(is_cheap(kind, problem))];
    let mut best: Option<(DVector<f64>, Apart)> = None;
    // Whether a direction improves on all earlier ones.
    let mut attempt = |d: DVector<f64>, best: &mut Option<(DVector<f64>, Apart)>| -> Result<bool> {
        let least = best.as_ref().map_or(f64::NEG_INFINITY, |(_, apart)| apart.distance);
        let reached = points.iter().map(|point| d.dot(point)).fold(f64::NEG_INFINITY, f64::max);
        if proofs == 0 || d.dot(&y) - reached <= least.max(enough) {
            return Ok(false);
        }
        proofs -= 1;
        let mut direction: Vec<f64> = metric.map().tr_mul(&d).as_slice().to_vec();
        for (c, _) in direction.iter_mut().zip(velocity).filter(|(_, v)| v.is_nan()) {
            *c = 0.0;
        }
        let bound = bound_until(problem, &direction, kind, limits)?;
        let value = Sum::of(direction.iter().zip(&given));
        let mut over = Sum::default().and(bound.value);
        direction.iter().zip(&given).for_each(|(c, v)| over.add(-c * v));
        // `d` has unit length up to rounding.
        let distance = -over.most() * (1.0 - 1e-12);
        let better = bound.certified && distance > least;
        if better {
            let (bound, value) = (bound.value, value.value());
            *best = Some((d, Apart { kind, direction, bound, value, distance }));
        }
        Ok(better)
    };
    let is_enough = |best: &Option<(DVector<f64>, Apart)>| {
        best.as_ref().is_some_and(|(_, apart)| apart.distance > enough)
    };
    for start in &starts {
        if !is_enough(&best) {
            attempt(start.clone(), &mut best)?;
        }
    }
    for turn in 1..=TURNS {
        for towards in &starts {
            let Some((d, _)) = best.as_ref().filter(|_| !is_enough(&best)) else { continue };
            let turned = d + (towards - d) * 0.5_f64.powi(turn as i32);
            if let Some(turned) = turned.try_normalize(f64::MIN_POSITIVE) {
                attempt(turned, &mut best)?;
            }
        }
    }
    Ok(best.map(|(_, apart)| apart).filter(|apart| apart.distance > enough))
}
