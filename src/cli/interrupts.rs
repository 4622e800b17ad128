//! Interruption of commands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::args::SimulateArgs;
use crate::{Error, Result, complain, host, terminal};
use carom_data::staging;

/// Longest time between an interrupt and the end of the work.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the work ended by itself after an interrupt.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Reports the end of the work: from here on, writing the results may take any time.
pub fn answered() {
    ANSWERED.store(true, Ordering::Relaxed);
}

/// A flag that Ctrl-C and a termination request raise. A second signal ends the process at once. A
/// watchdog ends the process if the work does not end soon after the first signal.
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
        // Without a watchdog thread, a second signal still ends the program.
        let _ = std::thread::Builder::new().spawn(late);
    };
    ctrlc::set_handler(interrupt)
        .map_err(|e| Error::usage(format!("cannot listen for interrupts: {e}")))?;
    Ok(stop)
}

/// Ends the process during its work, and removes its temporary files.
fn end() -> ! {
    staging::abandon();
    std::process::exit(complain::about(&Error::interrupted()).into())
}

/// Reports the files that an interrupted motion has not written; files appear only when complete.
pub fn unwritten(args: &SimulateArgs) {
    for path in [&args.out, &args.picture, &args.animate].into_iter().flatten() {
        terminal::say(&format!("interrupted; {} is not written", path.display()));
    }
}
