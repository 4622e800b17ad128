//! Completion of a data set: all files exist; `dataset.json` and the card describe their content.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::description::{CARD, Counts, DESCRIPTION, PROBLEMS};
use super::part::Inventory;
use super::plan::DatasetPlan;
use super::{arrays, card};
use crate as output;
use crate::{Error, Result, staging};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};

impl DatasetPlan {
    /// Searches the files. If all exist, writes `dataset.json` with their content, the card
    /// `README.md` and, for a plan with arrays, `problems.npz`. Reads the descriptions within the
    /// files, not their rows.
    ///
    /// # Errors
    /// A directory of another plan; a file of another plan; errors of the file system; `stop` was
    /// set.
    pub fn finish(&self, dir: &Path, stop: &AtomicBool) -> Result<Inventory> {
        self.claim(dir)?;
        let mut inventory = Inventory::default();
        for file in 0..self.files() {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::interrupted());
            }
            match self.listed(dir, file)? {
                Some(part) => inventory.add(part),
                None => inventory.missing += 1,
            }
        }
        if inventory.missing == 0 {
            self.write_problems(dir)?;
            self.describe(dir, &inventory)?;
            output::write(&dir.join(CARD), card::text(self, &inventory))?;
        }
        Ok(inventory)
    }

    /// Writes the arrays of the states, if the plan has arrays and the file is missing.
    fn write_problems(&self, dir: &Path) -> Result<()> {
        let path = dir.join(PROBLEMS);
        match self.states.source.arrays() {
            Some(problems) if !path.exists() => arrays::write(&path, problems),
            _ => Ok(()),
        }
    }

    fn describe(&self, dir: &Path, inventory: &Inventory) -> Result<()> {
        let Inventory { rows, terminated, accepted, still, failed, .. } = *inventory;
        let (still_states, failed_states) = (still, failed);
        let mut description = self.description();
        description.complete = Some(true);
        description.counts =
            Some(Counts { rows, terminated, accepted, still_states, failed_states });
        description.parts = Some(Parts { plan: self, dir });
        description.scene = Some(self.states.source.text()?);
        let path = dir.join(DESCRIPTION);
        let mut file = BufWriter::new(staging::temporary(&path)?);
        serde_json::to_writer_pretty(&mut file, &description)
            .map_err(|e| staging::failed(&path, &e))?;
        writeln!(file).map_err(|e| staging::failed(&path, &e))?;
        staging::keep(file.into_inner().map_err(|e| staging::failed(&path, e.error()))?, &path)
    }
}

/// The list of the files, read during serialization: memory does not grow with the number of files.
pub(super) struct Parts<'a> {
    plan: &'a DatasetPlan,
    dir: &'a Path,
}

impl Serialize for Parts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Parts { plan, dir } = self;
        let mut list = serializer.serialize_seq(None)?;
        for file in 0..plan.files() {
            let part = plan.listed(dir, file).map_err(S::Error::custom)?;
            list.serialize_element(
                &part.ok_or_else(|| S::Error::custom("a file of the data set has gone"))?,
            )?;
        }
        list.end()
    }
}
