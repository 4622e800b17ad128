//! `carom doctor`: what this machine can compute on.

use std::fmt::Write;

#[cfg(feature = "gpu")]
use crate::engine::gpu::Tuned;
use crate::shading::Variant;
use crate::{Device, DeviceInfo, Engine, Error, Result};
use serde_json::{Value, json};

use crate::cli::args::DoctorArgs;
use crate::cli::terminal;
use crate::cli::version::{COMMIT, version};

/// A row of the report: an adapter.
struct Adapter {
    name: String,
    backend: String,
    kind: String,
    driver: String,
    pci: Option<String>,
    f64: bool,
    storage_buffer_bytes: u64,
    workgroup_memory_bytes: u32,
    /// The fastest variant found by `carom bench --tune`.
    tuned: Option<Variant>,
}

#[cfg(feature = "gpu")]
fn adapters() -> Vec<Adapter> {
    (crate::adapters().into_iter())
        .map(|a| Adapter {
            tuned: Tuned::of(&a),
            name: a.name,
            backend: a.backend,
            kind: a.kind,
            driver: a.driver,
            pci: a.pci,
            f64: a.f64,
            storage_buffer_bytes: a.storage_buffer_bytes,
            workgroup_memory_bytes: a.workgroup_memory_bytes,
        })
        .collect()
}

#[cfg(not(feature = "gpu"))]
fn adapters() -> Vec<Adapter> {
    Vec::new()
}

/// Prints the report. Not finding a GPU is a finding, not a failure; a device that does not open is
/// one.
pub fn run(args: &DoctorArgs) -> Result<u8> {
    let cpu = Engine::open(&Device::Cpu)?.info().clone();
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let adapters = adapters();
    let auto = Engine::open(&Device::Auto).map(|engine| engine.info().clone());
    if args.json {
        terminal::print_json(&report(&cpu, cores, &adapters, &auto))?;
    } else {
        terminal::print(&text(&cpu, cores, &adapters, &auto))?;
    }
    if let Some(wanted) = &args.require {
        require(wanted)?;
    }
    auto.map(|_| terminal::DONE)
}

/// What hardware lacks where it is not found.
const MISSING: &str = "a GPU needs its driver's Vulkan part: on Linux libvulkan1 and the driver's ICD, a file in \
    /usr/share/vulkan/icd.d or /etc/vulkan/icd.d; containers need NVIDIA_DRIVER_CAPABILITIES=all, or /dev/dri for AMD and Intel";

/// Refuses a machine without the adapter that is wanted.
#[cfg(feature = "gpu")]
fn require(wanted: &str) -> Result<()> {
    let all = crate::adapters();
    let found = match wanted.trim() {
        "gpu" => all.iter().any(crate::AdapterReport::is_hardware),
        name => crate::AdapterReport::named(&all, name).is_some(),
    };
    let what = match (wanted.trim(), all.len()) {
        _ if found => return Ok(()),
        ("gpu", 0) => "there is no adapter".to_string(),
        ("gpu", _) => "there are only software adapters".to_string(),
        (name, _) => format!("no adapter is called `{name}`"),
    };
    Err(Error::device(what).at("--require").hint(MISSING))
}

#[cfg(not(feature = "gpu"))]
fn require(_: &str) -> Result<()> {
    Err(Error::device("this build has no GPU engine").at("--require"))
}

/// The precision that `--device` takes by default.
fn precision(device: &DeviceInfo) -> &'static str {
    if device.kind == "gpu" { "f32" } else { "f64" }
}

fn report(
    cpu: &DeviceInfo,
    cores: usize,
    adapters: &[Adapter],
    auto: &Result<DeviceInfo, Error>,
) -> Value {
    let adapters: Vec<Value> = (adapters.iter())
        .map(|a| {
            json!({
                "name": a.name,
                "backend": a.backend,
                "kind": a.kind,
                "driver": a.driver,
                "pci": a.pci,
                "f64": a.f64,
                "storage_buffer_bytes": a.storage_buffer_bytes,
                "workgroup_memory_bytes": a.workgroup_memory_bytes,
                "tuned": a.tuned,
            })
        })
        .collect();
    json!({
        "schema_version": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "commit": COMMIT,
        "cpu": { "name": cpu.name, "cores": cores },
        "features": {
            "gpu": cfg!(feature = "gpu"),
            "npz": cfg!(feature = "npz"),
            "images": cfg!(feature = "images"),
            "parquet": cfg!(feature = "parquet"),
        },
        "adapters": adapters,
        "auto": match auto {
            Ok(d) => json!({
                "kind": d.kind, "name": d.name, "backend": d.backend, "precision": precision(d), "why": d.why,
            }),
            Err(error) => json!({ "error": error.to_string() }),
        },
    })
}

fn text(
    cpu: &DeviceInfo,
    cores: usize,
    adapters: &[Adapter],
    auto: &Result<DeviceInfo, Error>,
) -> String {
    let mut text = String::new();
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(text, "{key:<12}{value}");
    };
    line("carom", version());
    line("cpu", &format!("{}, {cores} cores", cpu.name));
    let has =
        |feature: &str, built: bool| format!("{feature} {}", if built { "yes" } else { "no" });
    let features = [
        has("gpu", cfg!(feature = "gpu")),
        has("npz", cfg!(feature = "npz")),
        has("images", cfg!(feature = "images")),
        has("parquet", cfg!(feature = "parquet")),
    ];
    line("built with", &features.join(", "));
    if adapters.is_empty() {
        let none = if cfg!(feature = "gpu") {
            "none found"
        } else {
            "not looked for: built without the feature gpu"
        };
        line("adapters", none);
    }
    for (i, a) in adapters.iter().enumerate() {
        let twin = |other: &&Adapter| other.name == a.name && other.backend == a.backend;
        let number = adapters[..i].iter().filter(twin).count();
        let several = adapters.iter().filter(twin).count() > 1;
        line(
            if i == 0 { "adapters" } else { "" },
            &format!(
                "{}{} ({}, {})",
                a.name,
                if several { format!("#{number}") } else { String::new() },
                if a.kind == "cpu" { "software" } else { &a.kind },
                a.backend
            ),
        );
        let pci = a.pci.as_ref().map_or(String::new(), |place| format!(", PCI {place}"));
        line("", &format!("  driver {}{pci}", a.driver));
        if let Some(tuned) = a.tuned {
            line("", &format!("  tuned by `carom bench --tune`: {tuned}"));
        }
        let doubles = if a.f64 { "f32 and f64" } else { "f32 only" };
        let (buffers, shared) = (a.storage_buffer_bytes >> 20, a.workgroup_memory_bytes >> 10);
        line(
            "",
            &format!("  {doubles}, buffers up to {buffers} MiB, {shared} KiB of workgroup memory"),
        );
    }
    match auto {
        Ok(d) => line(
            "auto uses",
            &format!("{} ({}, {}), {}: {}", d.name, d.word(), d.backend, precision(d), d.why),
        ),
        Err(error) => line("auto fails", &error.to_string()),
    }
    text
}
