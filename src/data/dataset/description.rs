//! `dataset.json`: the description of a data set, whose fingerprint ties a directory to a plan.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use super::finish::Parts;
use super::part::DatasetPart;
use super::plan::{DatasetPlan, Origin, Quantity};
use crate as output;
use crate::columns::ColumnRow;
use crate::{Error, Result, staging};
use carom_core::outcome::Mode;
use carom_core::problem::Uncertainty;
use carom_core::status::Status;
use carom_engine::Precision;
use carom_report::Version;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The file with the description of a data set.
pub const DESCRIPTION: &str = "dataset.json";
/// The file with the arrays of the states, if the plan has arrays.
pub const PROBLEMS: &str = "problems.npz";
/// The file with the card.
pub const CARD: &str = "README.md";

#[derive(Default, Deserialize)]
struct Owner {
    fingerprint: Option<String>,
}

/// The description of a data set; what stands after `complete` does so only where all files are
/// whole.
#[derive(Serialize, JsonSchema)]
#[schemars(
    title = "What a data set is, `dataset.json`",
    extend("additionalProperties" = false)
)]
pub struct Description<'a> {
    #[serde(flatten)]
    version: Version,
    name: &'a str,
    /// A hash of all that the rows depend on.
    fingerprint: &'a str,
    problem: Named<'a>,
    /// The file with the arrays of the states, where the plan has arrays.
    problems: Option<&'static str>,
    law: &'static str,
    process: &'static str,
    /// The law's options; null where one does not apply.
    options: Map<String, Value>,
    /// The model file, where the law is from one.
    model: &'a Option<String>,
    /// Whether velocities are forecasts of the model, not outcomes of the law alone.
    forecasts: bool,
    /// What a reader must know, such as that the model was fitted to events with other numbers of
    /// contacts.
    warnings: Vec<String>,
    /// The coefficient of all contacts, where the plan gives it.
    restitution: Option<f64>,
    uncertainty: &'a Option<Uncertainty>,
    device: Cpu,
    precision: Precision,
    seed: u64,
    #[schemars(range(min = 1))]
    states: u64,
    /// Samples of each state.
    #[schemars(range(min = 1))]
    samples: u64,
    #[schemars(range(min = 1))]
    files: u64,
    #[schemars(range(min = 1))]
    states_of_a_file: u64,
    #[schemars(with = "BTreeMap<String, OriginRow>")]
    parameters: Map<String, Value>,
    /// Velocities before the impact.
    #[schemars(with = "BTreeMap<String, OriginRow>")]
    velocity: Map<String, Value>,
    /// The names of the codes 0, 1, ... of the column `status`.
    status: [Status; Status::ALL.len()],
    /// The names of the codes 0, 1, ... of the column `mode`.
    mode: [&'static str; Mode::ALL.len()],
    columns: Vec<ColumnRow>,
    /// Whether all files are whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(required)]
    pub(super) complete: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counts: Option<Counts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<DatasetPart>")]
    pub(super) parts: Option<Parts<'a>>,
    /// The text of the scene or problem file; null where the plan has arrays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scene: Option<Option<String>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
struct Named<'a> {
    name: &'a str,
    /// Names of the entries of velocities, in their order.
    coordinates: &'a [String],
    /// Names of the entries of impulses, in their order.
    contacts: &'a [String],
}

/// The device, which every data set has.
#[derive(Serialize, JsonSchema)]
struct Cpu {
    #[schemars(extend("const" = "cpu"))]
    kind: &'static str,
}

/// A number, the range that states draw from, or `table`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum OriginRow<'a> {
    Fixed(f64),
    Range([f64; 2]),
    #[schemars(extend("const" = "table"))]
    Table(&'a str),
}

/// Sums over the files.
#[derive(Serialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(super) struct Counts {
    pub rows: u64,
    pub terminated: u64,
    pub accepted: u64,
    pub still_states: u64,
    pub failed_states: u64,
}

impl DatasetPlan {
    /// The description of the data set before its completion.
    pub(super) fn description(&self) -> Description<'_> {
        let (states, problem) = (&self.states, &self.first);
        let arrays = states.source.arrays();
        Description {
            version: Version::default(),
            name: &self.name,
            fingerprint: &self.fingerprint,
            problem: Named {
                name: problem.name(),
                coordinates: problem.coordinates(),
                contacts: arrays.map_or(problem.contacts(), |arrays| arrays.contacts()),
            },
            problems: arrays.map(|_| PROBLEMS),
            law: states.how.law.name(),
            process: states.how.law.process_on(problem).name(),
            options: states.how.law.options_on(problem),
            model: &states.how.model,
            forecasts: states.how.forecaster.is_some(),
            warnings: self.warnings(),
            restitution: states.run.restitution,
            uncertainty: &states.run.uncertainty,
            device: Cpu { kind: "cpu" },
            precision: self.precision,
            seed: states.seed,
            states: states.count,
            samples: self.samples,
            files: self.files(),
            states_of_a_file: self.share,
            parameters: origins(&states.parameters),
            velocity: origins(&states.velocity),
            status: Status::ALL,
            mode: Mode::ALL.map(|mode| mode.name(self.first.tangents_per_contact())),
            columns: self.columns().iter().map(|column| column.row()).collect(),
            complete: None,
            counts: None,
            parts: None,
            scene: None,
        }
    }

    /// Makes the directory and stores the plan's fingerprint in it, unless it is stored already.
    /// Among plans that claim a directory concurrently, one succeeds.
    ///
    /// # Errors
    /// A directory of another plan, or with a foreign card; errors of the file system.
    pub fn claim(&self, dir: &Path) -> Result<()> {
        let data = dir.join("data");
        output::make_directory(&data)?;
        // The card of a data set is written last, so a card alone is foreign.
        let card = dir.join(CARD).exists();
        let path = dir.join(DESCRIPTION);
        let place = path.display().to_string();
        let begun = |what: &str, hint: &str| Error::usage(what).at(&*place).hint(hint);
        let own = "take a directory of its own";
        if !path.exists() {
            if card {
                let what = "this directory has a README.md, which would be replaced";
                return Err(begun(what, own).at(dir.display().to_string()));
            }
            let mut description = self.description();
            description.complete = Some(false);
            let mut file = staging::temporary(&path)?;
            let written = writeln!(file, "{:#}", json!(description));
            written.map_err(|e| staging::failed(&path, &e))?;
            if staging::keep_first(file, &path)? {
                return Ok(());
            }
            // A concurrent process has written the file, perhaps with another plan.
        }
        let file = File::open(&path).map_err(|e| Error::usage(e.to_string()).at(&*place))?;
        let owner: Owner = serde_json::from_reader(BufReader::new(file)).unwrap_or_default();
        match owner.fingerprint {
            Some(fingerprint) if fingerprint == self.fingerprint => Ok(()),
            Some(_) => Err(begun(
                "this directory holds the data set of another plan, or of another version",
                "take another directory, or the plan, scene and table that it was begun with",
            )),
            None => Err(begun("this file does not say what plan it belongs to", own)),
        }
    }
}

fn origins(quantities: &[Quantity]) -> Map<String, Value> {
    let origin = |quantity: &Quantity| {
        let row = match &quantity.origin {
            Origin::Fixed(value) => OriginRow::Fixed(*value),
            Origin::Range(ends) => OriginRow::Range(*ends),
            Origin::Column(_) => OriginRow::Table("table"),
        };
        (quantity.name.clone(), json!(row))
    };
    quantities.iter().map(origin).collect()
}
