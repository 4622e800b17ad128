//! Runs cases: each is a function of a seed and its number, takes bounded time and memory, and
//! never panics.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::draws::Draws;

/// After this a case is told to stop.
const PATIENCE: Duration = Duration::from_secs(3);
/// A case that has not ended after this hangs.
const LONGEST: Duration = Duration::from_secs(120);
/// The most memory that a case may ask for, in bytes, whether it is used or not: derivatives
/// reserve the most.
const MEMORY: usize = 3 << 30;
/// No allocation succeeds beyond this.
const ALL_MEMORY: usize = 6 << 30;

/// How a case ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The input was accepted, and what came out was judged.
    Judged,
    /// The input was refused with a clear error.
    Refused,
    /// The case took longer than it may, was told to stop, and did.
    Stopped,
}

/// What a case finds wrong, if anything.
pub type Verdict = Result<Ended, String>;

/// A kind of input and what is done with it.
pub struct Target {
    pub name: &'static str,
    pub case: fn(&mut Case) -> Verdict,
}

/// One case.
pub struct Case {
    pub draws: Draws,
    /// An empty folder of its own.
    pub dir: PathBuf,
    /// Set once it has taken too long.
    pub stop: Arc<AtomicBool>,
    /// What was done, as a user would repeat it.
    pub told: String,
    /// What the last command said that was refused.
    pub said: String,
}

impl Case {
    /// Writes an input.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.dir.join(name), bytes).expect("the folder of the case can be written");
    }

    /// A random one of these values.
    pub fn any<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.draws.below(all.len())]
    }

    /// How it has ended, if nothing is wrong.
    pub fn ended(&self) -> Ended {
        if self.stopped() { Ended::Stopped } else { Ended::Judged }
    }

    /// Whether it has been told to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// What became of the cases of a target.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub judged: u64,
    pub refused: u64,
    pub stopped: u64,
    pub failed: u64,
    pub slowest: Duration,
    pub most_memory: usize,
}

impl Count {
    pub fn all(&self) -> u64 {
        self.judged + self.refused + self.stopped + self.failed
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count { judged, refused, stopped, failed, slowest, most_memory } = self;
        let (all, seconds, memory) = (self.all(), slowest.as_secs_f64(), most_memory >> 20);
        write!(f, "{all} cases: {judged} judged, {refused} refused, {stopped} stopped, ")?;
        write!(f, "{failed} failed; at most {seconds:.1} s, {memory} MB")
    }
}

/// The system's allocator, which knows how much is in use.
pub struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// Unsafe because the trait is: every call goes to the system's allocator as it is, or fails.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        if now > ALL_MEMORY {
            IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
            return std::ptr::null_mut();
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Where the last panic was, and what it said.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn panics() -> MutexGuard<'static, String> {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One case runs at a time, so that its memory is its own.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs case `number` of a seed. A failure is what went wrong, with how to repeat it; its input is
/// kept below `keep`.
pub fn run(
    target: &Target,
    (seed, number): (u64, u64),
    count: &mut Count,
    keep: Option<&Path>,
) -> Option<String> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    static HOOK: Once = Once::new();
    HOOK.call_once(|| std::panic::set_hook(Box::new(|info| *panics() = info.to_string())));
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let mut case = Case {
        draws: Draws::of(seed, number as usize),
        dir: folder.path().to_path_buf(),
        stop: Arc::new(AtomicBool::new(false)),
        told: String::new(),
        said: String::new(),
    };
    let name = format!("{}:{seed}:{number}", target.name);
    if let Some(keep) = keep {
        // What is left of a case that ends the program.
        let _ = fs::write(keep.join("running"), &name);
    }
    let begun = Instant::now();
    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let (done, watched) = mpsc::channel::<()>();
    let watch = {
        let (stop, name) = (Arc::clone(&case.stop), name.clone());
        thread::spawn(move || {
            let late = Err(mpsc::RecvTimeoutError::Timeout);
            if watched.recv_timeout(PATIENCE) == late {
                stop.store(true, Ordering::Relaxed);
                if watched.recv_timeout(LONGEST - PATIENCE) == late {
                    eprintln!("{name} hangs: {}", again(&name));
                    process::abort();
                }
            }
        })
    };
    let found = catch_unwind(AssertUnwindSafe(|| (target.case)(&mut case)));
    drop(done);
    let _ = watch.join();
    let (took, memory) = (begun.elapsed(), PEAK.load(Ordering::Relaxed).saturating_sub(before));
    count.slowest = count.slowest.max(took);
    count.most_memory = count.most_memory.max(memory);
    let verdict = match found {
        Err(_) => Err(format!("it panics: {}", panics())),
        Ok(Ok(_)) if memory > MEMORY => Err(format!("it takes {} MB", memory >> 20)),
        Ok(verdict) => verdict,
    };
    match verdict {
        Ok(Ended::Judged) => count.judged += 1,
        Ok(Ended::Refused) => count.refused += 1,
        Ok(Ended::Stopped) => count.stopped += 1,
        Err(what) => {
            count.failed += 1;
            let (seconds, told) = (took.as_secs_f64(), &case.told);
            let what = format!("{name} ({seconds:.1} s): {what}\n{told}\nagain: {}", again(&name));
            if let Some(keep) = keep {
                keep_input(&case.dir, &keep.join(name.replace(':', "-")), &what);
            }
            return Some(what);
        }
    }
    None
}

/// How a case is repeated.
fn again(name: &str) -> String {
    format!("CAROM_FUZZ_CASE={name} cargo test --test fuzz -- --ignored one")
}

/// Copies the files of a case and says what is wrong with them.
fn keep_input(from: &Path, to: &Path, what: &str) {
    let _ = fs::create_dir_all(to);
    let _ = fs::write(to.join("what.txt"), what);
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        let _ = fs::copy(entry.path(), to.join(entry.file_name()));
    }
}

/// The first cases of seed 0, all of which must pass.
pub fn fixed(target: &Target, cases: u64) {
    let mut count = Count::default();
    let failed: Vec<String> =
        (0..cases).filter_map(|number| run(target, (0, number), &mut count, None)).collect();
    println!("{}: {count}", target.name);
    // The hook keeps what panics say, so this says it itself.
    println!("{}", failed.join("\n\n"));
    assert!(failed.is_empty(), "{} cases failed", failed.len());
}
