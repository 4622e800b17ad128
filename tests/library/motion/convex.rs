//! Bodies of functions, against shapes, closed forms and points drawn blindly.

use super::*;
use carom::motion::lgvci::shape::{ACCURACY, Convex, Form, of_shape};
use carom::motion::lgvci::{Mat3, Vec3};
use carom_core::expression::Expression;

fn function(text: &str) -> Expression {
    let number_of = |name: &str| ["x", "y", "z"].iter().position(|known| *known == name);
    Expression::read(text, &number_of).unwrap()
}

fn body(form: Form, text: &str, center: Vec3, turn: &Mat3) -> ShapePart {
    ShapePart::Convex(Box::new(Convex::new(form, function(text), center, turn).unwrap()))
}

fn implicit(text: &str) -> ShapePart {
    body(Form::Implicit, text, [0.0; 3], &UNIT)
}

/// An ellipsoid by its shape, its implicit function and its support function.
fn ellipsoids(center: Vec3, lengths: Vec3, turn: &Mat3) -> [ShapePart; 3] {
    let [a, b, c] = lengths.map(|x| x * x);
    [
        ShapePart::ellipsoid(center, lengths, turn).unwrap(),
        body(Form::Implicit, &format!("x^2/{a} + y^2/{b} + z^2/{c} - 1"), center, turn),
        body(Form::Support, &format!("sqrt({a}*x^2 + {b}*y^2 + {c}*z^2)"), center, turn),
    ]
}

#[test]
fn ellipsoids_of_functions_are_ellipsoids() {
    let mut draws = Draws::new(31);
    for _ in 0..20 {
        let lengths = [0, 1, 2].map(|_| 10_f64.powf(draws.number()));
        let [shape, implicit, support] = ellipsoids(draws.vector(2.0), lengths, &draws.rotation());
        for _ in 0..20 {
            let q = draws.direction();
            let expected = shape.support(q);
            for found in [implicit.support(q), support.support(q)] {
                // Rounding, and for the point the squared ratio of the axes, up to 1e4, times it.
                assert!((found.value - expected.value).abs() < 1e-13 * 10.0, "{found:?}");
                let far = super::apart(&found.point, &expected.point);
                assert!(far < 1e-10, "{far:e}: {lengths:?} {q:?}");
            }
        }
    }
}

/// The body `|x|^p + |y|^p + |z|^p <= 1` has the support function `(sum |n|^s)^(1/s)`,
/// `1/p + 1/s = 1`, and the point `n^(s-1) / h^(s-1)`.
#[test]
fn superquadrics_are_known() {
    let mut draws = Draws::new(32);
    for p in [2, 4, 6, 8] {
        let part = implicit(&format!("x^{p} + y^{p} + z^{p} - 1"));
        let s = f64::from(p) / f64::from(p - 1);
        let mut directions: Vec<Vec3> = (0..200).map(|_| draws.direction()).collect();
        directions.extend([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.6, 0.8, 0.0]]);
        directions.push([1e-6, 0.0, (1.0 - 1e-12_f64).sqrt()]);
        for q in directions {
            let found = part.support(q);
            let h = q.map(|q| q.abs().powf(s)).iter().sum::<f64>().powf(1.0 / s);
            assert!((found.value + h).abs() < 1e-14, "{p} {q:?}: {} {h}", found.value);
            let point = q.map(|q| -q.signum() * (q.abs() / h).powf(s - 1.0));
            let far = super::apart(&found.point, &point);
            // At a face of order p rounding of the slope moves the point by its root p - 1.
            let flat = f64::EPSILON.powf(1.0 / f64::from(p - 1));
            assert!(far < 1e-9 || q.iter().any(|q| q.abs() < 1e-5) && far < 4.0 * flat, "{far:e}");
        }
    }
}

/// Points of the boundary, drawn blindly, never come before the support point, and come near.
#[test]
fn no_point_comes_before_the_least() {
    let mut draws = Draws::new(33);
    // A rounded cube, an egg, and a smooth sum of three bodies.
    for text in [
        "x^4 + y^4 + z^4 - 1",
        "(x^2 + y^2)*(1 + 0.3*z) + z^2 - 1",
        "(x^2 + 2*y^2)^2 + z^2 + 0.3*x - 1",
        "sqrt(x^2 + 0.1) + sqrt(y^2 + 0.2) + z^2/2 - 2",
    ] {
        let f = function(text);
        let value = |x: Vec3| f.value(&x).unwrap();
        let part = implicit(text);
        for _ in 0..5 {
            let q = draws.direction();
            let found = part.support(q);
            assert!(value(found.point).abs() < 1e-14 * 10.0, "{text}: {}", value(found.point));
            let mut least = f64::INFINITY;
            for _ in 0..4000 {
                let ray = draws.direction();
                let (mut low, mut high) = (0.0, 3.0);
                for _ in 0..50 {
                    let middle = 0.5 * (low + high);
                    if value(ray.map(|x| x * middle)) > 0.0 { high = middle } else { low = middle }
                }
                least = least.min(low * dot(q, ray));
            }
            assert!(least >= found.value - 1e-13, "{text}: {least} {}", found.value);
            assert!(least < found.value + 0.05, "{text}: {least} {}", found.value);
        }
    }
}

