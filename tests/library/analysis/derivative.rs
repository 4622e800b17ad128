//! Derivatives of samples against finite differences of the same samples.

use super::*;
use crate::support::problems;
use carom::{Differentiator, Jacobians, Sequential, Wrt};

/// The plan with its step on a problem written down, so that it does not follow the velocity.
fn held(problem: &ContactProblem, law: Routh, samples: u64) -> Plan {
    let suggested =
        if law.process == Some(RouthProcess::Steps) { problem.spec().step } else { None };
    let step = law.step.or(suggested).or(problem.natural_step());
    Plan {
        law: Law::Routh(Routh { step, ..law }),
        samples,
        seed: 3,
        device: Device::Cpu,
        ..Plan::default()
    }
}

/// The numbers of a problem and its step, moved.
fn moved(
    problem: &ContactProblem,
    plan: &Plan,
    wrt: Wrt,
    column: usize,
    by: f64,
) -> (ContactProblem, Plan) {
    let (mut spec, mut plan) = (problem.spec().clone(), plan.clone());
    match wrt {
        Wrt::Velocity => spec.velocity[column] += by,
        Wrt::Friction => spec.friction.as_mut().unwrap()[column] += by,
        Wrt::Restitution => spec.restitution.as_mut().unwrap()[column] += by,
        Wrt::Step => {
            let Law::Routh(law) = &mut plan.law else { unreachable!() };
            law.step = law.step.map(|h| h + by);
        }
    }
    (ContactProblem::new(spec).unwrap(), plan)
}

fn jacobians(problem: &ContactProblem, plan: &Plan, wrt: Wrt) -> Jacobians {
    let found = Differentiator::new(problem, plan, wrt).unwrap();
    found.jacobians(0, plan.samples as usize, || ()).unwrap()
}

struct Tally {
    compared: usize,
    flagged: usize,
    wary: usize,
    near_branches: usize,
    worst: f64,
}

/// Compares the derivatives of samples with central differences with two steps; where these do not
/// agree with each other, a branch is near.
fn compare(problem: &ContactProblem, plan: &Plan, wrt: Wrt, tolerance: f64) -> Tally {
    let n = problem.coordinate_count();
    let found = jacobians(problem, plan, wrt);
    let p = found.columns;
    assert_eq!(found.values.len(), plan.samples as usize * n * p);
    let speed = problem.velocity().amax().max(1e-3);
    let size = match wrt {
        Wrt::Velocity => speed,
        Wrt::Friction | Wrt::Restitution => 1.0,
        Wrt::Step => problem.natural_step().unwrap_or(1.0),
    };
    let here = on_cpu(problem, plan);
    let mut tally = Tally { compared: 0, flagged: 0, wary: 0, near_branches: 0, worst: 0.0 };
    let mut smooth = vec![true; plan.samples as usize];
    let mut differences = vec![0.0; found.values.len()];
    for k in 0..p {
        let difference = |h: f64| {
            let [ahead, behind] = [h, -h].map(|by| {
                let (problem, plan) = moved(problem, plan, wrt, k, by);
                on_cpu(&problem, &plan)
            });
            let ended: Vec<bool> = ahead
                .status
                .iter()
                .zip(&behind.status)
                .map(|(a, b)| *a == Status::Terminated && *b == Status::Terminated)
                .collect();
            let slopes: Vec<f64> = ahead
                .velocity
                .iter()
                .zip(&behind.velocity)
                .map(|(a, b)| (a - b) / (2.0 * h))
                .collect();
            let sides = [&ahead, &behind].map(|side| side.velocity.clone());
            (slopes, ended, sides)
        };
        let (wide, ended, _) = difference(1e-4 * size);
        let (close, _, [ahead, behind]) = difference(1e-5 * size);
        let (closest, ..) = difference(1e-6 * size);
        for i in 0..smooth.len() {
            for a in 0..n {
                let (x, y) = (wide[i * n + a], close[i * n + a]);
                smooth[i] &= ended[i] && (x - y).abs() <= 0.1 * tolerance.sqrt() * (1.0 + x.abs());
                // A weak kink between.
                smooth[i] &= (y - closest[i * n + a]).abs() <= tolerance * (1.0 + x.abs());
                let bend = (ahead[i * n + a] + behind[i * n + a] - 2.0 * here.velocity[i * n + a])
                    / (1e-5 * size);
                smooth[i] &= bend.abs() <= 1e-2 * (1.0 + x.abs());
                // Richardson's extrapolation.
                differences[(i * n + a) * p + k] = y + (y - x) / 99.0;
            }
        }
    }
    for i in 0..smooth.len() {
        let rows = i * n * p..(i + 1) * n * p;
        let (jacobian, expected) = (&found.values[rows.clone()], &differences[rows]);
        assert_eq!(found.differentiable[i], jacobian.iter().all(|x| x.is_finite()));
        if !found.differentiable[i] {
            assert!(jacobian.iter().all(|x| x.is_nan()));
            tally.flagged += 1;
            tally.wary += usize::from(smooth[i]);
            continue;
        }
        if !smooth[i] {
            tally.near_branches += 1;
            continue;
        }
        tally.compared += 1;
        let most = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (x, y) in jacobian.iter().zip(expected) {
            let apart = (x - y).abs() / (most + speed / size);
            tally.worst = tally.worst.max(apart);
        }
    }
    tally
}

