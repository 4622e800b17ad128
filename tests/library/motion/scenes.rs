//! Motion files.

use super::*;

const FILE: &str = r#"
integrator = "lgvci"
mass = 1.0
gravity = 9.80665
time_step = 0.01
inertia = [[5, 0, 0], [0, 4, 0], [0, 0, 2.6]]
plane = { normal = [0, 0, 1], offset = 0.0 }
shapes = [ { ellipsoid = [2, 3, 4], center = [0, 0, 0] } ]
state = { position = [0, 0, 10], attitude = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], momentum = [2, 2, 10], angular_momentum = [4, -4, 4] }
"#;

fn read(text: &str) -> Result<Box<Lgvci>, Error> {
    let document = Document::new("m.toml", text.to_string(), Format::Toml)?;
    document.motion().map(|motion| match motion {
        Simulation::Lgvci(motion) => motion,
        _ => panic!("a rigid body"),
    })
}

fn with(old: &str, new: &str) -> String {
    assert!(FILE.contains(old), "{old}");
    FILE.replace(old, new)
}

#[test]
fn a_file_is_read_in_both_syntaxes() {
    let motion = read(FILE).unwrap();
    assert_eq!((motion.name(), motion.time_step(), motion.steps()), ("m", 0.01, Lgvci::STEPS));
    let table: serde_json::Value = toml::from_str(FILE).unwrap();
    let json = Document::new("m.json", table.to_string(), Format::Json).unwrap();
    let Simulation::Lgvci(same) = json.motion().unwrap() else { panic!("a rigid body") };
    assert_eq!(same, motion);
}

#[test]
fn what_is_left_out_has_a_default() {
    let short = r#"integrator = "lgvci"
mass = 1
time_step = 0.01
shapes = [{ ellipsoid = [2, 3, 4] }]
state = { position = [0, 0, 10] }"#;
    let motion = read(short).unwrap();
    let full = read(FILE).unwrap();
    assert_eq!(motion.body().gravity, [0.0, 0.0, -9.80665]);
    assert_eq!(motion.start().attitude, full.start().attitude);
    let far: Vec<f64> =
        (0..3).map(|i| motion.body().inertia[i][i] - full.body().inertia[i][i]).collect();
    assert!(far.iter().all(|far| far.abs() < 1e-12), "{far:?}");
    let turned =
        read(&short.replace("[0, 0, 10]", "[0, 0, 10], rotation_deg = [0, 90, 0]")).unwrap();
    assert!((turned.start().attitude[2][0] + 1.0).abs() < 1e-15);
    for inertia in
        ["inertia = 4", "inertia = [4, 4, 4]", "inertia = [[4, 0, 0], [0, 4, 0], [0, 0, 4]]"]
    {
        let motion = read(&format!("{inertia}\n{short}")).unwrap();
        assert_eq!(motion.body().inertia, [[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]]);
    }
}

#[test]
fn every_shape_is_read() {
    for shape in [
        "{ box = [1, 2, 3], center = [0, 0, 1], rounding = 0.1, rotation = [0, 0, 1] }",
        "{ polyhedron = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], rounding = 1e-3 }",
        "{ intersection = [{ ellipsoid = [2, 2, 2], center = [1, 0, 0] }, { ellipsoid = [2, 2, 2], quaternion = [1, 0, 0, 1] }] }",
        "{ ellipsoid = [2, 3, 4] }, { box = [1, 2, 3] }",
    ] {
        let motion = read(&with("{ ellipsoid = [2, 3, 4], center = [0, 0, 0] }", shape)).unwrap();
        let gap = motion.body().gap(motion.start()).value;
        assert!(gap > 5.0 && gap < 10.0, "{shape}: {gap}");
    }
}

