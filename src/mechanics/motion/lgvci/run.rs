use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Serialize;

use super::given::Lgvci;
use super::replica::{Replica, Setting};
use super::state::{BodyEnergy, BodyState};
use super::step::Struck;
use crate::motion::ending::MotionEnding;
use carom_core::error::Result;

/// A state of the motion at the end of a step, or at its start.
#[derive(Clone, Copy, Debug)]
pub struct BodyMoment<'a> {
    /// Number of steps taken.
    pub step: u64,
    /// The time in s.
    pub time: f64,
    /// The state of the body.
    pub state: &'a BodyState<f64>,
    /// The energy of the body.
    pub energy: BodyEnergy,
    /// Number of collisions so far.
    pub collisions: u64,
}

/// A collision, with the state just after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Collision {
    /// The state just after the collision.
    #[serde(flatten)]
    pub state: BodyState<f64>,
    /// The step in which it falls, from 0.
    pub step: u64,
    /// The number within the step, from 0.
    pub within: u32,
    /// The time of the collision, in s.
    #[schemars(description = "s")]
    pub time: f64,
    /// The impulse in N s.
    #[schemars(description = "N s")]
    pub impulse: f64,
    /// Where it touches, in the world, m.
    pub point: [f64; 3],
    /// The speed at which the gap closed, m/s.
    pub speed: f64,
}

/// The course of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyCourse {
    /// Number of completed steps.
    pub steps: u64,
    /// The time of these steps, in s.
    pub time: f64,
    /// Every collision, in order.
    pub collisions: Vec<Collision>,
    /// The energy at the start.
    pub initial: BodyEnergy,
    /// The largest difference of the energy from that at the start, at the ends of steps and after
    /// collisions, in J.
    pub energy_error: f64,
    /// The state after the last completed step.
    pub state: BodyState<f64>,
    /// The ending of the motion.
    pub ending: MotionEnding,
}

impl Lgvci {
    /// The motion over `steps` steps; `look` is called with the start and the end of each step.
    ///
    /// Step k ends at `(k + 1) h`. A motion that cannot go on keeps its steps so far: see
    /// [`MotionEnding`].
    ///
    /// # Errors
    /// Those of `look`.
    pub fn run(
        &self,
        steps: u64,
        stop: Option<&AtomicBool>,
        mut look: impl FnMut(&BodyMoment<'_>) -> Result<()>,
    ) -> Result<BodyCourse> {
        let start = self.start();
        let setting = self.setting();
        let (body, h) = (self.body(), self.time_step());
        let initial = body.energy(start);
        let mut replica = Replica::new(body, start);
        let mut collisions = Vec::new();
        let mut interrupted = false;
        look(&BodyMoment { step: 0, time: 0.0, state: start, energy: initial, collisions: 0 })?;
        while replica.goes_on(steps) {
            interrupted = stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
            if interrupted {
                break;
            }
            let (number, mut within) = (replica.steps, 0);
            replica.step(&setting, |hit| {
                collisions.push(collision(hit, number, within, h));
                within += 1;
            });
            if replica.ending == MotionEnding::Done {
                let Replica { state, steps: step, .. } = &replica;
                let (time, energy, collisions) =
                    (*step as f64 * h, body.energy(state), replica.collisions);
                look(&BodyMoment { step: *step, time, state, energy, collisions })?;
            }
        }
        let Replica { state, energy_error, steps, ending, .. } = replica;
        let ending = if interrupted { MotionEnding::Interrupted } else { ending };
        Ok(BodyCourse {
            steps,
            time: steps as f64 * h,
            collisions,
            initial,
            energy_error,
            state,
            ending,
        })
    }

    /// The data of all steps.
    pub fn setting(&self) -> Setting<f64> {
        Setting {
            body: self.body().clone(),
            time_step: self.time_step(),
            max_collisions: self.max_collisions(),
        }
    }
}

fn collision(hit: Struck<f64>, step: u64, within: u32, h: f64) -> Collision {
    let Struck { after, state, impulse, point, speed } = hit;
    let arm = super::algebra::apply(&state.attitude, point);
    let point = super::algebra::add(state.position, arm);
    Collision { step, within, time: step as f64 * h + after, state, impulse, point, speed }
}
