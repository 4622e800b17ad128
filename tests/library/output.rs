//! Files of samples read back by readers that are not ours, and the reports.

use crate::prelude::*;
use crate::support::npz::Npz;
use approx::assert_relative_eq;
use carom::output::{RunRecord, report};
use carom_engine::doubt::Doubted;
use carom_engine::{DeviceInfo, Finished};
use std::path::Path;

/// A block that falls on two corners.
fn block() -> ContactProblem {
    let (normal, tangent) = ([[0.0, 1.0, -0.5], [0.0, 1.0, 0.5]], [[1.0, 0.0, 0.5]; 2]);
    let spec = ProblemSpec {
        name: "block \"1\"".to_string(),
        contacts: Some(vec!["left".to_string(), "right".to_string()]),
        ..rough(&[1.0, 1.0, 0.2], normal, tangent, [0.5, 0.5], [0.3, -1.0, 0.4])
    };
    problem(spec)
}

fn plan(samples: u64) -> Plan {
    Plan { samples, seed: 11, device: Device::Cpu, ..Plan::default() }
}

fn device() -> DeviceInfo {
    cpu().info().clone()
}

/// Samples whose values say where they belong, in parts of odd sizes.
fn parts(problem: &ContactProblem, sizes: &[usize]) -> Vec<Samples> {
    let (n, k) = (problem.coordinate_count(), problem.jacobian().nrows());
    let mut first = 0;
    let part = |&size: &usize| {
        let rows = first..first + size as u64;
        first = rows.end;
        let value = |width: usize, scale: f64| -> Vec<f64> {
            let cell = |i: u64, j: usize| scale * (i as f64 + 0.1 * j as f64);
            rows.clone().flat_map(|i| (0..width).map(move |j| cell(i, j))).collect()
        };
        Samples {
            first: rows.start,
            velocity: value(n, 1.0),
            contact_velocity: value(k, 2.0),
            impulse: value(k, -3.0),
            kinetic_energy: value(1, 0.5),
            steps: rows.clone().map(|i| i as u32 % 7).collect(),
            status: rows
                .clone()
                .map(|i| carom_core::status::Status::from_code(i as u32 % 4))
                .collect(),
            residual: value(1, 1e-9),
            repaired: vec![false; size],
        }
    };
    sizes.iter().map(part).collect()
}

fn doubted() -> Doubted {
    Doubted { samples: 16, flips: 2, largest_difference: 1e-6, ..Doubted::default() }
}

fn write(path: &Path, precision: Precision, sizes: &[usize]) {
    let (problem, device) = (block(), device());
    let plan = plan(sizes.iter().sum::<usize>() as u64);
    let record = RunRecord::new(&problem, &plan, &device, precision);
    let mut file = carom_data::create(path, &problem, &record).unwrap();
    for part in parts(&problem, sizes) {
        file.write(&part, None).unwrap();
    }
    assert!(!path.exists(), "a file under its final name before it is whole");
    file.finish(Some(&doubted())).unwrap();
}

