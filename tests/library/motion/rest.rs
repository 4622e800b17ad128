//! What rests at first stays at rest; impacts elsewhere do not concern it.

use super::*;
use crate::support::compare::samples;
use carom::motion::midpoint::{ImpactLaw, StrikeOutcome};
use carom_engine::StepSolver;
use std::fmt::Write;

/// Boxes of 0.2 m on each other, each moved by a centimetre against the one below and back.
fn stack(dimensions: usize, masses: &[f64], law: &str, seed: u64) -> String {
    let (size, up) = match dimensions {
        2 => ("[0.2, 0.2]", "[0, 1]"),
        _ => ("[0.2, 0.2, 0.2]", "[0, 0, 1]"),
    };
    let mut text = format!(
        "integrator = \"midpoint\"\ndimensions = {dimensions}\nlaw = \"{law}\"\nseed = {seed}\nfriction = 0.5\nrestitution = 0\n\
         gravity = 9.81\ntime_step = 0.005\n[[walls]]\nname = \"floor\"\nnormal = {up}\n"
    );
    for (k, mass) in masses.iter().enumerate() {
        let (x, height) = (0.01 * (k % 2) as f64, 0.1 + 0.2 * k as f64);
        let position = match dimensions {
            2 => format!("[{x}, {height}]"),
            _ => format!("[{x}, 0, {height}]"),
        };
        let _ = writeln!(
            text,
            "[[bodies]]\nname = \"b{k}\"\nmass = {mass}\nshapes = [{{ box = {size} }}]\nposition = {position}"
        );
    }
    text
}

/// A course without an impact whose bodies did not move.
fn stays(motion: &Midpoint, course: &Course, what: &str) {
    assert_eq!((course.ending.name(), course.impacts.len()), ("done", 0), "{what}");
    let [q, p] = phase(&course.last);
    let moved = (&q - &motion.start().q).amax();
    let v = motion.mechanism().velocity(&q, &p).unwrap();
    assert!(moved < 1e-6 && v.amax() < 1e-6, "{what}: {moved:e} m, {:e} m/s", v.amax());
}

/// Boxes, equal ones and 50 kg on 1 kg, with any law and seed: none strikes another.
#[test]
fn stacks_stay_at_rest() {
    let heavy: &[f64] = &[1.0, 1.0, 50.0];
    for (dimensions, law, masses) in [
        (2, "sequential", heavy),
        (2, "routh", heavy),
        (2, "plus", heavy),
        (2, "sequential", &[1.0; 6]),
        (2, "sequential", &[1.0; 10]),
        (2, "propagative", &[1.0; 10]),
        (3, "sequential", heavy),
        (3, "sequential", &[1.0; 6]),
        (3, "routh", &[1.0; 6]),
        (3, "sequential", &[1.0; 10]),
    ] {
        for seed in 0..3 {
            let motion = midpoint_motion(stack(dimensions, masses, law, seed));
            let course = motion.run(10, None, |_| Ok(())).unwrap();
            stays(&motion, &course, &format!("{dimensions}, {law}, {masses:?}, {seed}"));
            assert_eq!(course.changes.len(), 1);
            assert_eq!(course.changes[0].time, 0.0);
        }
    }
}

/// A ball that lands beside ten stacks of boxes: the impact has the contacts that it can reach,
/// one, whatever rests elsewhere; the stacks have forty.
#[test]
fn an_impact_has_the_contacts_that_it_reaches() {
    let mut text = stack(2, &[1.0], "routh", 0);
    for k in 0..19 {
        let x = 1.0 + 0.5 * f64::from(k);
        let _ = writeln!(
            text,
            "[[bodies]]\nname = \"c{k}\"\nmass = 1\nshapes = [{{ box = [0.2, 0.2] }}]\nposition = [{x}, 0.1]"
        );
    }
    text +=
        "[[bodies]]\nname = \"ball\"\nmass = 1\nshapes = [{ disk = 0.1 }]\nposition = [-1, 0.2]\n";
    let motion = midpoint_motion(text);
    assert_eq!(motion.start().sustained.len(), 40);
    let course = motion.run(60, None, |_| Ok(())).unwrap();
    let names: Vec<&[String]> = course.impacts.iter().map(|impact| &impact.names[..]).collect();
    assert_eq!(names, [["floor-ball"]]);
    // The ball falls 0.1 m.
    let time = (0.2_f64 / 9.81).sqrt();
    assert!((course.impacts[0].time - time).abs() < 1e-4, "{}", course.impacts[0].time);
}

