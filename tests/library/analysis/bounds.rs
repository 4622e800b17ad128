//! Bounds: nothing that any law does lies beyond them, and where they are attained.

use super::*;
use carom_analysis::bounds::{
    Apart, Cost, apart, applies, bound_cost, bound_cost_until, bound_until, kinds, proof,
};
use carom_analysis::guarantee::guarantee_until;
use carom_analysis::within::bound_within;
use carom_core::Limits;
use carom_engine::{Search, SearchGoal};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A point mass above a floor.
fn point(friction: f64, velocity: [f64; 2]) -> ContactProblem {
    problem(puck(1.0, friction, velocity))
}

fn proved(problem: &ContactProblem, c: &[f64]) -> f64 {
    let Bound { kind, value, certified, .. } = bound(problem, c, BoundKind::Conic).unwrap();
    assert!(kind == BoundKind::Conic && certified, "{value}");
    value
}

/// Directions of unit length in the kinetic metric's dual, `M d` with `|d|_M = 1`, and `|v-|_M`.
fn directions(problem: &ContactProblem, draws: &mut Draws, count: usize) -> (Vec<Vec<f64>>, f64) {
    let root = problem.mass().clone().cholesky().unwrap().l();
    let mut unit = || {
        let random = DVector::from_fn(problem.coordinate_count(), |_, _| draws.uniform(-1.0, 1.0));
        (&root * random.normalize()).as_slice().to_vec()
    };
    let speed = (2.0 * problem.kinetic_energy(problem.velocity().as_slice())).sqrt();
    ((0..count).map(|_| unit()).collect(), speed)
}

