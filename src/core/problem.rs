//! The contact problem: a system about to undergo an impact, at a fixed configuration, and its
//! velocity.
//!
//! With mass matrix `M`, normal Jacobian `Jn` (positive = separating), tangent Jacobian `Jt` and
//! velocity before the impact `v`, impact laws work in *contact space*: contact velocity `u = J v`
//! with `J = [Jn; Jt]`, Delassus matrix `W = J M^-1 J'`, impulse `L`, and `u+ = u + W L`,
//! `v+ = v + M^-1 J' L`.

mod arrays;
mod bilateral;
mod checks;
mod entries;
mod frames;
mod free_body;
mod inertia;
mod mass;
mod points;
mod pose;
mod uncertainty;

use nalgebra::{DMatrix, DVector};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Error, Real, Result};
pub use arrays::{Array, ProblemArrays, StateArrays};
pub use entries::check_distinct;
use entries::{MAX_FRICTION, check_finite, check_length, matrix, names};
pub use free_body::is_free_body;
pub use inertia::MassPart;
pub use points::{ContactPoint, Place, Points};
pub use pose::{Posed, Poses};
pub use uncertainty::Uncertainty;

/// The numbers of a contact problem as a problem file holds them, not yet checked.
///
/// SI units. `mass` has n rows of n numbers, `normal` m rows of n, `tangent` m rows (planar), 2 m
/// rows (spatial, the two of one contact together) or none (frictionless), `friction` and
/// `restitution` m numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schema::without_null)]
pub struct ProblemSpec {
    /// The name of the problem.
    #[serde(default)]
    pub name: String,
    /// Mass matrix `M` (n,n), symmetric positive definite.
    #[schemars(length(min = 1))]
    pub mass: Vec<Vec<f64>>,
    /// Normal Jacobian `Jn` (m,n); a positive normal velocity separates.
    #[schemars(length(min = 1))]
    pub normal: Vec<Vec<f64>>,
    /// Tangent Jacobian `Jt` (d m, n).
    #[serde(default)]
    pub tangent: Vec<Vec<f64>>,
    /// Coefficients of friction (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "frictions")]
    pub friction: Option<Vec<f64>>,
    /// Coefficients of restitution (m), in [0, 1]; without them, the default of each law applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "restitutions")]
    pub restitution: Option<Vec<f64>>,
    /// Bilateral constraints `Jb` (k, n): `Jb v = 0` before, during and after the impact. A
    /// velocity that breaks them is repaired first, by the least impulse at them. They need not
    /// be independent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bilateral: Vec<Vec<f64>>,
    /// Generalised velocity `v` (n) before the impact.
    #[schemars(length(min = 1))]
    pub velocity: Vec<f64>,
    /// Names of the n coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("uniqueItems" = true))]
    pub coordinates: Option<Vec<String>>,
    /// Units of the entries of the velocity (n), such as `m/s` or `rad/s`, for the axes of
    /// pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<Vec<String>>,
    /// Names of the m contacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("uniqueItems" = true))]
    pub contacts: Option<Vec<String>>,
    /// Impulse step `h` in N s that the problem suggests to sampling laws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub step: Option<f64>,
    /// Step limit that the problem suggests to sampling laws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
    /// The uncertain numbers of the problem.
    #[serde(default, skip_serializing_if = "Uncertainty::is_none")]
    pub uncertainty: Uncertainty,
    /// The parts that add up to the mass matrix. Uncertain inertia scales each part by a factor of
    /// its own; nothing else uses them. For the default see [`ContactProblem::mass_parts`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mass_parts: Vec<MassPart>,
    /// Gaps of the contacts (m) in m, negative where shapes overlap. An uncertain pose uses them,
    /// and nothing else does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Vec<f64>>,
    /// Where the contacts are. An uncertain pose uses them, and nothing else does; for the default
    /// see [`Points::of`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Points>,
}

/// The schema of coefficients: one for all contacts, as in files, or one each.
fn one_or_each(most: f64) -> Schema {
    let one = json!({ "type": "number", "minimum": 0, "maximum": most });
    json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
}

fn frictions(_: &mut SchemaGenerator) -> Schema {
    one_or_each(MAX_FRICTION)
}

fn restitutions(_: &mut SchemaGenerator) -> Schema {
    one_or_each(1.0)
}

