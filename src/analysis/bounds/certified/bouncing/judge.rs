//! Proof checker for functions with stored energies, in arithmetic that rounds up.

use nalgebra::{DMatrix, DVector};

use super::certificate::{Certificate, Function, Slope};
use crate::bounds::certified::absence;
use crate::bounds::certified::cells::{Push, Pushes};
use crate::bounds::certified::fan::{Fan, FanFace, Ray, free};
use crate::bounds::certified::judge::Inverse;
use crate::bounds::rounding::{Sum, up};
use carom_core::cones::conic::Limits;

/// [Rises](absence::rises) of a function; infinite if the rounding on a face is too large, or if a
/// stored energy has a negative weight.
pub fn rises(fan: &Fan, cells: &Pushes, certificate: &Certificate, limits: &Limits) -> Vec<f64> {
    let function = &certificate.function;
    let mut energies = function.stored.iter().chain([&function.energy]);
    if energies.any(|weight| weight.is_nan() || *weight < 0.0) {
        return vec![f64::INFINITY; cells.contacts];
    }
    absence::rises(fan, cells, &certificate.claims, limits, |face, slopes, rises| {
        let basis = Basis::new(fan, &face.rays, &free(cells, &face.states))?;
        let on_face = OnFace { fan, cells, face, basis: &basis, function, slopes };
        for (contact, push) in face.pushes(cells) {
            let rise = on_face.rise(contact, push);
            rises[contact] = if rise.is_nan() { f64::INFINITY } else { rises[contact].max(rise) };
        }
        Some(())
    })
}

/// Coordinates of the velocities in a face by its rays.
///
/// With an approximate inverse `X` of the matrix `A` of the rays and `|1 - A X| < 1/2` the exact
/// inverse is at most `2 |X|`.
struct Basis {
    free: Vec<usize>,
    /// Rays as columns, on the free coordinates.
    rays: DMatrix<f64>,
    inverse: DMatrix<f64>,
    /// Upper bound on the norm of the exact inverse, the maximum row sum.
    size: f64,
    /// Maximum error of an entry of a ray.
    rounded: f64,
}

impl Basis {
    fn new(fan: &Fan, rays: &[usize], free: &[usize]) -> Option<Self> {
        let matrix = fan.matrix(rays, free).transpose();
        let Inverse { inverse, size, off, rounded } = Inverse::new(fan, rays, &matrix)?;
        let size = up(2.0 * up(size * (1.0 + 1e-12)));
        (off < 0.5).then(|| Basis { free: free.to_vec(), rays: matrix, inverse, size, rounded })
    }

    /// Coordinates of a vector with entries off by `blur`, and their maximum error.
    fn parts(&self, of: &DVector<f64>, blur: f64) -> (DVector<f64>, f64) {
        let inner = DVector::from_fn(self.free.len(), |r, _| of[self.free[r]]);
        let parts = &self.inverse * &inner;
        let size: f64 = up(parts.iter().map(|x| x.abs()).sum::<f64>() * (1.0 + 1e-12));
        let mut residual: f64 = 0.0;
        for (r, x) in inner.iter().enumerate() {
            let sum = Sum::of(self.rays.row(r).iter().zip(parts.iter())).and(-x);
            residual = residual.max(up(sum.most_absolute() + up(self.rounded * size) + blur));
        }
        (parts, up(self.size * residual))
    }

    /// Upper bound on the coordinates of dimensionless velocities.
    fn longest(&self, cells: &Pushes) -> f64 {
        up(self.size * up(1.0 + cells.blur))
    }
}

struct OnFace<'a> {
    fan: &'a Fan,
    cells: &'a Pushes,
    face: &'a FanFace,
    basis: &'a Basis,
    function: &'a Function,
    slopes: &'a [Slope],
}

impl OnFace<'_> {
    /// Upper bound on the rise of the function along a push over the face: maximum of the linear
    /// function given at rest and on the rays.
    fn rise(&self, contact: usize, push: &Push) -> f64 {
        let (cells, function, rays) = (self.cells, self.function, &self.face.rays);
        let blur = up(cells.blur * cells.reach[contact]);
        let (parts, off) = self.basis.parts(&push.along, blur);
        let across: Vec<f64> =
            self.face.held().map(|j| cells.tangent[j].map_or(0.0, |t| push.along[t])).collect();
        let (mut at_rest, mut error) = (Sum::default(), 0.0);
        for (t, h) in rays.iter().zip(parts.iter()) {
            at_rest.add(function.linear[*t] * h);
            error += up(function.linear[*t].abs() * off);
        }
        for (slope, g) in self.slopes.iter().zip(&across) {
            at_rest.add(slope.constant * g);
            error += up(slope.constant.abs() * blur);
        }
        let mut over = 0.0;
        for (k, &t) in rays.iter().enumerate() {
            let (mut sum, mut error) = (Sum::default(), 0.0);
            for (&s, h) in rays.iter().zip(parts.iter()) {
                let weight = if s == t { 2.0 * function.square[t] } else { function.product(s, t) };
                sum.add(weight * h);
                error += up(weight.abs() * off);
            }
            for (slope, g) in self.slopes.iter().zip(&across) {
                sum.add(slope.along[k] * g);
                error += up(slope.along[k].abs() * blur);
            }
            error += self.add_energies(&mut sum, contact, push, &self.fan.rays[t]);
            over += up(up(sum.most() + up(1.001 * error)).max(0.0) * self.basis.longest(cells));
        }
        up(up(at_rest.most() + up(1.001 * error)) + up(1.001 * over))
    }

    /// Adds the change of kinetic energy and of the contact's stored energy by a push at a ray;
    /// returns the error.
    ///
    /// ```text
    /// S' = -e^2 l_n u_n  while u_n < 0,   S' = -l_n u_n  while u_n > 0
    /// ```
    fn add_energies(&self, sum: &mut Sum, contact: usize, push: &Push, ray: &Ray) -> f64 {
        let (cells, energy) = (self.cells, self.function.energy);
        let (u, stored) = (ray.along[contact], self.function.stored[contact]);
        let e = if u < 0.0 { cells.restitution[contact] } else { 1.0 };
        let stored = if cells.bounces(contact) { stored } else { 0.0 };
        sum.add(energy * cells.scale[contact] * u);
        sum.add(-e * e * (stored * cells.scale[contact] * u));
        if let Some(t) = cells.tangent[contact] {
            sum.add(push.friction * (energy * cells.scale[t] * ray.along[t]));
        }
        up(2.0 * (energy + stored) * cells.reach[contact] * ray.error)
    }
}

