//! Touches of pairs with known closest features, and of faces with faces.

use super::random_models::Models;
use super::*;
use carom::model::spatial::Touch;
use std::f64::consts::PI;

/// Pairs with known closest features, in random poses of the world.
#[test]
fn every_kind_of_pair_touches_where_it_should() {
    let unit = || box_at([2.0; 3], [0.0; 3]);
    let sphere = |center: [f64; 3], r: f64| Shape::sphere(center.into(), r).expect("a sphere");
    let capsule = |a: [f64; 3], b: [f64; 3], r: f64| {
        Shape::capsule(a.into(), b.into(), r).expect("a capsule")
    };
    let rod = |a: [f64; 3], b: [f64; 3]| Shape::rod(a.into(), b.into()).expect("a rod");
    let turned = |sides: [f64; 3], center: [f64; 3], axis: [f64; 3]| {
        let turn = Attitude::from_scaled_axis(axis.into());
        Shape::cuboid(sides.into(), center.into(), turn).expect("a box")
    };
    let point = |at: [f64; 3]| Shape::point(at.into()).expect("a point");
    // A box on its corner: half a diagonal of space above the top.
    let on_corner =
        Attitude::rotation_between(&at(-1.0, -1.0, -1.0), &-Vector::z()).expect("a rotation");
    let center = at(0.2, 0.3, 1.0 + 0.75f64.sqrt());
    let corner = Shape::cuboid(at(1.0, 1.0, 1.0), center, on_corner).expect("a box");
    let lying = || capsule([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.5);
    let (half, t, turn) = (0.5f64.sqrt(), 2f64.sqrt() - 1.0, PI / 4.0);
    let (up, along) = ([0.0, 0.0, 1.0], [turn, 0.0, 0.0]);
    let eight =
        [[1.0, t], [t, 1.0], [-t, 1.0], [-1.0, t], [-1.0, -t], [-t, -1.0], [t, -1.0], [1.0, -t]];
    let eight = eight.map(|[x, y]| [x, y, 1.0]);
    let four = [[-0.5, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [-0.5, 1.0, 1.0]];
    // Two shapes, where they touch, and the normal there.
    type Case<'a> = (Shape, Shape, &'a [[f64; 3]], [f64; 3]);
    let cases: Vec<Case<'_>> = vec![
        // Spheres and capsules with one another.
        (sphere([0.0; 3], 1.0), sphere([3.0, 0.0, 0.0], 2.0), &[[1.0, 0.0, 0.0]], [1.0, 0.0, 0.0]),
        (lying(), sphere([0.3, 0.0, 1.5], 1.0), &[[0.3, 0.0, 0.5]], up),
        (lying(), sphere([1.9, 0.0, 1.2], 1.0), &[[1.3, 0.0, 0.4]], [0.6, 0.0, 0.8]),
        (lying(), capsule([0.2, -1.0, 0.75], [0.2, 3.0, 0.75], 0.25), &[[0.2, 0.0, 0.5]], up),
        (
            lying(),
            capsule([0.2, 0.0, 0.75], [3.0, 0.0, 0.75], 0.25),
            &[[0.2, 0.0, 0.5], [1.0, 0.0, 0.5]],
            up,
        ),
        // A sphere on a face, an edge and a corner.
        (unit(), sphere([0.2, 0.3, 3.0], 2.0), &[[0.2, 0.3, 1.0]], up),
        (unit(), sphere([0.2, 2.2, 2.6], 2.0), &[[0.2, 1.0, 1.0]], [0.0, 0.6, 0.8]),
        (unit(), sphere([3.0, 2.0, 3.0], 3.0), &[[1.0; 3]], [2.0, 1.0, 2.0].map(|x| x / 3.0)),
        // A capsule on a face beyond its rim, with one end on a face, and across an edge.
        (
            unit(),
            capsule([0.2, 0.3, 1.5], [4.0, 0.3, 1.5], 0.5),
            &[[0.2, 0.3, 1.0], [1.0, 0.3, 1.0]],
            up,
        ),
        (unit(), capsule([0.2, 0.3, 1.5], [4.0, 0.3, 2.5], 0.5), &[[0.2, 0.3, 1.0]], up),
        (
            unit(),
            capsule([0.2, 1.6 - 1.6, 1.8 + 1.2], [0.2, 1.6 + 1.6, 1.8 - 1.2], 1.0),
            &[[0.2, 1.0, 1.0]],
            [0.0, 0.6, 0.8],
        ),
        // Rods, and a point.
        (unit(), rod([0.5, 0.5, 1.0], [-0.5, 0.0, 1.0]), &[[0.5, 0.5, 1.0], [-0.5, 0.0, 1.0]], up),
        (
            rod([-1.0, 0.0, 0.0], [2.0, 0.0, 0.0]),
            rod([0.3, -1.0, 0.0], [0.3, 3.0, 0.0]),
            &[[0.3, 0.0, 0.0]],
            up,
        ),
        (unit(), point([0.1, 0.2, 1.0]), &[[0.1, 0.2, 1.0]], up),
        // A corner and an edge on a face; edges that cross, and along each other, apart.
        (unit(), corner, &[[0.2, 0.3, 1.0]], up),
        (
            unit(),
            turned([4.0, 1.0, 1.0], [1.5, 0.25, 1.0 + half], along),
            &[[-0.5, 0.25, 1.0], [1.0, 0.25, 1.0]],
            up,
        ),
        (
            turned([4.0, 1.0, 1.0], [0.0, 0.0, -half], along),
            turned([1.0, 4.0, 1.0], [0.3, 0.2, half], [0.0, turn, 0.0]),
            &[[0.3, 0.0, 0.0]],
            up,
        ),
        (
            turned([4.0, 1.0, 1.0], [0.0, 0.0, -half - 1e-8], along),
            turned([2.0, 1.0, 1.0], [1.5, 0.0, half], along),
            &[[0.5, 0.0, 0.0], [2.0, 0.0, 0.0]],
            up,
        ),
        // A face on a face; turned by an eighth.
        (unit(), box_at([2.0; 3], [0.5, 1.0, 2.0]), &four, up),
        (unit(), turned([2.0, 2.0, 1.0], [0.0, 0.0, 1.5], [0.0, 0.0, turn]), &eight, up),
    ];
    let mut random = Models::new(9);
    for (what, (a, b, points, normal)) in cases.iter().enumerate() {
        for _ in 0..20 {
            let world = random.pose(2.0);
            let (a, b) = (a.placed(&world), b.placed(&world));
            let points: Vec<Vector> = points.iter().map(|p| world.point((*p).into())).collect();
            let normal = world.direction((*normal).into());
            for (first, second, sign) in [(&a, &b, 1.0), (&b, &a, -1.0)] {
                let found = touches(first, second, 1e-6);
                assert_eq!(found.len(), points.len(), "{what}: {found:?}");
                for Touch { point, normal: along, gap } in &found {
                    assert!(gap.abs() < 2e-8, "{what}: {gap}");
                    assert!(points.iter().any(|k| (k - point).norm() < 1e-7), "{what}: {found:?}");
                    assert!((along * sign - normal).norm() < 1e-6, "{what}: {along} {normal}");
                }
                // All the expected places are different.
                let new =
                    |i: usize| found[..i].iter().all(|t| (t.point - found[i].point).norm() > 1e-6);
                assert!((0..found.len()).all(new), "{what}: {found:?}");
            }
        }
    }
    assert!(touches(&point([0.0; 3]), &point([0.0; 3]), 1e-9).is_empty());
}

