//! The report of a benchmark: as JSON for scripts, as text for people.

mod baseline;
mod circumstances;
pub mod work;

pub use baseline::{BenchBaseline, Ratio};
pub use circumstances::Circumstances;

use std::fmt::Write;

use crate::benchmark::{Bench, Latency, Measurement, Rate, Report};
use carom_report::RunRecord;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Spread of repeats above which a rate is marked.
const NOISY: f64 = 0.1;
const HEAD: &str = "                                steps kernel/s read/s   run/s   host  \
                    flop flop/s   peak repair reject build";

/// What a bench found, beside what every report says.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom bench --json` prints")]
struct BenchResults<'a> {
    /// Seconds for one measurement.
    seconds: f64,
    /// Whether only the default law and the planner's solver are measured.
    quick: bool,
    /// Whether others were at work before the measurements.
    busy: bool,
    /// Whether the bench was interrupted before all was measured.
    interrupted: bool,
    /// Device by device.
    devices: &'a [Report],
    /// With --baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratios: Option<&'a [Ratio]>,
    #[serde(flatten)]
    now: &'a Circumstances,
}

/// The report as JSON, `schema_version` 1, with the ratios to a baseline, if given.
pub fn json(
    bench: &Bench,
    now: &Circumstances,
    devices: &[Report],
    ratios: Option<&[Ratio]>,
) -> Value {
    let (busy, interrupted) = (now.busy(), devices.iter().any(|device| device.interrupted));
    let Bench { seconds, quick, seed, .. } = *bench;
    let results = BenchResults { seconds, quick, busy, interrupted, devices, ratios, now };
    RunRecord::bench(seed).with(json!(results))
}

/// The JSON Schema of [`json()`].
pub fn schema() -> Value {
    let mut schema = carom_core::schema::written::<BenchResults<'_>>();
    // Keys of every report.
    for (key, of) in [
        ("schema_version", json!({ "const": 1 })),
        ("version", json!({ "type": "string", "description": "Version of carom." })),
        ("seed", json!({ "type": "integer", "minimum": 0 })),
        ("warnings", json!({ "type": "array", "items": { "type": "string" } })),
    ] {
        schema["properties"][key] = of;
    }
    schema
}

/// The report as text, a block per device.
pub fn text(
    bench: &Bench,
    now: &Circumstances,
    devices: &[Report],
    ratios: Option<&[Ratio]>,
) -> String {
    let mut text = String::new();
    for device in devices {
        head(&mut text, device);
        measurements(&mut text, &device.measurements);
        latencies(&mut text, &device.latencies);
        text.push('\n');
    }
    ratios.iter().for_each(|ratios| compared(&mut text, ratios));
    let Circumstances { date, os, cores, .. } = now;
    let commit = now.commit.as_ref().map_or(String::new(), |commit| format!(", commit {commit}"));
    let _ = writeln!(
        text,
        "A line: precision, process or law, solver, threads (x2; - on a GPU). steps: of a sample, mean.\n\
         kernel: samples/s of the kernel alone, on a GPU by its own clock; read: with submission and readback;\n\
         run: whole runs with checks, repair and statistics, all medians; ~: repeats differ by more than 10 %.\n\
         host: share of a run in which the host checks and repairs, while the GPU goes on.\n\
         flop: of a sample, counted; flop/s: of the kernel; peak: its share of the measured one;\n\
         repair: samples solved again in f64; reject: not accepted; build: preparation in ms.\n\
         lemke: steps, of several solutions the one that Lemke's method finds; facets: steps with cones of 4 facets.\n\
         Latencies: problems x samples of each; kernel: the same samples by the kernel alone, everything prepared.\n\
         {} s per measurement; {}{commit}; --json has the command of each line\n\
         {date}, {os}, {cores} cores",
        bench.seconds,
        RunRecord::bench(bench.seed).signature()
    );
    if now.busy() {
        let load = now.load.unwrap_or_default();
        let _ = writeln!(text, "The machine was busy: a load of {load} before the measurements.");
    }
    if devices.iter().any(|device| device.interrupted) {
        let _ = writeln!(text, "Interrupted: what is above was measured until then.");
    }
    text
}

