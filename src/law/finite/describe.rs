//! Results specific to one law: keys of `--json` and lines of the report.

use serde_json::Value;

/// Results specific to one law.
pub trait Describe {
    /// Keys of `--json`, with their values.
    fn keys(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// Lines of the report, each with its first word.
    fn lines(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// The line of a report that lists `listed` of `all` entries.
pub(super) fn rest(all: usize, listed: usize) -> Option<(&'static str, String)> {
    (all > listed).then(|| ("", format!("and {} more; --json has them all", all - listed)))
}

/// No results.
impl Describe for () {}

/// Results of an outcome that are specific to one law.
pub trait DescribeOutcome: Describe {
    /// Heading of the column [`DescribeOutcome::origin`] in the report's table.
    fn heading(&self) -> &'static str {
        "sequence of contacts"
    }

    /// The origin of the outcome for the table; `sequence` is the text of its contacts.
    fn origin(&self, sequence: &str) -> String {
        sequence.to_string()
    }

    /// The results as a type of any law.
    fn described(&self) -> &dyn DescribeOutcome
    where
        Self: Sized,
    {
        self
    }

    /// A short name of the outcome, within the law.
    fn title(&self) -> String;
}
