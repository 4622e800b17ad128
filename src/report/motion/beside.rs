//! Motions that are overlaid on the main motion.

use std::fmt::Write;

use super::curves::{Curves, height};
use carom_core::error::Result;
use carom_core::text::{count, line, printable, short};
use carom_mechanics::motion::{Course, MotionEnding, Simulation};
use schemars::JsonSchema;
use serde::Serialize;

/// A motion that is overlaid on the main motion, and the distance between both.
#[derive(Clone, Debug)]
pub struct Beside {
    /// The value that was replaced, or the file.
    pub what: String,
    /// Number of completed steps.
    pub steps: u64,
    /// Number of impacts.
    pub impacts: usize,
    /// How the motion ended.
    pub ending: MotionEnding,
    /// The name of the distance measure.
    pub measure: &'static str,
    /// Time in s and distance, until either motion ends.
    pub apart: Vec<[f64; 2]>,
    /// Time in s, and the height of the mass centre of a rigid body over the plane, in m.
    pub heights: Vec<[f64; 2]>,
}

pub(super) fn column(points: &[[f64; 2]], i: usize) -> Vec<f64> {
    points.iter().map(|point| point[i]).collect()
}

/// A motion beside another one. Curves last as long as both motions go on.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Beside")]
pub(super) struct BesideRow<'a> {
    /// The value that was replaced, or the file.
    what: &'a str,
    /// Completed steps.
    steps: u64,
    collision_count: usize,
    status: MotionEnding,
    /// s
    time: Vec<f64>,
    #[serde(flatten)]
    measured: Measured,
    /// The height of the mass centre over the plane, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<Vec<f64>>,
}

/// How far two motions are apart.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Measured {
    /// |x - y| + |R - Q| of both motions.
    Distance(Vec<f64>),
    /// How far the momenta are apart, over the larger one.
    Xi(Vec<f64>),
}

pub(super) fn rows(beside: &[Beside]) -> Option<Vec<BesideRow<'_>>> {
    (!beside.is_empty()).then(|| beside.iter().map(Beside::row).collect())
}

impl Beside {
    /// The motion `other` with label `what`, compared with `motion`; `branch`: its index in
    /// `curves`.
    ///
    /// # Errors
    /// A mass matrix that became singular.
    pub fn new(
        what: &str,
        [motion, other]: [&Simulation; 2],
        course: &Course,
        curves: &Curves,
        branch: usize,
    ) -> Result<Self> {
        let heights = match other {
            Simulation::Lgvci(other) => {
                curves.over_time(branch, |row| height(other.body(), &row[1..]))
            }
            _ => Vec::new(),
        };
        Ok(Beside {
            what: what.to_string(),
            steps: course.last.step,
            impacts: course.impacts.len(),
            ending: course.ending,
            measure: if motion.given().is_some() { "xi" } else { "distance" },
            apart: curves.apart(motion, branch)?,
            heights,
        })
    }

    fn row(&self) -> BesideRow<'_> {
        let apart = column(&self.apart, 1);
        let heights = Some(&self.heights).filter(|heights| !heights.is_empty());
        BesideRow {
            what: &self.what,
            steps: self.steps,
            collision_count: self.impacts,
            status: self.ending,
            time: column(&self.apart, 0),
            measured: match self.measure {
                "xi" => Measured::Xi(apart),
                _ => Measured::Distance(apart),
            },
            height: heights.map(|heights| column(&heights[..self.apart.len()], 1)),
        }
    }
}

pub(super) fn text(text: &mut String, beside: &[Beside]) {
    for Beside { what, impacts, ending, measure, apart, .. } in beside {
        let most = apart.iter().fold(0.0, |most: f64, [_, x]| most.max(*x));
        let [first, last] = [apart.first(), apart.last()].map(|end| end.map_or(0.0, |end| end[1]));
        let mut about = format!("{}, {}", count(*impacts, "impact"), ending.name());
        let _ = write!(about, "; {measure} {} at first, ", short(first));
        let _ = write!(about, "{} at the end, {} at most", short(last), short(most));
        line(text, "beside", &format!("{}: {about}", printable(what)));
    }
}