fn compared(text: &mut String, ratios: &[Ratio]) {
    let title = "times as fast as the baseline (range)";
    let _ = writeln!(text, "{title:<56}  {:>22}  {:>22}", "kernel", "run");
    let mut devices = None;
    for ratio in ratios {
        let both = (&ratio.device, &ratio.baseline_device);
        if both.0 != both.1 && devices != Some(both) {
            let _ = writeln!(text, "  {} against {}:", both.0, both.1);
        }
        devices = Some(both);
        let what = format!("{}, {} {}", ratio.scene, ratio.how, threads(ratio.threads));
        let [kernel, run] = [ratio.kernel, ratio.end_to_end];
        let within = |k: usize, x: f64| {
            let factor = 1.0 + ratio.spread[k];
            format!("{x:.3} ({:.2}..{:.2})", x / factor, x * factor)
        };
        let _ = writeln!(text, "  {what:<54}  {:>22}  {:>22}", within(0, kernel), within(1, run));
    }
    text.push_str(
        "  range: by how much repeats of either measurement differ from their median\n\n",
    );
}

fn median(rate: &Rate) -> String {
    let mark = if rate.spread > NOISY { "~" } else { "" };
    format!("{mark}{}", short(rate.median))
}

fn head(text: &mut String, device: &Report) {
    let kind = if device.software { "software" } else { device.kind };
    let mut facts = vec![kind.to_string(), device.backend.clone()];
    facts.extend(device.instruction_set.map(str::to_string));
    facts.extend(device.threads.map(|threads| format!("{threads} threads")));
    facts.extend(device.driver.clone());
    let _ = writeln!(text, "{} ({})", device.name, facts.join(", "));
    for peak in &device.peaks {
        let (precision, number) = (peak.precision, threads(peak.threads));
        let [flop, bytes] = [peak.flop_per_second, peak.bytes_per_second].map(short);
        let _ =
            writeln!(text, "  peak {precision} {number:<3} {flop:>8}flop/s, copy {bytes:>8}B/s");
    }
}

/// A number formatted by `write`, or a dash for `None`.
fn counted(number: Option<f64>, write: impl Fn(f64) -> String) -> String {
    number.map_or("-".to_string(), write)
}

fn measurements(text: &mut String, measurements: &[Measurement]) {
    let mut scene = "";
    for m in measurements {
        if m.scene != scene {
            scene = &m.scene;
            let contacts = if m.contacts == 1 { "contact" } else { "contacts" };
            let _ = writeln!(text, "\n{scene}, {} {contacts}\n{HEAD}", m.contacts);
        }
        let which = format!("{} {:<11} {:<9}", m.precision, m.how(), m.solver);
        let what = format!("{which} {:<3}", threads(m.threads));
        let _ = writeln!(
            text,
            "  {what:<29}{:>6.2}{:>9}{:>7}{:>8}{:>7}{:>6}{:>7}{:>7}{:>7}{:>7}{:>6.1}",
            m.steps_mean,
            median(&m.kernel),
            m.with_readback.as_ref().map_or("-".to_string(), median),
            median(&m.end_to_end),
            percent(m.finish_share),
            short(m.flop_per_sample),
            short(m.flop_per_second),
            counted(m.share_of_peak, percent),
            percent(m.repaired_share),
            percent(m.not_accepted_share),
            m.build_ms
        );
    }
}

fn latencies(text: &mut String, latencies: &[Latency]) {
    for (i, l) in latencies.iter().enumerate() {
        if i == 0 {
            let title = format!("latency, {}, microseconds", l.scene);
            let head = "       min    median       p99    kernel  repeats";
            let _ = writeln!(text, "\n{title:<50}{head}");
        }
        let size = format!("{} x {}", l.problems, l.samples);
        let threads = l.threads.map_or(String::new(), |n| format!("{n} thread{}, ", plural(n)));
        let what = format!("{} {size:<9} {threads}{}", l.precision, l.what);
        let _ = writeln!(
            text,
            "  {what:<48}{:>10.1}{:>10.1}{:>10}{:>10.1}{:>9}",
            l.min_us,
            l.median_us,
            counted(l.p99_us, |us| format!("{us:.1}")),
            l.kernel_us,
            l.repeats
        );
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn threads(threads: Option<usize>) -> String {
    threads.map_or("-".to_string(), |threads| format!("x{threads}"))
}

/// Three digits and a metric prefix: `31.2M`.
pub fn short(x: f64) -> String {
    let prefixes = ["", "k", "M", "G", "T", "P"];
    let mut scaled = x;
    let mut i = 0;
    while scaled.abs() >= 999.5 && i + 1 < prefixes.len() {
        scaled /= 1e3;
        i += 1;
    }
    let digits = if scaled.abs() < 9.995 { 2 } else { usize::from(scaled.abs() < 99.95) };
    format!("{scaled:.digits$}{}", prefixes[i])
}

/// A share in percent; `0%` stands for exactly 0.
pub fn percent(share: f64) -> String {
    if share == 0.0 { "0%".to_string() } else { format!("{:.2}%", (100.0 * share).max(0.01)) }
}
