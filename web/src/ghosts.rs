//! Motion of the scene at constant velocity: before the impact with the velocity of the problem,
//! after the impact with the velocities of samples.

use carom_core::error::{Error, Result};
use carom_report::scenery::seen;
use carom_scene::{Cast, ScenePlace, Scenery};
use nalgebra::{Cholesky, DMatrix, DVector};
use serde_json::{Value, json};

use crate::opened::Opened;
use crate::recipe::place;

/// Instants of a motion, evenly spaced. The page interpolates linearly between two instants.
const MOMENTS: usize = 9;

/// Distance that the fastest point covers before the impact, over the size of the scene.
const REACH: f64 = 0.45;

/// Time step of the finite difference for the speeds of points, in s.
const INSTANT: f64 = 1e-6;

/// Relative regularization of the mobility `B M^-1 B'`: a smaller mobility counts as zero.
const ROUNDING: f64 = 1e-9;

/// Motions at constant rates of the coordinates: one before the impact, and one after it for each
/// sample of `numbers`. `points` receives the points of all pieces, motion by motion, instant by
/// instant. A piece is the convex hull of its points, inflated by a radius in m.
///
/// # Errors
/// Errors of the scene; a sample that is not in memory.
pub fn ghosts(opened: &Opened, numbers: &[u64], points: &mut Vec<[f32; 2]>) -> Result<Value> {
    let Opened { problem, samples, document, wanted, .. } = opened;
    points.clear();
    let Some(cast) = document.cast(&wanted.set())? else { return Ok(json!({ "pieces": [] })) };
    let before = problem.velocity().as_slice();
    let seconds = duration(&cast, before);
    let mut pieces = Vec::new();
    let mut way = |v: &[f64], from: f64| {
        for moment in 0..MOMENTS {
            let t = seconds * (from + moment as f64 / (MOMENTS - 1) as f64);
            let scenery = cast.at(cast.moved(v, t), v.to_vec());
            pieces = drawn(&scenery, points);
        }
    };
    way(before, -1.0);
    for number in numbers {
        let row = number.checked_sub(samples.first).map(|row| row as usize);
        let row = row.filter(|row| *row < samples.len());
        let row = row.ok_or_else(|| Error::usage(format!("sample {number} is not at hand")))?;
        way(samples.row(&samples.velocity, row), 0.0);
    }
    Ok(json!({ "pieces": pieces, "moments": MOMENTS, "seconds": seconds, "array": place(points) }))
}

/// Time in s in which the fastest point of the scene covers [`REACH`] times the size of the scene.
fn duration(cast: &Cast, velocity: &[f64]) -> f64 {
    let position = cast.position();
    let ends = cast.corners(position).into_iter().zip(cast.corners(&cast.moved(velocity, INSTANT)));
    let far = |(a, b): (ScenePlace, ScenePlace)| {
        (0..3).map(|i| (b[i] - a[i]).powi(2)).sum::<f64>().sqrt()
    };
    let fastest = ends.map(far).fold(0.0, f64::max) / INSTANT;
    let size = cast.at(position.to_vec(), velocity.to_vec()).size();
    if fastest > 0.0 { REACH * size / fastest } else { 0.0 }
}

/// Appends the points of all moving pieces; returns number of points and radius in m of each piece.
fn drawn(scenery: &Scenery, points: &mut Vec<[f32; 2]>) -> Vec<(usize, f64)> {
    let solids = scenery.shapes.iter().map(|solid| (&solid.vertices[..], solid.radius));
    let links = scenery.links.iter().map(|link| (&link[..], 0.0));
    let piece = |(places, radius): (&[ScenePlace], f64)| {
        points.extend(places.iter().map(|place| seen(scenery, *place).map(|x| x as f32)));
        (places.len(), radius)
    };
    solids.chain(links).map(piece).collect()
}

/// The velocity nearest to the problem's velocity `v` in the kinetic metric, under the constraint
/// that the mass centre of a body moves with the given velocity (m/s, in the plane of the picture):
///
/// ```text
/// v + M^-1 B' (B M^-1 B')^-1 (velocity - B v),   B the rows of the mass centre (2,n).
/// ```
///
/// # Errors
/// Errors of the scene; no such body.
pub fn push(opened: &Opened, body: usize, velocity: [f64; 2]) -> Result<Value> {
    let Opened { problem, document, wanted, .. } = opened;
    let none = || Error::usage("there is no such body to push");
    let cast = document.cast(&wanted.set())?.ok_or_else(none)?;
    let n = problem.coordinate_count();
    let mut rows = DMatrix::zeros(2, n);
    for j in 0..n {
        let mut unit = vec![0.0; n];
        unit[j] = 1.0;
        let scenery = cast.at(cast.position().to_vec(), unit);
        let [_, rate] = scenery.velocities.get(body).ok_or_else(none)?;
        rows.set_column(j, &DVector::from_column_slice(&seen(&scenery, *rate)).fixed_rows::<2>(0));
    }
    let mass = Cholesky::new(problem.mass().clone()).ok_or_else(none)?;
    let along = mass.solve(&rows.transpose());
    let mut mobility = &rows * &along;
    let room = ROUNDING * mobility.trace() + f64::MIN_POSITIVE;
    (0..2).for_each(|i| mobility[(i, i)] += room);
    let missing = DVector::from_column_slice(&velocity) - &rows * problem.velocity();
    let impulse = Cholesky::new(mobility).ok_or_else(none)?.solve(&missing);
    let pushed = problem.velocity() + along * impulse;
    Ok(json!({ "velocity": pushed.as_slice() }))
}
