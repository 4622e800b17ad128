use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

use carom_core::error::Error;
use carom_core::problem::Uncertainty;

/// Ranges in the words of the command line, `mu=0.1..0.3,e=0.2..0.4,inertia=0.9..1.1,noise=0.01`,
/// or in a table.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected ranges, such as \"mu=0.1..0.3\", or a table of them")]
pub enum Ranges {
    Text(String),
    Table(Uncertainty),
}

/// Reads ranges in either form.
pub fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Uncertainty>, D::Error> {
    Ok(match Option::<Ranges>::deserialize(from)? {
        None => None,
        Some(Ranges::Table(ranges)) => Some(ranges),
        Some(Ranges::Text(text)) => {
            Some(text.parse().map_err(|e: Error| de::Error::custom(e.what))?)
        }
    })
}
