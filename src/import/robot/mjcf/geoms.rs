//! `<geom>`: shape, mass and contact parameters.

use super::bodies::Reader;
use super::contact::TURNING;
use super::defaults::Given;
use super::frames::{ORIENTATION, onto};
use crate::robot::hull::{cylinder, hull};
use crate::robot::links::{Form, Geom, Surface, Touching, Wall, composed};
use crate::robot::mesh::Mesh;
use crate::robot::solid::{Inertial, Solid};
use crate::robot::xml::{Attribute, Element};
use carom_core::error::Result;
use carom_mechanics::model::spatial::{Pose, Vector};

const KNOWN: &str = "adhesion axisangle castshadow class conaffinity condim contype density euler \
                     fitscale fluidcoef fluidshape friction fromto gap group hfield margin mass \
                     material mesh name pos priority quat rgba shellinertia size solimp solmix \
                     solref surfacevel type user xyaxes zaxis";
const TYPES: [&str; 9] =
    ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];

/// A shape in the frame of its geom, by radii, half lengths and half sides.
enum Shape {
    Plane,
    Sphere(f64),
    Capsule(f64, f64),
    Cylinder(f64, f64),
    Ellipsoid(Vector),
    Box(Vector),
    Mesh { mesh: Mesh, shell: bool },
}

impl<'a> Reader<'a> {
    /// Reads a geom of a link; `frame`: pose of the enclosing frames. Returns the geom's mass, if
    /// it contributes to the body.
    pub fn geom(
        &mut self,
        element: &'a Element,
        link: usize,
        frame: &Pose,
        class: Option<&Attribute>,
    ) -> Result<Option<Inertial>> {
        let given = self.defaults.given(element, class)?;
        given.check(KNOWN)?;
        let surface = surface(&given)?;
        let name = element.text("name");
        let named = name.is_some_and(|name| self.named.contains(name));
        let collides = named || surface.contype != 0 || surface.conaffinity != 0;
        let group = given.number("group", 0.0)?;
        let weighs =
            self.weighs && (self.compiler.groups[0]..=self.compiler.groups[1]).contains(&group);
        if !collides && !weighs {
            self.notes.leave_out("geoms that do not collide");
            return Ok(None);
        }
        let (shape, pose) = self.shape(&given)?;
        let pose = composed(frame, &pose);
        let mass = if weighs { Some(mass(&given, &shape)?) } else { None };
        if collides {
            self.touch(&given, link, (&shape, &pose), surface, named)?;
        }
        Ok(mass.map(|mass| mass.seen(pose.origin, pose.attitude)))
    }

    fn touch(
        &mut self,
        given: &Given<'a>,
        link: usize,
        (shape, pose): (&Shape, &Pose),
        surface: Surface,
        named: bool,
    ) -> Result<()> {
        let element = given.element;
        let called = match element.text("name") {
            Some(name) => format!("geom `{name}`"),
            None => format!("a geom of `{}`", self.links[link].name),
        };
        if given.has("surfacevel")? {
            return Err(
                element.error("a surface that moves by itself (`surfacevel`) is not supported")
            );
        }
        if matches!(surface.condim, 4 | 6) {
            self.notes.ignore(TURNING);
        }
        for left_out in ["adhesion", "margin", "gap"] {
            if given.has(left_out)? {
                self.notes.ignore(format!("`{left_out}` of geoms"));
            }
        }
        for left_out in ["solref", "solimp", "solmix"] {
            if given.get(left_out).is_some() {
                self.notes.ignore(format!("`{left_out}` of geoms"));
            }
        }
        let along = |half: f64| pose.attitude * (Vector::z() * half);
        let form = match shape {
            Shape::Plane => {
                let name = element.text("name").unwrap_or("ground").to_string();
                let (point, normal) = (pose.origin, along(1.0));
                self.remember(element, Touching::Wall(self.walls.len()));
                self.walls.push(Wall { name, link: Some(link), point, normal, surface });
                return Ok(());
            }
            Shape::Sphere(radius) => Form::Sphere { center: pose.origin, radius: *radius },
            Shape::Capsule(radius, half) => Form::Capsule {
                from: pose.origin - along(*half),
                to: pose.origin + along(*half),
                radius: *radius,
            },
            Shape::Cylinder(radius, half) => {
                cylinder(*radius, *half, pose, &called, &mut self.notes)
            }
            Shape::Box(half) => {
                Form::Box { sides: half * 2.0, center: pose.origin, attitude: pose.attitude }
            }
            Shape::Ellipsoid(_) => {
                return Err(element.error("ellipsoids that collide are not supported").hint(
                    "take a sphere or a capsule; contype=\"0\" conaffinity=\"0\" keeps its mass alone",
                ));
            }
            Shape::Mesh { mesh, .. } => {
                let points: Vec<Vector> = mesh.points.iter().map(|p| pose.point(*p)).collect();
                let name =
                    given.get("mesh").map_or(String::new(), |mesh| format!("`{}`", mesh.value));
                hull(&points, &element.place, (&name, &called), &mut self.notes)?
            }
        };
        self.remember(element, Touching::Geom(link, self.links[link].geoms.len()));
        self.links[link].geoms.push(Geom { form, surface, named });
        Ok(())
    }

    fn remember(&mut self, element: &Element, touching: Touching) {
        if let Some(name) = element.text("name") {
            self.geoms.insert(name.to_string(), touching);
        }
    }

