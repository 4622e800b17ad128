//! Plan files are read and checked, down to a sample of the first state that has one.

use std::fmt::Write;
use std::path::Path;

use super::law;
use super::plan::{DatasetPlan, Origin, States};
use super::quantities;
use crate::engine::{Device, Engine, Plan, Precision};
use crate::error::{Error, Result};
use crate::law::{Hypothesis, Law};
use crate::output::seal::Hash;
use crate::problem::ContactProblem;
use crate::run::{Field, Run};
use crate::scene::fields::{Item, Table};
use crate::scene::{Document, builtin};
use crate::study::identify::modelled;

const KEYS: &[&str] = &[
    "name",
    "problem",
    "samples",
    "states",
    "table",
    "seed",
    "precision",
    "parameters",
    "velocity",
    "law",
    "files",
];

/// The table of a plan that a key belongs to, where a reader may expect it outside of them.
fn table_of(key: &str) -> Option<&'static str> {
    let of_law = || Field::named(key).filter(|field| field.is_in_table()).map(|_| "law");
    if key == "rows" { Some("files") } else { of_law() }
}

/// A seed. From 2^53 on whole numbers are rounded as they are read.
fn seed(item: &Item<'_>) -> Result<u64> {
    let seed = item.integer(0)?;
    let exact = seed < 1 << 53;
    exact.then_some(seed).ok_or_else(|| item.error("expected a whole number below 2^53"))
}

/// Bytes of the samples of a file before compression.
const FILE: f64 = 1.2e8;
/// States that are tried until one can be sampled.
const TRIED: u64 = 1000;

impl DatasetPlan {
    /// Reads a plan, `.toml` or `.json`, the scene or problem file that it names and its table, and
    /// samples the first state that can be.
    ///
    /// # Errors
    /// A file that cannot be read; an unknown, missing or repeated key, a value of the wrong type
    /// or range; a name that is neither that of a parameter nor that of a coordinate, or both;
    /// something that the law does not support; none of the first thousand states can be sampled.
    pub fn open(path: &Path) -> Result<Self> {
        let plans = |e: Error| e.hint("`docs/files.md` lists the keys of a plan");
        let file = Document::read(path).map_err(plans)?;
        let root = file.root();
        let keys = root.table_beside(KEYS, table_of)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let item =
            keys.require("problem", "a scene's name, or the path of a scene or problem file")?;
        let document = scene(&item, folder)?;
        let samples = keys.require("samples", "how many samples each state has")?.integer(1)?;
        let asked = quantities::asked(&keys, folder)?;
        let rows = asked.iter().find_map(|asked| match &asked.origin {
            Origin::Column(values) => Some(values.len() as u64),
            _ => None,
        });
        let count = match (rows, keys.get("states")) {
            (Some(_), Some(item)) => {
                return Err(item
                    .error("the table says how many states there are")
                    .hint("leave it out"));
            }
            (Some(rows), None) => rows,
            (None, Some(item)) => item.integer(1)?,
            (None, None) => {
                return Err(keys
                    .missing("states")
                    .hint("`states` is their number; or give them in a `table`"));
            }
        };
        let precision =
            match keys.get("precision").map(|item| item.word(&["f32", "f64"])).transpose()? {
                Some("f32") => Precision::F32,
                _ => Precision::F64,
            };
        let name = match keys.get("name") {
            Some(item) => item.text()?.to_string(),
            None => {
                path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned())
            }
        };
        let scene = document.parameters(&[])?;
        let run = modelled(law::read(keys.get("law").as_ref())?, folder)
            .map_err(|error| law::located(keys.get("law").as_ref(), error))?;
        let how = Run { device: Device::Cpu, precision: Some(precision), ..run.clone() }.plan();
        let mut states = States {
            run,
            how,
            seed: keys.get("seed").map_or(Ok(0), |item| seed(&item))?,
            count,
            parameters: quantities::parameters(&document, &scene, &asked)?,
            document,
            velocity: Vec::new(),
            common: None,
        };
        let table = keys.get("law");
        let places = (&root, table.as_ref());
        let built = first(&states, places, Ok)?;
        states.velocity = quantities::velocities(built.coordinates(), &scene, &asked)?;
        states.common = (!states.differ()).then_some(built);
        let (engine, one) = (Engine::cpu("asked for"), Plan { samples: 1, ..states.how.clone() });
        let sampled = |problem| engine.collect(&problem, &one).map(|_| problem);
        let built = first(&states, places, sampled)?;
        // A plan may name the hypothesis that holds anyway.
        let mut named = states.run.clone();
        if let Law::Routh(law) = &mut named.law {
            law.hypothesis = law.hypothesis.filter(|named| *named != Hypothesis::default());
        }
        named.check(&[&built]).map_err(|error| law::located(table.as_ref(), error))?;
        let (share, fingerprint) = (1, String::new());
        let mut plan =
            DatasetPlan { name, states, precision, samples, share, first: built, fingerprint };
        plan.share = share_of(&plan, &keys)?;
        if count.checked_mul(samples).is_none_or(|rows| rows > i64::MAX as u64) {
            return Err(root.error("more than 2^63 rows"));
        }
        plan.fingerprint = fingerprint_of(&plan)?;
        Ok(plan)
    }
}

