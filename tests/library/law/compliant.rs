//! Compliant contact: against integrations by other methods, closed forms, and the set of outcomes.

use super::*;
use carom_law::finite::compliant::Stribeck;
use carom_law::{Compliant, ContactModel};
use proptest::prelude::*;

/// The damping ratio 5 of [HP23], which counts the mass of the block instead of 1 / W_nn.
const PUBLISHED: f64 = 6.324_555_320_336_759;

/// The velocities after, and how much of the first contact's impulse precedes the second's.
fn after(problem: &ContactProblem, law: &Compliant) -> (Vec<f64>, f64) {
    let found = law.resolve(problem).unwrap();
    let outcome = &found.outcomes[0];
    assert_eq!(outcome.status, Status::Terminated, "{law:?}: residual {}", outcome.residual);
    let u = problem.jacobian() * vector(&outcome.velocity);
    let precedes = outcome.details.precedes[0].get(1).copied().unwrap_or(0.5);
    (u.as_slice().to_vec(), precedes)
}

/// Outcomes of a block whose corners are of different stiffness lie in its set, and near those of
/// an integration in which gravity acts.
#[test]
fn stiffness_decides_where_in_the_set_a_block_leaves() {
    let golden = golden("compliant");
    let block = load("rocking-block");
    let (v0, most) = (-block.velocity()[1], number(&golden["routh_set_exact"]["smax"]));
    for case in golden["ratio_sweep"].as_array().unwrap() {
        let stiffness = vec![number(&case["kA"]), number(&case["kB"])];
        let law = Compliant { stiffness, ..Compliant::default() };
        let (u, _) = after(&block, &law);
        // The set has one normal velocity at 0 and the other one up to `most`.
        let (low, high) = (u[0].min(u[1]), u[0].max(u[1]));
        assert!(low.abs() <= 1e-8 && (-1e-8..=most + 1e-6).contains(&high), "{u:?}");
        let (published, _) = after(&block, &Compliant { damping: Some(PUBLISHED), ..law });
        for (found, expected) in published.iter().zip(numbers(&case["vn"])) {
            // Gravity changes velocities by 1 % of v0 within the 0.5 ms that the reference takes.
            assert!((found - expected).abs() <= 5e-3 * v0, "{published:?}, {}", case["vn"]);
        }
    }
    // Only the ratio counts.
    let at = |k: f64| {
        after(&block, &Compliant { stiffness: vec![k, 30.0 * k], ..Compliant::default() }).0
    };
    for (a, b) in at(1e3).iter().zip(at(1e12)) {
        assert!((a - b).abs() <= 1e-6 * v0);
    }
}

/// Tilted, the block strikes with one corner first, and leaves its set by at most 2 %.
#[test]
fn a_corner_that_is_higher_strikes_later() {
    let golden = golden("compliant");
    let block = load("rocking-block");
    let (v0, most) = (-block.velocity()[1], number(&golden["routh_set_exact"]["smax"]));
    let mut share = 0.0;
    for case in &golden["angle_sweep"].as_array().unwrap()[5..] {
        let gap = number(&case["theta0"]).sin();
        let law = Compliant { gaps: vec![0.0, gap], ..Compliant::default() };
        let (u, precedes) = after(&block, &law);
        assert!(u[1].abs() <= 1e-8 && u[0] <= 1.02 * most, "{u:?}");
        assert!(precedes >= share, "{precedes} {share}");
        share = precedes;
        let (published, _) = after(&block, &Compliant { damping: Some(PUBLISHED), ..law });
        let off = (published[0] - numbers(&case["vn"])[0]).abs();
        assert!(off <= 5e-3 * v0, "{published:?}, {}", case["vn"]);
    }
    assert!(share > 0.999);
}

