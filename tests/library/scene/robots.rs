//! Robots of URDF and MJCF files: their mass matrices, bias forces and contacts are MuJoCo's.

use super::*;
use carom::model::spatial::{Pose, Spatial};
use carom::scene::Cast;
use std::path::PathBuf;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/models")
}

fn matrix(value: &Value) -> DMatrix<f64> {
    let rows = rows(value);
    DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// The problem of a file, its model at its configuration, and the points of its contacts.
fn imported(file: &str, options: &Options) -> (ContactProblem, (Spatial, Vec<Pose>), Vec<Vector>) {
    let robot = robot::read(&folder().join(file), options).unwrap();
    let scene = Document::new("scene", robot.scene, Format::Toml).unwrap();
    let Some(Cast::Spatial { model, position, tolerance }) = scene.cast(&[]).unwrap() else {
        panic!("a scene in space");
    };
    let poses = model.poses(&position);
    let contacts = model.contacts(&poses, tolerance).unwrap();
    let points = contacts.iter().map(|contact| contact.touch.point).collect();
    (scene.problem(&[]).unwrap(), (model, poses), points)
}

/// The matrix that turns MuJoCo's qvel into carom's velocities, as `docs/files.md` says.
fn coordinates(golden: &Value, names: &[String]) -> DMatrix<f64> {
    let mut change = DMatrix::zeros(names.len(), names.len());
    for joint in golden["joints"].as_array().unwrap() {
        let first = joint["first"].as_u64().unwrap() as usize;
        let text = |key: &str| joint[key].as_str().unwrap();
        let at = |name: &str| {
            names.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name}"))
        };
        let square = |key: &str| {
            let m = matrix(&joint[key]);
            Matrix3::from_fn(|i, j| m[(i, j)])
        };
        let turn = square("turn");
        let arm = Vector::from_vec(numbers(&joint["arm"]));
        match text("kind") {
            "free" => {
                let at = at(&format!("{}.x", text("body")));
                change.view_mut((at, first), (3, 3)).copy_from(&Matrix3::identity());
                change.view_mut((at, first + 3), (3, 3)).copy_from(&(-arm.cross_matrix() * turn));
                change.view_mut((at + 3, first + 3), (3, 3)).copy_from(&turn);
            }
            "ball" => {
                let at = at(&format!("{}.wx", text("name")));
                change
                    .view_mut((at, first), (3, 3))
                    .copy_from(&(square("parent").transpose() * turn));
            }
            _ => change[(at(text("name")), first)] = 1.0,
        }
    }
    change
}

fn check_close(found: &DMatrix<f64>, expected: &DMatrix<f64>, what: &str) {
    let apart = (found - expected).amax() / expected.amax();
    assert!(apart < 1e-9, "{what}: {apart:e}");
}

