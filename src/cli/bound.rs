//! `carom bound`: largest outcome in a direction, or largest cost; sampled and proved.

use crate::args::BoundArgs;
use crate::{Result, input, interrupts, options, terminal};
use carom_analysis::bounds::{Bound, covered};
use carom_analysis::judged;
use carom_analysis::wedge::{IN_DOUBLES, nearly_wedged};
use carom_engine::run::Run;
use carom_engine::{Device, Engine, Plan, Precision};
use carom_law::Routh;
use carom_report::{RunRecord, bounds};

pub fn run(args: &BoundArgs) -> Result<u8> {
    let mut problem = input::problem_with(&args.problem, args.restitution)?;
    // Bounds hold for ranges of friction and restitution; other uncertain numbers take their
    // nominal values.
    let given = problem.uncertainty().clone();
    let kept = covered(&given);
    let uncertain = kept != given;
    if uncertain {
        let restitution = problem.restitution().map(<[f64]>::to_vec);
        problem = problem.with_numbers(restitution, kept)?;
    }
    let aim = args.asked.aim(&problem)?;
    // Samples are compared with proofs, and therefore computed in double precision.
    options::hypothesis_matters(args.hypothesis.is_some(), &problem)?;
    let plan = Plan {
        law: Routh { hypothesis: args.hypothesis, ..Routh::default() }.into(),
        samples: Run { samples: args.samples, ..Run::default() }.samples_on(&problem),
        seed: args.seed,
        device: Device::Cpu,
        precision: Some(Precision::F64),
        stop: Some(interrupts::flag()?),
        ..Plan::default()
    };
    let engine = Engine::cpu("samples that are compared with proofs are computed there");
    let mut record = RunRecord::new(&problem, &plan, engine.info(), engine.precision(&plan));
    record.explore = args.explore;
    if uncertain {
        let what = "what is uncertain, but friction and restitution, is taken as it is given: \
                    other numbers of its ranges may exceed the bounds";
        record.warn(vec![what.to_string()]);
    }
    let (kinds, within) = (args.asked.kinds(), args.asked.within());
    let bounds = || judged::bounds(&engine, &problem, &plan, &aim, &kinds, within, args.explore);
    let found = terminal::waiting("sampling and proving", bounds);
    let found = found.map_err(|e| input::located(e, &args.problem.what))?;
    terminal::warn(record.conclude(&problem, &found.run));
    if let Some(excess) = found.gap().filter(|gap| *gap < 0.0) {
        let what = format!(
            "the sample goes {:.1e} beyond a proved bound: samples are computed to about 1e-6 of the velocities, bounds are not",
            -excess
        );
        terminal::warn(record.warn(vec![what]));
    }
    let why = match nearly_wedged(&problem, IN_DOUBLES) {
        Some(_) => "doubles do not tell how samples between these contacts go on",
        None => {
            "the proof or the outcome is wrong, which is a defect of carom; please report the problem"
        }
    };
    let defect = |bound: &Bound| {
        let (kind, value) = (bound.kind.name(), bound.withdrawn?);
        Some(format!(
            "the bound `{kind}` of {value:e} is withdrawn, as an outcome goes beyond it by more than 1e-6 of what energy allows: {why}"
        ))
    };
    terminal::warn(record.warn(found.proofs.bounds.iter().filter_map(defect).collect()));
    if args.json {
        terminal::print_json(&bounds::json(&record, &found))?;
    } else {
        terminal::print(&bounds::text(&problem, &record, &found, uncertain))?;
    }
    Ok(terminal::DONE)
}
