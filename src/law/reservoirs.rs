//! Restitution in the steps of the set-valued Routh law with facets: each contact's reservoir of recoverable work.
//!
//! A contact that approaches takes part in a step as ever. In the step its normal velocity goes along a straight line from `u_n`
//! to `u+_n`, so the work of compression is `-ln (u_n + u+_n) / 2`, of which `e^2` is stored (Poisson: `e ln`). A contact that
//! does not approach and has something stored is *forced*: it gives back at its own rate, `ln = h p` whatever `u+_n`, see
//! [`StepProblem::force`]; its cap is shortened until the step takes no more than the reservoir holds. Poisson's reservoirs are
//! emptied only while nothing approaches. A contact with restitution that separates and has nothing to give waits: a straight step
//! that turned it round would lose energy. If it only touches, a coin decides whether it takes part.
//!
//! Reservoirs are lost where no other contact takes part and a whole step could not begin to empty any of them, because their
//! own friction holds their contacts at `u_n = 0`.
//!
//! Friction, which opposes sliding at the end of the step, may seem to do work along the straight line where sliding turns
//! round. Stronge's reservoirs pay for that: kinetic energy plus what is stored never rises.
//!
//! The model is that of the inclusion, [`integration`](super::integration), whose numbers and rules these are, with the steps
//! of \[HP23\] (75).

use super::integration::{Inclusion, Process, first_root};
use super::routh::{Bound, Workspace};
use crate::lcp::StepProblem;
use crate::real::Real;
use crate::rng::{Purpose, Stream};

/// Most trials of a step; then it gives back nothing.
pub const MAX_TRIALS: u32 = 16;

/// What a sample needs to know of its contacts beside their velocities.
#[derive(Clone, Debug)]
pub struct Reservoirs<R> {
    /// The step problem with the sample's own friction.
    pub step: StepProblem<R>,
    /// What is stored (m).
    pub stored: Vec<R>,
    /// Which contacts are forced in the step under way (m).
    pub forced: Vec<bool>,
    /// The contact velocity with the impulses of forced contacts (K).
    pub given: Vec<R>,
    /// Restitution (m).
    e: Vec<R>,
    /// Cap and `u+_n` of the trial before (m).
    tried: Vec<[R; 2]>,
}

impl<R: Real> Reservoirs<R> {
    /// Room for samples of a step problem.
    pub fn new(step: &StepProblem<R>) -> Self {
        let m = step.contacts;
        Reservoirs {
            step: step.clone(),
            stored: vec![R::ZERO; m],
            forced: vec![false; m],
            given: vec![R::ZERO; step.width()],
            e: vec![R::ZERO; m],
            tried: vec![[R::ZERO; 2]; m],
        }
    }
}

/// The mean over `[0, 1]` of the positive part of a number that goes straight from `x` to `y`.
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

impl<R: Real> Bound<R> {
    /// The rules of reservoirs, shared with the inclusion.
    fn rules<'a>(&'a self, bounce: &'a Inclusion<R>) -> Process<'a, R> {
        Process::new(&self.step, bounce, [&self.caps, &self.rest], self.max_steps)
    }

    /// Puts the contact velocity before the impact into `work`, and the sample's numbers where they are its own.
    pub(super) fn begin(&self, stream: &Stream, work: &mut Workspace<R>) {
        let k = self.step.width();
        let Workspace { x, matrix, reservoirs, .. } = work;
        let (Some(bounce), Some(Reservoirs { step, stored, e, .. })) = (&self.bounce, reservoirs) else {
            return x[..k].copy_from_slice(&self.start);
        };
        bounce.draw_numbers(&self.start, stream, [&mut step.mu, e], &mut x[..k]);
        stored.fill(R::ZERO);
        if bounce.mu.iter().any(|mu| mu[1] > R::ZERO) {
            let n = step.lcp_size();
            for entry in n * (n - step.contacts)..n * n {
                matrix[entry] = step.lcp_entry(entry / n, entry % n);
            }
        }
    }

    /// Whether nothing approaches.
    fn at_rest(&self, work: &Workspace<R>) -> bool {
        self.rest.iter().zip(&work.x).all(|(rest, u)| u >= rest)
    }

    /// Whether nothing approaches and nothing is stored.
    pub(super) fn over(&self, work: &Workspace<R>) -> bool {
        let empty = |r: &Reservoirs<R>| r.stored.iter().all(|s| *s <= R::ZERO);
        self.at_rest(work) && work.reservoirs.as_ref().is_none_or(empty)
    }

    /// Solves a step into `work.l` and `work.u_plus`, with caps that leave no reservoir overdrawn, and does the accounts; its
    /// residual, or `None` where no solution was found.
    pub(super) fn solve_within(&self, stream: &Stream, step: u32, work: &mut Workspace<R>) -> Option<R> {
        self.engage(stream, step, work);
        for trial in 1..=MAX_TRIALS {
            let residual = self.solve(stream, step, work)?;
            if !self.shorten(trial, work) {
                self.settle(work);
                return Some(residual);
            }
        }
        None
    }

