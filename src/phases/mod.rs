//! Impacts of many contacts in space, with circular friction cones: the differential
//! inclusion of the set-valued Routh law, integrated phase by phase of constant contact modes.
//!
//! Velocities are coordinates `y` in the range of the Delassus matrix: `u = B y` with `W = B B'`.
//! Two flat feet have 12 coordinates, however many corners they have. Once a phase, rows at rest
//! (held normals and sticking tangents) are projected out of all other rows ([`rest`]). Sliding
//! contacts follow a stiff equation ([`slip`]), which [`rodas`] integrates. Between phases, modes
//! are exchanged until they agree with forces and accelerations ([`decide`]); a decision involves
//! no step length. A [`Watch`] computes the violation of the law in each step; a step whose
//! violation is too large is repeated with a smaller length.
//!
//! Redundant contacts split their forces in many ways. Among sticking contacts the split does not
//! affect the outcome; among contacts that are held while they slide it does. Each block draws the
//! normal forces from which contacts at rest start: none, the bound, or half the bound. From there
//! forces change as little as possible.

/// Calls a method that is generic over the stride of the sliding contacts and twice the stride.
macro_rules! sized {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        match $self.stride {
            2 => $self.$method::<2, 4>($($argument),*),
            4 => $self.$method::<4, 8>($($argument),*),
            8 => $self.$method::<8, 16>($($argument),*),
            16 => $self.$method::<16, 32>($($argument),*),
            _ => $self.$method::<32, 64>($($argument),*),
        }
    };
}

mod adopt;
mod array;
mod contacts;
mod cubic;
mod decide;
mod event;
mod exchange;
mod length;
mod range;
mod ranks;
mod rest;
mod rodas;
mod sample;
mod settings;
mod slide;
mod slip;
mod store;
mod sweep;

pub use range::MOST_CONTACTS;
pub use ranks::{Memory, Phases};

use carom_core::{Rates, Stream};

/// Input of one sample, dimensionless as in a
/// [`ContactSpace`](carom_core::contact_space::ContactSpace).
#[derive(Clone, Copy)]
pub struct Impact<'a, R> {
    /// Contact velocity before the impact (K).
    pub start: &'a [R],
    /// Coefficients of friction (m).
    pub mu: &'a [R],
    /// Coefficients of restitution, by Stronge's hypothesis (m).
    pub e: &'a [R],
    /// The larger tangential eigenvalue of each contact (m).
    pub tops: &'a [R],
    /// Thresholds (m), negative: contact i approaches while its normal velocity is below `rest[i]`.
    pub rest: &'a [R],
    /// Sampler of the relative impulse rates of a block (an interval of constant rates).
    pub rates: &'a Rates<R>,
    /// Random stream of the sample.
    pub stream: &'a Stream<'a>,
    /// Length of a block.
    pub length: R,
    /// Doubling of the block length: number of blocks before the first doubling, number of blocks
    /// between doublings, largest number of doublings.
    pub lengthen: [u32; 3],
    /// Largest error, relative to `max|u-|`.
    pub accuracy: f64,
    /// Step limit.
    pub most_steps: u32,
    /// Limit of multiplications.
    pub budget: u64,
    /// Whether the sample is to end early.
    pub stopped: &'a dyn Fn() -> bool,
}

/// Judge of the steps of a sample: measures the violation of the law.
pub trait Watch<R> {
    /// Judges a step of length `h` with normal impulse bounds `caps` (m) and forces `l` (K) per
    /// length.
    fn judge(&mut self, h: R, caps: &[R], l: &[R]);
    /// Marks the current state.
    fn mark(&mut self);
    /// Violation found since the mark.
    fn gained(&self) -> R;
    /// Discards the steps since the mark.
    fn back(&mut self);
    /// Is told that a contact loses its stored work.
    fn forfeit(&mut self, i: usize);
    /// Records an accepted step.
    fn note(&mut self, h: R, caps: &[R], l: &[R]);
}
