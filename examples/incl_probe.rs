use carom::internals::law::{Law, Routh, RouthProcess};
use carom::internals::problem::{ContactProblem, ProblemSpec};
use carom::internals::real::Real;
use carom::internals::rng::Stream;
use carom::internals::scene;
use carom::internals::status::Status;
use std::time::Instant;

pub struct Lcg(u64);
impl Lcg {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut x = self.0;
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51afd7ed558ccd);
        x ^= x >> 33;
        (x >> 11) as f64 / (1u64 << 53) as f64
    }
    fn range(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.next()
    }
}

fn random(rng: &mut Lcg, case: usize) -> ContactProblem {
    let m = 1 + (rng.next() * 8.0) as usize;
    let n = 1 + (rng.next() * 12.0) as usize;
    let axes = 1 + case % 2;
    let a: Vec<f64> = (0..n * n).map(|_| rng.range(-1.0, 1.0)).collect();
    let mass: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            (0..n)
                .map(|k| {
                    (0..n).map(|l| a[i * n + l] * a[k * n + l]).sum::<f64>() + if i == k { 0.1 } else { 0.0 }
                })
                .collect()
        })
        .collect();
    let mut rows =
        |c: usize| (0..c).map(|_| (0..n).map(|_| rng.range(-1.0, 1.0)).collect()).collect::<Vec<Vec<f64>>>();
    let mut normal = rows(m);
    let mut tangent = rows(m * axes);
    for i in 1..m {
        if rng.next() < 0.2 {
            normal[i] = normal[i - 1].clone();
            for x in 0..axes {
                tangent[axes * i + x] = tangent[axes * (i - 1) + x].clone();
            }
        }
    }
    let mu = (0..m).map(|_| 10f64.powf(rng.range(-2.0, 2.0))).collect();
    let e = if case % 4 < 2 { 0.0 } else { rng.range(0.1, 0.9) };
    let v = (0..n).map(|_| rng.range(-1.0, 1.0)).collect();
    ContactProblem::new(ProblemSpec {
        mass,
        normal,
        tangent,
        friction: Some(mu),
        restitution: Some(vec![e; m]),
        velocity: v,
        ..ProblemSpec::default()
    })
    .unwrap()
}

fn report<R: Real>(name: &str, problems: &[ContactProblem], samples: u64, accuracy: f64) {
    let mut times = vec![];
    let mut counts = [0; 5];
    let mut rejected = 0;
    let mut steps = 0u64;
    let (mut spent, mut attempts) = (0u64, 0);
    let mut worst = vec![];
    let mut res = vec![];
    for (k, problem) in problems.iter().enumerate() {
        let law =
            Routh { process: Some(RouthProcess::Inclusion), accuracy: Some(accuracy), ..Routh::default() };
        let process = Law::Routh(law).prepare::<R>(problem).unwrap();
        let mut work = process.workspace();
        for s in 0..samples {
            let t = Instant::now();
            let end = process.sample(&Stream::new(1, s), &mut work);
            let t = t.elapsed().as_secs_f64();
            times.push(t);
            counts[end.status as usize] += 1;
            steps += u64::from(end.steps);
            if end.status == Status::Terminated {
                res.push(end.residual.to_f64());
            }
            if end.status == Status::Terminated && end.residual.to_f64() > accuracy {
                rejected += 1;
                if std::env::var("SHOW").is_ok() {
                    println!(
                        "problem {k} sample {s} residual {:e} steps {} m {}",
                        end.residual.to_f64(),
                        end.steps,
                        problem.contact_count()
                    );
                }
            }
            if end.status != Status::Terminated && std::env::var("SHOW").is_ok() {
                println!(
                    "problem {k} sample {s} {:?} steps {} m {} axes {}",
                    end.status,
                    end.steps,
                    problem.contact_count(),
                    problem.tangents_per_contact()
                );
            }
            worst.push((t, k, s, end.steps));
            let _ = (&mut spent, &mut attempts);
        }
    }
    times.sort_by(f64::total_cmp);
    res.sort_by(f64::total_cmp);
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    let q = |p: f64| times[((times.len() - 1) as f64 * p) as usize] * 1e6;
    let r = |p: f64| if res.is_empty() { 0.0 } else { res[((res.len() - 1) as f64 * p) as usize] };
    println!(
        "{name}: T/L/U/N/B {counts:?} rejected {rejected}, steps {:.1}, us mean {:.1} median {:.1} p99.9 {:.1} max {:.1} | residual median {:.1e} p99 {:.1e} max {:.1e}",
        steps as f64 / times.len() as f64,
        times.iter().sum::<f64>() / times.len() as f64 * 1e6,
        q(0.5),
        q(0.999),
        q(1.0),
        r(0.5),
        r(0.99),
        r(1.0)
    );
    println!(
        "   solves, newton, pivots, failed, halves, others: {:?}",
        carom::internals::law::inclusion::balance::COUNT
            .iter()
            .map(|c| c.swap(0, std::sync::atomic::Ordering::Relaxed))
            .collect::<Vec<_>>()
    );
    if std::env::var("SHOW").is_ok() {
        println!("{:?}", &worst[..5.min(worst.len())]);
    }
}

