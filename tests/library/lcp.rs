//! The step solvers against brute-force enumeration of the LCP they must solve.

use crate::prelude::*;
use carom_core::lcp::enumerate::enumerate;
use carom_core::lcp::modes::regular_maps;
use carom_core::lcp::table::Solutions;
use carom_core::lcp::{Lemke, Mixed, ModeTable, StepProblem};

/// A random step: problem, velocity and caps; `rank` below 2m makes W singular.
fn random_step(draws: &mut Draws, m: usize, rank: usize) -> (StepProblem<f64>, Vec<f64>, Vec<f64>) {
    let j = DMatrix::from_fn(2 * m, rank, |_, _| draws.uniform(-1.0, 1.0));
    let w = &j * j.transpose();
    let mu: Vec<f64> = (0..m).map(|_| draws.uniform(0.05, 1.5)).collect();
    let u = &j * DVector::from_fn(rank, |_, _| draws.uniform(-1.0, 1.0));
    let (step, scaling, start) = StepProblem::scaled(&w, &mu, &u);
    let caps =
        scaling.caps(draws.uniform(0.1, 2.0)).iter().map(|c| c * draws.uniform(0.0, 1.0)).collect();
    (step, start, caps)
}

fn matrix(step: &StepProblem<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(step.lcp_size(), step.lcp_size(), |i, j| step.lcp_entry(i, j))
}

fn constants(step: &StepProblem<f64>, u: &[f64], c: &[f64]) -> DVector<f64> {
    DVector::from_fn(step.lcp_size(), |i, _| step.lcp_constant(u, c, i))
}

fn by_lemke(step: &StepProblem<f64>, u: &[f64], c: &[f64]) -> Vec<f64> {
    let mut z = vec![0.0; step.lcp_size()];
    let constant = |i| step.lcp_constant(u, c, i);
    Lemke::new(z.len()).solve(|i, j| step.lcp_entry(i, j), constant, |_| 1.0, &mut z);
    z
}

fn velocity_after(step: &StepProblem<f64>, u: &[f64], z: &[f64]) -> Vec<f64> {
    let k = 2 * step.contacts;
    let (mut l, mut u_plus) = (vec![0.0; k], vec![0.0; k]);
    step.impulse_of(z, &mut l);
    step.advance(u, &l, &mut u_plus);
    u_plus
}

fn distance(step: &StepProblem<f64>, a: &[f64], b: &[f64]) -> f64 {
    (0..a.len()).map(|i| ((a[i] - b[i]) * step.sigma[i]).abs()).fold(0.0, f64::max)
}

/// The distinct `u+` of all solutions, by brute force.
fn enumerated(step: &StepProblem<f64>, u: &[f64], c: &[f64]) -> Vec<Vec<f64>> {
    let mut distinct: Vec<Vec<f64>> = Vec::new();
    for z in enumerate(&matrix(step), &constants(step, u, c), 1e-9) {
        let u_plus = velocity_after(step, u, z.as_slice());
        if distinct.iter().all(|known| distance(step, known, &u_plus) > 1e-7) {
            distinct.push(u_plus);
        }
    }
    distinct
}

#[test]
fn the_mode_table_finds_exactly_the_solutions_there_are() {
    let mut several = 0;
    let mut draws = Draws::new(1);
    for case in 0..150 {
        let m = 1 + case % 2;
        let rank = if case % 3 == 0 { (2 * m - 1).max(1) } else { 2 * m };
        let (step, u, c) = random_step(&mut draws, m, rank);
        let oracle = enumerated(&step, &u, &c);
        let caps: Vec<f64> = c.clone();
        let table = ModeTable::<f64>::new(&regular_maps(&step), &caps);
        let mut found = Solutions::new(m);
        let x: Vec<f64> = u.iter().chain(&c).copied().collect();
        table.solve(&step, &x, &mut found);
        let found: Vec<&[f64]> = found.velocities.chunks(2 * m).take(found.count).collect();
        for known in &oracle {
            let nearest = found.iter().map(|f| distance(&step, f, known)).fold(f64::MAX, f64::min);
            assert!(nearest <= 1e-7, "case {case}: the table misses {known:?}, it has {found:?}");
        }
        // Enumeration sees regular bases only; the rest is checked by its residual.
        if rank == 2 * m {
            assert_eq!(found.len(), oracle.len(), "case {case}");
        }
        several += usize::from(oracle.len() > 1);
    }
    assert!(several > 0, "no case with several solutions was drawn");
}

