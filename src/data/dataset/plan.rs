//! The plan of a data set: states, each a function of its number, and their sampling.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::source::Source;
use crate::{ContactProblem, Result};
use carom_core::rng::{Purpose, Stream, seed_of_state};
use carom_engine::run::Run;
use carom_engine::{Plan, Precision};
use carom_report::warnings::of_solver;

/// Most states with contacts that are tried in search of one that can be sampled.
pub(super) const TRIED: usize = 1000;

/// The source of the values of a parameter or of a velocity.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Origin {
    /// One value for all states.
    Fixed(f64),
    /// Uniform between two bounds.
    Range([f64; 2]),
    /// A value for each state, from a table.
    Column(Arc<Vec<f64>>),
}

/// A parameter of the scene, or the velocity of a coordinate before the impact.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    pub name: String,
    /// The index of the quantity among the scene's parameters, or the coordinates.
    pub place: usize,
    pub origin: Origin,
}

/// The states of a data set.
#[derive(Debug)]
pub(super) struct States {
    pub source: Source,
    /// Parameters that vary, in the order of the scene.
    pub parameters: Vec<Quantity>,
    /// Velocities that vary, in the order of the coordinates.
    pub velocity: Vec<Quantity>,
    /// The run of the plan's law.
    pub run: Run,
    /// The sampling plan of a state, without seed and number of samples.
    pub how: Plan,
    pub seed: u64,
    pub count: u64,
    /// The problem of all states, apart from velocities, if no parameter varies.
    pub common: Option<ContactProblem>,
}

/// The plan of a data set, read from a file by [`DatasetPlan::open`].
#[derive(Debug)]
pub struct DatasetPlan {
    pub(super) name: String,
    pub(super) states: States,
    pub(super) precision: Precision,
    pub(super) samples: u64,
    /// Number of states in a file.
    pub(super) share: u64,
    /// The problem of the first state that can be sampled.
    pub(super) first: ContactProblem,
    pub(super) fingerprint: String,
}

/// A state of a data set.
#[derive(Clone, Debug, PartialEq)]
pub struct DatasetState {
    /// The number of the state, from 0.
    pub number: u64,
    /// The seed of its samples, see [`seed_of_state`]: words 0 and 1, the low one first and without
    /// the highest bit, of Philox4x32-10 under the key `seed` of the plan at the counter (number
    /// low, number high, 2, 8 2^24).
    pub seed: u64,
    /// Values of the scene parameters in the plan, with their names.
    pub parameters: Vec<(String, f64)>,
    /// Velocities before the impact of the coordinates in the plan, with their names, in m/s or
    /// rad/s.
    pub velocity: Vec<(String, f64)>,
}

impl DatasetPlan {
    /// The name of the data set.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The seed of the states, and through them of all samples.
    pub fn seed(&self) -> u64 {
        self.states.seed
    }

    /// Whether the plan or the problem sets the step limit.
    pub fn sets_limit(&self) -> bool {
        self.states.run.sets_limit(&[&self.first])
    }

    /// Warnings for users of the data set: a removed solver, or states with other numbers of
    /// contacts than the events of the model's fit.
    pub fn warnings(&self) -> Vec<String> {
        let states = &self.states;
        let contacts: Vec<usize> = match states.source.arrays() {
            Some(arrays) => {
                let all = (0..arrays.states()).map(|state| arrays.contacts_of(state).len());
                all.filter(|contacts| *contacts > 0).collect()
            }
            None => {
                let problem = |number| {
                    let parameters = self.state(number).parameters;
                    states.source.problem(number, &parameters).ok()
                };
                let first = (0..states.count).take(TRIED).find_map(problem);
                first.iter().map(ContactProblem::contact_count).collect()
            }
        };
        let solver = of_solver(states.run.solver);
        solver.into_iter().chain(states.run.unfitted(&contacts)).collect()
    }

    /// Number of states.
    pub fn states(&self) -> u64 {
        self.states.count
    }

    /// Number of samples of each state.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Number of files.
    pub fn files(&self) -> u64 {
        self.states.count.div_ceil(self.share)
    }

