//! Problems that say something else than was meant.

mod pose;

use crate::prelude::*;
use crate::support::problems::{fixed, problem as new};
use carom_core::real::Real;
use proptest::prelude::*;

/// A block on two corners.
fn block() -> ProblemSpec {
    let normal = [[0.0, 1.0, -0.5], [0.0, 1.0, 0.5]];
    let tangent = [[1.0, 0.0, 0.3], [1.0, 0.0, 0.3]];
    ProblemSpec {
        coordinates: Some(["x", "y", "theta"].map(String::from).to_vec()),
        contacts: Some(["left", "right"].map(String::from).to_vec()),
        ..rough(&[1.0, 1.0, 0.2], normal, tangent, [0.5, 0.5], [0.3, -1.0, 0.4])
    }
}

const JSON: &str = r#"{ "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.2]], "normal": [[0, 1, -0.5], [0, 1, 0.5]],
  "tangent": [[1, 0, 0.3], [1, 0, 0.3]], "friction": [0.5, 0.5], "velocity": [0.3, -1, 0.4],
  "coordinates": ["x", "y", "theta"], "contacts": ["left", "right"] }"#;

fn refused(spec: ProblemSpec) -> Error {
    let error = ContactProblem::new(spec).expect_err("a problem that says something impossible");
    assert_eq!(error.kind, ErrorKind::Input);
    error
}

/// The one warning of a problem.
fn sole_warning(spec: ProblemSpec) -> String {
    let problem = new(spec);
    let [warning] = problem.warnings() else { panic!("{:?}", problem.warnings()) };
    warning.clone()
}

/// All of the message has to be there, and a hint.
fn says(error: &Error, words: &[&str]) {
    let text = format!("{error}; {}", error.hint.as_deref().unwrap_or("no hint"));
    assert!(error.hint.is_some(), "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is missing: {text}");
    }
}

fn parse(text: &str, format: Format) -> Result<ContactProblem, Error> {
    scene::parse("file", text, format)
}

fn scaled(rows: &mut [Vec<f64>], factor: f64) {
    rows.iter_mut().flatten().for_each(|x| *x *= factor);
}

#[test]
fn a_zero_normal_row_is_refused_by_name() {
    for normal in [0.0, 1e-300, 1e-200, 1e-14] {
        let mut spec = block();
        scaled(&mut spec.normal[1..], normal);
        let error = refused(spec);
        assert_eq!(error.at.as_deref(), Some("normal[1]"));
        says(&error, &["`right` (number 1)", "zero", "leave the contact out"]);
    }
    // One contact alone is as long as its tangent tells.
    let mut spec = block();
    spec.normal = vec![vec![1e-17, 0.0, 0.0]];
    (spec.tangent, spec.friction, spec.contacts) =
        (vec![vec![0.0, 1.0, 0.0]], Some(vec![0.5]), None);
    assert_eq!(refused(spec).at.as_deref(), Some("normal[0]"));
    let error =
        parse(&JSON.replace("[0, 1, 0.5]", "[0, 0, 0]"), Format::Json).expect_err("a zero row");
    let excerpt = error.excerpt.as_deref().expect("a place in the text");
    assert_eq!(&excerpt.text[excerpt.span.clone()], "[0, 0, 0]");
    says(&error, &["`right`", "normal[1]"]);
}

#[test]
fn a_scene_whose_body_cannot_move_along_the_normal_is_refused() {
    let slider = r#"
        friction = 0.5
        [[walls]]
        name = "floor"
        normal = [0, 1]
        [[bodies]]
        name = "slider"
        joint = "prismatic"
        axis = [1, 0]
        speed = 1
        mass = 1
        shapes = [{ disk = 1 }]
        anchor = [0, 1]"#;
    says(
        &parse(slider, Format::Toml).expect_err("nothing moves along the normal"),
        &["`floor-slider` (number 0)", "normal[0]", "collide = false"],
    );
}

