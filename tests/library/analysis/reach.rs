//! The exact set of outcomes, beside samples, replayed paths and closed forms.

use super::*;
use crate::support::random::Kind;
use carom_analysis::{Arithmetic, Leg, State};
use carom_core::outcome::Mode;
use carom_engine::Replay;

const SCENES: [&str; 4] = ["rocking-block", "box-and-wall", "compass-gait", "ramone"];

/// The exact set, with time for an unoptimised build.
pub fn proved(problem: &ContactProblem) -> ExactSet {
    Reach { seconds: 600.0, ..Reach::default() }.set(problem).unwrap()
}

/// The set without the check that no motion is missed.
fn exact(problem: &ContactProblem) -> ExactSet {
    Reach { seconds: 600.0, certify: false, ..Reach::default() }.set(problem).unwrap()
}

/// Random inelastic planar problems with this many contacts that approach. Friction is moderate:
/// with 20 and more, motions spiral for long, which `benches/reach.rs` measures.
fn random(contacts: usize) -> impl Iterator<Item = ContactProblem> {
    let kinds = [true, false].map(|body| Kind { spatial: false, body, bounces: false });
    let [bodies, rows] = kinds.map(|kind| kind.problems().map(|(_, problem)| problem));
    let pairs = bodies.zip(rows).flat_map(|(body, rows)| [body, rows]);
    pairs.filter(move |problem| {
        problem.contact_count() == contacts && problem.friction().iter().all(|mu| *mu <= 3.0)
    })
}

/// Velocities with which samples of the event process end.
fn sampled(problem: &ContactProblem, sampler: Sampler, samples: u64, seed: u64) -> Vec<Vec<f64>> {
    let law =
        Routh { process: Some(RouthProcess::Events), sampler: Some(sampler), ..Routh::default() };
    let plan = planned(law, samples, seed, F64);
    let found = ends(&on_cpu(problem, &plan));
    assert_eq!(found.len(), samples as usize * problem.coordinate_count());
    found.chunks(problem.coordinate_count()).map(<[f64]>::to_vec).collect()
}

/// The farthest that samples lie outside.
pub fn outside(problem: &ContactProblem, set: &ExactSet, samples: u64, seed: u64) -> f64 {
    let of = |sampler| sampled(problem, sampler, samples, seed);
    let all = [of(Sampler::Uniform), of(Sampler::Coverage)].concat();
    all.iter().map(|v| set.distance(v)).fold(0.0, f64::max)
}

#[test]
fn samples_lie_inside() {
    for (name, problem) in loaded(SCENES) {
        let far = outside(&problem, &exact(&problem), cases(4_000, 200_000), 3);
        assert!(far < 1e-9, "{name}: {far:e}");
    }
    for (number, problem) in random(2).take(cases(30, 200)).enumerate() {
        let far = outside(&problem, &exact(&problem), 300, number as u64);
        assert!(far < 1e-9, "random problem {number}: {far:e}");
    }
}

/// Velocities on the way: replayed samples and ends are passed; none has more energy than before.
#[test]
fn samples_pass_through_the_velocities_on_the_way() {
    let scenes = SCENES.map(load);
    for (number, problem) in scenes.into_iter().chain(random(2).take(cases(8, 40))).enumerate() {
        let set = exact(&problem);
        let most = problem.kinetic_energy(problem.velocity().as_slice());
        for v in set.passed().iter().flat_map(|polytope| &polytope.vertices) {
            assert!(problem.kinetic_energy(v) <= most * (1.0 + 1e-9), "problem {number}: {v:?}");
        }
        for v in set.vertices().filter(|_| set.is_tight()) {
            assert!(set.distance_on_the_way(v) < 1e-9, "problem {number}: {v:?}");
        }
        let twice: Vec<f64> = problem.velocity().iter().map(|v| 2.0 * v).collect();
        assert!(set.distance_on_the_way(&twice) > 0.9);
        let plan = Plan { precision: Some(F64), ..Plan::default() };
        for sample in 0..8 {
            let path = Replay::new(&problem, &plan, F64, sample).unwrap();
            let on_the_way = path.steps.iter().map(|step| &step.after.velocity);
            for v in std::iter::once(&path.before.velocity).chain(on_the_way) {
                let far = set.distance_on_the_way(v);
                // Widened pieces are left out, near which motions chatter.
                let near = if set.work()[1] > 0 { 1e-2 } else { 1e-9 };
                assert!(far < near, "problem {number}, sample {sample}: {far:e}");
            }
        }
    }
}

