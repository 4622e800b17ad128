//! Covariance correction: spread of measurements about the mean of a forecast.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::forecast::Forecast;
use super::frame::Frame;
use super::normal::deviates;
use super::regression::{Kind, covariance};
use super::scoring::Prediction;

/// The spread of forecasts of one kind of impacts about their means:
///
/// ```text
/// x_i = mean + scale (x_i - mean) + F A z_i,
/// ```
///
/// with `F` the axes of the event's [`Frame`] and `z_i` normal numbers of variance 1, and the noise
/// of the forecast. Together they have the covariance of what was measured about the mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Number n of coordinates.
    pub coordinates: usize,
    /// Number of contacts; `None`: any.
    pub contacts: Option<usize>,
    /// The scale of the forecast's own spread.
    pub scale: f64,
    /// The noise, over `|v-|_M`.
    pub noise: f64,
    /// `A` (n,n), row by row.
    pub errors: Vec<Vec<f64>>,
}

/// Forecast whose mean has not learned from the measurement.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// Frame of the event.
    pub frame: &'a Frame,
    /// The forecast.
    pub forecast: &'a Forecast,
    /// Measured point (n).
    pub measured: DVector<f64>,
}

const SCALES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Noise as a fraction of the minimum measured variance; more would hide differences between
/// scales.
const NOISE: f64 = 0.5;
/// Number of cases and of points in comparisons of scales.
const COMPARED: (usize, usize) = (200, 128);

const SEED: u64 = 0;

impl Spread {
    /// Spread whose scale minimises the mean energy score of the cases; requires at least one case.
    pub fn fit(kind: (usize, Option<usize>), cases: &[Case<'_>]) -> Spread {
        let (n, residuals): (usize, Vec<DVector<f64>>) =
            (kind.0, cases.iter().map(residual).collect());
        let about = covariance(&residuals.iter().collect::<Vec<_>>());
        let mut own = DMatrix::zeros(n, n);
        cases.iter().for_each(|case| own += within(case) / cases.len() as f64);
        let noise = (NOISE * SymmetricEigen::new(about.clone()).eigenvalues.min()).max(0.0).sqrt();
        let step = cases.len().div_ceil(COMPARED.0);
        let of = |scale: f64| {
            let rest = &about - &own * (scale * scale) - DMatrix::identity(n, n) * (noise * noise);
            let parts = SymmetricEigen::new(rest);
            let roots = parts.eigenvalues.map(|variance| variance.max(0.0).sqrt());
            let errors = &parts.eigenvectors * DMatrix::from_diagonal(&roots);
            let errors = errors.row_iter().map(|row| row.iter().copied().collect()).collect();
            let spread = Spread { coordinates: n, contacts: kind.1, scale, noise, errors };
            let energy: f64 = cases.iter().step_by(step).map(|case| spread.energy(case)).sum();
            (spread, energy)
        };
        let all = SCALES.map(of);
        let least = all.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
        least.map_or_else(|| of(1.0).0, |(spread, _)| spread)
    }

    /// Whether the spread belongs to a kind of impacts.
    pub fn suits(&self, kind: Kind) -> bool {
        self.coordinates == kind.0 && self.contacts.is_none_or(|contacts| contacts == kind.1)
    }

    /// The forecast with this spread about its mean.
    pub fn of(&self, forecast: &Forecast, frame: &Frame) -> Forecast {
        let (n, mean) = (forecast.n, mean(forecast));
        let errors = self.root(frame);
        let mut points = Vec::with_capacity(forecast.points.len());
        for (i, point) in forecast.points.chunks_exact(n).enumerate() {
            let apart = DVector::from_column_slice(point) - &mean;
            let error = &errors * DVector::from_vec(deviates(n, SEED, i));
            points.extend((&mean + apart * self.scale + error).iter());
        }
        Forecast { points, noise: self.noise, freedom: None, ..forecast.clone() }
    }

    /// Root `F A` (n,n) of the added covariance.
    pub fn root(&self, frame: &Frame) -> DMatrix<f64> {
        let n = self.errors.len();
        frame.axes() * DMatrix::from_fn(n, n, |i, j| self.errors[i][j])
    }

    fn energy(&self, case: &Case<'_>) -> f64 {
        let n = case.forecast.n;
        let first = n * case.forecast.len().min(COMPARED.1);
        let points = case.forecast.points[..first].to_vec();
        let forecast = self.of(&Forecast { points, ..case.forecast.clone() }, case.frame);
        Prediction::Mixture(forecast).odds(case.measured.as_slice(), 0.0, SEED + 1).energy
    }
}

/// Mean (n) of the points.
pub fn mean(forecast: &Forecast) -> DVector<f64> {
    let points = forecast.points.chunks_exact(forecast.n).map(DVector::from_column_slice);
    points.fold(DVector::zeros(forecast.n), |sum, point| sum + point) / forecast.len() as f64
}

/// Measurement minus the mean, along the axes of the frame.
fn residual(case: &Case<'_>) -> DVector<f64> {
    case.frame.components(&(&case.measured - mean(case.forecast)))
}

/// Covariance (n,n) of the points along the axes of the frame.
fn within(case: &Case<'_>) -> DMatrix<f64> {
    let (n, mean) = (case.forecast.n, mean(case.forecast));
    let mut sum = DMatrix::zeros(n, n);
    for point in case.forecast.points.chunks_exact(n) {
        let apart = case.frame.components(&(DVector::from_column_slice(point) - &mean));
        sum.ger(1.0 / case.forecast.len() as f64, &apart, &apart, 1.0);
    }
    sum
}
