//! The set-valued Routh law with circular friction cones and with restitution, as a differential
//! inclusion over normal impulse: any number of planar or spatial contacts.
//!
//! The independent variable `t` measures normal impulse. The normal impulse of contact `i` grows at
//! most at a rate `c_i`, which is drawn at random. With friction forces `f_i` and sliding
//! velocities `u_t,i`,
//!
//! ```text
//! u' = W (c, f),   |f_i| <= mu_i c_i,   f_i = -mu_i c_i u_t,i / |u_t,i|  where  u_t,i != 0
//! S_i' = -e_i^2 c_i u_n,i  while u_n,i < 0,   S_i' = -c_i u_n,i  while u_n,i > 0   (Stronge)
//! S_i' =  e_i c_i          while u_n,i < 0,   S_i' = -c_i        in restitution    (Poisson)
//! ```
//!
//! - A contact with `u_n < 0` has the normal force `c_i`. A contact with `u_n > 0` has no force,
//!   unless it is *restituting*: it returns its stored work `S_i`. A contact at rest, `u_n = 0`,
//!   separates, is held by a force between 0 and `c_i`, or is pressed into approach at `c_i`,
//!   according to the accelerations; friction at contacts without slip holds them or opposes the
//!   onset of sliding. All contacts together form a small complementarity problem ([`balance`]). If
//!   it has several solutions, a draw at the start of a block selects the initial forces of
//!   Newton's method.
//! - The rate bounds `c_i` are constant over a block of impulse and are drawn as in the event
//!   process; on planar problems both processes have equal samples where forces are unique.
//! - Stored impulse (Poisson) is returned only while no contact approaches. A contact at rest over
//!   a whole block, because friction or other contacts hold it, loses its stored work.
//!
//! For given rates, sliding is uniquely determined: `-u_t` follows the gradient flow of the convex
//! function `sum mu_i c_i |u_t,i| - b.u_t` in the metric of `W_tt^-1`, where `b = W_tn c`. The
//! distance of two solutions never grows, so errors of integration do not grow.
//!
//! Source: \[HP23\] Sec. 4 and its outlook on restitution; for one contact \[JW16\] (11)-(34).
//! Deviations: rates are constant over a block. Complementarity problems of steps are replaced by a
//! fourth-order method with step size control ([`plain`]), a third-order method at sliding onset,
//! or implicit steps where sliding is stiff ([`substep`]), so there are no facets. Contacts
//! store work. All weights of stages are positive, so the impulse of a step
//! without an event lies in the circular cone exactly. [`check`] computes the residual.

mod apply;
pub mod balance;
pub mod block;
pub mod check;
pub mod curve;
mod event;
pub mod given;
pub mod hold;
mod implicit;
pub mod integrator;
pub mod lanes;
mod linear;
mod motion;
pub mod phases;
mod pivot;
pub mod plain;
pub mod process;
mod samples;
mod stages;
pub mod state;
mod store;
pub mod substep;
pub mod tolerances;

use balance::Balance;
use check::{InclusionJudge, Judged};
use given::{FrictionMode, Given, NormalMode, against, length, sideways};
use hold::Hold;
use integrator::Integrator;
use lanes::{SampleLane, Samples};
use motion::Motion;
use state::InclusionState;
use store::Passage;
use substep::Trial;
use tolerances::{MAX_TRIALS, Tolerances};
