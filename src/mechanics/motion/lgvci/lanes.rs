//! Copies of a motion on the CPU, one per vector lane.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::algebra::{Number, Vec3, add, norm, scaled};
use super::body::RigidBody;
use super::flight::{close, correction, guess, minors};
use super::replica::{Replica, Setting};
use super::state::{BodyState, NUMBERS};
use super::step::{HALVINGS, strike};
use carom_core::real::Real;
use carom_core::vectors::Vector;
use carom_core::vectors::{Lane, OnVectors};

/// Most iterations of Newton's method in lanes, and on a GPU.
pub const ITERATIONS: usize = 12;
/// Most collisions of a step in lanes, and on a GPU.
pub const COLLISIONS: u32 = 6;
/// Most steps that a lane counts without rounding.
const STEPS: u64 = 1 << 20;

/// Moves copies until each has ended or taken `until` steps: with the widest vectors of the
/// machine, or one by one without vectors, or where the shape has an intersection.
///
/// In a lane the numbers are those of [`Replica::step`], bit by bit. A step that needs more
/// iterations, the path of a large rotation or many collisions is left to it.
pub fn advance<R: Lane>(setting: &Setting<R>, copies: &mut [Replica<R>], until: u64) {
    let formula = copies.first().is_some_and(|copy| setting.body.clearance(&copy.state).is_some());
    if formula && R::run(March { setting, copies: &mut *copies, until }) {
        return;
    }
    for copy in copies {
        while copy.goes_on(until) {
            copy.step(setting, |_| ());
        }
    }
}

/// A number in each lane.
struct Wide<S: Vector<R>, R: Real> {
    simd: S,
    v: S::V,
}

impl<S: Vector<R>, R: Real> Clone for Wide<S, R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Vector<R>, R: Real> Copy for Wide<S, R> {}

macro_rules! operator {
    ($($operator:ident $name:ident)*) => {$(
        impl<S: Vector<R>, R: Real> $operator for Wide<S, R> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Wide { simd: self.simd, v: self.simd.$name(self.v, other.v) }
            }
        }
    )*};
}

operator!(Add add Sub sub Mul mul Div div);

impl<S: Vector<R>, R: Real> Neg for Wide<S, R> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self * self.like(-1.0)
    }
}

impl<S: Vector<R>, R: Real> Number for Wide<S, R> {
    #[inline(always)]
    fn like(self, x: f64) -> Self {
        Wide::splat(self.simd, R::from_f64(x))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Wide { simd: self.simd, v: self.simd.sqrt(self.v) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Wide { simd: self.simd, v: self.simd.abs(self.v) }
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        Wide { simd: self.simd, v: self.simd.min(self.v, other.v) }
    }
}

impl<S: Vector<R>, R: Real> Wide<S, R> {
    #[inline(always)]
    fn splat(simd: S, x: R) -> Self {
        Wide { simd, v: simd.splat(x) }
    }

    /// `self <= other`; false where one is NaN.
    #[inline(always)]
    fn le(self, other: Self) -> S::M {
        self.simd.le(self.v, other.v)
    }

    /// `self` where the mask is true, else `other`.
    #[inline(always)]
    fn where_else(self, mask: S::M, other: Self) -> Self {
        Wide { simd: self.simd, v: self.simd.select(mask, self.v, other.v) }
    }

    /// `self > 0`.
    #[inline(always)]
    fn is_positive(self) -> S::M {
        let (zero, one) = (self.like(0.0), self.like(1.0));
        let known = self.where_else(zero.le(self), zero);
        one.le(zero.where_else(known.le(zero), one))
    }

    /// `self` is a number from `low` on.
    #[inline(always)]
    fn is_finite_from(self, low: Self) -> S::M {
        let huge = Wide::splat(self.simd, R::HUGE);
        self.simd.both(low.le(self), self.le(huge))
    }

    #[inline(always)]
    fn lanes(&self) -> &[R] {
        bytemuck::cast_slice(std::slice::from_ref(&self.v))
    }

    #[inline(always)]
    fn lanes_mut(&mut self) -> &mut [R] {
        bytemuck::cast_slice_mut(std::slice::from_mut(&mut self.v))
    }
}

impl<S: Vector<R>, R: Real> BodyState<Wide<S, R>> {
    /// The states of some motions in lanes; further lanes repeat the first.
    #[inline(always)]
    fn gather(simd: S, states: impl Iterator<Item = BodyState<R>>) -> Self {
        let mut wide = [Wide::splat(simd, R::ZERO); NUMBERS];
        for (l, state) in states.enumerate() {
            let numbers = state.numbers();
            for i in 0..NUMBERS {
                if l == 0 {
                    wide[i] = Wide::splat(simd, numbers[i]);
                }
                wide[i].lanes_mut()[l] = numbers[i];
            }
        }
        BodyState::of_numbers(&wide)
    }

