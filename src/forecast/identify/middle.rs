//! Contact along an edge: a third contact between two that are close.

use std::borrow::Cow;

use super::model::Model;
use carom_core::error::Result;
use carom_core::event::Event;
use carom_core::problem::{ContactProblem, ProblemSpec};

impl Model {
    /// The event with a further contact halfway between the contacts of the first impact, if
    /// [`Model::middle`] asks for it and these are two.
    ///
    /// Its rows are the means of theirs: those of the point halfway between two points of one body
    /// that touch one plane. Friction, restitution and gap are means as well.
    pub(super) fn with_middle<'e>(&self, event: &'e Event) -> Result<Cow<'e, Event>> {
        let near = self.near(event);
        let (true, &[a, b]) = (self.middle, &near[..]) else { return Ok(Cow::Borrowed(event)) };
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
            gap: numbers(&spec.gap),
            contacts,
            points: None,
            ..spec.clone()
        })?;
        Ok(Cow::Owned(Event { problem, gap: numbers(&event.gap), ..event.clone() }))
    }

    fn near(&self, event: &Event) -> Vec<usize> {
        let gaps = event.gap.as_deref().unwrap_or_default();
        let most = self.gap.unwrap_or(f64::INFINITY);
        let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
        let beyond = |i: usize| gaps.get(i).is_some_and(|gap| gap - least > most);
        (0..event.problem.contact_count()).filter(|&i| !beyond(i)).collect()
    }
}

fn between(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect()
}
