//! Stand-ins for stdin, stdout and interrupts while a command runs for another program.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a command prints, and what it warns of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// What would be on stdout.
    pub printed: String,
    /// Warnings, which would be on stderr.
    pub warnings: Vec<String>,
}

#[derive(Default)]
struct Host {
    input: String,
    output: Output,
    stop: Arc<AtomicBool>,
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

/// The input that the command of this thread, run for another program, reads instead of stdin.
pub fn input() -> Option<String> {
    HOST.with_borrow(|host| host.as_ref().map(|host| host.input.clone()))
}

/// The flag that interrupts the command that this thread runs for another program.
pub fn stop() -> Option<Arc<AtomicBool>> {
    HOST.with_borrow(|host| host.as_ref().map(|host| Arc::clone(&host.stop)))
}

/// Keeps what the command of this thread, run for another program, prints; `false` without one.
pub fn print(text: &str) -> bool {
    HOST.with_borrow_mut(|host| host.as_mut().map(|host| host.output.printed.push_str(text)))
        .is_some()
}

/// Keeps what the command of this thread, run for another program, warns of, if there is one.
pub fn warn(warnings: &[String]) -> bool {
    HOST.with_borrow_mut(|host| {
        host.as_mut().map(|host| host.output.warnings.extend_from_slice(warnings))
    })
    .is_some()
}

/// Runs `command` for another program, with `input` in place of stdin; its result, and what it has
/// printed and warned of. While a command waits for other threads, its own thread may run another
/// one.
pub fn run<T>(input: &str, stop: Arc<AtomicBool>, command: impl FnOnce() -> T) -> (T, Output) {
    /// Gives the thread back to the command before, however this one ends.
    struct Leave(Option<Host>);

    impl Drop for Leave {
        fn drop(&mut self) {
            HOST.set(self.0.take());
        }
    }

    let (input, output) = (input.to_string(), Output::default());
    let _leave = Leave(HOST.replace(Some(Host { input, output, stop })));
    let result = command();
    (result, HOST.take().map_or(Output::default(), |host| host.output))
}
