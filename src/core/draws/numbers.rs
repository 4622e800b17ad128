//! Uncertain parameters of each sample: friction, restitution, noise of the velocity.

use nalgebra::DMatrix;

use crate::{ContactProblem, Purpose, Real, Scaling, Stream, stream};

/// Friction, restitution and noise of a problem, dimensionless. A certain number has a range of
/// zero width.
///
/// Samples draw friction and restitution from the ranges, and start at `start + noise x`, with `x`
/// (n) from [`disturbance`].
#[derive(Clone, Debug)]
pub struct Numbers<R> {
    /// Friction (m): smallest value and width of the range.
    pub mu: Vec<[R; 2]>,
    /// Restitution (m): smallest value and width of the range.
    pub e: Vec<[R; 2]>,
    /// Noise of the contact velocity (K,n), row by row; empty where there is none.
    pub noise: Vec<R>,
}

impl Numbers<f64> {
    /// The numbers of `problem` without noise, as noise depends on the velocity.
    pub fn new(problem: &ContactProblem, scaling: &Scaling) -> Self {
        let uncertainty = problem.uncertainty();
        let m = problem.contact_count();
        let zeros = vec![0.0; m];
        let scale = |i: usize| match scaling.sigma.get(m + i * scaling.axes()) {
            Some(sigma) => sigma / scaling.sigma[i],
            None => 1.0,
        };
        let mu = uncertainty.friction_of(problem.friction());
        let e = uncertainty.restitution_of(problem.restitution().unwrap_or(&zeros));
        Numbers {
            mu: (0..m).map(|i| [mu[i][0] * scale(i), (mu[i][1] - mu[i][0]) * scale(i)]).collect(),
            e: e.iter().map(|e| [e[0], e[1] - e[0]]).collect(),
            noise: Vec::new(),
        }
    }

    /// The numbers in another precision.
    pub fn cast<R: Real>(&self) -> Numbers<R> {
        let pairs = |x: &[[f64; 2]]| x.iter().map(|x| x.map(R::from_f64)).collect();
        let noise = self.noise.iter().map(|&x| R::from_f64(x)).collect();
        Numbers { mu: pairs(&self.mu), e: pairs(&self.e), noise }
    }
}

/// The matrix `root` (n,n) with `d = root x`, where `d` is the disturbance of the velocity and `x`
/// comes from [`disturbance`]: `noise |v-|_M sqrt(3 / n) L^-T` with `M = L L'`. `None` without
/// noise.
pub fn noise_root(problem: &ContactProblem) -> Option<DMatrix<f64>> {
    if problem.uncertainty().noise <= 0.0 {
        return None;
    }
    let n = problem.coordinate_count();
    let speed = (2.0 * problem.kinetic_energy(problem.velocity().as_slice())).sqrt();
    let size = problem.uncertainty().noise * speed * (3.0 / n as f64).sqrt();
    let transposed = problem.mass().clone().cholesky()?.l().transpose();
    if size > 0.0 { transposed.try_inverse().map(|root| root * size) } else { None }
}

/// Entry `a` of `x`, the random part of a sample's disturbance: the sum of four uniform draws,
/// which is nearly normal with mean 0 and variance 1/3, and lies within 2 of 0.
pub fn disturbance<R: Real>(stream: &Stream, a: usize) -> R {
    let words = stream.block(2, Purpose::Parameter, a as u32);
    let [w, x, y, z] = words.map(|word| R::from_f64(f64::from(stream::unit(word))));
    ((w + x) + (y + z)) - R::from_f64(2.0)
}

impl<R: Real> Numbers<R> {
    /// Whether all samples have the same friction, restitution and velocity before the impact.
    pub fn are_certain(&self) -> bool {
        self.noise.is_empty() && self.mu.iter().chain(&self.e).all(|[_, width]| *width <= R::ZERO)
    }

    /// Draws the numbers of a sample: friction and restitution (m each), and the velocity `start`
    /// (K) with noise, `disturbed`.
    pub fn draw(&self, start: &[R], stream: &Stream, [mu, e]: [&mut [R]; 2], disturbed: &mut [R]) {
        let mut words = [[0; 4]; 2];
        for i in 0..mu.len() {
            if i % 4 == 0 {
                words = [0, 1].map(|step| stream.block(step, Purpose::Parameter, i as u32 / 4));
            }
            let draw = |step: usize| R::from_f64(f64::from(stream::unit(words[step][i % 4])));
            mu[i] = self.mu[i][0] + self.mu[i][1] * draw(0);
            e[i] = self.e[i][0] + self.e[i][1] * draw(1);
        }
        disturbed.copy_from_slice(start);
        let n = self.noise.len() / start.len();
        for a in 0..n {
            let x = disturbance::<R>(stream, a);
            for j in 0..start.len() {
                disturbed[j] += self.noise[j * n + a] * x;
            }
        }
    }

    /// Sets the noise for the velocity of `problem`. Allocates if there is noise.
    pub fn disturb(&mut self, problem: &ContactProblem, scaling: &Scaling) {
        let Some(root) = noise_root(problem) else { return self.noise.clear() };
        let contacts = problem.jacobian() * root;
        let columns: Vec<_> = contacts.column_iter().map(|x| x.into_owned()).collect();
        let rows = 0..scaling.sigma.len();
        let row = |i: usize| columns.iter().map(move |x| R::from_f64(scaling.along(x, i)));
        self.noise = rows.flat_map(row).collect();
    }
}
