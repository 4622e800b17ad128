//! The record of a run: the law with its options, the problem, the device and the way of computing.
//! Every report and every file of samples has it under the same keys.

use super::process::{alternative, idle_options};
use super::warnings;
use carom_analysis::cover::Cover;
use carom_analysis::{Reach, Wrt};
use carom_core::event::Event;
use carom_core::outcome::{Mode, Tolerance};
use carom_core::problem::{ContactProblem, Uncertainty};
use carom_core::text::{count, grouped, line, printable, problem_line, ranged, short};
use carom_engine::doubt::Doubted;
use carom_engine::{DeviceInfo, Finished, Plan, Precision};
use carom_forecast::Reality;
use carom_law::{FiniteLaw, Hypothesis, Plus, ProcessKind, Routh, most_residual};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The record of a run. What it does not have, such as the seed of a law that draws nothing, has no
/// key.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RunRecord {
    #[serde(flatten)]
    version: Version,
    #[serde(flatten)]
    pub(super) problem: Option<ProblemRecord>,
    #[serde(flatten)]
    pub(super) law: Option<LawRecord>,
    #[serde(flatten)]
    model: Option<ModelRecord>,
    #[serde(flatten)]
    pub(super) sampling: Option<Sampling>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<u64>,
    /// The certified cover of the samples, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover: Option<Cover>,
    /// The share of the samples that was spent on a search, if any.
    #[schemars(range(min = 0, max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explore: Option<f64>,
    /// The share of the samples that were aimed at parts of the exact set that others leave open.
    #[schemars(range(min = 0, max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aim: Option<f64>,
    /// The numbers by which the file has derivatives, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jacobian: Option<Wrt>,
    /// Warnings for a reader of the results.
    pub warnings: Vec<String>,
}

/// The versions that every report begins with.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Version {
    #[schemars(extend("const" = 1))]
    schema_version: u32,
    /// Version of carom.
    version: &'static str,
}

impl Default for Version {
    fn default() -> Self {
        Version { schema_version: 1, version: env!("CARGO_PKG_VERSION") }
    }
}

/// The problem, or what the problems of many events have in common: `null` where they differ.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ProblemRecord {
    /// Name of the problem, or of the file of events.
    name: String,
    coordinates: Option<Vec<String>>,
    contacts: Option<Vec<String>>,
    /// Coefficients (m); null where the problem has none.
    restitution: Option<Vec<f64>>,
    uncertainty: Option<Uncertainty>,
    /// J
    kinetic_energy_before: Option<f64>,
    /// The impulses at bilateral constraints that repaired the velocity, if any did.
    #[serde(skip_serializing_if = "Option::is_none")]
    bilateral_impulse: Option<Vec<f64>>,
    /// The title of the text, and a remark on the law.
    #[serde(skip)]
    title: (&'static str, String),
}

/// The law and its options, as the law has them; `null`: does not apply, or differs from event to
/// event.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct LawRecord {
    law: &'static str,
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

/// The model that the law is from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ModelRecord {
    /// The name of the file.
    model: String,
    /// Whether samples are forecasts, not outcomes of the law alone.
    forecasts: bool,
}

/// The way in which samples are made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Sampling {
    /// The name of the process; `null` where it differs from event to event.
    pub process: Option<&'static str>,
    #[serde(skip)]
    pub processes: Vec<ProcessKind>,
    #[serde(skip)]
    pub spatial: bool,
    pub device: DeviceInfo,
    precision: Precision,
    samples: u64,
    /// The number of the first sample, where it is not 0.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = 1))]
    first: u64,
}

impl RunRecord {
    /// The record of the samples of one problem.
    pub fn new(
        problem: &ContactProblem,
        plan: &Plan,
        device: &DeviceInfo,
        precision: Precision,
    ) -> Self {
        let title = ("problem", problem_line(problem));
        let mut record =
            Self::sampled((problem.name(), title), &[problem], plan, device, precision);
        record.warn(warnings::of_samples(problem, &plan.law));
        record
    }

