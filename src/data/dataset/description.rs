//! `dataset.json`, which says what a data set is, and by which a directory belongs to a plan.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::plan::{DatasetPlan, Origin, Quantity};
use crate as output;
use crate::staging;
use carom_core::error::{Error, Result};
use carom_core::outcome::Mode;
use carom_core::status::Status;

/// The file that says what a data set is.
pub const DESCRIPTION: &str = "dataset.json";
/// The arrays of its states, where the plan has arrays.
pub const PROBLEMS: &str = "problems.npz";
/// The file that presents it.
pub const CARD: &str = "README.md";

/// The plan to which a description belongs.
#[derive(Default, Deserialize)]
struct Owner {
    fingerprint: Option<String>,
}

impl DatasetPlan {
    /// The description of the data set before its results.
    pub(super) fn description(&self) -> Value {
        let (states, problem) = (&self.states, &self.first);
        let arrays = states.source.arrays();
        json!({
            "schema_version": 1,
            "version": env!("CARGO_PKG_VERSION"),
            "name": self.name,
            "fingerprint": self.fingerprint,
            "problem": {
                "name": problem.name(),
                "coordinates": problem.coordinates(),
                "contacts": arrays.map_or(problem.contacts(), |arrays| arrays.contacts()),
            },
            "problems": arrays.map(|_| PROBLEMS),
            "law": states.how.law.name(),
            "process": states.how.law.process_on(problem).name(),
            "options": states.how.law.options_on(problem),
            "model": states.how.model,
            "forecasts": states.how.forecaster.is_some(),
            "warnings": self.warnings(),
            "restitution": states.run.restitution,
            "uncertainty": states.run.uncertainty,
            "device": { "kind": "cpu" },
            "precision": self.precision,
            "seed": states.seed,
            "states": states.count,
            "samples": self.samples,
            "files": self.files(),
            "states_of_a_file": self.share,
            "parameters": origins(&states.parameters),
            "velocity": origins(&states.velocity),
            "status": Status::ALL.map(Status::name),
            "mode": Mode::ALL.map(|mode| mode.name(self.first.tangents_per_contact())),
            "columns": self.columns().iter().map(|column| column.json()).collect::<Vec<_>>(),
        })
    }

    /// Makes the directory, and says in it whose it is, unless that is said already. Of several
    /// plans that begin in one directory at once, one gets it.
    ///
    /// # Errors
    /// A directory of another plan, or one that has a card of its own; what the file system
    /// reports.
    pub fn claim(&self, dir: &Path) -> Result<()> {
        let data = dir.join("data");
        output::make_directory(&data)?;
        // The card of a data set is written last.
        let card = dir.join(CARD).exists();
        let path = dir.join(DESCRIPTION);
        let place = path.display().to_string();
        if !path.exists() {
            if card {
                return Err(Error::usage(
                    "this directory has a README.md, which would be replaced",
                )
                .at(dir.display().to_string())
                .hint("take a directory of its own"));
            }
            let mut description = self.description();
            description["complete"] = json!(false);
            let mut file = staging::temporary(&path)?;
            writeln!(file, "{description:#}").map_err(|e| staging::failed(&path, &e))?;
            if staging::keep_first(file, &path)? {
                return Ok(());
            }
            // A faster process has written the file, perhaps with another plan.
        }
        let file = File::open(&path).map_err(|e| Error::usage(e.to_string()).at(&*place))?;
        let owner: Owner = serde_json::from_reader(BufReader::new(file)).unwrap_or_default();
        match owner.fingerprint {
            Some(fingerprint) if fingerprint == self.fingerprint => Ok(()),
            Some(_) => Err(Error::usage(
                "this directory holds the data set of another plan, or of another version",
            )
            .at(place)
            .hint("take another directory, or the plan, scene and table that it was begun with")),
            None => Err(Error::usage("this file does not say what plan it belongs to")
                .at(place)
                .hint("take a directory of its own")),
        }
    }
}

/// The origins of values, by name.
fn origins(quantities: &[Quantity]) -> Value {
    let origin = |quantity: &Quantity| {
        let value = match &quantity.origin {
            Origin::Fixed(value) => json!(value),
            Origin::Range(ends) => json!(ends),
            Origin::Column(_) => json!("table"),
        };
        (quantity.name.clone(), value)
    };
    Value::Object(quantities.iter().map(origin).collect())
}
