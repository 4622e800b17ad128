//! The impulse step: comparisons, residual, and its form as an LCP.

use super::*;

in_both! {
    comparisons,
    step_functions,
    residual_of_what_is_not_finite,
    lcp_form,
}

/// A step problem with the velocity before the impact and the largest caps: bodies at random, or
/// one rigid body whose contacts strike alike, symmetric or not, which makes ties.
pub fn random_step(rng: &mut Draws, m: usize) -> (StepProblem<f64>, Vec<f64>, Vec<f64>) {
    let alike = rng.word().is_multiple_of(2);
    let n = if alike { 3 } else { 2 * m + 1 };
    let mut jacobian = DMatrix::from_fn(2 * m, n, |_, _| rng.uniform(-1.0, 1.0));
    let mut velocity = DVector::from_fn(n, |_, _| rng.uniform(-1.0, 1.0));
    if alike {
        let symmetric = rng.word().is_multiple_of(2);
        let (mut x, mut y) = (0.0, 0.0);
        for i in 0..m {
            (x, y) = if symmetric && i % 2 == 1 {
                (-x, y)
            } else {
                (rng.uniform(-1.0, 1.0), -0.5 - 0.5 * x * x)
            };
            jacobian.row_mut(i).copy_from_slice(&[0.0, 1.0, 1.6 * x]);
            jacobian.row_mut(m + i).copy_from_slice(&[1.0, 0.0, -1.6 * y]);
        }
        velocity.copy_from_slice(&[0.0, -1.0, 0.0]);
    }
    let mu: Vec<f64> = match rng.word() % 3 {
        0 => vec![0.7; m],
        1 => vec![1.5; m],
        _ => (0..m).map(|_| rng.uniform(-0.2, 2.0).max(0.0)).collect(),
    };
    let mut u = &jacobian * &velocity;
    if !alike {
        for i in 0..m {
            u[i] = -u[i].abs();
        }
    }
    let (step, scaling, start) = StepProblem::scaled(&(&jacobian * jacobian.transpose()), &mu, &u);
    let h = rng.uniform(0.2, 2.0) * scaling.impulse;
    let caps = scaling.caps(h);
    (step, start, caps)
}

/// A step problem of spatial contacts with T axes each, otherwise as [`random_step`]: planar where
/// T is 1.
pub fn random_step_of(
    rng: &mut Draws,
    m: usize,
    axes: usize,
) -> (StepProblem<f64>, Vec<f64>, Vec<f64>) {
    if axes == 1 {
        return random_step(rng, m);
    }
    let n = if rng.word().is_multiple_of(2) { 6 } else { 3 * m + 1 };
    let jacobian = DMatrix::from_fn(3 * m, n, |_, _| rng.uniform(-1.0, 1.0));
    let mu: Vec<f64> = (0..m).map(|_| rng.uniform(-0.2, 2.0).max(0.0)).collect();
    let velocity = DVector::from_fn(n, |_, _| rng.uniform(-1.0, 1.0));
    let u = &jacobian * velocity;
    let facets = Facets::new(2 * axes as u32).unwrap();
    let (step, scaling) =
        StepProblem::faceted(&(&jacobian * jacobian.transpose()), &mu, &u, &facets);
    let start = (0..step.width()).map(|i| scaling.along(&u, i)).collect();
    let h = rng.uniform(0.2, 2.0) * scaling.impulse;
    let caps = scaling.caps(h);
    (step, start, caps)
}

/// Numbers of contacts and of axes that the step functions are compared for.
pub const SHAPES: [(usize, usize); 8] =
    [(1, 1), (2, 1), (3, 1), (4, 1), (1, 2), (2, 2), (2, 4), (3, 3)];

/// A velocity and caps `x = (u, c)` of some step on the way; one in four has all rates equal.
pub fn random_x(rng: &mut Draws, start: &[f64], caps: &[f64]) -> Vec<f64> {
    let shared = rng.uniform(0.0, 1.0);
    let equal = rng.word().is_multiple_of(4);
    let moved = if rng.word().is_multiple_of(2) { 0.0 } else { 0.5 };
    let mut x: Vec<f64> = start.iter().map(|u| u + moved * rng.uniform(-1.0, 1.0)).collect();
    x.extend(caps.iter().map(|c| c * if equal { shared } else { rng.uniform(0.0, 1.0) }));
    x
}

