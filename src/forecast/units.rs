//! Consistency of a recording's units with its motion: gravity in free motion, contact without
//! overlap.

use nalgebra::DVector;

use super::free_motion::{Gravity, median};
use super::recording::{Extraction, Recording};
use carom_core::digits::short;
use carom_core::error::{Error, Result};
use carom_mechanics::motion::mechanism::Mechanism;

/// Maximum number of frames whose gaps are computed.
const MOST: usize = 4000;
/// Relative overlap of bodies that indicates an error.
const DEEP: f64 = 0.05;
/// Relative tolerance between a factor and a unit's factor.
const NEAR: f64 = 0.25;
/// Units of time and length by their number in 1 s or 1 m.
const TIMES: [(f64, &str); 4] = [(1e3, "ms"), (1e6, "us"), (1e9, "ns"), (1.0 / 60.0, "minutes")];
const LENGTHS: [(f64, &str); 6] =
    [(1e3, "mm"), (100.0, "cm"), (1e6, "um"), (10.0, "dm"), (39.37, "inches"), (1e-3, "km")];

/// Number of frames with a contact, and with a deep overlap.
#[derive(Clone, Copy, Debug)]
struct Closeness {
    touching: usize,
    overlapping: usize,
    frames: usize,
}

impl Recording {
    /// Compares the recording with the motion of a mechanism; `rate` is the assumed frame rate, in
    /// frames per second. Returns warnings.
    ///
    /// Free motion accelerates by gravity and springs. The acceleration is measured and compared
    /// over windows of `frames` frames without contact; a few outliers do not count. Times too long
    /// by a factor `k` make accelerations too small by `k^2`; lengths too large by `k` make them
    /// too large by `k`. Bodies that come near contact tell lengths from times, and overlapping
    /// bodies tell angles.
    ///
    /// # Errors
    /// A wrong unit of time, length or angle, or a wrong rate.
    pub fn check(
        &self,
        mechanism: &Mechanism,
        how: &Extraction,
        rate: Option<f64>,
    ) -> Result<Vec<String>> {
        let gravity = self.gravity(mechanism, how)?;
        let read = self.closeness(mechanism, how, None);
        self.check_lengths(mechanism, how, gravity, read)?;
        self.check_angles(mechanism, how, read)?;
        match gravity {
            Gravity::Scaled(scale) if !(0.5..=2.0).contains(&scale) => {
                Err(self.off(scale, rate, read.touching > 0))
            }
            Gravity::Scaled(scale) if !(0.8..=1.25).contains(&scale) => Ok(vec![format!(
                "free motion accelerates by {scale:.2} of what the motion file says: times may be {:.2} \
                 times too long, lengths {scale:.2} times too large, or gravity is another",
                scale.powf(-0.5)
            )]),
            Gravity::Absent => self.absent(mechanism, how),
            _ => Ok(Vec::new()),
        }
    }

    /// Refuses positions without contact or fall in m, if another unit gives contacts.
    fn check_lengths(
        &self,
        mechanism: &Mechanism,
        how: &Extraction,
        gravity: Gravity,
        read: Closeness,
    ) -> Result<()> {
        let falls = matches!(gravity, Gravity::Scaled(scale) if (0.5..=2.0).contains(&scale));
        if read.touching > 0 || falls {
            return Ok(());
        }
        for (number, unit) in LENGTHS {
            let there = self.closeness(mechanism, how, Some(("m", 1.0 / number)));
            if there.touching > 0 && there.overlapping * 20 <= there.frames {
                return Err(Error::input(format!("positions seem to be in {unit}, not in m"))
                    .hint(format!("divided by {number} they have contacts; as they are, none")));
            }
        }
        Ok(())
    }

    /// Refuses angles with overlapping bodies, if degrees give none.
    fn check_angles(&self, mechanism: &Mechanism, how: &Extraction, read: Closeness) -> Result<()> {
        if read.overlapping < 3 || read.overlapping * 50 < read.frames {
            return Ok(());
        }
        let there = self.closeness(mechanism, how, Some(("rad", 1f64.to_radians())));
        if there.overlapping * 5 > read.overlapping || there.touching < read.touching {
            return Ok(());
        }
        Err(Error::input("angles seem to be in degrees, not in rad").hint(format!(
            "bodies overlap in {} of {} frames; with angles times pi/180 in {}",
            read.overlapping, read.frames, there.overlapping
        )))
    }

