//! Mechanism under forces, in a plane or in space: its Lagrangian, and its forces without
//! potential.
//!
//! Contacts and vectors are spatial; a planar mechanism has z = 0.

mod planar;

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, SVector};

use crate::model::spatial::{Contact, Spatial, Touch, Vector};
use crate::model::{Motion, Planar, Site, Surface, TangentRule, touch};
use carom_core::error::{Error, Result};
use carom_core::problem::ProblemSpec;

/// A spring, a damper and a torque or force at one entry of the velocity:
/// `-k (q - rest) - d (q' - rate) + f`. With `k`, `d`, a `rest` and a `rate` it is a controller
/// with proportional and derivative gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// The index of the entry of the velocity.
    pub coordinate: usize,
    /// The index of the coordinate that changes at this rate; `None` where none does, and then
    /// `stiffness` is 0.
    pub position: Option<usize>,
    /// `k`, in N/m or N m/rad, >= 0.
    pub stiffness: f64,
    /// `d`, in N s/m or N m s/rad, >= 0.
    pub damping: f64,
    /// The coordinate at which the spring is at rest, in m or rad.
    pub rest: f64,
    /// The rate at which the damper is at rest, in m/s or rad/s.
    pub rate: f64,
    /// The torque or force `f`, in N m or N.
    pub force: f64,
}

impl Drive {
    /// How far the spring is from rest.
    fn stretch(&self, q: &DVector<f64>) -> f64 {
        self.position.map_or(0.0, |at| q[at] - self.rest)
    }
}

/// A force of constant size and direction at a point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// The index of the body.
    pub body: usize,
    /// The point, in the body's frame, m.
    pub point: Vector,
    /// The force, in the world, N.
    pub force: Vector,
}

/// Bodies, joints and walls.
#[derive(Clone, Debug)]
pub enum Model {
    /// In a plane.
    Planar(Planar),
    /// In space.
    Spatial(Spatial),
}

/// One expression for a model in a plane and for one in space.
macro_rules! each {
    ($of:expr, $model:ident => $value:expr) => {
        match $of {
            Model::Planar($model) => $value,
            Model::Spatial($model) => $value,
        }
    };
}

/// A mechanism with gravity, springs, dampers and forces.
///
/// ```text
/// L(q, v) = v' M(q) v / 2 - V(q),   V = -sum_b m_b g . c_b(q) + sum_i k_i (q_i - rest_i)^2 / 2
/// ```
///
/// In space `q` has more entries than `v`: see [`crate::model::spatial`].
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// Bodies, joints and walls.
    pub model: Model,
    /// The acceleration of free fall, m/s^2.
    pub gravity: Vector,
    /// Springs, dampers and torques.
    pub drives: Vec<Drive>,
    /// Forces at points of bodies.
    pub pushes: Vec<Push>,
}

impl Mechanism {
    /// Number n of entries of the velocity.
    pub fn size(&self) -> usize {
        each!(&self.model, model => model.coordinate_count())
    }

    /// The names of the entries of the velocity.
    pub fn names(&self) -> Vec<String> {
        each!(&self.model, model => model.coordinate_names())
    }

    /// The names of the entries of the configuration.
    pub fn position_names(&self) -> Vec<String> {
        each!(&self.model, model => model.position_names())
    }

    /// Units of the entries of the configuration; empty for entries of a quaternion.
    pub fn position_units(&self) -> Vec<String> {
        each!(&self.model, model => model.position_units())
    }

    /// The units of the entries of the velocity.
    pub fn units(&self) -> Vec<String> {
        each!(&self.model, model => model.units())
    }

    /// Number d of tangents of each contact.
    pub fn tangents(&self) -> usize {
        match &self.model {
            Model::Planar(_) => 1,
            Model::Spatial(_) => 2,
        }
    }

    /// Coordinates of the world point `point` in the frame of `body`; `world` is the inverse.
    pub(super) fn local(&self, q: &DVector<f64>, body: usize, point: Vector) -> Vector {
        each!(&self.model, model => raised(model.poses(q.as_slice())[body].local(flat(&point))))
    }

