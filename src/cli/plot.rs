//! `carom plot`: pictures of a set, of sweeps, hodographs and courses.

mod course;
mod hodograph;

use std::path::Path;

use crate::args::PlotArgs;
use crate::{ContactProblem, Result, input, options, picture, sets, terminal};
use carom_analysis::Reach;
use carom_core::status::Status;
use carom_data::saved::SavedSet;
use carom_engine::run::Run;
use carom_engine::{Plan, Precision, Replay};
use carom_law::finite::propagative::Kind as SequenceKind;
use carom_law::{Compliant, DarbouxKeller, FiniteLaw, Law, Propagative};
use carom_report::animation;
use carom_report::pictures::{self, Wanted};
use carom_report::plot::{Picture, PictureSize};

/// Default number of drawn paths.
pub const PATHS: usize = 12;
/// Number of shaded paths if no exact set is known.
pub const TRACES: usize = 300;
/// Default number of outcomes in a film.
pub const OUTCOMES: usize = 6;
/// Steps of a sweep.
const SWEPT: u32 = 120;

/// Draws a set, or another picture that the options select; `given` are the options on the command
/// line.
pub fn run(args: &PlotArgs, given: &[String]) -> Result<u8> {
    picture::animated(args.animate.as_deref(), args.out.as_deref())?;
    match &args.out {
        Some(path) => picture::writable(path)?,
        None => {
            let idle = ["--axes", "--panels", "--size", "--paths", "--on-the-way", "--bound"]
                .map(|flag| (flag, given.iter().any(|g| g == flag)));
            options::refuse("there is no picture but the animated one; -o FILE draws one", &idle)?;
        }
    }
    let only = |why: &str, of: &[&str]| {
        let known = [&["--out", "--size", "--title"], of].concat();
        let idle: Vec<_> =
            given.iter().map(|option| (&option[..], !known.contains(&&option[..]))).collect();
        options::refuse(why, &idle)
    };
    if args.how.asked.law() == DarbouxKeller::NAME {
        let why = format!("the law {} has one outcome, of one contact", DarbouxKeller::NAME);
        only(&why, hodograph::OPTIONS)?;
        return hodograph::run(args);
    }
    if args.how.asked.law() == Compliant::NAME {
        let why = format!("the law {} has one outcome, whose course is drawn", Compliant::NAME);
        only(&why, &course::known(args))?;
        let problem = input::problem_with(&args.problem, args.how.asked.restitution())?;
        return course::run(args, &problem, &FiniteLaw::Compliant(args.compliant.compliant()));
    }
    if let Some((parameter, low, high)) = &args.sweep {
        let why = "with --sweep the law is propagative, all of whose outcomes are found";
        let other = args.how.asked.law() != Propagative::NAME;
        options::refuse(why, &[("--law", other && given.iter().any(|g| g == "--law"))])?;
        only(why, &["--sweep", "--loss", "--law", "--set", "--velocity"])?;
        return sweep(args, parameter, *low, *high);
    }
    let mut wanted = Wanted { bound: args.bound, ..picture::wanted(&args.drawing) };
    let saved = match sets::read(&args.problem.what)? {
        Some(saved) => {
            only("a file has its samples already", &["--axes", "--panels", "--bound"])?;
            saved
        }
        None => {
            let cast = args.animate.as_ref().map(|_| input::cast(&args.problem)).transpose()?;
            let (problem, scenery) = input::staged(&args.problem)?;
            let asked = args.how.asked.run(args.samples)?;
            let problem = asked.on(problem)?;
            wanted.scenery = scenery;
            if let Law::Plus(law) = asked.law
                && problem.uncertainty().is_none()
                && args.animate.is_none()
            {
                let why = "nothing is uncertain: the course of the one outcome is drawn";
                only(why, &course::known(args))?;
                return course::run(args, &problem, &FiniteLaw::Plus(law));
            }
            course::none(args)?;
            let saved = sample(args, &problem, &asked, &mut wanted)?;
            if let (Some(path), Some(cast)) = (&args.animate, cast) {
                let count = args.outcomes.unwrap_or(OUTCOMES);
                let mut film = animation::impact(&cast, &saved.set, &saved.record, count)?;
                film.title = args.drawing.look.title.clone().unwrap_or(film.title);
                carom_data::write(path, film.svg()?)?;
            }
            saved
        }
    };
    if let Some(path) = &args.out {
        draw(&saved, path, args.drawing.look.size, &wanted)?;
    }
    Ok(terminal::DONE)
}

