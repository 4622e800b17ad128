//! Source of the states' problems: a scene or problem file, or arrays.

use std::sync::Arc;

use crate::seal::Hash;
use carom_core::digits::shown;
use carom_core::error::{Error, Result};
use carom_core::problem::{ContactProblem, ProblemArrays, StateArrays};
use carom_scene::Document;

#[derive(Debug)]
pub(super) enum Source {
    /// A scene or problem file, evaluated at the parameters of each state.
    Document(Document),
    Arrays(Arc<ProblemArrays<'static>>),
}

impl Source {
    /// The problem of a state with these parameters, before the plan's velocities.
    pub fn problem(&self, number: u64, parameters: &[(String, f64)]) -> Result<ContactProblem> {
        match self {
            Source::Document(document) => {
                let set: Vec<_> = parameters.iter().map(|(name, x)| (name.as_str(), *x)).collect();
                document.problem(&set)
            }
            Source::Arrays(arrays) => arrays.problem(number as usize),
        }
    }

    /// Whether a state may have a contact. For a scene, only setting up the problem decides.
    pub fn touches(&self, number: u64) -> bool {
        self.arrays().is_none_or(|arrays| !arrays.contacts_of(number as usize).is_empty())
    }

    /// The arrays, if the source is arrays.
    pub fn arrays(&self) -> Option<&Arc<ProblemArrays<'static>>> {
        match self {
            Source::Document(_) => None,
            Source::Arrays(arrays) => Some(arrays),
        }
    }

    /// The text of the scene or problem file; `None` for arrays.
    pub fn text(&self) -> Result<Option<String>> {
        match self {
            Source::Document(document) => text(document).map(Some),
            Source::Arrays(_) => Ok(None),
        }
    }

    /// Key of the source, for the fingerprint: its text, or a hash of its arrays.
    pub fn digest(&self) -> Result<String> {
        match self {
            Source::Document(document) => text(document),
            Source::Arrays(arrays) => Ok(digest(arrays)),
        }
    }
}

fn text(document: &Document) -> Result<String> {
    match document.text(&[])? {
        text if text.is_empty() => serde_json::to_string(document.problem(&[])?.spec())
            .map_err(|e| Error::input(e.to_string())),
        text => Ok(text),
    }
}

/// A hash of arrays: shapes, numbers and names.
fn digest(problems: &ProblemArrays<'_>) -> String {
    let StateArrays { active, .. } = problems.arrays();
    let mut hash = Hash::default();
    for (name, array) in problems.named() {
        hash.take(format!("{name} {}", shown(&array.shape)).as_bytes());
        array.numbers.iter().for_each(|x| hash.take(&x.to_le_bytes()));
    }
    if let Some((_, active)) = active {
        hash.take(b"active");
        active.iter().for_each(|truth| hash.take(&[u8::from(*truth)]));
    }
    let names = (problems.coordinates(), problems.contacts());
    hash.take(format!("{names:?}").as_bytes());
    format!("arrays {:032x}", hash.0)
}