fn matched(problem: &ContactProblem, name: &str, samples: u64) {
    let h = problem.natural_step().unwrap_or(1.0);
    let make = |process| {
        Law::Routh(Routh { process: Some(process), step: Some(h), accuracy: Some(1e-8), ..Routh::default() })
            .prepare::<f64>(problem)
            .unwrap()
    };
    let (a, b) = (make(RouthProcess::Exact), make(RouthProcess::Inclusion));
    let (mut wa, mut wb) = (a.workspace(), b.workspace());
    let mut d = vec![];
    let (mut ta, mut tb) = (0.0, 0.0);
    let (mut sa, mut sb) = (0u64, 0u64);
    let mut odd = 0;
    for s in 0..samples {
        let t = Instant::now();
        let ea = a.sample(&Stream::new(3, s), &mut wa);
        ta += t.elapsed().as_secs_f64();
        let t = Instant::now();
        let eb = b.sample(&Stream::new(3, s), &mut wb);
        tb += t.elapsed().as_secs_f64();
        sa += u64::from(ea.steps);
        sb += u64::from(eb.steps);
        if ea.status != Status::Terminated || eb.status != Status::Terminated || eb.residual > 1e-6 {
            odd += 1;
            if std::env::var("SHOW").is_ok() {
                println!("{s} {ea:?} {eb:?}");
            }
        }
        let vel = |x: &[f64]| {
            let l = nalgebra::DVector::from_fn(problem.jacobian().nrows(), |j, _| {
                a.space().scaling.impulse_along(x, j)
            });
            problem.response() * l
        };
        let diff = (vel(wa.total()) - vel(wb.total())).amax() / problem.velocity().amax();
        if diff > 1e-6 && std::env::var("SHOW").is_ok() {
            println!("{s} apart {diff:e} {ea:?} {eb:?}");
        }
        d.push(diff);
    }
    d.sort_by(f64::total_cmp);
    let near = d.iter().filter(|d| **d < 1e-6).count();
    println!(
        "{name}: within 1e-6: {near} of {samples}, median {:.1e}, odd {odd}; segments {:.1} {:.1}; us {:.2} {:.2}",
        d[d.len() / 2],
        sa as f64 / samples as f64,
        sb as f64 / samples as f64,
        ta / samples as f64 * 1e6,
        tb / samples as f64 * 1e6
    );
}

