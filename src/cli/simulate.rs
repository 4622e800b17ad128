//! `carom simulate`: motion through impacts.

mod mechanism;

use std::sync::atomic::AtomicBool;

use crate::args::SimulateArgs;
use crate::{Error, ErrorKind, Result, input, interrupts, options, picture as pictures, terminal};
use carom_data::motion::{self as rows, Rows, create, numbers};
use carom_engine::{Device, Precision};
use carom_mechanics::motion::lgvci::{
    BodyCourse, BodyMoment, BodyState, Collision, CopySpread, Lgvci, Perturbation, Take,
};
use carom_mechanics::motion::{InclusionMotion, MotionEnding, Simulation};
use carom_report::animation::{self, Branch, Caption, Recording, Strike};
use carom_report::motion::{Beside, Perturbed, Trace, json, note, picture, text, title};
use carom_scene::Document;

/// Angle by which copies are turned where none is given, in rad.
const ANGLE: f64 = 1e-8;

pub fn run(args: &SimulateArgs) -> Result<u8> {
    args.picture.as_deref().map_or(Ok(()), pictures::writable)?;
    pictures::animated(args.animate.as_deref(), args.picture.as_deref())?;
    let document = input::open(&args.what)?;
    let at = |error: Error| input::located(error, &args.what);
    let set = input::values(&args.set);
    let other = |what: &String| another(&document, what, &set);
    let others = args.beside.iter().map(|what| Ok((what.as_str(), other(what)?)));
    let others = others.collect::<Result<Vec<_>>>()?;
    let motion = match document.motion_at(&set)? {
        Simulation::Lgvci(motion) => {
            let why = "elastic impacts of a rigid body on a plane have one outcome";
            let idle = [("--branch", args.branch.is_some()), ("--model", args.model.is_some())];
            options::refuse(why, &idle)?;
            on_the_cpu(args)?;
            motion
        }
        Simulation::Midpoint(motion) => {
            let motion = mechanism::by_model(args, *motion)?;
            return mechanism::run(args, &motion, &others).map_err(at);
        }
        Simulation::Inclusion(motion) => {
            let motion = mechanism::by_model(args, motion.given().clone())?;
            return mechanism::run(args, &InclusionMotion::new(motion), &others).map_err(at);
        }
    };
    let steps = args.steps.unwrap_or(motion.steps());
    let mut file = opened(args, &motion)?;
    let stop = interrupts::flag()?;
    let mut trace = Trace::new(steps);
    let rows = file.as_mut().filter(|_| args.perturb.is_none());
    let mut recording = Recording::new(steps, animation::rigid_body_keys(&motion));
    let course = course(&motion, steps, &stop, rows, &mut |moment| {
        trace.look(&motion, moment);
        recording.look(moment.step, moment.time, *moment.state);
    })?;
    let beside = |(what, other): &(&str, _)| beside(&motion, &trace, (what, other), steps, &stop);
    let beside = others.iter().map(beside).collect::<Result<Vec<_>>>()?;
    let how = args.perturb.map(|copies| Perturbation {
        copies,
        angle: args.spread.unwrap_or(if args.shift.is_some() { 0.0 } else { ANGLE }),
        shift: args.shift.unwrap_or(0.0),
        seed: args.seed.unwrap_or(0),
    });
    let mut interrupted = course.ending == MotionEnding::Interrupted
        || beside.iter().any(|other| other.ending == MotionEnding::Interrupted);
    let spread = match &how {
        Some(how) if !interrupted => {
            match spread(&motion, steps, how, &stop, file.as_mut()) {
                // No copy was finished; the motion itself was.
                Err(error) if error.kind == ErrorKind::Interrupted => None,
                spread => Some(spread?),
            }
        }
        _ => None,
    };
    let cut = |how: Perturbation| spread.as_ref().is_none_or(|spread| spread.copies < how.copies);
    interrupted |= how.is_some_and(cut);
    if let Some(file) = file.filter(|_| !interrupted) {
        file.finish()?;
    }
    let perturbed =
        how.as_ref().zip(spread.as_ref()).map(|(how, spread)| Perturbed { how, spread });
    if let Some(path) = args.picture.as_ref().filter(|_| !interrupted) {
        let drawn = picture(&motion, &course, &trace, perturbed.as_ref(), &beside);
        pictures::write(path, &drawn, args.size)?;
    }
    if let Some(path) = args.animate.as_ref().filter(|_| !interrupted) {
        let strike =
            |hit: &Collision| Strike { time: hit.time, state: hit.state, places: vec![hit.point] };
        let strikes = course.collisions.iter().map(strike).collect();
        let (title, note) = (title(&motion, &course), note(&motion, &course));
        let caption = Caption { title, note, speed: args.speed.unwrap_or(1.0) };
        let branch = Branch { states: recording.states(), strikes, share: 1.0 };
        carom_data::write(path, animation::rigid_body(&motion, &branch, &caption).svg()?)?;
    }
    let perturbed = perturbed.as_ref();
    match args.json {
        true => terminal::print_json(&json(&motion, &course, &trace, perturbed, &beside))?,
        false => terminal::print(&text(&motion, &course, steps, perturbed, &beside))?,
    }
    mechanism::told(course.ending, &format!("{} of {steps} steps", course.steps));
    if interrupted {
        interrupts::unwritten(args);
    }
    Ok(match course.ending {
        _ if interrupted => terminal::INTERRUPTED,
        // The limit on collisions is one that a file may set: reaching it is a result.
        MotionEnding::Done | MotionEnding::Zeno => terminal::DONE,
        _ => terminal::REJECTED,
    })
}

