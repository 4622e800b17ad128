//! Contacts that are driven into approach again while they give back.

use carom::internals::law::{Law, Routh, RouthProcess};
use carom::internals::problem::ProblemSpec;
use carom::internals::rng::{Purpose, Stream, stream::unit};
use carom::internals::status::Status;
use nalgebra::DMatrix;
use proptest::prelude::*;

use crate::support::problems::{fixed_problems, problem, small};

/// Two frictionless contacts with Stronge's coefficients, block by block and event by event. A contact takes part in a block
/// if it approaches or has work to give back at its start. `rates` are the impulses of a block. Returns the velocity after, and
/// how often a contact that gave back was compressed again; `None` where a contact touches at the start of a block, for then a
/// coin decides whether it takes part.
fn blocks(
    w: &DMatrix<f64>,
    mut u: [f64; 2],
    e: [f64; 2],
    rates: impl Fn(u32, [bool; 2]) -> [f64; 2],
) -> Option<([f64; 2], u32)> {
    let small = 1e-6 * u[0].abs().max(u[1].abs());
    let (mut stored, mut again) = ([0.0f64; 2], 0);
    for block in 0..60 {
        let mut active = [0, 1].map(|i| u[i] < -small || stored[i] > 0.0);
        if active == [false; 2] {
            return Some((u, again));
        }
        if (0..2).any(|i| !active[i] && u[i].abs() <= small) {
            return None;
        }
        let rates = rates(block, active);
        let mut left = 1.0;
        while left > 0.0 && active != [false; 2] {
            let l = [0, 1].map(|i| if active[i] { rates[i] } else { 0.0 });
            let rate = [0, 1].map(|i| w[(i, 0)] * l[0] + w[(i, 1)] * l[1]);
            let never = f64::INFINITY;
            let events = [0, 1].map(|i| {
                let (a, b) = (rate[i], u[i]);
                let square = b * b + 2.0 * a * stored[i] / rates[i];
                let gives = active[i] && stored[i] > 0.0 && (b > 0.0 || b == 0.0 && a > 0.0) && square >= 0.0;
                let crosses = active[i] && a * b < 0.0;
                [
                    if crosses { -b / a } else { never },
                    if gives { 2.0 * stored[i] / rates[i] / (b + square.sqrt()) } else { never },
                ]
            });
            let time = events.iter().flatten().copied().fold(left, f64::min);
            left = if time < left { left - time } else { 0.0 };
            for i in 0..2 {
                let [crosses, empties] = events[i].map(|event| event <= time);
                let next = if crosses { 0.0 } else { u[i] + rate[i] * time };
                let work = l[i] * 0.5 * (u[i] + next) * time;
                again += u32::from(active[i] && stored[i] > 0.0 && work < 0.0 && u[i] == 0.0);
                stored[i] += if work < 0.0 { -e[i] * e[i] * work } else { -work };
                if empties || crosses && u[i] < 0.0 && stored[i] == 0.0 {
                    (stored[i], active[i]) = (0.0, false);
                }
                u[i] = next;
            }
        }
    }
    None
}

#[test]
fn compressed_again_a_contact_stores_e_squared_of_the_work() {
    let specs = small(2, 0.0, false).prop_map(|spec| ProblemSpec { tangent: vec![], friction: None, ..spec });
    let (mut count, mut repeated, mut worst) = (0, 0, 0.0f64);
    for (k, spec) in fixed_problems(specs).filter(|problem| problem.contact_count() == 2).enumerate() {
        let (w, u) = (spec.delassus(), spec.contact_velocity());
        let regular = w[(0, 0)] * w[(1, 1)] - w[(0, 1)] * w[(1, 0)] > 1e-3 * w[(0, 0)] * w[(1, 1)];
        if !regular || w[(0, 1)] >= 0.0 || !spec.approaches() {
            continue;
        }
        let e = [0.6, 0.3 + 0.1 * (k % 6) as f64];
        let problem = problem(ProblemSpec { restitution: Some(e.to_vec()), ..spec.spec().clone() });
        let h = 0.3 * problem.natural_step().unwrap();
        let law = Routh { process: Some(RouthProcess::Inclusion), step: Some(h), ..Routh::default() };
        let process = Law::Routh(law).prepare::<f64>(&problem).unwrap();
        let mut work = process.workspace();
        for sample in 0..5 {
            let stream = Stream::new(2, sample);
            let rates = |block: u32, active: [bool; 2]| {
                let words = stream.block(block, Purpose::Rate, 0);
                let p = [0, 1].map(|i| if active[i] { f64::from(unit(words[i])) } else { 0.0 });
                p.map(|rate| h * rate / p[0].max(p[1]))
            };
            let Some((expected, again)) = blocks(w, [u[0], u[1]], e, rates) else { continue };
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
    assert!(repeated > 100 && worst <= 1e-9, "{count} {repeated} {worst:e}");
}
