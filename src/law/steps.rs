//! How one step of the set-valued Routh law is solved.

use super::reservoirs::Reservoirs;
use super::routh::{Bound, Solution, Workspace};
use crate::lcp::LemkeEnd;
use crate::real::Real;
use crate::rng::{Purpose, Stream, stream};

/// Entries of a random covering vector are uniform from the first number on, over a range of the second: far
/// enough from zero for the pivots of single precision.
pub const COVERING: [f64; 2] = [0.0625, 0.9375];

/// Covering vectors that a step is tried with when all else fails.
const MENDING_PATHS: u32 = 8;

impl<R: Real> Bound<R> {
    /// Solves one step into `work.l` and `work.u_plus`; its residual, or `None` where no solution was found.
    pub(super) fn solve(&self, stream: &Stream, step: u32, work: &mut Workspace<R>) -> Option<R> {
        if let Some(table) = &self.table {
            table.solve(&self.step, &work.x, &mut work.solutions);
            let count = work.solutions.count;
            if work.solutions.ambiguous {
                return None;
            }
            if count > 0 {
                let k = if count > 1 {
                    let word = stream.block(step, Purpose::Solution, 0)[0];
                    work.solutions.pick(stream::index(word, count as u32) as usize)
                } else {
                    0
                };
                table.impulse(&self.step, work.solutions.combinations[k], &work.x, &mut work.l);
                work.u_plus.copy_from_slice(work.solutions.velocity(k));
                return Some(work.solutions.residuals[k]);
            }
        } else {
            if self.solution == Solution::Random {
                self.draw_covering(stream, step, 0, work);
            } else {
                work.covering.fill(R::ONE);
            }
            if let Some(residual) = self.pivot(work) {
                return Some(residual);
            }
        }
        // What single precision cannot solve is solved again in double, from the start of the sample.
        if R::EPSILON > f64::EPSILON { None } else { self.mend(stream, step, work) }
    }

    /// The other ways to solve a step, for the few that the first one fails on: the mixed form, then Lemke's
    /// method along other paths, refined by the mixed form.
    fn mend(&self, stream: &Stream, step: u32, work: &mut Workspace<R>) -> Option<R> {
        let (u, c) = work.x.split_at(self.step.width());
        if self.step.axes == 1
            && work.mixed.solve(&self.step, u, c, &mut work.l)
            && let Some(residual) = self.accept(work)
        {
            return Some(residual);
        }
        (0..=MENDING_PATHS).find_map(|path| {
            if path == 0 {
                work.covering.fill(R::ONE);
            } else {
                self.draw_covering(stream, step, path, work);
            }
            self.pivot(work).or_else(|| self.refine(work))
        })
    }

    /// The mixed form from where Lemke's method ended.
    fn refine(&self, work: &mut Workspace<R>) -> Option<R> {
        if self.step.axes > 1 {
            return None;
        }
        let (u, c) = work.x.split_at(self.step.width());
        work.mixed.refine(&self.step, u, c, &mut work.l).then(|| self.accept(work)).flatten()
    }

    /// Draws covering vector number `path` of a step.
    fn draw_covering(&self, stream: &Stream, step: u32, path: u32, work: &mut Workspace<R>) {
        let mut words = [0; 4];
        for j in 0..work.covering.len() {
            if j % 4 == 0 {
                words = stream.block(step, Purpose::Covering, (path << 16) | (j as u32 / 4));
            }
            let draw = R::from_f64(f64::from(stream::unit(words[j % 4])));
            work.covering[j] = R::from_f64(COVERING[0]) + R::from_f64(COVERING[1]) * draw;
        }
    }

    /// Lemke's method with the covering vector in `work`.
    fn pivot(&self, work: &mut Workspace<R>) -> Option<R> {
        let Workspace { lemke, matrix, covering, x, z, l, .. } = work;
        let (u, c) = x.split_at(self.step.width());
        let n = covering.len();
        let covering = |i: usize| covering[i];
        let end = match &work.reservoirs {
            None => lemke.solve(|i, j| matrix[i * n + j], |i| self.step.lcp_constant(u, c, i), covering, z),
            Some(Reservoirs { step, forced, given, .. }) => lemke.solve(
                |i, j| step.forced_entry(forced, matrix[i * n + j], i, j),
                |i| step.forced_constant(forced, given, c, i),
                covering,
                z,
            ),
        };
        if end == LemkeEnd::PivotLimit {
            return None;
        }
        self.step.impulse_of(z, l);
        if let Some(reservoirs) = &work.reservoirs {
            (0..c.len()).filter(|&i| reservoirs.forced[i]).for_each(|i| l[i] = c[i]);
        }
        self.accept(work)
    }

    /// The residual of the impulse in `work.l`, moved into its bounds, where it is a solution.
    fn accept(&self, work: &mut Workspace<R>) -> Option<R> {
        let (u, c) = work.x.split_at(self.step.width());
        let (step, forced) = match &work.reservoirs {
            None => (&self.step, &[][..]),
            Some(reservoirs) => (&reservoirs.step, &reservoirs.forced[..]),
        };
        step.clamp_impulse(c, &mut work.l);
        step.advance(u, &work.l, &mut work.u_plus);
        let residual = step.forced_residual(forced, c, &work.l, &work.u_plus);
        // While something approaches and every c > 0, no impulse at all is no solution but rounding: single precision
        // cannot tell this approach from rest.
        let moves = work.l.iter().any(|&l| l != R::ZERO);
        let told = R::EPSILON <= f64::EPSILON || moves || c.contains(&R::ZERO);
        (told && residual <= R::from_f64(R::RESIDUAL)).then_some(residual)
    }
}
