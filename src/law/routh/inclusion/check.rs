//! Whether an impact obeys the law with circular cones, judged from its impulses alone.

use crate::lcp::StepProblem;
use crate::real::Real;

/// A judge of impacts that are given substep by substep: the impulse of a substep, and the most
/// normal impulse that the rates allow over it.
///
/// The judge keeps a velocity of its own, `u <- u + W L`. At both ends of a substep it measures by
/// how much the conditions
///
/// ```text
/// 0 <= Ln <= C,  |Lt| <= mu Ln,  Ln = 0 where u_n > 0,  Ln = C where u_n < 0
/// ```
///
/// are violated. Friction is compared with the mean of the law's over the substep,
/// `|Lt + mu Ln <u_t / |u_t|>|`, by Simpson's rule; the velocity in the middle is that of the cubic
/// whose slopes at both ends have the law's friction. Where a contact stops, or
/// sliding turns faster than the substep is long, it is compared with the law at the end of the
/// substep instead, and what sliding has turned by counts as far as it could have moved the
/// contact, `min |u_t| |turn| / 2`. A contact that sticks has a projection for a law: any
/// `|Lt| <= mu Ln` where `u_t = 0`.
///
/// Each contact has an account of work: it grows by `e^2` times the work of compression (Poisson:
/// `e` times the impulse), shrinks by the work of restitution, is never below 0 and ends at 0;
/// while it is above 0, `Ln = C` is allowed where `u_n > 0`.
///
/// Each violation is the smaller one of a velocity over `max|u-|` and of an impulse times
/// `max W_ii / max|u-|`. Those of friction and of accounts add up over the substeps, for errors of
/// the integration do; sliding never amplifies them. The residual is the largest of these sums, of
/// the other violations, and of the distance between the judge's velocity at the end and the
/// integrator's.
#[derive(Clone, Debug)]
pub struct InclusionJudge<R> {
    /// Contact velocity before and after the substep (K each).
    u: Vec<R>,
    next: Vec<R>,
    /// Contact velocity in the middle (K).
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

/// The weights of Simpson's rule at the beginning, in the middle and at the end.
pub const WEIGHTS: [f64; 3] = [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0];

/// The weight of the end times `2 x - 1`, for a force that grows over the substep; that of the
/// beginning is its negative, and that of the middle 0.
pub const MOMENT: f64 = 1.0 / 6.0;

/// The unit vector along `u`, or 0.
fn unit<R: Real>(u: [R; 2]) -> [R; 2] {
    let speed = length(u);
    if speed > R::ZERO { u.map(|x| x / speed) } else { [R::ZERO; 2] }
}

/// The length of a vector in the tangent plane.
fn length<R: Real>([x, y]: [R; 2]) -> R {
    (x * x + y * y).sqrt()
}

impl<R: Real> InclusionJudge<R> {
    /// A judge of impacts at `m` contacts with K = `width` rows; with `poisson`, accounts hold
    /// impulse.
    pub fn new(m: usize, width: usize, poisson: bool) -> Self {
        let zeros = |k: usize| vec![R::ZERO; k];
        let [u, next, middle] = std::array::from_fn(|_| zeros(width));
        let [mu, e, account, friction] = std::array::from_fn(|_| zeros(m));
        InclusionJudge { u, next, middle, mu, e, account, poisson, friction, worst: R::ZERO }
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

    /// Takes the impulse `h l` (K) of the next substep, over which contact `i` may accrue at most
    /// `h c[i]` (m). There are `M` contacts in space, or any contacts where `M` is 0.
    pub fn substep<const M: usize>(&mut self, step: &StepProblem<R>, h: R, c: &[R], l: &[R]) {
        let [m, axes] = if M > 0 { [M, 2] } else { [step.contacts, step.axes] };
        let k = m + m * axes;
        let (next, l) = (&mut self.next[..k], &l[..k]);
        next.copy_from_slice(&self.u[..k]);
        for (l, column) in l.iter().zip(step.w[..k * k].chunks_exact(k)) {
            for j in 0..k {
                next[j] += h * *l * column[j];
            }
        }
        self.bend(step, [m, axes, k], h, l);
        for i in 0..m {
            let (ln, cap) = (h * l[i], h * c[i]);
            let [from, to] = [self.u[i], self.next[i]];
            self.normal(i, ln, cap, from);
            self.book(i, ln, cap, [from, self.middle[i], to]);
            self.normal(i, ln, cap, to);
            let t = m + axes * i;
            let side = |x: &[R]| [x[t], if axes == 2 { x[t + 1] } else { R::ZERO }];
            let (gap, adds_up) = self.slip(
                (self.mu[i] * ln, ln < cap - R::CONDITION * cap),
                side(l).map(|f| h * f),
                [&self.u, &self.middle, &self.next].map(|u| side(u)),
            );
            if adds_up {
                self.friction[i] += gap;
            } else {
                self.violate(gap);
            }
        }
        std::mem::swap(&mut self.u, &mut self.next);
    }

    /// Computes the velocity in the middle of a substep with forces `l`. Contacts that keep
    /// sliding, and do not turn too far, have the law's friction at its ends; all others have `l`.
    #[inline(always)]
    fn bend(&mut self, step: &StepProblem<R>, [m, axes, k]: [usize; 3], h: R, l: &[R]) {
        let InclusionJudge { u, next, middle, mu, .. } = self;
        let (u, next, middle, w) = (&u[..k], &next[..k], &mut middle[..k], &step.w[..k * k]);
        let [half, eighth] = [0.5, 0.125].map(R::from_f64);
        for j in 0..k {
            middle[j] = half * (u[j] + next[j]);
        }
        if axes == 1 {
            return;
        }
        for i in 0..m {
            let t = m + 2 * i;
            let [from, to] = [u, next].map(|u| [u[t], u[t + 1]]);
            let most = h * mu[i] * l[i];
            let slowest = Real::min(length(from), length(to));
            if most <= R::ZERO || most * w[t * k + t] > slowest + slowest {
                continue;
            }
            let [a, b] = [from, to].map(unit);
            for axis in 0..2 {
                let bent = eighth * most * (b[axis] - a[axis]);
                let column = &w[(t + axis) * k..(t + axis + 1) * k];
                for j in 0..k {
                    middle[j] += bent * column[j];
                }
            }
        }
    }

    /// Compares the normal impulse of contact `i` with its velocity at one end.
    fn normal(&mut self, i: usize, ln: R, cap: R, u: R) {
        let part = |x: R| Real::max(x, R::ZERO);
        let apart = if self.e[i] > R::ZERO {
            // The force is the cap while there is stored work to return, which the account watches,
            // and 0 afterwards.
            Real::min(part(u), Real::min(cap - ln, ln))
        } else {
            Real::min(part(u), ln)
        };
        self.violate(apart);
        self.violate(Real::min(part(R::ZERO - u), cap - ln));
        self.violate(R::ZERO - ln);
        self.violate(ln - cap);
    }

    /// Books the work of impulse `l` at contact `i`, with its normal velocity at the points of a
    /// substep. With Poisson's hypothesis a contact that rests is restituting where it has its full
    /// `cap`, else it is held.
    fn book(&mut self, i: usize, l: R, cap: R, points: [R; 3]) {
        if self.e[i] <= R::ZERO {
            return;
        }
        // The means of the velocity, and of its negative and positive parts; where the velocity
        // changes its sign, the smaller part is that of a linear function.
        let [from, .., to] = points;
        let mean =
            points.iter().zip(WEIGHTS).fold(R::ZERO, |sum, (u, b)| sum + R::from_f64(b) * *u);
        let part = |x: R| Real::max(x, R::ZERO);
        let least = Real::min(from.abs(), to.abs());
        let small = if from < R::ZERO && to > R::ZERO || from > R::ZERO && to < R::ZERO {
            R::from_f64(0.5) * least * (least / (from - to).abs())
        } else {
            R::ZERO
        };
        let (down, up) = (part(R::ZERO - mean) + small, part(mean) + small);
        let e = self.e[i];
        let account = if self.poisson {
            let all = down + up;
            // A contact that rests at both ends may move between them by the error of the
            // integration; that is no compression.
            let at_rest = |u: R| u.abs() <= R::from_f64(R::TERMINATION);
            let rests = at_rest(all) || at_rest(from) && at_rest(to);
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

    /// Distance of friction `f`, at most `most`, from the law's friction, with the sliding
    /// velocities at the points of a substep. The normal force of a contact that is `held` may grow
    /// or fall over the substep, at most from 0 or to 0.
    fn slip(&self, (most, held): (R, bool), f: [R; 2], points: [[R; 2]; 3]) -> (R, bool) {
        let half = R::from_f64(0.5);
        let beyond = Real::max(length(f) - most, R::ZERO);
        let [from, .., to] = points;
        let speeds = [from, to].map(length);
        let off = |way: [R; 2]| length([f[0] + most * way[0], f[1] + most * way[1]]);
        let straight = unit([half * (from[0] + to[0]), half * (from[1] + to[1])]);
        let [mut first, middle, mut last] = points.map(unit);
        let ending = last;
        // A contact at rest up to rounding has no direction.
        let rests = |speed: R| speed <= R::from_f64(R::TERMINATION);
        if rests(speeds[0]) {
            first = straight;
        }
        if rests(speeds[1]) {
            last = straight;
        }
        let along = |ways: [[R; 2]; 3]| {
            let mean = |axis: usize| {
                ways.iter()
                    .zip(WEIGHTS)
                    .fold(R::ZERO, |sum, (way, b)| sum + R::from_f64(b) * way[axis])
            };
            let grown = |axis: usize| R::from_f64(MOMENT) * (ways[2][axis] - ways[0][axis]);
            let (way, moment) = ([mean(0), mean(1)], [grown(0), grown(1)]);
            let size = most * (moment[0] * moment[0] + moment[1] * moment[1]);
            if !held || size <= R::ZERO {
                return off(way);
            }
            let away = moment[0] * (f[0] + most * way[0]) + moment[1] * (f[1] + most * way[1]);
            let share = Real::clamp(R::ZERO - away / size, R::ZERO - R::ONE, R::ONE);
            off([way[0] + share * moment[0], way[1] + share * moment[1]])
        };
        let along = Real::min(along([first, middle, last]), along([first, straight, last]));
        // A contact that does not slide at the end has any friction in its disc.
        let ended = Real::min(off(ending), speeds[1]);
        let turn = length([last[0] - first[0], last[1] - first[1]]);
        let slowest = Real::min(speeds[0], speeds[1]);
        let turned = half * slowest * turn;
        (Real::max(beyond, Real::min(along, Real::max(ended, turned))), most < slowest)
    }

    /// Ends the account of a contact that cannot move, so that the contact returns nothing.
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