/// The velocities that all laws lead to, each with how accurate it is, a part of `|v-|_M`.
fn outcomes(
    problem: &ContactProblem,
    samples: u64,
    seed: u64,
) -> Vec<(&'static str, Vec<f64>, f64)> {
    let mut found = Vec::new();
    let engine = cpu();
    let rough = problem.tangents_per_contact() == 2;
    let laws: [(&'static str, Law, f64); 5] = [
        ("routh", Law::default(), if rough { 2e-3 } else { 1e-5 }),
        (
            "uniform",
            Routh { sampler: Some(carom::Sampler::Uniform), ..Routh::default() }.into(),
            if rough { 2e-3 } else { 1e-5 },
        ),
        ("steps", Routh::steps().into(), 1e-5),
        ("sequential", Law::named("sequential").unwrap(), 1e-5),
        ("propagative", Law::named("propagative").unwrap(), 1e-5),
    ];
    for (name, law, tolerance) in laws {
        let plan = planned(law, samples, seed, F64);
        let Ok((run, samples)) = engine.collect(problem, &plan) else { continue };
        for i in samples.accepted(run.summary.tolerance().residual) {
            found.push((name, samples.row(&samples.velocity, i).to_vec(), tolerance));
        }
    }
    let finite = [
        FiniteLaw::AnitescuPotra(AnitescuPotra::default()),
        FiniteLaw::Sequential(Sequential::default()),
        FiniteLaw::Propagative(Propagative { max_length: Some(5), ..Propagative::default() }),
        FiniteLaw::DarbouxKeller(DarbouxKeller::default()),
    ];
    for law in finite {
        let Ok(resolved) = law.resolve(problem) else { continue };
        let ended = resolved.outcomes.into_iter().filter(|o| o.status == Status::Terminated);
        // Plastic outcomes that would have to pull lie outside the cones.
        let pushing = ended.filter(|o| (0..problem.contact_count()).all(|i| o.impulse[i] >= 0.0));
        found.extend(pushing.map(|outcome| (law.name(), outcome.velocity, 1e-5)));
    }
    found
}

/// Nothing lies beyond the bounds; the number of outcomes and of proofs.
fn holds(problem: &ContactProblem, samples: u64, count: usize) -> (usize, usize) {
    let (all, speed) = directions(problem, &mut Draws::new(7), count);
    let outcomes = outcomes(problem, samples, 3);
    let mut proofs = 0;
    for c in &all {
        let bound = conic(problem, c, &Limits::default());
        proofs += usize::from(bound.certified);
        for (law, v, tolerance) in &outcomes {
            let value: f64 = v.iter().zip(c).map(|(v, c)| v * c).sum();
            let (name, most) = (problem.name(), bound.value);
            assert!(value <= most + tolerance * speed, "{name}: {law} reaches {value}, not {most}");
        }
    }
    (outcomes.len(), proofs)
}

fn certain(name: &str) -> ContactProblem {
    let problem = load(name);
    let restitution = problem.restitution().map(<[f64]>::to_vec);
    problem.with_numbers(restitution, Uncertainty::default()).unwrap()
}

#[test]
fn no_law_goes_beyond_the_bounds_of_built_in_scenes() {
    for scene in scene::BUILTIN {
        let problem = certain(scene.name);
        if problem.contact_count() > FEW {
            continue;
        }
        let (outcomes, proofs) = holds(&problem, cases(64, 1024), 8);
        assert!(outcomes >= 64, "{}: {outcomes} outcomes, {proofs} proofs", scene.name);
        assert!(proofs == 8, "{}: {outcomes} outcomes, {proofs} proofs", scene.name);
    }
}

#[test]
fn no_law_goes_beyond_the_bounds_of_random_problems() {
    let count = cases(25, 400);
    let mut proofs = 0;
    for problem in
        fixed_problems(planar(4)).take(count).chain(fixed_problems(spatial(3)).take(count / 2))
    {
        proofs += holds(&problem, 16, 4).1;
    }
    // Jammed contacts, whose impulses can cancel each other, have none.
    assert!(proofs >= 2 * count, "{proofs} proofs");
}

/// Without friction a point mass keeps its tangential velocity, and its normal velocity is between
/// 0 and what bounces. The exact bound is attained by samples, and the others do not undercut it.
#[test]
fn bounds_are_ordered_by_what_they_hold_for() {
    let mut draws = Draws::new(3);
    for name in ["rocking-block", "box-and-wall", "compass-gait"] {
        let problem = certain(name);
        let reached = outcomes(&problem, cases(1000, 20_000), 1);
        let (directions, speed) = directions(&problem, &mut draws, cases(3, 20));
        for c in directions {
            let along = |v: &[f64]| c.iter().zip(v).map(|(c, v)| c * v).sum::<f64>() / speed;
            let of = |kind| bound(&problem, &c, kind).unwrap();
            let [exact, certified, conic] = BoundKind::ALL.map(|kind| of(kind).value / speed);
            assert!(exact <= certified + 1e-9 && certified <= conic + 1e-9, "{name}");
            let covering =
                reached.iter().filter(|(law, ..)| *law == "routh").map(|(_, v, _)| along(v));
            let most = covering.fold(f64::NEG_INFINITY, f64::max);
            assert!(most <= exact + 1e-9 && most > exact - 0.1, "{name}: {most} {exact}");
        }
    }
}

#[test]
fn one_frictionless_contact_is_bounded_in_closed_form() {
    let problem = point(0.0, [0.6, -0.8]);
    for k in 0..24 {
        let (s, c) = (f64::from(k) * 15.0_f64).to_radians().sin_cos();
        let known = 0.6 * c + (0.8 * s).max(0.0);
        let value = proved(&problem, &[c, s]);
        assert!(value >= known && value <= known + 1e-7, "{value} instead of {known}");
    }
}

/// With friction the reach is that of a fine grid of impulses.
#[test]
fn one_contact_with_friction_is_bounded_as_a_grid_of_impulses_says() {
    for (mu, v) in [(0.5, [0.6, -0.8]), (1.5, [0.1, -1.0]), (0.2, [-2.0, -0.3])] {
        let problem = point(mu, v);
        let speed: f64 = v[0].hypot(v[1]);
        for k in 0..12 {
            let (s, c) = (f64::from(k) * 30.0_f64).to_radians().sin_cos();
            let mut known = f64::NEG_INFINITY;
            for (a, b) in (0..=800).flat_map(|a| (-200..=200).map(move |b| (a, b))) {
                let normal = 2.0 * speed * f64::from(a) / 800.0;
                let after = [v[0] + mu * normal * f64::from(b) / 200.0, v[1] + normal];
                if after[1] >= 0.0 && after[0].hypot(after[1]) <= speed {
                    known = known.max(c * after[0] + s * after[1]);
                }
            }
            let value = proved(&problem, &[c, s]);
            assert!(value >= known - 1e-12, "{value} instead of {known}");
            assert!(value <= known + 0.02 * speed, "{value} instead of {known}");
        }
    }
}

/// A certificate proves its bound however bad it is: with random ones nothing lies beyond either.
#[test]
fn any_certificate_proves_what_it_says() {
    let mut draws = Draws::new(11);
    for name in ["rocking-block", "disk-stack", "cube-on-face"] {
        let problem = certain(name);
        let (n, m) = (problem.coordinate_count(), problem.contact_count());
        let space = Whitened::new(&problem).unwrap();
        let (all, speed) = directions(&problem, &mut draws, 20);
        let reached = outcomes(&problem, 64, 1);
        let up = carom_analysis::bounds::cone::pointing(
            &space,
            |i| space.cone.size[i],
            &Limits::default(),
        )
        .unwrap();
        for c in &all {
            let x = DVector::from_fn(n, |_, _| draws.uniform(-1.0, 1.0));
            let p: Vec<f64> = (0..m).map(|_| draws.uniform(-1.0, 2.0)).collect();
            let (value, certified) = proof::upper(&problem, &space, c, &x, &p, Some(&up));
            assert!(certified);
            for (law, v, tolerance) in &reached {
                let reach: f64 = v.iter().zip(c).map(|(v, c)| v * c).sum();
                let most = value + tolerance * speed;
                assert!(reach <= most, "{name}, {law}: {reach} beyond {value}");
            }
        }
    }
}

/// The problem with contacts in reverse, other units of mass and time, and other coordinates.
fn changed(problem: &ContactProblem, mass: f64, speed: f64, mix: &DMatrix<f64>) -> ContactProblem {
    let spec = problem.spec();
    let rows = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let mixed = |row: &Vec<f64>| (vector(row).transpose() * mix).iter().copied().collect();
        rows.iter().map(mixed).collect()
    };
    let groups =
        |all: Vec<Vec<f64>>, of: usize| all.chunks(of.max(1)).rev().flatten().cloned().collect();
    let matrix = mix.transpose() * problem.mass() * mix * mass;
    let symmetric = (&matrix + matrix.transpose()) * 0.5;
    let before = mix.clone().lu().solve(problem.velocity()).unwrap() * speed;
    self::problem(ProblemSpec {
        mass: rows_of(&symmetric),
        normal: groups(rows(&spec.normal), 1),
        tangent: groups(rows(&spec.tangent), problem.tangents_per_contact()),
        friction: Some(problem.friction().iter().rev().copied().collect()),
        velocity: before.as_slice().to_vec(),
        ..ProblemSpec::default()
    })
}

