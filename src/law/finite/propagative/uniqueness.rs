//! Whether the order of elastic impacts matters.

use nalgebra::{DMatrix, DVector};
use serde_json::{Value, json};

use crate::Describe;
use carom_core::digits::number;
use carom_core::named;
use carom_core::outcome::listed::numbered;
use carom_core::{ContactProblem, Limits, short};

named! {
    /// A reason why every order of reflections leads to the same outcome.
    pub enum Theorem {
        /// The normals are pairwise orthogonal: one reflection at each violated contact, in any
        /// order. \[SM14\] Theorem 2.
        Orthogonal = "orthogonal",
        /// The inner products of the unit normals are all 0 or -1/2. With -1/2 the sequences `u v
        /// u` and `v u v` of three reflections lead to the same momentum; with 0 two successive
        /// reflections may be exchanged. \[SM14\] Theorem 3. Three and more contacts need not have
        /// an outcome.
        ThreeStages = "three-stages",
    }
}

impl Theorem {
    /// The theorem in one line.
    pub fn statement(self) -> &'static str {
        match self {
            Theorem::Orthogonal => {
                "the normals are pairwise orthogonal: every order has the same outcome"
            }
            Theorem::ThreeStages => {
                "<u,v> is 0 or -1/2 for every pair: every order that ends has the same outcome"
            }
        }
    }
}

/// Tolerance of equal inner products.
const EQUAL: f64 = 1e-9;

/// Largest number of contacts with a printed Gram matrix.
const PRINTED: usize = 6;

/// Theorems on the uniqueness of outcomes of reflections, from the normals alone, and the largest
/// distance between the outcomes found.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniqueness {
    /// Normalised Gram matrix `<u_i,u_j> = W_ij / sqrt(W_ii W_jj)` of the normals (m,m) in the
    /// kinetic metric.
    pub gram: DMatrix<f64>,
    /// The applicable theorem, if any.
    pub theorem: Option<Theorem>,
    /// Two contacts: `gamma = arcsin(<r,u>)` in rad, where `u` and `v` are the unit normals and `r`
    /// is the unit vector along `u + v`; half the opening angle of the cone of feasible momenta.
    pub gamma: Option<f64>,
    /// Two contacts: no admissible sequence is longer than `ceil(pi / (2 gamma))`. \[SM14\] Theorem
    /// 1. Deviation: the theorem's bound `ceil(pi / gamma)` is valid but never attained.
    pub length_bound: Option<f64>,
    /// `xi = |p_a - p_b| / |p-|` in the kinetic metric, the largest among the admissible outcomes.
    /// \[SM14\] Sec. VII-A. NaN where no sequence ends.
    pub indeterminacy: f64,
    /// `xi` for three contacts and more, among the outcomes of [`Uniqueness::SAMPLED`] sampled
    /// orders, which may be longer than the listed sequences.
    /// [`FiniteLaw::resolve`](crate::FiniteLaw::resolve) sets it; the law alone does not sample.
    pub sampled: Option<f64>,
}

impl Uniqueness {
    /// Number of sampled orders for three and more contacts.
    pub const SAMPLED: u64 = 4096;

    /// All fields except the indeterminacy, from the normals of `problem`.
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

/// `ceil(pi / (2 gamma) - 1e-9)`, the largest length of admissible sequences at two contacts;
/// infinite for opposite normals.
pub fn length_bound(gamma: f64) -> f64 {
    (std::f64::consts::FRAC_PI_2 / gamma - 1e-9).ceil()
}

/// The largest distance between two velocities after the impact, over `|v-|`, in the kinetic
/// metric; after the work is spent, the largest among the examined pairs. NaN without velocities.
///
/// `|a - b| <= |a - c| + |b - c|`, with `c` the mean: velocities far from the mean come first, and
/// a velocity is skipped if the bound of all its pairs is below a known distance.
pub(crate) fn indeterminacy<'v>(
    problem: &ContactProblem,
    velocities: impl Iterator<Item = &'v [f64]>,
    limits: &Limits,
) -> f64 {
    let velocities: Vec<&[f64]> = velocities.collect();
    let Some(factor) = problem.mass().clone().cholesky() else { return f64::NAN };
    // Columns `root' v`: their Euclidean distances equal the kinetic distances of `v`.
    let root = factor.l().transpose();
    let turned = |v: &[f64]| &root * DVector::from_column_slice(v);
    let mut distinct: Vec<DVector<f64>> = Vec::new();
    for (velocity, number) in velocities.iter().zip(numbered(problem, velocities.iter().copied())) {
        if number == distinct.len() {
            distinct.push(turned(velocity));
        }
    }
    if distinct.is_empty() {
        return f64::NAN;
    }
    let mean = distinct.iter().sum::<DVector<f64>>() / distinct.len() as f64;
    let mut from_mean: Vec<(f64, DVector<f64>)> =
        distinct.into_iter().map(|v| ((&v - &mean).norm(), v)).collect();
    from_mean.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut largest = 0.0_f64;
    for (i, (radius, v)) in from_mean.iter().enumerate() {
        if radius + from_mean[0].0 <= largest || !limits.spend((i * v.len()) as f64) {
            break;
        }
        for (far, other) in &from_mean[..i] {
            if radius + far <= largest {
                break;
            }
            largest = largest.max((v - other).norm());
        }
    }
    largest / turned(problem.velocity().as_slice()).norm()
}

impl Describe for Uniqueness {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        let gram: Vec<Vec<f64>> =
            self.gram.row_iter().map(|row| row.iter().copied().collect()).collect();
        let uniqueness = json!({
            "gram": gram,
            "theorem": self.theorem.map(Theorem::name),
            "indeterminacy": self.indeterminacy,
            "indeterminacy_sampled": self.sampled,
            "gamma": self.gamma,
            "length_bound": self.length_bound,
        });
        vec![("uniqueness", uniqueness)]
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let why = self.theorem.map_or("no theorem makes the outcome unique", Theorem::statement);
        let xi = match self.indeterminacy {
            xi if xi.is_nan() => "no sequence ends".to_string(),
            xi => format!("{} (distance of outcomes over |p-|)", short(xi)),
        };
        let mut lines = vec![("uniqueness", why.to_string()), ("xi", xi)];
        if let Some(sampled) = self.sampled.filter(|xi| !xi.is_nan()) {
            lines.push(("", format!("{} over {} sampled orders", short(sampled), Self::SAMPLED)));
        }
        if let (Some(gamma), Some(bound)) = (self.gamma, self.length_bound) {
            lines.push(("gamma", format!("{} rad: at most {bound} reflections", short(gamma))));
        }
        if (2..=PRINTED).contains(&self.gram.nrows()) {
            for (i, row) in self.gram.row_iter().enumerate() {
                let row = row.iter().map(|x| format!("{:>10}", number(*x, 1.0))).collect();
                lines.push((if i == 0 { "<u_i,u_j>" } else { "" }, row));
            }
        } else if self.gram.nrows() > PRINTED {
            let m = self.gram.nrows();
            lines.push(("<u_i,u_j>", format!("{m} by {m} numbers; --json has them all")));
        }
        lines
    }
}
