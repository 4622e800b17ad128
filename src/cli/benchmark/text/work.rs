//! The report of fixed work: as text for people, as rows for spreadsheets.

use std::fmt::Write;

use super::{Circumstances, head, short};
use crate::benchmark::{Bench, Report};
use carom_report::RunRecord;

/// The columns of [`csv`].
const COLUMNS: &str = "device,software,backend,driver,threads,scene,contacts,precision,process,solver,samples,accepted,seconds,\
                       accepted_per_second,compile_seconds,flop_per_sample,bytes_per_sample,share_of_peak,joules,hash,checked,\
                       apart,allowed,version,commit,date";

/// A row for each device and scene, with the names of columns.
pub fn csv(now: &Circumstances, devices: &[Report]) -> String {
    let mut text = format!("{COLUMNS}\n");
    let text_of = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    for device in devices {
        for work in &device.work {
            let fields = [
                text_of(&device.name),
                device.software.to_string(),
                device.backend.clone(),
                text_of(device.driver.as_deref().unwrap_or_default()),
                number(device.threads.map(|threads| threads as f64)),
                text_of(&work.scene),
                work.contacts.to_string(),
                work.precision.to_string(),
                work.process.to_string(),
                work.solver.to_string(),
                work.samples.to_string(),
                work.accepted.to_string(),
                work.seconds.to_string(),
                work.accepted_per_second.to_string(),
                work.compile_seconds.to_string(),
                work.flop_per_sample.to_string(),
                work.bytes_per_sample.to_string(),
                number(work.share_of_peak),
                number(work.energy.as_ref().map(|energy| energy.joules)),
                work.hash.clone(),
                number(work.check.as_ref().map(|check| check.samples as f64)),
                number(work.check.as_ref().map(|check| check.apart)),
                number(work.check.as_ref().map(|check| check.allowed)),
                env!("CARGO_PKG_VERSION").to_string(),
                now.commit.clone().unwrap_or_default(),
                now.date.clone(),
            ];
            let _ = writeln!(text, "{}", fields.join(","));
        }
    }
    text
}

/// The report as text, a block per device.
pub fn text(bench: &Bench, now: &Circumstances, devices: &[Report]) -> String {
    let mut text = String::new();
    for device in devices {
        head(&mut text, device);
        let _ = writeln!(
            text,
            "  {:<24}{:>8}{:>9}{:>12}{:>9}{:>9}{:>8}  {:<16}{:>7}",
            "", "samples", "seconds", "verified/s", "compile", "of peak", "J", "hash", "apart"
        );
        for work in &device.work {
            let what = format!("{} {}", work.scene, work.precision);
            let seconds = |s: f64| format!("{:.*}", if s < 9.995 { 3 } else { 1 }, s);
            let _ = writeln!(
                text,
                "  {what:<24}{:>8}{:>9}{:>12}{:>9}{:>9}{:>8}  {:<16}{:>7}",
                short(work.samples as f64),
                seconds(work.seconds),
                short(work.accepted_per_second),
                seconds(work.compile_seconds),
                work.share_of_peak.map_or("-".to_string(), super::percent),
                work.energy.as_ref().map_or("-".to_string(), |energy| short(energy.joules)),
                work.hash,
                work.check.as_ref().map_or("-".to_string(), |check| super::percent(check.apart)),
            );
        }
        text.push('\n');
    }
    let commit = now.commit.as_ref().map_or(String::new(), |commit| format!(", commit {commit}"));
    let _ = writeln!(
        text,
        "verified: samples that are checked solutions of the law; seconds: of all samples, with checks, repair and\n\
         statistics; compile: preparation before; J: energy of the device, where the machine can tell;\n\
         hash: of the numbers of samples by ending and contact modes, and of steps; apart: samples of the\n\
         first 65 536 that the CPU counts elsewhere in the same precision; --json has all counts\n\
         {}{commit}\n{}, {}, {} cores",
        RunRecord::bench(bench.seed).signature(),
        now.date,
        now.os,
        now.cores
    );
    if devices.iter().any(|device| device.interrupted) {
        let _ = writeln!(
            text,
            "Interrupted: scenes above were measured until then, others are missing."
        );
    }
    text
}

/// Warnings for work that the CPU counts otherwise than rounding explains.
pub fn differences(devices: &[Report]) -> Vec<String> {
    let all = devices.iter().flat_map(|device| device.work.iter().map(move |work| (device, work)));
    let wrong = all.filter_map(|(device, work)| {
        let check = work.check.as_ref().filter(|check| !check.agrees())?;
        Some(format!(
            "{}, {} in {}: of the first {} samples the CPU counts {} elsewhere, more than the {} that rounding explains; \
             `{}` shows them",
            device.name,
            work.scene,
            work.precision,
            check.samples,
            super::percent(check.apart),
            super::percent(check.allowed),
            work.command
        ))
    });
    wrong.collect()
}