/// The scene or problem file that a plan names; paths are relative to its folder.
fn scene(item: &Item<'_>, folder: &Path) -> Result<Document> {
    let what = item.text()?;
    let path = folder.join(what);
    let known = builtin(what).is_some() || !path.exists() && Path::new(what).extension().is_none();
    let document = if known { Document::open(what) } else { Document::read(&path) };
    document.map_err(|error| item.locate(error))
}

/// The problem of the first state of which `look` makes one.
fn first(
    states: &States,
    (root, law): (&Item<'_>, Option<&Item<'_>>),
    look: impl Fn(ContactProblem) -> Result<ContactProblem>,
) -> Result<ContactProblem> {
    let (mut refused, tried) = (None, states.count.min(TRIED));
    for number in 0..tried {
        match states.problem(&states.state(number)).and_then(&look) {
            Ok(found) => return Ok(found),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    let error = refused.unwrap_or_else(|| Error::input("there are no states"));
    let what = format!("none of the first {tried} states can be sampled; state 0: {}", error.what);
    Err(root.locate(law::located(law, Error { what, ..error })))
}

/// Number of states of a file: those that fill it, or the rows that the plan asks for.
fn share_of(plan: &DatasetPlan, keys: &Table<'_>) -> Result<u64> {
    let files = keys.get("files").map(|item| item.table(&["rows"])).transpose()?;
    let rows = match files.and_then(|table| table.get("rows")) {
        Some(item) => item.integer(1)?,
        None => (FILE / bytes(plan)) as u64,
    };
    Ok((rows / plan.samples).max(1))
}

/// Bytes of a row, about: what samples have cannot be compressed much, what a state has is stored
/// once.
fn bytes(plan: &DatasetPlan) -> f64 {
    let (n, k) = (plan.first.coordinate_count(), plan.first.jacobian().nrows());
    let float = if plan.precision == Precision::F32 { 4 } else { 8 };
    let state = 8 * (n + plan.states.parameters.len() + 2);
    (float * (n + k + 1) + 6) as f64 + state as f64 / plan.samples as f64
}

/// A hash of all that the rows depend on.
fn fingerprint_of(plan: &DatasetPlan) -> Result<String> {
    let States { parameters, velocity, run, seed, count, .. } = &plan.states;
    let DatasetPlan { precision, samples, share, .. } = plan;
    let (version, scene) = (env!("CARGO_PKG_VERSION"), plan.scene()?);
    let all = (version, scene, parameters, velocity, run, precision, seed, count, samples, share);
    let mut hash = Hash::default();
    write!(hash, "{all:?}").map_err(|_| Error::input("this plan cannot be written down"))?;
    Ok(format!("{:032x}", hash.0))
}

impl DatasetPlan {
    /// The text of the scene or problem file; that of an npz file in JSON.
    pub(super) fn scene(&self) -> Result<String> {
        match self.states.document.text(&[])? {
            text if text.is_empty() => {
                serde_json::to_string(self.states.document.problem(&[])?.spec())
                    .map_err(|e| Error::input(e.to_string()))
            }
            text => Ok(text),
        }
    }
}
