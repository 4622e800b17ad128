//! `carom sample --first`, `--shard`, and `carom merge`.

use super::*;

fn sampled(dir: &Path, args: &str) -> Value {
    reported(dir, &format!("sample {args}"))
}

/// Writes the report of each of `of` shards to a file; their names, last first.
fn shards(dir: &Path, args: &str, of: u64) -> Vec<String> {
    let mut names: Vec<String> = (0..of).map(|i| format!("{i}.report")).collect();
    for (i, name) in names.iter().enumerate() {
        let report = sampled(dir, &format!("{args} --shard {i}/{of}"));
        write(dir, name, report.to_string());
    }
    names.reverse();
    names
}

fn merged(dir: &Path, names: &[String]) -> Value {
    serde_json::from_str(&done(dir, &format!("merge {}", names.join(" ")))).unwrap()
}

#[test]
fn merged_reports_are_that_of_the_whole_run() {
    let dir = directory();
    // 14 whole groups and a part of one, in single and double precision, with and without samples
    // that are lost, planar and spatial, of a law with finitely many outcomes a round.
    let cases = [
        "block.json -n 15000",
        "rocking-block -n 15000 --process steps --precision f32 --seed 7",
        "compass-gait -n 9000 --max-steps 3 --max-rejected 1",
        "cube-on-edge -n 7000 --accuracy 1e-4 --uncertainty mu=0.1..0.3",
        "disk-stack -n 8000 --law sequential",
    ];
    for case in cases {
        let case = format!("{case} --device cpu");
        let whole = sampled(&dir, &case);
        for of in [2, 7] {
            let names = shards(&dir, &case, of);
            let mut found = merged(&dir, &names);
            assert!(found["seconds"]["total"].as_f64().unwrap() > 0.0);
            for key in ["seconds", "warnings"] {
                found[key] = whole[key].clone();
            }
            // Numbers are printed such that they are read back bit for bit.
            assert_eq!(found.to_string(), whole.to_string(), "{case:?} in {of} parts");
        }
    }
}

#[test]
fn a_part_has_the_samples_of_the_whole_with_their_numbers() {
    let dir = directory();
    let of = "block.json --device cpu --velocity 0.1,-1,0.3";
    sampled(&dir, &format!("{of} -n 3000 --out whole.npz"));
    let part = sampled(&dir, &format!("{of} --first 1234 -n 1k --out part.npz"));
    assert_eq!((&part["first"], &part["samples"]), (&1234.into(), &1000.into()));
    let open = |name: &str| super::support::npz::Npz::open(&dir.join(name));
    let numbers: Vec<u64> = open("part.npz").array("sample").into_vec().unwrap();
    assert_eq!(numbers, (1234..2234).collect::<Vec<u64>>());
    for (array, width) in [("velocity", 3), ("impulse", 4), ("kinetic_energy", 1)] {
        let [whole, part] = ["whole.npz", "part.npz"]
            .map(|name| open(name).array(array).into_vec::<f64>().unwrap());
        assert_eq!(part, whole[1234 * width..2234 * width], "{array}");
    }
    let said = text(&run(&dir, &format!("sample {of} --first 1234 -n 1k")).stdout);
    assert!(said.contains("1 234 to 2 233"), "{said}");
}

#[test]
fn merged_files_have_the_samples_of_the_whole_run() {
    let dir = directory();
    let of = "block.json --device cpu -n 7000 --jacobian --out";
    for format in ["npz", "parquet"] {
        let name = |name: &str| format!("{name}.{format}");
        sampled(&dir, &format!("{of} {}", name("whole")));
        for i in ["0", "1", "2"] {
            sampled(&dir, &format!("{of} {} --shard {i}/3", name(i)));
        }
        let [zero, one, two, out] = ["0", "1", "2", "merged"].map(name);
        let shown = done(&dir, &format!("merge {two} {zero} {one} -o {out}"));
        assert_eq!(shown, "7000 samples of 3 files\n");
        let [whole, found] = [name("whole"), out].map(|name| {
            let bytes = std::fs::read(dir.join(&name)).unwrap();
            let queries = ["extents", "modes"]
                .map(|question| done(&dir, &format!("query {name} {question} --json")));
            (bytes, queries)
        });
        assert_eq!(found.1, whole.1);
        match format {
            "npz" => assert!(found.0 == whole.0, "the bytes differ"),
            _ => assert_eq!(rows(found.0), rows(whole.0)),
        }
    }
}

/// The rows of a Parquet file, as text, and its metadata.
fn rows(bytes: Vec<u8>) -> (Vec<String>, Option<String>) {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let entries = reader.metadata().file_metadata().key_value_metadata().unwrap().clone();
    let record = entries.into_iter().find(|entry| entry.key == "carom").unwrap().value;
    let rows = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
    (rows, record)
}

#[test]
fn parts_of_no_run_are_refused() {
    let dir = directory();
    let of = "block.json --device cpu -n 3k";
    let names = shards(&dir, of, 3);
    let [last, middle, first] = &names[..] else { panic!("{names:?}") };
    let missing = format!("{first} and {last}: samples 1024 to 2047 are missing");
    refused(&dir, &format!("merge {last} {first}"), 3, &[&missing]);
    let twice = format!("merge {first} {middle} {first}");
    refused(&dir, &twice, 3, &["samples 0 to 1023 are in both"]);
    let other = sampled(&dir, &format!("{of} --seed 1 --first 1024"));
    write(&dir, "other.report", other.to_string());
    refused(&dir, &format!("merge {first} other.report"), 3, &["differ in `seed`"]);
    write(&dir, "old.report", r#"{"samples": 3, "seed": 0}"#);
    refused(&dir, "merge old.report", 3, &["no report of samples", "missing field"]);
    refused(&dir, "merge block.json", 3, &["no number of samples"]);
    refused(&dir, "merge absent.json", 3, &["does not exist"]);
    write(&dir, "samples.npz", "PK");
    refused(&dir, "merge samples.npz", 2, &["--out"]);
    refused(&dir, "merge samples.npz -o whole.npz", 3, &["no file of samples"]);
    refused(&dir, "merge samples.npz -o whole.parquet", 2, &["samples.npz", ".parquet"]);
    let cases = "
        2 --shard 3/3 => I from 0 to N - 1
        2 --shard 0/9 => 3 groups of 1024 samples in 9 parts | fewer
        2 --shard 0/2 --first 5 => --first
        2 --first 1e19 => from 0 to 2^63 - 1
        2 --first 9223372036854775807 => up to 2^63 - 1
        2 --first 1024 --explore 0.5 => --explore";
    refusals(&dir, "sample block.json --device cpu -n 3k", cases);
}
