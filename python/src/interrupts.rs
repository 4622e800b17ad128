//! Long work without the interpreter's lock, interruptible by Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::Raise;
use crate::pool;

/// Interval of the checks for signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` on another thread, without the interpreter's lock. If a signal's handler raises, as
/// for Ctrl-C, `work` sees its flag set; after the end of `work`, the handler's exception
/// propagates.
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
            // A panic of `work` continues on this thread, and becomes an exception in Python.
            match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("work that ends sends its result"),
            }
        })
    })
}
