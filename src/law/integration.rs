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

use std::sync::atomic::{AtomicBool, Ordering};

use nalgebra::DMatrix;

use super::routh::{Ending, Sampler};
use crate::lcp::{Scaling, StepProblem};
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::rng::{Purpose, Stream, stream};
use crate::status::Status;

/// Most substeps of a sample: some ten times what all but jammed contacts take.
pub const MAX_SUBSTEPS: u32 = 3000;

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
}

impl<R: Real> Tolerances<R> {
    /// Those of precision `R`.
    pub const fn values() -> [f64; 4] {
        if R::EPSILON > f64::EPSILON { [1e-5, 2e-6, 1e-7, 1e-6] } else { [1e-6, 1e-8, 1e-13, 1e-12] }
    }

    fn new() -> Self {
        let [error, halt, balance, empty] = Self::values().map(R::from_f64);
        Tolerances { error, halt, balance, empty }
    }
}

/// What the inclusion needs to know of a problem beside its step problem, whose rows are normals (m), then one or two
/// tangents of each contact together: K = (1 + d) m.
///
/// Samples of an uncertain problem draw friction and restitution from ranges of their own, and start at
/// `start + noise x`, with `x` (n) from [`disturbance`].
#[derive(Clone, Debug)]
pub struct Inclusion<R> {
    /// Friction (m), scaled: the least, and the width of the range.
    pub mu: Vec<[R; 2]>,
    /// Restitution (m): the least, and the width of the range.
    pub e: Vec<[R; 2]>,
    /// Noise of the contact velocity (K,n), row by row; empty where there is none.
    pub noise: Vec<R>,
    /// Whether reservoirs hold impulse (Poisson) instead of work (Stronge).
    pub poisson: bool,
    /// How rates are drawn.
    pub sampler: Sampler,
}

impl Inclusion<f64> {
    /// The inclusion of `problem`, scaled, before its velocity is looked at: without noise.
    pub fn new(problem: &ContactProblem, scaling: &Scaling, poisson: bool, sampler: Sampler) -> Self {
        let uncertainty = problem.uncertainty();
        let m = problem.contact_count();
        let zeros = vec![0.0; m];
        let scale = |i: usize| match scaling.sigma.get(m + i * scaling.axes()) {
            Some(sigma) => sigma / scaling.sigma[i],
            None => 1.0,
        };
        let mu = uncertainty.friction_of(problem.friction());
        let e = uncertainty.restitution_of(problem.restitution().unwrap_or(&zeros));
        Inclusion {
            mu: (0..m).map(|i| [mu[i][0] * scale(i), (mu[i][1] - mu[i][0]) * scale(i)]).collect(),
            e: e.iter().map(|e| [e[0], e[1] - e[0]]).collect(),
            noise: Vec::new(),
            poisson,
            sampler,
        }
    }

    /// The same in another precision.
    pub fn cast<R: Real>(&self) -> Inclusion<R> {
        let pairs = |x: &[[f64; 2]]| x.iter().map(|x| x.map(R::from_f64)).collect();
        let noise = self.noise.iter().map(|&x| R::from_f64(x)).collect();
        Inclusion {
            mu: pairs(&self.mu),
            e: pairs(&self.e),
            noise,
            poisson: self.poisson,
            sampler: self.sampler,
        }
    }
}

/// `root` (n,n) with `d = root x` the disturbance of the velocity for `x` from [`disturbance`]:
/// `noise |v-|_M / sqrt(n) L^-T` with `M = L L'`. `None` where there is none.
pub fn noise_root(problem: &ContactProblem) -> Option<DMatrix<f64>> {
    if problem.uncertainty().noise <= 0.0 {
        return None;
    }
    let n = problem.coordinate_count();
    let speed = (2.0 * problem.kinetic_energy(problem.velocity().as_slice())).sqrt();
    let size = problem.uncertainty().noise * speed / (n as f64).sqrt();
    let transposed = problem.mass().clone().cholesky()?.l().transpose();
    if size > 0.0 { transposed.try_inverse().map(|root| root * size) } else { None }
}

/// Number `a` of the disturbance of a sample: nearly normal with mean 0 and variance 1, the sum of four uniform draws,
/// within 3.5 of 0.
pub fn disturbance<R: Real>(stream: &Stream, a: usize) -> R {
    let words = stream.block(2, Purpose::Parameter, a as u32);
    let [w, x, y, z] = words.map(|word| R::from_f64(f64::from(stream::unit(word))));
    (((w + x) + (y + z)) - R::from_f64(2.0)) * R::from_f64(1.732_050_807_568_877_2)
}