    pub(super) fn world(&self, q: &DVector<f64>, body: usize, place: Vector) -> Vector {
        each!(&self.model, model => raised(model.poses(q.as_slice())[body].point(flat(&place))))
    }

    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        each!(&self.model, model => model.bodies().len())
    }

    /// The name of a wall or body.
    pub fn surface_name(&self, surface: Surface) -> &str {
        each!(&self.model, model => model.surface_name(surface))
    }

    /// The index of the entry of the configuration whose rate is an entry of the velocity, if there
    /// is one.
    pub fn position_of(&self, coordinate: usize) -> Option<usize> {
        match &self.model {
            Model::Planar(_) => Some(coordinate),
            Model::Spatial(model) => model.position_of(coordinate),
        }
    }

    /// The first of the three entries of each angular velocity: one for each joint that turns
    /// freely.
    pub(super) fn turning(&self) -> Vec<usize> {
        match &self.model {
            Model::Planar(_) => Vec::new(),
            Model::Spatial(model) => model.turning(),
        }
    }

    /// The configuration after the time `t` at constant velocity `v`.
    pub fn moved(&self, q: &DVector<f64>, v: &DVector<f64>, t: f64) -> DVector<f64> {
        match &self.model {
            Model::Planar(_) => q + v * t,
            Model::Spatial(model) => DVector::from_vec(model.flowed(q.as_slice(), v.as_slice(), t)),
        }
    }

    /// The constant velocity (n) that leads from one configuration to another in 1 s.
    pub fn displacement(&self, from: &DVector<f64>, to: &DVector<f64>) -> DVector<f64> {
        match &self.model {
            Model::Planar(_) => to - from,
            Model::Spatial(model) => {
                DVector::from_vec(model.displacement(from.as_slice(), to.as_slice()))
            }
        }
    }

    /// The mass matrix `M(q)` (n,n).
    pub fn mass(&self, q: &DVector<f64>) -> DMatrix<f64> {
        each!(&self.model, model => model.mass_matrix(&model.poses(q.as_slice())))
    }

    /// The momentum `p = M(q) v` (n).
    pub fn momentum(&self, q: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        match &self.model {
            Model::Planar(_) => self.mass(q) * v,
            Model::Spatial(model) => model.momentum(&model.poses(q.as_slice()), v.as_slice()),
        }
    }

    /// The velocity that belongs to the momentum `p = M(q) v`.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn velocity(&self, q: &DVector<f64>, p: &DVector<f64>) -> Result<DVector<f64>> {
        Ok(self.factor(q)?.solve(p))
    }

    /// The Cholesky factor of the mass matrix.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn factor(&self, q: &DVector<f64>) -> Result<Cholesky<f64, Dyn>> {
        self.mass(q).cholesky().ok_or_else(|| {
            Error::input(
                "the mass matrix is not positive definite: some coordinates move without kinetic energy",
            )
            .at("bodies")
        })
    }

    /// The momentum `p = M(q) v` (n), and the change `dL/dq` (n) of the Lagrangian by a unit motion
    /// along each entry of the velocity, at configuration `q` and constant velocity `v`.
    pub fn derivatives(&self, q: &DVector<f64>, v: &DVector<f64>) -> [DVector<f64>; 2] {
        let [momentum, mut slope] = match &self.model {
            Model::Planar(model) => [self.mass(q) * v, model.slope(q, v, self.gravity.xy())],
            Model::Spatial(model) => {
                model.derivatives(&model.poses(q.as_slice()), v.as_slice(), self.gravity)
            }
        };
        for drive in &self.drives {
            slope[drive.coordinate] -= drive.stiffness * drive.stretch(q);
        }
        [momentum, slope]
    }

    /// The forces (n) that derive from no potential: dampers, torques and pushes.
    pub fn forces(&self, q: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        let mut forces = DVector::zeros(self.size());
        for drive in &self.drives {
            let i = drive.coordinate;
            forces[i] += drive.force - drive.damping * (v[i] - drive.rate);
        }
        if self.pushes.is_empty() {
            return forces;
        }
        each!(&self.model, model => {
            let poses = model.poses(q.as_slice());
            for Push { body, point, force } in &self.pushes {
                for column in model.columns(&poses, *body, poses[*body].point(flat(point))) {
                    forces[column.coordinate] += along(&column.velocity, force);
                }
            }
        });
        forces
    }

    /// Diagonal matrix `h k / 4 + d / 2` (n,n) of springs and dampers, which a midpoint step of `h`
    /// s adds to `M / h`.
    pub(super) fn stiffening(&self, h: f64) -> DMatrix<f64> {
        let mut diagonal = DVector::zeros(self.size());
        for drive in &self.drives {
            diagonal[drive.coordinate] += 0.25 * h * drive.stiffness + 0.5 * drive.damping;
        }
        DMatrix::from_diagonal(&diagonal)
    }

    /// The rate `dp/dt` (n) of the momentum without contacts: `dL/dq + f`, and `w x p` where a
    /// joint turns freely.
    pub fn push(&self, q: &DVector<f64>, v: &DVector<f64>, p: &DVector<f64>) -> DVector<f64> {
        let [_, slope] = self.derivatives(q, v);
        let mut push = slope + self.forces(q, v);
        for at in self.turning() {
            let turned = three(v, at).cross(&three(p, at));
            (0..3).for_each(|axis| push[at + axis] += turned[axis]);
        }
        push
    }

    /// Bias forces `c(q, v)` (n) of `M dv/dt + c = f`: gyroscopic, centrifugal, gravity and spring
    /// forces.
    pub fn bias(&self, q: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        let mut bias = match &self.model {
            Model::Planar(model) => model.bias(q, v, self.gravity.xy()),
            Model::Spatial(model) => {
                model.bias(&model.poses(q.as_slice()), v.as_slice(), self.gravity)
            }
        };
        for drive in &self.drives {
            bias[drive.coordinate] += drive.stiffness * drive.stretch(q);
        }
        bias
    }

    /// Rate of a displacement `x` from a configuration at the velocity `v`. For a freely turning
    /// joint this is the rate of the rotation vector, `w - x cross w / 2 + x cross (x cross w) /
    /// 12` up to terms of third order.
    pub fn unturned(&self, x: &DVector<f64>, mut v: DVector<f64>) -> DVector<f64> {
        for at in self.turning() {
            let (turn, spin) = (three(x, at), three(&v, at));
            let across = turn.cross(&spin);
            let rate = spin - across * 0.5 + turn.cross(&across) / 12.0;
            v.fixed_rows_mut::<3>(at).copy_from(&rate);
        }
        v
    }

    /// Potential energy `V`, J.
    pub fn potential(&self, q: &DVector<f64>) -> f64 {
        let of_gravity: f64 = each!(&self.model, model => {
            let placed = model.bodies().iter().zip(model.poses(q.as_slice()));
            let centres = placed.map(|(body, pose)| (body.mass, pose.point(body.center_of_mass)));
            centres.map(|(mass, centre)| -mass * along(&centre, &self.gravity)).sum()
        });
        let of_springs: f64 = (self.drives.iter())
            .map(|drive| 0.5 * drive.stiffness * drive.stretch(q).powi(2))
            .sum();
        of_gravity + of_springs
    }

    /// The contacts within a `tolerance` (m), however deep shapes overlap.
    pub fn touching(&self, q: &DVector<f64>, tolerance: f64) -> Vec<Contact> {
        self.touching_sites(q, tolerance).into_iter().map(|(_, contact)| contact).collect()
    }

    /// The contacts within a `tolerance` (m), each with its site.
    pub fn touching_sites(&self, q: &DVector<f64>, tolerance: f64) -> Vec<(Site, Contact)> {
        each!(&self.model, model => {
            let found = model.touching(&model.poses(q.as_slice()), tolerance);
            found.into_iter().map(|(site, contact)| (site, in_space(&contact))).collect()
        })
    }

    /// The gaps of all corners from walls and of all pairs of shapes, in m. Pairs that are farther
    /// apart than `within` may be left out.
    pub fn gaps(&self, q: &DVector<f64>, within: f64) -> Vec<(Site, f64)> {
        each!(&self.model, model => model.gaps(&model.poses(q.as_slice()), within))
    }

    /// Potential touches of the `wanted` pairs, at any distance, each with its site and its number
    /// there. Pairs farther apart than `within` may be left out.
    pub fn places(
        &self,
        q: &DVector<f64>,
        wanted: impl Fn(Surface, usize) -> bool,
        within: f64,
    ) -> Vec<((Site, usize), Contact)> {
        each!(&self.model, model => {
            let places = model.places(&model.poses(q.as_slice()), wanted, within);
            places.into_iter().map(|(place, contact)| (place, in_space(&contact))).collect()
        })
    }

    /// The rate of each contact's gap by a unit of each entry of the velocity (m,n).
    pub fn normal_rows(&self, q: &DVector<f64>, contacts: &[Contact]) -> DMatrix<f64> {
        each!(&self.model, model => {
            model.normal_rows(&model.poses(q.as_slice()), &lowered(contacts))
        })
    }

    /// `J` ((1+d) m,n) of m contacts, the normals first, then the tangents of each contact.
    pub fn rows(&self, q: &DVector<f64>, contacts: &[Contact]) -> DMatrix<f64> {
        let [normal, tangent] = match &self.model {
            Model::Planar(model) => {
                let (poses, contacts) = (model.poses(q.as_slice()), lowered(contacts));
                let tangent = model.tangent_rows(&poses, &contacts, TangentRule::Perpendicular);
                [model.normal_rows(&poses, &contacts), tangent]
            }
            Model::Spatial(model) => {
                let poses = model.poses(q.as_slice());
                [model.normal_rows(&poses, contacts), model.tangent_rows(&poses, contacts)]
            }
        };
        let m = contacts.len();
        let mut rows = normal.insert_rows(m, tangent.nrows(), 0.0);
        rows.rows_mut(m, tangent.nrows()).copy_from(&tangent);
        rows
    }

    /// The contact problem of a state, with friction (m) at its contacts.
    pub fn impact(
        &self,
        q: &DVector<f64>,
        v: &DVector<f64>,
        contacts: &[Contact],
        friction: Vec<f64>,
    ) -> ProblemSpec {
        let motion = Motion { position: q.as_slice().to_vec(), velocity: v.as_slice().to_vec() };
        match &self.model {
            Model::Planar(model) => {
                model.impact(&motion, &lowered(contacts), friction, TangentRule::Perpendicular)
            }
            Model::Spatial(model) => model.impact(&motion, contacts, friction),
        }
    }

    /// The names of contacts.
    pub fn contact_names(&self, contacts: &[Contact]) -> Vec<String> {
        each!(&self.model, model => model.contact_names(&lowered(contacts)))
    }

    /// The pairs of bodies that may touch.
    pub fn body_pairs(&self) -> Vec<[usize; 2]> {
        each!(&self.model, model => model.body_pairs().collect())
    }

    /// Gap and minimum width of the Minkowski sum of each pair of shapes of two bodies, in m. Pairs
    /// farther apart than `within` may be left out.
    pub fn spaces(&self, q: &DVector<f64>, pair: [usize; 2], within: f64) -> Vec<[f64; 2]> {
        each!(&self.model, model => model.spaces(&model.poses(q.as_slice()), pair, within))
    }

    /// Maximum relative speed of points of two bodies at velocity `v`, for each of some pairs, in
    /// m/s.
    pub fn speeds(&self, pairs: &[[usize; 2]], q: &DVector<f64>, v: &DVector<f64>) -> Vec<f64> {
        let rates = self.rates(q, v);
        let reach: Vec<f64> =
            each!(&self.model, model => model.bodies().iter().map(|body| body.reach()).collect());
        let turning = |body: usize| rates[body].1 * reach[body];
        let speed =
            |[a, b]: &[usize; 2]| (rates[*a].0 - rates[*b].0).norm() + turning(*a) + turning(*b);
        pairs.iter().map(speed).collect()
    }

    /// The body that turns fastest at velocity `v`, and how fast it does, in rad/s.
    pub fn fastest_spin(&self, q: &DVector<f64>, v: &DVector<f64>) -> (usize, f64) {
        let spins = self.rates(q, v).into_iter().map(|(_, spin)| spin).enumerate();
        spins.fold((0, 0.0), |most, one| if one.1 > most.1 { one } else { most })
    }

    /// The velocity of each body's origin, and how fast the body turns, in rad/s.
    fn rates(&self, q: &DVector<f64>, v: &DVector<f64>) -> Vec<(Vector, f64)> {
        match &self.model {
            Model::Planar(model) => {
                let rates = model.rates(&model.poses(q.as_slice()), q, v).into_iter();
                rates.map(|rate| (raised(rate.origin), rate.angle.abs())).collect()
            }
            Model::Spatial(model) => {
                let rates = model.rates(&model.poses(q.as_slice()), v.as_slice()).into_iter();
                rates.map(|rate| (rate.origin, rate.spin.norm())).collect()
            }
        }
    }

    /// The largest distance of a point of a shape, or of a joint on a body, from the body's origin,
    /// in m.
    pub fn reach(&self) -> f64 {
        each!(&self.model, model => model.reach())
    }
}

