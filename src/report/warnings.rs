//! Warnings for a reader of results.

use super::process::alternative;
use carom_analysis::wedge::{IN_DOUBLES, IN_INCLUSION, nearly_wedged};
use carom_core::draws::sampler::{LONGEST, Sampler};
use carom_core::draws::stop::Stop;
use carom_core::event::Event;
use carom_core::problem::{ContactProblem, Uncertainty};
use carom_core::status::Status;
use carom_core::text::{count, grouped, percent, short, three_digits};
use carom_engine::{Finished, StepSolver};
use carom_forecast::Reality;
use carom_law::{Law, ProcessKind};

/// Largest share of unterminated samples with which the others still count as a fair draw.
const UNBIASED: f64 = 0.01;

/// The warning about a problem in which nothing can happen.
pub fn of_velocity(problem: &ContactProblem) -> Option<String> {
    let uncertainty = problem.uncertainty();
    let still = !problem.approaches() && uncertainty.noise == 0.0 && !uncertainty.poses();
    let what = match problem.velocity().iter().all(|v| *v == 0.0) {
        true => "nothing moves before the impact; give it a velocity",
        false => "no contact approaches; do the normals point away from the obstacle?",
    };
    still.then(|| what.to_string())
}

/// Cheap warnings about one of many problems.
pub fn of_state(problem: &ContactProblem) -> Vec<String> {
    problem.warnings().iter().cloned().chain(of_velocity(problem)).collect()
}

/// Warnings about many problems: the warnings of the first problem with any, and the number of
/// problems with any. `name`: noun for one problem.
pub fn of_states(name: &str, all: impl Iterator<Item = (usize, Vec<String>)>) -> Vec<String> {
    first_of(|number| format!("{name} {number}"), all)
}

fn first_of(
    name: impl Fn(usize) -> String,
    all: impl Iterator<Item = (usize, Vec<String>)>,
) -> Vec<String> {
    let mut warned = all.filter(|(_, warnings)| !warnings.is_empty());
    let Some((number, warnings)) = warned.next() else { return Vec::new() };
    let place = format!("{}, the first of {} with warnings", name(number), 1 + warned.count());
    warnings.iter().map(|warning| format!("{place}: {warning}")).collect()
}

pub(super) fn of_problem(problem: &ContactProblem) -> Vec<String> {
    let wedged = nearly_wedged(problem, IN_DOUBLES).map(|i| {
        format!(
            "contact `{}` is held in a wedge by others, and its rows depend on theirs up to rounding, not exactly: samples take \
             them as dependent, `carom set` takes the numbers as they are, and the two may differ; round the rows, or move the contact",
            problem.contacts()[i]
        )
    });
    let units = strange_unit(problem).into_iter().chain(strange_friction(problem));
    of_state(problem).into_iter().chain(wedged).chain(units).collect()
}

/// The warning about a coordinate with the unit degrees.
fn strange_unit(problem: &ContactProblem) -> Option<String> {
    let unit = |i: usize| problem.unit(i).filter(|unit| unit.starts_with("deg"));
    let name = |i: usize| Some((&problem.coordinates()[i], unit(i)?));
    let (name, unit) = (0..problem.coordinate_count()).find_map(name)?;
    Some(format!(
        "coordinate `{name}` has the unit `{unit}`: numbers are taken as they are given, and energies and impulses are in J and N s \
         only where angles are in radians"
    ))
}

/// Coefficients of friction that look like angles.
const ANGLES: std::ops::RangeInclusive<f64> = 10.0..=90.0;

/// The warning about a coefficient of friction that may be an angle.
fn strange_friction(problem: &ContactProblem) -> Option<String> {
    let mu = problem.friction().iter().find(|mu| ANGLES.contains(*mu))?;
    let (degrees, tangent) = (short(*mu), short(three_digits(mu.to_radians().tan())));
    Some(format!(
        "friction {degrees} is a coefficient, tan of an angle; an angle of {degrees} degrees has the coefficient {tangent}"
    ))
}

