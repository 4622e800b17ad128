use std::sync::atomic::{AtomicBool, Ordering};

use super::algebra::{add, apply};
use super::body::RigidBody;
use super::given::Lgvci;
use super::replica::{Replica, Setting};
use super::state::BodyState;
use super::step::Struck;
use crate::model::Surface;
use crate::model::spatial::{Contact, Touch};
use crate::motion::course::{Course, Impact, Moment};
use crate::motion::ending::MotionEnding;
use carom_core::error::Result;

impl Lgvci {
    /// Names of the columns of a moment: time, position, the rows of R, momentum, angular momentum,
    /// gap, energies, and the deviation of their sum from the initial energy.
    pub fn columns(&self) -> Vec<String> {
        "time x y z r11 r12 r13 r21 r22 r23 r31 r32 r33 momentum_x momentum_y momentum_z \
         angular_x angular_y angular_z gap translational rotational potential energy_error"
            .split(' ')
            .map(str::to_string)
            .collect()
    }

    /// A state and its numbers after `step` steps and `impacts` impacts, with the energy at the
    /// start in J.
    pub fn moment(&self, step: u64, state: &BodyState, initial: f64, impacts: u64) -> Moment {
        let (body, energy) = (self.body(), self.body().total_energy(state));
        let [translational, rotational, potential] = body.energies(state);
        let gap = body.gap(state).value;
        let (position, momentum) = state.lists();
        Moment {
            step,
            time: step as f64 * self.time_step(),
            position,
            momentum,
            others: vec![gap, translational, rotational, potential, energy - initial],
            energy,
            impacts,
        }
    }

    /// Motion over `steps` steps. Calls `look` with the start and the end of each step.
    ///
    /// Step k ends at `(k + 1) h`. A motion that cannot go on keeps its completed steps: see
    /// [`MotionEnding`].
    ///
    /// # Errors
    /// Errors of `look`.
    pub fn run(
        &self,
        steps: u64,
        stop: Option<&AtomicBool>,
        mut look: impl FnMut(&Moment) -> Result<()>,
    ) -> Result<Course> {
        let (setting, body, h) = (self.setting(), self.body(), self.time_step());
        let mut replica = Replica::new(body, self.start());
        let mut course = Course::new(self.moment(0, self.start(), replica.initial, 0));
        look(&course.last)?;
        while replica.goes_on(steps) {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                course.ending = MotionEnding::Interrupted;
                break;
            }
            let (step, start) = (replica.steps, replica.steps as f64 * h);
            replica.step(&setting, |hit| course.impacts.push(impact(body, hit, step, start)));
            course.ending = replica.ending;
            if replica.ending == MotionEnding::Done {
                let Replica { state, steps: step, initial, collisions, .. } = &replica;
                course.last = self.moment(*step, state, *initial, *collisions);
                look(&course.last)?;
            }
        }
        course.energy_error = replica.energy_error;
        Ok(course)
    }

    /// The data of all steps.
    pub fn setting(&self) -> Setting {
        Setting {
            body: self.body().clone(),
            time_step: self.time_step(),
            max_collisions: self.max_collisions(),
        }
    }
}

/// A collision in a step that begins at the time `start`, in s.
fn impact(body: &RigidBody, hit: Struck, step: u64, start: f64) -> Impact {
    let Struck { after, state, impulse, point, speed } = hit;
    let (position, after_it) = state.lists();
    let (_, before) = body.jump(&state, point, -impulse).lists();
    let point = add(state.position, apply(&state.attitude, point)).into();
    let touch = Touch { point, normal: body.normal.into(), gap: 0.0 };
    Impact {
        step,
        time: start + after,
        position,
        before,
        after: after_it,
        contacts: vec![Contact { first: Surface::Wall(0), second: 0, touch }],
        names: Vec::new(),
        impulse: vec![impulse],
        speed,
        collision: true,
        arc: None,
    }
}
