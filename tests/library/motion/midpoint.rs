//! The midpoint integrator against an independent one, closed forms and invariants.

use super::*;
use crate::support::compare::apart;
use carom::SequenceKind;
use carom::model::{Body, HalfPlane, Joint, Motion, Planar, Shape, Vector, spatial};
use carom::motion::mechanism::{Drive, Mechanism, Push};
use carom::motion::midpoint::{Coefficients, ImpactLaw, MidpointSpec};
use std::collections::BTreeMap;

fn propagative() -> ImpactLaw {
    let law = Propagative { sequences: Some(SequenceKind::Admissible), ..Propagative::default() };
    ImpactLaw::Finite(FiniteLaw::Propagative(law))
}

fn mechanism(bodies: Vec<Body>, walls: Vec<HalfPlane>, g: f64) -> Mechanism {
    let model = Model::Planar(Planar::new(bodies, walls).unwrap());
    let gravity = spatial::Vector::new(0.0, -g, 0.0);
    Mechanism { model, gravity, drives: Vec::new(), pushes: Vec::new() }
}

fn floor() -> HalfPlane {
    HalfPlane { name: "floor".to_string(), point: Vector::zeros(), normal: Vector::new(0.0, 1.0) }
}

fn spec(mechanism: Mechanism, start: Motion, law: ImpactLaw, time_step: f64) -> MidpointSpec {
    MidpointSpec {
        name: "test".to_string(),
        mechanism,
        coefficients: Coefficients { friction: 0.0, restitution: None, pairs: BTreeMap::new() },
        start,
        law,
        time_step,
        tolerance: 1e-9,
        steps: None,
        max_impacts: None,
        seed: 0,
        integrator: Midpoint::NAME,
    }
}

fn motion(mechanism: Mechanism, start: Motion, law: ImpactLaw, time_step: f64) -> Midpoint {
    Midpoint::new(spec(mechanism, start, law, time_step)).unwrap()
}

/// Configuration and momentum.
type Phase = (Vec<f64>, Vec<f64>);

/// The course, and the states at the ends of steps.
fn run(motion: &Midpoint, steps: u64) -> (MechanismCourse, Vec<Phase>) {
    let mut states = Vec::new();
    let course = motion
        .run(steps, None, |moment| {
            states.push((moment.state.q.as_slice().to_vec(), moment.state.p.as_slice().to_vec()));
            Ok(())
        })
        .unwrap();
    (course, states)
}

/// Three pendulums side by side whose balls touch when they hang.
fn cradle(h: f64) -> Midpoint {
    let (length, r, m) = (0.5, 0.05, 0.2);
    let ball = |i: usize| {
        let mut body = Body::uniform(
            &format!("ball{i}"),
            m,
            Shape::disk(Vector::new(0.0, -length), r).unwrap(),
        );
        body.inertia = 0.0;
        body.center_of_mass = Vector::new(0.0, -length);
        body.on(None, Vector::new(2.0 * r * i as f64, 0.0), Joint::Revolute { absolute: false })
    };
    let start = Motion { position: vec![-0.5, 0.0, 0.0], velocity: vec![0.0; 3] };
    motion(mechanism((0..3).map(ball).collect(), Vec::new(), 9.81), start, propagative(), h)
}

