//! Files that say or inflate to more than they are: refused with a clear error, without the memory
//! that they ask for.

mod npz;
mod parquet;

use crate::formats::line;
use crate::harness::{Case, Count, Ended, Target, Verdict, run};

/// The most memory that any of them may take, in bytes.
const LITTLE: usize = 150 << 20;

/// Runs a case that must be refused.
fn refuses(name: &'static str, case: fn(&mut Case) -> Verdict) {
    let mut count = Count::default();
    let failed = run(&Target { name, case }, (0, 0), &mut count, None);
    println!("{name}: {count}");
    assert_eq!(failed, None);
    assert!(count.refused == 1 && count.most_memory < LITTLE, "{count}");
}

/// Expects that a command refuses its file with these words.
fn refused(case: &mut Case, command: &str, words: &[&str]) -> Verdict {
    let ended = line(case, command)?;
    let said = case.said.clone();
    let clear = words.iter().all(|word| said.contains(word));
    if ended == Ended::Refused && clear { Ok(ended) } else { Err(format!("{ended:?}: {said}")) }
}
