//! Answers to questions about a set: as JSON for scripts, as text for people.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use super::bounds;
use carom_analysis::bounds::{Aim, Apart, Bound, BoundKind, Cost, Stop, apart};
use carom_analysis::proofs::cut_extents;
use carom_analysis::sampled_set::SampledSet;
use carom_analysis::sampled_set::{Answer, Distance, Invariant, invariants};
use carom_analysis::{ExactSet, Leg, possible_modes};
use carom_core::error::{Error, Result};
use carom_core::expression::Interval;
use carom_core::outcome::{Mode, PointSet};
use carom_core::text::{grouped, line, number, number_above, percent, printable, short};

/// A question.
#[derive(Clone, Debug)]
pub enum Question {
    /// The largest `c.v+` for a direction `c` (n).
    Support(Vec<f64>),
    /// The largest cost.
    Worst(Cost),
    /// The distance of a velocity (n), whose coordinates that are NaN may be anything.
    Distance(Vec<f64>),
    /// Whether such a velocity (n) is within a distance.
    Contains(Vec<f64>, f64),
    /// Between which values each coordinate lies.
    Extents,
    /// The contact modes that occur.
    Modes,
    /// A number of samples that stand for all.
    Representatives(usize),
    /// Clusters that links up to a length connect.
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

/// The exact set beside samples, and proofs.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// The set, where there is one.
    pub set: Option<ExactSet>,
    /// The reason why the exact answer is missing, where it might be expected.
    pub missing: Option<Error>,
    /// The kind of the proofs that hold for the samples and answer where the set does not.
    pub proofs: Option<BoundKind>,
}

/// Answers a question from the samples, and from the exact set where there is one, or by a proof,
/// unless the flag is raised.
///
/// # Errors
/// A set without samples; a cost without a finite value for a sample; those of [`Aim::bound`].
pub fn reply(set: &SampledSet, beside: &Beside, question: &Question, stop: &Stop) -> Result<Reply> {
    let mut reply = answered(set, beside.set.as_ref(), beside.proofs, question, stop)?;
    if let Some(why) = &beside.missing {
        let hint = why.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
        line(&mut reply.text, "exact", &format!("missing: {}{hint}", why.what));
        reply.json["missing"] = json!({ "kind": "exact", "why": why.what, "hint": why.hint });
    }
    Ok(reply)
}

/// The answer to a question from the samples, from the exact set if there is one, and by proofs of
/// a kind if there is one.
///
/// # Errors
/// Those of [`reply`].
pub fn answered(
    set: &SampledSet,
    exact: Option<&ExactSet>,
    proofs: Option<BoundKind>,
    question: &Question,
    stop: &Stop,
) -> Result<Reply> {
    if set.is_empty() {
        return Err(Error::empty(format!(
            "the set is empty: none of {} samples was accepted",
            set.drawn()
        )));
    }
    let missing = || Error::empty("the set is empty");
    let asked = Asked { set, exact, proofs, stop };
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

/// Whether the largest cost is that of a vertex.
fn peaks_at_vertices(cost: &Cost, exact: &ExactSet) -> bool {
    let [low, high] = exact.extents();
    let ranges: Vec<Interval> =
        low.iter().zip(&high).map(|(low, high)| Interval { low: *low, high: *high }).collect();
    cost.shape(&ranges).peaks_at_vertices()
}

/// The sets that are asked.
struct Asked<'a> {
    set: &'a SampledSet,
    exact: Option<&'a ExactSet>,
    proofs: Option<BoundKind>,
    stop: &'a Stop,
}

