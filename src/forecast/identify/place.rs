//! Contact problems of an event by a model: participating contacts, also along an edge, their
//! points, and the lean of their normals.

use std::borrow::Cow;

use super::model::Model;
use crate::reality::Event;
use carom_core::error::{Error, Result};
use carom_core::problem::{ContactProblem, Points, Posed, ProblemSpec, is_free_body};

/// Contact problems of an event.
#[derive(Clone, Debug)]
pub struct Placed {
    /// First impact.
    pub first: ContactProblem,
    /// All contacts, the first impact's contacts first; `None` if all take part in it. The velocity
    /// has no noise.
    pub all: Option<ContactProblem>,
}

impl Placed {
    /// Problems of `event` by `model`.
    ///
    /// # Errors
    /// An inset with unknown contact points; an inertia factor for a system other than one free
    /// body.
    pub fn new(model: &Model, event: &Event) -> Result<Placed> {
        Ok(Placed::of(Placed::problem(model, event)?.posed(0, 0)?))
    }

    pub(super) fn of(posed: Posed) -> Placed {
        Placed { first: posed.first, all: posed.all }
    }

    /// Problem before its poses are drawn.
    pub(super) fn problem(model: &Model, event: &Event) -> Result<ContactProblem> {
        let model = model.of_contacts(event.problem.contact_count());
        let event = &*model.with_middle(event)?;
        let problem = &event.problem;
        let mut spec = problem.spec().clone();
        if model.inertia != 1.0 {
            spec.mass = scaled(problem, model.inertia)?;
        }
        spec.uncertainty = model.uncertainty(problem, event.gap.is_some());
        spec.gap.clone_from(&event.gap);
        spec.mass_parts.clear();
        ContactProblem::new(spec)
    }
}

/// Mass matrix of one free body with the rotational inertia multiplied by `factor`.
pub(super) fn scaled(problem: &ContactProblem, factor: f64) -> Result<Vec<Vec<f64>>> {
    if !is_free_body(problem) {
        return Err(Error::input(
            "inertia needs one free body, with the coordinates x, y, theta or \
             x, y, z, wx, wy, wz of its mass centre, and tangents",
        )
        .at("coordinates"));
    }
    let mut mass = problem.spec().mass.clone();
    let space = problem.tangents_per_contact() + 1;
    for row in &mut mass[space..] {
        row[space..].iter_mut().for_each(|x| *x *= factor);
    }
    Ok(mass)
}

/// Maximum distance in m of a contact from the projected mass centre of one free body.
pub(super) fn reach(events: &[Event]) -> Option<f64> {
    let of = |event: &Event| {
        let points = Points::of(&event.problem).filter(|_| is_free_body(&event.problem));
        points.map(|points| points.reach())
    };
    events.iter().map(of).try_fold(0.0, |most, one| Some(f64::max(most, one?)))
}

impl Model {
    /// Event with an edge contact: a further contact halfway between the contacts of the first
    /// impact, if [`Model::middle`] is set and there are two contacts.
    ///
    /// The new rows are means: exact for the midpoint of two points of one body on a common plane.
    /// Friction, restitution and gap are means as well.
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
