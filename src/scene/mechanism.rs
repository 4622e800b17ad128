//! Motions of mechanisms: keys of `integrator = "midpoint"` and `"inclusion"` besides the scene's.

use std::collections::BTreeMap;

use super::bodies::number;
use super::fields::{Item, Table, is_like, suggestion};
use super::heading::{Heading, is_spatial, relocate};
use super::planar;
use super::schema::keys;
use super::spatial;
use super::tables;
use super::tree::Value;
use carom_core::error::{Error, Result};
use carom_law::finite::propagative::Kind;
use carom_law::{DarbouxKeller, FiniteLaw, Law, Propagative, Sequential};
use carom_mechanics::model::Surface;
use carom_mechanics::model::spatial::Vector;
use carom_mechanics::motion::mechanism::{Drive, Mechanism, Model, Push};
use carom_mechanics::motion::midpoint::{Coefficients, ImpactLaw};
use carom_mechanics::motion::{GRAVITY, InclusionMotion, Midpoint, MidpointSpec, Simulation};

/// The rules that choose the order of reflections.
pub(super) const ORDERS: &[&str] = &["argmin", "argmax", "random"];

pub(super) fn read(root: &Item<'_>, default_name: &str) -> Result<Simulation> {
    let (heading, model, motion, tolerance) = match is_spatial(root)? {
        false => {
            let planar::Setting { heading, model, motion, tolerance } = planar::setting(root)?;
            (heading, Model::Planar(model), motion, tolerance)
        }
        true => {
            let spatial::Setting { heading, model, motion, tolerance } = spatial::setting(root)?;
            (heading, Model::Spatial(model), motion, tolerance)
        }
    };
    let table = heading.table();
    let scene = |key: &str| table.get(key);
    let of_pairs = |key: &str| heading.of_pairs(key);
    let mut pairs: BTreeMap<_, [Option<f64>; 2]> = BTreeMap::new();
    for (i, key) in ["friction", "restitution"].into_iter().enumerate() {
        for (pair, value) in of_pairs(key)? {
            pairs.entry(pair).or_default()[i] = Some(value);
        }
    }
    let friction =
        table.require("friction", "the coefficient of all contacts; 0: without friction")?;
    let coefficients = Coefficients {
        friction: friction.number()?,
        restitution: scene("restitution").map(|item| item.number()).transpose()?,
        pairs,
    };
    let impacts = match (scene("law"), scene("order")) {
        (Some(item), order) => law(&item, order)?,
        (None, Some(order)) => return Err(of_propagative(&order)),
        (None, None) => match root.descend("integrator").text()? {
            InclusionMotion::NAME => Law::default().into(),
            _ => ImpactLaw::Finite(FiniteLaw::Sequential(Sequential::default())),
        },
    };
    honoured(&heading, root, &impacts, &coefficients)?;
    let still = Mechanism {
        gravity: gravity(scene("gravity"), &model)?,
        model,
        drives: Vec::new(),
        pushes: Vec::new(),
    };
    let (drives, pushes) = (drives(table, &still)?, forces(table, &still)?);
    let mechanism = Mechanism { drives, pushes, ..still };
    let spec = MidpointSpec {
        name: scene("name").map_or(Ok(default_name), |item| item.text())?.to_string(),
        mechanism,
        coefficients,
        start: motion,
        law: impacts,
        time_step: table.require("time_step", "the time step in s")?.number()?,
        tolerance,
        steps: scene("steps").map(|item| item.count().map(u64::from)).transpose()?,
        max_impacts: scene("max_impacts").map(|item| item.count()).transpose()?,
        integrator: root.descend("integrator").word(Simulation::INTEGRATORS)?,
        seed: scene("seed").map_or(Ok(0), |item| item.whole().map(u64::from))?,
    };
    let simulation = |motion: Midpoint| {
        Ok(match motion.integrator() {
            InclusionMotion::NAME => Simulation::Inclusion(Box::new(InclusionMotion::new(motion))),
            _ => Simulation::Midpoint(Box::new(motion)),
        })
    };
    Midpoint::new(spec).and_then(simulation).map_err(|error| relocate(root, error))
}

/// The gravitational acceleration: a number downwards, or a vector.
fn gravity(item: Option<Item<'_>>, model: &Model) -> Result<Vector> {
    let down = match model {
        Model::Planar(_) => -Vector::y(),
        Model::Spatial(_) => -Vector::z(),
    };
    match item {
        None => Ok(down * GRAVITY),
        Some(item) => match item.node.value {
            Value::List(_) => vector(&item, model),
            Value::Number(_) => Ok(down * item.number()?),
            _ => Err(item.expected("a number, or a vector")),
        },
    }
}

fn vector(item: &Item<'_>, model: &Model) -> Result<Vector> {
    match model {
        Model::Planar(_) => item.vector().map(|x| Vector::new(x.x, x.y, 0.0)),
        Model::Spatial(_) => item.spatial_vector(),
    }
}

