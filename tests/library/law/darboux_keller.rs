//! The Darboux-Keller law.

use super::*;
use carom_law::{ContactCourse, Outcome};
use nalgebra::Vector2;
use proptest::prelude::*;

/// A contact with Delassus matrix `w` and velocity `v`, in the papers' order t1, t2, n.
pub fn contact_problem(w: &[Vec<f64>], v: &[f64], mu: f64, e: f64) -> ContactProblem {
    let w = DMatrix::from_fn(3, 3, |i, j| 0.5 * (w[i][j] + w[j][i]));
    let mass = w.try_inverse().unwrap();
    let mass = (&mass + mass.transpose()) * 0.5;
    problem(ProblemSpec {
        mass: rows_of(&mass),
        normal: vec![vec![0.0, 0.0, 1.0]],
        tangent: vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]],
        friction: Some(vec![mu]),
        restitution: Some(vec![e]),
        velocity: v.to_vec(),
        ..ProblemSpec::default()
    })
}

fn resolve(
    problem: &ContactProblem,
    hypothesis: Hypothesis,
) -> (Outcome<ContactCourse>, ContactCourse) {
    let resolved = DarbouxKeller { hypothesis, restitution: None }.resolve(problem).unwrap();
    let [outcome] = &resolved.outcomes[..] else { panic!() };
    (outcome.clone(), outcome.details.clone())
}

/// (n, t1, t2) as (t1, t2, n).
fn turned(x: &[f64]) -> [f64; 3] {
    [x[1], x[2], x[0]]
}

#[test]
fn every_case_of_the_golden_file() {
    let file = golden("jia_wang");
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 28);
    for case in cases {
        let (inputs, expected) = (&case["inputs"], &case["expected"]);
        let name = inputs["name"].as_str().unwrap();
        let (mu, e) = (number(&inputs["mu"]), number(&inputs["e"]));
        let (w, v) = (rows(&inputs["W"]), numbers(&inputs["v_minus"]));
        let problem = contact_problem(&w, &v, mu, e);
        let (outcome, course) = resolve(&problem, Hypothesis::Stronge);
        assert_eq!(outcome.status, Status::Terminated, "{name}");
        assert!(outcome.residual <= 1e-9, "{name}: residual {}", outcome.residual);
        // The file asks for 1e-6; a relative 1e-6 is stricter.
        let near = |found: &[f64], key: &Value, what: &str| {
            let expected = numbers(key);
            let size = expected.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
            let off = apart(found, &expected);
            assert!(off <= 1e-6 * size.min(1.0), "{name}: {what} off by {off}");
        };
        near(&turned(&outcome.impulse), &expected["Ir"], "impulse");
        assert!(apart(&outcome.velocity, &numbers(&expected["vplus"])) <= 1e-6, "{name}");
        let sequence: String = course.events.iter().map(|event| event.kind.letter()).collect();
        assert_eq!(sequence, expected["exact_sequence"].as_str().unwrap(), "{name}");
        for event in &course.events {
            let (moment, impulse) = match event.kind.letter() {
                'c' => ("Izc", "Ic"),
                's' => ("Izs", "Is"),
                _ => ("Izr", "Ir"),
            };
            let off = (event.impulse[0] - number(&expected[moment])).abs();
            assert!(off <= 1e-6, "{name}: {moment}");
            near(&turned(&event.impulse), &expected[impulse], impulse);
        }
        let [compression, restitution, friction] = course.work;
        let energy = |found: f64, key: &str| {
            let off = (found - number(&expected[key])).abs();
            assert!(off <= 1e-9, "{name}: {key} off by {off}");
        };
        energy(compression, "Ec");
        energy(friction, "friction_work");
        energy(restitution - compression + friction, "dT");
        energy(course.needed, "norm_Binv_d");
        assert_eq!(course.needed <= mu, expected["stick_possible"].as_bool().unwrap(), "{name}");
        if let Some(margin) = expected["cond18_margin"].as_f64() {
            assert!((course.margin - margin).abs() <= 1e-9, "{name}: {} {margin}", course.margin);
            assert_eq!(course.margin > 0.0, margin > 0.0, "{name}");
        }
        if let Some(directions) = expected["invariant_directions"].as_array() {
            let found = course.invariant.as_ref().unwrap();
            assert_eq!(found.len(), directions.len(), "{name}");
            for (found, expected) in found.iter().zip(directions) {
                for (found, key) in
                    [(found.angle, "theta"), (found.rate, "lam"), (found.slope, "dgdtheta")]
                {
                    let known = number(&expected[key]);
                    let off = (found - known).abs();
                    assert!(off <= 1e-8 * known.abs().max(1.0), "{name}: {key} {found} {known}");
                }
                assert_eq!(found.stable(), expected["stable"].as_bool().unwrap(), "{name}");
                assert_eq!(found.centrifugal(), expected["kind"] == "centrifugal", "{name}");
            }
        }
        if !expected["poisson_Ir"].is_null() {
            let (poisson, _) = resolve(&problem, Hypothesis::Poisson);
            near(&turned(&poisson.impulse), &expected["poisson_Ir"], "Poisson's impulse");
        }
        let (newton, _) = resolve(&problem, Hypothesis::Newton);
        assert!((newton.velocity[2] + e * v[2]).abs() <= 1e-12 * v[2].abs(), "{name}");
    }
}