    /// The record of the samples of an event file with this name.
    pub fn of_events(
        name: &str,
        events: &[Event],
        plan: &Plan,
        device: &DeviceInfo,
        precision: Precision,
    ) -> Self {
        let title = ("events", format!("{} of {name}", count(events.len(), "measured impact")));
        let problems: Vec<_> = events.iter().map(|event| &event.problem).collect();
        let mut record = Self::sampled((name, title), &problems, plan, device, precision);
        record.warn(warnings::of_events(events));
        record
    }

    /// The record of a law with finitely many outcomes, each of them found.
    pub fn resolved(problem: &ContactProblem, law: &FiniteLaw) -> Self {
        Self::found(problem, law.name(), keyed(law.describe().keys()))
    }

    /// The record of the exact set of a problem.
    pub fn exact(problem: &ContactProblem, reach: &Reach) -> Self {
        let mut options = Map::new();
        options.extend(reach.facets.map(|facets| ("facets".to_string(), facets.into())));
        if problem.bounces() {
            options.insert("hypothesis".into(), reach.hypothesis.name().into());
        }
        Self::found(problem, Routh::NAME, options)
    }

    fn found(problem: &ContactProblem, law: &'static str, options: Map<String, Value>) -> Self {
        let title = ("problem", problem_line(problem));
        let warnings = warnings::of_problem(problem);
        let problem = Some(ProblemRecord::of((problem.name(), title), &[problem]));
        RunRecord { problem, law: Some(LawRecord { law, options }), warnings, ..Self::bare(None) }
    }

    /// The record of a speed benchmark; each measurement adds its own keys.
    pub fn bench(seed: u64) -> Self {
        Self::bare(Some(seed))
    }

    fn bare(seed: Option<u64>) -> Self {
        RunRecord { seed, ..RunRecord::default() }
    }

