//! Reports of the making of a data set.

use serde_json::{Value, json};

use crate::dataset::{DatasetPlan, Inventory, Trial};
use carom_core::text::{count, grouped, line, percent, printable, short};

/// Failed states that the text lists.
const LISTED: usize = 3;

/// The result of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Made {
    /// Files that it wrote.
    pub written: u64,
    /// Files that it was to write, and found.
    pub found: u64,
    /// Samples that it computed.
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
    let (written, found) = (grouped(made.written), grouped(made.found));
    line(
        &mut text,
        "files",
        &format!("{files} whole, {of}; {written} written now, {found} there before"),
    );
    let rows = inventory.rows;
    let terminated = inventory.terminated;
    let accepted = inventory.accepted;
    let ended = format!(
        "{}, terminated {}, accepted {}",
        grouped(rows),
        percent(terminated, rows),
        percent(accepted, rows)
    );
    line(&mut text, "rows", &ended);
    if inventory.still > 0 {
        line(&mut text, "still", &still(inventory.still));
    }
    let failed = inventory.failed;
    if failed > 0 {
        line(&mut text, "no rows of", &format!("{} states, such as", grouped(failed)));
        for failure in inventory.failures.iter().take(LISTED) {
            line(
                &mut text,
                "",
                &format!("state {}: {}", failure.state, printable(&failure.reason)),
            );
        }
    }
    if made.samples > 0 {
        let rate = made.samples as f64 / made.seconds.max(1e-9);
        line(&mut text, "took", &format!("{} s, {} samples/s", short(made.seconds), short(rate)));
    }
    text
}

/// The forecast of a data set, as JSON; `states` are those of a shard, or all.
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

/// The forecast of a data set, as text.
pub fn forecast(plan: &DatasetPlan, trial: &Trial, states: u64) -> String {
    let Forecast { rows, files, bytes, seconds } = Forecast::of(plan, trial, states);
    let mut text = head(plan);
    line(&mut text, "rows", &format!("{} at most", grouped(rows)));
    let each = bytes / files.max(1) as f64;
    let size = format!(
        "{}, about {} MB, {} MB each",
        count(files as usize, "file"),
        short3(bytes / 1e6),
        short3(each / 1e6)
    );
    line(&mut text, "files", &size);
    line(&mut text, "takes", &format!("about {} s on this machine", short3(seconds)));
    let failed = match trial.failed {
        0 => String::new(),
        failed => format!(", of which {} have no rows", grouped(failed)),
    };
    line(
        &mut text,
        "tried",
        &format!("{}{failed}; nothing was written", count(trial.states as usize, "state")),
    );
    if trial.still > 0 {
        line(&mut text, "still", &still(trial.still));
    }
    text
}

fn still(states: u64) -> String {
    let of = count(states as usize, "state");
    format!("{of} in which no contact approaches: there the velocity stays as it is")
}

fn short3(x: f64) -> String {
    short(carom_core::text::three_digits(x))
}

fn head(plan: &DatasetPlan) -> String {
    let mut text = String::new();
    let (name, states, samples) =
        (printable(plan.name()), grouped(plan.states()), grouped(plan.samples()));
    line(
        &mut text,
        "data set",
        &format!("{name}: {states} states, {samples} samples each, seed {}", plan.seed()),
    );
    text
}

/// The forecast of a data set, from the measured cost of a few states.
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
