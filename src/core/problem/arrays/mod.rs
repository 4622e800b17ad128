//! Contact problems of many states, in arrays: row b of each array belongs to state b.

mod checks;
mod given;

pub use given::{Array, StateArrays};

use given::rows_of;

use super::entries::names;
use super::{ContactProblem, ProblemSpec};
use crate::{Error, Result};

/// The contact problems of many states, with consistent arrays.
#[derive(Clone, Debug)]
pub struct ProblemArrays<'a> {
    name: String,
    arrays: StateArrays<'a>,
    coordinates: Vec<String>,
    contacts: Vec<String>,
    tangents: usize,
}

impl<'a> ProblemArrays<'a> {
    /// Checks that the arrays fit each other, and that their numbers are finite.
    /// [`problem`](Self::problem) checks the meaning of a state's numbers.
    ///
    /// # Errors
    /// An array of another shape, a number of a contact that is active or of a coordinate that is
    /// not finite, a name that two coordinates or two contacts have.
    pub fn new(name: &str, arrays: StateArrays<'a>) -> Result<Self> {
        let [m, n] = checks::shapes(&arrays)?;
        checks::numbers(&arrays)?;
        let columns = "columns of `velocity`";
        Ok(ProblemArrays {
            name: name.to_string(),
            coordinates: names(&arrays.coordinates, n, "q", "coordinates", columns)?,
            contacts: names(&arrays.contacts, m, "c", "contacts", "rows of `normal`")?,
            tangents: arrays.tangent.as_ref().map_or(0, |tangent| rows_of(tangent) / m),
            arrays,
        })
    }

    /// The name of the problems.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.arrays.velocity.shape[0]
    }

    /// Names of the coordinates.
    pub fn coordinates(&self) -> &[String] {
        &self.coordinates
    }

    /// Names of the contacts of all states.
    pub fn contacts(&self) -> &[String] {
        &self.contacts
    }

    /// Number of tangents of a contact.
    pub fn tangents_per_contact(&self) -> usize {
        self.tangents
    }

    /// The arrays.
    pub fn arrays(&self) -> &StateArrays<'a> {
        &self.arrays
    }

    /// The given arrays of numbers, with their names.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &Array<'a>)> {
        let StateArrays { mass, normal, tangent, friction, velocity, restitution, .. } =
            &self.arrays;
        [
            ("mass", Some(mass)),
            ("normal", Some(normal)),
            ("tangent", tangent.as_ref()),
            ("friction", friction.as_ref()),
            ("velocity", Some(velocity)),
            ("restitution", restitution.as_ref()),
        ]
        .into_iter()
        .filter_map(|(name, array)| Some((name, array?)))
    }

    /// Whether states may have different active contacts.
    pub fn choose(&self) -> bool {
        self.arrays.active.is_some()
    }

    /// Whether states differ in more than velocity.
    pub fn differ(&self) -> bool {
        let each = |(name, array): (&str, &Array<'_>)| match name {
            "velocity" => false,
            "friction" | "restitution" => array.shape.len() > 1,
            _ => array.shape.len() > 2,
        };
        self.choose() || self.named().any(each)
    }

    /// The velocity (n) of state b before the impact.
    pub fn velocity(&self, b: usize) -> &[f64] {
        self.arrays.velocity.entry(b, 1)
    }

    /// The contacts of state b, by number.
    pub fn contacts_of(&self, b: usize) -> Vec<usize> {
        let m = self.contacts.len();
        let all = 0..m;
        match &self.arrays.active {
            Some((_, active)) => all.filter(|i| active[b * m + i]).collect(),
            None => all.collect(),
        }
    }

    /// The contact problem of state b, with its active contacts only.
    ///
    /// # Errors
    /// A state without active contacts; see [`ContactProblem::new`].
    pub fn problem(&self, b: usize) -> Result<ContactProblem> {
        let StateArrays { mass, normal, tangent, friction, restitution, .. } = &self.arrays;
        let (n, d, contacts) = (self.coordinates.len(), self.tangents, self.contacts_of(b));
        if contacts.is_empty() {
            return Err(Error::input("no contact is active").at("active"));
        }
        let rows = |array: &Array<'_>, of: &mut dyn Iterator<Item = usize>| -> Vec<Vec<f64>> {
            let all = array.entry(b, 2);
            of.map(|row| all[row * n..(row + 1) * n].to_vec()).collect()
        };
        let chosen =
            |array: &Array<'_>| contacts.iter().map(|&i| array.coefficient(b, i)).collect();
        let across = |i: &usize| d * i..d * (i + 1);
        let tangents = |t| rows(t, &mut contacts.iter().flat_map(across));
        ContactProblem::new(ProblemSpec {
            name: self.name.clone(),
            mass: rows(mass, &mut (0..n)),
            normal: rows(normal, &mut contacts.iter().copied()),
            tangent: tangent.as_ref().map_or(Vec::new(), tangents),
            friction: friction.as_ref().map(chosen),
            restitution: restitution.as_ref().map(chosen),
            velocity: self.velocity(b).to_vec(),
            coordinates: Some(self.coordinates.clone()),
            contacts: Some(contacts.iter().map(|&i| self.contacts[i].clone()).collect()),
            ..ProblemSpec::default()
        })
    }
}
