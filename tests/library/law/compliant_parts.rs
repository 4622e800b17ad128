//! The parts of compliant contact: friction, damping, and the method that integrates it.

use super::*;
use carom_core::equations::rosenbrock::step;
use carom_law::finite::compliant::force::{ContactModel, restitution};
use carom_law::finite::compliant::friction::Stribeck;

/// The spline is continuous with its derivative, which differences confirm.
#[test]
fn friction_rises_peaks_and_falls() {
    let law = Stribeck { speed: 0.1, peak: 1.5, viscous: 0.2 };
    let at = |s: f64| law.coefficient(s);
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(near(at(0.0)[0], 0.0) && near(at(0.05)[0], 0.76) && near(at(0.1)[0], 1.52));
    assert!(near(at(0.2)[0], 1.29) && near(at(0.3)[0], 1.06) && near(at(1.0)[0], 1.2));
    for k in 0..500 {
        let (s, h) = (1e-3 * (f64::from(k) + 0.5), 1e-6);
        let slope = (at(s + h)[0] - at(s - h)[0]) / (2.0 * h);
        // The third derivative is below 60 peak/v^3: h^2/6 of it is 1.5e-8.
        assert!((at(s)[1] - slope).abs() < 1e-7, "{s}");
        let [g, rate] = law.grip(s);
        let difference = (law.grip(s + h)[0] - law.grip(s - h)[0]) / (2.0 * h);
        assert!((g * s - at(s)[0]).abs() < 1e-12);
        assert!((rate * s - difference).abs() < 1e-4 * (1.0 + difference.abs()), "{s}");
    }
}

#[test]
fn damping_gives_back_what_is_asked_for() {
    for e in [0.01, 0.1, 0.1353, 0.136, 0.5, 0.9, 0.999] {
        assert!((restitution(ContactModel::KelvinVoigt.damping(e)) - e).abs() < 1e-9, "{e}");
    }
    assert_eq!(ContactModel::HuntCrossley.damping(1.0), 0.0);
    // At little damping, 2/3 of it are lost: y^2 / 2 - y^3 / 3 = (e y)^2 / 2 + (e y)^3 / 3.
    let y = ContactModel::HuntCrossley.damping(0.999);
    assert!((0.001 - 2.0 / 3.0 * y).abs() < 1e-5, "{y}");
}

/// A pendulum with friction: steps half as long are eight times as exact.
#[test]
fn it_has_order_three() {
    let f = |y: &DVector<f64>| DVector::from_vec(vec![y[1], -f64::sin(y[0]) - 0.3 * y[1] * y[1]]);
    let run = |count: usize| {
        let mut y = DVector::from_vec(vec![1.0, 0.0]);
        for _ in 0..count {
            let j = DMatrix::from_row_slice(2, 2, &[0.0, 1.0, -f64::cos(y[0]), -0.6 * y[1]]);
            y = step(f, &y, &f(&y), &j, 1.0 / count as f64).unwrap().0;
        }
        y
    };
    let best = run(4096);
    let error = |count: usize| (run(count) - &best).norm();
    let orders: Vec<f64> = [16, 32, 64].iter().map(|n| (error(*n) / error(2 * n)).log2()).collect();
    assert!(orders.iter().all(|order| (order - 3.0).abs() < 0.15), "{orders:?}");
}

/// A component that decays a million times within a step is gone after it.
#[test]
fn it_damps_what_is_stiff() {
    let f = |y: &DVector<f64>| -1e6 * y;
    let y = DVector::from_vec(vec![1.0]);
    let j = DMatrix::from_element(1, 1, -1e6);
    assert!(step(f, &y, &f(&y), &j, 1.0).unwrap().0[0].abs() < 1e-5);
}