#[test]
fn units_and_heavy_neighbours_make_no_row_zero() {
    for length in [1e-3, 1e3, 1e-60, 1e60] {
        // The block in other units of length.
        let mut spec = block();
        spec.mass[2][2] *= length * length;
        for rows in [&mut spec.normal, &mut spec.tangent] {
            rows.iter_mut().for_each(|row| row[2] *= length);
        }
        spec.velocity[0] *= length;
        spec.velocity[1] *= length;
        new(spec);
        let mut spec = block();
        scaled(&mut spec.normal, length);
        scaled(&mut spec.tangent, length);
        new(spec);
    }
    for factor in [1e-9, 1e9] {
        let mut spec = block();
        scaled(&mut spec.normal[1..], factor);
        scaled(&mut spec.tangent[1..], factor);
        new(spec);
    }
    // A grain of a microgram between the floor and a block of a million tonnes.
    let masses = [1e-9, 1e9];
    new(smooth(&[masses[0], masses[1]], [[1.0, 0.0], [-1.0, 1.0], [0.0, 1.0]], [0.0, -1.0]));
}

#[test]
fn names_that_are_given_twice_are_refused() {
    let mut spec = block();
    spec.contacts = Some(vec!["foot".into(), "foot".into()]);
    let error = refused(spec);
    assert_eq!(error.at.as_deref(), Some("contacts[1]"));
    says(&error, &["`foot`", "contacts[0]"]);
    let mut spec = block();
    spec.coordinates = Some(vec!["x".into(), "y".into(), "x".into()]);
    let error = refused(spec);
    assert_eq!(error.at.as_deref(), Some("coordinates[2]"));
    says(&error, &["`x`", "coordinates[0]"]);
    let error =
        parse(&JSON.replace("\"right\"", "\"left\""), Format::Json).expect_err("two of one name");
    let excerpt = error.excerpt.as_deref().expect("a place in the text");
    assert_eq!(excerpt.text[..excerpt.span.start].matches("\"left\"").count(), 1, "the second one");
    let scene = scene::builtin("rocking-block").expect("a scene").text;
    let twice = scene.replace("names = [\"left\", \"right\"]", "names = [\"foot\", \"foot\"]");
    assert_ne!(twice, scene);
    let error = parse(&twice, Format::Toml).expect_err("two of one name");
    says(&error, &["contact.names[0]", "`foot`", "contact.names[1]"]);
}

#[test]
fn the_names_that_a_scene_makes_up_differ() {
    // The two corners of `block` and the one disk `block-1` all touch the floor.
    let scene = r#"
        friction = 0.5
        [[walls]]
        name = "floor"
        normal = [0, 1]
        [[bodies]]
        name = "block"
        mass = 1
        shapes = [{ box = [1, 1] }]
        position = [0, 0.5]
        [[bodies]]
        name = "block-1"
        mass = 1
        shapes = [{ disk = 1 }]
        position = [5, 1]"#;
    let problem = parse(scene, Format::Toml).expect("a valid scene");
    assert_eq!(problem.contacts(), ["floor-block-1", "floor-block-2", "floor-block-1-1"]);
}

#[test]
fn friction_without_a_tangent_is_warned_of() {
    let mut spec = block();
    spec.tangent[1] = vec![0.0; 3];
    let warning = sole_warning(spec.clone());
    assert!(warning.contains("tangent[1]") && warning.contains("`right` (number 1)"), "{warning}");
    assert!(warning.contains("no effect"), "{warning}");
    spec.friction = Some(vec![0.5, 0.0]);
    assert!(new(spec.clone()).warnings().is_empty());
    // A range of friction is friction.
    spec.uncertainty = Uncertainty { friction: vec![[0.0, 0.5]], ..Uncertainty::default() };
    assert_eq!(new(spec).warnings().len(), 1);
    let smooth = ProblemSpec { tangent: Vec::new(), friction: None, ..block() };
    assert!(new(smooth).warnings().is_empty());
    let zero = vec![vec![0.0; 3]; 2];
    let spec = ProblemSpec { tangent: zero, friction: Some(vec![0.0; 2]), ..block() };
    assert!(new(spec).warnings().is_empty());
    for (rows, words) in [
        (
            [[0.0; 6], [0.0, 1.0, 0.0, 0.4, 0.0, 0.1]],
            "tangent[0] is zero: friction at contact `c0` (number 0) acts along",
        ),
        (
            [[1.0, 0.0, 0.0, 0.0, -0.4, 0.2], [0.0; 6]],
            "tangent[1] is zero: friction at contact `c0` (number 0) acts along",
        ),
        ([[0.0; 6]; 2], "tangent[0] is zero: friction at contact `c0` (number 0) has no effect"),
    ] {
        let bare = free(&[([0.1, 0.2, -0.4], FLOOR)]);
        let warning = sole_warning(ProblemSpec { tangent: rows.map(Vec::from).to_vec(), ..bare });
        assert!(warning.contains(words), "{warning}");
    }
}