    fn shape(&self, given: &Given<'a>) -> Result<(Shape, Pose)> {
        let element = given.element;
        let kind = given.get("type").map_or(Ok("sphere"), |kind| kind.word(&TYPES))?;
        let pose = self.compiler.pose(given)?;
        if let ("mesh", Some(name)) = (kind, given.get("mesh")) {
            let (mesh, shell) = self.meshes.get(name)?;
            return Ok((Shape::Mesh { mesh, shell }, pose));
        }
        match (kind, given.get("mesh")) {
            ("mesh", _) => return Err(element.error("the attribute `mesh` is missing")),
            ("hfield" | "sdf", _) => {
                return Err(element.error(format!("geoms of type `{kind}` are not supported")));
            }
            (_, Some(mesh)) => {
                return Err(mesh
                    .error(format!("a {kind} that is fitted to a mesh is not supported"))
                    .hint("state the size instead"));
            }
            ("plane", _) => return Ok((Shape::Plane, pose)),
            _ => {}
        }
        let size = |count: usize| {
            let size = given
                .get("size")
                .ok_or_else(|| element.error(format!("a {kind} needs a `size`")))?;
            let numbers = size.numbers()?;
            match numbers.get(..count).filter(|needed| needed.iter().all(|x| *x > 0.0)) {
                Some(needed) => Ok(needed.to_vec()),
                None => Err(size.error(format!("a {kind} has {count} sizes > 0"))),
            }
        };
        if let Some(ends) = given.get("fromto").filter(|_| kind != "sphere") {
            if let Some(other) = ORIENTATION.iter().chain(&["pos"]).find_map(|name| given.get(name))
            {
                return Err(other.error("`fromto` is given too"));
            }
            let [a, b, c, d, e, f] = ends.array()?;
            let (from, to) = (Vector::new(a, b, c), Vector::new(d, e, f));
            let (radius, half) = (size(1)?[0], 0.5 * (to - from).norm());
            let axis =
                (to - from).try_normalize(1e-14).ok_or_else(|| ends.error("the ends coincide"))?;
            let shape = match kind {
                "capsule" => Shape::Capsule(radius, half),
                "cylinder" => Shape::Cylinder(radius, half),
                "box" => Shape::Box(Vector::new(radius, radius, half)),
                _ => Shape::Ellipsoid(Vector::new(radius, radius, half)),
            };
            return Ok((shape, Pose { origin: (from + to) * 0.5, attitude: onto(axis) }));
        }
        let three = || size(3).map(|size| Vector::from_column_slice(&size));
        let two = || size(2).map(|size| (size[0], size[1]));
        let shape = match kind {
            "sphere" => Shape::Sphere(size(1)?[0]),
            "capsule" => two().map(|(radius, half)| Shape::Capsule(radius, half))?,
            "cylinder" => two().map(|(radius, half)| Shape::Cylinder(radius, half))?,
            "box" => Shape::Box(three()?),
            _ => Shape::Ellipsoid(three()?),
        };
        Ok((shape, pose))
    }
}

fn surface(given: &Given<'_>) -> Result<Surface> {
    let friction = given.get("friction").map_or(Ok(vec![1.0]), Attribute::numbers)?;
    let (condim, friction) = match (given.integer("condim", 3)?, friction.first()) {
        (condim @ (1 | 3 | 4 | 6), Some(&friction)) if friction >= 0.0 => (condim, friction),
        (1 | 3 | 4 | 6, _) => {
            return Err(given.element.error("`friction`: expected a number >= 0"));
        }
        (other, _) => {
            return Err(given.element.error(format!("`condim` is 1, 3, 4 or 6, found {other}")));
        }
    };
    Ok(Surface {
        contype: given.integer("contype", 1)?,
        conaffinity: given.integer("conaffinity", 1)?,
        condim,
        priority: given.integer("priority", 0)?,
        friction: Some(friction),
        restitution: None,
    })
}

/// The mass of a geom, in its frame.
fn mass(given: &Given<'_>, shape: &Shape) -> Result<Inertial> {
    let element = given.element;
    let (mass, density) = (given.get("mass"), given.number("density", 1000.0)?);
    let mass = mass.map(Attribute::number).transpose()?;
    if mass == Some(0.0) || mass.is_none() && density == 0.0 || matches!(shape, Shape::Plane) {
        return Ok(Inertial::default());
    }
    let shell = match shape {
        Shape::Mesh { shell, .. } => *shell,
        _ => given.get("shellinertia").map_or(Ok(false), Attribute::flag)?,
    };
    if shell {
        return Err(element
            .error("masses in the surface of a geom are not supported")
            .hint("give the body an <inertial>"));
    }
    let solid = match shape {
        Shape::Plane => return Ok(Inertial::default()),
        Shape::Sphere(radius) => Solid::sphere(*radius),
        Shape::Capsule(radius, half) => Solid::capsule(*radius, *half),
        Shape::Cylinder(radius, half) => Solid::cylinder(*radius, *half),
        Shape::Ellipsoid(half) => Solid::ellipsoid(*half),
        Shape::Box(half) => Solid::cuboid(*half),
        Shape::Mesh { mesh, .. } => mesh.solid().map_err(|error| element.place.locate(error))?,
    };
    let mass = mass.unwrap_or(density * solid.volume);
    Ok(Inertial { mass, centre: solid.centre, inertia: solid.gyration * mass })
}