/// What is left to reach `vertex` after a path whose legs follow the law, dimensionless.
///
/// A leg is a straight line and what a state asks is convex: both ends are enough.
pub fn replay(problem: &ContactProblem, path: &[Leg], vertex: &[f64]) -> f64 {
    let m = problem.contact_count();
    let w = problem.delassus();
    let (mut u, mut total) = (problem.contact_velocity().clone(), DVector::zeros(2 * m));
    let close = 1e-7 * u.amax();
    for Leg { states, impulse, .. } in path {
        let impulse = vector(impulse);
        let after = &u + w * &impulse;
        let largest = 1e-9 * impulse.amax();
        for (i, state) in states.iter().enumerate() {
            let (n, t, mu) = (impulse[i], impulse[m + i], problem.friction()[i]);
            let lies =
                |least: f64, x: f64, most: f64, room: f64| least - room <= x && x <= most + room;
            let velocities = |row: usize, least: f64, most: f64| {
                let near = |u: &DVector<f64>| lies(least, u[row], most, close);
                assert!(near(&u) && near(&after), "{state:?}: {u} {after}");
            };
            let forces = |least: f64, most: f64| {
                assert!(n >= 0.0, "{state:?}: {n} {t}");
                assert!(lies(least * mu * n, t, most * mu * n, largest), "{state:?}: {n} {t}");
            };
            let far = f64::INFINITY;
            match state {
                State::Open => {
                    velocities(i, 0.0, far);
                    assert!(n == 0.0 && t == 0.0);
                    continue;
                }
                State::Plus => {
                    velocities(m + i, 0.0, far);
                    forces(-1.0, -1.0);
                }
                State::Minus => {
                    velocities(m + i, -far, 0.0);
                    forces(1.0, 1.0);
                }
                State::Hold => {
                    velocities(m + i, 0.0, 0.0);
                    forces(-1.0, 1.0);
                }
                State::Smooth => assert!(mu == 0.0 && n >= 0.0 && t == 0.0),
                State::Corner(_) | State::Facet(_) => panic!("planar cones have no facets"),
            }
            velocities(i, -far, 0.0);
        }
        total += impulse;
        u = after;
    }
    assert!(u.rows(0, m).min() >= -close, "{u}");
    let missed = problem.velocity() + problem.response() * total - vector(vertex);
    (problem.jacobian() * missed).amax() / problem.contact_velocity().amax()
}

#[test]
fn a_path_leads_to_every_vertex() {
    let scenes = SCENES.map(load);
    let all = scenes.into_iter().chain(random(2).take(cases(30, 200))).chain(random(3).take(5));
    let (mut vertices, mut without) = (0, 0);
    for (number, problem) in all.enumerate() {
        let set = exact(&problem);
        for polytope in set.polytopes() {
            for (vertex, path) in polytope.shape.vertices.iter().zip(&polytope.paths) {
                vertices += 1;
                let Some(path) = path else {
                    without += 1;
                    continue;
                };
                let missed = replay(&problem, path, vertex);
                assert!(missed < 1e-6, "problem {number}: {missed:e}");
            }
        }
    }
    assert!(vertices > 200 && without * 50 < vertices, "{without} of {vertices}");
}

#[test]
fn the_sets_of_scenes_are_proved_complete() {
    for name in SCENES {
        let set = proved(&load(name));
        assert!(set.is_complete(), "{name}: {:?}, {:?}", set.certificate(), set.work());
        assert!(set.is_tight(), "{name}: {:?}, {:?}", set.certificate(), set.work());
    }
    // A problem that does not approach keeps its velocity.
    let mut spec = load("rocking-block").spec().clone();
    spec.velocity = vec![0.3, 1.0, 0.1];
    let set = proved(&ContactProblem::new(spec).unwrap());
    assert!(set.is_complete() && set.dimension() == 0);
    assert_eq!(set.vertices().collect::<Vec<_>>(), [[0.3, 1.0, 0.1]]);
}

