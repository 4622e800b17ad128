//! Forces at an instant, or at the end of a step: a complementarity problem with circular cones, by
//! Newton's method.
//!
//! Source: P. Alart, A. Curnier: A mixed formulation for frictional contact problems prone to
//! Newton like solution methods. Computer Methods in Applied Mechanics and Engineering 92 (1991)
//! 353-375. Deviation: forces determined by a contact's mode are eliminated; a system has one
//! unknown per held normal, one per sticking axis, and one per spatial direction of sliding
//! friction.

use super::given::shorten;
use super::linear::eliminate;
use super::pivot::Pivot;
use super::{FrictionMode, Given, NormalMode, length};
use carom_core::Real;

/// Newton steps of one attempt.
pub const NEWTON_STEPS: usize = 32;

/// Number of damped (halved) Newton steps at the beginning of an attempt, except the first attempt.
const DAMPED: usize = 8;

/// Number of attempts: the first starts from the previous forces, the others from forces by Lemke's
/// method.
const ATTEMPTS: u32 = 4;

/// The forces `l` (K) for the normal force bounds `c` (m) and the bias `b` (K), where
/// `z = b + W l`: see [`NormalMode`] and [`FrictionMode`].
///
/// With `b = 0`, `z` is the acceleration, and contacts with velocity 0 are free and held. With
/// `b = u / h`, `h z` is the velocity after an implicit step of length `h`. With redundant contacts
/// the forces are ambiguous, but `z` is not.
#[derive(Clone, Debug)]
pub struct Balance<R> {
    pub(super) normal_mode: Vec<NormalMode>,
    pub(super) friction_mode: Vec<FrictionMode>,
    /// Whether the normal and friction modes determine all forces.
    pub(super) decided: bool,
    /// Unit vectors of friction (K; the normal entries are unused).
    pub(super) way: Vec<R>,
    pub(super) bias: Vec<R>,
    /// The forces, and `W l` (K).
    pub(super) l: Vec<R>,
    pub(super) slope: Vec<R>,
    /// The contacts' modes in a Newton step.
    modes: Vec<Mode<R>>,
    /// The forces and `W l` before the last Newton step (K).
    last: Vec<R>,
    last_slope: Vec<R>,
    /// The forces that the modes determine in a Newton step (K); the unknowns, with their columns
    /// of `W l` (K each); the linear system.
    known: Vec<R>,
    unknown: Vec<Unknown<R>>,
    columns: Vec<R>,
    matrix: Vec<R>,
    right: Vec<R>,
    order: Vec<usize>,
    pivot: Pivot<R>,
}

/// The mode of a contact in a Newton step.
#[derive(Clone, Copy, Debug)]
struct Mode<R> {
    /// The normal force; `None`: held.
    normal: Option<R>,
    friction: Friction<R>,
}

#[derive(Clone, Copy, Debug)]
enum Friction<R> {
    None,
    Stick,
    /// Friction along `way`. With `kappa = 0` the direction is fixed; else it may turn, and `kappa`
    /// is the ratio of the friction bound to the augmented force.
    Slide {
        way: [R; 2],
        kappa: R,
    },
}

/// An unknown of a Newton step: its entries in the rows of `l`, and the weights of `l` and `z` in
/// its equation.
#[derive(Clone, Copy, Debug)]
struct Unknown<R> {
    rows: [usize; 3],
    entries: [R; 3],
    /// The direction in which the equation takes `z`, by row.
    taken: [R; 3],
    weights: [R; 2],
}

