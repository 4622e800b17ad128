//! The motion of sliding contacts, integrated by a Rosenbrock method.
//!
//! Source: E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, 2nd ed., Springer
//! 1996, Sec. VI.4: RODAS of order 4. The Jacobian contains only the turn of friction directions.

use carom_core::Real;

use crate::array::{add, back, factor, length};
use crate::slide::{Slide, row, row_mut};

/// Stages, and the coefficients of RODAS.
pub const STAGES: usize = 6;
const GAMMA: f64 = 0.25;
const A: [[f64; 5]; 6] = [
    [0.0; 5],
    [1.544, 0.0, 0.0, 0.0, 0.0],
    [0.9466785280815826, 0.2557011698983284, 0.0, 0.0, 0.0],
    [3.314825187068521, 2.896124015972201, 0.9986419139977817, 0.0, 0.0],
    [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 0.0],
    [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0],
];
const C: [[f64; 5]; 6] = [
    [0.0; 5],
    [-5.6688, 0.0, 0.0, 0.0, 0.0],
    [-2.430093356833875, -0.2063599157091915, 0.0, 0.0, 0.0],
    [-0.1073529058151375, -9.594562251023355, -20.47028614809616, 0.0, 0.0],
    [7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616, 0.0],
    [
        8.083246795921522,
        -7.981132988064893,
        -31.52159432874371,
        16.31930543123136,
        -6.058818238834054,
    ],
];

impl<R: Real> Slide<R> {
    /// Takes a step of length `h` from the slips in `from`, with the forces in `first`; writes the
    /// impulses, and the forces at the end to `last`. Returns the error of the slips; HUGE where
    /// forces are not found.
    pub fn step(&mut self, h: R) -> R {
        if !self.slides[..self.stride].contains(&true) {
            return self.straight_step(h);
        }
        sized!(self.curved_step(h))
    }

    fn straight_step(&mut self, h: R) -> R {
        let t = 2 * self.stride;
        for a in 0..t {
            self.impulse[a] = h * self.first.friction[a];
        }
        for e in 0..self.held.len() {
            self.held_impulse[e] = h * self.first.change[e];
        }
        let Slide { first, last, .. } = self;
        last.way[..t].copy_from_slice(&first.way[..t]);
        last.friction[..t].copy_from_slice(&first.friction[..t]);
        last.slope[..t].copy_from_slice(&first.slope[..t]);
        last.change.copy_from_slice(&first.change);
        R::ZERO
    }

    fn curved_step<const S: usize, const T: usize>(&mut self, h: R) -> R {
        let (ns, nh) = (self.sliding.len(), self.held.len());
        let first = std::mem::take(&mut self.first);
        let mut last = std::mem::take(&mut self.last);
        let mut stage = std::mem::take(&mut self.stage);
        let way = *row::<R, T>(&first.way, 0);
        let from = *row::<R, T>(&self.from, 0);
        if nh > 0 {
            self.hold::<S, T>(&way);
        }
        self.respond::<S, T>(&way);
        let hg = h * R::from_f64(GAMMA);
        let over = R::ONE / h;
        // Derivative of friction across the sliding direction by slip across it.
        let mut stiff = [R::ZERO; S];
        for q in 0..ns {
            if self.slides[q] {
                let size = way[q] * first.friction[q] + way[S + q] * first.friction[S + q];
                stiff[q] = Real::max(size, R::ZERO) / length([from[q], from[S + q]]);
            }
        }
        for b in 0..ns {
            let to = row::<R, T>(&self.across, b);
            let x = hg * stiff[b];
            for a in 0..ns {
                self.matrix[a * ns + b] = x * (way[a] * to[S + a] - way[S + a] * to[a]);
            }
            self.matrix[b * ns + b] += R::ONE;
        }
        let mut fine = factor(&mut self.matrix, &mut self.pivots, ns, R::from_f64(1e-13));
        let mut moves = [[R::ZERO; T]; STAGES];
        let mut pushes = [[R::ZERO; T]; STAGES];
        let mut at = from;
        for j in 0..STAGES {
            if j > 0 {
                at = from;
                for b in 0..j {
                    add(&mut at, R::from_f64(A[j][b]), &moves[b]);
                }
                fine = fine && self.pull::<S, T>(&at, &mut stage);
            }
            let pull = if j == 0 { &first } else { &stage };
            let mut to = *row::<R, T>(&pull.slope, 0);
            let mut force = *row::<R, T>(&pull.friction, 0);
            for b in 0..j {
                let x = R::from_f64(C[j][b]) * over;
                add(&mut to, x, &moves[b]);
                add(&mut force, x, &pushes[b]);
            }
            to.iter_mut().for_each(|x| *x = *x * hg);
            let mut turn = [R::ZERO; S];
            for q in 0..S {
                turn[q] = way[q] * to[S + q] - way[S + q] * to[q];
            }
            if fine {
                back(&self.matrix, &self.pivots, ns, &mut turn);
            }
            for q in 0..S {
                turn[q] = R::ZERO - stiff[q] * turn[q];
                force[q] -= turn[q] * way[S + q];
                force[S + q] += turn[q] * way[q];
            }
            for q in 0..ns {
                add(&mut to, hg * turn[q], row(&self.across, q));
            }
            for f in 0..nh {
                let mut change = pull.change[f];
                for b in 0..j {
                    change += R::from_f64(C[j][b]) * over * self.held_pushes[b * nh + f];
                }
                let mut answer = R::ZERO;
                for q in 0..ns {
                    answer += turn[q] * self.holds[q * nh + f];
                }
                self.held_pushes[j * nh + f] = (change + answer) * hg;
                if let Some(q) = self.place[f] {
                    for a in [q, S + q] {
                        force[a] += self.held_mu[f] * answer * way[a];
                    }
                }
            }
            force.iter_mut().for_each(|x| *x = *x * hg);
            (moves[j], pushes[j]) = (to, force);
        }
        // The last stage is the error estimate; the weights are the last row of A, and 1.
        add(&mut at, R::ONE, &moves[STAGES - 1]);
        let mut impulse = pushes[STAGES - 1];
        for j in 0..STAGES - 1 {
            add(&mut impulse, R::from_f64(A[STAGES - 1][j]), &pushes[j]);
        }
        for f in 0..nh {
            let mut sum = self.held_pushes[(STAGES - 1) * nh + f];
            for j in 0..STAGES - 1 {
                sum += R::from_f64(A[STAGES - 1][j]) * self.held_pushes[j * nh + f];
            }
            self.held_impulse[f] = sum;
        }
        let error = moves[STAGES - 1].iter().fold(R::ZERO, |most, x| Real::max(most, x.abs()));
        fine = fine && self.pull::<S, T>(&at, &mut last);
        *row_mut(&mut self.impulse, 0) = impulse;
        (self.first, self.last, self.stage) = (first, last, stage);
        if fine && error.is_finite() { error } else { R::HUGE }
    }
}
