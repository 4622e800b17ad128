use std::fmt::Debug;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Run;
use carom_core::error::{Error, Result};
use carom_core::outcome::Dressing;
use carom_core::problem::ContactProblem;
use carom_law::Law;

/// What a model knows of problems, and of the outcomes of its law.
pub trait Forecaster: Debug + Send + Sync {
    /// A problem with what the model says is uncertain.
    ///
    /// # Errors
    /// Something that the problem cannot have.
    fn on(&self, problem: ContactProblem) -> Result<ContactProblem>;

    /// What turns the outcomes of the model's law on a problem, which [`Forecaster::on`] made, into
    /// forecasts. A function of (model, problem) alone.
    ///
    /// # Errors
    /// Something that the problem lacks; outcomes that the law does not reach.
    fn dressing(&self, problem: &ContactProblem) -> Result<Dressing>;

    /// A warning about problems with these numbers of contacts, if the model was fitted to no
    /// events with so many, or if that is not known. [`Forecaster::on`] adds it to the problem.
    fn unfitted(&self, contacts: &[usize]) -> Option<String>;
}

/// The model file of a run: its name, and, once it has been read, what the model knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ModelFile {
    name: String,
    /// The text of the file, and what it says.
    pub(super) read: Option<(String, Arc<dyn Forecaster>)>,
}

impl ModelFile {
    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl From<String> for ModelFile {
    fn from(name: String) -> Self {
        ModelFile { name, read: None }
    }
}

impl From<ModelFile> for String {
    fn from(file: ModelFile) -> Self {
        file.name
    }
}

impl PartialEq for ModelFile {
    fn eq(&self, other: &Self) -> bool {
        let text = |file: &Self| file.read.as_ref().map(|(text, _)| text.clone());
        self.name == other.name && text(self) == text(other)
    }
}

impl Run {
    /// The run by a model that has been read: its law, and what it knows. `text` is that of its
    /// file. Without a model file the run stays as it is.
    pub fn with_model(mut self, law: Law, text: String, model: Arc<dyn Forecaster>) -> Self {
        if let Some(file) = &mut self.model {
            file.read = Some((text, model));
            self.law = law;
        }
        self
    }

    /// What the run's model knows, if it has one.
    pub(super) fn known(&self) -> Result<Option<&Arc<dyn Forecaster>>> {
        match &self.model {
            None => Ok(None),
            Some(ModelFile { read: Some((_, model)), .. }) => Ok(Some(model)),
            Some(file) => {
                let what = format!("the model `{}` is not for this", file.name());
                Err(Error::usage(what).option("model").hint("leave it out"))
            }
        }
    }

    /// A warning about problems with these numbers of contacts, if the run's model was fitted to no
    /// events with so many, see [`Forecaster::unfitted`].
    pub fn unfitted(&self, contacts: &[usize]) -> Option<String> {
        self.known().ok()??.unfitted(contacts)
    }

    /// What turns outcomes into forecasts, unless outcomes are asked for.
    pub(super) fn forecaster(&self) -> Option<Arc<dyn Forecaster>> {
        let (_, model) = self.model.as_ref()?.read.as_ref()?;
        (!self.law_only).then(|| Arc::clone(model))
    }
}
