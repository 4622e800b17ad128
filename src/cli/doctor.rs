//! `carom doctor`: devices of this machine.

use std::fmt::Write;

use crate::args::DoctorArgs;
use crate::version::{COMMIT, version};
use crate::{Error, Result, terminal};
use carom_engine::gpu::AdapterReport;
use carom_engine::{Device, DeviceInfo, Engine, Precision};
use carom_report::Version;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// The report.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom doctor --json` prints")]
pub struct Doctor {
    #[serde(flatten)]
    version: Version,
    /// The commit that was built; null: unknown.
    commit: Option<&'static str>,
    cpu: Cpu,
    features: Features,
    adapters: Vec<AdapterReport>,
    auto: Auto,
}

#[derive(Serialize, JsonSchema)]
struct Cpu {
    name: String,
    cores: usize,
}

/// What is built in.
#[derive(Serialize, JsonSchema)]
struct Features {
    gpu: bool,
    npz: bool,
    images: bool,
    parquet: bool,
}

/// What `--device auto` takes.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Auto {
    Opened { kind: &'static str, name: String, backend: String, precision: Precision, why: String },
    Failed { error: String },
}

/// Prints the report. A machine without GPU is no failure; a device that does not open is one.
pub fn run(args: &DoctorArgs) -> Result<u8> {
    let cpu = Engine::open(&Device::Cpu)?.info().clone();
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let adapters = carom_engine::gpu::adapters();
    let auto = Engine::open(&Device::Auto).map(|engine| engine.info().clone());
    if args.json {
        terminal::print_json(&json!(report(&cpu, cores, adapters, &auto)))?;
    } else {
        terminal::print(&text(&cpu, cores, &adapters, &auto))?;
    }
    if let Some(wanted) = &args.require {
        require(wanted)?;
    }
    auto.map(|_| terminal::DONE)
}

/// Hint for hardware that is not found.
const MISSING: &str = "a GPU needs its driver's Vulkan part: on Linux libvulkan1 and the driver's ICD, a file in \
    /usr/share/vulkan/icd.d or /etc/vulkan/icd.d; containers need NVIDIA_DRIVER_CAPABILITIES=all, or /dev/dri for AMD and Intel";

/// Fails unless the machine has the wanted adapter.
fn require(wanted: &str) -> Result<()> {
    let all = carom_engine::gpu::adapters();
    let found = match wanted.trim() {
        "gpu" => all.iter().any(AdapterReport::is_hardware),
        name => AdapterReport::named(&all, name).is_some(),
    };
    let what = match (wanted.trim(), all.len()) {
        _ if found => return Ok(()),
        ("gpu", 0) => "there is no adapter".to_string(),
        ("gpu", _) => "there are only software adapters".to_string(),
        (name, _) => format!("no adapter is called `{name}`"),
    };
    Err(Error::device(what).at("--require").hint(MISSING))
}

fn precision(device: &DeviceInfo) -> Precision {
    if device.kind == "gpu" { Precision::F32 } else { Precision::F64 }
}

type Opened = Result<DeviceInfo>;

fn report(cpu: &DeviceInfo, cores: usize, adapters: Vec<AdapterReport>, auto: &Opened) -> Doctor {
    Doctor {
        version: Version::default(),
        commit: COMMIT,
        cpu: Cpu { name: cpu.name.clone(), cores },
        features: Features { gpu: true, npz: true, images: true, parquet: true },
        adapters,
        auto: match auto {
            Ok(d) => {
                let DeviceInfo { kind, name, backend, why, .. } = d.clone();
                Auto::Opened { kind, name, backend, precision: precision(d), why }
            }
            Err(error) => Auto::Failed { error: error.to_string() },
        },
    }
}

fn text(cpu: &DeviceInfo, cores: usize, adapters: &[AdapterReport], auto: &Opened) -> String {
    let mut text = String::new();
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(text, "{key:<12}{value}");
    };
    line("carom", version());
    line("cpu", &format!("{}, {cores} cores", cpu.name));
    line("built with", "gpu yes, npz yes, images yes, parquet yes");
    if adapters.is_empty() {
        line("adapters", "none found");
    }
    for (i, a) in adapters.iter().enumerate() {
        let twin = |other: &&AdapterReport| other.name == a.name && other.backend == a.backend;
        let number = adapters[..i].iter().filter(twin).count();
        let several = adapters.iter().filter(twin).count() > 1;
        let AdapterReport { name, backend, driver, .. } = a;
        let number = if several { format!("#{number}") } else { String::new() };
        let kind = if a.kind == "cpu" { "software" } else { &a.kind };
        let key = if i == 0 { "adapters" } else { "" };
        line(key, &format!("{name}{number} ({kind}, {backend})"));
        let pci = a.pci.as_ref().map_or(String::new(), |place| format!(", PCI {place}"));
        line("", &format!("  driver {driver}{pci}"));
        let doubles = if a.f64 { "f32 and f64" } else { "f32 only" };
        let (buffers, shared) = (a.storage_buffer_bytes >> 20, a.workgroup_memory_bytes >> 10);
        let memory = format!("buffers up to {buffers} MiB, {shared} KiB of workgroup memory");
        line("", &format!("  {doubles}, {memory}"));
    }
    match auto {
        Ok(d) => {
            let DeviceInfo { name, backend, why, .. } = d;
            let (word, precision) = (d.word(), precision(d).name());
            line("auto uses", &format!("{name} ({word}, {backend}), {precision}: {why}"));
        }
        Err(error) => line("auto fails", &error.to_string()),
    }
    text
}
