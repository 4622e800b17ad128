//! Archives that inflate.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use super::{refused, refuses};
use crate::formats::line;
use crate::harness::{Case, Ended, Verdict};
use crate::support::npz::{array, f8, write};

/// Writes an archive with an array of so many zero bytes, deflated, and others.
fn inflating(path: &Path, name: &str, head: &[u8], zeros: u64, others: &[(&str, Vec<u8>)]) {
    let mut zip = zip::ZipWriter::new(File::create(path).expect("a file"));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in others {
        zip.start_file(format!("{name}.npy"), options).expect("an entry");
        zip.write_all(bytes).expect("an entry");
    }
    zip.start_file(format!("{name}.npy"), options).expect("an entry");
    zip.write_all(head).expect("an entry");
    std::io::copy(&mut std::io::repeat(0).take(zeros), &mut zip).expect("an entry");
    zip.finish().expect("an archive");
}

fn problem() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("v", array("<f8", false, "(1,)", &f8(&[-1.0]))),
        ("Jn", array("<f8", false, "(1, 1)", &f8(&[1.0]))),
    ]
}

const SAMPLE: &str = "sample DIR/bomb.npz -n 8 --device cpu";

#[test]
fn an_array_that_inflates_beyond_its_shape() {
    refuses("inflates", |case| {
        let head = array("<f8", false, "(1, 1)", &f8(&[1.0]));
        inflating(&case.dir.join("bomb.npz"), "M", &head, 100 << 20, &problem());
        refused(case, SAMPLE, &["M", "more bytes follow"])
    });
}

#[test]
fn an_array_that_inflates_to_its_shape() {
    refuses("shape", |case| {
        let head = array("<f8", false, "(4000, 4000)", &[]);
        inflating(&case.dir.join("bomb.npz"), "M", &head, 8 * 4000 * 4000, &problem());
        refused(case, SAMPLE, &["M", "(4000, 4000)", "far more bytes"])
    });
}

#[test]
fn an_array_without_its_numbers() {
    refuses("shapes", |case| {
        let huge = ["(99999999999999999999, 1)", "(18446744073709551615, 2)"];
        for shape in ["(2000, 2000)", "(8192, 8192)"].into_iter().chain(huge) {
            let mut arrays = problem();
            arrays.push(("M", array("<f8", false, shape, &[0; 64])));
            write(&case.dir.join("bomb.npz"), &arrays);
            refused(case, SAMPLE, &["M"])?;
        }
        Ok(Ended::Refused)
    });
}

/// A set of samples with one array replaced by one that inflates.
fn set_with(case: &mut Case, name: &'static str, head: Vec<u8>, zeros: u64) -> Verdict {
    line(case, "sample rocking-block -n 20 --device cpu --out DIR/set.npz")?;
    let mut set =
        zip::ZipArchive::new(File::open(case.dir.join("set.npz")).expect("a set")).expect("a set");
    let names: Vec<String> =
        set.file_names_raw().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let mut others = Vec::new();
    for file in names.iter().filter(|file| **file != format!("{name}.npy")) {
        let mut bytes = Vec::new();
        set.by_name(file).expect("an array").read_to_end(&mut bytes).expect("an array");
        others.push((file.trim_end_matches(".npy"), bytes));
    }
    inflating(&case.dir.join("bomb.npz"), name, &head, zeros, &others);
    refused(case, "query DIR/bomb.npz extents", &[name])
}

#[test]
fn sets_that_inflate() {
    refuses("meta", |case| {
        set_with(case, "meta", array("|u1", false, "(100000000,)", &[]), 100_000_000)
    });
    refuses("sample", |case| {
        set_with(case, "sample", array("<u8", false, "(12000000,)", &[]), 96_000_000)
    });
    refuses("velocity", |case| {
        set_with(case, "velocity", array("<f8", false, "(4000000, 3)", &[]), 96_000_000)
    });
    refuses("status", |case| {
        set_with(case, "status", array("|u1", false, "(20,)", &[]), 100_000_000)
    });
}

#[test]
fn a_table_that_inflates() {
    refuses("table", |case| {
        case.write("block.toml", crate::files::SCENE.as_bytes());
        let plan = "problem = \"block.toml\"\nsamples = 4\ntable = \"bomb.npz\"\n";
        case.write("plan.toml", plan.as_bytes());
        let head = array("<f8", false, "(12000000,)", &[]);
        inflating(&case.dir.join("bomb.npz"), "width", &head, 96_000_000, &[]);
        refused(case, "dataset DIR/plan.toml -o DIR/data", &["width", "far more bytes"])
    });
}
