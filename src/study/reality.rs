//! Predictions of measured impacts: by a sampled set, by laws that select one outcome, and by a
//! ball as large as the set.

use std::collections::BTreeMap;
use std::time::Instant;

use rayon::prelude::*;

use crate::engine::{DeviceInfo, Engine, Plan, Precision};
use crate::error::{Error, ErrorKind, Result};
use crate::law::{AnitescuPotra, FiniteLaw, Sequential};
use crate::outcome::{Cloud, PointSet, Score, Size, ball};
use crate::problem::ContactProblem;
use crate::status::Status;

/// A measured impact.
#[derive(Clone, Debug)]
pub struct Event {
    /// The position of the event in the file, counted from 0.
    pub number: usize,
    /// The configuration and the velocity before.
    pub problem: ContactProblem,
    /// The velocity measured after the impact (n).
    pub measured: Vec<f64>,
    /// Standard deviation of the measured jump of the velocity, `|.|_M` over `|v-|_M`.
    pub noise: Option<f64>,
    /// Whether the source of the data marks the measurement as reliable.
    pub clean: Option<bool>,
    /// Gaps of the contacts (m) in m, before the impact.
    pub gap: Option<Vec<f64>>,
    /// Number of the experiment.
    pub toss: Option<f64>,
}

/// Predictions of many impacts, and how far each is from the measurement. Distances are
/// `|a - b|_M / |v-|_M`, those of [`PointSet`].
#[derive(Clone, Debug)]
pub struct Reality {
    /// The device that computed the samples.
    pub device: DeviceInfo,
    /// The precision of the samples.
    pub precision: Precision,
    /// Number of contacts of each event.
    pub contacts: Vec<usize>,
    /// Samples of all events that terminated.
    pub terminated: u64,
    /// Samples of all events that reached the step limit.
    pub limited: u64,
    /// Terminated samples with an accepted residual; only these count.
    pub accepted: u64,
    /// The sampled set, event by event.
    pub set: Vec<Score>,
    /// The predictions with which the set is compared.
    pub baselines: Vec<Baseline>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// A prediction with which the set is compared.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// The name of the baseline in tables.
    pub name: &'static str,
    /// The description of the baseline.
    pub what: &'static str,
    /// The scores, event by event, or the reason why there are none.
    pub scores: Result<Vec<Score>>,
}

/// Scores over a group of events.
#[derive(Clone, Debug, PartialEq)]
pub struct EventGroup {
    /// Number of contacts: `1`, `2`, `3`, `4`, ..., `multi` (two and more) or `all`.
    pub contacts: String,
    /// Number of events.
    pub events: usize,
    /// Median distance of the measured velocity from the nearest point.
    pub median: f64,
    /// 90th percentile of this distance.
    pub p90: f64,
    /// Shares of events whose distance is at most [`EventGroup::WITHIN`].
    pub shares: [f64; 3],
    /// Share of events whose distance from the convex hull of the points is at most 0.05.
    pub hull_share: f64,
    /// Mean root-mean-square radius of the sets.
    pub rms: f64,
    /// Mean diameter of the sets.
    pub diameter: f64,
    /// Mean energy score, see [`Score::energy`].
    pub energy: f64,
}

/// Number of contacts up to which all orders are tried; above it, the cyclic ones.
const ALL_ORDERS: usize = 4;

/// Number of events whose samples are in memory at a time.
const BATCH: usize = 64;

impl Event {
    /// Adds the number of this event to an error.
    fn locate(&self, mut error: Error) -> Error {
        if error.kind == ErrorKind::Input {
            let event = format!("events[{}]", self.number);
            error.at = Some(error.at.map_or(event.clone(), |at| format!("{event}.{at}")));
        }
        error
    }
}

impl EventGroup {
    /// The distances of [`EventGroup::shares`].
    pub const WITHIN: [f64; 3] = [0.02, 0.05, 0.1];

    /// The groups that occur: by number of contacts, with several contacts, and all.
    pub fn of(contacts: &[usize], scores: &[Score]) -> Vec<EventGroup> {
        let mut numbers: Vec<usize> = contacts.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let mut groups: Vec<(String, Vec<&Score>)> = Vec::new();
        let pick = |wanted: &dyn Fn(usize) -> bool| -> Vec<&Score> {
            contacts
                .iter()
                .zip(scores)
                .filter(|(m, _)| wanted(**m))
                .map(|(_, score)| score)
                .collect()
        };
        groups
            .extend(numbers.into_iter().map(|number| (number.to_string(), pick(&|m| m == number))));
        groups.push(("multi".to_string(), pick(&|m| m > 1)));
        groups.push(("all".to_string(), pick(&|_| true)));
        groups.retain(|(_, scores)| !scores.is_empty());
        groups.into_iter().map(|(name, scores)| EventGroup::new(name, &scores)).collect()
    }

