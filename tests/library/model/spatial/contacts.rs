//! Touches of pairs with known closest features, and of faces with faces.

use super::random_models::Models;
use super::*;
use carom::model::spatial::Touch;
use std::f64::consts::PI;

/// Pairs with known closest features, in random poses of the world.
#[test]
fn every_kind_of_pair_touches_where_it_should() {
    let unit = || box_at([2.0, 2.0, 2.0], [0.0; 3]);
    let sphere = |x: f64, y: f64, z: f64, r: f64| Shape::sphere(at(x, y, z), r).expect("a sphere");
    let capsule = |a: [f64; 3], b: [f64; 3], r: f64| {
        Shape::capsule(a.into(), b.into(), r).expect("a capsule")
    };
    let rod = |a: [f64; 3], b: [f64; 3]| Shape::rod(a.into(), b.into()).expect("a rod");
    let turned_box = |sides: [f64; 3], center: Vector, axis: Vector| {
        Shape::cuboid(sides.into(), center, Attitude::from_scaled_axis(axis)).expect("a box")
    };
    let half = 0.5f64.sqrt();
    // A box on its corner: half a diagonal of space above the top.
    let on_corner =
        Attitude::rotation_between(&at(-1.0, -1.0, -1.0), &-Vector::z()).expect("a rotation");
    let corner_box =
        Shape::cuboid(at(1.0, 1.0, 1.0), at(0.2, 0.3, 1.0 + 0.75f64.sqrt()), on_corner)
            .expect("a box");
    let (x, z) = (Vector::x(), Vector::z());
    let lying = || capsule([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.5);
    let t = 2f64.sqrt() - 1.0;
    let eight =
        [(1.0, t), (t, 1.0), (-t, 1.0), (-1.0, t), (-1.0, -t), (-t, -1.0), (t, -1.0), (1.0, -t)]
            .map(|(x, y)| at(x, y, 1.0));
    type Expected = (&'static str, Vec<Vector>, Vector);
    let cases: Vec<((Shape, Shape), Expected)> = vec![
        (
            (sphere(0.0, 0.0, 0.0, 1.0), sphere(3.0, 0.0, 0.0, 2.0)),
            ("spheres", vec![at(1.0, 0.0, 0.0)], x),
        ),
        (
            (lying(), sphere(0.3, 0.0, 1.5, 1.0)),
            ("sphere on the side of a capsule", vec![at(0.3, 0.0, 0.5)], z),
        ),
        (
            (lying(), sphere(1.0 + 0.9, 0.0, 1.2, 1.0)),
            ("sphere on the end of a capsule", vec![at(1.3, 0.0, 0.4)], at(0.6, 0.0, 0.8)),
        ),
        (
            (lying(), capsule([0.2, -1.0, 0.75], [0.2, 3.0, 0.75], 0.25)),
            ("crossed capsules", vec![at(0.2, 0.0, 0.5)], z),
        ),
        (
            (lying(), capsule([0.2, 0.0, 0.75], [3.0, 0.0, 0.75], 0.25)),
            ("capsules side by side", vec![at(0.2, 0.0, 0.5), at(1.0, 0.0, 0.5)], z),
        ),
        ((unit(), sphere(0.2, 0.3, 3.0, 2.0)), ("sphere on a face", vec![at(0.2, 0.3, 1.0)], z)),
        (
            (unit(), sphere(0.2, 1.0 + 1.2, 1.0 + 1.6, 2.0)),
            ("sphere on an edge", vec![at(0.2, 1.0, 1.0)], at(0.0, 0.6, 0.8)),
        ),
        (
            (unit(), sphere(1.0 + 2.0, 1.0 + 1.0, 1.0 + 2.0, 3.0)),
            ("sphere on a corner", vec![at(1.0, 1.0, 1.0)], at(2.0, 1.0, 2.0) / 3.0),
        ),
        (
            (unit(), capsule([0.2, 0.3, 1.5], [4.0, 0.3, 1.5], 0.5)),
            ("capsule on a face, beyond its rim", vec![at(0.2, 0.3, 1.0), at(1.0, 0.3, 1.0)], z),
        ),
        (
            (unit(), capsule([0.2, 0.3, 1.5], [4.0, 0.3, 2.5], 0.5)),
            ("capsule with one end on a face", vec![at(0.2, 0.3, 1.0)], z),
        ),
        (
            (unit(), capsule([0.2, 1.6 - 1.6, 1.8 + 1.2], [0.2, 1.6 + 1.6, 1.8 - 1.2], 1.0)),
            ("capsule across an edge", vec![at(0.2, 1.0, 1.0)], at(0.0, 0.6, 0.8)),
        ),
        (
            (unit(), rod([0.5, 0.5, 1.0], [-0.5, 0.0, 1.0])),
            ("rod on a face", vec![at(0.5, 0.5, 1.0), at(-0.5, 0.0, 1.0)], z),
        ),
        (
            (rod([-1.0, 0.0, 0.0], [2.0, 0.0, 0.0]), rod([0.3, -1.0, 0.0], [0.3, 3.0, 0.0])),
            ("crossed rods", vec![at(0.3, 0.0, 0.0)], z),
        ),
        (
            (unit(), Shape::point(at(0.1, 0.2, 1.0)).expect("a point")),
            ("point on a face", vec![at(0.1, 0.2, 1.0)], z),
        ),
        ((unit(), corner_box), ("corner on a face", vec![at(0.2, 0.3, 1.0)], z)),
        (
            (
                unit(),
                turned_box([4.0, 1.0, 1.0], at(1.5, 0.25, 1.0 + half), at(PI / 4.0, 0.0, 0.0)),
            ),
            ("edge on a face", vec![at(-0.5, 0.25, 1.0), at(1.0, 0.25, 1.0)], z),
        ),
        (
            (
                turned_box([4.0, 1.0, 1.0], at(0.0, 0.0, -half), at(PI / 4.0, 0.0, 0.0)),
                turned_box([1.0, 4.0, 1.0], at(0.3, 0.2, half), at(0.0, PI / 4.0, 0.0)),
            ),
            ("crossed edges", vec![at(0.3, 0.0, 0.0)], z),
        ),
        (
            (
                turned_box([4.0, 1.0, 1.0], at(0.0, 0.0, -half - 1e-8), at(PI / 4.0, 0.0, 0.0)),
                turned_box([2.0, 1.0, 1.0], at(1.5, 0.0, half), at(PI / 4.0, 0.0, 0.0)),
            ),
            ("edges along each other, apart", vec![at(0.5, 0.0, 0.0), at(2.0, 0.0, 0.0)], z),
        ),
        (
            (unit(), box_at([2.0, 2.0, 2.0], [0.5, 1.0, 2.0])),
            (
                "face on face",
                vec![at(-0.5, 0.0, 1.0), at(1.0, 0.0, 1.0), at(1.0, 1.0, 1.0), at(-0.5, 1.0, 1.0)],
                z,
            ),
        ),
        (
            (unit(), turned_box([2.0, 2.0, 1.0], at(0.0, 0.0, 1.5), at(0.0, 0.0, PI / 4.0))),
            ("face on face, turned by an eighth", eight.to_vec(), z),
        ),
    ];
    let mut random = Models::new(9);
    for ((a, b), (what, points, normal)) in &cases {
        for _ in 0..20 {
            let world = random.pose(2.0);
            let (a, b) = (a.placed(&world), b.placed(&world));
            let points: Vec<Vector> = points.iter().map(|p| world.point(*p)).collect();
            let normal = world.direction(*normal);
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
    let point = || Shape::point(at(0.0, 0.0, 0.0)).expect("a point");
    assert!(touches(&point(), &point(), 1e-9).is_empty());
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
    let count = |shape: Shape, height: f64| contacts(shape, height).expect("contacts").len();
    assert_eq!(count(Shape::sphere(Vector::zeros(), 0.5).expect("a sphere"), 0.5), 1);
    assert_eq!(
        count(Shape::capsule(Vector::zeros(), Vector::x(), 0.5).expect("a capsule"), 0.5),
        2
    );
    assert_eq!(
        count(Shape::capsule(Vector::zeros(), Vector::z(), 0.5).expect("a capsule"), 0.5),
        1
    );
    assert_eq!(count(box_at([1.0, 1.0, 1.0], [0.0; 3]), 0.5), 4);
    let error =
        contacts(box_at([1.0, 1.0, 1.0], [0.0; 3]), 0.25).expect_err("an overlap").to_string();
    assert!(error.contains("`floor` and `it` overlap by 2.5e-1 m"), "{error}");
    let error =
        contacts(box_at([1.0, 1.0, 1.0], [0.0; 3]), 0.75).expect_err("a distance").to_string();
    assert!(error.contains("`floor` and `it`, are 2.5e-1 m apart"), "{error}");
}
