use carom_core::error::Result;
use carom_mechanics::model::spatial;
use carom_mechanics::model::spatial::Spatial;
use carom_mechanics::model::{Contact, Motion, Planar, Vector};

/// A point in the world in m, a direction, or a velocity; in a planar scene the third number is 0.
pub type ScenePlace = [f64; 3];

/// The bodies, walls and contacts of a scene before the impact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenery {
    /// Whether the scene is in space.
    pub spatial: bool,
    /// The shapes of the bodies.
    pub shapes: Vec<Solid>,
    /// Lines from the joints of bodies to their child joints and points.
    pub links: Vec<[ScenePlace; 2]>,
    /// A point of each wall, and its unit normal.
    pub walls: Vec<[ScenePlace; 2]>,
    /// The point of each contact, and its unit normal.
    pub contacts: Vec<[ScenePlace; 2]>,
    /// The mass centre of each body that has a mass, and its velocity in m/s.
    pub velocities: Vec<[ScenePlace; 2]>,
}

/// A convex shape: all points within `radius` of the hull of its vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// The vertices.
    pub vertices: Vec<ScenePlace>,
    /// The rounding radius in m.
    pub radius: f64,
    /// The edges, in space.
    pub edges: Vec<[ScenePlace; 2]>,
}

/// The bodies and walls of a scene, and its configuration.
#[derive(Clone, Debug)]
pub enum Cast {
    /// A planar scene.
    Planar {
        /// The bodies and walls.
        model: Planar,
        /// The configuration.
        position: Vec<f64>,
        /// The largest gap of a contact, in m.
        tolerance: f64,
    },
    /// A scene in space.
    Spatial {
        /// The bodies and walls.
        model: Spatial,
        /// The configuration.
        position: Vec<f64>,
        /// The largest gap of a contact, in m.
        tolerance: f64,
    },
}

impl Cast {
    /// All shapes, joints, contacts and velocities of a scene.
    ///
    /// # Errors
    /// Bodies that touch nothing, or overlap.
    pub fn scenery(&self, velocity: Vec<f64>) -> Result<Scenery> {
        let motion = |position: &Vec<f64>| Motion { position: position.clone(), velocity };
        Ok(match self {
            Cast::Planar { model, position, tolerance } => {
                let contacts = model.contacts(&model.poses(position), *tolerance)?;
                planar(model, &motion(position), &contacts)
            }
            Cast::Spatial { model, position, tolerance } => {
                let contacts = model.contacts(&model.poses(position), *tolerance)?;
                spatial(model, &motion(position), &contacts)
            }
        })
    }

    /// The scenery of another configuration, without contacts.
    pub fn at(&self, position: Vec<f64>, velocity: Vec<f64>) -> Scenery {
        let motion = Motion { position, velocity };
        match self {
            Cast::Planar { model, .. } => planar(model, &motion, &[]),
            Cast::Spatial { model, .. } => spatial(model, &motion, &[]),
        }
    }

    /// The configuration after the time `t` (s) at constant rates `v` (n) of the coordinates.
    pub fn moved(&self, v: &[f64], t: f64) -> Vec<f64> {
        match self {
            Cast::Planar { position, .. } => {
                position.iter().zip(v).map(|(q, v)| q + v * t).collect()
            }
            Cast::Spatial { model, position, .. } => model.flowed(position, v, t),
        }
    }

    /// The configuration of the scene.
    pub fn position(&self) -> &[f64] {
        match self {
            Cast::Planar { position, .. } | Cast::Spatial { position, .. } => position,
        }
    }

    /// The mass centres of bodies and the vertices of their shapes at a configuration.
    pub fn corners(&self, q: &[f64]) -> Vec<ScenePlace> {
        let mut corners = Vec::new();
        match self {
            Cast::Planar { model, .. } => {
                for (body, pose) in model.bodies().iter().zip(model.poses(q)) {
                    let vertices = body.shapes.iter().flat_map(|shape| shape.vertices()).copied();
                    let points = vertices.chain([body.center_of_mass]).map(|v| pose.point(v));
                    corners.extend(points.map(|p| [p.x, p.y, 0.0]));
                }
            }
            Cast::Spatial { model, .. } => {
                for (body, pose) in model.bodies().iter().zip(model.poses(q)) {
                    let vertices = body.shapes.iter().flat_map(|shape| shape.vertices()).copied();
                    corners.extend(
                        vertices
                            .chain([body.center_of_mass])
                            .map(|v| ScenePlace::from(pose.point(v))),
                    );
                }
            }
        }
        corners
    }
}

