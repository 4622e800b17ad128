//! The built-in scenes in space against closed forms and published numbers.

use super::*;
use crate::support::golden::spatial_impact;

fn at(x: f64, y: f64, z: f64) -> Vector {
    Vector::new(x, y, z)
}

/// The cube's numbers in closed form: with arms r from the centre,
/// `W_nn = 1/m + (r x n).(r' x n)/I` and so on.
#[test]
fn the_cubes_have_their_closed_forms() {
    let (m, i, h) = (0.37, 0.0010206, 0.0524);
    let low = -h * 2f64.sqrt();
    let edge = vec![at(-h, 0.0, low), at(h, 0.0, low)];
    let face = vec![at(-h, -h, -h), at(h, -h, -h), at(h, h, -h), at(-h, h, -h)];
    for (name, arms, rank) in [("cube-on-edge", edge, 5), ("cube-on-face", face, 6)] {
        let problem = scene::load(name).unwrap_or_else(|error| panic!("{error}"));
        let diagonal = DVector::from_vec(vec![m, m, m, i, i, i]);
        assert!((problem.mass() - DMatrix::from_diagonal(&diagonal)).amax() < 1e-16, "{name}");
        assert_eq!((problem.contact_count(), problem.coordinate_count()), (arms.len(), 6));
        assert_eq!(problem.restitution(), Some(&vec![0.3; arms.len()][..]));
        // Rows in the order of the problem, each as an arm and a direction.
        let normals = arms.iter().map(|arm| (*arm, Vector::z()));
        let slides = arms.iter().flat_map(|arm| [(*arm, Vector::x()), (*arm, Vector::y())]);
        let rows: Vec<_> = normals.chain(slides).collect();
        let v = problem.velocity();
        let (linear, angular) = (at(v[0], v[1], v[2]), at(v[3], v[4], v[5]));
        for (k, (arm, along)) in rows.iter().enumerate() {
            let u = along.dot(&(linear + angular.cross(arm)));
            assert!((problem.contact_velocity()[k] - u).abs() < 1e-14, "{name}: u[{k}]");
            for (l, (other, across)) in rows.iter().enumerate() {
                let w = along.dot(across) / m + arm.cross(along).dot(&other.cross(across)) / i;
                assert!((problem.delassus()[(k, l)] - w).abs() < 1e-12, "{name}: W[{k}][{l}]");
            }
        }
        let u = problem.contact_velocity();
        assert!((0..arms.len()).all(|k| u[k] < 0.0), "{name}: all approach");
        assert_eq!(problem.delassus().rank(1e-9), rank, "{name}");
    }
}

/// The published contacts: their matrices, velocities and coefficients.
#[test]
fn the_published_spatial_contacts_are_the_reference() {
    let golden = golden("jia_wang");
    for (name, case, size) in
        [("icosahedron-tetrahedron", "P1_Fig4a", 12), ("pin-ball", "P1_pinball_calibrated", 3)]
    {
        let problem = scene::load(name).unwrap_or_else(|error| panic!("{error}"));
        let inputs = &spatial_impact(&golden, case)["inputs"];
        assert_eq!((problem.contact_count(), problem.coordinate_count()), (1, size));
        // The paper's order is t1, t2, n.
        for (i, row) in [1, 2, 0].into_iter().enumerate() {
            let u = inputs["v_minus"][i].as_f64().expect("a number");
            assert!((problem.contact_velocity()[row] - u).abs() < 1e-12, "{name}: velocity {i}");
            for (j, column) in [1, 2, 0].into_iter().enumerate() {
                let entry = |i: usize, j: usize| inputs["W"][i][j].as_f64().expect("a number");
                let (found, mean) =
                    (problem.delassus()[(row, column)], (entry(i, j) + entry(j, i)) / 2.0);
                assert!((found - mean).abs() < 1e-12 * 12.0, "{name}: W[{i}][{j}] {found} {mean}");
            }
        }
        assert_eq!(problem.friction()[0], inputs["mu"].as_f64().expect("a number"));
        assert_eq!(problem.restitution().expect("one")[0], inputs["e"].as_f64().expect("a number"));
    }
}

#[test]
fn the_quadruped_strikes_with_two_feet() {
    let problem = scene::load("quadruped-trot").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((problem.coordinate_count(), problem.tangents_per_contact()), (18, 2));
    assert_eq!(problem.contacts(), ["front-left", "rear-right"]);
    assert!((0..2).all(|i| problem.contact_velocity()[i] < -0.1), "{}", problem.contact_velocity());
    // All of it falls: the mass of everything, 8 + 4 (0.6 + 1 + 0.2).
    let mut fall = vec![0.0; 18];
    fall[2] = 1.0;
    assert!((problem.kinetic_energy(&fall) - 0.5 * 15.2).abs() < 1e-12);
    // Other angles keep the feet on the ground.
    for stance in [20.0, 60.0] {
        let problem = scene::load_with("quadruped-trot", &[("stance", stance)]);
        let swings_higher = stance < 55.0;
        assert_eq!(problem.is_ok(), swings_higher, "{stance}");
    }
}
