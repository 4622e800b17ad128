//! Scene and problem files: every mistake gets one error that names its place.

use super::*;
use carom::scene::BUILTIN;
use proptest::prelude::*;

const PROBLEM: &str = r#"{
  "name": "two corners",
  "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.5]],
  "normal": [[0, 1, -0.5], [0, 1, 0.5]],
  "tangent": [[1, 0, 1], [1, 0, 1]],
  "friction": [1, 0.5],
  "restitution": [0, 0],
  "velocity": [0, -1, 0],
  "coordinates": ["x", "y", "theta"],
  "contacts": ["left", "right"],
  "step": 0.3,
  "max_steps": 10
}"#;

const PROBLEM_TOML: &str = r#"
name = "two corners"
mass = [[1, 0, 0], [0, 1, 0], [0, 0, 0.5]]
normal = [[0, 1, -0.5], [0, 1, 0.5]]
tangent = [[1, 0, 1], [1, 0, 1]]
friction = [1, 0.5]
restitution = [0, 0]
velocity = [0, -1, 0]
coordinates = ["x", "y", "theta"]
contacts = ["left", "right"]
step = 0.3
max_steps = 10
"#;

const SCENE: &str = r#"
friction = 0.5
[contact]
names = ["a", "b"]
at_rest = "a"
[[walls]]
name = "floor"
normal = [0, 1]
[[bodies]]
name = "block"
mass = 1.0
shapes = [{ box = [1.0, 2.0] }]
position = [0.0, 1.0]
angular_velocity = 1.0
[[bodies]]
name = "arm"
parent = "block"
joint = "prismatic"
axis = [0, 1]
anchor = [0, 1]
mass = 0.5
shapes = [{ disk = 0.25 }]
speed = -0.5
"#;

const SPACE: &str = r#"
dimensions = 3
friction = 0.5
[parameters]
height = { value = 1.0, free = true }
[contact]
names = ["a", "b", "c", "d"]
at_rest = "a"
[[walls]]
name = "floor"
normal = [0, 0, 1]
point = [0, 0, 0]
[[walls]]
name = "slope"
normal = [1, 0, 1]
point = [-1e3, 0, 0]
[[pairs]]
between = ["floor", "block"]
[[bodies]]
name = "block"
mass = 6.0
shapes = [{ box = [2, 2, 2] }]
position = [0, 0, "height"]
rotation_deg = [0, 0, 30]
angular_velocity = [1, 2, 3]
[[bodies]]
name = "arm"
parent = "block"
joint = "revolute"
axis = [0, 1, 0]
anchor = [0, 0, 1]
mass = 0.5
inertia = [1, 1, 1]
center_of_mass = [0.25, 0, 0]
shapes = [{ sphere = 0.5 }]
angle_deg = 90
angular_velocity = 0.5
"#;

fn parse(text: &str, format: Format) -> Result<ContactProblem, Error> {
    scene::parse("file", text, format)
}

/// Swaps one part of a valid file: the error's message and hint, and the text it points to.
fn mistake(valid: &str, format: Format, from: &str, to: &str) -> (String, String) {
    assert!(valid.contains(from), "the valid file has no `{from}`");
    let text = valid.replacen(from, to, 1);
    let error =
        parse(&text, format).map(|_| ()).expect_err(&format!("`{from}` -> `{to}` is accepted"));
    assert_eq!(error.kind, ErrorKind::Input);
    let excerpt = error.excerpt.as_ref().unwrap_or_else(|| panic!("no place: {error}"));
    assert_eq!(excerpt.name, "file");
    let marked =
        excerpt.text.get(excerpt.span.clone()).unwrap_or_else(|| panic!("span off: {error}"));
    (format!("{error}; {}", error.hint.as_deref().unwrap_or("")), marked.to_string())
}

/// Mistakes: part => replacement | in the message | where the error points to, `*` anywhere.
fn check(valid: &str, format: Format, mistakes: &str) {
    parse(valid, format).unwrap();
    for [from, to, message, place] in table(mistakes) {
        let (found, marked) = mistake(valid, format, &from, &to);
        assert!(found.contains(&message), "`{from}` -> `{to}`: `{message}` is not in `{found}`");
        assert!(place == "*" || marked == place, "`{from}` -> `{to}`: {found}, at `{marked}`");
        assert!(found.len() < 600, "{found}");
    }
}

