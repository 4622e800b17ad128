//! The library, module by module as in `src/`.

mod analysis;
mod dataset;
mod dataset_arrays;
mod engine;
mod expression;
mod law;
mod lcp;
mod model;
mod motion;
mod output;
mod pictures;
mod polyhedra;
mod problem;
mod scene;
mod shading;
mod study;

// Each binary uses a part of it.
#[allow(dead_code)]
#[path = "../support"]
mod support {
    pub mod bouncing;
    pub mod cases;
    pub mod compare;
    pub mod draws;
    pub mod events;
    pub mod families;
    pub mod feet;
    pub mod fractions;
    pub mod golden;
    pub mod indeterminacy;
    pub mod integrator;
    pub mod judge;
    pub mod motions;
    pub mod npz;
    pub mod planar;
    pub mod problems;
    pub mod random;
}
