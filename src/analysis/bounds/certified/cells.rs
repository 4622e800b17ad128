//! Planar law in dimensionless contact velocities: admissible impulse directions by contact state.

use nalgebra::{DMatrix, DVector};

use crate::bounds::proof::dual_length;
use crate::bounds::rounding::{Sum, up};
use crate::bounds::whitened::Whitened;
use crate::reach::rationals::dependencies;
use carom_core::problem::ContactProblem;

/// State of a contact; determines its impulse directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PushState {
    /// `u_n >= 0`, and nothing can be stored: no impulse.
    Open,
    /// `u_t >= 0`, or no friction: the contact pushes along `W (e_n - mu e_t)`.
    Forward,
    /// `u_t <= 0`: the contact pushes along `W (e_n + mu e_t)`.
    Back,
    /// `u_t = 0`: the contact pushes along both directions, so that `u_t` stays 0.
    Stick,
}

/// Directions in which the planar law changes the contact velocity.
///
/// A contact pushes while it approaches; with restitution also while it separates. An interval of
/// friction coefficients gives two extreme sliding directions. Coordinates `k`: the normals of all
/// contacts, then the tangents of contacts with friction. Velocities are `u_k / (S_k |v-|_M)` with
/// `S_k = sqrt W_kk`, so no number depends on units.
#[derive(Clone, Debug)]
pub struct Pushes {
    /// Number m of contacts.
    pub contacts: usize,
    /// Tangent coordinate of each contact; `None` without friction.
    pub tangent: Vec<Option<usize>>,
    /// Maximum coefficient of restitution of each contact.
    pub restitution: Vec<f64>,
    /// Row of each coordinate in the contact Jacobian.
    pub row: Vec<usize>,
    /// Scale `S_k` of each coordinate.
    pub scale: Vec<f64>,
    /// Velocity before the impact, in these coordinates.
    pub start: DVector<f64>,
    /// Directions of each contact, per unit of normal impulse times `|v-|_M`.
    pub push: Vec<Vec<Push>>,
    /// Magnitude scale of the entries of each contact's directions, for error bounds.
    pub reach: Vec<f64>,
    /// `C^-1 J_k' / S_k` of each coordinate: see [`Whitened`].
    pub columns: DMatrix<f64>,
    /// Independent rows `w` with `w.u = 0` for all velocities, with errors below [`ROUNDED`].
    pub never: Vec<DVector<f64>>,
    /// Maximum error of an entry of `push`, relative to the contact's `reach`.
    pub blur: f64,
    /// Maximum error of an entry of `start`.
    pub start_blur: f64,
}

/// Direction of a contact's impulse.
#[derive(Clone, Debug)]
pub struct Push {
    /// Tangential impulse per unit of normal impulse.
    pub friction: f64,
    /// Velocity change.
    pub along: DVector<f64>,
}

/// Maximum relative rounding of an entry of [`Pushes::never`].
pub const ROUNDED: f64 = 2.0 * f64::EPSILON;

