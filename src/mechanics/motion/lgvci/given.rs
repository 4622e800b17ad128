use nalgebra::{Matrix3, Vector3};

use super::algebra::{Mat3, Vec3};
use super::body::RigidBody;
use super::shape::{BodyShape, ShapePart, UniformInertia, of_shape};
use super::state::{BodyState, matrix, rows};
use crate::model::spatial::inertia_fault;
use carom_core::digits::{number_above, short};
use carom_core::error::{Error, Result};

/// Largest error of rotations and unit vectors, which are then made exact.
const INEXACT: f64 = 1e-9;

/// A rigid body over a plane, as a file specifies it. SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct LgvciSpec {
    /// The name of the motion.
    pub name: String,
    /// The mass in kg.
    pub mass: f64,
    /// The acceleration of free fall, in m/s^2.
    pub gravity: Vec3,
    /// The time step h, in s.
    pub time_step: f64,
    /// Inertia J about the mass centre, in the frame of the body, in kg m^2. `None`: the inertia of
    /// the shape at uniform density, whose centroid then becomes the origin of the body's frame.
    pub inertia: Option<Mat3>,
    /// The unit normal of the plane, towards the free side `normal . z + offset >= 0`.
    pub normal: Vec3,
    /// The offset of the plane, in m.
    pub offset: f64,
    /// The shape that can touch, in the frame of the body.
    pub shape: BodyShape,
    /// Initial state of the body; the position is the mass centre's.
    pub state: BodyState,
    /// Number of steps unless the caller sets it; `None`: [`Lgvci::STEPS`].
    pub steps: Option<u64>,
    /// Most collisions of a step; `None`: [`Lgvci::MAX_COLLISIONS`].
    pub max_collisions: Option<u32>,
}

/// A checked motion of a rigid body over a plane, frictionless and elastic.
///
/// State: position x, attitude R (body to world), momentum g, angular momentum P (body). Between
/// impacts the discrete flight [`RigidBody::flight`]; at an impact the jump [`RigidBody::jump`],
/// whose time is found to the last digit; [`step`](super::step) joins them. Both conserve the
/// energy but for rounding, and the whole is of second order in the time step. Source: \[TL24\]
/// Algorithm 5.2, in Hamiltonian form.
#[derive(Clone, Debug, PartialEq)]
pub struct Lgvci {
    name: String,
    body: RigidBody,
    time_step: f64,
    start: BodyState,
    steps: u64,
    max_collisions: u32,
    uniform: Option<UniformInertia>,
}

impl Lgvci {
    /// The integrator's name.
    pub const NAME: &'static str = "lgvci";
    /// Default number of steps.
    pub const STEPS: u64 = 1000;
    /// Default maximum number of collisions in a step.
    pub const MAX_COLLISIONS: u32 = 100;

    /// Checks the numbers, and finds centre and inertia where they are left out.
    ///
    /// # Errors
    /// A mass or a time step that is not a finite number > 0; numbers that are not finite; an
    /// inertia tensor that is not symmetric positive definite, or that no body has, or none for a
    /// union with the body of a function; a normal that
    /// is no unit vector, an attitude that is no rotation (by more than 1e-9); a body that is in
    /// the plane at first.
    pub fn new(spec: LgvciSpec) -> Result<Self> {
        let LgvciSpec { mass, time_step, .. } = spec;
        for (key, what, x) in
            [("mass", "the mass", mass), ("time_step", "the time step", time_step)]
        {
            if !(x.is_finite() && x > 0.0) {
                return Err(
                    Error::input(format!("{what} is a finite number > 0, found {x}")).at(key)
                );
            }
        }
        for (key, numbers) in [("gravity", &spec.gravity[..]), ("plane.offset", &[spec.offset])] {
            if let Some(x) = numbers.iter().find(|x| !x.is_finite()) {
                return Err(Error::input(format!("expected finite numbers, found {x}")).at(key));
            }
        }
        let normal = unit(spec.normal)?;
        let mut start = spec.state;
        if !start.is_finite() {
            return Err(Error::input("expected finite numbers").at("state"));
        }
        start.attitude = rotation(&start.attitude)?;
        let (inertia, shape, uniform) = match spec.inertia {
            Some(inertia) => (matrix(&inertia), spec.shape, None),
            None => {
                let function = |part: &ShapePart| matches!(part, ShapePart::Convex(_));
                if spec.shape.parts.len() > 1 && spec.shape.parts.iter().any(function) {
                    let what = "the inertia of a union with the body of a function is not computed";
                    return Err(Error::input(what).at("shapes").hint("give `inertia`"));
                }
                let uniform = of_shape(&spec.shape);
                let shape = spec.shape.moved((-uniform.center).into());
                (uniform.gyration * mass, shape, Some(uniform))
            }
        };
        let (inertia, inverse) = positive(&inertia)?;
        let body = RigidBody {
            mass,
            inertia: rows(&inertia),
            inverse: rows(&inverse),
            gravity: spec.gravity,
            normal,
            offset: spec.offset,
            shape,
        };
        let gap = body.gap(&start).value;
        if !(gap.is_finite() && gap >= 0.0) {
            let what = format!("the body is {} m deep in the plane at first", short(-gap));
            return Err(Error::input(what).at("state.position").hint(format!(
                "move it by at least {} m along the plane's normal; positions are those of the mass centre",
                number_above(-gap, gap.abs())
            )));
        }
        Ok(Lgvci {
            name: spec.name,
            body,
            time_step,
            start,
            steps: spec.steps.unwrap_or(Self::STEPS),
            max_collisions: spec.max_collisions.unwrap_or(Self::MAX_COLLISIONS),
            uniform,
        })
    }

