use std::fmt::Debug;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Run;
use carom_core::error::{Error, Result};
use carom_core::outcome::Dressing;
use carom_core::problem::ContactProblem;
use carom_law::Law;

/// A model fitted to measured impacts: uncertain numbers of problems, and forecasts from outcomes
/// of its law.
pub trait Forecaster: Debug + Send + Sync {
    /// The problem with the uncertain numbers of the model.
    ///
    /// # Errors
    /// Uncertain numbers that the problem cannot have.
    fn on(&self, problem: ContactProblem) -> Result<ContactProblem>;

    /// The ensemble dressing of outcomes on a problem of [`Forecaster::on`]: the map from outcomes
    /// of the model's law to forecasts. A function of (model, problem) alone.
    ///
    /// # Errors
    /// Data that the problem lacks; outcomes that the law does not reach.
    fn dressing(&self, problem: &ContactProblem) -> Result<Dressing>;

    /// A warning about problems with these numbers of contacts, if the model was not fitted to
    /// events with equal numbers of contacts, or if the numbers of its events are unknown.
    /// [`Forecaster::on`] adds the warning to the problem.
    fn unfitted(&self, contacts: &[usize]) -> Option<String>;
}

/// The model file of a run: its name, and the model once read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ModelFile {
    name: String,
    /// The text of the file, and the model.
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
    /// Replaces the law by the law of a model, and stores the model with the text of its file. A
    /// run without a model file stays unchanged.
    pub fn with_model(mut self, law: Law, text: String, model: Arc<dyn Forecaster>) -> Self {
        if let Some(file) = &mut self.model {
            file.read = Some((text, model));
            self.law = law;
        }
        self
    }

    /// The run's model, if the run has one.
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

    /// A warning about problems with these numbers of contacts, see [`Forecaster::unfitted`].
    pub fn unfitted(&self, contacts: &[usize]) -> Option<String> {
        self.known().ok()??.unfitted(contacts)
    }

    /// The model, unless the run requests outcomes of the law only.
    pub(super) fn forecaster(&self) -> Option<Arc<dyn Forecaster>> {
        let (_, model) = self.model.as_ref()?.read.as_ref()?;
        (!self.law_only).then(|| Arc::clone(model))
    }
}