/// The law of a name. For laws of both kinds, the kind with finitely many outcomes, as it does not
/// depend on the run.
fn law(item: &Item<'_>, order: Option<Item<'_>>) -> Result<ImpactLaw> {
    let name = item.text()?;
    if name != Propagative::NAME
        && let Some(order) = order
    {
        return Err(of_propagative(&order));
    }
    match (name, FiniteLaw::named(name), Law::named(name)) {
        (Propagative::NAME, _, sampled) => {
            let (kind, order) = match order {
                None => (Kind::Admissible, Vec::new()),
                Some(item) => match &item.node.value {
                    Value::List(_) => (Kind::Listed, item.texts()?),
                    _ => match (item.word(ORDERS)?, sampled) {
                        ("random", Some(law)) => return Ok(law.into()),
                        ("argmax", _) => (Kind::Argmax, Vec::new()),
                        _ => (Kind::Argmin, Vec::new()),
                    },
                },
            };
            let law = Propagative { sequences: Some(kind), order, ..Propagative::default() };
            Ok(ImpactLaw::Finite(FiniteLaw::Propagative(law)))
        }
        (_, Some(law), _) => Ok(ImpactLaw::Finite(law)),
        (_, None, Some(law)) => Ok(law.into()),
        _ => {
            let planar =
                FiniteLaw::NAMES.iter().copied().filter(|name| *name != DarbouxKeller::NAME);
            let known = planar
                .chain(Law::NAMES.iter().copied().filter(|name| !FiniteLaw::NAMES.contains(name)));
            Err(item.error(format!("no law is called `{name}`")).hint(suggestion(name, known)))
        }
    }
}

/// The error of an order of reflections with a law other than propagative.
fn of_propagative(order: &Item<'_>) -> Error {
    order.error("an order of reflections belongs to law = \"propagative\"")
}

/// Refuses coefficients of pairs without contact, and coefficients that the law cannot honour.
fn honoured(
    heading: &Heading<'_>,
    root: &Item<'_>,
    law: &ImpactLaw,
    all: &Coefficients,
) -> Result<()> {
    let located = |table: &str, error: Error| {
        let key = error.at.clone().unwrap_or_default();
        let key = key.split('[').next().unwrap_or_default();
        let own = root.descend(&format!("{table}{key}"));
        let has = |key: &str| heading.table().get(key).is_some();
        let error = match error.hint {
            // The hint of the law refers to a command without simulation.
            Some(_) => error.hint("set it to 0, leave it out, or take another `law`"),
            None => error,
        };
        match key {
            "friction" | "restitution" if has(key) || !table.is_empty() => own.locate(error),
            _ => root.descend("law").locate(error),
        }
    };
    law.honours(all.friction, all.restitution).map_err(|error| located("", error))?;
    for (i, pair) in heading.pairs() {
        let (friction, restitution) = all.of(pair);
        law.honours(friction, restitution)
            .map_err(|error| located(&format!("pairs[{i}]."), error))?;
    }
    Ok(())
}

/// The drives of a file; coordinates have the names of the scene, otherwise of the model.
fn drives(table: &Table<'_>, mechanism: &Mechanism) -> Result<Vec<Drive>> {
    let names = match table.get("coordinates") {
        Some(item) => item.texts()?,
        None => mechanism.names(),
    };
    if names.len() != mechanism.size() {
        let what = format!("{} names for {} coordinates", names.len(), mechanism.size());
        return Err(table.require("coordinates", "a list of names")?.error(what));
    }
    let of_table = |table: &Table<'_>| -> Result<Vec<Drive>> {
        let item = table.require("coordinate", "the coordinate on which it acts")?;
        let pattern = item.text()?;
        let meant = |(_, name): &(usize, &String)| is_like(pattern, name);
        let found: Vec<(usize, &String)> = names.iter().enumerate().filter(meant).collect();
        if found.is_empty() {
            return Err(item
                .error(format!("no coordinate is called `{pattern}`"))
                .hint(suggestion(pattern, names.iter().map(String::as_str))));
        }
        for key in ["stiffness", "damping"] {
            if let Some(item) = table.get(key)
                && item.number()? < 0.0
            {
                return Err(item.error("expected a number >= 0"));
            }
        }
        let drive = |(coordinate, name): (usize, &String)| {
            let position = mechanism.position_of(coordinate);
            if let Some(item) = table.get("stiffness")
                && position.is_none()
                && item.number()? > 0.0
            {
                let what = format!("no coordinate has the rate `{name}`, so that it has no spring");
                let hint = "only displacements and angles of joints have one";
                return Err(item.error(what).hint(hint));
            }
            Ok(Drive {
                coordinate,
                position,
                stiffness: number(table, "stiffness")?,
                damping: number(table, "damping")?,
                rest: number(table, "rest")?,
                rate: number(table, "rate")?,
                force: number(table, "force")?,
            })
        };
        found.into_iter().map(drive).collect()
    };
    let drives = table
        .tables("drives", &keys::<tables::Drive>(&[]))?
        .iter()
        .map(of_table)
        .collect::<Result<Vec<_>>>()?;
    Ok(drives.into_iter().flatten().collect())
}

fn forces(table: &Table<'_>, mechanism: &Mechanism) -> Result<Vec<Push>> {
    let Mechanism { model, .. } = mechanism;
    let one = |table: &Table<'_>| {
        let item = table.require("body", "the body on which it acts")?;
        let name = item.text()?;
        let known =
            || (0..mechanism.body_count()).map(|i| mechanism.surface_name(Surface::Body(i)));
        let body = known().position(|known| known == name).ok_or_else(|| {
            item.error(format!("no body is called `{name}`")).hint(suggestion(name, known()))
        })?;
        let force = vector(&table.require("force", "the force in N, a vector")?, model)?;
        let point = table.get("point").map(|item| vector(&item, model)).transpose()?;
        Ok(Push { body, point: point.unwrap_or_default(), force })
    };
    table.tables("forces", &keys::<tables::Force>(&[]))?.iter().map(one).collect()
}
