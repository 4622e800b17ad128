//! One spatial contact during an impact: its sliding velocity, from one closed form or power series to the next.
//!
//! With normal impulse `I` as time, `g` the sliding velocity, `p` the tangential impulse:
//!
//! ```text
//! g' = B p' + d,   v' = W_nn + d.p',   p' = -mu g/|g| while slipping, -B^-1 d while sticking
//! E' = -v  (compression work),   F' = g.p'  (work of friction)
//! ```
//!
//! Source: \[JW16\] (11), (20), (28)-(31), (34). Deviations: slip runs over `tau` with `dI = |g| dtau`, which turns (31)
//! into `g_tau = -mu B g + |g| d`, regular down to `|g| = 0`, with Taylor coefficients by recurrence; invariant
//! directions need no tolerance on angles, because on the way to a stable one everything is a power series in the angle.
//!
//! Everything here is dimensionless, in the principal frame of `B`: with `s = sqrt(max eig B / W_nn)` and a velocity
//! `U`, velocities are `v/U`, `g/(U s)`, impulses `I W_nn/U`, `p W_nn s/U`, and `mu^ = mu s`. Then `W_nn = 1`, the
//! entries of `B` lie in [0, 1], those of `d` in [-1, 1].

use super::arc::place::{E, F, G, I, P, V};
use super::arc::{Arc, End, Leave, Motion, Stage, State};
use super::restitution::Hypothesis;
use super::slip::Straight;
use crate::real::Real;

/// A contact, dimensionless in the principal frame of `B`, prepared for many impacts.
#[derive(Clone, Debug)]
pub struct Contact<R> {
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
    /// `B^-1 d`: the friction that sticking needs, against the normal impulse.
    pub hold: [R; 2],
    /// One over a bound on the rates of slip.
    pub(super) rate: R,
}

/// What an impact leaves, in SI units and the caller's frame.
#[derive(Clone, Copy, Debug)]
pub struct Impact<R> {
    /// Contact velocity after the impact `(n, t1, t2)`.
    pub velocity: [R; 3],
    /// Impulse `(n, t1, t2)`.
    pub impulse: [R; 3],
    /// Work of compression, work returned by restitution, work of friction (negative) in J.
    pub work: [R; 3],
    /// Arcs taken.
    pub arcs: u32,
    /// [`End::Over`], or [`End::Never`] with the last state known; [`End::Length`] if it took too many arcs.
    pub end: End,
    /// The largest error of the arcs against the differential equation, of the law of restitution and of the friction
    /// cone, dimensionless. The work of compression is found by the energy balance.
    pub residual: R,
}

/// Most arcs of one impact.
pub const MAX_ARCS: u32 = 1000;

pub(super) fn dot<R: Real>(a: [R; 2], b: [R; 2]) -> R {
    a[0] * b[0] + a[1] * b[1]
}

/// Turns `x` by the angle whose cosine and sine are `axis`.
fn turn<R: Real>(axis: [R; 2], x: [R; 2]) -> [R; 2] {
    [axis[0] * x[0] - axis[1] * x[1], axis[1] * x[0] + axis[0] * x[1]]
}

