//! Regression over impacts with different numbers of contacts.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ridge::{Ridge, rows};
use carom_core::error::Result;

/// Kinds of impacts: number n of coordinates, and number of contacts.
pub type Kind = (usize, usize);

/// An impact of which a regression learns.
#[derive(Clone, Debug)]
pub struct Example {
    /// The kind of the impact.
    pub kind: Kind,
    /// What describes the impact.
    pub features: Vec<f64>,
    /// What is to be predicted (n).
    pub target: DVector<f64>,
    /// The number of its toss.
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
    /// Number of examples from which on a kind has a regression of its own.
    pub const ENOUGH: usize = 40;

    /// Fits the examples. Also returned are the residuals (n) of the examples, each from a
    /// regression without its toss.
    ///
    /// # Errors
    /// Those of [`Ridge::fit`].
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
        // Kinds of any number of contacts come first; the others replace their residuals.
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

    /// The prediction (n) for an impact; `None` where no example had as many coordinates.
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
    /// The covariances (n,n) of the residuals (n) about zero. Each is drawn towards an equal
    /// variance in all directions, with the weight of n + 1 residuals among the others.
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

    /// The covariance (n,n) for a kind of impacts.
    pub fn covariance(&self, kind: Kind) -> Option<&DMatrix<f64>> {
        self.covariances.get(&kind).or_else(|| self.of_all.get(&kind.0))
    }
}

/// Residuals that a covariance takes for each direction.
pub(super) const PER_DIRECTION: usize = 4;
/// Variance below which residuals do not spread: distances are over `|v-|_M`.
const LEAST: f64 = 1e-12;

/// The covariance (n,n) of residuals (n) about zero, as in [`Errors::fit`].
pub(super) fn covariance(residuals: &[&DVector<f64>]) -> DMatrix<f64> {
    let n = residuals[0].len();
    let mut sum: DMatrix<f64> = DMatrix::zeros(n, n);
    residuals.iter().for_each(|r| sum += *r * r.transpose());
    let (count, weight) = (residuals.len() as f64, n as f64 + 1.0);
    let equal = (sum.trace() / count / n as f64).max(LEAST);
    (sum + DMatrix::identity(n, n) * (weight * equal)) / (count + weight)
}
