//! Laws beside the set, and sets beside measurements.

mod compare;
mod cover;
mod identify;
mod place;
mod reality;
mod sampled_set;
