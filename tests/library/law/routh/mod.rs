//! The law of \[HP23\], process by process.

mod events;
mod events_numbers;
mod facets;
mod flat_feet;
mod inclusion;
mod integrator;
mod last_step;
mod light_feet;
mod published;
mod random_problems;
mod restitution;
mod table;

use super::*;
use carom_core::rng::stream::unit;
use carom_law::routh::events::Events;

/// A planar problem in space, its tangent along `angle`, no motion across.
fn embedded(planar: &ContactProblem, angle: f64) -> ContactProblem {
    let mut spec = planar.spec().clone();
    let (sin, cos) = angle.sin_cos();
    let turned = |row: &Vec<f64>, by: f64| row.iter().map(|x| by * x).collect::<Vec<f64>>();
    spec.tangent =
        spec.tangent.iter().flat_map(|row| [turned(row, cos), turned(row, sin)]).collect();
    spec.points = None;
    problem(spec)
}

fn faceted(facets: u32) -> Routh {
    Routh { facets: Some(facets), ..uniform() }
}

/// How far each sample lies from the law of one contact at the numbers that the sample draws:
/// friction from 0.1 to 0.3, restitution from 0.2 to 0.8.
fn beside_drawn_numbers(problem: &ContactProblem, law: Routh, count: u64) -> Vec<f64> {
    let uncertain = changed(problem, |spec| {
        (spec.uncertainty.friction, spec.uncertainty.restitution) =
            (vec![[0.1, 0.3]], vec![[0.2, 0.8]]);
    });
    let samples = sampled(&uncertain, law, F64, count);
    let far = |i: usize| {
        let of = Stream::new(0, i as u64);
        let draw = |step| f64::from(unit(of.draw(step, Purpose::Parameter, 0)));
        let known = changed(problem, |spec| {
            spec.friction = Some(vec![0.1 + 0.2 * draw(0)]);
            spec.restitution = Some(vec![0.2 + 0.6 * draw(1)]);
        });
        let known = FiniteLaw::DarbouxKeller(DarbouxKeller::default()).resolve(&known).unwrap();
        apart(samples.row(&samples.velocity, i), &known.outcomes[0].velocity)
    };
    (0..samples.len()).map(far).collect()
}

/// Nearly all samples of random problems are accepted, and the others end at the step limit.
fn nearly_all_are_accepted(all: impl Iterator<Item = Samples>) {
    let (mut count, mut ended, mut accepted, mut limited) = (0, 0, 0, 0);
    for samples in all {
        count += samples.len();
        for (status, residual) in samples.status.iter().zip(&samples.residual) {
            ended += usize::from(*status == Status::Terminated);
            limited += usize::from(*status == Status::StepLimit);
            accepted += usize::from(*status == Status::Terminated && *residual <= 1e-6);
        }
    }
    assert!(accepted as f64 >= 0.999 * ended as f64, "{accepted} of {ended}");
    assert_eq!(ended + limited, count, "some step was not solved");
    assert!(accepted as f64 >= 0.999 * count as f64, "{accepted} of {count}");
}
