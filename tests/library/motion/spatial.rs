//! The midpoint integrator in space: order, invariants, closed forms, impacts and rest.

use super::*;
use carom::model::spatial::{Body, Joint, Matrix, Shape, Spatial, Vector};
use carom::motion::mechanism::{Drive, Mechanism, Push};
use carom::motion::midpoint::{MechanismMoment, MechanismState};
use nalgebra::{Quaternion, UnitQuaternion};

/// A floating body that carries a tree of all kinds of joints.
fn tree() -> Mechanism {
    let body = |name: &str, mass: f64, shift: [f64; 3]| {
        let inertia = Matrix::from_diagonal(&Vector::new(0.03, 0.05, 0.07)) * mass;
        let shape = Shape::sphere(Vector::zeros(), 0.1).unwrap();
        let center_of_mass = Vector::from(shift);
        Body { inertia, center_of_mass, ..Body::uniform(name, mass, shape) }
    };
    let axis = |x: f64, y: f64, z: f64| Vector::new(x, y, z).normalize();
    let bodies = vec![
        body("root", 2.0, [0.05, -0.02, 0.03]),
        body("ball", 0.7, [0.0, 0.1, -0.2]).on(
            Some(0),
            axis(1.0, 0.2, 0.3) * 0.3,
            Joint::Spherical,
        ),
        body("hinge", 0.5, [0.1, 0.0, 0.0]).on(
            Some(1),
            Vector::new(0.0, 0.2, -0.3),
            Joint::Revolute { axis: axis(0.3, 1.0, -0.4) },
        ),
        body("slide", 0.4, [0.0, 0.0, 0.1]).on(
            Some(0),
            Vector::new(-0.2, 0.0, 0.1),
            Joint::Prismatic { axis: axis(1.0, 1.0, 0.2) },
        ),
    ];
    let model = Model::Spatial(Spatial::new(bodies, Vec::new()).unwrap());
    let drive = |coordinate: usize, position: usize| Drive {
        coordinate,
        position: Some(position),
        stiffness: 4.0,
        damping: 0.0,
        rest: 0.1,
        rate: 0.0,
        force: 0.0,
    };
    let drives = vec![drive(9, 11), drive(10, 12)];
    Mechanism { model, gravity: Vector::new(0.1, 0.0, -9.81), drives, pushes: Vec::new() }
}

fn start(mechanism: &Mechanism) -> (DVector<f64>, DVector<f64>) {
    let turn = [0.8, 0.1, -0.5, 0.3].map(|x: f64| x / 0.99_f64.sqrt());
    let other = [0.6, -0.3, 0.7, 0.2].map(|x: f64| x / 0.98_f64.sqrt());
    let q = [&[0.1, 0.2, 0.3][..], &turn, &other, &[0.4, -0.1]].concat();
    let q = DVector::from_vec(q);
    let v = DVector::from_fn(mechanism.size(), |i, _| 1.5 * (2.0 * i as f64 + 0.5).cos());
    let p = mechanism.momentum(&q, &v);
    (q, p)
}

#[test]
fn it_is_of_second_order_and_reversible() {
    let mut mechanism = tree();
    let (q0, p0) = start(&mechanism);
    let end = |mechanism: &Mechanism, steps: u32| {
        let (mut q, mut p) = (q0.clone(), p0.clone());
        for _ in 0..steps {
            (q, p) = flow(mechanism, &q, &p, 0.2 / f64::from(steps)).unwrap();
        }
        (q, p)
    };
    let (q, p) = end(&mechanism, 1);
    let (back, minus) = flow(&mechanism, &q, &-p, 0.2).unwrap();
    assert!((back - &q0).amax() < 1e-11 && (minus + &p0).amax() < 1e-11);
    for forced in [false, true] {
        if forced {
            mechanism.drives[0].damping = 0.3;
            mechanism.pushes.push(Push {
                body: 2,
                point: Vector::new(0.1, 0.0, 0.2),
                force: Vector::new(1.0, 2.0, -3.0),
            });
        }
        let exact = end(&mechanism, 512);
        let error = |steps: u32| {
            let (q, p) = end(&mechanism, steps);
            (q - &exact.0).amax().max((p - &exact.1).amax())
        };
        let orders: Vec<f64> =
            [16, 32, 64].map(|steps| (error(steps) / error(2 * steps)).log2()).to_vec();
        assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{orders:?}");
    }
}

