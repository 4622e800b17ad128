//! Gaps of shapes against dumb searches.

use super::*;

const SIDES: [f64; 3] = [1.0, 1.5, 2.0];

fn corners() -> Vec<[f64; 3]> {
    (0..8).map(|i| [0, 1, 2].map(|k| if i >> k & 1 == 1 { SIDES[k] } else { -SIDES[k] })).collect()
}

#[test]
fn a_box_is_the_polyhedron_of_its_corners() {
    let mut draws = Draws::new(7);
    for rounding in [0.0, 1e-13, 0.2] {
        let cuboid = ShapePart::cuboid([0.0; 3], SIDES, &UNIT, rounding).unwrap();
        let polyhedron = ShapePart::polyhedron(corners(), rounding).unwrap();
        for _ in 0..200 {
            let q = draws.direction();
            let (a, b) = (cuboid.support(q), polyhedron.support(q));
            assert!((a.value - b.value).abs() < 1e-14 && super::apart(&a.point, &b.point) < 1e-14);
            // The point is where the value says, and in the direction of the corner.
            assert!((dot(q, a.point) - a.value).abs() < 1e-14);
        }
        let (a, b) = (ran(spec(cuboid), 1500), ran(spec(polyhedron), 1500));
        assert_eq!(a.impacts.len(), b.impacts.len());
        assert!(a.impacts.len() > 3 && state_at(&a.last).distance(&state_at(&b.last)) < 1e-6);
    }
}

/// Points of the surface, drawn blindly, come near the least one, and never below it.
#[test]
fn the_nearest_point_of_an_ellipsoid_is_the_least() {
    let mut draws = Draws::new(8);
    for _ in 0..20 {
        let (center, lengths) = (draws.vector(2.0), [0, 1, 2].map(|_| (draws.number()).exp()));
        let attitude = draws.rotation();
        let part = ShapePart::ellipsoid(center, lengths, &attitude).unwrap();
        let image = Image::new(center, lengths, &attitude);
        let q = draws.direction();
        let found = part.support(q);
        assert!((dot(q, found.point) - found.value).abs() < 1e-13);
        assert!(
            (dot(image.preimage(found.point), image.preimage(found.point)) - 1.0).abs() < 1e-13
        );
        let mut least = f64::INFINITY;
        for _ in 0..4000 {
            let z = super::apply(&image.half, draws.direction());
            least = least.min(dot(q, [0, 1, 2].map(|i| center[i] + z[i])));
        }
        assert!(least >= found.value - 1e-13);
        assert!(least < found.value + 0.02 * lengths.iter().sum::<f64>());
    }
}

#[test]
fn a_union_takes_the_part_that_comes_first() {
    let mut draws = Draws::new(9);
    let parts = vec![
        ellipsoid(),
        ShapePart::cuboid([3.0, 0.0, 1.0], SIDES, &draws.rotation(), 0.1).unwrap(),
        ShapePart::polyhedron(corners(), 0.0).unwrap(),
    ];
    let shape = BodyShape { parts: parts.clone() };
    let mut used = [0; 3];
    for _ in 0..300 {
        let q = draws.direction();
        let (found, values) = (shape.support(q), [0, 1, 2].map(|i| parts[i].support(q).value));
        let least = (0..3).min_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap();
        assert_eq!(found, parts[least].support(q));
        used[least] += 1;
    }
    assert!(used[0] > 0 && used[1] > 0, "{used:?}");
}

/// A body deep in another one moves as without it; parts in any order are the same body.
#[test]
fn hidden_parts_do_not_matter() {
    let ran = |parts: Vec<ShapePart>| {
        super::ran(LgvciSpec { shape: BodyShape { parts }, ..spec(ellipsoid()) }, 800)
    };
    let hidden = || ShapePart::ellipsoid([0.1, 0.0, 0.0], [1.0, 1.0, 1.0], &UNIT).unwrap();
    let plain = ran(vec![ellipsoid()]);
    assert_eq!(ran(vec![ellipsoid(), hidden()]), plain);
    assert_eq!(ran(vec![hidden(), ellipsoid()]), plain);
    let twice = ran(vec![
        ShapePart::intersection(vec![Image::new([0.0; 3], [2.0, 3.0, 4.0], &UNIT); 2]).unwrap(),
    ]);
    assert_eq!(twice.impacts.len(), plain.impacts.len());
    assert!(state_at(&twice.last).distance(&state_at(&plain.last)) < 1e-9);
}

#[test]
fn impossible_shapes_are_refused() {
    let unit = |x: f64| Image::new([x, 0.0, 0.0], [1.0; 3], &UNIT);
    let with = |x: f64| ShapePart::intersection(vec![unit(0.0), unit(x)]);
    for (made, word) in [
        (ShapePart::ellipsoid([0.0; 3], [1.0, 0.0, 1.0], &UNIT), "half axes"),
        (ShapePart::ellipsoid([f64::NAN; 3], [1.0; 3], &UNIT), "finite"),
        (ShapePart::cuboid([0.0; 3], [1.0, -1.0, 1.0], &UNIT, 0.0), "half sides"),
        (ShapePart::cuboid([0.0; 3], [1.0; 3], &UNIT, -1.0), "rounding"),
        (ShapePart::polyhedron(vec![[0.0; 3]; 4], 0.0), ""),
        (ShapePart::intersection(Vec::new()), "1 to 8"),
        (with(3.0), "in common"),
        (with(2.0), "in common"),
    ] {
        let message = made.unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    }
}
