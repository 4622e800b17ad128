//! The examples of [TL24], against numbers of 200 bits.

use super::*;

/// A number that is one in JSON, or the text of one.
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let list: Vec<f64> = value.as_array().unwrap().iter().map(number).collect();
    list.try_into().unwrap()
}

/// The motion of a case of the reference.
fn motion(case: &Value) -> Lgvci {
    let (given, body) = (&case["spec"], &case["spec"]["body"]);
    let parts = match body["kind"].as_str().unwrap() {
        "ellipsoids" => (body["parts"].as_array().unwrap().iter())
            .map(|part| {
                ShapePart::Ellipsoid(Image::new(
                    numbers(&part["center"]),
                    numbers(&part["axes"]),
                    &UNIT,
                ))
            })
            .collect(),
        _ => {
            let vertices = body["vertices"].as_array().unwrap().iter().map(numbers).collect();
            vec![ShapePart::polyhedron(vertices, number(&body["eps"])).unwrap()]
        }
    };
    let normal = match case.get("resolved") {
        Some(resolved) => numbers(&resolved["n"]),
        None => numbers(&given["n"]),
    };
    let rows: Vec<[f64; 3]> = given["J"].as_array().unwrap().iter().map(numbers).collect();
    let mut spec = spec(parts[0].clone());
    spec.state.position = numbers(&given["x0"]);
    spec.state.momentum = numbers(&given["gamma0"]);
    spec.state.angular_momentum = numbers(&given["Pi0"]);
    let spec = LgvciSpec {
        inertia: Some([rows[0], rows[1], rows[2]]),
        normal,
        shape: BodyShape { parts },
        ..spec
    };
    Lgvci::new(spec).unwrap()
}

fn case(reference: &Value, name: &str) -> Lgvci {
    motion(&reference["cases"][name])
}

fn ran(motion: &Lgvci, steps: u64) -> Course {
    motion.run(steps, None, |_| Ok(())).unwrap()
}

#[test]
fn collisions_are_those_of_the_reference() {
    let reference = golden("lgvci");
    for (name, case) in reference["cases"].as_object().unwrap() {
        let motion = motion(case);
        let expected = case["collisions"].as_array().unwrap();
        let course = ran(&motion, expected.last().unwrap()["step"].as_u64().unwrap() + 1);
        let off = (course.initial - number(&case["E0"])).abs();
        assert!(off < 1e-12 * course.initial);
        assert!(course.impacts.len() >= expected.len(), "{name}: {}", course.impacts.len());
        for (i, (found, expected)) in course.impacts.iter().zip(expected).enumerate() {
            let at = format!("{name}, collision {}", expected["n"]);
            let bound = |key: &str, otherwise: f64| expected.get(key).map_or(otherwise, number);
            let (time, state) = (bound("tol_t", 1e-11), bound("tol_state", 1e-9));
            assert_eq!(found.step, expected["step"].as_u64().unwrap(), "{at}");
            let within = course.impacts[..=i].iter().filter(|one| one.step == found.step);
            assert_eq!(within.count() as u64, expected["j"].as_u64().unwrap(), "{at}");
            let late = (found.time - number(&expected["t"])).abs();
            assert!(late <= time, "{at}: time {}", found.time);
            let rows: Vec<[f64; 3]> =
                expected["R"].as_array().unwrap().iter().map(numbers).collect();
            let after = struck(found);
            let far = [
                apart(&after.position, &numbers::<3>(&expected["x"])),
                apart(after.attitude.iter().flatten(), rows.iter().flatten()),
                apart(&after.momentum, &numbers::<3>(&expected["gamma_plus"])),
                apart(&after.angular_momentum, &numbers::<3>(&expected["Pi_plus"])),
                (found.impulse[0] - number(&expected["lam"])).abs(),
            ];
            assert!(far.iter().all(|far| *far <= state), "{at}: {far:?}, expected up to {state:e}");
        }
    }
}

/// 100 000 steps: chaos leaves only the number of collisions, in its range, and the energy.
#[test]
fn long_motions_keep_their_energy() {
    let reference = golden("lgvci");
    for name in ["III", "IV"] {
        let long = &reference["long_run"][name];
        let course = ran(&case(&reference, name), 100_000);
        let count = course.impacts.len() as f64;
        assert_eq!(course.ending, MotionEnding::Done);
        let range = number(&long["min"])..=number(&long["max"]);
        assert!(range.contains(&count), "{name}: {count} collisions");
        let error = course.energy_error / course.initial;
        assert!(error <= 1e-9, "{name}: {error:e}");
        let turned = nalgebra::Matrix3::from_fn(|i, j| state_at(&course.last).attitude[i][j]);
        let skewed = (turned.transpose() * turned - nalgebra::Matrix3::identity()).amax();
        assert!(skewed < 1e-11, "{name}: {skewed:e}");
    }
}

/// A body that lies on the plane would collide for ever.
#[test]
fn a_guard_ends_what_never_ends() {
    let resting = motion(&golden("lgvci")["zeno"]);
    let course = ran(&resting, 10);
    assert_eq!((course.ending, course.last.step, course.last.time), (MotionEnding::Zeno, 0, 0.0));
    assert_eq!(course.impacts.len(), 100);
    assert!(course.impacts.iter().all(|hit| hit.step == 0 && hit.time < 0.01));
    assert_eq!(state_at(&course.last), *resting.start());
}

/// The built-in motions are the cases of the reference.
#[test]
fn built_in_motions_are_the_published_ones() {
    let reference = golden("lgvci");
    for (name, case) in
        [("ellipsoid", "I"), ("ellipsoid-tilted", "II"), ("ellipsoid-union", "III"), ("cube", "IV")]
    {
        let Simulation::Lgvci(built_in) = Document::open(name).unwrap().motion().unwrap() else {
            panic!("{name}")
        };
        let (found, expected) = (ran(&built_in, 300), ran(&self::case(&reference, case), 300));
        assert_eq!(found.impacts.len(), expected.impacts.len(), "{name}");
        let far = state_at(&found.last).distance(&state_at(&expected.last));
        assert!(far < 1e-9, "{name}: {far:e}");
    }
}

/// Halving the time step divides the error by four, through an impact.
#[test]
fn steps_are_of_second_order() {
    let reference = golden("lgvci");
    for (name, end) in [("I", 4.0), ("III", 2.4), ("IV", 3.2)] {
        let motion = case(&reference, name);
        let at = |h: f64| {
            let steps = (end / h).round() as u64;
            let course = ran(&motion.with_time_step(h).unwrap(), steps);
            assert!(!course.impacts.is_empty(), "{name}");
            state_at(&course.last)
        };
        let fine = at(0.02 / 64.0);
        let errors: Vec<f64> = [0.02, 0.01, 0.005].iter().map(|h| at(*h).distance(&fine)).collect();
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).log2();
            assert!((order - 2.0).abs() < 0.1, "{name}: order {order}, errors {errors:?}");
        }
    }
}
