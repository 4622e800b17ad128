//! Laws beside the set, and sets beside measurements.

mod compare;
mod place;
mod reality;
