//! Parameters of scenes: expressions, other values, sweeps.

use super::*;
use carom_law::Outcome;
use carom_law::finite::propagative::PropagativeDetails;
use proptest::prelude::*;

const NAMES: [(&str, f64); 3] = [("a", 1.5), ("r_b", -0.25), ("_c9", 3.0)];

/// A ball on a floor whose horizontal velocity is an expression.
fn ball(expression: &str) -> String {
    let parameters: String =
        NAMES.iter().map(|(name, value)| format!("{name} = {value:?}\n")).collect();
    format!(
        "friction = 0\n[parameters]\n{parameters}theta = {{ value = 65, min = 60, max = 180 }}\n\
         [[walls]]\nname = \"floor\"\nnormal = [0, 1]\n[[bodies]]\nname = \"ball\"\nmass = \"1\"\n\
         shapes = [{{ disk = 1 }}]\nposition = [0, \"sqrt(1)\"]\nvelocity = [\"{expression}\", -1]\n"
    )
}

fn parse(text: &str) -> Result<ContactProblem, Error> {
    scene::parse("file", text, Format::Toml)
}

fn value(expression: &str) -> Result<f64, Error> {
    parse(&ball(expression)).map(|problem| problem.velocity()[0])
}

#[test]
fn expressions_have_the_usual_meaning() {
    let (a, b) = (1.5_f64, -0.25_f64);
    for (expression, expected) in [
        ("7", 7.0),
        (" .5e1 ", 5.0),
        ("2E-1+1", 1.2),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("8 / 4 / 2 - 1 - 2", -2.0),
        ("2 * -a", -3.0),
        ("--a", a),
        ("+a", a),
        (
            "(a + r_b) * cos(theta * pi / 180 / 2)",
            (a + b) * (65.0_f64 * std::f64::consts::PI / 180.0 / 2.0).cos(),
        ),
        ("atan2(a, r_b) + abs(r_b)", a.atan2(b) + 0.25),
        ("asin(1) - acos(0) + atan(0) + tan(0) + sin(0) + _c9", 3.0),
    ] {
        assert_eq!(value(expression).unwrap(), expected, "{expression}");
    }
}

#[test]
fn mistakes_point_into_the_expression() {
    for (expression, message, marked) in [
        (
            "2 * thta",
            "bodies[0].velocity[0]: unknown parameter `thta`; did you mean `theta`?",
            "thta",
        ),
        ("zzzzzz", "unknown parameter `zzzzzz`; known: `a`", "zzzzzz"),
        ("1 / (a - 1.5)", "division by zero", "/ (a - 1.5)"),
        ("sqrt(r_b)", "sqrt of -0.25 has no finite value", "sqrt(r_b)"),
        ("asin(2)", "asin of 2 has no finite value", "asin(2)"),
        ("10^999", "10 ^ 999 has no finite value", "^999"),
        ("1e308 * 10", "this product has no finite value", "* 10"),
        ("1e308 + 1e308", "this sum has no finite value", "+ 1e308"),
        ("1e999", "1e999 has no finite value", "1e999"),
        ("1..2", "`1..2` is not a number", "1..2"),
        ("a b", "expected an operator, found `b`", "b"),
        ("2 * * 3", "expected a number, a name or `(`, found `*`", "*"),
        ("(a", "the expression ends where an operator or `)` is expected", "\"(a\""),
        ("", "the expression ends where a number, a name or `(` is expected", "\"\""),
        ("sin a", "expected `(` after `sin`, found `a`", "a"),
        ("atan2(a)", "expected `,` and a second argument of `atan2`, found `)`", ")"),
        ("2 \u{b7} a", "expected an operator, found `\u{b7}`", "\u{b7}"),
    ] {
        let error = value(expression).expect_err(expression);
        let found = format!("{error}; {}", error.hint.as_deref().unwrap_or(""));
        assert!(found.contains(message), "{expression}: {found}");
        let excerpt = error.excerpt.unwrap();
        assert_eq!(&excerpt.text[excerpt.span], marked, "{expression}");
    }
    for deep in ["-".repeat(100_000) + "1", "(".repeat(100_000), "2^".repeat(100_000)] {
        let error = value(&deep).expect_err("too deep").to_string();
        assert!(error.contains("nested deeper than 64 levels"));
    }
}

