//! A run by a model.

use std::sync::Arc;

use super::{Forecaster, ModelFile, Run};
use carom_core::error::{Error, Result};
use carom_law::Law;

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
