//! Every WGSL function against its Rust twin, through probe kernels: the shader's own text, a few bindings, and an
//! entry point that calls one function. Then whole runs against the CPU engine.
#![cfg(feature = "gpu")]

use std::collections::HashMap;
use std::mem::offset_of;
use std::sync::OnceLock;
use std::time::Instant;

use carom::engine::gpu::layout::{Layout, RunUniform, problem_buffer, table_buffer};
use carom::engine::gpu::run::MAX_CONTACTS;
use carom::engine::gpu::source::{WORKGROUP, header, most_solutions, padded};
use carom::engine::gpu::{Gpu, Kernel};
use carom::engine::{Device, Engine, Plan, Precision};
use carom::law::routh::COVERING;
use carom::law::{Law, Routh, Solution};
use carom::lcp::modes::{Solutions, key_weight};
use carom::lcp::{Lemke, LemkeEnd, ModeTable, StepProblem};
use carom::outcome::Samples;
use carom::problem::{ContactProblem, ProblemSpec};
use carom::real::Real;
use carom::rng::philox::KNOWN_ANSWERS;
use carom::rng::{Purpose, Stream, StreamRng, philox4x32_10, stream};
use carom::scene;
use carom::status::Status;
use nalgebra::{DMatrix, DVector};
use rand_core::Rng;
use wgpu::util::DeviceExt;

const PHILOX: &str = include_str!("../shaders/rng/philox.wgsl");
const STREAM: &str = include_str!("../shaders/rng/stream.wgsl");
const STEP: &str = include_str!("../shaders/lcp/step.wgsl");
const MODES: &str = include_str!("../shaders/lcp/modes.wgsl");
const LEMKE: &str = include_str!("../shaders/lcp/lemke.wgsl");
const ROUTH: &str = include_str!("../shaders/law/routh.wgsl");
const ROUTH_PIVOT: &str = include_str!("../shaders/law/routh_pivot.wgsl");
const SAMPLE: &str = include_str!("../shaders/kernel/sample.wgsl");

// ---- The harness ----

struct Bench {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// Whether the adapter computes in f64.
    double: bool,
    /// lavapipe rounds as Rust does, operation by operation; hardware contracts and divides less exactly.
    exact: bool,
}

/// The adapter that `--device gpu` takes, opened for probes. Without one the test fails.
fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        let gpu = open();
        let backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = backends;
        let instance = wgpu::Instance::new(descriptor);
        let adapter = pollster::block_on(instance.enumerate_adapters(backends))
            .into_iter()
            .find(|adapter| adapter.get_info().name == gpu.report.name)
            .expect("the adapter that was there a moment ago");
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("probe"),
            required_features: adapter.features() & wgpu::Features::SHADER_F64,
            required_limits: adapter.limits(),
            ..Default::default()
        }))
        .unwrap();
        let (double, exact) = (gpu.report.f64, gpu.report.name.contains("llvmpipe"));
        println!("probes run on {}; f64 there: {double}", gpu.report.name);
        Bench { device, queue, double, exact }
    })
}

fn open() -> Gpu {
    match Gpu::open(&Device::Gpu) {
        Ok(Some(gpu)) => gpu,
        _ => panic!(
            "these tests need a Vulkan, Metal or DX12 adapter. A software one will do: on Debian or Ubuntu \
             `apt-get install --no-install-recommends mesa-vulkan-drivers libvulkan1`; or leave these tests out \
             with `--no-default-features`"
        ),
    }
}

/// A probe: `text` follows the header of m contacts and the bindings, and has a `fn probe()` that thread `me` of
/// `threads` calls. It reads `words` and `numbers`, and writes its own part of `words_out` and `numbers_out`.
struct Probe<'a, R> {
    contacts: usize,
    text: &'a [&'a str],
    threads: usize,
    words: &'a [u32],
    numbers: &'a [R],
    /// Words and numbers that each thread writes.
    out: [usize; 2],
}

const BINDINGS: &str = "
@group(0) @binding(0) var<storage, read> words_in: array<u32>;
@group(0) @binding(1) var<storage, read> numbers: array<real>;
@group(0) @binding(2) var<storage, read_write> words_out: array<u32>;
@group(0) @binding(3) var<storage, read_write> numbers_out: array<real>;
var<private> me: u32;
";

impl<R: Real> Probe<'_, R> {
    fn run(&self) -> (Vec<u32>, Vec<R>) {
        let Bench { device, queue, .. } = bench();
        let text = format!(
            "{}{BINDINGS}{}
            @compute @workgroup_size(64)
            fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                me = id.x;
                if (me < {}u) {{ probe(); }}
            }}",
            header::<R>(self.contacts),
            self.text.concat(),
            self.threads,
        );
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("probe"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let entries: Vec<_> = (0..4)
            .map(|binding| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: binding < 2 },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let layout = device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("probe"),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let upload = |bytes: &[u8]| {
            let contents = if bytes.is_empty() { &[0; 16] } else { bytes };
            let usage = wgpu::BufferUsages::STORAGE;
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
        };
        let [words, numbers] = self.out.map(|count| (self.threads * count) as u64);
        let empty = |bytes: u64, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: bytes.max(16),
                usage,
                mapped_at_creation: false,
            })
        };
        let sizes = [4 * words, size_of::<R>() as u64 * numbers];
        let outputs =
            sizes.map(|bytes| empty(bytes, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC));
        let reads =
            sizes.map(|bytes| empty(bytes, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST));
        let inputs = [upload(bytemuck::cast_slice(self.words)), upload(bytemuck::cast_slice(self.numbers))];
        let entries: Vec<_> = inputs
            .iter()
            .chain(&outputs)
            .enumerate()
            .map(|(i, buffer)| wgpu::BindGroupEntry {
                binding: i as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups((self.threads as u32).div_ceil(64), 1, 1);
        }
        for (output, read) in outputs.iter().zip(&reads) {
            encoder.copy_buffer_to_buffer(output, 0, read, 0, None);
        }
        queue.submit([encoder.finish()]);
        for read in &reads {
            read.slice(..).map_async(wgpu::MapMode::Read, Result::unwrap);
        }
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let bytes = |i: usize| reads[i].slice(0..).get_mapped_range().unwrap().to_vec();
        let mut words_out: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes(0));
        let mut numbers_out: Vec<R> = bytemuck::pod_collect_to_vec(&bytes(1));
        words_out.truncate(words as usize);
        numbers_out.truncate(numbers as usize);
        (words_out, numbers_out)
    }
}

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

in_both! {
    draws,
    comparisons,
    step_functions,
    residual_of_what_is_not_finite,
    lcp_form,
    key_weights,
    solutions_of_random_steps,
    solutions_merge_in_order,
    too_many_solutions_are_flagged,
    lemke_on_random_steps,
    table_kernels,
    pivot_kernels,
    samples_across_the_word_boundary,
    built_in_scenes,
}

/// A generator of its own for each test problem.
fn generator(test: u64, case: usize) -> StreamRng {
    Stream::new(test, case as u64).rng()
}

fn uniform(rng: &mut StreamRng, low: f64, high: f64) -> f64 {
    low + (high - low) * f64::from(stream::unit(rng.next_u32()))
}

fn cast<R: Real>(values: &[f64]) -> Vec<R> {
    values.iter().map(|&x| R::from_f64(x)).collect()
}

/// A few units in the last place of numbers of size `size`.
fn close<R: Real>(a: R, b: R, size: f64) -> bool {
    a == b || (a.to_f64() - b.to_f64()).abs() <= 16.0 * R::EPSILON * size
}