impl<R: Real> Balance<R> {
    /// The memory for `m` contacts with K = `width` rows.
    pub(super) fn new(m: usize, width: usize) -> Self {
        let zeros = |k: usize| vec![R::ZERO; k];
        Balance {
            normal_mode: vec![NormalMode::Off; m],
            friction_mode: vec![FrictionMode::Smooth; m],
            decided: true,
            way: zeros(width),
            bias: zeros(width),
            l: zeros(width),
            slope: zeros(width),
            modes: vec![Mode { normal: None, friction: Friction::None }; m],
            pivot: Pivot::new(2 * m + (2 * width / m.max(1) - 1) * m),
            last: zeros(width),
            last_slope: zeros(width),
            known: zeros(width),
            unknown: Vec::with_capacity(width),
            columns: zeros(width * width),
            matrix: zeros(width * width),
            right: zeros(width),
            order: Vec::with_capacity(width),
        }
    }

    /// Whether a force between 0 and its bound holds the normal of contact `i`; valid once forces
    /// are found, as are the next two.
    pub(super) fn is_held(&self, i: usize) -> bool {
        self.normal_mode[i] == NormalMode::Free && self.modes[i].normal.is_none()
    }

    /// Whether contact `i` sticks.
    pub(super) fn sticks(&self, i: usize) -> bool {
        self.friction_mode[i] == FrictionMode::Held
            && matches!(self.modes[i].friction, Friction::Stick)
    }

    /// Whether contact `i`, at rest before, begins to slide.
    pub(super) fn begins(&self, i: usize) -> bool {
        self.friction_mode[i] == FrictionMode::Held
            && matches!(self.modes[i].friction, Friction::Slide { .. })
    }