/// What the step functions read, where the probe's numbers hold W, mu, sigma of each thread.
pub const STEP_NUMBERS: &str = "
fn number(i: u32) -> real { return numbers[me * STRIDE + i]; }
fn w_at(i: u32) -> real { return number(i); }
fn mu_at(i: u32) -> real { return number(K * K + i); }
fn sigma_at(i: u32) -> real { return number(K * K + M + i); }
const AFTER = K * K + M + K;
const X_USED = K + M;
";

pub fn step_numbers<R: Real>(step: &StepProblem<R>) -> Vec<R> {
    [&step.w, &step.mu, &step.sigma].into_iter().flatten().copied().collect()
}

/// Step problems, each with an x, and the numbers of all that a probe reads.
pub type Steps<R> = (Vec<(StepProblem<R>, Vec<R>)>, Vec<R>);

/// Random ones of a test.
pub fn steps_of<R: Real>(test: u64, m: usize, axes: usize, count: usize) -> Steps<R> {
    let mut numbers: Vec<R> = Vec::new();
    let case = |case| {
        let mut rng = Draws::of(test, 1000 * m + case);
        let (step, start, caps) = random_step_of(&mut rng, m, axes);
        let (step, x) = (step.cast::<R>(), cast::<R>(&random_x(&mut rng, &start, &caps)));
        numbers.extend(step_numbers(&step).iter().chain(&x));
        (step, x)
    };
    ((0..count).map(case).collect(), numbers)
}

/// `larger`, `smaller`, `clamped` on finite numbers; `is_finite` on all.
pub fn comparisons<R: Real>() {
    let special = [0.0, -0.0, 1.0, -1.0, 1e-30, -1e-30, 3e38, -3e38];
    let pairs = special.iter().flat_map(|&a| special.map(|b| [a, b.min(a), b.max(a)]));
    let mut cases: Vec<[f64; 3]> = pairs.collect();
    let mut rng = Draws::of(3, 0);
    cases.extend((0..1000).map(|_| std::array::from_fn(|_| rng.uniform(-2.0, 2.0))));
    let huge = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN];
    let finite = cases.len();
    cases.extend(huge.map(|x| [x, 0.0, 0.0]));
    let numbers: Vec<R> = cast(cases.as_flattened());
    let probe = Probe::of([1, 1], &[], &numbers, cases.len(), [1, 3]);
    let (words, found) = probe.run(&[
        STEP,
        "fn w_at(i: u32) -> real { return ZERO; }
        fn mu_at(i: u32) -> real { return ZERO; }
        fn sigma_at(i: u32) -> real { return ONE; }
        fn probe() {
            let a = numbers[3u * me];
            let b = numbers[3u * me + 1u];
            let c = numbers[3u * me + 2u];
            numbers_out[3u * me] = larger(a, b);
            numbers_out[3u * me + 1u] = smaller(a, b);
            numbers_out[3u * me + 2u] = clamped(a, b, c);
            words_out[me] = select(0u, 1u, is_finite(a));
        }",
    ]);
    for (i, case) in numbers.chunks(3).enumerate() {
        let (a, b, c) = (case[0], case[1], case[2]);
        assert_eq!(words[i] == 1, Real::is_finite(a), "{case:?}");
        if i < finite {
            let expected = [Real::max(a, b), Real::min(a, b), a.clamp(b, c)];
            assert_eq!(found[3 * i..3 * i + 3], expected, "{case:?}");
        }
    }
}