#[test]
fn a_contact_that_is_there_twice_is_warned_of() {
    let repeats = |spec: ProblemSpec| {
        let problem = new(spec);
        let found: Vec<Option<usize>> =
            (0..problem.contact_count()).map(|i| problem.repeats(i)).collect();
        // Contacts with other coefficients only nearly repeat each other.
        let said = problem.warnings().iter().filter(|warning| !warning.contains("nearly repeats"));
        assert_eq!(said.count(), found.iter().flatten().count(), "{:?}", problem.warnings());
        (found, problem.warnings().join("\n"))
    };
    assert_eq!(repeats(block()).0, [None, None]);
    let mut spec = block();
    spec.contacts = None;
    for i in [1, 0, 1] {
        spec.normal.push(spec.normal[i].clone());
        spec.tangent.push(spec.tangent[i].clone());
    }
    // Rounding: in the last digit, and where a number should be zero.
    spec.normal[2][2] *= 1.0 + 2e-16;
    spec.tangent[3][1] = 6e-17;
    spec.friction = Some(vec![0.5; 5]);
    let (found, warnings) = repeats(spec.clone());
    assert_eq!(found, [None, None, Some(1), Some(0), Some(1)]);
    assert!(warnings.contains("`c3` (number 3) repeats contact `c0` (number 0)"), "{warnings}");
    let alone = |change: fn(&mut ProblemSpec)| {
        let mut spec = spec.clone();
        change(&mut spec);
        repeats(spec).0
    };
    let found_so = alone(|s| s.friction = Some(vec![0.5, 0.5, 0.4, 0.5, 0.4]));
    assert_eq!(found_so, [None, None, None, Some(0), Some(2)]);
    let found_so = alone(|s| s.restitution = Some(vec![0.1, 0.2, 0.2, 0.3, 0.2]));
    assert_eq!(found_so, [None, None, Some(1), None, Some(1)]);
    assert_eq!(alone(|s| s.tangent[3][2] = 0.31), [None, None, Some(1), None, Some(1)]);
    assert_eq!(alone(|s| s.normal[3][2] = -0.51), [None, None, Some(1), None, Some(1)]);
    let ranges = |s: &mut ProblemSpec| {
        s.uncertainty.friction = vec![[0.1, 0.2], [0.1, 0.2], [0.1, 0.2], [0.1, 0.3], [0.1, 0.2]];
    };
    assert_eq!(alone(ranges), [None, None, Some(1), None, Some(1)]);
    assert_eq!(alone(|s| s.uncertainty.restitution = vec![[0.0, 0.2]]), found);
    let restitution = |s: &mut ProblemSpec| {
        s.restitution = Some(vec![0.0; 5]);
        s.uncertainty.restitution =
            vec![[0.0, 0.2], [0.0, 0.2], [0.0, 0.2], [0.1, 0.2], [0.0, 0.2]];
    };
    assert_eq!(alone(restitution), [None, None, Some(1), None, Some(1)]);
    // Without friction the normals are all there is.
    let smooth = ProblemSpec { tangent: Vec::new(), friction: None, ..spec };
    assert_eq!(repeats(smooth).0, [None, None, Some(1), Some(0), Some(1)]);
}

/// The warnings of near repetitions.
fn near_misses(spec: ProblemSpec) -> Vec<String> {
    let problem = new(spec);
    problem.warnings().iter().filter(|text| text.contains("nearly repeats")).cloned().collect()
}

