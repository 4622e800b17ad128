//! Restitution in the impulse steps of the set-valued Routh law with facets: each contact stores
//! work (Poisson: impulse) of compression and returns it.
//!
//! - A contact that approaches takes part in a step as without restitution. Its normal velocity is
//!   assumed to change linearly within the step, from `u_n` to `u+_n`, so the work of compression
//!   is `-ln (u_n + u+_n) / 2`; `e^2` times this work is stored (Poisson: `e ln`, an impulse).
//! - A contact that does not approach and has stored work is *forced*: its impulse is `ln = h p`
//!   whatever `u+_n`, see [`StepProblem::force`](carom_core::lcp::StepProblem::force), and its
//!   bound is shortened until the step returns no more than the stored work. Stored impulse
//!   (Poisson) is returned only while no contact approaches.
//! - A contact with restitution that separates and has no stored work takes no part: a linear
//!   change that reversed its velocity would lose energy. If it only touches, a random bit decides
//!   whether it takes part.
//! - Stored work is lost if no other contact takes part and a whole step could not begin to return
//!   stored work, because friction holds the contacts at `u_n = 0`.
//!
//! Friction opposes sliding at the end of the step. If sliding reverses within a step, friction may
//! therefore seem to do positive work along the linear change. Stored work (Stronge) pays for it,
//! so kinetic energy plus stored work never rises.
//!
//! The model is the same as in [`inclusion`](crate::routh::inclusion), with equal numbers and
//! rules, solved in the steps of \[HP23\] (75).

use super::process::{Steps, StepsWorkspace};
use super::solve::Forced;
use crate::sampling::restitution::{first_root, landing, negligible};
use crate::{Ending, Routh};
use carom_core::{ContactProblem, Error, Numbers, Purpose, Real, Result, Stream};

/// Limit of trials of a step; in the last trial the bounds of forced contacts are 0.
pub const MAX_TRIALS: u32 = 16;

/// Complementarity steps with restitution, uncertain numbers or a last step.
#[derive(Clone, Debug)]
pub struct Bouncing<R> {
    /// The steps without restitution.
    pub steps: Steps<R>,
    /// Friction, restitution and noise.
    pub numbers: Numbers<R>,
    /// Whether contacts store impulse (Poisson) instead of work (Stronge).
    pub poisson: bool,
}

/// The memory of a sample; at the end it contains the sample's impulse.
#[derive(Clone, Debug)]
pub struct BouncingWorkspace<R> {
    /// The workspace of the steps without restitution.
    pub steps: StepsWorkspace<R>,
    /// The forced contacts of the current step.
    forced: Forced<R>,
    /// Stored work, or stored impulse, of each contact (m).
    stored: Vec<R>,
    /// Coefficients of restitution (m).
    e: Vec<R>,
    /// Impulse bound and `u+_n` of the previous trial (m).
    tried: Vec<[R; 2]>,
}

/// The mean over `[0, 1]` of the positive part of a linear function from `x` to `y`.
fn positive_mean<R: Real>(x: R, y: R) -> R {
    let (low, high) = (Real::min(x, y), Real::max(x, y));
    if high <= R::ZERO {
        return R::ZERO;
    }
    let twice = if low < R::ZERO { high * (high / (high - low)) } else { low + high };
    R::from_f64(0.5) * twice
}

fn sum<R: Real>(numbers: &[R]) -> R {
    let mut sum = R::ZERO;
    for x in numbers {
        sum += *x;
    }
    sum
}

impl<R: Real> Bouncing<R> {
    /// Checks that the law applies to a problem, and prepares the data common to all samples.
    pub fn new(law: &Routh, problem: &ContactProblem) -> Result<Self> {
        if !problem.uncertainty().inertia.is_empty() {
            let what = "friction cones with facets do not go with uncertain inertia";
            return Err(Error::input(what)
                .at("facets")
                .hint("leave --facets out for the circular cone"));
        }
        let poisson = law.poisson()?;
        let steps = Steps::new(law, problem)?;
        let numbers = Numbers::new(problem, &steps.space.scaling).cast();
        let mut bouncing = Bouncing { steps, numbers, poisson };
        bouncing.numbers.disturb(problem, &bouncing.steps.space.scaling);
        Ok(bouncing)
    }

    /// Sets the velocity before the impact from `problem`. Allocates if there is noise.
    pub fn approach(&mut self, problem: &ContactProblem) -> Result<()> {
        self.steps.approach(problem)?;
        self.numbers.disturb(problem, &self.steps.space.scaling);
        Ok(())
    }