#[test]
fn rods_and_pendulums_move_as_the_published_scheme_does() {
    let file = golden("midpoint");
    for case in file["cases"].as_array().unwrap() {
        let (inputs, expected, tol) = (&case["inputs"], &case["expected"], &case["tol"]);
        let name = inputs["name"].as_str().unwrap();
        let h = number(&inputs["h"]);
        let motion = if name.contains("rod") {
            let [m, half] = ["m", "half_length"].map(|key| number(&inputs[key]));
            let rod = Shape::rod(Vector::new(-half, 0.0), Vector::new(half, 0.0)).unwrap();
            let mut body = Body::uniform("rod", m, rod);
            body.inertia = number(&inputs["I"]);
            let p = numbers(&inputs["p0"]);
            let velocity = vec![p[0] / m, p[1] / m, p[2] / body.inertia];
            let start = Motion { position: numbers(&inputs["q0"]), velocity };
            motion(mechanism(vec![body], vec![floor()], 9.81), start, propagative(), h)
        } else {
            cradle(h)
        };
        let steps = (number(&inputs["T"]) / h).round() as u64;
        let (course, states) = run(&motion, steps);
        let energy = number(&expected["energy0"]);
        // The published potential energy of pendulums is 0 where they hang.
        let datum = if name.contains("rod") { 0.0 } else { -3.0 * 0.2 * 9.81 * 0.5 };
        let off = (course.initial.total() - datum - energy).abs();
        assert!(off <= 1e-12 * (energy - datum).abs(), "{name}");
        let within = |key: &str| tol[key].as_f64();
        let (in_q, in_p) = (within("q_abs").unwrap(), within("p_abs").unwrap_or(1e-6));
        let impacts = expected["impacts"].as_array().unwrap();
        assert_eq!(course.impacts.len(), impacts.len(), "{name}");
        for (found, expected) in course.impacts.iter().zip(impacts) {
            let late = (found.time - number(&expected["t"])).abs();
            assert!(late <= within("t_impact_abs").unwrap_or(1e-8), "{name}: {late}");
            assert!(apart(&found.position, &numbers(&expected["q"])) <= in_q, "{name}");
            assert!(apart(&found.before, &numbers(&expected["p_minus"])) <= in_p, "{name}");
            assert!(apart(&found.after, &numbers(&expected["p_plus"])) <= in_p, "{name}");
            let active = expected["active"].as_array().unwrap();
            assert_eq!(found.contacts.len(), active.len(), "{name}");
        }
        for sample in expected["samples"].as_array().unwrap() {
            let at = (number(&sample[0]) / h).round() as usize;
            assert!(apart(&states[at].0, &numbers(&sample[1])) <= in_q, "{name}, {at}");
            assert!(apart(&states[at].1, &numbers(&sample[2])) <= in_p, "{name}, {at}");
        }
        let bound = within("energy_rel").or(within("energy_rel_bound")).unwrap();
        assert!(course.energy_error <= bound * energy.abs(), "{name}: {}", course.energy_error);
    }
}

/// A double pendulum on a cart with a spring.
fn tree() -> Mechanism {
    let rod = |name: &str, m: f64| {
        Body::uniform(name, m, Shape::rod(Vector::zeros(), Vector::new(0.3, -0.8)).unwrap())
    };
    let cart = Body::uniform("cart", 1.5, Shape::disk(Vector::zeros(), 0.1).unwrap());
    let axis = Vector::new(0.6, 0.8);
    let bodies = vec![
        cart.on(None, Vector::new(0.1, 0.2), Joint::Prismatic { axis }),
        rod("upper", 0.7).on(Some(0), Vector::new(0.05, 0.0), Joint::Revolute { absolute: false }),
        rod("lower", 0.4).on(Some(1), Vector::new(0.3, -0.8), Joint::Revolute { absolute: true }),
        rod("side", 0.2).on(
            Some(1),
            Vector::new(0.1, -0.4),
            Joint::Prismatic { axis: Vector::new(0.8, -0.6) },
        ),
        rod("last", 0.3).on(Some(3), Vector::new(0.1, -0.4), Joint::Revolute { absolute: false }),
        rod("free", 0.5).on(Some(2), Vector::new(0.2, 0.1), Joint::Floating),
    ];
    let mut mechanism = mechanism(bodies, Vec::new(), 9.81);
    mechanism.drives = vec![Drive {
        coordinate: 0,
        position: Some(0),
        stiffness: 20.0,
        damping: 0.0,
        rest: 0.1,
        rate: 0.0,
        force: 0.0,
    }];
    mechanism
}

