//! Whether an impact obeys the law with circular cones, judged from its impulses alone.

use crate::lcp::StepProblem;
use crate::real::Real;

/// A judge of impacts that are given substep by substep: the impulse of a substep, and the most normal impulse that the
/// rates allow over it.
///
/// It keeps a velocity of its own, `u <- u + W L`, and takes velocities to be linear over a substep. At both ends it measures by
/// how much
///
/// ```text
/// 0 <= Ln <= C,  |Lt| <= mu Ln,  Ln = 0 where u_n > 0,  Ln = C where u_n < 0
/// ```
///
/// are violated. Friction is compared with the mean of the law's over the substep, `|Lt + mu Ln <u_t / |u_t|>|`, by
/// Simpson's rule. Where a contact stops, or sliding turns faster than the substep is long, it is compared with the law at the
/// end of the substep instead, and what sliding has turned by counts as far as it could have moved the contact,
/// `min |u_t| |turn| / 2`. A contact that sticks has a projection for a law: any `|Lt| <= mu Ln` where `u_t = 0`.
///
/// Each contact has an account of work: it grows by `e^2` times the work of compression (Poisson: `e` times the impulse), shrinks by
/// the work of restitution, is never below 0 and ends at 0; while it is above 0, `Ln = C` may be where `u_n > 0`.
///
/// Each violation is the smaller one of a velocity over `max|u-|` and of an impulse times `max W_ii / max|u-|`. Those of friction
/// and of accounts add up over the substeps, for errors of the integration do; sliding never amplifies them. The residual is the
/// largest of these sums, of the other violations, and of the distance between the judge's velocity at the end and the integrator's.
#[derive(Clone, Debug)]
pub struct Judge<R> {
    /// Contact velocity (K), and that after the substep.
    u: Vec<R>,
    next: Vec<R>,
    middle: Vec<R>,
    mu: Vec<R>,
    /// Coefficients of restitution (m), and the accounts (m).
    e: Vec<R>,
    account: Vec<R>,
    poisson: bool,
    /// Sums of the violations of friction (m).
    friction: Vec<R>,
    /// The largest of the other violations so far.
    worst: R,
}

/// The length of a vector in the tangent plane.
fn length<R: Real>([x, y]: [R; 2]) -> R {
    (x * x + y * y).sqrt()
}

impl<R: Real> Judge<R> {
    /// A judge of impacts at `m` contacts with K = `width` rows; with `poisson`, accounts hold impulse.
    pub fn new(m: usize, width: usize, poisson: bool) -> Self {
        let zeros = |k: usize| vec![R::ZERO; k];
        let [u, next, middle] = std::array::from_fn(|_| zeros(width));
        let [mu, e, account, friction] = std::array::from_fn(|_| zeros(m));
        Judge { u, next, middle, mu, e, account, poisson, friction, worst: R::ZERO }
    }

    /// Begins an impact at contact velocity `u` (K) with friction `mu` and restitution `e` (m).
    pub fn begin(&mut self, u: &[R], mu: &[R], e: &[R]) {
        self.u.copy_from_slice(u);
        self.mu.copy_from_slice(mu);
        self.e.copy_from_slice(e);
        self.account.fill(R::ZERO);
        self.friction.fill(R::ZERO);
        self.worst = R::ZERO;
    }

    /// Takes the impulse `h l` (K) of the next substep, over which contact `i` may accrue at most `h c[i]` (m).
    pub fn substep(&mut self, step: &StepProblem<R>, h: R, c: &[R], l: &[R]) {
        let k = step.width();
        for (j, row) in step.w.chunks_exact(k).enumerate() {
            let mut sum = R::ZERO;
            for (w, l) in row.iter().zip(l) {
                sum += *w * *l;
            }
            self.next[j] = self.u[j] + h * sum;
        }
        self.bend(step, h, l);
        for i in 0..step.contacts {
            let (ln, cap) = (h * l[i], h * c[i]);
            let [from, to] = [self.u[i], self.next[i]];
            self.normal(i, ln, cap, from);
            self.book(i, ln, cap, [from, to]);
            self.normal(i, ln, cap, to);
            let t = step.contacts + step.axes * i;
            let side = |x: &[R]| [x[t], if step.axes == 2 { x[t + 1] } else { R::ZERO }];
            let (gap, adds_up) = self.slip(
                self.mu[i] * ln,
                side(l).map(|f| h * f),
                [side(&self.u), side(&self.middle), side(&self.next)],
            );
            if adds_up {
                self.friction[i] += gap;
            } else {
                self.violate(gap);
            }
        }
        std::mem::swap(&mut self.u, &mut self.next);
    }

