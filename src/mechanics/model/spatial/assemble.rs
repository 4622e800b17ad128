//! The contact problem of a spatial model in a given state.

use super::joints::{Joint, Pose};
use super::manifold::Contact;
use super::mechanism::Spatial;
use super::{Vector, tangents};
use crate::model::assemble::{cannot_be_shifted, nested, not_with_a_wall};
use crate::model::{Motion, Surface};
use carom_core::error::Result;
use carom_core::problem::{ContactPoint, Place, Points, ProblemSpec};

impl Spatial {
    /// The contact problem of a state: mass matrix, contact rows, velocity and names; spatial, 2m
    /// tangent rows.
    ///
    /// `contacts` are those of the state's position (see [`Spatial::contacts`]), `friction` has one
    /// entry for each.
    pub fn impact(&self, motion: &Motion, contacts: &[Contact], friction: Vec<f64>) -> ProblemSpec {
        let poses = self.poses(&motion.position);
        ProblemSpec {
            mass: nested(&self.mass_matrix(&poses)),
            mass_parts: self.mass_parts(&poses),
            normal: nested(&self.normal_rows(&poses, contacts)),
            tangent: nested(&self.tangent_rows(&poses, contacts)),
            friction: Some(friction),
            velocity: motion.velocity.clone(),
            coordinates: Some(self.coordinate_names()),
            units: Some(self.units()),
            contacts: Some(self.contact_names(contacts)),
            gap: Some(contacts.iter().map(|contact| contact.touch.gap).collect()),
            points: Some(self.points(&poses, contacts)),
            ..ProblemSpec::default()
        }
    }

    /// Where the contacts are, and how the bodies turn.
    fn points(&self, poses: &[Pose], contacts: &[Contact]) -> Points {
        let turn = |(body, pose): (usize, &Pose)| {
            let mut rows = vec![vec![0.0; self.coordinate_count()]; 3];
            for column in self.columns(poses, body, pose.origin) {
                for (row, spin) in rows.iter_mut().zip(&column.spin) {
                    row[column.coordinate] += spin;
                }
            }
            rows
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
                tangent: tangents(contact.touch.normal).map(list).to_vec(),
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
    /// With `v_c` the velocity of the point: the three translation rates of the tree's first joint
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
        for i in 0..3 {
            velocity[self.first_coordinate(root) + i] -= moving[i];
        }
        Ok(())
    }
}

/// A vector as a list.
fn list(x: Vector) -> Vec<f64> {
    x.as_slice().to_vec()
}
