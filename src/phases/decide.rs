//! Decisions: the modes of contacts at an instant, from a complementarity problem of forces and
//! accelerations.
//!
//! The first guess is the previous modes. The forces of a guess show which modes are wrong. If
//! the exchange of wrong modes does not end, projected Gauss-Seidel sweeps give the next guess.

use carom_core::Real;

use crate::array::{add, dot, length, pair};
use crate::contacts::{Friction, Normal};
use crate::event::Event;
use crate::range::Problem;
use crate::sample::Sample;

/// Limit of exchanges per guess; number of exchanges that change all wrong modes at once.
const ROUNDS: usize = 24;
const TOGETHER: usize = 8;

/// Number of guesses; number of sweeps before each guess but the first.
const GUESSES: usize = 5;
const SWEEPS: usize = 24;

/// Limit of Newton steps for the directions of friction; turn at which they end.
const AIMS: usize = 6;
const AIMED: f64 = 1e-3;

/// Smallest weight of a redundant force, and largest change of a force when contacts are tied, each
/// relative to the largest force.
const LIGHT: f64 = 1e-3;

/// When one contact stops, all contacts with slips below `HALT` times `snap` stop with it; when
/// one lands, all with normal velocities below `LAND` times `snap` land with it.
const HALT: f64 = 2.0;
const LAND: f64 = 0.03;

/// Limit of the velocity change by which a decision stops contacts, as a multiple of `snap`. The
/// limit doubles after every `RELEASES` decisions of a block that exceeded it.
const KICK: f64 = 4.0;
const RELEASES: u32 = 8;

impl<R: Real, const P: usize> Sample<R, P> {
    /// Finds the modes of all contacts, the forces (`first`) and the accelerations (`onset`); false
    /// where no consistent modes are found.
    pub fn decide(&mut self, problem: &Problem<'_, R, P>, event: Event) -> bool {
        self.guess(problem, event);
        if !self.search(problem) {
            return false;
        }
        let start = self.y;
        self.come_to_rest(problem);
        let doublings = (self.releases / RELEASES).min(30);
        let most = KICK * self.asked.snap * f64::from(1 << doublings);
        if self.kick_size(problem) <= R::from_f64(most) {
            return true;
        }
        // Friction cannot stop contacts of this speed at once.
        self.releases += 1;
        self.y = start;
        problem.velocities(&self.y, &mut self.u);
        self.kick.fill(R::ZERO);
        self.release(problem);
        let found = self.search(problem);
        if found {
            self.come_to_rest(problem);
        }
        found
    }

    /// The largest impulse of `kick` at a contact, times the inverse mass of the contact: a
    /// velocity.
    fn kick_size(&self, problem: &Problem<'_, R, P>) -> R {
        (0..problem.m).fold(R::ZERO, |most, i| {
            let row = &problem.rows[i];
            let slides = length(pair(&self.kick, problem.m + 2 * i)) * problem.tops[i];
            Real::max(most, Real::max(slides, self.kick[i].abs() * dot(row, row)))
        })
    }

    /// Releases contacts whose velocities are not within the rest tolerances.
    fn release(&mut self, problem: &Problem<'_, R, P>) {
        let [land, halt] = [self.set.land, self.set.halt].map(R::from_f64);
        for i in 0..problem.m {
            if self.of.caps[i] <= R::ZERO {
                continue;
            }
            self.rests[i] &= self.u[i].abs() <= land;
            self.still[i] &= length(pair(&self.u, problem.m + 2 * i)) <= halt;
            self.follow_motion(problem, i);
        }
    }

    /// Searches for consistent modes, starting from the present ones.
    fn search(&mut self, problem: &Problem<'_, R, P>) -> bool {
        for guess in 0..GUESSES {
            if guess > 0 {
                self.sweep(problem, SWEEPS << (2 * guess - 2));
            }
            let mut seen = [0; ROUNDS];
            self.pressed.fill(false);
            for round in 0..ROUNDS {
                seen[round] = self.modes();
                if seen[..round].iter().filter(|x| **x == seen[round]).count() > 1 {
                    break;
                }
                if !self.settle_modes(problem) {
                    break;
                }
                if !self.exchange(problem, round < TOGETHER >> guess) {
                    return self.tie(problem);
                }
            }
        }
        self.sweep(problem, SWEEPS);
        self.first.copy_from_slice(&self.of.l);
        false
    }

