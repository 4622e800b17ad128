//! How rates are drawn: against a plain loop over enumerated steps, and what it does to the set.

use carom::law::routh::{Routh, rest_velocity};
use carom::lcp::enumerate::enumerate;
use carom::outcome::Samples;
use carom::outcome::distance::PointSet;
use carom::problem::ContactProblem;
use carom::rng::{Purpose, Stream, stream};
use carom::scene;
use carom::status::Status;
use nalgebra::{DMatrix, DVector};

use super::{Precision, sampled, within};

/// The contact velocities after a step of m planar contacts from `u` with caps `c`, in SI units: \[HP23\] (75), solved by
/// enumeration. All solutions have to lead to the same.
fn enumerated(problem: &ContactProblem, u: &DVector<f64>, c: &[f64]) -> (DVector<f64>, DVector<f64>) {
    let m = problem.contact_count();
    let (w, n) = (problem.delassus(), 5 * m);
    let mut matrix = DMatrix::zeros(n, n);
    let mut constant = DVector::zeros(n);
    // Unknowns: s, ln, b+, b-, g.
    for i in 0..m {
        (constant[i], constant[m + i]) = (c[i], u[i]);
        (constant[2 * m + i], constant[3 * m + i]) = (u[m + i], -u[m + i]);
        (matrix[(i, m + i)], matrix[(m + i, i)]) = (-1.0, 1.0);
        (matrix[(4 * m + i, m + i)], matrix[(4 * m + i, 2 * m + i)], matrix[(4 * m + i, 3 * m + i)]) =
            (problem.friction()[i], -1.0, -1.0);
        (matrix[(2 * m + i, 4 * m + i)], matrix[(3 * m + i, 4 * m + i)]) = (1.0, 1.0);
        for j in 0..m {
            for (at, row, sign) in [(m + i, i, 1.0), (2 * m + i, m + i, 1.0), (3 * m + i, m + i, -1.0)] {
                matrix[(at, m + j)] = sign * w[(row, j)];
                matrix[(at, 2 * m + j)] = sign * w[(row, m + j)];
                matrix[(at, 3 * m + j)] = -sign * w[(row, m + j)];
            }
        }
    }
    let impulse = |z: &DVector<f64>| {
        DVector::from_fn(2 * m, |i, _| if i < m { z[m + i] } else { z[m + i] - z[2 * m + i] })
    };
    let solutions = enumerate(&matrix, &constant, 1e-10);
    let l = impulse(&solutions[0]);
    let after = u + w * &l;
    for z in &solutions {
        assert!((u + w * impulse(z) - &after).amax() < 1e-8, "several solutions");
    }
    (l, after)
}

/// A sample of steps `h` whose rates stay for `persist` steps: its impulse and its number of steps.
fn by_hand(problem: &ContactProblem, h: f64, persist: u32, stream: &Stream) -> (DVector<f64>, u32) {
    let m = problem.contact_count();
    let rest = rest_velocity::<f64>(problem);
    let (mut u, mut total) = (problem.contact_velocity().clone(), DVector::zeros(2 * m));
    let mut steps = 0;
    while (0..m).any(|i| u[i] < -rest) {
        let rate = |i: usize| f64::from(stream::unit(stream.draw(steps / persist, Purpose::Rate, i as u32)));
        let caps: Vec<f64> = (0..m).map(|i| h * rate(i)).collect();
        let (l, after) = enumerated(problem, &u, &caps);
        (u, total, steps) = (after, total + l, steps + 1);
    }
    (total, steps)
}

#[test]
fn rates_persist_over_the_steps_asked_for() {
    let problem = scene::load("rocking-block").unwrap();
    let (h, count) = (0.08, 30);
    let mut mean = Vec::new();
    for persist in [None, Some(1), Some(2), Some(5)] {
        let law = Routh { step: Some(h), max_steps: Some(100), persist, ..Routh::default() };
        let samples = sampled(&problem, law, Precision::F64, count);
        for i in 0..count {
            let (total, steps) = by_hand(&problem, h, persist.unwrap_or(1), &Stream::new(0, i));
            let found = DVector::from_column_slice(samples.row(&samples.velocity, i as usize));
            let known = problem.velocity() + problem.response() * total;
            assert_eq!(samples.steps[i as usize], steps, "persist {persist:?}, sample {i}");
            assert!((found - known).amax() <= 1e-9, "persist {persist:?}, sample {i}");
        }
        mean.push(f64::from(samples.steps.iter().sum::<u32>()) / count as f64);
    }
    // Otherwise nothing has been told apart.
    assert!(mean[0] > 4.0, "{mean:?}");
}

/// The largest support deficit of `points` against `reference`, over |v-|_M, in fixed random directions.
fn deficit(problem: &ContactProblem, points: &Samples, reference: &Samples) -> f64 {
    let set = |s: &Samples| {
        let ended = (0..s.len()).filter(|&i| s.status[i] == Status::Terminated);
        let rows: Vec<f64> = ended.flat_map(|i| s.row(&s.velocity, i).to_vec()).collect();
        PointSet::new(problem.mass(), problem.velocity(), &rows).unwrap()
    };
    let (points, reference, n) = (set(points), set(reference), problem.coordinate_count());
    let support = |set: &PointSet, along: &DVector<f64>| {
        let reach = |x: &[f64]| x.iter().zip(along.iter()).map(|(x, a)| x * a).sum::<f64>();
        set.points().chunks(n).map(reach).fold(f64::NEG_INFINITY, f64::max)
    };
    let draws = Stream::new(64, 0);
    let deficit = |d: usize| {
        let draw = |a: usize| f64::from(stream::unit(draws.draw(d as u32, Purpose::User, a as u32))) - 0.5;
        let along = DVector::from_fn(n, |a, _| draw(a)).normalize();
        support(&reference, &along) - support(&points, &along)
    };
    (0..64).map(deficit).fold(0.0, f64::max)
}

/// Fresh rates at every small step average out; those that persist reach as far as the large step's, and not farther.
#[test]
fn persisting_rates_reach_what_fresh_ones_average_out() {
    for name in ["rocking-block", "compass-gait", "box-and-wall"] {
        let problem = scene::load(name).unwrap();
        let h = problem.spec().step.unwrap();
        let law = |parts: u32, persist: Option<u32>| Routh {
            step: Some(h / f64::from(parts)),
            max_steps: Some(1000),
            persist,
            ..Routh::default()
        };
        let coarse = sampled(&problem, law(1, None), Precision::F64, 20_000);
        let fresh = sampled(&problem, law(16, None), Precision::F64, 2000);
        let kept = sampled(&problem, law(16, Some(16)), Precision::F64, 2000);
        let [short, far] = [&fresh, &kept].map(|samples| deficit(&problem, samples, &coarse));
        let inside = within(&problem, &kept, &coarse);
        println!(
            "{name}: deficit {short:.4} with fresh rates, {far:.4} with persisting ones; within {inside:.4}"
        );
        assert!(far <= 0.5 * short && inside >= 0.97, "{name}: {short} {far} {inside}");
    }
}
