//! Motions that are shown beside another one.

use std::fmt::Write;

use serde_json::{Value, json};

use carom_core::text::{count, line, printable, short};
use carom_mechanics::motion::MotionEnding;

/// A motion that is shown beside another one, and how far both are apart.
#[derive(Clone, Debug)]
pub struct Beside {
    /// The value that was replaced, or the file.
    pub what: String,
    /// Number of completed steps.
    pub steps: u64,
    /// Number of impacts.
    pub impacts: usize,
    /// The ending of the motion.
    pub ending: MotionEnding,
    /// The name of the measure of how far the motions are apart.
    pub measure: &'static str,
    /// Time in s, and the measure then, as long as both motions go on.
    pub apart: Vec<[f64; 2]>,
    /// Time in s, and the height of the mass centre of a rigid body over the plane, in m.
    pub heights: Vec<[f64; 2]>,
}

/// A column of points.
pub(super) fn column(points: &[[f64; 2]], i: usize) -> Vec<f64> {
    points.iter().map(|point| point[i]).collect()
}

impl Beside {
    /// The motion as JSON.
    pub(super) fn json(&self) -> Value {
        let mut report = json!({
            "what": self.what, "steps": self.steps, "collision_count": self.impacts,
            "status": self.ending.name(), "time": column(&self.apart, 0),
        });
        report[self.measure] = column(&self.apart, 1).into();
        if !self.heights.is_empty() {
            report["height"] = column(&self.heights[..self.apart.len()], 1).into();
        }
        report
    }
}

/// Lines of text about motions that are shown beside another one.
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
