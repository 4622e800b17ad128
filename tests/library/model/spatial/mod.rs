//! Models in space.

mod contacts;
mod distances;
mod dynamics;
mod frames;
mod mechanisms;
mod random_models;
mod shapes;

use crate::prelude::*;
use carom::model::spatial::{
    Attitude, Body, HalfSpace, Joint, Matrix, Pose, Shape, Spatial, Vector, touches,
};

/// The material point of a body that is at `point` in one pose, in another pose.
fn carried(point: Vector, from: &Pose, to: &Pose) -> Vector {
    to.point(from.attitude.inverse() * (point - from.origin))
}

fn box_at(sides: [f64; 3], center: [f64; 3]) -> Shape {
    Shape::cuboid(sides.into(), center.into(), Attitude::identity()).expect("a box")
}

fn at(x: f64, y: f64, z: f64) -> Vector {
    Vector::new(x, y, z)
}

fn floor() -> HalfSpace {
    HalfSpace { name: "floor".into(), point: Vector::zeros(), normal: Vector::z() }
}
