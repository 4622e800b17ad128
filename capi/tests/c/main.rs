//! The C interface, called as C calls it.

mod allocations;
mod answers;
mod errors;
mod header;
mod numbers;
mod problem;
