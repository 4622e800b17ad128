use super::folds::Tosses;
use super::local::{Best, Near};
use super::model::Model;
use super::parameter::Parameter;
use super::training::Training;
use crate::student::quantile;
use carom_core::error::Result;

/// A number of the model.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// The name, see [`Parameter::name`].
    pub name: &'static str,
    /// Whether it is a number of events with one contact alone, see [`Model::single`].
    pub single: bool,
    /// The value.
    pub value: f64,
    /// Interval of confidence .95.
    pub interval: [f64; 2],
    /// Whether the value lies at a bound of the search.
    pub bound: bool,
}

impl Estimate {
    /// The name in reports: with `single` before it where one contact has a number of its own.
    pub fn key(&self) -> String {
        let part = if self.single { "single " } else { "" };
        format!("{part}{}", self.name)
    }
}

/// What the numbers of a model were found from.
pub(super) struct Estimates<'a> {
    /// The scores of all events.
    pub training: &'a Training<'a>,
    /// The events, toss by toss.
    pub tosses: &'a Tosses,
    /// The models without one fold each.
    pub folds: &'a [Model],
    /// The numbers.
    pub parameters: &'a [Parameter],
    /// Seed of the resamples.
    pub seed: u64,
}

impl Estimates<'_> {
    /// The model with numbers between the steps of the search, where it scores better so, and all
    /// its numbers with intervals: by [`Near::best`] of those on which scores depend smoothly,
    /// while there is time, and by [`Estimates::without_folds`] of the others.
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

    /// Places of the ends of the interval of a number, from the fits without one fold each.
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