/// Decisions that differ are bugs on an adapter that rounds as Rust does; elsewhere few may fall on an edge.
fn assert_few(different: usize, of: usize, what: &str) {
    println!("{what}: {different} of {of} differ");
    let allowed = if bench().exact { 0 } else { of / 50 };
    assert!(different <= allowed, "{what}: {different} of {of} differ, {allowed} allowed");
}

// ---- Random numbers ----

#[test]
fn philox_meets_the_known_answers_and_its_twin() {
    let mut cases: Vec<([u32; 4], [u32; 2])> = KNOWN_ANSWERS.iter().map(|&(c, k, _)| (c, k)).collect();
    let mut rng = generator(1, 0);
    cases.extend(
        (0..10_000).map(|_| (std::array::from_fn(|_| rng.next_u32()), [rng.next_u32(), rng.next_u32()])),
    );
    let words: Vec<u32> =
        cases.iter().flat_map(|(c, k)| c.iter().chain(k).copied().collect::<Vec<_>>()).collect();
    let probe = Probe::<f32> {
        contacts: 1,
        text: &[
            PHILOX,
            "fn word(i: u32) -> u32 { return words_in[6u * me + i]; }
            fn probe() {
                let x = philox4x32_10(vec4<u32>(word(0u), word(1u), word(2u), word(3u)), vec2<u32>(word(4u), word(5u)));
                for (var i = 0u; i < 4u; i++) { words_out[4u * me + i] = x[i]; }
            }",
        ],
        threads: cases.len(),
        words: &words,
        numbers: &[],
        out: [4, 0],
    };
    let (found, _) = probe.run();
    for (i, (counter, key)) in cases.into_iter().enumerate() {
        assert_eq!(found[4 * i..4 * i + 4], philox4x32_10(counter, key), "{counter:?} {key:?}");
    }
    for (i, (_, _, expected)) in KNOWN_ANSWERS.into_iter().enumerate() {
        assert_eq!(found[4 * i..4 * i + 4], expected);
    }
}

/// `stream_block`, `unit`, `index_below`, `multiply_high`: integers and exact numbers.
fn draws<R: Real>() {
    const EDGES: [u32; 6] = [0, 1, 0xffff, 0x1_0000, 0x8000_0000, u32::MAX];
    let purposes = [Purpose::Rate, Purpose::Solution, Purpose::Covering, Purpose::User];
    let mut rng = generator(2, 0);
    let mut cases: Vec<[u32; 9]> =
        EDGES.iter().flat_map(|&a| EDGES.map(|b| [a, b, b, a, a, 3, b & 0xff_ffff, a, b])).collect();
    cases.extend((0..4096).map(|i| {
        let mut case: [u32; 9] = std::array::from_fn(|_| rng.next_u32());
        case[5] = i % 4;
        case[6] &= 0xff_ffff;
        case
    }));
    let probe = Probe::<R> {
        contacts: 1,
        text: &[
            PHILOX,
            STREAM,
            "fn word(i: u32) -> u32 { return words_in[9u * me + i]; }
            fn probe() {
                let stream = Stream(vec2<u32>(word(0u), word(1u)), vec2<u32>(word(2u), word(3u)));
                let x = stream_block(stream, word(4u), word(5u), word(6u));
                for (var i = 0u; i < 4u; i++) { words_out[6u * me + i] = x[i]; }
                words_out[6u * me + 4u] = index_below(word(7u), word(8u));
                words_out[6u * me + 5u] = multiply_high(word(7u), word(8u));
                numbers_out[me] = unit(word(7u));
            }",
        ],
        threads: cases.len(),
        words: cases.as_flattened(),
        numbers: &[],
        out: [6, 1],
    };
    let (words, numbers) = probe.run();
    for (i, case) in cases.iter().enumerate() {
        let stream = Stream::new(wide(case[0], case[1]), wide(case[2], case[3]));
        let block = stream.block(case[4], purposes[case[5] as usize], case[6]);
        assert_eq!(words[6 * i..6 * i + 4], block, "{case:?}");
        assert_eq!(words[6 * i + 4], stream::index(case[7], case[8]), "{case:?}");
        assert_eq!(words[6 * i + 5], ((u64::from(case[7]) * u64::from(case[8])) >> 32) as u32, "{case:?}");
        assert_eq!(numbers[i].to_f64(), f64::from(stream::unit(case[7])), "{case:?}");
    }
}

fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

// ---- The impulse step ----

/// A step problem with the velocity before the impact and the largest caps: bodies at random, or one rigid body
/// whose contacts strike alike, symmetric or not, which makes ties.
fn random_step(rng: &mut StreamRng, m: usize) -> (StepProblem<f64>, Vec<f64>, Vec<f64>) {
    let alike = rng.next_u32().is_multiple_of(2);
    let n = if alike { 3 } else { 2 * m + 1 };
    let mut jacobian = DMatrix::from_fn(2 * m, n, |_, _| uniform(rng, -1.0, 1.0));
    let mut velocity = DVector::from_fn(n, |_, _| uniform(rng, -1.0, 1.0));
    if alike {
        let symmetric = rng.next_u32().is_multiple_of(2);
        let (mut x, mut y) = (0.0, 0.0);
        for i in 0..m {
            (x, y) =
                if symmetric && i % 2 == 1 { (-x, y) } else { (uniform(rng, -1.0, 1.0), -0.5 - 0.5 * x * x) };
            jacobian.row_mut(i).copy_from_slice(&[0.0, 1.0, 1.6 * x]);
            jacobian.row_mut(m + i).copy_from_slice(&[1.0, 0.0, -1.6 * y]);
        }
        velocity.copy_from_slice(&[0.0, -1.0, 0.0]);
    }
    let mu: Vec<f64> = match rng.next_u32() % 3 {
        0 => vec![0.7; m],
        1 => vec![1.5; m],
        _ => (0..m).map(|_| uniform(rng, -0.2, 2.0).max(0.0)).collect(),
    };
    let mut u = &jacobian * &velocity;
    if !alike {
        for i in 0..m {
            u[i] = -u[i].abs();
        }
    }
    let (step, scaling, start) = StepProblem::scaled(&(&jacobian * jacobian.transpose()), &mu, &u);
    let h = uniform(rng, 0.2, 2.0) * scaling.impulse;
    let caps = scaling.caps(h);
    (step, start, caps)
}

/// A velocity and caps `x = (u, c)` of some step on the way; one in four has all rates equal.
fn random_x(rng: &mut StreamRng, start: &[f64], caps: &[f64]) -> Vec<f64> {
    let shared = uniform(rng, 0.0, 1.0);
    let equal = rng.next_u32().is_multiple_of(4);
    let moved = if rng.next_u32().is_multiple_of(2) { 0.0 } else { 0.5 };
    let mut x: Vec<f64> = start.iter().map(|u| u + moved * uniform(rng, -1.0, 1.0)).collect();
    x.extend(caps.iter().map(|c| c * if equal { shared } else { uniform(rng, 0.0, 1.0) }));
    x
}

/// What the step functions read, where the probe's numbers hold W, mu, sigma of each thread.
const STEP_NUMBERS: &str = "
fn number(i: u32) -> real { return numbers[me * STRIDE + i]; }
fn w_at(i: u32) -> real { return number(i); }
fn mu_at(i: u32) -> real { return number(K * K + i); }
fn sigma_at(i: u32) -> real { return number(K * K + M + i); }
const AFTER = K * K + M + K;
const X_USED = K + M;
";

