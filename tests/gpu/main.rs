//! Every WGSL function against its Rust twin, through probe kernels: the shader's own text, a few bindings, and an
//! entry point that calls one function. Then whole runs against the CPU engine.

use carom::engine::gpu::{Gpu, Kernel, Reduction};
use carom::engine::{Batch, Device, Engine, Plan, Precision, StepSolver};
use carom::error::ErrorKind;
use carom::law::Process;
use carom::law::draws::rates::SUBSETS;
use carom::law::inclusion::tolerances::{MAX_SUBSTEPS, MAX_SWEEPS, MAX_TRIALS, Tolerances};
use carom::law::routh::solve::COVERING;
use carom::law::sequential::FLAT;
use carom::law::{Hypothesis, Law, Orders, Routh, Sampler, Solution};
use carom::lcp::mixed::{MAX_ROUNDS, SINGULAR};
use carom::lcp::modes::regular_maps;
use carom::lcp::table::{Solutions, key_weight};
use carom::lcp::{Cells, ExplicitMap, Facets, Lemke, LemkeEnd, Mixed, ModeTable, StepProblem};
use carom::outcome::Samples;
use carom::problem::{ContactProblem, ProblemSpec, Uncertainty};
use carom::real::Real;
use carom::rng::philox::KNOWN_ANSWERS;
use carom::rng::{Purpose, Stream, philox4x32_10, stream};
use carom::scene;
use carom::shading::header::{TIGHT, WORKGROUP, header, keys_apart, most_solutions, padded};
use carom::shading::kernels;
use carom::shading::kernels::statistics::{
    BINS, COUNT_BINS, COUNT_FLAGGED, COUNT_MODES, COUNT_MOST_STEPS, COUNT_STEPS, ChunkUniform, SHARE,
    mode_table,
};
use carom::shading::layout::{Layout, problem_buffer};
use carom::shading::spec::MAX_CONTACTS;
use carom::shading::statistics::{Extent, Histogram};
use carom::shading::tables::{Buffers, table_buffer, train};
use carom::shading::uniform::RunUniform;
use carom::shading::{DeviceStatistics, Raw, Regions, StatisticsSpec};
use carom::status::Status;
use nalgebra::{DMatrix, DVector};
use std::collections::HashMap;
use std::mem::offset_of;
use std::sync::OnceLock;
use std::time::Instant;
use wgpu::util::DeviceExt;

const PHILOX: &str = include_str!("../../shaders/rng/philox.wgsl");
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
const ROUTH: &str = include_str!("../../shaders/law/routh.wgsl");
const ROUTH_PIVOT: &str = include_str!("../../shaders/law/routh_pivot.wgsl");
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
}

use facets::pile;
use harness::*;
use runs::*;
use solvers::*;
use step::*;
use support::cases::cases;
use support::compare::{assert_prefix, samples};
use support::draws::Draws;
