//! `carom completions`: shell scripts for completion of commands and options.

use crate::args::{Args, CompletionsArgs};
use crate::{Result, terminal};
use clap::CommandFactory;

pub fn run(args: &CompletionsArgs) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "carom", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))?;
    Ok(terminal::DONE)
}
