//! The threads that compute.

use std::error::Error as _;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use carom_core::error::{Error, Result};

/// Largest number of threads.
pub const MOST: usize = 4096;
/// The variable with the number of threads, where none is asked for.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// Bytes of memory that a thread takes for its stack, and that the rest of the process needs beside
/// the stacks. Code for the widest vectors takes more than 3 MB where nothing is optimized.
const STACK: usize = if cfg!(debug_assertions) { 16 << 20 } else { 2 << 20 };
const REST: usize = 32 << 20;

/// A separate pool of threads: as many as are asked for, else as `RAYON_NUM_THREADS` says, else as
/// there are cores.
///
/// # Errors
/// A number that is not from 1 to 4096 (in the variable, 0 stands for all cores); the system gives
/// no such threads.
pub fn thread_pool(asked: Option<usize>) -> Result<ThreadPool> {
    let (count, at) = number(asked)?;
    room(count)
        .and_then(|()| builder(count).build().map_err(|e| e.to_string()))
        .map_err(|why| refused(count, at, &why))
}

/// Starts the threads for all work outside separate pools, unless they have been started.
///
/// # Errors
/// Those of [`thread_pool`]; a number other than that of the threads that run already.
pub fn start(asked: Option<usize>) -> Result<()> {
    if rayon::current_thread_index().is_some() {
        return Ok(());
    }
    let (count, at) = number(asked)?;
    room(count).map_err(|why| refused(count, at, &why))?;
    match builder(count).build_global() {
        // Only a failure of the system has a source; without one, the threads have been started
        // before.
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

/// The number of threads to start, and where it comes from.
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

/// Checks that there is memory for the stacks of `count` threads: a thread that finds none while it
/// starts would end the process, or never report that it runs.
fn room(count: usize) -> Result<(), String> {
    let stacks =
        Vec::<u8>::new().try_reserve_exact(count.saturating_mul(STACK).saturating_add(REST));
    stacks.map_err(|_| "there is no memory for their stacks".to_string())
}
