//! carom for a web page: what a page asks, as JSON, is answered as JSON, with arrays that stay in
//! WebAssembly's memory.
//!
//! The page computes no number itself. It opens a problem, takes the recipe of a kernel to WebGPU
//! and hands back what the kernel leaves, or lets this crate sample; either way the samples are
//! checked, and flagged ones repaired in double precision, before it sees them.

mod fault;
mod gate;
mod ghosts;
mod memory;
mod opened;
mod points;
mod recipe;
mod request;
mod words;
