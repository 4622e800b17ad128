//! The part that planar and spatial scenes have in common: names, tolerance, pairs and the
//! coefficients of contacts.

use std::collections::BTreeMap;

use super::fields::{Item, Table, suggestion};
use super::schema::keys;
use super::tables::{Body, Mechanism, Pair, Scene};
use super::uncertainty;
use carom_core::error::{Error, Result};
use carom_core::problem::{ContactProblem, ProblemSpec, check_distinct};
use carom_mechanics::model::Surface;

/// The values of a scene that do not depend on its dimensions.
pub(super) struct Heading<'a> {
    scene: Table<'a>,
    options: Option<Table<'a>>,
    pairs: Vec<Table<'a>>,
    /// The two surfaces of each pair.
    named: Vec<(Surface, usize)>,
    pub tolerance: f64,
}

/// The table of a scene or of the motion of a mechanism, with its keys checked.
pub(super) fn scene<'a>(root: &Item<'a>) -> Result<Table<'a>> {
    let moves = root.open_table()?.get("integrator").is_some();
    let scene = root.table(&if moves { keys::<Mechanism>(&[]) } else { keys::<Scene>(&[]) })?;
    if let Some(description) = scene.get("description") {
        description.text()?;
    }
    Ok(scene)
}

/// Whether a scene, or the motion of a mechanism, is in space.
pub(super) fn is_spatial(root: &Item<'_>) -> Result<bool> {
    let Some(item) = root.open_table()?.get("dimensions") else { return Ok(false) };
    match item.count()? {
        2 => Ok(false),
        3 => Ok(true),
        other => Err(item.error(format!("a scene has 2 or 3 dimensions, found {other}"))),
    }
}

/// The tables of a scene's bodies; some keys are `left_out`.
pub(super) fn bodies<'a>(scene: &Table<'a>, left_out: &[&str]) -> Result<Vec<Table<'a>>> {
    scene.require("bodies", "the list of bodies")?;
    scene.tables("bodies", &keys::<Body>(left_out))
}

impl<'a> Heading<'a> {
    /// Reads the heading of a scene, given the names of its walls and bodies and the keys of its
    /// table `contact`; also returns the pairs that do not collide.
    pub fn new(
        scene: Table<'a>,
        walls: &[&str],
        bodies: &[&str],
        contact: &[&str],
    ) -> Result<(Self, Vec<(Surface, usize)>)> {
        let pairs = scene.tables("pairs", &keys::<Pair>(&[]))?;
        let named =
            pairs.iter().map(|table| pair(table, walls, bodies)).collect::<Result<Vec<_>>>()?;
        let passes = |table: &Table<'_>| {
            table.get("collide").is_some_and(|item| item.boolean() == Ok(false))
        };
        let excluded =
            pairs.iter().zip(&named).filter(|(table, _)| passes(table)).map(|(_, pair)| *pair);
        let excluded = excluded.collect();
        let options = scene.get("contact").map(|item| item.table(contact)).transpose()?;
        let tolerance = match options.as_ref().and_then(|options| options.get("tolerance")) {
            None => 1e-6,
            Some(item) => match item.number()? {
                tolerance if tolerance >= 0.0 => tolerance,
                tolerance => {
                    return Err(item.error(format!("a tolerance is >= 0, found {tolerance}")));
                }
            },
        };
        Ok((Heading { scene, options, pairs, named, tolerance }, excluded))
    }

    /// The table of the scene.
    pub fn table(&self) -> &Table<'a> {
        &self.scene
    }

    /// The pairs with their numbers in the file.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, (Surface, usize))> + '_ {
        self.named.iter().copied().enumerate()
    }

    /// The coefficients of pairs.
    pub fn of_pairs(&self, key: &str) -> Result<Vec<((Surface, usize), f64)>> {
        let pairs = self.pairs.iter().zip(&self.named);
        let given = pairs.filter_map(|(table, pair)| table.get(key).map(|item| (*pair, item)));
        given.map(|(pair, item)| Ok((pair, item.number()?))).collect()
    }

    /// A value of the table `contact`.
    pub fn option(&self, key: &str) -> Option<Item<'a>> {
        self.options.as_ref()?.get(key)
    }

    /// The names of the contacts: names from the scene, otherwise the names `found` by the model.
    pub fn names(&self, found: Vec<String>) -> Result<Vec<String>> {
        let Some(item) = self.option("names") else { return Ok(found) };
        let given = item.texts()?;
        if given.len() != found.len() {
            let listed = found.len().min(12);
            let more = match found.len() - listed {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            return Err(item
                .error(format!("{} names for {} contacts", given.len(), found.len()))
                .hint(format!("the contacts are {}{more}", found[..listed].join(", "))));
        }
        check_distinct(&given, "contact.names").map_err(|error| item.locate(error))?;
        Ok(given)
    }

    /// The contact at rest, and the item of the scene that names it.
    pub fn at_rest(&self, names: &[String]) -> Result<Option<(usize, Item<'a>)>> {
        let Some(item) = self.option("at_rest") else { return Ok(None) };
        let name = item.text()?;
        match names.iter().position(|known| known == name) {
            Some(i) => Ok(Some((i, item))),
            None => Err(item
                .error(format!("no contact is called `{name}`"))
                .hint(suggestion(name, names.iter().map(String::as_str)))),
        }
    }

    /// The coefficients of friction of the given contacts.
    pub fn friction(&self, contacts: &[(Surface, usize)]) -> Result<Vec<f64>> {
        let missing = || {
            self.scene.missing("friction").hint("`friction = 0` makes every contact frictionless")
        };
        self.coefficients("friction", contacts)?.ok_or_else(missing)
    }

    /// The contact problem of a model's numbers and the other values of the scene.
    pub fn problem(
        &self,
        root: &Item<'_>,
        spec: ProblemSpec,
        names: Vec<String>,
        contacts: &[(Surface, usize)],
        default_name: &str,
    ) -> Result<ContactProblem> {
        let scene = &self.scene;
        let spec = ProblemSpec {
            name: scene.get("name").map_or(Ok(default_name), |item| item.text())?.to_string(),
            contacts: Some(names),
            restitution: self.coefficients("restitution", contacts)?,
            step: scene.get("step").map(|item| item.number()).transpose()?,
            max_steps: scene.get("max_steps").map(|item| item.count()).transpose()?,
            uncertainty: scene
                .get("uncertainty")
                .map(|item| uncertainty::read(&item))
                .transpose()?
                .unwrap_or_default(),
            coordinates: match scene.get("coordinates") {
                Some(item) => Some(item.texts()?),
                None => spec.coordinates,
            },
            ..spec
        };
        ContactProblem::new(spec).map_err(|error| relocate(root, error))
    }

    /// The coefficients of the contacts: the scene's number or list, overridden by pairs.
    fn coefficients(&self, key: &str, contacts: &[(Surface, usize)]) -> Result<Option<Vec<f64>>> {
        let mut values: Vec<Option<f64>> = match self.scene.get(key) {
            None => vec![None; contacts.len()],
            Some(item) => match item.number() {
                Ok(value) => vec![Some(value); contacts.len()],
                Err(_) if item.list().is_ok() => {
                    let values = item.numbers()?;
                    if values.len() != contacts.len() {
                        return Err(item.error(format!(
                            "{} numbers for {} contacts",
                            values.len(),
                            contacts.len()
                        )));
                    }
                    values.into_iter().map(Some).collect()
                }
                Err(error) => return Err(error),
            },
        };
        let mut given = self.scene.get(key).is_some();
        for (table, pair) in self.pairs.iter().zip(&self.named) {
            let Some(item) = table.get(key) else { continue };
            let value = item.number()?;
            given = true;
            for (slot, contact) in values.iter_mut().zip(contacts) {
                if contact == pair {
                    *slot = Some(value);
                }
            }
        }
        match values.into_iter().collect::<Option<Vec<f64>>>() {
            Some(values) => Ok(Some(values)),
            None if given => Err(self
                .scene
                .missing(key)
                .hint("the pairs leave contacts without a value: give one for the scene")),
            None => Ok(None),
        }
    }
}