fn step_numbers<R: Real>(step: &StepProblem<R>) -> Vec<R> {
    [&step.w, &step.mu, &step.sigma].into_iter().flatten().copied().collect()
}

/// `larger`, `smaller`, `clamped` on finite numbers; `is_finite` on all.
fn comparisons<R: Real>() {
    let special = [0.0, -0.0, 1.0, -1.0, 1e-30, -1e-30, 3e38, -3e38];
    let mut cases: Vec<[f64; 3]> =
        special.iter().flat_map(|&a| special.iter().map(move |&b| [a, b.min(a), b.max(a)])).collect();
    let mut rng = generator(3, 0);
    cases.extend((0..1000).map(|_| std::array::from_fn(|_| uniform(&mut rng, -2.0, 2.0))));
    let huge = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN];
    let finite = cases.len();
    cases.extend(huge.map(|x| [x, 0.0, 0.0]));
    let numbers: Vec<R> = cast(cases.as_flattened());
    let probe = Probe {
        contacts: 1,
        text: &[
            STEP,
            "fn w_at(i: u32) -> real { return ZERO; }
            fn mu_at(i: u32) -> real { return ZERO; }
            fn sigma_at(i: u32) -> real { return ONE; }
            fn probe() {
                let a = numbers[3u * me];
                let b = numbers[3u * me + 1u];
                let c = numbers[3u * me + 2u];
                numbers_out[3u * me] = larger(a, b);
                numbers_out[3u * me + 1u] = smaller(a, b);
                numbers_out[3u * me + 2u] = clamped(a, b, c);
                words_out[me] = select(0u, 1u, is_finite(a));
            }",
        ],
        threads: cases.len(),
        words: &[],
        numbers: &numbers,
        out: [1, 3],
    };
    let (words, found) = probe.run();
    for (i, case) in numbers.chunks(3).enumerate() {
        let (a, b, c) = (case[0], case[1], case[2]);
        assert_eq!(words[i] == 1, Real::is_finite(a), "{case:?}");
        if i < finite {
            assert_eq!(
                found[3 * i..3 * i + 3],
                [Real::max(a, b), Real::min(a, b), a.clamp(b, c)],
                "{case:?}"
            );
        }
    }
}

/// `advance`, `clamp_impulse`, `residual`.
fn step_functions<R: Real>() {
    for m in 1..=4 {
        let (k, count) = (2 * m, 500);
        let stride = k * k + m + k + 3 * m + k;
        let mut cases = Vec::new();
        let mut numbers: Vec<R> = Vec::new();
        for case in 0..count {
            let mut rng = generator(4, 1000 * m + case);
            let (step, start, caps) = random_step(&mut rng, m);
            let (step, x) = (step.cast::<R>(), cast::<R>(&random_x(&mut rng, &start, &caps)));
            let l: Vec<R> = (0..k).map(|_| R::from_f64(uniform(&mut rng, -0.5, 1.5))).collect();
            numbers.extend(step_numbers(&step).into_iter().chain(x.iter().copied()).chain(l.iter().copied()));
            cases.push((step, x, l));
        }
        let probe = Probe {
            contacts: m,
            text: &[
                STEP,
                &format!("const STRIDE = {stride}u;"),
                STEP_NUMBERS,
                "fn probe() {
                    var x: array<real, X>;
                    var l: array<real, K>;
                    var u_plus: array<real, K>;
                    for (var i = 0u; i < X_USED; i++) { x[i] = number(AFTER + i); }
                    for (var i = 0u; i < K; i++) { l[i] = number(AFTER + X_USED + i); }
                    let at = me * (2u * K + 1u);
                    clamp_impulse(&x, &l);
                    advance(&x, &l, &u_plus);
                    for (var i = 0u; i < K; i++) {
                        numbers_out[at + i] = l[i];
                        numbers_out[at + K + i] = u_plus[i];
                    }
                    numbers_out[at + 2u * K] = residual(&x, &l, &u_plus);
                }",
            ],
            threads: count,
            words: &[],
            numbers: &numbers,
            out: [0, 2 * k + 1],
        };
        let (_, found) = probe.run();
        for ((step, x, l), found) in cases.iter_mut().zip(found.chunks(2 * k + 1)) {
            let mut u_plus = vec![R::ZERO; k];
            step.clamp_impulse(&x[k..], l);
            step.advance(&x[..k], l, &mut u_plus);
            let residual = step.residual(&x[k..], l, &u_plus);
            let expected: Vec<R> = l.iter().chain(&u_plus).copied().chain([residual]).collect();
            let size = expected.iter().fold(1.0, |s: f64, x| s.max(x.to_f64().abs()));
            for (i, (&a, &b)) in found.iter().zip(&expected).enumerate() {
                assert!(close(a, b, size), "m = {m}, entry {i}: {a:?}, expected {b:?}; x {x:?}, L {l:?}");
            }
        }
    }
}

/// One number that is not finite, anywhere in L, c or u+, makes the residual HUGE.
fn residual_of_what_is_not_finite<R: Real>() {
    let m = 2;
    let stride = 16 + 2 + 4 + 6 + 4 + 4;
    let (step, x) = (
        StepProblem::<R> {
            contacts: m,
            w: vec![R::ONE; 16],
            mu: vec![R::from_f64(0.5); m],
            sigma: vec![R::ONE; 4],
        },
        cast::<R>(&[-1.0, -1.0, 0.1, 0.2, 0.5, 0.5]),
    );
    let (l, u_plus) = (cast::<R>(&[0.25, 0.25, 0.1, -0.1]), cast::<R>(&[0.0, 0.1, 0.0, 0.3]));
    let mut cases = Vec::new();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..10 {
            let mut case = (x.clone(), l.clone(), u_plus.clone());
            match place {
                0..2 => case.0[4 + place] = R::from_f64(bad),
                2..6 => case.1[place - 2] = R::from_f64(bad),
                _ => case.2[place - 6] = R::from_f64(bad),
            }
            cases.push(case);
        }
    }
    let mut numbers: Vec<R> = Vec::new();
    for (x, l, u_plus) in &cases {
        numbers.extend(step_numbers(&step));
        numbers.extend(x.iter().chain(l).chain(u_plus));
    }
    let probe = Probe {
        contacts: m,
        text: &[
            STEP,
            &format!("const STRIDE = {stride}u;"),
            STEP_NUMBERS,
            "fn probe() {
                var x: array<real, X>;
                var l: array<real, K>;
                var u_plus: array<real, K>;
                for (var i = 0u; i < X_USED; i++) { x[i] = number(AFTER + i); }
                for (var i = 0u; i < K; i++) {
                    l[i] = number(AFTER + X_USED + i);
                    u_plus[i] = number(AFTER + X_USED + K + i);
                }
                numbers_out[me] = residual(&x, &l, &u_plus);
            }",
        ],
        threads: cases.len(),
        words: &[],
        numbers: &numbers,
        out: [0, 1],
    };
    let (_, found) = probe.run();
    for ((x, l, u_plus), found) in cases.iter().zip(found) {
        assert_eq!(found, step.residual(&x[4..], l, u_plus), "x {x:?}, L {l:?}, u+ {u_plus:?}");
        let reaches = [l, u_plus].into_iter().flatten().any(|x| !Real::is_finite(*x));
        assert!(!reaches || found == R::HUGE, "x {x:?}, L {l:?}, u+ {u_plus:?}: {found:?}");
    }
}

