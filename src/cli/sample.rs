//! `carom sample`: the outcomes of an impact.

use crate::args::{SampleArgs, Shard};
use crate::ended::Ended;
use crate::{input, interrupts, options, picture, plot, sets, terminal};
use carom_analysis::cover::{Cover, Covering, cover};
use carom_analysis::sampled_set::SampledSet;
use carom_analysis::{Differentiator, Reach, require_samples};
use carom_core::error::{Error, Result};
use carom_core::outcome::Samples;
use carom_core::problem::ContactProblem;
use carom_core::status::Status;
use carom_data::saved::SavedSet;
use carom_engine::check::BLOCK;
use carom_engine::{Engine, Finished, Plan, Search, SearchGoal};
use carom_report::pictures::Wanted;
use carom_report::warnings::long;
use carom_report::{RunRecord, histogram, report};
use serde_json::json;

/// Most samples with `--until-radius`.
const MOST_UNTIL: u64 = 1 << 24;
/// Samples kept for a picture, and samples of the histogram in a terminal.
const DRAWN: usize = 1 << 20;
const SHOWN: u64 = 1 << 14;
/// Number of target velocities of a search.
const TARGETS: u64 = 2048;

pub fn run(args: &SampleArgs) -> Result<u8> {
    picture::possible(args.picture.as_deref(), &args.drawing)?;
    let at = |e: Error| input::located(e, &args.problem.what);
    let (problem, scenery) = input::staged(&args.problem)?;
    let asked = args.how.asked.modelled(args.samples.or(args.until_radius.map(|_| MOST_UNTIL)))?;
    let problem = asked.on(problem)?;
    let mut plan = options::plan(&asked, &problem)?;
    let engine = Engine::open_for(&problem, &plan)?;
    let cover = until(args, &engine, &problem, &plan).map_err(at)?;
    if let Some(cover) = &cover {
        // The samples are computed again, for the report and the file.
        plan.samples = cover.samples;
    }
    (plan.first, plan.samples) = part(args, plan.samples)?;
    plan.partial = true;
    let mut record = RunRecord::new(&problem, &plan, engine.info(), engine.precision(&plan));
    (record.cover, record.jacobian) = (cover, args.jacobian);
    (record.explore, record.aim) = (args.explore, args.aim);
    terminal::warn(&record.warnings);
    let seconds = engine.seconds(&problem, &plan).map_err(at)?;
    if let Some(long) = seconds.and_then(|seconds| long(seconds, plan.samples)) {
        terminal::say(&format!("{long}; Ctrl-C keeps what is done"));
    }
    let (run, samples) = sample(args, &engine, &problem, &plan, &record).map_err(at)?;
    terminal::warn(record.conclude(&problem, &run));
    let set = |run: &Finished, samples: &Samples| -> Result<SampledSet> {
        let mut set = sets::empty(&problem, run.precision)?;
        set.add(samples, run.summary.tolerance().residual);
        Ok(set)
    };
    if let Some(path) = &args.picture {
        require_samples(&run).map_err(at)?;
        let saved = SavedSet { set: set(&run, &samples)?, record: json!(record) };
        let paths = plot::paths(&saved, &plan, plot::PATHS);
        let wanted = Wanted { scenery, paths, ..picture::wanted(&args.drawing) };
        plot::draw(&saved, path, args.drawing.look.size, &wanted)?;
    }
    if args.json {
        terminal::print_json(&report::json(&problem, &record, &run))?;
    } else {
        terminal::print(&report::text(&problem, &record, &run))?;
        if terminal::watched() && !run.is_partial() {
            // The first samples are computed again: a run that keeps none reduces them on the
            // device.
            let few = Plan { samples: plan.samples.min(SHOWN), ..plan.clone() };
            let (run, samples) = engine.collect(&problem, &few)?;
            terminal::print(&histogram::text(&set(&run, &samples)?))?;
        }
    }
    if args.explain {
        explain(&run);
    }
    if run.is_partial() {
        return Ok(terminal::INTERRUPTED);
    }
    let (summary, accepted) = (&run.summary, run.summary.accepted);
    let (terminated, limited) = (summary.terminated(), summary.count(Status::StepLimit));
    let ended = Ended { samples: summary.samples, terminated, limited, accepted };
    if cover.is_some_and(|cover| !cover.is_certified()) && args.samples.is_none() {
        return Ok(terminal::REJECTED);
    }
    Ok(ended.verdict(args.how.max_rejected, asked.sets_limit(&[&problem])))
}