#[test]
fn bounds_do_not_depend_on_units_numbering_and_coordinates() {
    let mut draws = Draws::new(5);
    for name in ["rocking-block", "disk-stack", "cube-on-edge", "billiard-break"] {
        let problem = certain(name);
        let n = problem.coordinate_count();
        let mix = DMatrix::from_fn(n, n, |i, j| {
            draws.uniform(-0.3, 0.3) + if i == j { 1.0 } else { 0.0 }
        });
        let other = changed(&problem, 1e3, 1e-2, &mix);
        let (all, speed) = directions(&problem, &mut draws, 6);
        for c in &all {
            let mixed = (vector(c).transpose() * &mix).transpose();
            let (one, two) = (proved(&problem, c), 1e2 * proved(&other, mixed.as_slice()));
            assert!((one - two).abs() <= 1e-6 * speed, "{name}: {one} and {two}");
        }
    }
}

#[test]
fn what_is_no_direction_is_refused() {
    let problem = point(0.5, [0.6, -0.8]);
    for (c, words) in [
        (&[1.0][..], "1 numbers for 2 coordinates"),
        (&[0.0, 0.0], "no direction"),
        (&[f64::NAN, 1.0], "no finite number"),
        (&[1e300, 1.0], "largest number"),
    ] {
        let error = bound(&problem, c, BoundKind::Conic).unwrap_err();
        assert!(error.to_string().contains(words) && error.hint.is_some(), "{error}");
    }
}