/// What the pivoting functions need, with the dictionary and the indices in the probe's output.
const PIVOT_NUMBERS: &str = "
fn cap_at(i: u32) -> real { return number(AFTER + K + i); }
fn rest_at(i: u32) -> real { return ZERO; }
fn random_covering() -> bool { return words_in[2u * me] == 1u; }
const N = 5u * M;
const CELLS = N * (N + 2u);
const PLACES = 4u * N + 2u;
fn table_at(n: u32, i: u32, j: u32) -> real { return numbers_out[me * (CELLS + K) + i * (n + 2u) + j]; }
fn table_set(n: u32, i: u32, j: u32, value: real) { numbers_out[me * (CELLS + K) + i * (n + 2u) + j] = value; }
fn basic_at(i: u32) -> u32 { return words_out[me * (PLACES + 2u) + i]; }
fn basic_set(i: u32, value: u32) { words_out[me * (PLACES + 2u) + i] = value; }
fn nonbasic_at(i: u32) -> u32 { return words_out[me * (PLACES + 2u) + N + i]; }
fn nonbasic_set(i: u32, value: u32) { words_out[me * (PLACES + 2u) + N + i] = value; }
fn place_at(i: u32) -> u32 { return words_out[me * (PLACES + 2u) + 2u * N + 1u + i]; }
fn place_set(i: u32, value: u32) { words_out[me * (PLACES + 2u) + 2u * N + 1u + i] = value; }
";

/// `lcp_entry`, `lcp_constant`: no arithmetic beyond one division, so they agree to its rounding.
fn lcp_form<R: Real>() {
    for m in 1..=5 {
        let (k, n, count) = (2 * m, 5 * m, 20);
        let stride = k * k + m + k + 3 * m;
        let mut cases = Vec::new();
        let mut numbers: Vec<R> = Vec::new();
        for case in 0..count {
            let mut rng = generator(5, 1000 * m + case);
            let (step, start, caps) = random_step(&mut rng, m);
            let (step, x) = (step.cast::<R>(), cast::<R>(&random_x(&mut rng, &start, &caps)));
            numbers.extend(step_numbers(&step).iter().chain(&x));
            cases.push((step, x));
        }
        let probe = Probe {
            contacts: m,
            text: &[
                PHILOX,
                STREAM,
                STEP,
                ROUTH,
                LEMKE,
                ROUTH_PIVOT,
                &format!("const STRIDE = {stride}u;"),
                STEP_NUMBERS,
                PIVOT_NUMBERS,
                "fn probe() {
                    var x: array<real, X>;
                    for (var i = 0u; i < X_USED; i++) { x[i] = number(AFTER + i); }
                    let at = me * N * (N + 1u);
                    for (var i = 0u; i < N; i++) {
                        for (var j = 0u; j < N; j++) { numbers_out[at + i * (N + 1u) + j] = lcp_entry(i, j); }
                        numbers_out[at + i * (N + 1u) + N] = lcp_constant(&x, i);
                    }
                }",
            ],
            threads: count,
            words: &vec![0; 2 * count],
            numbers: &numbers,
            out: [1, n * (n + 1)],
        };
        let (_, found) = probe.run();
        for ((step, x), found) in cases.iter().zip(found.chunks(n * (n + 1))) {
            for i in 0..n {
                for j in 0..n {
                    let (a, b) = (found[i * (n + 1) + j], step.lcp_entry(i, j));
                    assert!(
                        if i / m == 4 { close(a, b, 1.0) } else { a == b },
                        "m = {m}, ({i}, {j}): {a:?}, {b:?}"
                    );
                }
                assert_eq!(
                    found[i * (n + 1) + n],
                    step.lcp_constant(&x[..k], &x[k..], i),
                    "m = {m}, row {i}"
                );
            }
        }
    }
}

// ---- The solvers ----

/// Whether two results agree: to what a few hundred operations leave, relative where they are large.
fn agree<R: Real>(a: &[R], b: &[R]) -> bool {
    a.iter().zip(b).all(|(a, b)| {
        let (a, b) = (a.to_f64(), b.to_f64());
        a == b || (a - b).abs() <= 1024.0 * R::EPSILON * a.abs().max(b.abs()).max(1.0)
    })
}

/// `key_weight` comes from the problem's numbers, which Rust computes.
fn key_weights<R: Real>() {
    for m in 1..=MAX_CONTACTS {
        let mut rng = generator(6, m);
        let problem = column(&mut rng, m);
        let bound = Routh { solution: Solution::Lemke, ..Routh::default() }.bind::<R>(&problem).unwrap();
        let numbers = problem_buffer(&bound);
        let at = Layout::new(m);
        assert_eq!(numbers.len(), at.tolerance + 1);
        assert_eq!(numbers[..at.mu], bound.step.w);
        assert_eq!(numbers[at.mu..at.sigma], bound.step.mu);
        assert_eq!(numbers[at.sigma..at.start], bound.step.sigma);
        assert_eq!(numbers[at.start..at.caps], bound.start);
        assert_eq!(numbers[at.caps..at.rest], bound.caps);
        assert_eq!(numbers[at.rest..at.keys], bound.rest);
        for i in 0..2 * m {
            assert_eq!(numbers[at.keys + i], key_weight::<R>(i));
        }
    }
}

/// What `modes_solve` needs. Words of a thread: combinations, and where its spans lie in `words`, its conditions,
/// maps (in vectors of four), problem and x in `numbers`. The weights of the order and the tolerance follow sigma.
const MODES_NUMBERS: &str = "
fn word(i: u32) -> u32 { return words_in[6u * me + i]; }
fn four(i: u32) -> vec4<real> {
    return vec4<real>(numbers[4u * i], numbers[4u * i + 1u], numbers[4u * i + 2u], numbers[4u * i + 3u]);
}
fn w_at(i: u32) -> real { return numbers[word(4u) + i]; }
fn mu_at(i: u32) -> real { return numbers[word(4u) + K * K + i]; }
fn sigma_at(i: u32) -> real { return numbers[word(4u) + K * K + M + i]; }
fn key_weight(i: u32) -> real { return numbers[word(4u) + K * K + M + K + i]; }
fn tolerance() -> real { return numbers[word(4u) + K * K + M + 2u * K]; }
fn span_at(k: u32) -> vec2<u32> { return vec2<u32>(words_in[word(1u) + 2u * k], words_in[word(1u) + 2u * k + 1u]); }
fn condition_at(i: u32) -> vec4<real> { return four(word(2u) + i); }
fn map_at(i: u32) -> vec4<real> { return four(word(3u) + i); }
fn probe() {
    var x: array<real, X>;
    for (var i = 0u; i < K + M; i++) { x[i] = numbers[word(5u) + i]; }
    var found: Solutions;
    modes_solve(word(0u), tolerance(), &x, &found);
    words_out[2u * me] = found.count;
    words_out[2u * me + 1u] = select(0u, 1u, found.ambiguous);
    for (var rank = 0u; rank < found.count; rank++) {
        let k = solutions_pick(&found, rank);
        var l: array<real, K>;
        modes_impulse(found.combinations[k], &x, &l);
        let at = (me * MOST + rank) * (2u * K + 1u);
        for (var i = 0u; i < K; i++) {
            numbers_out[at + i] = found.velocities[k * K + i];
            numbers_out[at + K + i] = l[i];
        }
        numbers_out[at + 2u * K] = found.residuals[k];
    }
}
";

/// A problem, its table, and the x to solve it at.
type Tabled<R> = (StepProblem<R>, ModeTable<R>, Vec<Vec<R>>);

