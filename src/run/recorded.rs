//! The run of a record, as files and reports have it.

use serde_json::{Map, Value};

use super::{LawName, Run};
use crate::law::RouthProcess;

impl Run {
    /// The run of a record, in which options that were left to their defaults have the values that
    /// they had; `None` where the law is not one of this version. What a record has in another
    /// form, such as the device on which the run took place, is passed over.
    pub fn recorded(record: &Value) -> Option<Self> {
        let mut run = Map::new();
        for (key, value) in record.as_object()? {
            let one = Map::from_iter([(key.clone(), value.clone())]);
            if serde_json::from_value::<Run>(Value::Object(one.clone())).is_ok() {
                run.extend(one);
            }
        }
        run.get("law")?;
        serde_json::from_value(Value::Object(run)).ok()
    }

    /// Whether the samples of a recorded run are a part of the set that
    /// [`Reach`](crate::analysis::Reach) computes: of Routh's law, and not of steps of finite
    /// length.
    pub fn is_within_reach(&self) -> bool {
        self.law == LawName::Routh && self.process != Some(RouthProcess::Steps)
    }
}
