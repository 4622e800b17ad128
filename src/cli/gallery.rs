//! `carom gallery`: the published sets, redrawn.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::args::{GalleryArgs, ProblemArgs};
use crate::{Error, Result, compare, input, interrupts, plot, sets, terminal};
use carom_analysis::compare::{Compared, compare_with};
use carom_analysis::place::Verdict;
use carom_engine::run::Run;
use carom_engine::{Engine, Plan};
use carom_law::{Routh, RouthProcess, Sampler};
use carom_report::gallery::{Exhibit, page};
use carom_report::pictures::{self, Wanted};
use carom_report::published::{PUBLISHED, Published};
use carom_report::{RunRecord, animation};
use carom_scene::builtin;
use serde_json::json;

/// The laws compared with the sets, \[HP23\] Sec. 2.2.
const LAWS: [&str; 2] = ["anitescu-potra", "sequential"];
/// Stiffness ratios and angles in degrees of [HP23] Fig. 12.
const RATIOS: (f64, f64) = (1e-5, 1e5);
const ANGLES: (f64, f64) = (-0.01, 0.01);
/// The figure before Fig. 12.
const BEFORE_COMPLIANT: &str = "Fig. 11";
/// The panels of sets with two contacts.
const PANELS: [&str; 2] = ["scene", "contacts"];
pub fn run(args: &GalleryArgs) -> Result<u8> {
    carom_data::make_directory(&args.out)?;
    let mut exhibits: Vec<Exhibit> = Vec::new();
    let making = Making { args, stop: interrupts::flag()? };
    let bar = terminal::bar(PUBLISHED.len() as u64 + 2);
    let mut show = |exhibit: Result<Exhibit>| {
        let exhibit = exhibit?;
        if making.stop.load(Ordering::Relaxed) {
            return Err(Error::usage("interrupted; the page is not written"));
        }
        carom_data::write(&args.out.join(format!("{}.svg", exhibit.name)), &exhibit.svg)?;
        exhibits.push(exhibit);
        bar.inc(1);
        Ok::<(), Error>(())
    };
    for published in &PUBLISHED {
        show(set(&making, published))?;
        if published.figure == BEFORE_COMPLIANT {
            show(compliant(&making))?;
        }
    }
    show(animated(&making))?;
    bar.finish_and_clear();
    let title = "Sets of outcomes of simultaneous impacts";
    let path = args.out.join("index.html");
    carom_data::write(&path, page(title, INTRODUCTION, &exhibits))?;
    let names = exhibits.iter().map(|exhibit| args.out.join(format!("{}.svg", exhibit.name)));
    let line = |path: PathBuf| format!("{}\n", path.display());
    terminal::print(&names.chain([path]).map(line).collect::<String>())?;
    Ok(terminal::DONE)
}

const INTRODUCTION: &str = "[HP23] is M. Halm and M. Posa, Set-valued rigid-body dynamics for simultaneous, \
    inelastic, frictional impacts, arXiv 2103.15714. Its figures show contact velocities, tangential and \
    normal, and so do these. Light grey are the velocities on the way, grey is the exact set of the law, blue its \
    samples from event to event; lines are the ways of the laws beside it; orange are samples of the published \
    algorithm with the published step and number of steps. Shares are those of a sampler, no probabilities. \
    \"In the set\" is proved.";

fn scene(name: &str) -> ProblemArgs {
    ProblemArgs { what: name.into(), set: Vec::new(), velocity: None, friction: None }
}

struct Making<'a> {
    args: &'a GalleryArgs,
    stop: Arc<AtomicBool>,
}

impl Making<'_> {
    fn plan(&self, law: Routh) -> Plan {
        let (samples, seed, law) = (Some(self.args.samples), self.args.seed, law.into());
        let stop = Some(self.stop.clone());
        Plan { stop, ..Run { samples, seed, law, ..Run::default() }.plan() }
    }
}

