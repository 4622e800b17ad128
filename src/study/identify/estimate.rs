//! The numbers of a model that was identified, with intervals.

use super::model::Model;
use super::parameter::Parameter;

/// A number of the model.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// The name, see [`Parameter::name`].
    pub name: &'static str,
    /// The value.
    pub value: f64,
    /// Interval of confidence .95, from the fits without one fold each.
    pub interval: [f64; 2],
    /// Whether the value lies at a bound of the search.
    pub bound: bool,
}

/// The values of parameters, with intervals from the fits without one fold each.
///
/// The jackknife by groups: variance `(K - 1) / K sum_k (x_k - mean)^2`, and the quantile of
/// Student's t with K - 1 degrees of freedom. Source: B. Efron, C. Stein, Annals of Statistics 9
/// (1981) 586-596.
pub(super) fn estimates(
    model: &Model,
    folds: &[(Model, Vec<usize>)],
    of: &[Parameter],
) -> Vec<Estimate> {
    let k = folds.len() as f64;
    let estimate = |parameter: &Parameter| {
        let places: Vec<f64> = folds.iter().map(|(model, _)| parameter.place(model)).collect();
        let mean = places.iter().sum::<f64>() / k;
        let squares: f64 = places.iter().map(|x| (x - mean).powi(2)).sum();
        let half = student(folds.len() - 1) * ((k - 1.0) / k * squares).sqrt();
        let at = |shift: f64| {
            let mut moved = model.clone();
            parameter.put(&mut moved, parameter.place(model) + shift);
            parameter.value(&moved)
        };
        Estimate {
            name: parameter.name,
            value: parameter.value(model),
            interval: [at(-half), at(half)],
            bound: parameter.is_bound(model),
        }
    };
    of.iter().map(estimate).collect()
}

/// The quantile .975 of Student's t.
fn student(freedom: usize) -> f64 {
    const FEW: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match FEW.get(freedom.max(1) - 1) {
        Some(quantile) => *quantile,
        // The expansion of Cornish and Fisher in 1 / freedom.
        None => 1.96 + 2.37 / freedom as f64 + 2.8 / (freedom * freedom) as f64,
    }
}
