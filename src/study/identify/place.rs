//! The contact problems that a model makes of an event: which contacts take part, where they are,
//! and how they lean.

use nalgebra::{RealField, Vector3};

use super::model::Model;
use crate::error::{Error, Result};
use crate::problem::{ContactProblem, ProblemSpec, Uncertainty};
use crate::study::reality::Event;

/// The problems of an event.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The first impact.
    pub first: ContactProblem,
    /// All contacts, those of the first impact before the others, where some are left out of it;
    /// without noise of the velocity.
    pub all: Option<ContactProblem>,
}

/// Rows of the Jacobians at one contact: the normal, then the tangents.
type Rows = Vec<Vec<f64>>;

impl Placed {
    /// The problems that `model` makes of `event`.
    ///
    /// # Errors
    /// An inset or another inertia for what is not one free body, see [`FreeBody::of`].
    pub fn new(model: &Model, event: &Event) -> Result<Placed> {
        let event = &*model.with_middle(event)?;
        let problem = &event.problem;
        let d = problem.tangents_per_contact();
        let mut spec = problem.spec().clone();
        let body = match model.inset > 0.0 || model.inertia != 1.0 {
            true => Some(FreeBody::of(problem)?),
            false => None,
        };
        let mut contacts = contacts(&spec, d);
        for rows in &mut contacts {
            lean(rows, &model.slope);
        }
        if let Some(body) = body {
            contacts.iter_mut().for_each(|rows| body.inset(rows, model.inset));
            body.scale(&mut spec.mass, model.inertia);
        }
        spec.uncertainty = Uncertainty {
            friction: if d == 0 { Vec::new() } else { vec![model.friction] },
            restitution: vec![model.restitution],
            inertia: Vec::new(),
            noise: model.before,
        };
        spec.mass_parts.clear();
        let [near, late] = model.taking_part(event);
        let first = ContactProblem::new(with(&spec, &contacts, &near))?;
        spec.uncertainty.noise = 0.0;
        let all = with(&spec, &contacts, &[near, late.clone()].concat());
        let all = (!late.is_empty()).then(|| ContactProblem::new(all)).transpose()?;
        Ok(Placed { first, all })
    }
}

impl Model {
    /// The contacts of the first impact, and those that may close late.
    pub(super) fn taking_part(&self, event: &Event) -> [Vec<usize>; 2] {
        let contacts = 0..event.problem.contact_count();
        let Some((gap, gaps)) = self.gap.zip(event.gap.as_deref()) else {
            return [contacts.collect(), Vec::new()];
        };
        let nearest = gaps.iter().copied().fold(f64::INFINITY, f64::min);
        let within = |most: f64, i: usize| gaps[i] - nearest <= most;
        let (near, far): (Vec<_>, Vec<_>) = contacts.partition(|&i| within(gap, i));
        let late = |&i: &usize| self.late.is_some_and(|late| within(late, i));
        [near, far.into_iter().filter(late).collect()]
    }
}

/// The rows of each contact, which has `d` tangents.
fn contacts(spec: &ProblemSpec, d: usize) -> Vec<Rows> {
    let rows = |(i, normal): (usize, &Vec<f64>)| {
        let tangents = &spec.tangent[i * d..(i + 1) * d];
        [std::slice::from_ref(normal), tangents].concat()
    };
    spec.normal.iter().enumerate().map(rows).collect()
}

/// The problem of some contacts, in this order.
fn with(spec: &ProblemSpec, contacts: &[Rows], order: &[usize]) -> ProblemSpec {
    let pick = |x: &Option<Vec<f64>>| x.as_ref().map(|x| order.iter().map(|&i| x[i]).collect());
    ProblemSpec {
        normal: order.iter().map(|&i| contacts[i][0].clone()).collect(),
        tangent: order.iter().flat_map(|&i| contacts[i][1..].iter().cloned()).collect(),
        friction: pick(&spec.friction),
        restitution: pick(&spec.restitution),
        contacts: spec
            .contacts
            .as_ref()
            .map(|names| order.iter().map(|&i| names[i].clone()).collect()),
        ..spec.clone()
    }
}

