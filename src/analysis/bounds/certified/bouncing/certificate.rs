//! A certificate: a continuous function of the velocity and of what contacts store, and why it
//! bounds what the law ends with.

use std::collections::BTreeMap;

use nalgebra::DVector;

use crate::bounds::certified::absence::Claim;
use crate::bounds::certified::fan::Fan;

/// A function `V` of the velocity and of the energies `S` that contacts store: with `u = sum_t z_t
/// ray_t` on a cone of the fan, `z >= 0`,
///
/// ```text
/// V = constant + (energy |v|_M^2 / 2 + sum_i stored_i S_i) / |v-|_M^2
///   + sum_t linear_t z_t + sum_t square_t z_t^2 + sum_{s < t} product_st z_s z_t
/// ```
///
/// Cones that meet share the rays of their common face, so `V` is continuous.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The value at rest.
    pub constant: f64,
    /// The weight of the kinetic energy.
    pub energy: f64,
    /// The weight of the energy that each contact stores, at least 0.
    pub stored: Vec<f64>,
    /// The weight of each ray.
    pub linear: Vec<f64>,
    /// The weight of each ray's square.
    pub square: Vec<f64>,
    /// The weights of products of two rays of a cone, the lower number first; 0 of others.
    pub product: BTreeMap<(usize, usize), f64>,
}

impl Function {
    /// The weight of the product of two rays.
    pub fn product(&self, s: usize, t: usize) -> f64 {
        self.product.get(&pair(s, t)).copied().unwrap_or(0.0)
    }
}

/// A function and what its proof needs; all numbers are claims that a check has to confirm.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The function.
    pub function: Function,
    /// The claim about each face of the fan.
    pub claims: Vec<Claim<Slope>>,
    /// For each cone in which motions may end, `p` for which `p.u` is below the function.
    pub ends: Vec<DVector<f64>>,
}

/// A slope that is linear on a face: `constant + sum_t along_t z_t`.
#[derive(Clone, Debug)]
pub struct Slope {
    /// The slope at rest.
    pub constant: f64,
    /// The weights of the rays of the face, in their order.
    pub along: Vec<f64>,
}

/// Two rays, the lower number first.
pub fn pair(s: usize, t: usize) -> (usize, usize) {
    (s.min(t), s.max(t))
}

/// All pairs of rays that share a cone.
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
