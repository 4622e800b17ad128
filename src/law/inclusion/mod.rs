//! The set-valued Routh law with circular friction cones and with restitution, as a differential inclusion over normal
//! impulse: planar or spatial contacts, any number of them.
//!
//! The independent variable `t` measures normal impulse. Contact `i` accrues it at a rate `c_i` that is drawn at
//! random. With friction forces `f_i` and sliding velocities `u_t,i`,
//!
//! ```text
//! u' = W (c, f),   |f_i| <= mu_i c_i,   f_i = -mu_i c_i u_t,i / |u_t,i|  where  u_t,i != 0
//! S_i' = -e_i^2 c_i u_n,i  while u_n,i < 0,   S_i' = -c_i u_n,i  while u_n,i > 0   (Stronge)
//! S_i' =  e_i c_i          while u_n,i < 0,   S_i' = -c_i        in restitution    (Poisson)
//! ```
//!
//! - A contact takes part while it approaches, or while its reservoir `S_i` of recoverable work (Poisson: of impulse)
//!   is not empty. A contact that only touches may take part where impulse at it makes it approach, which friction can
//!   cause.
//! - Relative rates are drawn for one block of impulse at a time: in a block the fastest of the contacts that take part
//!   accrues the impulse step `h`. A contact that is driven into approach during a block takes part from the next block
//!   on, as if its rate were 0 until then.
//! - Poisson's reservoirs are emptied only while no contact approaches. A reservoir that could not begin to be emptied
//!   in a whole block, because friction holds the contact, is lost.
//!
//! Given the rates, sliding is uniquely determined: `-u_t` follows the gradient flow of the convex function `sum mu_i
//! c_i |u_t,i| - b.u_t` in the metric of `W_tt^-1`, where `b = W_tn c`. Contacts that do not slide have the forces in
//! their discs that minimise the acceleration of sliding, `f' W_tt f / 2 + f'b`. Two solutions never move apart, so
//! errors of integration do not grow.
//!
//! Source: \[HP23\] Sec. 4 and its outlook on restitution; for one contact \[JW16\] (11)-(34). Deviations: rates are
//! constant over a block; a third-order method with step size control (the stages of Bogacki and Shampine, with the
//! midpoint rule as the second-order companion) replaces complementarity problems, so there are no facets; reservoirs
//! hold work. The weights of the stages are positive, so the impulse of a step lies in the circular cone exactly.

pub mod balance;
pub mod block;
pub mod check;
pub mod integrator;
mod linear;
mod pivot;
pub mod process;
pub mod state;
pub mod substep;
pub mod tolerances;
