//! `carom simulate`: motion through impacts.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::args::SimulateArgs;
use crate::{Error, ErrorKind, Result, input, interrupts, options, picture as pictures, terminal};
use carom_data::motion::{Rows, create};
use carom_engine::run::Run;
use carom_engine::{Device, Precision};
use carom_forecast::identify::modelled;
use carom_mechanics::motion::futures::Futures;
use carom_mechanics::motion::lgvci::{BodyState, CopySpread, Lgvci, Perturbation, Take};
use carom_mechanics::motion::midpoint::ImpactLaw;
use carom_mechanics::motion::{Course, Moment, MotionEnding, Simulation};
use carom_report::animation::{self, Branch, Caption, Recording};
use carom_report::motion::{Beside, Curves, Simulated, place};
use carom_scene::Document;
use serde_json::json;

/// Default angle by which copies are turned, in rad.
const ANGLE: f64 = 1e-8;
/// The option that overlays motions.
const BESIDE: &str = "--beside";

pub fn run(args: &SimulateArgs) -> Result<u8> {
    args.picture.as_deref().map_or(Ok(()), pictures::writable)?;
    pictures::animated(args.animate.as_deref(), args.picture.as_deref())?;
    let document = input::open(&args.what)?;
    let set = input::values(&args.set);
    let others = args.beside.iter();
    let others = others.map(|what| Ok((what.as_str(), another(&document, what, &set)?)));
    let others = others.collect::<Result<Vec<_>>>()?;
    let motion = document.motion_at(&set)?;
    if motion.given().is_none() {
        let why = "elastic impacts of a rigid body on a plane have one outcome";
        let idle = [("--branch", args.branch.is_some()), ("--model", args.model.is_some())];
        options::refuse(why, &idle)?;
        on_the_cpu(args)?;
        return simulate(args, &motion, &others);
    }
    let motion = by_model(args, motion)?;
    let why = "copies are those of a rigid body, integrator = \"lgvci\"";
    options::refuse(why, &[("--perturb", args.perturb.is_some())])?;
    let done = match args.branch {
        Some(branch) => tree(args, &motion, branch),
        None => simulate(args, &motion, &others),
    };
    done.map_err(|error| input::located(error, &args.what))
}

