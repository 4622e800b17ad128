//! Probe kernels: the shaders' own text, a few bindings, and an entry point that calls one
//! function.

use super::*;

pub struct Bench {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    /// Whether the adapter computes in f64.
    pub double: bool,
    /// lavapipe rounds as Rust does, operation by operation; hardware contracts and divides less
    /// exactly.
    pub exact: bool,
}

/// The adapter that `--device gpu` takes, opened for probes. Without one the test fails.
pub fn bench() -> &'static Bench {
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
            required_features: adapter.features()
                & (wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64 | PASSTHROUGH),
            required_limits: adapter.limits(),
            ..Default::default()
        }))
        .unwrap();
        let (double, exact) = (gpu.report.f64, gpu.report.name.contains("llvmpipe"));
        println!("probes run on {}; f64 there: {double}", gpu.report.name);
        Bench { device, queue, double, exact }
    })
}

/// The adapter of the tests, opened once for kernels.
pub fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(open)
}

pub fn open() -> Gpu {
    match Gpu::open(&Device::Gpu) {
        Ok(Some(gpu)) => gpu,
        _ => panic!(
            "these tests need a Vulkan, Metal or DX12 adapter. A software one will do: on Debian or Ubuntu \
             `apt-get install --no-install-recommends mesa-vulkan-drivers libvulkan1`; or leave these tests out \
             with `--no-default-features`"
        ),
    }
}

/// What `threads` threads read, for m contacts with so many axes of friction, and how many words
/// and numbers each of them writes.
pub struct Probe<'a, R> {
    shape: [usize; 2],
    words: &'a [u32],
    numbers: &'a [R],
    threads: usize,
    out: [usize; 2],
}

pub const BINDINGS: &str = "
@group(0) @binding(0) var<storage, read> words_in: array<u32>;
@group(0) @binding(1) var<storage, read> numbers: array<real>;
@group(0) @binding(2) var<storage, read_write> words_out: array<u32>;
@group(0) @binding(3) var<storage, read_write> numbers_out: array<real>;
var<private> me: u32;
";

impl<'a, R: Real> Probe<'a, R> {
    pub fn of(
        shape: [usize; 2],
        words: &'a [u32],
        numbers: &'a [R],
        threads: usize,
        out: [usize; 2],
    ) -> Self {
        Probe { shape, words, numbers, threads, out }
    }

    /// A program whose `text` follows the header and the bindings, and has a `fn probe()` that
    /// thread `me` calls. It reads `words` and `numbers`, and writes its own part of `words_out`
    /// and `numbers_out`.
    pub fn wgsl(&self, text: &[&str]) -> String {
        let [contacts, axes] = self.shape;
        format!(
            "{}{BINDINGS}{}
            @compute @workgroup_size(64)
            fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                me = id.x;
                if (me < {}u) {{ probe(); }}
            }}",
            header::<R>(contacts, axes),
            text.concat(),
            self.threads,
        )
    }

    /// The words and the numbers that the program leaves.
    pub fn run(&self, text: &[&str]) -> (Vec<u32>, Vec<R>) {
        let [words, numbers] = self.out.map(|count| self.threads * count);
        let inputs = [bytemuck::cast_slice(self.words), bytemuck::cast_slice(self.numbers)];
        let sizes = [4 * words, size_of::<R>() * numbers];
        let groups = (self.threads as u32).div_ceil(64);
        let found = execute(&self.wgsl(text), "main", groups, &inputs, &sizes);
        (bytemuck::pod_collect_to_vec(&found[0]), bytemuck::pod_collect_to_vec(&found[1]))
    }
}

/// Runs an entry point whose bindings are inputs, which it reads, and then outputs of so many
/// bytes, which it writes.
pub fn execute(
    text: &str,
    entry: &str,
    groups: u32,
    inputs: &[&[u8]],
    outputs: &[usize],
) -> Vec<Vec<u8>> {
    let bench = bench();
    let translation = gpu().translation(true, true);
    let (module, entries) = module(&bench.device, ["probe", entry], text, translation).unwrap();
    let stored = |binding| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: binding < inputs.len() },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let all = || (0..inputs.len() + outputs.len()).map(stored).collect();
    let entries: Vec<_> = entries.unwrap_or_else(all);
    execute_module(&module, &entries, entry, groups, inputs, outputs)
}

