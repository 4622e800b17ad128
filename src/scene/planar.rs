//! Scene files: planar bodies, walls and a state, from which the numbers of a contact problem follow.

use std::collections::BTreeMap;

use super::bodies::{BODY, body, vector};
use super::fields::{Item, Table, suggestion};
use crate::error::{Error, Result};
use crate::model::{Body, Contact, HalfPlane, Motion, Planar, Surface, TangentRule};
use crate::problem::ContactProblem;

const SCENE: &[&str] = &[
    "name",
    "description",
    "parameters",
    "friction",
    "restitution",
    "step",
    "max_steps",
    "coordinates",
    "contact",
    "walls",
    "bodies",
    "pairs",
];
const CONTACT: &[&str] = &["tolerance", "names", "at_rest", "tangent"];
const WALL: &[&str] = &["name", "point", "normal"];
const PAIR: &[&str] = &["between", "friction", "restitution", "collide"];

/// A scene before anything is known to touch.
pub(super) struct Setting<'a> {
    scene: Table<'a>,
    options: Option<Table<'a>>,
    pairs: Vec<Table<'a>>,
    /// What each of the pairs is between.
    named: Vec<(Surface, usize)>,
    pub model: Planar,
    pub motion: Motion,
    pub tolerance: f64,
}

/// The bodies, walls and the state of a scene file.
pub(super) fn setting<'a>(root: &Item<'a>) -> Result<Setting<'a>> {
    let scene = root.table(SCENE)?;
    if let Some(description) = scene.get("description") {
        description.text()?;
    }
    let walls = tables(&scene, "walls", WALL)?.iter().map(wall).collect::<Result<Vec<_>>>()?;
    scene.require("bodies", "the list of bodies")?;
    let mut bodies: Vec<Body> = Vec::new();
    let mut motion = Motion::default();
    for table in tables(&scene, "bodies", BODY)? {
        let body = body(&table, &bodies, &mut motion)?;
        bodies.push(body);
    }
    let mut model = Planar::new(bodies, walls).map_err(|error| relocate(root, error))?;
    let pairs = tables(&scene, "pairs", PAIR)?;
    let named = pairs.iter().map(|table| pair(table, &model)).collect::<Result<Vec<_>>>()?;
    for (table, (surface, body)) in pairs.iter().zip(&named) {
        if table.get("collide").is_some_and(|item| item.boolean() == Ok(false)) {
            model.exclude(*surface, *body);
        }
    }

    let options = scene.get("contact").map(|item| item.table(CONTACT)).transpose()?;
    let tolerance = match options.as_ref().and_then(|options| options.get("tolerance")) {
        None => 1e-6,
        Some(item) => match item.number()? {
            tolerance if tolerance >= 0.0 => tolerance,
            tolerance => return Err(item.error(format!("a tolerance is >= 0, found {tolerance}"))),
        },
    };
    Ok(Setting { scene, options, pairs, named, model, motion, tolerance })
}

