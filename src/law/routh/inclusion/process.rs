//! The inclusion prepared for a problem, and its samples.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::block::BlockLimits;
use super::integrator::Integrator;
use super::state::InclusionState;
use super::tolerances::Tolerances;
use crate::error::Result;
use crate::law::contact_space::{ContactSpace, facets_on};
use crate::law::draws::inertia::{Drawn, UncertainInertia};
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
    /// Whether the length of a block follows from the velocity that a sample has drawn; otherwise
    /// it is prescribed.
    pub adapts: bool,
    /// Whether the length of a block is held, see [`Inclusion::hold_length`].
    held: bool,
    /// The accuracy that is asked for, a part of `max|u-|`.
    pub accuracy: f64,
    /// The tolerances that follow from the accuracy.
    pub tolerances: Tolerances<R>,
    /// Friction, restitution and noise.
    pub numbers: Numbers<R>,
    /// Whether reservoirs hold impulse (Poisson) instead of work (Stronge).
    pub poisson: bool,
    /// The parts of the mass matrix, if inertia is uncertain.
    pub inertia: Option<Arc<UncertainInertia>>,
}

/// The memory in which a sample is computed; at the end it holds the sample's impulse.
#[derive(Clone, Debug)]
pub struct InclusionWorkspace<R> {
    /// The state of the sample; its total impulse at the end.
    pub state: InclusionState<R>,
    /// Once true, a sample in progress ends as [`Status::StepLimit`] within a few substeps.
    pub stop: Option<Arc<AtomicBool>>,
    /// The inertia that the sample has drawn, and the step problem with it, if inertia is
    /// uncertain.
    pub drawn: Option<(Drawn, StepProblem<R>)>,
}

impl<R: Real> Inclusion<R> {
    /// Checks that the law applies to a problem and prepares all that is the same for every sample.
    ///
    /// # Errors
    /// Newton's hypothesis, rates that persist over several steps, a block that is not a finite
    /// positive number or that overflows the precision, a limit of 0 blocks.
    pub fn new(law: &Routh, problem: &ContactProblem) -> Result<Self> {
        // With four facets the axes are the tangents themselves, which the inclusion needs.
        let facets = facets_on(problem, None, Facets::LEAST)?;
        let poisson = law.poisson()?;
        law.require_blocks()?;
        let (w, mu, u) = (problem.delassus(), problem.friction(), problem.contact_velocity());
        let (step, scaling) = StepProblem::of(w, mu, u, facets.as_ref());
        let numbers = Numbers::new(problem, &scaling).cast();
        let mut inclusion = Inclusion {
            space: ContactSpace::new(&step, scaling, law.segments())?,
            rates: Rates::of_blocks(problem.contact_count(), law.step, law.sampler()),
            adapts: law.step.is_none(),
            held: false,
            accuracy: law.accuracy()?,
            tolerances: Tolerances::new(law.accuracy()?, step.width()),
            numbers,
            poisson,
            inertia: UncertainInertia::new(problem).map(Arc::new),
        };
        inclusion.approach(problem)?;
        Ok(inclusion)
    }

    /// Sets the velocity before the impact to that of `problem`, whose mass matrix, Jacobians and
    /// coefficients must be those of the problem that this process was prepared for. Allocates if
    /// there is noise.
    ///
    /// # Errors
    /// A block that is not a finite positive number or that overflows the precision.
    pub fn approach(&mut self, problem: &ContactProblem) -> Result<()> {
        self.space.approach(problem, usize::MAX);
        if self.adapts {
            self.rates.approach_in_units(problem, &self.space)?;
        } else {
            self.rates.approach(problem, &self.space)?;
        }
        self.numbers.disturb(problem, &self.space.scaling);
        Ok(())
    }

    /// Sets one length, over the unit of impulse, for the blocks of all samples, if each sample has
    /// had a length of its own so far.
    pub fn hold_length(&mut self, length: R) {
        if self.adapts || self.held {
            (self.adapts, self.held) = (false, true);
            for (cap, sigma) in self.rates.caps.iter_mut().zip(&self.space.scaling.sigma) {
                *cap = if *cap > R::ZERO { length * R::from_f64(*sigma) } else { R::ZERO };
            }
        }
    }