pub fn draw(
    saved: &SavedSet,
    path: &Path,
    size: Option<PictureSize>,
    wanted: &Wanted,
) -> Result<()> {
    picture::write(path, &drawn(saved, wanted)?, size)
}

/// The picture of a set. Routh's exact set forms the background if it is fast to compute.
pub fn drawn(SavedSet { set, record }: &SavedSet, wanted: &Wanted) -> Result<Picture> {
    pictures::set(set, sets::behind(set, record)?.as_ref(), record, wanted)
}

pub fn paths(SavedSet { set, record }: &SavedSet, plan: &Plan, count: usize) -> Vec<Vec<Vec<f64>>> {
    let precision =
        if record["precision"] == Precision::F32.name() { Precision::F32 } else { Precision::F64 };
    let numbers = &set.numbers()[..count.min(set.len())];
    paths_of(set.problem(), plan, precision, numbers)
}

pub fn paths_of(
    problem: &ContactProblem,
    plan: &Plan,
    precision: Precision,
    numbers: &[u64],
) -> Vec<Vec<Vec<f64>>> {
    let replay = |number: &u64| Replay::new(problem, plan, precision, *number).ok();
    let path = |replay: Replay| {
        let steps = replay.steps.into_iter().map(|step| step.after.velocity);
        std::iter::once(replay.before.velocity).chain(steps).collect()
    };
    numbers.iter().filter_map(replay).map(path).collect()
}

fn sample(
    args: &PlotArgs,
    problem: &ContactProblem,
    asked: &Run,
    wanted: &mut Wanted,
) -> Result<SavedSet> {
    let plan = options::plan(asked, problem)?;
    wanted.stop.clone_from(&plan.stop);
    let saved = sets::sample(problem, &plan, &args.problem.what)?;
    wanted.paths = paths(&saved, &plan, args.paths.unwrap_or(PATHS));
    wanted.on_the_way = args.on_the_way;
    let known = asked.is_within_reach() && Reach::default().ends_soon(problem);
    if args.on_the_way && !known {
        wanted.traces = paths(&saved, &plan, TRACES);
    }
    Ok(saved)
}

/// Plots the indeterminacy of the propagative law over a parameter, or its energy loss.
fn sweep(args: &PlotArgs, parameter: &str, low: f64, high: f64) -> Result<u8> {
    let document = input::open(&args.problem.what)?;
    let mut name = String::new();
    let mut points = Vec::new();
    let mut losses: Vec<_> = args.loss.iter().map(|&e| (e, Vec::new())).collect();
    for i in 0..=SWEPT {
        let value = low + (high - low) * f64::from(i) / f64::from(SWEPT);
        let mut set = input::values(&args.problem.set);
        set.push((parameter, value));
        let given = args.problem.velocity.as_ref();
        let problem = input::with_velocity(document.problem(&set)?, given, input::VELOCITY)?;
        if i == 0 {
            terminal::warn(problem.warnings());
        }
        let located = |e| input::located(e, &args.problem.what);
        let resolve = |law: Propagative| law.resolve(&problem).map_err(located);
        for (e, points) in &mut losses {
            let sequences = Some(SequenceKind::Admissible);
            let law = Propagative { restitution: Some(*e), sequences, ..Default::default() };
            let resolved = resolve(law)?;
            let before = problem.kinetic_energy(problem.velocity().as_slice());
            // All orders of impacts lose the same energy.
            let ended = resolved.outcomes.iter().find(|one| one.status == Status::Terminated);
            let ended = ended.filter(|_| before > 0.0);
            points.extend(ended.map(|one| [value, 1.0 - one.kinetic_energy / before]));
        }
        if losses.is_empty() {
            points.push([value, resolve(Propagative::default())?.about.indeterminacy]);
        }
        name = problem.name().to_string();
    }
    let drawn = match losses.is_empty() {
        true => pictures::sweep(&name, parameter, &points),
        false => pictures::losses(&name, parameter, &losses),
    };
    picture::titled(&args.drawing.look, args.out.as_deref(), drawn)?;
    Ok(terminal::DONE)
}