#[test]
fn mistakes_in_the_table() {
    let valid = ball("a");
    for (from, to, message) in [
        ("a = 1.5", "a = \"1.5\"", "parameters.a: expected a number, found a string"),
        ("a = 1.5", "a = inf", "parameters.a: expected a finite number"),
        ("a = 1.5", "sin = 1.5", "parameters.sin: `sin` has a meaning of its own"),
        ("a = 1.5", "\"a b\" = 1.5", "letters, digits and `_`"),
        ("a = 1.5", "a = { min = 1 }", "parameters.a: the key `value` is missing"),
        (
            "value = 65",
            "value = 50",
            "parameters.theta.value: expected a number in [60, 180], found 50",
        ),
        ("max = 180", "max = 50", "expected a number in [60, 50]"),
        ("max = 180", "scale = 0", "parameters.theta.scale: a scale is > 0"),
        ("max = 180", "free = 1", "parameters.theta.free: expected true or false"),
        ("max = 180", "mox = 180", "unknown key `mox`"),
        ("[parameters]", "[parametres]", "unknown key `parametres`"),
    ] {
        assert!(valid.contains(from), "{from}");
        let error = parse(&valid.replacen(from, to, 1)).map(|_| ()).expect_err(to);
        assert!(error.to_string().contains(message), "{to}: {error}");
        assert!(error.excerpt.is_some(), "{to}: no place");
    }
    let error = parse("parameters = 3\nbodies = []").map(|_| ()).expect_err("no table");
    assert!(error.to_string().contains("parameters: expected a table"), "{error}");
    // Without the table a string is no number.
    let error = parse("friction = \"0\"\n[[bodies]]\nname = \"x\"\nmass = \"1\"")
        .map(|_| ())
        .expect_err("no table");
    assert!(error.to_string().contains("mass: expected a number, found a string"), "{error}");
}

#[test]
fn other_values_from_outside() {
    let document = Document::new("file", ball("a + theta"), Format::Toml).unwrap();
    let velocity = |set: &[(&str, f64)]| document.problem(set).map(|problem| problem.velocity()[0]);
    assert_eq!(velocity(&[]), Ok(66.5));
    assert_eq!(velocity(&[("theta", 90.0), ("a", 0.0)]), Ok(90.0));
    for (set, message, hint) in [
        (&[("thet", 90.0)][..], "thet: `file` has no such parameter", "did you mean `theta`?"),
        (&[("theta", 50.0)], "theta: expected a finite number in [60, 180], found 50", ""),
        (&[("a", f64::NAN)], "a: expected a finite number in [-inf, inf]", ""),
        (&[("a", 1.0), ("a", 2.0)], "a: the parameter is set twice", ""),
    ] {
        let error = velocity(set).expect_err(message);
        assert_eq!(error.kind, ErrorKind::Usage);
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.hint.unwrap_or_default().contains(hint));
    }
    let text = document.text(&[("theta", 90.0), ("r_b", 1e-9)]).unwrap();
    let expected = ball("a + theta").replace("value = 65", "value = 90.0").replace("-0.25", "1e-9");
    assert_eq!(text, expected);
    assert_eq!(document.text(&[]).unwrap(), ball("a + theta"));
    let error = scene::load_with("cube-on-face", &[("theta", 1.0)]).expect_err("no parameters");
    assert!(error.to_string().contains("theta: `cube-on-face` has no parameters"), "{error}");
    let json = r#"{"mass": [[1]], "normal": [[1]], "velocity": ["a"], "parameters": {"a": 1}}"#;
    let error = scene::parse("file", json, Format::Json).map(|_| ()).expect_err("a problem");
    assert!(error.to_string().contains("unknown key `parameters`"), "{error}");
}

#[test]
fn sweeps() {
    let points = scene::sweep("billiard-break", "theta", &[60.0, 90.0]).unwrap();
    assert_eq!(points.iter().map(|(value, _)| *value).collect::<Vec<_>>(), [60.0, 90.0]);
    let known = scene::load_with("billiard-break", &[("theta", 90.0)]).unwrap();
    assert_eq!(points[1].1.spec(), known.spec());
    let error = scene::sweep("billiard-break", "teta", &[60.0]).map(|_| ()).expect_err("unknown");
    assert_eq!(error.hint.as_deref(), Some("did you mean `theta`?"));
}

/// The scene with the numbers that stood in it before it had parameters.
#[test]
fn the_billiard_break_has_kept_its_numbers() {
    let scene = scene::builtin("billiard-break").unwrap().text;
    let mut plain = scene.to_string();
    for axis in ["cos", "sin"] {
        for (radius, sign) in [("r_a", ""), ("r_b", ""), ("r_b", "-")] {
            let number = if axis == "cos" { "1.6867828916257714" } else { "1.0745992166936478" };
            let expression = format!("\"{sign}(r_c + {radius}) * {axis}(theta / 2 * pi / 180)\"");
            plain = plain.replace(&expression, &format!("{sign}{number}"));
        }
    }
    for radius in ["r_a", "r_b"] {
        plain = plain.replace(&format!("\"({radius} / r_c)^3\""), "1.0");
    }
    assert!(!plain.contains("\"(") && !plain.contains("\"-("), "{plain}");
    assert_eq!(parse(&plain).unwrap().spec(), load("billiard-break").spec());
}

