//! Contact along an edge: a third contact between two that are close.

use std::borrow::Cow;

use super::model::Model;
use crate::error::Result;
use crate::problem::{ContactProblem, ProblemSpec};
use crate::study::event::Event;

impl Model {
    /// The event with a further contact halfway between the contacts of the first impact, if
    /// [`Model::middle`] asks for it and these are two.
    ///
    /// Its rows are the means of theirs: those of the point halfway between two points of one body
    /// that touch one plane. Friction, restitution and gap are means as well.
    ///
    /// # Errors
    /// Those of [`ContactProblem::new`].
    pub(super) fn with_middle<'e>(&self, event: &'e Event) -> Result<Cow<'e, Event>> {
        let [near, _] = self.taking_part(event);
        let &[a, b] = &near[..] else { return Ok(Cow::Borrowed(event)) };
        if !self.middle {
            return Ok(Cow::Borrowed(event));
        }
        let (spec, d) = (event.problem.spec(), event.problem.tangents_per_contact());
        let rows = |rows: &[Vec<f64>], d: usize| {
            let middle = (0..d).map(|k| between(&rows[a * d + k], &rows[b * d + k]));
            [rows, &middle.collect::<Vec<_>>()].concat()
        };
        let numbers = |of: &Option<Vec<f64>>| {
            of.as_ref().map(|of| [&of[..], &[0.5 * (of[a] + of[b])]].concat())
        };
        let mut contacts = spec.contacts.clone();
        if let Some(names) = &mut contacts {
            names.push(format!("between {} and {}", names[a], names[b]));
        }
        let problem = ContactProblem::new(ProblemSpec {
            normal: rows(&spec.normal, 1),
            tangent: rows(&spec.tangent, d),
            friction: numbers(&spec.friction),
            restitution: numbers(&spec.restitution),
            contacts,
            ..spec.clone()
        })?;
        Ok(Cow::Owned(Event { problem, gap: numbers(&event.gap), ..event.clone() }))
    }
}

/// The mean of two rows.
fn between(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect()
}