/// The reader knows every key of the schema, which has a key for each field of a problem.
#[test]
fn the_reader_has_the_keys_of_the_schema() {
    let schema = scene::schema::problem();
    let uncertain = &schema["$defs"]["Uncertainty"]["properties"];
    for (part, keys) in [("", &schema["properties"]), ("uncertainty", uncertain)] {
        let mut keys: Vec<&str> = keys.as_object().unwrap().keys().map(String::as_str).collect();
        keys.push("colour");
        for key in keys {
            let mut file: Value = serde_json::from_str(PROBLEM).unwrap();
            let table = if part.is_empty() { &mut file } else { &mut file[part] };
            table[key] = json!({});
            let error = parse(&file.to_string(), Format::Json).err();
            let unknown = error.is_some_and(|error| error.to_string().contains("unknown key"));
            assert_eq!(unknown, key == "colour", "{part} {key}");
        }
    }
}

#[test]
fn mistakes_in_json_problems() {
    let mistakes = r#"
"mass": [[1, => "mass": [[NaN, | not valid JSON: expected value | N
0.5]], => Infinity]], | not valid JSON | I
-1, 0] => 1e999, 0] | line 8, column 19: the number 1e999 is beyond the range | 1e999
-1, 0] => "fast", 0] | velocity[1]: expected a number, found a string | "fast"
-1, 0] => null, 0] | velocity[1]: expected a number, found null | null
-1, 0] => -1] | mass: 3 rows, expected 2 | [[1, 0, 0], [0, 1, 0], [0, 0, 0.5]]
[0, 1, 0] => [0, 1] | mass[1]: 2 numbers in this row, expected 3 | [0, 1]
[[1, 0, 0], [0, => [[1, 0.1, 0], [0, | mass[1][0]: not symmetric | 0
[[1, 0, 0] => [[-1, 0, 0]
    | mass: not positive definite: pivot 0 | [[-1, 0, 0], [0, 1, 0], [0, 0, 0.5]]
[1, 0.5] => [1] | friction: 1 entries for 2 contacts | [1]
[1, 0.5] => [1, -0.5] | friction[1]: a coefficient of friction is >= 0 | -0.5
[1, 0.5] => true | friction: expected a number or a list of numbers, found a boolean | true
[0, 0],\n  "vel => [0, 2],\n  "vel | restitution[1] | 2
"friction" => "frictoin" | unknown key `frictoin`; did you mean `friction`? | "frictoin"
"friction": [1, 0.5], => | tangent rows without coefficients |
"velocity": [0, -1, 0], => | the key `velocity` is missing |
"step" => "max_steps" | the key `max_steps` occurs twice | "max_steps"
"step": 0.3 => "step": -0.3 | step: an impulse step is a finite number > 0 | -0.3
"max_steps": 10 => "max_steps": 0 | max_steps: expected a whole number | 0
"max_steps": 10 => "max_steps": 2.5 | max_steps: expected a whole number | 2.5
["left", "right"] => ["left"] | contacts: 1 entries for 2 rows of `normal` | ["left"]
["left", "right"] => ["left", 2] | contacts[1]: expected a string, found a number | 2
"two corners" => 5 | name: expected a string, found a number | 5
"two corners" => "\ud800" | not Unicode text | "\ud800"
[[0, 1, -0.5], [0, 1, 0.5]] => [] | there is no contact | []
[[1, 0, 1], [1, 0, 1]] => [[1, 0, 1], [1, 0, 1], [1, 0, 1]]
    | tangent: 3 rows for 2 contacts | [[1, 0, 1], [1, 0, 1], [1, 0, 1]]
10\n} => 10\n | not valid JSON: EOF |
10\n} => 10\n} x | not valid JSON: trailing characters | x
10\n} => 10,\n "integrator": "lgvci"} | not a contact problem | "lgvci"
10\n} => 10,\n "events": []} | measured impacts | []
"name" => "ä😀" | unknown key `ä😀` | "ä😀"
"#;
    check(PROBLEM, Format::Json, mistakes);
}

