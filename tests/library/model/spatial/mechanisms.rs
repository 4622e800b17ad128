//! Mass matrices and contact rows against point masses and finite differences.

use super::random_models::Models;
use super::*;
use carom::model::Surface;
use carom::model::spatial::{Contact, separation, tangents};

#[test]
fn mass_matrix_gives_the_kinetic_energy_of_point_masses() {
    let mut random = Models::new(1);
    for case in 0..200 {
        let (model, masses) = random.model();
        let (q, v) = (random.configuration(&model), random.numbers(model.coordinate_count()));
        let mass = model.mass_matrix(&model.poses(&q));
        let eps = 1e-5;
        let ahead = model.poses(&model.flowed(&q, &v, eps));
        let behind = model.poses(&model.flowed(&q, &v, -eps));
        let mut energy = 0.0;
        for (i, points) in masses.iter().enumerate() {
            for (point, m) in points {
                let velocity = (ahead[i].point(*point) - behind[i].point(*point)) / (2.0 * eps);
                energy += 0.5 * m * velocity.norm_squared();
            }
        }
        let v = DVector::from_vec(v);
        let found = 0.5 * v.dot(&(&mass * &v));
        let off = (found - energy).abs();
        assert!(off <= 1e-7 * (1.0 + energy), "case {case}: {found} != {energy}");
        assert!((&mass - mass.transpose()).amax() <= 1e-13 * mass.amax(), "case {case}");
    }
}

/// What entries of a velocity mean, without the library's flow: exponentials in matrices.
#[test]
fn velocities_are_those_of_the_mass_centre_and_of_the_attitude() {
    let mut random = Models::new(2);
    let cross = |w: Vector| Matrix::new(0.0, -w.z, w.y, w.z, 0.0, -w.x, -w.y, w.x, 0.0);
    for _ in 0..50 {
        let shape = random.shape();
        let (root, _) = random.body("root", shape.clone());
        let (arm, _) = random.body("arm", shape);
        let arm = Body {
            offset: random.attitude(),
            ..arm.on(Some(0), random.vector(1.0), Joint::Spherical)
        };
        let model = Spatial::new(vec![root, arm], vec![]).expect("a valid model");
        let (q, v) = (random.configuration(&model), random.numbers(9));
        let eps = 1e-6;
        let (here, ahead) = (model.poses(&q), model.poses(&model.flowed(&q, &v, eps)));
        let behind = model.poses(&model.flowed(&q, &v, -eps));
        let rate = |i: usize| {
            let matrix = |pose: &Pose| pose.attitude.to_rotation_matrix().into_inner();
            (matrix(&ahead[i]) - matrix(&behind[i])) * matrix(&here[i]).transpose() / (2.0 * eps)
        };
        let center = |pose: &Pose| pose.point(model.bodies()[0].center_of_mass);
        let (linear, angular) = (at(v[0], v[1], v[2]), at(v[3], v[4], v[5]));
        assert!(((center(&ahead[0]) - center(&behind[0])) / (2.0 * eps) - linear).norm() < 1e-9);
        assert!((rate(0) - cross(angular)).amax() < 1e-8);
        // The arm's rates are along the root's axes.
        let relative = here[0].direction(at(v[6], v[7], v[8]));
        assert!((rate(1) - cross(angular + relative)).amax() < 1e-8);
    }
}

#[test]
fn a_free_body_has_a_diagonal_mass_matrix() {
    let cube = Body::uniform("cube", 3.0, box_at([2.0, 2.0, 2.0], [0.5, 0.0, 0.0]));
    let model = Spatial::new(vec![cube], vec![]).expect("a valid model");
    let mut random = Models::new(3);
    let q = random.configuration(&model);
    let mass = model.mass_matrix(&model.poses(&q));
    let expected = DMatrix::from_diagonal(&DVector::from_vec(vec![3.0, 3.0, 3.0, 2.0, 2.0, 2.0]));
    assert!((mass - expected).amax() < 1e-14);
}

#[test]
fn contact_rows_are_rates_of_gaps_and_of_sliding() {
    let mut random = Models::new(4);
    let eps = 1e-6;
    let mut found = [0; 2];
    for case in 0..120 {
        let (model, _) = random.model();
        let (q, v) = (random.configuration(&model), random.numbers(model.coordinate_count()));
        let here = model.poses(&q);
        let (ahead, behind) =
            (model.poses(&model.flowed(&q, &v, eps)), model.poses(&model.flowed(&q, &v, -eps)));
        let near = |touch: f64, gap: f64, turn: f64| {
            gap > 1e-2 && (gap - touch).abs() < 1e-12 && turn < 1e-5
        };
        let contacts = contacts_with_rates!(model, [&behind, &here, &ahead], eps, near);
        let (list, rates): (Vec<_>, Vec<_>) = contacts.into_iter().unzip();
        list.iter().for_each(|c: &Contact| found[usize::from(c.first != Surface::Wall(0))] += 1);
        let normal = model.normal_rows(&here, &list) * DVector::from_vec(v.clone());
        let tangent = model.tangent_rows(&here, &list) * DVector::from_vec(v.clone());
        for (k, contact) in list.iter().enumerate() {
            let (found, rate) = (normal[k], rates[k]);
            assert!((found - rate).abs() < 1e-5, "case {case}: {found} != {rate}, {contact:?}");
            let drift = |i: usize| {
                let point = contact.touch.point;
                (carried(point, &here[i], &ahead[i]) - carried(point, &here[i], &behind[i]))
                    / (2.0 * eps)
            };
            let first =
                if let Surface::Body(i) = contact.first { drift(i) } else { Vector::zeros() };
            for (d, along) in tangents(contact.touch.normal).iter().enumerate() {
                let (found, sliding) =
                    (tangent[2 * k + d], along.dot(&(drift(contact.second) - first)));
                assert!((found - sliding).abs() < 1e-6, "case {case}: {found} != {sliding}");
            }
        }
    }
    assert!(found[0] > 1000 && found[1] > 500, "{found:?}");
}

#[test]
fn what_is_jointed_or_excluded_does_not_touch() {
    let unit = |name: &str| Body::uniform(name, 1.0, box_at([1.0, 1.0, 1.0], [0.0; 3]));
    let arm = unit("arm").on(Some(0), Vector::x() * 0.5, Joint::Spherical);
    let model = Spatial::new(vec![unit("trunk"), arm], vec![floor()]).expect("a valid model");
    let q = [0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let contacts = model.contacts(&model.poses(&q), 1e-6).expect("contacts");
    assert!(contacts.len() == 8 && contacts.iter().all(|c| c.first == Surface::Wall(0)));
    let names = model.contact_names(&contacts);
    assert_eq!((&*names[0], &*names[7]), ("floor-trunk-1", "floor-arm-4"));
    let mut model = Spatial::new(vec![unit("a"), unit("b")], vec![floor()]).expect("a valid model");
    let q = [0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0];
    let poses = model.poses(&q);
    assert!(model.contacts(&poses, 1e-6).is_err());
    model.exclude(Surface::Body(1), 0);
    assert_eq!(model.contacts(&poses, 1e-6).expect("contacts").len(), 8);
}
