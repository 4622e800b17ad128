//! Sets for questions and pictures: from a file of samples, or freshly sampled.

use std::ffi::OsStr;
use std::path::Path;

use crate::{Error, Result, input, terminal};
use carom_analysis::bounds::kinds;
use carom_analysis::sampled_set::SampledSet;
use carom_analysis::{BoundKind, ExactSet, Reach, require_samples};
use carom_core::problem::{ContactProblem, Uncertainty};
use carom_data::saved::{self, SavedSet};
use carom_engine::run::Run;
use carom_engine::{Engine, Plan, Precision};
use carom_law::Law;
use carom_report::query::{Beside, Question};
use carom_report::{self as output, RunRecord};
use serde_json::{Value, json};

/// Reads a set from a file; `None` if `what` is not a file of samples but a problem.
pub fn read(what: &OsStr) -> Result<Option<SavedSet>> {
    let path = Path::new(what);
    if !saved::is_saved(path) {
        return Ok(None);
    }
    match saved::read(path) {
        Ok(saved) => Ok(Some(saved)),
        Err(_) if input::open(what).is_ok_and(|document| document.problem(&[]).is_ok()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A set without samples, in the precision of a run.
pub fn empty(problem: &ContactProblem, precision: Precision) -> Result<SampledSet> {
    match precision {
        Precision::F32 => SampledSet::new::<f32>(problem),
        Precision::F64 => SampledSet::new::<f64>(problem),
    }
}

/// Samples a set; `what` names the problem in errors.
pub fn sample(problem: &ContactProblem, plan: &Plan, what: impl AsRef<OsStr>) -> Result<SavedSet> {
    let engine = Engine::open_for(problem, plan)?;
    let precision = engine.precision(plan);
    let mut record = RunRecord::new(problem, plan, engine.info(), precision);
    terminal::warn(&record.warnings);
    let mut set = empty(problem, precision)?;
    let residual = plan.law.most_residual(problem, precision.residual());
    let bar = terminal::bar(plan.samples);
    let run = engine.sample(problem, plan, |samples| {
        bar.inc(samples.len() as u64);
        set.add(samples, residual);
        Ok(())
    });
    bar.finish_and_clear();
    let at = |error: Error| input::located(error, &what);
    let run = run.map_err(at)?;
    require_samples(&run).map_err(at)?;
    terminal::warn(record.conclude(problem, &run));
    Ok(SavedSet { set, record: json!(record) })
}

/// Refuses a question that forecasts cannot answer.
pub fn answerable(record: &Value, question: &Question) -> Result<()> {
    with_modes(output::forecasts(record) && matches!(question, Question::Modes))
}

pub fn with_modes(of_forecasts: bool) -> Result<()> {
    if of_forecasts {
        let what = "forecasts are no outcomes of the law alone, and have no contact modes";
        return Err(Error::usage(what).hint("--law-only samples the outcomes of the model's law"));
    }
    Ok(())
}

/// The exact set for samples with this record, or the reason of its absence, and applicable proofs.
pub fn exact(set: &SampledSet, record: &Value) -> Beside {
    let run = Run::recorded(record).filter(|_| !output::forecasts(record));
    let of_law = run.as_ref().filter(|run| run.is_within_reach());
    let reach = of_law.map(|run| Reach::of(&run.law, set.problem()));
    let (exact, missing) = match reach.map(|reach| reach.soon(set.problem())).transpose() {
        Ok(set) => (set.flatten(), None),
        Err(missing) => (None, Some(missing)),
    };
    // Without a complete and tight exact set, kind `exact` would repeat a failed computation. Other
    // kinds of proof cut an enclosure.
    let proved = exact.as_ref().is_some_and(|set| set.is_complete() && set.is_tight());
    let of_set = |kind: &BoundKind| *kind != BoundKind::Exact || proved;
    let proofs = run.and_then(|run| kinds(set.problem(), &run.law).find(of_set));
    Beside { set: exact, missing, proofs }
}

/// The exact set behind the samples of a picture. For the law plus: Routh's set of the problem with
/// certain numbers.
pub fn behind(set: &SampledSet, record: &Value) -> Result<Option<ExactSet>> {
    let of_plus = Run::recorded(record).is_some_and(|run| matches!(run.law, Law::Plus(_)));
    if !of_plus || output::forecasts(record) {
        return Ok(exact(set, record).set.filter(ExactSet::is_known));
    }
    let problem = set.problem().clone();
    let restitution = problem.spec().restitution.clone();
    let bounces = problem.uncertainty().bounces();
    let certain = problem.with_numbers(restitution, Uncertainty::default())?;
    if bounces {
        return Ok(None);
    }
    Ok(Reach::default().soon(&certain).ok().flatten().filter(ExactSet::is_known))
}
