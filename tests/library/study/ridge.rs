//! Kernel ridge regression: against the solution of its equations, and fits without a group.

use super::*;
use carom::study::normal::deviates;
use carom::study::ridge::Ridge;

const GROUPS: [usize; 12] = [0, 0, 1, 2, 2, 2, 3, 4, 4, 5, 6, 6];

/// Twelve examples of three features, one of them constant, and of two targets.
fn examples() -> (DMatrix<f64>, DMatrix<f64>) {
    let rows: Vec<Vec<f64>> = (0..12).map(|i| deviates(3, 4, i)).collect();
    let x = DMatrix::from_fn(12, 3, |i, j| if j == 2 { 5.0 } else { 3.0 * rows[i][j] + 1.0 });
    let y = DMatrix::from_fn(12, 2, |i, j| (rows[i][0] + j as f64).sin() + 0.1 * rows[i][2]);
    (x, y)
}

/// What the equations say at `at`, with the examples `kept` alone.
fn by_hand(kept: &[usize], at: usize, h: f64, ridge: f64) -> DVector<f64> {
    let (x, y) = examples();
    let scaled = DMatrix::from_fn(12, 3, |i, j| {
        let column = x.column(j);
        let mean = column.iter().sum::<f64>() / 12.0;
        let square = column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 12.0;
        (x[(i, j)] - mean) / if square > 0.0 { square.sqrt() } else { 1.0 }
    });
    let kernel = |i: usize, j: usize| {
        let square: f64 = (0..3).map(|d| (scaled[(i, d)] - scaled[(j, d)]).powi(2)).sum();
        (-square / (2.0 * h * h * 3.0)).exp()
    };
    let k = kept.len();
    let matrix =
        DMatrix::from_fn(k, k, |i, j| kernel(kept[i], kept[j]) + if i == j { ridge } else { 0.0 });
    let mean = [0, 1].map(|t| y.column(t).iter().sum::<f64>() / 12.0);
    let targets = DMatrix::from_fn(k, 2, |i, t| y[(kept[i], t)] - mean[t]);
    let weights = matrix.lu().solve(&targets).unwrap();
    DVector::from_fn(2, |t, _| {
        mean[t] + (0..k).map(|i| kernel(at, kept[i]) * weights[(i, t)]).sum::<f64>()
    })
}

#[test]
fn the_regression_solves_its_equations() {
    let (x, y) = examples();
    let fitted = Ridge::fit_among(&x, &y, &GROUPS, &[0.9], &[0.02]).unwrap();
    let all: Vec<usize> = (0..12).collect();
    for i in 0..12 {
        let features: Vec<f64> = x.row(i).iter().copied().collect();
        let found = DVector::from_vec(fitted.ridge.predict(&features));
        assert!((found - by_hand(&all, i, 0.9, 0.02)).norm() < 1e-10);
        let others: Vec<usize> = (0..12).filter(|&j| GROUPS[j] != GROUPS[i]).collect();
        let expected = y.row(i).transpose() - by_hand(&others, i, 0.9, 0.02);
        assert!((fitted.left_out.row(i).transpose() - expected).norm() < 1e-10);
    }
}

#[test]
fn the_choice_does_best_on_left_out_groups() {
    let (x, y) = examples();
    let loss = |h: f64, ridge: f64| -> f64 {
        let fitted = Ridge::fit_among(&x, &y, &GROUPS, &[h], &[ridge]).unwrap();
        fitted.left_out.row_iter().map(|row| row.norm()).sum()
    };
    let best = Ridge::fit(&x, &y, &GROUPS).unwrap().ridge;
    let least = loss(best.bandwidth, best.ridge);
    for (h, ridge) in
        Ridge::BANDWIDTHS.into_iter().flat_map(|h| Ridge::RIDGES.map(|ridge| (h, ridge)))
    {
        assert!(least <= loss(h, ridge));
    }
    let text = serde_json::to_string(&best).unwrap();
    assert_eq!(serde_json::from_str::<Ridge>(&text).unwrap(), best);
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let (x, mut y) = examples();
    y[(3, 1)] = f64::NAN;
    assert!(Ridge::fit(&x, &y, &GROUPS).is_err());
    assert!(Ridge::fit(&DMatrix::zeros(0, 3), &DMatrix::zeros(0, 2), &[]).is_err());
}