    /// A workspace for [`Inclusion::sample`].
    pub fn workspace(&self) -> InclusionWorkspace<R> {
        let step = &self.space.step;
        InclusionWorkspace {
            state: InclusionState::new(step.contacts, step.width(), self.poisson),
            stop: None,
            drawn: self.inertia.as_ref().map(|inertia| (inertia.room(), step.clone())),
        }
    }

    /// Computes one sample: block after block, until no contact approaches and every reservoir is
    /// empty. Steps of the result are substeps; the total impulse is left in `work.state`. Does not
    /// allocate.
    ///
    /// The sample ends with [`Status::StepLimit`] at the limit on substeps, with [`Status::Budget`]
    /// if it takes too much work, and with [`Status::Unsolved`] where no forces are found. The
    /// residual is that of [`InclusionJudge`](super::check::InclusionJudge). With `finer`
    /// tolerances the error is smaller.
    pub fn sample(
        &self,
        finer: bool,
        stream: &Stream,
        work: &mut InclusionWorkspace<R>,
    ) -> Ending<R> {
        let observe = |_: R, _: &[R], _: &[R]| {};
        match (self.space.step.contacts, self.space.step.axes) {
            (1, 2) => self.run::<1>(finer, stream, work, observe),
            (2, 2) => self.run::<2>(finer, stream, work, observe),
            (4, 2) => self.run::<4>(finer, stream, work, observe),
            _ => self.run::<0>(finer, stream, work, observe),
        }
    }

    /// Like [`Inclusion::sample`], and calls `observe` with the length of each substep, the most
    /// normal impulse (m) that it allows per length, and its forces (K). Slower: its code is for
    /// any number of contacts.
    pub fn sample_observed(
        &self,
        finer: bool,
        stream: &Stream,
        work: &mut InclusionWorkspace<R>,
        observe: impl FnMut(R, &[R], &[R]),
    ) -> Ending<R> {
        self.run::<0>(finer, stream, work, observe)
    }

    /// Computes one sample of a problem with `M` contacts in space, or of any problem where `M` is
    /// 0.
    fn run<const M: usize>(
        &self,
        finer: bool,
        stream: &Stream,
        work: &mut InclusionWorkspace<R>,
        mut observe: impl FnMut(R, &[R], &[R]),
    ) -> Ending<R> {
        let InclusionWorkspace { state, stop, drawn } = work;
        let step = match (&self.inertia, drawn) {
            (Some(inertia), Some((drawn, step))) => {
                inertia.draw(stream, drawn);
                drawn.contact_space(&self.space.scaling, step);
                &*step
            }
            _ => &self.space.step,
        };
        let tolerances = if finer { self.tolerances.finer() } else { self.tolerances };
        let integrator =
            Integrator::<R, M> { step, rest: &self.space.rest, poisson: self.poisson, tolerances };
        state.begin(step, &self.space.start, &self.numbers, stream);
        let numbers = [&state.u, &state.mu, &state.tops].map(Vec::as_slice);
        state.length = if self.adapts { integrator.block_length(numbers) } else { R::ONE };
        let stopped = || stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        let limits = BlockLimits { substeps: self.space.max_steps, stopped: &stopped };
        for block in 0.. {
            integrator.draw(&self.rates, stream, block, state);
            if let Some(status) = integrator.block(&limits, state, &mut observe) {
                let residual = state.judge.end(&state.u, status == Status::Terminated);
                return Ending { status, steps: state.substeps, residual };
            }
            integrator.forfeit(state);
        }
        unreachable!("blocks end with a status")
    }
}

impl Inclusion<f64> {
    /// The process in another precision.
    ///
    /// # Errors
    /// A block that overflows the precision.
    pub fn cast<R: Real>(&self, problem: &ContactProblem) -> Result<Inclusion<R>> {
        let mut inclusion = Inclusion {
            space: self.space.cast(),
            rates: self.rates.cast(),
            adapts: self.adapts,
            held: self.held,
            tolerances: Tolerances::new(self.accuracy, self.space.step.width()),
            accuracy: self.accuracy,
            numbers: self.numbers.cast(),
            poisson: self.poisson,
            inertia: self.inertia.clone(),
        };
        inclusion.approach(problem)?;
        Ok(inclusion)
    }
}