fn main() {
    let what = std::env::args().nth(1).unwrap_or("all".into());
    if what == "all" || what == "matched" {
        for name in
            ["rocking-block", "compass-gait", "box-and-wall", "ramone", "disk-stack", "newtons-cradle"]
        {
            let p = scene::load(name).unwrap();
            matched(&p, name, 2000);
            let mut spec = p.spec().clone();
            spec.restitution = Some(vec![0.6; spec.normal.len()]);
            matched(&ContactProblem::new(spec).unwrap(), &format!("{name} e .6"), 2000);
        }
    }
    if what == "all" || what == "scenes" {
        for name in ["cube-on-edge", "cube-on-face", "quadruped-trot"] {
            for e in [0.0, 0.5] {
                let p = scene::load(name).unwrap();
                let mut spec = p.spec().clone();
                spec.restitution = Some(vec![e; spec.normal.len()]);
                let p = [ContactProblem::new(spec).unwrap()];
                report::<f64>(&format!("{name} {e} f64"), &p, 5000, 1e-4);
                report::<f32>(&format!("{name} {e} f32"), &p, 5000, 1e-4);
                report::<f64>(&format!("{name} {e} f64 1e-8"), &p, 500, 1e-8);
            }
        }
    }
    if what == "truth" {
        let mut rng = Lcg(99);
        let mut sets: Vec<(String, Vec<ContactProblem>)> = ["cube-on-edge", "cube-on-face", "quadruped-trot"]
            .iter()
            .map(|n| (n.to_string(), vec![scene::load(n).unwrap()]))
            .collect();
        sets.push((
            "random".into(),
            (0..100)
                .map(|c| random(&mut rng, c))
                .filter(|p| p.tangents_per_contact() == 2 && p.contact_count() < 9)
                .collect(),
        ));
        for (name, problems) in sets {
            let mut d = vec![];
            let mut ratio = vec![];
            let mut steps = 0;
            let mut count = 0;
            for p in &problems {
                let make = |accuracy| {
                    Law::Routh(Routh {
                        process: Some(RouthProcess::Inclusion),
                        step: Some(p.natural_step().unwrap_or(1.0)),
                        accuracy: Some(accuracy),
                        ..Routh::default()
                    })
                    .prepare::<f64>(p)
                    .unwrap()
                };
                let (a, b) = (make(1e-4), make(1e-6));
                let (mut wa, mut wb) = (a.workspace(), b.workspace());
                for s in 0..(200 / problems.len()).max(3) {
                    let ea = a.sample(&Stream::new(3, s as u64), &mut wa);
                    let eb = b.sample(&Stream::new(3, s as u64), &mut wb);
                    if ea.status != Status::Terminated || eb.status != Status::Terminated {
                        continue;
                    }
                    let vel = |x: &[f64]| {
                        let l = nalgebra::DVector::from_fn(p.jacobian().nrows(), |j, _| {
                            a.space().scaling.impulse_along(x, j)
                        });
                        p.response() * l
                    };
                    let diff = (vel(wa.total()) - vel(wb.total())).amax() / p.velocity().amax();
                    if std::env::var("SHOW").is_ok() && (ea.residual > 3e-4 || diff > 2e-4) {
                        println!(
                            "m {} error {:.1e} residual {:.1e} {:.1e} steps {} {} mu {:?}",
                            p.contact_count(),
                            diff,
                            ea.residual,
                            eb.residual,
                            ea.steps,
                            eb.steps,
                            p.friction().iter().cloned().fold(0.0, f64::max)
                        );
                    }
                    d.push(diff);
                    ratio.push(ea.residual);
                    steps += ea.steps;
                    count += 1;
                }
            }
            d.sort_by(f64::total_cmp);
            ratio.sort_by(f64::total_cmp);
            let q = |d: &[f64], p: f64| d[((d.len() - 1) as f64 * p) as usize];
            println!(
                "{name}: error median {:.1e} p90 {:.1e} p99 {:.1e} max {:.1e} | residual median {:.1e} p99 {:.1e} | steps {}",
                q(&d, 0.5),
                q(&d, 0.9),
                q(&d, 0.99),
                q(&d, 1.0),
                q(&ratio, 0.5),
                q(&ratio, 0.99),
                steps / count
            );
        }
    }
    if what == "one" {
        let name = std::env::args().nth(2).unwrap();
        let p = scene::load(&name).unwrap();
        let law = Routh { process: Some(RouthProcess::Inclusion), ..Routh::default() };
        let process = Law::Routh(law).prepare::<f64>(&p).unwrap();
        let mut work = process.workspace();
        println!(
            "{:?}",
            process.sample(&Stream::new(1, std::env::args().nth(3).unwrap().parse().unwrap()), &mut work)
        );
    }
    if what == "all" || what == "random" {
        let count: usize = std::env::args().nth(2).map_or(1000, |x| x.parse().unwrap());
        for axes in [1, 2] {
            let mut rng = Lcg(17);
            let problems: Vec<_> = (0..2 * count)
                .map(|c| random(&mut rng, c))
                .filter(|p| p.tangents_per_contact() == axes)
                .collect();
            report::<f64>(&format!("random axes {axes} f64"), &problems, 3, 1e-4);
            report::<f32>(&format!("random axes {axes} f32"), &problems, 3, 1e-4);
        }
    }
}