/// Explicit steps of the block itself, with friction that turns round less steeply.
#[test]
fn explicit_steps_lead_to_the_same_end() {
    let block = load("rocking-block");
    let (k, v0) = ([1e6_f64, 1e7], -block.velocity()[1]);
    let inertia = 5.0 / 12.0;
    let (mut v, mut phi) = ([0.0, -v0, 0.0], [0.0, 0.0]);
    let dt = 1e-9;
    let mut time = 0.0;
    loop {
        let normal = [v[1] - 0.5 * v[2], v[1] + 0.5 * v[2]];
        if time > 0.0 && normal.iter().all(|u| *u >= -1e-6 * v0) {
            break;
        }
        // The centre is 1 m above the floor: both corners slide with x' + theta'.
        let sliding = v[0] + v[2];
        let (mut force, mut torque) = ([0.0, 0.0], 0.0);
        for i in 0..2 {
            let damping = 2.0 * 10.0 * (k[i] / 1.6).sqrt();
            let push =
                if phi[i] < 0.0 { (-k[i] * phi[i] - damping * normal[i]).max(0.0) } else { 0.0 };
            let friction = -push * sliding / sliding.hypot(1e-4 * v0);
            force = [force[0] + friction, force[1] + push];
            torque += friction + push * [-0.5, 0.5][i];
        }
        v = [v[0] + dt * force[0], v[1] + dt * force[1], v[2] + dt * torque / inertia];
        for i in 0..2 {
            phi[i] += dt * (v[1] + [-0.5, 0.5][i] * v[2]);
        }
        time += dt;
    }
    let law = Compliant { stiffness: k.to_vec(), ..Compliant::default() };
    let found = law.resolve(&block).unwrap();
    for (a, b) in found.outcomes[0].velocity.iter().zip(v) {
        assert!((a - b).abs() <= 1e-3 * v0, "{:?} {v:?}", found.outcomes[0].velocity);
    }
}

/// A single contact without friction gives back the part of its velocity that its coefficient says.
#[test]
fn restitution_is_that_of_a_single_contact() {
    let ball = changed(&load("pin-ball"), |spec| {
        spec.tangent.clear();
        spec.friction = None;
        spec.normal.truncate(1);
        spec.contacts = None;
    });
    for model in [ContactModel::KelvinVoigt, ContactModel::HuntCrossley] {
        for e in [0.05, 0.2, 0.5, 0.8, 1.0] {
            let (u, _) = after(&with(&ball, e), &Compliant { model, ..Compliant::default() });
            let before = ball.contact_velocity()[0];
            let off = (u[0] + e * before).abs();
            assert!(off <= 2e-6 * before.abs(), "{model:?} {e}: {u:?} {before}");
        }
    }
}

/// What holds of any impact: it ends, no energy is gained, impulses lie in the cones.
fn sound(problem: &ContactProblem, law: &Compliant) {
    let found = law.resolve(problem).unwrap();
    let outcome = &found.outcomes[0];
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let energy = problem.kinetic_energy(problem.velocity().as_slice());
    assert!(outcome.velocity.iter().all(|x| x.is_finite()));
    if outcome.status != Status::Terminated {
        return;
    }
    assert!(outcome.kinetic_energy <= energy * (1.0 + 1e-6), "{} {energy}", outcome.kinetic_energy);
    let size = outcome.impulse.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
    for i in 0..m {
        let t = &outcome.impulse[m + d * i..m + d * (i + 1)];
        let (normal, friction) = (outcome.impulse[i], t.iter().map(|x| x * x).sum::<f64>().sqrt());
        assert!(normal >= -1e-6 * size);
        assert!(friction <= problem.friction()[i] * (normal + 1e-6 * size) + 1e-6 * size);
    }
    let u = problem.jacobian() * vector(&outcome.velocity);
    let speed = problem.contact_velocity().amax();
    assert!((0..m).all(|i| u[i] >= -1e-6 * speed), "{u}");
}

proptest! {
    #![proptest_config(random_cases(60))]
    #[test]
    fn planar_impacts_are_sound(spec in small(3, 1e5, true), e in prop_oneof![Just(0.0), Just(0.5)], ratio in 0.01..100.0) {
        let problem = with(&problem(spec), e);
        let stiffness = (0..problem.contact_count()).map(|i| if i == 0 { ratio } else { 1.0 }).collect();
        sound(&problem, &Compliant { stiffness, ..Compliant::default() });
    }

    #[test]
    fn spatial_impacts_are_sound(spec in spatial(3), model in prop_oneof![Just(ContactModel::KelvinVoigt), Just(ContactModel::HuntCrossley)]) {
        sound(&problem(spec), &Compliant { model, ..Compliant::default() });
    }
}