    /// Free motion without acceleration: error for a wrong unit of time, else a warning.
    fn absent(&self, mechanism: &Mechanism, how: &Extraction) -> Result<Vec<String>> {
        let span = how.frames as f64 * self.pause();
        let fall = 0.5 * mechanism.gravity.norm() * span * span;
        let unit = TIMES.iter().find(|(number, _)| self.pause() / number < 0.1);
        match unit.filter(|_| fall > 100.0 * mechanism.reach()) {
            Some((_, unit)) => {
                let what = format!("times seem to be in {unit}, not in s");
                let far = format!("{} frames a body would fall by {fall:.0} m", how.frames);
                Err(Error::input(what).hint(format!("in {far}, and here none falls")))
            }
            None => Ok(vec![
                "free motion does not accelerate, though the motion has gravity: `gravity = 0` in the \
                 motion file where there is none, as on a level table"
                    .to_string(),
            ]),
        }
    }

    /// Error for accelerations off by a factor; if bodies touch, lengths are right.
    fn off(&self, scale: f64, rate: Option<f64>, touches: bool) -> Error {
        let k = scale.powf(-0.5);
        let named = TIMES.iter().find(|(number, _)| is_near(k, *number));
        let powers = (-3..=3).flat_map(|power| [10f64.powi(power), 2f64.powi(power)]);
        let is_plain = powers.into_iter().any(|power| is_near(k, power));
        let length = LENGTHS.iter().find(|(number, _)| is_near(scale, *number));
        let [long, low] = if k > 1.0 { ["long", "low"] } else { ["short", "high"] };
        let factor = about(if k > 1.0 { k } else { 1.0 / k });
        let (what, hint) = match (rate, named, length) {
            (Some(rate), ..) => (
                format!("the rate seems to be {factor} times too {low}"),
                format!("--rate {} fits", about(rate * k)),
            ),
            (None, Some((_, unit)), _) => {
                (format!("times seem to be in {unit}, not in s"), "give them in s".to_string())
            }
            _ if (self.pause() - 1.0).abs() < 1e-6 => {
                ("times seem to count frames".to_string(), format!("{} are in 1 s", about(k)))
            }
            (None, None, Some((_, unit))) if !(is_plain && touches) => (
                format!("lengths seem to be in {unit}, not in m"),
                "give positions and the sizes of bodies in m".to_string(),
            ),
            _ => (
                format!("times seem to be {factor} times too {long}"),
                "give them in s".to_string(),
            ),
        };
        let seen = about(scale);
        Error::input(what).hint(format!(
            "free motion accelerates by {seen} of what the motion file says: {hint}; or give the \
             gravity that acted"
        ))
    }

    /// Median time between two frames of a toss, s.
    fn pause(&self) -> f64 {
        let tosses = self.frames.chunk_by(|a, b| a.toss == b.toss);
        let pauses = tosses.flat_map(|toss| toss.windows(2));
        median(pauses.map(|two| two[1].time - two[0].time).collect())
    }

    /// Contacts of frames, with entries of one unit multiplied by a factor.
    fn closeness(
        &self,
        mechanism: &Mechanism,
        how: &Extraction,
        changed: Option<(&str, f64)>,
    ) -> Closeness {
        let units = mechanism.position_units();
        let factor = |i: usize| changed.filter(|(unit, _)| units[i] == *unit).map_or(1.0, |c| c.1);
        let deep = how.gap.max(DEEP * mechanism.reach());
        let mut found = Closeness { touching: 0, overlapping: 0, frames: 0 };
        for frame in self.frames.iter().step_by(self.frames.len().div_ceil(MOST).max(1)) {
            let q = DVector::from_fn(frame.position.len(), |i, _| frame.position[i] * factor(i));
            let gaps = mechanism.gaps(&q, 2.0 * how.gap);
            let gap = gaps.iter().map(|(_, gap)| *gap).fold(f64::INFINITY, f64::min);
            found.frames += 1;
            found.overlapping += usize::from(gap < -deep);
            found.touching += usize::from((-deep..=how.gap).contains(&gap));
        }
        found
    }
}

/// Rounds to three significant digits.
fn about(x: f64) -> String {
    short(format!("{x:.2e}").parse().unwrap_or(x))
}

fn is_near(x: f64, of: f64) -> bool {
    (x / of - 1.0).abs() <= NEAR
}
