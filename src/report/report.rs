//! The report of a run: as JSON for scripts, as text for people.

use std::fmt::Write;

use super::RunRecord;
use super::schema::{Finite, ModeName, named};
use super::warnings::biased;
use carom_core::outcome::{Mode, Spread, Summary};
use carom_core::problem::ContactProblem;
use carom_core::status::Status;
use carom_core::text::{count, grouped, letter, line, number, percent};
use carom_engine::Finished;
use carom_engine::doubt::Doubted;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Most combinations of contact modes listed in the text.
const MODES_LISTED: usize = 20;
/// Most contacts with a column each in the table of modes.
const MODE_COLUMNS: usize = 8;

/// The report as `carom sample --json` prints it, after the record.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom sample --json` prints", extend("additionalProperties" = false))]
pub struct SampleReport<'a> {
    solver: &'static str,
    why: &'a [String],
    /// On a GPU one sample in 10 000, and at least 16, is solved again on the host in f64.
    doubted: &'a Option<Doubted>,
    seconds: Seconds,
    #[serde(flatten)]
    statistics: Statistics,
}

#[derive(Serialize, JsonSchema)]
struct Seconds {
    total: f64,
    kernel: f64,
    finish: f64,
    build: f64,
}

/// Statistics over the accepted samples, `null` where there is none; `steps` is over all samples.
#[derive(Serialize, JsonSchema)]
struct Statistics {
    samples: u64,
    /// Samples in which no contact approaches any more.
    terminated: u64,
    /// Terminated samples with a small residual; statistics are over these.
    accepted: u64,
    /// Samples that were computed again.
    repaired: u64,
    status: Endings,
    steps: Steps,
    residual_max: Finite,
    velocity: Ranges,
    normal_velocity: Ranges,
    tangent_velocity: Ranges,
    kinetic_energy: Energy,
    modes: Vec<Met>,
    modes_not_listed: u64,
    sums: Sums,
}

/// The number of samples that ended so.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
struct Endings {
    terminated: u64,
    step_limit: u64,
    unsolved: u64,
    not_finite: u64,
    budget: u64,
}

#[derive(Serialize, JsonSchema)]
struct Steps {
    mean: Option<f64>,
    max: u32,
}

/// The range and the mean of each velocity.
#[derive(Serialize, JsonSchema)]
struct Ranges {
    min: Vec<Finite>,
    max: Vec<Finite>,
    mean: Vec<Finite>,
}

/// J
#[derive(Serialize, JsonSchema)]
struct Energy {
    before: Finite,
    min: Finite,
    max: Finite,
    mean: Finite,
}

/// A combination of contact modes that was met.
#[derive(Serialize, JsonSchema)]
struct Met {
    mode: Vec<ModeName>,
    #[schemars(range(min = 1))]
    count: u64,
    #[schemars(range(min = 0, max = 1))]
    share: f64,
}

/// What `carom merge` adds up, over the samples that the means are over: numbers whose sum, without
/// rounding, is the sum of all samples, see [`Sum::parts`](carom_core::outcome::Sum::parts).
#[derive(Serialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
struct Sums {
    steps: u64,
    velocity: Vec<Vec<Finite>>,
    normal_velocity: Vec<Vec<Finite>>,
    tangent_velocity: Vec<Vec<Finite>>,
    kinetic_energy: Vec<Finite>,
}

/// The report as JSON, `schema_version` 1.
pub fn json(problem: &ContactProblem, record: &RunRecord, run: &Finished) -> Value {
    let before = problem.kinetic_energy(problem.velocity().as_slice());
    let seconds = Seconds {
        total: run.seconds_total,
        kernel: run.seconds_kernel,
        finish: run.seconds_finish,
        build: run.seconds_build,
    };
    let statistics = Statistics::of(&run.summary, before);
    let Finished { solver, why, doubted, .. } = run;
    record.with(SampleReport { solver, why, doubted, seconds, statistics })
}

/// Sets the statistics keys of a report; `before`: kinetic energy before the impact, J.
pub fn add_statistics(report: &mut Value, summary: &Summary, before: f64) {
    let statistics = json!(Statistics::of(summary, before));
    if let (Value::Object(report), Value::Object(statistics)) = (report, statistics) {
        report.extend(statistics);
    }
}