/// A block that falls flat rises on one corner, as fast as the other stops it at the end.
#[test]
fn the_rocking_block_has_two_edges() {
    let set = exact(&load("rocking-block"));
    assert_eq!(set.dimension(), 1);
    let [a, b] = set.polytopes() else { panic!("{:?}", set.polytopes()) };
    assert_eq!(
        [&a.contacts[..], &b.contacts[..]],
        [[Mode::Lift, Mode::Stick], [Mode::Stick, Mode::Lift]]
    );
    // The edges go from rest to the outcomes of two single impacts, which the reference has.
    let (sway, rise, spin) =
        (0.093_018_385_279_470_4, 0.046_509_192_639_735_2, 0.093_018_385_279_470_4);
    let (most, at) = set.support(&[1.0, 0.0, 0.0]);
    assert!((most - sway).abs() < 1e-12);
    assert!((at[1] - rise).abs() < 1e-12 && (at[2] + spin).abs() < 1e-12);
    assert!(set.contains(&[0.0, 0.0, 0.0], 1e-12) && set.contains(&[sway, rise, -spin], 1e-12));
    assert!(set.contains(&[0.5 * sway, 0.5 * rise, -0.5 * spin], 1e-12));
    assert!(!set.contains(&[0.5 * sway, 0.5 * rise, 0.5 * spin], 1e-3));
    // In the kinetic metric: J v' M v over that of the velocity before the impact.
    let problem = load("rocking-block");
    let energy = |v: &[f64]| problem.kinetic_energy(v);
    let length = (energy(&[sway, rise, spin]) / energy(problem.velocity().as_slice())).sqrt();
    assert!((set.volume().unwrap() - 2.0 * length).abs() < 1e-12);
    let points = set.sample(1000, 7).unwrap();
    assert!(points.chunks(3).all(|v| set.distance(v) < 1e-12));
    let right = points.chunks(3).filter(|v| v[0] > 0.0).count();
    assert!((440..560).contains(&right), "{right}");
}

/// Bodies on four and five contacts: samples lie inside, and paths lead to the vertices.
#[test]
fn bodies_on_more_contacts_have_sets() {
    let mut found = [0, 0];
    for (at, contacts) in [4, 5].into_iter().enumerate() {
        let kind = Kind { spatial: false, body: true, bounces: false };
        let all = kind.problems().map(|(_, problem)| problem);
        let fits = |p: &ContactProblem| {
            p.contact_count() == contacts && p.friction().iter().all(|mu| *mu <= 1.0)
        };
        for (number, problem) in all.filter(fits).take(cases(4, 30)).enumerate() {
            let reach = Reach { seconds: 5.0, certify: false, ..Reach::default() };
            let Ok(set) = reach.set(&problem) else { continue };
            if !set.is_tight() {
                continue;
            }
            found[at] += 1;
            let far = outside(&problem, &set, 100, number as u64);
            assert!(far < 1e-9, "{contacts} contacts, {number}: {far:e}");
            for polytope in set.polytopes() {
                for (vertex, path) in polytope.shape.vertices.iter().zip(&polytope.paths) {
                    let Some(path) = path else { continue };
                    let missed = replay(&problem, path, vertex);
                    assert!(missed < 1e-6, "{contacts} contacts, {number}: {missed:e}");
                }
            }
        }
    }
    assert!(found[0] >= cases(3, 20) && found[1] > 0, "{found:?}");
}

/// One contact: it slides until the velocity is 0, then holds if friction is large enough.
#[test]
fn one_contact_has_one_outcome() {
    for (number, problem) in random(1).take(60).enumerate() {
        let set = proved(&problem);
        assert!(set.is_complete() && set.dimension() == 0, "{number}");
        let drawn = sampled(&problem, Sampler::Uniform, 1, 1);
        assert!(set.distance(&drawn[0]) < 1e-9, "{number}: {}", set.distance(&drawn[0]));
    }
}

/// The largest distance of a vertex of one set from the other set, both ways.
fn apart(a: &ExactSet, b: &ExactSet) -> f64 {
    let far = |a: &ExactSet, b: &ExactSet| a.vertices().map(|v| b.distance(v)).fold(0.0, f64::max);
    far(a, b).max(far(b, a))
}

