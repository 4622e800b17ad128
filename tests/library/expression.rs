//! Expressions: values, ranges and convexity, against values at random points.

use crate::prelude::*;
use carom_core::expression::{Bend, Expression, ExpressionShape, Interval, Jet, Slope};

fn read(text: &str) -> Expression {
    Expression::read(text, &|name| {
        ["x", "y", "torso.x", "max", "left foot"].iter().position(|known| *known == name)
    })
    .unwrap_or_else(|fault| panic!("{text}: {fault:?}"))
}

fn value(text: &str) -> f64 {
    read(text).value(&[2.0, -3.0, 5.0, 7.0, 11.0]).unwrap()
}

#[test]
fn values_are_those_of_the_rules() {
    let cases = [
        ("-2^2", -4.0),
        ("2^3^2", 512.0),
        ("2^-1", 0.5),
        ("1 - 2 - 3", -4.0),
        ("12 / 3 / 2", 2.0),
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("x * y - torso.x", -11.0),
        ("torso.x ^ 2 / 5", 5.0),
        ("max", 7.0),
        ("max(x, y) + min(x, y) * max", -19.0),
        ("`left foot` - 1e1", 1.0),
        ("abs(y) + sqrt(16) + 2 * cos(0)", 9.0),
        ("4 * atan2(1, 1) / pi", 1.0),
        ("+x - -y", -1.0),
    ];
    for (text, expected) in cases {
        assert!((value(text) - expected).abs() < 1e-14, "{text}");
    }
    // A long chain is no deep one.
    assert_eq!(value(&format!("0{}", "+x".repeat(100_000))), 200_000.0);
}

/// A random expression of x and y, made of all operations.
fn random(draws: &mut Draws, depth: usize) -> String {
    let part = |draws: &mut Draws| random(draws, depth - 1);
    let kind = if depth == 0 { draws.below(3) } else { draws.below(14) };
    match kind {
        0 => "x".to_string(),
        1 => "y".to_string(),
        2 => format!("{:.2}", draws.uniform(-3.0, 3.0)).replace('-', "0-"),
        3 => format!("({} + {})", part(draws), part(draws)),
        4 => format!("({} - {})", part(draws), part(draws)),
        5 => format!("({} * {})", part(draws), part(draws)),
        6 => format!("({} / {})", part(draws), part(draws)),
        7 => {
            format!("({})^{}", part(draws), ["2", "3", "0.5", "(0-1)", "1.5", "4"][draws.below(6)])
        }
        8 => format!("sqrt({})", part(draws)),
        9 => format!("abs({})", part(draws)),
        10 => format!("max({}, {})", part(draws), part(draws)),
        11 => format!("min({}, {})", part(draws), part(draws)),
        12 => format!("-({})", part(draws)),
        _ => format!(
            "{}({})",
            ["sin", "cos", "tan", "asin", "acos", "atan"][draws.below(6)],
            part(draws)
        ),
    }
}

/// Values at random points lie in the ranges, and expressions bend as they are told to.
#[test]
fn ranges_and_bends_hold_at_random_points() {
    let mut draws = Draws::new(5);
    let (mut bent, mut narrow) = ([0; 5], 0);
    for case in 0..20_000 {
        let text = random(&mut draws, 1 + case % 4);
        let expression = read(&text);
        let mut side = || {
            let (a, b) = (draws.uniform(-3.0, 3.0), draws.uniform(-3.0, 3.0));
            Interval { low: a.min(b), high: a.max(b) }
        };
        let ranges = [side(), side(), Interval::ALL, Interval::ALL, Interval::ALL];
        let range = expression.value(&ranges).unwrap();
        let shape = expression.value(&ranges.map(ExpressionShape::name)).ok();
        narrow += usize::from(range.low.is_finite() && range.high.is_finite());
        for _ in 0..20 {
            let mut point = || [0, 1].map(|i| draws.uniform(ranges[i].low, ranges[i].high));
            let (a, b) = (point(), point());
            let t = draws.uniform(0.0, 1.0);
            let middle = [0, 1].map(|i| a[i] + t * (b[i] - a[i]));
            let at = |p: [f64; 2]| expression.value(&[p[0], p[1], 0.0, 0.0, 0.0]).ok();
            let [a, b, middle] = [a, b, middle].map(at);
            for value in [a, b, middle].into_iter().flatten() {
                assert!(range.low <= value && value <= range.high, "{text}: {value} in {range:?}");
            }
            let (Some(a), Some(b), Some(middle), Some(shape)) = (a, b, middle, shape) else {
                continue;
            };
            let chord = a + t * (b - a);
            let room = 1e-9 * (1.0 + a.abs() + b.abs() + middle.abs());
            match shape.bend {
                Bend::Constant(x) => assert!((x - middle).abs() <= room, "{text}"),
                Bend::Affine => assert!((chord - middle).abs() <= room, "{text}"),
                Bend::Convex => assert!(middle <= chord + room, "{text}"),
                Bend::Concave => assert!(middle >= chord - room, "{text}"),
                Bend::Quasiconvex => assert!(middle <= a.max(b) + room, "{text}"),
                Bend::Unknown => {}
            }
        }
        let kinds = shape.map(|shape| match shape.bend {
            Bend::Constant(_) => 0,
            Bend::Affine => 1,
            Bend::Convex => 2,
            Bend::Concave => 3,
            _ => 4,
        });
        kinds.into_iter().for_each(|kind| bent[kind] += 1);
    }
    assert!(bent.iter().all(|count| *count > 500) && narrow > 10_000, "{bent:?}, {narrow}");
}

