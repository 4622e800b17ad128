//! Sums and products round one by one: what a driver may contract, found by a reader of SPIR-V of
//! its own. The driver of these tests contracts nothing by itself, so one that does is emulated.

use super::*;
use carom_engine::gpu::spirv::{Bound, Buffer, Translation, read};
use carom_shaders::catalogue::{Entry, programs};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};

// Numbers of instructions.
const EXTENDED: u32 = 12;
const EXECUTION_MODE: u32 = 16;
const CAPABILITY: u32 = 17;
const FLOAT: u32 = 22;
const VECTOR: u32 = 23;
const MATRIX: u32 = 24;
const DECORATE: u32 = 71;
const CONVERT: u32 = 115;
const ADD: u32 = 129;
const SUBTRACT: u32 = 131;
const MULTIPLY: u32 = 133;
/// All arithmetic, of integers too.
const ARITHMETIC: std::ops::RangeInclusive<u32> = 126..=148;
const NO_CONTRACTION: u32 = 42;
/// Capability and execution mode `SignedZeroInfNanPreserve`.
const KEEPS: u32 = 4466;
const KEEP: u32 = 4461;

/// Absolute value, root, maximum, clamp: the extended instructions of numbers that programs have.
/// None is a sum or a product.
const ALONE: [u32; 4] = [4, 31, 40, 43];

/// A module, instruction by instruction: the number of each, and its other words.
struct Words<'a> {
    header: &'a [u32],
    all: Vec<(u32, &'a [u32])>,
}

impl<'a> Words<'a> {
    fn new(words: &'a [u32]) -> Self {
        let (header, mut rest) = words.split_at(5);
        let mut all = Vec::new();
        while let Some(first) = rest.first() {
            let (one, others) = rest.split_at((first >> 16) as usize);
            all.push((first & 0xffff, &one[1..]));
            rest = others;
        }
        Words { header, all }
    }

    /// The operands of the instructions of a number.
    fn of(&self, number: u32) -> impl Iterator<Item = &'a [u32]> {
        self.all.iter().filter(move |(code, _)| *code == number).map(|(_, operands)| *operands)
    }

    /// The results that are not to be contracted.
    fn alone(&self) -> HashSet<u32> {
        self.of(DECORATE).filter(|one| one[1] == NO_CONTRACTION).map(|one| one[0]).collect()
    }

    /// The types of floating-point numbers, of vectors of them, and of matrices.
    fn real(&self) -> HashSet<u32> {
        let mut real: HashSet<u32> = self.of(FLOAT).map(|one| one[0]).collect();
        for made in [VECTOR, MATRIX] {
            let of = self.of(made).filter(|one| real.contains(&one[1])).map(|one| one[0]);
            real.extend(of.collect::<Vec<_>>());
        }
        real
    }

    /// The type of numbers of so many bits.
    fn float(&self, bits: u32) -> Option<u32> {
        self.of(FLOAT).find(|one| one[1] == bits).map(|one| one[0])
    }
}

/// The words as a driver may take them that contracts what it can: a product of f32 and a sum or
/// difference that has it round once, as the product is exact in f64. And how many there are.
fn contracted(words: &[u32]) -> (Vec<u32>, usize) {
    let module = Words::new(words);
    let (alone, single) = (module.alone(), module.float(32));
    let free = |one: &&[u32]| Some(one[0]) == single && !alone.contains(&one[1]);
    let products: HashMap<u32, &[u32]> =
        module.of(MULTIPLY).filter(free).map(|one| (one[1], &one[2..])).collect();
    let mut bound = module.header[3];
    let mut fresh = || {
        bound += 1;
        bound - 1
    };
    let known = module.float(64);
    let double = known.unwrap_or_else(&mut fresh);
    let mut out = module.header.to_vec();
    let emit = |out: &mut Vec<u32>, number: u32, operands: &[u32]| {
        out.push((operands.len() as u32 + 1) << 16 | number);
        out.extend(operands);
    };
    let mut count = 0;
    if known.is_none() {
        emit(&mut out, CAPABILITY, &[10]);
    }
    for (number, operands) in &module.all {
        let sum = [ADD, SUBTRACT].contains(number) && free(operands);
        let Some(at) = (2..4).find(|&i| sum && products.contains_key(&operands[i])) else {
            emit(&mut out, *number, operands);
            if known.is_none() && *number == FLOAT && Some(operands[0]) == single {
                emit(&mut out, FLOAT, &[double, 64]);
            }
            continue;
        };
        let mut wide = |out: &mut Vec<u32>, number: u32, from: &[u32]| {
            let id = fresh();
            emit(out, number, &[&[double, id], from].concat());
            id
        };
        let product = products[&operands[at]];
        let [x, y, other] =
            [product[0], product[1], operands[5 - at]].map(|id| wide(&mut out, CONVERT, &[id]));
        let product = wide(&mut out, MULTIPLY, &[x, y]);
        let pair = if at == 2 { [product, other] } else { [other, product] };
        let sum = wide(&mut out, *number, &pair);
        emit(&mut out, CONVERT, &[operands[0], operands[1], sum]);
        count += 1;
    }
    out[3] = bound;
    (out, count)
}

