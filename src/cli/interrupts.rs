//! The interruption of commands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::args::SimulateArgs;
use crate::{Error, Result, complain, host, terminal};
use carom_data::staging;

/// Longest time that the work may take to answer an interrupt.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the work has ended by itself after an interrupt.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Says that the work has ended: what it found is written in any time that this takes.
pub fn answered() {
    ANSWERED.store(true, Ordering::Relaxed);
}

/// A flag that Ctrl-C and a termination request raise. The second one ends the process at once, and
/// so does the first one where the work does not end by itself soon.
pub fn flag() -> Result<Arc<AtomicBool>> {
    if let Some(stop) = host::stop() {
        return Ok(stop);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    let interrupt = move || {
        if handler.swap(true, Ordering::Relaxed) {
            end();
        }
        let late = || {
            std::thread::sleep(PATIENCE);
            if !ANSWERED.load(Ordering::Relaxed) {
                end()
            }
        };
        // Where no thread can be started for it, a second interrupt still ends the program.
        let _ = std::thread::Builder::new().spawn(late);
    };
    ctrlc::set_handler(interrupt)
        .map_err(|e| Error::usage(format!("cannot listen for interrupts: {e}")))?;
    Ok(stop)
}

/// Ends the process in the middle of its work, without its temporary files.
fn end() -> ! {
    staging::abandon();
    std::process::exit(complain::about(&Error::interrupted()).into())
}

/// Says which files an interrupted motion has not written: a file is there when it is whole.
pub fn unwritten(args: &SimulateArgs) {
    for path in [&args.out, &args.picture, &args.animate].into_iter().flatten() {
        terminal::say(&format!("interrupted; {} is not written", path.display()));
    }
}
