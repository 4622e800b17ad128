//! Every WGSL function against its Rust twin, through probe kernels: the shader's own text, a few
//! bindings, and an entry point that calls one function. Then whole runs against the CPU engine.

use carom::internals::engine::gpu::module::{PASSTHROUGH, module};
use carom::internals::engine::gpu::{Gpu, Kernel, Reduction, Repairer};
use carom::internals::engine::{Batch, Device, Engine, Plan, Precision, StepSolver};
use carom::internals::error::ErrorKind;
use carom::internals::law::Process;
use carom::internals::law::draws::rates::SUBSETS;
use carom::internals::law::draws::sampler::WHOLE;
use carom::internals::law::routh::events::table::MOST_TABULATED;
use carom::internals::law::routh::inclusion::tolerances::MOST_ON_GPU;
use carom::internals::law::routh::steps::solve::COVERING;
use carom::internals::law::sequential::FLAT;
use carom::internals::law::{Hypothesis, Law, Orders, Routh, RouthProcess, Sampler, Solution};
use carom::internals::lcp::mixed::{MAX_ROUNDS, SINGULAR};
use carom::internals::lcp::modes::regular_maps;
use carom::internals::lcp::table::{Solutions, key_weight};
use carom::internals::lcp::{ExplicitMap, Facets, Lemke, LemkeEnd, Mixed, ModeTable, StepProblem};
use carom::internals::outcome::Samples;
use carom::internals::problem::{ContactProblem, ProblemSpec};
use carom::internals::real::Real;
use carom::internals::rng::philox::KNOWN_ANSWERS;
use carom::internals::rng::{Purpose, Stream, philox4x32_10, sobol, stream};
use carom::internals::run::Forecaster;
use carom::internals::scene;
use carom::internals::shading::header::{
    ROW, TIGHT, WORKGROUP, header, keys_apart, most_solutions, padded,
};
use carom::internals::shading::kernels;
use carom::internals::shading::kernels::statistics::{
    BINS, COUNT_BINS, COUNT_FLAGGED, COUNT_MODES, COUNT_MOST_STEPS, COUNT_STEPS, ChunkUniform,
    SHARE, STEP_BITS, STEP_DIGITS, mode_table,
};
use carom::internals::shading::layout::{Layout, problem_buffer};
use carom::internals::shading::spec::MAX_CONTACTS;
use carom::internals::shading::statistics::{Extent, Histogram};
use carom::internals::shading::tables::{Buffers, table_buffer, train};
use carom::internals::shading::uniform::RunUniform;
use carom::internals::shading::{
    DeviceStatistics, Inputs, Limits, Raw, Regions, StatisticsSpec, Variant,
};
use carom::internals::status::Status;
use carom::internals::study::identify::Model;
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
const CELLS: &str = include_str!("../../shaders/lcp/cells.wgsl");
const MODES: &str = concat!(
    include_str!("../../shaders/lcp/modes.wgsl"),
    include_str!("../../shaders/lcp/holds.wgsl"),
    include_str!("../../shaders/lcp/table.wgsl")
);
const LEMKE: &str = include_str!("../../shaders/lcp/lemke.wgsl");
const MIXED: &str = include_str!("../../shaders/lcp/mixed.wgsl");
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
mod doubt;
mod events;
mod facets;
mod functions;
mod harness;
mod inclusion;
mod motion;
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
    pub mod feet;
    pub mod motions;
}

use harness::*;
use runs::*;
use solvers::*;
use step::*;
use support::cases::cases;
use support::compare::{assert_prefix, samples};
use support::draws::Draws;