    fn new(contacts: String, scores: &[&Score]) -> EventGroup {
        let mut nearest: Vec<f64> = scores.iter().map(|score| score.nearest).collect();
        nearest.sort_unstable_by(f64::total_cmp);
        let share = |within: &dyn Fn(&Score) -> bool| {
            scores.iter().filter(|score| within(score)).count() as f64 / scores.len() as f64
        };
        let mean = |of: &dyn Fn(&Score) -> f64| {
            scores.iter().map(|score| of(score)).sum::<f64>() / scores.len() as f64
        };
        EventGroup {
            contacts,
            events: scores.len(),
            median: quantile(&nearest, 0.5),
            p90: quantile(&nearest, 0.9),
            shares: EventGroup::WITHIN.map(|bound| share(&|score| score.nearest <= bound)),
            hull_share: share(&|score| score.hull <= 0.05),
            rms: mean(&|score| score.size.rms),
            diameter: mean(&|score| score.size.diameter),
            energy: mean(&|score| score.energy),
        }
    }
}

/// The quantile `q` of sorted numbers, by linear interpolation.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    if low == high { low } else { low + (high - low) * place.fract() }
}

/// The accepted samples of one event as points, and the data that they are compared with.
struct Sampled {
    space: PointSet,
    /// Number of samples that terminated, reached the step limit, and were accepted.
    counts: [u64; 3],
}

