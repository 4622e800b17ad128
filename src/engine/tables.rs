//! Tables that are prepared once for all problems that share them.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use carom_core::error::{Error, Result};

/// Number of tables that are kept although the last problems did not use them.
const SPARE: usize = 1024;

/// Adds the number of the problem to an error.
pub(super) fn within(i: usize) -> impl Fn(Error) -> Error {
    move |error| error.at(format!("problems[{i}]"))
}

/// Builds the values that are missing for some keys, on all cores. If too many values are known,
/// those that no key refers to are dropped.
pub(super) fn provide<T: Send>(
    known: &mut HashMap<Vec<u64>, T>,
    keys: &[Vec<u64>],
    build: impl Fn(usize) -> Result<T> + Sync + Send,
) -> Result<()> {
    let mut new: HashMap<&Vec<u64>, usize> = HashMap::new();
    for (i, key) in keys.iter().enumerate() {
        if !known.contains_key(key) {
            new.entry(key).or_insert(i);
        }
    }
    if known.len() + new.len() > keys.len() + SPARE {
        let used: HashSet<&Vec<u64>> = keys.iter().collect();
        known.retain(|key, _| used.contains(key));
    }
    let mut new: Vec<(&Vec<u64>, usize)> = new.into_iter().collect();
    new.sort_by_key(|(_, i)| *i);
    let built: Vec<Result<T>> = new.par_iter().map(|&(_, i)| build(i).map_err(within(i))).collect();
    for ((key, _), built) in new.into_iter().zip(built) {
        known.insert(key.clone(), built?);
    }
    Ok(())
}