/// The dumbest integrator: Runge's and Kutta's fourth order over the normal impulse, in steps of
/// `most` at most that change the sliding velocity by a hundredth at most, which stops once it is a
/// billionth of what it was and can be held. `v` and `w` in the order t1, t2, n. The impulse.
fn oracle(w: &Matrix3<f64>, v: &Vector3<f64>, mu: f64, e: f64, most: f64) -> Vector3<f64> {
    let b = w.fixed_view::<2, 2>(0, 0).into_owned();
    let d = Vector2::new(w[(0, 2)], w[(1, 2)]);
    let hold = -b.try_inverse().unwrap() * d;
    let (mut p, mut held, mut energy, mut owed) =
        (Vector3::zeros(), None::<Vector2<f64>>, 0.0, None);
    let slip = |p: &Vector3<f64>| (v + w * p).xy();
    let normal = |p: &Vector3<f64>| (v + w * p).z;
    let fastest = b.norm() * mu + d.norm();
    let tiny = 1e-9 * v.norm();
    for _ in 0..20_000_000 {
        let rate = |p: Vector3<f64>| match held {
            Some(push) => Vector3::new(push.x, push.y, 1.0),
            None => {
                let s = -mu * slip(&p).normalize();
                Vector3::new(s.x, s.y, 1.0)
            }
        };
        let left = slip(&p).norm();
        let h = if held.is_some() { most } else { most.min(0.01 * left.max(tiny) / fastest) };
        let step = |h: f64| {
            let a = rate(p);
            let b = rate(p + a * (h / 2.0));
            let c = rate(p + b * (h / 2.0));
            p + (a + b * 2.0 + c * 2.0 + rate(p + c * h)) * (h / 6.0)
        };
        let next = step(h);
        if held.is_none() && left <= tiny && hold.norm() <= mu {
            held = Some(hold);
            continue;
        }
        let (before, after) = (normal(&p), normal(&next));
        // The work of a step, with the normal velocity a parabola through three points.
        let work = |h: f64| -h * (before + 4.0 * normal(&step(h / 2.0)) + normal(&step(h))) / 6.0;
        match owed {
            None if after >= 0.0 => {
                let part = bisect(|part| normal(&step(h * part)) >= 0.0);
                energy += work(h * part);
                p = step(h * part);
                owed = Some(e * e * energy);
                if e == 0.0 {
                    return p;
                }
                continue;
            }
            None => energy += work(h),
            Some(left) => {
                // Where a contact that sticks is driven in once more, `e^2` of that is owed too; a
                // step ends where this begins or ends.
                let compresses = after < 0.0;
                let turns = (before < 0.0) != compresses;
                let crossed = |part: f64| (normal(&step(h * part)) < 0.0) == compresses;
                let h = if turns { h * bisect(crossed) } else { h };
                let share = if compresses { e * e } else { 1.0 };
                let then = |h: f64| left + share * work(h);
                if then(h) <= 0.0 {
                    return step(h * bisect(|part| then(h * part) <= 0.0));
                }
                owed = Some(then(h));
                p = step(h);
                continue;
            }
        }
        p = next;
    }
    panic!("no end")
}

