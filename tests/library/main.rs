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

/// What most tests use.
mod prelude {
    pub use crate::support::cases::{FEW, cases, random_cases, table};
    pub use crate::support::compare::{apart, cpu, on_cpu, planned};
    pub use crate::support::draws::Draws;
    pub use crate::support::families::diagonal;
    pub use crate::support::golden::{golden, indices, number, numbers, rows};
    pub use crate::support::problems::{
        Problems, body_row, bouncing, changed, fixed_problems, given, leaning, load, loaded,
        planar, problem, puck, rough, rows_of, small, smooth, spatial, standing, vector,
    };
    pub use carom::scene;
    pub use carom::scene::{Document, Format};
    pub use carom_core::error::{Error, ErrorKind};
    pub use carom_core::outcome::{PointSet, Samples};
    pub use carom_core::problem::{ContactProblem, ProblemSpec, Uncertainty};
    pub use carom_core::rng::{Purpose, Stream, stream};
    pub use carom_core::status::Status;
    pub use carom_engine::Precision::{F32, F64};
    pub use carom_engine::{Device, Engine, Plan, Precision, Prepared};
    pub use carom_law::{
        AnitescuPotra, ConeComplementarity, DarbouxKeller, FiniteLaw, Hypothesis, Law, Plus,
        Propagative, Routh, RouthProcess, Sampler, Sequential, Solution,
    };
    pub use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
    pub use serde_json::{Value, json};
}
