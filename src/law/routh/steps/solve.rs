//! The solution of one step of the set-valued Routh law.

use super::process::{Steps, StepsWorkspace};
use crate::Solution;
use carom_core::{LemkeEnd, Purpose, Real, StepProblem, Stream, stream};

/// Smallest entry of a random covering vector, and the width of the uniform distribution above it.
/// The entries are large enough for pivots in single precision.
pub const COVERING: [f64; 2] = [0.0625, 0.9375];

/// Draws covering vector (N) number `path` of a step or segment, uniform in the range of
/// [`COVERING`].
pub fn draw_covering<R: Real>(stream: &Stream, step: u32, path: u32, covering: &mut [R]) {
    let mut words = [0; 4];
    for (j, entry) in covering.iter_mut().enumerate() {
        if j % 4 == 0 {
            words = stream.block(step, Purpose::Covering, (path << 16) | (j as u32 / 4));
        }
        let draw = R::from_f64(f64::from(stream::unit(words[j % 4])));
        *entry = R::from_f64(COVERING[0]) + R::from_f64(COVERING[1]) * draw;
    }
}

/// Number of additional covering vectors after all other solvers have failed.
const MENDING_PATHS: u32 = 8;

/// Contacts with a prescribed normal impulse in a step, see [`StepProblem::force`].
#[derive(Clone, Debug)]
pub struct Forced<R> {
    /// The step problem with the sample's drawn friction.
    pub step: StepProblem<R>,
    /// Whether each contact is forced (m).
    pub contacts: Vec<bool>,
    /// The contact velocity after the impulses of the forced contacts (K).
    pub given: Vec<R>,
}

impl<R: Real> Forced<R> {
    /// Computes `given` for the contact velocity `u` (K) and the forced impulses `c` (m).
    pub(super) fn update(&mut self, u: &[R], c: &[R]) {
        self.step.force(&self.contacts, u, c, &mut self.given);
    }
}

impl<R: Real> Steps<R> {
    /// Solves one step into `work.l` and `work.u_plus`; returns its residual, or `None` where no
    /// solution was found.
    pub(super) fn solve(
        &self,
        stream: &Stream,
        step: u32,
        forced: Option<&Forced<R>>,
        work: &mut StepsWorkspace<R>,
    ) -> Option<R> {
        if let Some(table) = &self.table {
            table.solve(&self.space.step, &work.x, &mut work.solutions);
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
                let combination = work.solutions.combinations[k];
                table.impulse(&self.space.step, combination, &work.x, &mut work.l);
                work.u_plus.copy_from_slice(work.solutions.velocity(k));
                return Some(work.solutions.residuals[k]);
            }
        } else {
            if self.solution == Solution::Random {
                draw_covering(stream, step, 0, &mut work.covering);
            } else {
                work.covering.fill(R::ONE);
            }
            if let Some(residual) = self.pivot(forced, work) {
                return Some(residual);
            }
        }
        // A sample unsolvable in single precision is recomputed in double precision from its start.
        if R::EPSILON > f64::EPSILON { None } else { self.mend(stream, step, forced, work) }
    }

    /// Solves a step after the first solver has failed: by the mixed form, then by Lemke's method
    /// with additional covering vectors, refined by the mixed form.
    fn mend(
        &self,
        stream: &Stream,
        step: u32,
        forced: Option<&Forced<R>>,
        work: &mut StepsWorkspace<R>,
    ) -> Option<R> {
        if self.space.step.axes == 1 && work.may(self.work_of_mixed()) {
            let (u, c) = work.x.split_at(self.space.step.width());
            if work.mixed.solve(&self.space.step, u, c, &mut work.l)
                && let Some(residual) = self.accept(forced, work)
            {
                return Some(residual);
            }
        }
        (0..=MENDING_PATHS).find_map(|path| {
            if !work.may(0) {
                return None;
            }
            if path == 0 {
                work.covering.fill(R::ONE);
            } else {
                draw_covering(stream, step, path, &mut work.covering);
            }
            self.pivot(forced, work).or_else(|| self.refine(forced, work))
        })
    }

    /// Solves the step by the mixed form, from the final impulse of Lemke's method.
    fn refine(&self, forced: Option<&Forced<R>>, work: &mut StepsWorkspace<R>) -> Option<R> {
        if self.space.step.axes > 1 || !work.may(self.work_of_mixed()) {
            return None;
        }
        let (u, c) = work.x.split_at(self.space.step.width());
        let settles = work.mixed.refine(&self.space.step, u, c, &mut work.l);
        if settles { self.accept(forced, work) } else { None }
    }

    /// The multiplications of the mixed form, which mostly takes one or two rounds.
    fn work_of_mixed(&self) -> u64 {
        (self.space.step.width() as u64).pow(3)
    }

    /// Solves the step by Lemke's method with the covering vector in `work`.
    fn pivot(&self, forced: Option<&Forced<R>>, work: &mut StepsWorkspace<R>) -> Option<R> {
        let StepsWorkspace { lemke, matrix, covering, x, z, l, budget, .. } = work;
        lemke.limit(budget.left());
        let (u, c) = x.split_at(self.space.step.width());
        let n = covering.len();
        let covering = |i: usize| covering[i];
        let step = &self.space.step;
        let end = match forced {
            None => {
                lemke.solve(|i, j| matrix[i * n + j], |i| step.lcp_constant(u, c, i), covering, z)
            }
            Some(Forced { step, contacts, given }) => lemke.solve(
                |i, j| step.forced_entry(contacts, matrix[i * n + j], i, j),
                |i| step.forced_constant(contacts, given, c, i),
                covering,
                z,
            ),
        };
        budget.spend(lemke.work());
        if end == LemkeEnd::PivotLimit {
            return None;
        }
        step.impulse_of(z, l);
        if let Some(forced) = forced {
            (0..c.len()).filter(|&i| forced.contacts[i]).for_each(|i| l[i] = c[i]);
        }
        self.accept(forced, work)
    }

    /// Clamps the impulse in `work.l` to its bounds; returns its residual if it is a solution.
    fn accept(&self, forced: Option<&Forced<R>>, work: &mut StepsWorkspace<R>) -> Option<R> {
        let (u, c) = work.x.split_at(self.space.step.width());
        let (step, contacts) = match forced {
            None => (&self.space.step, &[][..]),
            Some(forced) => (&forced.step, &forced.contacts[..]),
        };
        step.clamp_impulse(c, &mut work.l);
        step.advance(u, &work.l, &mut work.u_plus);
        let residual = step.forced_residual(contacts, c, &work.l, &work.u_plus);
        // While a contact approaches and every c > 0, a zero impulse is a rounding error and no
        // solution: single precision cannot distinguish this approach from rest.
        let moves = work.l.iter().any(|&l| l != R::ZERO);
        let told = R::EPSILON <= f64::EPSILON || moves || c.contains(&R::ZERO);
        (told && residual <= R::from_f64(R::RESIDUAL)).then_some(residual)
    }
}