#[test]
fn contacts_in_another_order_and_other_units_change_nothing() {
    for (number, problem) in random(2).take(12).enumerate() {
        let set = exact(&problem);
        let spec = problem.spec();
        let swapped = |rows: &[Vec<f64>]| vec![rows[1].clone(), rows[0].clone()];
        let other = ProblemSpec {
            normal: swapped(&spec.normal),
            tangent: swapped(&spec.tangent),
            friction: spec.friction.as_ref().map(|mu| vec![mu[1], mu[0]]),
            ..spec.clone()
        };
        let far = apart(&set, &exact(&ContactProblem::new(other).unwrap()));
        assert!(far < 1e-9, "order, {number}: {far:e}");
        let scale = |rows: &[Vec<f64>], by: f64| {
            rows.iter().map(|row| row.iter().map(|x| x * by).collect()).collect()
        };
        let other = ProblemSpec {
            mass: scale(&spec.mass, 1e6),
            normal: scale(&spec.normal, 3e-3),
            tangent: scale(&spec.tangent, 3e-3),
            velocity: spec.velocity.iter().map(|v| v * 1e-4).collect(),
            ..spec.clone()
        };
        let set_of_other = exact(&ContactProblem::new(other).unwrap());
        let far = set_of_other.vertices().map(|v| v.iter().map(|x| x * 1e4).collect::<Vec<_>>());
        let far = far.map(|v| set.distance(&v)).fold(0.0, f64::max);
        assert!(far < 1e-9, "units, {number}: {far:e}");
        assert_eq!(set.dimension(), set_of_other.dimension());
    }
}

#[test]
fn doubles_find_the_same_sets() {
    let scenes = SCENES.map(load);
    for (number, problem) in scenes.into_iter().chain(random(2).take(cases(40, 200))).enumerate() {
        let bare = Reach { certify: false, describe: false, ..Reach::default() };
        let set = bare.set(&problem).unwrap();
        let fast = Reach::fast().set(&problem).unwrap();
        assert!(!fast.is_complete() && fast.arithmetic() == Arithmetic::Doubles);
        let far = apart(&set, &fast);
        assert!(far < 1e-7, "{number}: {far:e}");
    }
}

#[test]
fn friction_may_be_none_or_enormous() {
    for name in ["rocking-block", "box-and-wall"] {
        for friction in [[0.0, 0.0], [0.0, 1e5], [1e5, 0.3], [1e5, 1e5]] {
            let problem = changed(&load(name), |spec| spec.friction = Some(friction.to_vec()));
            let far = outside(&problem, &exact(&problem), 500, 1);
            assert!(far < 1e-9, "{name}, {friction:?}: {far:e}");
        }
    }
}

#[test]
fn convex_costs_are_worst_at_vertices() {
    let problem = load("compass-gait");
    let set = exact(&problem);
    let cost = |v: &[f64]| problem.kinetic_energy(v) + v[0].abs();
    let (worst, _) = set.worst(cost);
    let points = set.sample(2000, 1).unwrap();
    let most = points.chunks(4).map(cost).fold(0.0, f64::max);
    assert!(most <= worst && most > 0.8 * worst, "{most} {worst}");
    let [least, largest] = set.extents();
    let mut draws = Draws::new(5);
    for _ in 0..100 {
        let c = draws.numbers(4);
        let (support, at) = set.support(&c);
        let dot = |v: &[f64]| c.iter().zip(v).map(|(c, v)| c * v).sum::<f64>();
        assert!((dot(at) - support).abs() < 1e-12);
        assert!(points.chunks(4).all(|v| dot(v) <= support + 1e-12));
    }
    for v in points.chunks(4) {
        let within = |((v, a), b): ((&f64, &f64), &f64)| a - 1e-12 <= *v && *v <= b + 1e-12;
        assert!(v.iter().zip(&least).zip(&largest).all(within));
    }
}

#[test]
fn what_has_no_exact_set_is_refused() {
    let refused = |name: &str| Reach::default().set(&load(name)).unwrap_err();
    assert!(refused("cube-on-edge").what.contains("planar"));
    assert!(refused("disk-stack").what.contains("contacts"));
    let bouncing = load("rocking-block");
    let bouncing = bouncing.with_numbers(Some(vec![0.5; 2]), Default::default()).unwrap();
    assert_eq!(Reach::default().set(&bouncing).unwrap_err().at.as_deref(), Some("restitution"));
    let hurried = Reach { seconds: 0.0, ..Reach::default() }.set(&load("ramone"));
    assert!(hurried.unwrap_err().what.contains("did not end"));
}
