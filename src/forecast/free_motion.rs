//! Acceleration of free motion in a recording, compared with its mechanism's.

use nalgebra::DVector;

use super::recording::{CLEARLY, Extraction, Fit, Frame, Recording, acceleration};
use carom_core::error::Result;
use carom_mechanics::motion::mechanism::Mechanism;

/// Maximum number of windows.
const MOST: usize = 4000;
/// Relative tolerance of an acceleration, for drag, scale, and change within a window.
const LOOSE: f64 = 0.1;
/// Grid of acceleration scales: steps per decade, number of decades.
const STEPS: i32 = 8;
const DECADES: std::ops::RangeInclusive<i32> = -20..=10;

/// Free motion over a few frames.
struct Window {
    /// Measured acceleration projected on the mechanism's, relative to it.
    scale: f64,
    /// Ratio of the variance of `scale` to the variance of a displacement.
    lever: f64,
    /// Mean square of the displacements' residuals, and its lower bound by rounding.
    square: f64,
    rounding: f64,
    /// Displacement in the kinetic norm.
    moved: f64,
}

/// Result of the test of the acceleration without contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Gravity {
    /// Too few frames, or no acceleration for comparison.
    Unknown,
    Absent,
    /// Ratio of the recorded acceleration to the mechanism's, about 1 with right units.
    Scaled(f64),
}

impl Recording {
    /// Ratio of the acceleration of free motion to the mechanism's. The window length minimises the
    /// error: noise favours long windows, contacts short ones.
    pub(super) fn gravity(&self, mechanism: &Mechanism, how: &Extraction) -> Result<Gravity> {
        let mut best = (f64::INFINITY, Gravity::Unknown);
        for length in (0..5).map(|power| how.frames.max(5) << power) {
            if let Some(found) = scaled(&self.windows(mechanism, how, length)?)
                && found.0 < best.0
            {
                best = found;
            }
        }
        Ok(best.1)
    }

    /// Windows of a length without contact.
    fn windows(&self, mechanism: &Mechanism, how: &Extraction, size: usize) -> Result<Vec<Window>> {
        let tosses = self.frames.chunk_by(|a, b| a.toss == b.toss);
        let all: Vec<&[Frame]> = tosses.flat_map(|toss| toss.chunks_exact(size)).collect();
        let mut windows = Vec::new();
        for frames in all.iter().step_by(all.len().div_ceil(MOST).max(1)) {
            let touches = |frame: &Frame| !mechanism.touching(&frame.position, how.gap).is_empty();
            if !frames.iter().any(touches) {
                windows.extend(Window::new(mechanism, frames)?);
            }
        }
        // Bodies at rest beyond the gap carry no information.
        let mut moved: Vec<f64> = windows.iter().map(|window| window.moved).collect();
        moved.sort_by(f64::total_cmp);
        let most = moved.get(moved.len() * 9 / 10).copied().unwrap_or(0.0);
        windows.retain(|window| window.moved > 0.1 * most);
        Ok(windows)
    }
}

