//! The inclusion prepared for a problem, and its samples.

use std::sync::Arc;

use super::lanes::{Each, Silent};
use super::motion::Kept;
use super::phases::Phased;
use super::{InclusionState, Motion, SampleLane, Samples, Tolerances};
use crate::{Ending, Routh};
use carom_core::contact_space::facets_on;
use carom_core::draws::inertia::UncertainInertia;
use carom_core::vectors::{Lanes, Vector};
use carom_core::{
    ContactProblem, ContactSpace, Facets, Numbers, Rates, Real, Result, Status, StepProblem, Stop,
    Stream,
};

/// Receives the length of each substep, its normal impulse bounds (m) per length, and its forces
/// (K).
pub(crate) type Observer<'o, R> = dyn FnMut(R, &[R], &[R]) + 'o;

/// The inclusion prepared for a problem.
#[derive(Clone, Debug)]
pub struct Inclusion<R> {
    /// The problem's contact space: normals (m), then one or two tangents of each contact together.
    pub space: ContactSpace<R>,
    /// The size of a block of impulse, and the sampler of its rates.
    pub rates: Rates<R>,
    /// Whether the block length follows from each sample's drawn velocity; otherwise it is
    /// prescribed.
    pub adapts: bool,
    /// Whether the block length is fixed for all samples, see [`Inclusion::hold_length`].
    held: bool,
    /// The requested accuracy, relative to `max|u-|`.
    pub accuracy: f64,
    /// The tolerances for this accuracy.
    pub tolerances: Tolerances<R>,
    /// Friction, restitution and noise.
    pub numbers: Numbers<R>,
    /// Whether contacts store impulse (Poisson) instead of work (Stronge).
    pub poisson: bool,
    /// The parts of the mass matrix, if inertia is uncertain.
    pub inertia: Option<Arc<UncertainInertia>>,
    /// The phase-by-phase integrator, if it applies.
    pub(super) phased: Option<Phased>,
}

/// The memory of samples; at the end it contains the impulse of the last one.
#[derive(Clone, Debug)]
pub struct InclusionWorkspace<R: Real> {
    /// One lane per concurrent sample; one lane without vectors.
    pub lanes: Vec<SampleLane<R>>,
    /// The motion of one sample, and of the samples in the lanes of a vector, in plain steps.
    motion: Motion<R>,
    vectors: Kept,
    /// Once true, a sample in progress ends as [`Status::StepLimit`] within a few substeps.
    pub stop: Stop,
}

impl<R: Real> Inclusion<R> {
    /// Checks that the law applies to a problem, and prepares the data common to all samples.
    pub fn new(law: &Routh, problem: &ContactProblem) -> Result<Self> {
        // With four facets, the facet directions are the tangents, as the inclusion requires.
        let facets = facets_on(problem, None, Facets::LEAST)?;
        let poisson = law.poisson()?;
        law.require_blocks()?;
        let (w, mu, u) = (problem.delassus(), problem.friction(), problem.contact_velocity());
        let (step, scaling) = StepProblem::of(w, mu, u, facets.as_ref());
        let numbers = Numbers::new(problem, &scaling).cast();
        let mut inclusion = Inclusion {
            space: ContactSpace::new(&step, scaling, law.segments())?,
            rates: Rates::of_blocks(problem.contact_count(), law.length(), law.sampler()),
            adapts: law.length().is_natural(),
            held: false,
            accuracy: law.accuracy()?,
            tolerances: Tolerances::new(law.accuracy()?, step.width()),
            numbers,
            poisson,
            inertia: UncertainInertia::new(problem).map(Arc::new),
            phased: None,
        };
        inclusion.approach(problem)?;
        Ok(inclusion)
    }

    /// Sets the velocity before the impact from `problem`, which must have the mass matrix,
    /// Jacobians and coefficients of the prepared problem. Allocates if there is noise.
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

    /// Sets a common block length, in units of impulse, for all samples, if each sample had its own
    /// length.
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
            lanes: vec![self.lane()],
            motion: Motion::new((), step.contacts, step.width(), self.poisson),
            vectors: Kept::default(),
            stop: None,
        }
    }

    /// The memory of one lane.
    fn lane(&self) -> SampleLane<R> {
        let step = &self.space.step;
        let drawn = self.inertia.as_ref().map(|inertia| (inertia.room(), step.clone()));
        let state = InclusionState::new(step.contacts, step.width(), self.poisson);
        SampleLane { state, drawn, phased: None, sample: 0, trials: 0 }
    }

    /// Computes one sample, block after block, until no contact approaches and nothing is stored.
    /// Steps of the result are substeps; the first lane contains the total impulse. Does not
    /// allocate.
    ///
    /// The sample ends with [`Status::StepLimit`] at the limit on substeps, with [`Status::Budget`]
    /// if its work exceeds the budget, and with [`Status::Unsolved`] where no forces are found.
    /// [`InclusionJudge`](super::check::InclusionJudge) computes the residual. `finer` reduces the
    /// error tolerance.
    pub fn sample(
        &self,
        finer: bool,
        stream: &Stream,
        work: &mut InclusionWorkspace<R>,
    ) -> Ending<R> {
        self.sample_observed(finer, stream, work, |_, _, _| {})
    }

    /// As [`Inclusion::sample`]; calls `observe` with the length of each substep, its normal
    /// impulse bounds (m) per length, and its forces (K).
    pub fn sample_observed(
        &self,
        finer: bool,
        stream: &Stream,
        work: &mut InclusionWorkspace<R>,
        mut observe: impl FnMut(R, &[R], &[R]),
    ) -> Ending<R> {
        // A dynamic call per substep costs less than a copy of this code per observer.
        self.sample_told(finer, stream, work, &mut observe)
    }

    fn sample_told(
        &self,
        finer: bool,
        stream: &Stream,
        work: &mut InclusionWorkspace<R>,
        observe: &mut Observer<R>,
    ) -> Ending<R> {
        let InclusionWorkspace { lanes, motion, stop, .. } = work;
        let mut endings = [Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO }];
        let samples = Samples {
            finer,
            stop: stop.as_deref(),
            streams: |_| *stream,
            starts: None,
            endings: &mut endings,
            totals: &mut [],
        };
        self.compute::<R, 0>(samples, lanes, motion, Each(observe));
        let [ending] = endings;
        ending
    }

    /// Whether samples take plain steps, which all lanes take together.
    pub fn takes_plain_steps(&self) -> bool {
        self.space.step.axes == 2 && !self.poisson && self.phased.is_none()
    }

    /// Computes `samples`, one per vector lane of an instruction set, as [`Inclusion::sample`]
    /// does.
    #[inline(always)]
    pub fn sample_lanes<'s, S: Vector<R>>(
        &self,
        simd: S,
        samples: Samples<'_, R, impl Fn(usize) -> Stream<'s>>,
        work: &mut InclusionWorkspace<R>,
    ) {
        let step = &self.space.step;
        while work.lanes.len() < S::LANES {
            work.lanes.push(self.lane());
        }
        let lanes = &mut work.lanes;
        let new = || Motion::<Lanes<S, R>>::new(simd, step.contacts, step.width(), self.poisson);
        let motion = work.vectors.get(new);
        // Code specialised for the number of contacts is fast.
        match step.contacts {
            2 => self.compute::<_, 2>(samples, lanes, motion, Silent),
            4 => self.compute::<_, 4>(samples, lanes, motion, Silent),
            _ => self.compute::<_, 0>(samples, lanes, motion, Silent),
        }
    }
}
