//! Distances against sampled surfaces.

use super::random_models::Models;
use super::*;
use carom::model::spatial::separation;

/// The boundary of a shape's hull in points, with their largest distance from each other.
fn boundary(shape: &Shape) -> (Vec<Vector>, f64) {
    let mut points = shape.vertices().to_vec();
    let mut spacing = 0.0_f64;
    let parts = 36;
    let share = |k: usize| k as f64 / parts as f64;
    for (a, b) in shape.edges() {
        points.extend((1..parts).map(|k| a + (b - a) * share(k)));
        spacing = spacing.max((b - a).norm() / parts as f64);
    }
    for face in shape.faces() {
        let corners: Vec<_> = shape.corners(face).collect();
        for pair in corners[1..].windows(2) {
            let (a, b, c) = (corners[0], pair[0], pair[1]);
            for i in 0..=parts {
                points.extend((0..=parts - i).map(|j| a + (b - a) * share(i) + (c - a) * share(j)));
            }
            spacing = spacing.max(((b - a).norm() + (c - a).norm()) / parts as f64);
        }
    }
    (points, spacing)
}

#[test]
fn separation_is_the_distance() {
    let mut random = Models::new(8);
    let (mut apart, mut overlaps) = (0, 0);
    for case in 0..80 {
        let a = random.shape().placed(&random.pose(0.1));
        let b = random.shape().placed(&random.pose([0.3, 1.5][case % 2]));
        let gap = separation(&a, &b);
        assert!((gap - separation(&b, &a)).abs() < 1e-12);
        let radii = a.radius() + b.radius();
        if gap + radii > 1e-9 {
            let ((p, hp), (q, hq)) = (boundary(&a), boundary(&b));
            // Thin the denser one out: the sum over pairs is what costs.
            let brute = p
                .iter()
                .step_by(if p.len() > 1000 { 3 } else { 1 })
                .flat_map(|p| q.iter().map(move |q| (p - q).norm_squared()))
                .fold(f64::INFINITY, f64::min)
                .sqrt()
                - radii;
            let slack = 3.0 * hp + hq + 1e-12;
            assert!(gap <= brute + 1e-12 && gap >= brute - slack, "case {case}: {gap} != {brute}");
            // The closest places are among the touches, as far as sizes allow to tell.
            let least =
                touches(&a, &b, 10.0).iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
            let points = a.vertices().len() + b.vertices().len() == 2 && radii == 0.0;
            assert!(points || (least - gap).abs() < 1e-5, "case {case}: {least} {gap}");
            apart += 1;
        }
        if gap < -1e-9 && a.faces().len() + b.faces().len() > 0 {
            // No shift shorter than the depth separates; one along the normal does.
            let shift = |by: Vector| b.placed(&Pose { origin: by, attitude: Attitude::identity() });
            for _ in 0..100 {
                let along = random.vector(1.0).normalize();
                let inside = separation(&a, &shift(along * (-gap * (1.0 - 1e-9))));
                assert!(inside <= 1e-9, "case {case}: {inside}");
            }
            let normal = touches(&a, &b, 0.0)[0].normal;
            let free = separation(&a, &shift(normal * -gap));
            assert!(free.abs() < 1e-9, "case {case}: {free}");
            overlaps += 1;
        }
    }
    assert!(apart > 40 && overlaps > 8, "{apart} {overlaps}");
}