proptest! {
    #![proptest_config(random_cases(60))]

    /// Every problem has a number, no better than doing nothing, no worse than energy allows.
    #[test]
    fn every_problem_has_a_bound(spec in planar(5), seed in any::<u64>()) {
        let problem = problem(spec);
        let (all, speed) = directions(&problem, &mut Draws::new(seed), 2);
        for c in &all {
            let bound = conic(&problem, c, &Limits::default());
            assert!(bound.value <= speed * (1.0 + 1e-6), "{bound:?} beyond {speed}");
            assert!(bound.value >= -speed * (1.0 + 1e-6), "{bound:?} below -{speed}");
        }
    }
}

/// Costs of `carom bound --cost`: no sample is above any bound, and on exact sets the bound of a
/// convex cost is the largest of a vertex.
#[test]
fn costs_of_samples_stay_below_their_bounds() {
    let scenes = [
        ("rocking-block", "(block.x + 1)^2 + abs(block.theta)"),
        ("rocking-block", "sqrt(block.x^2 + block.y^2)"),
        ("rocking-block", "3 - 2*block.theta + block.x"),
        ("rocking-block", "block.x * block.theta - sin(block.y)"),
        ("compass-gait", "max(hip.x, hip.y)^2 - leading.theta"),
        ("cube-on-edge", "cube.x^2 + cube.wz^2"),
        ("cube-on-edge", "0.5*cube.z - 1"),
    ];
    for (name, text) in scenes {
        let problem = load(name);
        let cost = Cost::new(&problem, text).unwrap();
        let outcomes = outcomes(&problem, 2000, 5);
        for kind in
            BoundKind::ALL.into_iter().filter(|kind| applies(*kind, &problem, &Law::default()))
        {
            let bound = bound_cost(&problem, &cost, kind).unwrap();
            assert!(bound.kind == kind && bound.certified, "{name}, {text}: {bound:?}");
            // The narrower bounds hold for the law without steps.
            let all = kind == BoundKind::Conic;
            for (law, v, tolerance) in
                outcomes.iter().filter(|o| all || ["routh", "coverage"].contains(&o.0))
            {
                let value = cost.of(v).unwrap() - 10.0 * tolerance;
                assert!(value <= bound.value, "{name}, {text}, {law}: {value}, {bound:?}");
            }
        }
    }
}

/// The greatest value of a cost that grows to both sides is known for a point mass: it comes to
/// rest, or keeps a part of its velocity.
#[test]
fn bounds_of_costs_are_attained_where_the_set_is_known() {
    let problem = point(0.25, [1.0, -2.0]);
    let value = |text: &str, kind: BoundKind| {
        bound_cost(&problem, &Cost::new(&problem, text).unwrap(), kind).unwrap().value
    };
    // Friction takes 0.25 of the 2 of normal impulse: the outcome is (0.5, 0).
    let cases = [
        ("q0^2 + q1", 0.25),
        ("(q0 - 1)^2", 0.25),
        ("2*q0 - 3", -2.0),
        ("abs(q0 - 2) + q1^2", 1.5),
        ("7", 7.0),
    ];
    for (text, expected) in cases {
        let exact = value(text, BoundKind::Exact);
        assert!((exact - expected).abs() < 1e-8, "{text}: {exact}");
        for kind in [BoundKind::Certified, BoundKind::Conic] {
            assert!(value(text, kind) >= expected, "{text}, {}", kind.name());
        }
        let certified = value(text, BoundKind::Certified);
        assert!((certified - expected).abs() < 1e-4, "{text}: {certified}");
    }
}

/// Costs that are neither convex nor concave, in the coordinates x, y, z.
const SHAPES: [&str; 6] = [
    "x*z - y",
    "sin(4*x) * z + y^2",
    "x^3 - 2*y*z",
    "min(abs(x), abs(z)) - y^2",
    "z - x^2 - 3*y^2",
    "z / (1 + x^2) + atan2(z, 2 + x)",
];

