//! `carom bench`.

use super::*;
use carom::cli::benchmark::energy::of_processors;
use carom::cli::benchmark::power::of_gpu;
use carom::cli::benchmark::text::{percent, short};
use std::time::{Duration, Instant};

/// Every number of a report; speeds and times are finite and above zero.
fn numbers_above_zero(value: &Value, key: &str) {
    match value {
        Value::Object(entries) => entries.iter().for_each(|(key, of)| numbers_above_zero(of, key)),
        Value::Array(entries) => entries.iter().for_each(|value| numbers_above_zero(value, key)),
        Value::Number(number) => {
            let x = number.as_f64().unwrap();
            let zero = "seed load spread finish_share repaired_share not_accepted_share";
            let may_be_zero = words(zero).contains(&key);
            assert!(x.is_finite() && (x > 0.0 || may_be_zero && x >= 0.0), "{key}: {x}");
        }
        _ => {}
    }
}

#[test]
fn bench_measures_every_rate() {
    let dir = directory();
    let args = "bench rocking-block block.json --quick --seconds 0.01 --device cpu";
    let [shown, said] = ended(&dir, &format!("{args} --json"), 0);
    assert_eq!(said, "");
    let report: Value = serde_json::from_str(&shown).unwrap();
    let rate = serde_json::json!({ "best": 0.5, "median": 0.5, "spread": 0.5, "repeats": 3 });
    let form = serde_json::json!({
        "schema_version": 1, "version": "", "date": "", "os": "", "command": "", "cores": 1, "seed": 0, "seconds": 0.01,
        "devices": [{
            "kind": "", "name": "", "backend": "", "threads": 1, "instruction_set": "",
            "peaks": [{ "precision": "", "threads": 1, "flop_per_second": 0.5, "bytes_per_second": 0.5 }],
            "measurements": [{
                "scene": "", "contacts": 1, "precision": "", "law": "", "process": "", "solution": "", "solver": "", "threads": 1,
                "samples": 1, "kernel": rate, "clock": "", "end_to_end": rate, "steps_mean": 0.5, "lcps_per_second": 0.5,
                "repaired_share": 0.5,
                "not_accepted_share": 0.5, "build_ms": 0.5, "command": ""
            }],
            "latencies": [{
                "what": "", "scene": "", "precision": "", "problems": 1, "samples": 1, "threads": 1,
                "repeats": 3, "min_us": 0.5, "median_us": 0.5, "kernel_us": 0.5
            }]
        }]
    });
    has_form(&report, &form, "");
    numbers_above_zero(&report, "");
    assert!(report.as_object().unwrap().contains_key("commit"));
    let device = &report["devices"][0];
    let measured = device["measurements"].as_array().unwrap();
    for known in [["rocking-block", "f32"], ["rocking-block", "f64"], ["block.json", "f64"]] {
        assert!(measured.iter().any(|m| [&m["scene"], &m["precision"]] == known), "{known:?}");
    }
    for m in measured {
        for key in ["flop_per_sample", "flop_per_second", "share_of_peak"] {
            assert!(m[key].as_f64() > Some(0.0), "{key}: {m}");
        }
        assert!(m["kernel"]["best"].as_f64() >= m["kernel"]["median"].as_f64(), "{m}");
        assert_eq!(m["not_accepted_share"], 0.0, "{m}");
    }
    for l in device["latencies"].as_array().unwrap() {
        assert!(l["min_us"].as_f64() <= l["median_us"].as_f64(), "{l}");
        assert_eq!(l["p99_us"].is_f64(), l["repeats"].as_u64() >= Some(100), "{l}");
        assert!(l["p99_us"].as_f64().is_none_or(|p99| l["median_us"].as_f64() <= Some(p99)), "{l}");
    }
    // The command of a measurement runs.
    let command = measured[0]["command"].as_str().unwrap().strip_prefix("carom ").unwrap();
    done(&dir, command);

    // Beside a report of before, which in this case is twice as fast.
    let mut before = report.clone();
    for m in before["devices"][0]["measurements"].as_array_mut().unwrap() {
        m["kernel"]["median"] = (2.0 * m["kernel"]["median"].as_f64().unwrap()).into();
    }
    write(&dir, "before.json", before.to_string());
    let compared = parsed(&dir, &format!("{args} --json --baseline before.json"));
    let ratios = compared["ratios"].as_array().unwrap();
    assert_eq!(ratios.len(), measured.len());
    let now = compared["devices"][0]["measurements"].as_array().unwrap();
    for (ratio, m) in ratios.iter().zip(now) {
        let old = before["devices"][0]["measurements"].as_array().unwrap();
        let keys = ["scene", "precision", "process", "solution", "solver", "threads"];
        let same = |old: &&Value| keys.iter().all(|key| old[key] == m[key]);
        let old = old.iter().find(same).unwrap()["kernel"]["median"].as_f64().unwrap();
        let expected = m["kernel"]["median"].as_f64().unwrap() / old;
        let off = (ratio["kernel"].as_f64().unwrap() - expected).abs();
        assert!(off < 1e-12 * expected, "{ratio} {expected}");
    }
    let [_, said] = ended(&dir, &format!("{args} --baseline block.json"), 2);
    has(&said, "--baseline");
    for m in before["devices"][0]["measurements"].as_array_mut().unwrap() {
        m["scene"] = "another".into();
    }
    write(&dir, "another.json", before.to_string());
    let [_, said] = ended(&dir, &format!("{args} --json --baseline another.json"), 1);
    has(&said, "none of these measurements");

    let plain = text(&run(&dir, args).stdout);
    assert!(plain.contains("rocking-block, 2 contacts") && plain.contains("latency"), "{plain}");
    assert!(plain.lines().all(|line| line.chars().count() <= 110), "{plain}");
}

