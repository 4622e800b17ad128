//! The mass matrix, the tangents and the contact problem of a planar mechanism.

use nalgebra::DMatrix;

use super::joints::Pose;
use super::{Contact, Motion, Planar, Surface, Vector};
use carom_core::problem::{MassPart, ProblemSpec};

/// The direction of the tangent of a contact between two bodies, given the normal `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TangentRule {
    /// `(n_y, -n_x)`, perpendicular to the normal.
    #[default]
    Perpendicular,
    /// `(n_y, n_x)`, as in the code published with Halm & Posa (arXiv 2103.15714): not
    /// perpendicular to an oblique normal. Only good for repeating that code's numbers; walls keep
    /// the right tangent.
    AsPublished,
}

impl TangentRule {
    pub(super) fn tangent(self, contact: &Contact) -> Vector {
        let n = contact.touch.normal;
        match (self, contact.first) {
            (TangentRule::AsPublished, Surface::Body(_)) => Vector::new(n.y, n.x),
            _ => Vector::new(n.y, -n.x),
        }
    }
}

impl Planar {
    /// The contact problem of a state: mass matrix, contact rows, velocity and names; planar, m
    /// tangent rows.
    ///
    /// `contacts` belong to the state's position (see [`Planar::contacts`]); `friction` has one
    /// entry for each contact.
    pub fn impact(
        &self,
        motion: &Motion,
        contacts: &[Contact],
        friction: Vec<f64>,
        rule: TangentRule,
    ) -> ProblemSpec {
        let poses = self.poses(&motion.position);
        let mass = (self.mass_matrix(&poses), self.mass_parts(&poses));
        self.spec(motion, mass, contacts, friction, |contact| [rule.tangent(contact)])
    }

    /// The tangent Jacobian `Jt` (m,n): the sliding velocity of each contact,
    /// `t . (J_second - J_first)`.
    pub fn tangent_rows(
        &self,
        poses: &[Pose],
        contacts: &[Contact],
        rule: TangentRule,
    ) -> DMatrix<f64> {
        self.rows(poses, contacts, |contact| [rule.tangent(contact)])
    }

    /// The mass matrix `M(q) = sum_b J_b' diag(m, m, I) J_b` (n,n), with `J_b` the velocity
    /// Jacobian of the centre of mass of body b and of its angle; kg, kg m and kg m^2.
    pub fn mass_matrix(&self, poses: &[Pose]) -> DMatrix<f64> {
        let mut mass = DMatrix::zeros(self.coordinate_count(), self.coordinate_count());
        for (i, body) in self.bodies().iter().enumerate() {
            let columns = self.columns(poses, i, poses[i].point(body.center_of_mass));
            for a in &columns {
                for b in &columns {
                    mass[(a.coordinate, b.coordinate)] +=
                        body.mass * a.velocity.dot(&b.velocity) + body.inertia * a.spin * b.spin;
                }
            }
        }
        mass
    }

    /// The parts of the mass matrix: for each body its mass, then its moment of inertia about its
    /// mass centre. Parts that no coordinate moves are left out.
    pub fn mass_parts(&self, poses: &[Pose]) -> Vec<MassPart> {
        let mut parts = Vec::new();
        for (i, body) in self.bodies().iter().enumerate() {
            let columns = self.columns(poses, i, poses[i].point(body.center_of_mass));
            let moved: Vec<_> = columns.iter().map(|c| (c.coordinate, c.velocity)).collect();
            let turned: Vec<_> = columns.iter().map(|c| (c.coordinate, c.spin)).collect();
            parts.extend(MassPart::of(&moved, |a, b| body.mass * a.dot(b)));
            parts.extend(MassPart::of(&turned, |a, b| body.inertia * a * b));
        }
        parts
    }
}