/// Runs `modes_solve` on each and compares with its twin; the number of solutions of each.
fn compare_modes<R: Real>(m: usize, cases: &[Tabled<R>], what: &str) -> Vec<usize> {
    let (k, most) = (2 * m, most_solutions(m));
    let threads: usize = cases.iter().map(|(_, _, xs)| xs.len()).sum();
    let mut words = vec![0; 6 * threads];
    let mut numbers: Vec<R> = Vec::new();
    let mut thread = 0;
    for (step, table, xs) in cases {
        let spans = words.len() as u32;
        words.extend(table.spans.as_flattened());
        let numbers_at = numbers.len();
        let mut put = |values: &[R]| {
            let at = numbers.len() as u32;
            numbers.extend_from_slice(values);
            at
        };
        put(&vec![R::ZERO; numbers_at.next_multiple_of(4) - numbers_at]);
        let conditions = put(&table_buffer(table, m)) / 4;
        let maps = conditions + (table.conditions.len() / (3 * m) * padded(3 * m) / 4) as u32;
        let problem = put(&step_numbers(step));
        put(&(0..k).map(key_weight).collect::<Vec<R>>());
        put(&[table.tolerance]);
        for x in xs {
            let place = [table.spans.len() as u32, spans, conditions, maps, problem, put(x)];
            words[6 * thread..6 * thread + 6].copy_from_slice(&place);
            thread += 1;
        }
    }
    let text = [STEP, MODES, MODES_NUMBERS];
    let out = [2, most * (2 * k + 1)];
    let probe = Probe { contacts: m, text: &text, threads, words: &words, numbers: &numbers, out };
    let (words, numbers) = probe.run();
    let (mut counts, mut different) = (Vec::new(), 0);
    let all = cases.iter().flat_map(|(step, table, xs)| xs.iter().map(move |x| (step, table, x)));
    for (thread, (step, table, x)) in all.enumerate() {
        let mut expected = Solutions::new(m);
        table.solve(step, x, &mut expected);
        counts.push(expected.count);
        let (count, ambiguous) = (words[2 * thread] as usize, words[2 * thread + 1] == 1);
        if expected.count > most {
            assert!(ambiguous, "{what}: {} solutions do not fit and go unflagged", expected.count);
            continue;
        }
        let same = count == expected.count
            && ambiguous == expected.ambiguous
            && (0..count).all(|rank| {
                let i = expected.pick(rank);
                let mut l = vec![R::ZERO; k];
                table.impulse(step, expected.combinations[i], x, &mut l);
                let row = &numbers[(thread * most + rank) * (2 * k + 1)..][..2 * k + 1];
                agree(&row[..k], expected.velocity(i))
                    && agree(&row[k..2 * k], &l)
                    && agree(&row[2 * k..], &expected.residuals[i..=i])
            });
        different += usize::from(!same);
    }
    assert_few(different, threads, what);
    counts
}

/// `modes_solve` and what it calls, `solutions_pick`: count, order and solutions of steps of random problems and of
/// the built-in scenes, which have several more often.
fn solutions_of_random_steps<R: Real>() {
    for m in 1..=3 {
        let mut problems: Vec<_> = (0..[100, 60, 10][m - 1])
            .map(|case| random_step(&mut generator(7, 1000 * m + case), m))
            .collect();
        let scenes = scene::BUILTIN.iter().map(|scene| scene::load(scene.name).unwrap());
        problems.extend(scenes.filter(|scene| scene.contact_count() == m).map(|scene| {
            let bound = Routh::default().bind::<f64>(&scene).unwrap();
            (bound.step, bound.start, bound.caps)
        }));
        let cases: Vec<_> = problems
            .iter()
            .enumerate()
            .map(|(case, (step, start, caps))| {
                let mut rng = generator(7, 1000 * (m + 10) + case);
                let xs = (0..64).map(|_| cast(&random_x(&mut rng, start, caps))).collect();
                (step.cast(), ModeTable::<R>::new(step, caps), xs)
            })
            .collect();
        let counts = compare_modes(m, &cases, &format!("modes {} m = {m}", R::NAME));
        let most = counts.iter().max().unwrap();
        let several = counts.iter().filter(|&&count| count > 1).count();
        println!("  at most {most} solutions, several in {several} of {}", counts.len());
        assert!(several > 0, "the probe should meet steps with several solutions");
    }
}

/// `solutions_insert` on made-up maps: a contact that may take any impulse, with `u+_t` distinct, alike, or too
/// close to tell, in any order, and with residuals of their own.
fn solutions_merge_in_order<R: Real>() {
    let (distinct, ambiguous) = (R::DISTINCT, R::AMBIGUOUS.to_f64());
    let apart =
        [0.0, 0.3 * ambiguous, 0.5 * (ambiguous + distinct), 0.9 * distinct, 1.5 * distinct, 3.0 * distinct];
    let cases: Vec<_> = (0..400)
        .map(|case| {
            let mut rng = generator(8, case);
            // u+_n = 1e-7 ln, u+_t = -1 + 0.5 ln: at lt = mu ln every ln solves the step, to 1e-7.
            let step = StepProblem::<f64> {
                contacts: 1,
                w: vec![1e-7, 0.0, 0.5, 0.0],
                mu: vec![0.5],
                sigma: vec![1.0; 2],
            };
            let clusters = 1 + case % 6;
            let maps: Vec<f64> = (0..7)
                .flat_map(|_| {
                    let (a, b) = (rng.next_u32() as usize % clusters, rng.next_u32() as usize % apart.len());
                    let ln = 0.1 * (1 + a) as f64 + 2.0 * apart[b];
                    [0.0, 0.0, ln, 0.0, 0.0, 0.5 * ln]
                })
                .collect();
            let table = ModeTable::<R> {
                spans: vec![[0, 0]; 7],
                conditions: vec![R::ZERO; 3],
                impulses: cast(&maps),
                tolerance: R::ZERO,
            };
            (step.cast(), table, vec![cast(&[0.0, -1.0, 1.0])])
        })
        .collect();
    let counts = compare_modes(1, &cases, &format!("insertions {}", R::NAME));
    assert!((1..=6).all(|count| counts.contains(&count)), "every number of solutions should occur");
}

/// More solutions than the kernel holds are flagged, not dropped.
fn too_many_solutions_are_flagged<R: Real>() {
    let step = StepProblem::<f64> {
        contacts: 2,
        w: [vec![0.0; 8], vec![0.5, 0.0, 0.0, 0.0], vec![0.0; 4]].concat(),
        mu: vec![0.5; 2],
        sigma: vec![1.0; 4],
    };
    let many = 2 * most_solutions(2);
    let mut maps = vec![0.0; 24 * many];
    for (i, map) in maps.chunks_mut(24).enumerate() {
        let ln = (1 + i) as f64 / (2 + many) as f64;
        map[4] = ln;
        map[2 * 6 + 4] = 0.5 * ln;
    }
    let table = ModeTable::<R> {
        spans: vec![[0, 0]; many],
        conditions: vec![R::ZERO; 6],
        impulses: cast(&maps),
        tolerance: R::ZERO,
    };
    let x = cast(&[0.0, 0.0, -1.0, 0.0, 1.0, 0.0]);
    let counts = compare_modes(2, &[(step.cast(), table, vec![x])], "too many solutions");
    assert_eq!(counts, [many]);
}

