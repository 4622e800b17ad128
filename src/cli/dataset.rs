//! `carom dataset`: samples of many states, in Parquet files.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::dataset::DatasetPlan;
use crate::output::dataset::{self, Made};
use crate::{Error, Result};

use crate::cli::args::{DatasetArgs, Shard};
use crate::cli::ended::Ended;
use crate::cli::{options, terminal};

/// Seconds for which a dry run samples.
const TRIAL: f64 = 2.0;

/// Reads the plan, and makes the files or says what they would be.
pub fn run(args: &DatasetArgs) -> Result<u8> {
    options::set_threads(args.threads)?;
    let plan = DatasetPlan::open(&args.plan)?;
    let stop = terminal::interrupts()?;
    let Shard { number, of } = args.shard.unwrap_or(Shard { number: 0, of: 1 });
    let files: Vec<u64> = (number..plan.files()).step_by(of as usize).collect();
    if args.dry_run {
        let trial = plan.trial(TRIAL, &stop)?;
        let states =
            files.iter().map(|&file| plan.states_of(file)).map(|states| states.end - states.start).sum();
        if args.json {
            terminal::print_json(&dataset::forecast_json(&plan, &trial, states))?;
        } else {
            terminal::print(&dataset::forecast(&plan, &trial, states))?;
        }
        return Ok(terminal::DONE);
    }
    let Some(dir) = &args.out else { return Err(Error::usage("expected a directory").at("--out")) };
    let made = make(&plan, dir, &files, &stop)?;
    let inventory = plan.finish(dir)?;
    if args.json {
        terminal::print_json(&dataset::json(&plan, &inventory, &made))?;
    } else {
        terminal::print(&dataset::text(&plan, &inventory, &made))?;
    }
    let ended = Ended {
        samples: inventory.sum(|part| part.rows),
        terminated: inventory.sum(|part| part.terminated),
        limited: inventory.sum(|part| part.limited),
        accepted: inventory.sum(|part| part.accepted),
    };
    Ok(ended.verdict(args.max_rejected, plan.sets_limit()))
}

/// Makes those of the files that are not there.
fn make(plan: &DatasetPlan, dir: &Path, files: &[u64], stop: &Arc<AtomicBool>) -> Result<Made> {
    let start = Instant::now();
    plan.claim(dir)?;
    let mut left = Vec::new();
    for &file in files {
        if plan.part(dir, file)?.is_none() {
            left.push(file);
        }
    }
    let samples = |file: &u64| {
        let states = plan.states_of(*file);
        (states.end - states.start) * plan.samples()
    };
    let bar = terminal::rated_bar(left.iter().map(samples).sum());
    for &file in &left {
        let made = plan.run_file(dir, file, stop, &|samples| bar.inc(samples));
        if made.is_err() {
            bar.finish_and_clear();
        }
        made?;
    }
    bar.finish_and_clear();
    let (written, found) = (left.len() as u64, (files.len() - left.len()) as u64);
    Ok(Made { written, found, samples: bar.position(), seconds: start.elapsed().as_secs_f64() })
}
