//! Every WGSL function against its Rust twin, through probe kernels: the shader's own text, a few
//! bindings, and an entry point that calls one function. Then whole runs against the CPU engine.

use carom::run::Forecaster;
use carom::scene;
use carom::study::identify::Model;
use carom_core::draws::rates::SUBSETS;
use carom_core::draws::sampler::WHOLE;
use carom_core::error::ErrorKind;
use carom_core::lcp::modes::regular_maps;
use carom_core::lcp::table::{Solutions, key_weight};
use carom_core::lcp::{Facets, Lemke, LemkeEnd, ModeTable, StepProblem};
use carom_core::outcome::Samples;
use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_core::real::Real;
use carom_core::rng::philox::KNOWN_ANSWERS;
use carom_core::rng::{Purpose, Stream, philox4x32_10, sobol, stream};
use carom_core::status::Status;
use carom_engine::gpu::module::{PASSTHROUGH, module};
use carom_engine::gpu::{Gpu, Kernel, Reduction, Repairer};
use carom_engine::{Batch, Device, Engine, Plan, Precision, StepSolver};
use carom_law::Process;
use carom_law::finite::sequential::FLAT;
use carom_law::routh::events::table::MOST_TABULATED;
use carom_law::routh::inclusion::tolerances::MOST_ON_GPU;
use carom_law::routh::steps::solve::COVERING;
use carom_law::{
    Compiled, Hypothesis, Law, Propagative, Routh, RouthProcess, Sampler, Sequential, Solution,
};
use carom_shaders::header::{ROW, WORKGROUP, header, most_solutions, padded};
use carom_shaders::kernels;
use carom_shaders::kernels::statistics::{
    BINS, COUNT_BINS, COUNT_FLAGGED, COUNT_MODES, COUNT_MOST_STEPS, COUNT_STEPS, ChunkUniform,
    SHARE, STEP_BITS, STEP_DIGITS, mode_table,
};
use carom_shaders::layout::{Layout, problem_buffer};
use carom_shaders::spec::MAX_CONTACTS;
use carom_shaders::statistics::{Extent, Histogram};
use carom_shaders::tables::table_buffer;
use carom_shaders::uniform::RunUniform;
use carom_shaders::{DeviceStatistics, Inputs, Limits, Raw, StatisticsSpec, Variant};
use nalgebra::{DMatrix, DVector};
use std::collections::HashMap;
use std::mem::offset_of;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use wgpu::util::DeviceExt;

const PHILOX: &str = concat!(
    include_str!("../../shaders/rng/narrow_products.wgsl"),
    include_str!("../../shaders/rng/philox.wgsl")
);
const WIDE_PHILOX: &str = concat!(
    include_str!("../../shaders/rng/wide_products.wgsl"),
    include_str!("../../shaders/rng/philox.wgsl")
);
const STREAM: &str = include_str!("../../shaders/rng/stream.wgsl");
const STEP: &str = include_str!("../../shaders/lcp/step.wgsl");
const MODES: &str = include_str!("../../shaders/lcp/table.wgsl");
const LEMKE: &str = include_str!("../../shaders/lcp/lemke.wgsl");
const SOBOL: &str = include_str!("../../shaders/rng/sobol.wgsl");
const RATES: &str = include_str!("../../shaders/law/draws/rates.wgsl");
const ROUTH: &str = include_str!("../../shaders/law/routh/steps/process.wgsl");
const ROUTH_PIVOT: &str = include_str!("../../shaders/law/routh/steps/pivot.wgsl");
const SAMPLE: &str = include_str!("../../shaders/kernel/sample.wgsl");

/// Runs a test in f32, and in f64 where the adapter has it.
macro_rules! in_both {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            #[test]
            fn f32() {
                super::bench();
                super::$test::<f32>();
            }
            #[test]
            fn f64() {
                if super::bench().double {
                    super::$test::<f64>();
                } else {
                    println!("no f64 in shaders here");
                }
            }
        }
    )+};
}

mod batches;
mod constants;
mod contraction;
mod device;
mod doubt;
mod events;
mod facets;
mod functions;
mod harness;
mod inclusion;
mod orders;
mod peak;
mod rng;
mod runs;
mod samplers;
mod solvers;
mod statistics;
mod step;

// Each binary uses a part of it.
#[allow(dead_code)]
#[path = "../support"]
mod support {
    pub mod cases;
    pub mod compare;
    pub mod draws;
    pub mod families;
    pub mod feet;
    pub mod problems;
}

use harness::*;
use runs::*;
use solvers::*;
use step::*;
use support::cases::{FEW, cases};
use support::compare::{assert_prefix, samples};
use support::draws::Draws;
use support::problems::{bouncing, changed, load, problem, rough, smooth};
