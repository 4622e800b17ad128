//! The inclusion prepared for a problem, and its samples.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::integrator::Integrator;
use super::state::{InclusionState, Phase};
use super::tolerances::Tolerances;
use crate::error::Result;
use crate::law::contact_space::{ContactSpace, facets_on};
use crate::law::draws::inertia::{Drawn, Inertia};
use crate::law::draws::numbers::Numbers;
use crate::law::draws::rates::Rates;
use crate::law::ending::Ending;
use crate::law::routh::options::Routh;
use crate::lcp::{Facets, StepProblem};
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::rng::Stream;
use crate::status::Status;

/// The inclusion prepared for a problem.
#[derive(Clone, Debug)]
pub struct Inclusion<R> {
    /// The problem's contact space: normals (m), then one or two tangents of each contact together.
    pub space: ContactSpace<R>,
    /// The size of a block of impulse, and the sampler of its rates.
    pub rates: Rates<R>,
    /// Friction, restitution and noise.
    pub numbers: Numbers<R>,
    /// Whether reservoirs hold impulse (Poisson) instead of work (Stronge).
    pub poisson: bool,
    /// The parts of the mass matrix, if inertia is uncertain.
    pub inertia: Option<Arc<Inertia>>,
}

/// The memory in which a sample is computed; at the end it holds the sample's impulse.
#[derive(Clone, Debug)]
pub struct Workspace<R> {
    /// The state of the sample; its total impulse at the end.
    pub state: InclusionState<R>,
    /// Once true, a sample in progress ends as [`Status::StepLimit`] within a few blocks.
    pub stop: Option<Arc<AtomicBool>>,
    /// The inertia that the sample has drawn, and its step problem, if inertia is uncertain.
    pub drawn: Option<(Drawn, StepProblem<R>)>,
}

impl<R: Real> Inclusion<R> {
    /// Checks that the law applies to a problem and prepares all that is the same for every sample.
    ///
    /// # Errors
    /// Newton's hypothesis, rates that persist over several steps, a block that is not a finite positive number or that
    /// overflows the precision, a limit of 0 blocks.
    pub fn new(law: &Routh, problem: &ContactProblem) -> Result<Self> {
        // With four facets the axes are the tangents themselves, which is all that the inclusion needs.
        let facets = facets_on(problem, None, Facets::LEAST)?;
        let poisson = law.poisson()?;
        law.require_blocks()?;
        let (w, mu, u) = (problem.delassus(), problem.friction(), problem.contact_velocity());
        let (step, scaling) = StepProblem::of(w, mu, u, facets.as_ref());
        let numbers = Numbers::new(problem, &scaling).cast();
        let mut inclusion = Inclusion {
            space: ContactSpace::new(&step, scaling, law.max_steps_on(problem))?,
            rates: Rates::new(problem.contact_count(), law.step, law.sampler, 1),
            numbers,
            poisson,
            inertia: Inertia::new(problem).map(Arc::new),
        };
        inclusion.approach(problem)?;
        Ok(inclusion)
    }

    /// Sets the velocity before the impact to that of `problem`, whose mass matrix, Jacobians and coefficients must be
    /// those of the problem that this was prepared for. Allocates if there is noise.
    ///
    /// # Errors
    /// A block that is not a finite positive number or that overflows the precision.
    pub fn approach(&mut self, problem: &ContactProblem) -> Result<()> {
        self.space.approach(problem, usize::MAX);
        self.rates.approach(problem, &self.space)?;
        self.numbers.disturb(problem, &self.space.scaling);
        Ok(())
    }

    /// A workspace for [`Inclusion::sample`].
    pub fn workspace(&self) -> Workspace<R> {
        let step = &self.space.step;
        Workspace {
            state: InclusionState::new(step.contacts, step.width()),
            stop: None,
            drawn: self.inertia.as_ref().map(|inertia| (inertia.room(), step.clone())),
        }
    }

    /// Computes one sample: while a contact approaches or its reservoir is not empty, draws rates and integrates a
    /// block. Its steps are blocks; its total impulse is then in `work.state`. Does not allocate.
    ///
    /// It ends with [`Status::StepLimit`] at the limit on blocks, and with [`Status::Unsolved`] if the sample takes
    /// more than [`Tolerances::substeps`] or a substep more than [`MAX_TRIALS`](super::tolerances::MAX_TRIALS) trials.
    /// The residual is the defect of the energy balance `(u- + u+).L/2 = work of all contacts`, whose right-hand side
    /// assumes that friction either opposes sliding at its full size or holds the contact.
    pub fn sample(&self, tolerances: Tolerances<R>, stream: &Stream, work: &mut Workspace<R>) -> Ending<R> {
        let Workspace { state, stop, drawn } = work;
        let step = match (&self.inertia, drawn) {
            (Some(inertia), Some((drawn, step))) => {
                inertia.draw(stream, drawn);
                drawn.contact_space(&self.space.scaling, step);
                &*step
            }
            _ => &self.space.step,
        };
        let integrator = Integrator { step, rest: &self.space.rest, poisson: self.poisson, tolerances };
        state.begin(&self.space.start, &self.numbers, stream);
        let mut steps = 0;
        let status = loop {
            if !state.u.iter().chain(&state.total).all(|x| x.is_finite()) {
                break Status::NotFinite;
            }
            if !integrator.engage(&self.rates, state) {
                break Status::Terminated;
            }
            let stopped = steps % 16 == 15 && stop.as_ref().is_some_and(|s| s.load(Ordering::Relaxed));
            if steps == self.space.max_steps || stopped {
                break Status::StepLimit;
            }
            integrator.draw_rates(&self.rates, stream, steps, state);
            integrator.touch(state);
            state.jammed.iter_mut().enumerate().for_each(|(i, jammed)| {
                let still = state.u[i].abs() <= integrator.landing(i) && state.rate[i] > R::ZERO;
                *jammed = still && state.phase[i] == Phase::Restituting;
            });
            if !integrator.block(state) {
                break Status::Unsolved;
            }
            for i in 0..step.contacts {
                if state.jammed[i] && state.u[i].abs() <= integrator.landing(i) {
                    state.stored[i] = R::ZERO;
                }
            }
            steps += 1;
        };
        let mut gained = R::ZERO;
        for j in 0..state.u.len() {
            gained += (state.start[j] + state.u[j]) * state.total[j];
        }
        let defect = gained * R::from_f64(0.5) - state.work;
        let residual = if defect.is_finite() { defect.abs() } else { R::HUGE };
        Ending { status, steps, residual }
    }
}

impl Inclusion<f64> {
    /// The same in another precision.
    ///
    /// # Errors
    /// A block that overflows the precision.
    pub fn cast<R: Real>(&self, problem: &ContactProblem) -> Result<Inclusion<R>> {
        let mut inclusion = Inclusion {
            space: self.space.cast(),
            rates: self.rates.cast(),
            numbers: self.numbers.cast(),
            poisson: self.poisson,
            inertia: self.inertia.clone(),
        };
        inclusion.approach(problem)?;
        Ok(inclusion)
    }
}
