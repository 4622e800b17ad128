//! The exit code of a run with samples.

use crate::terminal::{self, DONE, REJECTED};

/// Numbers of samples by status.
pub struct Ended {
    pub samples: u64,
    pub terminated: u64,
    pub limited: u64,
    pub accepted: u64,
}

impl Ended {
    /// The exit code; prints the reason of code 1 to stderr. The code is 1 if more than a share
    /// `allowed` of the samples did not end, or if more than a share `allowed` of the ended samples
    /// was not accepted, or if no sample ended. Samples at the step limit do not count as lost if
    /// the limit is `set`.
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