/// Compares derivatives; where finite differences are smooth, few samples may be flagged.
fn check(
    what: &str,
    problem: &ContactProblem,
    law: &Routh,
    samples: u64,
    tolerance: f64,
) -> [usize; 2] {
    let plan = held(problem, law.clone(), samples);
    let mut sums = [0; 2];
    for wrt in Wrt::ALL {
        // Central differences need room on both sides.
        let room = |x: &[f64]| x.iter().all(|x| (1e-3..0.999).contains(x));
        let possible = match wrt {
            Wrt::Velocity | Wrt::Step => true,
            Wrt::Friction => problem.friction().iter().all(|mu| *mu > 1e-3),
            Wrt::Restitution => problem.restitution().is_some_and(room),
        };
        if !possible {
            continue;
        }
        let Tally { compared, flagged, wary, near_branches, worst } =
            compare(problem, &plan, wrt, tolerance);
        let share = 100.0 * flagged as f64 / samples as f64;
        println!(
            "{what:32} {:12} {share:3.0} % flagged ({wary} of them smooth), {compared} compared ({worst:.0e}), {near_branches} near a branch",
            wrt.name()
        );
        assert!(worst <= tolerance, "{what}, {}: {worst:e}", wrt.name());
        sums[0] += compared;
        sums[1] += wary;
    }
    sums
}

const PLANAR: [&str; 8] = [
    "rocking-block",
    "compass-gait",
    "box-and-wall",
    "ramone",
    "disk-stack",
    "newtons-cradle",
    "billiard-break",
    "tailed-runner",
];

/// Derivatives agree with finite differences on every planar scene.
#[test]
fn planar_scenes() {
    let mut sums = [0; 2];
    for (name, problem) in loaded(PLANAR) {
        for (what, law) in [("exact", Routh::default()), ("steps", Routh::steps())] {
            let [compared, wary] =
                check(&format!("{name}, {what}"), &problem, &law, cases(16, 200), 1e-6);
            sums = [sums[0] + compared, sums[1] + wary];
        }
    }
    assert!(sums[0] > 300 && sums[1] < sums[0] / 20, "{sums:?}");
}

#[test]
fn random_planar_problems() {
    let mut sums = [0; 2];
    for contacts in 1..=4 {
        for (i, problem) in
            problems::fixed_problems(problems::planar(contacts)).take(cases(3, 100)).enumerate()
        {
            for e in [None, Some(0.6)] {
                let restitution = e.map(|e| vec![e; problem.contact_count()]);
                let problem =
                    problem.clone().with_numbers(restitution, Default::default()).unwrap();
                let what = format!("random {contacts}.{i}, e {}", e.unwrap_or(0.0));
                let [compared, wary] = check(&what, &problem, &Routh::default(), 12, 1e-6);
                sums = [sums[0] + compared, sums[1] + wary];
            }
            let [compared, wary] = check(
                &format!("random {contacts}.{i}, steps"),
                &problem,
                &Routh::steps(),
                12,
                1e-6,
            );
            sums = [sums[0] + compared, sums[1] + wary];
        }
    }
    assert!(sums[0] > cases(250, 500) && sums[1] < sums[0] / 100, "{sums:?}");
}

/// Where no step is given the derivative is that of outcomes whose step follows the velocity.
#[test]
fn the_step_follows_the_velocity() {
    for (name, tolerance) in PLANAR.map(|name| (name, 1e-6)).into_iter().chain(SPATIAL) {
        let mut problem = load(name);
        // Not two contacts that decide on the step at once.
        let speed = problem.velocity().amax();
        let turn = |(k, v): (usize, &f64)| v + 0.05 * speed * (k as f64 + 0.3).sin();
        let before: Vec<f64> = problem.velocity().iter().enumerate().map(turn).collect();
        if problem.set_velocity(&before).is_err() || !problem.approaches() {
            continue;
        }
        let accuracy = (tolerance > 1e-4).then_some(1e-6);
        // The natural length, and a part of the natural step.
        for block in [None, Some(0.7)] {
            let law = Law::Routh(Routh { accuracy, block, ..Routh::default() });
            let samples = cases(12, 100);
            let plan = Plan { law, samples, seed: 3, device: Device::Cpu, ..Plan::default() };
            let Tally { compared, worst, wary, .. } =
                compare(&problem, &plan, Wrt::Velocity, tolerance);
            println!("{name:20} {compared} compared ({worst:.0e}), {wary} smooth ones flagged");
            let right = worst <= tolerance && compared > 2 && wary <= 1;
            assert!(right, "{name} {block:?}: {compared}, {worst:e}");
        }
    }
}

