//! The velocities at sliding contacts, with all rows at rest projected out, and their response to
//! friction and held normals.

use carom_core::Real;

use crate::array::{add, back, dot, factor, length};
use crate::contacts::{Contacts, Friction};
use crate::rodas::STAGES;

/// Regularization of the system of held contacts, relative to its trace; redundant contacts make
/// the system singular.
const REDUNDANT: f64 = 1e-12;

/// Forces at an instant: directions of friction and friction at the contacts of `sliding`, changes
/// of normal forces at the contacts of `held`, and tangential accelerations of `sliding`.
///
/// Tangential arrays have `2 stride` entries: all first tangents, padded with zeros, then all
/// second tangents.
#[derive(Clone, Debug, Default)]
pub struct Pull<R> {
    pub way: Vec<R>,
    pub friction: Vec<R>,
    pub change: Vec<R>,
    pub slope: Vec<R>,
}

impl<R: Real> Pull<R> {
    fn new(m: usize) -> Self {
        let tangents = || vec![R::ZERO; 2 * stride(m)];
        Pull { way: tangents(), friction: tangents(), change: vec![R::ZERO; m], slope: tangents() }
    }
}

/// Padded length of arrays with one entry per contact, for `n` contacts.
pub fn stride(n: usize) -> usize {
    n.max(2).next_power_of_two()
}

/// Row `i` of a matrix with rows of length `T`.
#[inline(always)]
pub fn row<R, const T: usize>(x: &[R], i: usize) -> &[R; T] {
    &x.as_chunks().0[i]
}

#[inline(always)]
pub fn row_mut<R, const T: usize>(x: &mut [R], i: usize) -> &mut [R; T] {
    &mut x.as_chunks_mut().0[i]
}

/// The contacts whose friction is at its bound, and their motion.
#[derive(Clone, Debug)]
pub struct Slide<R> {
    /// Contacts whose friction depends on the motion, or whose friction direction a decision finds.
    pub sliding: Vec<usize>,
    /// Contacts that are held with friction at its bound.
    pub held: Vec<usize>,
    pub stride: usize,
    /// Index of a held contact in `sliding`, if it slides, and its coefficient of friction.
    pub place: Vec<Option<usize>>,
    pub held_mu: Vec<R>,
    /// Bound of friction at the reference normal force; whether friction opposes the slip; fixed
    /// directions of friction for the other contacts.
    pub most: Vec<R>,
    pub slides: Vec<bool>,
    pub bound: Vec<R>,
    /// Delassus blocks: tangent accelerations by tangent forces and by held normal forces; held
    /// normal accelerations by tangent forces and by held normal forces.
    pub xx: Vec<R>,
    pub xh: Vec<R>,
    pub hx: Vec<R>,
    pub hh: Vec<R>,
    /// Accelerations of tangents and held normals by the constant forces.
    pub x0: Vec<R>,
    pub h0: Vec<R>,
    /// Factors of the system of held contacts at the last directions of friction.
    pub system: Vec<R>,
    pub order: Vec<usize>,
    /// Responses to friction across the sliding direction: of tangents, and of held normal forces.
    pub across: Vec<R>,
    pub holds: Vec<R>,
    pub matrix: Vec<R>,
    pub pivots: Vec<usize>,
    pub first: Pull<R>,
    pub last: Pull<R>,
    pub stage: Pull<R>,
    pub held_pushes: Vec<R>,
    /// Impulses of a step: friction at `sliding`, changes of normal impulses at `held`; and the
    /// slips at the start of the step.
    pub impulse: Vec<R>,
    pub held_impulse: Vec<R>,
    pub from: Vec<R>,
}

impl<R: Real> Slide<R> {
    pub fn new(m: usize) -> Self {
        let zeros = |n: usize| vec![R::ZERO; n];
        let t = 2 * stride(m);
        Slide {
            sliding: Vec::with_capacity(m),
            held: Vec::with_capacity(m),
            stride: 2,
            place: vec![None; m],
            held_mu: zeros(m),
            most: zeros(t),
            slides: vec![false; t],
            bound: zeros(t),
            xx: zeros(t * t),
            xh: zeros(m * t),
            hx: zeros(m * t),
            hh: zeros(m * m),
            x0: zeros(t),
            h0: zeros(m),
            system: zeros(m * m),
            order: vec![0; m],
            across: zeros(m * t),
            holds: zeros(m * m),
            matrix: zeros(m * m),
            pivots: vec![0; m],
            first: Pull::new(m),
            last: Pull::new(m),
            stage: Pull::new(m),
            held_pushes: zeros(STAGES * m),
            impulse: zeros(t),
            held_impulse: zeros(m),
            from: zeros(t),
        }
    }

