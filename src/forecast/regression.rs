//! Regression over impacts with different numbers of contacts.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ridge::{Ridge, rows};
use carom_core::error::Result;

/// Kind of an impact: number n of coordinates, number of contacts.
pub type Kind = (usize, usize);

/// Training example of a regression.
#[derive(Clone, Debug)]
pub struct Example {
    /// Kind of the impact.
    pub kind: Kind,
    /// Features of the impact.
    pub features: Vec<f64>,
    /// Target (n).
    pub target: DVector<f64>,
    /// Toss number.
    pub toss: usize,
}

/// A regression for each kind of impacts of which there are enough examples, and for all kinds of
/// the same coordinates together, which serves the other ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Regression {
    /// The regressions.
    pub parts: Vec<Part>,
}

/// The regression for one kind of impacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Number n of coordinates.
    pub coordinates: usize,
    /// Number of contacts; `None`: any.
    pub contacts: Option<usize>,
    /// The regression.
    pub ridge: Ridge,
}

impl Regression {
    /// Minimum number of examples for a regression of one kind.
    pub const ENOUGH: usize = 40;

    /// Fits the examples. Also returns the residuals (n) of the examples, each from a regression
    /// without the example's toss.
    ///
    /// # Errors
    /// See [`Ridge::fit`].
    pub fn fit(examples: &[Example]) -> Result<(Regression, Vec<DVector<f64>>)> {
        let mut kinds: BTreeMap<(usize, Option<usize>), Vec<usize>> = BTreeMap::new();
        for (i, example) in examples.iter().enumerate() {
            let (n, m) = example.kind;
            kinds.entry((n, None)).or_default().push(i);
            kinds.entry((n, Some(m))).or_default().push(i);
        }
        let needed = |(n, m): &(usize, Option<usize>), members: &[usize]| match m {
            Some(_) => members.len() >= Regression::ENOUGH,
            None => kinds.iter().any(|((other, m), members)| {
                other == n && m.is_some() && members.len() < Regression::ENOUGH
            }),
        };
        let mut parts = Vec::new();
        let mut left_out = vec![DVector::zeros(0); examples.len()];
        // Regressions over all numbers of contacts come first; later ones overwrite their
        // residuals.
        for (&(coordinates, contacts), members) in
            kinds.iter().filter(|(kind, members)| needed(kind, members))
        {
            let of = |i: &usize| &examples[*i];
            let features: Vec<DVector<f64>> =
                members.iter().map(|i| DVector::from_vec(of(i).features.clone())).collect();
            let targets: Vec<DVector<f64>> = members.iter().map(|i| of(i).target.clone()).collect();
            let tosses: Vec<usize> = members.iter().map(|i| of(i).toss).collect();
            let fitted = Ridge::fit(&rows(&features), &rows(&targets), &tosses)?;
            for (&i, row) in members.iter().zip(fitted.left_out.row_iter()) {
                left_out[i] = row.transpose();
            }
            parts.push(Part { coordinates, contacts, ridge: fitted.ridge });
        }
        Ok((Regression { parts }, left_out))
    }

    /// Prediction (n) for an impact; `None` if no example had its number of coordinates.
    pub fn predict(&self, kind: Kind, features: &[f64]) -> Option<DVector<f64>> {
        let suits = |part: &&Part| {
            part.coordinates == kind.0 && part.contacts.is_none_or(|contacts| contacts == kind.1)
        };
        let of_kind = self.parts.iter().filter(suits).max_by_key(|part| part.contacts)?;
        Some(DVector::from_vec(of_kind.ridge.predict(features)))
    }
}

/// Covariances of residuals, by kind of impact.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    covariances: BTreeMap<Kind, DMatrix<f64>>,
    of_all: BTreeMap<usize, DMatrix<f64>>,
}

impl Errors {
    /// Covariances (n,n) of the residuals (n) about zero. Each is shrunk towards an isotropic one,
    /// with the weight of n + 1 residuals.
    pub fn fit(residuals: &[(Kind, DVector<f64>)]) -> Errors {
        let mut kinds: BTreeMap<Kind, Vec<&DVector<f64>>> = BTreeMap::new();
        let mut all: BTreeMap<usize, Vec<&DVector<f64>>> = BTreeMap::new();
        for (kind, residual) in residuals {
            kinds.entry(*kind).or_default().push(residual);
            all.entry(kind.0).or_default().push(residual);
        }
        kinds.retain(|(n, _), members| members.len() >= PER_DIRECTION * n);
        let covariances = kinds.into_iter().map(|(kind, members)| (kind, covariance(&members)));
        let of_all = all.into_iter().map(|(n, members)| (n, covariance(&members)));
        Errors { covariances: covariances.collect(), of_all: of_all.collect() }
    }

    /// Covariance (n,n) for a kind of impacts.
    pub fn covariance(&self, kind: Kind) -> Option<&DMatrix<f64>> {
        self.covariances.get(&kind).or_else(|| self.of_all.get(&kind.0))
    }
}

/// Number of residuals per direction for a covariance.
pub(super) const PER_DIRECTION: usize = 4;
/// Variance below which residuals have no spread; distances are in units of `|v-|_M`.
const LEAST: f64 = 1e-12;

/// Covariance (n,n) of residuals (n) about zero, as in [`Errors::fit`].
pub(super) fn covariance(residuals: &[&DVector<f64>]) -> DMatrix<f64> {
    let n = residuals[0].len();
    let mut sum: DMatrix<f64> = DMatrix::zeros(n, n);
    residuals.iter().for_each(|r| sum += *r * r.transpose());
    let (count, weight) = (residuals.len() as f64, n as f64 + 1.0);
    let equal = (sum.trace() / count / n as f64).max(LEAST);
    (sum + DMatrix::identity(n, n) * (weight * equal)) / (count + weight)
}
