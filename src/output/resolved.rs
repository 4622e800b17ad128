//! The outcomes of a law that has finitely many: as JSON for scripts, as text for people.

use std::fmt::Write;

use serde_json::{Value, json};

use super::report::{count, grouped, letter, line, number, short};
use super::{RunRecord, course};
use crate::law::anitescu_potra::ContactMode;
use crate::law::{Course, Details, Outcome, Propagative, Resolved, Uniqueness};
use crate::problem::ContactProblem;
use crate::status::Status;

/// Solutions that the text lists.
const LISTED: usize = 20;
/// Distinct outcomes that have a column in the table of velocities.
const COLUMNS: usize = 6;
/// Contacts of a sequence that the text shows.
const SHOWN: usize = 12;

/// The outcomes as JSON, `schema_version` 1.
pub fn json(problem: &ContactProblem, record: &RunRecord, resolved: &Resolved) -> Value {
    let course = resolved.course.as_deref();
    let solutions: Vec<Value> =
        resolved.outcomes.iter().map(|outcome| solution(problem, outcome, course)).collect();
    let mut report = record.with(json!({
        "solutions": solutions,
        "distinct": resolved.distinct(),
        "complete": resolved.complete,
    }));
    if let Some(uniqueness) = &resolved.uniqueness {
        report["uniqueness"] = unique(uniqueness);
    }
    report
}

fn solution(problem: &ContactProblem, outcome: &Outcome, course: Option<&Course>) -> Value {
    let tangents = problem.tangents_per_contact();
    let modes: Vec<&str> = outcome.modes.iter().map(|mode| mode.name(tangents)).collect();
    let mut details = json!({ "outcome": outcome.number, "modes": modes });
    match &outcome.details {
        Details::DarbouxKeller => {}
        Details::AnitescuPotra { combinations, isolated, complete } => {
            let names = |modes: &Vec<ContactMode>| modes.iter().map(|mode| mode.name()).collect::<Vec<_>>();
            details["combinations"] = combinations.iter().map(names).collect::<Vec<_>>().into();
            details["isolated"] = (*isolated).into();
            details["complete"] = (*complete).into();
        }
        Details::Sequential { order, visits } => {
            details["start"] = order[0].into();
            details["order"] = order.clone().into();
            details["visits"] = (*visits).into();
        }
        Details::Propagative { kind, tension } => {
            details["kind"] = kind.name().into();
            details["tension"] = (*tension).into();
        }
    }
    if let Some(course) = course {
        course::describe(&mut details, course);
    }
    json!({
        "velocity": outcome.velocity,
        "impulse": outcome.impulse,
        "kinetic_energy": outcome.kinetic_energy,
        "impacts": outcome.impacts,
        "sequence": outcome.sequence,
        "status": outcome.status.name(),
        "residual": outcome.residual,
        "details": details,
    })
}

fn unique(uniqueness: &Uniqueness) -> Value {
    let gram: Vec<Vec<f64>> = uniqueness.gram.row_iter().map(|row| row.iter().copied().collect()).collect();
    json!({
        "gram": gram,
        "theorem": uniqueness.theorem.map(|theorem| theorem.name()),
        "indeterminacy": uniqueness.indeterminacy,
        "indeterminacy_sampled": uniqueness.sampled,
        "gamma": uniqueness.gamma,
        "length_bound": uniqueness.length_bound,
    })
}

/// The outcomes as text, for a reader who has not seen the problem.
pub fn text(problem: &ContactProblem, record: &RunRecord, resolved: &Resolved) -> String {
    let mut text = String::new();
    record.head(&mut text);
    let (solutions, distinct) = (resolved.outcomes.len(), resolved.distinct());
    let all = if resolved.complete { "" } else { "; there may be more" };
    line(
        &mut text,
        "found",
        &format!("{}, {}{all}", count(solutions, "solution"), count(distinct, "distinct outcome")),
    );
    let worst = resolved.outcomes.iter().fold(0.0, |worst: f64, o| worst.max(o.residual));
    line(&mut text, "residual", &format!("at most {worst:.1e}"));
    if let Some(uniqueness) = &resolved.uniqueness {
        order(&mut text, uniqueness);
    }
    if let Some(course) = &resolved.course {
        course::lines(&mut text, problem, course);
    }
    solutions_table(&mut text, problem, resolved);
    velocities(&mut text, problem, resolved);
    text
}

