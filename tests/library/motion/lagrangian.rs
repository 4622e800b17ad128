//! The Lagrangian form of the collision integrator, [TL24] Table 1(a): positions and attitudes
//! alone, step after step. It moves an ellipsoid as the integrator does, which is in Hamiltonian
//! form.

use super::*;
use nalgebra::Rotation3;

type Vector = Vector3<f64>;
type Matrix = Matrix3<f64>;

const MASS: f64 = 1.0;
const STEP: f64 = 0.01;
const DOWN: Vector = Vector::new(0.0, 0.0, -9.80665);
const NORMAL: Vector = Vector::new(0.0, 0.0, 1.0);
const INERTIA: Vector = Vector::new(5.0, 4.0, 2.6);
const AXES: Vector = Vector::new(2.0, 3.0, 4.0);

/// The vector of `A - A'`.
fn asym(a: Matrix) -> Vector {
    let a = a - a.transpose();
    Vector::new(a[(2, 1)], a[(0, 2)], a[(1, 0)])
}

/// The nonstandard inertia `tr(J)/2 I - J`.
fn reduced() -> Matrix {
    Matrix::identity() * (0.5 * INERTIA.sum()) - Matrix::from_diagonal(&INERTIA)
}

/// The rotation near the unit matrix with `asym(F Jd) = a`, by corrections as of small rotations.
fn rotation(a: Vector) -> Matrix {
    let mut w = Vector::zeros();
    for _ in 0..100 {
        let f = Rotation3::from_scaled_axis(w).into_inner();
        w += (a - asym(f * reduced())).component_div(&INERTIA);
    }
    Rotation3::from_scaled_axis(w).into_inner()
}

/// Two configurations and the time between them.
#[derive(Clone, Copy)]
struct Pair {
    x: [Vector; 2],
    r: [Matrix; 2],
    time: f64,
}

impl Pair {
    /// The discrete momenta at the end: the second Legendre transform (46).
    fn momenta(&self) -> [Vector; 2] {
        let f = self.r[0].transpose() * self.r[1];
        let linear = (self.x[1] - self.x[0]) * (MASS / self.time) + DOWN * (0.5 * MASS * self.time);
        [linear, asym(reduced() * f) / self.time]
    }

    /// The next configuration after `time`: the discrete Euler-Lagrange equations, with the impulse
    /// `lambda` at the configuration between.
    fn next(&self, time: f64, lambda: f64) -> Pair {
        let [x0, x1] = self.x;
        let speed = (x1 - x0) / self.time + DOWN * (0.5 * (self.time + time));
        let f = self.r[0].transpose() * self.r[1];
        let spin = asym(reduced() * f) / self.time + self.lever() * lambda;
        let r2 = self.r[1] * rotation(spin * time);
        let x2 = x1 + (speed + NORMAL * (lambda / MASS)) * time;
        Pair { x: [x1, x2], r: [self.r[1], r2], time }
    }

    /// `chi` of `S(chi) = asym(R' dPhi/dR)`, (48), at the end.
    fn lever(&self) -> Vector {
        let q = self.r[1].transpose() * NORMAL;
        let scaled = q.component_mul(&AXES);
        let rho = -scaled.component_mul(&AXES) / scaled.norm();
        rho.cross(&q)
    }

    /// Phi at the end, (7).
    fn gap(&self) -> f64 {
        let q = self.r[1].transpose() * NORMAL;
        NORMAL.dot(&self.x[1]) - q.component_mul(&AXES).norm()
    }

    /// Lambda of Corollary 4.6, which the paper takes for the Lagrangian form as well.
    fn impulse(&self) -> f64 {
        let ([linear, angular], chi) = (self.momenta(), self.lever());
        let turned = chi.component_div(&INERTIA);
        let rate = NORMAL.dot(&linear) / MASS + angular.dot(&turned);
        -2.0 * rate / (1.0 / MASS + chi.dot(&turned))
    }
}

#[test]
fn the_lagrangian_form_is_the_same_motion() {
    let motion = Lgvci::new(spec(ellipsoid())).unwrap();
    let mut states = Vec::new();
    let course = motion.run(900, None, |moment| {
        let state = state_at(moment);
        states.push((Vector::from(state.position), state.attitude));
        Ok(())
    });
    let hits = course.unwrap().impacts;
    assert_eq!(hits.len(), 4);
    // The first step is that of the first Legendre transform (45).
    let (x, momentum, spin) =
        (Vector::new(0.0, 0.0, 10.0), Vector::new(2.0, 2.0, 10.0), Vector::new(4.0, -4.0, 4.0));
    let moved = x + momentum * (STEP / MASS) + DOWN * (0.5 * STEP * STEP);
    let mut pair =
        Pair { x: [x, moved], r: [Matrix::identity(), rotation(spin * STEP)], time: STEP };
    let (mut struck, mut growth) = (0, 1.0);
    // Positions of 15 m are rounded by 2e-15, and n steps add the roundings of their differences up
    // to n^2 / 2 of it: 6e-11 m until the first collision.
    let rounding = 1e-10;
    for (number, (position, attitude)) in states.iter().enumerate().skip(1) {
        if number > 1 {
            let (mut left, mut lambda) = (STEP, 0.0);
            while pair.next(left, lambda).gap() < 0.0 {
                let (mut low, mut high) = (0.0, left);
                for _ in 0..100 {
                    let middle = 0.5 * (low + high);
                    if middle <= low || middle >= high {
                        break;
                    }
                    if pair.next(middle, lambda).gap() >= 0.0 {
                        low = middle
                    } else {
                        high = middle
                    }
                }
                pair = pair.next(low, lambda);
                lambda = pair.impulse();
                left -= low;
                let hit = &hits[struck];
                let off = (hit.impulse[0] - lambda).abs();
                assert!(off < 100.0 * rounding * growth, "collision {struck}");
                assert!((hit.time - (number as f64 * STEP - left)).abs() < rounding * growth);
                // An impact amplifies differences: in the reference by up to 60.
                (struck, growth) = (struck + 1, 60.0 * growth);
            }
            pair = pair.next(left, lambda);
        }
        let far = (pair.x[1] - position).amax();
        let turned = (pair.r[1] - Matrix::from_fn(|i, j| attitude[i][j])).amax();
        assert!(far.max(turned) < rounding * growth, "step {number}: {far:e} {turned:e}");
    }
    assert_eq!(struck, 4);
}
