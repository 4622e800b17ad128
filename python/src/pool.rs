//! The worker threads.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;

/// The pool, with the id of its process.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Does `work` on the threads of this process. A process forked by `multiprocessing` lacks its
/// parent's threads, and gets a pool of its own.
///
/// # Errors
/// The system provides no threads.
pub fn run<T: Send>(
    work: impl FnOnce() -> carom_core::error::Result<T> + Send,
) -> carom_core::error::Result<T> {
    let pool = {
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        match &*pool {
            Some((process, pool)) if *process == std::process::id() => Arc::clone(pool),
            _ => {
                let new = Arc::new(carom_engine::threads::thread_pool(None)?);
                // The old pool is a copy of the parent's pool. Dropping it would join threads that
                // do not exist here.
                std::mem::forget(pool.replace((std::process::id(), Arc::clone(&new))));
                new
            }
        }
    };
    pool.install(work)
}
