//! The motion of a mechanism.

use std::io::{self, Write};
use std::process::ExitCode;

use carom::Result;
use carom::motion::Ending;
use carom::motion::futures::{self, Futures};
use carom::motion::midpoint::Midpoint;
use carom::output::motion::create;
use carom::output::motion::futures as reports;
use carom::output::motion::mechanism::{Curves, columns, json, numbers, picture, text};

use crate::args::SimulateArgs;
use crate::{options, picture as pictures, terminal};

/// Computes the motion and reports.
pub fn run(args: &SimulateArgs, motion: &Midpoint) -> Result<ExitCode> {
    options::refuse(
        "copies are those of a rigid body, integrator = \"lgvci\"",
        &[("--perturb", args.perturb.is_some())],
    )?;
    let steps = args.steps.unwrap_or(motion.steps());
    if let Some(branch) = args.branch {
        return tree(args, motion, steps, branch);
    }
    let about = serde_json::json!({
        "schema_version": 1, "version": env!("CARGO_PKG_VERSION"), "name": motion.name(), "integrator": Midpoint::NAME,
        "time_step": motion.time_step(), "law": motion.law().name(), "seed": motion.seed(),
    });
    let names = columns(motion);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let open = |path: &std::path::PathBuf| create(path, &["step", "collisions"], &names, &about.to_string());
    let mut file = args.out.as_ref().map(open).transpose()?;
    let stop = terminal::interrupts()?;
    let bar = terminal::bar(steps);
    let mut curves = Curves::new(steps);
    let course = motion.run(steps, Some(&stop), |moment| {
        if moment.step.is_multiple_of(terminal::TICK) {
            bar.set_position(moment.step);
        }
        curves.look(moment);
        file.as_mut().map_or(Ok(()), |file| file.push(&[moment.step, moment.impacts], &numbers(moment)))
    });
    bar.finish_and_clear();
    let course = course?;
    file.map_or(Ok(()), |file| file.finish())?;
    if let Some(path) = &args.picture {
        pictures::write(path, &picture(motion, &course, &curves), args.size)?;
    }
    match args.json {
        true => terminal::print_json(&json(motion, &course))?,
        false => terminal::print(&text(motion, &course, steps))?,
    }
    if course.ending != Ending::Done {
        let taken = format!("{} of {steps} steps", course.steps);
        // There is nowhere left to say that stderr is closed.
        let _ =
            writeln!(io::stderr(), "{}, after {taken}: {}", course.ending.name(), course.ending.meaning());
    }
    Ok(match course.ending {
        Ending::Interrupted => ExitCode::from(terminal::INTERRUPTED),
        Ending::Done | Ending::Zeno => ExitCode::SUCCESS,
        _ => ExitCode::from(terminal::REJECTED),
    })
}

/// Computes the tree of futures and reports.
fn tree(args: &SimulateArgs, motion: &Midpoint, steps: u64, branch: u32) -> Result<ExitCode> {
    let default = Futures::default();
    let futures = Futures {
        branch: branch as usize,
        most: args.max_branches.map_or(default.most, |most| most as usize),
        samples: args.branch_samples.map_or(default.samples, u64::from),
    };
    let stop = terminal::interrupts()?;
    let bar = terminal::bar(futures.most as u64);
    let tree = futures::grow(motion, &futures, steps, Some(&stop), |count| bar.set_position(count as u64));
    bar.finish_and_clear();
    let tree = tree?;
    let course = motion.run(steps, Some(&stop), |_| Ok(()))?;
    match args.json {
        true => {
            let mut report = json(motion, &course);
            report["futures"] = reports::json(motion, &futures, &tree);
            terminal::print_json(&report)?;
        }
        false => {
            let text = text(motion, &course, steps) + &reports::text(motion, &futures, &tree);
            terminal::print(&text)?;
        }
    }
    Ok(if tree.is_interrupted() { ExitCode::from(terminal::INTERRUPTED) } else { ExitCode::SUCCESS })
}