/// Turns the frame of a contact: its normal leans by the angles `slope` towards the tangents.
///
/// With `a = |slope|` and the tangent `t = sum_k slope_k t_k / a`: `n' = cos(a) n + sin(a) t`,
/// `t_k' = t_k - slope_k / a (sin(a) n + (1 - cos(a)) t)`.
fn lean(rows: &mut Rows, slope: &[f64]) {
    let d = rows.len() - 1;
    let angle = slope[..d].iter().map(|a| a * a).sum::<f64>().sqrt();
    if angle == 0.0 {
        return;
    }
    let (sin, cos) = angle.sin_cos();
    for column in 0..rows[0].len() {
        let n = rows[0][column];
        let along = (0..d).map(|k| slope[k] / angle * rows[k + 1][column]).sum::<f64>();
        rows[0][column] = cos * n + sin * along;
        for k in 0..d {
            rows[k + 1][column] -= slope[k] / angle * (sin * n + (1.0 - cos) * along);
        }
    }
}

/// One free body whose coordinates are the position of its mass centre and its rotation:
/// `x, y, theta` or `x, y, z` and the rate of rotation about these axes.
#[derive(Clone, Copy, Debug)]
struct FreeBody {
    /// Number of coordinates of the position.
    space: usize,
}

/// Relative tolerance for what a free body's matrices have: nothing, or unit length.
const SLACK: f64 = 1e-6;

impl FreeBody {
    /// The body of a problem.
    ///
    /// # Errors
    /// A problem that is not one free body: other numbers of coordinates or of tangents, a mass
    /// that depends on the direction or couples position and rotation.
    fn of(problem: &ContactProblem) -> Result<FreeBody> {
        let space = problem.tangents_per_contact() + 1;
        let n = problem.coordinate_count();
        let mass = problem.mass();
        let one = mass[(0, 0)];
        let uniform = |i: usize| {
            let own = |j: usize| if i == j { one } else { 0.0 };
            (0..n).all(|j| (mass[(i, j)] - own(j)).abs() <= SLACK * one)
        };
        if (space, n) != (2, 3) && (space, n) != (3, 6) || !(0..space).all(uniform) {
            return Err(Error::input(
                "inset and inertia need one free body, with the coordinates x, y, theta or \
                 x, y, z, wx, wy, wz of its mass centre, and tangents",
            )
            .at("coordinates"));
        }
        Ok(FreeBody { space })
    }

    /// Multiplies the rotational inertia.
    fn scale(&self, mass: &mut [Vec<f64>], factor: f64) {
        for row in &mut mass[self.space..] {
            row[self.space..].iter_mut().for_each(|x| *x *= factor);
        }
    }

    /// Moves a contact by `length` along its tangent plane, towards the projection of the mass
    /// centre and not beyond it.
    fn inset(&self, rows: &mut Rows, length: f64) {
        let normal = self.direction(&rows[0]);
        let arm = self.arm(rows);
        let across = arm - normal * normal.dot(&arm);
        let distance = across.norm();
        if distance <= 0.0 {
            return;
        }
        let shift = -across * (RealField::min(length, distance) / distance);
        for row in rows {
            let moment = shift.cross(&self.direction(row));
            match self.space {
                2 => row[2] += moment.z,
                _ => (0..3).for_each(|k| row[3 + k] += moment[k]),
            }
        }
    }

    /// The direction of a row.
    fn direction(&self, row: &[f64]) -> Vector3<f64> {
        Vector3::new(row[0], row[1], if self.space == 3 { row[2] } else { 0.0 })
    }

    /// The place `r` of a contact from the mass centre. A row in the direction `d` has the moment
    /// `c = r x d`; for an orthonormal frame `sum d x c = 2 r` in space, and in the plane
    /// `sum (d_y, -d_x) c = r`.
    fn arm(&self, rows: &Rows) -> Vector3<f64> {
        let of = |row: &Vec<f64>| {
            let d = self.direction(row);
            match self.space {
                2 => Vector3::new(d.y, -d.x, 0.0) * row[2],
                _ => d.cross(&Vector3::new(row[3], row[4], row[5])) * 0.5,
            }
        };
        rows.iter().map(of).sum()
    }
}

/// The largest distance in m of a contact from the projection of the mass centre, where all events
/// are those of one free body.
pub(super) fn reach(events: &[Event]) -> Option<f64> {
    let of = |event: &Event| {
        let body = FreeBody::of(&event.problem).ok()?;
        let contacts = contacts(event.problem.spec(), event.problem.tangents_per_contact());
        let across = contacts.iter().map(|rows| {
            let (normal, arm) = (body.direction(&rows[0]), body.arm(rows));
            (arm - normal * normal.dot(&arm)).norm()
        });
        Some(across.fold(0.0, f64::max))
    };
    events.iter().map(of).try_fold(0.0, |most, one| Some(f64::max(most, one?)))
}
