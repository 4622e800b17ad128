use nalgebra::{DMatrix, DVector};

use super::folds::Tosses;
use super::model::Model;
use super::parameter::Parameter;
use super::training::Training;
use crate::bootstrap::{RESAMPLES, drawn, quantile};
use crate::student;
use carom_core::error::Result;

/// Events, and parameters of a model on which scores depend smoothly.
pub(super) struct Near<'a> {
    pub training: &'a Training<'a>,
    pub tosses: &'a Tosses,
    pub parameters: &'a [Parameter],
    pub seed: u64,
}

/// Best parameters near a model, as places of the search, with intervals.
pub(super) struct Best {
    pub model: Model,
    /// Ends of the confidence intervals of level .95, as places.
    pub intervals: Vec<[f64; 2]>,
}

/// Difference step of the first quadratic model, relative to the first steps of the search.
const WIDE: f64 = 0.25;
/// Difference step of the second model, relative to the standard errors from the first.
const ERRORS: f64 = 1.5;
/// Minimum difference step of the second model, relative to the first.
const LEAST: f64 = 0.02;
/// Trust region of a quadratic model, in difference steps.
const TRUSTED: f64 = 3.0;
/// Minimum curvature, relative to the largest.
const FLAT: f64 = 1e-4;
/// Maximum number of coordinate sweeps of a bounded minimisation, and the change that ends them.
const SWEEPS: (usize, f64) = (300, 1e-6);

impl Near<'_> {
    /// Minimum of a quadratic model of the score about `model`, within the bounds, with intervals
    /// by a bootstrap over tosses; then again about this minimum, with differences adapted to the
    /// errors. `None` if a score is not finite.
    ///
    /// With `x` in differences, `g_t` the gradient of the score of toss t and `H` the sum of the
    /// second derivatives, a resample of tosses minimises `x' H x / 2 + x' g`, with `g` the sum of
    /// its `g_t`. Resampled sums are widened by Student's t, for few tosses. Source: P. Kline, A.
    /// Santos, J. Econometric Methods 1 (2012) 23-41: the score bootstrap, which keeps `H`;
    /// resamples are drawn by [`drawn`].
    pub fn best(&self, model: &Model) -> Result<Option<Best>> {
        let mut steps: Vec<f64> = self.parameters.iter().map(|p| WIDE * p.step).collect();
        let mut best = Best { model: model.clone(), intervals: Vec::new() };
        for _ in 0..2 {
            let Some(near) = self.quadratic(&best.model, &steps)? else { return Ok(None) };
            let least = near.minimum(&near.gradient());
            let resampled = near.resampled(self.seed);
            for (i, parameter) in self.parameters.iter().enumerate() {
                let place = |x: f64| near.center[i] + steps[i] * x;
                parameter.put(&mut best.model, place(least[i].clamp(-TRUSTED, TRUSTED)));
            }
            let ends = |x: &Vec<f64>| [0.025, 0.975].map(|q| quantile(x, q));
            let ends: Vec<[f64; 2]> = resampled.iter().map(ends).collect();
            let place = |i: usize, x: f64| near.center[i] + steps[i] * x;
            best.intervals = (0..ends.len()).map(|i| ends[i].map(|x| place(i, x))).collect();
            for (step, [low, high]) in steps.iter_mut().zip(ends) {
                *step *= (ERRORS * (high - low) / 4.0).clamp(LEAST, 1.0);
            }
        }
        Ok(Some(best))
    }

    /// Sum of the scores of each toss's events, with parameters at given places.
    fn scores(&self, model: &Model, places: &DVector<f64>) -> Result<DVector<f64>> {
        let mut model = model.clone();
        self.parameters.iter().zip(places).for_each(|(of, x)| of.put(&mut model, *x));
        let count = self.tosses.events.iter().map(Vec::len).sum();
        let each = self.training.scores(&model, &(0..count).collect::<Vec<_>>())?;
        let sums = self.tosses.events.iter().map(|toss| toss.iter().map(|&i| each[i]).sum());
        Ok(DVector::from_vec(sums.collect()))
    }

    /// Quadratic model by differences `steps` about the nearest point within bounds.
    fn quadratic(&self, model: &Model, steps: &[f64]) -> Result<Option<Quadratic>> {
        let p = steps.len();
        let bounds: Vec<[f64; 2]> = self.parameters.iter().map(Parameter::bounds).collect();
        let center = DVector::from_fn(p, |i, _| {
            let [low, high] = bounds[i];
            self.parameters[i].place(model).clamp(low + steps[i], high - steps[i])
        });
        let at = |moves: &[(usize, f64)]| {
            let mut places = center.clone();
            moves.iter().for_each(|&(i, sign)| places[i] += sign * steps[i]);
            self.scores(model, &places)
        };
        let middle = at(&[])?;
        let mut gradients = DMatrix::zeros(p, middle.len());
        let (mut hessian, mut ahead) = (DMatrix::zeros(p, p), Vec::new());
        for i in 0..p {
            let [up, down] = [at(&[(i, 1.0)])?, at(&[(i, -1.0)])?];
            gradients.set_row(i, &(0.5 * (&up - &down)).transpose());
            hessian[(i, i)] = up.sum() + down.sum() - 2.0 * middle.sum();
            ahead.push(up.sum());
            for j in 0..i {
                let both = at(&[(i, 1.0), (j, 1.0)])?.sum();
                let mixed = both - ahead[i] - ahead[j] + middle.sum();
                (hessian[(i, j)], hessian[(j, i)]) = (mixed, mixed);
            }
        }
        let finite = hessian.iter().chain(&gradients).all(|x| x.is_finite());
        let bounds = (0..p).map(|i| bounds[i].map(|x| (x - center[i]) / steps[i])).collect();
        Ok(finite.then(|| Quadratic { center, gradients, hessian: convex(hessian), bounds }))
    }
}