/// \[SM14\] Fig. 5, from an independent implementation. Origin: `tests/golden/README.md`.
#[test]
fn the_billiard_sweeps_of_the_golden_file() {
    for billiard in golden("propagative")["billiards"].as_array().unwrap() {
        let radius = |key: &str| number(&billiard[key]);
        let radii = [("r_a", radius("ra")), ("r_b", radius("rb")), ("r_c", radius("rc"))];
        for point in billiard["sweep"].as_array().unwrap() {
            let theta = number(&point["theta_deg"]);
            let problem =
                scene::load_with("billiard-break", &[&radii[..], &[("theta", theta)]].concat())
                    .unwrap();
            let resolved = Propagative::default().resolve(&problem).unwrap();
            let uniqueness = &resolved.about;
            let close = |x: f64, key: &str| {
                assert!((x - number(&point[key])).abs() < 1e-10, "{theta}: {key}")
            };
            close(uniqueness.indeterminacy, "xi");
            close(uniqueness.gram[(0, 1)], "inner_norm");
            for (sequence, momentum) in [("seq_ab", "p_ab"), ("seq_ba", "p_ba")] {
                let expected = indices(&point[sequence]);
                let is = |outcome: &&Outcome<PropagativeDetails>| outcome.sequence == expected;
                let outcome = resolved
                    .outcomes
                    .iter()
                    .find(is)
                    .unwrap_or_else(|| panic!("{theta}: {expected:?}"));
                // The file has a, b, c; the scene c, a, b.
                let v = &outcome.velocity;
                for (k, i) in [2, 3, 4, 5, 0, 1].into_iter().enumerate() {
                    let p = problem.mass()[(i, i)] * v[i];
                    let off = (p - number(&point[momentum][k])).abs();
                    assert!(off < 1e-10, "{theta}: {momentum}[{k}]");
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Tree {
    Number(f64),
    Name(usize),
    Minus(Box<Tree>),
    Binary(char, Box<Tree>, Box<Tree>),
    Call(&'static str, Box<Tree>),
}

impl Tree {
    /// The value, unless some part has none.
    fn value(&self) -> Option<f64> {
        let value = match self {
            Tree::Number(x) => *x,
            Tree::Name(i) => NAMES[*i].1,
            Tree::Minus(x) => -x.value()?,
            Tree::Binary(operator, x, y) => match (operator, x.value()?, y.value()?) {
                ('+', x, y) => x + y,
                ('-', x, y) => x - y,
                ('*', x, y) => x * y,
                ('/', x, y) => x / y,
                (_, x, y) => x.powf(y),
            },
            Tree::Call(name, x) => match (*name, x.value()?) {
                ("sqrt", x) => x.sqrt(),
                ("abs", x) => x.abs(),
                ("sin", x) => x.sin(),
                (_, x) => x.acos(),
            },
        };
        Some(value).filter(|value| value.is_finite())
    }

    /// The text, with as few brackets as may be: 0 sum, 1 product, 2 sign, 3 atom.
    fn text(&self, level: u8) -> String {
        let (own, text) = match self {
            Tree::Number(x) => (3, format!("{x:?}")),
            Tree::Name(i) => (3, NAMES[*i].0.to_string()),
            Tree::Minus(x) => (2, format!("-{}", x.text(2))),
            Tree::Binary('^', x, y) => (2, format!("{}^{}", x.text(3), y.text(2))),
            Tree::Binary(operator, x, y) => {
                let own = u8::from(matches!(operator, '*' | '/'));
                (own, format!("{} {operator} {}", x.text(own), y.text(own + 1)))
            }
            Tree::Call(name, x) => (3, format!("{name}({})", x.text(0))),
        };
        if own < level { format!("({text})") } else { text }
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![(0.0..10.0).prop_map(Tree::Number), (0..3_usize).prop_map(Tree::Name)];
    leaf.prop_recursive(6, 40, 2, |inner| {
        let operator = prop::sample::select(vec!['+', '-', '*', '/', '^']);
        let name = prop::sample::select(vec!["sqrt", "abs", "sin", "acos"]);
        prop_oneof![
            inner.clone().prop_map(|x| Tree::Minus(Box::new(x))),
            (operator, inner.clone(), inner.clone()).prop_map(|(operator, x, y)| Tree::Binary(
                operator,
                Box::new(x),
                Box::new(y)
            )),
            (name, inner).prop_map(|(name, x)| Tree::Call(name, Box::new(x))),
        ]
    })
}

proptest! {
    #![proptest_config(random_cases(500))]

    #[test]
    fn an_independent_evaluation_agrees(tree in tree()) {
        // The kinetic energy of larger velocities is not finite, which is an error of its own.
        prop_assume!(tree.value().is_none_or(|value| value.abs() < 1e100));
        let text = tree.text(0);
        prop_assert_eq!(value(&text).ok(), tree.value(), "{}", text);
    }

    #[test]
    fn random_expressions_never_panic(text in "[-+*/^(),. a0-9episnqrt_\u{e9}]{0,40}") {
        let _ = value(&text);
    }
}