/// A cost with the names of a problem's first coordinates in place of x, y, z, over speeds of 1.
fn shaped(problem: &ContactProblem, shape: &str, names: [usize; 3]) -> Cost {
    let speed = (2.0 * problem.kinetic_energy(problem.velocity().as_slice())).sqrt();
    let scale = |i: usize| problem.mass()[(i, i)].sqrt() / speed;
    let text: String = (shape.chars())
        .map(|c| match "xyz".find(c) {
            Some(k) => {
                let i = names[k];
                format!("(`{}` * {:e})", problem.coordinates()[i], scale(i))
            }
            None => c.to_string(),
        })
        .collect();
    Cost::new(problem, &text).unwrap()
}

/// The largest and the least cost of some velocities.
fn extremes<'a>(cost: &Cost, all: impl Iterator<Item = &'a [f64]>) -> (f64, f64) {
    let values = all.map(|v| cost.of(v).unwrap());
    values.fold((f64::NEG_INFINITY, f64::INFINITY), |(most, least), x| (most.max(x), least.min(x)))
}

/// Points of the exact set, its vertices among them, and the vertices.
fn points(problem: &ContactProblem, count: u64) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let set = Reach::default().set(problem).unwrap();
    let n = problem.coordinate_count();
    let inside = set.sample(count, 1).unwrap();
    let vertices: Vec<Vec<f64>> = set.vertices().map(<[f64]>::to_vec).collect();
    let mut of_set: Vec<Vec<f64>> = inside.chunks_exact(n).map(<[f64]>::to_vec).collect();
    of_set.extend(vertices.iter().cloned());
    (of_set, vertices)
}

/// The largest cost that walks in the hull of vertices find, from each of some points towards
/// vertices, by shorter and shorter steps while the cost grows.
fn climbed(cost: &Cost, starts: &[Vec<f64>], vertices: &[Vec<f64>]) -> f64 {
    let mut most = f64::NEG_INFINITY;
    for start in starts {
        let (mut at, mut value) = (start.clone(), cost.of(start).unwrap());
        for step in (0..14).map(|k| 0.5_f64.powi(k)) {
            for _ in 0..200 {
                let towards = |vertex: &Vec<f64>| -> Vec<f64> {
                    at.iter().zip(vertex).map(|(x, w)| x + step * (w - x)).collect()
                };
                let next = vertices.iter().map(towards).map(|v| (cost.of(&v).unwrap(), v));
                let (higher, v) = next.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
                if higher <= value {
                    break;
                }
                (at, value) = (v, higher);
            }
        }
        most = most.max(value);
    }
    most
}

/// On the exact set the bound of a cost of any shape is the largest of a dense cloud of its points.
/// Proofs of half-spaces hold for its hull, so theirs is near the largest that walks in it find.
#[test]
fn costs_of_any_shape_are_bounded_closely() {
    let mut gaps = Vec::new();
    for name in ["rocking-block", "box-and-wall", "compass-gait"] {
        let problem = certain(name);
        let (of_set, vertices) = points(&problem, 20_000);
        for shape in SHAPES {
            let cost = shaped(&problem, shape, [0, 1, 2]);
            let (most, least) = extremes(&cost, of_set.iter().map(Vec::as_slice));
            let exact = bound_cost(&problem, &cost, BoundKind::Exact).unwrap();
            let room = 1e-9 * most.abs().max(least.abs());
            assert!(exact.certified && exact.value >= most - room, "{name}, {shape}: {exact:?}");
            // Points lie within a hundredth of each other.
            let spread = most - least;
            let (value, close) = (exact.value, most + 0.01 * spread + room);
            assert!(value <= close && !exact.by_ranges, "{name}, {shape}: {value}, {most}");
            if name == "compass-gait" {
                continue; // Some certified bounds are loose there.
            }
            let widest = climbed(&cost, &of_set[..40], &vertices).max(most);
            let certified = bound_cost(&problem, &cost, BoundKind::Certified).unwrap();
            let value = certified.value;
            assert!(certified.certified && value >= widest - room, "{name}, {shape}: {value}");
            gaps.push((value - widest) / (widest - least));
        }
    }
    gaps.sort_by(f64::total_cmp);
    // Where a concave cost asks for a point beside the hull, few directions show that.
    let last = gaps.len() - 1;
    assert!(gaps[last / 2] < 1e-6 && gaps[last - 1] < 0.05 && gaps[last] < 0.2, "{gaps:?}");
}