    /// The name of the motion.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The body and the plane.
    pub fn body(&self) -> &RigidBody {
        &self.body
    }

    /// The time step h, in s.
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// The motion with another time step.
    ///
    /// # Errors
    /// A time step that is not a finite number > 0.
    pub fn with_time_step(&self, time_step: f64) -> Result<Self> {
        if !(time_step.is_finite() && time_step > 0.0) {
            let what = format!("a time step is a finite number > 0, found {time_step}");
            return Err(Error::usage(what));
        }
        Ok(Lgvci { time_step, ..self.clone() })
    }

    /// The state at the start.
    pub fn start(&self) -> &BodyState {
        &self.start
    }

    /// Number of steps unless the caller sets it.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Most collisions of a step.
    pub fn max_collisions(&self) -> u32 {
        self.max_collisions
    }

    /// Centre, in the frame of the file, and inertia at uniform density, if the file omits the
    /// inertia.
    pub fn uniform(&self) -> Option<&UniformInertia> {
        self.uniform.as_ref()
    }
}

/// A unit vector, made exact.
fn unit(normal: Vec3) -> Result<Vec3> {
    let vector = Vector3::from(normal);
    let length = vector.norm();
    if (length - 1.0).abs() <= INEXACT {
        return Ok((vector / length).into());
    }
    let error =
        Error::input(format!("the normal is a unit vector, found one of length {length:e}"));
    let error = error.at("plane.normal");
    if !(length.is_finite() && length > 0.0) {
        return Err(error);
    }
    let [x, y, z]: Vec3 = (vector / length).into();
    Err(error.hint(format!("normal = [{x:?}, {y:?}, {z:?}], and the offset in m")))
}

/// A rotation, made exact.
fn rotation(attitude: &Mat3) -> Result<Mat3> {
    let mut r = matrix(attitude);
    let fault = (r.transpose() * r - Matrix3::identity()).amax();
    if !(fault <= INEXACT && r.determinant() > 0.0) {
        let what = match fault <= INEXACT {
            true => "the attitude mirrors the body: its determinant is -1".to_string(),
            false => {
                format!(
                    "the attitude is no rotation: R' R differs from the unit matrix by {fault:e}"
                )
            }
        };
        return Err(Error::input(what).at("state.attitude").hint(
            "its columns are the axes of the body in the world: unit vectors, perpendicular, right-handed",
        ));
    }
    for _ in 0..3 {
        r = r * (Matrix3::identity() * 3.0 - r.transpose() * r) * 0.5;
    }
    Ok(rows(&r))
}

/// An inertia tensor, made exactly symmetric, and its inverse.
fn positive(inertia: &Matrix3<f64>) -> Result<(Matrix3<f64>, Matrix3<f64>)> {
    let refuse = |what: String| Err(Error::input(what).at("inertia"));
    if let Some(what) = inertia_fault(inertia) {
        return refuse(what);
    }
    let inertia = (inertia + inertia.transpose()) * 0.5;
    let size = inertia.amax();
    let least = inertia.symmetric_eigenvalues().min();
    if !(size > 0.0 && least > 1e-12 * size) {
        return refuse(format!("the moments of inertia are > 0, found {least:e}"));
    }
    match inertia.cholesky() {
        Some(factor) => Ok((inertia, factor.inverse())),
        None => refuse("an inertia tensor is positive definite".to_string()),
    }
}
