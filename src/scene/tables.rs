//! Tables of scene and motion files: their schemas and the keys of the reader follow from them.
#![allow(dead_code, reason = "their schemas are read")]

use std::collections::BTreeMap;

use carom_core::problem::Uncertainty;
use carom_core::schema::without_null;
use carom_mechanics::motion::{InclusionMotion, Lgvci, Midpoint};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::mechanism::ORDERS;
use super::spatial::JOINT;

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = computed)]
#[schemars(
    title = "A scene file of carom, in TOML or JSON: bodies, joints, shapes and walls, in SI units"
)]
pub(super) struct Scene {
    name: Option<String>,
    /// What happens; nothing reads it.
    description: Option<String>,
    #[schemars(extend("enum" = [2, 3]))]
    dimensions: Option<u32>,
    /// Numbers that the other tables may use in expressions.
    parameters: Option<BTreeMap<String, Given>>,
    friction: Option<Either<f64, Vec<f64>>>,
    restitution: Option<Either<f64, Vec<f64>>>,
    /// Impulse step in N s of the published steps.
    step: Option<f64>,
    /// Step limit of the published steps.
    #[schemars(range(min = 1))]
    max_steps: Option<u32>,
    uncertainty: Option<Uncertainty>,
    coordinates: Option<Vec<String>>,
    contact: Option<Contact>,
    walls: Option<Vec<Wall>>,
    bodies: Vec<Body>,
    pairs: Option<Vec<Pair>>,
}

/// A number, or a table with its bounds.
#[derive(JsonSchema)]
struct Given(Either<f64, Parameter>);

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = without_null)]
pub(super) struct Parameter {
    value: f64,
    min: Option<f64>,
    max: Option<f64>,
    /// The change that counts as 1 in a design.
    #[schemars(extend("exclusiveMinimum" = 0))]
    scale: Option<f64>,
    /// Whether a design may change the parameter.
    free: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(untagged, inline)]
enum Either<A, B> {
    One(A),
    Other(B),
}

/// An inertia: a number, the diagonal, or three rows.
type Tensor<T> = Either<T, Either<[T; 3], [[f64; 3]; 3]>>;

/// Two numbers in a plane, three in space.
#[derive(JsonSchema)]
#[schemars(transform = computed)]
struct Vector(#[schemars(length(min = 2, max = 3))] Vec<f64>);

#[derive(JsonSchema)]
#[schemars(transform = without_null)]
struct Rotation {
    rotation: Option<[f64; 3]>,
    rotation_deg: Option<[f64; 3]>,
    quaternion: Option<[f64; 4]>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = computed)]
pub(super) struct Contact {
    /// The largest gap of a contact, m.
    #[schemars(range(min = 0))]
    tolerance: Option<f64>,
    names: Option<Vec<String>>,
    /// A contact whose velocity is made 0.
    at_rest: Option<String>,
    /// In a plane.
    #[schemars(extend("enum" = ["perpendicular", "as-published"]))]
    tangent: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = computed)]
pub(super) struct Wall {
    name: String,
    point: Option<Vector>,
    /// The direction out of the wall.
    normal: Vector,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = computed)]
pub(super) struct Pair {
    /// Two bodies, or a body and a wall.
    between: [String; 2],
    friction: Option<f64>,
    restitution: Option<f64>,
    collide: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = computed)]
pub(super) struct Body {
    name: String,
    /// The body that carries the joint, or world.
    parent: Option<String>,
    #[schemars(extend("enum" = JOINT))]
    joint: Option<String>,
    anchor: Option<Vector>,
    axis: Option<Vector>,
    position: Option<Vector>,
    #[serde(flatten)]
    rotation: Rotation,
    angle: Option<f64>,
    angle_deg: Option<f64>,
    #[schemars(extend("enum" = ["parent", "world"]))]
    angle_from: Option<String>,
    /// m
    displacement: Option<f64>,
    velocity: Option<Vector>,
    angular_velocity: Option<Either<f64, Vector>>,
    /// m/s
    speed: Option<f64>,
    /// In space: added to the diagonal of the mass matrix, kg m^2 or kg.
    armature: Option<f64>,
    /// Mass in kg; 0 for a body that only carries others.
    mass: f64,
    center_of_mass: Option<Vector>,
    /// About the centre of mass, kg m^2.
    inertia: Option<Tensor<f64>>,
    shapes: Option<Vec<Shape>>,
}

