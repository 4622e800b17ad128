//! The samples that lanes compute: what they are given, remember and tell.

use std::sync::atomic::AtomicBool;

use super::InclusionState;
use super::phases::PhasedLane;
use crate::Ending;
use carom_core::draws::inertia::Drawn;
use carom_core::{Number, Real, StepProblem};

/// The memory for the sample of a lane.
#[derive(Clone, Debug)]
pub struct SampleLane<R> {
    /// The state of the sample; its total impulse at the end.
    pub state: InclusionState<R>,
    /// The inertia that the sample has drawn, and the step problem with it, if inertia is
    /// uncertain.
    pub drawn: Option<(Drawn, StepProblem<R>)>,
    /// The memory for phases, once there was such a sample.
    pub(super) phased: Option<PhasedLane>,
    /// The number of the sample.
    pub(super) sample: usize,
    /// Trials of the present plain step.
    pub(super) trials: u32,
}

/// Samples that are to be computed.
#[derive(Debug)]
pub struct Samples<'a, R, F> {
    /// Whether the tolerances are finer.
    pub finer: bool,
    /// Once true, samples in progress end within a few substeps.
    pub stop: Option<&'a AtomicBool>,
    /// The draws of each sample.
    pub streams: F,
    /// Where each sample starts, if not all start at the velocity of the process.
    pub starts: Option<Starts<'a, R>>,
    /// The status, substeps and residual of each sample.
    pub endings: &'a mut [Ending<R>],
    /// The total impulse of each sample (K), if it is wanted.
    pub totals: &'a mut [R],
}

/// Velocities before the impact, one for each sample.
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

/// What is told of each substep: its length, the most normal impulse per length (m), its forces
/// (K).
pub(super) trait Observer<X: Number> {
    fn substep(&mut self, h: X::Scalar, caps: &[X::Scalar], l: &[X::Scalar]);
    /// A plain step, in all lanes.
    fn plain(&mut self, h: X, caps: &[X], l: &[X]);
}

/// Nothing is told.
pub(super) struct Silent;

impl<X: Number> Observer<X> for Silent {
    fn substep(&mut self, _: X::Scalar, _: &[X::Scalar], _: &[X::Scalar]) {}
    fn plain(&mut self, _: X, _: &[X], _: &[X]) {}
}

/// Each substep of one sample is told.
pub(super) struct Each<F>(pub F);

impl<R: Real, F: FnMut(R, &[R], &[R])> Observer<R> for Each<F> {
    fn substep(&mut self, h: R, caps: &[R], l: &[R]) {
        (self.0)(h, caps, l);
    }
    fn plain(&mut self, h: R, caps: &[R], l: &[R]) {
        (self.0)(h, caps, l);
    }
}
