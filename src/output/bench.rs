//! The report of a benchmark: as JSON for scripts, as text for people.

use std::fmt::Write;

use serde_json::{Value, json};

use super::RunRecord;
use crate::engine::bench::{Bench, Latency, Measurement, Report};

/// The report as JSON, `schema_version` 1. `commit`: of the source that was measured, where it is known.
pub fn json(bench: &Bench, commit: Option<&str>, devices: &[Report]) -> Value {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    RunRecord::bench(bench.seed).with(json!({
        "commit": commit,
        "cores": cores,
        "seconds": bench.seconds,
        "quick": bench.quick,
        "devices": devices,
    }))
}

/// The report as text, a block per device.
pub fn text(bench: &Bench, commit: Option<&str>, devices: &[Report]) -> String {
    let mut text = String::new();
    for device in devices {
        head(&mut text, device);
        measurements(&mut text, &device.measurements);
        latencies(&mut text, &device.latencies);
        text.push('\n');
    }
    let commit = commit.map_or(String::new(), |commit| format!(", commit {commit}"));
    let _ = writeln!(
        text,
        "kernel: samples/s of the kernel alone; run: with checks and statistics; beside the best the median.\n\
         flop: of a sample, counted step by step; peak: share of the measured one; build: preparation in ms;\n\
         lemke: steps, with its solution.\n\
         {} s per measurement; {}{commit}; --json has the command of each line",
        bench.seconds,
        RunRecord::bench(bench.seed).signature()
    );
    text
}

fn head(text: &mut String, device: &Report) {
    let mut facts = vec![device.kind.to_string(), device.backend.clone()];
    facts.extend(device.instruction_set.map(str::to_string));
    facts.extend(device.threads.map(|threads| format!("{threads} threads")));
    facts.extend(device.driver.clone());
    let _ = writeln!(text, "{} ({})", device.name, facts.join(", "));
    for peak in &device.peaks {
        let _ = writeln!(
            text,
            "  peak {} {:<3} {:>8}flop/s, copy {:>8}B/s",
            peak.precision,
            threads(peak.threads),
            short(peak.flop_per_second),
            short(peak.bytes_per_second)
        );
    }
}

/// A number as `write` writes it, or a dash where nothing was counted.
fn counted(number: Option<f64>, write: impl Fn(f64) -> String) -> String {
    number.map_or("-".to_string(), write)
}

fn measurements(text: &mut String, measurements: &[Measurement]) {
    let mut scene = "";
    for m in measurements {
        if m.scene != scene {
            scene = &m.scene;
            let contacts = if m.contacts == 1 { "contact" } else { "contacts" };
            let title = format!("{scene}, {} {contacts}", m.contacts);
            let _ = writeln!(text, "\n{title}");
            let _ = writeln!(
                text,
                "  {:<24}{:>7}{:>9}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>7}{:>7}{:>6}",
                "",
                "steps",
                "kernel/s",
                "median",
                "run/s",
                "median",
                "flop",
                "flop/s",
                "peak",
                "repair",
                "reject",
                "build"
            );
        }
        let process = if m.solution == "lemke" { m.solution } else { m.process };
        let which = format!("{} {process:<9} {:<6}", m.precision, m.solver);
        let what = format!("{which} {:<3}", threads(m.threads));
        let _ = writeln!(
            text,
            "  {what:<24}{:>7.2}{:>9}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>7}{:>7}{:>6.1}",
            m.steps_mean,
            short(m.kernel.best),
            short(m.kernel.median),
            short(m.end_to_end.best),
            short(m.end_to_end.median),
            counted(m.flop_per_sample, short),
            counted(m.flop_per_second, short),
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
            let _ = writeln!(
                text,
                "\n{title:<50}{:>10}{:>10}{:>10}{:>10}{:>9}",
                "min", "median", "p99", "kernel", "repeats"
            );
        }
        let size = format!("{} x {}", l.problems, l.samples);
        let threads = l.threads.map_or(String::new(), |n| format!("{n} thread{}, ", plural(n)));
        let what = format!("{} {size:<9} {threads}{}", l.precision, l.what);
        let _ = writeln!(
            text,
            "  {what:<48}{:>10.1}{:>10.1}{:>10.1}{:>10.1}{:>9}",
            l.min_us, l.median_us, l.p99_us, l.kernel_us, l.repeats
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
fn short(x: f64) -> String {
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

/// A share that is 0 % only if it is exactly that.
fn percent(share: f64) -> String {
    if share == 0.0 { "0%".to_string() } else { format!("{:.2}%", (100.0 * share).max(0.01)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(short(0.0), "0.00");
        assert_eq!(short(999.4), "999");
        assert_eq!(short(999.6), "1.00k");
        assert_eq!(short(31_234_567.0), "31.2M");
        assert_eq!(percent(0.0), "0%");
        assert_eq!(percent(1e-9), "0.01%");
        assert_eq!(percent(0.305), "30.50%");
    }
}