/// A published set: the law's samples, and the published steps as an overlay.
fn set(making: &Making<'_>, published: &Published) -> Result<Exhibit> {
    let name = published.scene;
    let (problem, scenery) = input::staged(&scene(name))?;
    let law = making.plan(Routh::default());
    let engine = Engine::open_for(&problem, &law)?;
    let record = RunRecord::new(&problem, &law, engine.info(), engine.precision(&law));
    let comparison = compare_with(&engine, &problem, &law, &LAWS, Vec::new())?;
    let mut by_events = sets::empty(&problem, comparison.run.precision)?;
    by_events.add(&comparison.samples, comparison.run.summary.tolerance().residual);
    let (process, sampler) = (Some(RouthProcess::Steps), Some(Sampler::Uniform));
    let steps = making.plan(Routh { process, sampler, ..Routh::default() });
    let engine_of_steps = Engine::open_for(&problem, &steps)?;
    let precision = engine_of_steps.precision(&steps);
    let record_of_steps = RunRecord::new(&problem, &steps, engine_of_steps.info(), precision);
    let (run, samples) = engine_of_steps.collect(&problem, &steps)?;
    let mut by_steps = sets::empty(&problem, precision)?;
    by_steps.add(&samples, run.summary.tolerance().residual);

    let of_steps = (&run.summary, &by_steps);
    let of_law = (&comparison.run.summary, &by_events);
    let rows = published.rows(of_steps, of_law, comparison.exact.as_ref());
    let velocities = (0..by_steps.len()).map(|at| by_steps.velocity(at).to_vec()).collect();
    let (axes, panels) =
        (published.axes.to_vec(), if published.axes.is_empty() { &PANELS[..] } else { &[] });
    let paths = |count| {
        let numbers = compare::numbers(&comparison, count);
        plot::paths_of(&problem, &law, engine.precision(&law), &numbers)
    };
    let wanted = Wanted {
        axes: axes.iter().map(|axes| axes.to_string()).collect(),
        panels: panels.iter().map(|panel| panel.to_string()).collect(),
        scenery,
        beside: Some((pictures::beside(&json!(record_of_steps), by_steps.len()), velocities)),
        paths: paths(plot::PATHS),
        on_the_way: true,
        traces: if comparison.exact.is_none() { paths(plot::TRACES) } else { Vec::new() },
        ..Wanted::default()
    };
    let svg = pictures::comparison(&problem, &record, &comparison, &wanted)?.svg(None)?;
    let (samples, seed) = (making.args.samples, making.args.seed);
    let shown: String = match panels {
        [] => axes.iter().map(|axes| format!(" --axes {axes}")).collect(),
        panels => format!(" --panels {}", panels.join(",")),
    };
    Ok(Exhibit {
        name: name.to_string(),
        title: format!("{}, [HP23] {}", problem.name(), published.figure),
        caption: builtin(name).map_or("", |scene| scene.description).to_string(),
        commands: vec![
            format!(
                "carom sample {name} --process steps --sampler uniform -n {samples} --seed {seed} --out steps.npz"
            ),
            format!(
                "carom compare {name} -n {samples} --seed {seed} --laws {} --beside steps.npz --paths {} --on-the-way{shown} -o {name}.svg",
                LAWS.join(","),
                plot::PATHS
            ),
        ],
        rows,
        differs: published.differences(&by_events, comparison.exact.as_ref()),
        svg,
    })
}

fn animated(making: &Making<'_>) -> Result<Exhibit> {
    let name = "disk-stack";
    let problem = scene(name);
    let saved = sets::sample(&input::load(&problem)?, &making.plan(Routh::default()), name)?;
    let (samples, seed, cast) = (making.args.samples, making.args.seed, input::cast(&problem)?);
    let film = animation::impact(&cast, &saved.set, &saved.record, plot::OUTCOMES)?;
    let what = "a disk falls onto two others; outcomes that lie far apart, in four seconds";
    Ok(Exhibit {
        name: "animated".to_string(),
        title: "disk stack, in motion".to_string(),
        caption: what.to_string(),
        commands: vec![format!(
            "carom plot {name} --samples {samples} --seed {seed} --animate animated.svg"
        )],
        rows: Vec::new(),
        differs: String::new(),
        svg: film.svg()?,
    })
}

fn compliant(making: &Making<'_>) -> Result<Exhibit> {
    let name = "rocking-block";
    let (problem, scenery) = input::staged(&scene(name))?;
    let plan = making.plan(Routh::default());
    let engine = Engine::open_for(&problem, &plan)?;
    let record = RunRecord::new(&problem, &plan, engine.info(), engine.precision(&plan));
    let more = compare::compliant(Some(RATIOS), Some(ANGLES), &problem)?;
    let comparison = compare_with(&engine, &problem, &plan, &["compliant"], more)?;
    let axes = "left.normal,right.normal";
    let wanted = Wanted { scenery, axes: vec![axes.to_string()], ..Wanted::default() };
    // Ratios have no gaps.
    let (ratios, angles): (Vec<&Compared>, Vec<&Compared>) = (comparison.outcomes.iter())
        .partition(|compared| compared.which.starts_with("stiffness ratio"));
    let row = |what: &str, paper: &str, of: &[&Compared]| {
        let inside = of.iter().filter(|one| one.place.verdict == Verdict::Inside).count();
        let far = of.iter().fold(0.0_f64, |far, one| far.max(one.place.distance));
        let law = format!("{inside} of {} in the set, up to {far:.1e} |v-| from samples", of.len());
        [what.to_string(), paper.to_string(), String::new(), law]
    };
    Ok(Exhibit {
        name: "compliant".to_string(),
        rows: vec![
            row("stiffness ratios", "in the set, and nearly all of it", &ratios),
            row("tilted block", "parts slightly faster than the set", &angles),
        ],
        differs: "The paper's ratios and angles are not in its text; these are carom's.".to_string(),
        title: format!("{}, [HP23] Fig. 12", problem.name()),
        caption:
            "compliant corners of different stiffness, or of a tilted block, beside what rigid laws pick"
                .to_string(),
        commands: vec![format!(
            "carom compare {name} --samples {} --seed {} --laws compliant --compliant-ratios {:e}..{:e} \
             --compliant-angles={}..{} --axes {axes} -o compliant.svg",
            making.args.samples, making.args.seed, RATIOS.0, RATIOS.1, ANGLES.0, ANGLES.1
        )],
        svg: pictures::comparison(&problem, &record, &comparison, &wanted)?.svg(None)?,
    })
}
