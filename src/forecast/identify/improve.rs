use super::model::Model;
use super::parameter::{Ingredient, Parameter};
use super::search::Compass;
use super::training::{Scored, Training};
use crate::forecast::Forecast;
use crate::reality::Event;
use carom_core::error::Result;

#[derive(Clone, Debug)]
pub struct Fit {
    pub model: Model,
    /// Indices of the training events.
    pub train: Vec<usize>,
    /// Scores of the training events; `None` before the first search.
    pub scored: Option<Scored>,
}

/// Runs searches and counts their evaluations.
#[derive(Debug)]
pub struct Searches<'a> {
    pub training: Training<'a>,
    pub events: &'a [Event],
    pub evaluations: u64,
}

/// Stride of the events in the pretest.
const FIRST: usize = 4;
/// Number of standard errors by which a model is rejected in the pretest.
const WORSE: f64 = 2.0;
/// Maximum number of evaluations of a search, per parameter of the ingredient and per older one.
const MOST: [usize; 2] = [20, 8];
/// Fraction of the first step at which a search ends.
const FINEST: f64 = 0.1;

impl Fit {
    /// Mean score; infinite before the first search.
    pub fn mean(&self) -> f64 {
        self.scored.as_ref().map_or(f64::INFINITY, |scored| scored.mean)
    }
}

pub fn parameters(of: &[Ingredient], events: &[Event]) -> Vec<Parameter> {
    of.iter().flat_map(|ingredient| ingredient.parameters(events)).collect()
}

impl Searches<'_> {
    /// Fit with a further ingredient: its best start, then a search together with the older ones.
    pub fn improve(&mut self, fit: &Fit, further: Ingredient, kept: &[Ingredient]) -> Result<Fit> {
        let same = further.keeps_samples();
        let drawn = same.then(|| self.training.forecasts(&fit.model, &fit.train)).transpose()?;
        let mut best = fit.clone();
        let starts = further.starts(self.events, &fit.model);
        for start in starts.into_iter().chain([fit.model.clone()]) {
            best = self.better(best, start, drawn.as_deref())?.0;
        }
        let own = further.parameters(self.events);
        let older = if same { Vec::new() } else { parameters(kept, self.events) };
        let steps = own.iter().map(|p| p.step).chain(older.iter().map(|p| 0.5 * p.step)).collect();
        let most = MOST[0] * own.len() + MOST[1] * older.len();
        let all: Vec<Parameter> = own.into_iter().chain(older).collect();
        let start: Vec<f64> = all.iter().map(|parameter| parameter.place(&best.model)).collect();
        let compass = Compass { steps, finest: FINEST, most };
        compass.search((start, best.mean()), |x| {
            let mut model = best.model.clone();
            all.iter().zip(x).for_each(|(parameter, x)| parameter.put(&mut model, *x));
            let (fit, over) = self.better(best.clone(), model, drawn.as_deref())?;
            best = fit;
            Ok((!over).then_some(best.mean()))
        })?;
        Ok(best)
    }

    /// Better one of a fit and a model on the same events, and whether the time is over.
    ///
    /// Pretest: every [`FIRST`]-th event comes first; a model that is clearly worse on them is
    /// rejected without the others.
    fn better(
        &mut self,
        fit: Fit,
        mut model: Model,
        drawn: Option<&[Forecast]>,
    ) -> Result<(Fit, bool)> {
        if self.training.is_over() && fit.scored.is_some() {
            return Ok((fit, true));
        }
        self.evaluations += 1;
        let of = &fit.train;
        let scored = match drawn {
            Some(drawn) => self.training.fitted(&model, of, drawn)?,
            None => {
                let is_first = |k: usize| k.is_multiple_of(FIRST);
                let part = |first: bool| -> Vec<usize> {
                    (0..of.len()).filter(|k| is_first(*k) == first).map(|k| of[k]).collect()
                };
                let first = self.training.forecasts(&model, &part(true))?;
                if let Some(known) = &fit.scored {
                    let tried = self.training.fitted(&model, &part(true), &first)?;
                    let known = known.each.iter().step_by(FIRST);
                    let worse: Vec<_> = tried.each.iter().zip(known).map(|(a, b)| a - b).collect();
                    if is_worse(&worse) {
                        return Ok((fit, false));
                    }
                }
                let rest = self.training.forecasts(&model, &part(false))?;
                let (mut first, mut rest) = (first.into_iter(), rest.into_iter());
                let each = (0..of.len())
                    .filter_map(|k| if is_first(k) { first.next() } else { rest.next() });
                self.training.fitted(&model, of, &each.collect::<Vec<_>>())?
            }
        };
        model.noise = scored.noise;
        let better = scored.mean < fit.mean();
        Ok((if better { Fit { model, scored: Some(scored), ..fit } } else { fit }, false))
    }
}

/// Whether the mean of differences exceeds 0 by [`WORSE`] standard errors.
fn is_worse(differences: &[f64]) -> bool {
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let squares: f64 = differences.iter().map(|x| (x - mean).powi(2)).sum();
    mean > WORSE * squares.sqrt() / n
}