/// `advance`, `clamp_impulse`, `residual`.
pub fn step_functions<R: Real>() {
    for (m, axes) in SHAPES {
        let (k, count) = ((1 + axes) * m, 500);
        let stride = k * k + m + k + k + m + k;
        let mut cases = Vec::new();
        let mut numbers: Vec<R> = Vec::new();
        for case in 0..count {
            let mut rng = Draws::of(4, 1000 * m + case);
            let (step, start, caps) = random_step_of(&mut rng, m, axes);
            let (step, x) = (step.cast::<R>(), cast::<R>(&random_x(&mut rng, &start, &caps)));
            let l: Vec<R> = (0..k).map(|_| R::from_f64(rng.uniform(-0.5, 1.5))).collect();
            numbers.extend(step_numbers(&step).iter().chain(&x).chain(&l));
            cases.push((step, x, l));
        }
        let probe = Probe::of([m, axes], &[], &numbers, count, [0, 2 * k + 1]);
        let (_, found) = probe.run(&[
            STEP,
            &format!("const STRIDE = {stride}u;"),
            STEP_NUMBERS,
            "fn probe() {
                var x: array<real, X>;
                var l: array<real, K>;
                var u_plus: array<real, K>;
                for (var i = 0u; i < X_USED; i++) { x[i] = number(AFTER + i); }
                for (var i = 0u; i < K; i++) { l[i] = number(AFTER + X_USED + i); }
                let at = me * (2u * K + 1u);
                clamp_impulse(&x, &l);
                advance(&x, &l, &u_plus);
                for (var i = 0u; i < K; i++) {
                    numbers_out[at + i] = l[i];
                    numbers_out[at + K + i] = u_plus[i];
                }
                numbers_out[at + 2u * K] = residual(&x, &l, &u_plus);
            }",
        ]);
        for ((step, x, l), found) in cases.iter_mut().zip(found.chunks(2 * k + 1)) {
            let mut u_plus = vec![R::ZERO; k];
            step.clamp_impulse(&x[k..], l);
            step.advance(&x[..k], l, &mut u_plus);
            let residual = step.residual(&x[k..], l, &u_plus);
            let expected: Vec<R> = l.iter().chain(&u_plus).copied().chain([residual]).collect();
            let size = expected.iter().fold(1.0, |s: f64, x| s.max(x.to_f64().abs()));
            for (i, (&a, &b)) in found.iter().zip(&expected).enumerate() {
                let of = format!("m = {m}, entry {i}, x {x:?}, L {l:?}");
                assert!(close(a, b, size), "{of}: {a:?}, expected {b:?}");
            }
        }
    }
}

/// One number that is not finite, anywhere in L, c or u+, makes the residual HUGE.
pub fn residual_of_what_is_not_finite<R: Real>() {
    let m = 2;
    let stride = 16 + 2 + 4 + 6 + 4 + 4;
    let (step, x) = (
        StepProblem::<R> {
            contacts: m,
            axes: 1,
            w: vec![R::ONE; 16],
            mu: vec![R::from_f64(0.5); m],
            sigma: vec![R::ONE; 4],
        },
        cast::<R>(&[-1.0, -1.0, 0.1, 0.2, 0.5, 0.5]),
    );
    let (l, u_plus) = (cast::<R>(&[0.25, 0.25, 0.1, -0.1]), cast::<R>(&[0.0, 0.1, 0.0, 0.3]));
    let mut cases = Vec::new();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..10 {
            let mut case = (x.clone(), l.clone(), u_plus.clone());
            match place {
                0..2 => case.0[4 + place] = R::from_f64(bad),
                2..6 => case.1[place - 2] = R::from_f64(bad),
                _ => case.2[place - 6] = R::from_f64(bad),
            }
            cases.push(case);
        }
    }
    let mut numbers: Vec<R> = Vec::new();
    for (x, l, u_plus) in &cases {
        numbers.extend(step_numbers(&step));
        numbers.extend(x.iter().chain(l).chain(u_plus));
    }
    let probe = Probe::of([m, 1], &[], &numbers, cases.len(), [0, 1]);
    let (_, found) = probe.run(&[
        STEP,
        &format!("const STRIDE = {stride}u;"),
        STEP_NUMBERS,
        "fn probe() {
            var x: array<real, X>;
            var l: array<real, K>;
            var u_plus: array<real, K>;
            for (var i = 0u; i < X_USED; i++) { x[i] = number(AFTER + i); }
            for (var i = 0u; i < K; i++) {
                l[i] = number(AFTER + X_USED + i);
                u_plus[i] = number(AFTER + X_USED + K + i);
            }
            numbers_out[me] = residual(&x, &l, &u_plus);
        }",
    ]);
    for ((x, l, u_plus), found) in cases.iter().zip(found) {
        assert_eq!(found, step.residual(&x[4..], l, u_plus), "x {x:?}, L {l:?}, u+ {u_plus:?}");
        let reaches = [l, u_plus].into_iter().flatten().any(|x| !Real::is_finite(*x));
        assert!(!reaches || found == R::HUGE, "x {x:?}, L {l:?}, u+ {u_plus:?}: {found:?}");
    }
}

