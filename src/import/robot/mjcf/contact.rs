//! `<contact>`: pairs of geoms that touch despite other rules, and pairs of bodies that do not.

use std::collections::{BTreeMap, BTreeSet};

use super::defaults::Defaults;
use crate::robot::links::{Pair, Robot, Rubbing, Surface, Touching};
use crate::robot::xml::{Attribute, Element};
use carom_core::error::Result;
use carom_scene::fields::suggestion;

const PAIR: &str = "adhesion class condim friction gap geom1 geom2 margin name solimp solref \
                    solreffriction";

/// Attributes of pairs without a counterpart.
const IGNORED: [&str; 6] = ["adhesion", "gap", "margin", "solimp", "solref", "solreffriction"];
/// A part of friction without a counterpart.
pub(super) const TURNING: &str = "friction against turning and rolling (`condim` 4 and 6)";

/// The names of the geoms in pairs.
pub(super) fn named(root: &Element) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for pair in root.all("contact").flat_map(|contact| contact.all("pair")) {
        for end in ["geom1", "geom2"] {
            names.insert(pair.require(end)?.value.clone());
        }
    }
    Ok(names)
}

/// Reads the pairs of geoms and of bodies.
pub(super) fn read<'a>(
    root: &'a Element,
    defaults: &Defaults<'a>,
    geoms: &BTreeMap<String, Touching>,
    robot: &mut Robot,
) -> Result<()> {
    for element in root.all("contact").flat_map(|contact| &contact.children) {
        match element.name.as_str() {
            "exclude" => {
                element.check("body1 body2 name")?;
                let body = |which| body(element.require(which)?, robot);
                let pair = (body("body1")?, body("body2")?);
                robot.exclusions.push(pair);
            }
            "pair" => {
                let given = defaults.given(element, None)?;
                given.check(PAIR)?;
                let geom = |which| {
                    let name: &Attribute = element.require(which)?;
                    let known = || suggestion(&name.value, geoms.keys().map(String::as_str));
                    let unknown =
                        || name.error(format!("no geom is called `{}`", name.value)).hint(known());
                    geoms.get(&name.value).copied().ok_or_else(unknown)
                };
                let between = [geom("geom1")?, geom("geom2")?];
                let [a, b] = between.map(|end| surface(end, robot));
                let (condim, rubbing) = a.with(&b, robot.combining);
                let friction = match given.get("friction") {
                    None => rubbing.friction,
                    Some(attribute) => one(attribute)?,
                };
                for left_out in IGNORED.iter().filter(|name| given.get(name).is_some()) {
                    robot.notes.ignore(format!("`{left_out}` of pairs"));
                }
                let condim = given.integer("condim", condim)?;
                if matches!(condim, 4 | 6) {
                    robot.notes.ignore(TURNING);
                }
                let friction = if condim == 1 { 0.0 } else { friction };
                robot.pairs.push(Pair { between, rubbing: Rubbing { friction, ..rubbing } });
            }
            other => return Err(element.error(format!("<{other}> is not supported here"))),
        }
    }
    Ok(())
}

/// The friction of a pair, equal in all directions.
fn one(attribute: &Attribute) -> Result<f64> {
    match attribute.numbers()?.as_slice() {
        [first, second, ..] if first != second => {
            Err(attribute.error("friction that depends on the direction is not supported"))
        }
        [first, ..] if *first >= 0.0 => Ok(*first),
        _ => Err(attribute.error("expected a number >= 0")),
    }
}

fn surface(end: Touching, robot: &Robot) -> Surface {
    match end {
        Touching::Wall(wall) => robot.walls[wall].surface,
        Touching::Geom(link, geom) => robot.links[link].geoms[geom].surface,
    }
}

fn body(name: &Attribute, robot: &Robot) -> Result<usize> {
    let found = robot.links.iter().position(|link| link.name == name.value);
    found.ok_or_else(|| {
        name.error(format!("no body is called `{}`", name.value))
            .hint(suggestion(&name.value, robot.links.iter().map(|link| &*link.name)))
    })
}
