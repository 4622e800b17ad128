//! Replacements of stdin, stdout and interrupts while a command is embedded in another program.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The output of a command: text and warnings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The text for stdout.
    pub printed: String,
    /// The warnings for stderr.
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

/// The embedded command's replacement of stdin, on this thread; `None` without an embedded command.
pub fn input() -> Option<String> {
    HOST.with_borrow(|host| host.as_ref().map(|host| host.input.clone()))
}

/// The interrupt flag of the embedded command of this thread.
pub fn stop() -> Option<Arc<AtomicBool>> {
    HOST.with_borrow(|host| host.as_ref().map(|host| Arc::clone(&host.stop)))
}

/// Captures printed text of the embedded command of this thread; `false` without one.
pub fn print(text: &str) -> bool {
    HOST.with_borrow_mut(|host| host.as_mut().map(|host| host.output.printed.push_str(text)))
        .is_some()
}

/// Captures warnings of the embedded command of this thread; `false` without one.
pub fn warn(warnings: &[String]) -> bool {
    HOST.with_borrow_mut(|host| {
        host.as_mut().map(|host| host.output.warnings.extend_from_slice(warnings))
    })
    .is_some()
}

/// Runs an embedded command with `input` in place of stdin; returns its result, and its text and
/// warnings. While a command waits for other threads, its own thread may run another embedded
/// command.
pub fn run<T>(input: &str, stop: Arc<AtomicBool>, command: impl FnOnce() -> T) -> (T, Output) {
    /// Restores the thread's previous command, even after a panic.
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