impl Asked<'_> {
    fn largest(&self, found: Answer, exact: Option<(f64, &[f64])>, aim: Aim) -> Result<Reply> {
        let mut text = String::new();
        line(&mut text, "largest", &format!("{}, sample {}", short(found.value), found.sample));
        line(&mut text, "velocity", &self.velocity(found.velocity));
        let mut json =
            json!({ "value": found.value, "sample": found.sample, "velocity": found.velocity });
        let known = exact.is_some() && self.is_complete() && !self.is_loose();
        let proved = if known { None } else { self.proved(&aim, found.value)? };
        if let Some(bound) = &proved {
            let (kind, most) = (bound.kind, number_above(bound.value, bound.value.abs()));
            let words = format!("at most {most} ({}): {}", kind.name(), kind.excludes());
            line(&mut text, "proved", &words);
            json["bound"] = bounds::bound(bound);
        }
        if let Some((value, velocity)) = exact {
            let limit = proved.filter(|_| self.is_loose()).map_or(value, |bound| bound.value);
            let value = value.min(limit);
            let most = if self.is_loose() && self.is_complete() { "at most " } else { "" };
            let words = format!("{most}{}, {}", short(value), self.completeness());
            line(&mut text, self.name(), &words);
            let attained = (!self.is_loose()).then_some(velocity);
            json[self.name()] = self.exactly(json!({ "value": value, "velocity": attained }));
        }
        Ok(Reply { json, text })
    }

    /// A proved bound that no sample passes, whose largest value is `sampled`.
    fn proved(&self, aim: &Aim, sampled: f64) -> Result<Option<Bound>> {
        let (Some(kind), problem) = (self.proofs, self.set.problem()) else { return Ok(None) };
        let room = aim.room(problem, sampled.abs());
        let bound = match self.exact {
            Some(set) if kind == BoundKind::Exact => aim.bound_on(problem, set),
            _ => aim.bound(problem, kind, self.stop)?,
        };
        let bound = bound.unless_passed(sampled, room);
        Ok(Some(bound).filter(|bound| bound.certified))
    }

    /// The name of the set beside the samples: a set around motions without end is not exact.
    fn name(&self) -> &'static str {
        if self.is_loose() { "enclosure" } else { "exact" }
    }

    /// What is known about the completeness of the exact set, in words.
    fn completeness(&self) -> String {
        let unproved = if self.is_complete() { "" } else { "; completeness is not proved" };
        let loose = if self.is_loose() { "; not all of it need be outcomes" } else { "" };
        format!("of all orders of impulses{unproved}{loose}")
    }

    /// Whether there is an exact set that is proved to have all outcomes.
    fn is_complete(&self) -> bool {
        self.exact.is_some_and(ExactSet::is_complete)
    }

    /// Whether the exact set may have points that are no outcomes.
    fn is_loose(&self) -> bool {
        self.exact.is_some_and(|exact| !exact.is_tight())
    }

    /// An answer of the set beside the samples, with whether it is proved to be complete, and
    /// whether all of it are outcomes.
    fn exactly(&self, mut answer: Value) -> Value {
        answer["complete"] = json!(self.is_complete());
        answer["tight"] = json!(!self.is_loose());
        answer
    }

    /// `x 0.5, theta -1`
    fn velocity(&self, v: &[f64]) -> String {
        let names = self.set.problem().coordinates().iter();
        names
            .zip(v)
            .map(|(name, x)| format!("{} {}", printable(name), short(*x)))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn distance(&self, v: &[f64]) -> Option<Reply> {
        let found = self.set.distance(v)?;
        let mut text = String::new();
        let nearest = found.nearest;
        line(
            &mut text,
            "nearest",
            &format!("{} from sample {}", short(nearest.value), nearest.sample),
        );
        line(&mut text, "velocity", &self.velocity(nearest.velocity));
        line(&mut text, "hull", &format!("{} from the hull of the samples", short(found.hull)));
        let mut json = json!({
            "nearest": { "distance": nearest.value, "sample": nearest.sample, "velocity": nearest.velocity },
            "hull": { "distance": found.hull },
        });
        if let Some(exact) = self.exact {
            let distance = exact.distance(v);
            let least = if self.is_loose() && self.is_complete() { "at least " } else { "" };
            line(
                &mut text,
                self.name(),
                &format!("{least}{} from the set {}", short(distance), self.completeness()),
            );
            json[self.name()] = self.exactly(json!({ "distance": distance }));
        }
        text += &self.free(v);
        line(&mut text, "unit", UNIT);
        Some(Reply { json, text })
    }

    /// Which coordinates of a velocity may be anything.
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

    fn contains(&self, v: &[f64], eps: f64) -> Result<Option<Reply>> {
        let Some(Distance { nearest: sampled, .. }) = self.set.distance(v) else { return Ok(None) };
        let (distance, what) = match self.exact {
            Some(exact) => (exact.distance(v), format!("the set {}", self.completeness())),
            None => (sampled.value, format!("sample {}, the nearest", sampled.sample)),
        };
        // A velocity near a set that is not tight may be near no outcome.
        let unknown = self.is_loose() && distance <= eps && sampled.value > eps;
        let near = distance <= eps || sampled.value <= eps;
        let contains = (!unknown).then_some(near);
        let apart = match self.proofs {
            Some(kind) if distance > eps && !self.is_complete() => {
                apart(self.set.problem(), kind, v, self.set.velocities(), eps, self.stop)?
            }
            _ => None,
        };
        let mut text = String::new();
        // Samples were found; sets and half-spaces prove.
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
        line(
            &mut text,
            "distance",
            &format!("{} from {what}; asked {}", short(distance), short(eps)),
        );
        if let Some(Apart { kind, direction, bound, distance, .. }) = &apart {
            let sum = bounds::sum(self.set.problem().coordinates(), direction);
            let most = number_above(*bound, bound.abs());
            line(&mut text, "proved", &format!("{sum} is at most {most} ({})", kind.name()));
            line(&mut text, "", kind.excludes());
            line(&mut text, "apart", &format!("{} from that, at least", short(*distance)));
        }
        text += &self.free(v);
        line(&mut text, "unit", UNIT);
        let mut json = json!({
            "contains": contains,
            "answer": match contains {
                Some(true) => "yes",
                Some(false) if proved => "no",
                _ => "unknown",
            },
            "proved": proved,
            "distance": distance,
            "from": if self.exact.is_some() { self.name() } else { "samples" },
            "nearest": { "distance": sampled.value, "sample": sampled.sample },
        });
        if self.exact.is_some() {
            json[self.name()] = self.exactly(json!({ "distance": distance }));
        }
        if let Some(apart) = &apart {
            json["apart"] = bounds::apart(apart);
        }
        Ok(Some(Reply { json, text }))
    }

    fn extents(&self) -> Result<Reply> {
        let [min, max] = self.set.extents();
        let exact = self.exact.map(ExactSet::extents);
        let exact = match (exact, self.proofs) {
            (Some(extents), Some(kind)) if self.is_loose() => {
                Some(cut_extents(self.set.problem(), extents, kind, EACH, self.stop)?)
            }
            (extents, _) => extents,
        };
        let largest = min.iter().chain(&max).fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let mut text = String::new();
        let width = self
            .set
            .problem()
            .coordinates()
            .iter()
            .map(|name| name.chars().count())
            .max()
            .unwrap_or(0)
            .max(19);
        let _ = write!(text, "{:<width$} {:>12} {:>12}", "velocity, SI units", "least", "most");
        let _ = writeln!(
            text,
            "{}",
            match exact {
                None => "",
                Some(_) if self.is_loose() => "  enclosure:  from           to",
                Some(_) => "  exact: least         most",
            }
        );
        for (i, name) in self.set.problem().coordinates().iter().enumerate() {
            let _ = write!(
                text,
                "{name:<width$} {:>12} {:>12}",
                number(min[i], largest),
                number(max[i], largest)
            );
            if let Some([low, high]) = &exact {
                let _ = write!(
                    text,
                    " {:>14} {:>12}",
                    number(low[i], largest),
                    number(high[i], largest)
                );
            }
            text.push('\n');
        }
        let mut json = json!({ "min": min, "max": max });
        if let Some([min, max]) = exact {
            json[self.name()] = self.exactly(json!({ "min": min, "max": max }));
        }
        Ok(Reply { json, text })
    }

    fn modes(&self) -> Reply {
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
            let count = met.iter().find(|met| met.modes == *modes);
            let witness = possible.iter().flatten().find(|possible| possible.modes == *modes);
            let mut row = json!({
                "contacts": names(modes),
                "count": count.map_or(0, |met| met.count),
                "share": count.map_or(0, |met| met.count) as f64 / total as f64,
                "sample": count.map(|met| met.sample),
            });
            let share = count.map_or("not met".to_string(), |met| percent(met.count, total));
            let _ = write!(text, "  {share:>9}  {}", names(modes).join(" "));
            let _ = write!(
                text,
                "{}",
                count.map_or(String::new(), |met| format!("; sample {}", met.sample))
            );
            if possible.is_some() {
                let leg = |leg: &Leg| {
                    let states: Vec<_> = leg.states.iter().map(|state| state.name()).collect();
                    json!({ "contacts": states, "impulse": leg.impulse })
                };
                let excluded = witness.is_none();
                // In a set that is not tight only a velocity to which a path leads is an outcome.
                let witness = witness.filter(|witness| !self.is_loose() || witness.path.is_some());
                if !excluded && witness.is_none() && count.is_none() {
                    let _ = write!(text, "; not excluded, but it need not occur");
                }
                row["occurs"] = json!(witness.is_some() || count.is_some());
                let witness = witness.map(|witness| {
                    let path =
                        witness.path.as_ref().map(|path| path.iter().map(leg).collect::<Vec<_>>());
                    json!({ "velocity": witness.velocity, "path": path })
                });
                if excluded {
                    let _ = write!(text, "; not on the exact set: rounding");
                }
                row["witness"] = json!(witness);
            }
            text.push('\n');
            rows.push(row);
        }
        text.push_str(match &possible {
            Some(_) if self.is_loose() => "  no others can occur; shares are the sampler's, no probabilities\n",
            Some(_) => "  all that can occur; shares are the sampler's, no probabilities\n",
            None => "  those that were met; shares are the sampler's, no probabilities; others may occur as well\n",
        });
        let mut json = json!({ "modes": rows, "complete": false });
        if possible.is_some() {
            json = self.exactly(json);
        }
        Reply { json, text }
    }

    fn representatives(&self, count: usize) -> Reply {
        let found = self.set.representatives(count);
        let mut shares = vec![0_u64; found.points.len()];
        found.nearest.iter().for_each(|place| shares[*place] += 1);
        let numbers: Vec<u64> = found.points.iter().map(|at| self.set.numbers()[*at]).collect();
        let velocities: Vec<&[f64]> =
            found.points.iter().map(|at| self.set.velocity(*at)).collect();
        let mut text = String::new();
        line(
            &mut text,
            "radius",
            &format!("no sample is farther than {} from the nearest of these", short(found.radius)),
        );
        line(&mut text, "unit", UNIT);
        let total = self.set.len() as u64;
        for ((number, velocity), share) in numbers.iter().zip(&velocities).zip(&shares) {
            let _ = writeln!(
                text,
                "  sample {:>10}, nearest to {:>8}: {}",
                number,
                percent(*share, total),
                self.velocity(velocity)
            );
        }
        let share: Vec<f64> = shares.iter().map(|count| *count as f64 / total as f64).collect();
        let json = json!({
            "samples": numbers, "radius": found.radius, "velocities": velocities, "shares": share,
        });
        Reply { json, text }
    }

    fn clusters(&self, gap: f64) -> Reply {
        let found = self.set.clusters(gap);
        let total = self.set.len() as u64;
        let mut text = String::new();
        line(
            &mut text,
            "clusters",
            &format!(
                "{}, connected by links of at most {}",
                grouped(found.len() as u64),
                short(gap)
            ),
        );
        line(&mut text, "unit", UNIT);
        for cluster in found.iter().take(LISTED) {
            let share = percent(cluster.count, total);
            let (sample, velocity) =
                (cluster.middle.sample, self.velocity(cluster.middle.velocity));
            let _ = writeln!(text, "  {share:>9}  in the middle sample {sample}: {velocity}");
        }
        if found.len() > LISTED {
            let _ = writeln!(
                text,
                "  and {} more; --json has them all",
                grouped((found.len() - LISTED) as u64)
            );
        }
        let rows: Vec<Value> = found
            .iter()
            .map(|cluster| {
                json!({
                    "count": cluster.count,
                    "share": cluster.count as f64 / total as f64,
                    "sample": cluster.middle.sample,
                    "velocity": cluster.middle.velocity,
                    "extents": { "min": cluster.extents[0], "max": cluster.extents[1] },
                })
            })
            .collect();
        Reply { json: json!({ "gap": gap, "clusters": rows }), text }
    }

    fn invariants(&self) -> Reply {
        let problem = self.set.problem();
        // The vertices of the exact set have the extents of all of it.
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
        line(
            &mut text,
            "spread",
            &format!(
                "how far{} {what} differ along a direction, the thinnest first",
                if self.is_loose() { ", at most," } else { "" }
            ),
        );
        line(&mut text, "unit", UNIT);
        for Invariant { direction, extent, spread } in &found {
            let [low, high] = extent.map(short);
            let spread = if *spread < 1e-12 { "0".to_string() } else { short(*spread) };
            let sum = bounds::sum(problem.coordinates(), direction);
            let _ = writeln!(text, "  {spread:>12}  {sum} from {low} to {high}");
        }
        let rows: Vec<Value> = found
            .iter()
            .map(|found| {
                json!({ "direction": found.direction, "min": found.extent[0], "max": found.extent[1], "spread": found.spread })
            })
            .collect();
        let from = if exact.is_some() { self.name() } else { "samples" };
        let json = json!({ "invariants": rows, "from": from });
        Reply { json: if exact.is_some() { self.exactly(json) } else { json }, text }
    }
}

/// The unit of distances.
const UNIT: &str = "distances in the kinetic metric, over |v-|_M";

/// The time of each proof that cuts the extents of an enclosure.
const EACH: Duration = Duration::from_millis(50);

/// Clusters that the text lists.
const LISTED: usize = 20;
