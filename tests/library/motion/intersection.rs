//! The least point of an intersection of ellipsoids.

use super::*;

fn ball(center: [f64; 3], radius: f64) -> Image {
    Image::new(center, [radius; 3], &UNIT)
}

/// Some ellipsoids around the origin, so that they have a ball in common.
fn random(draws: &mut Draws, count: usize) -> Vec<Image> {
    (0..count)
        .map(|_| {
            let lengths = [0, 1, 2].map(|_| 1.0 + draws.number().abs() * 2.0);
            Image::new(draws.vector(0.5), lengths, &draws.rotation())
        })
        .collect()
}

fn outside(image: &Image, x: [f64; 3]) -> f64 {
    dot(image.preimage(x), image.preimage(x)) - 1.0
}

/// How far `-q` is from the cone of active outward normals, over all combinations.
fn unbalanced(parts: &[Image], q: [f64; 3], x: [f64; 3]) -> f64 {
    let normals: Vec<nalgebra::Vector3<f64>> = (parts.iter())
        .filter(|part| outside(part, x).abs() < 1e-10)
        .map(|part| {
            let z = part.preimage(x);
            let columns =
                [0, 1, 2].map(|j| [part.inverse[0][j], part.inverse[1][j], part.inverse[2][j]]);
            nalgebra::Vector3::from(columns.map(|column| dot(column, z))).normalize()
        })
        .collect();
    let target = -nalgebra::Vector3::from(q);
    let mut least = f64::INFINITY;
    for set in 1_u32..1 << normals.len() {
        let chosen: Vec<_> =
            (0..normals.len()).filter(|i| set >> i & 1 == 1).map(|i| normals[i]).collect();
        if chosen.len() > 3 {
            continue;
        }
        let matrix = nalgebra::Matrix3xX::from_columns(&chosen);
        let Ok(weights) = matrix.clone().svd(true, true).solve(&target, 1e-12) else { continue };
        if weights.min() >= -1e-10 {
            least = least.min((matrix * weights - target).norm());
        }
    }
    least
}

#[test]
fn the_least_point_meets_the_conditions_of_a_minimum() {
    let mut draws = Draws::new(11);
    let mut by_active = [0; 4];
    for count in 1..=8 {
        for _ in 0..60 {
            let parts = random(&mut draws, count);
            let part = ShapePart::intersection(parts.clone()).unwrap();
            for _ in 0..5 {
                let q = draws.direction();
                let found = part.support(q);
                let fault = parts.iter().map(|part| outside(part, found.point)).fold(0.0, f64::max);
                assert!(fault < 1e-12, "{fault:e}: {parts:?} {q:?}");
                assert!((dot(q, found.point) - found.value).abs() < 1e-12);
                let unbalanced = unbalanced(&parts, q, found.point);
                assert!(unbalanced < 1e-9, "{unbalanced:e}: {parts:?} {q:?}");
                let active =
                    parts.iter().filter(|part| outside(part, found.point).abs() < 1e-10).count();
                by_active[active.min(3)] += 1;
            }
        }
    }
    assert!(by_active[1] > 100 && by_active[2] > 100 && by_active[3] > 100, "{by_active:?}");
}

/// Points of the body, drawn blindly, never come before it, and come near.
#[test]
fn no_point_comes_before_the_least() {
    let mut draws = Draws::new(12);
    for count in [2, 3, 5] {
        let parts = random(&mut draws, count);
        let part = ShapePart::intersection(parts.clone()).unwrap();
        for _ in 0..5 {
            let q = draws.direction();
            let found = part.support(q);
            let mut least = f64::INFINITY;
            for _ in 0..20_000 {
                // A point of the boundary along a ray from the origin, which is inside.
                let ray = draws.direction();
                let reach = |image: &Image| {
                    let (z, d) = (image.preimage([0.0; 3]), apply(&image.inverse, ray));
                    let (a, b, c) = (dot(d, d), dot(z, d), dot(z, z) - 1.0);
                    ((b * b - a * c).sqrt() - b) / a
                };
                let t = parts.iter().map(reach).fold(f64::INFINITY, f64::min);
                least = least.min(t * dot(q, ray));
            }
            assert!(least >= found.value - 1e-12, "{least} {}", found.value);
            assert!(least < found.value + 0.05, "{least} {}", found.value);
        }
    }
}

