//! What holds of the source as a whole, of its pages, and of memory.

mod allocations;
mod architecture;
mod citations;
mod documents;
mod words;

// Each binary uses a part of it.
#[allow(dead_code)]
#[path = "../support"]
mod support {
    pub mod pages;
}