/// Linear and angular momentum of a free tree stay to rounding; the energy error does not grow.
#[test]
fn momenta_stay_and_energy_does_not_drift() {
    let mut mechanism = tree();
    mechanism.gravity = Vector::zeros();
    let Model::Spatial(model) = mechanism.model.clone() else { unreachable!() };
    let (mut q, mut p) = start(&mechanism);
    let momenta = |q: &DVector<f64>, p: &DVector<f64>| {
        let v = mechanism.velocity(q, p).unwrap();
        let poses = model.poses(q.as_slice());
        let rates = model.rates(&poses, v.as_slice());
        let (mut linear, mut angular) = (Vector::zeros(), Vector::zeros());
        for ((body, pose), rate) in model.bodies().iter().zip(&poses).zip(&rates) {
            let arm = pose.direction(body.center_of_mass);
            let momentum = rate.at(arm) * body.mass;
            let turn = pose.attitude.to_rotation_matrix().into_inner();
            let spin = turn * body.inertia * turn.transpose() * rate.spin;
            linear += momentum;
            angular += (pose.origin + arm).cross(&momentum) + spin;
        }
        (linear, angular)
    };
    let energy = |q: &DVector<f64>, p: &DVector<f64>| {
        0.5 * mechanism.velocity(q, p).unwrap().dot(p) + mechanism.potential(q)
    };
    let (before, energy0) = (momenta(&q, &p), energy(&q, &p));
    let mut worst = [0.0_f64; 2];
    for step in 0..4000 {
        (q, p) = flow(&mechanism, &q, &p, 0.005).unwrap();
        let half = usize::from(step >= 2000);
        worst[half] = worst[half].max((energy(&q, &p) - energy0).abs());
    }
    let after = momenta(&q, &p);
    assert!((after.0 - before.0).norm() < 1e-10 && (after.1 - before.1).norm() < 1e-10);
    assert!(worst[1] < 2.0 * worst[0] && worst[0] < 1e-3 * energy0.abs());
}

fn motion(text: &str) -> Midpoint {
    midpoint_motion(format!("integrator = \"midpoint\"\ndimensions = 3\n{text}"))
}

/// A state at the end of a step.
struct State {
    time: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    energy: f64,
}

fn run(motion: &Midpoint, steps: u64) -> (MechanismCourse, Vec<State>) {
    let mut states = Vec::new();
    let look = |moment: &carom::motion::midpoint::MechanismMoment<'_>| {
        let v = motion.mechanism().velocity(&moment.state.q, &moment.state.p)?;
        states.push(State {
            time: moment.time,
            q: moment.state.q.as_slice().to_vec(),
            v: v.as_slice().to_vec(),
            energy: moment.energy.total(),
        });
        Ok(())
    };
    let course = motion.run(steps, None, look).unwrap();
    (course, states)
}

/// A heavy symmetric top that precesses steadily: `I3 s W - (I1 - I3) W^2 cos a = m g l` with spin
/// `s` about its axis in space, `s = psi' + W cos a`.
#[test]
fn a_top_precesses() {
    let (mass, length, g, tilt) = (0.5, 0.1, 9.81, 0.4_f64);
    let (i1, i3) = (mass * length * length + 8e-4, 3e-4);
    let precession = 2.5;
    let spin = (mass * g * length + i1 * precession * precession * tilt.cos()) / (i3 * precession);
    // Angular velocity: precession along z, spin along the axis but for the part of precession.
    let own = spin - precession * tilt.cos();
    let text = |time_step: f64| {
        format!(
            "gravity = {g}\ntime_step = {time_step}\nfriction = 0\n[[bodies]]\nname = \"top\"\njoint = \"spherical\"\n\
         mass = {mass}\ninertia = [8e-4, 8e-4, {i3}]\ncenter_of_mass = [0, 0, {length}]\nrotation = [0, {tilt}, 0]\n\
         angular_velocity = [{}, 0, {}]\n",
            own * tilt.sin(),
            own * tilt.cos() + precession
        )
    };
    let error = |steps: u64| {
        let (_, states) = run(&motion(&text(1.0 / steps as f64)), steps);
        let last = states.last().unwrap();
        let [w, x, y, z] = [0, 1, 2, 3].map(|i| last.q[i]);
        let axis = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)) * Vector::z();
        let turned = precession * last.time;
        let expected =
            Vector::new(tilt.sin() * turned.cos(), tilt.sin() * turned.sin(), tilt.cos());
        (axis - expected).norm()
    };
    let [coarse, fine] = [4000, 8000].map(error);
    assert!(fine < 1e-4 && ((coarse / fine).log2() - 2.0).abs() < 0.1, "{coarse:e} {fine:e}");
}

