//! Single impacts in random order in space: those of the cyclic orders, and what holds of any.

use super::*;
use crate::support::random::Kind;

/// Two contacts take turns: samples are the outcomes of both cyclic orders.
#[test]
fn two_contacts_take_turns() {
    for name in ["cube-on-edge", "quadruped-trot"] {
        for (e, precision, accuracy) in [(0.0, F64, 1e-6), (0.3, F64, 1e-6), (0.3, F32, 1e-3)] {
            let problem = with(&load(name), e);
            let orders = Sequential::default().resolve(&problem).unwrap().outcomes;
            let law = Law::named(Sequential::NAME).unwrap();
            let plan = planned(law, 200, 0, precision);
            let (run, samples) = cpu().collect(&problem, &plan).unwrap();
            let size = problem.velocity().amax();
            let mut met = vec![0; orders.len()];
            for i in samples.accepted(run.summary.tolerance().residual) {
                let velocity = samples.row(&samples.velocity, i);
                let apart = |other: &[f64]| {
                    velocity.iter().zip(other).fold(0.0, |d: f64, (a, b)| d.max((a - b).abs()))
                };
                let order =
                    orders.iter().position(|order| apart(&order.velocity) <= accuracy * size);
                met[order.unwrap_or_else(|| panic!("{name}, e = {e}: sample {i} {velocity:?}"))] +=
                    1;
            }
            assert!(met.iter().sum::<usize>() >= 198, "{name}: {met:?}");
            assert!(met.iter().all(|count| *count > 40), "{name}: {met:?}");
        }
    }
}

/// Impulses lie in circular cones and add no energy; nothing approaches at the end.
#[test]
fn outcomes_are_impacts() {
    let mut ended = 0;
    for bounces in [false, true] {
        for (_, problem) in (Kind { spatial: true, body: true, bounces }).problems().take(20) {
            let law = Law::named(Sequential::NAME).unwrap();
            let plan = Plan { law, samples: 30, ..Plan::default() };
            let (run, samples) = cpu().collect(&problem, &plan).unwrap();
            let before = problem.kinetic_energy(problem.velocity().as_slice());
            let m = problem.contact_count();
            for i in samples.accepted(run.summary.tolerance().residual) {
                assert_eq!(samples.status[i], Status::Terminated);
                let (v, l) = (samples.row(&samples.velocity, i), samples.row(&samples.impulse, i));
                assert!(problem.kinetic_energy(v) <= before * (1.0 + 1e-6));
                let u = problem.jacobian() * vector(v);
                let change = problem.mass() * (vector(v) - problem.velocity());
                let by_impulse = problem.jacobian().tr_mul(&vector(l));
                assert!((change - &by_impulse).amax() <= 1e-6 * by_impulse.amax().max(1e-300));
                let size = l.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
                for c in 0..m {
                    let friction = l[m + 2 * c].hypot(l[m + 2 * c + 1]);
                    assert!(l[c] >= 0.0 && friction <= problem.friction()[c] * l[c] + 1e-6 * size);
                    assert!(u[c] >= -1e-5 * problem.contact_velocity().amax());
                }
                ended += 1;
            }
        }
    }
    assert!(ended > 600, "{ended}");
}