/// Whether the order of impacts matters.
fn order(text: &mut String, uniqueness: &Uniqueness) {
    let why = uniqueness.theorem.map_or("no theorem makes the outcome unique", |theorem| theorem.statement());
    line(text, "uniqueness", why);
    let xi = match uniqueness.indeterminacy {
        xi if xi.is_nan() => "no sequence ends".to_string(),
        xi => format!("{} (distance of outcomes over |p-|)", short(xi)),
    };
    line(text, "xi", &xi);
    if let Some(sampled) = uniqueness.sampled.filter(|xi| !xi.is_nan()) {
        line(text, "", &format!("{} over {} sampled orders", short(sampled), Propagative::SAMPLED));
    }
    if let (Some(gamma), Some(bound)) = (uniqueness.gamma, uniqueness.length_bound) {
        line(text, "gamma", &format!("{} rad: at most {bound} reflections", short(gamma)));
    }
    let gram = &uniqueness.gram;
    if gram.nrows() > 1 && gram.nrows() <= COLUMNS {
        for (i, row) in gram.row_iter().enumerate() {
            let row: String = row.iter().map(|x| format!("{:>10}", number(*x, 1.0))).collect();
            line(text, if i == 0 { "<u_i,u_j>" } else { "" }, &row);
        }
    }
}

fn solutions_table(text: &mut String, problem: &ContactProblem, resolved: &Resolved) {
    let tangents = problem.tangents_per_contact();
    let largest = problem.kinetic_energy(problem.velocity().as_slice());
    let head = match resolved.law {
        "anitescu-potra" => "combinations of contact modes",
        _ => "sequence of contacts",
    };
    let _ = writeln!(text, "\nsolutions; after: L lift, S stick, + - slide, ~ slide in any direction");
    let _ = writeln!(text, "  {:>7} {:>13} {:>7}  {:<8}  {head}", "outcome", "energy, J", "impacts", "after");
    for outcome in resolved.outcomes.iter().take(LISTED) {
        let modes: String = outcome.modes.iter().map(|&mode| letter(mode, tangents)).collect();
        let energy = number(outcome.kinetic_energy, largest);
        let _ = write!(text, "  {:>7} {energy:>13} {:>7}  {modes:<8}", outcome.number, outcome.impacts);
        let _ = write!(text, "  {}", how(outcome));
        if outcome.status != Status::Terminated {
            let _ = write!(text, "  ({})", outcome.status.name());
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    if resolved.outcomes.len() > LISTED {
        let more = grouped((resolved.outcomes.len() - LISTED) as u64);
        let _ = writeln!(text, "  and {more} more; --json has them all");
    }
}

/// How an outcome comes about.
fn how(outcome: &Outcome) -> String {
    let shown: Vec<String> = outcome.sequence.iter().take(SHOWN).map(usize::to_string).collect();
    let more = if outcome.sequence.len() > SHOWN { " ..." } else { "" };
    let sequence = format!("{}{more}", shown.join(" "));
    match &outcome.details {
        Details::Sequential { .. } | Details::DarbouxKeller => sequence,
        Details::Propagative { kind, tension } => {
            let pulls = if *tension { ", pulls" } else { "" };
            format!("{:<12} {}", sequence, format_args!("{}{pulls}", kind.name()))
        }
        Details::AnitescuPotra { combinations, isolated, .. } => {
            let continuum = if *isolated { "" } else { ", corner of a continuum" };
            let first = combinations.first().map_or("found by pivoting".to_string(), |modes| {
                modes.iter().map(|mode| mode.name()).collect::<Vec<_>>().join(" ")
            });
            let more = match combinations.len() {
                0 | 1 => String::new(),
                n => format!(" and {} more", n - 1),
            };
            format!("{first}{more}{continuum}")
        }
    }
}

/// The distinct velocities, one column each.
fn velocities(text: &mut String, problem: &ContactProblem, resolved: &Resolved) {
    let distinct = resolved.distinct();
    let first = |number: usize| resolved.outcomes.iter().find(|outcome| outcome.number == number);
    let columns: Vec<&Outcome> = (0..distinct.min(COLUMNS)).filter_map(first).collect();
    let width = problem.coordinates().iter().map(|name| name.chars().count() + 2).max().unwrap_or(0).max(21);
    let _ = write!(text, "\n{:<width$} {:>13}", "velocity, SI units", "before");
    columns.iter().for_each(|outcome| {
        let _ = write!(text, " {:>13}", format!("outcome {}", outcome.number));
    });
    text.push_str(if distinct > COLUMNS { "  ...\n" } else { "\n" });
    let largest = columns.iter().flat_map(|outcome| &outcome.velocity).chain(problem.velocity());
    let largest = largest.fold(0.0, |largest: f64, x| largest.max(x.abs()));
    for (i, name) in problem.coordinates().iter().enumerate() {
        let _ = write!(text, "  {name:<0$} {1:>13}", width - 2, number(problem.velocity()[i], largest));
        columns.iter().for_each(|outcome| {
            let _ = write!(text, " {:>13}", number(outcome.velocity[i], largest));
        });
        text.push('\n');
    }
}
