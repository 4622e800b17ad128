//! Double description beside enumeration.

use crate::prelude::*;
use carom_core::polyhedra::{Cone, Doubles, Integers, Vector, difference};

/// Rows of small whole numbers: many of them are parallel, or meet in one line.
fn rows(draws: &mut Draws, count: usize, n: usize) -> Vec<Vec<f64>> {
    let entry = |draws: &mut Draws| draws.below(7) as f64 - 3.0;
    (0..count).map(|_| (0..n).map(|_| entry(draws)).collect()).collect()
}

fn dot(a: &[f64], x: &[f64]) -> f64 {
    a.iter().zip(x).map(|(a, x)| a * x).sum()
}

/// The extreme rays of a pointed cone `a . x >= 0`: feasible lines in which `n - 1` independent
/// rows meet, with a largest entry of 1.
fn extreme(rows: &[Vec<f64>], n: usize) -> Vec<Vec<f64>> {
    let mut rays: Vec<Vec<f64>> = Vec::new();
    for subset in 0u32..1 << rows.len() {
        if subset.count_ones() as usize != n - 1 {
            continue;
        }
        let chosen: Vec<&Vec<f64>> =
            (0..rows.len()).filter(|i| subset >> i & 1 == 1).map(|i| &rows[i]).collect();
        let matrix = DMatrix::from_fn(n, n, |i, j| if i < n - 1 { chosen[i][j] } else { 0.0 });
        let svd = matrix.svd(false, true);
        if svd.singular_values[n - 2] < 1e-9 {
            continue;
        }
        let line: Vec<f64> = svd.v_t.unwrap().row(n - 1).iter().copied().collect();
        for sign in [1.0, -1.0] {
            let size = vector(&line).amax();
            let ray: Vec<f64> = line.iter().map(|x| sign * x / size).collect();
            let new =
                !rays.iter().any(|other| other.iter().zip(&ray).all(|(a, b)| (a - b).abs() < 1e-9));
            if new && rows.iter().all(|row| dot(row, &ray) > -1e-9) {
                rays.push(ray);
            }
        }
    }
    rays
}

fn check<V: Vector>() {
    let mut draws = Draws::new(41);
    let mut pointed = 0;
    for _ in 0..300 {
        let n = 2 + draws.below(3);
        let (count, random) = (n + draws.below(5), &mut draws);
        let rows = rows(random, count, n);
        let mut cone = Cone::<V>::space(n);
        rows.iter().for_each(|row| cone.cut(&V::new(row)));
        if !cone.lines.is_empty() {
            continue;
        }
        pointed += 1;
        let expected = extreme(&rows, n);
        assert_eq!(cone.rays.len(), expected.len(), "{rows:?}");
        for ray in &cone.rays {
            let near = &ray.x.near()[..n];
            let size = near.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
            let same =
                |other: &Vec<f64>| other.iter().zip(near).all(|(a, b)| (a - b / size).abs() < 1e-9);
            assert!(expected.iter().any(same), "{rows:?}: {near:?}");
        }
        // Built again from its rays it has the same points.
        let mut again = Cone::<V>::origin(n);
        cone.rays.iter().for_each(|ray| again.extend(&ray.x));
        assert!(again.includes(&cone) && cone.includes(&again));
        assert_eq!(again.inequalities.len(), cone.inequalities.len());
        assert_eq!(again.equalities.len(), cone.equalities.len());
    }
    assert!(pointed > 100, "{pointed}");
}

#[test]
fn cones_have_the_extreme_rays_that_enumeration_finds() {
    check::<Integers>();
    check::<Doubles>();
}

/// A point is in a difference or in the cone that was taken away, and never inside both.
#[test]
fn differences_divide_a_cone() {
    let mut draws = Draws::new(42);
    let mut cut = 0;
    for _ in 0..200 {
        let n = 3;
        let positive =
            |draws: &mut Draws| (0..n).map(|_| draws.below(6) as f64).collect::<Vec<_>>();
        let mut cone = || {
            let mut cone = Cone::<Integers>::origin(n);
            (0..4).for_each(|_| cone.extend(&Integers::new(&positive(&mut draws))));
            cone
        };
        let [p, q] = [cone(), cone()];
        let parts = difference(&p, &q);
        cut += usize::from(parts.len() > 1);
        for _ in 0..30 {
            let weights: Vec<f64> = p.rays.iter().map(|_| draws.uniform(0.0, 1.0)).collect();
            let rays = p.rays.iter().zip(&weights);
            let x: Vec<f64> =
                (0..n).map(|i| rays.clone().map(|(ray, w)| w * ray.x.near()[i]).sum()).collect();
            let x = Integers::new(&x);
            if p.equalities.is_empty() {
                let times = usize::from(q.contains(&x))
                    + parts.iter().filter(|part| part.contains(&x)).count();
                assert_eq!(times, 1, "{p:?} {q:?}");
            }
        }
    }
    assert!(cut > 20, "{cut}");
}

#[test]
fn integers_are_exact_where_doubles_are_not() {
    // 1 + 2^-60 - 1 = 2^-60, of which doubles know nothing.
    let a = Integers::of_sums(&[
        vec![[1.0, 1.0, 1.0], [2f64.powi(-60), 1.0, 1.0]],
        vec![[1.0, 1.0, 1.0]],
    ]);
    let x = Integers::new(&[1.0, -1.0]);
    assert_eq!(a.side(&x), 1);
    assert_eq!(a.side(&x.opposite()), -1);
    assert_eq!(a.side(&Integers::new(&[0.0, 0.0])), 0);
    let huge = Integers::new(&[1e300, 5e-324, -3.0]);
    assert_eq!(huge.side(&Integers::new(&[0.0, 1.0, 0.0])), 1);
    assert_eq!(huge.near()[0], 1e300 * 2f64.powi(-997));
}

#[test]
fn vectors_are_moved_without_rounding() {
    // (3, 1) is near (3/4, 1/4), and (1, 1024) near (2^-11, 1/2).
    let (a, along) = (Integers::new(&[3.0, 1.0]), Integers::new(&[1.0, 1024.0]));
    let by = 2f64.powi(-40);
    let moved = a.moved(by, &along);
    let expected = Integers::of_sums(&[
        vec![[0.75, 1.0, 1.0], [by, 2f64.powi(-11), 1.0]],
        vec![[0.25, 1.0, 1.0], [by, 0.5, 1.0]],
    ]);
    let across = |x: &Integers| {
        Integers::of_sums(&[vec![[-1.0, x.near()[1], 1.0]], vec![[1.0, x.near()[0], 1.0]]])
    };
    assert_eq!((moved.side(&across(&expected)), moved.near()[0]), (0, expected.near()[0]));
}

/// The last term decides, and it is too small for a rounded entry.
#[test]
fn signs_do_not_depend_on_entries_that_doubles_leave_out() {
    let a = Integers::new(&[1.0, 1e-150, -1e-272]);
    let x = Integers::new(&[0.0, 1e-140, 1.0]);
    assert_eq!(a.side(&x), -1);
    assert_eq!(x.side(&a), -1);
}