/// In the plane: the right corner of the block once more, off by a part of the row's length. With
/// inertia 0.2 a lever longer by `d` changes a normal row by `d / sqrt(0.2)` beside its length of
/// `sqrt(1 + 0.5^2 / 0.2)`: `d = 1e-3 sqrt(0.45)` is where warnings begin.
#[test]
fn a_contact_that_is_nearly_there_twice_is_warned_of() {
    let beside = |lever: f64, friction: f64| {
        let mut spec = ProblemSpec { contacts: None, ..block() };
        spec.normal.push(vec![0.0, 1.0, 0.5 + lever]);
        spec.tangent.push(spec.tangent[1].clone());
        spec.friction = Some(vec![0.5, 0.5, friction]);
        near_misses(spec)
    };
    let limit = 1e-3 * 0.45f64.sqrt();
    for lever in [limit * 0.99, -limit * 0.99, 1e-6, 1e-11] {
        let found = beside(lever, 0.5);
        let [warning] = &found[..] else { panic!("{lever}: {found:?}") };
        let words =
            ["`c2` (number 2) nearly repeats contact `c1` (number 1)", "leave one of them out"];
        assert!(words.iter().all(|word| warning.contains(word)), "{warning}");
    }
    assert_eq!(beside(limit * 1.01, 0.5).len() + beside(-limit * 1.01, 0.5).len(), 0);
    // Exactly there twice is said in other words; with another coefficient it is nearly so.
    assert_eq!((beside(0.0, 0.5).len(), beside(0.0, 0.4).len()), (0, 1));
    assert_eq!(near_misses(block()).len(), 0);
}

/// In space the axes of the tangent plane do not matter; its normal does, and the place.
#[test]
fn contacts_are_near_whatever_the_axes_of_their_tangents() {
    let (sin, cos) = 0.7f64.sin_cos();
    let turned = [FLOOR[0], [cos, sin, 0.0], [-sin, cos, 0.0]];
    let mirrored = [FLOOR[0], [sin, cos, 0.0], [cos, -sin, 0.0]];
    // The normal is tilted by 0.01.
    let (s, c) = 0.01f64.sin_cos();
    let tilted = [[s, 0.0, c], [c, 0.0, -s], [0.0, 1.0, 0.0]];
    let corner = [0.1, 0.2, -0.4];
    let hair = [0.1 + 5e-5, 0.2, -0.4];
    let finger = [0.1 + 1e-2, 0.2, -0.4];
    for (place, frame, count) in [
        (corner, turned, 1),
        (hair, FLOOR, 1),
        (hair, turned, 1),
        (hair, mirrored, 1),
        (finger, FLOOR, 0),
        (finger, turned, 0),
        (corner, tilted, 0),
    ] {
        let found = near_misses(free(&[(corner, FLOOR), (place, frame)]));
        assert_eq!(found.len(), count, "{place:?} {frame:?}: {found:?}");
    }
    // Many are counted, not listed.
    let crowd: Vec<_> = (0..8).map(|k| ([0.1 + 1e-6 * f64::from(k), 0.2, -0.4], FLOOR)).collect();
    let said = new(free(&crowd)).warnings().to_vec();
    assert!(said.len() == 4 && said[3].contains("4 more contacts repeat others"), "{said:?}");
}

#[test]
fn whether_a_contact_approaches() {
    let moving = |velocity: [f64; 3]| new(ProblemSpec { velocity: velocity.to_vec(), ..block() });
    assert!(moving([0.0, -1.0, 0.0]).approaches());
    assert!(moving([0.0, 0.0, 1.0]).approaches());
    assert!(!moving([0.0, 1.0, 0.0]).approaches());
    assert!(!moving([0.3, 0.0, 0.0]).approaches());
    assert!(!moving([0.0; 3]).approaches());
    // At rest is what the laws call at rest: 1e-7 of the largest velocity.
    assert!(!moving([1.0, -0.9e-7, 0.0]).approaches());
    assert!(moving([1.0, -1.1e-7, 0.0]).approaches());
    let problem = moving([1.0, -0.5, 0.0]);
    assert_eq!(problem.rest_velocity::<f64>(), 1e-7);
    assert_eq!(problem.rest_velocity::<f32>(), <f32 as Real>::TERMINATION);
    // Normals that point the wrong way.
    let mut spec = block();
    scaled(&mut spec.normal, -1.0);
    assert!(new(block()).approaches() && !new(spec).approaches());
}

