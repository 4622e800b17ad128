//! One spatial impact: the law `darboux-keller` over the cases of the golden file, a general
//! adaptive solver of ordinary differential equations that is as accurate, and an integrator of
//! fixed steps.

use std::hint::black_box;
use std::time::{Duration, Instant};

use carom_law::Hypothesis;
use carom_law::finite::darboux_keller::StruckContact;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;

/// A case: Delassus matrix and velocity (n, t1, t2), friction, restitution.
struct Case {
    w: [[f64; 3]; 3],
    u: [f64; 3],
    mu: f64,
    e: f64,
    /// The impulse (n, t1, t2) that the file expects.
    expected: [f64; 3],
}

fn cases() -> Vec<Case> {
    let text = include_str!("../tests/golden/jia_wang.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let order = [2, 0, 1];
    let number = |value: &Value| value.as_f64().unwrap();
    let case = |case: &Value| {
        let inputs = &case["inputs"];
        let w = |i: usize, j: usize| number(&inputs["W"][i][j]);
        Case {
            w: order.map(|i| order.map(|j| 0.5 * (w(i, j) + w(j, i)))),
            u: order.map(|i| number(&inputs["v_minus"][i])),
            mu: number(&inputs["mu"]),
            e: number(&inputs["e"]),
            expected: order.map(|i| number(&case["expected"]["Ir"][i])),
        }
    };
    file["cases"].as_array().unwrap().iter().map(case).collect()
}

fn law(case: &Case) -> [f64; 3] {
    let contact = StruckContact::new(case.w, case.mu);
    contact.impact(case.u, Hypothesis::Stronge, case.e, |_, _, _| {}).impulse
}

/// How far an impulse is from what the file expects, over the normal one.
fn error(case: &Case, found: [f64; 3]) -> f64 {
    (0..3).map(|i| (found[i] - case.expected[i]).abs()).fold(0.0, f64::max) / case.expected[0]
}

/// What friction does per normal impulse where it holds the contact: `-B^-1 d`.
fn hold(w: &[[f64; 3]; 3]) -> [f64; 2] {
    let det = w[1][1] * w[2][2] - w[1][2] * w[2][1];
    [(w[1][2] * w[0][2] - w[2][2] * w[0][1]) / det, (w[2][1] * w[0][1] - w[1][1] * w[0][2]) / det]
}

/// Normal impulse, tangential impulse, work of compression since the phase began.
type Solution = [f64; 4];

/// The nodes need no table: the equation is autonomous.
const STAGES: [[f64; 6]; 6] = [
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Fifth order less fourth.
#[rustfmt::skip]
const DEFECT: [f64; 7] = [
    71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0,
];

/// A step of the pair 5(4) of Dormand and Prince: the solution, its rate, and the estimated error.
fn dormand_prince(
    rate: &impl Fn(&Solution) -> Solution,
    y: &Solution,
    first: &Solution,
    h: f64,
) -> (Solution, Solution, Solution) {
    let mut k = [*first; 7];
    let mut next = *y;
    for (stage, row) in STAGES.iter().enumerate() {
        next =
            std::array::from_fn(|i| y[i] + h * (0..=stage).map(|j| row[j] * k[j][i]).sum::<f64>());
        k[stage + 1] = rate(&next);
    }
    (next, k[6], std::array::from_fn(|i| h * (0..7).map(|j| DEFECT[j] * k[j][i]).sum::<f64>()))
}

/// The slip equation \[JW16\] (11) over the normal impulse by the pair 5(4) of Dormand and Prince,
/// with steps controlled to a tolerance, absolute and relative. Events are located by the secant
/// method on the length of the last step. Sliding is over when it is slower than ten errors make
/// it; towards that steps shrink. The impulse, and the evaluations of the rate.
fn ode(case: &Case, tolerance: f64) -> ([f64; 3], u32) {
    let (w, u) = (&case.w, &case.u);
    let needed = hold(w);
    let sticks = needed[0].hypot(needed[1]) <= case.mu;
    let velocity = |y: &Solution| -> [f64; 3] {
        std::array::from_fn(|i| u[i] + w[i][0] * y[0] + w[i][1] * y[1] + w[i][2] * y[2])
    };
    let evaluations = std::cell::Cell::new(0);
    let push = |[_, x, z]: [f64; 3], held: bool| {
        let size = (x * x + z * z).sqrt();
        if held { needed } else { [-case.mu * x / size, -case.mu * z / size] }
    };
    let impulse = -u[0] / w[0][0];
    let unit = [impulse, impulse, impulse, -u[0] * impulse];
    // Slower than errors make it, or it would never be found.
    let slow = 10.0 * tolerance * impulse * (w[1][1] + w[2][2]);
    let (mut y, mut held, mut owed): (Solution, bool, Option<f64>) = ([0.0; 4], false, None);
    let mut h = 0.01 * impulse;
    loop {
        let before = velocity(&y);
        held |= sticks && case.mu > 0.0 && before[1].hypot(before[2]) <= slow;
        let rate = |y: &Solution| {
            evaluations.set(evaluations.get() + 1);
            let v = velocity(y);
            let p = push(v, held);
            [1.0, p[0], p[1], -v[0]]
        };
        let mut first = rate(&y);
        loop {
            let v = velocity(&y);
            let change = [1, 2].map(|i| w[i][0] + w[i][1] * first[1] + w[i][2] * first[2]);
            let closing = -(v[1] * change[0] + v[2] * change[1]) / (v[1] * v[1] + v[2] * v[2]);
            if !held && closing * h > 0.9 {
                h = 0.9 / closing;
            }
            let (next, last, off) = dormand_prince(&rate, &y, &first, h);
            let part = |i: usize| off[i].abs() / (tolerance * (unit[i] + y[i].abs()));
            let off = (0..4).map(part).fold(0.0, f64::max);
            let factor = (0.9 * off.powf(-0.2)).clamp(0.2, 5.0);
            if off > 1.0 {
                h *= factor;
                continue;
            }
            let event = |y: &Solution| owed.map_or(velocity(y)[0], |owed| -(owed + y[3]));
            if event(&next) >= 0.0 {
                let (mut low, mut high) = ((0.0, event(&y)), (h, event(&next)));
                let mut there = next;
                for _ in 0..50 {
                    let at = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
                    there = dormand_prince(&rate, &y, &first, at).0;
                    let value = event(&there);
                    (low, high) = (high, (at, value));
                    if (high.0 - low.0).abs() <= tolerance * impulse || value == 0.0 {
                        break;
                    }
                }
                y = there;
                if owed.is_some() || case.e == 0.0 {
                    return ([y[0], y[1], y[2]], evaluations.get());
                }
                owed = Some(case.e * case.e * y[3]);
                y[3] = 0.0;
                break;
            }
            (y, first) = (next, last);
            h *= factor;
            let v = velocity(&y);
            if !held && sticks && v[1].hypot(v[2]) <= slow {
                break;
            }
        }
    }
}

/// Runge's and Kutta's fourth order over the normal impulse, `steps` of them to `end`, then
/// straight on to it.
fn dumb(case: &Case, end: f64, steps: u32) -> [f64; 3] {
    let (w, u) = (&case.w, &case.u);
    let hold = hold(w);
    let sticks = hold[0].hypot(hold[1]) <= case.mu;
    let slip =
        |p: [f64; 3]| [1, 2].map(|i| u[i] + w[i][0] * p[0] + w[i][1] * p[1] + w[i][2] * p[2]);
    let (mut p, mut held) = ([0.0; 3], false);
    let h = end / f64::from(steps);
    for _ in 0..steps {
        let rate = |p: [f64; 3]| {
            if held {
                return [1.0, hold[0], hold[1]];
            }
            let [x, y] = slip(p);
            let size = (x * x + y * y).sqrt();
            [1.0, -case.mu * x / size, -case.mu * y / size]
        };
        let plus = |p: [f64; 3], k: [f64; 3], h: f64| [0, 1, 2].map(|i| p[i] + h * k[i]);
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

/// The fewest steps, by doubling, with which the dumb integrator is off by less than 1e-9 at an end
/// that it is told; `None`: more than a million.
fn steps(case: &Case) -> Option<u32> {
    let known = law(case);
    let near = |found: [f64; 3]| {
        let off = (0..3).map(|i| (found[i] - known[i]).abs()).fold(0.0, f64::max);
        off <= 1e-9 * known[0]
    };
    (4..=20).map(|power| 1 << power).find(|&steps| near(dumb(case, known[0], steps)))
}

/// Nanoseconds of one call, the mean of ten.
fn once(call: impl Fn() -> [f64; 3]) -> f64 {
    let start = Instant::now();
    (0..10).for_each(|_| {
        black_box(call());
    });
    start.elapsed().as_nanos() as f64 / 10.0
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Nanoseconds of one call, the median of many.
fn nanoseconds(call: impl Fn() -> [f64; 3]) -> f64 {
    median((0..101).map(|_| once(&call)).collect())
}

/// Nanoseconds of one call each, the medians of many by turns.
fn alternately(a: impl Fn() -> [f64; 3], b: impl Fn() -> [f64; 3]) -> (f64, f64) {
    let (a, b) = (0..101).map(|_| (once(&a), once(&b))).unzip();
    (median(a), median(b))
}

/// The law beside the general solver, timed by turns, with the loosest tolerance that keeps an
/// error.
fn solvers(cases: &[Case]) {
    let own = |case: &Case| error(case, law(case));
    let head =
        "| error to the reference | law | solver | ratio | tolerances | evaluations | cases |";
    println!("{head}\n|---|---|---|---|---|---|---|");
    let bounds = [("1e-6, as the tests ask", 1e-6), ("1e-9", 1e-9), ("1e-12", 1e-12)];
    for (name, bound) in bounds {
        let (mut fast, mut slow, mut ratios, mut tolerances, mut evaluations) =
            (vec![], vec![], vec![], vec![], vec![]);
        for case in cases {
            let enough = |tolerance: &f64| error(case, ode(case, *tolerance).0) <= bound;
            let mut all = (4..=27).map(|k| 10_f64.powf(-0.5 * f64::from(k)));
            let Some(tolerance) = all.find(enough) else { continue };
            let (a, b) = alternately(|| law(black_box(case)), || ode(black_box(case), tolerance).0);
            fast.push(a);
            slow.push(b);
            ratios.push(b / a);
            tolerances.push(tolerance);
            evaluations.push(f64::from(ode(case, tolerance).1));
        }
        let count = ratios.len();
        let ranks = |mut x: Vec<f64>| {
            x.sort_by(f64::total_cmp);
            [x[0], x[x.len() / 2], x[x.len() - 1]]
        };
        let [[_, fast, _], [_, slow, _]] = [fast, slow].map(|x| ranks(x).map(|x| x / 1e3));
        let [[least, ratio, most], [fine, _, rough], [_, evaluations, _]] =
            [ratios, tolerances, evaluations].map(ranks);
        print!("| {name} | {fast:.2} us | {slow:.2} us | {ratio:.1} ({least:.1} to {most:.1}) ");
        println!("| {rough:.0e} to {fine:.0e} | {evaluations:.0} | {count} |");
    }
    let worst = cases.iter().map(own).fold(0.0, f64::max);
    println!("largest error of the law: {worst:.1e} of the normal impulse");
}

fn impacts(criterion: &mut Criterion) {
    let cases = cases();
    solvers(&cases);
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
    let (all, some, nanoseconds) = (cases.len(), ratios.len(), median(times));
    println!("one impact, contact prepared anew: median {nanoseconds:.0} ns over {all} cases");
    let ratio = format!("{:.1} times as long (median of {some})", median(ratios));
    print!("fixed steps to 1e-9, told where to end: {ratio}; ");
    println!("{} cases need over 1e6 steps", all - some);
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
