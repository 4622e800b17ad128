//! The residual of the law with circular cones for an impact, computed from its impulses alone.

use super::{length, sideways};
use carom_core::{Number, Real};

/// Computes the residual of an impact from the impulse and the normal impulse bounds of each
/// substep.
///
/// The velocity is integrated again, `u <- u + W L`. At both ends of a substep the violation of
/// these conditions is measured:
///
/// ```text
/// 0 <= Ln <= C,  |Lt| <= mu Ln,  Ln = 0 where u_n > 0,  Ln = C where u_n < 0
/// ```
///
/// Friction is compared with the law's mean friction over the substep,
/// `|Lt + mu Ln <u_t / |u_t|>|`, by Simpson's rule; the velocity in the middle is taken from the
/// cubic whose end slopes have the law's friction. If a contact stops, or sliding turns faster than
/// the substep is long, friction is compared with the law at the end of the substep instead; the
/// turn of sliding then counts by the possible displacement of the contact, `min |u_t| |turn| / 2`.
/// The law of a sticking contact is a projection: any `|Lt| <= mu Ln` where `u_t = 0`.
///
/// Each contact has an account of stored work: it grows by `e^2` times the work of compression
/// (Poisson: `e` times the impulse), shrinks by the work of restitution, is never negative and ends
/// at 0; while it is positive, `Ln = C` is allowed where `u_n > 0`.
///
/// Each violation is the minimum of a velocity over `max|u-|` and an impulse times
/// `max W_ii / max|u-|`. Violations of friction and of accounts add up over the substeps, as
/// integration errors do; sliding never amplifies them. The residual is the maximum of the sums,
/// the other violations, and the distance between this velocity at the end and the integrator's.
#[derive(Clone, Debug)]
pub struct InclusionJudge<X> {
    /// Contact velocity before and after the substep (K each).
    u: Vec<X>,
    next: Vec<X>,
    /// Contact velocity in the middle of the substep (K), and friction (m).
    middle: Vec<X>,
    mu: Vec<X>,
    /// Coefficients of restitution (m), and the accounts of stored work (m).
    e: Vec<X>,
    account: Vec<X>,
    poisson: bool,
    /// Sums of the violations of friction (m).
    friction: Vec<X>,
    /// The largest of the other violations.
    worst: X,
}

/// The impulses of a substep to be checked.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a, X> {
    /// `W` (K,K).
    pub w: &'a [X],
    /// The number of contacts, of tangent rows per contact, and of all rows.
    pub shape: [usize; 3],
    /// The length of the substep.
    pub h: X,
    /// The normal impulse bounds per length (m).
    pub caps: &'a [X],
    /// The impulse per length (K).
    pub l: &'a [X],
}

/// The weights of Simpson's rule at the beginning, in the middle and at the end.
pub const WEIGHTS: [f64; 3] = [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0];

/// The end weight times `2 x - 1`, for a force that grows over the substep; the weight of the
/// beginning is its negative, and the weight of the middle 0.
pub const MOMENT: f64 = 1.0 / 6.0;

/// The unit vector along `u`, or 0.
#[inline(always)]
fn unit<X: Number>(u: [X; 2]) -> [X; 2] {
    let (speed, zero) = (length(u), u[0].number(0.0));
    let moves = zero.below(speed);
    [X::pick(moves, u[0] / speed, zero), X::pick(moves, u[1] / speed, zero)]
}

/// The mean of three values by Simpson's rule.
#[inline(always)]
fn simpson<X: Number>([a, b, c]: [X; 3]) -> X {
    let [x, y, z] = a.numbers(WEIGHTS);
    x * a + y * b + z * c
}

/// Friction `f` of a contact in a substep, with the data of the law's friction.
#[derive(Clone, Copy)]
struct Slip<X: Number> {
    f: [X; 2],
    /// The friction bound.
    most: X,
    /// Whether the normal force is held and may change linearly over the substep, from 0 or to 0 at
    /// most.
    held: X::Mask,
}

