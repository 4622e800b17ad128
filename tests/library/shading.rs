//! The programs of the GPU engine.

use carom_shaders::catalogue::{Entry, programs};
use carom_shaders::kernels::ALL;
use std::collections::BTreeSet;

/// The bindings of storage buffers that a WGSL text declares, line by line.
fn storage_buffers(text: &str) -> Vec<&str> {
    let bound = |line: &&str| line.starts_with("@group(0)") && line.contains(" var<storage");
    text.lines().filter(bound).collect()
}

/// WebGPU promises eight storage buffers to a program.
#[test]
fn no_program_binds_more_than_eight_storage_buffers() {
    for entry in programs().unwrap() {
        let text = entry.source();
        let bound = storage_buffers(&text);
        assert!((1..=8).contains(&bound.len()), "{}: {bound:#?}", entry.what());
    }
}

/// Each kernel of a law is in the catalogue, for one problem and many, in files of its own.
#[test]
fn the_catalogue_has_every_kernel() {
    let entries = programs().unwrap();
    let names: BTreeSet<String> = entries.iter().map(Entry::name).collect();
    assert_eq!(names.len(), entries.len());
    let one = |entry: &&Entry| entry.shape.contacts == 1;
    assert!(entries.iter().filter(one).all(|entry| entry.what().contains(": 1 contact,")));
    let of = |many: bool| -> BTreeSet<&str> {
        let of = entries.iter().filter(|entry| entry.shape.many == many);
        of.map(|entry| entry.program.name).collect()
    };
    let all = ALL.iter().map(|kernel| kernel.program.name);
    let others = ["statistics", "multiply_add", "copy"];
    assert_eq!(of(false), all.clone().chain(others).collect());
    assert_eq!(of(true), all.collect());
}