impl<R: Real> Inclusion<R> {
    /// Takes over the noise that belongs to the velocity of `problem`. Allocates where there is some.
    pub fn disturb(&mut self, problem: &ContactProblem, scaling: &Scaling) {
        let Some(root) = noise_root(problem) else { return self.noise.clear() };
        let contacts = problem.jacobian() * root;
        let columns: Vec<_> = contacts.column_iter().map(|x| x.into_owned()).collect();
        let rows = 0..scaling.sigma.len();
        let row = |i: usize| columns.iter().map(move |x| R::from_f64(scaling.along(x, i)));
        self.noise = rows.flat_map(row).collect();
    }
}

/// What a sample needs while it runs.
#[derive(Clone, Debug)]
pub struct Course<R> {
    /// Friction and restitution (m) of this sample, and its contact velocity before the impact (K).
    mu: Vec<R>,
    e: Vec<R>,
    start: Vec<R>,
    /// Contact velocity (K).
    pub u: Vec<R>,
    /// Impulse so far (K).
    pub total: Vec<R>,
    /// Reservoirs (m).
    stored: Vec<R>,
    /// Work on the contacts so far.
    work: R,
    /// Substeps so far.
    substeps: u32,
    phase: Vec<Phase>,
    /// Whether a contact could not begin to give back.
    jammed: Vec<bool>,
    grip: Vec<Grip>,
    /// Normal rates (m), then forces of friction: of this stage, of the first, second and third, and their mean (K).
    rate: Vec<R>,
    first: Vec<R>,
    second: Vec<R>,
    third: Vec<R>,
    mean: Vec<R>,
    /// `W rate` at the beginning of the substep and of this stage, contact velocities of a stage and after (K).
    onset: Vec<R>,
    slope: Vec<R>,
    /// What forces after the substep have to stop: sliding velocities over its length (K).
    pull: Vec<R>,
    stage: Vec<R>,
    next: Vec<R>,
    /// Means of `u_n` over a substep (m), and the mean power at the contacts.
    travel: Vec<R>,
    power: R,
}

/// What a contact does in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    /// Neither approaches nor separates, and takes part if its own impulse lets it approach.
    Touching,
    Compressing,
    Restituting,
}

/// What friction does during a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grip {
    Free,
    /// Opposes the sliding velocity of the stage.
    Slides,
    /// Opposes the sliding velocity after the substep, or halts it.
    Steers,
    /// The same from no sliding at all.
    Held,
}

impl Phase {
    /// Whether the impact goes on because of such a contact.
    fn engaged(self) -> bool {
        matches!(self, Phase::Compressing | Phase::Restituting)
    }
}

impl<R: Real> Course<R> {
    /// Room for `m` contacts with K = `width` rows.
    pub fn new(m: usize, width: usize) -> Self {
        let zeros = |k: usize| vec![R::ZERO; k];
        let [u, total, rate, first, second] = std::array::from_fn(|_| zeros(width));
        let [third, mean, onset, slope, stage, next] = std::array::from_fn(|_| zeros(width));
        let [start, pull] = std::array::from_fn(|_| zeros(width));
        let [mu, e, stored, travel] = std::array::from_fn(|_| zeros(m));
        let (phase, grip) = (vec![Phase::Waiting; m], vec![Grip::Free; m]);
        let jammed = vec![false; m];
        let [work, power] = [R::ZERO; 2];
        Course {
            mu,
            e,
            start,
            u,
            total,
            stored,
            work,
            substeps: 0,
            phase,
            jammed,
            grip,
            rate,
            first,
            second,
            third,
            mean,
            onset,
            slope,
            pull,
            stage,
            next,
            travel,
            power,
        }
    }
}

fn dot<R: Real>(x: &[R], y: &[R]) -> R {
    let mut sum = R::ZERO;
    for (x, y) in x.iter().zip(y) {
        sum += *x * *y;
    }
    sum
}

