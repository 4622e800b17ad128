//! The time-augmented inclusion in space against closed forms and plain integrations.

use super::*;
use nalgebra::Vector2;

const FLOOR: &str = "[[walls]]\nname = \"floor\"\nnormal = [0, 0, 1]\n";

fn motion(text: &str) -> InclusionMotion {
    inclusion_motion(format!("integrator = \"inclusion\"\ndimensions = 3\n{text}"))
}

/// A homogeneous ball slides with a constant direction of slip and then rolls: at the time
/// `2 |s| / (7 mu g)` with the slip `s = v + w x (-r e_z)`, and at the velocity `v - 2 s / 7`.
#[test]
fn a_ball_with_side_spin_rolls_after_it_has_slid() {
    let mut draws = Draws::new(1);
    let mut between = |a: f64, b: f64| a + (b - a) * (0.5 + 0.5 * draws.number());
    for case in 0..cases(6, 100) {
        let [mu, g, r] = [between(0.05, 0.4), 9.81, between(0.05, 0.3)];
        let v = Vector2::from_fn(|_, _| between(-2.0, 2.0));
        let w = [0; 3].map(|_| between(-10.0, 10.0));
        let slip = v + Vector2::new(-r * w[1], r * w[0]);
        let rolls = 2.0 * slip.norm() / (7.0 * mu * g);
        let motion = motion(&format!(
            "gravity = {g}\ntime_step = 0.01\nfriction = {mu}\n{FLOOR}[[bodies]]\nname = \"ball\"\nmass = 2\n\
             shapes = [{{ sphere = {r} }}]\nposition = [0, 0, {r}]\nvelocity = [{}, {}, 0]\n\
             angular_velocity = {w:?}\n",
            v[0], v[1]
        ));
        let (course, states) = included(&motion, ((rolls / 0.01) as u64 + 20).min(400));
        assert!(course.impacts.is_empty(), "{case}");
        for state in &states {
            let t = state.time.min(rolls);
            let expected = v - slip.normalize() * (mu * g * t);
            let found = Vector2::new(state.v[0], state.v[1]);
            assert!((found - expected).norm() < 1e-9, "{case}, {}: {found} {expected}", state.time);
            assert!((state.v[5] - w[2]).abs() < 1e-9 && (state.q[2] - r).abs() < 1e-12);
        }
        let last = states.last().unwrap();
        assert!((last.arc - last.time * (1.0 + 2.0 * g)).abs() < 1e-8, "{case}: {}", last.arc);
    }
}

/// A puck on a slope, thrown across: its velocity turns towards the line of steepest descent, or it
/// comes to rest. Against a plain integration of `u' = g sin a e - mu g cos a u / |u|` with short
/// steps.
#[test]
fn a_puck_on_a_slope_follows_coulombs_law() {
    let (angle, g) = (0.3_f64, 9.81);
    for mu in [0.2, 0.45] {
        let motion = motion(&format!(
            "gravity = [{}, 0, {}]\ntime_step = 0.02\nfriction = {mu}\n{FLOOR}[[bodies]]\nname = \"puck\"\n\
             mass = 2\njoint = \"translating\"\nshapes = [{{ sphere = 0.1 }}]\nposition = [0, 0, 0.1]\n\
             velocity = [-0.4, 0.7, 0]\n",
            g * angle.sin(),
            -g * angle.cos()
        ));
        let (_, states) = included(&motion, 30);
        let pull = Vector2::new(g * angle.sin(), 0.0);
        let rate = |u: Vector2<f64>| pull - u.normalize() * (mu * g * angle.cos());
        let (mut u, h) = (Vector2::new(-0.4, 0.7), 1e-5);
        let mut worst: f64 = 0.0;
        for state in &states[1..] {
            for _ in 0..2000 {
                let stops = mu > angle.tan() && u.norm() <= rate(u).norm() * h;
                u = if stops || u.norm() == 0.0 {
                    Vector2::zeros()
                } else {
                    u + rate(u + rate(u) * (0.5 * h)) * h
                };
            }
            worst = worst.max((Vector2::new(state.v[0], state.v[1]) - u).norm());
        }
        assert!(worst < 1e-6, "mu {mu}: {worst:e}");
        assert_eq!(u.norm() == 0.0, mu > 0.4);
    }
}

