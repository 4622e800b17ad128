//! Long work without the interpreter's lock, which Ctrl-C ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::Raise;
use crate::pool;

/// How often signals are looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` on another thread and without the interpreter's lock. A signal whose handler raises,
/// such as Ctrl-C, raises the flag that `work` gets; when `work` has ended, the handler's exception
/// is raised.
pub fn run<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(Arc<AtomicBool>) -> carom_core::error::Result<T> + Send,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            let worker = scope.spawn(move || drop(sender.send(pool::run(|| work(flag)))));
            let mut raised = None;
            loop {
                match receiver.recv_timeout(PATIENCE) {
                    Ok(result) => return raised.map_or_else(|| result.raise(), Err),
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            raised = Some(error);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
            // The work has panicked; so does this thread, and Python sees an exception.
            match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("work that ends sends its result"),
            }
        })
    })
}