fn names_in(dir: &Path) -> Vec<String> {
    std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

fn check_meta(meta: &str, samples: u64, precision: &str) {
    let meta: serde_json::Value = serde_json::from_str(meta).unwrap();
    assert_eq!(meta["problem"], serde_json::to_value(block().spec()).unwrap());
    assert_eq!((&meta["law"], &meta["process"]), (&"routh".into(), &"exact".into()));
    assert_eq!(meta["seed"], 11);
    assert_eq!(meta["samples"], samples);
    assert_eq!(meta["precision"], precision);
    assert_eq!(meta["device"]["kind"], "cpu");
    assert_eq!(meta["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(meta["status"][0], "terminated");
    assert_eq!(meta["doubted"], serde_json::to_value(doubted()).unwrap());
    assert_eq!(meta["contacts"], serde_json::json!(["left", "right"]));
    assert_eq!(meta["coordinates"], serde_json::json!(["q0", "q1", "q2"]));
}

#[test]
fn npz_files_hold_every_sample() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("set.npz");
    write(&path, F64, &[3, 1000, 1]);
    assert_eq!(names_in(dir.path()), ["set.npz"]);
    let mut npz = Npz::open(&path);
    let sample = npz.array("sample");
    assert_eq!(sample.shape(), [1004]);
    assert_eq!(sample.into_vec::<u64>().unwrap(), (0..1004).collect::<Vec<u64>>());
    let all = parts(&block(), &[1004]).remove(0);
    for (name, width, expected) in [("velocity", 3, &all.velocity), ("impulse", 4, &all.impulse)] {
        let array = npz.array(name);
        assert_eq!(array.shape(), [1004, width], "{name}");
        assert_eq!(array.into_vec::<f64>().unwrap(), *expected, "{name}");
    }
    let energy = npz.array("kinetic_energy");
    assert_eq!(energy.into_vec::<f64>().unwrap(), all.kinetic_energy);
    assert_eq!(npz.array("steps").into_vec::<u32>().unwrap(), all.steps);
    let status: Vec<u8> = all.status.iter().map(|s| s.code()).collect();
    assert_eq!(npz.array("status").into_vec::<u8>().unwrap(), status);
    let residual: Vec<f32> = all.residual.iter().map(|&x| x as f32).collect();
    assert_eq!(npz.array("residual").into_vec::<f32>().unwrap(), residual);
    let meta = npz.array("meta").into_vec::<u8>().unwrap();
    check_meta(std::str::from_utf8(&meta).unwrap(), 1004, "f64");
}

#[test]
fn npz_floats_have_the_precision_of_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("set.NPZ");
    write(&path, F32, &[5]);
    let mut npz = Npz::open(&path);
    let all = parts(&block(), &[5]).remove(0);
    let expected: Vec<f32> = all.velocity.iter().map(|&x| x as f32).collect();
    assert_eq!(npz.array("velocity").into_vec::<f32>().unwrap(), expected);
    assert!(npz.array("kinetic_energy").into_vec::<f64>().is_err());
}

mod parquet_files {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Field, Row};

    fn numbers(row: &Row, column: usize) -> Vec<f64> {
        let number = |field: &Field| match field {
            Field::Double(x) => *x,
            Field::Float(x) => f64::from(*x),
            other => panic!("{other}"),
        };
        match row.get_column_iter().nth(column).unwrap().1 {
            Field::ListInternal(list) => list.elements().iter().map(number).collect(),
            field => vec![number(field)],
        }
    }

    fn open(path: &Path) -> SerializedFileReader<std::fs::File> {
        SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap()
    }

    #[test]
    fn hold_every_sample_in_groups_of_bounded_size() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("set.parquet");
        let sizes = [3, 140_000, 1, 130_000];
        write(&path, F64, &sizes);
        assert_eq!(names_in(dir.path()), ["set.parquet"]);
        let reader = open(&path);
        let meta = reader.metadata();
        assert_eq!(meta.file_metadata().num_rows(), 270_004);
        assert_eq!(meta.num_row_groups(), 3);
        assert!(meta.row_groups().iter().all(|group| group.num_rows() <= 131_072));
        let names: Vec<String> = (meta.file_metadata().schema().get_fields().iter())
            .map(|f| f.name().to_string())
            .collect();
        let known = "sample velocity impulse steps status residual kinetic_energy accepted mode";
        assert_eq!(names.join(" "), known);
        let entries = meta.file_metadata().key_value_metadata().unwrap();
        let carom = entries.iter().find(|e| e.key == "carom").unwrap();
        check_meta(carom.value.as_deref().unwrap(), 270_004, "f64");
        let all = parts(&block(), &[270_004]).remove(0);
        for (i, row) in reader.get_row_iter(None).unwrap().enumerate().step_by(997) {
            let row = row.unwrap();
            let whole = |c: usize| row.get_column_iter().nth(c).unwrap().1.clone();
            assert_eq!(whole(0), Field::ULong(i as u64));
            assert_eq!(numbers(&row, 1), all.row(&all.velocity, i));
            assert_eq!(numbers(&row, 2), all.row(&all.impulse, i));
            assert_eq!(whole(3), Field::UInt(all.steps[i]));
            assert_eq!(whole(4), Field::UByte(all.status[i].code()));
            assert_relative_eq!(numbers(&row, 5)[0], all.residual[i], max_relative = 1e-7);
            assert_eq!(numbers(&row, 6), [all.kinetic_energy[i]]);
            let accepted = all.status[i].code() == 0 && all.residual[i] <= 1e-6;
            assert_eq!(whole(7), Field::Bool(accepted));
        }
    }

    #[test]
    fn have_the_precision_of_the_run() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("set.parquet");
        write(&path, F32, &[2]);
        let row = open(&path).get_row_iter(None).unwrap().nth(1).unwrap().unwrap();
        assert_eq!(numbers(&row, 1), [1.0, f64::from(1.1_f32), f64::from(1.2_f32)]);
        assert!(matches!(row.get_column_iter().nth(6).unwrap().1, Field::Float(_)));
    }
}