const SPATIAL: [(&str, f64); 2] = [("cube-on-edge", 1e-3), ("quadruped-trot", 1e-3)];

/// Disks that touch at rest: samples have one-sided derivatives, and those of branches.
#[test]
fn kinks_have_derivatives_along_directions() {
    let problem = load("disk-stack");
    let plan = Plan { samples: 40, seed: 1, device: Device::Cpu, ..Plan::default() };
    let direction: Vec<f64> = (0..9).map(|k| (1.0 + k as f64).sin()).collect();
    let found =
        Differentiator::along(&problem, &plan, &direction).unwrap().directional(0, 40).unwrap();
    let here = on_cpu(&problem, &plan);
    let slopes = [1e-6, 2e-7].map(|h| {
        let (mut moved, v) = (problem.clone(), problem.velocity());
        let there: Vec<f64> = v.iter().zip(&direction).map(|(v, d)| v + h * d).collect();
        moved.set_velocity(&there).unwrap();
        let there = on_cpu(&moved, &plan).velocity;
        there.iter().zip(&here.velocity).map(|(a, b)| (a - b) / h).collect::<Vec<f64>>()
    });
    let mut compared = 0;
    for i in 0..40 {
        let rows = 9 * i..9 * (i + 1);
        let values = &found.values[rows.clone()];
        let [far, near] = slopes.each_ref().map(|slopes| &slopes[rows.clone()]);
        if apart(far, near) < 1e-4 && values[0].is_finite() {
            compared += 1;
            assert!(apart(values, near) < 1e-3, "sample {i}: {values:?}, {near:?}");
        }
    }
    assert!(compared > 20, "{compared}");
    let branches = Differentiator::new(&problem, &plan, Wrt::Velocity)
        .unwrap()
        .of_branches()
        .jacobians(0, 40, || ())
        .unwrap();
    let finite =
        (0..40).filter(|i| branches.values[81 * i..81 * (i + 1)].iter().all(|x| x.is_finite()));
    assert!(finite.count() > 30);
}

/// The inclusion's derivative is that of its numerical solution, that of facets is exact.
#[test]
fn spatial_scenes() {
    for (name, problem) in
        loaded(["cube-on-edge", "quadruped-trot", "brick-on-vertex", "cube-on-face"])
    {
        let facets = Routh { facets: Some(8), ..Routh::steps() };
        // Finite differences of the solution that is differentiated.
        let inclusion = Routh { accuracy: Some(1e-6), ..Routh::default() };
        for (what, law, tolerance) in [("inclusion", inclusion, 1e-3), ("facets", facets, 1e-6)] {
            let [compared, wary] =
                check(&format!("{name}, {what}"), &problem, &law, cases(10, 100), tolerance);
            assert!(compared > 15 && wary == 0, "{name}: {compared}, {wary}");
        }
    }
}