    /// The state in a lane.
    #[inline(always)]
    fn lane(&self, l: usize) -> BodyState<R> {
        let wide = self.numbers();
        let mut numbers = [R::ZERO; NUMBERS];
        for i in 0..NUMBERS {
            numbers[i] = wide[i].lanes()[l];
        }
        BodyState::of_numbers(&numbers)
    }

    #[inline(always)]
    fn put(&mut self, l: usize, state: &BodyState<R>) {
        let (mut wide, numbers) = (self.numbers(), state.numbers());
        for i in 0..NUMBERS {
            wide[i].lanes_mut()[l] = numbers[i];
        }
        *self = BodyState::of_numbers(&wide);
    }

    #[inline(always)]
    fn where_else(&self, mask: S::M, other: &Self) -> Self {
        let (mut numbers, others) = (self.numbers(), other.numbers());
        for i in 0..NUMBERS {
            numbers[i] = numbers[i].where_else(mask, others[i]);
        }
        BodyState::of_numbers(&numbers)
    }
}

impl<S: Vector<R>, R: Real> RigidBody<Wide<S, R>> {
    /// The state after [`RigidBody::flight`] in each lane, and a mask of the lanes where Newton's
    /// method has converged to the principal solution.
    #[inline(always)]
    fn flight_in_lanes(
        &self,
        state: &BodyState<Wide<S, R>>,
        tau: Wide<S, R>,
    ) -> (BodyState<Wide<S, R>>, S::M) {
        let simd = tau.simd;
        let a = scaled(state.angular_momentum, tau);
        let mut f = guess(&self.inverse, a);
        let (near, rounding) = (tau.like(close::<R>()), tau.like(R::EPSILON));
        let mut last = Wide::splat(simd, R::HUGE);
        let mut done = rounding.le(tau.like(0.0));
        let mut open = true;
        let mut count = 0;
        while open && count < ITERATIONS {
            let (change, _) = correction(&self.inertia, a, f);
            let size = norm(change);
            let next = add(f, change);
            let scale = norm(next);
            for i in 0..3 {
                f[i] = f[i].where_else(done, next[i]);
            }
            let stalls = simd.both(last.le(near * scale), last.le(size + size));
            done = simd.either(done, simd.either(size.le(rounding * scale), stalls));
            last = size;
            open = simd.bits(done) != all::<S, R>();
            count += 1;
        }
        let [x, y, z]: Vec3<Wide<S, R>> = minors(&self.inertia, f);
        let principal = simd.both(simd.both(x.is_positive(), y.is_positive()), z.is_positive());
        (self.flown(state, tau, f), simd.both(done, principal))
    }

    /// The gap in each lane; NaN where it has no closed form.
    #[inline(always)]
    fn gap_in_lanes(&self, state: &BodyState<Wide<S, R>>) -> Wide<S, R> {
        self.clearance(state).unwrap_or(self.mass.like(f64::NAN))
    }
}

/// The bits of all lanes.
#[inline(always)]
fn all<S: Vector<R>, R: Real>() -> u32 {
    u32::MAX >> (32 - S::LANES)
}

/// Copies in motion.
struct March<'a, R> {
    setting: &'a Setting<R>,
    copies: &'a mut [Replica<R>],
    until: u64,
}

impl<R: Real> OnVectors for March<'_, R> {
    type R = R;

    /// Moves copies that fly, and copies that collide, by turns, as many as there are lanes,
    /// whatever steps they are at.
    #[inline(always)]
    fn run<S: Vector<R>>(mut self, simd: S) {
        let body = self.setting.body.map(|x| Wide::splat(simd, x));
        let goes_on = |i: &usize| self.copies[*i].goes_on(self.until);
        let mut free: Vec<usize> = (0..self.copies.len()).rev().filter(goes_on).collect();
        let mut struck: Vec<usize> = Vec::new();
        while !(free.is_empty() && struck.is_empty()) {
            if struck.len() >= S::LANES || free.is_empty() {
                let group = struck.split_off(struck.len().saturating_sub(S::LANES));
                self.collide(&body, &group);
                free.extend(group.iter().filter(|i| self.copies[**i].goes_on(self.until)));
            } else {
                let group = free.split_off(free.len().saturating_sub(S::LANES));
                let bits = self.fly(&body, &group);
                for (l, &i) in group.iter().enumerate() {
                    match bits >> l & 1 {
                        1 => struck.push(i),
                        _ if self.copies[i].goes_on(self.until) => free.push(i),
                        _ => {}
                    }
                }
            }
        }
    }
}

