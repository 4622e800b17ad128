//! The table `[points]` of a problem file.

use super::fields::{Item, Table};
use super::schema::keys;
use carom_core::error::Result;
use carom_core::problem::{ContactPoint, Place, Points};

/// Reads the contact points, and the angular velocity rows of bodies.
pub(super) fn read(item: &Item<'_>) -> Result<Points> {
    let table = item.table(&keys::<Points>(&[]))?;
    let turn = table.require("turn", "for each body the rows of its angular velocity")?;
    table.require("contacts", "the list of contact points")?;
    Ok(Points {
        turn: turn.list()?.iter().map(|item| item.rows()).collect::<Result<_>>()?,
        contacts: table
            .tables("contacts", &keys::<ContactPoint>(&[]))?
            .iter()
            .map(contact)
            .collect::<Result<_>>()?,
    })
}

fn contact(table: &Table<'_>) -> Result<ContactPoint> {
    Ok(ContactPoint {
        normal: table.require("normal", "the direction of the normal")?.numbers()?,
        tangent: table.get("tangent").map_or(Ok(Vec::new()), |item| item.rows())?,
        first: table.get("first").map(|item| place(&item)).transpose()?,
        second: place(&table.require("second", "the place on the body that touches")?)?,
    })
}

fn place(item: &Item<'_>) -> Result<Place> {
    let table = item.table(&keys::<Place>(&[]))?;
    Ok(Place {
        body: table.require("body", "the number of the body, from 0")?.whole()? as usize,
        arm: table.require("arm", "the contact point from its mass centre")?.numbers()?,
    })
}
