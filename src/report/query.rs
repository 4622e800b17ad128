//! Answers to questions about a set: as JSON for scripts, as text for people.

use std::fmt::Write;
use std::time::Duration;

use super::answer::{
    Away, ClusterRow, Clusters, Contained, Distant, Hull, InvariantRow, Invariants, Largest,
    ModeRow, Modes, Near, OfSet, Peak, QueryAnswer, QueryReport, Ranges, Representatives, Source,
    Witness, WitnessLeg, Word,
};
use super::bounds::{self, ApartRow, BoundRow, MissingRow};
use super::exact_set::Extents;
use super::schema::named;
use super::table::rest;
use carom_analysis::bounds::{Aim, Apart, Bound, BoundKind, Cost, Limits, apart};
use carom_analysis::proofs::cut_extents;
use carom_analysis::sampled_set::{Answer, Cluster, Distance, Invariant, SampledSet, invariants};
use carom_analysis::{ExactSet, Leg, possible_modes};
use carom_core::error::{Error, Result};
use carom_core::expression::Interval;
use carom_core::outcome::{Mode, PointSet};
use carom_core::text::{grouped, line, number, number_above, percent, printable, short};
use serde_json::{Value, json};

/// A question to a set of outcomes.
#[derive(Clone, Debug)]
pub enum Question {
    /// The largest `c.v+` for a direction `c` (n).
    Support(Vec<f64>),
    /// The largest cost.
    Worst(Cost),
    /// The distance of a velocity (n); coordinates that are NaN are free.
    Distance(Vec<f64>),
    /// Whether a velocity (n), free coordinates NaN, is within a distance of the set.
    Contains(Vec<f64>, f64),
    /// The least and largest value of each coordinate.
    Extents,
    /// The contact modes that occur.
    Modes,
    /// Representative samples, by number.
    Representatives(usize),
    /// Clusters of single linkage with this threshold.
    Clusters(f64),
    /// The directions in which the set is thin.
    Invariants,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The answer for scripts, without the record of the run.
    pub json: Value,
    /// The answer for people.
    pub text: String,
}

/// Evidence besides the samples: the exact set, and proofs.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// The exact set, if computed.
    pub set: Option<ExactSet>,
    /// The reason for a missing exact answer, where one might be expected.
    pub missing: Option<Error>,
    /// The kind of proofs that hold for the samples and answer where the exact set does not.
    pub proofs: Option<BoundKind>,
}

/// Answers a question from the samples, and from the exact set if computed, or else by a proof,
/// until the flag of `limits` is raised.
///
/// # Errors
/// A set without samples; a cost without a finite value for a sample; see [`Aim::bound`].
pub fn reply(
    set: &SampledSet,
    beside: &Beside,
    question: &Question,
    limits: &Limits,
) -> Result<Reply> {
    let (answer, mut text) = told(set, beside.set.as_ref(), beside.proofs, question, limits)?;
    let missing = beside.missing.as_ref().map(|error| {
        let advice = error.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
        line(&mut text, "exact", &format!("missing: {}{advice}", error.what));
        MissingRow::of(BoundKind::Exact, error)
    });
    Ok(Reply { json: json!(QueryReport { answer, missing }), text })
}

/// The answer to a question from the samples, from the exact set if given, and by proofs of a kind
/// if given.
///
/// # Errors
/// See [`reply`].
pub fn answered(
    set: &SampledSet,
    exact: Option<&ExactSet>,
    proofs: Option<BoundKind>,
    question: &Question,
    limits: &Limits,
) -> Result<Reply> {
    let (answer, text) = told(set, exact, proofs, question, limits)?;
    Ok(Reply { json: json!(answer), text })
}

type Told<'a> = (QueryAnswer<'a>, String);

