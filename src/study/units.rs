//! Whether the units of a recording fit the motion that it records: free motion accelerates as
//! gravity has it, and bodies touch without overlapping.

use nalgebra::DVector;

use super::recording::{CLEARLY, Extraction, Fit, Frame, Recording, acceleration};
use crate::error::{Error, Result};
use crate::motion::mechanism::Mechanism;

/// Most windows of free motion, and most frames whose gaps are computed.
const MOST: usize = 4000;
/// Part by which an acceleration may differ for reasons such as drag and the scale of a camera.
const LOOSE: f64 = 0.1;
/// Part of the reach of the bodies by which they overlap where something is wrong.
const DEEP: f64 = 0.05;
/// Steps of the acceleration's scale that are tried in a decade, and the decades.
const STEPS: i32 = 8;
const DECADES: std::ops::RangeInclusive<i32> = -20..=10;
/// Part by which a factor may differ from that of a unit.
const NEAR: f64 = 0.25;
/// Units of time and length by their number in 1 s or 1 m.
const TIMES: [(f64, &str); 4] = [(1e3, "ms"), (1e6, "us"), (1e9, "ns"), (1.0 / 60.0, "minutes")];
const LENGTHS: [(f64, &str); 6] =
    [(1e3, "mm"), (100.0, "cm"), (1e6, "um"), (10.0, "dm"), (39.37, "inches"), (1e-3, "km")];

/// Free motion of a few frames.
struct Window {
    /// The measured acceleration along the one of the motion, over it.
    scale: f64,
    /// The variance of `scale` over that of a displacement.
    lever: f64,
    /// The mean square of the displacements' residuals, and the least that rounding leaves.
    square: f64,
    rounding: f64,
    /// The displacement in the kinetic norm.
    moved: f64,
}

/// What free motion says of the acceleration without contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Gravity {
    /// Too few frames, or no acceleration to compare with.
    Unknown,
    /// The recording has none.
    Absent,
    /// It is larger than the motion's by this factor, about 1 where units are right.
    Scaled(f64),
}

/// How many frames have a contact, and how many a deep overlap.
#[derive(Clone, Copy, Debug)]
struct Closeness {
    touching: usize,
    overlapping: usize,
    frames: usize,
}

