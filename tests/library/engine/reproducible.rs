//! What samples do not depend on: batch, chunk, threads, and nearly the precision.

use super::*;
use crate::support::compare::{assert_prefix, gpu, samples};
use carom_core::lcp::StepProblem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[test]
fn fewer_samples_are_the_first_of_more() {
    for (name, problem) in loaded(["compass-gait", "disk-stack"]) {
        for precision in [F64, F32] {
            let engine = cpu();
            let plan = |samples| planned(Law::default(), samples, 7, precision);
            let count = if name == "compass-gait" { 100_000 } else { 5_000 };
            let long = samples(&engine, &problem, &plan(count));
            assert_prefix(&samples(&engine, &problem, &plan(1000)), &long, name);
        }
    }
}

#[test]
fn statistics_do_not_depend_on_whether_samples_are_kept() {
    let problem = load("compass-gait");
    let engine = cpu();
    for precision in [F64, F32] {
        let plan = planned(Law::default(), 5000, 2, precision);
        let kept = engine.sample(&problem, &plan, |_| Ok(())).unwrap().summary;
        assert_eq!(kept, engine.summarize(&problem, &plan, |_| ()).unwrap().summary);
        let mut again = kept.clone();
        again.merge(&kept);
        assert_ne!(kept, again);
    }
}

#[test]
fn neither_chunks_nor_threads_change_a_bit() {
    for (name, samples) in [("ramone", 20_000), ("humanoid", 1500)] {
        in_chunks_and_threads(&load(name), samples);
    }
}

fn in_chunks_and_threads(problem: &ContactProblem, count: u64) {
    let engine = cpu();
    let plan = |chunk| Plan { samples: count, seed: 3, chunk, ..Plan::default() };
    let reference = samples(&engine, problem, &plan(None));
    let summary = engine.sample(problem, &plan(None), |_| Ok(())).unwrap().summary;
    assert_eq!(summary, engine.summarize(problem, &plan(None), |_| ()).unwrap().summary);
    for chunk in [1, 1500, 4096, 1_000_000] {
        let plan = plan(Some(chunk));
        assert_prefix(&samples(&engine, problem, &plan), &reference, "chunk");
        assert_eq!(engine.sample(problem, &plan, |_| Ok(())).unwrap().summary, summary);
    }
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (all, run) = pool.install(|| {
            (
                samples(&engine, problem, &plan(None)),
                engine.sample(problem, &plan(None), |_| Ok(())).unwrap(),
            )
        });
        assert_prefix(&all, &reference, "threads");
        assert_eq!(run.summary, summary);
    }
}

/// A stopped run of slow samples has the finished ones, whenever it is stopped.
#[test]
fn a_stopped_run_keeps_finished_samples() {
    let problem = load("hand-on-box");
    let plan = Plan { partial: true, ..planned(Law::default(), 300, 5, F64) };
    let (_, whole) = cpu().collect(&problem, &plan).unwrap();
    for milliseconds in [20, 100, 300] {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let clock = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(milliseconds));
            flag.store(true, Ordering::Relaxed);
        });
        let found = cpu().collect(&problem, &Plan { stop: Some(stop), ..plan.clone() });
        clock.join().unwrap();
        match found {
            Ok((run, some)) => {
                println!("{milliseconds} ms: {} samples", some.len());
                assert_eq!(run.summary.samples, some.len() as u64);
                assert_prefix(&some, &whole, "stopped");
            }
            Err(error) => assert_eq!(error.kind, ErrorKind::Interrupted),
        }
    }
}

/// Whether a sample's impulse is a valid way out, in f64 from the handed-out numbers.
fn is_outcome(problem: &ContactProblem, samples: &Samples, i: usize) -> bool {
    let m = problem.contact_count();
    let l = samples.row(&samples.impulse, i);
    let u_minus = problem.contact_velocity();
    let speed = u_minus.amax();
    let u_plus = u_minus + problem.delassus() * vector(l);
    let size = l.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
    let inside = (0..m).all(|c| {
        let bound = problem.friction()[c] * l[c];
        let d = problem.tangents_per_contact();
        let friction = (0..d).fold(0.0, |sum: f64, a| sum.hypot(l[m + d * c + a]));
        l[c] >= -1e-6 * size && friction <= bound + 1e-5 * (size + bound)
    });
    let before = problem.kinetic_energy(problem.velocity().as_slice());
    let separates = (0..m).all(|c| u_plus[c] >= -1e-5 * speed);
    inside && separates && samples.kinetic_energy[i] <= before * (1.0 + 1e-5)
}

