//! Pose sampling: active contacts, contact points and normals of each sample.

use nalgebra::{DMatrix, Dim, Matrix, RealField, Rotation3, RowDVector, StorageMut, Vector3};

use super::points::{ContactPoint, Points, ROUNDED, across, vector};
use super::{ContactProblem, ProblemSpec, Uncertainty};
use crate::rng::deviates;
use crate::{Error, Purpose, Real, Result, Stream, stream};

/// Steps of [`Purpose::Parameter`]: displacements; rotations; draws shared by all contacts.
const SHIFT: u32 = 6;
const ATTITUDE: u32 = 7;
const SHARED: u32 = 8;

/// Pose sampling: with an uncertain pose, each sample belongs to a problem of its own.
///
/// Each body that can turn is rotated about its mass centre (`attitude`). Then normals tilt
/// (`slope`), and contact points move inwards (`inset`; `edge` at edge contacts of the impact) and
/// along their tangents (`shift`). A displacement `delta` of a contact point on a body changes the
/// row of a direction `d` by `(delta x d)' A`, with `A` from [`Points`], and a rotation changes the
/// gap by `n . delta`, with the signs of the two bodies. Mass matrix and velocity stay. Then
/// contacts whose gap exceeds the smallest gap of the sample by more than `gap` are left out.
#[derive(Clone, Debug)]
pub struct Poses {
    spec: ProblemSpec,
    uncertainty: Uncertainty,
    contacts: Vec<Posing>,
    /// The angular Jacobians of the bodies, row by row.
    turns: Vec<Vec<RowDVector<f64>>>,
}

/// The problems of a sample.
#[derive(Clone, Debug)]
pub struct Posed {
    /// The first impact; its remaining uncertainty is in numbers, not in the pose.
    pub first: ContactProblem,
    /// A second impact of all contacts that close, the contacts of the first impact first; `None`
    /// without late contacts. Its velocity has no noise.
    pub all: Option<ContactProblem>,
    /// The contacts of `all`, or else of `first`, by their index in the problem.
    pub order: Vec<usize>,
    /// The contact Jacobian ((1+d) m, n) of all contacts of the problem in this pose, normals
    /// first.
    pub jacobian: DMatrix<f64>,
}

impl Posed {
    /// The second impact, from the velocity `v` (n) after the first one, if a late contact
    /// approaches faster than the velocity at rest in precision `R`.
    ///
    /// # Errors
    /// Numbers that are not finite.
    pub fn late<R: Real>(&self, v: &[f64]) -> Result<Option<ContactProblem>> {
        let Some(all) = self.all.as_ref().filter(|all| self.closes(v, all.rest_velocity::<R>()))
        else {
            return Ok(None);
        };
        let mut late = all.clone();
        late.set_velocity(v)?;
        Ok(Some(late))
    }

    /// Whether a late contact approaches faster than `rest`.
    fn closes(&self, v: &[f64], rest: f64) -> bool {
        let approaches = |&i: &usize| {
            let speed: f64 = self.jacobian.row(i).iter().zip(v).map(|(a, v)| a * v).sum();
            speed < -rest
        };
        self.order[self.first.contact_count()..].iter().any(approaches)
    }
}

impl ContactProblem {
    /// The problem without an uncertain pose; other uncertainty stays.
    pub fn unposed(&self) -> ContactProblem {
        let mut problem = self.clone();
        problem.spec.uncertainty = self.uncertainty().of_numbers();
        problem
    }

    /// Refuses an uncertain pose.
    ///
    /// # Errors
    /// An uncertain pose; `what` is the subject of the message, with its verb.
    pub fn refuse_pose(&self, what: &str) -> Result<()> {
        if !self.uncertainty().poses() {
            return Ok(());
        }
        Err(Error::input(format!("{what} one pose, and that of the problem is uncertain"))
            .at("uncertainty")
            .hint(
                "leave gap, late, inset, edge, shift, attitude and slope out; `carom sample` draws poses",
            ))
    }

    /// The problems of sample `sample` under `seed`: a problem with an uncertain pose is a
    /// distribution of problems.
    ///
    /// # Errors
    /// See [`Poses::draw`].
    pub fn posed(&self, seed: u64, sample: u64) -> Result<Posed> {
        Poses::new(self).draw(seed, sample)
    }

