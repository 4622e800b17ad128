//! `carom compare`: the set, compared with every applicable law.

use std::path::Path;

use crate::args::CompareArgs;
use crate::{ContactProblem, Error, Result, input, options, picture, plot, sets, terminal};
use carom_analysis::compare::{Comparison, compare_with};
use carom_data::saved::SavedSet;
use carom_engine::Engine;
use carom_engine::run::Run;
use carom_law::{Compliant, FiniteLaw, Routh};
use carom_report::pictures::{self, Wanted};
use carom_report::{RunRecord, compare};

/// Samples, resolves, compares, reports and draws.
pub fn run(args: &CompareArgs) -> Result<u8> {
    picture::possible(args.out.as_deref(), &args.drawing)?;
    known(&args.laws)?;
    let (problem, scenery) = input::staged(&args.problem)?;
    let problem = input::restituted(problem, args.restitution)?;
    let beside = args.beside.as_ref().map(|path| beside(path, &problem)).transpose()?;
    let run = Run {
        samples: args.samples,
        seed: args.seed,
        device: args.device.clone(),
        precision: args.precision,
        law: Routh { facets: args.facets, sampler: args.sampler, ..Routh::default() }.into(),
        ..Run::default()
    };
    let plan = options::plan(&run, &problem)?;
    let engine = Engine::open_for(&problem, &plan)?;
    let mut record = RunRecord::new(&problem, &plan, engine.info(), engine.precision(&plan));
    terminal::warn(&record.warnings);
    let more = compliant(args.compliant_ratios, args.compliant_angles, &problem)?;
    let laws: Vec<&str> = args.laws.iter().map(String::as_str).collect();
    let comparison = compare_with(&engine, &problem, &plan, &laws, more)
        .map_err(|e| input::located(e, &args.problem.what))?;
    terminal::warn(record.conclude(&problem, &comparison.run));
    if !problem.uncertainty().is_none() {
        let what =
            "the set is of uncertain numbers; the laws beside it take them as they are given";
        terminal::warn(record.warn(vec![what.to_string()]));
    }
    if args.json {
        terminal::print_json(&compare::json(&problem, &record, &comparison))?;
    } else {
        terminal::print(&compare::text(&problem, &record, &comparison))?;
    }
    if let Some(path) = &args.out {
        let paths = |count| {
            let numbers = numbers(&comparison, count);
            plot::paths_of(&problem, &plan, engine.precision(&plan), &numbers)
        };
        let traced = args.on_the_way && comparison.exact.is_none();
        let wanted = Wanted {
            scenery,
            beside,
            paths: paths(args.paths.unwrap_or(0)),
            on_the_way: args.on_the_way,
            traces: paths(if traced { plot::TRACES } else { 0 }),
            ..picture::wanted(&args.drawing)
        };
        let drawn = pictures::comparison(&problem, &record, &comparison, &wanted)?;
        picture::write(path, &drawn, args.drawing.look.size)?;
    }
    Ok(terminal::DONE)
}

/// Refuses laws that cannot be compared with a set.
fn known(laws: &[String]) -> Result<()> {
    match laws.iter().find(|law| !FiniteLaw::NAMES.contains(&law.as_str())) {
        None => Ok(()),
        Some(law) => Err(Error::usage(format!("there is no law `{law}` beside the set"))
            .at("--laws")
            .hint(format!("the laws are {}", FiniteLaw::NAMES.join(", ")))),
    }
}

/// The numbers of the first accepted samples.
pub fn numbers(comparison: &Comparison, count: usize) -> Vec<u64> {
    comparison.accepted.iter().take(count).map(|&i| comparison.samples.first + i as u64).collect()
}

/// The samples of a file for an overlay, with a description of their law.
fn beside(path: &Path, problem: &ContactProblem) -> Result<(String, Vec<Vec<f64>>)> {
    let name = path.display().to_string();
    let Some(SavedSet { set, record }) = sets::read(path.as_os_str())? else {
        return Err(Error::usage("expected a file of samples, .npz or .parquet")
            .at(name)
            .hint("`carom sample WHAT --out FILE` writes one"));
    };
    let other = set.problem();
    if (other.coordinates(), other.contacts()) != (problem.coordinates(), problem.contacts()) {
        return Err(Error::usage("its samples have other coordinates or contacts").at(name));
    }
    let velocities: Vec<Vec<f64>> = (0..set.len()).map(|at| set.velocity(at).to_vec()).collect();
    Ok((pictures::beside(&record, velocities.len()), velocities))
}

/// Stiffness ratios and angles of a sweep.
const SWEPT: u32 = 11;
/// Compliant contact with the requested stiffness ratios and angles.
pub fn compliant(
    ratios: Option<(f64, f64)>,
    angles: Option<(f64, f64)>,
    problem: &ContactProblem,
) -> Result<Vec<(String, FiniteLaw)>> {
    let swept = |low: f64, high: f64| {
        (0..SWEPT).map(move |k| low + (high - low) * f64::from(k) / f64::from(SWEPT - 1))
    };
    let mut laws = Vec::new();
    if let Some((low, high)) = ratios {
        let refuse = |what: &str| Err(Error::usage(what).at("--compliant-ratios"));
        if problem.contact_count() != 2 {
            return refuse("a ratio needs two contacts");
        }
        if low <= 0.0 {
            return refuse("expected ratios > 0");
        }
        for exponent in swept(low.log10(), high.log10()) {
            let ratio = 10_f64.powf(exponent);
            let stiffness =
                if ratio < 1.0 { vec![1e6, 1e6 / ratio] } else { vec![1e6 * ratio, 1e6] };
            let law = Compliant { stiffness, ..Compliant::default() };
            laws.push((format!("stiffness ratio {ratio:.1e}"), FiniteLaw::Compliant(law)));
        }
    }
    if let Some((low, high)) = angles {
        let unknown = || {
            Error::usage("no coordinate is known to be an angle")
                .at("--compliant-angles")
                .hint("scenes have units; a problem file gives them in `units`")
        };
        let is_angle = |i: &usize| problem.unit(*i) == Some("rad/s");
        let angle = (0..problem.coordinate_count()).find(is_angle).ok_or_else(unknown)?;
        for degrees in swept(low, high) {
            let height = |i| problem.jacobian()[(i, angle)] * degrees.to_radians();
            let heights: Vec<f64> = (0..problem.contact_count()).map(height).collect();
            let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
            let gaps = heights.iter().map(|height| height - lowest).collect();
            let law = Compliant { gaps, ..Compliant::default() };
            laws.push((format!("turned by {degrees:.3} deg"), FiniteLaw::Compliant(law)));
        }
    }
    Ok(laws)
}
