//! One impulse step: the table of contact modes (up to three contacts), Lemke's method and the
//! mixed form, in f64 and f32.

use carom_law::Compiled;
use std::hint::black_box;
use std::time::Duration;

use carom::scene;
use carom_core::lcp::table::Solutions;
use carom_core::lcp::{Lemke, Mixed};
use carom_core::rng::{Purpose, Stream, stream};
use carom_law::Law;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Steps of one iteration.
const STEPS: usize = 64;

fn step(criterion: &mut Criterion) {
    for scene in ["rocking-block", "disk-stack"] {
        solvers::<f64>(criterion, scene);
        solvers::<f32>(criterion, scene);
    }
}

fn solvers<R: Compiled>(criterion: &mut Criterion, scene: &str) {
    let problem = scene::load(scene).unwrap();
    let bound = Law::default().prepare::<R>(&problem).unwrap();
    let (step, m) = (&bound.space().step, bound.space().step.contacts);
    // First steps of as many samples: x = (u, c).
    let steps: Vec<Vec<R>> = (0..STEPS as u64)
        .map(|sample| {
            let rate = |i| stream::unit(Stream::new(1, sample).draw(0, Purpose::Rate, i as u32));
            let caps =
                (0..m).map(|i| bound.rates().unwrap().caps[i] * R::from_f64(f64::from(rate(i))));
            bound.space().start.iter().copied().chain(caps).collect()
        })
        .collect();
    let mut group = criterion.benchmark_group(format!("step/{scene}/{}", R::NAME));
    group.throughput(Throughput::Elements(STEPS as u64));
    if let Some(table) = bound.table() {
        let mut found = Solutions::new(m);
        group.bench_function("table", |bencher| {
            bencher.iter(|| {
                for x in &steps {
                    table.solve(step, black_box(x), &mut found);
                    black_box(&found);
                }
            });
        });
    }
    let mut lemke = Lemke::new(step.lcp_size());
    let mut z = vec![R::ZERO; step.lcp_size()];
    group.bench_function("lemke", |bencher| {
        bencher.iter(|| {
            for x in &steps {
                let (u, c) = black_box(x).split_at(2 * m);
                let matrix = |i, j| step.lcp_entry(i, j);
                black_box(lemke.solve(matrix, |i| step.lcp_constant(u, c, i), |_| R::ONE, &mut z));
            }
        });
    });
    let mut mixed = Mixed::new(m);
    let mut l = vec![R::ZERO; 2 * m];
    group.bench_function("mixed", |bencher| {
        bencher.iter(|| {
            for x in &steps {
                let (u, c) = black_box(x).split_at(2 * m);
                black_box(mixed.solve(step, u, c, &mut l));
            }
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = step
}
criterion_main!(benches);
