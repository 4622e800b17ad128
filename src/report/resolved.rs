//! The outcomes of a law with finitely many: as JSON for scripts, as text for people.

use std::fmt::Write;

use super::RunRecord;
use super::record::keyed;
use super::schema::{ModeName, named};
use super::table::{self, rest};
use carom_core::problem::ContactProblem;
use carom_core::status::Status;
use carom_core::text::{count, grouped, letter, line, number};
use carom_law::{Details, Outcome, Resolved};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// Most solutions listed in the text.
const LISTED: usize = 20;
/// Most distinct outcomes with a column in the table of velocities.
const COLUMNS: usize = 6;
/// Most contacts of a sequence shown in the text.
const SHOWN: usize = 12;

/// The outcomes as `carom resolve --json` prints them, after the record.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom resolve --json` prints")]
pub struct ResolvedReport<'a> {
    solutions: Vec<Solution<'a>>,
    /// Number of distinct velocities.
    distinct: usize,
    /// Whether there is no other solution.
    complete: bool,
    #[serde(flatten)]
    about: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
struct Solution<'a> {
    /// After the impact (n).
    velocity: &'a [f64],
    /// In N s: normals first, then tangents.
    impulse: &'a [f64],
    /// J
    kinetic_energy: f64,
    /// Single impacts with an impulse above 0.
    impacts: usize,
    /// Contacts in order, counted from 0.
    sequence: &'a [usize],
    status: Status,
    residual: f64,
    details: Detailed,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Details")]
struct Detailed {
    /// Number of the distinct velocity.
    outcome: usize,
    modes: Vec<ModeName>,
    #[serde(flatten)]
    of_law: Map<String, Value>,
}

/// The outcomes as JSON, `schema_version` 1.
pub fn json(problem: &ContactProblem, record: &RunRecord, resolved: &Resolved) -> Value {
    let tangents = problem.tangents_per_contact();
    let solutions = resolved.outcomes.iter().map(|outcome| solution(outcome, tangents));
    record.with(ResolvedReport {
        solutions: solutions.collect(),
        distinct: resolved.distinct(),
        complete: resolved.complete,
        about: keyed(resolved.about.describe().keys()),
    })
}

fn solution(outcome: &Outcome<Details>, tangents: usize) -> Solution<'_> {
    Solution {
        velocity: &outcome.velocity,
        impulse: &outcome.impulse,
        kinetic_energy: outcome.kinetic_energy,
        impacts: outcome.impacts,
        sequence: &outcome.sequence,
        status: outcome.status,
        residual: outcome.residual,
        details: Detailed {
            outcome: outcome.number,
            modes: named(&outcome.modes, tangents),
            of_law: keyed(outcome.details.describe().keys()),
        },
    }
}

/// The outcomes as text, for a reader who has not seen the problem.
pub fn text(problem: &ContactProblem, record: &RunRecord, resolved: &Resolved) -> String {
    let mut text = String::new();
    record.head(&mut text);
    let (solutions, distinct) = (resolved.outcomes.len(), resolved.distinct());
    let ended =
        resolved.outcomes.iter().filter(|outcome| outcome.status == Status::Terminated).count();
    let all = match (resolved.complete, ended) {
        (true, _) => "; there are no others",
        (false, 0) if solutions > 0 => {
            ": no outcome, as the impact does not end; the last velocity is shown"
        }
        (false, _) => "; there may be more",
    };
    let (solutions, distinct) = (count(solutions, "solution"), count(distinct, "distinct outcome"));
    line(&mut text, "found", &format!("{solutions}, {distinct}{all}"));
    let worst = resolved.outcomes.iter().fold(0.0, |worst: f64, o| worst.max(o.residual));
    line(&mut text, "residual", &format!("at most {worst:.1e}"));
    let of_outcomes = resolved.outcomes.iter().flat_map(|one| one.details.describe().lines());
    for (head, value) in resolved.about.describe().lines().into_iter().chain(of_outcomes) {
        line(&mut text, head, &value);
    }
    solutions_table(&mut text, problem, resolved);
    velocities(&mut text, problem, resolved);
    text
}

fn solutions_table(text: &mut String, problem: &ContactProblem, resolved: &Resolved) {
    let tangents = problem.tangents_per_contact();
    let largest = problem.kinetic_energy(problem.velocity().as_slice());
    let first = resolved.outcomes.first();
    let head = first.map_or("", |outcome| outcome.details.describe().heading());
    text.push_str("\nsolutions; after: L lift, S stick, + - slide, ~ slide in any direction\n");
    let _ = writeln!(text, "  outcome     energy, J impacts  after     {head}");
    for outcome in resolved.outcomes.iter().take(LISTED) {
        let modes: String = outcome.modes.iter().map(|&mode| letter(mode, tangents)).collect();
        let energy = number(outcome.kinetic_energy, largest);
        let (number, impacts, origin) = (outcome.number, outcome.impacts, origin(outcome));
        let _ = write!(text, "  {number:>7} {energy:>13} {impacts:>7}  {modes:<8}  {origin}");
        if outcome.status != Status::Terminated {
            let _ = write!(text, "  ({})", outcome.status.name());
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    rest(text, resolved.outcomes.len(), LISTED);
}

/// The origin of an outcome.
fn origin(outcome: &Outcome<Details>) -> String {
    let shown: Vec<String> = outcome.sequence.iter().take(SHOWN).map(usize::to_string).collect();
    let more = match outcome.sequence.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {} more", grouped(more as u64)),
    };
    outcome.details.describe().origin(&format!("{}{more}", shown.join(" ")))
}

fn velocities(text: &mut String, problem: &ContactProblem, resolved: &Resolved) {
    let distinct = resolved.distinct();
    let mut columns = vec![("before".to_string(), problem.velocity().as_slice())];
    let first = |number: usize| resolved.outcomes.iter().find(|outcome| outcome.number == number);
    columns.extend(
        (0..distinct.min(COLUMNS))
            .filter_map(first)
            .map(|outcome| (format!("outcome {}", outcome.number), &outcome.velocity[..])),
    );
    let more = match distinct.saturating_sub(COLUMNS) {
        0 => String::new(),
        more => format!("  and {} more", grouped(more as u64)),
    };
    table::velocities(text, problem, &columns, &more);
}