#[test]
fn lemke_and_the_mixed_form_find_one_of_the_solutions_there_are() {
    let mut draws = Draws::new(2);
    let mut settled = 0;
    for case in 0..300 {
        let m = 1 + case % 3;
        let (step, u, c) = random_step(&mut draws, m, 2 * m);
        let oracle = if m < 3 { enumerated(&step, &u, &c) } else { Vec::new() };
        let belongs =
            |u_plus: &[f64]| m == 3 || oracle.iter().any(|k| distance(&step, k, u_plus) <= 1e-7);
        let mut z = vec![0.0; 5 * m];
        let mut lemke = Lemke::new(5 * m);
        lemke.solve(|i, j| step.lcp_entry(i, j), |i| step.lcp_constant(&u, &c, i), |_| 1.0, &mut z);
        let w = matrix(&step) * vector(&z) + constants(&step, &u, &c);
        for i in 0..5 * m {
            assert!(z[i] >= -1e-10, "case {case} row {i}");
            assert!(w[i] >= -1e-10 && z[i].min(w[i]) <= 1e-10, "case {case} row {i}");
        }
        assert!(belongs(&velocity_after(&step, &u, &z)), "case {case}");
        let (mut l, mut u_plus) = (vec![0.0; 2 * m], vec![0.0; 2 * m]);
        if Mixed::new(m).solve(&step, &u, &c, &mut l) {
            settled += 1;
            step.advance(&u, &l, &mut u_plus);
            assert!(step.residual(&c, &l, &u_plus) <= 1e-9, "case {case}");
            assert!(belongs(&u_plus), "case {case}");
        }
    }
    assert!(settled >= 250, "the mixed form settled {settled} of 300 times");
}

#[test]
fn lemke_solves_steps_of_up_to_twelve_redundant_contacts() {
    let mut draws = Draws::new(3);
    for case in 0..60 {
        let m = 1 + case % 12;
        let rank = 1 + case % (2 * m);
        let (step, u, c) = random_step(&mut draws, m, rank);
        let z = by_lemke(&step, &u, &c);
        let (mut l, mut u_plus) = (vec![0.0; 2 * m], vec![0.0; 2 * m]);
        step.impulse_of(&z, &mut l);
        step.clamp_impulse(&c, &mut l);
        step.advance(&u, &l, &mut u_plus);
        let residual = step.residual(&c, &l, &u_plus);
        assert!(residual <= 1e-8, "case {case}, m = {m}, rank {rank}: residual {residual}");
    }
}

#[test]
fn lemke_solves_textbook_problems() {
    // A P-matrix with the one solution z = (0, 1/2), found by hand.
    let m = [[2.0, 1.0], [1.0, 2.0]];
    let q = [1.0, -1.0];
    let mut z = [0.0; 2];
    Lemke::new(2).solve(|i, j| m[i][j], |i| q[i], |_| 1.0, &mut z);
    assert_eq!(z, [0.0, 0.5]);
    // A degenerate problem that may cycle, with equal ratios; z = (1, 1, 1) by hand.
    let m = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut z = [0.0; 3];
    Lemke::new(3).solve(|i, j| m[i][j], |_| -1.0, |_| 1.0, &mut z);
    assert_eq!(z, [1.0; 3]);
    // An infeasible one, z >= 0 and -1 - z >= 0, ends on a ray.
    let mut z = [0.0];
    let end = Lemke::new(1).solve(|_, _| -1.0, |_| -1.0, |_| 1.0, &mut z);
    assert_eq!(end, carom_core::lcp::LemkeEnd::Ray);
}

#[test]
fn the_residual_sees_each_kind_of_violation() {
    let mut draws = Draws::new(4);
    let (step, u, c) = random_step(&mut draws, 2, 4);
    let z = by_lemke(&step, &u, &c);
    let (mut l, mut u_plus) = (vec![0.0; 4], vec![0.0; 4]);
    step.impulse_of(&z, &mut l);
    step.advance(&u, &l, &mut u_plus);
    assert!(step.residual(&c, &l, &u_plus) <= 1e-12);
    for i in 0..4 {
        for change in [-0.1, 0.1] {
            let mut l = l.clone();
            l[i] += change;
            let mut u_plus = u_plus.clone();
            step.advance(&u, &l, &mut u_plus);
            assert!(step.residual(&c, &l, &u_plus) > 1e-4, "impulse {i} changed by {change}");
        }
    }
    u_plus[0] = f64::NAN;
    assert_eq!(step.residual(&c, &l, &u_plus), f64::MAX);
}