/// Three operations are decorated; infinities are kept of numbers of 32 bits, as no others occur.
#[test]
fn programs_say_how_they_round() {
    let text = "@group(0) @binding(3) var<storage, read_write> x: array<f32>;
        @compute @workgroup_size(1) fn main() { x[0] = x[1] * x[2] + x[3] / x[4]; }";
    let translation = Translation { rounded: true, zeroed: false, infinities: &[32, 64] };
    let (module, info) = read(text).unwrap();
    let (words, bindings) = translation.words(&module, &info).unwrap();
    assert_eq!(bindings, [Bound { number: 3, buffer: Buffer::Written }]);
    let words = Words::new(&words);
    assert_eq!(words.of(DECORATE).filter(|one| one[1] == NO_CONTRACTION).count(), 3);
    let modes = words.of(EXECUTION_MODE).map(|one| &one[1..]);
    assert_eq!(modes.filter(|one| one[0] == KEEP).collect::<Vec<_>>(), [[KEEP, 32]]);
    assert_eq!(words.of(CAPABILITY).filter(|one| **one == [KEEPS]).count(), 1);
    assert!(read("fn").is_err());
}

/// Every program of the catalogue, but those that measure how fast contracted operations are.
#[test]
fn no_program_may_be_contracted() {
    let check = |entry: &Entry| {
        let (module, info) = read(&entry.source()).unwrap();
        let words = |rounded| {
            let translation = Translation { rounded, zeroed: true, infinities: &[32, 64] };
            translation.words(&module, &info).unwrap().0
        };
        let (words, loose) = (words(entry.program.rounded), words(false));
        let read = Words::new(&words);
        let (alone, real) = (read.alone(), read.real());
        let of_reals = |one: &&[u32]| real.contains(&one[0]);
        let arithmetic: Vec<u32> = (ARITHMETIC.flat_map(|number| read.of(number)))
            .filter(of_reals)
            .map(|one| one[1])
            .collect();
        if entry.program.rounded {
            assert!(arithmetic.iter().all(|id| alone.contains(id)), "{}", entry.name());
            assert_eq!(contracted(&words).1, 0, "{}", entry.name());
        } else {
            assert!(alone.is_empty(), "{}", entry.name());
        }
        let extended = read.of(EXTENDED).filter(of_reals).map(|one| one[3]);
        (extended.collect::<BTreeSet<u32>>(), arithmetic.len(), contracted(&loose).1)
    };
    let found: Vec<_> = programs().unwrap().par_iter().map(check).collect();
    let extended = found.iter().flat_map(|(extended, ..)| extended.iter().copied());
    assert_eq!(extended.collect::<BTreeSet<u32>>(), BTreeSet::from(ALONE));
    let without = found.iter().filter(|(_, _, contracted)| *contracted > 0).count();
    println!("{without} of {} programs have sums to contract if nothing is said", found.len());
    assert!(without > found.len() / 3, "{without}");
    assert!(found.iter().all(|(_, arithmetic, _)| *arithmetic > 0));
}

/// `a b - b a` is nothing, unless one product is not rounded.
#[test]
fn a_driver_that_contracts_changes_results_without_the_decorations_only() {
    let Some(exact) = gpu().translation(true, true).filter(|_| bench().double) else {
        println!("no programs in SPIR-V or no f64 here");
        return;
    };
    let count = 1000;
    let mut rng = Draws::of(7, 1);
    let numbers: Vec<f32> = (0..2 * count).map(|_| rng.uniform(0.5, 1.0) as f32).collect();
    let probe = Probe::<f32>::of([1, 1], &[], &numbers, count, [0, 1]);
    let (text, device) = (
        probe.wgsl(&["fn probe() {
            let a = numbers[2u * me];
            let b = numbers[2u * me + 1u];
            numbers_out[me] = a * b - b * a;
        }"]),
        &bench().device,
    );
    let (_, entries) = module(device, ["probe", "main"], &text, Some(exact)).unwrap();
    let (parsed, info) = read(&text).unwrap();
    // The number of contracted sums, and of results that are not zero.
    let run = |rounded| {
        let words = Translation { rounded, ..exact }.words(&parsed, &info).unwrap().0;
        let (words, sums) = contracted(&words);
        let entry_points = vec![wgpu::PassthroughShaderEntryPoint {
            name: "main".into(),
            workgroup_size: (64, 1, 1),
        }];
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            label: Some("contracted"),
            entry_points: entry_points.into(),
            spirv: Some(words.into()),
            ..Default::default()
        };
        // SAFETY: naga has written the words, and every new one uses results that are there; there
        // is no loop.
        let shader = unsafe { device.create_shader_module_passthrough(descriptor) };
        let groups = (count as u32).div_ceil(64);
        let inputs = [&[][..], bytemuck::cast_slice(&numbers)];
        let bindings = entries.as_ref().unwrap();
        let found = execute_module(&shader, bindings, "main", groups, &inputs, &[0, 4 * count]);
        let found: Vec<f32> = bytemuck::pod_collect_to_vec(&found[1]);
        (sums, found.iter().filter(|rest| **rest != 0.0).count())
    };
    assert_eq!(run(true), (0, 0));
    let (sums, rests) = run(false);
    println!("{sums} sum contracted, {rests} of {count} leave a rest");
    assert!(sums == 1 && rests > count / 2, "{sums} {rests}");
}