/// Touches of random boxes are in both faces, and span the area that a grid finds.
#[test]
fn faces_touch_at_the_corners_of_their_overlap() {
    let mut random = Models::new(10);
    for case in 0..60 {
        let (w, d, yaw) =
            (random.uniform(0.3, 2.0), random.uniform(0.3, 2.0), random.uniform(-3.0, 3.0));
        let offset = at(random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9), 1.5);
        let lower = box_at([2.0, 2.0, 2.0], [0.0; 3]);
        let turn = Attitude::from_scaled_axis(Vector::z() * yaw);
        let upper = Shape::cuboid(at(w, d, 1.0), offset, turn).expect("a box");
        let within = |p: Vector, slack: f64| {
            let local = turn.inverse() * (p - offset);
            p.x.abs().max(p.y.abs()) <= 1.0 + slack
                && local.x.abs() <= w / 2.0 + slack
                && local.y.abs() <= d / 2.0 + slack
        };
        let found = touches(&lower, &upper, 1e-9);
        assert!(found.iter().all(|touch| within(touch.point, 1e-9)), "case {case}: {found:?}");
        assert!(
            found.iter().all(|t| (t.normal - Vector::z()).norm() < 1e-12 && t.gap.abs() < 1e-12)
        );
        let area: f64 = (1..found.len().saturating_sub(1))
            .map(|i| {
                let [a, b] = [i, i + 1].map(|k| found[k].point - found[0].point);
                0.5 * (a.x * b.y - a.y * b.x)
            })
            .sum();
        let parts = 400;
        let cells = (0..parts * parts)
            .filter(|k| {
                let place = |k: usize| (k as f64 + 0.5) * 2.0 / parts as f64 - 1.0;
                within(at(place(k % parts), place(k / parts), 1.0), 0.0)
            })
            .count();
        let counted = cells as f64 * 4.0 / (parts * parts) as f64;
        assert!((area.abs() - counted).abs() < 0.02, "case {case}: {area} {counted}");
    }
}

