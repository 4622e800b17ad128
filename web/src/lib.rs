//! carom for a web page. The page sends requests as JSON and reads answers as JSON; arrays stay in
//! WebAssembly's memory.
//!
//! The page computes no number itself. To sample, it runs a kernel's recipe on WebGPU and returns
//! the raw results, or asks this crate to sample. This crate checks all samples, and recomputes
//! flagged ones in double precision, before the page reads them.

mod fault;
mod gate;
mod ghosts;
mod memory;
mod opened;
mod points;
mod recipe;
mod request;
mod words;
