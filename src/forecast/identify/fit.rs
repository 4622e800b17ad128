//! Stepwise fit: each ingredient is kept if it improves the held-out score.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::estimate::{Estimate, Estimates};
use super::folds::Tosses;
use super::improve::{Fit, Searches, parameters};
use super::training::{Criterion, MORE, Training};
use super::unfitted::counted;
use super::{Forecasting, HeldOut, Ingredient, Model};
use crate::reality::Event;
use carom_core::error::{Error, Result};
use carom_law::Law;

/// Settings of an identification.
#[derive(Clone, Debug)]
pub struct Identify {
    /// Impact law, with its options.
    pub law: Law,
    /// Number of points of each forecast.
    pub points: usize,
    /// Number of folds, at least 2.
    pub folds: usize,
    /// Seed of the forecasts and of the folds.
    pub seed: u64,
    /// Score to be minimised.
    pub criterion: Criterion,
    /// Candidate ingredients.
    pub ingredients: Vec<Ingredient>,
    /// Whether the model learns the mean error of its forecasts, see [`Model::residual`].
    pub residual: bool,
    /// Time in s after which no further search begins.
    pub seconds: Option<f64>,
}

/// Cross-validation result of an ingredient.
#[derive(Clone, Debug)]
pub struct Worth {
    /// Tried ingredient.
    pub ingredient: Ingredient,
    /// Whether the result concerns the parameters of events with one contact, see
    /// [`Model::single`].
    pub single: bool,
    /// Mean held-out score with the ingredient, if it was tried.
    pub score: Option<f64>,
    /// Decrease of the score by the ingredient, and its standard error.
    pub gain: Option<[f64; 2]>,
    /// Whether the ingredient is part of the model.
    pub kept: bool,
    /// Reason why it was not tried.
    pub why: Option<&'static str>,
}

