//! The programs of the GPU engine.

use crate::prelude::*;
use carom_law::Process;
use carom_shaders::catalogue::{Entry, programs};
use carom_shaders::kernels::{ALL, STATISTICS, peak};
use carom_shaders::spec::{DIRECTIONS, ENDINGS, IMPULSES, PLACES, PROBLEM, REMAINING, RUN};
use carom_shaders::tables::Buffers;
use carom_shaders::{KernelShape, Limits, Variant};
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

/// The bindings that a WGSL text declares.
fn declared(text: &str) -> BTreeSet<u32> {
    let number = |part: &str| part.split_once(')').unwrap().0.parse().unwrap();
    text.split("@binding(").skip(1).map(number).collect()
}

#[test]
fn a_kernel_declares_the_bindings_that_it_says() {
    for (kernel, many) in ALL.iter().flat_map(|kernel| [(kernel, false), (kernel, true)]) {
        let name = kernel.program.name;
        let (restitution, noise) = (name == "exact", (name == "inclusion").then_some(3));
        let (shape, contacts) = (KernelShape::default(), 2);
        let shape = KernelShape { contacts, axes: 1, many, restitution, noise, ..shape };
        let text = kernel.program.source(&shape, &Variant::default());
        let common = [RUN, PROBLEM, IMPULSES, ENDINGS, REMAINING, DIRECTIONS];
        let own = kernel.bindings.iter().map(|(at, _)| *at);
        let expected = common.into_iter().chain(own).chain(many.then_some(PLACES));
        assert_eq!(declared(&text), expected.collect(), "{name}, {many}");
        let entry = format!("fn {}(", kernel.program.entry_point);
        assert_eq!(text.matches(&entry).count(), 1, "{name}");
    }
}

#[test]
fn names_tell_programs_apart() {
    let others = [&STATISTICS, &peak::MULTIPLY_ADD, &peak::COPY];
    let programs = ALL.iter().map(|kernel| &kernel.program).chain(others);
    let names: BTreeSet<&str> = programs.map(|program| program.name).collect();
    assert_eq!(names.len(), ALL.len() + others.len());
}

#[test]
fn forces_that_a_buffer_does_not_hold_are_refused() {
    let ball = problem(smooth(&[1.0], [[1.0]], [-1.0]));
    let law = Law::Routh(Routh { process: Some(RouthProcess::Events), ..Routh::default() });
    let Process::Events(exact) = law.prepare::<f64>(&ball).unwrap() else {
        panic!("another process")
    };
    // Seven maps of four numbers, twice.
    let limits = Limits {
        name: "a device",
        hardware: true,
        f64: true,
        storage_buffer_bytes: 2 * 7 * 4 * 8,
        workgroup_memory_bytes: 0,
    };
    let mut buffers = Buffers::default();
    let mut append = || buffers.append_forces(&exact.space.step, &limits);
    assert_eq!([append(), append()].map(|place| place.unwrap().first_map), [0, 7]);
    let error = append().unwrap_err();
    assert!(error.what.contains("the forces of all contact modes"), "{error}");
}
