//! `carom gallery`: the published sets, drawn again.

use std::sync::atomic::Ordering;

use crate::output::gallery::{Exhibit, page};
use crate::output::pictures::{self, Wanted};
use crate::output::{self, RunRecord, animation};
use crate::scene::builtin;
use crate::{Engine, Error, Plan, Result};

use crate::cli::args::{GalleryArgs, ProblemArgs};
use crate::cli::{compare, input, interrupts, plot, sets, terminal};

/// The scenes of \[HP23\] whose sets are published, and where.
const PUBLISHED: [(&str, &str); 5] = [
    ("rocking-block", "Fig. 9"),
    ("compass-gait", "Fig. 10"),
    ("box-and-wall", "Fig. 11"),
    ("ramone", "Fig. 13"),
    ("disk-stack", "Fig. 14"),
];

/// Stiffness ratios and angles in degrees of [HP23] Fig. 12.
const RATIOS: (f64, f64) = (1e-5, 1e5);
const ANGLES: (f64, f64) = (-0.01, 0.01);

/// Draws every set, and the page with all of them.
pub fn run(args: &GalleryArgs) -> Result<u8> {
    let failed = |e: std::io::Error| Error::usage(e.to_string()).at(args.out.display().to_string());
    std::fs::create_dir_all(&args.out).map_err(failed)?;
    let mut exhibits = Vec::new();
    let mut written = Vec::new();
    let stop = interrupts::flag()?;
    for (name, figure) in PUBLISHED {
        let problem = ProblemArgs { what: name.into(), set: Vec::new(), velocity: None };
        let (problem, scenery) = input::staged(&problem)?;
        let (samples, seed, stop) = (args.samples, args.seed, Some(stop.clone()));
        let plan = Plan { samples, seed, stop, ..Plan::default() };
        let saved = sets::sample(&problem, &plan, name)?;
        if plan.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Error::usage("interrupted; the page is not written"));
        }
        let wanted =
            Wanted { scenery, paths: plot::paths(&saved, &plan, plot::PATHS), ..Wanted::default() };
        let svg = plot::drawn(&saved, &wanted)?.svg(None)?;
        let path = args.out.join(format!("{name}.svg"));
        output::write(&path, &svg)?;
        written.push(path);
        exhibits.push(Exhibit {
            title: format!("{}, [HP23] {figure}", problem.name()),
            caption: builtin(name).map_or("", |scene| scene.description).to_string(),
            command: format!(
                "carom plot {name} --samples {} --seed {} -o {name}.svg",
                args.samples, args.seed
            ),
            svg,
        });
    }
    exhibits.insert(1, compliant(args)?);
    let path = args.out.join("compliant.svg");
    output::write(&path, &exhibits[1].svg)?;
    written.push(path);
    exhibits.push(animated(args)?);
    let path = args.out.join("animated.svg");
    output::write(&path, &exhibits[exhibits.len() - 1].svg)?;
    written.push(path);
    let path = args.out.join("index.html");
    output::write(&path, page("Sets of outcomes of simultaneous impacts", &exhibits))?;
    written.push(path);
    let lines: Vec<String> = written.iter().map(|path| format!("{}\n", path.display())).collect();
    terminal::print(&lines.concat())?;
    Ok(terminal::DONE)
}

/// Outcomes of the disk stack in motion.
fn animated(args: &GalleryArgs) -> Result<Exhibit> {
    let name = "disk-stack";
    let problem = ProblemArgs { what: name.into(), set: Vec::new(), velocity: None };
    let plan = Plan { samples: args.samples, seed: args.seed, ..Plan::default() };
    let saved = sets::sample(&input::load(&problem)?, &plan, name)?;
    Ok(Exhibit {
        title: "disk stack, in motion".to_string(),
        caption: "a disk falls onto two others; outcomes that lie far apart, in four seconds"
            .to_string(),
        command: format!(
            "carom plot {name} --samples {} --seed {} --animate animated.svg",
            args.samples, args.seed
        ),
        svg: animation::impact(&input::cast(&problem)?, &saved.set, &saved.record, plot::OUTCOMES)?
            .svg()?,
    })
}

/// Compliant contact over the set of the block.
fn compliant(args: &GalleryArgs) -> Result<Exhibit> {
    let problem = ProblemArgs { what: PUBLISHED[0].0.into(), set: Vec::new(), velocity: None };
    let (problem, scenery) = input::staged(&problem)?;
    let plan = Plan { samples: args.samples, seed: args.seed, ..Plan::default() };
    let engine = Engine::open_for(&problem, &plan)?;
    let record = RunRecord::new(&problem, &plan, engine.info(), engine.precision(&plan));
    let more = compare::compliant(Some(RATIOS), Some(ANGLES), &problem)?;
    let comparison = engine.compare_with(&problem, &plan, more)?;
    let wanted = Wanted { scenery, ..Wanted::default() };
    Ok(Exhibit {
        title: format!("{}, [HP23] Fig. 12", problem.name()),
        caption:
            "compliant corners of different stiffness, or of a tilted block, beside what rigid laws pick"
                .to_string(),
        command: format!(
            "carom compare {} --samples {} --seed {} --compliant-ratios {:e}..{:e} --compliant-angles={}..{} -o compliant.svg",
            PUBLISHED[0].0, args.samples, args.seed, RATIOS.0, RATIOS.1, ANGLES.0, ANGLES.1
        ),
        svg: pictures::comparison(&problem, &record, &comparison, &wanted)?.svg(None)?,
    })
}