impl Statistics {
    fn of(summary: &Summary, before: f64) -> Self {
        let m = summary.normal_velocity.width();
        let tangents = summary.tangent_velocity.width() / m.max(1);
        let met = |(modes, count): &(Vec<Mode>, u64)| {
            let share = *count as f64 / summary.accepted as f64;
            Met { mode: named(modes, tangents), count: *count, share }
        };
        let energy = &summary.kinetic_energy;
        let (min, max, mean) = energy.get(0).unwrap_or(NOTHING);
        let [before, min, max, mean] = [before, min, max, mean].map(Finite);
        let count = |status| summary.count(status);
        Statistics {
            samples: summary.samples,
            terminated: summary.terminated(),
            accepted: summary.accepted,
            repaired: summary.repaired,
            status: Endings {
                terminated: count(Status::Terminated),
                step_limit: count(Status::StepLimit),
                unsolved: count(Status::Unsolved),
                not_finite: count(Status::NotFinite),
                budget: count(Status::Budget),
            },
            steps: Steps { mean: summary.steps_mean(), max: summary.steps_max },
            residual_max: Finite(summary.residual_max),
            velocity: Ranges::of(&summary.velocity),
            normal_velocity: Ranges::of(&summary.normal_velocity),
            tangent_velocity: Ranges::of(&summary.tangent_velocity),
            kinetic_energy: Energy { before, min, max, mean },
            modes: summary.modes.by_frequency().iter().map(met).collect(),
            modes_not_listed: summary.modes.beyond(),
            sums: Sums {
                steps: summary.steps_sum,
                velocity: sums(&summary.velocity),
                normal_velocity: sums(&summary.normal_velocity),
                tangent_velocity: sums(&summary.tangent_velocity),
                kinetic_energy: parts(energy, 0),
            },
        }
    }
}

fn sums(spread: &Spread) -> Vec<Vec<Finite>> {
    (0..spread.width()).map(|i| parts(spread, i)).collect()
}

fn parts(spread: &Spread, i: usize) -> Vec<Finite> {
    spread.sum(i).parts().into_iter().map(Finite).collect()
}

/// Three numbers that become `null` in JSON.
const NOTHING: (f64, f64, f64) = (f64::NAN, f64::NAN, f64::NAN);

impl Ranges {
    fn of(spread: &Spread) -> Self {
        let rows: Vec<_> = (0..spread.width()).map(|i| spread.get(i).unwrap_or(NOTHING)).collect();
        let column =
            |pick: fn(&(f64, f64, f64)) -> f64| rows.iter().map(pick).map(Finite).collect();
        Ranges { min: column(|r| r.0), max: column(|r| r.1), mean: column(|r| r.2) }
    }
}

/// The report as text, for a reader who has not seen the problem.
pub fn text(problem: &ContactProblem, record: &RunRecord, run: &Finished) -> String {
    let mut text = String::new();
    record.head(&mut text);
    counts(&mut text, run);
    if run.summary.accepted > 0 {
        numbers(&mut text, problem, run);
        modes(&mut text, problem, record, run);
    }
    let _ = writeln!(text, "\n{}", record.signature());
    text
}

fn counts(text: &mut String, run: &Finished) {
    let summary = &run.summary;
    let mut line = |key: &str, value: String| line(text, key, &value);
    let (total, kernel) = (run.seconds_total, run.seconds_kernel);
    let samples = grouped(summary.samples);
    line("samples", format!("{samples} in {total:.3} s ({kernel:.3} s in kernels)"));
    let share = |part: u64, whole: u64, of: &str| {
        format!("{}  {} of the {of}", grouped(part), percent(part, whole))
    };
    let over = summary.terminated();
    line("terminated", share(over, summary.samples, "samples"));
    for status in Status::ALL.into_iter().filter(|&status| status != Status::Terminated) {
        let ended = summary.count(status);
        if ended > 0 {
            line(status.name(), share(ended, summary.samples, "samples"));
        }
    }
    if let Some(biased) = biased(over, summary.samples) {
        line("biased", biased);
    }
    let bound = summary.tolerance().residual;
    line("accepted", share(summary.accepted, over, "terminated"));
    let worst = match summary.residual_max {
        worst if worst > 0.0 => format!("{worst:.1e}"),
        _ => "0".to_string(),
    };
    line("residual", format!("at most {worst} (accepted up to {bound:.0e})"));
    line("repaired", format!("{} solved again in f64", grouped(summary.repaired)));
    if let Some(doubted) = &run.doubted {
        line("doubted", self::doubted(doubted));
    }
    let mean = summary.steps_mean().unwrap_or(0.0);
    line("steps", format!("{mean:.2} per sample, at most {}", grouped(summary.steps_max.into())));
}

