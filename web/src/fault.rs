//! Errors as JSON, for the page's engine and for its proofs.

use carom_core::error::Error;
use serde_json::{Value, json};

/// An error as JSON, with the number of the faulty line.
pub fn error(error: &Error) -> Value {
    let place = error.excerpt.as_ref().map(|excerpt| {
        let before = excerpt.text.get(..excerpt.span.start).unwrap_or_default();
        before.matches('\n').count() + 1
    });
    json!({ "error": error.what, "at": error.at, "hint": error.hint, "line": place })
}
