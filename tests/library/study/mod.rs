//! Laws beside the set, and sets beside measurements.

mod compare;
mod cover;
mod place;
mod reality;
mod recording;
mod sampled_set;