    /// A workspace for [`Bouncing::sample`].
    pub fn workspace(&self) -> BouncingWorkspace<R> {
        let step = &self.steps.space.step;
        let m = step.contacts;
        BouncingWorkspace {
            steps: self.steps.workspace(),
            forced: Forced {
                step: step.clone(),
                contacts: vec![false; m],
                given: vec![R::ZERO; step.width()],
            },
            stored: vec![R::ZERO; m],
            e: vec![R::ZERO; m],
            tried: vec![[R::ZERO; 2]; m],
        }
    }

    /// Computes one sample, as [`Steps::sample`] does, until no contact approaches and nothing is
    /// stored.
    pub fn sample(&self, stream: &Stream, work: &mut BouncingWorkspace<R>) -> Ending<R> {
        self.sample_observed(stream, work, |_, _, _| {})
    }

    /// As [`Bouncing::sample`]; calls `observe` for every step as [`Steps::sample_observed`] does.
    pub fn sample_observed(
        &self,
        stream: &Stream,
        work: &mut BouncingWorkspace<R>,
        observe: impl FnMut(u32, &[R], &[R]),
    ) -> Ending<R> {
        self.begin(stream, work);
        let solve = |work: &mut BouncingWorkspace<R>, step| self.solve_within(stream, step, work);
        let over = |work: &BouncingWorkspace<R>| self.over(work);
        self.steps.take_steps(stream, work, |work| &mut work.steps, over, solve, observe)
    }

    /// Writes the contact velocity before the impact and the sample's drawn numbers to `work`.
    fn begin(&self, stream: &Stream, work: &mut BouncingWorkspace<R>) {
        let BouncingWorkspace {
            steps: StepsWorkspace { x, matrix, .. }, forced, stored, e, ..
        } = work;
        let (start, step) = (&self.steps.space.start, &mut forced.step);
        self.numbers.draw(start, stream, [&mut step.mu, e], &mut x[..start.len()]);
        stored.fill(R::ZERO);
        if self.numbers.mu.iter().any(|mu| mu[1] > R::ZERO) {
            let n = step.lcp_size();
            for entry in n * (n - step.contacts)..n * n {
                matrix[entry] = step.lcp_entry(entry / n, entry % n);
            }
        }
    }

    /// Whether the impact has ended: no contact approaches and nothing is stored.
    fn over(&self, work: &BouncingWorkspace<R>) -> bool {
        self.steps.at_rest(&work.steps) && work.stored.iter().all(|s| *s <= R::ZERO)
    }

    /// The stored work (Poisson: impulse) of contact `i` that counts as 0 at normal velocity `u`.
    fn empty(&self, i: usize, u: R) -> R {
        let space = &self.steps.space;
        let w = space.step.w[i * space.step.width() + i];
        negligible(u, landing(space.rest[i]), self.poisson) / w
    }

    /// Solves a step into `work.l` and `work.u_plus`, with impulse bounds that return no more than
    /// the stored work, and updates the stored work. Returns the residual, or `None` where no
    /// solution was found.
    fn solve_within(
        &self,
        stream: &Stream,
        step: u32,
        work: &mut BouncingWorkspace<R>,
    ) -> Option<R> {
        self.engage(stream, step, work);
        for trial in 1..=MAX_TRIALS {
            let BouncingWorkspace { steps, forced, .. } = work;
            let residual = self.steps.solve(stream, step, Some(forced), steps)?;
            if !self.shorten(trial, work) {
                self.settle(work);
                return Some(residual);
            }
        }
        None
    }

    /// Selects the forced contacts of the next step.
    fn engage(&self, stream: &Stream, step: u32, work: &mut BouncingWorkspace<R>) {
        let at_rest = self.steps.at_rest(&work.steps);
        let rest = &self.steps.space.rest;
        let BouncingWorkspace { steps, forced, stored, e, tried } = work;
        let (u, c) = steps.x.split_at_mut(self.steps.space.step.width());
        for i in 0..c.len() {
            let may_give = u[i] >= rest[i] && (at_rest || !self.poisson);
            forced.contacts[i] = may_give && stored[i] > R::ZERO;
            tried[i] = [R::ZERO, u[i]];
            if forced.contacts[i] && self.poisson {
                c[i] = Real::min(c[i], stored[i]);
            } else if !forced.contacts[i] && e[i] > R::ZERO && u[i] >= rest[i] {
                let out = || stream.draw(step, Purpose::Solution, 4 * i as u32) < 1 << 31;
                if u[i] > landing(rest[i]) || out() {
                    c[i] = R::ZERO;
                }
            }
        }
        forced.update(u, c);
    }