/// A shape has one kind.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = computed, extend("oneOf" = kinds(&[
    "point", "rod", "sphere center", "capsule radius", "polygon", "polyhedron", "disk center",
    "box center angle angle_deg rotation rotation_deg quaternion",
])))]
pub(super) struct Shape {
    point: Option<Vector>,
    rod: Option<[Vector; 2]>,
    sphere: Option<f64>,
    capsule: Option<[Vector; 2]>,
    r#box: Option<Vector>,
    #[schemars(length(min = 3))]
    polygon: Option<Vec<Vector>>,
    #[schemars(length(min = 4, max = 128))]
    polyhedron: Option<Vec<Vector>>,
    disk: Option<f64>,
    center: Option<Vector>,
    /// Radius of a capsule, m.
    radius: Option<f64>,
    angle: Option<f64>,
    angle_deg: Option<f64>,
    #[serde(flatten)]
    rotation: Rotation,
}

#[derive(JsonSchema)]
#[schemars(untagged, title = "A motion file of carom: a rigid body over a plane, or a mechanism")]
pub(super) enum Motion {
    Rigid(Rigid),
    Mechanism(Mechanism),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = without_null)]
pub(super) struct Rigid {
    name: Option<String>,
    description: Option<String>,
    #[schemars(extend("enum" = [Lgvci::NAME]))]
    integrator: String,
    /// kg
    #[schemars(extend("exclusiveMinimum" = 0))]
    mass: f64,
    /// m/s^2, along -z; or a vector.
    gravity: Option<Either<f64, [f64; 3]>>,
    /// s
    #[schemars(extend("exclusiveMinimum" = 0))]
    time_step: f64,
    /// Steps where the command line does not say.
    #[schemars(range(min = 1))]
    steps: Option<u32>,
    /// Most collisions of a step.
    #[schemars(range(min = 1))]
    max_collisions: Option<u32>,
    /// About the mass centre, kg m^2. Left out: from the shapes at uniform density.
    inertia: Option<Tensor<Positive>>,
    plane: Option<Plane>,
    #[schemars(length(min = 1))]
    shapes: Vec<RigidShape>,
    state: State,
}

/// A rule by which the order of reflections is chosen.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Rule(#[schemars(extend("enum" = ORDERS))] String);

#[derive(JsonSchema)]
#[schemars(inline)]
struct Positive(#[schemars(extend("exclusiveMinimum" = 0))] f64);

/// The free side: normal . x + offset >= 0.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = without_null)]
pub(super) struct Plane {
    /// A unit vector.
    normal: Option<[f64; 3]>,
    /// m
    offset: Option<f64>,
}

/// A shape has one kind.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = without_null, extend("oneOf" = kinds(&[
    "ellipsoid center rotation rotation_deg quaternion",
    "box center rotation rotation_deg quaternion rounding",
    "polyhedron rounding", "intersection",
    "implicit center rotation rotation_deg quaternion",
    "support center rotation rotation_deg quaternion",
])))]
pub(super) struct RigidShape {
    /// Half axes, m.
    ellipsoid: Option<[Positive; 3]>,
    /// Half sides, m.
    r#box: Option<[Positive; 3]>,
    /// Corners, m.
    #[schemars(length(min = 4, max = 128))]
    polyhedron: Option<Vec<[f64; 3]>>,
    #[schemars(length(min = 1, max = 8))]
    intersection: Option<Vec<Ellipsoid>>,
    /// An expression of x, y, z that is <= 0 in the body.
    implicit: Option<String>,
    /// An expression of a unit vector x, y, z: how far the body reaches along it, m.
    support: Option<String>,
    center: Option<[f64; 3]>,
    /// m
    #[schemars(range(min = 0))]
    rounding: Option<f64>,
    #[serde(flatten)]
    rotation: Rotation,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = without_null)]
pub(super) struct Ellipsoid {
    /// Half axes, m.
    ellipsoid: [Positive; 3],
    center: Option<[f64; 3]>,
    #[serde(flatten)]
    rotation: Rotation,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = without_null)]