/// A checked contact problem, with its Delassus matrix.
#[derive(Clone, Debug)]
pub struct ContactProblem {
    spec: ProblemSpec,
    mass: DMatrix<f64>,
    jacobian: DMatrix<f64>,
    response: DMatrix<f64>,
    delassus: DMatrix<f64>,
    velocity: DVector<f64>,
    contact_velocity: DVector<f64>,
    friction: Vec<f64>,
    coordinates: Vec<String>,
    contacts: Vec<String>,
    tangents: usize,
    mass_parts: Vec<MassPart>,
    bilateral_impulse: Vec<f64>,
    repeats: Vec<Option<usize>>,
    warnings: Vec<String>,
}

/// Whether `known` is the last part of a name.
fn ends_in(known: &str, name: &str) -> bool {
    known.rsplit_once('.').is_some_and(|(_, last)| last == name)
}

/// The coordinate with a name, or with a unique last part of a name, such as `theta` of
/// `block.theta`.
pub fn coordinate_named(coordinates: &[String], name: &str) -> Option<usize> {
    let mut with_last = (0..coordinates.len()).filter(|at| ends_in(&coordinates[*at], name));
    let whole = coordinates.iter().position(|known| known == name);
    whole.or_else(|| with_last.next().filter(|_| with_last.next().is_none()))
}

/// The reason why [`coordinate_named`] finds none: no coordinate has the name, or several end in
/// it.
pub fn no_coordinate(coordinates: &[String], name: &str) -> String {
    let meant = coordinates.iter().filter(|known| ends_in(known, name));
    let meant: Vec<String> = meant.map(|known| format!("`{known}`")).collect();
    match meant.is_empty() {
        true => format!("no coordinate is called `{name}`"),
        false => format!("`{name}` may be any of {}", meant.join(", ")),
    }
}

impl TryFrom<ProblemSpec> for ContactProblem {
    type Error = Error;

    fn try_from(spec: ProblemSpec) -> Result<Self> {
        ContactProblem::new(spec)
    }
}

impl ContactProblem {
    /// Checks the numbers and computes the Delassus matrix.
    ///
    /// # Errors
    /// One [`Error`] that names the first thing wrong and its place: a row of the wrong length, a
    /// number that is not finite, a mass matrix that is not symmetric or not positive definite
    /// (with the coordinates), a coefficient of friction outside [0, 1e8], a coefficient of
    /// restitution outside [0, 1], a name that two contacts or two coordinates have, a normal row
    /// that is zero, no contact at all; with uncertain inertia parts that are not positive
    /// semidefinite or do not add up to the mass matrix.
    pub fn new(spec: ProblemSpec) -> Result<Self> {
        let mut problem = Self::quiet(spec)?;
        problem.warnings = problem.suspicions();
        Ok(problem)
    }