    /// Sets the initial slips of a step from the contact velocity `u` (K).
    pub fn start(&mut self, u: &[R]) {
        let (m, s) = (u.len() / 3, self.stride);
        self.from[..2 * s].fill(R::ZERO);
        for (q, i) in self.sliding.iter().enumerate() {
            (self.from[q], self.from[s + q]) = (u[m + 2 * i], u[m + 2 * i + 1]);
        }
    }

    /// Adds friction at sliding contacts, and changes of normal forces at held contacts, to the
    /// forces `l` (K).
    pub fn give(&self, of: &Contacts<R>, friction: &[R], change: &[R], l: &mut [R]) {
        let m = l.len() / 3;
        for (q, i) in self.sliding.iter().enumerate() {
            l[m + 2 * i] += friction[q];
            l[m + 2 * i + 1] += friction[self.stride + q];
        }
        for (e, i) in self.held.iter().copied().enumerate() {
            l[i] += change[e];
            if matches!(of.friction[i], Friction::Straight | Friction::Tied) {
                for axis in 0..2 {
                    l[m + 2 * i + axis] += self.held_mu[e] * change[e] * of.way[i][axis];
                }
            }
        }
    }

    /// Factors the system of held contacts at the directions of friction.
    #[inline(always)]
    pub fn hold<const S: usize, const T: usize>(&mut self, way: &[R; T]) -> bool {
        let nh = self.held.len();
        let mut trace = R::ZERO;
        for f in 0..nh {
            for e in 0..nh {
                let mut entry = self.hh[e * nh + f];
                if let Some(q) = self.place[f] {
                    let row = row::<R, T>(&self.hx, e);
                    entry += self.held_mu[f] * (row[q] * way[q] + row[S + q] * way[S + q]);
                }
                self.system[e * nh + f] = entry;
            }
            trace += self.system[f * nh + f].abs();
        }
        for e in 0..nh {
            self.system[e * nh + e] += R::from_f64(REDUNDANT) * (trace + R::ONE);
        }
        factor(&mut self.system, &mut self.order, nh, R::from_f64(1e-14))
    }

    /// Replaces the accelerations `h` of held normals by the changes of normal force that cancel
    /// them; adds the resulting friction to `friction`, and the accelerations to `slope`.
    #[inline(always)]
    pub fn cancel<const S: usize, const T: usize>(
        &self,
        way: &[R; T],
        h: &mut [R],
        slope: &mut [R; T],
        friction: &mut [R; T],
    ) {
        let nh = self.held.len();
        h.iter_mut().for_each(|x| *x = R::ZERO - *x);
        back(&self.system, &self.order, nh, h);
        for f in 0..nh {
            add(slope, h[f], row(&self.xh, f));
            if let Some(q) = self.place[f] {
                for a in [q, S + q] {
                    let y = self.held_mu[f] * h[f] * way[a];
                    friction[a] += y;
                    add(slope, y, row(&self.xx, a));
                }
            }
        }
    }

    /// Computes forces and accelerations at the slips in `from`, into `first`; false where held
    /// contacts cannot be held.
    pub fn pull_first(&mut self) -> bool {
        sized!(self.pull_first_in())
    }

    fn pull_first_in<const S: usize, const T: usize>(&mut self) -> bool {
        let mut first = std::mem::take(&mut self.first);
        let from = *row::<R, T>(&self.from, 0);
        let fine = self.pull::<S, T>(&from, &mut first);
        self.first = first;
        fine
    }

    /// Computes forces and accelerations at slips `x`, into `pull`.
    #[inline(always)]
    pub fn pull<const S: usize, const T: usize>(&mut self, x: &[R; T], pull: &mut Pull<R>) -> bool {
        let (ns, nh) = (self.sliding.len(), self.held.len());
        let Pull { way, friction, change, slope } = pull;
        let way: &mut [R; T] = row_mut(way, 0);
        let friction: &mut [R; T] = row_mut(friction, 0);
        let slope: &mut [R; T] = row_mut(slope, 0);
        let (most, slides) = (row::<R, S>(&self.most, 0), row::<bool, S>(&self.slides, 0));
        let bound = row::<R, T>(&self.bound, 0);
        let tiny = R::from_f64(1e-150);
        for q in 0..S {
            let (a, b) = (x[q], x[S + q]);
            let over = (R::ZERO - R::ONE) / Real::max((a * a + b * b).sqrt(), tiny);
            way[q] = if slides[q] { a * over } else { bound[q] };
            way[S + q] = if slides[q] { b * over } else { bound[S + q] };
        }
        for q in 0..S {
            friction[q] = most[q] * way[q];
            friction[S + q] = most[q] * way[S + q];
        }
        *slope = *row(&self.x0, 0);
        for q in 0..ns {
            add(slope, friction[q], row(&self.xx, q));
            add(slope, friction[S + q], row(&self.xx, S + q));
        }
        if nh == 0 {
            return true;
        }
        for e in 0..nh {
            change[e] = self.h0[e] + dot(friction, row(&self.hx, e));
        }
        if !self.hold::<S, T>(way) {
            return false;
        }
        self.cancel::<S, T>(way, &mut change[..nh], slope, friction);
        true
    }