impl<X: Number> Slip<X> {
    /// Distance from the law's friction against a sliding direction.
    #[inline(always)]
    fn off(&self, way: [X; 2]) -> X {
        let Slip { f, most, .. } = *self;
        length([f[0] + most * way[0], f[1] + most * way[1]])
    }

    /// Distance from the law's friction against the sliding directions at the nodes of a substep.
    #[inline(always)]
    fn along(&self, [a, b, c]: [[X; 2]; 3]) -> X {
        let Slip { f, most, held } = *self;
        let [zero, one, moment] = most.numbers([0.0, 1.0, MOMENT]);
        let way = [simpson([a[0], b[0], c[0]]), simpson([a[1], b[1], c[1]])];
        let grown = [moment * (c[0] - a[0]), moment * (c[1] - a[1])];
        let size = most * (grown[0] * grown[0] + grown[1] * grown[1]);
        let (gap, grows) = (self.off(way), held & zero.below(size));
        if !X::any(grows) {
            return gap;
        }
        let away = grown[0] * (f[0] + most * way[0]) + grown[1] * (f[1] + most * way[1]);
        let share = ((zero - away / size).larger(zero - one)).smaller(one);
        let way = [way[0] + share * grown[0], way[1] + share * grown[1]];
        X::pick(grows, self.off(way), gap)
    }

    /// Distance from the law's friction with the sliding velocities at the nodes of a substep, and
    /// whether the distance adds up over substeps.
    #[inline(always)]
    fn gap(&self, [from, middle, to]: [[X; 2]; 3]) -> (X, X::Mask) {
        let [zero, half, least] = self.most.numbers([0.0, 0.5, X::Scalar::TERMINATION]);
        let beyond = (length(self.f) - self.most).larger(zero);
        let (before, after) = (length(from), length(to));
        let straight = unit([half * (from[0] + to[0]), half * (from[1] + to[1])]);
        let (first, middle, ending) = (unit(from), unit(middle), unit(to));
        // A contact at rest up to rounding has no direction.
        let (starts, ends) = (before.up_to(least), after.up_to(least));
        let first =
            [X::pick(starts, straight[0], first[0]), X::pick(starts, straight[1], first[1])];
        let last = [X::pick(ends, straight[0], ending[0]), X::pick(ends, straight[1], ending[1])];
        let along = self.along([first, middle, last]).smaller(self.along([first, straight, last]));
        // A contact without slip at the end may have any friction in its disc.
        let ended = self.off(ending).smaller(after);
        let turn = length([last[0] - first[0], last[1] - first[1]]);
        let slowest = before.smaller(after);
        let turned = half * slowest * turn;
        (beyond.larger(along.smaller(ended.larger(turned))), self.most.below(slowest))
    }
}

impl<R: Real> InclusionJudge<R> {
    /// Begins an impact at contact velocity `u` (K) with friction `mu` and restitution `e` (m).
    pub fn begin(&mut self, u: &[R], mu: &[R], e: &[R]) {
        self.u.copy_from_slice(u);
        self.mu.copy_from_slice(mu);
        self.e.copy_from_slice(e);
        self.account.fill(R::ZERO);
        self.friction.fill(R::ZERO);
        self.worst = R::ZERO;
    }

    /// Clears the account of an immobile contact: the contact returns nothing.
    pub fn forfeit(&mut self, i: usize) {
        self.violate(Real::min(self.account[i], self.u[i].abs()));
        self.account[i] = R::ZERO;
    }

    /// The residual of an impact that the integrator has ended (`over`) or stopped at velocity `u`
    /// (K).
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
}

impl<R: Real> InclusionJudge<R> {
    /// Returns and resets the largest violation, except sums over substeps.
    pub(super) fn take_worst(&mut self) -> R {
        std::mem::replace(&mut self.worst, R::ZERO)
    }

