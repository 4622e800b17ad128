//! The samples in lanes: their input, memory and observers.

use std::sync::atomic::AtomicBool;

use super::InclusionState;
use super::phases::PhasedLane;
use crate::Ending;
use carom_core::draws::inertia::Drawn;
use carom_core::{Number, Real, StepProblem};

/// The memory of a lane's sample.
#[derive(Clone, Debug)]
pub struct SampleLane<R> {
    /// The state of the sample; its total impulse at the end.
    pub state: InclusionState<R>,
    /// The drawn inertia and the step problem with it, if inertia is uncertain.
    pub drawn: Option<(Drawn, StepProblem<R>)>,
    /// The memory for phases, after the first sample by phases.
    pub(super) phased: Option<PhasedLane>,
    /// The number of the sample.
    pub(super) sample: usize,
    /// Trials of the current plain step.
    pub(super) trials: u32,
}

/// A list of samples to compute.
#[derive(Debug)]
pub struct Samples<'a, R, F> {
    /// Whether to use the finer tolerances.
    pub finer: bool,
    /// Once true, samples in progress end within a few substeps.
    pub stop: Option<&'a AtomicBool>,
    /// The draws of each sample.
    pub streams: F,
    /// Initial velocities, if not all samples start at the velocity of the process.
    pub starts: Option<Starts<'a, R>>,
    /// The status, substeps and residual of each sample.
    pub endings: &'a mut [Ending<R>],
    /// The total impulse of each sample (K); empty if not needed.
    pub totals: &'a mut [R],
}

/// Velocities before the impact, one per sample.
#[derive(Clone, Copy, Debug)]
pub struct Starts<'a, R> {
    /// Contact velocities in the unit of each sample (N,K), as
    /// [`ContactSpace::start`](carom_core::contact_space::ContactSpace::start).
    pub start: &'a [R],
    /// Thresholds (N,m), as [`ContactSpace::rest`](carom_core::contact_space::ContactSpace::rest).
    pub rest: &'a [R],
    /// Multiples (N) of the natural block, as [`Rates::reach`](carom_core::draws::rates::Rates).
    pub reach: &'a [f64],
}

/// Receives the length of each substep, its normal impulse bounds per length (m), and its forces
/// (K).
pub(super) trait Observer<X: Number> {
    fn substep(&mut self, h: X::Scalar, caps: &[X::Scalar], l: &[X::Scalar]);
    /// A plain step, in all lanes.
    fn plain(&mut self, h: X, caps: &[X], l: &[X]);
}

/// Ignores all substeps.
pub(super) struct Silent;

impl<X: Number> Observer<X> for Silent {
    fn substep(&mut self, _: X::Scalar, _: &[X::Scalar], _: &[X::Scalar]) {}
    fn plain(&mut self, _: X, _: &[X], _: &[X]) {}
}

/// Passes on each substep of one sample.
pub(super) struct Each<F>(pub F);

impl<R: Real, F: FnMut(R, &[R], &[R])> Observer<R> for Each<F> {
    fn substep(&mut self, h: R, caps: &[R], l: &[R]) {
        (self.0)(h, caps, l);
    }
    fn plain(&mut self, h: R, caps: &[R], l: &[R]) {
        (self.0)(h, caps, l);
    }
}