/// One error: what is wrong, where, what was expected, and a hint.
#[test]
fn bad_files_are_refused() {
    let cases = r#"
lgvci => lgvcy | integrator | did you mean `lgvci`
mass = 1.0 => mass = 0 | mass |
mass = 1.0 => mas = 1 | unknown key `mas` | did you mean `mass`
mass = 1.0 => | the key `mass` is missing | kg
time_step = 0.01 => time_step = -1 | time_step |
time_step = 0.01 => time_step = 0.01\nsteps = 0.5 | steps |
gravity = 9.80665 => gravity = true | gravity |
gravity = 9.80665 => gravity = [0, 0] | gravity |
[[5, 0, 0], [0, 4, 0], [0, 0, 2.6]] => [5, 4, -1] | inertia |
[[5, 0, 0], [0, 4, 0], [0, 0, 2.6]] => [5, 4, 0] | inertia |
[[5, 0, 0], [0, 4, 0], [0, 0, 2.6]] => [[5, 1, 0], [0, 4, 0], [0, 0, 2.6]] | symmetric |
[[5, 0, 0], [0, 4, 0], [0, 0, 2.6]] => [[5, 0, 0], [0, 4, 0]] | three rows |
[[5, 0, 0], [0, 4, 0], [0, 0, 2.6]] => [50, 4, 2.6] | exceeds the sum |
normal = [0, 0, 1] => normal = [0, 0, 2] | plane.normal | [0.0, 0.0, 1.0]
normal = [0, 0, 1] => normal = [0, 0, 0] | plane.normal |
offset = 0.0 => ofset = 0.0 | unknown key `ofset` | did you mean `offset`
ellipsoid = [2, 3, 4] => ellipsoid = [2, 3, 0] | shapes[0].ellipsoid |
ellipsoid = [2, 3, 4] => elipsoid = [2, 3, 4] | unknown key `elipsoid` | did you mean `ellipsoid`
ellipsoid = [2, 3, 4] => ellipsoid = [2, 3, 4], box = [1, 1, 1] | one kind, found 2 | intersection
ellipsoid = [2, 3, 4] => ellipsoid = [2, 3, 4], rounding = 1 | rounding |
[ { ellipsoid = [2, 3, 4], center = [0, 0, 0] } ] => [] | at least one shape |
[ { ellipsoid = [2, 3, 4], center = [0, 0, 0] } ] => [ { intersection = [] } ] | 1 to 8 |
position = [0, 0, 10] => position = [0, 0, 3] | state.position | along the plane's normal
position = [0, 0, 10], attitude = => attitude = | `position` is missing |
[[1, 0, 0], [0, 1, 0], [0, 0, 1]] => [[1, 0, 0], [0, 1, 0], [0, 0.1, 1]]
    | state.attitude | perpendicular
[[1, 0, 0], [0, 1, 0], [0, 0, 1]] => [[1, 0, 0], [0, 1, 0], [0, 0, -1]] | mirrors |
momentum = [2, 2, 10] => momentum = [2, 2, inf] | state.momentum |
momentum = [2, 2, 10] => rotation = [0, 0, 1] | given too |
"#;
    for [old, new, what, hint] in table(cases) {
        let error = read(&with(&old, &new)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Input, "{new}");
        assert!(error.to_string().contains(&what), "{new}: {error}");
        assert!(error.hint.clone().unwrap_or_default().contains(&hint), "{new}: {:?}", error.hint);
        assert!(error.excerpt.is_some(), "{new}: {error}");
    }
    let scene = Document::open("rocking-block").unwrap().motion().unwrap_err();
    assert!(scene.to_string().contains("no motion"), "{scene}");
    let problem = Document::open("cube").unwrap().problem(&[]).unwrap_err();
    assert!(problem.hint.unwrap().contains("carom simulate"));
}

/// A text with any word or number replaced is read or refused, without a panic.
#[test]
fn broken_files_do_not_break_the_reader() {
    for word in ["0", "1", "-1", "1e400", "nan", "[]", "[[]]", "{}", "\"\"", "true", "lgvci"] {
        for (at, old) in FILE.match_indices(|c: char| c.is_ascii_digit()) {
            let text = format!("{}{word}{}", &FILE[..at], &FILE[at + old.len()..]);
            let _ = read(&text);
        }
    }
}