impl Pushes {
    /// Directions of a planar or frictionless problem with `|v-|_M` > 0, whose coefficients are the
    /// maxima of the ranges; `least`: minimum coefficients of friction (m).
    pub fn new(problem: &ContactProblem, space: &Whitened, least: &[f64]) -> Self {
        let m = problem.contact_count();
        let mut row: Vec<usize> = (0..m).collect();
        let mut tangent = vec![None; m];
        let rubs = |i: &usize| problem.friction()[*i] > 0.0 && problem.tangents_per_contact() == 1;
        for i in (0..m).filter(rubs) {
            tangent[i] = Some(row.len());
            row.push(m + i);
        }
        let w = problem.delassus();
        let root = |k: usize| w[(k, k)].sqrt();
        let scale: Vec<f64> =
            row.iter().map(|&k| if root(k) > 0.0 { root(k) } else { 1.0 }).collect();
        let of_row = |k: usize| DVector::from_fn(row.len(), |l, _| w[(row[l], k)] / scale[l]);
        let start = |l: usize| problem.contact_velocity()[row[l]] / (scale[l] * space.speed);
        let pushes = |i: usize| {
            if tangent[i].is_none() {
                return vec![Push { friction: 0.0, along: of_row(i) }];
            }
            let (low, high) = (least[i], problem.friction()[i]);
            let all = if low < high { vec![-low, -high, high, low] } else { vec![-high, high] };
            let push = |friction| Push { friction, along: of_row(i) + of_row(m + i) * friction };
            all.into_iter().map(push).collect()
        };
        let reach = |i| root(i) + tangent[i].map_or(0.0, |_| problem.friction()[i] * root(m + i));
        let whitened = space.columns(problem);
        let columns =
            DMatrix::from_fn(space.dimension(), row.len(), |r, l| whitened[(r, row[l])] / scale[l]);
        let of_dependency = |w: Vec<f64>| DVector::from_fn(row.len(), |l, _| w[row[l]] * scale[l]);
        let never = dependencies(problem, &row).into_iter().map(of_dependency).collect();
        let velocity = |l: usize| {
            let sum = Sum::of(problem.jacobian().row(row[l]).iter().zip(problem.velocity().iter()));
            up(sum.error() / (scale[l] * space.speed)) + 4.0 * f64::EPSILON * start(l).abs()
        };
        Pushes {
            blur: blur(problem, space, &row, &scale),
            start_blur: (0..row.len()).map(velocity).fold(0.0, f64::max),
            contacts: m,
            start: DVector::from_fn(row.len(), |l, _| start(l)),
            push: (0..m).map(pushes).collect(),
            reach: (0..m).map(reach).collect(),
            tangent,
            restitution: problem.restitution().map_or(vec![0.0; m], <[f64]>::to_vec),
            row,
            scale,
            columns,
            never,
        }
    }

    /// Number of coordinates.
    pub fn dimension(&self) -> usize {
        self.row.len()
    }

    /// Directions of contact i in a state.
    pub fn pushes(&self, i: usize, state: PushState) -> &[Push] {
        let all = &self.push[i][..];
        let half = all.len() / 2;
        match state {
            PushState::Open => &[],
            _ if half == 0 => all,
            PushState::Forward => &all[..half],
            PushState::Back => &all[half..],
            PushState::Stick => &all[half - 1..=half],
        }
    }

    /// Whether contact i can store energy.
    pub fn bounces(&self, i: usize) -> bool {
        self.restitution[i] > 0.0
    }
}

/// Maximum error of an entry of `W`, relative to the roots of the diagonal entries of its row and
/// column.
///
/// With `x_k` the computed columns of `M^-1 J'`, `J_l M^-1 J_k' - J_l x_k = J_l M^-1 e_k` with `e_k
/// = J_k' - M x_k`, which is at most `|J_l|_{M^-1} |e_k|_{M^-1}`.
fn blur(problem: &ContactProblem, space: &Whitened, rows: &[usize], scale: &[f64]) -> f64 {
    let (mass, jacobian, response) = (problem.mass(), problem.jacobian(), problem.response());
    let n = problem.coordinate_count();
    let left = |k: usize| {
        let of = |i: usize| {
            Sum::of(mass.row(i).iter().zip(response.column(rows[k]).iter()))
                .and(-jacobian[(rows[k], i)])
        };
        let sums: Vec<Sum> = (0..n).map(of).collect();
        let [value, error] =
            [Sum::value, Sum::error].map(|of| DVector::from_iterator(n, sums.iter().map(of)));
        up(dual_length(mass, space, &value, &error) / scale[k])
    };
    let rounding = |k: usize, l: usize| {
        let sum = Sum::of(jacobian.row(rows[l]).iter().zip(response.column(rows[k]).iter()));
        up(sum.error() / (scale[l] * scale[k]))
    };
    let all = 0..rows.len();
    let pairs = all.clone().flat_map(|k| (0..rows.len()).map(move |l| (k, l)));
    let left = all.map(left).fold(0.0, f64::max);
    let rounding = pairs.map(|(k, l)| rounding(k, l)).fold(0.0, f64::max);
    // The factor also covers the computed diagonal.
    let blur = up(1.1 * (left + rounding)) + 8.0 * f64::EPSILON;
    if blur < 1e-3 { blur } else { f64::INFINITY }
}