/// Proofs of directions between the coordinates bound energy in two coordinates by little more
/// than there is, where the box around it has half as much again.
#[test]
fn half_spaces_bound_costs_of_several_coordinates() {
    let problem = point(0.5, [0.6, -0.8]);
    let of = |text: &str| {
        let cost = Cost::new(&problem, text).unwrap();
        bound_cost(&problem, &cost, BoundKind::Conic).unwrap()
    };
    let (energy, [x, y]) = (of("q0^2 + q1^2"), ["q0^2", "q1^2"].map(|text| of(text).value));
    let holds = energy.certified && energy.value >= 1.0 - 1e-9;
    assert!(holds && energy.value < 1.02 && x + y > 1.5, "{energy:?} {x} {y}");
    assert!(!energy.by_ranges);
    // The largest product of two coordinates on a circle.
    let product = of("q0 * q1");
    assert!(product.certified && product.value >= 0.5 - 1e-9, "{product:?}");
    assert!(product.value < 0.52, "{product:?}");
}

/// In space no sample is above these bounds either; half-spaces make them smaller than the box.
#[test]
fn half_spaces_bound_costs_in_space() {
    let problem = load("cube-on-edge");
    let reached = outcomes(&problem, cases(500, 5000), 2);
    let mut gained = 0;
    for shape in SHAPES {
        let cost = shaped(&problem, shape, [0, 2, 4]);
        let conic = bound_cost(&problem, &cost, BoundKind::Conic).unwrap();
        for (law, v, tolerance) in &reached {
            let value = cost.of(v).unwrap() - 10.0 * tolerance;
            assert!(value <= conic.value, "{shape}, {law}: {value}, {conic:?}");
        }
        assert!(conic.certified);
        gained += usize::from(!conic.by_ranges);
    }
    assert!(gained >= 3, "{gained}");
}

/// A half-space keeps its distance from all outcomes, also from those that a search found; where
/// the exact set is known it claims no more than that.
#[test]
fn half_spaces_keep_their_distance_from_all_outcomes() {
    let mut found = [0; 2];
    for (name, kind) in [
        ("rocking-block", BoundKind::Certified),
        ("box-and-wall", BoundKind::Certified),
        ("rocking-block", BoundKind::Conic),
        ("cube-on-edge", BoundKind::Conic),
        ("quadruped-trot", BoundKind::Conic),
    ] {
        let problem = certain(name);
        let n = problem.coordinate_count();
        let engine = cpu();
        let plan = planned(Law::default(), 1000, 4, F64);
        let search = Search { share: 0.5, goal: SearchGoal::Far(Vec::new()) };
        let (mut known, mut all) = (Vec::new(), Vec::new());
        let mut see = |samples: &carom_core::outcome::Samples| {
            for i in samples.accepted(1e-5) {
                let v = samples.row(&samples.velocity, i);
                if all.len() < 100 * n {
                    known.extend_from_slice(v);
                }
                all.extend_from_slice(v);
            }
            Ok(())
        };
        engine.explore(&problem, &plan, &search, &mut see).unwrap();
        let exact = Reach::default().soon(&problem).unwrap();
        let metric = PointSet::new(problem.mass(), problem.velocity(), &[]).unwrap();
        let mut draws = Draws::new(8);
        let (near, speed) = directions(&problem, &mut draws, 12);
        for (k, c) in near.iter().enumerate() {
            // `M d` is a direction; `d` a velocity of length 1.
            let d = problem.mass().clone().cholesky().unwrap();
            let d = d.solve(&vector(c)) * speed;
            let size = [0.3, 0.9, 1.5][k % 3];
            let mut v: Vec<f64> = d.iter().map(|x| x * size).collect();
            if k % 4 == 3 {
                v[0] = f64::NAN;
            }
            let apart = apart(&problem, kind, &v, &known, 1e-6, &Limits::default()).unwrap();
            let Some(Apart { direction, bound, value, distance, .. }) = apart else { continue };
            found[usize::from(kind == BoundKind::Conic)] += 1;
            // Sampled outcomes in space are less accurate.
            let room = if problem.tangents_per_contact() == 2 { 2e-3 } else { 1e-6 };
            let (metric, given) = metric.where_given(&v);
            let y = metric.point(&given);
            for w in all.chunks_exact(n) {
                let along: f64 = w.iter().zip(&direction).map(|(w, c)| w * c).sum();
                assert!(along <= bound + room, "{name}: {along} beyond {bound}");
                let away = (metric.point(w) - &y).norm();
                assert!(away >= distance - room, "{name}: {away} nearer than {distance}");
            }
            assert!((value - bound - distance).abs() < 1e-9, "{value} {bound} {distance}");
            assert!(!v[0].is_nan() || direction[0] == 0.0);
            if let Some(set) = &exact {
                let known = set.distance(&v);
                assert!(distance <= known + 1e-9, "{name}: {distance}, not {known}");
            }
        }
        // All that has more energy than there was is excluded.
        let fast: Vec<f64> = problem.velocity().iter().map(|v| -1.3 * v).collect();
        assert!(
            apart(&problem, kind, &fast, &known, 0.01, &Limits::default()).unwrap().is_some(),
            "{name}"
        );
    }
    assert!(found[0] >= 12 && found[1] >= 8, "{found:?}");
}

