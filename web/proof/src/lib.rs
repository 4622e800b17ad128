//! Proved bounds for the page: a polygon that no outcome of a problem leaves, side by side.
//!
//! A program of its own, as most visitors of the page do not wait for it.

#[path = "../../src/fault.rs"]
mod fault;
#[path = "../../src/memory.rs"]
mod memory;
mod request;
