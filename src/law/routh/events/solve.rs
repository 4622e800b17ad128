//! The search for the forces of a segment: over all combinations of modes; if there are too many,
//! by principal pivoting, and then by Lemke's method.

use super::process::{Events, EventsWorkspace};
use super::segment::OF_THREE;
use crate::routh::steps::solve::draw_covering;
use carom_core::{LemkeEnd, Purpose, Real, Stream, stopped, stream};

/// Limit of combinations of modes for a complete search with more than three contacts; beyond this
/// limit, [`Segment::walk`] finds one solution.
///
/// [`Segment::walk`]: super::segment::Segment::walk
const MOST_TRIED: usize = 49;

/// Limit of combinations for a complete search after pivoting and Lemke's method have failed.
const LAST_RESORT: usize = 20_000;

/// Number of random starts of principal pivoting, and number of random covering vectors of Lemke's
/// method, per segment.
pub const PATHS: u32 = 8;

/// Size of nonzero velocities for Lemke's method, relative to the largest impulse bound.
/// Accelerations are sums of at most as many terms as there are rows, and do not change the signs
/// of such velocities. The mode inequalities reject forces that rely on a changed sign.
const FAR: f64 = 1e3;

/// Limit of combinations of modes of `m` contacts for a complete search.
pub fn most_tried(m: usize) -> usize {
    if m <= 3 { OF_THREE } else { MOST_TRIED }
}

impl<R: Real> Events<R> {
    /// Finds the forces of segment number `segment` of the sample; returns whether they exist.
    #[inline(always)]
    pub(super) fn solve<const M: usize>(
        &self,
        stream: &Stream,
        segment: u32,
        work: &mut EventsWorkspace<R>,
    ) -> bool {
        let EventsWorkspace { step, segment: forces, u, caps, free, stored, .. } = &mut *work;
        for (restituting, (stored, u)) in forces.restituting.iter_mut().zip(stored.iter().zip(&*u))
        {
            *restituting = *stored > R::ZERO && *u >= R::ZERO;
        }
        if step.contacts > 3 {
            // The residual check computes the velocity at the end of the segment.
            forces.budget.spend((step.width() as u64).pow(2));
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
                let EventsWorkspace { step, segment: forces, u, caps, free, .. } = &mut *work;
                free.fill(true);
                count = forces.solve::<M>(step, u, caps, free, LAST_RESORT);
                if count.is_none() {
                    return false;
                }
            }
        }
        let chosen = match count {
            Some(0) => return false,
            Some(1) | None => 0,
            Some(count) => {
                let word = stream.block(segment, Purpose::Solution, 0)[0];
                stream::index(word, count as u32) as usize
            }
        };
        let (l, du) = work.segment.choose(chosen);
        work.l.copy_from_slice(l);
        work.du.copy_from_slice(du);
        true
    }

    /// Finds forces by Lemke's method, with nonzero velocities scaled up so that they keep their
    /// signs.
    fn pivot(&self, stream: &Stream, segment: u32, work: &mut EventsWorkspace<R>) -> bool {
        let largest = work.caps.iter().fold(R::ZERO, |largest, cap| Real::max(largest, *cap));
        let far = R::from_f64(FAR) * largest;
        for (row, far_away) in work.far.iter_mut().enumerate() {
            *far_away = match work.u[row] {
                // A restituting contact is at its impulse bound, like an approaching contact.
                _ if work.segment.restituting.get(row) == Some(&true) => -far,
                u if u > R::ZERO => far,
                u if u < R::ZERO => -far,
                _ => R::ZERO,
            };
        }
        (PATHS..2 * PATHS).any(|path| {
            if stopped(&work.stop) || work.segment.budget.is_over() {
                return false;
            }
            draw_covering(stream, segment, path, &mut work.covering);
            let EventsWorkspace { step, lemke, far, caps, covering, z, l, u, segment, .. } =
                &mut *work;
            lemke.limit(segment.budget.left());
            let end = lemke.solve(
                |i, j| step.lcp_entry(i, j),
                |i| step.lcp_constant(far, caps, i),
                |i| covering[i],
                z,
            );
            segment.budget.spend(lemke.work());
            if end == LemkeEnd::PivotLimit {
                return false;
            }
            step.impulse_of(z, l);
            segment.solve_near(step, u, caps, l)
        })
    }
}
