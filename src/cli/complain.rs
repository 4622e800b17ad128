//! Rendering of errors for people.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;

use crate::terminal::{self, visible};
use carom_core::error::{Error, ErrorKind};
use carom_engine::run::flag;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};

/// Longest line of an excerpt; for longer lines the error gives the column instead.
const LONGEST_LINE: usize = 200;

/// Prints an error to stderr; returns the exit code of its kind.
pub fn about(error: &Error) -> u8 {
    let plain =
        !io::stderr().is_terminal() || std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let mut theme = if plain { GraphicalTheme::none() } else { GraphicalTheme::unicode() };
    theme.characters.error = "error:".to_string();
    let mut text = String::new();
    let shown = GraphicalReportHandler::new_themed(theme)
        .with_wrap_lines(false)
        .with_context_lines(1)
        .render_report(&mut text, &Complaint::new(error));
    if shown.is_err() {
        text = format!("error: {}\n", visible(&error.to_string()));
    }
    // An error of stderr itself is dropped: it has nowhere to go.
    let _ = io::stderr().write_all(text.as_bytes());
    match error.kind {
        ErrorKind::Doubt | ErrorKind::Empty => terminal::REJECTED,
        ErrorKind::Usage => 2,
        ErrorKind::Input => 3,
        ErrorKind::Device => 4,
        ErrorKind::Interrupted => terminal::INTERRUPTED,
    }
}

/// An [`Error`] with the excerpt of its file.
#[derive(Debug)]
struct Complaint {
    message: String,
    hint: Option<String>,
    source: Option<(NamedSource<String>, LabeledSpan)>,
}

impl Complaint {
    fn new(error: &Error) -> Self {
        let shown = |text: &str| visible(text).into_owned();
        let option = error.at.as_deref().filter(|_| error.option).map(flag);
        let named = option.map(|option| error.clone().at(option));
        let message = shown(&named.as_ref().unwrap_or(error).to_string());
        let hint = error.hint.as_deref().map(shown);
        let mut complaint = Complaint { message, hint, source: None };
        let excerpt = error.excerpt.as_deref().filter(|excerpt| !excerpt.span.is_empty());
        let Some(excerpt) = excerpt else { return complaint };
        let Range { start, end } = excerpt.span;
        let length = excerpt.text.len();
        let parts =
            [0..start, start..end, end..length].map(|part| excerpt.text.get(part).map(shown));
        let [Some(before), Some(fault), Some(after)] = parts else { return complaint };
        let span = before.len()..before.len() + fault.len();
        let line = before.matches('\n').count();
        let text = before.clone() + &fault + &after;
        let near = text.lines().skip(line.saturating_sub(1)).take(3);
        if near.map(str::len).max().is_some_and(|longest| longest <= LONGEST_LINE) {
            let label = LabeledSpan::new_with_span(Some("here".to_string()), span);
            complaint.source = Some((NamedSource::new(visible(&excerpt.name), text), label));
        } else {
            let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
            complaint.message += &format!(" (line {}, column {})", line + 1, column + 1);
        }
        complaint
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Complaint {}

impl Diagnostic for Complaint {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.hint.as_ref().map(|hint| Box::new(hint) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|(source, _)| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = self.source.as_ref()?.1.clone();
        Some(Box::new(std::iter::once(label)))
    }
}