/// A puck between two equal springs at right angles moves on a line through their centre: half
/// oscillations about `mu m g / k` beyond it, until the springs no longer overcome friction.
#[test]
fn a_puck_on_springs_stops_where_friction_holds_it() {
    let (mass, k, mu, g) = (0.5_f64, 40.0_f64, 0.3, 9.81);
    let band = mu * mass * g / k;
    let motion = motion(&format!(
        "gravity = {g}\ntime_step = 0.005\nfriction = {mu}\n{FLOOR}[[bodies]]\nname = \"puck\"\nmass = {mass}\n\
         joint = \"translating\"\nshapes = [{{ sphere = 0.02 }}]\nposition = [0.24, -0.32, 0.02]\n\
         [[drives]]\ncoordinate = \"puck.x\"\nstiffness = {k}\n[[drives]]\ncoordinate = \"puck.y\"\nstiffness = {k}\n"
    ));
    let half = std::f64::consts::PI * (mass / k).sqrt();
    let (_, states) = included(&motion, 800);
    let (mut from, mut start) = (0.4, 0.0);
    let mut stops = 0;
    while from > band {
        let to = from - 2.0 * band;
        for state in states.iter().filter(|s| s.time >= start && s.time < start + half) {
            let along = 0.6 * state.q[0] - 0.8 * state.q[1];
            let side = 0.8 * state.q[0] + 0.6 * state.q[1];
            let sign = if stops % 2 == 0 { 1.0 } else { -1.0 };
            let phase = (state.time - start) * (k / mass).sqrt();
            let expected = sign * (band + (from - band) * phase.cos());
            assert!((along - expected).abs() < 1e-6, "{}: {along} {expected}", state.time);
            assert!(side.abs() < 1e-9, "{}: {side:e}", state.time);
        }
        (from, start, stops) = (to.abs(), start + half, stops + 1);
        if to <= 0.0 {
            break;
        }
    }
    assert!(stops > 2 && states.last().unwrap().v.iter().all(|v| v.abs() < 1e-12));
}

/// A brick that slides on a face, at four contacts, stops after `v / (mu g)`.
#[test]
fn a_brick_slides_and_stops() {
    let motion = motion(&format!(
        "gravity = 10\ntime_step = 0.01\nfriction = 0.4\n{FLOOR}[[bodies]]\nname = \"brick\"\nmass = 3\n\
         shapes = [{{ box = [0.4, 0.2, 0.1] }}]\nposition = [0, 0, 0.05]\nvelocity = [0.6, 0.8, 0]\n"
    ));
    let (course, states) = included(&motion, 60);
    assert!(course.impacts.is_empty());
    for state in &states {
        let expected = (1.0 - 4.0 * state.time).max(0.0);
        let across = 0.8 * state.v[0] - 0.6 * state.v[1];
        let along = 0.6 * state.v[0] + 0.8 * state.v[1];
        assert!((along - expected).abs() < 1e-9 && across.abs() < 1e-9, "{}", state.time);
        assert!(state.v[3..].iter().all(|w| w.abs() < 1e-8), "{}: {:?}", state.time, state.v);
    }
    let last = states.last().unwrap();
    assert!((last.q[0] - 0.6 * 0.125).abs() < 1e-9 && (last.q[1] - 0.8 * 0.125).abs() < 1e-9);
}

/// A ball bounces infinitely often until `v / g (1 + e) / (1 - e)`, and then rolls on.
#[test]
fn the_limit_of_bouncing_is_announced() {
    let motion = motion(&format!(
        "gravity = 10\ntime_step = 0.01\nfriction = 0\nrestitution = 0.5\n{FLOOR}[[bodies]]\nname = \"ball\"\n\
         mass = 1\nshapes = [{{ sphere = 0.1 }}]\nposition = [0, 0, 0.1]\nvelocity = [1, 0, 2]\n"
    ));
    let (course, states) = included(&motion, 120);
    let [limit] = course.augmented.as_ref().unwrap().accumulations[..] else { panic!() };
    // The ball is thrown up at 2 m/s: flights of 0.4, 0.2, ... s.
    assert!((limit.time - 0.8).abs() < 1e-6 && (limit.ratio - 0.5).abs() < 1e-6, "{limit:?}");
    let last = states.last().unwrap();
    assert!((last.q[2] - 0.1).abs() < 1e-9 && (last.v[0] - 1.0).abs() < 1e-9, "{:?}", last.q);
}

