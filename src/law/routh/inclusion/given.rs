//! The modes of contacts, and the data that determine their forces.

use carom_core::{Number, Real, StepProblem};

/// The mode of a contact's normal force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalMode {
    /// No normal force.
    Off,
    /// The normal force is its bound `c`.
    Full,
    /// `0 <= ln <= c`, `ln = 0` where `z_n > 0`, `ln = c` where `z_n < 0`.
    Free,
}

/// The mode of a contact's friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionMode {
    /// No friction.
    Smooth,
    /// Friction is `mu ln` along `way`: sliding.
    Slides,
    /// Friction brings `z_t` to 0, or opposes it with `mu ln`.
    Held,
}

/// Force bounds and coefficients of a sample with `M` spatial contacts; `M = 0`: any contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a, R, const M: usize> {
    pub step: &'a StepProblem<R>,
    pub mu: &'a [R],
    pub caps: &'a [R],
    /// The larger tangential eigenvalue of each contact, see [`top`] (m entries).
    pub tops: &'a [R],
    /// Relative tolerance of the natural map's residual for converged forces.
    pub tolerance: R,
}

/// The length of a vector in the tangent plane.
#[inline(always)]
pub(super) fn length<X: Number>([x, y]: [X; 2]) -> X {
    (x * x + y * y).square_root()
}

/// Friction of the given size opposite to a sliding velocity; 0 without sliding.
#[inline(always)]
pub(super) fn against<X: Number>(size: X, slip: [X; 2]) -> [X; 2] {
    let (speed, zero) = (length(slip), size.number(0.0));
    let over = X::pick(zero.below(speed), (zero - size) / speed, zero);
    [slip[0] * over, slip[1] * over]
}

/// The projection onto the disk of radius `radius`.
pub(super) fn shorten<R: Real>(x: [R; 2], radius: R) -> [R; 2] {
    let size = length(x);
    if size > radius { x.map(|x| x / size * radius) } else { x }
}

/// The larger eigenvalue of the tangential block of contact `i`.
pub(super) fn top<R: Real>(step: &StepProblem<R>, i: usize) -> R {
    let (k, t) = (step.width(), step.contacts + step.axes * i);
    let a = step.w[t * k + t];
    if step.axes == 1 {
        return a;
    }
    let (b, d) = (step.w[t * k + t + 1], step.w[(t + 1) * k + t + 1]);
    R::from_f64(0.5) * (a + d + length([a - d, b + b]))
}

/// The number of contacts, of tangent rows per contact, and of all rows. For `M` other than 0 they
/// are constants at compile time, which makes loops fast.
#[inline(always)]
pub(super) fn shape<R, const M: usize>(step: &StepProblem<R>) -> [usize; 3] {
    let [m, axes] = if M > 0 { [M, 2] } else { [step.contacts, step.axes] };
    [m, axes, m + m * axes]
}

/// The entries of `x` (K) in the tangent rows of a contact, `t` and `t + 1`; a planar contact has 0
/// in the second.
#[inline(always)]
pub(super) fn sideways<X: Number>(x: &[X], t: usize, axes: usize) -> [X; 2] {
    [x[t], if axes == 2 { x[t + 1] } else { x[t].number(0.0) }]
}

/// Sets the entries of `x` (K) in the tangent rows of a contact, `t` and `t + 1`.
#[inline(always)]
pub(super) fn set_sideways<R: Real>(x: &mut [R], t: usize, axes: usize, [a, b]: [R; 2]) {
    x[t] = a;
    if axes == 2 {
        x[t + 1] = b;
    }
}

/// Number of rows of `W` multiplied at a time.
const ROWS: usize = 12;

/// `x = W l` (K), where `W` is symmetric.
#[inline(always)]
pub(super) fn weigh<R: Real, const M: usize>(step: &StepProblem<R>, l: &[R], x: &mut [R]) {
    let [_, _, k] = shape::<R, M>(step);
    let (l, x, w) = (&l[..k], &mut x[..k], &step.w[..k * k]);
    for from in (0..k).step_by(ROWS) {
        let rows = (k - from).min(ROWS);
        let mut sums = [R::ZERO; ROWS];
        for (l, column) in l.iter().zip(w.chunks_exact(k)) {
            for j in 0..rows {
                sums[j] += *l * column[from + j];
            }
        }
        x[from..from + rows].copy_from_slice(&sums[..rows]);
    }
}

impl<R: Real, const M: usize> Given<'_, R, M> {
    /// The numbers of contacts and rows: see [`shape`].
    #[inline(always)]
    pub(super) fn shape(&self) -> [usize; 3] {
        shape::<R, M>(self.step)
    }

    /// The first tangent row of contact `i`.
    #[inline(always)]
    pub(super) fn tangent(&self, i: usize) -> usize {
        let [m, axes, _] = self.shape();
        m + axes * i
    }

    /// The entries of `x` (K) in the tangent rows of contact `i`.
    #[inline(always)]
    pub(super) fn sideways(&self, x: &[R], i: usize) -> [R; 2] {
        sideways(x, self.tangent(i), self.shape()[1])
    }

    /// Sets the entries of `x` (K) in the tangent rows of contact `i`.
    #[inline(always)]
    pub(super) fn set_sideways(&self, x: &mut [R], i: usize, to: [R; 2]) {
        set_sideways(x, self.tangent(i), self.shape()[1], to);
    }

    /// `slope = W l` (K).
    #[inline(always)]
    pub(super) fn weigh(&self, l: &[R], slope: &mut [R]) {
        weigh::<R, M>(self.step, l, slope);
    }
}