#[test]
fn mistakes_in_toml_problems() {
    let mistakes = r#"
-1, 0] => nan, 0] | velocity[1]: expected a finite number, found NaN | nan
-1, 0] => -inf, 0] | velocity[1]: expected a finite number, found -inf | -inf
-1, 0] => 1e999, 0] | beyond the range | 1e999
-1, 0] => true, 0] | velocity[1]: expected a number, found a boolean | true
-1, 0] => 1979-05-27, 0] | velocity[1]: expected a number, found a date | 1979-05-27
[0, 1, 0.5]] => [0, 1, 0.5, 0]] | normal[1]: 4 numbers in this row | [0, 1, 0.5, 0]
step = 0.3 => steps = 0.3 | unknown key `steps`; did you mean `step`? | steps
step = 0.3 => max_steps = 3 | not valid TOML: duplicate key | max_steps
"#;
    check(PROBLEM_TOML, Format::Toml, mistakes);
    for broken in
        ["step 0.3", "step = [1", "step = \"x", "[step", "= 3", "step = 0x", "step = 1__0"]
    {
        let (found, _) = mistake(PROBLEM_TOML, Format::Toml, "step = 0.3", broken);
        assert!(found.contains("not valid TOML"), "{found}");
    }
}

#[test]
fn mistakes_in_scenes() {
    let mistakes = r#"
friction = 0.5 => | the key `friction` is missing |
friction = 0.5 => friction = -0.5 | friction[0]: a coefficient of friction is >= 0 | -0.5
friction = 0.5 => friction = [1] | friction: 1 numbers for 2 contacts | [1]
friction = 0.5 => friction = "high" | friction: expected a number, found a string | "high"
friction = 0.5 => friction = 0.5\nrestitution = 1.5 | restitution[0] | 1.5
friction = 0.5 => friction = 0.5\ncoordinates = ["x"] | coordinates: 1 entries for 4 | ["x"]
[contact] => [contacts] | unknown key `contacts`; did you mean `contact`? | contacts
names = => name = | contact: unknown key `name`; did you mean `names`? | name
["a", "b"] => ["a"]
    | contact.names: 1 names for 2 contacts; the contacts are floor-block-1, floor-block-2 | ["a"]
at_rest = "a" => at_rest = "c" | contact.at_rest: no contact is called `c` | "c"
at_rest = "a" => tolerance = -1 | contact.tolerance: a tolerance is >= 0 | -1
at_rest = "a" => tangent = "published" | did you mean `as-published`? | "published"
normal = [0, 1] => normal = [0, 0] | walls[0].normal | [0, 0]
normal = [0, 1] => normal = [0, 1, 0] | walls[0].normal: expected two numbers | [0, 1, 0]
\nnormal = [0, 1] => | walls[0]: the key `normal` is missing | [[walls]]
mass = 1.0 => mass = -1.0 | bodies[0].mass: a mass is a finite number >= 0 | -1.0
mass = 0.5 => mass = 0 | bodies: the scene's `mass`: not positive definite | *
mass = 1.0 => mass = "1" | bodies[0].mass: expected a number | "1"
mass = 1.0 => mass = 1.0\ninertia = -1 | bodies[0].inertia: a moment of inertia | -1
mass = 1.0 => mas = 1.0 | bodies[0]: unknown key `mas`; did you mean `mass`? | mas
mass = 0.5 => mass = 0.5\ncenter_of_mass = [1, 0] | bodies[1]: the key `inertia` is missing | *
name = "arm" => name = "floor" | bodies[1].name: `floor` | "floor"
parent = "block" => parent = "blok" | did you mean `block`? | "blok"
parent = "block" => parent = "arm" | no earlier body is called `arm` | "arm"
"prismatic" => "primatic"
    | bodies[1].joint: unknown value `primatic`; did you mean `prismatic`? | "primatic"
"prismatic" => "revolute" | bodies[1].axis: a revolute joint has no axis | [0, 1]
axis = [0, 1]\n => axis = [0, 0]\n | bodies[1].axis | [0, 0]
speed = -0.5 => position = [0, 0] | a prismatic joint has no position | [0, 0]
speed = -0.5 => angle = 1\nangle_deg = 2 | both given | 2
{ box = [1.0, 2.0] } => { box = [1.0, -2.0] }
    | bodies[0].shapes[0].box: the sides of a box | [1.0, -2.0]
{ box = [1.0, 2.0] } => { bocks = [1.0, 2.0] } | bodies[0].shapes[0]: unknown key `bocks` | bocks
{ box = [1.0, 2.0] } => { } | a shape has one kind, found 0 | { }
{ box = [1.0, 2.0] } => { polygon = [[0,0],[1,0],[0.1,0.1],[0,1]] }
    | not strictly convex | [[0,0],[1,0],[0.1,0.1],[0,1]]
{ disk = 0.25 } => { disk = 0.25, angle = 1 } | only a box has an angle | 1
{ disk = 0.25 } => { disk = 0 } | the radius of a disk | 0
position = [0.0, 1.0] => position = [0.0, 0.9] | `floor` and `block` overlap by 9.99 | *
position = [0.0, 1.0] => position = [0.0, 1.1]
    | there is no contact: the nearest, `floor` and `block` | *
position = [0.0, 1.0] => position = [0.0, 1e400] | beyond the range | 1e400
"#;
    check(SCENE, Format::Toml, mistakes);
}

