//! The set-valued Routh law with the circular friction cone and with restitution, as a differential inclusion over the
//! normal impulses: planar or spatial contacts, any number of them.
//!
//! At a time `t` that counts normal impulse, contact `i` accrues it at the rate `c_i`, from a draw; with the forces of
//! friction `f_i` and `u_t,i` the sliding velocity,
//!
//! ```text
//! u' = W (c, f),   |f_i| <= mu_i c_i,   f_i = -mu_i c_i u_t,i / |u_t,i|  where  u_t,i != 0
//! S_i' = -e_i^2 c_i u_n,i  while u_n,i < 0,   S_i' = -c_i u_n,i  while u_n,i > 0   (Stronge)
//! S_i' =  e_i c_i          while u_n,i < 0,   S_i' = -c_i        in restitution    (Poisson)
//! ```
//!
//! A contact takes part while it approaches, or while its reservoir `S_i` of recoverable work (Poisson: of impulse it
//! owes) is not empty; one that only touches may take part where impulse at it makes it approach, as friction can do.
//! A reservoir that could not begin to be emptied in a whole block, because friction holds the contact, is lost.
//! Relative rates are drawn for a block of impulse at a time: the fastest of the contacts that take
//! part accrues the impulse step `h` in it. A contact that is driven into approach waits for the next block, in which
//! case its rate was 0. Poisson's reservoirs are emptied only while nothing approaches.
//!
//! Given the rates, sliding has exactly one course: `-u_t` moves down the gradient of the convex function
//! `sum mu_i c_i |u_t,i| - b.u_t` in the metric of `W_tt^-1`, where `b = W_tn c`. Contacts that do not slide have the
//! forces that minimise the acceleration of sliding, `f' W_tt f / 2 + f'b`, in their discs. Courses only come closer to
//! each other, so errors of integration do not grow.
//!
//! Source: \[HP23\] Sec. 4 and its outlook on restitution; for one contact \[JW16\] (11)-(34). Deviations: rates that
//! stay for a block; integration of third order with a step size under control (Bogacki and Shampine's stages, of
//! which the midpoint rule is the second-order companion) instead of complementarity problems, so there are no facets;
//! reservoirs of work. Weights of the stages are positive, so a step's impulse lies in the circular cone exactly.

mod course;
mod friction;
mod inclusion;
mod inertia;
mod substep;

use std::sync::atomic::{AtomicBool, Ordering};

use super::rates::{Sampler, stretch};
use super::routh::Ending;
use crate::lcp::StepProblem;
use crate::real::Real;
use crate::rng::{Purpose, Stream, stream};
use crate::status::Status;
pub use course::Course;
use course::Phase;
use friction::length;
pub use inclusion::{Inclusion, disturbance, noise_root};
pub use inertia::{Drawn, Inertia};
pub(super) use substep::first_root;

/// Most substeps of a sample at first: some ten times what all but jammed contacts take.
pub const MAX_SUBSTEPS: u32 = 4000;

/// Most trials of one substep.
pub const MAX_TRIALS: u32 = 64;

/// Most sweeps over the contacts that are held.
pub const MAX_SWEEPS: u32 = 100;

/// The tolerances of a precision; velocities are dimensionless.
#[derive(Clone, Copy, Debug)]
pub struct Tolerances<R> {
    /// Error of a substep's sliding velocities, as its second-order companion sees it.
    pub error: R,
    /// Sliding slower than this is none.
    pub halt: R,
    /// Relative change of forces below which they are balanced.
    pub balance: R,
    /// A reservoir is empty with less than this part of `u_n^2 / W_nn`.
    pub empty: R,
    /// Most substeps of a sample.
    pub substeps: u32,
}

impl<R: Real> Tolerances<R> {
    /// Those of precision `R`, chosen by trial on random problems: with them one contact in f64 stays well within 1e-5 of
    /// the exact law.
    pub fn of_precision() -> Self {
        let double = [3e-7, 1e-8, 1e-13, 1e-12];
        let single = [1e-5, 2e-6, 1e-7, 1e-6];
        let [error, halt, balance, empty] =
            if R::EPSILON > f64::EPSILON { single } else { double }.map(R::from_f64);
        Tolerances { error, halt, balance, empty, substeps: MAX_SUBSTEPS }
    }