/// Two pendulums in a row on spherical joints that turn steadily about the vertical, at the angles
/// `a` and `b` to it: with the radii `r` and `s` of the masses, `W^2 s = g tan b` and
/// `W^2 (m r + n s) = (m + n) g tan a`.
#[test]
fn a_double_pendulum_turns_steadily() {
    let (a, b, length, g) = (0.5_f64, 0.7_f64, 0.5, 9.81);
    let [r, s] = [length * a.sin(), length * (a.sin() + b.sin())];
    let square = g * b.tan() / s;
    // The mass of the upper one over that of the lower one.
    let ratio = (square * s - g * a.tan()) / (g * a.tan() - square * r);
    let turn = square.sqrt();
    let text = |time_step: f64| {
        format!(
            "gravity = {g}\ntime_step = {time_step}\nfriction = 0\n[[bodies]]\nname = \"upper\"\njoint = \"spherical\"\n\
             mass = {ratio}\ninertia = 0.01\ncenter_of_mass = [0, 0, {}]\nrotation = [0, {}, 0]\n\
             angular_velocity = [0, 0, {turn}]\n[[bodies]]\nname = \"lower\"\nparent = \"upper\"\n\
             joint = \"spherical\"\nanchor = [0, 0, {}]\nmass = 1\ninertia = 0.02\ncenter_of_mass = [0, 0, {}]\n\
             rotation = [0, {}, 0]\n",
            -length,
            -a,
            -length,
            -length,
            a - b
        )
    };
    let error = |steps: u64| {
        let motion = motion(&text(1.0 / steps as f64));
        let (_, states) = run(&motion, steps);
        let Model::Spatial(model) = &motion.mechanism().model else { unreachable!() };
        let poses = model.poses(&states.last().unwrap().q);
        let (sin, cos) = turn.sin_cos();
        let expected = Vector::new(s * cos, s * sin, -length * (a.cos() + b.cos()));
        (poses[1].point(Vector::new(0.0, 0.0, -length)) - expected).norm()
    };
    let [coarse, fine] = [200, 400].map(error);
    assert!(fine < 1e-3 && ((coarse / fine).log2() - 2.0).abs() < 0.1, "{coarse:e} {fine:e}");
}

/// A ball that slides and then rolls: after `t = 2 v / (7 mu g)` it rolls at `5 v / 7`.
#[test]
fn a_ball_rolls_after_it_has_slid() {
    let text = "gravity = 10\ntime_step = 0.001\nfriction = 0.2\nrestitution = 0\n[[walls]]\nname = \"floor\"\n\
                normal = [0, 0, 1]\n[[bodies]]\nname = \"ball\"\nmass = 2\nshapes = [{ sphere = 0.1 }]\n\
                position = [0, 0, 0.1]\nvelocity = [2.1, 2.8, 0]\n";
    let (_, states) = run(&motion(text), 1000);
    let speed = |state: &State| state.v[0].hypot(state.v[1]);
    let slides = 2.0 * 3.5 / (7.0 * 0.2 * 10.0);
    for state in &states[5..] {
        let expected = (3.5 - 0.2 * 10.0 * state.time).max(2.5);
        assert!((speed(state) - expected).abs() < 6e-3, "{}: {}", state.time, speed(state));
        if state.time > slides + 0.01 {
            // The ball rolls: the point of contact is at rest.
            let [x, y] = [state.v[0] - 0.1 * state.v[4], state.v[1] + 0.1 * state.v[3]];
            assert!(x.hypot(y) < 1e-9, "{}: {x:e}, {y:e}", state.time);
        }
    }
    let last = states.last().unwrap();
    assert!((last.v[1] / last.v[0] - 2.8 / 2.1).abs() < 1e-9);
}