#[test]
fn mistakes_in_scenes_in_space() {
    let mistakes = r#"
dimensions = 3 => dimensions = 4 | dimensions: a scene has 2 or 3 dimensions, found 4 | 4
dimensions = 3 => dimensions = "3" | dimensions: expected a number, found a string | "3"
dimensions = 3 => dimension = 3 | did you mean `dimensions`? | dimension
dimensions = 3 => 
    | expected two numbers [x, y], found 3; a scene in space says so at its top: `dimensions = 3`
    | [0, 0, 1]
friction = 0.5 => | the key `friction` is missing |
friction = 0.5 => friction = [1, 1] | friction: 2 numbers for 4 contacts | [1, 1]
normal = [0, 0, 1] => normal = [0, 1] | expected three numbers [x, y, z], found 2 | [0, 1]
normal = [0, 0, 1] => normal = [0, 0, 0] | walls[0].normal: a normal has a length | [0, 0, 0]
at_rest = "a" => at_rest = "z" | contact.at_rest: no contact is called `z` | "z"
at_rest = "a" => tangent = "perpendicular" | contact: unknown key `tangent` | tangent
rotation_deg = [0, 0, 30] => angle = 1
    | bodies[0].angle: a floating joint has no angle; a rotation | 1
rotation_deg = [0, 0, 30] => rotation_deg = [0, 0, 30]\nquaternion = [1, 0, 0, 0]
    | bodies[0].quaternion: `rotation_deg` and `quaternion` are both given | [1, 0, 0, 0]
rotation_deg = [0, 0, 30] => rotation_deg = 30 | expected a list of numbers, found a number | 30
rotation_deg = [0, 0, 30] => rotaton = [0, 0, 1] | did you mean `rotation`? | rotaton
rotation_deg = [0, 0, 30] => quaternion = [0, 0, 0, 0] | a quaternion has a length | [0, 0, 0, 0]
rotation_deg = [0, 0, 30] => quaternion = [1, 0] | expected four numbers [w, x, y, z] | [1, 0]
joint = "revolute" => joint = "floating" | bodies[1].joint: a floating body has no parent | *
joint = "revolute" => joint = "sperical" | did you mean `spherical`? | "sperical"
joint = "revolute" => joint = "spherical" | bodies[1].angle_deg: a spherical joint has no angle | 90
joint = "revolute" => | bodies[1]: the key `joint` is missing; a body with a parent | *
axis = [0, 1, 0] => | bodies[1]: the key `axis` is missing | *
axis = [0, 1, 0] => axis = [0, 0, 0] | bodies[1].axis: an axis has a length | [0, 0, 0]
axis = [0, 1, 0] => axis = [0, 1, 0]\nspeed = 1 | a revolute joint has no displacement or speed | 1
inertia = [1, 1, 1] => inertia = [1, 1, 3]
    | bodies[1].inertia: no body has the principal moments | *
inertia = [1, 1, 1] => inertia = -1 | bodies[1].inertia: a moment of inertia is >= 0 | -1
inertia = [1, 1, 1] => inertia = [1, 1] | bodies[1].inertia: expected three numbers | [1, 1]
inertia = [1, 1, 1] => inertia = [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    | bodies[1].inertia: an inertia tensor is symmetric | [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
inertia = [1, 1, 1] => inertia = [[1, 0, 0]] | expected three rows of three numbers, found 1 | *
inertia = [1, 1, 1] => | bodies[1]: the key `inertia` is missing | *
{ box = [2, 2, 2] } => { box = [2, 2, 0] } | bodies[0].shapes[0].box: the sides of a box | [2, 2, 0]
{ box = [2, 2, 2] } => { cube = 2 } | bodies[0].shapes[0]: unknown key `cube` | cube
{ box = [2, 2, 2] } => { disk = 1 } | known: `point`, `rod`, `sphere` | disk
{ box = [2, 2, 2] } => { capsule = [[0, 0, 0], [1, 0, 0]] } | the key `radius` is missing | *
{ box = [2, 2, 2] } => { capsule = [[0, 0, 0]], radius = 1 } | a capsule has 2 ends, found 1 | *
{ box = [2, 2, 2] } => { rod = [[0, 0, 0], [0, 0, 0]] } | the two ends of a rod coincide | *
{ box = [2, 2, 2] } => { polyhedron = [[0, 0, 0], [1, 0, 0], [0, 1, 0]] } | 4 to 128 vertices | *
{ box = [2, 2, 2] } => { polyhedron = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }
    | the vertices of the polyhedron lie in one plane | *
{ box = [2, 2, 2] } => { polyhedron = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4], [1, 1, 1]] }
    | the vertex (1, 1, 1) is no corner of the convex hull | *
{ box = [2, 2, 2] } => { sphere = 1, radius = 1 } | only a capsule has a radius | 1
{ sphere = 0.5 } => { sphere = 0.5, rotation = [0, 0, 1] } | only a box has a rotation | [0, 0, 1]
{ sphere = 0.5 } => { sphere = 0 } | the radius of a sphere is a finite number > 0 | 0
position = [0, 0, "height"] => position = [0, 0, "heigth"] | did you mean `height`? | heigth
position = [0, 0, "height"] => position = [0, 0, 0.75] | `floor` and `block` overlap by 2.5e-1 m | *
position = [0, 0, "height"] => position = [0, 0, 1.25] | there is no contact: the nearest | *
"#;
    check(SPACE, Format::Toml, mistakes);
}

