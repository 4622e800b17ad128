//! The width of a polyhedral cone, by a small linear program solved as an LCP.

use super::lemke::{Lemke, LemkeEnd};

/// The largest `t <= 1` for which some `x = (s, c)`, `|s_i| <= 1`, `t <= c_i <= 1`, has
/// `row x >= t` for every row; `None` if rounding errors spoil the solution.
///
/// `rows` hold `free` numbers for `s`, then those for `c`. The cone `rows x >= 0`, `c >= 0` has an
/// interior exactly where the result is positive. The program `max t` is solved through its
/// optimality conditions `0 <= (y, c, t) _|_ cost - A' lambda >= 0`,
/// `0 <= lambda _|_ A (y, c, t) - b >= 0`, `y = s + 1`, a monotone LCP (\[CPS92\] Sec. 1.2), and
/// checked against them.
pub fn interior(rows: &[Vec<f64>], free: usize) -> Option<f64> {
    let width = rows.first().map_or(free, Vec::len);
    let positive = width - free;
    let variables = width + 1;
    let last = variables - 1;
    // A (y, c, t) >= b, row by row.
    let mut a: Vec<Vec<f64>> = Vec::new();
    let mut b: Vec<f64> = Vec::new();
    for row in rows {
        a.push(row.iter().copied().chain([-1.0]).collect());
        b.push(row[..free].iter().sum());
    }
    let unit = |i: usize, x: f64| {
        (0..variables).map(|j| if j == i { x } else { 0.0 }).collect::<Vec<f64>>()
    };
    for i in 0..positive {
        let mut row = unit(free + i, 1.0);
        row[last] = -1.0;
        a.push(row);
        b.push(0.0);
    }
    for i in 0..width {
        a.push(unit(i, -1.0));
        b.push(if i < free { -2.0 } else { -1.0 });
    }
    let n = variables + a.len();
    let entry = |i: usize, j: usize| match (i < variables, j < variables) {
        (true, false) => -a[j - variables][i],
        (false, true) => a[i - variables][j],
        _ => 0.0,
    };
    let constant = |i: usize| match i {
        _ if i == last => -1.0,
        _ if i < variables => 0.0,
        _ => -b[i - variables],
    };
    let mut z = vec![0.0; n];
    let end = Lemke::new(n).solve(entry, constant, |_| 1.0, &mut z);
    let solved = (0..n).all(|i| {
        let w = constant(i) + (0..n).map(|j| entry(i, j) * z[j]).sum::<f64>();
        w.min(z[i]).abs() <= 1e-9
    });
    (end == LemkeEnd::Solved && solved).then_some(z[last])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cones_with_and_without_interior() {
        let wide = |rows: &[[f64; 3]]| {
            let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
            interior(&rows, 2).unwrap()
        };
        // s1 >= t, s2 >= t, c >= t: t = 1.
        assert!((wide(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]) - 1.0).abs() < 1e-12);
        // s1 >= t and -s1 >= t: t = 0.
        assert!(wide(&[[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]).abs() < 1e-12);
        // -c >= t and c >= t.
        assert!(wide(&[[0.0, 0.0, -1.0]]).abs() < 1e-12);
        // s1 - c/2 >= t, -s1 + c >= t, c <= 1: t = 1/4.
        assert!((wide(&[[1.0, 0.0, -0.5], [-1.0, 0.0, 1.0]]) - 0.25).abs() < 1e-12);
    }
}