    /// [`ContactProblem::new`] without warnings.
    fn quiet(spec: ProblemSpec) -> Result<Self> {
        let n = spec.velocity.len();
        if n == 0 {
            let what = "the velocity is empty; a problem needs at least one coordinate";
            return Err(Error::input(what).at("velocity"));
        }
        check_finite(&spec.velocity, "velocity")?;
        let mass = matrix(&spec.mass, n, n, "mass")?;
        let coordinates =
            names(&spec.coordinates, n, "q", "coordinates", "entries of the velocity")?;
        if let Some(units) = &spec.units {
            check_length(units.len(), n, "units", "entries of the velocity")?;
        }
        let cholesky = mass::factors(&mass, &coordinates)?;

        let m = spec.normal.len();
        if m == 0 {
            let what = "there is no contact; an impact needs at least one row";
            return Err(Error::input(what).at("normal"));
        }
        let normal = matrix(&spec.normal, m, n, "normal")?;
        let rows = spec.tangent.len();
        if !rows.is_multiple_of(m) || rows / m > 2 {
            return Err(Error::input(format!(
                "{rows} rows for {m} contacts; expected {m} (planar), {} (spatial) or none (frictionless)",
                2 * m
            ))
            .at("tangent"));
        }
        let tangent = matrix(&spec.tangent, rows, n, "tangent")?;

        let friction = match &spec.friction {
            Some(friction) => friction.clone(),
            None if rows == 0 => vec![0.0; m],
            None => {
                return Err(Error::input("tangent rows without coefficients of friction")
                    .at("friction")
                    .hint(format!("add `friction` with {m} numbers, one per contact")));
            }
        };
        check_length(friction.len(), m, "friction", "contacts")?;
        check_finite(&friction, "friction")?;
        if let Some(i) = friction.iter().position(|&mu| mu < 0.0) {
            let what = format!("a coefficient of friction is >= 0, found {}", friction[i]);
            return Err(Error::input(what).at(format!("friction[{i}]")));
        }
        if let Some(i) = friction.iter().position(|&mu| mu > MAX_FRICTION) {
            return Err(Error::input(format!(
                "a coefficient of friction is at most {MAX_FRICTION:e}, found {:e}",
                friction[i]
            ))
            .at(format!("friction[{i}]"))
            .hint(
                "with 1e5 a contact holds like with more; above 1e8 rounding makes friction out of no load",
            ));
        }
        if let Some(i) = friction.iter().position(|&mu| mu > 0.0 && rows == 0) {
            let what = format!("friction {} at a contact without a tangent row", friction[i]);
            return Err(Error::input(what)
                .at(format!("friction[{i}]"))
                .hint("add `tangent` rows, or leave `friction` out for a frictionless problem"));
        }
        let mass_parts = coefficients(&spec, &mass, m, rows == 0)?;
        let contacts = names(&spec.contacts, m, "c", "contacts", "rows of `normal`")?;
        if let Some(h) = spec.step
            && !(h.is_finite() && h > 0.0)
        {
            let what = format!("an impulse step is a finite number > 0, found {h}");
            return Err(Error::input(what).at("step"));
        }
        if spec.max_steps == Some(0) {
            return Err(Error::input("a step limit is at least 1, found 0").at("max_steps"));
        }

        let mut jacobian = DMatrix::zeros(m + rows, n);
        jacobian.rows_mut(0, m).copy_from(&normal);
        jacobian.rows_mut(m, rows).copy_from(&tangent);
        if !spec.bilateral.is_empty() {
            let rows = matrix(&spec.bilateral, spec.bilateral.len(), n, "bilateral")?;
            bilateral::certain(&spec.bilateral, &spec.uncertainty)?;
            jacobian = bilateral::kept(&cholesky, &rows, &jacobian)
                .ok_or_else(|| Error::input("the constraints overflow").at("bilateral"))?;
        }
        let response = cholesky.solve(&jacobian.transpose());
        let half = &jacobian * &response;
        let delassus = (&half + half.transpose()) * 0.5;
        let velocity = DVector::from_column_slice(&spec.velocity);
        let contact_velocity = &jacobian * &velocity;
        let kinetic_energy = 0.5 * velocity.dot(&(&mass * &velocity));
        if !(delassus.iter().chain(contact_velocity.iter()).all(|x| x.is_finite())
            && kinetic_energy.is_finite())
        {
            return Err(Error::input(
                "the contact velocities, the Delassus matrix J M^-1 J' or the kinetic energy overflow",
            )
            .hint("choose units in which masses, lengths and velocities are of ordinary size"));
        }
        let mut problem = ContactProblem {
            spec,
            mass,
            jacobian,
            response,
            delassus,
            velocity,
            contact_velocity,
            friction,
            coordinates,
            contacts,
            tangents: rows / m,
            mass_parts,
            bilateral_impulse: Vec::new(),
            repeats: Vec::new(),
            warnings: Vec::new(),
        };
        problem.repair()?;
        problem.check_normals()?;
        problem.check_pose()?;
        problem.repeats = problem.repetitions();
        Ok(problem)
    }

    /// The problem with other coefficients of restitution (m) and other uncertain numbers. Mass
    /// matrix and Jacobians are copied unchanged.
    ///
    /// # Errors
    /// The errors of [`ContactProblem::new`] on these numbers.
    pub fn with_numbers(
        mut self,
        restitution: Option<Vec<f64>>,
        uncertainty: Uncertainty,
    ) -> Result<Self> {
        bilateral::certain(&self.spec.bilateral, &uncertainty)?;
        (self.spec.restitution, self.spec.uncertainty) = (restitution, uncertainty);
        self.mass_parts =
            coefficients(&self.spec, &self.mass, self.friction.len(), self.tangents == 0)?;
        self.check_pose()?;
        self.repeats = self.repetitions();
        self.warnings = self.suspicions();
        Ok(self)
    }