#[test]
fn single_precision_follows_double() {
    for builtin in scene::BUILTIN {
        let problem = load(builtin.name);
        let m = problem.contact_count();
        if m > FEW {
            continue;
        }
        let speed = problem.velocity().amax();
        let integrates =
            Plan::default().law.process_on(&problem) == carom_law::ProcessKind::Inclusion;
        let count = match m {
            ..=3 if !integrates => cases(5000, 50_000),
            4.. if integrates => cases(100, 5000),
            _ => cases(1000, 5000),
        };
        let cpu = cpu();
        // The inclusion is integrated a tenth as accurately as samples are compared.
        let finer = Routh { accuracy: Some(1e-5), ..Routh::default() };
        let law = if integrates { finer } else { Routh::steps() };
        let law = carom_law::Law::from(law);
        let plan = |precision| planned(law.clone(), count, 0, precision);
        let double = samples(&cpu, &problem, &plan(F64));
        let on_gpu = cfg!(feature = "gpu").then(gpu);
        for engine in [&cpu].into_iter().chain(on_gpu) {
            let single = samples(engine, &problem, &plan(F32));
            let flips: Vec<usize> = (0..single.len())
                .filter(|&i| {
                    let (a, b) = (double.row(&double.velocity, i), single.row(&single.velocity, i));
                    a.iter().zip(b).any(|(a, b)| (a - b).abs() > 1e-4 * speed)
                })
                .collect();
            let share = 1.0 - flips.len() as f64 / count as f64;
            let (name, kind) = (builtin.name, engine.info().kind);
            println!("{name}, {kind}: {share:.6} of the f32 samples equal their f64 twins");
            // Above three contacts a step is solved by pivoting, whose path, and so the solution,
            // turns on rounding: the set is the same, the samples need not be.
            if m <= 3 {
                assert!(share >= 0.999, "{}: {share}", builtin.name);
            }
            for &i in flips.iter().filter(|&&i| single.status[i] == Status::Terminated) {
                let name = builtin.name;
                assert!(is_outcome(&problem, &single, i), "{name}: sample {i} is no outcome");
            }
        }
    }
}

#[test]
fn every_step_of_a_sample_is_a_step_of_the_published_problem() {
    // Samples are replayed; each step's complementarity is checked in the 5m form of (75).
    for (name, problem) in
        loaded(["rocking-block", "compass-gait", "box-and-wall", "ramone", "disk-stack"])
    {
        let m = problem.contact_count();
        for solution in [Solution::Random, Solution::Lemke] {
            let law = Routh { solution, max_steps: Some(1), ..Routh::steps() };
            let bound = carom_law::Law::from(law.clone()).prepare::<f64>(&problem).unwrap();
            let (step, _, start) = StepProblem::scaled(
                problem.delassus(),
                problem.friction(),
                problem.contact_velocity(),
            );
            let mut work = bound.workspace();
            for i in 0..200 {
                let stream = carom_core::rng::Stream::new(11, i);
                bound.sample(&stream, &mut work);
                let rates: Vec<f64> = (0..m)
                    .map(|c| {
                        let word = stream.draw(0, carom_core::rng::Purpose::Rate, c as u32);
                        f64::from(word >> 8) / f64::from(1 << 24)
                    })
                    .collect();
                let caps: Vec<f64> =
                    (0..m).map(|c| bound.rates().unwrap().caps[c] * rates[c]).collect();
                let mut u_plus = vec![0.0; 2 * m];
                step.advance(&start, work.total(), &mut u_plus);
                let mut z = vec![0.0; 5 * m];
                for c in 0..m {
                    z[c] = (-u_plus[c]).max(0.0);
                    z[m + c] = work.total()[c];
                    z[2 * m + c] = work.total()[m + c].max(0.0);
                    z[3 * m + c] = (-work.total()[m + c]).max(0.0);
                    z[4 * m + c] = u_plus[m + c].abs();
                }
                for row in 0..5 * m {
                    let w: f64 = (0..5 * m).map(|j| step.lcp_entry(row, j) * z[j]).sum::<f64>()
                        + step.lcp_constant(&start, &caps, row);
                    assert!(z[row] >= -1e-12, "{name}: row {row}: z {} w {w}", z[row]);
                    assert!(w >= -1e-9, "{name}: row {row}: z {} w {w}", z[row]);
                    assert!(z[row].min(w).abs() <= 1e-9, "{name}: row {row}: z {} w {w}", z[row]);
                }
            }
        }
    }
}