    /// The violation since `take_worst`; `before` is a copy of this check at that time.
    pub(super) fn since(&self, before: &Self) -> R {
        let friction = self.friction.iter().zip(&before.friction);
        friction.fold(self.worst, |most, (now, before)| Real::max(most, *now - *before))
    }
}

impl<X: Number> InclusionJudge<X> {
    /// A residual check for impacts at `m` contacts with K = `width` rows; `zero` is 0 in all
    /// lanes; with `poisson`, contacts store impulse.
    pub fn new(zero: X, m: usize, width: usize, poisson: bool) -> Self {
        let zeros = |k: usize| vec![zero; k];
        let [u, next, middle] = std::array::from_fn(|_| zeros(width));
        let [mu, e, account, friction] = std::array::from_fn(|_| zeros(m));
        InclusionJudge { u, next, middle, mu, e, account, poisson, friction, worst: zero }
    }

    /// Copies the state of a lane to `one`.
    pub(super) fn give(&self, lane: usize, one: &mut InclusionJudge<X::Scalar>) {
        let rows = |from: &[X], to: &mut [X::Scalar]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from.lane(lane));
        };
        rows(&self.u, &mut one.u);
        rows(&self.account, &mut one.account);
        rows(&self.friction, &mut one.friction);
        one.worst = self.worst.lane(lane);
    }

    /// Copies the state of `one` to a lane.
    pub(super) fn take(&mut self, lane: usize, one: &InclusionJudge<X::Scalar>) {
        let rows = |from: &[X::Scalar], to: &mut [X]| {
            to.iter_mut().zip(from).for_each(|(to, from)| to.set_lane(lane, *from));
        };
        rows(&one.u, &mut self.u);
        rows(&one.mu, &mut self.mu);
        rows(&one.e, &mut self.e);
        rows(&one.account, &mut self.account);
        rows(&one.friction, &mut self.friction);
        self.worst.set_lane(lane, one.worst);
    }

    /// Checks the impulse of the next substep.
    #[inline(always)]
    pub fn substep(&mut self, judged: Judged<'_, X>) {
        let Judged { w, shape: [m, axes, k], h, caps, l } = judged;
        let (next, l) = (&mut self.next[..k], &l[..k]);
        let zero = h.number(0.0);
        next.copy_from_slice(&self.u[..k]);
        for (l, column) in l.iter().zip(w[..k * k].chunks_exact(k)) {
            // Contacts of robots are often without force.
            if X::LANES == 1 && !X::any(zero.below(l.magnitude())) {
                continue;
            }
            let impulse = h * *l;
            for j in 0..k {
                next[j] = next[j] + impulse * column[j];
            }
        }
        self.bend(judged);
        for i in 0..m {
            let (ln, cap) = (h * l[i], h * caps[i]);
            let [from, to] = [self.u[i], self.next[i]];
            self.normal(i, ln, cap, from);
            self.book(i, ln, cap, [from, self.middle[i], to]);
            self.normal(i, ln, cap, to);
            let t = m + axes * i;
            let held = ln.below(cap - cap.like(X::Scalar::CONDITION) * cap);
            let [p, q] = sideways(l, t, axes);
            let slip = Slip { f: [h * p, h * q], most: self.mu[i] * ln, held };
            if X::LANES == 1 && !X::any(zero.below(length(slip.f) + slip.most.magnitude())) {
                continue;
            }
            let from = sideways(&self.u, t, axes);
            let middle = sideways(&self.middle, t, axes);
            let (gap, adds_up) = slip.gap([from, middle, sideways(&self.next, t, axes)]);
            self.friction[i] = X::pick(adds_up, self.friction[i] + gap, self.friction[i]);
            self.violate(X::pick(adds_up, zero, gap));
        }
        std::mem::swap(&mut self.u, &mut self.next);
    }

    /// Computes the velocity in the middle of a substep. Contacts that keep sliding without a large
    /// turn have the law's friction at the ends of the substep; all others have the friction of the
    /// substep.
    #[inline(always)]
    fn bend(&mut self, Judged { w, shape: [m, axes, k], h, l, .. }: Judged<'_, X>) {
        let InclusionJudge { u, next, middle, mu, .. } = self;
        let (u, next, middle, w) = (&u[..k], &next[..k], &mut middle[..k], &w[..k * k]);
        let [zero, half, eighth] = h.numbers([0.0, 0.5, 0.125]);
        for j in 0..k {
            middle[j] = half * (u[j] + next[j]);
        }
        if axes == 1 {
            return;
        }
        for i in 0..m {
            let t = m + 2 * i;
            let (from, to) = ([u[t], u[t + 1]], [next[t], next[t + 1]]);
            let most = h * mu[i] * l[i];
            let slowest = length(from).smaller(length(to));
            let bends = zero.below(most) & (most * w[t * k + t]).up_to(slowest + slowest);
            if !X::any(bends) {
                continue;
            }
            let (a, b) = (unit(from), unit(to));
            for axis in 0..2 {
                let bent = X::pick(bends, eighth * most * (b[axis] - a[axis]), zero);
                let column = &w[(t + axis) * k..(t + axis + 1) * k];
                for j in 0..k {
                    middle[j] = middle[j] + bent * column[j];
                }
            }
        }
    }

    /// Compares the normal impulse of contact `i` with its velocity at one end.
    #[inline(always)]
    fn normal(&mut self, i: usize, ln: X, cap: X, u: X) {
        let zero = u.number(0.0);
        // With restitution, the force is at its bound while stored work remains, as the account
        // checks, and 0 afterwards.
        let returns = zero.below(self.e[i]);
        let most = X::pick(returns, (cap - ln).smaller(ln), ln);
        self.violate(u.larger(zero).smaller(most));
        self.violate((zero - u).larger(zero).smaller(cap - ln));
        self.violate(zero - ln);
        self.violate(ln - cap);
    }

    /// Updates the account of contact `i` by impulse `l`, with its normal velocity at the nodes of
    /// a substep. With Poisson's hypothesis a contact at rest is restituting if its impulse is at
    /// its bound `cap`, else it is held.
    #[inline(always)]
    fn book(&mut self, i: usize, l: X, cap: X, points: [X; 3]) {
        let (e, zero) = (self.e[i], l.number(0.0));
        let returns = zero.below(e);
        if !X::any(returns) {
            return;
        }
        // The means of the velocity, and of its negative and positive parts; if the velocity
        // changes its sign, the smaller part is taken from a linear function.
        let [from, .., to] = points;
        let mean = simpson(points);
        let least = from.magnitude().smaller(to.magnitude());
        let turns = from.below(zero) & zero.below(to) | zero.below(from) & to.below(zero);
        let small = l.number(0.5) * least * (least / (from - to).magnitude());
        let small = X::pick(turns, small, zero);
        let (down, up) = ((zero - mean).larger(zero) + small, mean.larger(zero) + small);
        let now = self.account[i];
        let account = if self.poisson {
            let all = down + up;
            // A contact at rest at both ends may move between them by the integration error; this
            // is no compression.
            let least = l.number(X::Scalar::TERMINATION);
            let both = from.magnitude().larger(to.magnitude());
            let rests = all.up_to(least) | both.up_to(least);
            let held = l.below(cap - l.like(X::Scalar::CONDITION) * cap);
            let resting = X::pick(held, now, now - l.smaller(now));
            X::pick(rests, resting, now + l * (e * down - up) / all)
        } else {
            now + e * e * l * down - l * up
        };
        self.violate(X::pick(returns, zero - account, zero));
        self.account[i] = X::pick(returns, account.larger(zero), now);
    }

    #[inline(always)]
    pub(super) fn violate(&mut self, gap: X) {
        let most = gap.like(X::Scalar::HUGE);
        self.worst = X::pick(gap.finite(), self.worst.larger(gap), most);
    }
}
