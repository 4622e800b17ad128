//! Answers are those of the library, or of a plain loop over the numbers.

use std::ptr::{null, null_mut};

use carom_analysis::Reach;
use carom_c::*;
use carom_core::outcome::Samples;
use carom_core::problem::ContactProblem;
use carom_engine::run::Run;
use carom_engine::{Plan, Prepared};

use crate::problem::{Arrays, Impact, Rows};

/// The samples of the library.
fn expected(problem: &ContactProblem, options: &str, first: u64, count: usize) -> (Samples, f64) {
    let run = Run::from_json(options).unwrap();
    let (problem, plan): (_, Plan) = (run.on(problem.clone()).unwrap(), run.plan());
    if options.contains("f32") {
        let mut prepared = Prepared::<f32>::new(&problem, &plan).unwrap();
        (prepared.sample(first, count).clone(), prepared.tolerance().residual)
    } else {
        let mut prepared = Prepared::<f64>::new(&problem, &plan).unwrap();
        (prepared.sample(first, count).clone(), prepared.tolerance().residual)
    }
}

#[track_caller]
fn same(rows: &Rows, (samples, residual): &(Samples, f64)) {
    let far = rows.velocity.iter().zip(&samples.velocity).map(|(a, b)| (a - b).abs());
    assert!(rows.velocity == samples.velocity, "differ by {:e}", far.fold(0.0, f64::max));
    assert!(rows.impulse == samples.impulse);
    assert!(rows.residual == samples.residual);
    for i in 0..samples.len() {
        assert_eq!(rows.status[i], samples.status[i].code());
        let accepted = rows.status[i] == TERMINATED && rows.residual[i] <= *residual;
        assert_eq!(rows.accepted[i], u8::from(accepted));
    }
    assert!(rows.accepted.contains(&1));
}