/// Reasons why samples of a law miss a part of the set, except with published steps.
fn shortfall(problem: &ContactProblem, law: &Law) -> Option<String> {
    let Law::Routh(routh) = law else { return None };
    let in_blocks = law.process_on(problem).is_in_blocks();
    let m = problem.contact_count();
    if !(in_blocks || routh.reaches()) || routh.is_published() || m < 2 {
        return None;
    }
    let sampler = routh.sampler();
    if !sampler.may_use(Sampler::Coverage) {
        return Some(format!(
            "the sampler `{sampler}` moves all contacts at once and reaches less of the set than `coverage`, \
             which is taken where none is named"
        ));
    }
    // A sample averages the rates of its blocks.
    let (longest, total) = (LONGEST * law.step_on(problem)?, Stop::new(m).total(problem)?);
    (longest < total).then(|| {
        let [longest, total] = [longest, total].map(|impulse| short(three_digits(impulse)));
        format!(
            "blocks last at most {longest} N s, and stopping the impact takes about {total} N s: samples average their rates \
             and reach less of the set; the default length reaches more"
        )
    })
}

/// Warnings about samples of a problem before they are computed.
pub fn of_samples(problem: &ContactProblem, law: &Law) -> Vec<String> {
    let process = law.process_on(problem);
    let coarse = process == ProcessKind::Inclusion && nearly_wedged(problem, IN_DOUBLES).is_none();
    let wedged = coarse.then(|| nearly_wedged(problem, IN_INCLUSION)).flatten().map(|i| {
        let other = match problem.tangents_per_contact() {
            1 => "; --process events tells them apart",
            _ => "",
        };
        format!(
            "contact `{}` is held in a wedge by others, and its rows nearly depend on theirs: the inclusion may end samples too early{other}",
            problem.contacts()[i]
        )
    });
    of_problem(problem).into_iter().chain(wedged).chain(shortfall(problem, law)).collect()
}

/// The warning about a solver that no longer exists.
pub fn of_solver(solver: Option<StepSolver>) -> Option<String> {
    (solver == Some(StepSolver::Former)).then(|| {
        "the solvers `tree` and `cache` are no longer there; the fastest one that applies is taken"
            .to_string()
    })
}

/// Warnings about many events: the warnings of the first event with any, and the number of such
/// events.
pub(super) fn of_events(events: &[Event]) -> Vec<String> {
    let all = events.iter().map(|event| (event.number, of_problem(&event.problem)));
    first_of(|number| format!("events[{number}]"), all)
}

/// Warnings about the scores of many events with `samples` each.
pub(super) fn of_reality(samples: u64, reality: &Reality) -> Vec<String> {
    let biased = biased(reality.terminated, samples.saturating_mul(reality.set.len() as u64));
    let empty = reality.set.iter().filter(|score| score.points == 0).count();
    let empty = (empty > 0).then(|| {
        let count = count(empty, "event");
        format!("no accepted sample in {count}, taken as infinitely far from a set of size 0")
    });
    [biased, empty].into_iter().flatten().collect()
}

pub(super) fn unsolved(cones: bool, run: &Finished) -> Option<String> {
    let lost = run.summary.count(Status::Unsolved) + run.summary.count(Status::NotFinite);
    let help = if cones { "; cones with --facets K may do, or a shorter --step" } else { "" };
    let what = "samples have a step that no solver could solve; they are not counted as outcomes";
    (lost > 0).then(|| format!("{lost} {what}{help}"))
}

