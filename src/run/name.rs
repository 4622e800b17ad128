//! The names of the laws that can be sampled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::law::{Plus, Propagative, Routh, Sequential};

/// The laws that can be sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LawName {
    /// The set-valued Routh law: all orders of impulses.
    #[default]
    Routh,
    /// Single impacts with friction, one contact after the other in random order.
    Sequential,
    /// Reflections, one contact after the other in random order.
    Propagative,
    /// Rounds of compression and expansion: one outcome for each draw of uncertain numbers.
    Plus,
}

impl LawName {
    /// All of them.
    pub const ALL: [LawName; 4] =
        [LawName::Routh, LawName::Sequential, LawName::Propagative, LawName::Plus];

    /// The name that the command line and files use.
    pub fn name(self) -> &'static str {
        match self {
            LawName::Routh => Routh::NAME,
            LawName::Sequential => Sequential::NAME,
            LawName::Propagative => Propagative::NAME,
            LawName::Plus => Plus::NAME,
        }
    }

    /// The law of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|law| law.name() == name)
    }
}
