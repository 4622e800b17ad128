//! The motion of compliant contacts over the impact.

use nalgebra::{DMatrix, DVector};

use super::force::Force;
use super::friction::Stribeck;
use carom_core::equations::rosenbrock::step;
use carom_core::{ContactProblem, Limits};

/// Approach below this fraction of `max|u-|` counts as rest.
const AT_REST: f64 = 1e-9;
/// Sliding velocity over `max|u-|` below which friction is reduced.
const CREEP: f64 = 1e-7;

/// The equations `phi' = u_n`, `L' = l(phi, u)`, `u = u- + W L` for the state `y = [phi; L]`.
pub struct CompliantMotion<'a> {
    problem: &'a ContactProblem,
    forces: &'a [Force],
    stribeck: Option<Stribeck>,
    m: usize,
    d: usize,
    /// `max|u-|`, the unit of velocity.
    speed: f64,
    /// Whether the impact is inelastic: it ends as soon as no contact approaches.
    pub inelastic: bool,
}

/// The course of an integrated motion.
#[derive(Clone)]
pub struct Track {
    /// The time of each state in s, and the states.
    pub times: Vec<f64>,
    pub states: Vec<DVector<f64>>,
    /// Whether the impact ended.
    pub ended: bool,
    contacts: usize,
}

impl Track {
    /// The impulse at the end.
    pub fn impulse(&self) -> &[f64] {
        &self.states[self.states.len() - 1].as_slice()[self.contacts..]
    }
}

impl<'a> CompliantMotion<'a> {
    pub fn new(
        problem: &'a ContactProblem,
        forces: &'a [Force],
        stribeck: Option<Stribeck>,
    ) -> Self {
        CompliantMotion {
            problem,
            forces,
            stribeck,
            m: problem.contact_count(),
            d: problem.tangents_per_contact(),
            speed: problem.contact_velocity().amax(),
            inelastic: problem.restitution().is_none_or(|e| e.iter().all(|e| *e == 0.0)),
        }
    }

    /// The contact velocity in a state.
    pub fn velocity(&self, y: &DVector<f64>) -> DVector<f64> {
        self.problem.contact_velocity() + self.problem.delassus() * y.rows(self.m, y.len() - self.m)
    }

    /// The energy of all springs in a state, in J.
    pub fn spring_energy(&self, y: &DVector<f64>) -> f64 {
        self.forces.iter().zip(y.iter()).map(|(force, gap)| force.energy(*gap)).sum()
    }