#[test]
fn moments_are_those_of_closed_forms() {
    let mut draws = Draws::new(34);
    let of = |part| of_shape(&BodyShape { parts: vec![part] });
    let (center, turn) = (draws.vector(1.0), draws.rotation());
    let [expected, implicit_one, support] = ellipsoids(center, [0.5, 1.0, 1.5], &turn).map(of);
    for found in [implicit_one, support] {
        assert!(!found.closed && (found.volume / expected.volume - 1.0).abs() < ACCURACY);
        assert!((found.center - expected.center).amax() < ACCURACY);
        assert!((found.gyration - expected.gyration).amax() < ACCURACY * 2.0);
    }
    // Dirichlet's integrals over an octant: products of gamma functions of a quarter.
    let [g1, g3, g5, g7, g9] = [
        3.625_609_908_221_908,
        1.225_416_702_465_177_6,
        0.906_402_477_055_477,
        0.919_062_526_848_883_3,
        1.133_003_096_319_347_1,
    ];
    let cube = of(implicit("x^4 + y^4 + z^4 - 1"));
    let volume = 8.0 * g5 * g5 * g5 / g7;
    let square = 8.0 / 64.0 * g3 * g1 * g1 / g9 / volume;
    assert!((cube.volume / volume - 1.0).abs() < ACCURACY, "{} {volume}", cube.volume);
    let gyration = Matrix3::identity() * (2.0 * square);
    assert!((cube.gyration - gyration).amax() < ACCURACY, "{}", cube.gyration);
    assert!(cube.center.amax() < ACCURACY && cube.center != Vector3::new(1.0, 0.0, 0.0));
}

/// An ellipsoid given by a function bounces as the ellipsoid does; a rounded cube keeps its energy.
#[test]
fn bodies_of_functions_bounce() {
    let ran = |part: ShapePart, steps| {
        let motion = Lgvci::new(LgvciSpec { inertia: None, ..spec(part) }).unwrap();
        let mut least = f64::INFINITY;
        let course = motion.run(steps, None, |moment| {
            least = least.min(motion.body().gap(&state_at(moment)).value);
            Ok(())
        });
        assert!(least >= 0.0, "{least:e}");
        course.unwrap()
    };
    let expected = ran(ellipsoid(), 600);
    assert!(expected.impacts.len() >= 3);
    for part in ellipsoids([0.0; 3], [2.0, 3.0, 4.0], &UNIT).into_iter().skip(1) {
        let found = ran(part, 600);
        assert_eq!(found.impacts.len(), expected.impacts.len());
        // The inertia is that of quadrature.
        let far = state_at(&found.last).distance(&state_at(&expected.last));
        assert!(far < 1e-5, "{far:e}");
    }
    let cube = ran(implicit("x^4 + y^4 + z^4 - 16"), 2000);
    assert!(cube.impacts.len() >= 5 && cube.last.step == 2000);
    assert!(cube.energy_error < 1e-12 * cube.initial, "{:e}", cube.energy_error);
}

#[test]
fn convexity_is_proved_or_checked() {
    let proved = |text: &str| {
        Convex::new(Form::Implicit, function(text), [0.0; 3], &UNIT).unwrap().is_proved()
    };
    assert!(proved("x^4 + y^4 + z^2/3 - 1") && proved("(x + y)^2 + (x - y)^2 + z^2 - 1"));
    // Convex, but no rule says so.
    assert!(!proved("x*x + y*y + z*z - 1"));
}

#[test]
fn impossible_functions_are_refused() {
    for (form, text, word) in [
        (Form::Implicit, "(x - 3)^2 + y^2 + z^2 - 1", "does not hold the origin"),
        (Form::Implicit, "x^2 + y^2 - 1", "no end"),
        (Form::Implicit, "(x^2 + y^2 + z^2)^2 - 2*(x^2 - y^2 - z^2) - 0.5", "does not bend"),
        (Form::Implicit, "abs(x) + y^2 + z^2 - 1", "abs has no second derivatives"),
        (Form::Implicit, "1/(x - x) - 1", "division by zero"),
        (Form::Support, "x", "not > 0"),
        (Form::Support, "1 + 0.5*x*y*z*10", "does not bend"),
        (Form::Support, "sqrt(x)", "sqrt of"),
        (Form::Support, "max(abs(x), 1)", "no second derivatives"),
    ] {
        let refused = Convex::new(form, function(text), [0.0; 3], &UNIT).unwrap_err().to_string();
        assert!(refused.contains(word), "{text}: {refused}");
    }
    let both = vec![implicit("x^2 + y^2 + z^2 - 1"), ellipsoid()];
    let union = LgvciSpec { inertia: None, shape: BodyShape { parts: both }, ..spec(ellipsoid()) };
    assert!(Lgvci::new(union.clone()).unwrap_err().to_string().contains("union"));
    assert!(Lgvci::new(LgvciSpec { inertia: spec(ellipsoid()).inertia, ..union }).is_ok());
}

/// A hidden body of a function changes nothing; a union takes the part that comes first.
#[test]
fn a_union_may_have_a_body_of_a_function() {
    let mut draws = Draws::new(35);
    let ball = |x: f64| ShapePart::Ellipsoid(Image::new([x, 0.0, 0.0], [1.0; 3], &UNIT));
    let of_function = body(Form::Implicit, "x^2 + y^2 + z^2 - 1", [1.5, 0.0, 0.0], &UNIT);
    let union = BodyShape { parts: vec![ball(0.0), of_function] };
    let expected = BodyShape { parts: vec![ball(0.0), ball(1.5)] };
    for _ in 0..100 {
        let q = draws.direction();
        let (a, b) = (union.support(q), expected.support(q));
        assert!((a.value - b.value).abs() < 1e-14 && super::apart(&a.point, &b.point) < 1e-12);
    }
}