/// A brick is thrown and comes to rest on a face: no overlap, no new energy.
#[test]
fn a_brick_comes_to_rest() {
    let text = "gravity = 9.81\ntime_step = 0.002\nfriction = 0.5\nrestitution = 0.3\n[[walls]]\nname = \"floor\"\n\
                normal = [0, 0, 1]\n[[bodies]]\nname = \"brick\"\nmass = 2\nshapes = [{ box = [0.2, 0.1, 0.06] }]\n\
                position = [0, 0, 0.5]\nvelocity = [0.5, 0.2, 0]\nangular_velocity = [2, 3, -1]\n";
    let motion = motion(text);
    let (_, states) = run(&motion, 1500);
    let mut energy = f64::INFINITY;
    for state in &states {
        let gaps = motion.mechanism().gaps(&vector(&state.q), f64::INFINITY);
        let deepest = gaps.iter().map(|(_, gap)| *gap).fold(f64::INFINITY, f64::min);
        assert!(deepest > -2e-6, "{} s: {deepest:e}", state.time);
        let (time, rise) = (state.time, state.energy - energy);
        assert!(state.energy <= energy + 1e-4 * states[0].energy, "{time} s: {rise:e}");
        energy = energy.min(state.energy);
    }
    let last = states.last().unwrap();
    assert!(last.v.iter().all(|v| v.abs() < 1e-3), "{:?}", last.v);
    assert!((last.q[2] - 0.03).abs() < 1e-5, "{}", last.q[2]);
}

/// A quadruped is thrown in any attitude: it rests, nothing overlaps, no energy appears.
#[test]
fn thrown_quadrupeds_come_to_rest() {
    let text = include_str!("../../../scenes/motions/quadruped-lands.toml");
    let start = "position = [0.0, 0.0, 0.46]\nrotation_deg = [0.0, 5.0, 0.0]";
    assert!(text.contains(start));
    let mut draws = Draws::new(3);
    for toss in 0..cases(2, 10) {
        let (turn, spin) = (draws.vector(180.0), draws.vector(4.0));
        let thrown = format!(
            "position = [0.0, 0.0, 0.9]\nangular_velocity = {spin:?}\nrotation_deg = {turn:?}"
        );
        let motion = midpoint_motion(text.replace(start, &thrown));
        let (_, states) = run(&motion, 5000);
        let (mut least, mut rise) = (f64::INFINITY, 0.0_f64);
        for state in &states {
            let gaps = motion.mechanism().gaps(&vector(&state.q), 0.0);
            let deepest = gaps.iter().map(|(_, gap)| *gap).fold(0.0, f64::min);
            assert!(deepest > -2e-6, "{toss}, {} s: {deepest:e}", state.time);
            rise = rise.max(state.energy - least);
            least = least.min(state.energy);
        }
        let last = states.last().unwrap();
        let speed = last.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        // Contacts that last are of first order.
        assert!(rise < 1e-3 * states[0].energy, "{toss}: {rise:e}");
        assert!(speed < 1e-5, "{toss}: {speed:e}");
    }
}

/// A quadruped that has landed stands on four feet, none of which approaches the floor.
#[test]
fn feet_of_a_standing_quadruped_do_not_hop() {
    let motion = match Document::open("quadruped-lands").unwrap().motion().unwrap() {
        Simulation::Midpoint(motion) => *motion,
        _ => unreachable!(),
    };
    let mechanism = motion.mechanism();
    let mut looks = 0;
    let look = |moment: &MechanismMoment<'_>| {
        if moment.step > 400 {
            let MechanismState { q, p, .. } = moment.state;
            let contacts = mechanism.touching(q, motion.tolerance());
            let u = mechanism.normal_rows(q, &contacts) * mechanism.velocity(q, p)?;
            assert_eq!(contacts.len(), 4, "step {}", moment.step);
            assert!(u.min() > -1e-4, "step {}: {u}", moment.step);
            looks += 1;
        }
        Ok(())
    };
    motion.run(700, None, look).unwrap();
    assert_eq!(looks, 300);
}