    /// The sliding velocity `t` of a contact; `g(|t|)`, so that friction is `-mu g t` times the
    /// load; and `g'(|t|)/|t|`.
    fn sliding<'b>(&self, u: &'b DVector<f64>, i: usize) -> (&'b [f64], [f64; 2]) {
        let t = &u.as_slice()[self.m + self.d * i..self.m + self.d * (i + 1)];
        let (square, eps) = (t.iter().map(|x| x * x).sum::<f64>(), CREEP * self.speed);
        let plain = || {
            let s = (square + eps * eps).sqrt();
            [1.0 / s, -1.0 / (s * s * s)]
        };
        (t, self.stribeck.map_or_else(plain, |law| law.grip(square.sqrt())))
    }

    fn slope(&self, y: &DVector<f64>) -> DVector<f64> {
        let (m, d, u) = (self.m, self.d, self.velocity(y));
        let mut slope = DVector::zeros(y.len());
        for i in 0..m {
            slope[i] = u[i];
            let [force, ..] = self.forces[i].at(y[i], u[i]);
            slope[m + i] = force;
            let (t, [grip, _]) = self.sliding(&u, i);
            for (k, x) in t.iter().enumerate() {
                slope[2 * m + d * i + k] = -self.problem.friction()[i] * force * grip * x;
            }
        }
        slope
    }

    fn jacobian(&self, y: &DVector<f64>) -> DMatrix<f64> {
        let (m, d, u) = (self.m, self.d, self.velocity(y));
        let rows = y.len() - m;
        // Derivatives of the forces by gaps and by velocities; velocities change by W dL.
        let (mut by_gap, mut by_velocity) = (DMatrix::zeros(rows, m), DMatrix::zeros(rows, rows));
        for i in 0..m {
            let [force, gap, rate] = self.forces[i].at(y[i], u[i]);
            (by_gap[(i, i)], by_velocity[(i, i)]) = (gap, rate);
            let (t, [grip, change]) = self.sliding(&u, i);
            let mu = self.problem.friction()[i];
            for k in 0..d {
                let row = m + d * i + k;
                by_gap[(row, i)] = -mu * gap * grip * t[k];
                by_velocity[(row, i)] = -mu * rate * grip * t[k];
                for l in 0..d {
                    let same = if k == l { grip } else { 0.0 };
                    by_velocity[(row, m + d * i + l)] = -mu * force * (same + change * t[k] * t[l]);
                }
            }
        }
        let w = self.problem.delassus();
        let mut jacobian = DMatrix::zeros(y.len(), y.len());
        jacobian.view_mut((0, m), (m, rows)).copy_from(&w.rows(0, m));
        jacobian.view_mut((m, 0), (rows, m)).copy_from(&by_gap);
        jacobian.view_mut((m, m), (rows, rows)).copy_from(&(by_velocity * w));
        jacobian
    }

    /// Whether the impact has ended.
    fn ended(&self, y: &DVector<f64>) -> bool {
        let u = self.velocity(y);
        let rest = -AT_REST * self.speed;
        (0..self.m)
            .all(|i| u[i] >= rest && (self.inelastic || self.forces[i].at(y[i], u[i])[0] == 0.0))
    }

    /// The largest step in which no open or barely touching contact becomes much deeper.
    fn longest(&self, y: &DVector<f64>) -> f64 {
        let u = self.velocity(y);
        let reach = |i: usize| {
            let depth = self.speed / self.forces[i].rate;
            match u[i] < 0.0 && y[i] > -0.02 * depth {
                true => (y[i].max(0.0) + 0.05 * depth) / -u[i],
                false => f64::INFINITY,
            }
        };
        (0..self.m).map(reach).fold(f64::INFINITY, f64::min)
    }

    /// Integrates from gaps (m) to the end of the impact, with at most `most` steps.
    pub fn track(&self, gaps: &[f64], tolerance: f64, most: usize, limits: &Limits) -> Track {
        let mut y = DVector::zeros(gaps.len() + self.problem.jacobian().nrows());
        y.rows_mut(0, self.m).copy_from_slice(gaps);
        let mut track = Track {
            times: vec![0.0],
            states: vec![y.clone()],
            ended: self.ended(&y),
            contacts: self.m,
        };
        let fastest = self.forces.iter().map(|force| force.rate).fold(0.0, f64::max);
        let largest = (0..self.m).map(|i| self.problem.delassus()[(i, i)]).fold(0.0, f64::max);
        // The scales of errors are the largest depth of a contact and the impulse that stops it.
        // Errors of friction stay below the velocity at which friction reverses, otherwise it would
        // chatter.
        let allowed = |i: usize| match i {
            i if i < self.m => tolerance * self.speed / self.forces[i].rate,
            i if i < 2 * self.m => tolerance * self.speed / largest,
            _ => tolerance.min(0.2 * CREEP) * self.speed / largest,
        };
        let (mut h, mut time) = (1e-3 / fastest, 0.0);
        let mut steps = 0;
        while !track.ended && steps < most {
            let (slope, jacobian) = (self.slope(&y), self.jacobian(&y));
            h = h.min(self.longest(&y));
            loop {
                steps += 1;
                if !limits.spend(self.work()) {
                    return track;
                }
                let Some((next, error)) = step(|y| self.slope(y), &y, &slope, &jacobian, h) else {
                    return track;
                };
                let parts = error.iter().enumerate().map(|(i, e)| (e / allowed(i)).abs());
                let size = parts.fold(0.0, f64::max);
                if !size.is_finite() || size > 1.0 {
                    h *= if size.is_finite() { (0.8 / size.cbrt()).max(0.1) } else { 0.1 };
                    if steps >= most || time + h == time && time > 0.0 {
                        return track;
                    }
                    continue;
                }
                let next = if self.ended(&next) {
                    track.ended = true;
                    let (end, length) = self.end(&y, &slope, &jacobian, h, next);
                    h = length;
                    end
                } else {
                    next
                };
                time += h;
                y = next;
                track.times.push(time);
                track.states.push(y.clone());
                h *= (0.8 / size.max(1e-6).cbrt()).clamp(0.2, 5.0);
                break;
            }
        }
        track
    }

    /// Multiplications of a step: its Jacobian and an LU factorisation.
    fn work(&self) -> f64 {
        let (rows, all) = (self.m * (1 + self.d), self.m * (2 + self.d));
        (rows.pow(3) + all.pow(3) / 3 + 8 * all.pow(2)) as f64
    }

    /// The first state of a step of length `h` to `next` at which the impact has ended, and the
    /// time until this state.
    fn end(
        &self,
        y: &DVector<f64>,
        slope: &DVector<f64>,
        jacobian: &DMatrix<f64>,
        h: f64,
        next: DVector<f64>,
    ) -> (DVector<f64>, f64) {
        let (mut low, mut high, mut end) = (0.0, h, next);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            match step(|y| self.slope(y), y, slope, jacobian, middle) {
                Some((state, _)) if self.ended(&state) => (high, end) = (middle, state),
                Some(_) => low = middle,
                None => break,
            }
        }
        (end, high)
    }
}