/// Outcomes are not excluded.
#[test]
fn no_half_space_leaves_an_outcome_out() {
    for name in ["rocking-block", "compass-gait"] {
        let problem = certain(name);
        let (of_set, _) = points(&problem, 14);
        let known = of_set[..8].concat();
        for v in &of_set[8..16] {
            for kind in [BoundKind::Certified, BoundKind::Conic] {
                let found = apart(&problem, kind, v, &known, 1e-6, &Limits::default()).unwrap();
                assert_eq!(found, None, "{name}");
            }
        }
    }
}

/// Proofs hold for the laws that they are about.
#[test]
fn proofs_hold_for_the_laws_that_they_cover() {
    let strongest = |problem: &ContactProblem, law: &Law| kinds(problem, law).next();
    let (routh, steps) = (Law::default(), Routh::steps().into());
    let (block, cube) = (load("rocking-block"), load("cube-on-edge"));
    assert_eq!(strongest(&block, &routh), Some(BoundKind::Exact));
    assert_eq!(strongest(&block, &steps), Some(BoundKind::Conic));
    assert_eq!(strongest(&cube, &routh), Some(BoundKind::Certified));
    assert_eq!(strongest(&block, &Law::named("sequential").unwrap()), Some(BoundKind::Conic));
    for law in ["plus", "propagative"] {
        assert_eq!(strongest(&block, &Law::named(law).unwrap()), None);
    }
    let poisson = Routh { hypothesis: Some(Hypothesis::Poisson), ..Routh::default() }.into();
    assert_eq!(strongest(&cube, &poisson), None);
    let with = |uncertainty: Uncertainty| block.clone().with_numbers(None, uncertainty).unwrap();
    let friction = Uncertainty { friction: vec![[0.5, 1.0]; 2], ..Uncertainty::default() };
    assert_eq!(strongest(&with(friction), &routh), Some(BoundKind::Certified));
    let noise = Uncertainty { noise: 0.1, ..Uncertainty::default() };
    assert_eq!(strongest(&with(noise), &routh), None);
}

#[test]
fn costs_that_cannot_be_read_are_refused() {
    let problem = point(0.25, [1.0, -2.0]);
    let refused = |text: &str| {
        let error = Cost::new(&problem, text).expect_err(text);
        assert_eq!(error.at.as_deref(), Some("cost"));
        error.to_string()
    };
    assert!(refused("speed^2").contains("no coordinate is called `speed`"));
    assert!(refused("q0 +").contains("the expression ends"));
    let cost = Cost::new(&problem, "1 / q1").unwrap();
    assert!(cost.of(&[1.0, 0.0]).unwrap_err().to_string().contains("division by zero"));
}

