//! The table of the forces of all combinations of modes.

use super::*;
use carom_law::routh::events::table::tabulate;

/// The forces of every combination satisfy its equations. Regular contacts have forces in all
/// combinations. A contact that jams, because its friction takes all that its normal force
/// contributes, cannot be held where the other contact is at its cap.
#[test]
fn forces_satisfy_the_equations_of_their_modes() {
    let regular = [[1.0, 0.2, 0.1], [-0.3, 1.0, 0.4], [0.2, -0.5, 1.0], [0.6, 0.1, -0.7]];
    let jammed = [[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [2.5, 0.0, 1.0], [0.3, 0.2, 0.0]];
    for (rows, regular) in [(regular, true), (jammed, false)] {
        let row = |i: usize| [&rows[i][..], &[f64::from(i == 3)]].concat();
        let (normal, tangent) = ([row(0), row(1)], [row(2), row(3)]);
        let problem =
            problem(rough(&[1.0; 4], normal, tangent, [0.4, 0.7], [-1.0, -0.5, 0.2, 0.1]));
        let step = Events::<f64>::new(&Routh::default(), &problem).unwrap().space.step;
        let numbers = tabulate(&step);
        assert_eq!(numbers.len(), 49 * 16);
        let mut without = 0;
        for (number, map) in numbers.chunks(16).enumerate() {
            if map[0] == f64::MAX {
                without += 1;
                continue;
            }
            let modes = [number % 7, number / 7];
            for (cap, column) in map.chunks(8).enumerate() {
                let (l, du) = column.split_at(4);
                for i in 0..4 {
                    let sum: f64 = (0..4).map(|j| step.w[4 * i + j] * l[j]).sum();
                    assert!((du[i] - sum).abs() < 1e-12, "{modes:?}: {column:?}");
                }
                for i in 0..2 {
                    let mode = modes[i];
                    // Off; held; at the cap. Then sticking, sliding, sliding backward.
                    let normal = match mode {
                        0 => l[i],
                        1..=3 => du[i],
                        _ => l[i] - f64::from(i == cap),
                    };
                    let tangent = match mode {
                        1 | 4 => du[2 + i],
                        2 | 5 => l[2 + i] + step.mu[i] * l[i],
                        3 | 6 => l[2 + i] - step.mu[i] * l[i],
                        _ => l[2 + i],
                    };
                    assert!(normal.abs().max(tangent.abs()) < 1e-12, "{modes:?}: {column:?}");
                }
            }
        }
        assert_eq!(without > 0, !regular, "{without} of 49 have no forces");
    }
}
