//! The contact problem of a model in a given state.

use nalgebra::DMatrix;

use super::Vector;
use super::contacts::{Contact, Surface};
use super::joints::{Joint, Pose};
use super::planar::{Planar, TangentRule};
use carom_core::error::{Error, Result};
use carom_core::problem::{ContactPoint, Place, Points, ProblemSpec};

/// The state of a model before the impact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Configuration `q` (n; in space, one more entry for each quaternion).
    pub position: Vec<f64>,
    /// Velocity `v` (n).
    pub velocity: Vec<f64>,
}

impl Planar {
    /// The contact problem of a state: mass matrix, contact rows, velocity and names; planar, m
    /// tangent rows.
    ///
    /// `contacts` are those of the state's position (see [`Planar::contacts`]), `friction` has one
    /// entry for each.
    pub fn impact(
        &self,
        motion: &Motion,
        contacts: &[Contact],
        friction: Vec<f64>,
        rule: TangentRule,
    ) -> ProblemSpec {
        let poses = self.poses(&motion.position);
        ProblemSpec {
            mass: nested(&self.mass_matrix(&poses)),
            mass_parts: self.mass_parts(&poses),
            normal: nested(&self.normal_rows(&poses, contacts)),
            tangent: nested(&self.tangent_rows(&poses, contacts, rule)),
            friction: Some(friction),
            velocity: motion.velocity.clone(),
            coordinates: Some(self.coordinate_names()),
            units: Some(self.units()),
            contacts: Some(self.contact_names(contacts)),
            gap: Some(contacts.iter().map(|contact| contact.touch.gap).collect()),
            points: Some(self.points(&poses, contacts, rule)),
            ..ProblemSpec::default()
        }
    }

    /// Where the contacts are, and how the bodies turn.
    fn points(&self, poses: &[Pose], contacts: &[Contact], rule: TangentRule) -> Points {
        let turn = |(body, pose): (usize, &Pose)| {
            let mut row = vec![0.0; self.coordinate_count()];
            for column in self.columns(poses, body, pose.origin) {
                row[column.coordinate] += column.spin;
            }
            vec![row]
        };
        let of = |contact: &Contact| {
            let place = |body: usize| Place {
                body,
                arm: list(
                    contact.touch.point - poses[body].point(self.bodies()[body].center_of_mass),
                ),
            };
            ContactPoint {
                normal: list(contact.touch.normal),
                tangent: vec![list(rule.tangent(contact))],
                first: contact.first.body().map(place),
                second: place(contact.second),
            }
        };
        Points {
            turn: poses.iter().enumerate().map(turn).collect(),
            contacts: contacts.iter().map(of).collect(),
        }
    }

    /// Changes the velocity of the whole tree that `contact` belongs to, so that the contact point
    /// is at rest.
    ///
    /// With `v_c` the velocity of the point: the two translation rates of the tree's first joint
    /// change by `-v_c`.
    ///
    /// # Errors
    /// When two bodies make the contact, or the tree's first joint is neither floating nor
    /// translating.
    pub fn bring_to_rest(
        &self,
        poses: &[Pose],
        contact: &Contact,
        velocity: &mut [f64],
    ) -> Result<()> {
        if let Surface::Body(_) = contact.first {
            return Err(not_with_a_wall());
        }
        let mut root = contact.second;
        while let Some(parent) = self.bodies()[root].parent {
            root = parent;
        }
        if !matches!(self.bodies()[root].joint, Joint::Floating | Joint::Translating) {
            return Err(cannot_be_shifted(&self.bodies()[root].name));
        }
        let columns = self.columns(poses, contact.second, contact.touch.point);
        let moving: Vector =
            columns.iter().map(|column| column.velocity * velocity[column.coordinate]).sum();
        velocity[self.first_coordinate(root)] -= moving.x;
        velocity[self.first_coordinate(root) + 1] -= moving.y;
        Ok(())
    }
}

/// A vector as a list.
fn list(x: Vector) -> Vec<f64> {
    x.as_slice().to_vec()
}

/// The error where a contact of two bodies should be brought to rest.
pub(super) fn not_with_a_wall() -> Error {
    Error::input(
        "only a contact with a wall can be brought to rest, this one is between two bodies",
    )
}

/// The error where the first joint of a body's tree cannot translate.
pub(super) fn cannot_be_shifted(name: &str) -> Error {
    Error::input(format!(
        "`{name}` cannot be shifted: its joint is neither floating nor translating"
    ))
}

/// A matrix as its rows.
pub(super) fn nested(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}
