//! One spatial contact, in a frame that diagonalises its equations.

use super::state::place::{E, F, G, I, P, V};
use super::{ImpactState, dot, turn};
use carom_core::Real;

/// A contact, dimensionless in the principal frame of `B`, prepared for many impacts.
///
/// `W_nn`, `d` and `B` are the parts of the Delassus matrix: normal, coupling, tangential. With
/// `s = sqrt(max eig B / W_nn)` and a unit of velocity `U`, normal velocities are `v/U`, sliding
/// velocities `g/(U s)`, impulses `I W_nn/U` and `p W_nn s/U`, and the friction is `mu^ = mu s`.
/// Then `W_nn = 1`, the entries of `B` lie in [0, 1], the entries of `d` in [-1, 1].
#[derive(Clone, Debug)]
pub struct StruckContact<R> {
    /// Friction `mu^`.
    pub mu: R,
    /// Diagonal of `B`, the larger one first.
    pub b: [R; 2],
    /// Coupling `d` of normal impulse and sliding velocity.
    pub d: [R; 2],
    /// First axis of the principal frame in the frame of the tangent rows.
    pub axis: [R; 2],
    /// Scale `s` of tangential velocities.
    pub sigma: R,
    /// `W_nn` in 1/kg.
    pub inverse_mass: R,
    /// `B^-1 d`: minus the tangential impulse per normal impulse for sticking.
    pub hold: [R; 2],
    /// Inverse of a bound on the relative rate at which the sliding velocity changes.
    pub(super) rate: R,
}

impl<R: Real> StruckContact<R> {
    /// The contact with Delassus matrix `w` (rows and columns `n, t1, t2`; 1/kg) and friction `mu`.
    ///
    /// Needs `w` positive semidefinite with `W_nn > 0`.
    pub fn new(w: [[R; 3]; 3], mu: R) -> Self {
        let normal = w[0][0];
        let half = R::from_f64(0.5);
        let size = w[1][1].max(w[2][2]);
        let (mut axis, mut b, mut largest) = ([R::ONE, R::ZERO], [R::ZERO; 2], R::ZERO);
        if size > R::ZERO {
            let [p, q, r] = [w[1][1] / size, w[1][2] / size, w[2][2] / size];
            let (difference, twice) = (p - r, q + q);
            let apart = (difference * difference + twice * twice).sqrt();
            if apart > R::ZERO {
                let cosine = ((apart + difference.abs()) / (apart + apart)).sqrt();
                let sine = half * (twice / apart) / cosine;
                axis = if difference >= R::ZERO { [cosine, sine] } else { [sine.abs(), cosine] };
                if difference < R::ZERO && sine < R::ZERO {
                    axis[1] = -axis[1];
                }
            }
            let top = (p + r + apart) * half;
            b = [R::ONE, ((p * r - q * q) / (top * top)).clamp(R::ZERO, R::ONE)];
            largest = size * top;
        }
        let sigma = if largest > R::ZERO { (largest / normal).sqrt() } else { R::ONE };
        let mu = mu * sigma;
        let d = turn([axis[0], -axis[1]], [w[0][1] / normal / sigma, w[0][2] / normal / sigma]);
        let fastest = mu * b[0] + dot(d, d).sqrt();
        let tiny = R::from_f64(16.0 * R::EPSILON);
        let needs = |d: R, b: R| if d.abs() <= tiny && b <= tiny { R::ZERO } else { d / b };
        let hold = [needs(d[0], b[0]), needs(d[1], b[1])];
        let rate = if fastest > R::ZERO { R::ONE / fastest } else { R::ONE };
        StruckContact { mu, b, d, axis, sigma, inverse_mass: normal, hold, rate }
    }

    /// The contact in another precision.
    pub(crate) fn cast<S: Real>(&self) -> StruckContact<S> {
        let one = |x: R| S::from_f64(x.to_f64());
        StruckContact {
            mu: one(self.mu),
            b: self.b.map(one),
            d: self.d.map(one),
            axis: self.axis.map(one),
            sigma: one(self.sigma),
            inverse_mass: one(self.inverse_mass),
            hold: self.hold.map(one),
            rate: one(self.rate),
        }
    }

    /// The margin of \[JW16\] (18), `1 - mu |d|`: if it is positive, the normal velocity rises
    /// throughout the impact.
    pub fn margin(&self) -> R {
        R::ONE - self.mu * dot(self.d, self.d).sqrt()
    }

    /// Whether friction can hold a contact that does not slide: `|B^-1 d| <= mu`.
    pub fn sticks(&self) -> bool {
        let size = self.hold[0].abs().max(self.hold[1].abs());
        if size <= R::ZERO {
            return true;
        }
        let [x, y] = self.hold.map(|x| x / size);
        size * (x * x + y * y).sqrt() <= self.mu
    }

    /// The derivative of the sliding velocity by the normal impulse while the contact slips in the
    /// direction `s`: `-mu B s + d`.
    pub fn derivative(&self, s: [R; 2]) -> [R; 2] {
        [self.d[0] - self.mu * self.b[0] * s[0], self.d[1] - self.mu * self.b[1] * s[1]]
    }

