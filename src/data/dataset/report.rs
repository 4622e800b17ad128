//! Reports of the computation of a data set.

use crate::dataset::{DatasetPlan, Inventory, Trial};
use carom_core::text::{count, grouped, line, percent, printable, short};
use serde_json::{Value, json};

const LISTED: usize = 3;

/// The result of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Made {
    /// Number of written files.
    pub written: u64,
    /// Number of requested files that existed already.
    pub found: u64,
    /// Number of computed samples.
    pub samples: u64,
    /// Wall-clock seconds of the run.
    pub seconds: f64,
}

/// The report as JSON.
pub fn json(plan: &DatasetPlan, inventory: &Inventory, made: &Made) -> Value {
    json!({
        "schema_version": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "name": plan.name(),
        "fingerprint": plan.fingerprint(),
        "states": plan.states(),
        "samples": plan.samples(),
        "files": plan.files(),
        "written": made.written,
        "found": made.found,
        "missing": inventory.missing,
        "complete": inventory.missing == 0,
        "rows": inventory.rows,
        "terminated": inventory.terminated,
        "accepted": inventory.accepted,
        "still_states": inventory.still,
        "failed_states": inventory.failed,
        "seconds": made.seconds,
        "warnings": plan.warnings(),
    })
}

/// The report as text.
pub fn text(plan: &DatasetPlan, inventory: &Inventory, made: &Made) -> String {
    let mut text = head(plan);
    let files = count(inventory.files as usize, "file");
    let of = match inventory.missing {
        0 => "all of them".to_string(),
        missing => format!("{} missing", grouped(missing)),
    };
    let [written, found] = [made.written, made.found].map(grouped);
    let now = format!("{written} written now, {found} there before");
    line(&mut text, "files", &format!("{files} whole, {of}; {now}"));
    let Inventory { rows, terminated, accepted, still, failed, .. } = *inventory;
    let [ended, sound] = [terminated, accepted].map(|count| percent(count, rows));
    let rows = grouped(rows);
    line(&mut text, "rows", &format!("{rows}, terminated {ended}, accepted {sound}"));
    still_line(&mut text, still);
    if failed > 0 {
        line(&mut text, "no rows of", &format!("{} states, such as", grouped(failed)));
    }
    for failure in inventory.failures.iter().take(LISTED).filter(|_| failed > 0) {
        let reason = printable(&failure.reason);
        line(&mut text, "", &format!("state {}: {reason}", failure.state));
    }
    if made.samples > 0 {
        let rate = made.samples as f64 / made.seconds.max(1e-9);
        line(&mut text, "took", &format!("{} s, {} samples/s", short(made.seconds), short(rate)));
    }
    text
}

/// The cost estimate of a data set as JSON; `states`: number of states, of a shard or of all files.
pub fn forecast_json(plan: &DatasetPlan, trial: &Trial, states: u64) -> Value {
    let Forecast { rows, files, bytes, seconds } = Forecast::of(plan, trial, states);
    json!({
        "schema_version": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "name": plan.name(),
        "fingerprint": plan.fingerprint(),
        "states": states,
        "samples": plan.samples(),
        "files": files,
        "rows": rows,
        "bytes": bytes,
        "seconds": seconds,
        "tried": { "states": trial.states, "still": trial.still, "failed": trial.failed, "seconds": trial.seconds },
        "warnings": plan.warnings(),
    })
}

/// The cost estimate of a data set as text.
pub fn forecast(plan: &DatasetPlan, trial: &Trial, states: u64) -> String {
    let Forecast { rows, files, bytes, seconds } = Forecast::of(plan, trial, states);
    let mut text = head(plan);
    line(&mut text, "rows", &format!("{} at most", grouped(rows)));
    let files_of = count(files as usize, "file");
    let [all, each] = [bytes, bytes / files.max(1) as f64].map(|bytes| short3(bytes / 1e6));
    line(&mut text, "files", &format!("{files_of}, about {all} MB, {each} MB each"));
    line(&mut text, "takes", &format!("about {} s on this machine", short3(seconds)));
    let failed = match trial.failed {
        0 => String::new(),
        failed => format!(", of which {} have no rows", grouped(failed)),
    };
    let states = count(trial.states as usize, "state");
    line(&mut text, "tried", &format!("{states}{failed}; nothing was written"));
    still_line(&mut text, trial.still);
    text
}

/// A line on states without an approaching contact, if there are any.
fn still_line(text: &mut String, states: u64) {
    if states > 0 {
        let what = "in which no contact approaches: there the velocity stays as it is";
        line(text, "still", &format!("{} {what}", count(states as usize, "state")));
    }
}

fn short3(x: f64) -> String {
    short(carom_core::text::three_digits(x))
}

fn head(plan: &DatasetPlan) -> String {
    let (name, seed) = (printable(plan.name()), plan.seed());
    let [states, samples] = [plan.states(), plan.samples()].map(grouped);
    let mut text = String::new();
    let what = format!("{name}: {states} states, {samples} samples each, seed {seed}");
    line(&mut text, "data set", &what);
    text
}

/// The estimated size and time of a data set, from the measured cost of a few states.
struct Forecast {
    rows: u64,
    files: u64,
    bytes: f64,
    seconds: f64,
}

impl Forecast {
    fn of(plan: &DatasetPlan, trial: &Trial, states: u64) -> Self {
        let tried = trial.states.max(1) as f64;
        let share = states as f64 / plan.states() as f64;
        Forecast {
            rows: states.saturating_mul(plan.samples()),
            files: (plan.files() as f64 * share).ceil() as u64,
            bytes: trial.bytes as f64 * states as f64 / tried,
            seconds: trial.seconds * states as f64 / tried,
        }
    }
}
