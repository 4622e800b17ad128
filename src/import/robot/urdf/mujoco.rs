//! `<mujoco>` in URDF: MuJoCo's own settings.

use crate::robot::links::Notes;
use crate::robot::xml::Element;
use carom_core::error::Result;

/// Attributes of `<compiler>` that change masses unless 0 or `false`.
const MASSES: [&str; 5] =
    ["boundinertia", "boundmass", "exactmeshinertia", "inertiafromgeom", "settotalmass"];

/// Reads the extension; returns whether unbalanced moments of inertia become their mean.
pub(super) fn read(element: &Element, notes: &mut Notes) -> Result<bool> {
    let mut balances = false;
    for child in &element.children {
        if child.name != "compiler" {
            notes.leave_out(format!("<{}> of <mujoco>", child.name));
            continue;
        }
        for attribute in &child.attributes {
            let name = attribute.name.as_str();
            if name == "balanceinertia" {
                balances = attribute.flag()?;
            } else if MASSES.contains(&name)
                && !matches!(attribute.value.as_str(), "0" | "-1" | "auto" | "false")
            {
                notes.ignore(format!("`{name}` of <mujoco>"));
            } else {
                notes.leave_out(format!("`{name}` of <mujoco>"));
            }
        }
    }
    Ok(balances)
}