impl Recording {
    /// Compares the recording with the motion of a mechanism; `rate` stands for its times, in
    /// frames per second. Returns warnings.
    ///
    /// Free motion accelerates by gravity and springs: of windows of `frames` frames in which
    /// nothing touches, the acceleration is measured and compared, and few that differ from all
    /// others do not count. Times that are `k` times too long make accelerations `k^2` times too
    /// small, lengths that are `k` times too large make them `k` times as large. Lengths are told
    /// from times by bodies that come near to what they touch, angles by bodies that overlap.
    ///
    /// # Errors
    /// A unit of time, length or angle, or a rate, that does not fit.
    pub fn check(
        &self,
        mechanism: &Mechanism,
        how: &Extraction,
        rate: Option<f64>,
    ) -> Result<Vec<String>> {
        let gravity = self.gravity(mechanism, how)?;
        let read = self.closeness(mechanism, how, &|_| 1.0);
        let units = mechanism.position_units();
        let of = |unit: &str, factor: f64| {
            let factors: Vec<f64> =
                units.iter().map(|own| if own == unit { factor } else { 1.0 }).collect();
            self.closeness(mechanism, how, &|i| factors[i])
        };
        if read.touching == 0 {
            for (number, unit) in LENGTHS {
                let fits = match gravity {
                    Gravity::Scaled(scale) => is_near(scale, number),
                    _ => true,
                };
                let there = if fits { of("m", 1.0 / number) } else { read };
                if there.touching > 0 && there.overlapping * 20 <= there.frames {
                    return Err(Error::input(format!("positions seem to be in {unit}, not in m"))
                        .hint(format!("over {number} bodies touch; as they are, none does")));
                }
            }
        }
        if read.overlapping >= 3 && read.overlapping * 50 >= read.frames {
            let there = of("rad", 1f64.to_radians());
            if there.overlapping * 5 <= read.overlapping && there.touching >= read.touching {
                let (count, all) = (read.overlapping, read.frames);
                return Err(Error::input("angles seem to be in degrees, not in rad").hint(
                    format!(
                        "bodies overlap in {count} of {all} frames; times pi/180 in {}",
                        there.overlapping
                    ),
                ));
            }
        }
        let size = mechanism.reach();
        match gravity {
            Gravity::Scaled(scale) if !(0.5..=2.0).contains(&scale) => {
                Err(self.off(scale, rate, read.touching > 0))
            }
            Gravity::Scaled(scale) if !(0.8..=1.25).contains(&scale) => Ok(vec![format!(
                "free motion accelerates by {scale:.2} of what the motion file says: times may be {:.2} \
                 times too long, lengths {scale:.2} times too large, or gravity is another",
                scale.powf(-0.5)
            )]),
            Gravity::Absent => {
                let fall =
                    0.5 * mechanism.gravity.norm() * (how.frames as f64 * self.pause()).powi(2);
                let unit = TIMES.iter().find(|(number, _)| self.pause() / number < 0.1);
                match unit {
                    Some((_, unit)) if fall > 100.0 * size => {
                        Err(Error::input(format!("times seem to be in {unit}, not in s")).hint(format!(
                            "in {} frames a body would fall by {fall:.0} m, and here none falls",
                            how.frames
                        )))
                    }
                    _ => Ok(vec![
                        "free motion does not accelerate, though the motion has gravity: `gravity = 0` \
                         in the motion file where there is none, as on a level table"
                            .to_string(),
                    ]),
                }
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The error of accelerations that are too large by a factor; where bodies touch as they are,
    /// lengths fit the bodies.
    fn off(&self, scale: f64, rate: Option<f64>, touches: bool) -> Error {
        let k = scale.powf(-0.5);
        let seen = format!("free motion accelerates by {scale:.3e} of what the motion file says");
        let named = TIMES.iter().find(|(number, _)| is_near(k, *number));
        let plain =
            (-3..=3).any(|power| is_near(k, 10f64.powi(power)) || is_near(k, 2f64.powi(power)));
        let length = LENGTHS.iter().find(|(number, _)| is_near(scale, *number));
        let (what, hint) = match (rate, named, length) {
            (Some(rate), ..) if k > 1.0 => (
                format!("the rate seems to be {k:.3} times too low"),
                format!("--rate {:.3}", rate * k),
            ),
            (Some(rate), ..) => {
                let factor = 1.0 / k;
                (
                    format!("the rate seems to be {factor:.3} times too high"),
                    format!("--rate {:.3}", rate * k),
                )
            }
            (None, Some((_, unit)), _) => {
                (format!("times seem to be in {unit}, not in s"), "give them in s".to_string())
            }
            (None, None, Some((_, unit))) if !(plain && touches) => (
                format!("lengths seem to be in {unit}, not in m"),
                "give positions and the sizes of bodies in m".to_string(),
            ),
            (None, None, _) if k > 1.0 => {
                (format!("times seem to be {k:.3} times too long"), "give them in s".to_string())
            }
            (None, None, _) => (
                format!("times seem to be {:.3} times too short", 1.0 / k),
                "give them in s".to_string(),
            ),
        };
        Error::input(what).hint(format!("{seen}: {hint}; or give the gravity that acted"))
    }

    /// The median time between two frames of a toss, s.
    fn pause(&self) -> f64 {
        let tosses = self.frames.chunk_by(|a, b| a.toss == b.toss);
        median(
            tosses.flat_map(|toss| toss.windows(2).map(|two| two[1].time - two[0].time)).collect(),
        )
    }

    /// The contacts of frames whose positions are multiplied by factors.
    fn closeness(
        &self,
        mechanism: &Mechanism,
        how: &Extraction,
        factor: &dyn Fn(usize) -> f64,
    ) -> Closeness {
        let deep = how.gap.max(DEEP * mechanism.reach());
        let mut found = Closeness { touching: 0, overlapping: 0, frames: 0 };
        for frame in self.frames.iter().step_by(self.frames.len().div_ceil(MOST)) {
            let q = DVector::from_fn(frame.position.len(), |i, _| frame.position[i] * factor(i));
            let gaps = mechanism.gaps(&q, 2.0 * how.gap);
            let gap = gaps.iter().map(|(_, gap)| *gap).fold(f64::INFINITY, f64::min);
            found.frames += 1;
            found.overlapping += usize::from(gap < -deep);
            found.touching += usize::from((-deep..=how.gap).contains(&gap));
        }
        found
    }

    /// The acceleration of free motion over that of the mechanism.
    fn gravity(&self, mechanism: &Mechanism, how: &Extraction) -> Result<Gravity> {
        let length = how.frames.max(5);
        let all: Vec<&[Frame]> = (self.frames.chunk_by(|a, b| a.toss == b.toss))
            .flat_map(|toss| toss.chunks_exact(length))
            .collect();
        let mut windows = Vec::new();
        for frames in all.iter().step_by(all.len().div_ceil(MOST).max(1)) {
            let touches = |frame: &Frame| !mechanism.touching(&frame.position, how.gap).is_empty();
            if !frames.iter().any(touches) {
                windows.extend(Window::new(mechanism, frames)?);
            }
        }
        // What rests beyond the gap says nothing.
        let mut moved: Vec<f64> = windows.iter().map(|window| window.moved).collect();
        moved.sort_by(f64::total_cmp);
        let most = moved.get(moved.len() * 9 / 10).copied().unwrap_or(0.0);
        windows.retain(|window| window.moved > 0.1 * most);
        Ok(if windows.len() < 3 { Gravity::Unknown } else { scaled(&windows) })
    }
}

/// The scale with which most windows agree: a robust likelihood in which a window that differs by
/// more than four standard deviations counts as an outlier.
fn scaled(windows: &[Window]) -> Gravity {
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
    let Some(best) = tried.min_by(|a, b| cost(*a).total_cmp(&cost(*b))) else {
        return Gravity::Unknown;
    };
    let start = if cost(1.0) < cost(best) + outlier { 1.0 } else { best };
    if start != 1.0 && cost(0.0) <= cost(best) + outlier {
        return Gravity::Absent;
    }
    let agree: Vec<&Window> =
        windows.iter().filter(|window| misfit(window, start) < outlier).collect();
    if 2 * agree.len() < windows.len() {
        return Gravity::Unknown;
    }
    let weight = |window: &&Window| 1.0 / (variance(window) + (LOOSE * start).powi(2));
    let sum: f64 = agree.iter().map(|window| weight(window) * window.scale).sum();
    let scale = sum / agree.iter().map(weight).sum::<f64>();
    let error = agree.iter().map(|window| 1.0 / variance(window)).sum::<f64>().powf(-0.5);
    let is_clear = start != 1.0 || (scale - 1.0).abs() > CLEARLY * error;
    Gravity::Scaled(if is_clear { scale } else { 1.0 })
}

impl Window {
    /// The acceleration in a window, along that of the mechanism at rest; none where there is none.
    fn new(mechanism: &Mechanism, frames: &[Frame]) -> Result<Option<Window>> {
        let at = &frames[frames.len() / 2];
        let rest = acceleration(mechanism, at, None)?;
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
            moved: last.dot(&(mechanism.mass(&at.position) * &last)).sqrt(),
        }))
    }
}

/// The coefficient of `t^2` of the parabola through points by least squares, its variance over that
/// of a point, and the variance of a point.
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

fn is_near(x: f64, of: f64) -> bool {
    (x / of - 1.0).abs() <= NEAR
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}
