//! Hulls and moments of inertia against planes, closed forms and small cubes.

use super::random_models::Models;
use super::*;

/// The faces of a hull, by their planes: an oracle that looks at every triple of points.
#[test]
fn hulls_are_convex_and_closed() {
    let mut random = Models::new(7);
    for case in 0..60 {
        // Points on a sphere are all corners.
        let points: Vec<Vector> =
            (0..4 + case % 30).map(|_| random.vector(1.0).normalize()).collect();
        let Ok(shape) = Shape::polyhedron(points.clone()) else { panic!("case {case}") };
        let mut sides = std::collections::BTreeMap::new();
        for face in shape.faces() {
            let plane = face.normal.dot(&points[face.corners[0]]);
            assert!(points.iter().all(|p| face.normal.dot(p) <= plane + 1e-9), "case {case}");
            for i in 0..face.corners.len() {
                let side = (face.corners[i], face.corners[(i + 1) % face.corners.len()]);
                assert!(sides.insert(side, ()).is_none(), "case {case}: twice the same way");
            }
        }
        // Every edge is a side of two faces, once each way round.
        assert!(sides.keys().all(|(a, b)| sides.contains_key(&(*b, *a))), "case {case}");
        assert_eq!(sides.len(), 2 * shape.edges().count());
    }
    let cube = box_at([1.0, 2.0, 3.0], [0.0; 3]);
    assert_eq!((cube.faces().len(), cube.edges().count()), (6, 12));
    assert!(cube.faces().iter().all(|face| face.corners.len() == 4));
}

#[test]
fn moments_of_inertia_have_their_closed_forms() {
    let corner = at(7.0, -3.0, 2.0);
    let tetrahedron =
        vec![corner, corner + Vector::x(), corner + Vector::y(), corner + Vector::z()];
    let s = |x: f64| x * x;
    let regular = |a: f64| {
        [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)]
            .map(|(x, y, z)| at(x, y, z) * (a / 8f64.sqrt()))
            .to_vec()
    };
    let diagonal = |x: f64, y: f64, z: f64| Matrix::from_diagonal(&at(x, y, z));
    for (shape, expected, centroid) in [
        (Shape::point(corner), Matrix::zeros(), corner),
        (Shape::sphere(corner, 3.0), Matrix::identity() * 3.6, corner),
        (
            Shape::rod(corner, corner + at(0.0, 0.0, 2.0)),
            diagonal(1.0, 1.0, 0.0) / 3.0,
            at(7.0, -3.0, 3.0),
        ),
        (
            Ok(box_at([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])),
            diagonal(s(2.0) + s(3.0), s(1.0) + s(3.0), s(1.0) + s(2.0)) / 12.0,
            at(4.0, 5.0, 6.0),
        ),
        // A regular tetrahedron with the side a: a^2/20.
        (Shape::polyhedron(regular(2.0)), Matrix::identity() * 0.2, Vector::zeros()),
        // The corner of a cube: 3/40 on the diagonal, 1/80 off it.
        (
            Shape::polyhedron(tetrahedron),
            Matrix::from_element(1.0 / 80.0) + Matrix::identity() * (3.0 / 40.0 - 1.0 / 80.0),
            corner + at(0.25, 0.25, 0.25),
        ),
    ] {
        let shape = shape.expect("a valid shape");
        let off = (shape.gyration() - expected).amax();
        assert!(off < 1e-12, "{shape:?}: {}", shape.gyration());
        assert!((shape.centroid() - centroid).norm() < 1e-12, "{shape:?}");
    }
}

/// Capsules and polyhedra in general position, filled with small cubes.
#[test]
fn moments_of_inertia_are_those_of_many_small_cubes() {
    let mut random = Models::new(8);
    let capsule = Shape::capsule(at(0.1, 0.0, 0.2), at(0.4, 0.5, -0.1), 0.3).expect("a capsule");
    let points = (0..12).map(|_| random.vector(1.0).normalize() * 0.6).collect();
    let polyhedron = Shape::polyhedron(points).expect("a polyhedron");
    for shape in [capsule, polyhedron] {
        let (h, parts) = (1.8 / 120.0, 120);
        let inside = |p: Vector| match shape.vertices() {
            [a, b] => {
                let along = b - a;
                let s = (along.dot(&(p - a)) / along.norm_squared()).clamp(0.0, 1.0);
                (p - a - along * s).norm() <= shape.radius()
            }
            vertices => {
                shape.faces().iter().all(|f| f.normal.dot(&(p - vertices[f.corners[0]])) <= 0.0)
            }
        };
        let (mut count, mut first, mut second) = (0.0, Vector::zeros(), Matrix::zeros());
        for k in 0..parts * parts * parts {
            let cell =
                at((k % parts) as f64, (k / parts % parts) as f64, (k / parts / parts) as f64);
            let p = cell * h - Vector::repeat(0.9 - 0.5 * h);
            if inside(p) {
                count += 1.0;
                first += p;
                second += p * p.transpose();
            }
        }
        let center = first / count;
        let spread = second / count - center * center.transpose();
        let expected = Matrix::identity() * spread.trace() - spread;
        assert!((shape.centroid() - center).norm() < 2e-3, "{} {center}", shape.centroid());
        let off = (shape.gyration() - expected).amax() / expected.amax();
        assert!(off < 1e-2, "{} {expected}", shape.gyration());
    }
}
