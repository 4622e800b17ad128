//! Fast and thin bodies do not pass through each other unseen: closed forms.

use super::*;
use carom::motion::midpoint::Going;

/// The motion of a file over so many steps.
fn run(text: &str, steps: u64) -> Course {
    match simulation(text) {
        Simulation::Inclusion(motion) => motion.run(steps, None, |_| Ok(())).unwrap(),
        Simulation::Midpoint(motion) => motion.run(steps, None, |_| Ok(())).unwrap(),
        other => panic!("{}", other.integrator()),
    }
}

/// A ball of 1 kg and 0.05 m, 0.9 m from a wall of 1000 kg and 0.1 m; elastic, no gravity.
fn tunnel(integrator: &str, speed: f64, shape: &str) -> String {
    format!(
        "integrator = \"{integrator}\"\nlaw = \"sequential\"\ngravity = 0\ntime_step = 0.01\nfriction = 0\nrestitution = 1\n\
         [[bodies]]\nname = \"wall\"\nmass = 1000\nshapes = [{{ box = [0.1, 4] }}]\nposition = [1, 2.5]\n\
         [[bodies]]\nname = \"ball\"\nmass = 1\ninertia = 1\ncenter_of_mass = [0, 0]\nshapes = [{shape}]\n\
         position = [0, 2.5]\nvelocity = [{speed}, 0]\n"
    )
}

const INTEGRATORS: [&str; 2] = ["inclusion", "midpoint"];

#[test]
fn a_fast_ball_bounces_off_a_thin_wall() {
    for integrator in INTEGRATORS {
        for speed in [5.0, 50.0, 500.0, 2000.0, 9000.0] {
            let course = run(&tunnel(integrator, speed, "{ disk = 0.05 }"), 20);
            let [impact] = &course.impacts[..] else {
                panic!("{integrator}, {speed}: {}", course.impacts.len())
            };
            let time = impact.time;
            assert!((time - 0.9 / speed).abs() < 1e-9, "{integrator}, {speed}: {time}");
            // The ball goes back with -999 / 1001 of its speed, the wall gets 2 / 1001.
            let after = [2.0 * 1000.0 / 1001.0, -999.0 / 1001.0].map(|part| part * speed);
            let found = [course.last.momentum[0], course.last.momentum[3]];
            let near = (0..2).all(|i| (found[i] - after[i]).abs() < 1e-9 * speed);
            assert!(near, "{integrator}, {speed}: {found:?}");
            assert!(course.passed.is_empty(), "{integrator}, {speed}: {:?}", course.passed);
        }
    }
}

#[test]
fn what_is_too_fast_to_be_seen_is_told_with_a_step_that_sees_it() {
    for integrator in INTEGRATORS {
        let speed = 1e6;
        let text = tunnel(integrator, speed, "{ disk = 0.05 }");
        let course = run(&text, 2);
        assert!(course.impacts.is_empty());
        let [passing] = &course.passed[..] else { panic!("{integrator}: {:?}", course.passed) };
        assert_eq!((passing.bodies, passing.time), ([0, 1], 0.0), "{integrator}");
        assert!((passing.speed - speed).abs() < 1.0, "{passing:?}");
        assert!((passing.thickness - 0.2).abs() < 1e-12, "{passing:?}");
        // Half of 0.2 m in a thousandth of the step.
        let step = passing.time_step.unwrap();
        assert!((step - 1000.0 * 0.1 / speed).abs() < 1e-9, "{integrator}: {step}");
        let finer = run(&text.replace("time_step = 0.01", &format!("time_step = {step}")), 2);
        assert_eq!((finer.impacts.len(), finer.passed.len()), (1, 0), "{integrator}");
        assert!((finer.impacts[0].time - 0.9 / speed).abs() < 1e-12, "{integrator}");
    }
}

#[test]
fn a_point_and_a_rod_never_collide_and_that_is_told() {
    for integrator in INTEGRATORS {
        let text = tunnel(integrator, 50.0, "{ point = [0, 0] }")
            .replace("{ box = [0.1, 4] }", "{ rod = [[0, -2], [0, 2]] }");
        let course = run(&text, 20);
        assert!(course.impacts.is_empty());
        let [passing] = &course.passed[..] else { panic!("{integrator}: {:?}", course.passed) };
        assert_eq!((passing.thickness, passing.time_step), (0.0, None));
        assert!((passing.time - 1.0 / 50.0).abs() < 1e-4, "{integrator}: {}", passing.time);
    }
}