    /// The rates of change of slip in the direction `s`: the growth rate `H` of `|g|`, the turning
    /// rate `G` of the direction (times `|g|`), and the derivative `G'` of `G` by the angle.
    pub fn rates(&self, s: [R; 2]) -> [R; 3] {
        let (n, derivative) = ([-s[1], s[0]], self.derivative(s));
        let growth = dot(s, derivative);
        let slope = -growth - self.mu * (self.b[0] * n[0] * n[0] + self.b[1] * n[1] * n[1]);
        [growth, dot(n, derivative), slope]
    }

    /// The derivative of the normal velocity under tangential impulses `push` per normal impulse.
    pub(super) fn rise(&self, push: [R; 2]) -> R {
        R::ONE + dot(self.d, push)
    }

    /// The centrifugal invariant direction and its rate: the unit `s` and `lambda > 0` with
    /// `(lambda + mu B) s = d`. The direction exists and is unique if the contact cannot stick.
    ///
    /// `|(lambda + mu B)^-1 d|` falls from `|B^-1 d|/mu > 1` to 0 as `lambda` grows; Newton's
    /// method for its reciprocal, from the left, is monotone. Source: \[JW16\] Corollary 6.
    /// Deviation: no quartic.
    pub fn centrifugal(&self) -> ([R; 2], R) {
        let resistance = self.b.map(|b| self.mu * b);
        let at = |lambda: R, i: usize| match self.d[i] == R::ZERO {
            true => [R::ZERO; 2],
            false => [self.d[i] / (lambda + resistance[i]), R::ONE / (lambda + resistance[i])],
        };
        let least = |i: usize| self.d[i].abs() - resistance[i];
        let mut lambda = least(0).max(least(1)).max(R::ZERO);
        let mut s = [R::ONE, R::ZERO];
        for _ in 0..64 {
            let parts = [at(lambda, 0), at(lambda, 1)];
            let square = parts[0][0] * parts[0][0] + parts[1][0] * parts[1][0];
            let size = square.sqrt();
            s = [parts[0][0] / size, parts[1][0] / size];
            let slope = s[0] * s[0] * parts[0][1] + s[1] * s[1] * parts[1][1];
            let step = (size - R::ONE) / slope;
            lambda += step;
            if step.abs() <= R::from_f64(R::EPSILON) * lambda || !step.is_finite() {
                break;
            }
        }
        (s, lambda)
    }

    /// The state after the gains of `[I, p (2), F]`: velocities from the impulses, work of
    /// compression from the energy balance.
    pub(super) fn after(&self, s: &ImpactState<R>, [i, p, q, f]: [R; 4]) -> ImpactState<R> {
        let (b, d) = (self.b, self.d);
        let v = s[V] + (i + d[0] * p + d[1] * q);
        let x = s[G] + (b[0] * p + d[0] * i);
        let y = s[G + 1] + (b[1] * q + d[1] * i);
        let twice = (s[V] + v) * i + (s[G] + x) * p + (s[G + 1] + y) * q;
        let e = f - R::from_f64(0.5) * twice;
        [v, x, y, s[I] + i, s[P] + p, s[P + 1] + q, s[E] + e, s[F] + f]
    }

    /// The violation of the friction cone by a state, or its approach.
    pub(super) fn excess(&self, state: &ImpactState<R>) -> R {
        let cone =
            dot([state[P], state[P + 1]], [state[P], state[P + 1]]).sqrt() - self.mu * state[I];
        cone.max(-state[V])
    }

    /// The unit of velocity `U` for a contact velocity `u` (n, t1, t2) in m/s.
    pub fn unit(&self, u: [R; 3]) -> R {
        let slip = u[1].abs().max(u[2].abs());
        let size = if slip > R::ZERO {
            let [x, y] = [u[1] / slip, u[2] / slip];
            slip / self.sigma * (x * x + y * y).sqrt()
        } else {
            R::ZERO
        };
        let unit = u[0].abs().max(size);
        if unit > R::ZERO { unit } else { R::ONE }
    }

    /// The state before an impact at contact velocity `u` (n, t1, t2) in m/s.
    pub(super) fn start(&self, u: [R; 3], unit: R) -> ImpactState<R> {
        let mut state = [R::ZERO; 8];
        let slip = [u[1], u[2]].map(|u| u / unit / self.sigma);
        let slip = turn([self.axis[0], -self.axis[1]], slip);
        [state[V], state[G], state[G + 1]] = [u[0] / unit, slip[0], slip[1]];
        state
    }

    /// A state in SI units and the caller's frame: contact velocity and impulse, `n, t1, t2` each.
    pub fn si(&self, state: &ImpactState<R>, unit: R) -> [R; 6] {
        let g = turn(self.axis, [state[G], state[G + 1]]).map(|g| g * self.sigma * unit);
        let impulse = unit / self.inverse_mass;
        let p = turn(self.axis, [state[P], state[P + 1]]).map(|p| p / self.sigma * impulse);
        [state[V] * unit, g[0], g[1], state[I] * impulse, p[0], p[1]]
    }
}
