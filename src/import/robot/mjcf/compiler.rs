//! `<compiler>`: units, conventions and defaults of the file.

use crate::robot::xml::{Attribute, Element};
use carom_core::error::Result;

const KNOWN: &str = "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass \
                     conflict coordinate discardvisual eulerseq fitaabb fusestatic inertiafromgeom \
                     inertiagrouprange meshdir passthrough savecanonical savecompiled saveinertial \
                     settotalmass strippath texturedir usethread convexhull exactmeshinertia \
                     compat name";

/// Whether the masses of bodies follow from their geoms.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum FromGeoms {
    Never,
    Always,
    /// Masses follow from geoms where there is no `<inertial>`.
    Otherwise,
}

pub(super) struct Compiler {
    pub degrees: bool,
    pub euler: [char; 3],
    pub from_geoms: FromGeoms,
    /// The range of groups whose geoms have mass.
    pub groups: [f64; 2],
    pub meshes: String,
    pub strip_path: bool,
    /// Whether principal moments of inertia that violate `A + B >= C` become their mean.
    pub balances: bool,
    /// Whether joints with a `range` are limited.
    pub limits: bool,
}

impl Compiler {
    pub fn read(root: &Element) -> Result<Compiler> {
        let mut found = Compiler {
            degrees: true,
            euler: ['x', 'y', 'z'],
            from_geoms: FromGeoms::Otherwise,
            groups: [0.0, 5.0],
            meshes: String::new(),
            strip_path: false,
            balances: false,
            limits: true,
        };
        let mut assets = None;
        for element in root.all("compiler") {
            element.check(KNOWN)?;
            for attribute in &element.attributes {
                found.take(attribute)?;
            }
            assets = element.text("assetdir").or(assets);
        }
        if found.meshes.is_empty() {
            found.meshes = assets.unwrap_or_default().to_string();
        }
        Ok(found)
    }

    fn take(&mut self, attribute: &Attribute) -> Result<()> {
        let refuse = |changes: bool| match changes {
            true => Err(attribute
                .error("this changes masses or frames and is not supported")
                .hint("load the model in MuJoCo and save it as it was compiled, without this")),
            false => Ok(()),
        };
        match attribute.name.as_str() {
            "angle" => self.degrees = attribute.word(&["degree", "radian"])? == "degree",
            "eulerseq" => {
                let letters: Vec<char> = attribute.value.chars().collect();
                let wrong = || attribute.error("expected three of the letters x, y, z, X, Y, Z");
                self.euler = letters.try_into().map_err(|_| wrong())?;
                if self.euler.iter().any(|c| !"xyzXYZ".contains(*c)) {
                    return Err(wrong());
                }
            }
            "inertiafromgeom" => {
                self.from_geoms = match attribute.word(&["auto", "true", "false"])? {
                    "true" => FromGeoms::Always,
                    "false" => FromGeoms::Never,
                    _ => FromGeoms::Otherwise,
                }
            }
            "inertiagrouprange" => self.groups = attribute.array()?,
            "meshdir" => self.meshes = attribute.value.clone(),
            "strippath" => self.strip_path = attribute.flag()?,
            "coordinate" => refuse(attribute.value != "local")?,
            "boundmass" | "boundinertia" | "settotalmass" => refuse(attribute.number()? > 0.0)?,
            "balanceinertia" => self.balances = attribute.flag()?,
            "autolimits" => self.limits = attribute.flag()?,
            "alignfree" | "exactmeshinertia" => refuse(attribute.flag()?)?,
            _ => {}
        }
        Ok(())
    }
}