    /// Computes the acceleration per unit friction across the direction of each sliding contact;
    /// the system of held contacts is factored at the directions `way`.
    #[inline(always)]
    pub fn respond<const S: usize, const T: usize>(&mut self, way: &[R; T]) {
        let (ns, nh) = (self.sliding.len(), self.held.len());
        let mut across = std::mem::take(&mut self.across);
        let mut holds = std::mem::take(&mut self.holds);
        let mut own = [R::ZERO; T];
        for q in 0..ns {
            let (c, s) = (way[q], way[S + q]);
            let to: &mut [R; T] = row_mut(&mut across, q);
            *to = [R::ZERO; T];
            add(to, R::ZERO - s, row(&self.xx, q));
            add(to, c, row(&self.xx, S + q));
            if nh > 0 {
                let h = &mut holds[q * nh..(q + 1) * nh];
                for e in 0..nh {
                    let row = row::<R, T>(&self.hx, e);
                    h[e] = c * row[S + q] - s * row[q];
                }
                self.cancel::<S, T>(way, h, to, &mut own);
            }
        }
        (self.across, self.holds) = (across, holds);
    }

    /// Turns the friction directions of contacts at their bound against their accelerations: one
    /// Newton step from the forces in `first`. Returns the largest turn.
    pub fn aim(&mut self, of: &mut Contacts<R>, least: R) -> R {
        sized!(self.aim_in(of, least))
    }

    fn aim_in<const S: usize, const T: usize>(&mut self, of: &mut Contacts<R>, least: R) -> R {
        let ns = self.sliding.len();
        let first = std::mem::take(&mut self.first);
        let way = *row::<R, T>(&first.way, 0);
        let slope = row::<R, T>(&first.slope, 0);
        self.respond::<S, T>(&way);
        let mut turns = [R::ZERO; S];
        let mut any = false;
        for a in 0..ns {
            let (c, s, x, y) = (way[a], way[S + a], slope[a], slope[S + a]);
            let moves = !self.slides[a] && length([x, y]) > least;
            any = any || moves;
            for b in 0..ns {
                let to = row::<R, T>(&self.across, b);
                let size = length([first.friction[b], first.friction[S + b]]);
                let turned = moves && !self.slides[b];
                self.matrix[a * ns + b] =
                    if turned { size * (c * to[S + a] - s * to[a]) } else { R::ZERO };
            }
            self.matrix[a * ns + a] +=
                if moves { Real::max(R::ZERO - (c * x + s * y), least) } else { R::ONE };
            turns[a] = if moves { s * x - c * y } else { R::ZERO };
        }
        let mut most = R::ZERO;
        if any && factor(&mut self.matrix, &mut self.pivots, ns, R::from_f64(1e-14)) {
            back(&self.matrix, &self.pivots, ns, &mut turns);
            for (a, i) in self.sliding.iter().copied().enumerate() {
                if !self.slides[a] {
                    let turn = Real::clamp(turns[a], R::from_f64(-0.7), R::from_f64(0.7));
                    most = Real::max(most, turn.abs());
                    let [c, s] = of.way[i];
                    let way = [c - turn * s, s + turn * c];
                    let size = length(way);
                    of.way[i] = way.map(|x| x / size);
                    (self.bound[a], self.bound[S + a]) = (of.way[i][0], of.way[i][1]);
                }
            }
        }
        self.first = first;
        most
    }

    /// Replaces the velocities `h` of held normals by the normal impulses that stop them, and
    /// writes the friction that goes with them to `friction`; false where the system is singular.
    pub fn stop(&mut self, h: &mut [R], friction: &mut [R]) -> bool {
        sized!(self.stop_in(h, friction))
    }

    fn stop_in<const S: usize, const T: usize>(&mut self, h: &mut [R], friction: &mut [R]) -> bool {
        let way = *row::<R, T>(&self.first.way, 0);
        let mut slope = [R::ZERO; T];
        let fine = self.hold::<S, T>(&way);
        if fine {
            self.cancel::<S, T>(&way, h, &mut slope, row_mut(friction, 0));
        }
        fine
    }
}