    /// Refuses an uncertain pose without the data of the problem that it needs.
    pub(super) fn check_pose(&self) -> Result<()> {
        let (uncertainty, d) = (self.uncertainty(), self.tangents);
        let (m, n) = (self.contact_count(), self.coordinate_count());
        if let Some(points) = &self.spec.points {
            points.check([m, d, n])?;
        }
        if let Some(gaps) = &self.spec.gap {
            super::check_length(gaps.len(), m, "gap", "contacts")?;
            super::check_finite(gaps, "gap")?;
        }
        uncertainty.check_slope(d)?;
        let refuse = |what: &str, key: &str, hint: &str| {
            Err(Error::input(what).at(format!("uncertainty.{key}")).hint(hint))
        };
        if uncertainty.late.is_some() && uncertainty.gap.is_none() {
            let what = "late contacts without a largest gap of the first impact";
            return refuse(what, "late", "add `gap`");
        }
        if uncertainty.gap.is_some() && self.spec.gap.is_none() {
            let hint = "add `gap` to the problem, m numbers in m; scenes from shapes know them";
            return refuse("the gaps of the contacts are not known", "gap", hint);
        }
        let points = self.spec.points.as_ref();
        if !uncertainty.slope.is_empty() && points.is_some_and(|points| !points.are_frames()) {
            let hint = "take perpendicular tangents, without `tangents = \"as-published\"`";
            let what = "a normal leans towards tangents that are not perpendicular";
            return refuse(what, "slope", hint);
        }
        if uncertainty.shift > 0.0 && d == 0 {
            let hint = "add `tangent` rows, with friction 0 where there is none";
            let what = "contact points move along tangents, which are not given";
            return refuse(what, "shift", hint);
        }
        if uncertainty.moves_points() && Points::of(self).is_none() {
            let moves = [
                (uncertainty.shift > 0.0, "shift"),
                (uncertainty.attitude > 0.0, "attitude"),
                (uncertainty.edge[1] == 0.0, "inset"),
                (true, "edge"),
            ];
            let key = moves.iter().find(|(moves, _)| *moves).map_or("", |(_, key)| key);
            let hint = "add `points`; they are known with the coordinates x, y, theta or x, y, z, wx, wy, wz of a free body's mass centre; \
                        scenes from shapes know them";
            let what = "the contact points are not known, and this is not one free body";
            return refuse(what, key, hint);
        }
        Ok(())
    }
}

impl Poses {
    /// Prepares the poses of a problem.
    pub fn new(problem: &ContactProblem) -> Self {
        let uncertainty = problem.uncertainty().clone();
        let points = Points::of(problem).filter(|_| uncertainty.moves_points());
        let spec = problem.spec();
        let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
        let row = |row: &Vec<f64>| RowDVector::from_row_slice(row);
        let contact = |i: usize| {
            let tangents = &spec.tangent[i * d..(i + 1) * d];
            Posing {
                rows: std::iter::once(&spec.normal[i]).chain(tangents).map(row).collect(),
                gap: spec.gap.as_ref().map_or(0.0, |gaps| gaps[i]),
                at: points.as_ref().map(|points| At::of(&points.contacts[i])),
            }
        };
        Poses {
            contacts: (0..m).map(contact).collect(),
            turns: points.as_ref().map_or(Vec::new(), Points::turns),
            spec: ProblemSpec {
                uncertainty: uncertainty.of_numbers(),
                gap: None,
                points: None,
                ..spec.clone()
            },
            uncertainty,
        }
    }

    /// Whether all samples share one pose.
    pub fn are_one(&self) -> bool {
        self.uncertainty.has_one_pose()
    }

    /// The problems of a sample under a seed.
    ///
    /// # Errors
    /// A normal row that is zero in this pose; numbers that overflow.
    pub fn draw(&self, seed: u64, sample: u64) -> Result<Posed> {
        let draws = Stream::new(seed, sample);
        let mut contacts = self.contacts.clone();
        self.rotate(&draws, &mut contacts);
        let [near, late] = self.taking_part(&contacts);
        let order = [&near[..], &late].concat();
        let mut early = contacts.clone();
        self.place(&draws, &mut early, &near);
        self.place(&draws, &mut contacts, &order);
        let first = ContactProblem::quiet(self.with(&early, &near))?;
        let all = (order.len() > first.contact_count()).then(|| {
            let mut spec = self.with(&contacts, &order);
            spec.uncertainty.noise = 0.0;
            ContactProblem::quiet(spec)
        });
        let normals = contacts.iter().map(|contact| &contact.rows[0]);
        let tangents = contacts.iter().flat_map(|contact| &contact.rows[1..]);
        let rows: Vec<_> = normals.chain(tangents).cloned().collect();
        Ok(Posed { first, all: all.transpose()?, order, jacobian: DMatrix::from_rows(&rows) })
    }