/// Nearly all impacts end: what holds of those that do is no empty claim.
#[test]
fn nearly_all_impacts_end() {
    let mut ended = 0;
    for problem in
        fixed_problems(small(3, 1e5, true)).take(25).chain(fixed_problems(spatial(3)).take(25))
    {
        let found = Compliant::default().resolve(&with(&problem, 0.0)).unwrap();
        ended += usize::from(found.outcomes[0].status == Status::Terminated);
    }
    assert!(ended >= 45, "{ended}");
}

/// Gaps change with velocities, velocities with the impulse; the last moment is the outcome.
#[test]
fn the_course_is_a_motion() {
    for problem in fixed_problems(spatial(3)).take(10) {
        let found = Compliant::default().resolve(&with(&problem, 0.5)).unwrap();
        let (outcome, speed) = (&found.outcomes[0], problem.contact_velocity().amax());
        let course = &outcome.details.course;
        let last = course.last().unwrap();
        assert_eq!((&last.impulse, last.time), (&outcome.impulse, outcome.details.duration));
        for moment in course {
            let u = problem.contact_velocity() + problem.delassus() * vector(&moment.impulse);
            let off =
                moment.velocity.iter().zip(&u).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off <= 1e-12 * (1.0 + speed), "{off:e}");
        }
        for i in 0..problem.contact_count() {
            let deepest = course.iter().map(|moment| moment.depth[i]).fold(0.0, f64::max);
            assert!(deepest <= outcome.details.depth[i]);
            let mut depth = 0.0;
            for pair in course.windows(2) {
                assert!(pair[1].time > pair[0].time);
                let step = pair[1].time - pair[0].time;
                depth -= 0.5 * step * (pair[0].velocity[i] + pair[1].velocity[i]);
            }
            // Trapezoids over hundreds of steps: a few of 1/100^2 of the way.
            let way = speed * last.time;
            assert!((depth - last.depth[i]).abs() <= 1e-3 * way, "{depth} {}", last.depth[i]);
        }
    }
}

/// A ball that slides fast: with `W` diagonal, speed over normal impulse `s' = -W_tt mu(s)`, so
/// `s = s0 - W_tt mu L` beyond the peak, and with viscous friction `c` the closed form
/// `1 + c s = (1 + c s0) exp(-W_tt mu c L)`. A ball that slides slowly creeps to rest instead.
#[test]
fn stribeck_friction_of_a_sliding_ball() {
    let ball = |slide: f64| carom_core::problem::ProblemSpec {
        mass: vec![vec![2.0, 0.0, 0.0], vec![0.0, 2.0, 0.0], vec![0.0, 0.0, 2.0]],
        normal: vec![vec![0.0, 0.0, 1.0]],
        tangent: vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]],
        friction: Some(vec![0.3]),
        restitution: Some(vec![0.5]),
        velocity: vec![0.8 * slide, -0.6 * slide, -1.0],
        ..Default::default()
    };
    let law = |peak, viscous| Compliant {
        stribeck: Some(Stribeck { speed: 0.01, peak, viscous }),
        ..Compliant::default()
    };
    let speed = |u: &[f64]| u[1].hypot(u[2]);
    let load = 2.0 * 1.5;
    for (peak, c) in [(1.0, 0.0), (1.4, 0.0), (1.2, 0.5)] {
        let (u, _) = after(&problem(ball(5.0)), &law(peak, c));
        let w_mu = 0.5 * 0.3;
        let expected = match c > 0.0 {
            true => ((1.0 + c * 5.0) * (-w_mu * c * load).exp() - 1.0) / c,
            false => 5.0 - w_mu * load,
        };
        // The normal velocity is that of a single contact to 2e-6, so that the load is as well.
        assert!((speed(&u) - expected).abs() <= 1e-5, "{peak} {c}: {u:?} {expected}");
        assert!((u[1] * 0.6 + u[2] * 0.8).abs() <= 1e-9, "{u:?}");
    }
    // At rest friction is 0: what is left is a small part of the speed of the peak.
    let (u, _) = after(&problem(ball(0.2)), &law(1.0, 0.0));
    assert!((1e-6..0.01).contains(&speed(&u)), "{u:?}");
    let (u, _) = after(&problem(ball(0.2)), &Compliant::default());
    assert!(speed(&u) <= 1e-6, "{u:?}");
}

