//! One spatial contact during an impact: its sliding velocity, from one closed form or Taylor arc to the next.
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
//! directions need no tolerance on angles, because a direction that is nearly constant has a closed form to second
//! order in what it lacks.
//!
//! Everything here is dimensionless, in the principal frame of `B`: with `s = sqrt(max eig B / W_nn)` and a velocity
//! `U`, velocities are `v/U`, `g/(U s)`, impulses `I W_nn/U`, `p W_nn s/U`, and `mu^ = mu s`. Then `W_nn = 1`, the
//! entries of `B` lie in [0, 1], those of `d` in [-1, 1].

use crate::real::Real;

/// Order of the Taylor arcs.
const ORDER: usize = 20;
/// Terms of a Taylor arc.
const TERMS: usize = ORDER + 1;
/// Terms of the series to a halt.
const JUMP: usize = 12;
/// Largest tangent of the angle to a stable direction from which that series is tried.
const NEAR: f64 = 0.3;
/// Times the rounding: a direction that turns no faster is constant.
const CONSTANT: f64 = 8.0;
/// Longest Taylor arc, in units of the fastest rate.
const LONGEST: f64 = 6.0;
/// Parts of an arc in which events are looked for where the normal velocity may fall.
const PARTS: usize = 8;

/// The contact while it is struck: `[v, g (2), I, p (2), E, F]`.
pub type State<R> = [R; 8];

/// Places in a [`State`]: normal velocity, sliding velocity, normal and tangential impulse, compression work since the
/// phase began, work of friction.
pub mod place {
    /// Normal velocity.
    pub const V: usize = 0;
    /// Sliding velocity, two.
    pub const G: usize = 1;
    /// Normal impulse.
    pub const I: usize = 3;
    /// Tangential impulse, two.
    pub const P: usize = 4;
    /// Compression work since the phase began.
    pub const E: usize = 6;
    /// Work of friction.
    pub const F: usize = 7;
}
use place::{E, F, G, I, P, V};

/// What the contact does along an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// It slips.
    Slip,
    /// It sticks.
    Stick,
    /// It slips again, in the centrifugal direction.
    Resumed,
}

/// A piece of an impact: polynomials in `t` from 0 to `length`.
#[derive(Clone, Debug)]
pub struct Arc<R> {
    /// Coefficients of each entry of the state, those of `t^k` in column `k`.
    pub terms: [[R; TERMS]; 8],
    /// Highest power.
    pub order: usize,
    /// Where it ends; [`Real::HUGE`]: never.
    pub length: R,
    /// What the contact does.
    pub motion: Motion,
    /// Whether the sliding velocity is zero at its end.
    pub halts: bool,
}

impl<R: Real> Arc<R> {
    /// The state at `t`.
    pub fn at(&self, t: R) -> State<R> {
        let mut state = [R::ZERO; 8];
        for k in (0..=self.order).rev() {
            for i in 0..8 {
                state[i] = state[i] * t + self.terms[i][k];
            }
        }
        state
    }

    /// The derivative of one entry of the state at `t`.
    fn slope(&self, place: usize, t: R) -> R {
        let row = |k: usize| R::from_f64(k as f64) * self.terms[place][k];
        (1..=self.order).rev().fold(R::ZERO, |sum, k| sum * t + row(k))
    }
}

impl<R: Real> Arc<R> {
    /// Makes this the way from one state to a halt, over the normal impulse, as far as a picture of it needs: the chord,
    /// and for the sliding velocity the cubic with derivatives `first` and `last`.
    fn sketch(&mut self, from: &State<R>, to: &State<R>, first: [R; 2], last: [R; 2]) {
        let length = to[I] - from[I];
        for i in 0..8 {
            let slope = (to[i] - from[i]) / length;
            [self.terms[i][0], self.terms[i][1], self.terms[i][2], self.terms[i][3]] =
                [from[i], slope, R::ZERO, R::ZERO];
        }
        for k in 0..2 {
            let chord = self.terms[G + k][1];
            self.terms[G + k][1] = first[k];
            self.terms[G + k][2] = (chord + chord + chord - first[k] - first[k] - last[k]) / length;
            self.terms[G + k][3] = (first[k] + last[k] - chord - chord) / length / length;
        }
        (self.order, self.length, self.motion, self.halts) = (3, length, Motion::Slip, true);
    }
}