/// Where in [0, 1] something begins to hold.
fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

/// A random contact: `W = A A' + x 1`.
pub fn contacts() -> impl Strategy<Value = (Matrix3<f64>, Vector3<f64>, f64, f64)> {
    let entry = || -1.0..1.0_f64;
    (
        prop::array::uniform9(entry()),
        0.05..1.0_f64,
        prop::array::uniform2(entry()),
        0.05..2.0_f64,
        0.05..1.5_f64,
        prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64],
    )
        .prop_map(|(a, x, slip, approach, mu, e)| {
            let a = Matrix3::from_row_slice(&a);
            let w = a * a.transpose() + Matrix3::identity() * x;
            (w, Vector3::new(slip[0], slip[1], -approach), mu, e)
        })
}

pub fn by_law(
    w: &Matrix3<f64>,
    v: &Vector3<f64>,
    mu: f64,
    e: f64,
    hypothesis: Hypothesis,
) -> ContactImpact<f64> {
    let order = [2, 0, 1];
    let w: [[f64; 3]; 3] = order.map(|i| order.map(|j| w[(i, j)]));
    StruckContact::new(w, mu).impact([v.z, v.x, v.y], hypothesis, e, |_, _, _| {})
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A contact that slides, leaves, sticks, and is driven in again while it gives back.
#[test]
fn compression_may_begin_again() {
    let w = Matrix3::new(
        1.1857009942149372,
        0.06497847461770856,
        -0.32815960136282163,
        0.06497847461770856,
        1.9343917126304573,
        2.1895876316701424,
        -0.32815960136282163,
        2.1895876316701424,
        2.738267020580838,
    );
    let v = Vector3::new(0.7722345537484715, -0.5940675580740227, -1.10023314874213);
    let (mu, e) = (1.3940425181153149, 0.40445340460241297);
    let found = by_law(&w, &v, mu, e, Hypothesis::Stronge);
    let known = oracle(&w, &v, mu, e, found.impulse[0] / 2000.0);
    let off = apart(&turned(&found.impulse), known.as_slice());
    assert!(off <= 1e-6 * found.impulse[0], "{off} {:?} {known:?}", found.impulse);
}

proptest! {
    #![proptest_config(random_cases(200))]

    #[test]
    fn a_dumb_integrator_agrees((w, v, mu, e) in contacts()) {
        let found = by_law(&w, &v, mu, e, Hypothesis::Stronge);
        prop_assert_eq!(found.end, ArcEnd::Over);
        let known = oracle(&w, &v, mu, e, found.impulse[0] / 2000.0);
        let off = apart(&turned(&found.impulse), known.as_slice());
        prop_assert!(off <= 1e-6 * found.impulse[0], "{off} {:?} {known:?}", found.impulse);
    }
}

proptest! {
    #![proptest_config(random_cases(2000))]

    #[test]
    fn every_impact_keeps_the_laws((w, v, mu, e) in contacts(), angle in 0.0..std::f64::consts::TAU, scale in -60..60_i32) {
        for hypothesis in Hypothesis::ALL {
            let found = by_law(&w, &v, mu, e, hypothesis);
            prop_assert_eq!(found.end, ArcEnd::Over);
            prop_assert!(found.residual <= 1e-9, "residual {}", found.residual);
            let [n, x, y] = found.impulse;
            prop_assert!(x.hypot(y) <= mu * n * (1.0 + 1e-10), "cone");
            prop_assert!(found.velocity[0] >= 0.0 && found.work[2] <= 0.0);
            // Momentum.
            let after = v + w * Vector3::new(x, y, n);
            prop_assert!(apart(&turned(&found.velocity), after.as_slice()) <= 1e-10 * size(v.as_slice()));
            // Energy: what is gained is what the forces do.
            let gained = (v + after).dot(&Vector3::new(x, y, n)) / 2.0;
            let done = found.work[2] + found.work[1] - found.work[0];
            prop_assert!((gained - done).abs() <= 1e-9 * v.dot(&(w.try_inverse().unwrap() * v)));
            if hypothesis == Hypothesis::Stronge {
                prop_assert!((found.work[1] - e * e * found.work[0]).abs() <= 1e-10 * found.work[0]);
                prop_assert!(gained <= 1e-10 * found.work[0]);
            }
            // In another frame of the tangents the impact is the same.
            let (sin, cos) = angle.sin_cos();
            let turn = Matrix3::new(cos, sin, 0.0, -sin, cos, 0.0, 0.0, 0.0, 1.0);
            let other = by_law(&(turn * w * turn.transpose()), &(turn * v), mu, e, hypothesis);
            let back = turn.transpose() * Vector3::from(turned(&other.impulse));
            prop_assert!(apart(back.as_slice(), &[x, y, n]) <= 1e-8 * n, "frame: {back:?} {:?}", found.impulse);
            // Other units.
            let (mass, speed) = (10_f64.powi(scale), 10_f64.powi(scale / 2));
            let other = by_law(&(w / mass), &(v * speed), mu, e, hypothesis);
            let unit = mass * speed;
            prop_assert!(apart(&other.impulse.map(|l| l / unit), &found.impulse) <= 1e-8 * n, "units");
        }
    }
}

#[test]
fn single_precision_agrees() {
    for case in golden("jia_wang")["cases"].as_array().unwrap() {
        let inputs = &case["inputs"];
        let order = [2, 0, 1];
        let (w, v) = (rows(&inputs["W"]), numbers(&inputs["v_minus"]));
        let single: [[f32; 3]; 3] = order.map(|i| order.map(|j| w[i][j] as f32));
        let u = order.map(|i| v[i] as f32);
        let (mu, e) = (number(&inputs["mu"]) as f32, number(&inputs["e"]) as f32);
        let found = StruckContact::new(single, mu).impact(u, Hypothesis::Stronge, e, |_, _, _| {});
        let known = numbers(&case["expected"]["Ir"]);
        let off = apart(&turned(&found.impulse.map(f64::from)), &known);
        assert!(found.end == ArcEnd::Over, "{}: {off}", inputs["name"]);
        assert!(off <= 2e-4 * size(&known), "{}: {off}", inputs["name"]);
    }
}

#[test]
fn extremes_end_as_they_should() {
    let w = Matrix3::new(
        11.5984, -0.910367, 2.442355, -0.910367, 9.90134, 1.957465, 2.442355, 1.957465, 2.59042,
    );
    let v = Vector3::new(-0.26, 0.39, -0.8);
    // No friction: the normal impulse alone.
    let free = by_law(&w, &v, 0.0, 0.5, Hypothesis::Stronge);
    assert!(apart(&free.impulse, &[1.5 * 0.8 / w[(2, 2)], 0.0, 0.0]) <= 1e-15);
    // Friction without bounds: sticks from the start, as does what does not slide.
    let rough = by_law(&w, &v, 1e5, 0.5, Hypothesis::Stronge);
    let still = by_law(&w, &Vector3::new(0.0, 0.0, -0.8), 1e5, 0.5, Hypothesis::Stronge);
    assert!(rough.residual <= 1e-8 && size(&rough.velocity[1..]) <= 1e-12);
    assert!(still.residual <= 1e-12 && size(&still.velocity[1..]) <= 1e-12);
    // Nothing approaches.
    for normal in [0.0, 0.3] {
        let none = by_law(&w, &Vector3::new(1.0, 2.0, normal), 0.5, 1.0, Hypothesis::Stronge);
        assert_eq!((none.impulse, none.end, none.arcs), ([0.0; 3], ArcEnd::Over, 0));
        assert!(apart(&none.velocity, &[normal, 1.0, 2.0]) <= 1e-15);
    }
    // Nearly singular, and singular: what rounding makes of it is said.
    for small in [1e-6, 1e-9, 1e-12, 1e-15, 0.0] {
        let a = Matrix3::new(1.0, 0.3, 0.2, 0.1, 0.8, -0.4, 0.4, -0.2, 0.9);
        let flat = a * Matrix3::from_diagonal(&Vector3::new(2.0, 1.0, small)) * a.transpose();
        for mu in [0.1, 1.0, 10.0] {
            let found = by_law(&flat, &v, mu, 0.5, Hypothesis::Stronge);
            let bound = if small > 0.0 { 1e-15 / small } else { f64::INFINITY };
            assert!(found.residual <= bound.max(1e-9), "{small} {mu}: {found:?}");
            assert!(small < 1e-14 || found.end == ArcEnd::Over, "{small} {mu}: {found:?}");
            assert!(found.impulse.iter().all(|x| x.is_finite()), "{small} {mu}: {found:?}");
        }
    }
    // A contact without tangential motion, and one that friction cannot slow.
    let stiff = Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, 2.0));
    let found = by_law(&stiff, &Vector3::new(0.0, 0.0, -1.0), 0.5, 0.5, Hypothesis::Stronge);
    assert!(apart(&found.impulse, &[0.75, 0.0, 0.0]) <= 1e-15, "{found:?}");
}

