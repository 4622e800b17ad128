//! The motion of a mechanism.

use std::path::Path;

use crate::args::SimulateArgs;
use crate::{Error, Result, interrupts, options, picture as pictures, terminal};
use carom_data::motion::{Rows, create};
use carom_engine::run::Run;
use carom_forecast::identify::modelled;
use carom_mechanics::motion::futures::{self, Futures};
use carom_mechanics::motion::midpoint::{ImpactLaw, MechanismMoment, Midpoint, Standing, Stepping};
use carom_mechanics::motion::{MotionEnding, Simulation};
use carom_report::animation::{self, Branch, Caption, Recording};
use carom_report::motion::Beside;
use carom_report::motion::futures as reports;
use carom_report::motion::mechanism::{
    Curves, columns, note, numbers, picture, place, report, text, title,
};
use serde_json::json;

/// The option that shows motions beside one another.
pub const BESIDE: &str = "--beside";

pub fn not_comparable(what: &str) -> Error {
    Error::usage(format!("`{what}` is no motion of the same coordinates with the same time step"))
        .at(BESIDE)
}

/// The motion with the law of a model, if one is asked for.
pub fn by_model(args: &SimulateArgs, motion: Midpoint) -> Result<Midpoint> {
    let Some(name) = &args.model else { return Ok(motion) };
    let run = Run { model: Some(name.clone().into()), law_only: true, ..Run::default() };
    let run = modelled(run, Path::new(""))?;
    Ok(motion.with_law(ImpactLaw::Sampled(Box::new(run))))
}

pub fn run(
    args: &SimulateArgs,
    stepping: &impl Stepping,
    others: &[(&str, Simulation)],
) -> Result<u8> {
    let motion = stepping.given();
    let why = "copies are those of a rigid body, integrator = \"lgvci\"";
    options::refuse(why, &[("--perturb", args.perturb.is_some())])?;
    let steps = args.steps.unwrap_or(motion.steps());
    if let Some(branch) = args.branch {
        return tree(args, stepping, steps, branch);
    }
    let mut file = opened(args, motion, &["step", "collisions"])?;
    let stop = interrupts::flag()?;
    let bar = terminal::bar(steps);
    let mut curves = Curves::new(steps);
    let mut recording = Recording::new(steps, animation::mechanism_keys(motion.mechanism(), 1));
    let look = |moment: &MechanismMoment<'_>| {
        bar.set_position(moment.step);
        curves.look(0, moment);
        recording.look(moment.step, moment.time, moment.state.q.as_slice().to_vec());
        file.as_mut()
            .map_or(Ok(()), |file| file.push(&[moment.step, moment.impacts], &numbers(moment)))
    };
    let tell = |standing: &Standing| bar.set_message(place(standing));
    let course = stepping.run_and_tell(steps, Some(&stop), tell, look);
    bar.finish_and_clear();
    let course = course?;
    terminal::warn(motion.law().unfitted(&course.impacts).as_slice());
    let mut beside = Vec::new();
    for (i, (what, other)) in others.iter().enumerate() {
        let given = match other {
            Simulation::Lgvci(_) => None,
            Simulation::Midpoint(other) => Some(&**other),
            Simulation::Inclusion(other) => Some(other.given()),
        };
        let names = |motion: &Midpoint| motion.mechanism().position_names();
        let same = |other: &&Midpoint| {
            names(other) == names(motion) && other.time_step() == motion.time_step()
        };
        given.filter(same).ok_or_else(|| not_comparable(what))?;
        let look = |moment: &MechanismMoment<'_>| {
            curves.look(i + 1, moment);
            Ok(())
        };
        let course = match other {
            Simulation::Inclusion(other) => other.run(steps, Some(&stop), look)?,
            Simulation::Midpoint(other) => other.run(steps, Some(&stop), look)?,
            Simulation::Lgvci(_) => continue,
        };
        beside.push(Beside {
            what: what.to_string(),
            steps: course.steps,
            impacts: course.impacts.len(),
            ending: course.ending,
            measure: "xi",
            apart: curves.apart(motion, i + 1)?,
            heights: Vec::new(),
        });
    }
    let interrupted = course.ending == MotionEnding::Interrupted
        || beside.iter().any(|other| other.ending == MotionEnding::Interrupted);
    if !interrupted {
        file.map_or(Ok(()), |file| file.finish())?;
        let strikes = course.impacts.iter().map(animation::strike).collect();
        let branch = Branch { states: recording.states(), strikes, share: 1.0 };
        let note = note(motion, &format!("status {}", course.ending.name()));
        draw(args, motion, title(motion, &course), note, (&curves, &beside), &[branch])?;
    }
    match args.json {
        true => terminal::print_json(&json!(report(motion, &course, &beside)))?,
        false => terminal::print(&text(motion, &course, steps, &beside))?,
    }
    let stopped = course.standing.as_ref().map_or(String::new(), |at| format!(", {}", place(at)));
    told(course.ending, &format!("{} of {steps} steps{stopped}", course.steps));
    if interrupted {
        interrupts::unwritten(args);
    }
    Ok(match course.ending {
        _ if interrupted => terminal::INTERRUPTED,
        MotionEnding::Done | MotionEnding::Zeno | MotionEnding::EventLimit => terminal::DONE,
        _ => terminal::REJECTED,
    })
}