/// A direction that stays: rates of the tangential impulse and of the sliding velocity per normal impulse.
#[derive(Clone, Copy, Debug)]
pub struct Straight<R> {
    push: [R; 2],
    drift: [R; 2],
    /// How fast `|g|` falls; 0 where it does not.
    closing: R,
    motion: Motion,
}

/// How the end of the impact is found from its phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hypothesis {
    /// Energies: restitution returns `e^2` of the work of compression.
    Stronge,
    /// Impulses: that of restitution is `e` times that of compression.
    Poisson,
    /// Velocities: the last is `-e` times the first.
    Newton,
}

impl Hypothesis {
    /// Every hypothesis.
    pub const ALL: [Hypothesis; 3] = [Hypothesis::Stronge, Hypothesis::Poisson, Hypothesis::Newton];

    /// The name that the command line and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            Hypothesis::Stronge => "stronge",
            Hypothesis::Poisson => "poisson",
            Hypothesis::Newton => "newton",
        }
    }
}

/// Why an arc was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It goes on in another arc.
    Length,
    /// The sliding velocity is zero.
    Halt,
    /// The normal velocity rose to zero.
    Compressed,
    /// The normal velocity fell below zero before restitution was over: compression begins again.
    Recompressed,
    /// Restitution is over, and so is the impact.
    Over,
    /// Nothing ever ends it.
    Never,
}

/// The phase of an impact.
#[derive(Clone, Copy, Debug)]
pub struct Stage<R> {
    hypothesis: Hypothesis,
    compressing: bool,
    /// What restitution still owes: work, impulse, or the velocity to reach.
    owed: R,
    /// Normal impulse at the beginning of the phase.
    from: R,
}

impl<R: Real> Arc<R> {
    /// Where this arc ends in a phase of the impact, and why. `rises`: the normal velocity surely does.
    pub fn until(&self, stage: &Stage<R>, rises: bool) -> (R, End) {
        if self.order <= 2 { self.until_straight(stage) } else { self.until_curved(stage, rises) }
    }

    /// Of an arc whose parameter is the normal impulse.
    fn until_straight(&self, stage: &Stage<R>) -> (R, End) {
        let (v, rise) = (self.terms[V][0], self.terms[V][1]);
        // The normal velocity is zero: coming from below, or from above.
        let crossing = if rise * v < R::ZERO { -v / rise } else { R::HUGE };
        let (t, end) = if stage.compressing {
            (crossing, End::Compressed)
        } else {
            let owed = stage.owed;
            let t = match stage.hypothesis {
                Hypothesis::Stronge => {
                    // owed + E - v t - rise t^2/2 = 0
                    let left = owed + self.terms[E][0];
                    let root = v * v + (left + left) * rise;
                    let below = v + root.max(R::ZERO).sqrt();
                    if root < R::ZERO || below <= R::ZERO { R::HUGE } else { (left + left) / below }
                }
                Hypothesis::Poisson => owed - (self.terms[I][0] - stage.from),
                Hypothesis::Newton if owed <= v => R::ZERO,
                Hypothesis::Newton if rise > R::ZERO => (owed - v) / rise,
                Hypothesis::Newton => R::HUGE,
            };
            let falls = rise < R::ZERO && crossing < t;
            if falls { (crossing, End::Recompressed) } else { (t.max(R::ZERO), End::Over) }
        };
        let never = t >= R::HUGE && self.length >= R::HUGE;
        match (never, t <= self.length) {
            (true, _) => (R::ZERO, End::Never),
            (_, true) => (t, end),
            _ => (self.length, if self.halts { End::Halt } else { End::Length }),
        }
    }