/// Matrix with eigenvalues raised to a small fraction of the largest one.
fn convex(matrix: DMatrix<f64>) -> DMatrix<f64> {
    let eigen = matrix.symmetric_eigen();
    let least = (FLAT * eigen.eigenvalues.amax()).max(f64::MIN_POSITIVE);
    let values = DMatrix::from_diagonal(&eigen.eigenvalues.map(|x| x.max(least)));
    &eigen.eigenvectors * values * eigen.eigenvectors.transpose()
}

/// Quadratic model of the sum of scores; its unknowns are in differences from the center.
struct Quadratic {
    center: DVector<f64>,
    /// Gradients (p,T), toss by toss.
    gradients: DMatrix<f64>,
    hessian: DMatrix<f64>,
    bounds: Vec<[f64; 2]>,
}

impl Quadratic {
    fn gradient(&self) -> DVector<f64> {
        self.gradients.column_sum()
    }

    /// Minimum for another gradient, within the bounds, by coordinate descent.
    fn minimum(&self, gradient: &DVector<f64>) -> DVector<f64> {
        let mut x = DVector::zeros(gradient.len());
        for _ in 0..SWEEPS.0 {
            let mut change = 0.0_f64;
            for i in 0..x.len() {
                let slope = gradient[i] + self.hessian.row(i).tr_dot(&x);
                let to = x[i] - slope / self.hessian[(i, i)];
                let to = to.clamp(self.bounds[i][0], self.bounds[i][1]);
                change = change.max((to - x[i]).abs());
                x[i] = to;
            }
            if change < SWEEPS.1 {
                break;
            }
        }
        x
    }

    /// Minima of resamples of the tosses, sorted for each parameter.
    fn resampled(&self, seed: u64) -> Vec<Vec<f64>> {
        let tosses = self.gradients.ncols();
        let all = self.gradient();
        let (mean, freedom) = (&all / tosses as f64, tosses.max(2) - 1);
        let wider = student::quantile(freedom) / student::quantile(usize::MAX);
        let wider = wider * (tosses as f64 / freedom as f64).sqrt();
        let minimum = |k: usize| {
            let off = drawn(tosses, seed, k as u64).map(|t| self.gradients.column(t) - &mean);
            self.minimum(&(&all + wider * off.fold(DVector::zeros(all.len()), |sum, x| sum + x)))
        };
        let minima: Vec<DVector<f64>> = (0..RESAMPLES).map(minimum).collect();
        let sorted = |i: usize| {
            let mut of: Vec<f64> = minima.iter().map(|x| x[i]).collect();
            of.sort_unstable_by(f64::total_cmp);
            of
        };
        (0..all.len()).map(sorted).collect()
    }
}
