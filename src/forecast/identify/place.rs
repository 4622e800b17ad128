//! The contact problems that a model makes of an event: which contacts take part, where they are,
//! and how they lean.

use super::model::Model;
use crate::reality::Event;
use carom_core::error::{Error, Result};
use carom_core::problem::{ContactProblem, Points, Posed, is_free_body};

/// The problems of an event.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The first impact.
    pub first: ContactProblem,
    /// All contacts, those of the first impact before the others, where some are left out of it;
    /// without noise of the velocity.
    pub all: Option<ContactProblem>,
}

impl Placed {
    /// The problems that `model` makes of `event`.
    ///
    /// # Errors
    /// An inset where contact points are not known; another inertia for what is not one free body.
    pub fn new(model: &Model, event: &Event) -> Result<Placed> {
        Ok(Placed::of(Placed::problem(model, event)?.posed(0, 0)?))
    }

    pub(super) fn of(posed: Posed) -> Placed {
        Placed { first: posed.first, all: posed.all }
    }

    /// The problem of which these are poses.
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

/// The mass matrix of one free body with the rotational inertia multiplied by `factor`.
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

/// The largest distance in m of a contact from the projection of the mass centre, where all events
/// are those of one free body.
pub(super) fn reach(events: &[Event]) -> Option<f64> {
    let of = |event: &Event| {
        let points = Points::of(&event.problem).filter(|_| is_free_body(&event.problem));
        points.map(|points| points.reach())
    };
    events.iter().map(of).try_fold(0.0, |most, one| Some(f64::max(most, one?)))
}