impl<R: Real> Contact<R> {
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
        Contact { mu, b, d, axis, sigma, inverse_mass: normal, hold, rate }
    }

    /// The margin of condition (18), `1 - mu |d|`: where it is positive the normal velocity rises all the time.
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

    /// `-mu B s + d`, the derivative of the sliding velocity in the direction `s`.
    pub fn derivative(&self, s: [R; 2]) -> [R; 2] {
        [self.d[0] - self.mu * self.b[0] * s[0], self.d[1] - self.mu * self.b[1] * s[1]]
    }

    /// The centrifugal invariant direction and its rate: the unit `s` and `lambda > 0` with
    /// `(lambda + mu B) s = d`. Exists, and is unique, where the contact cannot stick.
    ///
    /// `|(lambda + mu B)^-1 d|` falls from `|B^-1 d|/mu > 1` to 0; Newton's method for one over it, from the left, is
    /// monotone. Source: \[JW16\] Corollary 6. Deviation: no quartic.
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

    /// What follows when the sliding velocity is zero: \[JW16\] (34) and Corollary 6.
    fn rest(&self) -> Straight<R> {
        if self.sticks() {
            let push = self.hold.map(|x| -x);
            return Straight { push, drift: [R::ZERO; 2], closing: R::ZERO, motion: Motion::Stick };
        }
        let (s, lambda) = self.centrifugal();
        let (push, drift) = (s.map(|s| -self.mu * s), s.map(|s| lambda * s));
        Straight { push, drift, closing: R::ZERO, motion: Motion::Resumed }
    }

    /// A state after `[I, p (2), F]` more: the velocities follow from the impulses, the work of compression from the
    /// energy balance.
    pub(super) fn after(&self, s: &State<R>, [i, p, q, f]: [R; 4]) -> State<R> {
        let (b, d) = (self.b, self.d);
        let v = s[V] + (i + d[0] * p + d[1] * q);
        let x = s[G] + (b[0] * p + d[0] * i);
        let y = s[G + 1] + (b[1] * q + d[1] * i);
        let twice = (s[V] + v) * i + (s[G] + x) * p + (s[G + 1] + y) * q;
        let e = f - R::from_f64(0.5) * twice;
        [v, x, y, s[I] + i, s[P] + p, s[P + 1] + q, s[E] + e, s[F] + f]
    }

    /// The whole impact at contact velocity `u` (n, t1, t2; m/s) with coefficient of restitution `e`.
    ///
    /// `watch` sees every arc, with the place where it was left and why; see [`Contact::si`].
    /// Guarantee: ends for every positive definite `w`. The direction of slip obeys an autonomous equation on the
    /// circle and tends to a zero of it; such a direction with `lambda < 0` leads to `g = 0` in finite `I`, one with
    /// `lambda >= 0` has `v' = W_nn - mu d.(lambda + mu B)^-1 d >= W_nn - d.B^-1 d > 0`, as has sticking. So `v` rises
    /// in the end, whether \[JW16\] (18) holds or not. Where it falls below zero during restitution, which (18)
    /// excludes, compression begins again and owes its own share. A singular `w` may be [`End::Never`].
    /// Does not allocate.
    pub fn impact(
        &self,
        u: [R; 3],
        hypothesis: Hypothesis,
        e: R,
        mut watch: impl FnMut(&Arc<R>, R, End),
    ) -> Impact<R> {
        let unit = self.unit(u);
        let mut state = [R::ZERO; 8];
        let slip = turn([self.axis[0], -self.axis[1]], [u[1] / unit / self.sigma, u[2] / unit / self.sigma]);
        [state[V], state[G], state[G + 1]] = [u[0] / unit, slip[0], slip[1]];
        let start = state;
        let mut stage = Stage { hypothesis, compressing: true, owed: R::ZERO, from: R::ZERO };
        let (mut work, mut arcs, mut residual) = ([R::ZERO; 2], 0, R::ZERO);
        let mut end = if state[V] < R::ZERO { End::Length } else { End::Over };
        let rises = self.margin() > R::ZERO;
        let mut along = if self.mu > R::ZERO { None } else { Some(Straight::free(self.d)) };
        let (mut owed, mut pushed) = (R::ZERO, R::ZERO);
        let mut arc = Arc::still(self, state);
        let (mut midst, mut aim) = (false, None);
        while !matches!(end, End::Over | End::Never) && arcs < MAX_ARCS {
            let g = [state[G], state[G + 1]];
            let size = dot(g, g).sqrt();
            if along.is_none() && size <= R::from_f64(R::EPSILON) {
                [state[G], state[G + 1]] = [R::ZERO; 2];
                if size > R::ZERO {
                    // Too slow to tell from a halt.
                    watch(&Arc::still(self, state), R::ZERO, End::Halt);
                }
                along = Some(self.rest());
            }
            let mut left = if midst { arc.leave(&state, &stage, rises) } else { None };
            if left.is_none() {
                if along.is_none() {
                    along = self.constant(g.map(|g| g / size));
                }
                if let Some(along) = &along {
                    self.straight(&mut arc, &state, along);
                } else if self.settle(&mut arc, &state, size, &mut aim) {
                    left = arc.leave(&state, &stage, rises);
                }
                if left.is_none() && along.is_none() {
                    self.curve(&mut arc, &state, size);
                }
                left = left.or_else(|| arc.leave(&state, &stage, rises));
            }
            let Some(Leave { at, why, state: there, defect }) = left else { break };
            watch(&arc, at, why);
            (arcs, end) = (arcs + 1, why);
            if why == End::Never {
                break;
            }
            (state, residual) = (there, residual.max(defect));
            // The same arc goes on in another phase of the impact.
            midst = along.is_none() && matches!(why, End::Compressed | End::Recompressed);
            arc.begin = at;
            match why {
                End::Halt => {
                    [state[G], state[G + 1]] = [R::ZERO; 2];
                    along = None;
                }
                End::Compressed => {
                    state[V] = R::ZERO;
                    work[0] += state[E];
                    pushed += state[I] - stage.from;
                    owed = match hypothesis {
                        Hypothesis::Stronge => owed + e * e * state[E],
                        Hypothesis::Poisson => owed + e * (state[I] - stage.from),
                        Hypothesis::Newton => -e * start[V],
                    };
                    stage = Stage { hypothesis, compressing: false, owed, from: state[I] };
                    arc.start[E] += -state[E];
                    state[E] = R::ZERO;
                    if owed <= R::ZERO {
                        end = End::Over;
                    }
                }
                End::Recompressed => {
                    state[V] = R::ZERO;
                    work[1] += -state[E];
                    owed = match hypothesis {
                        Hypothesis::Stronge => (owed + state[E]).max(R::ZERO),
                        Hypothesis::Poisson => (owed - (state[I] - stage.from)).max(R::ZERO),
                        Hypothesis::Newton => owed,
                    };
                    stage = Stage { hypothesis, compressing: true, owed, from: state[I] };
                    arc.start[E] += -state[E];
                    state[E] = R::ZERO;
                }
                End::Over => work[1] += -state[E],
                End::Length | End::Never => {}
            }
        }
        if end == End::Over {
            residual = residual.max(self.excess(&state));
            let broken = match hypothesis {
                Hypothesis::Stronge => work[1] - e * e * work[0],
                Hypothesis::Poisson => state[I] - (R::ONE + e) * pushed,
                Hypothesis::Newton => state[V] + e * start[V],
            };
            residual = residual.max(broken.abs());
        }
        let si = self.si(&state, unit);
        let joule = unit * unit / self.inverse_mass;
        Impact {
            velocity: [si[0], si[1], si[2]],
            impulse: [si[3], si[4], si[5]],
            work: [work[0] * joule, work[1] * joule, state[F] * joule],
            arcs,
            end,
            residual,
        }
    }

    /// How far an impact is outside the cone, and still approaching.
    fn excess(&self, state: &State<R>) -> R {
        let cone = dot([state[P], state[P + 1]], [state[P], state[P + 1]]).sqrt() - self.mu * state[I];
        cone.max(-state[V])
    }

    /// The unit of velocity `U` for a contact velocity.
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

    /// A state in SI units and the caller's frame: contact velocity and impulse, `n, t1, t2` each.
    pub fn si(&self, state: &State<R>, unit: R) -> [R; 6] {
        let g = turn(self.axis, [state[G], state[G + 1]]).map(|g| g * self.sigma * unit);
        let impulse = unit / self.inverse_mass;
        let p = turn(self.axis, [state[P], state[P + 1]]).map(|p| p / self.sigma * impulse);
        [state[V] * unit, g[0], g[1], state[I] * impulse, p[0], p[1]]
    }
}