/// `pivot_begin`, `lemke_advance` and what it calls, `lemke_impulse`: the same end, basis and impulse.
fn lemke_on_random_steps<R: Real>() {
    for m in 1..=6 {
        let (k, n, count) = (2 * m, 5 * m, 128);
        let stride = k * k + m + k + 3 * m;
        // Loops of a thread end after 65 535 rounds in all on lavapipe.
        let most = 60_000 / (n * (n + 2) + 12 * n);
        let mut cases = Vec::new();
        let mut numbers: Vec<R> = Vec::new();
        let mut words = Vec::new();
        for case in 0..count {
            let mut rng = generator(9, 1000 * m + case);
            let (step, start, caps) = random_step(&mut rng, m);
            let (step, x) = (step.cast::<R>(), cast::<R>(&random_x(&mut rng, &start, &caps)));
            numbers.extend(step_numbers(&step).iter().chain(&x));
            words.extend([(case % 2) as u32, case as u32]);
            cases.push((step, x));
        }
        let probe = Probe {
            contacts: m,
            text: &[
                PHILOX,
                STREAM,
                STEP,
                ROUTH,
                LEMKE,
                ROUTH_PIVOT,
                &format!("const STRIDE = {stride}u; const LIMIT = {most}u;"),
                STEP_NUMBERS,
                PIVOT_NUMBERS,
                "fn probe() {
                    var s: Sample;
                    for (var i = 0u; i < X_USED; i++) { s.x[i] = number(AFTER + i); }
                    var lemke: Lemke;
                    let stream = Stream(vec2<u32>(9u, 0u), vec2<u32>(words_in[2u * me + 1u], 0u));
                    var end = pivot_begin(stream, N, &s, &lemke);
                    for (var round = 0u; round < LIMIT && end == LEMKE_RUNNING; round++) {
                        end = lemke_advance(N, &lemke);
                    }
                    var l: array<real, K>;
                    lemke_impulse(N, &l);
                    for (var i = 0u; i < K; i++) { numbers_out[me * (CELLS + K) + CELLS + i] = l[i]; }
                    words_out[me * (PLACES + 2u) + PLACES] = end;
                    words_out[me * (PLACES + 2u) + PLACES + 1u] = lemke.rounds;
                }",
            ],
            threads: count,
            words: &words,
            numbers: &numbers,
            out: [4 * n + 4, n * (n + 2) + k],
        };
        let (words, numbers) = probe.run();
        let mut lemke = Lemke::<R>::new(n);
        let (mut different, mut unfinished, mut rays) = (0, 0, 0);
        for (case, (step, x)) in cases.iter().enumerate() {
            let words = &words[case * (4 * n + 4)..(case + 1) * (4 * n + 4)];
            let numbers = &numbers[case * (n * (n + 2) + k)..(case + 1) * (n * (n + 2) + k)];
            let end = match words[4 * n + 2] {
                0 => LemkeEnd::Solved,
                1 => LemkeEnd::Ray,
                2 => LemkeEnd::PivotLimit,
                _ => {
                    unfinished += 1;
                    continue;
                }
            };
            let stream = Stream::new(9, case as u64);
            let covering: Vec<R> = (0..n as u32)
                .map(|j| {
                    let draw = f64::from(stream::unit(stream.draw(0, Purpose::Covering, j)));
                    let random = R::from_f64(COVERING[0]) + R::from_f64(COVERING[1]) * R::from_f64(draw);
                    if case % 2 == 1 { random } else { R::ONE }
                })
                .collect();
            let mut expected = vec![R::ZERO; n];
            let (u, c) = x.split_at(k);
            let expected_end = lemke.solve(
                |i, j| step.lcp_entry(i, j),
                |i| step.lcp_constant(u, c, i),
                |i| covering[i],
                &mut expected,
            );
            let mut z = vec![R::ZERO; n];
            for i in 0..n {
                let variable = words[i] as usize;
                if (n..2 * n).contains(&variable) {
                    z[variable - n] = numbers[i * (n + 2) + n + 1];
                }
            }
            let mut l = vec![R::ZERO; k];
            step.impulse_of(&z, &mut l);
            assert!(agree(&l, &numbers[n * (n + 2)..]), "lemke_impulse, m = {m}, case {case}");
            different += usize::from(end != expected_end || !agree(&z, &expected));
            rays += usize::from(end == LemkeEnd::Ray);
        }
        assert_few(different, count, &format!("lemke {} m = {m}", R::NAME));
        println!("  {rays} rays, {unfinished} not finished within {most} pivots");
        assert!(unfinished <= count / 10);
    }
}

// ---- The header ----

/// The constants of a generated header, by name.
fn constants(text: &str) -> HashMap<&str, f64> {
    let parse = |line: &'_ str| -> Option<(String, f64)> {
        let (name, value) = line.strip_prefix("const ")?.strip_suffix(';')?.split_once(" = ")?;
        let value = value.trim_end_matches("lf").trim_end_matches(['u', 'f']);
        Some((name.trim_end_matches(": real").to_string(), value.parse().ok()?))
    };
    text.lines()
        .filter_map(|line| {
            let (name, value) = parse(line)?;
            let at = line.find(&name)?;
            Some((&line[at..at + name.len()], value))
        })
        .collect()
}

fn check_header<R: Real>() {
    for m in 1..=MAX_CONTACTS {
        let text = header::<R>(m);
        let constant = constants(&text);
        let at = Layout::new(m);
        for (name, value) in [
            ("M", m),
            ("K", 2 * m),
            ("X", padded(3 * m)),
            ("MOST", most_solutions(m)),
            ("MOST_K", most_solutions(m) * 2 * m),
            ("PROBLEM_MU", at.mu),
            ("PROBLEM_SIGMA", at.sigma),
            ("PROBLEM_START", at.start),
            ("PROBLEM_CAPS", at.caps),
            ("PROBLEM_REST", at.rest),
            ("PROBLEM_KEYS", at.keys),
            ("PROBLEM_TOLERANCE", at.tolerance),
            ("WORKGROUP", WORKGROUP as usize),
            ("TERMINATED", Status::Terminated.code().into()),
            ("STEP_LIMIT", Status::StepLimit.code().into()),
            ("UNSOLVED", Status::Unsolved.code().into()),
            ("NOT_FINITE", Status::NotFinite.code().into()),
            ("PURPOSE_RATE", Purpose::Rate as usize),
            ("PURPOSE_SOLUTION", Purpose::Solution as usize),
            ("PURPOSE_COVERING", Purpose::Covering as usize),
        ] {
            assert_eq!(constant[name], value as f64, "{name}, m = {m}");
        }
        for (name, value) in [
            ("ZERO", R::ZERO),
            ("ONE", R::ONE),
            ("HUGE", R::HUGE),
            ("RESIDUAL", R::from_f64(R::RESIDUAL)),
            ("DISTINCT", R::from_f64(R::DISTINCT)),
            ("AMBIGUOUS", R::AMBIGUOUS),
            ("PIVOT", R::PIVOT),
            ("TIE", R::TIE),
            ("COVERING_LOW", R::from_f64(COVERING[0])),
            ("COVERING_RANGE", R::from_f64(COVERING[1])),
        ] {
            assert_eq!(constant[name], value.to_f64(), "{name}, {}", R::NAME);
        }
        assert!(text.contains(&format!("alias real = {};", R::NAME)));
        let mendable = R::EPSILON > f64::EPSILON;
        assert!(text.contains(&format!("const MENDABLE = {mendable};")));
        assert_eq!(text.lines().count(), 20 + 10 + 2, "a constant that this test does not know");
    }
}

#[test]
fn the_header_says_what_rust_says() {
    check_header::<f32>();
    check_header::<f64>();
}

