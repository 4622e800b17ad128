//! Model of the uncertainty of an impact, and its file.

use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use super::dress::Dress;
use crate::{Residual, student};
use carom_core::error::{Error, Result};
use carom_law::{Law, Routh};

/// What is uncertain in an impact, and how large its parts are: from it follows the
/// [`Forecast`](crate::Forecast) of an event, see [`Model::forecast`].
///
/// Numbers that are left out of a file are those of [`Model::default`], which changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    /// Version of the format of the file.
    pub schema_version: u32,
    /// Version of carom that wrote the file.
    pub version: String,
    /// The event file from which the numbers were identified; empty where there is none.
    pub source: String,
    /// Number of events from which they were identified.
    pub events: usize,
    /// The numbers of contacts of these events, ascending, each with how many events have it; empty
    /// where that is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<[usize; 2]>,
    /// Seed of the random numbers of the identification.
    pub seed: u64,
    /// Coefficients of friction: each contact of each sample draws its own, uniform in `[A, B]`.
    pub friction: [f64; 2],
    /// Coefficients of restitution in [0, 1], drawn in the same way.
    pub restitution: [f64; 2],
    /// Standard deviation of the velocity after the impact, along each coordinate of the kinetic
    /// metric, over `|v-|_M`; with [`Model::freedom`], the scale of this error.
    pub noise: f64,
    /// Degrees of freedom of Student's t, which the error after the impact follows; without it, the
    /// error is normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freedom: Option<u32>,
    /// Root mean square of the disturbance of the velocity before the impact, in the kinetic norm
    /// over `|v-|_M`, see [`Uncertainty::noise`](carom_core::problem::Uncertainty::noise).
    pub before: f64,
    /// The largest gap in m, beyond the smallest gap of the event, of a contact that takes part in
    /// the first impact; without it, all contacts take part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// The largest gap in m, beyond the smallest one, of a contact that closes late: beyond
    /// [`Model::gap`], where it approaches after the first impact, in a second impact of all these
    /// contacts. Contacts beyond it take no part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<f64>,
    /// Length in m by which the contact points of an edge lie inside, where a body strikes a flat
    /// surface at two points and more in one impact: towards the projection of the mass centre
    /// along the contact's tangent plane, and not beyond it. A corner that strikes alone keeps its
    /// point.
    pub inset: f64,
    /// Standard deviation in m of a displacement of each contact point along each of its tangents.
    #[serde(skip_serializing_if = "is_zero")]
    pub shift: f64,
    /// Standard deviation in rad of a rotation of the body about each axis, which changes arms and
    /// gaps.
    #[serde(skip_serializing_if = "is_zero")]
    pub attitude: f64,
    /// Whether a further contact lies halfway between the contacts of the first impact, where these
    /// are two: contact along an edge.
    #[serde(skip_serializing_if = "is_false")]
    pub middle: bool,
    /// Angles in rad by which normals lean towards the contact's first and second tangent; in the
    /// plane the first one alone.
    pub slope: [f64; 2],
    /// Factor of the rotational inertia.
    pub inertia: f64,
    /// Length of a block, over which rates last, in units of the impulse that stops one contact,
    /// `max_i(-u_i / W_ii)`; without it, the law's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<f64>,
    /// Share of the samples that the sampler `coverage` draws; the others are uniform. Without it,
    /// the law's own sampler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<f64>,
    /// The impact law, with its options.
    pub law: Law,
    /// A correction of the forecast by what training events showed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dress: Option<Dress>,
    /// What the mean of the forecast misses, and the spread about it, learned from training
    /// events: forecasts are then no outcomes of the law alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residual: Option<Residual>,
    /// The model of problems with one contact, if these have numbers of their own. Its law is that
    /// of the whole model.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "numbers")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub single: Option<Box<Model>>,
}

/// Keys of a model file that its table `single` does not have.
const OF_WHOLE: [&str; 7] =
    ["schema_version", "version", "source", "events", "contacts", "seed", "law"];

/// Serialises the keys of `single` only.
fn numbers<S: Serializer>(single: &Option<Box<Model>>, to: S) -> Result<S::Ok, S::Error> {
    let mut keys = serde_json::to_value(single).map_err(S::Error::custom)?;
    if let Value::Object(keys) = &mut keys {
        keys.retain(|key, _| !OF_WHOLE.contains(&key.as_str()));
    }
    keys.serialize(to)
}

/// Whether a key is omitted from the file.
fn is_false(middle: &bool) -> bool {
    !middle
}

fn is_zero(size: &f64) -> bool {
    *size == 0.0
}

impl Default for Model {
    fn default() -> Self {
        Model {
            schema_version: 1,
            version: env!("CARGO_PKG_VERSION").to_string(),
            source: String::new(),
            events: 0,
            contacts: Vec::new(),
            seed: 0,
            friction: [0.2, 0.2],
            restitution: [0.0, 0.0],
            noise: 0.0,
            freedom: None,
            before: 0.0,
            gap: None,
            late: None,
            inset: 0.0,
            shift: 0.0,
            attitude: 0.0,
            middle: false,
            slope: [0.0, 0.0],
            inertia: 1.0,
            block: None,
            coverage: None,
            law: Law::Routh(Routh::default()),
            dress: None,
            residual: None,
            single: None,
        }
    }
}