    /// Guesses modes from the previous modes and the event.
    fn guess(&mut self, problem: &Problem<'_, R, P>, event: Event) {
        let m = problem.m;
        // Contacts near a stop or a landing take part in the event of this kind.
        let land = match event {
            Event::Lands(_) => self.set.snap * LAND,
            _ => self.set.land,
        };
        let halt = match event {
            Event::Stops(_) => self.set.snap * HALT,
            _ => self.set.halt,
        };
        let (land, halt) = (R::from_f64(land), R::from_f64(halt));
        match event {
            Event::Lands(i) if self.stored[i] <= R::ZERO => {
                if self.of.normal[i] == Normal::Full {
                    self.of.normal[i] = Normal::Held;
                    self.of.l[i] = self.drawn[i];
                } else if self.rests[i] {
                    self.of.normal[i] = Normal::Held;
                    self.of.l[i] = R::ZERO;
                } else {
                    self.of.normal[i] = Normal::Full;
                }
            }
            Event::Leaves(i) => self.of.normal[i] = Normal::Off,
            Event::Fills(i) => self.of.normal[i] = Normal::Full,
            Event::Slips(i) => {
                let f = pair(&self.of.l, m + 2 * i);
                let size = length(f);
                if size > R::ZERO {
                    self.of.friction[i] = Friction::Bound;
                    self.of.way[i] = f.map(|x| x / size);
                }
            }
            _ => {}
        }
        for i in 0..m {
            if self.of.caps[i] <= R::ZERO {
                self.off(i, m);
                continue;
            }
            let t = m + 2 * i;
            if !self.rests[i] && self.stored[i] <= R::ZERO && self.u[i].abs() <= land {
                self.rests[i] = true;
                if self.of.normal[i] == Normal::Full {
                    self.of.normal[i] = Normal::Held;
                    self.of.l[i] = self.drawn[i];
                }
            }
            let slip = length(pair(&self.u, t));
            self.still[i] = slip <= halt || self.still[i] && self.of.friction[i] != Friction::None;
            self.follow_motion(problem, i);
        }
    }

    /// Sets the modes of contact `i` that follow from `rests` and `still`.
    fn follow_motion(&mut self, problem: &Problem<'_, R, P>, i: usize) {
        if !self.rests[i] {
            self.of.normal[i] = if self.is_pushed(i) { Normal::Full } else { Normal::Off };
        }
        if self.of.normal[i] == Normal::Off {
            self.off(i, problem.m);
        } else {
            self.of.friction[i] = self.friction(problem, i);
        }
    }

    /// A hash of the modes.
    fn modes(&self) -> u64 {
        let mut number = 1u64;
        for (normal, friction) in self.of.normal.iter().zip(&self.of.friction) {
            let mode = 1 + *normal as u64 * 5 + *friction as u64;
            number = (number ^ mode).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
        }
        number
    }

    pub fn off(&mut self, i: usize, m: usize) {
        self.of.normal[i] = Normal::Off;
        self.of.friction[i] = Friction::None;
        self.of.l[i] = R::ZERO;
        (self.of.l[m + 2 * i], self.of.l[m + 2 * i + 1]) = (R::ZERO, R::ZERO);
    }

    /// The mode of friction at a contact with a normal force.
    pub fn friction(&self, problem: &Problem<'_, R, P>, i: usize) -> Friction {
        match self.of.friction[i] {
            _ if problem.mu[i] <= R::ZERO || problem.tops[i] <= R::ZERO => Friction::None,
            _ if !self.still[i] => Friction::Slide,
            Friction::Bound | Friction::Tied => Friction::Bound,
            _ => Friction::Stick,
        }
    }