/// The rod of Painleve's paradox, in a plane that is turned about the normal of the floor: an
/// impact without collision, as in the plane.
#[test]
fn painleves_rod_stops_without_a_collision_in_space_too() {
    let planar = inclusion_motion(scene::builtin("painleve-rod").unwrap().text);
    let (flat, _) = included(&planar, 20);
    let (cos, sin) = (0.7_f64.cos(), 0.7_f64.sin());
    let along = Vector3::new(0.5 * cos, 0.5 * sin, 0.75_f64.sqrt());
    let inertia = Matrix3::identity() / 3.0 - along * along.transpose() * (1.0 / 3.0 - 1e-3);
    let rows: Vec<Vec<f64>> = inertia.row_iter().map(|row| row.iter().copied().collect()).collect();
    let motion = motion(&format!(
        "gravity = 9.81\ntime_step = 0.01\nfriction = 2\n{FLOOR}[[bodies]]\nname = \"rod\"\nmass = 1\n\
         center_of_mass = [0, 0, 0]\ninertia = {rows:?}\nshapes = [{{ rod = [{:?}, {:?}] }}]\n\
         position = [0, 0, {}]\nvelocity = [{}, {}, 0]\n",
        (-along).as_slice(),
        along.as_slice(),
        along[2],
        -3.0 * cos,
        -3.0 * sin,
    ));
    let (course, _) = included(&motion, 20);
    let [a, b] = [&flat, &course].map(|course| &course.impacts[0]);
    assert!(!a.collision && !b.collision && b.time < 1e-9);
    let mechanism = motion.given().mechanism();
    let q = vector(&b.position);
    let v = mechanism.velocity(&q, &vector(&b.after)).unwrap();
    let found = [v[0] * cos + v[1] * sin, v[2], v[3] * sin - v[4] * cos];
    let expected = [a.after[0], a.after[1], 3.0 * a.after[2]];
    for (a, b) in expected.iter().zip(found) {
        assert!((a - b).abs() < 1e-4, "{expected:?} {found:?}");
    }
}

/// A thrown brick strikes, tumbles, slides and rests: nothing overlaps, no energy appears.
#[test]
fn a_brick_comes_to_rest() {
    let motion = motion(&format!(
        "gravity = 9.81\ntime_step = 0.01\nfriction = 0.5\nrestitution = 0.3\n{FLOOR}[[bodies]]\nname = \"brick\"\nmass = 2\n\
         shapes = [{{ box = [0.2, 0.1, 0.06] }}]\nposition = [0, 0, 0.5]\nvelocity = [0.5, 0.2, 0]\n\
         angular_velocity = [2, 3, -1]\n"
    ));
    let (_, states) = included(&motion, 200);
    let mut energy = states[0].energy;
    for state in &states {
        let gaps = motion.given().mechanism().gaps(&vector(&state.q), f64::INFINITY);
        let deepest = gaps.iter().map(|(_, gap)| *gap).fold(f64::INFINITY, f64::min);
        assert!(deepest > -2e-6, "{} s: {deepest:e}", state.time);
        assert!(state.energy <= energy + 1e-6 * states[0].energy, "{} s", state.time);
        energy = energy.min(state.energy);
    }
    let last = states.last().unwrap();
    assert!(last.v.iter().all(|v| v.abs() < 1e-9), "{:?}", last.v);
    assert!((last.q[2] - 0.03).abs() < 2e-6, "{}", last.q[2]);
}

/// A conical pendulum whose bob is nearly a point goes around for ever as the closed form says:
/// `W^2 = g / (l cos a)` whatever the moment of inertia.
#[test]
fn a_point_on_a_spherical_joint_keeps_its_circle() {
    let (angle, g) = (0.5_f64, 9.81);
    let turn = (g / angle.cos()).sqrt();
    for inertia in [1e-2, 1e-4, 1e-6, 1e-8, 1e-10] {
        let motion = motion(&format!(
            "gravity = {g}\ntime_step = 1e-3\nfriction = 0\n[[bodies]]\nname = \"p\"\nparent = \"world\"\njoint = \"spherical\"\nmass = 1\n\
                 center_of_mass = [0, 0, -1]\ninertia = {inertia}\nrotation = [0, {}, 0]\nangular_velocity = [0, 0, {turn}]\n",
            -angle
        ));
        let (course, _) = included(&motion, 200);
        assert_eq!(course.ending.name(), "done");
        let off = course.energy_error / course.initial.total().abs();
        let Model::Spatial(model) = &motion.given().mechanism().model else { unreachable!() };
        let bob = model.poses(course.state.q.as_slice())[0].point(Vector3::new(0.0, 0.0, -1.0));
        let (sin, cos) = (turn * 0.2).sin_cos();
        let radius = angle.sin();
        let expected = Vector3::new(radius * cos, radius * sin, -angle.cos());
        assert!(off < 1e-9 && (bob - expected).norm() < 1e-8, "{inertia}: {off:e}, {bob}");
    }
}