/// Runs the entry point of a module that has these bindings.
pub fn execute_module(
    module: &wgpu::ShaderModule,
    entries: &[wgpu::BindGroupLayoutEntry],
    entry: &str,
    groups: u32,
    inputs: &[&[u8]],
    outputs: &[usize],
) -> Vec<Vec<u8>> {
    let Bench { device, queue, .. } = bench();
    let layout =
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        bind_group_layouts: &[Some(&layout)],
        ..Default::default()
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("probe"),
        layout: Some(&pipeline_layout),
        module,
        entry_point: Some(entry),
        compilation_options: Default::default(),
        cache: None,
    });
    let upload = |bytes: &[u8]| {
        let contents = if bytes.is_empty() { &[0; 16] } else { bytes };
        let usage = wgpu::BufferUsages::STORAGE;
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents,
            usage,
        })
    };
    let empty = |bytes: usize, usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes.max(16) as u64,
            usage,
            mapped_at_creation: false,
        })
    };
    let given: Vec<_> = inputs.iter().map(|bytes| upload(bytes)).collect();
    let made = |usage| outputs.iter().map(|&bytes| empty(bytes, usage)).collect::<Vec<_>>();
    let written = made(wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
    let reads = made(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    let entries: Vec<_> = given
        .iter()
        .chain(&written)
        .zip(0..)
        .filter(|(_, i)| entries.iter().any(|entry| entry.binding == *i))
        .map(|(buffer, binding)| wgpu::BindGroupEntry {
            binding,
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
        pass.dispatch_workgroups(groups, 1, 1);
    }
    for (output, read) in written.iter().zip(&reads) {
        encoder.copy_buffer_to_buffer(output, 0, read, 0, None);
    }
    queue.submit([encoder.finish()]);
    for read in &reads {
        read.slice(..).map_async(wgpu::MapMode::Read, Result::unwrap);
    }
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let bytes = |(read, &count): (&wgpu::Buffer, &usize)| {
        read.slice(0..).get_mapped_range().unwrap()[..count].to_vec()
    };
    reads.iter().zip(outputs).map(bytes).collect()
}

/// The first samples of seed 3, and the seconds that the kernel takes to be built, and to run.
pub fn timed<R: Real>(bound: &Process<R>, samples: u64) -> (Raw<R>, [f64; 2]) {
    let start = Instant::now();
    let mut kernel = Kernel::new(gpu(), bound, 3).unwrap();
    kernel.dispatch::<R>(0, 1, || false).unwrap();
    let first = start.elapsed().as_secs_f64();
    let raw = kernel.dispatch::<R>(0, samples, || false).unwrap();
    (raw, [first, start.elapsed().as_secs_f64() - first])
}

/// A problem with m contacts, so many tangents at each, and random numbers: every other one is of
/// one body, which has redundant contacts, or else of more coordinates. Some contacts have no
/// friction, and in the plane some have the same normal and tangent.
pub fn random_problem(rng: &mut Draws, m: usize, tangents: usize) -> ContactProblem {
    let n = if rng.below(2) == 0 { 3 * tangents } else { (1 + tangents) * m + tangents };
    let mut rows = |count: usize| -> Vec<Vec<f64>> {
        (0..count).map(|_| (0..n).map(|_| rng.uniform(-1.0, 1.0)).collect()).collect()
    };
    let (root, mut normal, mut tangent) = (rows(n), rows(m), rows(tangents * m));
    let product = |i: usize, j: usize| (0..n).map(|a| root[i][a] * root[j][a]).sum::<f64>();
    let mass =
        (0..n).map(|i| (0..n).map(|j| product(i, j) + f64::from(i == j)).collect()).collect();
    if tangents == 1 && m > 1 && rng.below(4) == 0 {
        (normal[m - 1], tangent[m - 1]) = (normal[0].clone(), tangent[0].clone());
    }
    let most = if tangents == 1 { 1.5 } else { 1.2 };
    let mut mu = |_| if rng.below(5) == 0 { 0.0 } else { rng.uniform(0.1, most) };
    let friction = Some((0..m).map(&mut mu).collect());
    let velocity = (0..n)
        .map(|j| rng.uniform(-0.3, 0.3) - normal.iter().map(|row| row[j]).sum::<f64>())
        .collect();
    let spec = ProblemSpec { mass, normal, tangent, friction, velocity, ..ProblemSpec::default() };
    ContactProblem::new(spec).unwrap()
}

/// The text of one function of a shader.
pub fn function<'t>(text: &'t str, name: &str) -> &'t str {
    let begin = text.find(&format!("fn {name}(")).expect(name);
    let end = text[begin..].find("\n}\n").expect(name);
    &text[begin..begin + end + 3]
}

pub fn cast<R: Real>(values: &[f64]) -> Vec<R> {
    values.iter().map(|&x| R::from_f64(x)).collect()
}

/// A few units in the last place of numbers of size `size`.
pub fn close<R: Real>(a: R, b: R, size: f64) -> bool {
    a == b || (a.to_f64() - b.to_f64()).abs() <= 16.0 * R::EPSILON * size
}

/// Decisions that differ are bugs on an adapter that rounds as Rust does; elsewhere few may fall on
/// an edge.
pub fn assert_few(different: usize, of: usize, what: &str) {
    println!("{what}: {different} of {of} differ");
    let allowed = if bench().exact { 0 } else { of / 50 };
    assert!(different <= allowed, "{what}: {different} of {of} differ, {allowed} allowed");
}

/// All samplers, two of them in a mix.
pub fn samplers() -> [Sampler; 2] {
    ["uniform:1,sobol:1".parse().unwrap(), Sampler::Coverage]
}