#[test]
fn the_run_uniform_is_laid_out_as_in_the_shader() {
    assert_eq!(size_of::<RunUniform>(), 64);
    assert_eq!(size_of::<RunUniform>() % 16, 0);
    let offsets = [
        ("seed", offset_of!(RunUniform, seed)),
        ("first", offset_of!(RunUniform, first)),
        ("count", offset_of!(RunUniform, count)),
        ("max_steps", offset_of!(RunUniform, max_steps)),
        ("combinations", offset_of!(RunUniform, combinations)),
        ("first_map", offset_of!(RunUniform, first_map)),
        ("lcp_size", offset_of!(RunUniform, lcp_size)),
        ("random_covering", offset_of!(RunUniform, random_covering)),
        ("threads", offset_of!(RunUniform, threads)),
        ("budget", offset_of!(RunUniform, budget)),
        ("fresh", offset_of!(RunUniform, fresh)),
        ("padding0", offset_of!(RunUniform, padding)),
    ];
    let (_, body) = SAMPLE.split_once("struct Run {").unwrap();
    let (body, _) = body.split_once('}').unwrap();
    let mut at = 0;
    let mut fields = Vec::new();
    for line in body.lines() {
        let line = line.trim();
        let Some((name, kind)) = line.trim_end_matches(',').split_once(": ") else { continue };
        if line.starts_with("//") {
            continue;
        }
        let (size, align) = match kind {
            "u32" => (4, 4),
            "vec2<u32>" => (8, 8),
            other => panic!("a size for {other}"),
        };
        at = usize::next_multiple_of(at, align);
        fields.push((name, at));
        at += size;
    }
    assert_eq!(at, 64);
    assert_eq!(fields[..offsets.len()], offsets);
    assert!(fields[offsets.len()..].iter().all(|(name, _)| name.starts_with("padding")));
}

// ---- Whole runs ----

/// A column of m particles that all strike the next one below, along normals a little off the vertical.
fn column(rng: &mut StreamRng, m: usize) -> ContactProblem {
    let n = 2 * m;
    let (mut normal, mut tangent) = (vec![vec![0.0; n]; m], vec![vec![0.0; n]; m]);
    let mut mass = vec![vec![0.0; n]; n];
    let mut velocity = vec![0.0; n];
    for i in 0..m {
        let (sin, cos) = uniform(rng, -0.4, 0.4).sin_cos();
        normal[i][2 * i..2 * i + 2].copy_from_slice(&[sin, cos]);
        tangent[i][2 * i..2 * i + 2].copy_from_slice(&[cos, -sin]);
        if i > 0 {
            normal[i][2 * i - 2..2 * i].copy_from_slice(&[-sin, -cos]);
            tangent[i][2 * i - 2..2 * i].copy_from_slice(&[-cos, sin]);
        }
        let kg = uniform(rng, 0.5, 2.0);
        mass[2 * i][2 * i] = kg;
        mass[2 * i + 1][2 * i + 1] = kg;
        velocity[2 * i] = uniform(rng, -0.2, 0.2);
        velocity[2 * i + 1] = -1.0 - i as f64;
    }
    let friction = Some(vec![0.5; m]);
    ContactProblem::new(ProblemSpec { mass, normal, tangent, friction, velocity, ..ProblemSpec::default() })
        .unwrap()
}

fn precision_of<R: Real>() -> Precision {
    if R::EPSILON > f64::EPSILON { Precision::F32 } else { Precision::F64 }
}

fn plan(solution: Solution, precision: Precision, samples: u64, seed: u64) -> Plan {
    let law = Law::Routh(Routh { solution, ..Routh::default() });
    Plan { law, samples, seed, precision: Some(precision), ..Plan::default() }
}

fn samples(engine: &Engine, problem: &ContactProblem, plan: &Plan) -> Samples {
    engine.collect(problem, plan).unwrap().1
}

/// Largest difference of the velocities of sample `i`.
fn apart(a: &Samples, b: &Samples, i: usize) -> f64 {
    let (a, b) = (a.row(&a.velocity, i), b.row(&b.velocity, i));
    a.iter().zip(b).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

/// Builds and runs the kernels of these sizes, each in under a minute, and compares with the CPU.
fn kernels<R: Real>(sizes: std::ops::RangeInclusive<usize>, solution: Solution) {
    bench();
    let (cpu, gpu) = (Engine::open(&Device::Cpu).unwrap(), Engine::open(&Device::Gpu).unwrap());
    for m in sizes {
        let what = format!("{} {} m = {m}", solution.name(), R::NAME);
        let problem = column(&mut generator(10, m), m);
        let law = Law::Routh(Routh { solution, max_steps: Some(8), ..Routh::default() });
        let plan = Plan { law, ..plan(solution, precision_of::<R>(), 128, m as u64) };
        let start = Instant::now();
        let found = samples(&gpu, &problem, &plan);
        let first = start.elapsed().as_secs_f64();
        let start = Instant::now();
        assert_prefix(&samples(&gpu, &problem, &plan), &found, &what);
        let second = start.elapsed().as_secs_f64();
        println!("{what}: {first:.2} s the first time, {second:.2} s the second");
        let expected = samples(&cpu, &problem, &plan);
        let different = (0..found.len())
            .filter(|&i| {
                found.status[i] != expected.status[i]
                    || found.steps[i] != expected.steps[i]
                    || apart(&found, &expected, i) > 1024.0 * R::EPSILON * problem.velocity().amax()
            })
            .count();
        assert_few(different, found.len(), &format!("samples {what}"));
        assert!(first < 60.0, "{what}: the kernel took {first:.1} s to build and run");
    }
}

fn table_kernels<R: Real>() {
    kernels::<R>(1..=ModeTable::<R>::MAX_CONTACTS, Solution::Random);
}

/// Lemke's method with ones up to three contacts, with random covering vectors above.
fn pivot_kernels<R: Real>() {
    let most = ModeTable::<R>::MAX_CONTACTS;
    kernels::<R>(1..=most, Solution::Lemke);
    kernels::<R>(most + 1..=MAX_CONTACTS, Solution::Random);
}

/// The sample's number has 64 bits, the thread's 32.
fn samples_across_the_word_boundary<R: Real>() {
    let problem = scene::load("rocking-block").unwrap();
    let gpu = open();
    for solution in [Solution::Random, Solution::Lemke] {
        let bound = Routh { solution, ..Routh::default() }.bind::<R>(&problem).unwrap();
        let mut kernel = Kernel::new(&gpu, &bound, (7 << 32) | 5).unwrap();
        let mut work = bound.workspace();
        for first in [0, (1 << 32) - 70, (9 << 32) - 1] {
            let raw = kernel.dispatch::<R>(first, 200, || false).unwrap();
            let different = (0..200)
                .filter(|&i| {
                    let stream = Stream::new((7 << 32) | 5, first + i as u64);
                    let ending = bound.sample(&stream, &mut work);
                    let found = &raw.impulses[4 * i..4 * i + 4];
                    raw.endings[i].status != ending.status
                        || raw.endings[i].steps != ending.steps
                        || !agree(found, &work.total)
                })
                .count();
            assert_few(different, 200, &format!("samples from {first}"));
        }
    }
}

/// Matched samples of the built-in scenes: the same sample on both devices, but for a bounded share of flips.
fn built_in_scenes<R: Real>() {
    bench();
    let (cpu, gpu) = (Engine::open(&Device::Cpu).unwrap(), Engine::open(&Device::Gpu).unwrap());
    for name in scene::BUILTIN.iter().map(|scene| scene.name) {
        let problem = scene::load(name).unwrap();
        for solution in [Solution::Random, Solution::Lemke] {
            let plan = plan(solution, precision_of::<R>(), 2000, 5);
            let (a, b) = (samples(&cpu, &problem, &plan), samples(&gpu, &problem, &plan));
            let tolerance = 1024.0 * R::EPSILON * problem.velocity().amax();
            let different =
                (0..a.len()).filter(|&i| a.status[i] != b.status[i] || apart(&a, &b, i) > tolerance);
            assert_few(different.count(), a.len(), &format!("{name}, {}, {}", solution.name(), R::NAME));
        }
    }
}

/// A rigid block on two uneven corners: single precision has gone wrong on it without a word.
fn nasty_block() -> ContactProblem {
    let contacts = [[-0.5, -1.0], [0.05, -0.9]];
    ContactProblem::new(ProblemSpec {
        name: "nasty block".to_string(),
        mass: vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 5.0 / 12.0]],
        normal: contacts.iter().map(|c| vec![0.0, 1.0, c[0]]).collect(),
        tangent: contacts.iter().map(|c| vec![1.0, 0.0, -c[1]]).collect(),
        friction: Some(vec![0.7; 2]),
        velocity: vec![0.0, -1.0, 0.0],
        ..ProblemSpec::default()
    })
    .unwrap()
}