/// A bar of 2 m turns by more than half a turn in a step, past a ball at 0.5 m from its pivot,
/// which it hits after a quarter turn.
#[test]
fn a_bar_that_turns_fast_hits_what_is_in_its_way() {
    let (spin, half, radius, at) = (400.0, 0.02, 0.05, 0.5);
    for integrator in INTEGRATORS {
        let text = format!(
            "integrator = \"{integrator}\"\nlaw = \"sequential\"\ngravity = 0\ntime_step = 0.01\nfriction = 0\nrestitution = 1\n\
             [[bodies]]\nname = \"bar\"\nparent = \"world\"\njoint = \"revolute\"\nmass = 3\n\
             shapes = [{{ box = [2, {}] }}]\nangular_velocity = {spin}\n\
             [[bodies]]\nname = \"ball\"\njoint = \"translating\"\nmass = 2\nshapes = [{{ disk = {radius} }}]\nposition = [0, {at}]\n",
            2.0 * half
        );
        let course = run(&text, 1);
        let first = &course.impacts[0];
        // The side of the bar is `half` from its axis, and the ball's centre then `half + radius`.
        let angle = (0.5 * std::f64::consts::PI) - f64::asin((half + radius) / at);
        let (time, known) = (first.time, angle / spin);
        assert!((time - known).abs() < 1e-8, "{integrator}: {time} {known}");
        let inertia = 3.0 / 12.0 * (4.0 + 4.0 * half * half);
        // The normal velocity changes sign; the arm is where the ball touches.
        let arm = f64::sqrt(at * at - (half + radius) * (half + radius));
        let impulse = 2.0 * spin * arm / (arm * arm / inertia + 1.0 / 2.0);
        let found = first.impulse[0];
        assert!((found - impulse).abs() < 1e-5 * impulse, "{integrator}: {found} {impulse}");
        assert!(course.passed.is_empty());
    }
}

/// What moves slowly is looked at as before: once in a step.
#[test]
fn slow_bodies_leave_a_step_whole() {
    for integrator in INTEGRATORS {
        let text = tunnel(integrator, 3.0, "{ disk = 0.05 }");
        let free = text.replace(
            "[[bodies]]\nname = \"wall\"",
            "[[pairs]]\nbetween = [\"wall\", \"ball\"]\ncollide = false\n[[bodies]]\nname = \"wall\"",
        );
        let (with, without) = (run(&text, 20), run(&free, 20));
        assert_eq!(&with.last.position, &without.last.position, "{integrator}");
        assert_eq!(&with.last.momentum, &without.last.momentum, "{integrator}");
    }
}

/// Spheres, capsules and boxes in any attitude that fly against each other at up to 3 km/s: where
/// plain looks at many times see an overlap by more than half of their thickness, the motion has an
/// impact by then or says that it may have missed one; and where nothing comes near, it has none.
#[test]
fn nothing_in_space_passes_through_another_body_unseen() {
    let mut draws = Draws::new(5);
    let mut met = 0;
    for case in 0..cases(60, 1000) {
        let shape = |draws: &mut Draws| {
            let size = |draws: &mut Draws| 0.12 + 0.1 * draws.number();
            match (draws.number() * 1.5).round() as i32 {
                0 => format!("{{ sphere = {} }}", size(draws)),
                1 => {
                    let end: [f64; 3] = draws.direction().map(|x| 0.2 * x);
                    let other = end.map(|x| -x);
                    format!("{{ capsule = [{end:?}, {other:?}], radius = {} }}", 0.3 * size(draws))
                }
                _ => format!("{{ box = {:?} }}", [size(draws), size(draws), size(draws)]),
            }
        };
        let speed = 10.0_f64.powf(1.25 + 2.25 * draws.number());
        let [one, other] = [shape(&mut draws), shape(&mut draws)];
        let [aim, way] = [draws.vector(0.08), draws.direction()];
        let turn = draws.vector(3.0);
        let from: Vec<f64> = (0..3).map(|i| aim[i] - way[i]).collect();
        let velocity: Vec<f64> = way.iter().map(|x| x * speed).collect();
        let text = format!(
            "integrator = \"midpoint\"\ndimensions = 3\ngravity = 0\ntime_step = 0.05\nfriction = 0\nrestitution = 1\n\
             [[bodies]]\nname = \"one\"\nmass = 1\nshapes = [{one}]\nrotation = {turn:?}\n\
             [[bodies]]\nname = \"other\"\nmass = 1\nshapes = [{other}]\nposition = {from:?}\nvelocity = {velocity:?}\n"
        );
        let motion = midpoint_motion(text);
        let (deep, least) = overlap(&motion, 0.05);
        let (mut state, mut passed) = (motion.start().clone(), Vec::new());
        let going = motion.advance(&mut state, &mut passed).unwrap();
        let impact = matches!(going, Going::Impact(_)).then_some(state.within);
        match (deep, impact) {
            (Some(time), Some(impact)) => {
                assert!(impact <= time, "{case}: {impact} {time}");
                met += 1;
            }
            (Some(time), None) => {
                assert!(!passed.is_empty(), "{case}: an overlap at {time} s is not seen");
            }
            (None, found) => assert!(found.is_none() || least < 0.02, "{case}: {found:?} {least}"),
        }
    }
    assert!(met > 5);
}

/// The first of many times in a flight at which the bodies overlap by more than half of their
/// thickness, and their least gap at these times.
fn overlap(motion: &Midpoint, time: f64) -> (Option<f64>, f64) {
    let mechanism = motion.mechanism();
    let start = motion.start();
    let (mut deep, mut least) = (None, f64::INFINITY);
    for t in (1..=4000).map(|k| time * f64::from(k) / 4000.0) {
        let (q, _) = flow(mechanism, &start.q, &start.p, t).unwrap();
        for [gap, thickness] in mechanism.spaces(&q, [0, 1], f64::INFINITY) {
            least = least.min(gap);
            if gap < -0.5 * thickness {
                deep.get_or_insert(t);
            }
        }
    }
    (deep, least)
}
