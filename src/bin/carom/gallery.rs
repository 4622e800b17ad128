//! `carom gallery`: the published sets, drawn again.

use std::process::ExitCode;
use std::sync::atomic::Ordering;

use carom::output;
use carom::output::gallery::{Exhibit, page};
use carom::output::pictures::Wanted;
use carom::scene::builtin;
use carom::{Error, Plan, Result, Routh};

use crate::args::{GalleryArgs, ProblemArgs};
use crate::{input, options, plot, sets, terminal};

/// The scenes of \[HP23\] whose sets are published, and where.
const PUBLISHED: [(&str, &str); 5] = [
    ("rocking-block", "Figs. 9 and 12"),
    ("compass-gait", "Fig. 10"),
    ("box-and-wall", "Fig. 11"),
    ("ramone", "Fig. 13"),
    ("disk-stack", "Fig. 14"),
];

/// Draws every set, and the page with all of them.
pub fn run(args: &GalleryArgs) -> Result<ExitCode> {
    let failed = |e: std::io::Error| Error::usage(e.to_string()).at(args.out.display().to_string());
    std::fs::create_dir_all(&args.out).map_err(failed)?;
    let mut exhibits = Vec::new();
    let mut written = Vec::new();
    let stop = terminal::interrupts()?;
    for (name, figure) in PUBLISHED {
        let problem = ProblemArgs { what: name.to_string(), set: Vec::new(), velocity: None };
        let (problem, scenery) = input::staged(&problem)?;
        let law = options::with_choices(Routh::NAME, None, None)?;
        let (samples, seed, stop) = (args.samples, args.seed, Some(stop.clone()));
        let plan = Plan { samples, seed, stop, law, ..Plan::default() };
        let saved = sets::sample(&problem, &plan, name)?;
        if plan.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Error::usage("interrupted; the page is not written"));
        }
        let wanted = Wanted { scenery, paths: plot::paths(&saved, &plan, plot::PATHS), ..Wanted::default() };
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
    let path = args.out.join("index.html");
    output::write(&path, page("Sets of outcomes of simultaneous impacts", &exhibits))?;
    written.push(path);
    let lines: Vec<String> = written.iter().map(|path| format!("{}\n", path.display())).collect();
    terminal::print(&lines.concat())?;
    Ok(ExitCode::SUCCESS)
}
