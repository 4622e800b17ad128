//! A measured impact.

use crate::error::ErrorKind;
use crate::{ContactProblem, Error};

/// A measured impact.
#[derive(Clone, Debug)]
pub struct Event {
    /// The position of the event in the file, counted from 0.
    pub number: usize,
    /// The configuration and the velocity before.
    pub problem: ContactProblem,
    /// The velocity measured after the impact (n).
    pub measured: Vec<f64>,
    /// Standard deviation of the measured jump of the velocity, `|.|_M` over `|v-|_M`.
    pub noise: Option<f64>,
    /// Whether the source of the data marks the measurement as reliable.
    pub clean: Option<bool>,
    /// Gaps of the contacts (m) in m, before the impact.
    pub gap: Option<Vec<f64>>,
    /// Number of the experiment.
    pub toss: Option<f64>,
}

impl Event {
    /// Adds the number of this event to an error of input.
    pub fn locate(&self, mut error: Error) -> Error {
        if error.kind == ErrorKind::Input {
            let event = format!("events[{}]", self.number);
            error.at = Some(error.at.map_or(event.clone(), |at| format!("{event}.{at}")));
        }
        error
    }

    /// Standard deviation of the measured velocity along each kinetic coordinate, over `|v-|_M`:
    /// the noise over the square root of the number of coordinates; 0 if unknown.
    pub fn deviation(&self) -> f64 {
        self.noise.unwrap_or(0.0) / (self.measured.len() as f64).sqrt()
    }
}