fn planar(model: &Planar, motion: &Motion, contacts: &[Contact]) -> Scenery {
    let place = |v: Vector| [v.x, v.y, 0.0];
    let poses = model.poses(&motion.position);
    let mut scenery = Scenery {
        walls: model.walls().iter().map(|wall| [place(wall.point), place(wall.normal)]).collect(),
        contacts: contacts.iter().map(|c| [place(c.touch.point), place(c.touch.normal)]).collect(),
        ..Scenery::default()
    };
    for (i, (body, pose)) in model.bodies().iter().zip(&poses).enumerate() {
        let shapes = body.shapes.iter().map(|shape| shape.placed(pose));
        let solids = shapes.map(|shape| Solid {
            vertices: shape.vertices().iter().copied().map(place).collect(),
            radius: shape.radius(),
            edges: Vec::new(),
        });
        let center = pose.point(body.center_of_mass);
        let velocity = (model.columns(&poses, i, center).iter())
            .fold(Vector::zeros(), |sum, c| sum + c.velocity * motion.velocity[c.coordinate]);
        let parent = body.parent.map(|parent| place(poses[parent].origin));
        let joints = (place(pose.origin), parent);
        scenery.body(solids.collect(), joints, body.mass, [place(center), place(velocity)]);
    }
    scenery
}

fn spatial(model: &Spatial, motion: &Motion, contacts: &[spatial::Contact]) -> Scenery {
    let place = |v: spatial::Vector| [v.x, v.y, v.z];
    let poses = model.poses(&motion.position);
    let mut scenery = Scenery {
        spatial: true,
        walls: model.walls().iter().map(|wall| [place(wall.point), place(wall.normal)]).collect(),
        contacts: contacts.iter().map(|c| [place(c.touch.point), place(c.touch.normal)]).collect(),
        ..Scenery::default()
    };
    for (i, (body, pose)) in model.bodies().iter().zip(&poses).enumerate() {
        let shapes = body.shapes.iter().map(|shape| shape.placed(pose));
        let solids = shapes.map(|shape| Solid {
            vertices: shape.vertices().iter().copied().map(place).collect(),
            radius: shape.radius(),
            edges: shape.edges().map(|(a, b)| [place(a), place(b)]).collect(),
        });
        let center = pose.point(body.center_of_mass);
        let velocity = (model.columns(&poses, i, center).iter())
            .fold(spatial::Vector::zeros(), |sum, c| {
                sum + c.velocity * motion.velocity[c.coordinate]
            });
        let parent = body.parent.map(|parent| place(poses[parent].origin));
        let joints = (place(pose.origin), parent);
        scenery.body(solids.collect(), joints, body.mass, [place(center), place(velocity)]);
    }
    scenery
}

impl Scenery {
    /// Bounding box of shapes, joints and contacts, in m.
    pub fn bounds(&self) -> [ScenePlace; 2] {
        let solids = self.shapes.iter().flat_map(|solid| {
            solid
                .vertices
                .iter()
                .flat_map(|v| [-1.0, 1.0].map(|side| v.map(|x| x + side * solid.radius)))
        });
        let rest = self.links.iter().flatten().chain(self.contacts.iter().map(|[point, _]| point));
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for place in solids.chain(rest.copied()) {
            for i in 0..3 {
                (low[i], high[i]) = (low[i].min(place[i]), high[i].max(place[i]));
            }
        }
        [low, high]
    }

    /// The largest side of the bounding box in m; 1 for a single point.
    pub fn size(&self) -> f64 {
        let [low, high] = self.bounds();
        let size = (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max);
        if size > 0.0 { size } else { 1.0 }
    }

    /// Adds a body: shapes, positions of its joint and of its parent's joint, mass, mass centre and
    /// velocity.
    fn body(
        &mut self,
        solids: Vec<Solid>,
        joints: (ScenePlace, Option<ScenePlace>),
        mass: f64,
        motion: [ScenePlace; 2],
    ) {
        if let (joint, Some(parent)) = joints {
            let ends = solids
                .iter()
                .filter(|solid| solid.vertices.len() == 1)
                .map(|solid| [joint, solid.vertices[0]]);
            self.links.extend(ends.chain([[parent, joint]]).filter(|[a, b]| a != b));
        }
        if mass > 0.0 {
            self.velocities.push(motion);
        }
        self.shapes.extend(solids);
    }
}