/// Locates an error of the model or the problem in the file: by its own path, otherwise at the
/// bodies.
pub(super) fn relocate(root: &Item<'_>, error: Error) -> Error {
    let path = error.at.clone().unwrap_or_default();
    let item = root.descend(&path);
    if !path.is_empty() && !std::ptr::eq(item.node, root.node) {
        return item.locate(error);
    }
    let what = match path.as_str() {
        "" => error.what.clone(),
        _ => format!("the scene's `{path}`: {}", error.what),
    };
    root.descend("bodies").locate(Error { what, ..error })
}

/// The index of the body that carries this one's joint; `None` for the world.
pub(super) fn parent(table: &Table<'_>, earlier: &[&str]) -> Result<Option<usize>> {
    match table.get("parent") {
        None => Ok(None),
        Some(item) if item.text()? == "world" => Ok(None),
        Some(item) => {
            let parent = item.text()?;
            let found = earlier.iter().position(|known| *known == parent);
            Ok(Some(found.ok_or_else(|| {
                item.error(format!("no earlier body is called `{parent}`"))
                    .hint(suggestion(parent, earlier.iter().copied().chain(["world"])))
            })?))
        }
    }
}

fn pair(table: &Table<'_>, walls: &[&str], bodies: &[&str]) -> Result<(Surface, usize)> {
    let item = table.require("between", "two names, of bodies or of a body and a wall")?;
    if let Some(item) = table.get("collide") {
        item.boolean()?;
    }
    let walls = walls.iter().enumerate().map(|(i, wall)| (*wall, Surface::Wall(i)));
    let bodies = bodies.iter().enumerate().map(|(i, body)| (*body, Surface::Body(i)));
    let known: BTreeMap<&str, Surface> = walls.chain(bodies).collect();
    let find = |item: &Item<'_>| {
        let name = item.text()?;
        let error = || {
            item.error(format!("no body or wall is called `{name}`"))
                .hint(suggestion(name, known.keys().copied()))
        };
        known.get(name).copied().ok_or_else(error)
    };
    let found = item.list()?.iter().map(find).collect::<Result<Vec<_>>>()?;
    match found.as_slice() {
        [Surface::Body(a), Surface::Body(b)] if a != b => Ok((Surface::Body(*a.min(b)), *a.max(b))),
        [wall @ Surface::Wall(_), Surface::Body(body)]
        | [Surface::Body(body), wall @ Surface::Wall(_)] => Ok((*wall, *body)),
        _ => Err(item.error("expected the names of two bodies or of a body and a wall")),
    }
}