    /// Decides which contacts give back in the next step.
    fn engage(&self, stream: &Stream, step: u32, work: &mut Workspace<R>) {
        let at_rest = self.at_rest(work);
        let (u, c) = work.x.split_at_mut(self.step.width());
        let (Some(bounce), Some(r)) = (&self.bounce, &mut work.reservoirs) else { return };
        let landing = |i: usize| self.rules(bounce).landing(i);
        for i in 0..c.len() {
            let may_give = u[i] >= self.rest[i] && (at_rest || !bounce.poisson);
            r.forced[i] = may_give && r.stored[i] > R::ZERO;
            r.tried[i] = [R::ZERO, u[i]];
            if r.forced[i] && bounce.poisson {
                c[i] = Real::min(c[i], r.stored[i]);
            } else if !r.forced[i] && r.e[i] > R::ZERO && u[i] >= self.rest[i] {
                let out = || stream.draw(step, Purpose::Solution, 4 * i as u32) < 1 << 31;
                if u[i] > landing(i) || out() {
                    c[i] = R::ZERO;
                }
            }
        }
        r.step.force(&r.forced, u, c, &mut r.given);
    }

    /// The kinetic energy that the step in `work` adds.
    fn gained(&self, work: &Workspace<R>) -> R {
        let mut twice = R::ZERO;
        for (l, (u, u_plus)) in work.l.iter().zip(work.x.iter().zip(&work.u_plus)) {
            twice += *l * (*u + *u_plus);
        }
        R::from_f64(0.5) * twice
    }

    /// Shortens the caps of forced contacts where the step takes more than is stored; whether it did. The cap at which a
    /// reservoir is just emptied follows from `u+_n` as a linear function of the cap, through this trial and the last one.
    fn shorten(&self, trial: u32, work: &mut Workspace<R>) -> bool {
        let half = R::from_f64(0.5);
        let gained = self.gained(work);
        let (u, c) = work.x.split_at_mut(self.step.width());
        let (Some(bounce), Some(r)) = (&self.bounce, &mut work.reservoirs) else { return false };
        if bounce.poisson {
            return false;
        }
        let rules = self.rules(bounce);
        let (mut shortened, mut slack) = (false, R::ZERO);
        for i in (0..c.len()).filter(|&i| r.forced[i]) {
            let after = work.u_plus[i];
            let empty = rules.empty(i, after);
            slack += empty;
            if c[i] * positive_mean(u[i], after) > r.stored[i] + empty {
                let slope = (after - r.tried[i][1]) / (c[i] - r.tried[i][0]);
                let root = first_root(slope, half * (u[i] + (after - slope * c[i])), r.stored[i]);
                r.tried[i] = [c[i], after];
                c[i] = if root < c[i] { root } else { half * c[i] };
                shortened = true;
            }
        }
        if !shortened && r.forced.contains(&true) && gained > sum(&r.stored) + slack {
            (0..c.len()).filter(|&i| r.forced[i]).for_each(|i| c[i] = half * c[i]);
            shortened = true;
        }
        if shortened && trial + 1 == MAX_TRIALS {
            (0..c.len()).filter(|&i| r.forced[i]).for_each(|i| c[i] = R::ZERO);
        }
        if shortened {
            r.step.force(&r.forced, u, c, &mut r.given);
        }
        shortened
    }

    /// Takes from the reservoirs what the step in `work` has given back, and stores what it has compressed.
    fn settle(&self, work: &mut Workspace<R>) {
        let gained = self.gained(work);
        let (u, c) = work.x.split_at(self.step.width());
        let (Some(bounce), Some(r)) = (&self.bounce, &mut work.reservoirs) else { return };
        let rules = self.rules(bounce);
        let most = Real::max(sum(&r.stored) - gained, R::ZERO);
        for i in 0..c.len() {
            let (l, after, e) = (work.l[i], work.u_plus[i], r.e[i]);
            let gives = l * positive_mean(u[i], after);
            let takes = l * positive_mean(-u[i], -after);
            let change = match (bounce.poisson, r.forced[i]) {
                (true, true) => -l,
                (true, false) => e * l,
                (false, true) => e * e * takes - gives,
                (false, false) => e * e * Real::max(takes - gives, R::ZERO),
            };
            r.stored[i] = Real::max(r.stored[i] + change, R::ZERO);
        }
        let stored = sum(&r.stored);
        if stored > most && !bounce.poisson {
            r.stored.iter_mut().for_each(|s| *s = *s * (most / stored));
        }
        let still = |i: usize| Real::max(u[i].abs(), work.u_plus[i].abs()) <= rules.landing(i);
        let idle = |i: usize| u[i] >= self.rest[i] && work.l[i] == R::ZERO;
        let jammed = (0..c.len()).all(|i| if r.forced[i] { still(i) } else { idle(i) });
        for i in 0..c.len() {
            let after = work.u_plus[i];
            let would_move = self.step.w[i * self.step.width() + i] * c[i] > -self.rest[i];
            let lost = jammed && r.forced[i] && would_move;
            if lost || after >= self.rest[i] && r.stored[i] <= rules.empty(i, after) {
                r.stored[i] = R::ZERO;
            }
        }
    }
}
