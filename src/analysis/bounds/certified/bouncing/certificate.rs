//! Certificate: a continuous function of the velocity and the stored energies, with the proof of
//! its bound.

use std::collections::BTreeMap;

use nalgebra::DVector;

use crate::bounds::certified::absence::Claim;
use crate::bounds::certified::fan::Fan;

/// Function `V` of the velocity and of the stored energies `S`: with `u = sum_t z_t ray_t` on a
/// cone of the fan, `z >= 0`,
///
/// ```text
/// V = constant + (energy |v|_M^2 / 2 + sum_i stored_i S_i) / |v-|_M^2
///   + sum_t linear_t z_t + sum_t square_t z_t^2 + sum_{s < t} product_st z_s z_t
/// ```
///
/// Adjacent cones share the rays of their common face, so `V` is continuous.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Value at rest.
    pub constant: f64,
    /// Weight of the kinetic energy.
    pub energy: f64,
    /// Weight of each contact's stored energy, at least 0.
    pub stored: Vec<f64>,
    /// Weight of each ray.
    pub linear: Vec<f64>,
    /// Weight of each ray's square.
    pub square: Vec<f64>,
    /// Weights of products of two rays of a cone, smaller index first; 0 for missing pairs.
    pub product: BTreeMap<(usize, usize), f64>,
}

impl Function {
    /// Weight of the product of two rays.
    pub fn product(&self, s: usize, t: usize) -> f64 {
        self.product.get(&pair(s, t)).copied().unwrap_or(0.0)
    }
}

/// Function with its proof; a checker has to confirm all its numbers.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The function.
    pub function: Function,
    /// Claim about each face of the fan.
    pub claims: Vec<Claim<Slope>>,
    /// For each cone in which motions may end, `p` with `p.u` below the function.
    pub ends: Vec<DVector<f64>>,
}

/// Slope that is linear on a face: `constant + sum_t along_t z_t`.
#[derive(Clone, Debug)]
pub struct Slope {
    /// Slope at rest.
    pub constant: f64,
    /// Weights of the rays of the face, in their order.
    pub along: Vec<f64>,
}

/// Two rays, smaller index first.
pub fn pair(s: usize, t: usize) -> (usize, usize) {
    (s.min(t), s.max(t))
}

/// All pairs of rays in a common cone.
pub fn pairs(fan: &Fan) -> Vec<(usize, usize)> {
    let of_cone = |rays: &[usize]| -> Vec<(usize, usize)> {
        let all = (0..rays.len()).flat_map(|k| (0..k).map(move |l| (k, l)));
        all.map(|(k, l)| pair(rays[k], rays[l])).collect()
    };
    let mut pairs: Vec<_> = fan.cones.iter().flat_map(|cone| of_cone(&cone.rays)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