    fn until_curved(&self, stage: &Stage<R>, rises: bool) -> (R, End) {
        let velocity = &self.terms[V];
        let rest = match (stage.compressing, stage.hypothesis) {
            (true, _) => *velocity,
            (_, Hypothesis::Stronge) => {
                let mut c = self.terms[E];
                c[0] += stage.owed;
                c
            }
            (_, Hypothesis::Poisson) => {
                let mut c = self.terms[I].map(|c| -c);
                c[0] += stage.owed + stage.from;
                c
            }
            (_, Hypothesis::Newton) => {
                let mut c = velocity.map(|c| -c);
                c[0] += stage.owed;
                c
            }
        };
        let parts = if rises { 1 } else { PARTS };
        let mut low = R::ZERO;
        for part in 1..=parts {
            let high = self.length * R::from_f64(part as f64 / parts as f64);
            if stage.compressing {
                if value(velocity, high) >= R::ZERO {
                    return (root(velocity, low, high), End::Compressed);
                }
            } else {
                let over = value(&rest, high) <= R::ZERO;
                if !rises && value(velocity, high) < R::ZERO {
                    let t = root(velocity, low, high);
                    if !over || value(&rest, t) > R::ZERO {
                        return (t, End::Recompressed);
                    }
                }
                if over {
                    return (root(&rest, low, high), End::Over);
                }
            }
            low = high;
        }
        (self.length, End::Length)
    }
}

/// A polynomial at `t`.
fn value<R: Real>(c: &[R; TERMS], t: R) -> R {
    c.iter().rev().fold(R::ZERO, |sum, &c| sum * t + c)
}

/// The place in `[low, high]` where a polynomial that changes its sign there is zero: Newton's method in a bracket.
fn root<R: Real>(c: &[R; TERMS], mut low: R, mut high: R) -> R {
    let (first, last) = (value(c, low), value(c, high));
    if first == last {
        return high;
    }
    let half = R::from_f64(0.5);
    let close = R::from_f64(R::EPSILON).sqrt() * R::from_f64(0.1);
    let mut t = low + (high - low) * (first / (first - last));
    for _ in 0..64 {
        let (mut f, mut slope) = (R::ZERO, R::ZERO);
        for &c in c.iter().rev() {
            slope = slope * t + f;
            f = f * t + c;
        }
        if (f > R::ZERO) == (last > R::ZERO) {
            high = t
        } else {
            low = t
        }
        let newton = t - f / slope;
        let inside = newton >= low && newton <= high;
        let moved = (newton - t).abs();
        t = if inside { newton } else { (low + high) * half };
        // The next step would be the square of this one.
        if inside && moved <= close * t || high - low <= R::from_f64(R::EPSILON) * high {
            break;
        }
    }
    t
}

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
    rate: R,
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
    /// The largest error of the energy balance, of the law of restitution, of the friction cone and of the arcs,
    /// dimensionless.
    pub residual: R,
}

/// Most arcs of one impact.
pub const MAX_ARCS: u32 = 1000;

