//! One solution of a segment with many combinations of modes, by principal pivoting.
//!
//! Source: K. G. Murty: Note on a Bard-type scheme for solving the complementarity problem.
//! Opsearch 11 (1974) 123-130. Deviations: the pivot is a random variable among the violated ones,
//! not the last; a contact has seven modes instead of two.

use super::maps::{MOST_MAPPED, Mode};
use super::segment::Segment;
use carom_core::{Purpose, Real, StepProblem, Stream, stream};

/// Limit of mode changes per start; with more contacts, the number of contacts.
pub const CHANGES: u32 = 16;

/// Number of block pivots at the start: all contacts with violated conditions change together.
pub const BLOCKS: u32 = 6;

/// The random numbers of one start of the pivoting.
struct Draws<'a> {
    stream: &'a Stream<'a>,
    segment: u32,
    path: u32,
    drawn: u32,
    words: [u32; 4],
}

impl Draws<'_> {
    fn next(&mut self) -> u32 {
        if self.drawn.is_multiple_of(4) {
            let block = (self.path << 16) | (self.drawn / 4);
            self.words = self.stream.block(self.segment, Purpose::Covering, block);
        }
        self.drawn += 1;
        self.words[(self.drawn as usize - 1) % 4]
    }
}

impl<R: Real> Segment<R> {
    /// Principal pivoting: changes modes at velocity `u` (2m) with impulse bounds `c` (m), until
    /// the combination is a solution; returns whether it found one.
    ///
    /// The first start (`path` 0) of segment number `segment` of a sample uses, with equal
    /// probability, the modes of the last segment or random modes; further starts use random modes.
    /// Each solution thus has a positive probability. With more than [`MOST_MAPPED`] contacts,
    /// random modes are rarely near a solution, and every other further start uses the last modes,
    /// too.
    pub fn walk<const M: usize>(
        &mut self,
        step: &StepProblem<R>,
        u: &[R],
        c: &[R],
        (stream, segment, path): (&Stream, u32, u32),
    ) -> bool {
        let m = step.contacts;
        let mut draws = Draws { stream, segment, path, drawn: 0, words: [0; 4] };
        let again = match path {
            0 => draws.next().is_multiple_of(2),
            _ => m > MOST_MAPPED && path.is_multiple_of(2),
        };
        for i in 0..m {
            self.list(step, i, u, c);
            let possible = &self.possible[i][..self.counts[i]];
            self.modes[i] = match possible {
                [only] => *only,
                _ if again && possible.contains(&self.last[i]) => self.last[i],
                _ => possible[stream::index(draws.next(), possible.len() as u32) as usize],
            };
        }
        for change in 0..CHANGES.max(m as u32) {
            if !self.afford_this() {
                return false;
            }
            if self.holds::<M>(step, u, c) {
                self.take();
                return true;
            }
            let many = self.violated.iter().flatten().filter(|violated| **violated).count();
            if many == 0 {
                // The linear system of the combination has no solution.
                let i = stream::index(draws.next(), m as u32) as usize;
                let place = stream::index(draws.next(), self.counts[i] as u32) as usize;
                self.modes[i] = self.possible[i][place];
                continue;
            }
            if change < BLOCKS {
                for i in 0..m {
                    let [normal, tangent] = self.violated[i];
                    if normal || tangent {
                        self.change(i, normal, u[m + i], c[i]);
                    }
                }
                continue;
            }
            let mut skip = stream::index(draws.next(), many as u32);
            for i in 0..2 * m {
                if self.violated[i / 2][i % 2] {
                    if skip == 0 {
                        self.change(i / 2, i % 2 == 0, u[m + i / 2], c[i / 2]);
                        break;
                    }
                    skip -= 1;
                }
            }
        }
        false
    }

    /// Changes the normal or the tangential mode of contact `i`, whose conditions the forces under
    /// trial violate; `ut`: tangential velocity, `c`: impulse bound.
    fn change(&mut self, i: usize, normal: bool, ut: R, c: R) {
        use Mode::*;
        let m = self.modes.len();
        let (ln, lt) = (self.trial[i], self.trial[m + i]);
        let above = if normal { ln > c } else { lt > R::ZERO };
        let possible = &self.possible[i][..self.counts[i]];
        self.modes[i] = match (normal, self.modes[i]) {
            // Without friction, and for a sliding contact, there is one held mode.
            (true, Off) => possible[1],
            (true, HeldStick) if above => FullStick,
            (true, HeldSlide) if above => FullSlide,
            (true, HeldBack) if above => FullBack,
            (true, HeldStick | HeldSlide | HeldBack) => Off,
            (true, FullStick) => HeldStick,
            (true, FullSlide) => HeldSlide,
            (true, FullBack) => HeldBack,
            (false, HeldStick) if above => HeldBack,
            (false, HeldStick) => HeldSlide,
            (false, FullStick) if above => FullBack,
            (false, FullStick) => FullSlide,
            (false, HeldSlide | HeldBack) => HeldStick,
            (false, FullSlide | FullBack) => FullStick,
            (false, Off) => Off,
        };
        let sticks = self.modes[i].sticks();
        debug_assert!(ut == R::ZERO || !sticks, "a contact that slides does not stick");
    }
}
