//! Contact points of a problem, and angular Jacobians of its bodies.

use nalgebra::{RowDVector, Vector3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entries::{check_finite, check_length, matrix};
use crate::{Error, Result};

/// Relative tolerance of directions, for rounded digits in files: for length and for the angles of
/// a frame.
pub(super) const ROUNDED: f64 = 0.01;

/// Contact points, and how the bodies turn that have them. Vectors have 3 entries, in the plane 2.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schema::without_null)]
pub struct Points {
    /// For each body the matrix `A` with its angular velocity `w = A v`: 3 rows of n numbers, in
    /// the plane 1.
    pub turn: Vec<Vec<Vec<f64>>>,
    /// The contacts (m).
    pub contacts: Vec<ContactPoint>,
}

/// A contact point.
///
/// With `d` a direction of the contact and `r` the arm, the row of `d` is that of the mass centre
/// and `(r x d)' A` of the second body, less those of the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schema::without_null)]
pub struct ContactPoint {
    /// The unit normal, towards the second body.
    pub normal: Vec<f64>,
    /// The tangents, in the order of their rows.
    #[serde(default)]
    pub tangent: Vec<Vec<f64>>,
    /// The place on the body that is touched; without it, that is a wall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Place>,
    /// The place on the body that touches.
    pub second: Place,
}

/// The place of a contact point on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schema::without_null)]
pub struct Place {
    /// The body's number in [`Points::turn`], from 0.
    pub body: usize,
    /// The contact point from the body's mass centre, in m.
    pub arm: Vec<f64>,
}

/// A vector of a file as a spatial vector; planar ones have two entries.
pub(super) fn vector(x: &[f64]) -> Vector3<f64> {
    Vector3::new(x[0], x[1], x.get(2).copied().unwrap_or(0.0))
}

/// The component of an arm in the tangent plane of a unit normal: the contact point relative to the
/// projection of the mass centre.
pub(super) fn across(normal: Vector3<f64>, arm: Vector3<f64>) -> Vector3<f64> {
    arm - normal * normal.dot(&arm)
}

impl ContactPoint {
    /// The places on the two bodies, with their signs in the rows.
    pub(super) fn places(&self) -> impl Iterator<Item = (f64, &Place)> {
        self.first.iter().map(|place| (-1.0, place)).chain([(1.0, &self.second)])
    }

    /// The normal, then the tangents.
    pub(super) fn directions(&self) -> impl Iterator<Item = &Vec<f64>> {
        std::iter::once(&self.normal).chain(&self.tangent)
    }

    /// Whether the directions are mutually perpendicular.
    fn is_frame(&self) -> bool {
        let all: Vec<_> = self.directions().map(|x| vector(x)).collect();
        (0..all.len()).all(|i| (0..i).all(|j| all[i].dot(&all[j]).abs() <= ROUNDED))
    }

    fn check(&self, space: usize, d: usize, bodies: usize, at: &str) -> Result<()> {
        check_length(self.tangent.len(), d, &format!("{at}.tangent"), "tangents")?;
        let tangent = |k: usize| format!("{at}.tangent[{k}]");
        let keys = std::iter::once(format!("{at}.normal")).chain((0..d).map(tangent));
        for (direction, key) in self.directions().zip(keys) {
            check_length(direction.len(), space, &key, "axes")?;
            check_finite(direction, &key)?;
            let length = vector(direction).norm();
            if (length - 1.0).abs() > ROUNDED {
                let what = format!("a direction has length 1, found {length}");
                return Err(Error::input(what).at(key));
            }
        }
        let keys = self.first.iter().map(|_| "first").chain(["second"]);
        for ((_, place), key) in self.places().zip(keys) {
            check_length(place.arm.len(), space, &format!("{at}.{key}.arm"), "axes")?;
            check_finite(&place.arm, &format!("{at}.{key}.arm"))?;
            if place.body >= bodies {
                let what = format!("`turn` has {bodies} bodies, from 0; found {}", place.body);
                return Err(Error::input(what).at(format!("{at}.{key}.body")));
            }
        }
        Ok(())
    }
}

impl Points {
    /// The largest distance in m of a contact point from the projection of the second body's mass
    /// centre.
    pub fn reach(&self) -> f64 {
        let across = |contact: &ContactPoint| {
            across(vector(&contact.normal), vector(&contact.second.arm)).norm()
        };
        self.contacts.iter().map(across).fold(0.0, f64::max)
    }

    /// The rows of `A` of each body, as a rotation about x, y and z in this order; in the plane
    /// about z alone.
    pub(super) fn turns(&self) -> Vec<Vec<RowDVector<f64>>> {
        let row = |row: &Vec<f64>| RowDVector::from_row_slice(row);
        self.turn.iter().map(|rows| rows.iter().map(row).collect()).collect()
    }

    /// Whether each contact's normal and tangents are perpendicular.
    pub(super) fn are_frames(&self) -> bool {
        self.contacts.iter().all(ContactPoint::is_frame)
    }

    /// Checks the numbers for a problem of m contacts with `d` tangents each and n coordinates.
    pub(super) fn check(&self, [m, d, n]: [usize; 3]) -> Result<()> {
        check_length(self.contacts.len(), m, "points.contacts", "contacts")?;
        let space = self.contacts.iter().flat_map(ContactPoint::directions).map(Vec::len).max();
        let space = space.unwrap_or(0).clamp(2, 3);
        for (b, rows) in self.turn.iter().enumerate() {
            matrix(rows, 2 * space - 3, n, &format!("points.turn[{b}]"))?;
        }
        for (i, contact) in self.contacts.iter().enumerate() {
            contact.check(space, d, self.turn.len(), &format!("points.contacts[{i}]"))?;
        }
        Ok(())
    }
}