/// FNV-1a in 64 bits.
fn fnv(text: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(0x100_0000_01b3);
    }
    format!("{hash:016x}")
}

#[test]
fn fixed_work_is_timed_counted_and_compared() {
    let dir = directory();
    let args = "bench rocking-block cube-on-edge --work 3000 --device cpu";
    let json = |more: &str| -> Value {
        let [shown, said] = ended(&dir, &format!("{args} {more} --json"), 0);
        assert_eq!(said, "");
        serde_json::from_str(&shown).unwrap()
    };
    let report = json("--precision f64");
    let works = report["devices"][0]["work"].as_array().unwrap();
    assert_eq!(works.len(), 2);
    for work in works {
        // The counts are those of the same samples by `carom sample`.
        let command = work["command"].as_str().unwrap().strip_prefix("carom ").unwrap();
        let sampled = parsed(&dir, &format!("{command} --json"));
        let counts = &work["counts"];
        assert_eq!(counts["status"]["terminated"], 3000, "{work}");
        let modes = counts["modes"].as_object().unwrap();
        let listed = sampled["modes"].as_array().unwrap();
        assert_eq!(modes.len(), listed.len(), "{work}");
        for mode in listed {
            let names = mode["mode"].as_array().unwrap().iter().map(|n| n.as_str().unwrap());
            assert_eq!(modes[&names.collect::<Vec<_>>().join(" ")], mode["count"], "{mode}");
        }
        assert_eq!(work["accepted"], sampled["accepted"]);
        // The hash is that of the counts.
        let mut lines = String::new();
        for key in ["status", "modes"] {
            for (name, count) in counts[key].as_object().unwrap() {
                lines += &format!("{name} {count}\n");
            }
        }
        lines += &format!("steps {}\n", counts["steps"]);
        assert_eq!(work["hash"], fnv(&lines));
        assert!(work["check"].is_null(), "{work}");
        let rate = work["accepted"].as_f64().unwrap() / work["seconds"].as_f64().unwrap();
        assert!((work["accepted_per_second"].as_f64().unwrap() / rate - 1.0).abs() < 1e-12);
        for key in ["compile_seconds", "flop_per_sample", "bytes_per_sample", "share_of_peak"] {
            assert!(work[key].as_f64() > Some(0.0), "{key}: {work}");
        }
    }
    let hashes = |report: &Value| {
        let works = report["devices"][0]["work"].as_array().unwrap();
        works.iter().map(|work| work["hash"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(hashes(&report), hashes(&json("--precision f64")));
    assert_ne!(hashes(&report), hashes(&json("--precision f64 --seed 1")));
    let single = json("");
    for work in single["devices"][0]["work"].as_array().unwrap() {
        assert_eq!(work["precision"], "f32");
    }

    let rows = text(&run(&dir, &format!("{args} --csv")).stdout);
    let rows: Vec<&str> = rows.lines().collect();
    assert_eq!(rows.len(), 3);
    // No name of a scene has a comma; names of devices and drivers are quoted.
    let columns = |row: &str| {
        let outside = row.split('"').step_by(2);
        outside.map(|part| part.matches(',').count()).sum::<usize>()
    };
    assert!(rows.iter().all(|row| columns(row) == columns(rows[0])), "{rows:?}");
    assert!(rows[0].starts_with("device,") && rows[1].contains("\"rocking-block\""), "{rows:?}");

    let plain = text(&run(&dir, args).stdout);
    assert!(plain.contains("verified/s") && plain.contains("cube-on-edge f32"), "{plain}");
    assert!(plain.lines().all(|line| line.chars().count() <= 110), "{plain}");

    for wrong in ["--csv", "--work 0", "--tune", "--work 10 --quick"] {
        ended(&dir, &format!("bench {wrong}"), 2);
    }
}

/// Where there is little time, the smallest part is measured that the CPU would check.
#[test]
fn fixed_work_fits_into_a_time() {
    let dir = directory();
    let samples = |work: &str, within: &str| -> Value {
        let args = format!("bench rocking-block --device cpu --work {work}");
        let report = reported(&dir, &format!("{args} --within {within}"));
        report["devices"][0]["work"][0]["samples"].clone()
    };
    assert_eq!(samples("1e12", "0.000001"), 100_000);
    assert_eq!(samples("70000", "0.000001"), 70_000);
    assert_eq!(samples("2e5", "3600"), 200_000);
    ended(&dir, "bench --within 3", 2);
}

/// Machines for tests have no hardware adapter.
#[test]
fn software_is_measured_only_if_it_is_named() {
    let dir = directory();
    let doctor = parsed(&dir, "doctor --json");
    if doctor["adapters"].as_array().unwrap().iter().any(|a| a["kind"] != "cpu") {
        return;
    }
    refused(&dir, "bench rocking-block --device gpu --quick", 4, &["--device all"]);
}

#[test]
fn numbers_have_three_digits() {
    let numbers = [0.0, 999.4, 999.6, 31_234_567.0].map(short);
    assert_eq!(numbers, ["0.00", "999", "1.00k", "31.2M"]);
    assert_eq!([0.0, 1e-9, 0.305].map(percent), ["0%", "0.01%", "30.50%"]);
}

#[test]
fn processors_are_counted_once_each() {
    let sys = Folder::new();
    assert!(of_processors(&sys).is_none());
    let file = |domain: &str, file: &str, text: &str| {
        let folder = sys.join("class/powercap").join(domain);
        std::fs::create_dir_all(&folder).unwrap();
        write(&folder, file, text);
    };
    for (domain, energy) in
        [("intel-rapl:0", "9000000"), ("intel-rapl:1", "5"), ("intel-rapl:0:0", "7")]
    {
        file(domain, "energy_uj", energy);
        file(domain, "max_energy_range_uj", "10000000");
    }
    let meter = of_processors(&sys).unwrap();
    // The first counter starts again.
    file("intel-rapl:0", "energy_uj", "2000000\n");
    file("intel-rapl:1", "energy_uj", "500005\n");
    file("intel-rapl:0:0", "energy_uj", "900000\n");
    let energy = meter().unwrap();
    assert!((energy.joules - 3.5).abs() < 1e-9, "{energy:?}");
    assert_eq!(energy.source, "powercap");
}

#[test]
fn the_power_of_a_gpu_is_averaged() {
    let sys = Folder::new();
    let sensor = sys.join("bus/pci/devices/0000:01:00.0/hwmon/hwmon3");
    std::fs::create_dir_all(&sensor).unwrap();
    write(&sensor, "power1_average", "50000000\n");
    let start = Instant::now();
    let meter = of_gpu(&sys, "0000:01:00.0").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let energy = meter().unwrap();
    let most = 50.0 * start.elapsed().as_secs_f64();
    assert!(energy.joules >= 15.0 && energy.joules <= most, "{energy:?} of {most}");
    assert_eq!(energy.source, "hwmon");
}