    /// Rotates the bodies that can turn.
    fn rotate(&self, draws: &Stream, contacts: &mut [Posing]) {
        if self.uncertainty.attitude == 0.0 {
            return;
        }
        let angles = deviates(draws, ATTITUDE, Purpose::Parameter, 3 * self.turns.len());
        let rotation = |(rows, angles): (&Vec<RowDVector<f64>>, &[f64])| {
            let by = self.uncertainty.attitude;
            match rows.len() {
                _ if rows.iter().all(|row| row.amax() == 0.0) => Rotation3::identity(),
                1 => Rotation3::new(Vector3::z() * (by * angles[0])),
                _ => Rotation3::new(vector(angles) * by),
            }
        };
        let rotations: Vec<_> = self.turns.iter().zip(angles.chunks(3)).map(rotation).collect();
        for contact in contacts {
            let Posing { rows, gap, at: Some(at) } = contact else { continue };
            for (sign, body, arm) in &mut at.places {
                let turned = rotations[*body] * *arm;
                let delta = turned - *arm;
                *arm = turned;
                *gap += *sign * at.directions[0].dot(&delta);
                displace(rows, &at.directions, delta * *sign, &self.turns[*body]);
            }
        }
    }

    /// Tilts normals, and moves contact points inwards and along their tangents, for an impact at
    /// the contacts `struck`.
    fn place(&self, draws: &Stream, contacts: &mut [Posing], struck: &[usize]) {
        let words = draws.block(SHARED, Purpose::Parameter, 0);
        let within = |[low, high]: [f64; 2], k: usize| {
            low + (high - low) * f64::from(stream::unit(words[k]))
        };
        let d = contacts[0].rows.len() - 1;
        let ranges = self.uncertainty.slope_of(d);
        let slope: Vec<f64> = (0..d).map(|k| within(ranges[k], 1 + k)).collect();
        let inset = within(self.uncertainty.inset, 0);
        let edge = within(self.uncertainty.edge, 3);
        let edges = edges(contacts, struck);
        let shifts = match self.uncertainty.shift > 0.0 {
            true => deviates(draws, SHIFT, Purpose::Parameter, d * contacts.len()),
            false => vec![0.0; d * contacts.len()],
        };
        for (i, contact) in contacts.iter_mut().enumerate() {
            lean(&mut contact.rows, &slope);
            let Some(at) = &mut contact.at else { continue };
            lean(&mut at.directions, &slope);
            let shift = at.inwards(inset + if edges.contains(&i) { edge } else { 0.0 })
                + (0..d)
                    .map(|k| at.directions[1 + k] * (shifts[i * d + k] * self.uncertainty.shift))
                    .sum::<Vector3<f64>>();
            for (sign, body, _) in &at.places {
                displace(&mut contact.rows, &at.directions, shift * *sign, &self.turns[*body]);
            }
        }
    }

    /// The contacts of the first impact, and the late contacts.
    fn taking_part(&self, contacts: &[Posing]) -> [Vec<usize>; 2] {
        let all = 0..contacts.len();
        let Some(gap) = self.uncertainty.gap else { return [all.collect(), Vec::new()] };
        let nearest = contacts.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
        let within = |most: f64, i: usize| contacts[i].gap - nearest <= most;
        let (near, far): (Vec<_>, Vec<_>) = all.partition(|&i| within(gap, i));
        let late = |&i: &usize| self.uncertainty.late.is_some_and(|late| within(late, i));
        [near, far.into_iter().filter(late).collect()]
    }

    /// The problem of the contacts `order`, in this order.
    fn with(&self, contacts: &[Posing], order: &[usize]) -> ProblemSpec {
        fn pick<T: Clone>(of: &[T], order: &[usize]) -> Vec<T> {
            order.iter().map(|&i| of[i].clone()).collect()
        }
        // A single range holds for all contacts.
        let each = |ranges: &[[f64; 2]]| match ranges.len() {
            0 | 1 => ranges.to_vec(),
            _ => pick(ranges, order),
        };
        let spec = &self.spec;
        let row = |row: &RowDVector<f64>| row.iter().copied().collect();
        ProblemSpec {
            normal: order.iter().map(|&i| row(&contacts[i].rows[0])).collect(),
            tangent: order.iter().flat_map(|&i| contacts[i].rows[1..].iter().map(row)).collect(),
            friction: spec.friction.as_ref().map(|x| pick(x, order)),
            restitution: spec.restitution.as_ref().map(|x| pick(x, order)),
            contacts: spec.contacts.as_ref().map(|x| pick(x, order)),
            uncertainty: Uncertainty {
                friction: each(&spec.uncertainty.friction),
                restitution: each(&spec.uncertainty.restitution),
                ..spec.uncertainty.clone()
            },
            ..spec.clone()
        }
    }
}