/// What the pivoting functions need, with the dictionary and the indices in the probe's output.
pub const PIVOT_NUMBERS: &str = "
fn cap_at(i: u32) -> real { return number(AFTER + K + i); }
fn rest_at(i: u32) -> real { return ZERO; }
fn persist() -> u32 { return 1u; }
fn below() -> vec2<u32> { return vec2<u32>(SAMPLER_WHOLE, SAMPLER_WHOLE); }
fn direction_at(i: u32) -> u32 { return 0u; }
fn random_covering() -> bool { return words_in[2u * me] == 1u; }
fn matrix_at(entry: u32) -> real { return number(AFTER + X_USED + entry); }
fn first() -> u32 { return 0u; }
fn stride() -> u32 { return 1u; }
fn first_row() -> u32 { return 0u; }
fn row_stride() -> u32 { return 1u; }
fn first_column() -> u32 { return 0u; }
fn column_stride() -> u32 { return 1u; }
fn keep_column(n: u32, column: u32) {}
fn kept_at(n: u32, i: u32, column: u32) -> real { return table_at(n, i, column); }
fn keep_ratios(n: u32, column: u32, zero: real) {}
fn ratio_at(n: u32, i: u32, column: u32, zero: real) -> real { return lemke_ratio(n, i, column, zero); }
fn join() {}
fn agreed(x: u32) -> u32 { return x; }
const N = (3u + 2u * AXES) * M;
const ENTRIES = N * (N + 2u);
const PLACES = 4u * N + 2u;
fn table_at(n: u32, i: u32, j: u32) -> real { return numbers_out[me * (ENTRIES + K) + i * (n + 2u) + j]; }
fn table_set(n: u32, i: u32, j: u32, value: real) { numbers_out[me * (ENTRIES + K) + i * (n + 2u) + j] = value; }
fn basic_at(i: u32) -> u32 { return words_out[me * (PLACES + 2u) + i]; }
fn basic_set(i: u32, value: u32) { words_out[me * (PLACES + 2u) + i] = value; }
fn nonbasic_at(i: u32) -> u32 { return words_out[me * (PLACES + 2u) + N + i]; }
fn nonbasic_set(i: u32, value: u32) { words_out[me * (PLACES + 2u) + N + i] = value; }
fn place_at(i: u32) -> u32 { return words_out[me * (PLACES + 2u) + 2u * N + 1u + i]; }
fn place_set(i: u32, value: u32) { words_out[me * (PLACES + 2u) + 2u * N + 1u + i] = value; }
";

/// What pivoting is made of.
pub const PIVOTS: [&str; 8] = [PHILOX, STREAM, SOBOL, STEP, ROUTH, RATES, LEMKE, ROUTH_PIVOT];

/// `lcp_constant`: there is no arithmetic.
pub fn lcp_form<R: Real>() {
    for (m, axes) in SHAPES.into_iter().chain([(5, 1)]) {
        let (k, n, count) = ((1 + axes) * m, (3 + 2 * axes) * m, 20);
        let stride = k * k + m + k + k + m;
        let (cases, numbers) = steps_of::<R>(5, m, axes, count);
        let words = vec![0; 2 * count];
        let probe = Probe::of([m, axes], &words, &numbers, count, [1, n]);
        let (_, found) = probe.run(&[
            &PIVOTS.concat(),
            &format!("const STRIDE = {stride}u;"),
            STEP_NUMBERS,
            PIVOT_NUMBERS,
            "fn probe() {
                var x: array<real, X>;
                for (var i = 0u; i < X_USED; i++) { x[i] = number(AFTER + i); }
                for (var i = 0u; i < N; i++) { numbers_out[me * N + i] = lcp_constant(&x, i); }
            }",
        ]);
        for ((step, x), found) in cases.iter().zip(found.chunks(n)) {
            for (i, &found) in found.iter().enumerate() {
                assert_eq!(found, step.lcp_constant(&x[..k], &x[k..], i), "m = {m}, row {i}");
            }
        }
    }
}