#[test]
fn scenes_in_space_hold_states_joints_and_parameters() {
    let problem = parse(SPACE, Format::Toml).expect("a valid scene");
    let names = ["x", "y", "z", "wx", "wy", "wz"].map(|name| format!("block.{name}"));
    assert_eq!(problem.coordinates(), [&names[..], &["arm.theta".to_string()]].concat());
    assert_eq!((problem.contacts().len(), problem.tangents_per_contact()), (4, 2));
    // The block turns about its corner, which therefore rests; its centre is opposite to it.
    let v = problem.velocity();
    let u = problem.contact_velocity();
    assert!([0, 4, 5].iter().all(|&i| u[i].abs() < 1e-15), "{u}");
    let turn = |x: f64, y: f64| {
        let (sin, cos) = 30f64.to_radians().sin_cos();
        nalgebra::Vector3::new(cos * x - sin * y, sin * x + cos * y, -1.0)
    };
    let omega = nalgebra::Vector3::new(1.0, 2.0, 3.0);
    let centre = omega.cross(&-turn(-1.0, -1.0));
    assert!((v.rows(0, 3) - centre).norm() < 1e-14, "{v} {centre}");
    assert_eq!(v[6], 0.5);
    // Without the arm a free cube: 1/6 m s^2.
    let alone = SPACE.split("[[bodies]]\nname = \"arm\"").next().expect("the first part");
    let alone = parse(alone, Format::Toml).expect("a valid scene");
    let diagonal = nalgebra::DMatrix::from_diagonal(&nalgebra::DVector::from_vec(vec![
        6.0, 6.0, 6.0, 4.0, 4.0, 4.0,
    ]));
    assert!((alone.mass() - diagonal).amax() < 1e-14, "{}", alone.mass());
    let document = scene::Document::new("file", SPACE, Format::Toml).expect("valid syntax");
    let error = document.problem(&[("height", 2.0)]).map(|_| ()).expect_err("apart");
    assert!(error.to_string().contains("are 1e0 m apart"), "{error}");
    let error = scene::design::design(&document, &[], 0.0).expect_err("not planar");
    assert!(error.to_string().contains("this needs a planar scene"), "{error}");
}