    fn sampled(
        title: (&str, (&'static str, String)),
        problems: &[&ContactProblem],
        plan: &Plan,
        device: &DeviceInfo,
        precision: Precision,
    ) -> Self {
        let law = &plan.law;
        let mut processes: Vec<ProcessKind> = Vec::new();
        for process in problems.iter().map(|problem| law.process_on(problem)) {
            if !processes.contains(&process) {
                processes.push(process);
            }
        }
        let sampling = Sampling {
            process: common(processes.iter().map(|process| process.name())),
            processes,
            spatial: problems.iter().any(|problem| problem.tangents_per_contact() == 2),
            device: device.clone(),
            precision,
            samples: plan.samples,
            first: plan.first,
        };
        let each: Vec<_> = problems.iter().map(|problem| law.options_on(problem)).collect();
        let law = Some(LawRecord { law: law.name(), options: shared(&each) });
        let (problem, sampling) = (Some(ProblemRecord::of(title, problems)), Some(sampling));
        let forecasts = plan.forecaster.is_some();
        let model = plan.model.clone().map(|model| ModelRecord { model, forecasts });
        let warnings = warnings::of_solver(plan.solver).into_iter().collect();
        RunRecord { problem, law, model, sampling, warnings, ..Self::bare(Some(plan.seed)) }
    }

    /// Adds the warnings that a finished run gives rise to, and returns them.
    pub fn conclude(&mut self, problem: &ContactProblem, run: &Finished) -> &[String] {
        if let Some(sampling) = &mut self.sampling {
            sampling.samples = run.summary.samples;
        }
        let unsolved = warnings::unsolved(self.integrates_cones(), run);
        let (routh, rounds) = (self.law() == Routh::NAME, self.law() == Plus::NAME);
        let poisson = self.has_hypothesis(Hypothesis::Poisson);
        let gain = if poisson { warnings::gain(problem, routh, run) } else { None };
        let same = if rounds { warnings::same(problem) } else { None };
        let over_budget = self.over_budget(run);
        let unended = warnings::unended(rounds, run);
        let all = [warnings::interrupted(run), unsolved, over_budget, gain, same, unended];
        self.warn(all.into_iter().flatten().collect())
    }

    /// Adds the warnings that the scores of many events give rise to, and returns them.
    pub fn conclude_events(&mut self, reality: &Reality) -> &[String] {
        self.warn(warnings::of_reality(self.samples(), reality))
    }

    /// Adds warnings, and returns them.
    pub fn warn(&mut self, new: Vec<String>) -> &[String] {
        let known = self.warnings.len();
        self.warnings.extend(new);
        &self.warnings[known..]
    }

    /// Whether circular friction cones are integrated.
    pub(super) fn integrates_cones(&self) -> bool {
        let cones = |of: &Sampling| of.spatial && of.processes.contains(&ProcessKind::Inclusion);
        self.sampling.as_ref().is_some_and(cones)
    }

    fn over_budget(&self, run: &Finished) -> Option<String> {
        let (sampling, law) = (self.sampling.as_ref()?, self.law.as_ref()?);
        let faceted = law.options.get("facets").is_some_and(|facets| !facets.is_null());
        let accuracy = law.options.get("accuracy").and_then(Value::as_f64);
        let process = *sampling.processes.first()?;
        warnings::over_budget(process, [sampling.spatial, faceted], accuracy, run)
    }

    fn has_hypothesis(&self, hypothesis: Hypothesis) -> bool {
        let named = self.law.as_ref().and_then(|law| law.options.get("hypothesis"));
        named.is_some_and(|name| name == hypothesis.name())
    }

    /// The record as JSON, followed by the keys of `results`, an object.
    pub fn with(&self, results: impl Serialize) -> Value {
        let mut record = json!(self);
        if let (Value::Object(record), Value::Object(results)) = (&mut record, json!(results)) {
            record.extend(results);
        }
        record
    }

    /// The record as JSON, for a file of samples of `problem`: with the problem's numbers, and the
    /// names of statuses and modes by code. [`of_whole_file`] completes it.
    pub fn of_file(&self, problem: &ContactProblem) -> Value {
        let mut spec = problem.spec().clone();
        if spec.uncertainty.inertia.is_empty() {
            // Mass parts are validated only with uncertain inertia; do not export unchecked ones.
            spec.mass_parts.clear();
        }
        if !spec.uncertainty.poses() {
            (spec.gap, spec.points) = (None, None);
        }
        self.with(json!({
            "problem": spec,
            "status": carom_core::status::Status::ALL.map(carom_core::status::Status::name),
            "mode": Mode::ALL.map(|mode| mode.name(problem.tangents_per_contact())),
        }))
    }

    /// The precision of the run; laws with finitely many outcomes use double precision.
    pub fn precision(&self) -> Precision {
        self.sampling.as_ref().map_or(Precision::F64, |sampling| sampling.precision)
    }

    /// The tolerances of samples of `problem`: velocity at rest, and residual of accepted samples.
    pub fn tolerance(&self, problem: &ContactProblem) -> Tolerance {
        let accuracy = self.law.as_ref().and_then(|law| law.options.get("accuracy")?.as_f64());
        let (rest, most) = (self.precision().rest_velocity(problem), self.precision().residual());
        Tolerance { rest, residual: most_residual(most, accuracy) }
    }

    /// Samples per problem; 0 without sampling.
    pub(super) fn samples(&self) -> u64 {
        self.sampling.as_ref().map_or(0, |sampling| sampling.samples)
    }

    /// Adds the record to the head of a report, line by line.
    pub(super) fn head(&self, text: &mut String) {
        let mut line = |key: &str, value: &str| line(text, key, value);
        if let Some(problem) = &self.problem {
            line(problem.title.0, &problem.title.1);
        }
        if let Some(law) = &self.law {
            self.law_lines(law, &mut line);
        }
        if let Some(ModelRecord { model, forecasts }) = &self.model {
            let what = if *forecasts { FORECASTS } else { "outcomes of its law" };
            line("model", &format!("{}: {what}", printable(model)));
        }
        let (Some(problem), Some(sampling)) = (&self.problem, &self.sampling) else { return };
        problem.lines(&mut line);
        let Sampling { device, precision, first, samples, .. } = sampling;
        let (DeviceInfo { name, backend, .. }, why) = (device, device.reason());
        let (word, precision) = (device.word(), precision.name());
        line("device", &format!("{name} ({word}, {backend}), {precision}: {why}"));
        if *first > 0 {
            let [first, last] = [*first, first + (samples - 1)].map(grouped);
            line("numbers", &format!("{first} to {last}"));
        }
        let searches = [
            ("explored", self.explore, "sought outcomes that reach far"),
            ("aimed", self.aim, "at parts of the exact set that others leave open"),
        ];
        for (key, share, what) in searches {
            let share = share.map(short).into_iter();
            share.for_each(|share| {
                line(key, &format!("the last {share} of the samples {what}, which shifts shares"));
            });
        }
        self.cover.iter().for_each(|cover| line("covered", &covered(cover)));
    }

    fn law_lines(&self, law: &LawRecord, line: &mut impl FnMut(&str, &str)) {
        let Some(sampling) = &self.sampling else { return line("law", law.law) };
        line("law", &format!("{}: {}", law.law, sampling.ran(&law.options["facets"])));
        if let Some(other) = sampling.other(&law.options["facets"]) {
            line("", &format!("{other}, with other shares"));
        }
        let idle = |key: &str| {
            sampling.processes.iter().all(|process| idle_options(*process).contains(&key))
        };
        let options = law.options.iter().filter(|(key, value)| !value.is_null() && !idle(key));
        line("options", &listed(options));
    }

    /// The options of the law; empty without any.
    pub(super) fn options(&self) -> String {
        listed(self.law.iter().flat_map(|law| &law.options))
    }

    /// Whether samples are forecasts, not outcomes of the law alone.
    pub fn forecasts(&self) -> bool {
        self.model.as_ref().is_some_and(|model| model.forecasts)
    }

    /// One line on the origin of the numbers in a picture; `samples`: how many are drawn.
    pub(super) fn note(&self, samples: &str) -> String {
        note(&json!(self), samples)
    }

    pub(super) fn name(&self) -> &str {
        self.problem.as_ref().map_or("", |problem| &problem.name)
    }

    pub(super) fn law(&self) -> &'static str {
        self.law.as_ref().map_or("", |law| law.law)
    }

    /// The seed, where there is one, and the version.
    pub fn signature(&self) -> String {
        let seed = self.seed.map_or(String::new(), |seed| format!("seed {seed}, "));
        format!("{seed}carom {}", self.version.version)
    }
}

/// The record of [`RunRecord::of_file`], as text, with the results of the device cross-check.
pub fn of_whole_file(mut record: Value, rows: u64, doubted: Option<&Doubted>) -> String {
    record["doubted"] = json!(doubted);
    // An interrupted run has fewer samples than requested.
    if record["samples"].is_u64() {
        record["samples"] = rows.into();
    }
    record.to_string()
}

/// Remark on forecasts.
const FORECASTS: &str = "forecasts, not outcomes of the law alone";

/// Whether the samples of a record in JSON are forecasts, not outcomes of the law alone.
pub fn forecasts(record: &Value) -> bool {
    record["forecasts"] == true
}

/// One line on the origin of the numbers in a picture; `record` is JSON.
pub(super) fn note(record: &Value, samples: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let precision = text(&record["precision"]);
    let device = record["device"]["kind"].as_str();
    let device = device.map_or(String::new(), |kind| format!(", {precision} on the {kind}"));
    let seed = record["seed"].as_u64().map_or(String::new(), |seed| format!("seed {seed}, "));
    let (law, version) = (law(record), text(&record["version"]));
    let of_model = match forecasts(record) {
        true => format!(", {FORECASTS} (model {})", text(&record["model"])),
        false => String::new(),
    };
    format!("law {law}{of_model}: {samples}{device}; {seed}carom {version}")
}

/// The law of a record in JSON, and its process.
pub(super) fn law(record: &Value) -> String {
    let law = record["law"].as_str().unwrap_or_default();
    match record["process"].as_str() {
        None => law.to_string(),
        Some(process) => format!("{law} ({})", ProcessKind::word_of(process)),
    }
}

impl ProblemRecord {
    fn of((name, title): (&str, (&'static str, String)), problems: &[&ContactProblem]) -> Self {
        let all = || problems.iter();
        let energy =
            |problem: &&ContactProblem| problem.kinetic_energy(problem.velocity().as_slice());
        let restitution = common(all().map(|problem| problem.restitution().map(<[f64]>::to_vec)));
        let bilateral = common(all().map(|problem| problem.bilateral_impulse().to_vec()));
        ProblemRecord {
            name: name.to_string(),
            coordinates: common(all().map(|problem| problem.coordinates().to_vec())),
            contacts: common(all().map(|problem| problem.contacts().to_vec())),
            restitution: restitution.flatten(),
            uncertainty: common(all().map(|problem| problem.uncertainty().clone())),
            kinetic_energy_before: common(all().map(energy)),
            bilateral_impulse: bilateral.filter(|impulse| !impulse.is_empty()),
            title,
        }
    }

    fn lines(&self, line: &mut impl FnMut(&str, &str)) {
        let uncertainty = self.uncertainty.clone().unwrap_or_default();
        let bounces = |e: &&Vec<f64>| e.iter().any(|&e| e > 0.0);
        let given = self.restitution.as_ref().filter(bounces);
        if let Some(e) = given.filter(|_| uncertainty.restitution.is_empty()) {
            line("restitution", &ranged(e));
        }
        let of = |(name, ranges): (&str, Vec<[f64; 2]>)| {
            format!("{name} {}", ranged(ranges.as_flattened()))
        };
        let mut uncertain: Vec<String> = uncertainty.ranges().into_iter().map(of).collect();
        let sizes = uncertainty.sizes().into_iter();
        uncertain.extend(sizes.map(|(name, size)| format!("{name} {}", short(size))));
        if !uncertain.is_empty() {
            line("uncertain", &uncertain.join(", "));
        }
    }
}

impl Sampling {
    fn ran(&self, facets: &Value) -> String {
        let facets = facets.as_u64();
        let mut all: Vec<String> =
            self.processes.iter().map(|process| process.words(self.spatial, facets)).collect();
        all.dedup();
        all.join("; ")
    }

    /// Advice on another process, if one applies.
    fn other(&self, facets: &Value) -> Option<&'static str> {
        match self.processes[..] {
            [process] => alternative(process, self.spatial, !facets.is_null()),
            _ => None,
        }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn covered(cover: &Cover) -> String {
    let Cover { uncovered, fresh, looks, mass, asked, .. } = cover;
    let found = if cover.is_certified() { "" } else { "not as asked: " };
    let [confidence, mass, radius] = [asked.confidence, *mass, asked.radius].map(short);
    format!(
        "{found}with confidence {confidence}, at most {mass} of what this sampler draws lies farther than {radius} |v-| from these \
         samples ({uncovered} of {fresh} fresh ones did, look {looks}); what it hardly draws may be farther"
    )
}

/// Options as readable text.
fn listed<'a>(options: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    options.map(|(key, value)| option(key, value)).collect::<Vec<_>>().join(", ")
}

fn option(key: &str, value: &Value) -> String {
    let value = match value {
        Value::String(name) => name.clone(),
        Value::Number(number) if number.is_f64() => short(number.as_f64().unwrap_or(f64::NAN)),
        Value::Number(number) if key != "seed" => {
            number.as_u64().map_or(number.to_string(), grouped)
        }
        other => other.to_string(),
    };
    let unit = if key == "step" { " N s" } else { "" };
    format!("{} {value}{unit}", key.replace('_', " "))
}

/// The common value of all items, if they are equal.
fn common<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    all.next().filter(|first| all.all(|other| other == *first))
}

/// The options on which all records with them agree.
fn shared(each: &[Map<String, Value>]) -> Map<String, Value> {
    let keys = each.iter().take(1).flat_map(Map::keys);
    let value = |key: &String| {
        common(each.iter().map(|options| &options[key]).filter(|value| !value.is_null()))
    };
    keys.map(|key| (key.clone(), value(key).cloned().unwrap_or_default())).collect()
}

pub(super) fn keyed(values: Vec<(&'static str, Value)>) -> Map<String, Value> {
    values.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}
