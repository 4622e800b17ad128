//! Certificate: a function, quadratic for each set of approaching contacts, with the proof of its
//! bound.

use nalgebra::{DMatrix, DVector};

use super::frame::Frame;

/// Function of `y` (r) and of the stored energies `S_i`. `n_i` is the normal velocity of contact i
/// while it approaches, else 0:
///
/// ```text
/// V = constant + linear.y + y' square y / 2 - sum_i n_i (kink_i + bend_i.y)
///   + sum_(i<j) pair_ij n_i n_j + sum_i stored_i S_i
/// ```
///
/// `V` is continuous: all terms of a contact vanish where it begins to approach.
#[derive(Clone, Debug)]
pub struct Function {
    /// Value at rest.
    pub constant: f64,
    /// Gradient at rest.
    pub linear: DVector<f64>,
    /// Hessian, symmetric.
    pub square: DMatrix<f64>,
    /// Terms of each approaching contact; empty for a function without pieces.
    pub pieces: Vec<Piece>,
    /// Weights of products of two approaching contacts (m,m), above the diagonal.
    pub pair: DMatrix<f64>,
    /// Weight of each contact's stored energy, at least 0, in the contact's unit.
    pub stored: Vec<f64>,
}

/// Terms of an approaching contact.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Change of the gradient at rest.
    pub kink: f64,
    /// Dependence of this change on `y`.
    pub bend: DVector<f64>,
}

/// Region of velocities: signs of normal velocities; 0 if a sign is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// 1, 0 or -1 of each contact.
    pub signs: Vec<i8>,
}

impl Region {
    /// Regions in which a contact may push, for functions with or without pieces.
    fn of_pushes(count: usize, pieces: bool, contact: usize, bounces: bool) -> Vec<Region> {
        let both = |i: usize| i != contact || bounces;
        let choices = |i: usize| -> &[i8] {
            match (both(i), pieces || i == contact) {
                (false, _) => &[-1],
                (true, true) => &[-1, 1],
                (true, false) => &[0],
            }
        };
        let mut all = vec![Vec::new()];
        for i in 0..count {
            let more =
                |signs: Vec<i8>| choices(i).iter().map(move |sign| [&signs[..], &[*sign]].concat());
            all = all.into_iter().flat_map(more).collect();
        }
        all.into_iter().map(|signs| Region { signs }).collect()
    }

    /// Region in which impacts end.
    pub fn of_ends(count: usize) -> Region {
        Region { signs: vec![1; count] }
    }
}

/// Proof that a quadratic function of `z = (1, y, t)` is at most 0 in a region: its negative minus
/// weighted products of nonnegative functions is a positive semidefinite form of `z`.
#[derive(Clone, Debug, Default)]
pub struct Claim {
    /// Weight of `1 - |y|^2`.
    pub ball: f64,
    /// Weights `(b0, b)` of `|n_i| (b0 + b.y)`, `|b| <= b0`, for each contact with a sign.
    pub approach: Vec<Option<(f64, DVector<f64>)>>,
    /// Weights `(b0, b)` of `|n_i| (b0 + b.t)`, `|b| <= b0`, for each contact with a sign.
    pub aside: Vec<Option<(f64, DVector<f64>)>>,
    /// Weights `(x, b)` of `x t.u_t - b.u_t`, `|b| <= x`.
    pub slide: Option<(f64, DVector<f64>)>,
    /// Weight of `1 - |t|^2`.
    pub disk: f64,
    /// Weight of `t x u_t = 0`.
    pub parallel: f64,
    /// Vectors `w` of `(1 + a.t) w.(y - y-)`, for each `a` of [`aims`]; `w` rises along all pushes.
    pub rising: Vec<DVector<f64>>,
}

/// Vectors `a` with `|a| <= 1`, so that `1 + a.t >= 0` for `|t| <= 1`.
pub fn aims(tangents: usize) -> Vec<DVector<f64>> {
    match tangents {
        0 => vec![DVector::zeros(0)],
        1 => [1.0, -1.0].map(|x| DVector::from_element(1, x)).to_vec(),
        _ => {
            let angle = |k: usize| std::f64::consts::TAU * k as f64 / DIRECTIONS as f64;
            let aim = |angle: f64| DVector::from_vec(vec![angle.cos(), angle.sin()]);
            (0..DIRECTIONS).map(|k| aim(angle(k)) * (1.0 - 4.0 * f64::EPSILON)).collect()
        }
    }
}

/// Number of directions `a` of a contact with two tangents; fewer make wider bounds.
const DIRECTIONS: usize = 8;

/// Certificate; a checker has to confirm all its numbers.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The function.
    pub function: Function,
    /// Claims that the function does not rise, by contact, region, and end of the friction range.
    pub falls: Vec<Fall>,
    /// Claim that the function is at least the direction at ends of the impact.
    pub ends: Claim,
}

/// Claim that a function does not rise while a contact pushes.
#[derive(Clone, Debug)]
pub struct Fall {
    /// Index of the contact.
    pub contact: usize,
    /// Fraction of its maximum friction.
    pub share: f64,
    /// Region of velocities.
    pub region: Region,
    /// Proof.
    pub claim: Claim,
}

/// Required claims about a function: contact, fraction of its friction, region.
pub fn needed(frame: &Frame, pieces: bool) -> Vec<(usize, f64, Region)> {
    let mut all = Vec::new();
    for (j, contact) in frame.contacts.iter().enumerate() {
        let regions = Region::of_pushes(frame.contacts.len(), pieces, j, contact.restitution > 0.0);
        for region in regions {
            all.push((j, 1.0, region.clone()));
            if contact.least < 1.0 && !contact.tangents.is_empty() {
                all.push((j, contact.least, region));
            }
        }
    }
    all
}