#[test]
fn both_formats_and_kinds_say_the_same() {
    let json = parse(PROBLEM, Format::Json).expect("a valid problem");
    let toml = parse(PROBLEM_TOML, Format::Toml).expect("a valid problem");
    assert_eq!(json.spec(), toml.spec());
    assert_eq!((json.name(), json.contact_count(), json.coordinate_count()), ("two corners", 2, 3));
    let spec: carom_core::problem::ProblemSpec =
        serde_json::from_str(PROBLEM).expect("the same by serde");
    assert_eq!(*json.spec(), spec);
    // A scene in JSON, and a file without a name.
    let scene = r#"{"friction": 0, "walls": [{"name": "floor", "normal": [0, 2]}],
        "bodies": [{"name": "ball", "mass": 2, "shapes": [{"disk": 1}], "position": [0, 1],
        "velocity": [0, -1]}]}"#;
    let ball = scene::parse("some/ball.json", scene, Format::Json).expect("a valid scene");
    assert_eq!((ball.name(), ball.contacts()), ("ball", &["floor-ball".to_string()][..]));
    assert_eq!(ball.coordinates(), ["ball.x", "ball.y", "ball.theta"]);
    assert_eq!(ball.spec().mass, [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!(ball.contact_velocity().as_slice(), [-1.0, 0.0]);
}

#[test]
fn scenes_hold_states_pairs_and_joints() {
    let problem = parse(SCENE, Format::Toml).expect("a valid scene");
    assert_eq!(problem.coordinates(), ["block.x", "block.y", "block.theta", "arm.d"]);
    assert_eq!(problem.contacts(), ["a", "b"]);
    // Turning about the left corner (-0.5, -1) of the block at 1 rad/s.
    let v = problem.velocity().as_slice();
    assert!(v.iter().zip([-1.0, 0.5, 1.0, -0.5]).all(|(a, b)| (a - b).abs() < 1e-15), "{v:?}");
    assert_eq!(problem.mass()[(3, 3)], 0.5);
    let with = |more: &str| parse(&format!("{SCENE}{more}"), Format::Toml);
    let pair = "[[pairs]]\nbetween = [\"block\", \"floor\"]\n";
    let rough = with(&format!("{pair}friction = 0.25")).expect("a valid scene");
    assert_eq!(rough.friction(), [0.25, 0.25]);
    let restitution = with(&format!("{pair}restitution = 0.75")).expect("a valid scene");
    assert_eq!(restitution.restitution(), Some(&[0.75, 0.75][..]));
    let message = |more: &str| with(more).expect_err("an error").to_string();
    assert!(message(&format!("{pair}collide = false")).contains("there is no contact"));
    assert!(
        message(&format!("{pair}collide = 1")).contains("pairs[0].collide: expected true or false")
    );
    assert!(message("[[pairs]]\nbetween = [\"block\", \"block\"]").contains("pairs[0].between"));
    assert!(
        message("[[pairs]]\nbetween = [\"block\", \"wall\"]")
            .contains("no body or wall is called `wall`")
    );
    assert!(message("[[pairs]]\nfriction = 1").contains("pairs[0]: the key `between` is missing"));
}

#[test]
fn built_in_scenes_describe_themselves() {
    for scene in BUILTIN {
        let problem = scene::load(scene.name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(problem.name().replace(' ', "-"), scene.name);
        let description = format!("description = \"{}\"", scene.description);
        assert!(scene.text.contains(&description), "{}", scene.name);
        let cited = ["[HP23]", "[SM14]", "[JW16]", "[PHP20]", "[USD15]"]
            .iter()
            .any(|key| scene.text.contains(key));
        assert!(scene.text.starts_with("# ") && cited, "{}", scene.name);
    }
    let mut files: Vec<_> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes"))
        .expect("the scenes")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().replace(".toml", ""))
        .collect();
    let mut names: Vec<_> = BUILTIN.iter().map(|scene| scene.name).collect();
    files.retain(|name| name != "motions");
    files.sort();
    names.sort_unstable();
    assert_eq!(files, names);
}

#[test]
fn built_in_poses_keep_their_contacts() {
    for (name, parameter) in [
        ("rocking-block", "slope"),
        ("rocking-block", "height"),
        ("compass-gait", "leg"),
        ("box-and-wall", "tilt"),
        ("ramone", "pitch"),
        ("disk-stack", "radius"),
        ("newtons-cradle", "bend"),
        ("ball-row", "bend"),
        ("triple-pendulum", "lower"),
        ("cube-on-edge", "turn"),
    ] {
        let scene = Document::open(name).unwrap();
        let found =
            scene.parameters(&[]).unwrap().into_iter().find(|p| p.name == parameter).unwrap();
        let contacts = scene.problem(&[]).unwrap().contacts().to_vec();
        for value in [found.min, found.max] {
            let problem = scene
                .problem(&[(parameter, value)])
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(problem.contacts(), contacts, "{name}, {parameter} = {value}");
        }
    }
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.to_string_lossy().into_owned()
    };
    std::fs::create_dir(folder.path().join("folder.json")).expect("a folder");
    let folder_name = folder.path().join("folder.json").to_string_lossy().into_owned();
    for (what, message, hint) in [
        (
            "rocking-blok".to_string(),
            "there is no scene and no file `rocking-blok`",
            "did you mean `rocking-block`?",
        ),
        ("?".to_string(), "there is no scene and no file `?`", "known: `rocking-block`"),
        (String::new(), "there is no scene and no file", ""),
        ("missing.json".to_string(), "`missing.json` does not exist", "carom scenes"),
        (folder_name, "is a directory", ""),
        (file("a.yaml", b"mass: 1"), "is no .json, .toml or .npz file", ""),
        (file("b.json", b"{\"name\": \"\xff\"}"), "is not UTF-8 text: byte 10", ""),
        (file("c.json", b""), "the file is empty", ""),
        (file("d.toml", b" \n\t"), "the file is empty", ""),
        (file("e.json", b"\xef\xbb\xbf[1]"), "expected a problem, found a list", ""),
        (file("f.json", b"{}"), "the key `mass` is missing", "n rows of n numbers"),
        (file("g.toml", b"# nothing"), "the key `mass` is missing", ""),
        (
            file("h.toml", b"[[bodys]]\nname = \"x\""),
            "unknown key `bodys`",
            "did you mean `bodies`?",
        ),
        (file("i.toml", b"bodies = []\n"), "0 coordinates", ""),
        (file("j.toml", b"bodies = 3\n"), "bodies: expected a list, found a number", ""),
    ] {
        let error = scene::load(&what).map(|_| ()).expect_err(&what);
        assert_eq!(error.kind, ErrorKind::Input, "{what}");
        assert!(error.to_string().contains(message), "{what}: {error}");
        assert!(error.hint.as_deref().unwrap_or("").contains(hint), "{what}: {:?}", error.hint);
    }
    let good = file("good.json", PROBLEM.as_bytes());
    assert_eq!(scene::load(&good).expect("a valid problem").name(), "two corners");
}

