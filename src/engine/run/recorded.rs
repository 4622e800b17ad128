//! The run of a record, as files and reports have it.

use serde_json::{Map, Value};

use super::{Field, Run};
use carom_law::{Law, RouthProcess};

impl Run {
    /// The run of a record, in which options that were left to their defaults have the values that
    /// they had; `None` where the law is not one of this version. What a record has in another
    /// form, such as the device on which the run took place, is passed over.
    pub fn recorded(record: &Value) -> Option<Self> {
        let law = Law::named(record["law"].as_str()?)?.name();
        let kept = |(key, value): (&String, &Value)| {
            // A record has the law of its model.
            let of_model = ["model", "law_only"].contains(&&**key);
            let field = Field::named(key).filter(|field| field.is_of(law) && !of_model)?;
            Some((key.clone(), field.check(value.clone()).ok()?))
        };
        Run::of(Map::from_iter(record.as_object()?.iter().filter_map(kept))).ok()
    }

    /// Whether the samples of a recorded run are a part of the set that
    /// `Reach` computes: of Routh's law, and not of steps of finite
    /// length.
    pub fn is_within_reach(&self) -> bool {
        matches!(&self.law, Law::Routh(law) if law.process != Some(RouthProcess::Steps))
    }
}