/// Whether the impulse of sample `i` is a way out, judged in f64 from the handed-out impulse alone: `u+ = u + W L`
/// approaches nowhere, the impulse lies in the friction cones, no energy is gained, and `v+` belongs to it.
fn valid(problem: &ContactProblem, samples: &Samples, i: usize) -> bool {
    let m = problem.contact_count();
    let l = DVector::from_row_slice(samples.row(&samples.impulse, i));
    let u = problem.contact_velocity() + problem.delassus() * &l;
    let v = problem.velocity() + problem.response() * &l;
    let said = samples.row(&samples.velocity, i);
    let (speed, before) = (problem.velocity().amax(), problem.kinetic_energy(problem.velocity().as_slice()));
    let tolerance = 1e-5;
    (0..m).all(|j| u[j] >= -tolerance * speed)
        && (0..m)
            .all(|j| l[j] >= 0.0 && l[m + j].abs() <= problem.friction()[j] * l[j] + tolerance * l.amax())
        && problem.kinetic_energy(v.as_slice()) <= before * (1.0 + tolerance)
        && v.iter().zip(said).all(|(a, b)| (a - b).abs() <= tolerance * speed)
}

#[test]
fn no_sample_of_the_nasty_block_is_wrong_unflagged() {
    let problem = nasty_block();
    let (cpu, gpu) = (Engine::open(&Device::Cpu).unwrap(), Engine::open(&Device::Gpu));
    bench();
    let gpu = gpu.unwrap();
    let count = 100_000;
    for solution in [Solution::Random, Solution::Lemke] {
        let reference = samples(&cpu, &problem, &plan(solution, Precision::F64, count, 1));
        let mut runs = vec![("CPU f32", samples(&cpu, &problem, &plan(solution, Precision::F32, count, 1)))];
        runs.push(("GPU f32", samples(&gpu, &problem, &plan(solution, Precision::F32, count, 1))));
        if bench().double {
            runs.push(("GPU f64", samples(&gpu, &problem, &plan(solution, Precision::F64, count, 1))));
        }
        for (name, run) in &runs {
            let bound = if *name == "GPU f64" { f64::RESIDUAL } else { f32::RESIDUAL };
            let accepted = |samples: &Samples, i: usize| {
                samples.status[i] == Status::Terminated && samples.residual[i] <= bound
            };
            let (mut refused, mut flips) = (0, Vec::new());
            for i in 0..run.len() {
                assert!(accepted(&reference, i), "CPU f64 sample {i}: {:?}", reference.status[i]);
                if !accepted(run, i) {
                    refused += 1;
                    continue;
                }
                assert!(valid(&problem, run, i), "{name} {} sample {i}", solution.name());
                if apart(run, &reference, i) > 1e-4 {
                    flips.push(i);
                }
            }
            // A flip ends elsewhere in the set, not outside it.
            let farthest = flips
                .iter()
                .map(|&i| {
                    let v = run.row(&run.velocity, i);
                    let distance =
                        |w: &[f64]| v.iter().zip(w).fold(0.0, |d: f64, (v, w)| d.max((v - w).abs()));
                    reference.velocity.chunks(3).map(distance).fold(f64::INFINITY, f64::min)
                })
                .fold(0.0, f64::max);
            let repaired = run.repaired.iter().filter(|&&x| x).count();
            println!(
                "{name} {}: {} flips ({:.4} %), the farthest {farthest:.1e} from the set, {repaired} repaired, \
                 {refused} refused, of {count}",
                solution.name(),
                flips.len(),
                100.0 * flips.len() as f64 / count as f64
            );
            assert!(flips.len() <= run.len() / 1000, "{name}: {} flips", flips.len());
            assert!(farthest <= 0.01, "{name}: a flip {farthest} away from the set");
            assert!(refused <= run.len() / 1000, "{name}: {refused} samples refused");
        }
    }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

fn assert_prefix(short: &Samples, long: &Samples, what: &str) {
    let pairs = [
        (&short.velocity, &long.velocity),
        (&short.contact_velocity, &long.contact_velocity),
        (&short.impulse, &long.impulse),
        (&short.kinetic_energy, &long.kinetic_energy),
        (&short.residual, &long.residual),
    ];
    for (a, b) in pairs {
        assert!(bits(a) == bits(&b[..a.len()]), "{what}: other bits");
    }
    assert!(short.steps == long.steps[..short.len()], "{what}: other steps");
    assert!(short.status == long.status[..short.len()], "{what}: other statuses");
    assert!(short.repaired == long.repaired[..short.len()], "{what}: other repairs");
}

#[test]
fn neither_the_count_nor_the_chunk_changes_a_bit() {
    bench();
    let gpu = Engine::open(&Device::Gpu).unwrap();
    let block = scene::load("rocking-block").unwrap();
    for solution in [Solution::Random, Solution::Lemke] {
        let plan = |samples, chunk| Plan { chunk, ..plan(solution, Precision::F32, samples, 3) };
        let long = samples(&gpu, &block, &plan(20_000, None));
        assert_prefix(&samples(&gpu, &block, &plan(1000, None)), &long, "1000 of 20000");
        for chunk in [1024, 5000, 50_000] {
            let run = samples(&gpu, &block, &plan(20_000, Some(chunk)));
            assert_prefix(&run, &long, &format!("chunk {chunk}"));
        }
    }
}

/// A chunk may be larger than what one dispatch holds.
#[test]
fn dispatches_join_without_a_seam() {
    bench();
    let gpu = Engine::open(&Device::Gpu).unwrap();
    let block = scene::load("rocking-block").unwrap();
    let pile = column(&mut generator(10, MAX_CONTACTS), MAX_CONTACTS);
    for (problem, max_steps) in [(&block, None), (&pile, Some(2))] {
        let law = Routh { max_steps, ..Routh::default() };
        let dispatch = Kernel::new(&open(), &law.bind::<f32>(problem).unwrap(), 4).unwrap().chunk();
        let count = dispatch + 1000;
        let base = Plan { law: Law::Routh(law), ..plan(Solution::Random, Precision::F32, count, 4) };
        let whole = samples(&gpu, problem, &Plan { chunk: Some(count), ..base.clone() });
        assert_eq!(whole.len() as u64, count);
        assert_prefix(&samples(&gpu, problem, &Plan { chunk: Some(5000), ..base }), &whole, "dispatches");
    }
}
