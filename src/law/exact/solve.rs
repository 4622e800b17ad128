//! How the forces of a segment are found: all combinations of modes; where there are too many,
//! walks, and then Lemke's method.

use super::process::{Exact, Workspace};
use super::segment::OF_THREE;
use crate::law::routh::solve::draw_covering;
use crate::lcp::LemkeEnd;
use crate::real::Real;
use crate::rng::{Purpose, Stream, stream};

/// Most combinations of modes of more than three contacts that are all tried; where there are more,
/// [`Segment::walk`] finds one solution.
///
/// [`Segment::walk`]: super::segment::Segment::walk
const MOST_TRIED: usize = 49;

/// The same where walks and Lemke's method fail.
const LAST_RESORT: usize = 20_000;

/// Walks, and then covering vectors, that are tried where there are too many combinations of modes
/// to try them all.
pub const PATHS: u32 = 8;

/// Velocities that are not 0 are set so many times as large as the largest cap: accelerations, sums
/// of at most as many terms as there are rows, do not turn them. Forces that rely on one that did
/// are refused by the inequalities of their modes.
const FAR: f64 = 1e3;

/// Most combinations of modes of `m` contacts that are all tried.
pub fn most_tried(m: usize) -> usize {
    if m <= 3 { OF_THREE } else { MOST_TRIED }
}

impl<R: Real> Exact<R> {
    /// Finds the forces of segment number `segment` of the sample; whether there are any.
    #[inline(always)]
    pub(super) fn solve<const M: usize>(
        &self,
        stream: &Stream,
        segment: u32,
        work: &mut Workspace<R>,
    ) -> bool {
        let Workspace { step, segment: forces, u, caps, free, stored, .. } = &mut *work;
        for (gives, (stored, u)) in forces.gives.iter_mut().zip(stored.iter().zip(&*u)) {
            *gives = *stored > R::ZERO && *u >= R::ZERO;
        }
        let most = most_tried(step.contacts);
        let mut count = forces.solve::<M>(step, u, caps, free, most);
        if count == Some(0) && free.contains(&false) {
            free.fill(true);
            count = forces.solve::<M>(step, u, caps, free, most);
        }
        if count.is_none() {
            let walks = |path| forces.walk::<M>(step, u, caps, (stream, segment, path));
            if !((0..PATHS).any(walks) || self.pivot(stream, segment, work)) {
                let Workspace { step, segment: forces, u, caps, free, .. } = &mut *work;
                free.fill(true);
                count = forces.solve::<M>(step, u, caps, free, LAST_RESORT);
                if count.is_none() {
                    return false;
                }
            }
        }
        let chosen = match count {
            Some(0) => return false,
            Some(1) => 0,
            Some(count) => {
                let word = stream.block(segment, Purpose::Solution, 0)[0];
                stream::index(word, count as u32) as usize
            }
            None => 0,
        };
        let (l, du) = work.segment.choose(chosen);
        work.l.copy_from_slice(l);
        work.du.copy_from_slice(du);
        true
    }

    /// Finds forces by Lemke's method, for velocities so far from 0 that those that are not 0 keep
    /// their signs.
    fn pivot(&self, stream: &Stream, segment: u32, work: &mut Workspace<R>) -> bool {
        let largest = work.caps.iter().fold(R::ZERO, |largest, cap| Real::max(largest, *cap));
        let far = R::from_f64(FAR) * largest;
        for (row, far_away) in work.far.iter_mut().enumerate() {
            *far_away = match work.u[row] {
                // A contact that gives back is at its cap, as if it approached.
                _ if work.segment.gives.get(row) == Some(&true) => -far,
                u if u > R::ZERO => far,
                u if u < R::ZERO => -far,
                _ => R::ZERO,
            };
        }
        (PATHS..2 * PATHS).any(|path| {
            if work.stopped() {
                return false;
            }
            draw_covering(stream, segment, path, &mut work.covering);
            let Workspace { step, lemke, far, caps, covering, z, l, u, segment, .. } = &mut *work;
            let end = lemke.solve(
                |i, j| step.lcp_entry(i, j),
                |i| step.lcp_constant(far, caps, i),
                |i| covering[i],
                z,
            );
            if end == LemkeEnd::PivotLimit {
                return false;
            }
            step.impulse_of(z, l);
            segment.solve_near(step, u, caps, l)
        })
    }
}