/// The brick of [USD15] Table A1 with their springs: E = 10 GPa and spheres of 0.1 m are
/// 4/3 sqrt(R) E = 4.216e9 N/m^1.5, c = 0.26 s/m is 1.5 c max|u-| = 2.239, and friction peaks at
/// 0.01 m/s. They choose e_min, of three digits, so that PLUS leaves as fast; both agree to 1 % of
/// the speed of approach.
#[test]
fn published_springs_agree_with_plus() {
    let brick = load("brick-on-vertex");
    let law = Compliant {
        stiffness: vec![4.0 / 3.0 * 0.1_f64.sqrt() * 1e10],
        model: ContactModel::HuntCrossley,
        damping: Some(1.5 * 0.26 * 5.74),
        stribeck: Some(Stribeck { speed: 0.01, peak: 1.0, viscous: 0.0 }),
        ..Compliant::default()
    };
    for (mu, e) in [(0.125, 0.392), (0.225, 0.387), (0.325, 0.373)] {
        let spec = carom_core::problem::ProblemSpec {
            friction: Some(vec![mu]),
            restitution: Some(vec![e]),
            ..brick.spec().clone()
        };
        let brick = problem(spec);
        let (soft, _) = after(&brick, &law);
        let plus = Plus::default().resolve(&brick).unwrap();
        let hard = brick.jacobian() * vector(&plus.outcomes[0].velocity);
        for (a, b) in soft.iter().zip(&hard) {
            assert!((a - b).abs() <= 0.01 * 5.74, "{mu}: {soft:?} {hard}");
        }
    }
}

/// [USD15] Fig. 14 without dissipation: balls and springs keep their energy together, so the end of
/// an inelastic impact loses the part of the springs. A warning says so where they are not damped.
#[test]
fn energy_that_stays_in_springs_is_told() {
    let row = load("ball-row");
    let before = row.kinetic_energy(row.velocity().as_slice());
    for model in [ContactModel::KelvinVoigt, ContactModel::HuntCrossley] {
        let law = Compliant { model, damping: Some(0.0), ..Compliant::default() };
        for (e, least) in [(0.0, 0.3), (1.0, 0.0)] {
            let found = law.resolve(&with(&row, e)).unwrap();
            let outcome = &found.outcomes[0];
            let lost = outcome.details.spring_energy;
            // The residual bounds what velocities of 2 m/s may be off.
            let most = 20.0 * before * outcome.residual;
            assert!((outcome.kinetic_energy + lost - before).abs() <= most, "{model:?}: {lost}");
            let warned = found.warnings.iter().any(|warning| warning.contains("in the springs"));
            assert_eq!((lost > least * before, warned), (e == 0.0, e == 0.0), "{model:?}: {lost}");
        }
        let damped = Compliant { model, ..Compliant::default() }.resolve(&row).unwrap();
        assert!(damped.warnings.is_empty(), "{:?}", damped.warnings);
    }
}

#[test]
fn wrong_numbers_are_refused() {
    let block = load("rocking-block");
    let stribeck = |speed, peak, viscous| Compliant {
        stribeck: Some(Stribeck { speed, peak, viscous }),
        ..Compliant::default()
    };
    for law in [
        Compliant { stiffness: vec![1.0; 3], ..Compliant::default() },
        Compliant { stiffness: vec![0.0], ..Compliant::default() },
        Compliant { stiffness: vec![f64::NAN], ..Compliant::default() },
        Compliant { gaps: vec![-1.0, 0.0], ..Compliant::default() },
        Compliant { damping: Some(f64::INFINITY), ..Compliant::default() },
        stribeck(0.0, 1.0, 0.0),
        stribeck(0.1, 0.9, 0.0),
        stribeck(0.1, 1.0, f64::NAN),
    ] {
        assert!(law.resolve(&block).is_err(), "{law:?}");
    }
}