fn told<'a>(
    set: &'a SampledSet,
    exact: Option<&'a ExactSet>,
    proofs: Option<BoundKind>,
    question: &Question,
    limits: &'a Limits,
) -> Result<Told<'a>> {
    if set.is_empty() {
        let what = format!("the set is empty: none of {} samples was accepted", set.drawn());
        return Err(Error::empty(what));
    }
    let missing = || Error::empty("the set is empty");
    let asked = Asked { set, exact, proofs, limits };
    Ok(match question {
        Question::Support(c) => {
            let found = set.support(c).ok_or_else(missing)?;
            let exact = exact.map(|exact| exact.support(c));
            asked.largest(found, exact, Aim::Direction(c.clone()))?
        }
        Question::Worst(cost) => {
            let found = set.worst(cost)?.ok_or_else(missing)?;
            let exact = exact.filter(|exact| peaks_at_vertices(cost, exact));
            let exact = exact.map(|exact| exact.worst(|v| cost.of(v).unwrap_or(f64::NEG_INFINITY)));
            asked.largest(found, exact, Aim::Cost(cost.clone()))?
        }
        Question::Distance(v) => asked.distance(v).ok_or_else(missing)?,
        Question::Contains(v, eps) => asked.contains(v, *eps)?.ok_or_else(missing)?,
        Question::Extents => asked.extents()?,
        Question::Modes => asked.modes(),
        Question::Representatives(count) => asked.representatives(*count),
        Question::Clusters(gap) => asked.clusters(*gap),
        Question::Invariants => asked.invariants(),
    })
}

/// Whether the largest cost over the exact set occurs at a vertex.
fn peaks_at_vertices(cost: &Cost, exact: &ExactSet) -> bool {
    let [low, high] = exact.extents();
    let range = |(low, high): (&f64, &f64)| Interval { low: *low, high: *high };
    let ranges: Vec<Interval> = low.iter().zip(&high).map(range).collect();
    cost.shape(&ranges).peaks_at_vertices()
}

struct Asked<'a> {
    set: &'a SampledSet,
    exact: Option<&'a ExactSet>,
    proofs: Option<BoundKind>,
    limits: &'a Limits,
}

impl<'a> Asked<'a> {
    fn largest(
        &self,
        found: Answer<'a>,
        exact: Option<(f64, &'a [f64])>,
        aim: Aim,
    ) -> Result<Told<'a>> {
        let mut text = String::new();
        line(&mut text, "largest", &format!("{}, sample {}", short(found.value), found.sample));
        line(&mut text, "velocity", &self.velocity(found.velocity));
        let known = exact.is_some() && self.is_complete() && !self.is_loose();
        let proved = if known { None } else { self.proved(&aim, found.value)? };
        if let Some(bound) = &proved {
            let (kind, most) = (bound.kind, number_above(bound.value, bound.value.abs()));
            let words = format!("at most {most} ({}): {}", kind.name(), kind.excludes());
            line(&mut text, "proved", &words);
        }
        let peak = exact.map(|(value, velocity)| {
            let limit = proved.filter(|_| self.is_loose()).map_or(value, |bound| bound.value);
            let value = value.min(limit);
            let most = if self.is_loose() && self.is_complete() { "at most " } else { "" };
            let words = format!("{most}{}, {}", short(value), self.completeness());
            line(&mut text, self.name(), &words);
            Peak { value, velocity: (!self.is_loose()).then_some(velocity) }
        });
        let Answer { value, sample, velocity } = found;
        let (bound, of_set) = (proved.as_ref().map(BoundRow::of), OfSet::new(self.exact, peak));
        Ok((QueryAnswer::Largest(Largest { value, sample, velocity, bound, of_set }), text))
    }

    /// A proved bound of an objective whose largest sampled value is `sampled`, if no sample
    /// exceeds it.
    fn proved(&self, aim: &Aim, sampled: f64) -> Result<Option<Bound>> {
        let (Some(kind), problem) = (self.proofs, self.set.problem()) else { return Ok(None) };
        let room = aim.room(problem, sampled.abs());
        let bound = match self.exact {
            Some(set) if kind == BoundKind::Exact => aim.bound_on(problem, set),
            _ => aim.bound(problem, kind, self.limits)?,
        };
        let bound = bound.unless_passed(sampled, room);
        Ok(Some(bound).filter(|bound| bound.certified))
    }

