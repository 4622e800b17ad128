//! The exit code of a run with samples.

use crate::terminal::{self, DONE, REJECTED};

/// The numbers of samples by ending.
pub struct Ended {
    pub samples: u64,
    pub terminated: u64,
    pub limited: u64,
    pub accepted: u64,
}

impl Ended {
    /// The exit code, with its reason on stderr where it is not 0. The code is 1 where a larger
    /// share of the samples than `allowed` did not end, or where a larger share of those that ended
    /// was not accepted. Samples that reach a limit that is `set` do not count as lost, but at
    /// least one sample has to end.
    pub fn verdict(&self, allowed: f64, set: bool) -> u8 {
        let Ended { samples, terminated, limited, accepted } = *self;
        let lost = samples - terminated - if set { limited } else { 0 };
        let mut failed = terminated == 0;
        for (count, of, which, fault) in [
            (lost, samples, "samples", "did not end"),
            (terminated - accepted, terminated, "terminated samples", "were not accepted"),
        ] {
            let share = if of == 0 { 0.0 } else { count as f64 / of as f64 };
            if share > allowed {
                failed = true;
                let (share, allowed) = (100.0 * share, 100.0 * allowed);
                terminal::say(&format!(
                    "{count} of {of} {which} ({share:.3} %) {fault}; --max-rejected allows {allowed:.3} %"
                ));
            }
        }
        if failed { REJECTED } else { DONE }
    }
}
