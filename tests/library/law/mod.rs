//! The laws, each against oracles of its own.

mod bilateral;
mod budget;
mod compliant;
mod compliant_parts;
mod cone_complementarity;
mod course;
mod darboux_keller;
mod draws;
mod each_law;
mod effort;
mod lanes;
mod plus;
mod plus_conditions;
mod plus_samples;
mod propagative;
mod published;
mod random_kinds;
mod random_order;
mod random_problems;
mod repeats;
mod routh;
mod sequential;
mod sets;
mod spatial_order;

use crate::prelude::*;
use crate::support::problems::frictionless;
use carom_core::outcome::listed::MAX_IMPACTS;
use carom_law::finite::anitescu_potra::ContactMode;
use carom_law::finite::darboux_keller::{ArcEnd, ContactImpact, StruckContact};
use carom_law::finite::propagative::Kind;
use carom_law::finite::propagative::reflections::reflect;
use carom_law::finite::propagative::uniqueness::{Theorem, length_bound};
use carom_law::finite::sequential::{impact, single_impact};
use carom_law::{Ending, OutcomeSet};

/// The Routh law with the rates of \[HP23\], for oracles that draw the same ones.
fn uniform() -> Routh {
    Routh { sampler: Some(Sampler::Uniform), ..Routh::default() }
}

fn sampled(problem: &ContactProblem, law: Routh, precision: Precision, samples: u64) -> Samples {
    let plan = planned(law, samples, 0, precision);
    on_cpu(problem, &plan)
}

/// The velocities with which samples ended, one after the other.
pub fn ends(samples: &Samples) -> Vec<f64> {
    let ended = (0..samples.len()).filter(|&i| samples.status[i] == Status::Terminated);
    ended.flat_map(|i| samples.row(&samples.velocity, i).to_vec()).collect()
}

/// The share of 500 samples that lie as near to the set of `others` as those to each other.
fn within(problem: &ContactProblem, points: &Samples, others: &Samples) -> f64 {
    let set = PointSet::new(problem.mass(), problem.velocity(), &ends(others)).unwrap();
    let points = ends(points);
    let rows: Vec<&[f64]> = points.chunks(problem.coordinate_count()).take(500).collect();
    let near = |v: &&&[f64]| {
        let (distance, spacing) = set.distance(v);
        distance <= spacing.max(1e-6)
    };
    rows.iter().filter(near).count() as f64 / rows.len() as f64
}

/// The problem with the same coefficient of restitution at all contacts.
fn with(problem: &ContactProblem, e: f64) -> ContactProblem {
    let each = Some(vec![e; problem.contact_count()]);
    problem.clone().with_numbers(each, problem.uncertainty().clone()).unwrap()
}