#[test]
fn bombs_are_refused() {
    let deep = 100_000;
    let wide =
        format!("{{\"velocity\": [{}1], \"normal\": [[]], \"mass\": [[]]}}", "1,".repeat(5000));
    for (text, format) in [
        ("[".repeat(deep), Format::Json),
        (format!("{{\"mass\": {}{}}}", "[".repeat(deep), "]".repeat(deep)), Format::Json),
        ("{\"mass\":".repeat(deep) + "1" + &"}".repeat(deep), Format::Json),
        (format!("mass = {}", "[".repeat(deep)), Format::Toml),
        (format!("mass = {}{}", "[".repeat(deep), "]".repeat(deep)), Format::Toml),
        (format!("a{} = 1", ".a".repeat(deep)), Format::Toml),
        (format!("[a{}]", ".a".repeat(deep)), Format::Toml),
        (format!("mass = {}", "{ a = ".repeat(deep)), Format::Toml),
        (wide, Format::Json),
        (format!("{{\"{}\": 1}}", "x".repeat(1_000_000)), Format::Json),
        ("[[bodies]]\nname = \"x\"\nmass = 1\n".repeat(5000), Format::Toml),
    ] {
        let error = parse(&text, format).map(|_| ()).expect_err("an error");
        assert!(error.to_string().len() < 400, "{error}");
    }
}