/// A lens of equal balls has an edge of radius `sqrt(r^2 - d^2)`, for flat directions.
#[test]
fn a_lens_is_known() {
    let (r, d): (f64, f64) = (1.0, 0.6);
    let lens =
        ShapePart::intersection(vec![ball([-d, 0.0, 0.0], r), ball([d, 0.0, 0.0], r)]).unwrap();
    let edge = (r * r - d * d).sqrt();
    for i in 0..=400 {
        let angle = f64::from(i) / 400.0 * std::f64::consts::PI;
        let q = [angle.cos(), angle.sin() * 0.6, angle.sin() * 0.8];
        let found = lens.support(q);
        // On the cap of a ball while its least point is in the other one.
        let (along, across) = (q[0].abs(), angle.sin());
        let cap = r * along > d + 1e-12;
        let value = if cap { d * along - r } else { -edge * across };
        assert!((found.value - value).abs() < 2e-14, "{angle}: {} {value}", found.value);
        let point = if cap {
            [q[0].signum() * d - r * q[0], -r * q[1], -r * q[2]]
        } else {
            [0.0, -edge * 0.6, -edge * 0.8]
        };
        let far = super::apart(&found.point, &point);
        assert!(far < 1e-12 || (r * along - d).abs() < 1e-6, "{angle}: {far:e}");
    }
}

#[test]
fn repeated_ellipsoids_change_nothing() {
    let mut draws = Draws::new(13);
    for _ in 0..50 {
        let parts = random(&mut draws, 2);
        let [a, b] = [parts[0], parts[1]];
        let plain = ShapePart::intersection(vec![a, b]).unwrap();
        let same = ShapePart::intersection(vec![a, b, a, a, b]).unwrap();
        let single = ShapePart::intersection(vec![a; 8]).unwrap();
        for _ in 0..10 {
            let q = draws.direction();
            let (x, y) = (plain.support(q), same.support(q));
            assert!((x.value - y.value).abs() < 1e-13, "{:e}", x.value - y.value);
            let far = super::apart(&x.point, &y.point);
            assert!(far < 1e-11, "{far:e}");
            let (x, y) = (ShapePart::Ellipsoid(a).support(q), single.support(q));
            assert!((x.value - y.value).abs() < 1e-14 && super::apart(&x.point, &y.point) < 1e-14);
        }
    }
}

/// Thin lenses, sizes from 1e-3 to 1e3, and flat ellipsoids.
#[test]
fn extreme_intersections_are_solved() {
    let mut draws = Draws::new(14);
    for size in [1e-3, 1.0, 1e3] {
        for thin in [1e-2, 1e-4, 1e-5] {
            let d = size * (1.0 - thin);
            let parts = vec![ball([-d, 0.0, 0.0], size), ball([d, 0.0, 0.0], size)];
            let lens = ShapePart::intersection(parts).unwrap();
            let edge = (size * size - d * d).sqrt();
            let found = lens.support([0.0, 0.6, 0.8]);
            let value = found.value;
            assert!((value + edge).abs() < 1e-12 * size, "{size} {thin}: {value} {edge}");
        }
        for _ in 0..100 {
            let flat = |draws: &mut Draws| {
                let lengths = [0, 1, 2].map(|_| size * 10_f64.powf(draws.number()));
                Image::new([0.0; 3], lengths, &draws.rotation())
            };
            let parts = vec![flat(&mut draws), flat(&mut draws), flat(&mut draws)];
            let part = ShapePart::intersection(parts.clone()).unwrap();
            let q = draws.direction();
            let found = part.support(q);
            let fault = parts.iter().map(|part| outside(part, found.point)).fold(0.0, f64::max);
            assert!(fault < 1e-10, "{fault:e}: {parts:?} {q:?}");
            assert!((dot(q, found.point) - found.value).abs() < 1e-10 * size);
            assert!(unbalanced(&parts, q, found.point) < 1e-7);
        }
    }
}

/// A body with an edge: the energy stays, and no state is in the plane.
#[test]
fn an_intersection_bounces() {
    let mut draws = Draws::new(15);
    for count in [2, 3] {
        let motion =
            Lgvci::new(spec(ShapePart::intersection(random(&mut draws, count)).unwrap())).unwrap();
        let mut least = f64::INFINITY;
        let course = motion.run(3000, None, |moment| {
            least = least.min(motion.body().gap(&state_at(moment)).value);
            Ok(())
        });
        let course = course.unwrap();
        assert!(course.impacts.len() >= 5, "{}", course.impacts.len());
        assert!(course.last.step == 3000, "{}", course.impacts.len());
        assert!(course.energy_error < 1e-11 * course.initial, "{:e}", course.energy_error);
        assert!(least >= 0.0, "{least:e}");
    }
}
