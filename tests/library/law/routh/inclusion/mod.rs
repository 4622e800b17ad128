//! Cones, restitution and uncertain numbers, integrated as a differential inclusion.

mod ends;
mod inertia;
mod judge;
mod known_sets;
mod lanes;
mod random_problems;
mod recompression;

use super::*;
