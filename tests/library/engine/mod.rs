//! Samples in vectors, in chunks and on threads: the same as one by one.

mod exact_lanes;
mod explore;
mod fast_paths;
mod from_velocities;
mod posed;
mod replay;
mod reproducible;

use crate::prelude::*;
