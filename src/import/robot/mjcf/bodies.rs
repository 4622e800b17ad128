//! `<worldbody>`, `<body>` and `<frame>`.

use std::collections::{BTreeMap, BTreeSet};

use super::compiler::{Compiler, FromGeoms};
use super::defaults::{Defaults, Given};
use super::frames::ORIENTATION;
use super::joints::joint;
use super::meshes::Meshes;
use crate::robot::links::{Link, Motion, Notes, Touching, Wall, composed};
use crate::robot::parts::Welds;
use crate::robot::solid::Inertial;
use crate::robot::xml::{Attribute, Element};
use carom_core::error::Result;
use carom_mechanics::model::spatial::{Matrix, Pose};

const BODY: &str = "axisangle childclass euler fuse gravcomp mocap name pos quat simple sleep user \
                    xyaxes zaxis";
const FRAME: &str = "axisangle childclass euler name pos quat xyaxes zaxis";
const INERTIAL: &str = "axisangle diaginertia euler fullinertia mass pos quat xyaxes zaxis";

pub(super) struct Reader<'a> {
    pub compiler: &'a Compiler,
    pub defaults: &'a Defaults<'a>,
    pub meshes: Meshes<'a>,
    /// Names of geoms in pairs.
    pub named: BTreeSet<String>,
    /// Whether geoms determine the mass of the current body.
    pub weighs: bool,
    pub links: Vec<Link>,
    pub walls: Vec<Wall>,
    pub geoms: BTreeMap<String, Touching>,
    pub notes: Notes,
}

impl<'a> Reader<'a> {
    pub fn new(
        compiler: &'a Compiler,
        defaults: &'a Defaults<'a>,
        meshes: Meshes<'a>,
        named: BTreeSet<String>,
        notes: Notes,
    ) -> Self {
        let (links, walls, geoms) = (Vec::new(), Vec::new(), BTreeMap::new());
        Reader { compiler, defaults, meshes, named, weighs: false, links, walls, geoms, notes }
    }

    /// Reads the bodies of the world; the world is the first link.
    pub fn world(&mut self, element: &'a Element) -> Result<()> {
        if self.links.is_empty() {
            let name = "world".to_string();
            self.links.push(Link::new(name, &element.place, None, Pose::world()));
        }
        self.weighs = false;
        self.content(element, 0, &Pose::world(), None)?;
        Ok(())
    }

    pub fn finish(&mut self) -> Result<()> {
        let welds = Welds::of(&self.links);
        for wall in &mut self.walls {
            let link = wall.link.unwrap_or_default();
            if welds.root[link].is_some() {
                return Err(self.links[link].place.error("a plane belongs to a body that moves"));
            }
            wall.point = welds.pose[link].point(wall.point);
            wall.normal = welds.pose[link].direction(wall.normal).normalize();
        }
        Ok(())
    }

    /// Reads the children of a body or of a frame in it; returns the masses of its geoms.
    fn content(
        &mut self,
        element: &'a Element,
        link: usize,
        frame: &Pose,
        class: Option<&'a Attribute>,
    ) -> Result<Vec<Inertial>> {
        let mut masses = Vec::new();
        for child in &element.children {
            match child.name.as_str() {
                "geom" => masses.extend(self.geom(child, link, frame, class)?),
                "joint" | "freejoint" if link > 0 => self.joint(child, link, frame, class)?,
                "inertial" if link > 0 && element.name == "body" => {}
                "body" => {
                    let outside = self.weighs;
                    self.body(child, link, frame, class)?;
                    self.weighs = outside;
                }
                "frame" => {
                    child.check(FRAME)?;
                    let pose = composed(frame, &self.compiler.pose(&Given::bare(child))?);
                    let class = self.child_class(child)?.or(class);
                    masses.extend(self.content(child, link, &pose, class)?);
                }
                "site" | "camera" | "light" => self.notes.leave_out(format!("{}s", child.name)),
                other => return Err(child.error(format!("<{other}> is not supported here"))),
            }
        }
        Ok(masses)
    }

    fn body(
        &mut self,
        element: &'a Element,
        parent: usize,
        frame: &Pose,
        class: Option<&'a Attribute>,
    ) -> Result<()> {
        element.check(BODY)?;
        if let Some(mocap) = element.get("mocap").filter(|mocap| mocap.value == "true") {
            return Err(mocap.error("bodies that a user moves are not supported"));
        }
        let i = self.links.len();
        let name = element.text("name").map_or(format!("body {i}"), str::to_string);
        if element.get("name").is_some() && self.links.iter().any(|link| link.name == name) {
            return Err(element.error("a second body of this name"));
        }
        let explicit = element.one("inertial")?;
        self.weighs = match self.compiler.from_geoms {
            FromGeoms::Never => false,
            FromGeoms::Always => true,
            FromGeoms::Otherwise => explicit.is_none(),
        };
        let inertial = match explicit {
            Some(explicit) => self.inertial(explicit)?,
            None => Inertial::default(),
        };
        let weighs = self.weighs;
        let pose = composed(frame, &self.compiler.pose(&Given::bare(element))?);
        let link = Link::new(name, &element.place, Some(parent), pose);
        self.links.push(Link { inertial, ..link });
        let class = self.child_class(element)?.or(class);
        let masses = self.content(element, i, &Pose::world(), class)?;
        // Without geoms that have mass, the <inertial> determines the mass.
        if weighs && !masses.is_empty() {
            self.links[i].inertial = Inertial::sum(&masses);
        }
        let joints = &self.links[i].joints;
        let free = joints.iter().find(|joint| matches!(joint.motion, Motion::Free { .. }));
        match free {
            Some(free) if joints.len() > 1 => {
                Err(free.place.error("a free joint is the only one of a body"))
            }
            Some(free) if parent > 0 => {
                Err(free.place.error("only bodies of the world have a free joint"))
            }
            _ => Ok(()),
        }
    }

    fn joint(
        &mut self,
        element: &'a Element,
        link: usize,
        frame: &Pose,
        class: Option<&Attribute>,
    ) -> Result<()> {
        let given = match element.name.as_str() {
            "freejoint" => Given::bare(element),
            _ => self.defaults.given(element, class)?,
        };
        let body = self.links[link].pose;
        let joint = joint(&given, self.compiler, &body, frame, &mut self.notes)?;
        self.links[link].joints.push(joint);
        Ok(())
    }

    fn child_class(&self, element: &'a Element) -> Result<Option<&'a Attribute>> {
        let class = element.get("childclass");
        class.map(|class| self.defaults.known(class)).transpose()?;
        Ok(class)
    }

    fn inertial(&self, element: &Element) -> Result<Inertial> {
        element.check(INERTIAL)?;
        element.require("pos")?;
        let mass = element.require("mass")?.number()?;
        let inertia = match (element.get("diaginertia"), element.get("fullinertia")) {
            (Some(diagonal), None) => Matrix::from_diagonal(&diagonal.vector()?),
            (None, Some(full)) => {
                if let Some(turn) = ORIENTATION.iter().find_map(|name| element.get(name)) {
                    return Err(turn.error("`fullinertia` is given along the axes of the body"));
                }
                let [xx, yy, zz, xy, xz, yz] = full.array()?;
                Matrix::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
            }
            _ => {
                return Err(
                    element.error("an <inertial> has either `diaginertia` or `fullinertia`")
                );
            }
        };
        let pose = self.compiler.pose(&Given::bare(element))?;
        Ok(Inertial { mass, inertia, ..Inertial::default() }.seen(pose.origin, pose.attitude))
    }
}
