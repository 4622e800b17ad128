//! One spatial impact: the law `darboux-keller` over the cases of the golden file, and an integrator of fixed steps that
//! is as accurate.

use std::hint::black_box;
use std::time::{Duration, Instant};

use carom::law::Hypothesis;
use carom::law::hodograph::Contact;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;

/// A case: Delassus matrix and velocity (n, t1, t2), friction, restitution.
struct Case {
    w: [[f64; 3]; 3],
    u: [f64; 3],
    mu: f64,
    e: f64,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../tests/golden/jia_wang.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let order = [2, 0, 1];
    let case = |case: &Value| {
        let inputs = &case["inputs"];
        let number = |value: &Value| value.as_f64().unwrap();
        let w = order.map(|i| order.map(|j| 0.5 * (number(&inputs["W"][i][j]) + number(&inputs["W"][j][i]))));
        Case {
            w,
            u: order.map(|i| number(&inputs["v_minus"][i])),
            mu: number(&inputs["mu"]),
            e: number(&inputs["e"]),
        }
    };
    file["cases"].as_array().unwrap().iter().map(case).collect()
}

fn law(case: &Case) -> [f64; 3] {
    let contact = Contact::new(case.w, case.mu);
    contact.impact(case.u, Hypothesis::Stronge, case.e, |_, _, _| {}).impulse
}

/// Runge's and Kutta's fourth order over the normal impulse, `steps` of them to `end`, then straight on to it.
fn dumb(case: &Case, end: f64, steps: u32) -> [f64; 3] {
    let (w, u) = (&case.w, &case.u);
    let hold = {
        let det = w[1][1] * w[2][2] - w[1][2] * w[2][1];
        [(w[2][2] * w[0][1] - w[1][2] * w[0][2]) / det, (w[1][1] * w[0][2] - w[2][1] * w[0][1]) / det]
    };
    let sticks = hold[0].hypot(hold[1]) <= case.mu;
    let slip = |p: [f64; 3]| [1, 2].map(|i| u[i] + w[i][0] * p[0] + w[i][1] * p[1] + w[i][2] * p[2]);
    let (mut p, mut held) = ([0.0; 3], false);
    let h = end / f64::from(steps);
    for _ in 0..steps {
        let rate = |p: [f64; 3]| {
            if held {
                return [1.0, -hold[0], -hold[1]];
            }
            let [x, y] = slip(p);
            let size = (x * x + y * y).sqrt();
            [1.0, -case.mu * x / size, -case.mu * y / size]
        };
        let plus = |p: [f64; 3], k: [f64; 3], h: f64| [p[0] + h * k[0], p[1] + h * k[1], p[2] + h * k[2]];
        let a = rate(p);
        let b = rate(plus(p, a, h / 2.0));
        let c = rate(plus(p, b, h / 2.0));
        let d = rate(plus(p, c, h));
        let next: [f64; 3] =
            std::array::from_fn(|i| p[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        let (before, after) = (slip(p), slip(next));
        if !held && sticks && before[0] * after[0] + before[1] * after[1] <= 0.0 {
            held = true;
            continue;
        }
        p = next;
    }
    p
}

/// The fewest steps, by doubling, with which the dumb integrator is off by less than 1e-9 at an end that it is told;
/// `None`: more than a million.
fn steps(case: &Case) -> Option<u32> {
    let known = law(case);
    let near = |found: [f64; 3]| {
        let off = (0..3).map(|i| (found[i] - known[i]).abs()).fold(0.0, f64::max);
        off <= 1e-9 * known[0]
    };
    (4..=20).map(|power| 1 << power).find(|&steps| near(dumb(case, known[0], steps)))
}

/// Nanoseconds of one call, the median of many.
fn nanoseconds(call: impl Fn() -> [f64; 3]) -> f64 {
    let mut times: Vec<f64> = (0..101)
        .map(|_| {
            let start = Instant::now();
            (0..10).for_each(|_| {
                black_box(call());
            });
            start.elapsed().as_nanos() as f64 / 10.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn impacts(criterion: &mut Criterion) {
    let cases = cases();
    let mut times = Vec::new();
    let mut ratios = Vec::new();
    for case in &cases {
        let fast = nanoseconds(|| law(black_box(case)));
        times.push(fast);
        let end = law(case)[0];
        if let Some(steps) = steps(case) {
            ratios.push(nanoseconds(|| dumb(black_box(case), end, steps)) / fast);
        }
    }
    times.sort_by(f64::total_cmp);
    ratios.sort_by(f64::total_cmp);
    let median = |x: &[f64]| x[x.len() / 2];
    println!("one impact, contact prepared anew: median {:.0} ns over {} cases", median(&times), cases.len());
    println!(
        "fixed steps to 1e-9, told where to end: {:.1} times as long (median of {}); {} cases need over 1e6 steps",
        median(&ratios),
        ratios.len(),
        cases.len() - ratios.len()
    );
    let mut group = criterion.benchmark_group("darboux-keller");
    group.throughput(Throughput::Elements(cases.len() as u64));
    group.bench_function("reference cases", |bencher| {
        bencher.iter(|| cases.iter().map(|case| black_box(law(black_box(case)))[0]).sum::<f64>());
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = impacts
}
criterion_main!(benches);