/// A vector in space; in a plane z = 0.
fn raised<const D: usize>(x: SVector<f64, D>) -> Vector {
    Vector::from_fn(|i, _| if i < D { x[i] } else { 0.0 })
}

/// The first D entries of a vector.
fn flat<const D: usize>(x: &Vector) -> SVector<f64, D> {
    SVector::from_fn(|i, _| x[i])
}

/// The scalar product of a vector and the first D entries of another one.
fn along<const D: usize>(x: &SVector<f64, D>, axis: &Vector) -> f64 {
    x.dot(&flat(axis))
}

/// A contact in space.
fn in_space<const D: usize>(contact: &touch::Contact<D>) -> Contact {
    let touch::Contact { first, second, touch: touch::Touch { point, normal, gap } } = *contact;
    Contact { first, second, touch: Touch { point: raised(point), normal: raised(normal), gap } }
}

/// Contacts in the plane z = 0, or in space.
fn lowered<const D: usize>(contacts: &[Contact]) -> Vec<touch::Contact<D>> {
    let lowered = |contact: &Contact| {
        let Contact { first, second, touch: Touch { point, normal, gap } } = contact;
        let touch = touch::Touch { point: flat(point), normal: flat(normal), gap: *gap };
        touch::Contact { first: *first, second: *second, touch }
    };
    contacts.iter().map(lowered).collect()
}

/// Three entries from `at` on.
pub(super) fn three(x: &DVector<f64>, at: usize) -> Vector {
    Vector::new(x[at], x[at + 1], x[at + 2])
}
