//! A certificate: a function that is quadratic where the same contacts approach, and why it bounds
//! what the law ends with.

use nalgebra::{DMatrix, DVector};

use super::frame::Frame;

/// A function of `y` (r) and of the energies that contacts store, with `n_i` the normal velocity of
/// contact i where it approaches, else 0:
///
/// ```text
/// V = constant + linear.y + y' square y / 2 - sum_i n_i (kink_i + bend_i.y)
///   + sum_(i<j) pair_ij n_i n_j + sum_i stored_i S_i
/// ```
///
/// It is continuous, as what changes where a contact begins to approach is 0 there.
#[derive(Clone, Debug)]
pub struct Function {
    /// The value at rest.
    pub constant: f64,
    /// The slope at rest.
    pub linear: DVector<f64>,
    /// The curvature, symmetric.
    pub square: DMatrix<f64>,
    /// What each approaching contact adds; none where the function has no pieces.
    pub pieces: Vec<Piece>,
    /// The weights of products of two approaching contacts (m,m), above the diagonal.
    pub pair: DMatrix<f64>,
    /// The weight of the energy that each contact stores, at least 0, in units of its own.
    pub stored: Vec<f64>,
}

/// What a contact adds to a function where it approaches.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The change of the slope at rest.
    pub kink: f64,
    /// How that change depends on `y`.
    pub bend: DVector<f64>,
}

/// What is known of velocities: the signs of normal velocities, 0 where nothing is known of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// 1, 0 or -1 of each contact.
    pub signs: Vec<i8>,
}

impl Region {
    /// The regions in which a contact may push, for functions with or without pieces.
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

    /// The region in which impacts end.
    pub fn of_ends(count: usize) -> Region {
        Region { signs: vec![1; count] }
    }
}

/// Why a quadratic function of `z = (1, y, t)` is at most 0 in a region: what these products of
/// what is at least 0 leave of its negative is a positive semidefinite form of `z`.
#[derive(Clone, Debug, Default)]
pub struct Claim {
    /// The weight of `1 - |y|^2`.
    pub ball: f64,
    /// Weights `(b0, b)` of `|n_i| (b0 + b.y)`, `|b| <= b0`, for each contact with a sign.
    pub approach: Vec<Option<(f64, DVector<f64>)>>,
    /// Weights `(b0, b)` of `|n_i| (b0 + b.t)`, `|b| <= b0`, for each contact with a sign.
    pub aside: Vec<Option<(f64, DVector<f64>)>>,
    /// Weights `(x, b)` of `x t.u_t - b.u_t`, `|b| <= x`.
    pub slide: Option<(f64, DVector<f64>)>,
    /// The weight of `1 - |t|^2`.
    pub disk: f64,
    /// The weight of `t x u_t = 0`.
    pub parallel: f64,
    /// Vectors `w` of `(1 + a.t) w.(y - y-)`, for each `a` of [`aims`]; `w` rises along all pushes.
    pub rising: Vec<DVector<f64>>,
}

/// Vectors `a` with `|a| <= 1` for which `1 + a.t` is at least 0 where `|t| <= 1`.
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

/// Directions `a` of a contact with two tangents; fewer make wider bounds.
const DIRECTIONS: usize = 8;

/// A certificate; all numbers are claims that a check has to confirm.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The function.
    pub function: Function,
    /// Claims that the function does not rise: of contacts, regions, and ends of friction.
    pub falls: Vec<Fall>,
    /// Why the function is at least the direction where the impact ends.
    pub ends: Claim,
}

/// A claim that a function does not rise while a contact pushes.
#[derive(Clone, Debug)]
pub struct Fall {
    /// The contact.
    pub contact: usize,
    /// The share of its largest friction.
    pub share: f64,
    /// Where.
    pub region: Region,
    /// Why.
    pub claim: Claim,
}

/// The claims that are needed of a function: contact, share of its friction, region.
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