    /// Computes the forces, starting from `l`, and `slope`; returns whether they have converged.
    /// Adds the number of operations to `spent`.
    pub(super) fn solve<const M: usize>(
        &mut self,
        given: Given<'_, R, M>,
        spent: &mut u64,
    ) -> bool {
        let [m, ..] = given.shape();
        for i in 0..m {
            self.l[i] = match self.normal_mode[i] {
                NormalMode::Off => R::ZERO,
                NormalMode::Full => given.caps[i],
                NormalMode::Free => Real::clamp(self.l[i], R::ZERO, given.caps[i]),
            };
            let most = given.mu[i] * self.l[i];
            let friction = match self.friction_mode[i] {
                FrictionMode::Smooth => [R::ZERO; 2],
                FrictionMode::Slides => given.sideways(&self.way, i).map(|x| x * most),
                FrictionMode::Held => shorten(given.sideways(&self.l, i), most),
            };
            given.set_sideways(&mut self.l, i, friction);
        }
        self.weigh(given, spent);
        self.decided = (0..m).all(|i| {
            self.normal_mode[i] != NormalMode::Free && self.friction_mode[i] != FrictionMode::Held
        });
        if self.decided {
            return true;
        }
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                self.pivot(given, attempt, spent);
            }
            for number in 0..NEWTON_STEPS {
                if self.gap(given) {
                    return true;
                }
                self.newton(given, spent);
                if attempt > 0 && number < DAMPED {
                    self.dampen();
                }
            }
        }
        false
    }

    /// Halves the last Newton step.
    fn dampen(&mut self) {
        let half = R::from_f64(0.5);
        let pairs =
            self.l.iter_mut().zip(&self.last).chain(self.slope.iter_mut().zip(&self.last_slope));
        for (new, old) in pairs {
            *new = half * (*new + *old);
        }
    }

    /// Sets the friction of sliding contacts.
    fn slide<const M: usize>(&mut self, given: Given<'_, R, M>) {
        let [m, ..] = given.shape();
        for i in 0..m {
            if self.friction_mode[i] == FrictionMode::Slides {
                let most = given.mu[i] * self.l[i];
                let friction = given.sideways(&self.way, i).map(|x| x * most);
                given.set_sideways(&mut self.l, i, friction);
            }
        }
    }

    /// Restarts from forces by Lemke's method.
    fn pivot<const M: usize>(&mut self, given: Given<'_, R, M>, attempt: u32, spent: &mut u64) {
        let [m, ..] = given.shape();
        for i in 0..m {
            let full = self.normal_mode[i] == NormalMode::Full;
            self.l[i] = if full { given.caps[i] } else { R::ZERO };
            given.set_sideways(&mut self.l, i, [R::ZERO; 2]);
        }
        self.slide(given);
        self.weigh(given, spent);
        self.known.copy_from_slice(&self.l);
        for (z, bias) in self.slope.iter_mut().zip(&self.bias) {
            *z += *bias;
        }
        let Balance { pivot, normal_mode, friction_mode, way, known, slope, l, .. } = self;
        *spent += pivot.solve(given, (normal_mode, friction_mode, way), known, slope, attempt, l);
        self.slide(given);
        self.weigh(given, spent);
    }

    /// Computes `slope = W l`.
    fn weigh<const M: usize>(&mut self, given: Given<'_, R, M>, spent: &mut u64) {
        let [_, _, k] = given.shape();
        given.weigh(&self.l, &mut self.slope);
        *spent += (k * k) as u64;
    }

    /// Determines the modes; returns whether the forces satisfy the natural map.
    fn gap<const M: usize>(&mut self, given: Given<'_, R, M>) -> bool {
        let [m, _, k] = given.shape();
        let [mut apart, mut size] = [R::ZERO; 2];
        for i in 0..m {
            let (l, c) = (self.l[i], given.caps[i]);
            size = Real::max(size, l.abs());
            let w = given.step.w[i * k + i];
            let z = self.bias[i] + self.slope[i];
            let normal = match self.normal_mode[i] {
                NormalMode::Off => Some(R::ZERO),
                NormalMode::Full => Some(c),
                NormalMode::Free => {
                    // Without normal mobility only the sign of z matters.
                    let w = Real::max(w, self.resistance(given, i).abs());
                    let aim = if w > R::ZERO { l - z / w } else { l - z };
                    apart = Real::max(apart, (l - Real::clamp(aim, R::ZERO, c)).abs());
                    size = Real::max(size, (self.bias[i] / w).abs());
                    match aim {
                        aim if aim <= R::ZERO => Some(R::ZERO),
                        aim if aim >= c => Some(c),
                        _ => None,
                    }
                }
            };
            let friction = match self.friction_mode[i] {
                FrictionMode::Smooth => Friction::None,
                FrictionMode::Slides => {
                    Friction::Slide { way: given.sideways(&self.way, i), kappa: R::ZERO }
                }
                FrictionMode::Held => {
                    let (f, top) = (given.sideways(&self.l, i), given.tops[i]);
                    let ([p, q], [x, y]) =
                        (given.sideways(&self.bias, i), given.sideways(&self.slope, i));
                    let aim = [f[0] - (p + x) / top, f[1] - (q + y) / top];
                    let radius = given.mu[i] * Real::clamp(l, R::ZERO, c);
                    let best = shorten(aim, radius);
                    apart = Real::max(apart, length([f[0] - best[0], f[1] - best[1]]));
                    size = Real::max(size, Real::max(length(f), length([p / top, q / top])));
                    match length(aim) {
                        _ if radius <= R::ZERO && normal == Some(R::ZERO) => Friction::None,
                        far if far > radius && far > R::ZERO => {
                            Friction::Slide { way: aim.map(|x| x / far), kappa: radius / far }
                        }
                        _ => Friction::Stick,
                    }
                }
            };
            self.modes[i] = Mode { normal, friction };
        }
        apart <= given.tolerance * size
    }

    /// The increase of `z_n` per unit of normal force at contact `i`, with proportional friction.
    fn resistance<const M: usize>(&self, given: Given<'_, R, M>, i: usize) -> R {
        let [_, _, k] = given.shape();
        let row = &given.step.w[i * k..(i + 1) * k];
        if self.friction_mode[i] != FrictionMode::Slides {
            return row[i];
        }
        let ([a, b], [x, y]) = (given.sideways(row, i), given.sideways(&self.way, i));
        row[i] + given.mu[i] * (a * x + b * y)
    }

    /// One Newton step with the present modes.
    fn newton<const M: usize>(&mut self, given: Given<'_, R, M>, spent: &mut u64) {
        let [_, axes, k] = given.shape();
        let Balance {
            modes,
            known,
            unknown,
            columns,
            matrix,
            right,
            order,
            bias,
            l,
            slope,
            last,
            last_slope,
            ..
        } = self;
        unknown.clear();
        known.fill(R::ZERO);
        for (i, mode) in modes.iter().enumerate() {
            let t = given.tangent(i);
            let rows = [i, t, if axes == 2 { t + 1 } else { t }];
            let way = match mode.friction {
                Friction::Slide { way, .. } => way.map(|x| x * given.mu[i]),
                _ => [R::ZERO; 2],
            };
            match mode.normal {
                Some(normal) => {
                    known[i] = normal;
                    given.set_sideways(known, i, way.map(|x| x * normal));
                }
                None => unknown.push(Unknown {
                    rows,
                    entries: [R::ONE, way[0], if axes == 2 { way[1] } else { R::ZERO }],
                    taken: [R::ONE, R::ZERO, R::ZERO],
                    weights: [R::ZERO, R::ONE],
                }),
            }
            match mode.friction {
                Friction::Stick => {
                    for axis in 0..axes {
                        let (mut entries, weights) = ([R::ZERO; 3], [R::ZERO, R::ONE]);
                        entries[1 + axis] = R::ONE;
                        unknown.push(Unknown { rows, entries, taken: entries, weights });
                    }
                }
                Friction::Slide { way: [x, y], kappa } if axes == 2 && kappa > R::ZERO => {
                    let entries = [R::ZERO, R::ZERO - y, x];
                    let weights = [R::ONE - kappa, kappa / given.tops[i]];
                    unknown.push(Unknown { rows, entries, taken: entries, weights });
                }
                _ => {}
            }
        }
        let n = unknown.len();
        last_slope.copy_from_slice(slope);
        given.weigh(known, slope);
        for (of, column) in unknown.iter().zip(columns.chunks_exact_mut(k)) {
            column.fill(R::ZERO);
            for (r, x) in of.rows.iter().zip(of.entries) {
                if x != R::ZERO {
                    let row = &given.step.w[r * k..(r + 1) * k];
                    for j in 0..k {
                        column[j] += x * row[j];
                    }
                }
            }
        }
        let along = |of: &Unknown<R>, x: &[R]| {
            let [p, q, r] = of.rows.map(|row| x[row]);
            of.taken[0] * p + of.taken[1] * q + of.taken[2] * r
        };
        // The present values of the unknowns, which a singular system changes as little as
        // possible.
        let now = |of: &Unknown<R>| along(of, l);
        for (a, of) in unknown.iter().enumerate() {
            let [own, reaction] = of.weights;
            right[a] = R::ZERO - reaction * (along(of, bias) + along(of, slope));
            for b in 0..n {
                matrix[a * n + b] = reaction * along(of, &columns[b * k..(b + 1) * k]);
            }
            matrix[a * n + a] += own;
            for (b, other) in unknown.iter().enumerate() {
                right[a] -= matrix[a * n + b] * now(other);
            }
        }
        eliminate(&mut matrix[..n * n], &mut right[..n], order);
        for (b, of) in unknown.iter().enumerate() {
            right[b] += now(of);
        }
        last.copy_from_slice(l);
        l.copy_from_slice(known);
        for (b, unknown) in unknown.iter().enumerate() {
            for (r, x) in unknown.rows.iter().zip(unknown.entries) {
                l[*r] += right[b] * x;
            }
            for j in 0..k {
                slope[j] += right[b] * columns[b * k + j];
            }
        }
        *spent += (n * n * n / 3 + n * k * 4 + k * k) as u64;
    }
}
