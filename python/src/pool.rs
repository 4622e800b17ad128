//! The threads that compute.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;

/// The pool, and the process that it belongs to.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Does `work` on the threads of this process. A forked process, as `multiprocessing` makes them,
/// does not have those of its parent; it gets its own.
///
/// # Errors
/// The system gives no threads.
pub fn run<T: Send>(
    work: impl FnOnce() -> carom_core::error::Result<T> + Send,
) -> carom_core::error::Result<T> {
    let pool = {
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        match &*pool {
            Some((process, pool)) if *process == std::process::id() => Arc::clone(pool),
            _ => {
                let new = Arc::new(carom_engine::threads::thread_pool(None)?);
                // The old one is a copy of the parent's, whose threads are not there to be joined.
                std::mem::forget(pool.replace((std::process::id(), Arc::clone(&new))));
                new
            }
        }
    };
    pool.install(work)
}
