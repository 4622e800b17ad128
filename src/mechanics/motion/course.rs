use std::collections::BTreeSet;

use nalgebra::DVector;
use schemars::JsonSchema;
use serde::Serialize;

use super::ending::MotionEnding;
use super::watch::Passing;
use crate::model::Site;
use crate::model::spatial::Contact;

/// A state of a motion at the end of a step, or at its start.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Number of steps taken.
    pub step: u64,
    /// The time in s.
    pub time: f64,
    /// The configuration: of a mechanism `q`, of a rigid body the position of its mass centre in m
    /// and the rows of its attitude.
    pub position: Vec<f64>,
    /// Momentum: of a mechanism `p` (n); of a rigid body the linear momentum in the world in N s,
    /// and the angular momentum in its frame in N m s.
    pub momentum: Vec<f64>,
    /// Numbers of the other columns, such as energies in J.
    pub others: Vec<f64>,
    /// The total energy in J.
    pub energy: f64,
    /// Number of impacts since the start.
    pub impacts: u64,
}

impl Moment {
    /// The numbers of the columns: time, position, momentum and others.
    pub fn row(&self) -> Vec<f64> {
        [&[self.time], &self.position[..], &self.momentum, &self.others].concat()
    }
}

/// An impact of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact {
    /// The number of the step in which the impact falls, from 0 on.
    pub step: u64,
    /// The time of the impact, in s.
    pub time: f64,
    /// The configuration, as in a [`Moment`].
    pub position: Vec<f64>,
    /// The momentum before the impact.
    pub before: Vec<f64>,
    /// The momentum after the impact.
    pub after: Vec<f64>,
    /// The contacts of the impact.
    pub contacts: Vec<Contact>,
    /// Names of the contacts; empty for a rigid body.
    pub names: Vec<String>,
    /// Impulse in N s ((1+d) m), normals first.
    pub impulse: Vec<f64>,
    /// The speed of the fastest approach, in m/s.
    pub speed: f64,
    /// Whether a gap closed; otherwise this is an impact without collision.
    pub collision: bool,
    /// Parameter s after the impact, if the integrator has one: time in s plus the sum of all
    /// normal impulses in N s since the start.
    pub arc: Option<f64>,
}

/// Results specific to the time-augmented inclusion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Augmented {
    /// The parameter s at the end.
    pub arc: f64,
    /// Accumulation points of infinitely many impacts.
    pub accumulations: Vec<Accumulation>,
}

/// Infinitely many impacts that end in a finite time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Accumulation {
    /// The time at which the impacts end, s: the limit of the geometric series.
    pub time: f64,
    /// The parameter s at that time.
    #[serde(rename = "s")]
    pub arc: f64,
    /// The time between two impacts over the time before, in the mean of a group; 1 where rounding
    /// hides the remaining impacts.
    pub ratio: f64,
    /// The time of the last impact that was computed, s.
    pub last: f64,
    /// Number of impacts that were computed until then, since the motion began.
    #[serde(rename = "collision_count")]
    pub impacts: u64,
}

/// A change of the sites in sustained contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The time of the change, in s.
    pub time: f64,
    /// The sites in sustained contact from then on.
    pub sustained: BTreeSet<Site>,
}

/// Rotation of a body in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// The index of the body.
    pub body: usize,
    /// The angle in rad.
    pub angle: f64,
    /// The time at the end of the step, in s.
    pub time: f64,
}

/// The place of a motion within a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The number of the step, from 0 on.
    pub step: u64,
    /// The time in s.
    pub time: f64,
    /// Number of impacts since the motion began.
    pub impacts: u64,
    /// The sites in sustained contact.
    pub sustained: BTreeSet<Site>,
}

/// The course of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The state after the last completed step.
    pub last: Moment,
    /// The impacts, in order.
    pub impacts: Vec<Impact>,
    /// The times at which contacts became sustained or ended.
    pub changes: Vec<Change>,
    /// The energy at the start, J.
    pub initial: f64,
    /// Largest deviation of the energy from the initial energy, at the ends of steps, for a rigid
    /// body also after impacts, J.
    pub energy_error: f64,
    /// The ending of the motion.
    pub ending: MotionEnding,
    /// Standing point within a step, if the motion ended there.
    pub standing: Option<Standing>,
    /// Results of the time-augmented inclusion, if it is the integrator.
    pub augmented: Option<Augmented>,
    /// Possible tunnelling: pairs of bodies that may have passed through each other unnoticed.
    pub passed: Vec<Passing>,
    /// Fastest rotation in a step of the midpoint integrator, if it exceeds half a turn.
    pub turn: Option<Turn>,
}

impl Course {
    /// The course of a motion at its start.
    pub(super) fn new(start: Moment) -> Self {
        Course {
            initial: start.energy,
            last: start,
            impacts: Vec::new(),
            changes: Vec::new(),
            energy_error: 0.0,
            ending: MotionEnding::Done,
            standing: None,
            augmented: None,
            passed: Vec::new(),
            turn: None,
        }
    }
}

/// The numbers of a vector.
pub(super) fn list(x: &DVector<f64>) -> Vec<f64> {
    x.as_slice().to_vec()
}