impl Engine {
    /// Samples the problem of every event as `plan` says and compares the sets with the
    /// measurements, beside three baselines:
    ///
    /// - `anitescu-potra`: the simultaneous inelastic impact, all its outcomes;
    /// - `sequential`: single impacts until rest, in every order of up to four contacts that is
    ///   repeated (above, the cyclic ones);
    /// - `ball`: as many points as samples, uniform in a ball around the set's mean, with its rms
    ///   radius.
    ///
    /// `tell` is called after every event. Sample i of event k is a function of (event, law, seed,
    /// i) alone: every event uses the same streams of random numbers, and so does the ball. Nothing
    /// depends on the number of threads.
    /// # Errors
    /// Those of [`Engine::sample`], with the number of the event. A baseline that does not apply to
    /// an event is no error: see [`Baseline::scores`].
    pub fn reality(
        &self,
        events: &[Event],
        plan: &Plan,
        tell: impl Fn() + Sync,
    ) -> Result<Reality> {
        let start = Instant::now();
        let mut balls: BTreeMap<usize, (Cloud, Size)> = BTreeMap::new();
        for event in events {
            let n = event.problem.coordinate_count();
            balls.entry(n).or_insert_with(|| ball::uniform(n, plan.samples, plan.seed));
        }
        let mut counts = [0; 3];
        let mut scores: [Vec<Result<Score>>; 4] = Default::default();
        for batch in events.chunks(BATCH) {
            let sample =
                |event: &Event| self.sampled(event, plan).map_err(|error| event.locate(error));
            let sampled: Result<Vec<Sampled>> = match self.info().kind {
                // A GPU computes one problem after the other.
                "gpu" => batch.iter().map(sample).collect(),
                _ => batch.par_iter().map(sample).collect(),
            };
            let sampled = sampled?;
            let scored: Vec<[Result<Score>; 4]> = (batch.par_iter().zip(&sampled))
                .map(|(event, sampled)| {
                    if plan.stopped() {
                        return std::array::from_fn(|_| Err(Error::interrupted()));
                    }
                    let ball = &balls[&event.problem.coordinate_count()];
                    let scores = against(event, sampled, ball);
                    tell();
                    scores.map(|score| score.map_err(|error| event.locate(error)))
                })
                .collect();
            if plan.stopped() {
                return Err(Error::interrupted());
            }
            for (sampled, scored) in sampled.iter().zip(scored) {
                counts.iter_mut().zip(sampled.counts).for_each(|(sum, count)| *sum += count);
                scores.iter_mut().zip(scored).for_each(|(scores, score)| scores.push(score));
            }
        }
        let [set, simultaneous, sequential, ball] =
            scores.map(|scores| scores.into_iter().collect::<Result<Vec<_>>>());
        let [terminated, limited, accepted] = counts;
        let baseline = |name, what, scores| Baseline { name, what, scores };
        Ok(Reality {
            device: self.info().clone(),
            precision: self.precision(plan),
            contacts: events.iter().map(|event| event.problem.contact_count()).collect(),
            terminated,
            limited,
            accepted,
            set: set?,
            baselines: vec![
                baseline(
                    AnitescuPotra::NAME,
                    "all contacts at once, inelastic: its outcomes",
                    simultaneous,
                ),
                baseline(Sequential::NAME, "single impacts, in every order", sequential),
                baseline("ball", "around the set's mean, with its rms radius", ball),
            ],
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// Samples the set of one event.
    fn sampled(&self, event: &Event, plan: &Plan) -> Result<Sampled> {
        let problem = &event.problem;
        let (run, samples) = self.collect(problem, plan)?;
        let accepted = samples.accepted(run.summary.tolerance().residual);
        let velocities: Vec<f64> =
            accepted.iter().flat_map(|&i| samples.row(&samples.velocity, i)).copied().collect();
        let summary = &run.summary;
        let counts = [summary.terminated(), summary.count(Status::StepLimit), summary.accepted];
        Ok(Sampled { space: space(problem, &velocities)?, counts })
    }
}

/// The scores of the set and of the baselines.
fn against(
    event: &Event,
    sampled: &Sampled,
    (ball, ball_size): &(Cloud, Size),
) -> [Result<Score>; 4] {
    let n = event.problem.coordinate_count();
    let y = sampled.space.point(&event.measured);
    let y = y.as_slice();
    let set = Cloud::new(n, sampled.space.points());
    let size = set.size();
    let around = match set.is_empty() {
        true => set.clone(),
        false => ball.moved(size.rms, &set.mean()),
    };
    let ball_size = match set.is_empty() {
        true => Size::default(),
        false => Size {
            rms: size.rms,
            diameter: size.rms * ball_size.diameter,
            spread: size.rms * ball_size.spread,
        },
    };
    let finite = |outcomes: Result<Vec<f64>>| {
        let cloud = Cloud::new(n, space(&event.problem, &outcomes?)?.points());
        Ok(cloud.score(y, cloud.size()))
    };
    [
        Ok(set.score(y, size)),
        finite(simultaneous(&event.problem)),
        finite(sequential(&event.problem)),
        Ok(around.score(y, ball_size)),
    ]
}

/// The outcomes of the simultaneous inelastic impact, row by row.
fn simultaneous(problem: &ContactProblem) -> Result<Vec<f64>> {
    let inelastic = problem.clone().with_numbers(None, problem.uncertainty().clone())?;
    outcomes(&FiniteLaw::AnitescuPotra(AnitescuPotra::default()), &inelastic)
}

/// The outcomes of single impacts in every order, row by row.
fn sequential(problem: &ContactProblem) -> Result<Vec<f64>> {
    let m = problem.contact_count();
    if m > ALL_ORDERS {
        return outcomes(&FiniteLaw::Sequential(Sequential::default()), problem);
    }
    let mut rows = Vec::new();
    for order in orders(m) {
        rows.extend(outcomes(
            &FiniteLaw::Sequential(Sequential { start: None, order: Some(order) }),
            problem,
        )?);
    }
    Ok(rows)
}

/// The velocities after the impact in all outcomes of a law.
fn outcomes(law: &FiniteLaw, problem: &ContactProblem) -> Result<Vec<f64>> {
    let resolved = law.resolve(problem)?;
    let ended =
        resolved.outcomes.into_iter().filter(|outcome| outcome.status == Status::Terminated);
    Ok(ended.flat_map(|outcome| outcome.velocity).collect())
}

/// All orders of m contacts.
fn orders(m: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for i in 0..m {
        let insert = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |at| [&order[..at], &[i], &order[at..]].concat())
        };
        orders = orders.iter().flat_map(insert).collect();
    }
    orders
}

fn space(problem: &ContactProblem, velocities: &[f64]) -> Result<PointSet> {
    PointSet::new(problem.mass(), problem.velocity(), velocities)
        .ok_or_else(|| Error::input("expected a positive definite matrix").at("mass"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_occurs_once() {
        for (m, count) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
            let mut orders = orders(m);
            orders.sort();
            orders.dedup();
            assert_eq!(orders.len(), count);
            for order in orders {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..m).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn quantiles_lie_between() {
        assert_eq!(quantile(&[3.0], 0.9), 3.0);
        assert_eq!(quantile(&[1.0, 2.0], 0.5), 1.5);
        assert_eq!(quantile(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], 0.9), 9.0);
        assert_eq!(quantile(&[1.0, f64::INFINITY, f64::INFINITY], 0.9), f64::INFINITY);
    }
}