/// Rounding tilts a box that should lie flat: it touches at the same places.
#[test]
fn a_box_that_lies_nearly_flat_touches_with_its_face() {
    let mut random = Models::new(13);
    for case in 0..200 {
        let lower = box_at([2.0, 2.0, 2.0], [0.0; 3]);
        let flat = Attitude::from_scaled_axis(Vector::z() * random.uniform(-3.0, 3.0));
        let tilt = Attitude::from_scaled_axis(random.vector(1e-7));
        let center = at(random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9), 1.5);
        let upper =
            |attitude: Attitude| Shape::cuboid(at(1.0, 1.5, 1.0), center, attitude).expect("a box");
        let expected = touches(&lower, &upper(flat), 1e-6);
        let found = touches(&lower, &upper(tilt * flat), 1e-6);
        assert_eq!(found.len(), expected.len(), "case {case}");
        for touch in found {
            assert!(expected.iter().any(|o| (o.point - touch.point).norm() < 1e-5), "case {case}");
            assert!((touch.normal - Vector::z()).norm() < 1e-6, "case {case}");
        }
    }
}

#[test]
fn shapes_touch_a_wall_with_all_their_vertices() {
    let contacts = |shape: Shape, height: f64| {
        let model =
            Spatial::new(vec![Body::uniform("it", 1.0, shape)], vec![floor()]).expect("a model");
        let q = [0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0];
        model.contacts(&model.poses(&q), 1e-9)
    };
    let count = |shape: Shape| contacts(shape, 0.5).expect("contacts").len();
    let capsule = |to| Shape::capsule(Vector::zeros(), to, 0.5).expect("a capsule");
    assert_eq!(count(Shape::sphere(Vector::zeros(), 0.5).expect("a sphere")), 1);
    assert_eq!([Vector::x(), Vector::z()].map(|to| count(capsule(to))), [2, 1]);
    let cube = || box_at([1.0; 3], [0.0; 3]);
    assert_eq!(count(cube()), 4);
    let error = contacts(cube(), 0.25).expect_err("an overlap").to_string();
    assert!(error.contains("`floor` and `it` overlap by 2.5e-1 m"), "{error}");
    let error = contacts(cube(), 0.75).expect_err("a distance").to_string();
    assert!(error.contains("`floor` and `it`, are 2.5e-1 m apart"), "{error}");
}