    /// Computes the velocity in the middle of a substep with forces `l`: that of the cubic polynomial whose derivatives at both
    /// ends are those of the law.
    fn bend(&mut self, step: &StepProblem<R>, h: R, l: &[R]) {
        let (m, k, axes) = (step.contacts, step.width(), step.axes);
        let half = R::from_f64(0.5);
        for j in 0..k {
            self.middle[j] = half * (self.u[j] + self.next[j]);
        }
        if axes == 1 {
            return;
        }
        for i in 0..m {
            let t = m + axes * i;
            let way = |u: &[R]| {
                let u = [u[t], u[t + 1]];
                let speed = length(u);
                if speed > R::ZERO { u.map(|u| u / speed) } else { [R::ZERO; 2] }
            };
            let ([a, b], [x, y]) = (way(&self.u), way(&self.next));
            let most = R::from_f64(0.125) * h * self.mu[i] * l[i];
            let bent = [most * (x - a), most * (y - b)];
            if length(bent) <= R::ZERO {
                continue;
            }
            for j in 0..k {
                self.middle[j] += step.w[j * k + t] * bent[0] + step.w[j * k + t + 1] * bent[1];
            }
        }
    }

    /// Compares the normal impulse of contact `i` with its velocity at one end.
    fn normal(&mut self, i: usize, ln: R, cap: R, u: R) {
        let part = |x: R| Real::max(x, R::ZERO);
        let apart = if self.e[i] > R::ZERO {
            // The cap while there is work to give back, which the account watches, nothing afterwards.
            Real::min(part(u), Real::min(cap - ln, ln))
        } else {
            Real::min(part(u), ln)
        };
        self.violate(apart);
        self.violate(Real::min(part(R::ZERO - u), cap - ln));
        self.violate(R::ZERO - ln);
        self.violate(ln - cap);
    }

    /// Books the work of impulse `l` at contact `i`, whose normal velocity changes linearly from `from` to `to`. With Poisson's
    /// hypothesis a contact that rests gives back where it has its full `cap`, else it is held.
    fn book(&mut self, i: usize, l: R, cap: R, [from, to]: [R; 2]) {
        if self.e[i] <= R::ZERO {
            return;
        }
        let part = |x: R| Real::max(x, R::ZERO);
        // The means of the positive and of the negative part of a linear function.
        let half = R::from_f64(0.5);
        let opposite = from > R::ZERO && to < R::ZERO || from < R::ZERO && to > R::ZERO;
        let mean = |a: R, b: R| match part(a) + part(b) {
            sum if opposite => half * sum * (sum / (a - b).abs()),
            sum => half * sum,
        };
        let (down, up) = (mean(R::ZERO - from, R::ZERO - to), mean(from, to));
        let e = self.e[i];
        let account = if self.poisson {
            let all = down + up;
            let rests = all <= R::from_f64(R::TERMINATION);
            match rests {
                true if l < cap - R::CONDITION * cap => self.account[i],
                true => self.account[i] - Real::min(l, self.account[i]),
                false => self.account[i] + l * (e * down - up) / all,
            }
        } else {
            self.account[i] + e * e * l * down - l * up
        };
        self.violate(R::ZERO - account);
        self.account[i] = Real::max(account, R::ZERO);
    }

    /// How far friction `f` of at most `most` is from the law's over a substep in which sliding changes linearly.
    fn slip(&self, most: R, f: [R; 2], [from, middle, to]: [[R; 2]; 3]) -> (R, bool) {
        let half = R::from_f64(0.5);
        let beyond = Real::max(length(f) - most, R::ZERO);
        let speeds = [from, to].map(length);
        let unit = |u: [R; 2]| {
            let speed = length(u);
            if speed > R::ZERO { u.map(|x| x / speed) } else { [R::ZERO; 2] }
        };
        let off = |way: [R; 2]| length([f[0] + most * way[0], f[1] + most * way[1]]);
        let straight = [half * (from[0] + to[0]), half * (from[1] + to[1])];
        let [c, straight, bent] = [to, straight, middle].map(unit);
        let a = if speeds[0] > R::ZERO { unit(from) } else { straight };
        let last = if speeds[1] > R::ZERO { c } else { straight };
        let along = |b: [R; 2]| {
            let mean = |axis: usize| (a[axis] + R::from_f64(4.0) * b[axis] + last[axis]) / R::from_f64(6.0);
            off([mean(0), mean(1)])
        };
        let along = Real::min(along(straight), along(bent));
        // A contact that does not slide at the end has any friction in its disc.
        let ended = Real::min(off(c), speeds[1]);
        let turn = length([last[0] - a[0], last[1] - a[1]]);
        let slowest = Real::min(speeds[0], speeds[1]);
        let turned = half * slowest * turn;
        (Real::max(beyond, Real::min(along, Real::max(ended, turned))), most < slowest)
    }

    /// Ends the account of a contact that cannot move, so that nothing is given back.
    pub fn forfeit(&mut self, i: usize) {
        self.violate(Real::min(self.account[i], self.u[i].abs()));
        self.account[i] = R::ZERO;
    }

    /// The residual of an impact that the integrator has ended at velocity `u` (K), or stopped.
    pub fn end(&mut self, u: &[R], over: bool) -> R {
        for i in 0..self.account.len() {
            if over {
                self.violate(self.account[i]);
            }
            self.violate(self.friction[i]);
        }
        for j in 0..u.len() {
            self.violate((self.u[j] - u[j]).abs());
        }
        self.worst
    }

    fn violate(&mut self, gap: R) {
        self.worst = if gap.is_finite() { Real::max(self.worst, gap) } else { R::HUGE };
    }
}