/// The first sample and the number of samples. Shards consist of whole groups of samples, the units
/// of summation.
fn part(args: &SampleArgs, samples: u64) -> Result<(u64, u64)> {
    let first = args.first.unwrap_or(0);
    if first.checked_add(samples).is_none_or(|end| end > 1 << 63) {
        return Err(Error::usage("sample numbers go up to 2^63 - 1").at("--first"));
    }
    let Some(Shard { number, of }) = args.shard else { return Ok((first, samples)) };
    let groups = u128::from(samples.div_ceil(BLOCK as u64));
    let start = |shard: u64| {
        let group = groups * u128::from(shard) / u128::from(of);
        (group as u64 * BLOCK as u64).min(samples)
    };
    let what = format!(
        "no samples are left for this part: {groups} groups of {BLOCK} samples in {of} parts"
    );
    match (start(number), start(number + 1)) {
        (start, end) if start < end => Ok((start, end - start)),
        _ => Err(Error::usage(what).at("--shard").hint("ask for fewer parts, or for more samples")),
    }
}

/// Number of samples that cover the sampler's distribution, if requested.
fn until(
    args: &SampleArgs,
    engine: &Engine,
    problem: &ContactProblem,
    plan: &Plan,
) -> Result<Option<Cover>> {
    let Some(radius) = args.until_radius else { return Ok(None) };
    let (confidence, mass) = (args.confidence.unwrap_or(0.95), args.mass.unwrap_or(0.01));
    let asked = Covering { radius, confidence, mass };
    let bar = terminal::bar(plan.samples);
    let cover = cover(engine, problem, plan, asked, |count| bar.inc(count));
    bar.finish_and_clear();
    cover.map(Some)
}

fn explain(run: &Finished) {
    terminal::say(&format!("solver: {}", run.solver));
    run.why.iter().for_each(|line| terminal::say(&format!("  {line}")));
    let rate = run.summary.samples as f64 / run.seconds_kernel.max(1e-9);
    let (build, kernel) = (1e3 * run.seconds_build, 1e3 * run.seconds_kernel);
    terminal::say(&format!(
        "  {build:.1} ms to prepare, {kernel:.1} ms to sample and check: {rate:.3e} samples/s"
    ));
}

fn search(args: &SampleArgs, problem: &ContactProblem, plan: &Plan) -> Result<Option<Search>> {
    let goal = match (args.explore, args.aim) {
        (Some(_), _) => SearchGoal::Far(Vec::new()),
        (None, Some(_)) => {
            let reach = Reach::of(&plan.law, problem);
            let reach = Reach { certify: false, stop: plan.stop.clone(), ..reach };
            let points = reach.set(problem)?.sample(TARGETS, plan.seed).unwrap_or_default();
            let points = points.chunks(problem.coordinate_count());
            SearchGoal::Near(points.map(<[f64]>::to_vec).collect())
        }
        (None, None) => return Ok(None),
    };
    Ok(args.explore.or(args.aim).map(|share| Search { share, goal }))
}

/// Samples, into a file if requested, with a progress bar on a terminal.
fn sample(
    args: &SampleArgs,
    engine: &Engine,
    problem: &ContactProblem,
    plan: &Plan,
    record: &RunRecord,
) -> Result<(Finished, Samples)> {
    let out = args.out.as_deref();
    let mut file = out.map(|path| carom_data::create(path, problem, record)).transpose()?;
    let wrt = args.jacobian;
    let differentiator = wrt.map(|wrt| Differentiator::new(problem, plan, wrt)).transpose()?;
    let mut smooth = 0;
    let bar = terminal::bar(plan.samples);
    let mut drawn = Samples::default();
    let mut keep = |samples: &Samples| {
        if differentiator.is_none() {
            bar.inc(samples.len() as u64);
        }
        if args.picture.is_some() && drawn.len() < DRAWN {
            drawn.append(samples.clone());
        }
        let Some(file) = &mut file else { return Ok(()) };
        let derivatives = (differentiator.as_ref())
            .map(|found| found.jacobians(samples.first, samples.len(), || bar.inc(1)))
            .transpose()?;
        if let Some(derivatives) = &derivatives {
            smooth += derivatives.differentiable.iter().filter(|smooth| **smooth).count();
        }
        file.write(samples, derivatives.as_ref())
    };
    let kept = args.out.is_some() || args.picture.is_some();
    let sampled = match (search(args, problem, plan)?, kept) {
        (Some(search), _) => engine.explore(problem, plan, &search, &mut keep),
        (None, true) => engine.sample(problem, plan, &mut keep),
        (None, false) => engine.summarize(problem, plan, |count| bar.inc(count)),
    };
    bar.finish_and_clear();
    let run = sampled?;
    if run.is_partial() {
        interrupts::answered();
    }
    if let Some(file) = file {
        file.finish(run.doubted.as_ref())?;
    }
    if let Some(wrt) = wrt {
        let (samples, name) = (run.summary.samples, wrt.name());
        let flagged = samples - smooth as u64;
        terminal::say(&format!(
            "{flagged} of {samples} samples are not differentiable with respect to the {name}; their entries are NaN"
        ));
    }
    Ok((run, drawn))
}