fn doubted(doubted: &Doubted) -> String {
    let Doubted { samples, flips, unexplained, repaired, largest_difference, tolerance } = *doubted;
    let [samples, others] = [samples, samples - flips - unexplained - repaired].map(grouped);
    let mut text = format!(
        "{samples} solved again on the host: {others} agree up to {largest_difference:.1e} of |v-| (allowed {tolerance:.0e})"
    );
    for (count, what) in [
        (flips, "took another branch where a decision was closer than rounding"),
        (unexplained, "took another possible branch"),
        (repaired, "were not handed over"),
    ] {
        if count > 0 {
            text += &format!(", {} {what}", grouped(count));
        }
    }
    text
}

fn numbers(text: &mut String, problem: &ContactProblem, run: &Finished) {
    let summary = &run.summary;
    let m = problem.contact_count();
    let d = problem.tangents_per_contact();
    let u = problem.contact_velocity();
    let names = problem.coordinates().iter().enumerate();
    let row = |(i, name): (usize, &String)| {
        (name.clone(), problem.velocity()[i], summary.velocity.get(i))
    };
    let velocity = names.map(row).collect();
    let mut contact = Vec::new();
    for (i, name) in problem.contacts().iter().enumerate() {
        contact.push((format!("{name}, normal"), u[i], summary.normal_velocity.get(i)));
        for t in 0..d {
            let j = d * i + t;
            let label = if d == 1 { "tangent".to_string() } else { format!("tangent {}", t + 1) };
            contact.push((format!("{name}, {label}"), u[m + j], summary.tangent_velocity.get(j)));
        }
    }
    let before = problem.kinetic_energy(problem.velocity().as_slice());
    let energy = vec![("total".to_string(), before, summary.kinetic_energy.get(0))];
    let tables = [
        ("velocity, SI units", velocity),
        ("contact velocity, m/s", contact),
        ("kinetic energy, J", energy),
    ];
    let rows = || tables.iter().flat_map(|(_, rows)| rows);
    let width = rows().map(|row| row.0.chars().count() + 2).max().unwrap_or(0).max(21);
    for (title, rows) in &tables {
        let _ = write!(text, "\n{title:<width$} {:>13}", "before");
        text.push_str("     min after    mean after     max after\n");
        let values = || {
            rows.iter().flat_map(|(_, x, after)| [Some(*x), after.map(|a| a.0), after.map(|a| a.1)])
        };
        let largest = values().flatten().fold(0.0, |a: f64, x| a.max(x.abs()));
        for (name, before, after) in rows {
            let (least, most, mean) = after.unwrap_or(NOTHING);
            let _ = write!(text, "  {name:<0$}", width - 2);
            text.extend(
                [*before, least, mean, most].map(|x| format!(" {:>13}", number(x, largest))),
            );
            text.push('\n');
        }
    }
}

fn modes(text: &mut String, problem: &ContactProblem, record: &RunRecord, run: &Finished) {
    let summary = &run.summary;
    let tangents = problem.tangents_per_contact();
    let modes = summary.modes.by_frequency();
    let columns = problem.contact_count() <= MODE_COLUMNS;
    let widths: Vec<usize> =
        problem.contacts().iter().map(|c| c.chars().count().max(6) + 2).collect();
    let of = if record.forecasts() { " by the outcomes of the law" } else { "" };
    let _ = writeln!(text, "\ncontact modes met{of}: {}", count(modes.len(), "combination"));
    if columns {
        let _ = write!(text, "  {:>8}", "share");
        for (contact, width) in problem.contacts().iter().zip(&widths) {
            let _ = write!(text, "  {contact:<width$}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    } else {
        let _ = writeln!(
            text,
            "  one letter per contact: L lift, S stick, + - slide, ~ slide in any direction"
        );
    }
    for (modes, count) in modes.iter().take(MODES_LISTED) {
        let _ = write!(text, "  {:>8}", percent(*count, summary.accepted));
        if columns {
            for (mode, width) in modes.iter().zip(&widths) {
                let _ = write!(text, "  {:<width$}", mode.name(tangents));
            }
            text.truncate(text.trim_end().len());
        } else {
            text.push_str("  ");
            text.extend(modes.iter().map(|&mode| letter(mode, tangents)));
        }
        text.push('\n');
    }
    if modes.len() > MODES_LISTED {
        let rest = &modes[MODES_LISTED..];
        let share = percent(rest.iter().map(|(_, count)| count).sum(), summary.accepted);
        let _ = writeln!(text, "  {share:>8}  in {} more", grouped(rest.len() as u64));
    }
    if summary.modes.beyond() > 0 {
        let share = percent(summary.modes.beyond(), summary.accepted);
        let _ = writeln!(text, "  {share:>8}  in combinations that were not told apart");
    }
    text.push_str(
        "  shares are the sampler's, no probabilities; modes that it did not meet may occur as well\n",
    );
}