/// Upper bound on `c.v+ - V(u+)` at every end. `most(p)`: upper bound on `c.v+ - p.u+ - energy
/// |v+|_M^2 / (2 |v-|_M^2)`.
///
/// On a cone without approach the function is at least `p.u` plus its energy, minus
///
/// ```text
/// sum_t ((p.ray_t - linear_t) z_t - square_t z_t^2) - sum product_st z_s z_t,
/// b z - a z^2 <= b^2 / (4 a)  for a > 0
/// ```
pub fn ends(
    fan: &Fan,
    cells: &Pushes,
    certificate: &Certificate,
    most: impl Fn(&DVector<f64>) -> f64,
) -> f64 {
    let cones: Vec<_> = fan.ends(cells.contacts).collect();
    if cones.len() != certificate.ends.len() {
        return f64::INFINITY;
    }
    let (function, all) = (&certificate.function, (0..cells.dimension()).collect::<Vec<_>>());
    let mut worst = f64::NEG_INFINITY;
    for (cone, p) in cones.into_iter().zip(&certificate.ends) {
        let Some(basis) = Basis::new(fan, &cone.rays, &all) else { return f64::INFINITY };
        let longest = basis.longest(cells);
        let mut short = 0.0;
        for (k, &t) in cone.rays.iter().enumerate() {
            let ray = &fan.rays[t];
            let sum = Sum::of(p.iter().zip(ray.along.iter())).and(-function.linear[t]);
            let error = up(p.iter().map(|p| p.abs()).sum::<f64>() * 1.001 * ray.error);
            let slope = up(sum.most() + error).max(0.0);
            let negative = |weight: f64| up(up((-weight).max(0.0) * longest) * longest);
            let straight = up(up(slope * longest) + negative(function.square[t]));
            let bent = up(up(slope * slope) / (4.0 * function.square[t]));
            short += if function.square[t] > 0.0 { straight.min(bent) } else { straight };
            cone.rays[..k].iter().for_each(|&s| short += negative(function.product(s, t)));
        }
        let value = up(up(most(p) - function.constant) + up(1.001 * short));
        worst = if value.is_nan() { f64::INFINITY } else { worst.max(value) };
    }
    worst
}

/// Upper bound on a function at the velocity before the impact, about `length` along the ray
/// `start`.
pub fn start(fan: &Fan, cells: &Pushes, function: &Function, (start, length): (usize, f64)) -> f64 {
    let ray = &fan.rays[start];
    let moved = (&cells.start - &ray.along * length).amax();
    let moved = up(moved + cells.start_blur + 8.0 * f64::EPSILON * length + up(ray.error * length));
    let sum = Sum::of([(&function.constant, &1.0), (&function.linear[start], &length)])
        .and(function.square[start] * length * length)
        // v-|_M is known up to rounding.
        .and(function.energy / 2.0);
    up(up(sum.most() + up(1e-12 * function.energy)) + up(steepest(fan, cells, function) * moved))
}

/// Lipschitz constant of a function with respect to entries of the velocity: within a cone, the sum
/// of its slopes along the rays times the norm of the inverse.
fn steepest(fan: &Fan, cells: &Pushes, function: &Function) -> f64 {
    let all: Vec<usize> = (0..cells.dimension()).collect();
    let of_cone = |rays: &[usize]| {
        let Some(basis) = Basis::new(fan, rays, &all) else { return f64::INFINITY };
        let longest = basis.longest(cells);
        let slope = |&t: &usize| {
            let products = rays.iter().filter(|s| **s != t).map(|s| function.product(*s, t).abs());
            let bends = 2.0 * function.square[t].abs() + products.sum::<f64>();
            up(1.001 * (function.linear[t].abs() + bends * longest))
        };
        up(1.001 * rays.iter().map(slope).sum::<f64>() * basis.size)
    };
    fan.cones.iter().map(|cone| of_cone(&cone.rays)).fold(0.0, f64::max)
}