pub(super) struct State {
    /// Position of the mass centre, m.
    position: [f64; 3],
    /// Rows; body to world.
    attitude: Option<[[f64; 3]; 3]>,
    /// N s, in the world.
    momentum: Option<[f64; 3]>,
    /// N m s, about the mass centre, in the frame of the body.
    angular_momentum: Option<[f64; 3]>,
    #[serde(flatten)]
    rotation: Rotation,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = computed)]
pub(super) struct Mechanism {
    name: Option<String>,
    description: Option<String>,
    #[schemars(extend("enum" = [2, 3]))]
    dimensions: Option<u32>,
    /// Numbers that the other tables may use in expressions.
    parameters: Option<BTreeMap<String, Given>>,
    #[schemars(range(min = 0))]
    friction: f64,
    #[schemars(range(min = 0, max = 1))]
    restitution: Option<f64>,
    /// Names by which drives call the coordinates.
    coordinates: Option<Vec<String>>,
    contact: Option<Closing>,
    walls: Option<Vec<Wall>>,
    #[schemars(length(min = 1))]
    bodies: Vec<Body>,
    pairs: Option<Vec<Pair>>,
    #[schemars(extend("enum" = [Midpoint::NAME, InclusionMotion::NAME]))]
    integrator: String,
    /// m/s^2, along -y, in space along -z; or a vector.
    gravity: Option<Either<f64, Vector>>,
    /// s
    #[schemars(extend("exclusiveMinimum" = 0))]
    time_step: f64,
    /// Steps where the command line does not say.
    #[schemars(range(min = 1))]
    steps: Option<u32>,
    /// The law of impacts, by its name.
    law: Option<String>,
    /// The order of reflections, with the law propagative.
    order: Option<Either<Rule, Vec<String>>>,
    /// Seed of a law that is sampled.
    seed: Option<u32>,
    /// Most impacts of a step; after more, contacts are sustained, or the motion by the inclusion
    /// ends.
    #[schemars(range(min = 1))]
    max_impacts: Option<u32>,
    drives: Option<Vec<Drive>>,
    forces: Option<Vec<Force>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = computed)]
struct Closing {
    /// m
    #[schemars(extend("exclusiveMinimum" = 0))]
    tolerance: Option<f64>,
}

/// A force -k (q - rest) - d (q' - rate) + f on a coordinate.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = computed)]
pub(super) struct Drive {
    coordinate: String,
    /// N/m or N m/rad
    #[schemars(range(min = 0))]
    stiffness: Option<f64>,
    /// N s/m or N m s/rad
    #[schemars(range(min = 0))]
    damping: Option<f64>,
    /// m or rad
    rest: Option<f64>,
    /// m/s or rad/s
    rate: Option<f64>,
    /// N or N m
    force: Option<f64>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = computed)]
pub(super) struct Force {
    body: String,
    /// In the frame of the body, m.
    point: Option<Vector>,
    /// In the world, N.
    force: Vector,
}

/// In a scene numbers may be expressions of the parameters.
fn computed(schema: &mut Schema) {
    without_null(schema);
    schema.as_object_mut().into_iter().flat_map(|keys| keys.values_mut()).for_each(expressions);
}

/// Lets texts stand for numbers.
pub(super) fn expressions(of: &mut Value) {
    match of {
        Value::Object(keys) => {
            if let Some(kind) =
                keys.get_mut("type").filter(|kind| *kind == "number" || *kind == "integer")
            {
                *kind = json!([kind, "string"]);
            }
            keys.values_mut().for_each(expressions);
        }
        Value::Array(list) => list.iter_mut().for_each(expressions),
        _ => {}
    }
}

/// The variants of a table: the first key of a list is required, its other keys are optional.
fn kinds(lists: &[&str]) -> Value {
    let form = |list: &&str| {
        let keys = list.split(' ').map(|key| (key.to_string(), json!({})));
        let (keys, kind) = (Map::from_iter(keys), list.split(' ').next());
        json!({ "properties": keys, "required": [kind], "additionalProperties": false })
    };
    lists.iter().map(form).collect()
}