    /// Shortens the bounds of forced contacts if the step returns more than the stored work;
    /// returns whether it did. The bound that returns exactly the stored work follows from `u+_n`
    /// as a linear function of the bound, through this trial and the last one.
    fn shorten(&self, trial: u32, work: &mut BouncingWorkspace<R>) -> bool {
        if self.poisson {
            return false;
        }
        let half = R::from_f64(0.5);
        let gained = gained(&work.steps);
        let BouncingWorkspace { steps, forced, stored, tried, .. } = work;
        let (u, c) = steps.x.split_at_mut(self.steps.space.step.width());
        let (mut shortened, mut slack) = (false, R::ZERO);
        for i in (0..c.len()).filter(|&i| forced.contacts[i]) {
            let after = steps.u_plus[i];
            let empty = self.empty(i, after);
            slack += empty;
            if c[i] * positive_mean(u[i], after) > stored[i] + empty {
                let slope = (after - tried[i][1]) / (c[i] - tried[i][0]);
                let root = first_root(slope, half * (u[i] + (after - slope * c[i])), stored[i]);
                tried[i] = [c[i], after];
                c[i] = if root < c[i] { root } else { half * c[i] };
                shortened = true;
            }
        }
        if !shortened && forced.contacts.contains(&true) && gained > sum(stored) + slack {
            (0..c.len()).filter(|&i| forced.contacts[i]).for_each(|i| c[i] = half * c[i]);
            shortened = true;
        }
        if shortened && trial + 1 == MAX_TRIALS {
            (0..c.len()).filter(|&i| forced.contacts[i]).for_each(|i| c[i] = R::ZERO);
        }
        if shortened {
            forced.update(u, c);
        }
        shortened
    }

    /// Subtracts the work returned in the step from the stored work, and adds the stored part of
    /// the step's work of compression.
    fn settle(&self, work: &mut BouncingWorkspace<R>) {
        let gained = gained(&work.steps);
        let space = &self.steps.space;
        let (rest, w, width) = (&space.rest, &space.step.w, space.step.width());
        let BouncingWorkspace { steps, forced, stored, e, .. } = work;
        let (u, c) = steps.x.split_at(width);
        let most = Real::max(sum(stored) - gained, R::ZERO);
        for i in 0..c.len() {
            let (l, after, e) = (steps.l[i], steps.u_plus[i], e[i]);
            let returned = l * positive_mean(u[i], after);
            let absorbed = l * positive_mean(-u[i], -after);
            let change = match (self.poisson, forced.contacts[i]) {
                (true, true) => -l,
                (true, false) => e * l,
                (false, true) => e * e * absorbed - returned,
                (false, false) => e * e * Real::max(absorbed - returned, R::ZERO),
            };
            stored[i] = Real::max(stored[i] + change, R::ZERO);
        }
        let sum = sum(stored);
        if sum > most && !self.poisson {
            stored.iter_mut().for_each(|s| *s = *s * (most / sum));
        }
        let still = |i: usize| Real::max(u[i].abs(), steps.u_plus[i].abs()) <= landing(rest[i]);
        let idle = |i: usize| u[i] >= rest[i] && steps.l[i] == R::ZERO;
        let jammed = (0..c.len()).all(|i| if forced.contacts[i] { still(i) } else { idle(i) });
        for i in 0..c.len() {
            let after = steps.u_plus[i];
            let would_move = w[i * width + i] * c[i] > -rest[i];
            let lost = jammed && forced.contacts[i] && would_move;
            if lost || after >= rest[i] && stored[i] <= self.empty(i, after) {
                stored[i] = R::ZERO;
            }
        }
    }
}

/// The change of kinetic energy by the last step; negative if it dissipates.
fn gained<R: Real>(steps: &StepsWorkspace<R>) -> R {
    let mut twice = R::ZERO;
    for (l, (u, u_plus)) in steps.l.iter().zip(steps.x.iter().zip(&steps.u_plus)) {
        twice += *l * (*u + *u_plus);
    }
    R::from_f64(0.5) * twice
}