/// A proof that an outcome passes is none: no number of it is shown.
#[test]
fn a_bound_that_an_outcome_passes_is_withdrawn() {
    let problem = point(0.5, [0.6, -0.8]);
    let bound = bound(&problem, &[1.0, 0.0], BoundKind::Conic).unwrap();
    assert!(bound.certified && bound.withdrawn.is_none());
    assert_eq!(bound.unless_passed(bound.value + 0.5e-6, 1e-6), bound);
    let passed = bound.unless_passed(bound.value + 2e-6, 1e-6);
    assert!(!passed.certified);
    assert!(passed.value == f64::INFINITY && passed.withdrawn == Some(bound.value));
}

#[test]
fn a_raised_flag_ends_bounds_and_guarantees() {
    let problem = load("compass-gait");
    let n = problem.coordinate_count();
    let mut c = vec![0.0; n];
    c[0] = 1.0;
    let cost = Cost::new(&problem, "hip.x^2").unwrap();
    let limits = Limits::until(Arc::new(AtomicBool::new(true)));
    for kind in BoundKind::ALL {
        assert!(applies(kind, &problem, &Law::default()));
        for found in [
            bound_until(&problem, &c, kind, &limits),
            bound_cost_until(&problem, &cost, kind, &limits),
        ] {
            assert_eq!(found.unwrap_err().kind, ErrorKind::Interrupted, "{kind:?}");
        }
    }
    assert_eq!(guarantee_until(&problem, &limits).unwrap_err().kind, ErrorKind::Interrupted);
}

/// However little time there is, a bound is one: no sample goes beyond it. Without time it is the
/// conic one, and more time makes it no wider.
#[test]
fn bounds_within_a_time_are_bounds() {
    for (name, problem) in loaded(["compass-gait", "box-and-wall", "cube-on-edge", "disk-stack"]) {
        let engine = cpu();
        let plan = planned(Law::default(), 500, 0, F64);
        let (run, samples) = engine.collect(&problem, &plan).unwrap();
        let accepted = samples.accepted(run.summary.tolerance().residual);
        let (directions, speed) = directions(&problem, &mut Draws::of(239, 0), 2);
        for c in directions {
            let of = |v: &[f64]| v.iter().zip(&c).map(|(v, c)| v * c).sum::<f64>();
            let reached = accepted.iter().map(|&i| of(samples.row(&samples.velocity, i)));
            let reached = reached.fold(f64::NEG_INFINITY, f64::max);
            let within = |kind, seconds| {
                let time = Duration::from_secs_f64(seconds);
                bound_within(&problem, &c, kind, time, &Limits::default()).unwrap()
            };
            let none = within(BoundKind::Certified, 0.0);
            let some = within(BoundKind::Certified, 0.1);
            let whole = within(BoundKind::Certified, 600.0);
            let wide = within(BoundKind::Conic, 0.0);
            for found in [none, some, whole, wide] {
                assert!(found.certified && found.value >= reached - 1e-5 * speed, "{found:?}");
            }
            assert!(whole.value <= some.value && some.value <= none.value);
            assert_eq!((none.value, none.kind), (wide.value, BoundKind::Certified));
            assert!(whole.value < none.value - 1e-3 * speed, "{name} {whole:?} {none:?}");
        }
        let raised = Limits::until(Arc::new(AtomicBool::new(true)));
        let hour = Duration::from_secs(3600);
        let c = vec![1.0; problem.coordinate_count()];
        let ended = bound_within(&problem, &c, BoundKind::Certified, hour, &raised);
        assert_eq!(ended.unwrap_err().kind, ErrorKind::Interrupted);
    }
}

/// The certified bound of a disk stack takes many seconds.
#[test]
fn a_flag_raised_within_a_bound_ends_it_soon() {
    let problem = load("disk-stack");
    let mut c = vec![0.0; problem.coordinate_count()];
    c[0] = 1.0;
    let stop = Arc::new(AtomicBool::new(false));
    let raised = std::thread::scope(|scope| {
        let handle = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let found =
            bound_until(&problem, &c, BoundKind::Certified, &Limits::until(Arc::clone(&stop)));
        assert_eq!(found.unwrap_err().kind, ErrorKind::Interrupted);
        handle.join().unwrap().elapsed()
    });
    // A debug build on a busy machine; without the flag the bound takes longer than this.
    assert!(raised < Duration::from_secs(2), "{raised:?}");
}