/// Replaces, removes or inserts a few bytes.
fn mutated(text: &str, edits: &[(usize, u8, u8)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for &(place, kind, byte) in edits {
        let place = place % bytes.len().max(1);
        match if bytes.is_empty() { 2 } else { kind % 4 } {
            0 => bytes[place] = byte,
            1 => drop(bytes.remove(place)),
            2 => bytes.insert(place, byte),
            _ => bytes.truncate(place.max(1)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #![proptest_config(random_cases(300))]

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for text in [text, String::from_utf8_lossy(&bytes).into_owned()] {
            let _ = parse(&text, Format::Json);
            let _ = parse(&text, Format::Toml);
        }
    }

    #[test]
    fn mutated_files_never_panic(edits in prop::collection::vec(any::<(usize, u8, u8)>(), 1..4)) {
        let scenes = BUILTIN.iter().map(|scene| (scene.text, Format::Toml));
        let others =
            [(PROBLEM, Format::Json), (PROBLEM_TOML, Format::Toml), (SCENE, Format::Toml), (SPACE, Format::Toml)];
        for (text, format) in scenes.chain(others) {
            if let Err(error) = parse(&mutated(text, &edits), format) {
                let excerpt = error.excerpt.as_ref().expect("a place");
                prop_assert!(excerpt.text.get(excerpt.span.clone()).is_some(), "{}", error);
            }
        }
    }

    #[test]
    fn extreme_numbers_never_panic(values in prop::collection::vec(any::<f64>(), 8)) {
        let [a, b, c, d, e, f, g, h] = values[..] else { unreachable!("eight numbers") };
        let text = format!(
            "friction = 1\ncontact.tolerance = {a:e}\n[[walls]]\nname = \"w\"\nnormal = [{b:e}, {c:e}]\n\
             [[bodies]]\nname = \"x\"\nmass = {d:e}\nshapes = [{{ box = [{e:e}, {f:e}] }}]\n\
             [[bodies]]\nname = \"y\"\nmass = 1\nshapes = [{{ rod = [[0, 0], [{g:e}, {h:e}]] }}]\n\
             position = [{h:e}, 0]\n"
        );
        let _ = parse(&text.replace("NaN", "nan"), Format::Toml);
        let text = format!(
            "dimensions = 3\nfriction = 1\ncontact.tolerance = {a:e}\n[[walls]]\nname = \"w\"\nnormal = [{b:e}, {c:e}, 1]\n\
             [[bodies]]\nname = \"x\"\nmass = {d:e}\nshapes = [{{ box = [{e:e}, {f:e}, {g:e}] }}]\nrotation = [{a:e}, 0, {h:e}]\n\
             [[bodies]]\nname = \"y\"\nmass = 1\nshapes = [{{ capsule = [[0, 0, 0], [{g:e}, {h:e}, 0]], radius = {d:e} }}]\n\
             position = [{h:e}, 0, 0]\nquaternion = [{b:e}, {c:e}, 1, {e:e}]\n\
             [[bodies]]\nname = \"z\"\nmass = 1\nshapes = [{{ polyhedron = [[0, 0, 0], [{a:e}, 0, 0], [0, {b:e}, 0], [0, 0, {c:e}]] }}]\n"
        );
        let _ = parse(&text.replace("NaN", "nan"), Format::Toml);
    }
}