fn check(file: &str, options: &Options, contacts: usize) {
    let golden = golden(&format!("models/{}", file.replace('.', "_")));
    let (problem, (model, poses), points) = imported(file, options);
    let change = coordinates(&golden, &problem.spec().coordinates.clone().unwrap());
    check_close(&(change.transpose() * problem.mass() * &change), &matrix(&golden["mass"]), file);
    let velocity = &change * DVector::from_vec(numbers(&golden["velocity"]));
    assert!((problem.velocity() - &velocity).amax() < 1e-9, "{file}");
    // MuJoCo has a free body's origin: at constant qvel the mass centre's velocity changes.
    let gravity = Vector::from_vec(numbers(&golden["gravity"]));
    let mut bias = model.bias(&poses, velocity.as_slice(), gravity);
    let mut turning = DVector::zeros(velocity.len());
    for joint in golden["joints"].as_array().unwrap().iter().filter(|j| j["kind"] == "free") {
        let names = problem.spec().coordinates.clone().unwrap();
        let name = format!("{}.x", joint["body"].as_str().unwrap());
        let at = names.iter().position(|known| *known == name).unwrap();
        let spin = velocity.fixed_rows::<3>(at + 3).into_owned();
        let arm = Vector::from_vec(numbers(&joint["arm"]));
        turning.fixed_rows_mut::<3>(at).copy_from(&spin.cross(&spin.cross(&arm)));
    }
    bias += problem.mass() * turning;
    // The armature of a free joint is a body of its own, which has weight here.
    for (i, body) in model.bodies().iter().enumerate() {
        if body.name.ends_with("/armature") {
            for column in model.columns(&poses, i, poses[i].point(body.center_of_mass)) {
                bias[column.coordinate] += body.mass * gravity.dot(&column.velocity);
            }
        }
    }
    let found = change.transpose() * bias;
    let expected = DVector::from_vec(numbers(&golden["bias"]));
    let apart = (found - &expected).amax() / expected.amax();
    assert!(apart < 1e-9, "{file}, bias: {apart:e}");
    let expected = golden["contacts"].as_array().unwrap();
    assert_eq!((points.len(), expected.len()), (contacts, contacts), "{file}");
    let own = problem.jacobian() * &change;
    for contact in expected {
        let point = Vector::from_vec(numbers(&contact["point"]));
        let mut near: Vec<usize> = (0..contacts).collect();
        near.sort_by(|&i, &j| (points[i] - point).norm().total_cmp(&(points[j] - point).norm()));
        let i = near[0];
        assert!((points[i] - point).norm() < 1e-9, "{file}: a contact at {point}");
        let normal = DMatrix::from_row_slice(1, own.ncols(), &numbers(&contact["normal"]));
        check_close(&own.rows(i, 1).into_owned(), &normal, &format!("{file}, normal"));
        // The tangents span the same plane with the same lengths, whatever their directions.
        let square = |rows: DMatrix<f64>| rows.transpose() * rows;
        let tangents = square(own.rows(contacts + 2 * i, 2).into_owned());
        check_close(&tangents, &square(matrix(&contact["tangents"])), &format!("{file}, tangents"));
        assert_eq!(problem.friction()[i], number(&contact["friction"]), "{file}: {point}");
    }
}

fn keyframe(name: &str) -> Options {
    Options { keyframe: Some(name.to_string()), ..Options::default() }
}

#[test]
fn robots_in_keyframes_are_those_of_mujoco() {
    // A floating base; slides; a ball joint and a mesh; classes, frames and rules of collision;
    // feet, hands and piles of boxes.
    for (file, key, contacts) in [
        ("quadruped.xml", "stand", 6),
        ("biped.xml", "step", 4),
        ("arm.xml", "reach", 1),
        ("classes.xml", "touch", 6),
        ("humanoid.xml", "landing", 8),
        ("hand.xml", "grasp", 16),
        ("boxes.xml", "fall", 32),
    ] {
        check(file, &keyframe(key), contacts);
    }
}

/// Built-in robots are what anybody gets who imports their files, but for the words.
#[test]
fn built_in_robots_are_their_imported_files() {
    let imports = [
        ("humanoid", "humanoid", "landing"),
        ("hand-on-box", "hand", "grasp"),
        ("box-pile", "boxes", "fall"),
    ];
    for (name, file, key) in imports {
        let robot = robot::read(&folder().join(format!("{file}.xml")), &keyframe(key)).unwrap();
        let without_words = |text: &str| {
            let lines = text.lines();
            let kept =
                lines.filter(|line| !line.starts_with('#') && !line.starts_with("description"));
            kept.collect::<Vec<_>>().join("\n").trim().to_string()
        };
        let scene = scene::builtin(name).expect("a built-in scene").text;
        assert_eq!(without_words(scene), without_words(&robot.scene), "{name}");
        assert!(scene.contains(&format!("models/{file}.xml")), "{name} names its file");
        let problem = load(name);
        assert!(problem.mass().clone().cholesky().is_some(), "{name}: the mass matrix");
    }
}

/// A quadruped is set down on the ground, with one shank bent so.
fn set_down(bent: f64) -> Options {
    let angles = ["fl", "fr", "hl", "hr"].iter().flat_map(|leg| {
        let shank = if *leg == "hr" { bent } else { -1.4 };
        [(format!("thigh_{leg}"), 0.7), (format!("shank_{leg}"), shank)]
    });
    Options {
        joints: angles.collect(),
        floating: true,
        ground: true,
        set_down: true,
        ..Options::default()
    }
}

#[test]
fn a_urdf_quadruped_set_down_is_that_of_mujoco() {
    let options = Options { pose: vec![("x".into(), 0.1), ("y".into(), -0.2)], ..set_down(-1.4) };
    check("quadruped.urdf", &options, 4);
}

