//! The report of fixed work: as text for people, as rows for spreadsheets.

use std::fmt::Write;

use super::{Circumstances, counted, head, percent, short};
use crate::benchmark::{Bench, Report, Work};
use carom_report::RunRecord;

const COLUMNS: &str = "device,software,backend,driver,threads,scene,contacts,precision,process,solver,samples,accepted,seconds,\
                       accepted_per_second,compile_seconds,flop_per_sample,bytes_per_sample,share_of_peak,joules,hash,checked,\
                       apart,allowed,version,commit,date";

/// A table of a row for each device and scene, with column names.
pub fn csv(now: &Circumstances, devices: &[Report]) -> String {
    let mut text = format!("{COLUMNS}\n");
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    let (version, date) = (env!("CARGO_PKG_VERSION"), &now.date);
    let commit = now.commit.as_deref().unwrap_or_default();
    for device in devices {
        let Report { software, backend, threads, .. } = device;
        let driver = quoted(device.driver.as_deref().unwrap_or_default());
        let (name, threads) = (quoted(&device.name), number(threads.map(|count| count as f64)));
        for work in &device.work {
            let Work { contacts, precision, process, solver, samples, accepted, .. } = work;
            let Work { seconds, accepted_per_second, compile_seconds, .. } = work;
            let Work { flop_per_sample, bytes_per_sample, hash, check, .. } = work;
            let (scene, peak) = (quoted(&work.scene), number(work.share_of_peak));
            let joules = number(work.energy.as_ref().map(|energy| energy.joules));
            let checked = number(check.as_ref().map(|check| check.samples as f64));
            let apart = number(check.as_ref().map(|check| check.apart));
            let allowed = number(check.as_ref().map(|check| check.allowed));
            let _ = writeln!(
                text,
                "{name},{software},{backend},{driver},{threads},{scene},{contacts},{precision},\
                 {process},{solver},{samples},{accepted},{seconds},{accepted_per_second},\
                 {compile_seconds},{flop_per_sample},{bytes_per_sample},{peak},{joules},{hash},\
                 {checked},{apart},{allowed},{version},{commit},{date}"
            );
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
            "                           samples  seconds  verified/s  compile  of peak       J  \
             hash              apart"
        );
        for work in &device.work {
            let what = format!("{} {}", work.scene, work.precision);
            let seconds = |s: f64| format!("{:.*}", if s < 9.995 { 3 } else { 1 }, s);
            let [samples, rate] = [work.samples as f64, work.accepted_per_second].map(short);
            let [took, compile] = [work.seconds, work.compile_seconds].map(seconds);
            let (peak, hash) = (counted(work.share_of_peak, percent), &work.hash);
            let joules = counted(work.energy.as_ref().map(|energy| energy.joules), short);
            let apart = counted(work.check.as_ref().map(|check| check.apart), percent);
            let _ = writeln!(
                text,
                "  {what:<24}{samples:>8}{took:>9}{rate:>12}{compile:>9}{peak:>9}{joules:>8}  \
                 {hash:<16}{apart:>7}"
            );
        }
        text.push('\n');
    }
    let Circumstances { date, os, cores, .. } = now;
    let commit = now.commit.as_ref().map_or(String::new(), |commit| format!(", commit {commit}"));
    let _ = writeln!(
        text,
        "verified: samples that are checked solutions of the law; seconds: of all samples, with checks, repair and\n\
         statistics; compile: preparation before; J: energy of the device, where the machine can tell;\n\
         hash: of the numbers of samples by ending and contact modes, and of steps; apart: samples of the\n\
         first 65 536 that the CPU counts elsewhere in the same precision; --json has all counts\n\
         {}{commit}\n{date}, {os}, {cores} cores",
        RunRecord::bench(bench.seed).signature()
    );
    if devices.iter().any(|device| device.interrupted) {
        text.push_str("Interrupted: scenes above were measured until then, others are missing.\n");
    }
    text
}

/// Warnings about work whose counts differ from the CPU's by more than rounding explains.
pub fn differences(devices: &[Report]) -> Vec<String> {
    let all = devices.iter().flat_map(|device| device.work.iter().map(move |work| (device, work)));
    let wrong = all.filter_map(|(device, work)| {
        let check = work.check.as_ref().filter(|check| !check.agrees())?;
        let (name, Work { scene, precision, command, .. }) = (&device.name, work);
        let [apart, allowed] = [check.apart, check.allowed].map(percent);
        Some(format!(
            "{name}, {scene} in {precision}: of the first {} samples the CPU counts {apart} elsewhere, more than the \
             {allowed} that rounding explains; `{command}` shows them",
            check.samples
        ))
    });
    wrong.collect()
}
