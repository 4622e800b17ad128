//! Samples of many spatial contacts, such as robots on flat feet, integrated phase by phase by
//! `carom-phases`.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::process::{Inclusion, InclusionWorkspace, Observer};
use super::tolerances::{DOUBLINGS, LENGTHEN};
use super::{InclusionJudge, Judged, SampleLane};
use crate::Ending;
use carom_core::{Status, StepProblem, Stream, stopped};
use carom_phases::{Impact, MOST_CONTACTS, Memory, Phases, Watch};

/// The range of the number of contacts for phases; with fewer contacts, plain steps are faster.
const CONTACTS: RangeInclusive<usize> = 5..=MOST_CONTACTS;

/// The largest dimensionless friction, and the smallest accuracy. Derivatives ask for a smaller
/// one, as their dual numbers take substeps.
const MOST_FRICTION: f64 = 1000.0;
const LEAST_ACCURACY: f64 = 2e-6;

/// The multiplication budget of a sample, relative to the budget of plain steps.
const BUDGET: u64 = 8;

/// The problem of an inclusion, prepared for phases.
#[derive(Clone, Debug)]
pub struct Phased(Arc<Phases>);

/// The memory for phases.
#[derive(Clone, Debug)]
pub struct PhasedLane {
    memory: Memory,
    /// The residual check before the last step.
    before: InclusionJudge<f64>,
}

/// The residual check of an impact as a `Watch`.
struct Judging<'a> {
    step: &'a StepProblem<f64>,
    judge: &'a mut InclusionJudge<f64>,
    /// The residual check at the mark, and the largest violation until then; `judge` has the
    /// largest violation since.
    before: &'a mut InclusionJudge<f64>,
    worst: f64,
    observe: &'a mut Observer<'a, f64>,
}

impl Watch<f64> for Judging<'_> {
    fn judge(&mut self, h: f64, caps: &[f64], l: &[f64]) {
        let step = self.step;
        let shape = [step.contacts, step.axes, step.width()];
        self.judge.substep(Judged { w: &step.w, shape, h, caps, l });
    }

    fn mark(&mut self) {
        self.worst = self.worst.max(self.judge.take_worst());
        self.judge.give(0, self.before);
    }

    fn gained(&self) -> f64 {
        self.judge.since(self.before)
    }

    fn back(&mut self) {
        self.before.give(0, self.judge);
    }

    fn forfeit(&mut self, i: usize) {
        self.judge.forfeit(i);
    }

    fn note(&mut self, h: f64, caps: &[f64], l: &[f64]) {
        (self.observe)(h, caps, l);
    }
}

impl Inclusion<f64> {
    /// Prepares phases, if they apply to the problem.
    pub(crate) fn prepare_phases(&mut self) {
        let step = &self.space.step;
        let applies = step.axes == 2
            && CONTACTS.contains(&step.contacts)
            && self.inertia.is_none()
            && self.accuracy >= LEAST_ACCURACY
            && !self.poisson
            && self.numbers.mu.iter().all(|[mu, more]| mu + more <= MOST_FRICTION);
        let phases = applies.then(|| Phases::new(&step.w)).flatten();
        self.phased = phases.map(|phases| Phased(Arc::new(phases)));
    }

    /// Computes a sample as [`Inclusion::sample_observed`] does, phase by phase; `None` if phases
    /// do not apply.
    pub(crate) fn sample_phased(
        &self,
        finer: bool,
        stream: &Stream,
        work: &mut InclusionWorkspace<f64>,
        observe: &mut Observer<'_, f64>,
    ) -> Option<Ending<f64>> {
        let Phased(phases) = self.phased.as_ref()?;
        let InclusionWorkspace { lanes, stop, .. } = work;
        let (lane, space) = (&mut lanes[0], &self.space);
        self.begin::<0>(stream, [&space.start, &space.rest], self.rates.reach, finer, lane);
        let SampleLane { state, phased, .. } = lane;
        let new = || PhasedLane { memory: phases.memory(), before: state.judge.clone() };
        let PhasedLane { memory, before } = phased.get_or_insert_with(new);
        let [first, every] = LENGTHEN;
        let integrator = self.integrator::<0>(&space.step, &space.rest, finer);
        let finer_accuracy = (self.accuracy / 16.0).max(LEAST_ACCURACY);
        let impact = Impact {
            start: &state.start,
            mu: &state.mu,
            e: &state.e,
            tops: &state.tops,
            rest: &space.rest,
            rates: &self.rates,
            stream,
            length: state.length,
            lengthen: [first, every, DOUBLINGS],
            accuracy: if finer { finer_accuracy } else { self.accuracy },
            most_steps: space.max_steps,
            budget: BUDGET * integrator.tolerances.budget,
            stopped: &|| stopped(stop),
        };
        let judge = &mut state.judge;
        let mut watch = Judging { step: &space.step, judge, before, worst: 0.0, observe };
        let (status, steps) = phases.sample(&impact, memory, &mut state.total, &mut watch);
        watch.judge.violate(watch.worst);
        (state.substeps, state.rested) = (steps, true);
        integrator.follow_impulse(state);
        let residual = state.judge.end(&state.u, status == Status::Terminated);
        Some(Ending { status, steps, residual })
    }
}
