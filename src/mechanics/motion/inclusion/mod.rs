//! The time-augmented inclusion: one motion through flight, sustained contact and impacts, also
//! through infinitely many. \[HP23\]
//!
//! \[HP23\] (53) lets the state move along a parameter s in which impacts take time too: in flight
//! `dt/ds = 1`, in an impact `dt/ds = 0` and s grows by the normal impulses, in sustained contact
//! forces share s with time. The parameter is always
//!
//! ```text
//! s = t + sum of all normal impulses since the start  (seconds and newton seconds, in SI units)
//! ```
//!
//! In space friction cones are circular, and friction opposes the sliding velocity, whose direction
//! may turn. The inclusion may have many solutions; this module computes one, from event to event.
//! `forces` has the equations of sustained contact and their feasible modes, `flow` integrates
//! them, `step` locates the next event, `select` chooses modes and finds impacts without collision,
//! `impact` applies the outcome of an impact, `zeno` detects accumulations of impacts, `run`
//! iterates over all steps.

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