/// Samples that ended as [`Status::Budget`], with advice on a cheaper process or accuracy; cones
/// may have facets.
pub(super) fn over_budget(
    process: ProcessKind,
    [spatial, faceted]: [bool; 2],
    accuracy: Option<f64>,
    run: &Finished,
) -> Option<String> {
    let over = run.summary.count(Status::Budget);
    let coarser = accuracy.is_some_and(|accuracy| accuracy < COARSE);
    let coarser = coarser.then(|| format!("--accuracy {COARSE} takes less work"));
    let other = alternative(process, spatial, faceted).map(str::to_string);
    let help: Vec<String> = coarser.into_iter().chain(other).collect();
    let what = "ended as `budget`, with the most work that a sample may take, and are no outcomes";
    let over = (over > 0).then(|| count(over as usize, "sample"))?;
    Some(format!("{over} {what}: {}", help.join("; ")))
}

/// An accuracy with which samples of the inclusion take a fraction of the work.
const COARSE: f64 = 1e-2;
/// Seconds from which on the duration is announced; seconds of the shorter run that is suggested.
const LONG: f64 = 60.0;
const BRIEF: f64 = 2.0;

/// The announcement before a run of `samples` samples that takes about `seconds`, if it is long:
/// its duration, and the number of samples that take [`BRIEF`].
pub fn long(seconds: f64, samples: u64) -> Option<String> {
    let takes = match seconds {
        ..=LONG => return None,
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    };
    let few = (BRIEF * samples as f64 / seconds).max(1.0);
    let digit = 10f64.powf(few.log10().floor());
    let few = (few / digit).floor() * digit;
    let [samples, few] = [samples, few as u64].map(grouped);
    Some(format!("{samples} samples take about {takes}, {few} about {BRIEF} s"))
}

pub(super) fn interrupted(run: &Finished) -> Option<String> {
    let [done, asked] = [run.summary.samples, run.asked].map(grouped);
    run.is_partial().then(|| format!("interrupted after {done} of {asked} samples"))
}

/// The warning about energy gained with Poisson's hypothesis.
pub(super) fn gain(problem: &ContactProblem, routh: bool, run: &Finished) -> Option<String> {
    let Uncertainty { noise, inertia, .. } = problem.uncertainty();
    let before = problem.kinetic_energy(problem.velocity().as_slice());
    let (_, most, _) = run.summary.kinetic_energy.get(0)?;
    if most <= before * (1.0 + 1e-6) || *noise > 0.0 || !inertia.is_empty() {
        return None;
    }
    let factor = most / before;
    let help = if routh { "; with --hypothesis stronge none does" } else { "" };
    Some(format!(
        "with Poisson's hypothesis samples gain energy, up to {factor:.3} times what there was{help}"
    ))
}

pub(super) fn unended(rounds: bool, run: &Finished) -> Option<String> {
    let summary = &run.summary;
    let biased = biased(summary.terminated(), summary.samples)?;
    let limit = run.max_steps as usize;
    let limit = match (summary.count(Status::StepLimit), run.step) {
        (0, _) => return Some(biased),
        (_, Some(h)) => format!(
            "{} of {} N s (`max_steps` of a file, --max-steps of a sample)",
            count(limit, "step"),
            short(h)
        ),
        (_, None) if rounds => count(limit, "round"),
        (_, None) => format!("{} (--max-steps of a sample)", count(limit, "single impact")),
    };
    Some(format!("{biased}; the limit is {limit}"))
}

/// The warning about bias, if only `terminated` of `samples` samples ended.
pub fn biased(terminated: u64, samples: u64) -> Option<String> {
    if terminated == 0 {
        return Some("no sample ended, so there is no outcome to report".to_string());
    }
    let lost = samples - terminated;
    (lost as f64 > UNBIASED * samples as f64).then(|| {
        let lost = percent(lost, samples);
        format!("{lost} of the samples did not end; those left are biased, for samples that end early are no fair draw")
    })
}

/// The warning about samples that are all equal.
pub(super) fn same(problem: &ContactProblem) -> Option<String> {
    problem.uncertainty().is_none().then(|| {
        "the law plus has one outcome, and nothing is uncertain: all samples are the same; --uncertainty mu=A..B,e=A..B,noise=S \
         draws numbers"
            .to_string()
    })
}