/// The frame of a contact: normal and two tangents.
type Frame = [[f64; 3]; 3];
const FLOOR: Frame = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// A free body that is touched at points `r` from its mass centre: the rows are `d . (v + w x r)`.
fn free(contacts: &[([f64; 3], Frame)]) -> ProblemSpec {
    let tangents = |(r, frame): &([f64; 3], Frame)| [1, 2].map(|k| body_row(*r, frame[k]));
    let normal = contacts.iter().map(|(r, frame)| body_row(*r, frame[0]));
    let tangent = contacts.iter().flat_map(tangents);
    let (mass, velocity) = ([2.0, 2.0, 2.0, 0.3, 0.4, 0.5], [0.1, 0.2, -1.0, 0.3, 0.4, 0.5]);
    rough(&mass, normal, tangent, vec![0.5; contacts.len()], velocity)
}

/// The problem with all first axes before all second ones.
fn by_axis(spec: &ProblemSpec) -> ProblemSpec {
    let m = spec.normal.len();
    let rows = (0..2).flat_map(|axis| (0..m).map(move |i| spec.tangent[2 * i + axis].clone()));
    ProblemSpec { tangent: rows.collect(), ..spec.clone() }
}

/// An orthonormal frame from three rotations.
fn turned([a, b, c]: [f64; 3]) -> Frame {
    let turn = nalgebra::Rotation3::from_euler_angles(a, b, c);
    let row = |i: usize| [turn[(i, 0)], turn[(i, 1)], turn[(i, 2)]];
    [row(0), row(1), row(2)]
}

#[test]
fn tangents_sorted_by_axis_are_warned_of() {
    let corners = [[0.5, 0.4, -0.3], [-0.5, 0.4, -0.3], [-0.5, -0.4, -0.3]];
    for count in [2, 3] {
        let right = free(&corners.map(|r| (r, FLOOR))[..count]);
        assert!(new(right.clone()).warnings().is_empty());
        let wrong = by_axis(&right);
        let warning = sole_warning(wrong.clone());
        assert!(warning.contains("sorted by axis"), "{warning}");
        assert!(warning.contains(&format!("tangent[{count} + i]")), "{warning}");
        assert!(
            new(ProblemSpec { friction: Some(vec![0.0; count]), ..wrong }).warnings().is_empty()
        );
    }
}

#[test]
fn random_bodies_are_not_warned_of() {
    let angles = || prop::array::uniform3(-3.0..3.0f64);
    let point = || prop::array::uniform3(-1.0..1.0f64);
    let contacts = prop::collection::vec((point(), angles()), 1..=4);
    let mut mixed = 0;
    for drawn in fixed(contacts).take(300) {
        let frames: Vec<_> = drawn.iter().map(|&(r, angles)| (r, turned(angles))).collect();
        let right = free(&frames);
        assert_eq!(new(right.clone()).warnings(), &[] as &[String]);
        // Digits of files are rounded, and coordinates may come in another order.
        let mut rounded = right.clone();
        for x in rounded.normal.iter_mut().chain(&mut rounded.tangent).flatten() {
            *x = (*x * 1e3).round() / 1e3;
        }
        for row in rounded.normal.iter_mut().chain(&mut rounded.tangent).chain(&mut rounded.mass) {
            row.rotate_left(3);
        }
        rounded.mass.rotate_left(3);
        assert_eq!(new(rounded).warnings(), &[] as &[String]);
        // All on one plane, turned somehow: that the order is wrong shows.
        let plane: Vec<_> = drawn.iter().map(|&(r, _)| (r, turned(drawn[0].1))).collect();
        assert_eq!(new(free(&plane)).warnings(), &[] as &[String]);
        if drawn.len() > 1 {
            mixed += new(by_axis(&free(&plane))).warnings().len();
        }
    }
    assert!(mixed > 200, "{mixed}");
}

