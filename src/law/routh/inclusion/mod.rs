//! The set-valued Routh law with circular friction cones and with restitution, as a differential
//! inclusion over normal impulse: planar or spatial contacts, any number of them.
//!
//! The independent variable `t` measures normal impulse. Contact `i` accrues it at a rate `c_i`
//! that is drawn at random. With friction forces `f_i` and sliding velocities `u_t,i`,
//!
//! ```text
//! u' = W (c, f),   |f_i| <= mu_i c_i,   f_i = -mu_i c_i u_t,i / |u_t,i|  where  u_t,i != 0
//! S_i' = -e_i^2 c_i u_n,i  while u_n,i < 0,   S_i' = -c_i u_n,i  while u_n,i > 0   (Stronge)
//! S_i' =  e_i c_i          while u_n,i < 0,   S_i' = -c_i        in restitution    (Poisson)
//! ```
//!
//! - A contact with `u_n < 0` has `c_i`, one with `u_n > 0` nothing unless it is *restituting*,
//!   that is, returns stored work. One that rests, `u_n = 0`, leaves, is held by a force between 0
//!   and `c_i`, or is driven in at `c_i`, as the accelerations ask for; friction at contacts that
//!   do not slide holds them or opposes the sliding that begins. Together this is a small
//!   complementarity problem ([`balance`]). Where it has several solutions, a draw at the start of
//!   a block chooses where Newton's method starts.
//! - Caps `c_i` are constant over one block of impulse and are drawn as those of the event process
//!   are; on planar problems both processes have the same samples where forces are unique.
//! - Poisson's reservoirs are emptied only while no contact approaches. A reservoir whose contact
//!   has rested over a whole block, because friction or other contacts hold it, is lost.
//!
//! Given the rates, sliding is uniquely determined: `-u_t` follows the gradient flow of the convex
//! function `sum mu_i c_i |u_t,i| - b.u_t` in the metric of `W_tt^-1`, where `b = W_tn c`. Two
//! solutions never move apart, so errors of integration do not grow.
//!
//! Source: \[HP23\] Sec. 4 and its outlook on restitution; for one contact \[JW16\] (11)-(34).
//! Deviations: rates are constant over a block; a fourth-order method with step size control
//! ([`plain`]), one of third order where contacts begin to slide, or implicit steps where sliding
//! is stiff ([`substep`]), replace complementarity problems of steps, so there are no facets;
//! reservoirs hold work. All weights of stages are positive, so the impulse of a step that no event
//! cuts lies in the circular cone exactly. What comes out is judged by [`check`].

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
