//! What holds of the source as a whole, and of memory.

mod allocations;
mod architecture;
mod words;