#[test]
fn the_course_of_an_impact_is_a_polygon_of_points() {
    let file = golden("jia_wang");
    let inputs = &file["cases"][4]["inputs"];
    assert_eq!(inputs["name"], "P1_Fig7");
    let problem = contact_problem(&rows(&inputs["W"]), &numbers(&inputs["v_minus"]), 0.25, 0.95);
    let (outcome, course) = resolve(&problem, Hypothesis::Stronge);
    let least = course.hodograph.iter().map(|g| g[0].hypot(g[1])).fold(f64::MAX, f64::min);
    let known = number(&file["cases"][4]["expected"]["min_gamma"]);
    assert!((least - known).abs() <= 2e-4, "{least} {known}");
    let last = course.hodograph.last().unwrap();
    assert!(apart(last, &outcome.velocity[..2]) <= 1e-12);
    // The curve of the impulse leads through the same velocities, and ends at the outcome's.
    let curve = &course.curve;
    assert_eq!(curve.len(), course.hodograph.len());
    for ([load, x, y], g) in curve.iter().zip(&course.hodograph) {
        let u = problem.contact_velocity() + problem.delassus() * vector(&[*load, *x, *y]);
        assert!(apart(&[u[1], u[2]], g) <= 1e-10, "{u} {g:?}");
    }
    assert!(apart(curve.last().unwrap(), &outcome.impulse) <= 1e-12);
    assert!(curve.windows(2).all(|pair| pair[1][0] >= pair[0][0]));
}