    /// The states of a file.
    pub fn states_of(&self, file: u64) -> std::ops::Range<u64> {
        let first = (file.saturating_mul(self.share)).min(self.states());
        first..first.saturating_add(self.share).min(self.states())
    }

    /// The name of a file in the directory of the data set: `data/part-00000-of-00010.parquet`.
    pub fn file_name(&self, file: u64) -> String {
        format!("data/part-{file:05}-of-{:05}.parquet", self.files())
    }

    /// The fingerprint of this plan: 32 hexadecimal digits that depend on the version of carom and
    /// on all inputs of the rows in plan, scene and table.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The problem of the first state that can be sampled.
    pub fn problem(&self) -> &ContactProblem {
        &self.first
    }

    /// State `number`: a function of the plan and the number.
    ///
    /// A number from a range `[low, high]` is `low (1 - x) + high x` with the first 53 bits of `x`
    /// from words `2j + 1` and `2j` of Philox4x32-10, of step 0 for parameter `j` of the scene and
    /// of step 1 for coordinate `j`.
    pub fn state(&self, number: u64) -> DatasetState {
        self.states.state(number)
    }

    /// The contact problem of a state.
    ///
    /// # Errors
    /// A scene that overlaps or touches nothing at these parameters; other errors of
    /// [`Document::problem`](carom_scene::Document::problem).
    pub fn problem_of(&self, state: &DatasetState) -> Result<ContactProblem> {
        self.states.problem(state)
    }

    pub(super) fn plan(&self, state: &DatasetState, stop: Option<&Arc<AtomicBool>>) -> Plan {
        let how = self.states.how.clone();
        Plan { samples: self.samples, seed: state.seed, stop: stop.cloned(), ..how }
    }
}

impl States {
    /// State `number`.
    pub fn state(&self, number: u64) -> DatasetState {
        let stream = Stream::new(self.seed, number);
        let word = |step: u32, j: u32| u64::from(stream.draw(step, Purpose::State, j));
        let long = |step: u32, j: u32| word(step, 2 * j + 1) << 32 | word(step, 2 * j);
        let value = |step: u32, quantity: &Quantity| match &quantity.origin {
            Origin::Fixed(value) => *value,
            Origin::Column(values) => values[number as usize],
            Origin::Range([low, high]) => {
                let x = (long(step, quantity.place as u32) >> 11) as f64 / (1_u64 << 53) as f64;
                (low * (1.0 - x) + high * x).clamp(*low, *high)
            }
        };
        let values = |step: u32, of: &[Quantity]| -> Vec<(String, f64)> {
            of.iter().map(|quantity| (quantity.name.clone(), value(step, quantity))).collect()
        };
        DatasetState {
            number,
            seed: seed_of_state(self.seed, number),
            parameters: values(0, &self.parameters),
            velocity: values(1, &self.velocity),
        }
    }

    /// The problem of a state.
    pub fn problem(&self, state: &DatasetState) -> Result<ContactProblem> {
        let mut problem = match &self.common {
            Some(common) => common.clone(),
            None => self.run.applied(self.source.problem(state.number, &state.parameters)?)?,
        };
        let mut velocity = match self.source.arrays() {
            Some(arrays) => arrays.velocity(state.number as usize).to_vec(),
            None => problem.velocity().as_slice().to_vec(),
        };
        for (quantity, (_, value)) in self.velocity.iter().zip(&state.velocity) {
            velocity[quantity.place] = *value;
        }
        problem.set_velocity(&velocity)?;
        Ok(problem)
    }

    pub fn differ(&self) -> bool {
        let varies = |quantity: &Quantity| !matches!(quantity.origin, Origin::Fixed(_));
        let arrays = self.source.arrays();
        arrays.map_or_else(|| self.parameters.iter().any(varies), |arrays| arrays.differ())
    }

    /// Whether the set of contacts may differ between states.
    pub fn choose(&self) -> bool {
        self.source.arrays().map_or_else(|| self.differ(), |arrays| arrays.choose())
    }
}