/// The contact problem of a scene file.
pub(super) fn read(root: &Item<'_>, default_name: &str) -> Result<ContactProblem> {
    let Setting { scene, options, pairs, named, model, mut motion, tolerance } = setting(root)?;
    let option = |key: &str| options.as_ref().and_then(|options| options.get(key));
    let rule =
        match option("tangent").map(|item| item.word(&["perpendicular", "as-published"])).transpose()? {
            Some("as-published") => TangentRule::AsPublished,
            _ => TangentRule::Perpendicular,
        };
    let poses = model.poses(&motion.position);
    let contacts = model.contacts(&poses, tolerance).map_err(|error| relocate(root, error))?;
    let mut names = model.contact_names(&contacts);
    if let Some(item) = option("names") {
        let given = item.texts()?;
        if given.len() != names.len() {
            let found = names[..names.len().min(12)].join(", ");
            return Err(item
                .error(format!("{} names for {} contacts", given.len(), names.len()))
                .hint(format!("the contacts are {found}{}", if names.len() > 12 { ", ..." } else { "" })));
        }
        names = given;
    }
    if let Some(item) = option("at_rest") {
        let name = item.text()?;
        let Some(i) = names.iter().position(|known| known == name) else {
            return Err(item
                .error(format!("no contact is called `{name}`"))
                .hint(suggestion(name, names.iter().map(String::as_str))));
        };
        model
            .bring_to_rest(&poses, &contacts[i], &mut motion.velocity)
            .map_err(|error| item.locate(error))?;
    }

    let overrides = |key| coefficients(&scene, key, &pairs, &named, &contacts);
    let Some(friction) = overrides("friction")? else {
        return Err(scene.missing("friction").hint("`friction = 0` makes every contact frictionless"));
    };
    let mut spec = model.impact(&motion, &contacts, friction, rule);
    spec.name = scene.get("name").map_or(Ok(default_name), |item| item.text())?.to_string();
    spec.contacts = Some(names);
    spec.restitution = overrides("restitution")?;
    spec.step = scene.get("step").map(|item| item.number()).transpose()?;
    spec.max_steps = scene.get("max_steps").map(|item| item.count()).transpose()?;
    if let Some(item) = scene.get("coordinates") {
        spec.coordinates = Some(item.texts()?);
    }
    ContactProblem::new(spec).map_err(|error| relocate(root, error))
}

/// The tables of an array of tables that may be left out.
fn tables<'a>(scene: &Table<'a>, key: &str, known: &'static [&'static str]) -> Result<Vec<Table<'a>>> {
    let Some(item) = scene.get(key) else { return Ok(Vec::new()) };
    item.list()?.iter().map(|item| item.table(known)).collect()
}

/// Places an error of the model or the problem in the file: at its own path, or else at the bodies.
fn relocate(root: &Item<'_>, error: Error) -> Error {
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

fn wall(table: &Table<'_>) -> Result<HalfPlane> {
    let name = table.require("name", "what the wall is called")?.text()?.to_string();
    let item = table.require("normal", "the direction [x, y] out of the wall")?;
    let normal = item.vector()?;
    let length = normal.x.hypot(normal.y);
    if !(length.is_finite() && length > 0.0) {
        return Err(item.error("a normal has a length > 0 that is finite"));
    }
    let normal = normal / length;
    Ok(HalfPlane { name, point: vector(table, "point")?, normal: normal / normal.norm() })
}

/// The two that a pair is between.
fn pair(table: &Table<'_>, model: &Planar) -> Result<(Surface, usize)> {
    let item = table.require("between", "two names, of bodies or of a body and a wall")?;
    if let Some(item) = table.get("collide") {
        item.boolean()?;
    }
    let walls = model.walls().iter().enumerate().map(|(i, wall)| (wall.name.as_str(), Surface::Wall(i)));
    let bodies = model.bodies().iter().enumerate().map(|(i, body)| (body.name.as_str(), Surface::Body(i)));
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
        [wall @ Surface::Wall(_), Surface::Body(body)] | [Surface::Body(body), wall @ Surface::Wall(_)] => {
            Ok((*wall, *body))
        }
        _ => Err(item.error("expected the names of two bodies or of a body and a wall")),
    }
}

/// The coefficients of the contacts: the scene's number or list, then what the pairs override.
fn coefficients(
    scene: &Table<'_>,
    key: &str,
    pairs: &[Table<'_>],
    named: &[(Surface, usize)],
    contacts: &[Contact],
) -> Result<Option<Vec<f64>>> {
    let mut values: Vec<Option<f64>> = match scene.get(key) {
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
    let mut given = scene.get(key).is_some();
    for (table, pair) in pairs.iter().zip(named) {
        let Some(item) = table.get(key) else { continue };
        let value = item.number()?;
        given = true;
        for (slot, contact) in values.iter_mut().zip(contacts) {
            if (contact.first, contact.second) == *pair {
                *slot = Some(value);
            }
        }
    }
    match values.into_iter().collect::<Option<Vec<f64>>>() {
        Some(values) => Ok(Some(values)),
        None if given => {
            Err(scene.missing(key).hint("the pairs leave contacts without a value: give one for the scene"))
        }
        None => Ok(None),
    }
}