/// Refuses a device or a precision that copies do not have.
fn on_the_cpu(args: &SimulateArgs) -> Result<()> {
    let option = match (&args.device, args.precision) {
        (Some(Device::Gpu | Device::Named(_)), _) => "device",
        (_, Some(Precision::F32)) => "precision",
        _ => return Ok(()),
    };
    let what = "copies are computed on the CPU, in f64";
    Err(Error::device(what).option(option).hint("leave it out"))
}

/// The motion that is shown beside that of a document: with another value of a key, or of a file.
fn another(document: &Document, what: &str, set: &[(&str, f64)]) -> Result<Simulation> {
    let other = match what.contains('=') {
        true => document.with(what).and_then(|other| other.motion_at(set)),
        false => input::open(what).and_then(|other| other.motion()),
    };
    other.map_err(|error| match error.kind {
        ErrorKind::Usage if error.at.is_none() => error.at(mechanism::BESIDE),
        _ => error,
    })
}

fn beside(
    motion: &Lgvci,
    trace: &Trace,
    (what, other): (&str, &Simulation),
    steps: u64,
    stop: &AtomicBool,
) -> Result<Beside> {
    let other = match other {
        Simulation::Lgvci(other) if other.time_step() == motion.time_step() => other,
        _ => return Err(mechanism::not_comparable(what)),
    };
    let mut seen = Trace::new(steps);
    let course = course(other, steps, stop, None, &mut |moment| seen.look(other, moment))?;
    Ok(Beside {
        what: what.to_string(),
        steps: course.steps,
        impacts: course.collisions.len(),
        ending: course.ending,
        measure: "distance",
        apart: trace.apart(&seen),
        heights: seen.heights(),
    })
}

fn opened(args: &SimulateArgs, motion: &Lgvci) -> Result<Option<Box<dyn Rows>>> {
    let Some(path) = &args.out else { return Ok(None) };
    let whole = if args.perturb.is_some() { ["copy", "step"] } else { ["step", "collisions"] };
    let columns: Vec<&str> = ["time"].into_iter().chain(rows::state()).collect();
    let about = serde_json::json!({
        "schema_version": 1, "version": env!("CARGO_PKG_VERSION"), "name": motion.name(), "integrator": Lgvci::NAME,
        "time_step": motion.time_step(), "copies": args.perturb, "angle": args.spread, "shift": args.shift, "seed": args.seed,
    });
    create(path, &whole, &columns, &about.to_string()).map(Some)
}

/// A row of numbers: time and state, and the error of the energy since the start.
fn row(motion: &Lgvci, time: f64, state: &BodyState<f64>, start: &BodyState<f64>) -> Vec<f64> {
    let body = motion.body();
    std::iter::once(time).chain(numbers(body, state, body.energy(start).total())).collect()
}

fn course(
    motion: &Lgvci,
    steps: u64,
    stop: &AtomicBool,
    mut rows: Option<&mut Box<dyn Rows>>,
    look: &mut dyn FnMut(&BodyMoment<'_>),
) -> Result<BodyCourse> {
    let bar = terminal::bar(steps);
    let course = motion.run(steps, Some(stop), |moment| {
        if moment.step.is_multiple_of(terminal::TICK) {
            bar.set_position(moment.step);
        }
        look(moment);
        let Some(rows) = &mut rows else { return Ok(()) };
        let row = row(motion, moment.time, moment.state, motion.start());
        rows.push(&[moment.step, moment.collisions], &row)
    });
    bar.finish_and_clear();
    course
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
        move |copy: u64, reached: &[(u64, BodyState<f64>)]| {
            reached.iter().try_for_each(|(step, state)| {
                let time = *step as f64 * motion.time_step();
                rows.push(&[copy, *step], &row(motion, time, state, &reached[0].1))
            })
        }
    });
    let take = take.as_mut().map(|take| take as Take<'_>);
    let spread = motion.spread(steps, how, Some(stop), take, |count| bar.inc(count));
    bar.finish_and_clear();
    spread
}
