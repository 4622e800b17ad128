//! How rates are drawn: against a plain loop over enumerated steps, and what it does to the set.

use super::*;
use carom_core::lcp::enumerate::enumerate;
use std::cell::Cell;

/// The contact velocities after a step of m planar contacts from `u` with caps `c`, in SI units:
/// \[HP23\] (75), solved by enumeration. All solutions have to lead to the same.
fn enumerated(
    problem: &ContactProblem,
    u: &DVector<f64>,
    c: &[f64],
) -> (DVector<f64>, DVector<f64>) {
    let m = problem.contact_count();
    let (w, n) = (problem.delassus(), 5 * m);
    let mut matrix = DMatrix::zeros(n, n);
    let mut constant = DVector::zeros(n);
    // Unknowns: s, ln, b+, b-, g.
    for i in 0..m {
        (constant[i], constant[m + i]) = (c[i], u[i]);
        (constant[2 * m + i], constant[3 * m + i]) = (u[m + i], -u[m + i]);
        (matrix[(i, m + i)], matrix[(m + i, i)]) = (-1.0, 1.0);
        matrix[(4 * m + i, m + i)] = problem.friction()[i];
        (matrix[(4 * m + i, 2 * m + i)], matrix[(4 * m + i, 3 * m + i)]) = (-1.0, -1.0);
        (matrix[(2 * m + i, 4 * m + i)], matrix[(3 * m + i, 4 * m + i)]) = (1.0, 1.0);
        for j in 0..m {
            let listed = [(m + i, i, 1.0), (2 * m + i, m + i, 1.0), (3 * m + i, m + i, -1.0)];
            for (at, row, sign) in listed {
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

/// A sample whose steps have the caps that `draw` says: its velocity and number of steps.
fn by_hand(
    problem: &ContactProblem,
    draw: impl Fn(u32, &DVector<f64>) -> Vec<f64>,
) -> (DVector<f64>, u32) {
    let m = problem.contact_count();
    let rest = problem.rest_velocity::<f64>();
    let (mut u, mut total) = (problem.contact_velocity().clone(), DVector::zeros(2 * m));
    let mut steps = 0;
    while (0..m).any(|i| u[i] < -rest) {
        let (l, after) = enumerated(problem, &u, &draw(steps, &u));
        (u, total, steps) = (after, total + l, steps + 1);
    }
    (problem.velocity() + problem.response() * total, steps)
}

/// The first samples of a law, each drawn again by hand.
fn check(
    problem: &ContactProblem,
    law: &Routh,
    draw: impl Fn(&Stream, u32, &DVector<f64>) -> Vec<f64>,
) {
    check_each(problem, law, &|_| {}, draw);
}

/// Checks samples as `check` does, and calls `begin` with the number of each.
fn check_each(
    problem: &ContactProblem,
    law: &Routh,
    begin: &dyn Fn(usize),
    draw: impl Fn(&Stream, u32, &DVector<f64>) -> Vec<f64>,
) {
    let samples = sampled(problem, law.clone(), F64, 30);
    for i in 0..samples.len() {
        begin(i);
        let stream = Stream::new(0, i as u64);
        let (known, steps) = by_hand(problem, |step, u| draw(&stream, step, u));
        let found = vector(samples.row(&samples.velocity, i));
        assert_eq!(samples.steps[i], steps, "{law:?}, sample {i}");
        assert!((found - known).amax() <= 1e-9, "{law:?}, sample {i}");
    }
    let mean = f64::from(samples.steps.iter().sum::<u32>()) / samples.len() as f64;
    assert!(mean > 4.0, "{law:?}: {mean} steps, too few to tell");
}

fn unit(word: u32) -> f64 {
    f64::from(word >> 8) / f64::from(1 << 24)
}

#[test]
fn rates_persist_over_the_steps_asked_for() {
    let problem = load("rocking-block");
    let h = 0.08;
    for persist in [None, Some(1), Some(2), Some(5)] {
        let law = Routh { step: Some(h), max_steps: Some(100), persist, ..Routh::steps() };
        check(&problem, &law, |stream, step, _| {
            let rate =
                |i: u32| h * unit(stream.draw(step / persist.unwrap_or(1), Purpose::Rate, i));
            (0..2).map(rate).collect()
        });
    }
}

/// One of the two contacts or both take part, and at least one that approaches; steps are from h /
/// 4 to 16 h long, of all orders of magnitude alike.
#[test]
fn coverage_draws_subsets_and_lengths() {
    let problem = load("rocking-block");
    let (h, rest) = (0.02, problem.rest_velocity::<f64>());
    let (sampler, drawn) = (Sampler::Coverage, std::cell::RefCell::new(Vec::new()));
    let law =
        Routh { step: Some(h), max_steps: Some(100), sampler: Some(sampler), ..Routh::steps() };
    check(&problem, &law, |stream, step, u| {
        let order = |j: u32| stream.draw(step, Purpose::Order, j);
        let power = 2f64.powi(((u64::from(order(0)) * 6) >> 32) as i32 - 2);
        let length = power * (1.0 + unit(order(1)));
        // Blocks of four draws: the length; then a size and a subset, as often as it takes.
        let subset = |k: u32| match (order(4 + 8 * k) >= 1 << 31, order(8 + 8 * k) >= 1 << 31) {
            (true, _) => vec![0, 1],
            (false, second) => vec![usize::from(second)],
        };
        let hits = |subset: &Vec<usize>| subset.iter().any(|&i| u[i] < -rest);
        let subset = (0..4).map(subset).find(hits).unwrap_or(vec![0, 1]);
        drawn.borrow_mut().push((length.log2(), subset.len() == 2));
        let cap = |i: usize| h * length * unit(stream.draw(step, Purpose::Rate, i as u32));
        (0..2).map(|i| if subset.contains(&i) { cap(i) } else { 0.0 }).collect()
    });
    let drawn = drawn.into_inner();
    let share = |which: &dyn Fn(&(f64, bool)) -> bool| {
        drawn.iter().filter(|step| which(step)).count() as f64 / drawn.len() as f64
    };
    assert!(drawn.iter().all(|(length, _)| (-2.0..4.0).contains(length)));
    assert!((0.4..0.8).contains(&share(&|step| step.1)));
    assert!((0.35..0.65).contains(&share(&|step| step.0 < 1.0)));
}

/// Sample i has point i of a scrambled Sobol sequence, by `sobol` and scrambling written out.
#[test]
fn sobol_draws_one_dimension_per_step_and_contact() {
    let problem = load("rocking-block");
    let (h, sampler) = (0.006, Sampler::Sobol);
    let law =
        Routh { step: Some(h), max_steps: Some(1000), sampler: Some(sampler), ..Routh::steps() };
    let parameters = sobol::params::JoeKuoD6::standard();
    let points: Vec<Vec<u32>> = sobol::Sobol::<u32>::new(128, &parameters).take(30).collect();
    let (of, longest) = (Cell::new(0), Cell::new(0));
    check_each(&problem, &law, &|i| of.set(i), |stream, step, _| {
        longest.set(longest.get().max(step));
        let rate = |i: u32| {
            let dimension = 2 * step + i;
            if dimension >= 128 {
                return unit(stream.draw(step, Purpose::Rate, i));
            }
            let key = Stream::new(0, 0).draw(step, Purpose::Scrambling, i);
            unit(owen(points[of.get()][dimension as usize], key))
        };
        (0..2).map(|i| h * rate(i)).collect()
    });
    assert!(longest.get() > 64, "dimensions do not run out within {} steps", longest.get());
}

/// Owen's scrambling by Laine and Karras, bit by bit: those above a bit flip it.
fn owen(word: u32, key: u32) -> u32 {
    let mut x = u64::from(word.reverse_bits()) + u64::from(key);
    for factor in [0x6c50_b47c_u64, 0xb82f_1e52, 0xc7af_e638, 0x8d22_f6e6] {
        x &= 0xffff_ffff;
        x ^= (x * factor) & 0xffff_ffff;
    }
    (x as u32).reverse_bits()
}

/// A mix has the samples of its samplers, as often as shares say, in any order of naming.
#[test]
fn mixes_draw_a_sampler_for_every_sample() {
    let names = ["uniform", "sobol", "coverage"];
    for (scene, problem) in loaded(["rocking-block", "cube-on-edge", "ramone"]) {
        for process in [None, Some(RouthProcess::Steps)] {
            let process = process.filter(|_| problem.tangents_per_contact() == 1);
            let law = |sampler: &str| Routh {
                process,
                sampler: sampler.parse().ok(),
                max_steps: Some(1000),
                ..Routh::default()
            };
            let drawn = |sampler: &str| sampled(&problem, law(sampler), F64, 1000);
            let pure = names.map(drawn);
            let mix = drawn("uniform:1,coverage:5,sobol:2");
            let same = |a: &Samples, i: usize| a.row(&a.velocity, i) == mix.row(&mix.velocity, i);
            let picked = |i: usize| {
                let number = f64::from(Stream::new(0, i as u64).draw(0, Purpose::Sampler, 0))
                    / 2f64.powi(32);
                usize::from(number >= 0.125) + usize::from(number >= 0.375)
            };
            let mut counts = [0; 3];
            for i in 0..mix.len() {
                counts[picked(i)] += 1;
                assert!(same(&pure[picked(i)], i), "{scene}, sample {i}");
            }
            assert!((90..160).contains(&counts[0]), "{counts:?}");
            assert!((200..300).contains(&counts[1]), "{counts:?}");
            let swapped = drawn("sobol:0.5,coverage:1.25,uniform:0.25");
            assert_eq!(swapped.velocity, mix.velocity, "{scene}");
        }
    }
}

#[test]
fn mixes_are_read_as_they_are_written() {
    for text in [
        "uniform",
        "sobol",
        "coverage",
        "uniform:0.2,coverage:0.8",
        "uniform:1,sobol:3,coverage:0.125",
    ] {
        assert_eq!(text.parse::<Sampler>().unwrap().to_string(), text);
    }
    assert_eq!("coverage:7".parse::<Sampler>().unwrap(), Sampler::Coverage);
    let swapped = " coverage : 0.8 , uniform:0.2".parse::<Sampler>().unwrap();
    assert_eq!(swapped.to_string(), "uniform:0.2,coverage:0.8");
    for (text, words) in [
        ("covrage", &["no such sampler as `covrage`", "perhaps coverage"][..]),
        ("dice", &["no such sampler as `dice`", "uniform, sobol, coverage"]),
        ("uniform:0.5,soboll:0.5", &["`soboll`", "perhaps sobol"]),
        ("uniform:a,coverage:1", &["expected a share", "`uniform:a`"]),
        ("uniform,coverage", &["expected a share", "`uniform`"]),
        ("uniform:0,coverage:1", &["share of uniform", "above 0", "found 0"]),
        ("uniform:-1,coverage:1", &["above 0"]),
        ("uniform:nan,coverage:1", &["finite"]),
        ("uniform:inf,coverage:1", &["finite"]),
        ("uniform:1,uniform:2", &["uniform is named twice"]),
        ("", &["no such sampler"]),
        ("uniform:1,", &["no such sampler"]),
    ] {
        let error = text.parse::<Sampler>().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage);
        assert!(words.iter().all(|word| error.what.contains(word)), "{text}: {error}");
    }
    assert!(Sampler::mix(&[]).is_err());
    let mix = "uniform:1,coverage:1".parse().unwrap();
    assert!(Sampler::mix(&[(mix, 1.0)]).is_err());
}

/// The largest support deficit of `points` against `reference`, over |v-|_M.
fn deficit(problem: &ContactProblem, points: &[f64], reference: &[f64]) -> f64 {
    let n = problem.coordinate_count();
    let set = |rows: &[f64]| PointSet::new(problem.mass(), problem.velocity(), rows).unwrap();
    let (points, reference) = (set(points), set(reference));
    let support = |set: &PointSet, along: &DVector<f64>| {
        let reach = |x: &[f64]| x.iter().zip(along.iter()).map(|(x, a)| x * a).sum::<f64>();
        set.points().chunks(n).map(reach).fold(f64::NEG_INFINITY, f64::max)
    };
    let draws = Stream::new(64, 0);
    let deficit = |d: u32| {
        let along = DVector::from_fn(n, |a, _| unit(draws.draw(d, Purpose::User, a as u32)) - 0.5);
        let along = along.normalize();
        support(&reference, &along) - support(&points, &along)
    };
    (0..64).map(deficit).fold(0.0, f64::max)
}

/// Fresh rates at small steps average out; those that persist reach as far as a large step's.
#[test]
fn persisting_rates_reach_what_fresh_ones_average_out() {
    for (name, problem) in loaded(["rocking-block", "compass-gait", "box-and-wall"]) {
        let h = problem.spec().step.unwrap();
        let law = |parts: u32, persist: Option<u32>| Routh {
            step: Some(h / f64::from(parts)),
            max_steps: Some(1000),
            persist,
            ..Routh::steps()
        };
        let coarse = sampled(&problem, law(1, None), F64, 20_000);
        let kept = sampled(&problem, law(16, Some(16)), F64, 2000);
        let fresh = sampled(&problem, law(16, None), F64, 2000);
        let reference = ends(&coarse);
        let [short, far] =
            [&fresh, &kept].map(|samples| deficit(&problem, &ends(samples), &reference));
        let inside = within(&problem, &kept, &coarse);
        assert!(far <= 0.5 * short && inside >= 0.97, "{name}: {short} {far} {inside}");
    }
}

/// Five hundred samples of `coverage` come nearer to the borders of the sets than as many with
/// uniform rates, by these factors at least; the LCPs of every step are solved. (On the compass
/// gait, whose set is made by the choice among solutions, there is nothing to gain, and on ramone
/// five hundred samples of either find all.)
#[test]
fn coverage_covers_with_fewer_samples() {
    for (name, gain) in [("rocking-block", 10.0), ("box-and-wall", 3.0), ("disk-stack", 1.2)] {
        let problem = load(name);
        let law =
            |sampler| Routh { sampler: Some(sampler), max_steps: Some(1000), ..Routh::steps() };
        let runs = [Sampler::Uniform, Sampler::Coverage]
            .map(|sampler| sampled(&problem, law(sampler), F64, 40_000));
        let sound =
            |s: &Samples, i: usize| s.status[i] == Status::Terminated && s.residual[i] <= 1e-6;
        assert!(runs.iter().all(|run| (0..run.len()).all(|i| sound(run, i))), "{name}");
        let points = runs.each_ref().map(ends);
        let reference = points.concat();
        let [uniform, coverage] = points.map(|points| {
            let few = points.chunks(500 * problem.coordinate_count()).take(7);
            let mut deficits: Vec<f64> =
                few.map(|few| deficit(&problem, few, &reference)).collect();
            deficits.sort_by(f64::total_cmp);
            deficits[3]
        });
        assert!(gain * coverage <= uniform, "{name}: {uniform} {coverage}");
    }
}
