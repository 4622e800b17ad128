//! A motion, step after step.

use std::sync::atomic::{AtomicBool, Ordering};

use super::given::Lgvci;
use super::state::{Energy, State};
use super::step::{Struck, step};
use crate::error::Result;
use crate::motion::ending::Ending;

/// A state of the motion at the end of a step, or at its start.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// How many steps were taken.
    pub step: u64,
    /// In s.
    pub time: f64,
    /// Where the body is.
    pub state: &'a State<f64>,
    /// Its energy.
    pub energy: Energy,
    /// Collisions so far.
    pub collisions: u64,
}

/// A collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// The number of the step it falls in, from 0.
    pub step: u64,
    /// Its number within the step, from 0.
    pub within: u32,
    /// When, in s.
    pub time: f64,
    /// Just after it.
    pub state: State<f64>,
    /// In N s.
    pub impulse: f64,
    /// The point that touches, in the world, in m.
    pub point: [f64; 3],
    /// How fast the gap closed, in m/s.
    pub speed: f64,
}

/// A motion that was computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Steps that were completed.
    pub steps: u64,
    /// Their time, in s.
    pub time: f64,
    /// Every collision, in order.
    pub collisions: Vec<Collision>,
    /// The energy at the start.
    pub initial: Energy,
    /// The largest difference of the energy from that at the start, at the ends of steps and after collisions, in J.
    pub energy_error: f64,
    /// The state after the last completed step.
    pub state: State<f64>,
    /// How it ended.
    pub ending: Ending,
}

impl Lgvci {
    /// The motion over `steps` steps; `look` sees the start and the end of each step.
    ///
    /// Step k ends at `(k + 1) h`. A motion that cannot go on keeps its steps so far: see [`Ending`].
    ///
    /// # Errors
    /// Those of `look`.
    pub fn run(
        &self,
        steps: u64,
        stop: Option<&AtomicBool>,
        mut look: impl FnMut(&Moment<'_>) -> Result<()>,
    ) -> Result<Course> {
        self.run_from(self.start(), steps, stop, &mut look)
    }

    /// The same from another state.
    pub(super) fn run_from(
        &self,
        start: &State<f64>,
        steps: u64,
        stop: Option<&AtomicBool>,
        look: &mut dyn FnMut(&Moment<'_>) -> Result<()>,
    ) -> Result<Course> {
        let (body, h) = (self.body(), self.time_step());
        let initial = body.energy(start);
        let error = |energy: Energy| (energy.total() - initial.total()).abs();
        let mut course = Course {
            steps: 0,
            time: 0.0,
            collisions: Vec::new(),
            initial,
            energy_error: 0.0,
            state: *start,
            ending: Ending::Done,
        };
        look(&Moment { step: 0, time: 0.0, state: start, energy: initial, collisions: 0 })?;
        while course.steps < steps {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                course.ending = Ending::Interrupted;
                break;
            }
            let (number, mut within) = (course.steps, 0);
            let mut worst = course.energy_error;
            let collisions = &mut course.collisions;
            let mut struck = |hit: Struck<f64>| {
                worst = worst.max(error(body.energy(&hit.state)));
                collisions.push(collision(hit, number, within, h));
                within += 1;
            };
            match step(body, &course.state, h, self.max_collisions(), &mut struck) {
                Ok(next) if next.is_finite() => course.state = next,
                Ok(_) => course.ending = Ending::NotFinite,
                Err(ending) => course.ending = ending,
            }
            course.energy_error = worst;
            if course.ending != Ending::Done {
                break;
            }
            course.steps += 1;
            course.time = course.steps as f64 * h;
            let energy = body.energy(&course.state);
            course.energy_error = worst.max(error(energy));
            let (step, time, collisions) = (course.steps, course.time, course.collisions.len() as u64);
            look(&Moment { step, time, state: &course.state, energy, collisions })?;
        }
        Ok(course)
    }
}

fn collision(hit: Struck<f64>, step: u64, within: u32, h: f64) -> Collision {
    let Struck { after, state, impulse, point, speed } = hit;
    let arm = super::algebra::apply(&state.attitude, point);
    let point = super::algebra::add(state.position, arm);
    Collision { step, within, time: step as f64 * h + after, state, impulse, point, speed }
}
