//! The names of the laws that can be sampled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::law::{Plus, Propagative, Routh, Sequential};

/// The laws that can be sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LawName {
    /// See [`Routh`].
    #[default]
    Routh,
    /// See [`Law::Sequential`](crate::law::Law::Sequential).
    Sequential,
    /// See [`Law::Propagative`](crate::law::Law::Propagative).
    Propagative,
    /// See [`Law::Plus`](crate::law::Law::Plus).
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
