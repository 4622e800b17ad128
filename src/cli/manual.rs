//! `carom manual`: pages for `man`.

use crate::args::{Args, ManualArgs};
use crate::{Error, Result, terminal};
use clap::CommandFactory;
use clap_mangen::Man;

pub fn run(args: &ManualArgs) -> Result<u8> {
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    let command = match &args.command {
        None => program,
        Some(name) => program.find_subcommand(name).cloned().ok_or_else(|| {
            let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
            Error::usage("no command of this name")
                .at(name)
                .hint(format!("the commands are {}", names.join(", ")))
        })?,
    };
    let mut page = Vec::new();
    Man::new(command)
        .render(&mut page)
        .map_err(|e| Error::usage(format!("cannot write the page: {e}")).at("stdout"))?;
    terminal::print(&String::from_utf8_lossy(&page))?;
    Ok(terminal::DONE)
}
