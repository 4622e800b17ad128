//! `carom dataset`: samples of many states, in Parquet files.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::args::{DatasetArgs, Shard};
use crate::ended::Ended;
use crate::{Error, ErrorKind, Result, interrupts, terminal};
use carom_data::dataset::DatasetPlan;
use carom_data::dataset::report::{self as dataset, Made};

/// Seconds of sampling in a dry run.
const TRIAL: f64 = 2.0;

pub fn run(args: &DatasetArgs) -> Result<u8> {
    let plan = DatasetPlan::open(&args.plan)?;
    terminal::warn(&plan.warnings());
    let stop = interrupts::flag()?;
    let shard = args.shard.unwrap_or(Shard { number: 0, of: 1 });
    if args.dry_run {
        let trial = plan.trial(TRIAL, &stop)?;
        let (_, states) = extent(&plan, &shard);
        if args.json {
            terminal::print_json(&dataset::forecast_json(&plan, &trial, states))?;
        } else {
            terminal::print(&dataset::forecast(&plan, &trial, states))?;
        }
        return Ok(terminal::DONE);
    }
    let Some(dir) = &args.out else { return Err(Error::usage("expected a directory").at("--out")) };
    let made = make(&plan, dir, &shard, &stop)?;
    let inventory = plan.finish(dir, &stop)?;
    if args.json {
        terminal::print_json(&dataset::json(&plan, &inventory, &made))?;
    } else {
        terminal::print(&dataset::text(&plan, &inventory, &made))?;
    }
    // A shard without files is complete.
    if extent(&plan, &shard).0 == 0 {
        return Ok(terminal::DONE);
    }
    let (samples, limited) = (inventory.rows, inventory.limited);
    let (terminated, accepted) = (inventory.terminated, inventory.accepted);
    let ended = Ended { samples, terminated, limited, accepted };
    Ok(ended.verdict(args.max_rejected, plan.sets_limit()))
}

/// Number of files and states of a shard. All files except the last have the size of the first.
fn extent(plan: &DatasetPlan, &Shard { number, of }: &Shard) -> (u64, u64) {
    let states = |file: u64| plan.states_of(file).end - plan.states_of(file).start;
    match plan.files().saturating_sub(number).div_ceil(of) {
        0 => (0, 0),
        files => (files, (files - 1) * states(0) + states(number + (files - 1) * of)),
    }
}

/// Writes the missing files of a shard.
fn make(plan: &DatasetPlan, dir: &Path, shard: &Shard, stop: &Arc<AtomicBool>) -> Result<Made> {
    let start = Instant::now();
    let (files, states) = extent(plan, shard);
    let bar = terminal::rated_bar(states * plan.samples());
    let numbers = (shard.number..plan.files()).step_by(shard.of as usize);
    let found = |samples: u64| bar.set_length(bar.length().unwrap_or(0).saturating_sub(samples));
    let written = plan.run_files(dir, numbers, stop, &|samples| bar.inc(samples), &found);
    bar.finish_and_clear();
    let written = written.map_err(|error| match error.kind {
        ErrorKind::Interrupted if plan.files() == 1 => error.hint(
            "nothing is kept of an unfinished file; `rows` in [files] makes files that are soon whole",
        ),
        ErrorKind::Interrupted => error
            .hint(format!("what is whole is kept; the same command goes on in {}", dir.display())),
        _ => error,
    })?;
    let samples = bar.position();
    Ok(Made { written, found: files - written, samples, seconds: start.elapsed().as_secs_f64() })
}