/// Columns of a differentiable sample of the inclusion are those of a much finer one, each to a few
/// percent, however small it is beside the change of the velocity. A body with two contacts whose
/// sliding turns.
#[test]
fn columns_of_the_inclusion_are_right_or_missing() {
    let problem = given(
        r#"{
  "mass": [
    [1.220819971619664, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.220819971619664, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 1.220819971619664, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.060188272013565705, -0.0034092918877141, 0.0095734458943332],
    [0.0, 0.0, 0.0, -0.0034092918877141, 0.06090653077258457, 0.008394873165271368],
    [0.0, 0.0, 0.0, 0.0095734458943332, 0.008394873165271368, 0.04125261422404659]],
  "normal": [
    [0.0, 0.0, 1.0, -0.010159198094618021, -0.38021493021094954, 0.0],
    [0.0, 0.0, 1.0, 0.13902049457417812, 0.04162048076110832, 0.0]],
  "tangent": [
    [0.0, 1.0, 0.0, 0.2341085428088719, 0.0, 0.38021493021094954],
    [-1.0, 0.0, 0.0, 0.0, 0.2341085428088719, -0.010159198094618021],
    [0.0, 1.0, 0.0, -0.422391346912909, 0.0, -0.04162048076110832],
    [-1.0, 0.0, 0.0, 0.0, -0.422391346912909, 0.13902049457417812]],
  "friction": [0.5169160326586419, 0.8960693784563016],
  "velocity": [
    -0.33960843062503854, -0.059740360479920165, -1.2457728437386337, -1.4933057679657966,
    1.3574791917191158, -0.9398001981590869]
}"#,
    );
    let law =
        |accuracy| Routh { step: Some(0.725_947_290_225_802_1), accuracy, ..Routh::default() };
    let plan = |accuracy| Plan {
        law: Law::Routh(law(accuracy)),
        samples: 40,
        seed: 3,
        device: Device::Cpu,
        ..Plan::default()
    };
    let found = jacobians(&problem, &plan(None), Wrt::Friction);
    let (fine, n) = (plan(Some(1e-8)), 6);
    let mut smooth = 0;
    for k in 0..2 {
        let slopes = [1e-4, 5e-5].map(|h| {
            let [ahead, behind] = [h, -h].map(|by| {
                let (problem, plan) = moved(&problem, &fine, Wrt::Friction, k, by);
                on_cpu(&problem, &plan).velocity
            });
            ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * h)).collect::<Vec<f64>>()
        });
        for i in (0..40).filter(|i| found.differentiable[*i]) {
            let most = (0..n).fold(0.0, |most: f64, a| most.max(slopes[1][i * n + a].abs()));
            // Beside a kink the two differ.
            if (0..n).any(|a| (slopes[0][i * n + a] - slopes[1][i * n + a]).abs() > 1e-3 * most) {
                continue;
            }
            smooth += 1;
            for a in 0..n {
                let apart = (found.values[(i * n + a) * 2 + k] - slopes[1][i * n + a]).abs();
                assert!(apart <= 0.03 * most + 0.003, "sample {i}, column {k}: {apart} of {most}");
            }
        }
    }
    assert!(smooth > 40, "{smooth}");
}

/// A ball that bounces: `v+ = -e v`, and a block that slides on:
/// `v_t+ = v_t - mu (1 + e) |v_n| / m m`.
#[test]
fn closed_forms() {
    let (m, mu, e) = (2.0, 0.3, 0.5);
    let problem = bouncing(&problem(puck(m, mu, [5.0, -1.5])), e);
    let plan = Plan { samples: 8, ..Plan::default() };
    let of = |wrt| jacobians(&problem, &plan, wrt);
    let expected: [(Wrt, &[f64]); 4] = [
        (Wrt::Velocity, &[1.0, mu * (1.0 + e), 0.0, -e]),
        (Wrt::Friction, &[-(1.0 + e) * 1.5, 0.0]),
        (Wrt::Restitution, &[-mu * 1.5, 1.5]),
        (Wrt::Step, &[0.0, 0.0]),
    ];
    for (wrt, expected) in expected {
        let found = of(wrt);
        assert_eq!(found.differentiable, [true; 8]);
        for sample in found.values.chunks_exact(expected.len()) {
            assert!(apart(sample, expected) < 1e-12, "{}: {sample:?}, {expected:?}", wrt.name());
        }
    }
}

/// Where a contact is about to strike, stick or slip, samples give no derivative, and say so.
#[test]
fn branches_are_flagged() {
    // One corner strikes, the other rests: moved, it goes along or is pushed.
    let mut spec = load("rocking-block").spec().clone();
    let corners = [&spec.normal[0], &spec.normal[1]].map(|row| (row[1], row[2]));
    // v with J_n v = (-1, 0).
    let ((a, b), (c, d)) = (corners[0], corners[1]);
    let determinant = a * d - b * c;
    spec.velocity = vec![0.0, -d / determinant, c / determinant];
    let problem = problem(spec);
    let plan = Plan { samples: 64, ..Plan::default() };
    let found = jacobians(&problem, &plan, Wrt::Velocity);
    let flagged = found.differentiable.iter().filter(|smooth| !**smooth).count();
    assert!(flagged > 0, "none of 64 samples is flagged");
    for (i, smooth) in found.differentiable.iter().enumerate() {
        assert!(found.values[9 * i..9 * (i + 1)].iter().all(|x| x.is_nan() != *smooth));
    }
}

#[test]
fn what_has_no_derivative_is_refused() {
    let problem = load("rocking-block");
    let refusal = |law: Law, wrt| {
        let plan = Plan { law, ..Plan::default() };
        Differentiator::new(&problem, &plan, wrt).map(drop).unwrap_err().to_string()
    };
    let said = refusal(Law::default(), Wrt::Restitution);
    assert!(said.contains("no coefficients of restitution"), "{said}");
    let said = refusal(Law::Plus(Plus::default()), Wrt::Velocity);
    assert!(said.contains("have no derivatives"), "{said}");
    let said = refusal(Law::Sequential(Sequential::default()), Wrt::Friction);
    assert!(said.contains("with respect to the velocity only"), "{said}");
}
