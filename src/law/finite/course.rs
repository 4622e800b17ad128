//! The partial impulses of an outcome.

use nalgebra::DVector;

use super::sequential;
use crate::finite::Details;
use carom_core::outcome::listed::Parts;
use carom_core::{ContactProblem, Outcome};

impl Parts for Details {
    fn impulses(problem: &ContactProblem, outcome: &Outcome<Details>) -> Vec<DVector<f64>> {
        let whole = DVector::from_column_slice(&outcome.impulse);
        match &outcome.details {
            Details::Compliant(details) => {
                let later = details.course.iter().skip(1);
                later.map(|moment| DVector::from_column_slice(&moment.impulse)).collect()
            }
            Details::Sequential(details) => {
                let part = |(&i, impulse): (&usize, &[f64; 3])| {
                    let mut part = DVector::zeros(whole.len());
                    let rows = sequential::rows(problem, i).into_iter().zip(impulse);
                    rows.for_each(|(row, l)| row.into_iter().for_each(|row| part[row] = *l));
                    part
                };
                sums(outcome.sequence.iter().zip(&details.impulses).map(part))
            }
            Details::Propagative(details) => {
                let (w, r) = (problem.delassus(), details.restitution);
                let (mut u, mut plastic) = (problem.contact_velocity().clone(), whole.clone());
                let mut parts = Vec::new();
                for &i in &outcome.sequence {
                    let l = -2.0 * u[i] / w[(i, i)];
                    u.axpy(l, &w.column(i), 1.0);
                    let mut part = DVector::zeros(whole.len());
                    part[i] = r * l;
                    plastic -= &part;
                    parts.push(part);
                }
                let first = (r < 1.0 || parts.is_empty()).then_some(plastic);
                sums(first.into_iter().chain(parts))
            }
            Details::Plus(course) => {
                let intervals = course.rounds.iter().flat_map(|round| &round.intervals);
                sums(intervals.map(|interval| DVector::from_column_slice(&interval.impulse)))
            }
            Details::DarbouxKeller(course) => {
                let events = course.events.iter();
                events.map(|event| DVector::from_column_slice(&event.impulse)).collect()
            }
            Details::AnitescuPotra(_)
            | Details::ConeComplementarity(_)
            | Details::ConvexRelaxation(_) => vec![whole],
        }
    }
}

/// The partial sums.
fn sums(parts: impl Iterator<Item = DVector<f64>>) -> Vec<DVector<f64>> {
    let mut sums: Vec<DVector<f64>> = Vec::new();
    for part in parts {
        let sum = sums.last().map_or_else(|| part.clone(), |sum| sum + &part);
        sums.push(sum);
    }
    sums
}
