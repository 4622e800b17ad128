//! Some of the panels of a picture.

use super::Picture;
use carom_core::error::{Error, Result};

impl Picture {
    /// The picture with the named panels, in that order; without names, all panels.
    ///
    /// # Errors
    /// A name that no panel has.
    pub fn chosen(self, names: &[String]) -> Result<Picture> {
        if names.is_empty() {
            return Ok(self);
        }
        let mut panels: Vec<usize> = Vec::new();
        for name in names {
            let called = |panel: &usize| self.panels[*panel].called.contains(name);
            let these: Vec<usize> = (0..self.panels.len()).filter(called).collect();
            if these.is_empty() {
                return Err(self.unknown(name));
            }
            panels.extend(
                these.into_iter().filter(|panel| !panels.contains(panel)).collect::<Vec<_>>(),
            );
        }
        Ok(self.with_panels(&panels))
    }

    fn unknown(&self, name: &str) -> Error {
        let mut known: Vec<&str> = Vec::new();
        for name in self.panels.iter().flat_map(|panel| &panel.called) {
            if !known.contains(&name.as_str()) {
                known.push(name);
            }
        }
        Error::usage(format!("this picture has no panel `{name}`"))
            .option("panels")
            .hint(format!("its panels are {}", known.join(", ")))
    }

    /// The picture with these panels alone; series without points in them are dropped.
    pub(super) fn with_panels(&self, panels: &[usize]) -> Picture {
        let series = self.series.iter().map(|series| super::Series {
            points: panels.iter().map(|&panel| series.at(panel).to_vec()).collect(),
            label: series.label.clone(),
            ..*series
        });
        Picture {
            title: self.title.clone(),
            panels: panels.iter().map(|&panel| self.panels[panel].clone()).collect(),
            series: series.filter(|series| series.points.iter().any(|p| !p.is_empty())).collect(),
            note: self.note.clone(),
        }
    }
}
