//! Reading and checking of plan files, including one sample of the first state with samples.

use std::path::Path;
use std::sync::Arc;

use super::checked::{self, Terms};
use super::plan::{DatasetPlan, Origin, States};
use super::quantities::{self, Asked};
use super::source::Source;
use super::{arrays, keys, law};
use carom_core::error::{Error, Result};
use carom_engine::Precision;
use carom_engine::run::Field;
use carom_forecast::identify::modelled;
use carom_scene::fields::{Item, Table};
use carom_scene::{Document, builtin};

/// The table of a misplaced key, for the hint of an error.
fn table_of(key: &str) -> Option<&'static str> {
    let of_law = || Field::named(key).filter(|field| field.is_in_table()).map(|_| "law");
    if key == "rows" { Some("files") } else { of_law() }
}

/// Reads a seed. Readers round whole numbers from 2^53 on, so larger seeds are errors.
fn seed(item: &Item<'_>) -> Result<u64> {
    let seed = item.integer(0)?;
    let exact = seed < 1 << 53;
    exact.then_some(seed).ok_or_else(|| item.error("expected a whole number below 2^53"))
}

/// The states of a plan, before validation against scene and problem.
struct Given<'a> {
    source: Source,
    asked: Vec<Asked<'a>>,
    count: u64,
}

impl DatasetPlan {
    /// Reads a plan, `.toml` or `.json`, with its scene or problem file and table, or its arrays,
    /// and samples the first valid state.
    ///
    /// # Errors
    /// A file that cannot be read; an unknown, missing or repeated key, a value of the wrong type
    /// or range; a name that is neither a parameter nor a coordinate, or both; arrays with
    /// inconsistent shapes; a feature that the law does not support; none of the first thousand
    /// states can be sampled.
    pub fn open(path: &Path) -> Result<Self> {
        let plans = |e: Error| e.hint("`docs/files.md` lists the keys of a plan");
        let file = Document::read(path).map_err(plans)?;
        let root = file.root();
        let keys = root.table_beside(&keys::KEYS, table_of)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let samples = keys.require("samples", "how many samples each state has")?.integer(1)?;
        let Given { source, asked, count } = match keys.get("problems") {
            Some(item) => of_arrays(&keys, &item, folder)?,
            None => of_scene(&keys, folder)?,
        };
        let precision = keys.get("precision").map(|item| item.word(&["f32", "f64"])).transpose()?;
        let precision = if precision == Some("f32") { Precision::F32 } else { Precision::F64 };
        let name = match keys.get("name") {
            Some(item) => item.text()?.to_string(),
            None => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let files = keys.get("files").map(|item| item.table(&["rows"])).transpose()?;
        let rows = files.and_then(|table| table.get("rows"));
        let rows = rows.map(|item| item.integer(1)).transpose()?;
        let table = keys.get("law");
        let run = modelled(law::read(table.as_ref())?, folder)
            .map_err(|error| law::located(table.as_ref(), error))?;
        let seed = keys.get("seed").map_or(Ok(0), |item| seed(&item))?;
        let place = |error: Error| root.locate(law::located(table.as_ref(), error));
        let mut states = States::new(source, count, run, seed, precision);
        if let Source::Document(document) = &states.source {
            let scene = document.parameters(&[])?;
            states.parameters = quantities::parameters(document, &scene, &asked)?;
            let built = checked::first(&states, &place, Ok)?;
            states.velocity = quantities::velocities(built.coordinates(), &scene, &asked)?;
        }
        Self::checked(states, Terms { name, samples, precision, rows }, &place)
    }
}

fn of_scene<'a>(keys: &Table<'a>, folder: &Path) -> Result<Given<'a>> {
    let item = keys.require("problem", "a scene's name, or the path of a scene or problem file")?;
    let source = Source::Document(scene(&item, folder)?);
    let asked = quantities::asked(keys, folder)?;
    let rows = asked.iter().find_map(|asked| match &asked.origin {
        Origin::Column(values) => Some(values.len() as u64),
        _ => None,
    });
    let count = match (rows, keys.get("states")) {
        (Some(_), Some(item)) => {
            let error = item.error("the table says how many states there are");
            return Err(error.hint("leave it out"));
        }
        (Some(rows), None) => rows,
        (None, Some(item)) => item.integer(1)?,
        (None, None) => {
            let hint = "`states` is their number; or give them in a `table`";
            return Err(keys.missing("states").hint(hint));
        }
    };
    Ok(Given { source, asked, count })
}

fn of_arrays<'a>(keys: &Table<'a>, item: &Item<'a>, folder: &Path) -> Result<Given<'a>> {
    keys.refuse(&["problem"], "this and `problems` exclude each other")?;
    keys.refuse(&["states"], "the arrays of `problems` say how many states there are")?;
    let others = ["table", "parameters", "velocity"];
    keys.refuse(&others, "the arrays of `problems` have all numbers of the states")?;
    let problems = arrays::read(&folder.join(item.text()?))?;
    let count = problems.states() as u64;
    Ok(Given { source: Source::Arrays(Arc::new(problems)), asked: Vec::new(), count })
}

/// The scene or problem file of a plan; paths are relative to the plan's folder.
fn scene(item: &Item<'_>, folder: &Path) -> Result<Document> {
    let what = item.text()?;
    let path = folder.join(what);
    let known = builtin(what).is_some() || !path.exists() && Path::new(what).extension().is_none();
    let document = if known { Document::open(what) } else { Document::read(&path) };
    document.map_err(|error| item.locate(error))
}