fn simulate(args: &SimulateArgs, motion: &Simulation, others: &[(&str, Simulation)]) -> Result<u8> {
    let steps = args.steps.unwrap_or(motion.steps());
    let whole = if args.perturb.is_some() { ["copy", "step"] } else { ["step", "collisions"] };
    let mut file = opened(args, motion, &whole)?;
    let stop = interrupts::flag()?;
    let mut curves = Curves::new(steps);
    let mut recording = Recording::new(steps, animation::keys(motion, 1));
    let course = computed(motion, steps, &stop, |moment| {
        curves.look(0, moment);
        recording.look(moment);
        match file.as_mut().filter(|_| args.perturb.is_none()) {
            Some(file) => file.push(&[moment.step, moment.impacts], &moment.row()),
            None => Ok(()),
        }
    })?;
    let mut beside = Vec::new();
    for (i, (what, other)) in (1..).zip(others) {
        let names = |motion: &Simulation| Some(motion.given()?.mechanism().position_names());
        if names(other) != names(motion) || other.time_step() != motion.time_step() {
            let what =
                format!("`{what}` is no motion of the same coordinates with the same time step");
            return Err(Error::usage(what).at(BESIDE));
        }
        let course = computed(other, steps, &stop, |moment| {
            curves.look(i, moment);
            Ok(())
        })?;
        beside.push(Beside::new(what, [motion, other], &course, &curves, i)?);
    }
    let how = args.perturb.map(|copies| Perturbation {
        copies,
        angle: args.spread.unwrap_or(if args.shift.is_some() { 0.0 } else { ANGLE }),
        shift: args.shift.unwrap_or(0.0),
        seed: args.seed.unwrap_or(0),
    });
    let mut interrupted = course.ending == MotionEnding::Interrupted
        || beside.iter().any(|other| other.ending == MotionEnding::Interrupted);
    let spread = match (&how, motion) {
        (Some(how), Simulation::Lgvci(motion)) if !interrupted => {
            match spread(motion, steps, how, &stop, file.as_mut()) {
                // No copy was finished; the motion itself was.
                Err(error) if error.kind == ErrorKind::Interrupted => None,
                spread => Some(spread?),
            }
        }
        _ => None,
    };
    let cut = |how: Perturbation| spread.as_ref().is_none_or(|spread| spread.copies < how.copies);
    interrupted |= how.is_some_and(cut);
    let perturbed = how.as_ref().zip(spread.as_ref());
    let (course, curves, beside) = (&course, &curves, &beside[..]);
    let ran = Simulated { motion, course, steps, curves, beside, perturbed, futures: None };
    if !interrupted {
        file.map_or(Ok(()), |file| file.finish())?;
        draw(args, &ran, &animation::whole(course, recording))?;
    }
    print(args, &ran)?;
    if course.ending != MotionEnding::Done {
        let at = course.standing.as_ref().map_or(String::new(), |at| format!(", {}", place(at)));
        let (name, meaning) = (course.ending.name(), course.ending.meaning());
        let taken = course.last.step;
        terminal::say(&format!("{name}, after {taken} of {steps} steps{at}: {meaning}"));
    }
    if interrupted {
        interrupts::unwritten(args);
    }
    Ok(match course.ending {
        _ if interrupted => terminal::INTERRUPTED,
        // A file may set these limits, so their end is a result.
        MotionEnding::Done | MotionEnding::Zeno | MotionEnding::EventLimit => terminal::DONE,
        _ => terminal::REJECTED,
    })
}

fn tree(args: &SimulateArgs, motion: &Simulation, branch: u32) -> Result<u8> {
    let steps = args.steps.unwrap_or(motion.steps());
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
    let recording = Recording::new(steps, animation::keys(motion, futures.most));
    let tree = motion.grow(&futures, steps, Some(&stop), |branch, moment| {
        bar.set_position(branch as u64);
        curves.look(branch, moment);
        recordings.resize(recordings.len().max(branch + 1), recording.clone());
        recordings[branch].look(moment);
        let whole = [branch as u64, moment.step, moment.impacts];
        file.as_mut().map_or(Ok(()), |file| file.push(&whole, &moment.row()))
    });
    bar.finish_and_clear();
    let tree = tree?;
    let interrupted = tree.is_interrupted();
    if interrupted {
        let branches = tree.nodes.len();
        terminal::say(&format!("interrupted, after {branches} branches: the tree is not whole"));
        interrupts::unwritten(args);
    }
    let course = &computed(motion, steps, &stop, |_| Ok(()))?;
    let (curves, futures) = (&curves, Some((&futures, &tree)));
    let ran = Simulated { motion, course, steps, curves, beside: &[], perturbed: None, futures };
    if !interrupted {
        file.map_or(Ok(()), |file| file.finish())?;
        draw(args, &ran, &animation::branches(motion, &tree, recordings))?;
    }
    print(args, &ran)?;
    Ok(if interrupted { terminal::INTERRUPTED } else { terminal::DONE })
}

/// The motion with the law of a model, if requested.
fn by_model(args: &SimulateArgs, motion: Simulation) -> Result<Simulation> {
    let Some(name) = &args.model else { return Ok(motion) };
    let run = Run { model: Some(name.clone().into()), law_only: true, ..Run::default() };
    Ok(motion.with_law(ImpactLaw::Sampled(Box::new(modelled(run, Path::new(""))?))))
}

/// Refuses a device or a precision that perturbed copies do not support.
fn on_the_cpu(args: &SimulateArgs) -> Result<()> {
    let option = match (&args.device, args.precision) {
        (Some(Device::Gpu | Device::Named(_)), _) => "device",
        (_, Some(Precision::F32)) => "precision",
        _ => return Ok(()),
    };
    let what = "copies are computed on the CPU, in f64";
    Err(Error::device(what).option(option).hint("leave it out"))
}