/// Scale of the majority of windows, by a robust likelihood: windows off by more than four standard
/// deviations count as outliers. Returns the standard deviation of the scale first; `None` with too
/// few windows, or without agreement.
fn scaled(windows: &[Window]) -> Option<(f64, Gravity)> {
    if windows.len() < 3 {
        return None;
    }
    let square = median(windows.iter().map(|window| window.square).collect());
    let variance = |window: &Window| window.lever * square.max(window.rounding);
    let misfit = |window: &Window, scale: f64| {
        (window.scale - scale).powi(2) / (variance(window) + (LOOSE * scale).powi(2))
    };
    let outlier = CLEARLY * CLEARLY;
    let cost =
        |scale: f64| windows.iter().map(|window| misfit(window, scale).min(outlier)).sum::<f64>();
    let tried = (DECADES.start() * STEPS..=DECADES.end() * STEPS)
        .map(|power| 10f64.powf(f64::from(power) / f64::from(STEPS)));
    let best = tried.min_by(|a, b| cost(*a).total_cmp(&cost(*b)))?;
    let start = if cost(1.0) < cost(best) + outlier { 1.0 } else { best };
    let start = if start != 1.0 && cost(0.0) <= cost(best) + outlier { 0.0 } else { start };
    let agree: Vec<_> = windows.iter().filter(|window| misfit(window, start) < outlier).collect();
    if 2 * agree.len() < windows.len() {
        return None;
    }
    let error = agree.iter().map(|window| 1.0 / variance(window)).sum::<f64>().powf(-0.5);
    if start == 0.0 {
        return Some((error, Gravity::Absent));
    }
    // Noise hides any acceleration.
    if start == 1.0 && error > 0.5 {
        return None;
    }
    let weight = |window: &&Window| 1.0 / (variance(window) + (LOOSE * start).powi(2));
    let sum: f64 = agree.iter().map(|window| weight(window) * window.scale).sum();
    let scale = sum / agree.iter().map(weight).sum::<f64>();
    let is_clear = start != 1.0 || (scale - 1.0).abs() > CLEARLY * error;
    Some((error, Gravity::Scaled(if is_clear { scale } else { 1.0 })))
}

impl Window {
    /// Acceleration in a window, projected on the mechanism's at rest; `None` if it is not
    /// constant.
    fn new(mechanism: &Mechanism, frames: &[Frame]) -> Result<Option<Window>> {
        let at = &frames[frames.len() / 2];
        let rest = acceleration(mechanism, at, None)?;
        let norm = |a: &DVector<f64>| a.dot(&(mechanism.mass(&at.position) * a)).sqrt();
        for end in [&frames[0], &frames[frames.len() - 1]] {
            if norm(&(acceleration(mechanism, end, None)? - &rest)) > LOOSE * norm(&rest) {
                return Ok(None);
            }
        }
        let along = mechanism.mass(&at.position) * &rest;
        let size = rest.dot(&along);
        if size.is_nan() || size <= 0.0 {
            return Ok(None);
        }
        let v = Fit::steady(mechanism, frames, at).velocity(0.0);
        let turning = acceleration(mechanism, at, Some(&v))? - &rest;
        let moved = |frame: &Frame| mechanism.displacement(&at.position, &frame.position);
        let last = moved(&frames[frames.len() - 1]) - moved(&frames[0]);
        let times: Vec<f64> = frames.iter().map(|frame| frame.time - at.time).collect();
        let place = |(frame, t): (&Frame, &f64)| {
            (moved(frame) - &turning * (0.5 * t * t)).dot(&along) / size
        };
        let places = DVector::from_iterator(frames.len(), frames.iter().zip(&times).map(place));
        let Some((curve, lever, square)) = parabola(&times, &places) else { return Ok(None) };
        Ok(Some(Window {
            scale: 2.0 * curve,
            lever: 4.0 * lever,
            square,
            rounding: (1e-10 * places.amax()).powi(2),
            moved: norm(&last),
        }))
    }
}

/// `t^2` coefficient of a fitted parabola, the ratio of its variance to a point's, and the latter.
fn parabola(times: &[f64], places: &DVector<f64>) -> Option<(f64, f64, f64)> {
    let span = times.iter().map(|t| t.abs()).fold(0.0, f64::max);
    let tau = DVector::from_iterator(times.len(), times.iter().map(|t| t / span));
    let ones = DVector::from_element(times.len(), 1.0 / (times.len() as f64).sqrt());
    let less = |x: DVector<f64>, unit: &DVector<f64>| &x - unit * unit.dot(&x);
    let line = less(tau.clone(), &ones).try_normalize(0.0)?;
    let bend = less(less(tau.map(|t| t * t), &ones), &line);
    let unit = bend.clone().try_normalize(1e-9)?;
    let rest = less(less(less(places.clone(), &ones), &line), &unit);
    let scale = bend.norm() * span * span;
    let square = rest.norm_squared() / (times.len() - 3) as f64;
    let curve = unit.dot(places) / scale;
    curve.is_finite().then_some((curve, scale.powi(-2), square))
}

/// Median of numbers; 0 for an empty list.
pub(super) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}
