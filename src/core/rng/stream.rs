//! The random numbers of a sample, each a function of its address: seed, sample, step and purpose.

use std::convert::Infallible;

use super::philox::philox4x32_10;

/// The purpose of a draw. Draws of different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// The relative rates `p` of a step, one draw per contact.
    Rate = 0,
    /// The choice among a step's distinct solutions; with restitution also whether a contact with
    /// `u_n = 0` takes part.
    Solution = 1,
    /// The random covering vector of Lemke's method in a step.
    Covering = 2,
    /// Draws handed to users through [`StreamRng`].
    User = 3,
    /// The choice of the contact for the next single impact; with the sampler `coverage`, of the
    /// contacts in a step or block, and of its length.
    Order = 4,
    /// The numbers that a sample of an uncertain problem draws: friction in step 0, restitution in
    /// step 1, the noise of the velocity in step 2, inertia in step 3. Of a perturbed motion: the
    /// axis of its rotation in step 4. Of a motion by the time-augmented inclusion: the choice
    /// among several ways to go on in step 5. Of an uncertain pose: displacements of contact points
    /// in step 6, rotations of bodies in step 7, inset and slope in step 8.
    Parameter = 5,
    /// The choice of a sample among several samplers.
    Sampler = 6,
    /// The scrambling of Sobol's points, which 2^32 samples share, see [`Stream::common`].
    Scrambling = 7,
    /// The states of a data set: parameters of the scene in step 0, velocities in step 1, the seed
    /// of a state's samples in step 2.
    State = 8,
    /// The normal numbers of ensemble dressing.
    Forecast = 9,
}

impl Purpose {
    /// Whether each step has draws of this purpose.
    fn is_of_steps(self) -> bool {
        matches!(self, Purpose::Rate | Purpose::Solution | Purpose::Covering | Purpose::Order)
    }
}

/// The draws of one sample. Each draw is a function of (seed, sample) and of its own address alone.
///
/// Draw `j` of (step, purpose) is word `j mod 4` of Philox4x32-10 under the key (seed low, seed
/// high) at the counter (sample low, sample high, step, purpose 2^24 + j / 4). Twin:
/// `shaders/rng/stream.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream<'a> {
    key: [u32; 2],
    sample: [u32; 2],
    patches: &'a [Patch],
}

/// Steps in which a sample has draws of another sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The first step.
    pub from: u32,
    /// The end of the steps, exclusive.
    pub until: u32,
    /// The other sample.
    pub sample: u64,
    /// Bit mask of the draws' bits from the other sample.
    pub taken: u32,
}

impl<'a> Stream<'a> {
    /// The stream of sample `sample` under `seed`.
    #[inline]
    pub fn new(seed: u64, sample: u64) -> Self {
        Stream { key: halves(seed), sample: halves(sample), patches: &[] }
    }

    /// The stream with steps taken from other samples: rates, their order, and choices of
    /// solutions. Later patches hide earlier ones.
    pub fn patched(self, patches: &'a [Patch]) -> Self {
        Stream { patches, ..self }
    }

    /// The stream shared by all samples whose numbers differ only in the low word.
    #[inline]
    pub fn common(&self) -> Self {
        Stream { sample: [0, self.sample[1]], ..*self }
    }

    /// The number of the second impact of a sample. Draws of [`Purpose::Parameter`] equal the draws
    /// of the first impact, as both share their parameters; other draws differ.
    pub fn second(sample: u64) -> u64 {
        sample | SECOND
    }

    /// The low word of the sample's number.
    #[inline]
    pub fn number(&self) -> u32 {
        self.sample[0]
    }

    /// Draws `4 block .. 4 block + 3` of (step, purpose).
    #[inline]
    pub fn block(&self, step: u32, purpose: Purpose, block: u32) -> [u32; 4] {
        let words = |mut sample: [u32; 2]| {
            if purpose == Purpose::Parameter {
                sample[1] &= !(SECOND >> 32) as u32;
            }
            philox4x32_10([sample[0], sample[1], step, ((purpose as u32) << 24) | block], self.key)
        };
        let mut drawn = words(self.sample);
        for patch in self.patches {
            if (patch.from..patch.until).contains(&step) && purpose.is_of_steps() {
                let other = words(halves(patch.sample));
                for (word, other) in drawn.iter_mut().zip(other) {
                    *word = (*word & !patch.taken) | (other & patch.taken);
                }
            }
        }
        drawn
    }

