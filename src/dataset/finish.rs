//! The end of a data set: all files are there, and `dataset.json` and the card say what is in them.

use std::path::Path;

use serde_json::json;

use super::card;
use super::description::{CARD, DESCRIPTION};
use super::part::Inventory;
use super::plan::DatasetPlan;
use crate::error::Result;
use crate::output;

impl DatasetPlan {
    /// Looks which files are there; if all are, writes `dataset.json` with their content and the card `README.md`.
    ///
    /// # Errors
    /// A directory of another plan; a file that is not this plan's; what the file system reports.
    pub fn finish(&self, dir: &Path) -> Result<Inventory> {
        self.claim(dir)?;
        let mut inventory = Inventory::default();
        for file in 0..self.files() {
            match self.part(dir, file)? {
                Some(part) => inventory.parts.push(part),
                None => inventory.missing += 1,
            }
        }
        if inventory.missing == 0 {
            let mut description = self.description();
            description["complete"] = json!(true);
            description["counts"] = json!({
                "rows": inventory.sum(|part| part.rows),
                "terminated": inventory.sum(|part| part.terminated),
                "accepted": inventory.sum(|part| part.accepted),
                "failed_states": inventory.sum(|part| part.failed),
            });
            description["parts"] = json!(inventory.parts);
            description["scene"] = json!(self.scene()?);
            output::write(&dir.join(DESCRIPTION), format!("{description:#}\n"))?;
            output::write(&dir.join(CARD), card::text(self, &inventory))?;
        }
        Ok(inventory)
    }
}
