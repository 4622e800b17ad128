//! `carom completions`: what a shell reads to complete commands and options.

use carom_core::error::Result;
use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs};
use crate::terminal;

/// Prints the completions.
pub fn run(args: &CompletionsArgs) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "carom", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))?;
    Ok(terminal::DONE)
}