fn dot<R: Real>(a: [R; 2], b: [R; 2]) -> R {
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
            if !(step.abs() > R::from_f64(R::EPSILON) * lambda) {
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

    /// Makes `arc` that in a direction that stays: \[JW16\] (32), (35), and the parabolas of (11).
    fn straight(&self, arc: &mut Arc<R>, state: &State<R>, along: &Straight<R>) {
        let (push, drift) = (along.push, along.drift);
        let half = R::from_f64(0.5);
        let rise = R::ONE + dot(self.d, push);
        let g = [state[G], state[G + 1]];
        let first = [rise, drift[0], drift[1], R::ONE, push[0], push[1], -state[V], dot(g, push)];
        for i in 0..8 {
            [arc.terms[i][0], arc.terms[i][1], arc.terms[i][2]] = [state[i], first[i], R::ZERO];
        }
        arc.terms[E][2] = -half * rise;
        arc.terms[F][2] = half * dot(drift, push);
        (arc.order, arc.motion, arc.halts) = (2, along.motion, along.closing > R::ZERO);
        arc.length = if arc.halts { dot(g, g).sqrt() / along.closing } else { R::HUGE };
    }

    /// The direction of slip `s`, if it stays.
    fn constant(&self, s: [R; 2]) -> Option<Straight<R>> {
        let derivative = self.derivative(s);
        let (growth, turning) = (dot(s, derivative), dot([-s[1], s[0]], derivative));
        if turning.abs() * self.rate > R::from_f64(CONSTANT * R::EPSILON) {
            return None;
        }
        let (push, drift) = (s.map(|s| -self.mu * s), s.map(|s| growth * s));
        Some(Straight { push, drift, closing: (-growth).max(R::ZERO), motion: Motion::Slip })
    }

    /// Where slip nearly points along a stable direction `s` and halts before anything else happens: the state at the
    /// halt, and the derivative of the sliding velocity there.
    ///
    /// With `g = a (s + w t)`, `t` normal to `s` and `z = sqrt(1 + w^2)`: `a_tau = a H(w)`, `w_tau = G(w)`, `I_tau = a z`.
    /// What is left of `I` is `a J(w)` with `J' G + J H = -z`, a power series; likewise the integrals of `a`, `a w`
    /// and, with `2 H`, `a^2 z^2`. The work of compression follows from the energy balance.
    fn jump(&self, state: &State<R>, size: R, stage: &Stage<R>) -> Option<(State<R>, [R; 2])> {
        let g = [state[G], state[G + 1]];
        let mut s = g.map(|g| g / size);
        let along = |s: [R; 2]| {
            let (t, derivative) = ([-s[1], s[0]], self.derivative(s));
            let growth = dot(s, derivative);
            let slope = -growth - self.mu * (self.b[0] * t[0] * t[0] + self.b[1] * t[1] * t[1]);
            (t, [growth, slope], dot(t, derivative))
        };
        for round in 0..6 {
            let (t, rates, turning) = along(s);
            if !(rates[0] < R::ZERO && rates[1] < R::ZERO) {
                return None;
            }
            let angle = turning / rates[1];
            if angle.abs() > R::from_f64(NEAR) {
                return None;
            }
            if round == 0 && stage.compressing {
                // What the normal velocity would about be.
                let rise = R::ONE - self.mu * dot(self.d, s);
                if state[V] * rates[0] < rise * size {
                    return None;
                }
            }
            let turned = [s[0] - t[0] * angle, s[1] - t[1] * angle];
            let length = dot(turned, turned).sqrt();
            s = turned.map(|x| x / length);
            // Newton's method: the next step would be the square of this one.
            if angle.abs() <= R::from_f64(R::EPSILON).sqrt() {
                break;
            }
        }
        let (t, rates, _) = along(s);
        if !(rates[0] < R::ZERO && rates[1] < R::ZERO) {
            return None;
        }
        let (a, w) = (dot(s, g), dot(t, g) / dot(s, g));
        if !(a > R::ZERO && w.abs() <= R::from_f64(NEAR)) {
            return None;
        }
        let rise = R::ONE - self.mu * dot(self.d, s);
        if rise.abs() <= self.mu * dot(self.d, self.d).sqrt() * w.abs() {
            // The normal velocity may turn on the way.
            return None;
        }
        // mu B and d in the frame (s, t).
        let m = self.b.map(|b| self.mu * b);
        let st = m[0] * s[0] * t[0] + m[1] * s[1] * t[1];
        let ds = dot(self.d, s);
        let [mut turning, mut growth] = [[R::ZERO; JUMP + 1]; 2];
        for n in 0..=JUMP {
            let z = R::from_f64(ROOT[n]);
            growth[n] = ds * z;
            turning[n] = st * z;
            if n > 0 {
                turning[n] += -ds * R::from_f64(ROOT[n - 1]);
            }
        }
        turning[0] = R::ZERO;
        turning[1] = rates[1];
        turning[2] += st;
        growth[0] = rates[0];
        growth[1] += -st;
        let mut left = [[R::ZERO; 4]; JUMP];
        let (mut sum, mut power) = ([R::ZERO; 4], R::ONE);
        for n in 0..JUMP {
            let flag = |is: bool| if is { R::ONE } else { R::ZERO };
            let mut known = [R::from_f64(ROOT[n]), flag(n == 0), flag(n == 1), flag(n == 0 || n == 2)];
            for j in 0..n {
                let turn = R::from_f64(j as f64) * turning[n + 1 - j];
                let once = turn + growth[n - j];
                for (k, known) in known.iter_mut().enumerate() {
                    let by = if k == 3 { once + growth[n - j] } else { once };
                    *known += by * left[j][k];
                }
            }
            let own = R::from_f64(n as f64) * rates[1] + rates[0];
            for k in 0..4 {
                left[n][k] = -known[k] / if k == 3 { own + rates[0] } else { own };
                sum[k] += left[n][k] * power;
            }
            power = power * w;
        }
        let largest = |n: usize| left[n].iter().fold(R::ZERO, |largest, x| largest.max(x.abs()));
        // Two terms: one of them may be small by accident.
        let neglected = a * power.abs() * (largest(JUMP - 1) + largest(JUMP - 2) * w.abs());
        if !(neglected <= R::CONDITION * R::from_f64(1.0 / 64.0)) {
            return None;
        }
        let pushed = [a * sum[1], a * sum[2]];
        let p = [0, 1].map(|i| -self.mu * (s[i] * pushed[0] + t[i] * pushed[1]));
        let i = a * sum[0];
        let mut halt = *state;
        [halt[G], halt[G + 1]] = [R::ZERO; 2];
        halt[V] += i + dot(self.d, p);
        halt[I] += i;
        halt[P] += p[0];
        halt[P + 1] += p[1];
        let friction = -self.mu * (a * a * sum[3]);
        halt[F] += friction;
        halt[E] += friction - R::from_f64(0.5) * (dot(g, p) + (state[V] + halt[V]) * i);
        let undisturbed = match (stage.compressing, stage.hypothesis) {
            (true, _) => halt[V] < R::ZERO,
            (_, Hypothesis::Stronge) => stage.owed + halt[E] > R::ZERO,
            (_, Hypothesis::Poisson) => stage.owed > halt[I] - stage.from,
            (_, Hypothesis::Newton) => halt[V] < stage.owed,
        };
        let undisturbed = undisturbed && (stage.compressing || halt[V] >= R::ZERO);
        undisturbed.then_some((halt, s.map(|s| rates[0] * s)))
    }

    /// Makes `arc` one of slip by Taylor's series in `tau`: `g_tau = -mu B g + r d`, `r r = g.g`. Products of series
    /// are spread to the powers that they belong to as soon as their factors are known.
    fn curve(&self, arc: &mut Arc<R>, state: &State<R>, size: R) {
        let [v, x, y, i, p, q, e, f] = &mut arc.terms;
        for (c, &start) in [&mut *v, x, y, i, p, q, e, f].into_iter().zip(state) {
            c[0] = start;
        }
        let [mut r, mut squares, mut roots, mut work] = [[R::ZERO; TERMS]; 4];
        r[0] = size;
        squares[0] = size * size;
        work[0] = size * v[0];
        let inverse = R::from_f64(0.5) / size;
        let two = R::ONE + R::ONE;
        for n in 0..ORDER {
            let m = n + 1;
            let step = self.rate * R::from_f64(INVERSE[n]);
            p[m] = -self.mu * x[n] * step;
            q[m] = -self.mu * y[n] * step;
            i[m] = r[n] * step;
            x[m] = self.b[0] * p[m] + self.d[0] * i[m];
            y[m] = self.b[1] * q[m] + self.d[1] * i[m];
            v[m] = i[m] + self.d[0] * p[m] + self.d[1] * q[m];
            e[m] = -step * work[n];
            f[m] = -self.mu * step * squares[n];
            let count = m.min(TERMS - m);
            let (xm, ym, vm) = (x[m] * two, y[m] * two, v[m]);
            for (sum, (x, y)) in squares[m..m + count].iter_mut().zip(x.iter().zip(&*y)) {
                *sum += xm * *x + ym * *y;
            }
            r[m] = (squares[m] - roots[m]) * inverse;
            let rm = r[m];
            for (sum, r) in roots[m + 1..m + count].iter_mut().zip(&r[1..]) {
                *sum += (rm + rm) * *r;
            }
            for (sum, (r, v)) in work[m..m + count].iter_mut().zip(r.iter().zip(&*v)) {
                *sum += rm * *v + vm * *r;
            }
            if 2 * m <= ORDER {
                squares[2 * m] += x[m] * x[m] + y[m] * y[m];
                roots[2 * m] += rm * rm;
                work[2 * m] += rm * vm;
            }
        }
        let largest = |n: usize| x[n].abs().max(y[n].abs()).max(r[n].abs());
        let last = largest(ORDER).max(largest(ORDER - 1));
        // Products have longer series than their factors.
        let products = |n: usize| e[n].abs().max(f[n].abs());
        let product = products(ORDER).max(products(ORDER - 1));
        let share = (R::from_f64(1.0 / 64.0) * size / last).min(size * (size + v[0].abs()) / product);
        let share = (R::CONDITION * share).to_f64().powf(1.0 / ORDER as f64);
        arc.length = R::from_f64(share).min(R::from_f64(LONGEST));
        (arc.order, arc.motion, arc.halts) = (ORDER, Motion::Slip, false);
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
        let free = Straight { push: [R::ZERO; 2], drift: self.d, closing: R::ZERO, motion: Motion::Slip };
        let mut along = if self.mu > R::ZERO { None } else { Some(free) };
        let (mut owed, mut pushed) = (R::ZERO, R::ZERO);
        let mut arc = Arc {
            terms: [[R::ZERO; TERMS]; 8],
            order: 0,
            length: R::ZERO,
            motion: Motion::Slip,
            halts: false,
        };
        while !matches!(end, End::Over | End::Never) && arcs < MAX_ARCS {
            let g = [state[G], state[G + 1]];
            let size = dot(g, g).sqrt();
            if along.is_none() && size <= R::from_f64(R::EPSILON) {
                [state[G], state[G + 1]] = [R::ZERO; 2];
                if size > R::ZERO {
                    // Too slow to tell from a halt.
                    arc.order = 0;
                    for i in 0..8 {
                        arc.terms[i][0] = state[i];
                    }
                    watch(&arc, R::ZERO, End::Halt);
                }
                along = Some(self.rest());
            }
            if along.is_none() {
                along = self.constant(g.map(|g| g / size));
            }
            let jump = if along.is_none() { self.jump(&state, size, &stage) } else { None };
            if let Some((halt, last)) = jump {
                arc.sketch(&state, &halt, self.derivative(g.map(|g| g / size)), last);
                watch(&arc, arc.length, End::Halt);
                arcs += 1;
                state = halt;
                continue;
            }
            match &along {
                Some(along) => self.straight(&mut arc, &state, along),
                None => self.curve(&mut arc, &state, size),
            }
            let (t, why) = arc.until(&stage, rises);
            watch(&arc, t, why);
            (arcs, end) = (arcs + 1, why);
            if why == End::Never {
                break;
            }
            state = arc.at(t);
            if arc.order > 2 {
                // The series of |g|, against g.
                let g = [state[G], state[G + 1]];
                residual = residual.max((arc.slope(I, t) - self.rate * dot(g, g).sqrt()).abs());
            }
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
                    state[E] = R::ZERO;
                }
                End::Over => work[1] += -state[E],
                End::Length | End::Never => {}
            }
        }
        if end == End::Over {
            residual = residual.max(self.balance(&start, &state, work));
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

    /// How far an impact is from the energy balance `dT = work of friction - E`, `dT = (u- + u+).L/2`, from the cone,
    /// and from not approaching.
    fn balance(&self, start: &State<R>, state: &State<R>, work: [R; 2]) -> R {
        let half = R::from_f64(0.5);
        let sum = |i: usize| half * (start[i] + state[i]);
        let change = sum(V) * state[I] + sum(G) * state[P] + sum(G + 1) * state[P + 1];
        let energy = change - (state[F] + work[1] - work[0]);
        let cone = dot([state[P], state[P + 1]], [state[P], state[P + 1]]).sqrt() - self.mu * state[I];
        energy.abs().max(cone).max(-state[V])
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

/// `1/(n + 1)`.
const INVERSE: [f64; ORDER] = {
    let mut c = [1.0; ORDER];
    let mut n = 0;
    while n < ORDER {
        c[n] = 1.0 / (n + 1) as f64;
        n += 1;
    }
    c
};

/// The series of `sqrt(1 + w^2)`.
const ROOT: [f64; JUMP + 1] = {
    let mut c = [0.0; JUMP + 1];
    c[0] = 1.0;
    let mut k = 1;
    while 2 * k <= JUMP {
        c[2 * k] = c[2 * k - 2] * (1.5 - k as f64) / k as f64;
        k += 1;
    }
    c
};