/// What nearly touches, and a second ground, are probably not meant.
#[test]
fn near_misses_and_second_grounds_are_mentioned() {
    let notes = |file: &str, options: &Options| {
        robot::read(&folder().join(file), options).unwrap().notes.join("\n")
    };
    assert!(!notes("quadruped.urdf", &set_down(-1.4)).contains("do not touch"));
    let missed = notes("quadruped.urdf", &set_down(-1.401));
    assert!(missed.contains("`ground` and `hr_foot` do not touch"), "{missed}");
    assert_eq!(missed.matches("do not touch").count(), 1, "{missed}");
    let twice = notes("quadruped.xml", &Options { ground: true, ..keyframe("stand") });
    assert!(twice.contains("plane `floor`: --ground adds a second one"), "{twice}");
    let options = Options { joints: vec![("thigh_fl".into(), 0.0); 2], ..Options::default() };
    let refused = robot::read(&folder().join("quadruped.urdf"), &options).unwrap_err();
    assert!(refused.what.contains("`thigh_fl` is given twice"), "{refused}");
}

#[test]
fn a_urdf_arm_with_a_mesh_is_that_of_mujoco() {
    let position = numbers(&golden("models/arm_urdf")["position"]);
    let joints = ["yaw", "lift", "elbow"].map(str::to_string).into_iter().zip(position).collect();
    check("arm.urdf", &Options { joints, ground: true, ..Options::default() }, 1);
}

/// The scene of a floating mesh, its mass matrix and the corners of its hull.
fn hull(points: &[Vector]) -> (String, DMatrix<f64>, usize) {
    let folder = tempfile::tempdir().unwrap();
    let lines: String =
        points.iter().map(|p| format!("v {:?} {:?} {:?}\n", p.x, p.y, p.z)).collect();
    std::fs::write(folder.path().join("m.obj"), lines).unwrap();
    let text = "<mujoco><asset><mesh file='m.obj'/></asset><worldbody><geom type='plane' size='1 1 1'/><body name='b'>\
                <freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>";
    let options = Options { set_down: true, ..Options::default() };
    let robot = robot::parse(&folder.path().join("m.xml"), text.to_string(), &options).unwrap();
    let scene = Document::new("scene", robot.scene, Format::Toml).unwrap();
    let Some(Cast::Spatial { model, position, .. }) = scene.cast(&[]).unwrap() else {
        panic!("in space")
    };
    let mass = model.mass_matrix(&model.poses(&position));
    (robot.notes.join("\n"), mass, model.bodies()[0].shapes[0].vertices().len())
}

#[test]
fn points_within_the_faces_of_a_cube_are_no_corners_of_it() {
    let mut points = Vec::new();
    for i in 0..7 * 7 * 7 {
        let p = Vector::new((i % 7) as f64, (i / 7 % 7) as f64, (i / 49) as f64) / 6.0;
        if p.iter().any(|x| *x == 0.0 || *x == 1.0) {
            points.push(p);
        }
    }
    let (_, mass, corners) = hull(&points);
    assert_eq!(corners, 8);
    // A cube of side 1 and density 1000: m/6 about its centre.
    let expected =
        DVector::from_vec(vec![1000.0, 1000.0, 1000.0, 1000.0 / 6.0, 1000.0 / 6.0, 1000.0 / 6.0]);
    check_close(&mass, &DMatrix::from_diagonal(&expected), "mass");
}

#[test]
fn a_round_mesh_keeps_the_128_corners_that_matter_most() {
    let spiral = |i: usize| {
        let (z, angle) = (1.0 - (2.0 * i as f64 + 1.0) / 1000.0, 2.399963 * i as f64);
        let r = (1.0f64 - z * z).sqrt();
        Vector::new(r * angle.cos(), r * angle.sin(), z)
    };
    let (notes, mass, corners) = hull(&(0..1000).map(spiral).collect::<Vec<_>>());
    assert_eq!(corners, 128);
    assert!(notes.contains("only 128 corners"), "{notes}");
    // The mass is that of all points: a little less than that of the ball around them.
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 1000.0;
    assert!(mass[(0, 0)] < ball && mass[(0, 0)] > 0.98 * ball, "{}", mass[(0, 0)]);
}