    /// With an eighth of the error and eight times the substeps, for samples that fail otherwise: stiff sliding of strongly
    /// coupled contacts takes many.
    pub fn finer(self) -> Self {
        Tolerances { error: self.error * R::from_f64(0.125), substeps: 8 * self.substeps, ..self }
    }
}

fn dot<R: Real>(x: &[R], y: &[R]) -> R {
    let mut sum = R::ZERO;
    for (x, y) in x.iter().zip(y) {
        sum += *x * *y;
    }
    sum
}

/// A sample in the making: the inclusion on a step problem.
#[derive(Clone, Copy, Debug)]
pub struct Process<'a, R> {
    /// The step problem, with one or two axes.
    pub step: &'a StepProblem<R>,
    /// Friction and restitution.
    pub inclusion: &'a Inclusion<R>,
    /// Impulse that the fastest contact accrues in a block (m).
    pub caps: &'a [R],
    /// Normal velocities (m), negative, from which on a contact approaches.
    pub rest: &'a [R],
    /// Most blocks.
    pub max_steps: u32,
    /// Tolerances.
    pub tolerances: Tolerances<R>,
}

impl<'a, R: Real> Process<'a, R> {
    /// With the tolerances of the precision.
    pub fn new(
        step: &'a StepProblem<R>,
        inclusion: &'a Inclusion<R>,
        [caps, rest]: [&'a [R]; 2],
        max_steps: u32,
    ) -> Self {
        Process { step, inclusion, caps, rest, max_steps, tolerances: Tolerances::of_precision() }
    }

    /// A sample from contact velocity `start` (K): while a contact approaches or has something to give back, draws rates
    /// and integrates a block. Its steps are blocks.
    ///
    /// Ends: [`Status::StepLimit`] after `max_steps` blocks, [`Status::Unsolved`] where a sample takes more than
    /// [`Tolerances::substeps`] or a substep more than [`MAX_TRIALS`]. The residual is the defect of the energy balance
    /// `(u- + u+).L/2 = work of all contacts`, whose right-hand side assumes that friction opposes sliding at its full size
    /// or holds.
    pub fn sample(
        &self,
        start: &[R],
        stream: &Stream,
        stop: Option<&AtomicBool>,
        course: &mut Course<R>,
    ) -> Ending<R> {
        let Course { mu, e, start: disturbed, .. } = &mut *course;
        self.inclusion.draw_numbers(start, stream, [mu, e], disturbed);
        course.u.copy_from_slice(&course.start);
        course.total.fill(R::ZERO);
        course.stored.fill(R::ZERO);
        course.work = R::ZERO;
        course.substeps = 0;
        let mut steps = 0;
        let status = loop {
            if !course.u.iter().chain(&course.total).all(|x| x.is_finite()) {
                break Status::NotFinite;
            }
            if !self.engage(course) {
                break Status::Terminated;
            }
            if steps == self.max_steps || steps % 16 == 15 && stop.is_some_and(|s| s.load(Ordering::Relaxed))
            {
                break Status::StepLimit;
            }
            self.draw_rates(stream, steps, course);
            self.touch(course);
            course.jammed.iter_mut().enumerate().for_each(|(i, jammed)| {
                let still = course.u[i].abs() <= self.landing(i) && course.rate[i] > R::ZERO;
                *jammed = still && course.phase[i] == Phase::Restituting;
            });
            if !self.block(course) {
                break Status::Unsolved;
            }
            for i in 0..self.step.contacts {
                if course.jammed[i] && course.u[i].abs() <= self.landing(i) {
                    course.stored[i] = R::ZERO;
                }
            }
            steps += 1;
        };
        let mut gained = R::ZERO;
        for j in 0..start.len() {
            gained += (course.start[j] + course.u[j]) * course.total[j];
        }
        let defect = gained * R::from_f64(0.5) - course.work;
        let residual = if defect.is_finite() { defect.abs() } else { R::HUGE };
        Ending { status, steps, residual }
    }

    /// The first tangent row of contact `i`.
    fn tangent(&self, i: usize) -> usize {
        self.step.contacts + self.step.axes * i
    }

    /// The entries of `x` (K) in the tangent rows of contact `i`; a planar contact has 0 in the second.
    fn sideways(&self, x: &[R], i: usize) -> [R; 2] {
        let t = self.tangent(i);
        [x[t], if self.step.axes == 2 { x[t + 1] } else { R::ZERO }]
    }

    fn set_sideways(&self, x: &mut [R], i: usize, [a, b]: [R; 2]) {
        let t = self.tangent(i);
        x[t] = a;
        if self.step.axes == 2 {
            x[t + 1] = b;
        }
    }

    /// The tangential block `[[a, b], [b, d]]` of contact `i`.
    fn block_of(&self, i: usize) -> [R; 3] {
        let (k, t) = (self.step.width(), self.tangent(i));
        let a = self.step.w[t * k + t];
        if self.step.axes == 1 {
            return [a, R::ZERO, R::ZERO];
        }
        [a, self.step.w[t * k + t + 1], self.step.w[(t + 1) * k + t + 1]]
    }

    /// The larger eigenvalue of the tangential block of contact `i`.
    fn top(&self, i: usize) -> R {
        let [a, b, d] = self.block_of(i);
        R::from_f64(0.5) * (a + d + length([a - d, b + b]))
    }

    /// Entry `j` of `W x`.
    fn row(&self, j: usize, x: &[R]) -> R {
        let k = self.step.width();
        dot(&self.step.w[j * k..(j + 1) * k], x)
    }

    /// Decides who may take part in the next block; whether the impact goes on.
    fn engage(&self, course: &mut Course<R>) -> bool {
        let m = self.step.contacts;
        let approach = (0..m).any(|i| course.u[i] < self.rest[i]);
        for i in 0..m {
            course.phase[i] = if course.u[i] < self.rest[i] {
                Phase::Compressing
            } else if course.stored[i] > R::ZERO && !(self.inclusion.poisson && approach) {
                Phase::Restituting
            } else if course.u[i] <= self.landing(i) {
                Phase::Touching
            } else {
                Phase::Waiting
            };
        }
        course.phase.iter().any(|phase| phase.engaged())
    }

    /// The normal rates of a block: uniform draws over the largest of them, times the caps. With [`Sampler::Coverage`] a
    /// random subset of a random size has rates above 0, and the block is longer or shorter by [`stretch`]. Every other
    /// contact that touches has a rate of any order of magnitude down to `2^-24`: where friction holds it, a small one may
    /// do.
    fn draw_rates(&self, stream: &Stream, step: u32, course: &mut Course<R>) {
        let half = R::from_f64(0.5);
        let mut waiting = course.phase.iter().filter(|phase| phase.engaged()).count() as u32;
        let (mut scale, mut wanted) = (R::ONE, waiting);
        if self.inclusion.sampler == Sampler::Coverage {
            let words = stream.block(step, Purpose::Order, 0);
            wanted = 1 + stream::index(words[0], waiting);
            scale = stretch(words[1], words[2]);
        }
        let [mut words, mut picks] = [[0; 4]; 2];
        let mut largest = R::ZERO;
        for i in 0..self.step.contacts {
            if i % 4 == 0 {
                words = stream.block(step, Purpose::Rate, i as u32 / 4);
                picks = stream.block(step, Purpose::Order, 1 + i as u32 / 4);
            }
            course.rate[i] = R::ZERO;
            if !course.phase[i].engaged() {
                continue;
            }
            if stream::index(picks[i % 4], waiting) < wanted {
                course.rate[i] = R::from_f64(f64::from(stream::unit(words[i % 4])));
                largest = Real::max(largest, course.rate[i]);
                wanted -= 1;
            }
            waiting -= 1;
        }
        for i in 0..self.step.contacts {
            let cap = self.caps[i] * scale;
            if course.phase[i].engaged() {
                course.rate[i] = if largest > R::ZERO { cap * (course.rate[i] / largest) } else { cap };
            } else if course.phase[i] == Phase::Touching {
                let words = stream.block(step, Purpose::Solution, i as u32);
                if words[0] < 1 << 31 {
                    course.phase[i] = Phase::Waiting;
                    continue;
                }
                course.rate[i] = cap * R::from_f64(f64::from(stream::unit(words[1])));
                for _ in 0..stream::index(words[2], 24) {
                    course.rate[i] = course.rate[i] * half;
                }
            }
        }
    }

    /// Decides which of the contacts that touch take part: not those that their own impulse and those of others separate.
    fn touch(&self, course: &mut Course<R>) {
        let m = self.step.contacts;
        while course.phase.contains(&Phase::Touching) {
            course.rate[m..].fill(R::ZERO);
            self.grasp(course);
            let mut parted = false;
            for i in 0..m {
                if course.phase[i] == Phase::Touching && course.onset[i] >= R::ZERO {
                    course.phase[i] = Phase::Waiting;
                    course.rate[i] = R::ZERO;
                    parted = true;
                }
            }
            if !parted {
                for phase in course.phase.iter_mut().filter(|phase| **phase == Phase::Touching) {
                    *phase = Phase::Compressing;
                }
            }
        }
    }

    /// Integrates a block of unit length, or until nobody takes part; whether that took few enough substeps.
    fn block(&self, course: &mut Course<R>) -> bool {
        let m = self.step.contacts;
        let [mut left, mut wanted] = [R::ONE; 2];
        course.rate[m..].fill(R::ZERO);
        while course.substeps < self.tolerances.substeps {
            course.substeps += 1;
            for i in 0..m {
                if course.phase[i] == Phase::Waiting {
                    course.rate[i] = R::ZERO;
                }
            }
            if !(left > R::ZERO && course.rate[..m].iter().any(|c| *c > R::ZERO)) {
                return true;
            }
            if self.grasp(course) {
                wanted = R::ONE;
            }
            if self.release(course) {
                continue;
            }
            let longest = Real::min(Real::min(left, wanted), self.horizon(course));
            let Some(h) = self.substep(longest, &mut wanted, course) else { return false };
            left -= h;
            self.settle(h, course);
        }
        false
    }

    /// Lets go of contacts that have hardly begun to approach and turn back; whether there are any.
    fn release(&self, course: &mut Course<R>) -> bool {
        let mut any = false;
        for i in 0..self.step.contacts {
            let touches = course.phase[i] == Phase::Compressing && course.u[i] >= -self.landing(i);
            if touches && course.onset[i] >= R::ZERO {
                let gives = course.stored[i] > R::ZERO && !self.inclusion.poisson;
                course.phase[i] = if gives { Phase::Restituting } else { Phase::Waiting };
                any = true;
            }
        }
        any
    }

    /// How far from zero a normal velocity may be where a compression ends.
    pub(super) fn landing(&self, i: usize) -> R {
        -self.rest[i] * R::from_f64(0.25)
    }

    /// What is left in reservoir `i` after a substep of restitution.
    fn left(&self, i: usize, h: R, course: &Course<R>) -> R {
        let given = if self.inclusion.poisson { R::ONE } else { course.travel[i] };
        course.stored[i] - h * course.rate[i] * given
    }

    /// What counts as nothing in reservoir `i` at normal velocity `u`: a part of what that velocity stands for, or what
    /// would change it by less than rest.
    pub(super) fn empty(&self, i: usize, u: R) -> R {
        let w = self.step.w[i * self.step.width() + i];
        let (least, quarter) = (self.landing(i), R::from_f64(0.25));
        let scale = if self.inclusion.poisson {
            Real::max(self.tolerances.empty * u.abs(), quarter * least)
        } else {
            Real::max(self.tolerances.empty * u * u, quarter * least * least)
        };
        scale / w
    }

    /// Takes over what a substep has led to.
    fn settle(&self, h: R, course: &mut Course<R>) {
        for j in 0..self.step.width() {
            course.total[j] += h * course.mean[j];
        }
        course.work += h * course.power;
        for i in 0..self.step.contacts {
            let impulse = h * course.rate[i];
            let e = course.e[i];
            match course.phase[i] {
                Phase::Compressing => {
                    let gained = if self.inclusion.poisson {
                        e * impulse
                    } else {
                        -(e * e * impulse * course.travel[i])
                    };
                    course.stored[i] = Real::max(course.stored[i] + gained, R::ZERO);
                    if course.next[i] >= -self.landing(i) && course.next[i] >= course.u[i] {
                        course.next[i] = R::ZERO;
                        let gives = course.stored[i] > R::ZERO && !self.inclusion.poisson;
                        course.phase[i] = if gives { Phase::Restituting } else { Phase::Waiting };
                    }
                }
                Phase::Restituting => {
                    course.stored[i] = self.left(i, h, course);
                    if course.stored[i] <= self.empty(i, course.next[i]) {
                        course.stored[i] = R::ZERO;
                        course.phase[i] = Phase::Waiting;
                    } else if course.next[i] < self.rest[i] {
                        course.phase[i] = Phase::Compressing;
                    }
                }
                Phase::Waiting | Phase::Touching => {}
            }
        }
        course.u.copy_from_slice(&course.next);
    }
}