impl<R: Real> March<'_, R> {
    /// Takes steps without collisions; returns the bits of copies whose next step has one.
    #[inline(always)]
    fn fly<S: Vector<R>>(&mut self, body: &RigidBody<Wide<S, R>>, group: &[usize]) -> u32 {
        let simd = body.mass.simd;
        let tau = Wide::splat(simd, self.setting.time_step);
        let (zero, one) = (tau.like(0.0), tau.like(1.0));
        let mut state = BodyState::gather(simd, group.iter().map(|&i| self.copies[i].state));
        let (mut initial, mut worst, mut left) = (zero, zero, zero);
        for (l, &i) in group.iter().enumerate() {
            let copy = &self.copies[i];
            initial.lanes_mut()[l] = copy.initial;
            worst.lanes_mut()[l] = copy.energy_error;
            left.lanes_mut()[l] = R::from_f64((self.until - copy.steps).min(STEPS) as f64);
        }
        let (mut taken, mut struck) = (zero, 0);
        let mut under_way = one.le(left);
        while simd.bits(under_way) != 0 {
            let (trial, sound) = body.flight_in_lanes(&state, tau);
            let gap = body.gap_in_lanes(&trial);
            let error = (body.total_energy(&trial) - initial).abs();
            let arrives = simd.both(gap.is_finite_from(zero), error.is_finite_from(zero));
            let arrives = simd.both(simd.both(sound, arrives), under_way);
            struck |= simd.bits(under_way) & !simd.bits(arrives);
            state = trial.where_else(arrives, &state);
            worst = error.where_else(simd.both(arrives, worst.le(error)), worst);
            taken = (taken + one).where_else(arrives, taken);
            left = (left - one).where_else(arrives, zero);
            under_way = one.le(left);
        }
        for (l, &i) in group.iter().enumerate() {
            let copy = &mut self.copies[i];
            copy.state = state.lane(l);
            copy.energy_error = worst.lanes()[l];
            copy.steps += taken.lanes()[l].to_f64() as u64;
        }
        struck
    }

    /// Takes one step with collisions.
    #[inline(always)]
    fn collide<S: Vector<R>>(&mut self, body: &RigidBody<Wide<S, R>>, group: &[usize]) {
        let simd = body.mass.simd;
        let Setting { body: one, time_step, max_collisions } = self.setting;
        let mut left = Wide::splat(simd, *time_step);
        let zero = left.like(0.0);
        let mut state = BodyState::gather(simd, group.iter().map(|&i| self.copies[i].state));
        let mut next: Vec<Replica<R>> = group.iter().map(|&i| self.copies[i]).collect();
        let mut under_way = u32::MAX >> (32 - group.len());
        let most = COLLISIONS.min(*max_collisions);
        for round in 0..=most {
            let (trial, sound) = body.flight_in_lanes(&state, left);
            let gap = body.gap_in_lanes(&trial);
            let lowest = Wide::splat(simd, -R::HUGE);
            let energy = body.total_energy(&trial).is_finite_from(lowest);
            let sound = simd.both(simd.both(sound, energy), gap.is_finite_from(lowest));
            let outside = simd.bits(zero.le(gap));
            let sound = simd.bits(sound);
            for (l, copy) in next.iter_mut().enumerate() {
                if under_way & sound & outside & 1 << l != 0 {
                    copy.arrive(one, trial.lane(l));
                }
            }
            let hits = under_way & sound & !outside;
            under_way &= !(sound & outside);
            if hits == 0 || hits != under_way || round == most {
                break;
            }
            let Some((low, high)) = body.meet_in_lanes(&state, left, hits) else { break };
            let before = body.flight_in_lanes(&state, low).0;
            let before = state.where_else(low.le(zero), &before);
            let inside = body.flight_in_lanes(&state, high).0;
            left = left - low;
            for (l, copy) in next.iter_mut().enumerate() {
                if hits & 1 << l != 0 {
                    let hit =
                        strike(one, &before.lane(l), &inside.lane(l), *time_step - left.lanes()[l]);
                    copy.strike(one, &hit.state);
                    state.put(l, &hit.state);
                }
            }
        }
        for (l, (&i, next)) in group.iter().zip(next).enumerate() {
            match under_way >> l & 1 {
                0 => self.copies[i] = next,
                _ => self.copies[i].step(self.setting, |_| ()),
            }
        }
    }
}

impl<S: Vector<R>, R: Real> RigidBody<Wide<S, R>> {
    /// The last time at which a lane that hits is outside and the first at which it is inside;
    /// `None` where a flight does not converge.
    #[inline(always)]
    fn meet_in_lanes(
        &self,
        start: &BodyState<Wide<S, R>>,
        left: Wide<S, R>,
        hits: u32,
    ) -> Option<(Wide<S, R>, Wide<S, R>)> {
        let simd = left.simd;
        let (zero, half) = (left.like(0.0), left.like(0.5));
        let (mut low, mut high) = (zero, left);
        for _ in 0..HALVINGS {
            let middle = (low + high) * half;
            if simd.bits(simd.either(middle.le(low), high.le(middle))) & hits == hits {
                break;
            }
            let (state, sound) = self.flight_in_lanes(start, middle);
            if simd.bits(sound) & hits != hits {
                return None;
            }
            let outside = zero.le(self.gap_in_lanes(&state));
            low = middle.where_else(outside, low);
            high = high.where_else(outside, middle);
        }
        Some((low, high))
    }
}
