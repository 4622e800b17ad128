//! The time-augmented inclusion: one motion through flight, sustained contact and impacts, also
//! through infinitely many. \[HP23\]
//!
//! \[HP23\] (53) lets the state move along a parameter s in which impacts take time too: in flight
//! `dt/ds = 1`, in an impact `dt/ds = 0` and s grows by the normal impulses, in sustained contact
//! forces share s with time. So, whatever happens,
//!
//! ```text
//! s = t + sum of all normal impulses so far        (seconds and newton seconds, in SI units)
//! ```
//!
//! In space friction cones are round, and friction opposes the sliding velocity, whose direction
//! may turn. The inclusion may have many solutions; this module computes one, from event to event.
//! `forces` has the equations of sustained contact and the modes in which they hold, `flow`
//! integrates them, `step` finds the next event, `select` chooses modes and finds impacts without
//! collision, `impact` applies the outcome of an impact, `zeno` finds infinitely many impacts,
//! `run` goes through all steps.

mod flow;
mod forces;
mod given;
mod impact;
mod run;
mod select;
mod state;
mod step;
mod zeno;

pub use given::InclusionMotion;
