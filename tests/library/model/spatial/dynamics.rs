//! Momenta and forces against point masses, by d'Alembert's principle with differences.

use super::random_models::Models;
use super::*;

/// The places of all point masses at a configuration, and their masses.
fn places(model: &Spatial, masses: &[Vec<(Vector, f64)>], q: &[f64]) -> Vec<(Vector, f64)> {
    let poses = model.poses(q);
    let of_body = |(i, points): (usize, &Vec<(Vector, f64)>)| -> Vec<(Vector, f64)> {
        points.iter().map(|(point, m)| (poses[i].point(*point), *m)).collect()
    };
    masses.iter().enumerate().flat_map(of_body).collect()
}

fn unit(n: usize, k: usize) -> Vec<f64> {
    (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect()
}

#[test]
fn forces_of_inertia_are_those_of_point_masses() {
    let mut random = Models::new(21);
    let gravity = Vector::new(0.3, -0.7, -9.0);
    for case in 0..100 {
        let (model, masses) = random.model();
        let n = model.coordinate_count();
        let (q, v) = (random.configuration(&model), random.numbers(n));
        let at = |v: &[f64], t: f64| places(&model, &masses, &model.flowed(&q, v, t));
        let poses = model.poses(&q);
        let momentum = model.momentum(&poses, &v);
        let product = model.mass_matrix(&poses) * vector(&v);
        assert!((&momentum - &product).amax() <= 1e-12 * (1.0 + product.amax()), "case {case}");
        // The velocity stays along the flow, so that accelerations are those of the bias forces.
        let e = 1e-3;
        let moments = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|steps| at(&v, steps * e));
        let bias = model.bias(&poses, &v, gravity);
        for k in 0..n {
            let [ahead, behind] = [e, -e].map(|t| at(&unit(n, k), t * 1e-2));
            let mut sum = 0.0;
            for (i, (_, m)) in moments[2].iter().enumerate() {
                let [a, b, c, d, f] = [0, 1, 2, 3, 4].map(|j| moments[j][i].0);
                let acceleration = (b * 16.0 + d * 16.0 - a - c * 30.0 - f) / (12.0 * e * e);
                let moved = (ahead[i].0 - behind[i].0) / (2e-2 * e);
                sum += m * (acceleration - gravity).dot(&moved);
            }
            let size = 1.0 + bias.amax();
            assert!((bias[k] - sum).abs() <= 1e-7 * size, "case {case}: {} != {sum}", bias[k]);
        }
    }
}

#[test]
fn the_slope_is_the_change_of_the_lagrangian() {
    let mut random = Models::new(22);
    let gravity = Vector::new(-0.4, 2.0, -5.0);
    for case in 0..100 {
        let (model, masses) = random.model();
        let n = model.coordinate_count();
        let (q, v) = (random.configuration(&model), random.numbers(n));
        let lagrangian = |q: &[f64]| {
            let v = vector(&v);
            let energy = 0.5 * v.dot(&(model.mass_matrix(&model.poses(q)) * &v));
            let weight = |(x, m): &(Vector, f64)| m * gravity.dot(x);
            energy + places(&model, &masses, q).iter().map(weight).sum::<f64>()
        };
        let [_, slope] = model.derivatives(&model.poses(&q), &v, gravity);
        let e = 1e-5;
        for k in 0..n {
            let [ahead, behind] = [e, -e].map(|t| lagrangian(&model.flowed(&q, &unit(n, k), t)));
            let change = (ahead - behind) / (2.0 * e);
            let size = 1.0 + slope.amax() + lagrangian(&q).abs();
            assert!((slope[k] - change).abs() <= 1e-8 * size, "case {case}: {} {change}", slope[k]);
        }
    }
}

/// Hamel's equations: `dp/dt = dL/dq + w x p`, and `M dv/dt + c = 0` without forces.
#[test]
fn both_forms_of_the_equations_of_motion_agree() {
    let mut random = Models::new(23);
    let gravity = Vector::new(0.0, 1.0, -9.0);
    for case in 0..100 {
        let (model, _) = random.model();
        let n = model.coordinate_count();
        let (q, v) = (random.configuration(&model), random.numbers(n));
        let poses = model.poses(&q);
        let [p, mut push] = model.derivatives(&poses, &v, gravity);
        for at in model.turning() {
            let three = |x: &[f64]| Vector::new(x[at], x[at + 1], x[at + 2]);
            let turned = three(&v).cross(&three(p.as_slice()));
            (0..3).for_each(|axis| push[at + axis] += turned[axis]);
        }
        // dp/dt = M dv/dt + (dM/dt) v.
        let e = 1e-5;
        let [ahead, behind] =
            [e, -e].map(|t| model.momentum(&model.poses(&model.flowed(&q, &v, t)), &v));
        let found = push - (ahead - behind) / (2.0 * e);
        let bias = model.bias(&poses, &v, gravity);
        assert!((&found + &bias).amax() <= 1e-8 * (1.0 + bias.amax() + p.amax()), "case {case}");
    }
}