#[test]
fn parallel_rows_are_warned_of() {
    let contact = [([0.1, 0.2, -0.4], FLOOR)];
    let mut spec = free(&contact);
    spec.tangent[1] = spec.tangent[0].iter().map(|x| -0.3 * x).collect();
    let warning = sole_warning(spec);
    assert!(warning.contains("tangent[0] and tangent[1] are parallel"), "{warning}");
    // A point has rows along one coordinate each.
    let rows = |numbers: &[[f64; 3]]| numbers.iter().map(|row| row.to_vec()).collect::<Vec<_>>();
    let point = |second: [f64; 3]| ProblemSpec {
        mass: rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        normal: rows(&[[0.0, 0.0, 1.0]]),
        tangent: rows(&[[1.0, 0.0, 0.0], second]),
        friction: Some(vec![0.5]),
        velocity: vec![1.0, 0.5, -1.0],
        ..ProblemSpec::default()
    };
    assert!(new(point([0.0, 1.0, 0.0])).warnings().is_empty());
    for second in [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]] {
        let warning = sole_warning(point(second));
        assert!(warning.contains("tangent[0] and tangent[1] are parallel"), "{warning}");
    }
    // The normal where a tangent should be.
    let mut spec = block();
    spec.tangent[1] = spec.normal[1].iter().map(|x| -x).collect();
    let warning = sole_warning(spec);
    assert!(warning.contains("tangent[1] is normal[1]"), "{warning}");
    assert!(warning.contains("`right`"), "{warning}");
    // A hinge alone moves all directions of a contact alike.
    let hinge = rough(&[0.2], [[0.7]], [[0.7], [-0.2]], [0.5], [-1.0]);
    assert!(new(hinge).warnings().is_empty());
}

#[test]
fn rows_of_unequal_length_are_warned_of() {
    let contact = [([0.1, 0.2, -0.4], turned([0.3, -0.8, 1.9]))];
    for row in [0, 1] {
        let mut spec = free(&contact);
        scaled(&mut spec.tangent[row..=row], 2.0);
        let warning = sole_warning(spec);
        assert!(warning.contains("2.000000") && warning.contains("q0, q1, q2"), "{warning}");
    }
    let mut spec = block();
    scaled(&mut spec.tangent[1..], 1e3);
    let warning = sole_warning(spec);
    assert!(warning.contains("`right`"), "{warning}");
    assert!(warning.contains("1.000000, 1000.000000 in x, y"), "{warning}");
    // All rows of a contact in other units.
    let mut spec = block();
    scaled(&mut spec.normal[1..], 1e3);
    scaled(&mut spec.tangent[1..], 1e3);
    assert!(new(spec).warnings().is_empty());
}

#[test]
fn built_in_scenes_are_not_warned_of() {
    for builtin in scene::BUILTIN {
        let problem = scene::load(builtin.name).expect("a valid scene");
        assert_eq!(problem.warnings(), &[] as &[String], "{}", builtin.name);
        assert!(problem.approaches(), "{}", builtin.name);
    }
}

#[test]
fn one_coefficient_is_that_of_all_contacts() {
    let read = |friction: &str, restitution: &str| {
        let json = JSON
            .replace("\"friction\": [0.5, 0.5]", &format!("\"friction\": {friction}{restitution}"));
        parse(&json, Format::Json)
    };
    let problem = read("0.25", ", \"restitution\": 0.5").expect("a valid problem");
    assert_eq!(problem.friction(), [0.25, 0.25]);
    assert_eq!(problem.restitution(), Some(&[0.5, 0.5][..]));
    let error = read("-1", "").expect_err("negative friction").to_string();
    assert!(error.contains("friction[0]") && error.contains("-1"), "{error}");
    let error = read("\"high\"", "").expect_err("a word").to_string();
    assert!(
        error.contains("friction: expected a number or a list of numbers, found a string"),
        "{error}"
    );
    let toml = "mass = [[1, 0], [0, 1]]\nnormal = [[0, 1], [1, 0]]\nvelocity = [-1, -1]\n";
    let rough = format!("{toml}tangent = [[1, 0], [0, 1]]\nfriction = 0.5\nrestitution = 0.25\n");
    let problem = parse(&rough, Format::Toml).expect("a valid problem");
    assert_eq!(problem.friction(), [0.5, 0.5]);
    assert_eq!(problem.restitution(), Some(&[0.25, 0.25][..]));
    // Without tangents friction may be left out, or be none.
    for friction in ["", "friction = 0\n"] {
        let problem = parse(&format!("{toml}{friction}"), Format::Toml).expect("a valid problem");
        assert_eq!(problem.friction(), [0.0, 0.0]);
    }
    let error = parse(&format!("{toml}friction = 0.5\n"), Format::Toml)
        .expect_err("no tangents")
        .to_string();
    assert!(error.contains("without a tangent row"), "{error}");
    let event = JSON.replace("[0.5, 0.5]", "0.75, \"restitution\": 0.5, \"measured\": [0, 0, 0]");
    let events = format!("{{ \"events\": [{event}] }}");
    let events = Document::new("events", events, Format::Json)
        .and_then(|file| file.events())
        .expect("events");
    assert_eq!(events[0].problem.friction(), [0.75, 0.75]);
    assert_eq!(events[0].problem.restitution(), Some(&[0.5, 0.5][..]));
}