    /// The input numbers of the problem.
    pub fn spec(&self) -> &ProblemSpec {
        &self.spec
    }
    /// The name of the problem; may be empty.
    pub fn name(&self) -> &str {
        &self.spec.name
    }
    /// Number n of coordinates.
    pub fn coordinate_count(&self) -> usize {
        self.velocity.len()
    }
    /// Number m of contacts.
    pub fn contact_count(&self) -> usize {
        self.friction.len()
    }
    /// Tangent directions per contact: 0 frictionless, 1 planar, 2 spatial.
    pub fn tangents_per_contact(&self) -> usize {
        self.tangents
    }
    /// Mass matrix `M` (n,n).
    pub fn mass(&self) -> &DMatrix<f64> {
        &self.mass
    }
    /// Contact Jacobian `J = [Jn; Jt]`, ((1+d) m, n); with bilateral constraints the projected
    /// Jacobian `J P`.
    pub fn jacobian(&self) -> &DMatrix<f64> {
        &self.jacobian
    }
    /// `M^-1 J'` (n, (1+d) m): the change of velocity per unit impulse.
    pub fn response(&self) -> &DMatrix<f64> {
        &self.response
    }
    /// Delassus matrix `W = J M^-1 J'`, symmetric positive semidefinite.
    pub fn delassus(&self) -> &DMatrix<f64> {
        &self.delassus
    }
    /// Velocity `v` (n) before the impact.
    pub fn velocity(&self) -> &DVector<f64> {
        &self.velocity
    }
    /// Contact velocity `u = J v`, normals first, before the impact.
    pub fn contact_velocity(&self) -> &DVector<f64> {
        &self.contact_velocity
    }
    /// Coefficients of friction (m).
    pub fn friction(&self) -> &[f64] {
        &self.friction
    }
    /// Coefficients of restitution (m), if stated.
    pub fn restitution(&self) -> Option<&[f64]> {
        self.spec.restitution.as_deref()
    }
    /// Whether any contact has a coefficient of restitution above 0, fixed or drawn.
    pub fn bounces(&self) -> bool {
        match self.uncertainty() {
            drawn if drawn.restitution.is_empty() => {
                self.restitution().is_some_and(|given| given.iter().any(|e| *e > 0.0))
            }
            drawn => drawn.bounces(),
        }
    }
    /// The uncertain numbers of the problem.
    pub fn uncertainty(&self) -> &Uncertainty {
        &self.spec.uncertainty
    }
    /// The parts of the mass matrix that uncertain inertia scales; empty where the inertia is
    /// certain. The [`ProblemSpec`] gives the parts. By default, coordinates that the mass matrix
    /// couples, directly or through others, form a part, and so do uncoupled coordinates of equal
    /// inertia, such as the displacements of one body.
    pub fn mass_parts(&self) -> &[MassPart] {
        &self.mass_parts
    }
    /// Names of the coordinates (n).
    pub fn coordinates(&self) -> &[String] {
        &self.coordinates
    }
    /// The coordinate with a name given by a user, see [`coordinate_named`].
    pub fn coordinate(&self, name: &str) -> Option<usize> {
        coordinate_named(&self.coordinates, name)
    }
    /// The unit of an entry of the velocity, if known.
    pub fn unit(&self, coordinate: usize) -> Option<&str> {
        self.spec.units.as_ref()?.get(coordinate).map(String::as_str)
    }
    /// Names of the contacts (m).
    pub fn contacts(&self) -> &[String] {
        &self.contacts
    }
    /// The first contact that contact i duplicates: with equal rows, coefficients and ranges.
    pub fn repeats(&self, i: usize) -> Option<usize> {
        self.repeats[i]
    }
    /// Warnings about possible but unlikely input: duplicate contacts, friction without effect,
    /// tangents in another order or of another length.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
    /// The problem with a further warning from its source.
    pub fn warned(mut self, warning: Option<String>) -> Self {
        self.warnings.extend(warning);
        self
    }
    /// Kinetic energy `v' M v / 2` in J of a velocity `v` (n).
    pub fn kinetic_energy(&self, v: &[f64]) -> f64 {
        let mut energy = 0.0;
        for (column, vj) in self.mass.column_iter().zip(v) {
            let momentum: f64 = column.iter().zip(v).map(|(mij, vi)| mij * vi).sum();
            energy += momentum * vj;
        }
        0.5 * energy
    }

