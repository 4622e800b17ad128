//! Film of one impact of a scene: the motion before it and several outcomes, about four seconds.

use super::{BODY, Branch, Caption, Strike, key_frames, planar, spatial};
use crate::plot::Film;
use crate::record;
use carom_analysis::sampled_set::SampledSet;
use carom_core::error::{Error, Result};
use carom_core::text::{kept, percent, short, three_digits};
use carom_mechanics::model::spatial::Vector;
use carom_scene::Cast;
use serde_json::Value;

/// Path of the fastest body before and after the impact, in units of the size of the scene.
const WAY: f64 = 0.35;
/// Largest ratio of the time after the impact to the time before it.
const LONGEST: f64 = 3.0;
/// Duration of the film in s, without the final hold.
const SECONDS: f64 = 4.0;
/// Outcomes closer than this distance, in units of `|v-|_M`, are drawn as one.
const SAME: f64 = 0.01;
/// Most key frames per branch; few suffice, as velocities are constant.
const FRAMES: usize = 48;
/// The colours of outcomes, by number.
const OUTCOMES: [usize; 6] = [0, 1, 2, 4, 5, 6];

/// The film of an impact. Bodies approach with the velocity before it and leave with at most
/// `count` outcomes that lie far apart in the set. The share of an outcome is the share of samples
/// nearest to it. Velocities are constant: `q + v t` in joint coordinates. `record` is the JSON
/// record of the run.
///
/// # Errors
/// A set without samples; bodies that touch nothing, or overlap.
pub fn impact(cast: &Cast, set: &SampledSet, record: &Value, count: usize) -> Result<Film> {
    if set.is_empty() {
        let what = "the set is empty: it has no accepted sample that could be drawn";
        return Err(Error::empty(what));
    }
    let problem = set.problem();
    let before = problem.velocity().as_slice();
    let found = set.distinct(count, SAME);
    let nearest = |place| found.nearest.iter().filter(|nearest| **nearest == place).count() as u64;
    let outcome = |(place, &at): (usize, &usize)| (nearest(place), set.velocity(at));
    let outcomes: Vec<(u64, &[f64])> = found.points.iter().enumerate().map(outcome).collect();
    let scenery = cast.scenery(before.to_vec())?;
    let size = scenery.size();
    let fastest = |v: &[f64]| speed(cast, v);
    let lasts = |speed: f64| if speed > 0.0 { WAY * size / speed } else { f64::INFINITY };
    let coming = lasts(fastest(before));
    let leaving = lasts(outcomes.iter().map(|(_, v)| fastest(v)).fold(0.0, f64::max));
    let coming = if coming.is_finite() { coming } else { 1.0 };
    let leaving = leaving.min(LONGEST * coming);
    let each = match cast {
        Cast::Planar { model, .. } => planar::points(model),
        Cast::Spatial { model, .. } => spatial::points(model),
    };
    let frames = key_frames(each * (1 + outcomes.len())).min(FRAMES);
    let states = |v: &[f64], from: f64, to: f64| -> Vec<(f64, Vec<f64>)> {
        let time = |k: usize| from + (to - from) * k as f64 / frames as f64;
        (0..=frames).map(|k| (time(k), cast.moved(v, time(k)))).collect()
    };
    let places = scenery.contacts.iter().map(|[point, _]| *point).collect();
    let strike = Strike { time: 0.0, state: cast.moved(before, 0.0), places };
    let before = Branch { states: states(before, -coming, 0.0), strikes: vec![strike], share: 1.0 };
    let all = set.len() as u64;
    let after = |(samples, velocity): &(u64, &[f64])| {
        let (states, share) = (states(velocity, 0.0, leaving), *samples as f64 / all as f64);
        Branch { states, strikes: Vec::new(), share }
    };
    let branches: Vec<_> = std::iter::once(before).chain(outcomes.iter().map(after)).collect();
    let of_outcomes = OUTCOMES.into_iter().cycle().take(outcomes.len());
    let colours: Vec<usize> = std::iter::once(BODY).chain(of_outcomes).collect();
    let speed = (coming + leaving) / SECONDS;
    let note = record::note(record, &kept(all, set.drawn()));
    let note = format!("{note}; a second shows {} s", short(three_digits(speed)));
    let what = if outcomes.len() == 1 { "the outcome" } else { "outcomes that lie far apart" };
    let title = format!("{}: before the impact, and {what}", problem.name());
    let mut film = Caption { title, note, speed }.film();
    match cast {
        Cast::Planar { model, .. } => planar::act(&mut film, model, &branches, &colours),
        Cast::Spatial { model, .. } => spatial::act(&mut film, model, &branches, &colours),
    }
    film.legend.push((BODY, "before the impact".to_string()));
    for ((samples, _), colour) in outcomes.iter().zip(&colours[1..]) {
        film.legend.push((*colour, format!("{} of the samples", percent(*samples, all))));
    }
    Ok(film)
}

/// The speed of the fastest corner or joint, in m/s.
fn speed(cast: &Cast, v: &[f64]) -> f64 {
    let largest = v.iter().fold(0.0_f64, |largest, v| largest.max(v.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let short = 1e-6 / largest;
    let corners = |t: f64| cast.corners(&cast.moved(v, t)).into_iter().map(Vector::from);
    let moved = corners(0.0).zip(corners(short)).map(|(a, b)| (b - a).norm() / short);
    moved.fold(0.0, f64::max)
}