/// Between any two values of x, with y anywhere in its range, expressions rise as their slopes
/// say, and their values lie in the ranges.
#[test]
fn slopes_hold_between_random_points() {
    let mut draws = Draws::new(6);
    let mut narrow = 0;
    for case in 0..20_000 {
        let text = match case % 5 {
            0 => format!("atan2({}, {})", random(&mut draws, 2), random(&mut draws, 2)),
            k => random(&mut draws, k),
        };
        let expression = read(&text);
        let mut side = |most: f64| {
            let a = draws.uniform(-3.0, 3.0);
            Interval { low: a, high: a + draws.uniform(0.0, most) }
        };
        let most = [0.05, 1.0, 5.0][case % 3];
        let ranges = [side(most), side(most)];
        let place = [Slope::variable(ranges[0]), Slope::constant(ranges[1])];
        let found = expression.value(&place).unwrap();
        assert_eq!(found.value, expression.value(&ranges).unwrap(), "{text}");
        narrow += usize::from(found.slope.low.is_finite() && found.slope.high.is_finite());
        for _ in 0..20 {
            let mut within = |i: usize| draws.uniform(ranges[i].low, ranges[i].high);
            let (a, b, y) = (within(0), within(0), within(1));
            let at = |x: f64| expression.value(&[x, y]).ok();
            let (Some(f), Some(g)) = (at(a), at(b)) else { continue };
            let Interval { low, high } = found.value;
            assert!(low <= f && f <= high, "{text}: {f} in {:?}", found.value);
            let ends = [found.slope.low * (a - b), found.slope.high * (a - b)];
            // The difference of two rounded numbers, each of some operations.
            let room = 1e-10 * (1.0 + f.abs() + g.abs() + ends[0].abs() + ends[1].abs());
            let least = ends[0].min(ends[1]) - room;
            let most = ends[0].max(ends[1]) + room;
            let holds =
                a == b || ends.iter().any(|end| end.is_nan()) || least <= f - g && f - g <= most;
            assert!(holds, "{text}: {f} - {g} from {a} - {b}, {found:?}");
        }
    }
    assert!(narrow > 8000, "{narrow}");
}

/// The slopes of smooth functions at a point are their derivatives.
#[test]
fn slopes_at_a_point_are_derivatives() {
    for text in [
        "x^3 - 2*x/y",
        "sqrt(x) * sin(x*y)",
        "cos(x)^2 + tan(x/4)",
        "asin(x/3) - acos(x/4) + atan(x)",
        "x^0.7 / (1 + x^2)",
        "atan2(x, y)",
        "max(x^2, y) + min(x, y) + abs(y - x)",
    ] {
        let (expression, [x, y], h) = (read(text), [1.3, 0.4], 1e-6);
        let at = |x: f64| expression.value(&[x, y]).unwrap();
        let expected = (at(x + h) - at(x - h)) / (2.0 * h);
        let place = [Slope::variable(Interval::point(x)), Slope::constant(Interval::point(y))];
        let Interval { low, high } = expression.value(&place).unwrap().slope;
        // The third derivative times h^2, and the rounding of a difference over h.
        assert!((low - expected).abs() < 1e-8 && high - low < 1e-12, "{text}: {low} {expected}");
    }
}

