//! Robots of URDF and MJCF files: their mass matrices and contacts are MuJoCo's.

use std::path::{Path, PathBuf};

use carom::internals::problem::ContactProblem;
use carom::model::spatial::Vector;
use carom::scene::robot::{self, Options};
use carom::scene::{Cast, Document, Format};
use nalgebra::{DMatrix, DVector, Matrix3};
use serde_json::Value;

use crate::support::golden::{golden, numbers, rows};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/models")
}

fn matrix(value: &Value) -> DMatrix<f64> {
    let rows = rows(value);
    DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// The scene of a file, its problem and the points of its contacts.
fn imported(file: &str, options: &Options) -> (ContactProblem, Vec<Vector>) {
    let robot = robot::read(&folder().join(file), options).unwrap();
    let scene = Document::new("scene", robot.scene, Format::Toml).unwrap();
    let Some(Cast::Spatial { model, position, tolerance }) = scene.cast(&[]).unwrap() else {
        panic!("a scene in space");
    };
    let contacts = model.contacts(&model.poses(&position), tolerance).unwrap();
    (scene.problem(&[]).unwrap(), contacts.iter().map(|contact| contact.touch.point).collect())
}

/// The matrix that turns MuJoCo's qvel into carom's velocities, as `docs/files.md` says.
fn coordinates(golden: &Value, names: &[String]) -> DMatrix<f64> {
    let mut change = DMatrix::zeros(names.len(), names.len());
    for joint in golden["joints"].as_array().unwrap() {
        let first = joint["first"].as_u64().unwrap() as usize;
        let text = |key: &str| joint[key].as_str().unwrap();
        let at =
            |name: &str| names.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name}"));
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
                change.view_mut((at, first), (3, 3)).copy_from(&(square("parent").transpose() * turn));
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
    let (problem, points) = imported(file, options);
    let change = coordinates(&golden, &problem.spec().coordinates.clone().unwrap());
    check_close(&(change.transpose() * problem.mass() * &change), &matrix(&golden["mass"]), "mass");
    let velocity = &change * DVector::from_vec(numbers(&golden["velocity"]));
    assert!((problem.velocity() - velocity).amax() < 1e-9);

    let expected = golden["contacts"].as_array().unwrap();
    assert_eq!((points.len(), expected.len()), (contacts, contacts));
    let own = problem.jacobian() * &change;
    for contact in expected {
        let point = Vector::from_vec(numbers(&contact["point"]));
        let mut near: Vec<usize> = (0..contacts).collect();
        near.sort_by(|&i, &j| (points[i] - point).norm().total_cmp(&(points[j] - point).norm()));
        let i = near[0];
        assert!((points[i] - point).norm() < 1e-9, "{file}: a contact at {point}");
        let normal = DMatrix::from_row_slice(1, own.ncols(), &numbers(&contact["normal"]));
        check_close(&own.rows(i, 1).into_owned(), &normal, "normal");
        // The same plane and the same lengths, whatever the directions of the tangents.
        let square = |rows: DMatrix<f64>| rows.transpose() * rows;
        let tangents = square(own.rows(contacts + 2 * i, 2).into_owned());
        check_close(&tangents, &square(matrix(&contact["tangents"])), "tangents");
        assert_eq!(problem.friction()[i], contact["friction"].as_f64().unwrap(), "{file}: {point}");
    }
}

fn keyframe(name: &str) -> Options {
    Options { keyframe: Some(name.to_string()), ..Options::default() }
}

#[test]
fn a_quadruped_with_floating_base_is_that_of_mujoco() {
    check("quadruped.xml", &keyframe("stand"), 6);
}

#[test]
fn a_biped_with_slides_is_that_of_mujoco() {
    check("biped.xml", &keyframe("step"), 4);
}

#[test]
fn an_arm_with_ball_joint_and_mesh_is_that_of_mujoco() {
    check("arm.xml", &keyframe("reach"), 1);
}

#[test]
fn classes_frames_and_rules_of_collision_are_those_of_mujoco() {
    check("classes.xml", &keyframe("touch"), 6);
}

#[test]
fn a_urdf_quadruped_set_down_is_that_of_mujoco() {
    let legs = ["fl", "fr", "hl", "hr"];
    let joints = legs.iter().flat_map(|leg| {
        [("thigh", 0.7), ("shank", -1.4)].map(|(joint, angle)| (format!("{joint}_{leg}"), angle))
    });
    let options = Options {
        joints: joints.collect(),
        pose: vec![("x".into(), 0.1), ("y".into(), -0.2)],
        floating: true,
        ground: true,
        set_down: true,
        ..Options::default()
    };
    check("quadruped.urdf", &options, 4);
}

#[test]
fn a_urdf_arm_with_a_mesh_is_that_of_mujoco() {
    let position = numbers(&golden("models/arm_urdf")["position"]);
    let joints = ["yaw", "lift", "elbow"].map(str::to_string).into_iter().zip(position).collect();
    check("arm.urdf", &Options { joints, ground: true, ..Options::default() }, 1);
}