#[test]
fn a_singular_mass_matrix_names_its_coordinates() {
    let singular = |mass: [[f64; 3]; 3]| {
        refused(ProblemSpec { mass: mass.map(Vec::from).to_vec(), ..block() })
    };
    let names = |error: &Error| {
        says(error, &["mass", "not positive definite", "without inertia, or one counted twice"]);
        let text = error.to_string();
        ["x", "y", "theta"].map(|name| text.contains(&format!("`{name}`")))
    };
    // A coordinate without inertia; one counted twice; a sum of two in the third; a negative one.
    let cases = [
        ([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.2]], [false, true, false]),
        ([[1.0, 0.0, 1.0], [0.0, 5.0, 0.0], [1.0, 0.0, 1.0]], [true, false, true]),
        ([[2.0, 0.0, 2.0], [0.0, 3.0, 3.0], [2.0, 3.0, 5.0]], [true, true, true]),
        ([[1.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.0, 0.0, -1.0]], [false, false, true]),
        // The units of a coordinate decide nothing.
        ([[1e12, 0.0, 1e6], [0.0, 5.0, 0.0], [1e6, 0.0, 1.0]], [true, false, true]),
    ];
    for (mass, expected) in cases {
        assert_eq!(names(&singular(mass)), expected, "{mass:?}");
    }
    let rocking = scene::builtin("newtons-cradle").expect("a scene").text;
    let hollow = rocking.replacen("mass = 1.0", "mass = 0.0", 1);
    assert_ne!(hollow, rocking);
    let error = parse(&hollow, Format::Toml).expect_err("a body without mass");
    says(&error, &["not positive definite", "without inertia"]);
    let name =
        rocking.split("[[bodies]]").nth(1).and_then(|body| body.split('"').nth(1)).expect("a name");
    assert!(error.to_string().contains(&format!("`{name}.")), "{error}");
}

#[test]
fn a_mass_matrix_of_the_wrong_size_or_shape_is_refused() {
    let with = |mass: &[&[f64]]| {
        refused(ProblemSpec { mass: mass.iter().map(|row| row.to_vec()).collect(), ..block() })
    };
    let error = with(&[&[1.0, 0.0], &[0.0, 1.0]]);
    assert_eq!(error.at.as_deref(), Some("mass"), "{error}");
    assert!(error.what.contains("2 rows, expected 3"), "{error}");
    let error = with(&[&[1.0, 0.0, 0.0], &[0.0, 1.0], &[0.0, 0.0, 1.0]]);
    assert_eq!(error.at.as_deref(), Some("mass[1]"));
    let error = with(&[&[1.0, 0.1, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]]);
    assert!(error.what.contains("not symmetric: mass[1][0] = 0, mass[0][1] = 0.1"), "{error}");
}

#[test]
fn overlaps_name_the_bodies() {
    let planar = r#"
        friction = 0.5
        [[bodies]]
        name = "disk"
        mass = 1
        shapes = [{ disk = 1 }]
        [[bodies]]
        name = "block"
        mass = 1
        shapes = [{ box = [1, 1] }]
        position = [1.4, 0]"#;
    let spatial = format!("dimensions = 3\n{planar}")
        .replace("disk = 1", "sphere = 1")
        .replace("[1, 1]", "[1, 1, 1]")
        .replace("[1.4, 0]", "[1.4, 0, 0]");
    for text in [planar, &spatial] {
        let error = parse(text, Format::Toml).expect_err("an overlap");
        says(&error, &["`disk` and `block` overlap by", "move them apart"]);
    }
}

#[test]
fn friction_has_a_limit() {
    let with =
        |mu: f64| ContactProblem::new(ProblemSpec { friction: Some(vec![0.5, mu]), ..block() });
    assert!(with(1e8).is_ok());
    for mu in [1.1e8, 1e20] {
        let error = with(mu).expect_err("too much friction").to_string();
        assert!(error.contains("friction[1]") && error.contains("at most 1e8"), "{error}");
    }
}
