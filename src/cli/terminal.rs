//! Output on the terminal, and exit codes.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::{Error, Result, host};
use carom_core::digits::grouped;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Exit code of success.
pub const DONE: u8 = 0;
/// Exit code of an interrupted command.
pub const INTERRUPTED: u8 = 130;
/// Exit code after success with too many rejected samples, or without a design.
pub const REJECTED: u8 = 1;

/// Escapes control characters, so that names and lines of files cannot control a terminal. All
/// control characters except line feed and tab become `\u{1b}` and the like.
pub fn visible(text: &str) -> Cow<'_, str> {
    let controls = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(controls) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for c in text.replace("\r\n", "\n").chars() {
        if controls(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// Writes results to stdout: [`visible`] text to a terminal, else every byte. A closed pipe is no
/// error.
pub fn print(text: &str) -> Result<()> {
    if host::print(text) {
        return Ok(());
    }
    let text = if watched() { visible(text) } else { Cow::Borrowed(text) };
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::usage(format!("cannot write the results: {e}")).at("stdout"))
        }
        _ => Ok(()),
    }
}

pub fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&format!("{value:#}\n"))
}

pub fn watched() -> bool {
    io::stdout().is_terminal()
}

pub fn say(line: &str) {
    // An error of stderr itself is dropped: it has nowhere to go.
    let _ = writeln!(io::stderr(), "{}", visible(line));
}

/// Prints warnings to stderr, unless an embedding program captures them.
pub fn warn(warnings: &[String]) {
    if host::warn(warnings) {
        return;
    }
    warnings.iter().for_each(|warning| say(&format!("warning: {warning}")));
}

/// Seconds after which a long run reports its duration on stderr, if stderr is no terminal.
const PATIENCE: u64 = 10;
/// Factor between the times of successive reports.
const LATER: u64 = 3;

/// A progress bar on stderr; if stderr is no terminal, a line after 10, 30, 90 seconds and so on.
pub fn bar(length: u64) -> ProgressBar {
    styled(length, "{bar:40} {done} of {all}, {eta} left {msg}")
}

pub fn rated_bar(length: u64) -> ProgressBar {
    styled(length, "{bar:40} {done} of {all}, {rate}/s, {eta} left")
}

fn styled(length: u64, template: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
        let seen = bar.downgrade();
        std::thread::spawn(move || {
            let mut waited = 0;
            for after in (0..).map(|k| PATIENCE * LATER.pow(k)) {
                std::thread::sleep(Duration::from_secs(after - waited));
                waited = after;
                let Some(bar) = seen.upgrade().filter(|bar| !bar.is_finished()) else { return };
                let share = 100.0 * bar.position() as f64 / bar.length().unwrap_or(1).max(1) as f64;
                let left = match bar.position() {
                    0 => String::new(),
                    _ => format!(", about {} s left", bar.eta().as_secs()),
                };
                let place = match bar.message() {
                    place if place.is_empty() => place,
                    place => format!(": {place}"),
                };
                say(&format!("{share:.0} % after {waited} s{left}{place}"));
            }
        });
        return bar;
    }
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        let style = style.with_key("done", |state: &ProgressState, w: &mut dyn fmt::Write| {
            let _ = w.write_str(&grouped(state.pos()));
        });
        let style = style.with_key("all", |state: &ProgressState, w: &mut dyn fmt::Write| {
            let _ = w.write_str(&grouped(state.len().unwrap_or(0)));
        });
        let style = style.with_key("rate", |state: &ProgressState, w: &mut dyn fmt::Write| {
            let _ = w.write_str(&grouped(state.per_sec() as u64));
        });
        bar.set_style(style);
    }
    bar
}

/// Runs `work`, whose duration is unknown. A terminal shows the elapsed time; elsewhere a line
/// reports after ten seconds that the work goes on.
pub fn waiting<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        let waits = Arc::new(());
        let seen = Arc::downgrade(&waits);
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(PATIENCE));
            if seen.upgrade().is_some() {
                say(&format!("{what} takes longer than {PATIENCE} s"));
            }
        });
        let found = work();
        drop(waits);
        return found;
    }
    let spinner = ProgressBar::new_spinner().with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        spinner.set_style(style);
    }
    spinner.enable_steady_tick(Duration::from_millis(200));
    let found = work();
    spinner.finish_and_clear();
    found
}
