//! The worker threads.

use std::error::Error as _;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use carom_core::error::{Error, Result};

/// Largest number of threads.
pub const MOST: usize = 4096;
/// The environment variable with the default number of threads.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// Bytes of stack of a thread, and bytes of the rest of the process. Code for the widest vectors
/// takes more than 3 MB without optimization.
const STACK: usize = if cfg!(debug_assertions) { 16 << 20 } else { 2 << 20 };
const REST: usize = 32 << 20;

/// A separate thread pool of `asked` threads. The default is `RAYON_NUM_THREADS`, else one thread
/// for each core.
///
/// # Errors
/// A number outside 1 to 4096 (in the variable, 0 stands for all cores); a system without room for
/// so large a pool.
pub fn thread_pool(asked: Option<usize>) -> Result<ThreadPool> {
    let (count, at) = number(asked)?;
    room(count)
        .and_then(|()| builder(count).build().map_err(|e| e.to_string()))
        .map_err(|why| refused(count, at, &why))
}

/// Starts the global thread pool, unless it runs.
///
/// # Errors
/// Errors of [`thread_pool`]; a number that differs from the size of the running pool.
pub fn start(asked: Option<usize>) -> Result<()> {
    if rayon::current_thread_index().is_some() {
        return Ok(());
    }
    let (count, at) = number(asked)?;
    room(count).map_err(|why| refused(count, at, &why))?;
    match builder(count).build_global() {
        // Only a system failure has a source. An error without source means that the pool runs
        // already.
        Err(e) if e.source().is_some() => Err(refused(count, at, &e.to_string())),
        _ if asked.is_some_and(|asked| asked != rayon::current_num_threads()) => {
            Err(refused(count, at, &format!("{} run already", rayon::current_num_threads())))
        }
        _ => Ok(()),
    }
}

fn builder(count: usize) -> ThreadPoolBuilder {
    let builder = ThreadPoolBuilder::new().num_threads(count);
    if cfg!(debug_assertions) { builder.stack_size(STACK) } else { builder }
}

pub(super) fn thread() -> thread::Builder {
    let builder = thread::Builder::new();
    if cfg!(debug_assertions) { builder.stack_size(STACK) } else { builder }
}

fn refused(count: usize, at: &str, why: &str) -> Error {
    let threads = if count == 1 { "thread" } else { "threads" };
    let error =
        Error::usage(format!("cannot start {count} {threads}: {why}")).hint("ask for fewer");
    if at == VARIABLE { error.at(at) } else { error.option(at) }
}

/// The number of threads to start, and its origin.
fn number(asked: Option<usize>) -> Result<(usize, &'static str)> {
    if let Some(count) = asked {
        return Ok((count.clamp(1, MOST), "threads"));
    }
    let cores = || thread::available_parallelism().map_or(1, |n| n.get()).min(MOST);
    let found = std::env::var_os(VARIABLE).unwrap_or_default();
    match found.to_str().map(str::trim) {
        Some("" | "0") => Ok((cores(), "threads")),
        Some(text) if text.parse().is_ok_and(|count: usize| count <= MOST) => {
            Ok((text.parse().unwrap_or(1), VARIABLE))
        }
        _ => {
            let found = found.to_string_lossy();
            let what = format!("expected a whole number from 1 to {MOST}, found `{found}`");
            Err(Error::usage(what).at(VARIABLE).hint("unset it to have a thread for each core"))
        }
    }
}

/// Checks that memory has room for the stacks of `count` threads. A thread without memory would end
/// the process while it starts, or never report that it runs.
fn room(count: usize) -> Result<(), String> {
    let stacks =
        Vec::<u8>::new().try_reserve_exact(count.saturating_mul(STACK).saturating_add(REST));
    stacks.map_err(|_| "there is no memory for their stacks".to_string())
}
