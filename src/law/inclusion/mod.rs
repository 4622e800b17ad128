//! The set-valued Routh law with the circular friction cone and with restitution, as a differential inclusion over the
//! normal impulses: planar or spatial contacts, any number of them.
//!
//! At a time `t` that counts normal impulse, contact `i` accrues it at the rate `c_i`, from a draw; with the forces of
//! friction `f_i` and `u_t,i` the sliding velocity,
//!
//! ```text
//! u' = W (c, f),   |f_i| <= mu_i c_i,   f_i = -mu_i c_i u_t,i / |u_t,i|  where  u_t,i != 0
//! S_i' = -e_i^2 c_i u_n,i  while u_n,i < 0,   S_i' = -c_i u_n,i  while u_n,i > 0   (Stronge)
//! S_i' =  e_i c_i          while u_n,i < 0,   S_i' = -c_i        in restitution    (Poisson)
//! ```
//!
//! A contact takes part while it approaches, or while its reservoir `S_i` of recoverable work (Poisson: of impulse it
//! owes) is not empty; one that only touches may take part where impulse at it makes it approach, as friction can do.
//! A reservoir that could not begin to be emptied in a whole block, because friction holds the contact, is lost.
//! Relative rates are drawn for a block of impulse at a time: the fastest of the contacts that take
//! part accrues the impulse step `h` in it. A contact that is driven into approach waits for the next block, in which
//! case its rate was 0. Poisson's reservoirs are emptied only while nothing approaches.
//!
//! Given the rates, sliding has exactly one course: `-u_t` moves down the gradient of the convex function
//! `sum mu_i c_i |u_t,i| - b.u_t` in the metric of `W_tt^-1`, where `b = W_tn c`. Contacts that do not slide have the
//! forces that minimise the acceleration of sliding, `f' W_tt f / 2 + f'b`, in their discs. Courses only come closer to
//! each other, so errors of integration do not grow.
//!
//! Source: \[HP23\] Sec. 4 and its outlook on restitution; for one contact \[JW16\] (11)-(34). Deviations: rates that
//! stay for a block; integration of third order with a step size under control (Bogacki and Shampine's stages, of
//! which the midpoint rule is the second-order companion) instead of complementarity problems, so there are no facets;
//! reservoirs of work. Weights of the stages are positive, so a step's impulse lies in the circular cone exactly.

pub mod block;
pub mod friction;
pub mod integrator;
pub mod process;
pub mod state;
pub mod substep;
pub mod tolerances;