/// The overlaid motion: a document's motion with another value of a key, or the motion of another
/// file.
fn another(document: &Document, what: &str, set: &[(&str, f64)]) -> Result<Simulation> {
    let other = match what.contains('=') {
        true => document.with(what).and_then(|other| other.motion_at(set)),
        false => input::open(what).and_then(|other| other.motion()),
    };
    other.map_err(|error| match error.kind {
        ErrorKind::Usage if error.at.is_none() => error.at(BESIDE),
        _ => error,
    })
}

fn opened(
    args: &SimulateArgs,
    motion: &Simulation,
    whole: &[&str],
) -> Result<Option<Box<dyn Rows>>> {
    let Some(path) = &args.out else { return Ok(None) };
    let mut about = json!({
        "schema_version": 1, "version": env!("CARGO_PKG_VERSION"), "name": motion.name(),
        "integrator": motion.integrator(), "time_step": motion.time_step(),
    });
    match motion.given() {
        Some(given) => {
            about["law"] = given.law().name().into();
            about["seed"] = given.seed().into();
            about["branch"] = args.branch.into();
        }
        None => {
            about["copies"] = args.perturb.into();
            about["angle"] = args.spread.into();
            about["shift"] = args.shift.into();
            about["seed"] = args.seed.into();
        }
    }
    let plain = |name: &String| name.replace([',', '"', ' '], "_");
    let columns: Vec<String> = motion.columns().iter().map(plain).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    create(path, whole, &columns, &about.to_string()).map(Some)
}

/// Computes the course of a motion, with a progress bar.
fn computed(
    motion: &Simulation,
    steps: u64,
    stop: &AtomicBool,
    mut look: impl FnMut(&Moment) -> Result<()>,
) -> Result<Course> {
    let bar = terminal::bar(steps);
    let course = motion.run(
        steps,
        Some(stop),
        |standing| bar.set_message(place(standing)),
        |moment| {
            bar.set_position(moment.step);
            look(moment)
        },
    );
    bar.finish_and_clear();
    let course = course?;
    let unfitted = motion.given().and_then(|given| given.law().unfitted(&course.impacts));
    terminal::warn(unfitted.as_slice());
    Ok(course)
}

fn spread(
    motion: &Lgvci,
    steps: u64,
    how: &Perturbation,
    stop: &AtomicBool,
    rows: Option<&mut Box<dyn Rows>>,
) -> Result<CopySpread> {
    let bar = terminal::bar(how.copies);
    let mut take = rows.map(|rows| {
        move |copy: u64, reached: &[(u64, BodyState)]| {
            let initial = motion.body().total_energy(&reached[0].1);
            reached.iter().try_for_each(|(step, state)| {
                rows.push(&[copy, *step], &motion.moment(*step, state, initial, 0).row())
            })
        }
    });
    let take = take.as_mut().map(|take| take as Take<'_>);
    let spread = motion.spread(steps, how, Some(stop), take, |count| bar.inc(count));
    bar.finish_and_clear();
    spread
}

fn draw(args: &SimulateArgs, ran: &Simulated<'_>, branches: &[Branch]) -> Result<()> {
    if let Some(path) = &args.animate {
        let (title, note, speed) = (ran.title(), ran.note(), args.speed.unwrap_or(1.0));
        let film = animation::film(ran.motion, branches, &Caption { title, note, speed });
        carom_data::write(path, film.svg()?)?;
    }
    let Some(path) = &args.picture else { return Ok(()) };
    pictures::write(path, &ran.picture(), args.size)
}

fn print(args: &SimulateArgs, ran: &Simulated<'_>) -> Result<()> {
    match args.json {
        true => terminal::print_json(&ran.json()),
        false => terminal::print(&ran.text()),
    }
}