/// `dL/dq` against differences of `L`.
#[test]
fn the_slope_is_that_of_the_lagrangian() {
    let mechanism = tree();
    let n = mechanism.size();
    let q = DVector::from_fn(n, |i, _| 0.3 * (i as f64 + 1.0).sin());
    let v = DVector::from_fn(n, |i, _| 1.2 * (2.0 * i as f64 + 0.5).cos());
    let lagrangian =
        |q: &DVector<f64>| 0.5 * v.dot(&(mechanism.mass(q) * &v)) - mechanism.potential(q);
    let [_, slope] = mechanism.derivatives(&q, &v);
    for k in 0..n {
        let moved = |by: f64| {
            let mut q = q.clone();
            q[k] += by;
            lagrangian(&q)
        };
        let h = 1e-3;
        let difference =
            (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
        assert!((slope[k] - difference).abs() < 1e-9, "{k}: {} {difference}", slope[k]);
    }
}

/// Halving the step divides the error by four, and going back undoes a step.
#[test]
fn the_integrator_is_of_second_order_and_reversible() {
    let mut mechanism = tree();
    let n = mechanism.size();
    let start = DVector::from_fn(n, |i, _| 0.3 * (i as f64 + 1.0).sin());
    let momentum =
        mechanism.mass(&start) * DVector::from_fn(n, |i, _| 0.4 * (2.0 * i as f64 + 0.5).cos());
    let end = |mechanism: &Mechanism, steps: u32| {
        let h = 0.3 / f64::from(steps);
        let (mut q, mut p) = (start.clone(), momentum.clone());
        for _ in 0..steps {
            (q, p) = flow(mechanism, &q, &p, h).unwrap();
        }
        (q, p)
    };
    let (q, p) = end(&mechanism, 1);
    let (back, minus) = flow(&mechanism, &q, &-p, 0.3).unwrap();
    assert!((back - &start).amax() < 1e-12 && (minus + &momentum).amax() < 1e-12);
    for damped in [false, true] {
        if damped {
            mechanism.drives[0].damping = 3.0;
            mechanism.drives.push(Drive {
                coordinate: 1,
                position: Some(1),
                stiffness: 5.0,
                damping: 0.5,
                rest: 0.3,
                rate: 0.2,
                force: 1.0,
            });
            mechanism.pushes.push(Push {
                body: 4,
                point: spatial::Vector::new(0.1, 0.0, 0.0),
                force: spatial::Vector::new(1.0, 2.0, 0.0),
            });
        }
        let exact = end(&mechanism, 512);
        let error = |steps: u32| (end(&mechanism, steps).0 - &exact.0).amax();
        let orders: Vec<f64> =
            [16, 32, 64].map(|steps| (error(steps) / error(2 * steps)).log2()).to_vec();
        assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{orders:?}");
    }
}

/// Without forces the momentum along a symmetry stays what it is; the energy does not drift.
#[test]
fn momentum_stays_and_energy_does_not_drift() {
    let rod = |name: &str| {
        Body::uniform(name, 0.7, Shape::rod(Vector::zeros(), Vector::new(0.3, -0.8)).unwrap())
    };
    let bodies = vec![
        rod("first"),
        rod("second").on(Some(0), Vector::new(0.3, -0.8), Joint::Revolute { absolute: false }),
    ];
    let free = mechanism(bodies, Vec::new(), 0.0);
    let start = Motion { position: vec![0.0, 0.0, 0.2, 0.9], velocity: vec![0.3, -0.2, 1.0, -2.0] };
    let motion = motion(free, start, propagative(), 0.02);
    let (_, states) = run(&motion, 4000);
    let first = &states[0].1;
    for (_, p) in &states {
        assert!((p[0] - first[0]).abs() < 1e-11 && (p[1] - first[1]).abs() < 1e-11);
    }
    let energy = |range: std::ops::Range<usize>| {
        let mechanism = motion.mechanism();
        let of = |(q, p): &Phase| {
            let (q, p) = (vector(q), vector(p));
            0.5 * mechanism.velocity(&q, &p).unwrap().dot(&p)
        };
        let count = range.len() as f64;
        states[range].iter().map(of).sum::<f64>() / count
    };
    let (early, late) = (energy(0..1000), energy(3000..4000));
    assert!((late / early - 1.0).abs() < 1e-5, "{early} {late}");
}

/// A bouncing ball comes to sustained contact at the time of the geometric series.
#[test]
fn frequent_bouncing_ends_as_sustained_contact() {
    let (radius, height, e) = (0.1, 0.5, 0.5);
    let ball = Body::uniform("ball", 1.0, Shape::disk(Vector::zeros(), radius).unwrap());
    let start = Motion { position: vec![0.0, radius + height, 0.0], velocity: vec![0.2, 0.0, 0.0] };
    let law = ImpactLaw::Finite(FiniteLaw::named("sequential").unwrap());
    let spec = MidpointSpec {
        coefficients: Coefficients { friction: 0.3, restitution: Some(e), pairs: BTreeMap::new() },
        ..spec(mechanism(vec![ball], vec![floor()], 9.81), start, law, 0.01)
    };
    let motion = Midpoint::new(spec).unwrap();
    let (course, states) = run(&motion, 200);
    let first = (2.0 * height / 9.81_f64).sqrt();
    let expected = first * (1.0 + 2.0 * e / (1.0 - e));
    assert_eq!(course.changes.len(), 1, "{:?}", course.changes);
    let time = course.changes[0].time;
    assert!((time - expected).abs() < 0.01, "{time} {expected}");
    let (q, p) = states.last().unwrap();
    assert!((q[1] - radius).abs() < 1e-9 && p[1].abs() < 1e-9, "{q:?} {p:?}");
}

/// A motion file of the midpoint integrator under gravity 10, on the ground.
fn file(text: &str) -> Midpoint {
    let head = "integrator = \"midpoint\"\ngravity = 10\ntime_step = 0.01\nseed = 0\n";
    let ground = "[[walls]]\nname = \"ground\"\nnormal = [0, 1]\n";
    midpoint_motion(format!("{head}{text}{ground}"))
}

/// A disk that rolls on the ground meets a wall exactly at the end of a step.
#[test]
fn an_elastic_impact_at_the_end_of_a_step_keeps_its_energy() {
    let disk = "friction = 0\nrestitution = 1\n[[walls]]\nname = \"wall\"\nnormal = [-1, 0]\npoint = [2, 0]\n\
                [[bodies]]\nname = \"b\"\nmass = 1\nshapes = [{ disk = 0.5 }]\nposition = [0, 0.5]\nvelocity = [3, 0]\n";
    let (_, states) = run(&file(disk), 100);
    let (q, p) = states.last().unwrap();
    // The disk turns back after 0.5 s.
    assert!((p[0] + 3.0).abs() < 1e-6 && q[0].abs() < 1e-5, "{q:?} {p:?}");
}

#[test]
fn a_tumbling_box_comes_to_rest() {
    for angle in [0.1, 0.3, 0.4, 0.5, 0.7] {
        let box_ = format!(
            "friction = 0.6\n[[bodies]]\nname = \"b\"\nmass = 1\nshapes = [{{ box = [1, 1] }}]\nposition = [0, 2]\n\
             angle = {angle}\nangular_velocity = 3\n"
        );
        let (course, states) = run(&file(&box_), 400);
        let (q, p) = states.last().unwrap();
        assert_eq!(course.ending.name(), "done");
        assert!((q[1] - 0.5).abs() < 1e-4, "{angle}: {q:?} {p:?}");
        assert!(p.iter().all(|p| p.abs() < 1e-6), "{angle}: {q:?} {p:?}");
    }
}