#[test]
fn usual_costs_are_convex() {
    let wide = Interval { low: -10.0, high: 10.0 };
    let bend = |text: &str| read(text).value(&[ExpressionShape::name(wide); 5]).unwrap();
    for text in ["0.5*(torso.x-1)^2 + x", "abs(x - y) + max(x, 0)^2", "x^4 - 3*y", "max(x, -x)"] {
        assert_eq!(bend(text).bend, Bend::Convex, "{text}");
    }
    assert_eq!(bend("2 - 3*(x - y)/4").bend, Bend::Affine);
    assert_eq!(bend("sqrt(x^2 + y^2)").bend, Bend::Quasiconvex);
    assert_eq!(bend("-(x^2)").bend, Bend::Concave);
    assert_eq!(bend("x*y").bend, Bend::Unknown);
    assert!(bend("sqrt(x^2 + y^2) - 1").peaks_at_vertices() && !bend("sin(x)").peaks_at_vertices());
}

#[test]
fn faults_say_where() {
    for (text, what, place) in [
        ("x + z", "unknown name `z`", "z"),
        ("x + ", "the expression ends where a number, a name or `(` is expected", ""),
        ("`x", "the expression ends where a second backtick is expected", ""),
        ("max(x)", "expected `,` and a second argument of `max`, found `)`", ")"),
        ("x y", "expected an operator, found `y`", "y"),
    ] {
        let fault = Expression::read(text, &|name| (name == "x").then_some(0)).expect_err(text);
        assert_eq!((&*fault.what, &text[fault.span]), (what, place));
    }
}

/// Derivatives of every operation that has them, against differences.
#[test]
fn derivatives_are_limits_of_differences() {
    let read = |text: &str| {
        let number_of = |name: &str| ["x", "y", "z"].iter().position(|known| *known == name);
        Expression::read(text, &number_of).unwrap()
    };
    let mut draws = Draws::new(97);
    for text in [
        "x^2 * y - z / (2 + x)",
        "sqrt(1 + x^2 + y*z)",
        "sin(x + 2*y) * cos(z) - tan(x*y/3)",
        "asin(x/3) + acos(y/3) - atan(z*x)",
        "(1.5 + x)^(y + z)",
        "(2 + x*z)^1.5 - (0.5 + y^2)^-2",
        "-(x + y*z)^3",
    ] {
        let expression = read(text);
        for _ in 0..20 {
            let at = [0, 1, 2].map(|_| draws.uniform(-1.0, 1.0));
            let jet = expression.value(&Jet::variables(at)).unwrap();
            let moved =
                |steps: [f64; 3]| expression.value(&[0, 1, 2].map(|i| at[i] + steps[i])).unwrap();
            let unit = |i: usize, h: f64| [0, 1, 2].map(|k| if k == i { h } else { 0.0 });
            // Differences of second order: h^2 of the third derivatives, at most about 100 here,
            // and rounding over h, for the second ones over h^2.
            for i in 0..3 {
                let h = 1e-5;
                let slope = (moved(unit(i, h)) - moved(unit(i, -h))) / (2.0 * h);
                assert!((jet.gradient[i] - slope).abs() < 1e-7, "{text}: {i} {slope}");
                for j in 0..3 {
                    let h = 1e-4;
                    let both = |s: f64, t: f64| {
                        let (a, b) = (unit(i, s * h), unit(j, t * h));
                        moved([0, 1, 2].map(|k| a[k] + b[k]))
                    };
                    let bend = (both(1.0, 1.0) - both(1.0, -1.0) - both(-1.0, 1.0)
                        + both(-1.0, -1.0))
                        / (4.0 * h * h);
                    let found = jet.hessian[i][j];
                    assert!((found - bend).abs() < 1e-4, "{text}: {i} {j} {found} {bend}");
                }
            }
        }
    }
    // A power of 0 has the derivatives of a polynomial.
    let flat = read("x^4 + y^2 + z").value(&Jet::variables([0.0; 3])).unwrap();
    assert_eq!((flat.gradient, flat.hessian[1]), ([0.0, 0.0, 1.0], [0.0, 2.0, 0.0]));
    assert!(read("min(x, y)").value(&Jet::variables([0.0; 3])).is_err());
}