#[test]
fn other_problems_are_refused() {
    let spec = |normal: usize, tangent: usize| {
        let friction = vec![if tangent == 0 { 0.0 } else { 0.5 }; normal];
        let (normal, tangent) = (vec![[0.0, 0.0, 1.0]; normal], vec![[1.0, 0.0, 0.0]; tangent]);
        rough(&[1.0; 3], normal, tangent, friction, [1.0, 0.0, -1.0])
    };
    for (normal, tangent, at, hint) in [
        (2, 4, "normal", "one row"),
        (1, 1, "tangent", "two tangent rows"),
        (1, 0, "tangent", "two tangent rows"),
    ] {
        let error = DarbouxKeller::default().resolve(&problem(spec(normal, tangent))).unwrap_err();
        assert_eq!(error.at.as_deref(), Some(at));
        assert!(error.hint.unwrap().contains(hint));
    }
    let law = DarbouxKeller { restitution: Some(1.5), ..DarbouxKeller::default() };
    assert!(law.resolve(&problem(spec(1, 2))).unwrap_err().what.contains("[0, 1]"));
}

/// Near the astroid of invariant directions the series of `ln r` hardly converges.
#[test]
fn compression_near_the_astroid_ends_at_rest() {
    let w = Matrix3::new(
        1.5135280688597654,
        -0.3598606350125781,
        0.052779670629987285,
        -0.3598606350125781,
        2.54791115886872,
        -0.612017138027407,
        0.052779670629987285,
        -0.612017138027407,
        1.7500994696663015,
    );
    let v = Vector3::new(0.9039295369449394, -0.5160430608372913, -0.05);
    let found = by_law(&w, &v, 0.7660899982434364, 0.0, Hypothesis::Stronge);
    let [n, x, y] = found.impulse;
    let after = v + w * Vector3::new(x, y, n);
    assert!(after.z.abs() <= 1e-13 && found.end == ArcEnd::Over, "{after}");
}
