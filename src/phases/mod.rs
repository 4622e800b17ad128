//! Impacts of many inelastic contacts in space, with circular friction cones: the differential
//! inclusion of the set-valued Routh law, integrated phase by phase of constant contact modes.
//!
//! Velocities are coordinates `y` of the range of the Delassus matrix, `u = B y` with `W = B B'`:
//! two flat feet have 12 of them, however many corners. Rows at rest, held normals and sticking
//! tangents, are projected out of all others once a phase ([`rest`]). The contacts that slide
//! follow a stiff equation ([`slip`]), which is integrated by [`rodas`]. Between phases modes are
//! exchanged until forces and accelerations agree with them ([`decide`]); no length of time enters.
//! A [`Watch`] judges each step, and a step that it finds unlawful is taken again, shorter.
//!
//! How forces split among redundant contacts that stick does not change the outcome; they change as
//! little as possible.

/// Calls a method that is generic over the stride of the sliding contacts and twice that.
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
mod sweep;

pub use range::MOST_CONTACTS;
pub use ranks::{Memory, Phases};

use carom_core::{Rates, Stream};

/// The numbers of one sample, dimensionless as in a
/// [`ContactSpace`](carom_core::contact_space::ContactSpace).
#[derive(Clone, Copy)]
pub struct Impact<'a, R> {
    /// Contact velocity before the impact (K).
    pub start: &'a [R],
    /// Coefficients of friction (m).
    pub mu: &'a [R],
    /// The larger tangential eigenvalue of each contact (m).
    pub tops: &'a [R],
    /// Thresholds (m), negative: contact i approaches if its normal velocity is below `rest[i]`.
    pub rest: &'a [R],
    /// How the caps of a block are drawn, and the draws.
    pub rates: &'a Rates<R>,
    /// The draws of the sample.
    pub stream: &'a Stream<'a>,
    /// The length of a block.
    pub length: R,
    /// After the first number of blocks their length doubles each time the second number of blocks
    /// has passed, at most as often as the third one.
    pub lengthen: [u32; 3],
    /// The largest error, a part of `max|u-|`.
    pub accuracy: f64,
    /// Most steps.
    pub most_steps: u32,
    /// Most multiplications.
    pub budget: u64,
    /// Whether the sample is to end early.
    pub stopped: &'a dyn Fn() -> bool,
}

/// What watches the steps of a sample, and measures by how much they violate the law.
pub trait Watch<R> {
    /// Takes a step of a length, with the most normal impulse (m) and the forces (K) per length.
    fn judge(&mut self, h: R, caps: &[R], l: &[R]);
    /// Remembers what has been found so far.
    fn mark(&mut self);
    /// The violation that was found since the mark.
    fn gained(&self) -> R;
    /// Forgets the steps since the mark.
    fn back(&mut self);
    /// Is told of a step that counts.
    fn note(&mut self, h: R, caps: &[R], l: &[R]);
}