    /// The name of the set; an enclosure of motions without end is not exact.
    fn name(&self) -> &'static str {
        if self.is_loose() { "enclosure" } else { "exact" }
    }

    fn completeness(&self) -> String {
        let unproved = if self.is_complete() { "" } else { "; completeness is not proved" };
        let loose = if self.is_loose() { "; not all of it need be outcomes" } else { "" };
        format!("of all orders of impulses{unproved}{loose}")
    }

    /// Whether an exact set exists and is proved to contain all outcomes.
    fn is_complete(&self) -> bool {
        self.exact.is_some_and(ExactSet::is_complete)
    }

    /// Whether the exact set may contain points that are no outcomes.
    fn is_loose(&self) -> bool {
        self.exact.is_some_and(|exact| !exact.is_tight())
    }

    /// `x 0.5, theta -1`
    fn velocity(&self, v: &[f64]) -> String {
        let names = self.set.problem().coordinates().iter();
        let entry = |(name, x): (&String, &f64)| format!("{} {}", printable(name), short(*x));
        names.zip(v).map(entry).collect::<Vec<_>>().join(", ")
    }

    fn distance(&self, v: &[f64]) -> Option<Told<'a>> {
        let Distance { nearest, hull, .. } = self.set.distance(v)?;
        let mut text = String::new();
        let (away, sample) = (short(nearest.value), nearest.sample);
        line(&mut text, "nearest", &format!("{away} from sample {sample}"));
        line(&mut text, "velocity", &self.velocity(nearest.velocity));
        line(&mut text, "hull", &format!("{} from the hull of the samples", short(hull)));
        let away = self.exact.map(|exact| {
            let distance = exact.distance(v);
            let least = if self.is_loose() && self.is_complete() { "at least " } else { "" };
            let from = format!("from the set {}", self.completeness());
            line(&mut text, self.name(), &format!("{least}{} {from}", short(distance)));
            Away { distance }
        });
        text += &self.free(v);
        line(&mut text, "unit", UNIT);
        let (nearest, hull) = (Near::of(nearest, true), Hull { distance: hull });
        let answer = Distant { nearest, hull, of_set: OfSet::new(self.exact, away) };
        Some((QueryAnswer::Distance(answer), text))
    }

    /// The free coordinates of a velocity, as text.
    fn free(&self, v: &[f64]) -> String {
        let names = self.set.problem().coordinates().iter().zip(v);
        let free: Vec<_> =
            names.filter(|(_, x)| x.is_nan()).map(|(name, _)| printable(name)).collect();
        let mut text = String::new();
        if !free.is_empty() {
            line(&mut text, "any", &format!("{}: not given, whatever is nearest", free.join(", ")));
        }
        text
    }

    fn contains(&self, v: &[f64], eps: f64) -> Result<Option<Told<'a>>> {
        let Some(Distance { nearest: sampled, .. }) = self.set.distance(v) else { return Ok(None) };
        let (distance, what) = match self.exact {
            Some(exact) => (exact.distance(v), format!("the set {}", self.completeness())),
            None => (sampled.value, format!("sample {}, the nearest", sampled.sample)),
        };
        // A velocity near a set that is not tight may be far from all outcomes.
        let unknown = self.is_loose() && distance <= eps && sampled.value > eps;
        let near = distance <= eps || sampled.value <= eps;
        let contains = (!unknown).then_some(near);
        let apart = match self.proofs {
            Some(kind) if distance > eps && !self.is_complete() => {
                apart(self.set.problem(), kind, v, self.set.velocities(), eps, self.limits)?
            }
            _ => None,
        };
        let mut text = String::new();
        // Only an exact set or a half-space proves an answer; samples do not.
        let proved = match self.exact {
            _ if apart.is_some() => true,
            Some(_) if near => !self.is_loose() && distance <= eps,
            Some(exact) => exact.is_complete(),
            None => false,
        };
        let answer = match (contains, self.exact) {
            _ if apart.is_some() => "no: a proof excludes it",
            (Some(true), _) => "yes",
            (None, _) => {
                "not excluded: no sample is as near, and not all of the set need be outcomes"
            }
            (Some(false), Some(exact)) if exact.is_complete() => "no",
            (Some(false), Some(_)) => "not in the set; that it has all outcomes is not proved",
            (Some(false), None) => {
                "no sample is as near; orders of impulses that were not drawn may lead there"
            }
        };
        line(&mut text, "possible", answer);
        let [away, asked] = [distance, eps].map(short);
        line(&mut text, "distance", &format!("{away} from {what}; asked {asked}"));
        if let Some(Apart { kind, direction, bound, distance, .. }) = &apart {
            let sum = bounds::sum(self.set.problem().coordinates(), direction);
            let most = number_above(*bound, bound.abs());
            line(&mut text, "proved", &format!("{sum} is at most {most} ({})", kind.name()));
            line(&mut text, "", kind.excludes());
            line(&mut text, "apart", &format!("{} from that, at least", short(*distance)));
        }
        text += &self.free(v);
        line(&mut text, "unit", UNIT);
        let answer = Contained {
            contains,
            answer: match contains {
                Some(true) => Word::Yes,
                Some(false) if proved => Word::No,
                _ => Word::Unknown,
            },
            proved,
            distance,
            from: Source::of(self.exact),
            nearest: Near::of(sampled, false),
            of_set: OfSet::new(self.exact, Some(Away { distance })),
            apart: apart.as_ref().map(ApartRow::of),
        };
        Ok(Some((QueryAnswer::Contains(answer), text)))
    }

    fn extents(&self) -> Result<Told<'a>> {
        let [min, max] = self.set.extents();
        let exact = self.exact.map(ExactSet::extents);
        let exact = match (exact, self.proofs) {
            (Some(extents), Some(kind)) if self.is_loose() => {
                Some(cut_extents(self.set.problem(), extents, kind, EACH, self.limits)?)
            }
            (extents, _) => extents,
        };
        let largest = min.iter().chain(&max).fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let mut text = String::new();
        let names = self.set.problem().coordinates();
        let longest = names.iter().map(|name| name.chars().count()).max();
        let width = longest.unwrap_or(0).max(19);
        let head = match exact {
            None => "",
            Some(_) if self.is_loose() => "  enclosure:  from           to",
            Some(_) => "  exact: least         most",
        };
        let _ = writeln!(text, "{:<width$}        least         most{head}", "velocity, SI units");
        for (i, name) in names.iter().enumerate() {
            let [least, most] = [min[i], max[i]].map(|x| number(x, largest));
            let _ = write!(text, "{name:<width$} {least:>12} {most:>12}");
            if let Some([low, high]) = &exact {
                let [low, high] = [low[i], high[i]].map(|x| number(x, largest));
                let _ = write!(text, " {low:>14} {high:>12}");
            }
            text.push('\n');
        }
        let answer = Ranges {
            sampled: Extents::new([min, max]),
            of_set: OfSet::new(self.exact, exact.map(Extents::new)),
        };
        Ok((QueryAnswer::Extents(answer), text))
    }

    fn modes(&self) -> Told<'a> {
        let problem = self.set.problem();
        let tangents = problem.tangents_per_contact();
        let names =
            |modes: &[Mode]| modes.iter().map(|mode| mode.name(tangents)).collect::<Vec<_>>();
        let met = self.set.modes();
        let possible = self.exact.map(|exact| possible_modes(problem, exact));
        let total = self.set.len() as u64;
        let mut all: Vec<Vec<Mode>> = met.iter().map(|met| met.modes.clone()).collect();
        for modes in possible.iter().flatten() {
            if !all.contains(&modes.modes) {
                all.push(modes.modes.clone());
            }
        }
        let mut text =
            format!("contact modes after the impact ({})\n", problem.contacts().join(", "));
        let mut rows = Vec::new();
        for modes in &all {
            let met = met.iter().find(|met| met.modes == *modes);
            let witness = possible.iter().flatten().find(|possible| possible.modes == *modes);
            let (count, sample) = (met.map_or(0, |met| met.count), met.map(|met| met.sample));
            let mut row = ModeRow {
                contacts: named(modes, tangents),
                count,
                share: count as f64 / total as f64,
                sample,
                occurs: None,
                witness: None,
            };
            let share = met.map_or("not met".to_string(), |met| percent(met.count, total));
            let _ = write!(text, "  {share:>9}  {}", names(modes).join(" "));
            if let Some(sample) = sample {
                let _ = write!(text, "; sample {sample}");
            }
            if possible.is_some() {
                let leg = |leg: &Leg| WitnessLeg {
                    contacts: leg.states.iter().map(|state| state.name()).collect(),
                    impulse: leg.impulse.clone(),
                };
                let excluded = witness.is_none();
                // In a set that is not tight, only a velocity at the end of a path is an outcome.
                let witness = witness.filter(|witness| !self.is_loose() || witness.path.is_some());
                if !excluded && witness.is_none() && met.is_none() {
                    text.push_str("; not excluded, but it need not occur");
                }
                row.occurs = Some(witness.is_some() || met.is_some());
                row.witness = Some(witness.map(|witness| Witness {
                    velocity: witness.velocity.clone(),
                    path: witness.path.as_ref().map(|path| path.iter().map(leg).collect()),
                }));
                if excluded {
                    text.push_str("; not on the exact set: rounding");
                }
            }
            text.push('\n');
            rows.push(row);
        }
        text.push_str(match &possible {
            Some(_) if self.is_loose() => "  no others can occur; shares are the sampler's, no probabilities\n",
            Some(_) => "  all that can occur; shares are the sampler's, no probabilities\n",
            None => "  those that were met; shares are the sampler's, no probabilities; others may occur as well\n",
        });
        let tight = possible.map(|_| !self.is_loose());
        let answer = Modes { modes: rows, complete: self.is_complete(), tight };
        (QueryAnswer::Modes(answer), text)
    }

    fn representatives(&self, count: usize) -> Told<'a> {
        let found = self.set.representatives(count);
        let mut shares = vec![0_u64; found.points.len()];
        found.nearest.iter().for_each(|place| shares[*place] += 1);
        let numbers: Vec<u64> = found.points.iter().map(|at| self.set.numbers()[*at]).collect();
        let velocity = |at: &usize| -> &'a [f64] { self.set.velocity(*at) };
        let velocities: Vec<&'a [f64]> = found.points.iter().map(velocity).collect();
        let mut text = String::new();
        let radius = short(found.radius);
        let radius = format!("no sample is farther than {radius} from the nearest of these");
        line(&mut text, "radius", &radius);
        line(&mut text, "unit", UNIT);
        let total = self.set.len() as u64;
        for ((number, velocity), share) in numbers.iter().zip(&velocities).zip(&shares) {
            let (share, velocity) = (percent(*share, total), self.velocity(velocity));
            let _ = writeln!(text, "  sample {number:>10}, nearest to {share:>8}: {velocity}");
        }
        let answer = Representatives {
            samples: numbers,
            radius: found.radius,
            velocities,
            shares: shares.iter().map(|count| *count as f64 / total as f64).collect(),
        };
        (QueryAnswer::Representatives(answer), text)
    }

    fn clusters(&self, gap: f64) -> Told<'a> {
        let found = self.set.clusters(gap);
        let total = self.set.len() as u64;
        let mut text = String::new();
        let (clusters, links) = (grouped(found.len() as u64), short(gap));
        let what = format!("{clusters}, connected by links of at most {links}");
        line(&mut text, "clusters", &what);
        line(&mut text, "unit", UNIT);
        for cluster in found.iter().take(LISTED) {
            let share = percent(cluster.count, total);
            let Answer { sample, velocity, .. } = cluster.middle;
            let velocity = self.velocity(velocity);
            let _ = writeln!(text, "  {share:>9}  in the middle sample {sample}: {velocity}");
        }
        rest(&mut text, found.len(), LISTED);
        let row = |Cluster { count, middle, extents, .. }: Cluster<'a>| ClusterRow {
            count,
            share: count as f64 / total as f64,
            sample: middle.sample,
            velocity: middle.velocity,
            extents: Extents::new(extents),
        };
        let clusters = found.into_iter().map(row).collect();
        (QueryAnswer::Clusters(Clusters { gap, clusters }), text)
    }

    fn invariants(&self) -> Told<'a> {
        let problem = self.set.problem();
        // The exact set and its vertices have equal extents.
        let exact = self.exact.and_then(|exact| {
            let velocities: Vec<f64> = exact.vertices().flatten().copied().collect();
            let set = PointSet::new(problem.mass(), problem.velocity(), &velocities)?;
            Some(invariants(&set))
        });
        let found = exact.clone().unwrap_or_else(|| self.set.invariants());
        let mut text = String::new();
        let what = match exact {
            Some(_) => format!("the set {}", self.completeness()),
            None => "the samples".to_string(),
        };
        let most = if self.is_loose() { ", at most," } else { "" };
        let what = format!("how far{most} {what} differ along a direction, the thinnest first");
        line(&mut text, "spread", &what);
        line(&mut text, "unit", UNIT);
        for Invariant { direction, extent, spread } in &found {
            let [low, high] = extent.map(short);
            let spread = if *spread < 1e-12 { "0".to_string() } else { short(*spread) };
            let sum = bounds::sum(problem.coordinates(), direction);
            let _ = writeln!(text, "  {spread:>12}  {sum} from {low} to {high}");
        }
        let row = |of: Invariant| {
            let Invariant { direction, extent: [min, max], spread } = of;
            InvariantRow { direction, min, max, spread }
        };
        let answer = Invariants {
            invariants: found.into_iter().map(row).collect(),
            from: Source::of(self.exact.filter(|_| exact.is_some())),
            complete: exact.as_ref().map(|_| self.is_complete()),
            tight: exact.as_ref().map(|_| !self.is_loose()),
        };
        (QueryAnswer::Invariants(answer), text)
    }
}

/// The unit of distances.
const UNIT: &str = "distances in the kinetic metric, over |v-|_M";
/// The time of each proof that cuts the extents of an enclosure.
const EACH: Duration = Duration::from_millis(50);
/// Clusters that the text lists.
const LISTED: usize = 20;