    /// Computes forces and accelerations of the modes, with directions of friction by Newton's
    /// method.
    fn settle_modes(&mut self, problem: &Problem<'_, R, P>) -> bool {
        if !self.assemble_rest(problem) {
            return false;
        }
        let least = R::from_f64(1e-8) * self.most;
        let turns = self.slip.slide.sliding.iter().any(|i| self.of.friction[*i] == Friction::Bound);
        if !turns {
            return true;
        }
        for _ in 0..AIMS {
            let turn = self.slip.slide.aim(&mut self.of, least);
            if turn <= R::ZERO {
                return true;
            }
            if turn < R::from_f64(AIMED) {
                break;
            }
            if !self.slip.slide.pull_first() {
                return false;
            }
        }
        self.forces(problem)
    }

    /// Projects the rows at rest out, and assembles the equations of motion.
    fn assemble_rest(&mut self, problem: &Problem<'_, R, P>) -> bool {
        let (m, of, rows) = (problem.m, &self.of, &mut self.rest.rows);
        let [zero, one] = [R::ZERO, R::ONE];
        rows.clear();
        for i in (0..m).filter(|i| !of.is_off(*i)) {
            let (t, [c, s]) = (m + 2 * i, of.way[i]);
            let normal = if of.normal[i] == Normal::Held { of.l[i] } else { of.caps[i] };
            let weight = |force: R| Real::max(force / self.most, R::from_f64(LIGHT));
            if of.normal[i] == Normal::Held && !of.is_held_at_bound(i) {
                rows.push((i, [one, zero], weight(of.caps[i])));
            }
            let weight = weight(problem.mu[i] * normal);
            match of.friction[i] {
                Friction::Stick => {
                    rows.extend([(t, [one, zero], weight), (t + 1, [one, zero], weight)]);
                }
                Friction::Tied => rows.push((t, [zero - s, c], weight)),
                _ => {}
            }
        }
        self.rest.project(problem);
        let (rows, moving) = (self.rest.rows.len(), self.slip.slide.sliding.len());
        self.spent += (P * (3 * P * rows + 2 * moving * moving + 4 * problem.k)) as u64;
        self.assemble(problem)
    }

    /// Ties contacts with friction at its bound that others keep at rest.
    fn tie(&mut self, problem: &Problem<'_, R, P>) -> bool {
        let m = problem.m;
        let least = R::from_f64(1e-7) * self.most;
        let mut any = false;
        for i in 0..m {
            let accelerates = length(pair(&self.onset, m + 2 * i)) > least;
            if self.of.friction[i] == Friction::Bound && !accelerates {
                self.of.friction[i] = Friction::Tied;
                any = true;
            }
        }
        if !any {
            return true;
        }
        // Forces go on from the present ones.
        let Sample { of, first, .. } = self;
        for i in 0..m {
            if !of.is_off(i) {
                for j in [i, m + 2 * i, m + 2 * i + 1] {
                    of.l[j] = first[j];
                }
            }
        }
        let fine = self.assemble_rest(problem);
        let Sample { of, first, .. } = self;
        let apart = |j: usize| (first[j] - of.l[j]).abs() > R::from_f64(LIGHT) * self.most;
        let leaps =
            (0..m).any(|i| !of.is_off(i) && [i, m + 2 * i, m + 2 * i + 1].into_iter().any(apart));
        if fine && !leaps {
            return true;
        }
        // Nearly dependent rows would change the forces.
        for friction in &mut self.of.friction {
            if *friction == Friction::Tied {
                *friction = Friction::Bound;
            }
        }
        self.assemble_rest(problem)
    }

    /// Removes the remaining velocity of rows at rest and of held normals, by impulses in `kick`.
    fn come_to_rest(&mut self, problem: &Problem<'_, R, P>) {
        let mut along = [R::ZERO; P];
        if !self.slip.slide.held.is_empty() {
            let most = R::from_f64(30.0 * self.set.snap);
            let stopped = self.slip.stop(&self.of, &self.y, most, &mut self.kick);
            if let Some((push, pushed)) = stopped {
                add(&mut self.y, R::ONE, &push);
                along = pushed;
            }
        }
        if !self.rest.rows.is_empty() || !self.slip.slide.held.is_empty() {
            let moves = self.rest.along(&self.y);
            self.y = self.rest.without(self.y, &moves);
            add(&mut along, R::ONE, &moves);
            self.rest.react(&along, &mut self.kick);
            problem.velocities(&self.y, &mut self.u);
        }
    }
}
