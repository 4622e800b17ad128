//! Contacts that are driven into approach again while they give back.

use proptest::prelude::*;

use super::*;
use crate::law::routh::events::two_bounces;

/// Two frictionless contacts, sample by sample against an oracle that goes from event to event.
#[test]
fn compressed_again_a_contact_stores_e_squared_of_the_work() {
    let specs = small(2, 0.0, false).prop_map(|spec| ProblemSpec {
        tangent: vec![],
        friction: None,
        ..spec
    });
    let (mut count, mut repeated, mut worst) = (0, 0, 0.0f64);
    for (k, spec) in
        fixed_problems(specs).filter(|problem| problem.contact_count() == 2).enumerate()
    {
        let (w, u) = (spec.delassus(), spec.contact_velocity());
        let regular = w[(0, 0)] * w[(1, 1)] - w[(0, 1)] * w[(1, 0)] > 1e-3 * w[(0, 0)] * w[(1, 1)];
        if !regular || w[(0, 1)] >= 0.0 || !spec.approaches() {
            continue;
        }
        let e = [0.6, 0.3 + 0.1 * (k % 6) as f64];
        let problem = problem(ProblemSpec { restitution: Some(e.to_vec()), ..spec.spec().clone() });
        let h = 0.3 * problem.natural_step().unwrap();
        let law = Routh {
            process: Some(RouthProcess::Inclusion),
            step: Some(h),
            accuracy: Some(1e-8),
            ..uniform()
        };
        let process = Law::Routh(law).prepare::<f64>(&problem).unwrap();
        let mut work = process.workspace();
        for sample in 0..5 {
            let stream = Stream::new(2, sample);
            let rates = |block: u32| {
                // Blocks double in length every 8 blocks after 64.
                let longer = f64::from(block.saturating_sub(56) / 8).min(10.0).exp2();
                let words = stream.block(block, Purpose::Rate, 0);
                [0, 1].map(|i| longer * h * f64::from(unit(words[i])))
            };
            let (expected, again) = two_bounces(w, [u[0], u[1]], e, rates);
            assert_eq!(process.sample(&stream, &mut work).status, Status::Terminated);
            let l = [0, 1].map(|i| process.space().scaling.impulse_along(work.total(), i));
            for i in 0..2 {
                let after = u[i] + w[(i, 0)] * l[0] + w[(i, 1)] * l[1];
                worst = worst.max((after - expected[i]).abs() / u.amax());
            }
            count += 1;
            repeated += u32::from(again > 0);
        }
        if count >= 2000 {
            break;
        }
    }
    println!("{count} impacts, {repeated} with a second compression: within {worst:e}");
    assert!(repeated > 100 && worst <= 1e-8, "{count} {repeated} {worst:e}");
}
