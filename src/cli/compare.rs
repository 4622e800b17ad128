//! `carom compare`: every law that applies, beside the set.

use crate::output::pictures::{self, Wanted};
use crate::output::{RunRecord, compare};
use crate::run::Run;
use crate::{Compliant, ContactProblem, Engine, Error, FiniteLaw, Result, Routh};

use crate::cli::args::CompareArgs;
use crate::cli::{input, options, picture, terminal};

/// Samples, resolves, compares, reports and draws.
pub fn run(args: &CompareArgs) -> Result<u8> {
    picture::possible(args.out.as_deref(), &args.drawing)?;
    let (problem, scenery) = input::staged(&args.problem)?;
    let problem = input::restituted(problem, args.restitution)?;
    let plan = options::plan(&Run {
        samples: Some(args.samples),
        seed: args.seed,
        device: args.device.clone(),
        precision: args.precision,
        law: Routh { facets: args.facets, sampler: args.sampler, ..Routh::default() }.into(),
        ..Run::default()
    })?;
    let engine = Engine::open_for(&problem, &plan)?;
    let mut record = RunRecord::new(&problem, &plan, engine.info(), engine.precision(&plan));
    terminal::warn(&record.warnings);
    let more = compliant(args.compliant_ratios, args.compliant_angles, &problem)?;
    let comparison = engine
        .compare_with(&problem, &plan, more)
        .map_err(|e| input::located(e, &args.problem.what))?;
    terminal::warn(record.conclude(&problem, &comparison.run));
    if !problem.uncertainty().is_none() {
        let warning =
            "the set is of uncertain numbers; the laws beside it take them as they are given";
        terminal::warn(record.warn(vec![warning.to_string()]));
    }
    if args.json {
        terminal::print_json(&compare::json(&problem, &record, &comparison))?;
    } else {
        terminal::print(&compare::text(&problem, &record, &comparison))?;
    }
    if let Some(path) = &args.out {
        let wanted = Wanted { scenery, ..picture::wanted(&args.drawing) };
        let drawn = pictures::comparison(&problem, &record, &comparison, &wanted)?;
        picture::write(path, &drawn, args.drawing.look.size)?;
    }
    Ok(terminal::DONE)
}

/// Stiffness ratios and angles of a sweep.
const SWEPT: u32 = 11;

/// Compliant contact with the ratios of stiffness and the angles that are asked for.
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
        let angle = (0..problem.coordinate_count())
            .find(|i| problem.unit(*i) == Some("rad/s"))
            .ok_or_else(|| {
                Error::usage("no coordinate is known to be an angle")
                    .at("--compliant-angles")
                    .hint("scenes have units; a problem file gives them in `units`")
            })?;
        for degrees in swept(low, high) {
            let heights: Vec<f64> = (0..problem.contact_count())
                .map(|i| problem.jacobian()[(i, angle)] * degrees.to_radians())
                .collect();
            let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
            let gaps = heights.iter().map(|height| height - lowest).collect();
            let law = Compliant { gaps, ..Compliant::default() };
            laws.push((format!("turned by {degrees:.3} deg"), FiniteLaw::Compliant(law)));
        }
    }
    Ok(laws)
}