fn length<R: Real>([x, y]: [R; 2]) -> R {
    (x * x + y * y).sqrt()
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
        Process { step, inclusion, caps, rest, max_steps, tolerances: Tolerances::new() }
    }

    /// A sample from contact velocity `start` (K): while a contact approaches or has something to give back, draws rates
    /// and integrates a block. Its steps are blocks.
    ///
    /// Ends: [`Status::StepLimit`] after `max_steps` blocks, [`Status::Unsolved`] where a sample takes more than
    /// [`MAX_SUBSTEPS`] or a substep more than [`MAX_TRIALS`]. The residual is the defect of the energy balance `(u- + u+).L/2 = work of all contacts`, whose
    /// right-hand side assumes that friction opposes sliding at its full size or holds.
    pub fn sample(
        &self,
        start: &[R],
        stream: &Stream,
        stop: Option<&AtomicBool>,
        course: &mut Course<R>,
    ) -> Ending<R> {
        self.draw_numbers(start, stream, course);
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

    /// The numbers of this sample.
    fn draw_numbers(&self, start: &[R], stream: &Stream, course: &mut Course<R>) {
        let Inclusion { mu, e, noise, .. } = self.inclusion;
        let mut words = [[0; 4]; 2];
        for i in 0..self.step.contacts {
            if i % 4 == 0 {
                words = [0, 1].map(|step| stream.block(step, Purpose::Parameter, i as u32 / 4));
            }
            let draw = |step: usize| R::from_f64(f64::from(stream::unit(words[step][i % 4])));
            course.mu[i] = mu[i][0] + mu[i][1] * draw(0);
            course.e[i] = e[i][0] + e[i][1] * draw(1);
        }
        course.start.copy_from_slice(start);
        let n = noise.len() / start.len();
        for a in 0..n {
            let x = disturbance::<R>(stream, a);
            for j in 0..start.len() {
                course.start[j] += noise[j * n + a] * x;
            }
        }
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
    /// random subset of a random size has rates above 0, and the block is `2^x` times as long, `x` uniform in [-4, 2),
    /// with `2^x` taken as linear between integers. Every other contact that touches has a rate of any order of
    /// magnitude down to `2^-24`: where friction holds it, a small one may do.
    fn draw_rates(&self, stream: &Stream, step: u32, course: &mut Course<R>) {
        let half = R::from_f64(0.5);
        let mut waiting = course.phase.iter().filter(|phase| phase.engaged()).count() as u32;
        let (mut scale, mut wanted) = (R::ONE, waiting);
        if self.inclusion.sampler == Sampler::Coverage {
            let words = stream.block(step, Purpose::Order, 0);
            wanted = 1 + stream::index(words[0], waiting);
            let octave = stream::index(words[1], 6);
            scale = R::ONE + R::from_f64(f64::from(stream::unit(words[2])));
            for _ in octave..5 {
                scale = scale * half;
            }
            scale = scale + scale;
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
        while course.substeps < MAX_SUBSTEPS {
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

    /// Decides what friction does in the next substep; leaves the forces in `first`, the accelerations in `onset`. Whether
    /// a contact has halted.
    fn grasp(&self, course: &mut Course<R>) -> bool {
        let m = self.step.contacts;
        let mut halted = false;
        for i in 0..m {
            let [a, _, d] = self.block_of(i);
            let radius = course.mu[i] * course.rate[i];
            let slid = matches!(course.grip[i], Grip::Slides | Grip::Steers);
            course.grip[i] = if radius <= R::ZERO || a + d <= R::ZERO {
                Grip::Free
            } else if length(self.sideways(&course.u, i)) > self.tolerances.halt {
                Grip::Slides
            } else {
                Grip::Held
            };
            halted |= slid && course.grip[i] == Grip::Held;
        }
        course.stage.copy_from_slice(&course.u);
        course.pull.fill(R::ZERO);
        self.forces(course);
        course.first.copy_from_slice(&course.rate);
        course.onset.copy_from_slice(&course.slope);
        halted
    }

    /// Lets friction steer where the direction of sliding settles within a substep of length `h`: its time is
    /// `|u_t| / (mu c W_tt)`, which explicit stages must not exceed.
    fn steer(&self, h: R, course: &mut Course<R>) {
        course.pull.fill(R::ZERO);
        for i in 0..self.step.contacts {
            let slip = self.sideways(&course.u, i);
            if matches!(course.grip[i], Grip::Slides | Grip::Steers) {
                let settles = h * course.mu[i] * course.rate[i] * self.top(i) > length(slip);
                course.grip[i] = if settles { Grip::Steers } else { Grip::Slides };
            }
            if matches!(course.grip[i], Grip::Steers | Grip::Held) {
                self.set_sideways(&mut course.pull, i, slip.map(|x| x / h));
            }
        }
    }

    /// The forces of friction at the velocity `stage`, into `rate`, and `slope = W rate`.
    fn forces(&self, course: &mut Course<R>) {
        let mut held = false;
        for i in 0..self.step.contacts {
            let slip = self.sideways(&course.stage, i);
            let size = length(slip);
            let radius = course.mu[i] * course.rate[i];
            match course.grip[i] {
                Grip::Free => self.set_sideways(&mut course.rate, i, [R::ZERO; 2]),
                Grip::Slides if size > R::ZERO => {
                    self.set_sideways(&mut course.rate, i, slip.map(|x| -(x / size * radius)));
                }
                Grip::Slides => {}
                Grip::Steers | Grip::Held => held = true,
            }
        }
        for j in 0..self.step.width() {
            course.slope[j] = self.row(j, &course.rate);
        }
        if held {
            self.hold(course);
        }
    }

    /// The forces that hold contacts, or come closest: `min f' W_tt f / 2 + f'(b + pull)` over their discs, contact by
    /// contact. A contact takes the force that stops it where that is in its disc, else a projected gradient.
    fn hold(&self, course: &mut Course<R>) {
        let k = self.step.width();
        for _ in 0..MAX_SWEEPS {
            let [mut change, mut size] = [R::ZERO; 2];
            for i in 0..self.step.contacts {
                if !matches!(course.grip[i], Grip::Steers | Grip::Held) {
                    continue;
                }
                let radius = course.mu[i] * course.rate[i];
                let before = self.sideways(&course.rate, i);
                let ([x, y], [p, q]) = (self.sideways(&course.slope, i), self.sideways(&course.pull, i));
                let after = self.hold_one(i, before, [x + p, y + q], radius);
                self.set_sideways(&mut course.rate, i, after);
                let t = self.tangent(i);
                for axis in 0..self.step.axes {
                    let step = after[axis] - before[axis];
                    for j in 0..k {
                        course.slope[j] += self.step.w[j * k + t + axis] * step;
                    }
                    change = Real::max(change, step.abs());
                    size = Real::max(size, after[axis].abs());
                }
                size = Real::max(size, course.rate[i]);
            }
            if change <= self.tolerances.balance * size {
                return;
            }
        }
    }

    /// The better force of contact `i` in a disc, from force `f` and acceleration `slope`.
    fn hold_one(&self, i: usize, f: [R; 2], slope: [R; 2], radius: R) -> [R; 2] {
        let [a, b, d] = self.block_of(i);
        let determinant = a * d - b * b;
        if determinant > R::from_f64(16.0 * R::EPSILON) * (a + d) * (a + d) {
            let [x, y] = [d * slope[0] - b * slope[1], a * slope[1] - b * slope[0]];
            let exact = [f[0] - x / determinant, f[1] - y / determinant];
            if length(exact) <= radius {
                return exact;
            }
        }
        let top = self.top(i);
        let moved = [f[0] - slope[0] / top, f[1] - slope[1] / top];
        let size = length(moved);
        if size > radius { moved.map(|x| x / size * radius) } else { moved }
    }

    /// When, with the accelerations in `onset`, the first contact comes to the end of its phase or halts.
    fn horizon(&self, course: &Course<R>) -> R {
        let mut soonest = R::HUGE;
        for i in 0..self.step.contacts {
            let (u, a, c) = (course.u[i], course.onset[i], course.rate[i]);
            match course.phase[i] {
                _ if c <= R::ZERO => {}
                Phase::Compressing if a > R::ZERO => soonest = Real::min(soonest, -u / a),
                Phase::Restituting if self.inclusion.poisson => {
                    soonest = Real::min(soonest, course.stored[i] / c)
                }
                Phase::Restituting => soonest = Real::min(soonest, first_root(a, u, course.stored[i] / c)),
                _ => {}
            }
            if matches!(course.grip[i], Grip::Slides | Grip::Steers) {
                let ([x, y], [p, q]) = (self.sideways(&course.u, i), self.sideways(&course.onset, i));
                let closing = -(x * p + y * q);
                if closing > R::ZERO {
                    soonest = Real::min(soonest, (x * x + y * y) / closing);
                }
            }
        }
        soonest
    }

    /// Three stages from `u`, of length `h` or shorter, until the error is small and no contact has gone past the end of
    /// its phase; leaves the mean rates in `mean`, the new velocity in `next`, and the length that the error allows in
    /// `wanted`. Its length, or `None` where it comes to no end.
    fn substep(&self, mut h: R, wanted: &mut R, course: &mut Course<R>) -> Option<R> {
        let (m, k) = (self.step.contacts, self.step.width());
        let [half, two, three, four] = [0.5, 2.0, 3.0, 4.0].map(R::from_f64);
        let ninth = R::ONE / R::from_f64(9.0);
        for _ in 0..MAX_TRIALS {
            course.rate.copy_from_slice(&course.first);
            self.steer(h, course);
            for j in 0..k {
                course.stage[j] = course.u[j] + h * half * course.onset[j];
            }
            self.forces(course);
            course.second.copy_from_slice(&course.rate);
            let turned = self.replace(h, course);
            course.power = two * dot(&course.mean, &course.u) + three * dot(&course.rate, &course.stage);
            for i in 0..m {
                course.travel[i] = two * course.u[i] + three * course.stage[i];
            }
            for j in 0..k {
                course.stage[j] = course.u[j] + h * (three / four) * course.slope[j];
            }
            self.forces(course);
            course.power = (course.power + four * dot(&course.rate, &course.stage)) * ninth;
            course.third.copy_from_slice(&course.rate);
            for i in 0..m {
                course.travel[i] = (course.travel[i] + four * course.stage[i]) * ninth;
            }
            for j in 0..k {
                let [a, b, c] = [course.mean[j], course.second[j], course.third[j]];
                course.mean[j] = (two * a + three * b + four * c) * ninth;
                course.stage[j] = h * two * ninth * ((a - b) + two * (c - b));
            }
            let error = Real::max(turned, self.error(course));
            for j in 0..k {
                course.next[j] = course.u[j] + h * self.row(j, &course.mean);
            }
            let growth = R::from_f64(0.9) / Real::max(error, R::from_f64(1e-4)).sqrt().sqrt();
            let sum = dot(&course.next, &course.next);
            if error > R::ONE || !(error.is_finite() && sum.is_finite()) {
                h = h * Real::max(growth, R::from_f64(0.2));
                *wanted = h;
                continue;
            }
            let shorter = self.overshoot(h, course);
            if shorter < h {
                h = shorter;
                continue;
            }
            *wanted = Real::max(*wanted, h * Real::max(growth, R::ONE));
            return Some(h);
        }
        None
    }

    /// Puts the forces of the first stage into `mean`, where friction steers those of the second; the error of that, over
    /// what is allowed.
    fn replace(&self, h: R, course: &mut Course<R>) -> R {
        let mut worst = R::ZERO;
        course.mean.copy_from_slice(&course.first);
        for i in 0..self.step.contacts {
            if course.grip[i] == Grip::Steers {
                let ([x, y], now) = (self.sideways(&course.first, i), self.sideways(&course.second, i));
                self.set_sideways(&mut course.mean, i, now);
                let error = R::from_f64(0.5) * h * self.top(i) * length([now[0] - x, now[1] - y]);
                worst = Real::max(worst, error / self.tolerances.error);
            }
        }
        worst
    }

    /// The largest error in `stage`, over what is allowed: where a contact slides also a tenth of its velocity, so that it
    /// finds its way to a halt.
    fn error(&self, course: &Course<R>) -> R {
        let mut worst = R::ZERO;
        for i in 0..self.step.contacts {
            let mut allowed = self.tolerances.error;
            if course.grip[i] == Grip::Slides {
                allowed = Real::min(allowed, R::from_f64(0.1) * length(self.sideways(&course.u, i)));
            }
            worst = Real::max(worst, length(self.sideways(&course.stage, i)) / allowed);
        }
        worst
    }

    /// A smaller step where `next` is past the end of a phase, else `h`.
    fn overshoot(&self, h: R, course: &Course<R>) -> R {
        let mut shorter = h;
        for i in 0..self.step.contacts {
            let (before, after) = (course.u[i], course.next[i]);
            match course.phase[i] {
                Phase::Compressing if after > self.landing(i) => {
                    shorter = Real::min(shorter, h * (before / (before - after)));
                }
                Phase::Restituting => {
                    let (stored, left) = (course.stored[i], self.left(i, h, course));
                    if left < -self.empty(i, after) {
                        shorter = Real::min(shorter, h * (stored / (stored - left)));
                    }
                }
                _ => {}
            }
        }
        shorter
    }

    /// How far from zero a normal velocity may be where a compression ends.
    fn landing(&self, i: usize) -> R {
        -self.rest[i] * R::from_f64(0.25)
    }

    /// What is left in reservoir `i` after a substep of restitution.
    fn left(&self, i: usize, h: R, course: &Course<R>) -> R {
        let given = if self.inclusion.poisson { R::ONE } else { course.travel[i] };
        course.stored[i] - h * course.rate[i] * given
    }

    /// What counts as nothing in reservoir `i` at normal velocity `u`: a part of what that velocity stands for, or what
    /// would change it by less than rest.
    fn empty(&self, i: usize, u: R) -> R {
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

/// The smallest positive `t` with `a t^2 / 2 + u t = s`, for `s > 0`; [`Real::HUGE`] where there is none.
fn first_root<R: Real>(a: R, u: R, s: R) -> R {
    let two = R::from_f64(2.0);
    let square = u * u + two * a * s;
    if square < R::ZERO {
        return R::HUGE;
    }
    let below = u + square.sqrt();
    if below > R::ZERO { two * s / below } else { R::HUGE }
}