/// A contact with a drawn pose.
#[derive(Clone, Debug)]
struct Posing {
    /// The rows of the normal, then of the tangents.
    rows: Vec<RowDVector<f64>>,
    /// The gap in m; 0 if unknown.
    gap: f64,
    at: Option<At>,
}

/// The contact point and its directions.
#[derive(Clone, Debug)]
struct At {
    /// The normal, then the tangents.
    directions: Vec<Vector3<f64>>,
    /// Sign, index and arm of each body; the second body last.
    places: Vec<(f64, usize, Vector3<f64>)>,
}

impl At {
    fn of(contact: &ContactPoint) -> At {
        let places = contact.places();
        At {
            directions: contact.directions().map(|d| vector(d)).collect(),
            places: places.map(|(sign, place)| (sign, place.body, vector(&place.arm))).collect(),
        }
    }

    /// Whether two points are distinct points of one body on one flat surface of another body.
    fn is_beside(&self, other: &At) -> bool {
        let bodies = |at: &At| at.places.iter().map(|(_, body, _)| *body).collect::<Vec<_>>();
        let [(_, _, own), (_, _, arm)] = [self, other].map(|at| &at.places[at.places.len() - 1]);
        bodies(self) == bodies(other)
            && (self.directions[0] - other.directions[0]).norm() <= ROUNDED
            && across(self.directions[0], *own - *arm).norm() > ROUNDED * own.norm()
    }

    /// The displacement by `length` in the tangent plane, towards the projection of the second
    /// body's mass centre and not beyond it.
    fn inwards(&self, length: f64) -> Vector3<f64> {
        let across = across(self.directions[0], self.places[self.places.len() - 1].2);
        let distance = across.norm();
        match distance > 0.0 {
            true => -across * (RealField::min(length, distance) / distance),
            false => Vector3::zeros(),
        }
    }
}

/// The contacts of `struck` on an edge or a face: another struck contact is at another point of the
/// same body, on the same flat surface.
fn edges(contacts: &[Posing], struck: &[usize]) -> Vec<usize> {
    let at = |i: &usize| contacts[*i].at.as_ref();
    let is_edge = |i: &&usize| {
        let others = struck.iter().filter(|j| j != i).filter_map(at);
        at(i).is_some_and(|own| others.into_iter().any(|other| own.is_beside(other)))
    };
    struck.iter().filter(is_edge).copied().collect()
}

/// Adds the effect of a displacement of the contact point on a body to the rows of `directions`.
fn displace(
    rows: &mut [RowDVector<f64>],
    directions: &[Vector3<f64>],
    delta: Vector3<f64>,
    turn: &[RowDVector<f64>],
) {
    for (row, direction) in rows.iter_mut().zip(directions) {
        let moment = delta.cross(direction);
        // In the plane a body turns about z.
        let first = 3 - turn.len();
        for (k, turn) in turn.iter().enumerate() {
            *row += turn * moment[first + k];
        }
    }
}

/// Rotates the frame of a contact, or its rows: the normal tilts by the angles `slope` towards the
/// tangents.
///
/// With `a = |slope|` and the tangent `t = sum_k slope_k t_k / a`: `n' = cos(a) n + sin(a) t`,
/// `t_k' = t_k - slope_k / a (sin(a) n + (1 - cos(a)) t)`.
fn lean<R: Dim, C: Dim, S: StorageMut<f64, R, C> + Clone>(
    frame: &mut [Matrix<f64, R, C, S>],
    slope: &[f64],
) {
    let angle = slope.iter().map(|a| a * a).sum::<f64>().sqrt();
    if angle == 0.0 {
        return;
    }
    let (sin, cos) = angle.sin_cos();
    for x in 0..frame[0].len() {
        let normal = frame[0][x];
        let along: f64 = frame[1..].iter().zip(slope).map(|(t, a)| a / angle * t[x]).sum();
        frame[0][x] = cos * normal + sin * along;
        for (tangent, a) in frame[1..].iter_mut().zip(slope) {
            tangent[x] -= a / angle * (sin * normal + (1.0 - cos) * along);
        }
    }
}