impl Model {
    /// Reads a model file.
    ///
    /// # Errors
    /// A file that cannot be read; wrong syntax, an unknown key, a number out of its range.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|why| Error::unreadable(path, &why))?;
        Model::read(&path.to_string_lossy(), &text)
    }

    /// Parses a model file, TOML or JSON; errors call it `name`.
    ///
    /// # Errors
    /// See [`Model::open`].
    pub fn read(name: &str, text: &str) -> Result<Self> {
        let mut model: Model = match text.trim_start().starts_with('{') {
            true => serde_json::from_str(text)
                .map_err(|error| Error::input(error.to_string()).in_text(name, "", 0..0))?,
            false => toml::from_str(text).map_err(|error| {
                Error::input(error.message()).in_text(name, text, error.span().unwrap_or(0..0))
            })?,
        };
        model.check().map_err(|error| error.in_text(name, text, 0..0))?;
        if let Some(single) = &mut model.single {
            single.law.clone_from(&model.law);
        }
        Ok(model)
    }

    /// Text of a model file.
    ///
    /// # Errors
    /// None for a model that [`Model::check`] accepts.
    pub fn text(&self) -> Result<String> {
        toml::to_string(self).map_err(|error| Error::input(error.to_string()))
    }

    /// Standard deviation of the error after the impact along each coordinate, in units of
    /// `|v-|_M`.
    pub fn deviation(&self) -> f64 {
        self.noise * student::variance(self.freedom).sqrt()
    }

    /// Checks the ranges of the numbers.
    ///
    /// # Errors
    /// The first number out of its range, with its key.
    pub fn check(&self) -> Result<()> {
        let range = |[low, high]: [f64; 2], most: f64| 0.0 <= low && low <= high && high <= most;
        let size = |x: f64| x.is_finite() && x >= 0.0;
        let above = |x: Option<f64>| x.is_none_or(|x| x.is_finite() && x > 0.0);
        let checks = [
            (self.schema_version == 1, "schema_version", "1"),
            (range(self.friction, 1e8), "friction", "a range [A, B] with 0 <= A <= B"),
            (range(self.restitution, 1.0), "restitution", "a range [A, B] with 0 <= A <= B <= 1"),
            (size(self.noise), "noise", "a finite number >= 0"),
            (
                self.freedom.is_none_or(|freedom| (3..=1000).contains(&freedom)),
                "freedom",
                "a whole number of 3 to 1000",
            ),
            (size(self.before), "before", "a finite number >= 0"),
            (self.gap.is_none_or(size), "gap", "a finite number >= 0"),
            (self.late.is_none_or(size), "late", "a finite number >= 0"),
            (size(self.inset), "inset", "a finite number >= 0"),
            (size(self.shift), "shift", "a finite number >= 0"),
            (size(self.attitude), "attitude", "a finite number >= 0"),
            (self.slope.iter().all(|a| a.abs() < 1.5), "slope", "angles in (-1.5, 1.5)"),
            (above(Some(self.inertia)), "inertia", "a finite number > 0"),
            (above(self.block), "block", "a finite number > 0"),
            (
                self.contacts.iter().all(|[contacts, events]| *contacts > 0 && *events > 0),
                "contacts",
                "pairs of a number of contacts and a number of events",
            ),
            (
                self.coverage.is_none_or(|share| (0.0..=1.0).contains(&share)),
                "coverage",
                "a number in [0, 1]",
            ),
        ];
        if let Some((_, key, expected)) = checks.into_iter().find(|(holds, ..)| !holds) {
            return Err(Error::input(format!("expected {expected}")).at(key));
        }
        self.dress.as_ref().map_or(Ok(()), Dress::check)?;
        match &self.single {
            Some(single) => self.check_single(single),
            None => Ok(()),
        }
    }

    /// Checks the parameters of problems with one contact; `single` may have no others.
    fn check_single(&self, single: &Model) -> Result<()> {
        let plain = Model::default();
        let header = |of: &Model| (of.source.clone(), of.events, of.contacts.clone(), of.seed);
        let of_whole = header(single) != header(&plain)
            || ![&plain.law, &self.law].contains(&&single.law)
            || single.single.is_some();
        if of_whole {
            let what = "the model of one contact has the law and the origin of the whole model";
            return Err(Error::input(what).at("single").hint("leave them out of `single`"));
        }
        single.check().map_err(|error| {
            let at = error.at.clone().unwrap_or_default();
            error.at(format!("single.{at}"))
        })
    }

    /// Model for a number of contacts: `single` for one contact, if it exists.
    pub(super) fn of_contacts(&self, contacts: usize) -> &Model {
        self.single.as_deref().filter(|_| contacts == 1).unwrap_or(self)
    }
}