    /// Draw `j` of (step, purpose).
    pub fn draw(&self, step: u32, purpose: Purpose, j: u32) -> u32 {
        self.block(step, purpose, j / 4)[(j % 4) as usize]
    }

    /// The user's draws of this sample as a generator of the `rand` family.
    pub fn rng(&self) -> StreamRng {
        StreamRng { stream: Stream { patches: &[], ..*self }, words: [0; 4], next: 0 }
    }
}

/// The bit in a sample's number that marks its second impact.
const SECOND: u64 = 1 << 63;

/// The seed of the samples of state `state` under `seed`, in 63 bits, so that it fits into signed
/// integers: draws 0 and 1 of (step 2, [`Purpose::State`]) of the stream (seed, state), the low one
/// first, without the highest bit.
pub fn seed_of_state(seed: u64, state: u64) -> u64 {
    let [low, high, ..] = Stream::new(seed, state).block(2, Purpose::State, 0);
    (u64::from(high) << 32 | u64::from(low)) & (u64::MAX >> 1)
}

/// A number in `[0, 1)` with 24 bits, exact in `f32` and in `f64`.
#[inline(always)]
pub fn unit(word: u32) -> f32 {
    (word >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// An index below `count`; the indices are equally likely up to 2^-32 relative to `count`.
#[inline]
pub fn index(word: u32, count: u32) -> u32 {
    ((u64::from(word) * u64::from(count)) >> 32) as u32
}

fn halves(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

/// The user's draws of a [`Stream`], in order, for the distributions of `rand`.
#[derive(Clone, Debug)]
pub struct StreamRng {
    stream: Stream<'static>,
    words: [u32; 4],
    next: u64,
}

impl rand_core::TryRng for StreamRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        if self.next.is_multiple_of(4) {
            // 24 bits for the block and 32 for the step address 2^58 words.
            let block = self.next / 4;
            self.words =
                self.stream.block((block >> 24) as u32, Purpose::User, (block & 0xFF_FFFF) as u32);
        }
        let word = self.words[(self.next % 4) as usize];
        self.next += 1;
        Ok(word)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let low = u64::from(self.try_next_u32()?);
        Ok(low | u64::from(self.try_next_u32()?) << 32)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(4) {
            let word = self.try_next_u32()?.to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;

    /// The published samples depend on these numbers: they must never change.
    #[test]
    fn the_stream_is_frozen() {
        let stream = Stream::new(0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210);
        let addressed =
            philox4x32_10([0x7654_3210, 0xfedc_ba98, 7, (1 << 24) | 2], [0x89ab_cdef, 0x0123_4567]);
        assert_eq!(stream.block(7, Purpose::Solution, 2), addressed);
        assert_eq!(stream.draw(7, Purpose::Solution, 9), addressed[1]);
        let words: Vec<u32> = (0..4).map(|j| Stream::new(0, 0).draw(0, Purpose::Rate, j)).collect();
        assert_eq!(words, [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let words: Vec<u32> =
            (0..4).map(|j| Stream::new(42, 7).draw(3, Purpose::Covering, j)).collect();
        assert_eq!(words, philox4x32_10([7, 0, 3, 2 << 24], [42, 0]));
    }

    #[test]
    fn an_independent_philox_agrees() {
        for i in 0..1000u32 {
            let counter = [i, i.wrapping_mul(77), !i, i << 9];
            let key = [i ^ 0xdead_beef, i.rotate_left(5)];
            assert_eq!(philox4x32_10(counter, key), rand_philox::philox4x32_10(counter, key));
        }
    }

    #[test]
    fn units_and_indices_stay_in_range() {
        assert_eq!(unit(0), 0.0);
        assert_eq!(unit(u32::MAX), 1.0 - 1.0 / 16_777_216.0);
        assert_eq!(index(u32::MAX, 3), 2);
        assert_eq!(index(0, 3), 0);
        assert_eq!(index(1 << 31, 2), 1);
    }

    #[test]
    fn the_adapter_yields_the_addressed_draws() {
        let stream = Stream::new(5, 6);
        let mut rng = stream.rng();
        for j in 0..9 {
            assert_eq!(rng.next_u32(), stream.draw(0, Purpose::User, j));
        }
        let mut bytes = [0u8; 7];
        stream.rng().fill_bytes(&mut bytes);
        assert_eq!(bytes[..4], stream.draw(0, Purpose::User, 0).to_le_bytes());
    }
}