/// Identified model with its cross-validation.
#[derive(Clone, Debug)]
pub struct Identified {
    /// Identified model.
    pub model: Model,
    /// Parameters of the model.
    pub estimates: Vec<Estimate>,
    /// Cross-validation result of each ingredient.
    pub ingredients: Vec<Worth>,
    /// Number of tosses.
    pub tosses: usize,
    /// Whether too few tosses prevented separate parameters for events with one contact.
    pub few: bool,
    /// Number of contacts of each event.
    pub contacts: Vec<usize>,
    /// Held-out score of each event.
    pub scores: Vec<f64>,
    /// Models of the folds, each from the events of the other folds.
    pub folds: Vec<(Model, Vec<usize>)>,
    /// Mean held-out score, and its standard error over tosses.
    pub score: [f64; 2],
    /// Held-out probabilistic scores of the events.
    pub held_out: HeldOut,
    /// Mean score of the model on its training events, without its residual.
    pub trained: f64,
    /// Whether the time limit ended the search early.
    pub cut: bool,
    /// Root mean square of the events' measured noise along each coordinate, if any is known.
    pub measured_noise: Option<f64>,
    /// Number of evaluations of the mean score.
    pub evaluations: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl Identified {
    /// Warnings for users of the model.
    pub fn warnings(&self) -> Vec<String> {
        let narrow = |name: &str| name.contains("width") || name.contains("spread");
        let bound = self.estimates.iter().filter(|of| of.bound && !narrow(of.name));
        let bound = bound.map(|of| format!("`{}` lies at a bound of the search", of.key()));
        let cut = self.cut.then(|| "the time was over before the searches ended".to_string());
        let few = self.few.then(|| {
            "one contact and several have the same numbers, as one of them has too few tosses for its own; \
             they may be right for neither"
                .to_string()
        });
        bound.chain(cut).chain(few).collect()
    }
}

impl Identify {
    /// Identifies the model of one part of the events; no search begins after `until`.
    pub(super) fn part(
        &self,
        events: &[Event],
        until: Option<Instant>,
        stop: Option<&AtomicBool>,
        tell: &mut dyn FnMut(),
    ) -> Result<Identified> {
        let start = Instant::now();
        let tosses = Tosses::new(events);
        if self.folds < 2 || tosses.events.len() < self.folds {
            let (many, folds) = (tosses.events.len(), self.folds);
            let what = format!("{many} tosses cannot be divided into {folds} folds");
            let hint = "at least 2 folds, and a toss for each";
            return Err(Error::input(what).at("events").hint(hint));
        }
        let mut training = Training::new(events, self.points, self.seed, stop)?;
        training.criterion = self.criterion;
        training.until = until;
        let held: Vec<Vec<usize>> = tosses.folds(self.folds, self.seed);
        let all: Vec<usize> = (0..events.len()).collect();
        let without = |fold: &Vec<usize>| {
            all.iter().copied().filter(|i| fold.binary_search(i).is_err()).collect()
        };
        let first = self.first(events);
        let fit = |train: Vec<usize>| Fit { model: first.clone(), train, scored: None };
        let mut fits: Vec<Fit> = held.iter().map(without).chain([all.clone()]).map(fit).collect();
        let mut searches = Searches { training, events, evaluations: 0 };
        let mut kept: Vec<Ingredient> = Vec::new();
        let mut scores = vec![f64::INFINITY; events.len()];
        let mut ingredients = Vec::new();
        let mut next: VecDeque<(Ingredient, bool)> =
            Ingredient::ALL.into_iter().map(|ingredient| (ingredient, false)).collect();
        while let Some((ingredient, again)) = next.pop_front() {
            if ingredient == Ingredient::Dress && !again {
                next.extend(dropped(&ingredients).into_iter().chain([(ingredient, true)]));
                continue;
            }
            let none = |why| Worth {
                ingredient,
                single: false,
                score: None,
                gain: None,
                kept: false,
                why,
            };
            let missing = match self.ingredients.contains(&ingredient) {
                false => Some("not asked for"),
                true => ingredient.missing(events, &first),
            };
            let over = searches.training.is_over().then_some("the time was over");
            if let Some(why) = missing.or(over.filter(|_| !kept.is_empty())) {
                ingredients.push(none(Some(why)));
                (0..fits.len()).for_each(|_| tell());
                continue;
            }
            let mut better = Vec::new();
            for fit in &fits[..self.folds] {
                better.push(searches.improve(fit, ingredient, &kept)?);
                tell();
            }
            let mut with = vec![0.0; events.len()];
            for (fit, held) in better.iter().zip(&held) {
                for (&i, score) in held.iter().zip(searches.training.scores(&fit.model, held)?) {
                    with[i] = score;
                }
            }
            let score = Some(with.iter().sum::<f64>() / with.len() as f64);
            let gains: Vec<f64> = scores.iter().zip(&with).map(|(a, b)| a - b).collect();
            let (gain, error) = tosses.mean(&gains);
            let gains = (!kept.is_empty()).then_some([gain, error]);
            let keep = kept.is_empty() || gain > error;
            if keep {
                better.push(searches.improve(&fits[self.folds], ingredient, &kept)?);
                (fits, scores) = (better, with);
                kept.push(ingredient);
            }
            tell();
            ingredients.push(Worth { score, gain: gains, kept: keep, why: None, ..none(None) });
        }
        let cut = searches.training.is_over();
        let (mean, error) = tosses.mean(&scores);
        let whole = fits.pop().unwrap_or_else(|| fit(all));
        let trained = whole.mean();
        let folds: Vec<Model> = fits.into_iter().map(|fit| fit.model).collect();
        let estimates = Estimates {
            training: &searches.training,
            tosses: &tosses,
            folds: &folds,
            parameters: &parameters(&kept, events),
            seed: self.seed,
        };
        let (model, estimates) = estimates.of(&whole.model)?;
        let contacts: Vec<usize> = events.iter().map(|e| e.problem.contact_count()).collect();
        let numbers = counted(&contacts);
        let model = Model { events: events.len(), contacts: numbers, seed: self.seed, ..model };
        let folds: Vec<(Model, Vec<usize>)> = folds.into_iter().zip(held).collect();
        let how = Forecasting { points: MORE * self.points, seed: self.seed, stop };
        let held_out = how.held_out(events, &folds, self.residual)?;
        let residual = self.residual.then(|| how.residual(&model, events)).transpose()?;
        Ok(Identified {
            held_out,
            estimates,
            model: Model { residual, ..model },
            ingredients,
            tosses: tosses.events.len(),
            few: false,
            contacts,
            scores,
            folds,
            score: [mean, error],
            trained,
            cut,
            measured_noise: measured_noise(events),
            evaluations: searches.evaluations,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// Initial model of the search: the most frequent coefficients of the events.
    fn first(&self, events: &[Event]) -> Model {
        let median = |of: &dyn Fn(&Event) -> Option<f64>, otherwise: f64| {
            let mut all: Vec<f64> = events.iter().filter_map(of).collect();
            all.sort_unstable_by(f64::total_cmp);
            all.get(all.len() / 2).copied().unwrap_or(otherwise)
        };
        let mu = median(&|event| event.problem.friction().first().copied(), 0.2).max(0.02);
        let e = median(&|event| event.problem.restitution()?.first().copied(), 0.3);
        let e = e.clamp(0.05, 0.95);
        let half = 0.5 * e.min(1.0 - e);
        Model {
            friction: [0.75 * mu, 1.25 * mu],
            restitution: [e - half, e + half],
            noise: 0.05,
            law: self.law.clone(),
            ..Model::default()
        }
    }
}

/// Root mean square of the measured noise along each coordinate, over the events with a
/// measurement.
pub(super) fn measured_noise(events: &[Event]) -> Option<f64> {
    let known = events.iter().filter(|event| event.noise.is_some());
    let squares: Vec<f64> = known.map(|event| event.deviation().powi(2)).collect();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    (!squares.is_empty()).then(|| mean.sqrt())
}

/// Ingredients without a gain before another one was kept: some gain only together.
fn dropped(tried: &[Worth]) -> Vec<(Ingredient, bool)> {
    let last = tried.iter().rposition(|worth| worth.kept).unwrap_or(0);
    let lost = tried[..last].iter().filter(|worth| !worth.kept && worth.why.is_none());
    lost.map(|worth| (worth.ingredient, true)).collect()
}
