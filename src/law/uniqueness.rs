//! Whether the order of elastic impacts matters.

use nalgebra::DMatrix;

use crate::problem::ContactProblem;

/// A reason why every order of reflections leads to the same outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theorem {
    /// The normals are pairwise orthogonal: one reflection at each violated contact, in any order. \[SM14\] Theorem 2.
    Orthogonal,
    /// Pairwise `<u,v>` is 0 or -1/2: `u v u` and `v u v` are the same three stages, and neighbours that are
    /// orthogonal may be exchanged. \[SM14\] Theorem 3. For three and more contacts there need not be an outcome.
    ThreeStages,
}

impl Theorem {
    /// The name that `--json` uses.
    pub fn name(self) -> &'static str {
        match self {
            Theorem::Orthogonal => "orthogonal",
            Theorem::ThreeStages => "three-stages",
        }
    }

    /// The theorem in one line.
    pub fn statement(self) -> &'static str {
        match self {
            Theorem::Orthogonal => "the normals are pairwise orthogonal: every order has the same outcome",
            Theorem::ThreeStages => {
                "<u,v> is 0 or -1/2 for every pair: every order that ends has the same outcome"
            }
        }
    }
}

/// Inner products that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// What is known of the outcomes of reflections before any is computed, and how far those found lie apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniqueness {
    /// Normalised Gram matrix `<u_i,u_j> = W_ij / sqrt(W_ii W_jj)` of the normals (m,m) in the kinetic metric.
    pub gram: DMatrix<f64>,
    /// The theorem that applies, if one does.
    pub theorem: Option<Theorem>,
    /// Two contacts: half the angle between the feasible normals, `gamma = arcsin(<r,u>)`, `r` along `u + v`, in rad.
    pub gamma: Option<f64>,
    /// Two contacts: no admissible sequence is longer than `ceil(pi / (2 gamma))`. \[SM14\] Theorem 1. Deviation: that
    /// has `ceil(pi / gamma)`, which holds too but is never reached.
    pub length_bound: Option<f64>,
    /// `xi = |p_a - p_b| / |p-|` in the kinetic metric, the largest among the admissible outcomes. \[SM14\] Sec. VII-A.
    /// Not a number where no sequence ends.
    pub indeterminacy: f64,
    /// Three contacts and more: the same among the outcomes of sampled orders, of which there may be more than are listed.
    pub sampled: Option<f64>,
}

impl Uniqueness {
    /// All but the indeterminacy, from the normals of `problem`.
    pub fn of(problem: &ContactProblem) -> Self {
        let (m, w) = (problem.contact_count(), problem.delassus());
        let size = |i: usize| if w[(i, i)] > 0.0 { w[(i, i)].sqrt() } else { 1.0 };
        let gram = DMatrix::from_fn(m, m, |i, j| w[(i, j)] / size(i) / size(j));
        let pairs = || (0..m).flat_map(|i| (0..i).map(move |j| (i, j)));
        let all = |values: &[f64]| {
            pairs().all(|pair| values.iter().any(|value| (gram[pair] - value).abs() <= EQUAL))
        };
        let theorem = match () {
            () if all(&[0.0]) => Some(Theorem::Orthogonal),
            () if all(&[0.0, -0.5]) => Some(Theorem::ThreeStages),
            () => None,
        };
        let gamma = (m == 2).then(|| ((1.0 + gram[(0, 1)]) / 2.0).clamp(0.0, 1.0).sqrt().asin());
        let length_bound = gamma.map(length_bound);
        Uniqueness { gram, theorem, gamma, length_bound, indeterminacy: 0.0, sampled: None }
    }
}

/// `ceil(pi / (2 gamma) - 1e-9)`, the length that no admissible sequence at two contacts exceeds; infinite for
/// opposite normals.
pub fn length_bound(gamma: f64) -> f64 {
    (std::f64::consts::FRAC_PI_2 / gamma - 1e-9).ceil()
}