    /// Sets another velocity (n) before the impact. Does not allocate, unless it violates bilateral
    /// constraints and is projected.
    ///
    /// # Errors
    /// Not n numbers, one that is not finite, contact velocities or a kinetic energy that overflow.
    pub fn set_velocity(&mut self, velocity: &[f64]) -> Result<()> {
        check_length(velocity.len(), self.coordinate_count(), "velocity", "coordinates")?;
        check_finite(velocity, "velocity")?;
        self.velocity.copy_from_slice(velocity);
        self.spec.velocity.copy_from_slice(velocity);
        self.contact_velocity.gemv(1.0, &self.jacobian, &self.velocity, 0.0);
        let finite = self.contact_velocity.iter().all(|x| x.is_finite());
        if !(finite && self.kinetic_energy(velocity).is_finite()) {
            return Err(Error::input("the contact velocities or the kinetic energy overflow")
                .at("velocity"));
        }
        self.repair()?;
        if !self.spec.bilateral.is_empty() {
            self.warnings = self.suspicions();
        }
        Ok(())
    }

    /// Projects a velocity that violates bilateral constraints onto them by a constraint impulse.
    /// The contact Jacobian already excludes the effect of constraints on contacts.
    fn repair(&mut self) -> Result<()> {
        self.bilateral_impulse.clear();
        if bilateral::holds(&self.spec.bilateral, &self.spec.velocity) {
            return Ok(());
        }
        let (k, n) = (self.spec.bilateral.len(), self.velocity.len());
        let rows = matrix(&self.spec.bilateral, k, n, "bilateral")?;
        let factors = mass::factors(&self.mass, &self.coordinates)?;
        let (velocity, impulse) = bilateral::repaired(&factors, &rows, &self.velocity)
            .filter(|(v, l)| v.iter().chain(l).all(|x| x.is_finite()))
            .ok_or_else(|| Error::input("the constraints overflow").at("bilateral"))?;
        self.velocity = velocity;
        self.contact_velocity = &self.jacobian * &self.velocity;
        self.bilateral_impulse = impulse.as_slice().to_vec();
        Ok(())
    }

    /// The impulses at the bilateral constraints (k), in their units, that projected
    /// [`ContactProblem::velocity`]; empty if it satisfied the constraints.
    pub fn bilateral_impulse(&self) -> &[f64] {
        &self.bilateral_impulse
    }

    /// The normal velocity in m/s down to which a contact counts as at rest:
    /// [`Real::TERMINATION`] `max|v|`, but no less than [`Real::FLOOR`] `max|u|` and no more than
    /// [`Real::TERMINATION`] `max|u|`.
    ///
    /// The entries of `v` have different units; in rad/s and mm an entry may be far above or far
    /// below all contact velocities. The bounds keep the meaning of "at rest" from depending on the
    /// choice of units.
    pub fn rest_velocity<R: Real>(&self) -> f64 {
        let (v, u) = (self.velocity.amax(), self.contact_velocity.amax());
        (R::TERMINATION * v).min(R::TERMINATION * u).max(R::FLOOR * u)
    }

    /// Whether a contact approaches; if none does, the impact changes no velocity.
    pub fn approaches(&self) -> bool {
        let rest = self.rest_velocity::<f64>();
        self.contact_velocity.rows(0, self.contact_count()).iter().any(|&u| u < -rest)
    }

    /// The default impulse step: `max_i(-u_i / W_ii)` over the approaching contacts, the largest
    /// impulse with which a single contact would stop its own approach. `None` if no contact
    /// approaches.
    pub fn natural_step(&self) -> Option<f64> {
        (0..self.contact_count())
            .filter(|&i| self.contact_velocity[i] < 0.0)
            .map(|i| -self.contact_velocity[i] / self.delassus[(i, i)])
            .filter(|&h| h.is_finite() && h > 0.0)
            .reduce(f64::max)
    }
}

/// Checks restitution and uncertain parameters; with uncertain inertia, returns the parts of the
/// mass matrix.
fn coefficients(
    spec: &ProblemSpec,
    mass: &DMatrix<f64>,
    m: usize,
    frictionless: bool,
) -> Result<Vec<MassPart>> {
    if let Some(restitution) = &spec.restitution {
        check_length(restitution.len(), m, "restitution", "contacts")?;
        if let Some(i) = restitution.iter().position(|e| !(0.0..=1.0).contains(e)) {
            let what =
                format!("a coefficient of restitution lies in [0, 1], found {}", restitution[i]);
            return Err(Error::input(what).at(format!("restitution[{i}]")));
        }
    }
    let known = spec.uncertainty.inertia.is_empty();
    let mass_parts = if known { Vec::new() } else { inertia::parts(&spec.mass_parts, mass)? };
    spec.uncertainty.check(m, frictionless, mass_parts.len())?;
    Ok(mass_parts)
}
