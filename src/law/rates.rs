//! How the rates of a step are drawn.

use super::routh::Bound;
use crate::real::Real;
use crate::rng::{Purpose, Stream, stream};

/// How the relative rates of a step are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampler {
    /// Independent, uniform on `[0, 1)`, afresh at every step.
    #[default]
    Uniform,
    /// Rates of 0 but for a random number of random contacts, and impulse steps from a sixteenth of the step to four times
    /// the step, of all orders of magnitude alike. Covers the set with fewer samples.
    Coverage,
}

impl Sampler {
    /// The name that the command line and the files use.
    pub fn name(self) -> &'static str {
        match self {
            Sampler::Uniform => "uniform",
            Sampler::Coverage => "coverage",
        }
    }

    /// The longest and the shortest step, over the impulse step: bounds that [`stretch`] does not reach.
    pub fn lengths(self) -> [f64; 2] {
        match self {
            Sampler::Uniform => [1.0, 1.0],
            Sampler::Coverage => [4.0, 1.0 / 16.0],
        }
    }
}

/// The length of a step of [`Sampler::Coverage`] over the impulse step: `2^x`, `x` uniform in [-4, 2), with `2^x` taken as
/// linear between integers. Twin: `shaders/law/routh.wgsl::stretch`.
#[inline]
pub fn stretch<R: Real>(octave: u32, place: u32) -> R {
    let power = f64::from(1u32 << stream::index(octave, 6)) / 16.0;
    R::from_f64(power) * (R::ONE + R::from_f64(f64::from(stream::unit(place))))
}

/// How often the subset of a step of [`Sampler::Coverage`] is drawn at most.
pub const SUBSETS: u32 = 4;

impl<R: Real> Bound<R> {
    /// The caps (m) of step number `step` from the contact velocity `u`: `c = h p` with `p` from the stream.
    ///
    /// With [`Sampler::Coverage`] all are longer or shorter by [`stretch`], and 0 but for a random subset of the contacts, of
    /// a size uniform on 1 .. m. One that has no contact that approaches is drawn again, [`SUBSETS`] times at most; after that
    /// all take part. Twin: `shaders/law/routh.wgsl::draw_caps`.
    #[inline]
    pub fn draw_caps(&self, stream: &Stream, step: u32, u: &[R], caps: &mut [R]) {
        let m = self.step.contacts as u32;
        let draw = step / self.persist;
        let mut words = [0; 4];
        for i in 0..m {
            if i % 4 == 0 {
                words = stream.block(draw, Purpose::Rate, i / 4);
            }
            let rate = R::from_f64(f64::from(stream::unit(words[i as usize % 4])));
            caps[i as usize] = self.caps[i as usize] * rate;
        }
        if self.sampler == Sampler::Uniform {
            return;
        }
        words = stream.block(draw, Purpose::Order, 0);
        let length: R = stretch(words[0], words[1]);
        let (mut subset, mut approach) = (0, false);
        while subset < SUBSETS && !approach {
            let first = 1 + subset * (1 + m.div_ceil(4));
            let mut wanted = 1 + stream::index(stream.block(draw, Purpose::Order, first)[0], m);
            for i in 0..m {
                if i % 4 == 0 {
                    words = stream.block(draw, Purpose::Order, first + 1 + i / 4);
                }
                let i = i as usize;
                let taken = stream::index(words[i % 4], m - i as u32) < wanted;
                wanted -= u32::from(taken);
                approach |= taken && u[i] < self.rest[i];
                // Below 0 for the time being: it does not take part.
                caps[i] = if taken { caps[i].abs() } else { -caps[i].abs() };
            }
            subset += 1;
        }
        for cap in caps {
            *cap = length * if approach { Real::max(*cap, R::ZERO) } else { cap.abs() };
        }
    }

    /// The largest caps (m) that a step may have.
    pub fn largest_caps(&self) -> impl Iterator<Item = R> + '_ {
        let longest = R::from_f64(self.sampler.lengths()[0]);
        self.caps.iter().map(move |cap| *cap * longest)
    }
}