/// Two bars in free fall that touch at one end: the upper one turns onto the lower one, elastic.
/// The other ends strike although the pair is in sustained contact; energy and momenta stay.
#[test]
fn a_pair_in_contact_may_strike_elsewhere() {
    for spin in [-0.5, -2.0, -8.0] {
        for angle in [0.01, 0.03, 0.05] {
            // The left lower corner of the upper bar lies on the lower one, where it is at rest.
            let (sin, cos) = f64::sin_cos(angle);
            let corner = [-0.5 * cos + 0.05 * sin, -0.5 * sin - 0.05 * cos];
            let [x, y] = [-0.3 - corner[0], 0.05 - corner[1]];
            let velocity = [corner[1] * spin, -corner[0] * spin];
            let motion = midpoint_motion(format!(
                "integrator = \"midpoint\"\nlaw = \"sequential\"\nfriction = 0\nrestitution = 1\ngravity = 0\ntime_step = 1e-3\n\
                 [[bodies]]\nname = \"low\"\nmass = 3\nshapes = [{{ box = [1.6, 0.1] }}]\n\
                 [[bodies]]\nname = \"high\"\nmass = 1\nshapes = [{{ box = [1, 0.1] }}]\nposition = [{x}, {y}]\nangle = {angle}\n\
                 velocity = {velocity:?}\nangular_velocity = {spin}\n"
            ));
            assert_eq!(motion.start().sustained.len(), 1, "{spin}, {angle}");
            let course = motion.run(400, None, |_| Ok(())).unwrap();
            let what = format!("{spin} rad/s, {angle} rad");
            assert!(!course.impacts.is_empty(), "{what}");
            let energy = course.initial;
            assert!(course.energy_error < 1e-6 * energy, "{what}: {:e}", course.energy_error);
            let [before, after] = [motion.start().p.as_slice(), &course.last.momentum];
            for axis in 0..2 {
                let off = before[axis] + before[3 + axis] - after[axis] - after[3 + axis];
                assert!(off.abs() < 1e-9, "{what}: {off:e}");
            }
        }
    }
}

/// An impact of a sampled law is a sample that the engine accepts.
#[test]
fn impacts_take_samples_that_the_engine_accepts() {
    let engine = cpu();
    for (name, problem) in loaded(["compass-gait", "box-and-wall"]) {
        let law = Law::Routh(Routh::default());
        let solver = Some(StepSolver::Scalar);
        let plan = Plan { law: law.clone(), samples: 32, seed: 5, solver, ..Plan::default() };
        let found = samples(&engine, &problem, &plan);
        for i in 0..32 {
            let outcome = ImpactLaw::from(law.clone()).resolve(&problem, 5, i).unwrap().unwrap();
            assert_eq!(outcome, StrikeOutcome::of(&found, i as usize), "{name}, {i}");
        }
    }
}

/// A ball that spins absurdly fast for the step is told of, with a step in which it turns by half a
/// turn; one that turns by less is not.
#[test]
fn a_turn_too_large_for_a_step_is_told() {
    let ball = |spin: f64| {
        let text = format!(
            "integrator = \"midpoint\"\ndimensions = 3\nfriction = 0\ngravity = 0\ntime_step = 0.01\n\
             [[bodies]]\nname = \"ball\"\nmass = 1\nshapes = [{{ sphere = 0.1 }}]\nangular_velocity = [0, 0, {spin}]\n"
        );
        midpoint_motion(text).run(3, None, |_| Ok(())).unwrap().turn
    };
    assert_eq!(ball(300.0), None);
    let turn = ball(2e8).unwrap();
    assert!(turn.body == 0 && (turn.angle / 2e6 - 1.0).abs() < 1e-9, "{turn:?}");
}
