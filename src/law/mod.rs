//! Impact laws: what may leave an impact, one published law per file.

pub mod routh;

pub use routh::{Routh, Sampler, Solution};

/// The impact laws that can be sampled.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// The set-valued Routh law of \[HP23\].
    Routh(Routh),
}

impl Default for Law {
    fn default() -> Self {
        Law::Routh(Routh::default())
    }
}

impl Law {
    /// The law's name, as the command line and the files write it.
    pub fn name(&self) -> &'static str {
        match self {
            Law::Routh(_) => "routh",
        }
    }
}