/// Says how a motion ended, if it did before its last step.
pub fn told(ending: MotionEnding, taken: &str) {
    if ending != MotionEnding::Done {
        terminal::say(&format!("{}, after {taken}: {}", ending.name(), ending.meaning()));
    }
}

fn tree(args: &SimulateArgs, stepping: &impl Stepping, steps: u64, branch: u32) -> Result<u8> {
    let motion = stepping.given();
    let default = Futures::default();
    let futures = Futures {
        branch: branch as usize,
        most: args.max_branches.map_or(default.most, |most| most as usize),
        samples: args.branch_samples.map_or(default.samples, u64::from),
    };
    let mut file = opened(args, motion, &["branch", "step", "collisions"])?;
    let stop = interrupts::flag()?;
    let bar = terminal::bar(futures.most as u64);
    let mut curves = Curves::new(steps);
    let mut recordings = Vec::new();
    let keys = animation::mechanism_keys(motion.mechanism(), futures.most);
    let recording = Recording::new(steps, keys);
    let tree = futures::grow(stepping, &futures, steps, Some(&stop), |branch, moment| {
        bar.set_position(branch as u64);
        curves.look(branch, moment);
        recordings.resize(recordings.len().max(branch + 1), recording.clone());
        recordings[branch].look(moment.step, moment.time, moment.state.q.as_slice().to_vec());
        let whole = [branch as u64, moment.step, moment.impacts];
        file.as_mut().map_or(Ok(()), |file| file.push(&whole, &numbers(moment)))
    });
    bar.finish_and_clear();
    let tree = tree?;
    if tree.is_interrupted() {
        let branches = tree.nodes.len();
        terminal::say(&format!("interrupted, after {branches} branches: the tree is not whole"));
        interrupts::unwritten(args);
    } else {
        file.map_or(Ok(()), |file| file.finish())?;
        let kept = format!("up to {branch} outcomes of each simultaneous impact");
        let branches = animation::branches(motion, &tree, recordings);
        let (title, note) = (reports::title(motion, &tree), note(motion, &kept));
        draw(args, motion, title, note, (&curves, &[]), &branches)?;
    }
    let course = stepping.run(steps, Some(&stop), |_| Ok(()))?;
    terminal::warn(motion.law().unfitted(&course.impacts).as_slice());
    match args.json {
        true => {
            let mut whole = report(motion, &course, &[]);
            whole.futures = Some(reports::report(motion, &futures, &tree));
            terminal::print_json(&json!(whole))?;
        }
        false => {
            let text = text(motion, &course, steps, &[]) + &reports::text(motion, &futures, &tree);
            terminal::print(&text)?;
        }
    }
    Ok(if tree.is_interrupted() { terminal::INTERRUPTED } else { terminal::DONE })
}

fn opened(args: &SimulateArgs, motion: &Midpoint, whole: &[&str]) -> Result<Option<Box<dyn Rows>>> {
    let Some(path) = &args.out else { return Ok(None) };
    let about = json!({
        "schema_version": 1, "version": env!("CARGO_PKG_VERSION"), "name": motion.name(), "integrator": motion.integrator(),
        "time_step": motion.time_step(), "law": motion.law().name(), "seed": motion.seed(), "branch": args.branch,
    });
    let names = columns(motion);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    create(path, whole, &names, &about.to_string()).map(Some)
}

fn draw(
    args: &SimulateArgs,
    motion: &Midpoint,
    title: String,
    note: String,
    (curves, beside): (&Curves, &[Beside]),
    branches: &[Branch<Vec<f64>>],
) -> Result<()> {
    if let Some(path) = &args.animate {
        let (title, note, speed) = (title.clone(), note.clone(), args.speed.unwrap_or(1.0));
        let caption = Caption { title, note, speed };
        let film = animation::mechanism(motion.mechanism(), branches, &caption);
        carom_data::write(path, film.svg()?)?;
    }
    let Some(path) = &args.picture else { return Ok(()) };
    pictures::write(path, &picture(motion, title, note, curves, beside), args.size)
}
