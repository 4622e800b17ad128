//! What one law alone says, of itself or of its outcomes: keys of `--json` and lines of the report that others do not have.

use serde_json::Value;

/// What a law alone says.
pub trait Describe {
    /// Its keys of `--json`, with their values.
    fn keys(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// Its lines of the report, each with the word that it begins with.
    fn lines(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// Nothing.
impl Describe for () {}

/// What a law alone says of one outcome.
pub trait DescribeOutcome: Describe {
    /// Head of the column of the report's table that [`DescribeOutcome::origin`] fills.
    fn heading(&self) -> &'static str {
        "sequence of contacts"
    }

    /// How the outcome came about, for the table; `sequence` is the text of its contacts.
    fn origin(&self, sequence: &str) -> String {
        sequence.to_string()
    }

    /// Which of the law's outcomes it is, in a few words.
    fn title(&self) -> String;
}
