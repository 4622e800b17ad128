use super::folds::Tosses;
use super::local::{Best, Near};
use super::model::Model;
use super::parameter::Parameter;
use super::training::Training;
use crate::student::quantile;
use carom_core::error::Result;

/// Estimated parameter of the model.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Name, see [`Parameter::name`].
    pub name: &'static str,
    /// Whether the parameter belongs to events with one contact, see [`Model::single`].
    pub single: bool,
    /// Estimated value.
    pub value: f64,
    /// Confidence interval of level .95.
    pub interval: [f64; 2],
    /// Whether the value lies at a bound of the search.
    pub bound: bool,
}

impl Estimate {
    /// Name in reports; with the prefix `single` for parameters of events with one contact.
    pub fn key(&self) -> String {
        let part = if self.single { "single " } else { "" };
        format!("{part}{}", self.name)
    }
}

/// Inputs of the estimates of a model's parameters.
pub(super) struct Estimates<'a> {
    /// Scores of all events.
    pub training: &'a Training<'a>,
    /// Events, toss by toss.
    pub tosses: &'a Tosses,
    /// Models of the cross-validation, each without one fold.
    pub folds: &'a [Model],
    /// Parameters of the model.
    pub parameters: &'a [Parameter],
    /// Seed of the resamples.
    pub seed: u64,
}

impl Estimates<'_> {
    /// Model refined between the steps of the search, if this improves its score, and all its
    /// parameters with intervals: by [`Near::best`] for smooth parameters, within the time limit,
    /// and by [`Estimates::without_folds`] for the others.
    pub fn of(&self, model: &Model) -> Result<(Model, Vec<Estimate>)> {
        let all = [self.parameters, &[Parameter::NOISE]].concat();
        let smooth: Vec<Parameter> = all.iter().filter(|of| of.is_smooth()).copied().collect();
        let Estimates { training, tosses, seed, .. } = *self;
        let near = Near { training, tosses, parameters: &smooth, seed };
        let best = if training.is_over() { None } else { near.best(model)? };
        let mut model = model.clone();
        if let Some(best) = &best
            && self.score(&best.model)? < self.score(&model)?
        {
            model = best.model.clone();
        }
        let between = |of: &Parameter| {
            let Best { intervals, .. } = best.as_ref()?;
            Some(intervals[smooth.iter().position(|one| one.name == of.name)?])
        };
        let estimate = |of: &Parameter| {
            let [low, high] = between(of).unwrap_or_else(|| self.without_folds(&model, of));
            let place = of.place(&model);
            let at = |place: f64| {
                let mut moved = model.clone();
                of.put(&mut moved, place);
                (of.value)(&moved)
            };
            let interval = [at(low.min(place)), at(high.max(place))];
            Estimate {
                name: of.name,
                single: false,
                value: (of.value)(&model),
                interval,
                bound: of.is_bound(&model),
            }
        };
        let estimates = all.iter().map(estimate).collect();
        Ok((model, estimates))
    }

    fn score(&self, model: &Model) -> Result<f64> {
        let all: Vec<usize> = (0..self.tosses.events.iter().map(Vec::len).sum()).collect();
        let scores = self.training.scores(model, &all)?;
        Ok(scores.iter().sum::<f64>() / scores.len() as f64)
    }

    /// Interval of a parameter, as places of the search, from the fits without one fold each.
    ///
    /// The jackknife by groups: variance `(K - 1) / K sum_k (x_k - mean)^2`, and the quantile of
    /// Student's t with K - 1 degrees of freedom. Source: B. Efron, C. Stein, Annals of Statistics
    /// 9 (1981) 586-596.
    fn without_folds(&self, model: &Model, of: &Parameter) -> [f64; 2] {
        let k = self.folds.len() as f64;
        let places: Vec<f64> = self.folds.iter().map(|model| of.place(model)).collect();
        let mean = places.iter().sum::<f64>() / k;
        let squares: f64 = places.iter().map(|x| (x - mean).powi(2)).sum();
        let half = quantile(self.folds.len() - 1) * ((k - 1.0) / k * squares).sqrt();
        [of.place(model) - half, of.place(model) + half]
    }
}