#[test]
fn an_unfinished_file_leaves_nothing() {
    for name in ["a.npz", "a.parquet"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (problem, plan, device) = (block(), plan(10), device());
        let record = RunRecord::new(&problem, &plan, &device, F64);
        if let Ok(mut file) = carom_data::create(&path, &problem, &record) {
            file.write(&parts(&problem, &[10])[0], None).unwrap();
        }
        assert!(names_in(dir.path()).is_empty(), "{name}");
    }
}

#[test]
fn bad_names_are_refused_before_anything_is_computed() {
    let dir = tempfile::tempdir().unwrap();
    let (problem, plan, device) = (block(), plan(10), device());
    let record = RunRecord::new(&problem, &plan, &device, F64);
    std::fs::create_dir(dir.path().join("d.npz")).unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    let cases = [
        ("x.csv", ".parquet or .npz"),
        ("x", ".parquet or .npz"),
        ("d.npz", "directory"),
        ("npz", "extension"),
        ("none/x.npz", "does not exist"),
        ("file/x.npz", "not a directory"),
        ("none/x.parquet", "does not exist"),
    ];
    for (name, words) in cases {
        let error =
            carom_data::create(&dir.path().join(name), &problem, &record).err().expect(name);
        assert_eq!(error.kind, ErrorKind::Usage, "{name}");
        assert!(error.to_string().contains(words), "{name}: {error}");
    }
    for name in ["x.npz", "x.parquet"] {
        assert!(carom_data::create(&dir.path().join(name), &problem, &record).is_ok(), "{name}");
    }
}

fn sampled(problem: &ContactProblem, samples: u64, max_steps: u32) -> (RunRecord, Finished) {
    let mut plan = plan(samples);
    let carom_law::Law::Routh(law) = &mut plan.law else { panic!("the default law") };
    law.max_steps = Some(max_steps);
    let run = carom_engine::sample(problem, &plan, |_| Ok(())).unwrap();
    let mut record = RunRecord::new(problem, &plan, &run.device, run.precision);
    record.conclude(problem, &run);
    (record, run)
}

#[test]
fn the_text_names_what_it_shows() {
    let problem = block();
    let (record, run) = sampled(&problem, 3000, 1000);
    let text = report::text(&problem, &record, &run);
    let shown =
        "block \"1\"|routh|3 000|q2|left, normal|right, tangent|kinetic energy, J|%|seed 11";
    for words in shown.split('|') {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "color codes\n{text}");
    assert!(!text.contains("NaN"), "{text}");
    assert!(text.lines().all(|line| line.trim_end() == line), "trailing blanks\n{text}");
}

#[test]
fn modes_shares_add_up() {
    let problem = block();
    let (record, run) = sampled(&problem, 3000, 1000);
    let json = report::json(&problem, &record, &run);
    let shares: f64 = json["modes"].as_array().unwrap().iter().map(|m| number(&m["share"])).sum();
    assert_relative_eq!(shares, 1.0, max_relative = 1e-12);
    assert_eq!(json["modes_not_listed"], 0);
}

#[test]
fn without_an_accepted_sample_there_are_no_statistics() {
    let problem = problem(ProblemSpec { step: Some(1e-9), ..block().spec().clone() });
    let (record, run) = sampled(&problem, 100, 1);
    assert_eq!((run.summary.accepted, run.summary.terminated()), (0, 0));
    let json = report::json(&problem, &record, &run);
    assert_eq!(json["velocity"]["mean"], serde_json::json!([null, null, null]));
    assert_eq!(json["kinetic_energy"]["min"], serde_json::Value::Null);
    assert_eq!(json["modes"], serde_json::json!([]));
    assert_eq!(json["status"]["step-limit"], 100);
    assert!(report::text(&problem, &record, &run).contains("step-limit"));
}