/// More samples than are computed at a time, in both orders of matrices.
#[test]
fn samples_are_those_of_the_library() {
    for (name, options, count) in [
        ("rocking-block", r#"{"seed": 7}"#, 600),
        ("compass-gait", r#"{"precision": "f32", "sampler": "uniform"}"#, 300),
        ("rocking-block", r#"{"process": "steps", "step": 0.3, "max_steps": 2}"#, 300),
        ("cube-on-edge", "{}", 40),
        ("quadruped-trot", r#"{"precision": "f32", "seed": 3}"#, 20),
        ("rocking-block", r#"{"law": "sequential"}"#, 20),
    ] {
        let problem = carom_scene::load(name).unwrap();
        for order in [ROW_MAJOR, COLUMN_MAJOR] {
            let impact = Impact::new(options);
            impact.succeeds(impact.prepare(&Arrays::of(&problem, order).problem()));
            let mut rows = Rows::new(count, &problem);
            rows.sample(&impact, 5);
            same(&rows, &expected(&problem, options, 5, count));
        }
    }
}

#[test]
fn velocity_seed_and_matrices_follow() {
    let (impact, problem) = Impact::scene("rocking-block", "{}");
    let mut rows = Rows::new(100, &problem);
    let mut other = problem.clone();
    other.set_velocity(&[0.1, -0.5, 0.2]).unwrap();
    impact.succeeds(unsafe { carom_set_velocity(impact.0, other.velocity().as_slice().as_ptr()) });
    impact.succeeds(unsafe { carom_set_seed(impact.0, 9) });
    rows.sample(&impact, 0);
    same(&rows, &expected(&other, r#"{"seed": 9}"#, 0, 100));
    // Other matrices, of other sizes; the seed stays.
    let gait = carom_scene::load("compass-gait").unwrap();
    impact.succeeds(impact.prepare(&Arrays::of(&gait, COLUMN_MAJOR).problem()));
    let mut rows = Rows::new(100, &gait);
    rows.sample(&impact, 0);
    same(&rows, &expected(&gait, r#"{"seed": 9}"#, 0, 100));
}

/// What the constraints leave of the velocities.
#[test]
fn constraints_hold() {
    let (impact, problem) = Impact::scene("rocking-block", "{}");
    let (arrays, constraint) = (Arrays::of(&problem, ROW_MAJOR), [1.0, 0.0, 0.1]);
    let constrained =
        Problem { constraints: 1, bilateral: constraint.as_ptr(), ..arrays.problem() };
    impact.succeeds(impact.prepare(&constrained));
    let mut rows = Rows::new(50, &problem);
    rows.sample(&impact, 0);
    let mut spec = problem.spec().clone();
    spec.bilateral = vec![constraint.to_vec()];
    same(&rows, &expected(&ContactProblem::new(spec).unwrap(), "{}", 0, 50));
    assert!(rows.velocity.chunks(3).all(|v| dot(&constraint, v).abs() < 1e-12));
}

/// Restitution comes from the array, or from the options.
#[test]
fn restitution_is_taken() {
    let problem = carom_scene::load("rocking-block").unwrap();
    let (arrays, e) = (Arrays::of(&problem, ROW_MAJOR), [0.5, 0.5]);
    let impact = Impact::new("{}");
    impact.succeeds(impact.prepare(&Problem { restitution: e.as_ptr(), ..arrays.problem() }));
    let mut rows = Rows::new(30, &problem);
    rows.sample(&impact, 0);
    same(&rows, &expected(&problem, r#"{"restitution": 0.5}"#, 0, 30));
    let plain = expected(&problem, "{}", 0, 30).0;
    assert_ne!(rows.velocity, plain.velocity);
}

/// A limit in time ends the call early; what was computed does not depend on it.
#[test]
fn a_limit_in_time_ends_a_call() {
    let (impact, problem) = Impact::scene("quadruped-trot", "{}");
    let mut rows = Rows::new(500, &problem);
    impact.succeeds(unsafe { carom_sample(impact.0, 0, 1e-9, &mut rows.outcomes) });
    let count = rows.outcomes.count;
    assert_eq!(count, 8);
    let all = expected(&problem, "{}", 0, count).0;
    assert_eq!(rows.velocity[..count * 18], all.velocity);
    assert!(rows.velocity[count * 18].is_nan() && rows.status[count] == 99);
    impact.succeeds(unsafe { carom_sample(impact.0, 0, 1e9, &mut rows.outcomes) });
    assert_eq!(rows.outcomes.count, 500);
    assert_eq!(rows.velocity[..count * 18], all.velocity);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Support and costs, of samples and of the exact set.
#[test]
fn the_worst_is_that_of_a_plain_loop() {
    let (impact, problem) = Impact::scene("rocking-block", "{}");
    let mut rows = Rows::new(400, &problem);
    rows.sample(&impact, 0);
    // A sample that is not accepted does not count.
    rows.velocity[..3].fill(1e6);
    rows.accepted[0] = 0;
    impact.succeeds(unsafe { carom_exact_set(impact.0, 0.0, null_mut()) });
    let set = Reach::fast().set(&problem).unwrap();
    let all: Vec<&[f64]> = set.vertices().collect();
    let (c, q) = ([0.2, -1.0, 0.7], [2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0]);
    for (of, points) in [
        (&raw const rows.outcomes, rows.velocity[3..].chunks(3).collect::<Vec<_>>()),
        (null(), all),
    ] {
        let most = |cost: &dyn Fn(&[f64]) -> f64| {
            points.iter().map(|v| cost(v)).fold(f64::NEG_INFINITY, f64::max)
        };
        let (mut value, mut at) = (0.0, [0.0; 3]);
        impact.succeeds(unsafe {
            carom_support(impact.0, of, c.as_ptr(), &mut value, at.as_mut_ptr())
        });
        assert_eq!(value, most(&|v| dot(&c, v)));
        assert!(points.contains(&&at[..]) && dot(&c, &at) == value);
        let cost = |v: &[f64]| v[0] * v[0] + 0.5 * v[1] * v[1] + 0.5 * v[0] * v[1] + dot(&c, v);
        impact.succeeds(unsafe {
            carom_worst(impact.0, of, q.as_ptr(), c.as_ptr(), &mut value, at.as_mut_ptr())
        });
        let known = most(&cost);
        assert!((value - known).abs() < 1e-14 && (cost(&at) - known).abs() < 1e-14);
        // Without a linear part.
        impact.succeeds(unsafe {
            carom_worst(impact.0, of, q.as_ptr(), null(), &mut value, null_mut())
        });
        assert!((value - most(&|v| cost(v) - dot(&c, v))).abs() < 1e-14);
    }
}

/// The distance in the kinetic metric over that of the velocity before the impact.
#[test]
fn distances_are_kinetic() {
    let (impact, problem) = Impact::scene("rocking-block", "{}");
    let mut rows = Rows::new(200, &problem);
    rows.sample(&impact, 0);
    let norm = |v: &[f64]| f64::sqrt(2.0 * problem.kinetic_energy(v));
    let before = norm(problem.velocity().as_slice());
    let asked = [0.3, 0.1, -0.2];
    let apart = |v: &[f64]| {
        let d: Vec<f64> = v.iter().zip(asked).map(|(v, a)| v - a).collect();
        norm(&d) / before
    };
    let nearest = rows.velocity.chunks(3).map(apart).fold(f64::INFINITY, f64::min);
    let (mut distance, mut contains, of) = (0.0, false, &raw const rows.outcomes);
    let ask = asked.as_ptr();
    impact.succeeds(unsafe { carom_distance(impact.0, of, ask, &mut distance) });
    assert!((distance - nearest).abs() < 1e-12, "{distance} {nearest}");
    for (eps, within) in [(0.999 * nearest, false), (1.001 * nearest, true)] {
        impact.succeeds(unsafe { carom_contains(impact.0, of, ask, eps, &mut contains) });
        assert_eq!(contains, within);
    }
    // The exact set lies nearer than its samples; each of these lies on it.
    impact.succeeds(unsafe { carom_exact_set(impact.0, 0.0, null_mut()) });
    impact.succeeds(unsafe { carom_distance(impact.0, null(), ask, &mut distance) });
    assert!(distance < nearest && distance > 0.5 * nearest, "{distance} {nearest}");
    for v in rows.velocity.chunks(3) {
        impact
            .succeeds(unsafe { carom_contains(impact.0, null(), v.as_ptr(), 1e-6, &mut contains) });
        assert!(contains, "{v:?}");
    }
}

/// Directions in which the outcomes do not differ: those of the momentum that no impulse changes.
#[test]
fn invariants_do_not_change() {
    let (impact, problem) = Impact::scene("quadruped-trot", "{}");
    let mut rows = Rows::new(60, &problem);
    rows.sample(&impact, 0);
    let n = problem.coordinate_count();
    let [mut directions, mut spread] = [vec![0.0; n * n], vec![0.0; n]];
    let [mut least, mut most] = [vec![0.0; n], vec![0.0; n]];
    impact.succeeds(unsafe {
        carom_invariants(
            impact.0,
            &rows.outcomes,
            directions.as_mut_ptr(),
            spread.as_mut_ptr(),
            least.as_mut_ptr(),
            most.as_mut_ptr(),
        )
    });
    // Two feet push in three directions each: 18 - 6 directions stay, and the set has some extent.
    assert!(spread[..12].iter().all(|spread| *spread < 1e-9), "{spread:?}");
    assert!(spread[12] > 1e-7 && spread[17] > 1e-4 && spread.is_sorted(), "{spread:?}");
    for (i, c) in directions.chunks(n).enumerate() {
        let along = rows.velocity.chunks(n).map(|v| dot(c, v));
        let [low, high] =
            [along.clone().fold(f64::INFINITY, f64::min), along.fold(f64::NEG_INFINITY, f64::max)];
        assert!((low - least[i]).abs() < 1e-9 && (high - most[i]).abs() < 1e-9, "{i}");
        assert!((c.iter().fold(0.0, |most: f64, c| most.max(c.abs())) - 1.0).abs() < 1e-12);
    }
}

/// The arrays of the exact set: each facet lies in a plane that leaves its polytope on one side.
#[test]
fn the_arrays_of_the_exact_set_are_its_polytopes() {
    for name in ["rocking-block", "box-and-wall", "compass-gait"] {
        let (impact, problem) = Impact::scene(name, "{}");
        let mut set = std::mem::MaybeUninit::<Set>::uninit();
        impact.succeeds(unsafe { carom_exact_set(impact.0, 1.0, set.as_mut_ptr()) });
        let (set, known) = (unsafe { set.assume_init() }, Reach::fast().set(&problem).unwrap());
        assert_eq!((set.polytopes, set.dimension), (known.polytopes().len(), known.dimension()));
        assert_eq!(set.tight, known.is_tight());
        let (n, m) = (problem.coordinate_count(), problem.contact_count());
        let at = |of: *const usize, i: usize| unsafe { *of.add(i) };
        for (i, part) in known.polytopes().iter().enumerate() {
            let (from, to) = (at(set.first_vertex, i), at(set.first_vertex, i + 1));
            let all =
                unsafe { std::slice::from_raw_parts(set.vertices.add(from * n), (to - from) * n) };
            assert_eq!(all, part.shape.vertices.concat());
            let facets: Vec<Vec<usize>> = (at(set.first_facet, i)..at(set.first_facet, i + 1))
                .map(|j| {
                    let on = at(set.first_facet_vertex, j)..at(set.first_facet_vertex, j + 1);
                    on.map(|entry| at(set.facet_vertices, entry) - from).collect()
                })
                .collect();
            assert_eq!(facets, part.shape.facets);
            for (contact, mode) in part.contacts.iter().enumerate() {
                assert_eq!(unsafe { *set.modes.add(i * m + contact) }, *mode as u8);
            }
        }
    }
}

#[test]
fn no_sample_exceeds_a_bound() {
    let (impact, problem) = Impact::scene("rocking-block", "{}");
    let mut rows = Rows::new(500, &problem);
    rows.sample(&impact, 0);
    let (c, mut value, mut proved, mut reached) = ([0.0, 0.0, 1.0], 0.0, false, 0.0);
    impact.succeeds(unsafe {
        carom_support(impact.0, &rows.outcomes, c.as_ptr(), &mut reached, null_mut())
    });
    let mut bounds = Vec::new();
    for kind in [EXACT, CERTIFIED, CONIC] {
        impact
            .succeeds(unsafe { carom_bound(impact.0, kind, c.as_ptr(), &mut value, &mut proved) });
        assert!(proved && value > reached - 1e-9, "{kind}: {value} {reached}");
        bounds.push(value);
    }
    // The numbers of `docs/sets.md`.
    assert!((bounds[0] - 0.093019).abs() < 1e-6 && (bounds[2] - 0.542495).abs() < 1e-6);
}

/// A bound along a direction, found in little time, and whether it is proved.
fn bound(impact: &Impact, kind: u32, c: &[f64]) -> Result<(f64, bool), String> {
    let (mut value, mut proved) = (0.0, false);
    let code =
        unsafe { carom_bound_within(impact.0, kind, c.as_ptr(), 0.5, &mut value, &mut proved) };
    match code {
        Code::CaromOk => Ok((value, proved)),
        code => Err(format!("{code:?}: {}", impact.message())),
    }
}

/// Samples of laws that a proof does not cover go beyond it: along `hip.x` of the compass gait with
/// Poisson's restitution 1 by .2 of `|v-|`. What the command line refuses is refused.
#[test]
fn a_bound_is_refused_where_it_does_not_hold() {
    let kinds = [EXACT, CERTIFIED, CONIC];
    for (scene, options, holding) in [
        ("compass-gait", r#"{"hypothesis": "poisson", "restitution": 1}"#, &[EXACT][..]),
        ("compass-gait", r#"{"law": "propagative"}"#, &[]),
        ("compass-gait", r#"{"uncertainty": {"friction": [[0.1, 0.9]], "noise": 0.1}}"#, &[]),
        ("rocking-block", r#"{"law": "plus", "restitution": 0.5}"#, &[]),
        ("cube-on-edge", r#"{"facets": 8, "restitution": 0}"#, &[]),
        ("compass-gait", r#"{"law": "sequential"}"#, &[CONIC]),
        ("compass-gait", r#"{"process": "steps"}"#, &[CONIC]),
        ("compass-gait", r#"{"uncertainty": {"friction": [[0.1, 0.9]]}}"#, &[CERTIFIED, CONIC]),
    ] {
        let (impact, problem) = Impact::scene(scene, options);
        let mut c = vec![0.0; problem.coordinate_count()];
        c[0] = 1.0;
        let mut rows = Rows::new(500, &problem);
        rows.sample(&impact, 0);
        for kind in kinds {
            match bound(&impact, kind, &c) {
                Ok((value, proved)) => {
                    assert!(holding.contains(&kind), "{scene} {options} {kind}: {value}");
                    let accepted = rows.velocity.chunks(c.len()).zip(&rows.accepted);
                    for (v, _) in accepted.filter(|(_, accepted)| **accepted == 1) {
                        assert!(!proved || v[0] <= value + 1e-6, "{options} {kind}: {v:?} {value}");
                    }
                }
                // The exact set of Poisson's restitution need not be found.
                Err(message) if kind == EXACT => assert!(!message.is_empty()),
                Err(message) => {
                    assert!(!holding.contains(&kind), "{scene} {options} {kind}: {message}");
                    assert!(message.contains("CaromUsage: proofs"), "{message}");
                }
            }
        }
    }
}

/// Without time the certified bound is the conic one; with time it is no wider.
#[test]
fn a_bound_may_have_a_limit_in_time() {
    let (impact, problem) = Impact::scene("compass-gait", "{}");
    let mut c = vec![0.0; problem.coordinate_count()];
    c[0] = 1.0;
    let within = |kind, seconds: f64| {
        let (mut value, mut proved) = (0.0, false);
        impact.succeeds(unsafe {
            carom_bound_within(impact.0, kind, c.as_ptr(), seconds, &mut value, &mut proved)
        });
        assert!(proved);
        value
    };
    let (none, some) = (within(CERTIFIED, 1e-9), within(CERTIFIED, 0.5));
    assert_eq!(none, within(CONIC, 1e-9));
    assert!(some <= none && within(CERTIFIED, 0.0) <= some, "{some} {none}");
    let code =
        unsafe { carom_bound_within(impact.0, CONIC, c.as_ptr(), -1.0, &mut 0.0, null_mut()) };
    assert_eq!(code, Code::CaromUsage);
}

/// After an error no array of an older set is left, which would be released memory.
#[test]
fn a_set_that_is_not_found_has_no_arrays() {
    let (impact, problem) = Impact::scene("rocking-block", "{}");
    let mut set = std::mem::MaybeUninit::<Set>::uninit();
    impact.succeeds(unsafe { carom_exact_set(impact.0, 1.0, set.as_mut_ptr()) });
    let mut set = unsafe { set.assume_init() };
    assert!(set.polytopes == 2 && !set.vertices.is_null());
    let arrays = Arrays::of(&problem, ROW_MAJOR);
    let mut bouncing = arrays.problem();
    let restitution = [0.5; 2];
    bouncing.restitution = restitution.as_ptr();
    impact.succeeds(impact.prepare(&bouncing));
    assert_eq!(unsafe { carom_exact_set(impact.0, 1.0, &mut set) }, Code::CaromInput);
    let arrays = [set.vertices.is_null(), set.first_vertex.is_null(), set.first_facet.is_null()];
    assert!(set.polytopes == 0 && !set.tight && arrays == [true; 3], "{set:?}");
    assert!(set.facet_vertices.is_null() && set.modes.is_null());
}
