//! Random shapes, bodies and models, reproducible.

use super::*;
use carom::model::spatial::HalfSpace;
use nalgebra::Quaternion;

pub type Models = crate::model::Models<3>;

impl Models {
    pub fn vector(&mut self, size: f64) -> Vector {
        Vector::from_fn(|_, _| self.uniform(-size, size))
    }
    pub fn attitude(&mut self) -> Attitude {
        let mut x = || self.uniform(-1.0, 1.0);
        Attitude::from_quaternion(Quaternion::new(x(), x(), x(), x()))
    }
    pub fn pose(&mut self, size: f64) -> Pose {
        Pose { origin: self.vector(size), attitude: self.attitude() }
    }
    pub fn shape(&mut self) -> Shape {
        let at = self.vector(0.5);
        let to = at + Vector::new(1.0, self.uniform(-1.0, 1.0), self.uniform(-1.0, 1.0));
        match self.below(6) {
            0 => Shape::point(at),
            1 => Shape::rod(at, to),
            2 => Shape::sphere(at, self.uniform(0.2, 0.6)),
            3 => Shape::capsule(at, to, self.uniform(0.1, 0.4)),
            4 => Shape::cuboid(Vector::from_fn(|_, _| self.uniform(0.3, 1.0)), at, self.attitude()),
            _ => {
                let apex = Vector::new(self.uniform(0.2, 0.45), self.uniform(0.2, 0.45), 1.0);
                let base = [at, at + Vector::new(1.0, 0.1, 0.0), at + Vector::new(0.1, 1.0, 0.0)];
                Shape::polyhedron(
                    [&base[..], &[at + apex, at + Vector::new(0.35, 0.35, -0.5)]].concat(),
                )
            }
        }
        .expect("a valid shape")
    }
    pub fn joint(&mut self) -> Joint {
        let axis = self.vector(1.0).normalize();
        match self.below(5) {
            0 => Joint::Translating,
            1 => Joint::Revolute { axis },
            2 => Joint::Prismatic { axis },
            3 => Joint::Spherical,
            _ => Joint::Fixed,
        }
    }
    /// A body made of point masses: the body, and the points with their masses.
    pub fn body(&mut self, name: &str, shape: Shape) -> (Body, Vec<(Vector, f64)>) {
        let points: Vec<_> = (0..5).map(|_| (self.vector(0.7), self.uniform(0.1, 1.0))).collect();
        let mass: f64 = points.iter().map(|(_, m)| m).sum();
        let center = points.iter().map(|(p, m)| p * *m).sum::<Vector>() / mass;
        let inertia = points
            .iter()
            .map(|(p, m)| {
                let r = p - center;
                (Matrix::identity() * r.norm_squared() - r * r.transpose()) * *m
            })
            .sum::<Matrix>();
        let body =
            Body { mass, inertia, center_of_mass: center, ..Body::uniform(name, 1.0, shape) };
        (body, points)
    }
    /// A random forest: six bodies on random joints of the world or of an earlier body, above a
    /// slanted wall; and the point masses of each body.
    pub fn model(&mut self) -> (Spatial, Vec<Vec<(Vector, f64)>>) {
        let (mut bodies, mut masses) = (Vec::new(), Vec::new());
        for i in 0..6 {
            let shape = self.shape();
            let (body, points) = self.body(&format!("body {i}"), shape);
            let floats = i == 0 || self.below(5) == 0;
            bodies.push(if floats {
                body.on(None, self.vector(1.0), Joint::Floating)
            } else {
                let parent = if self.below(5) == 0 { None } else { Some(self.below(i)) };
                Body { offset: self.attitude(), ..body.on(parent, self.vector(1.0), self.joint()) }
            });
            masses.push(points);
        }
        let normal = self.vector(1.0).normalize();
        let wall = HalfSpace { name: "wall".into(), point: normal * -20.0, normal };
        (Spatial::new(bodies, vec![wall]).expect("a valid model"), masses)
    }
    /// A configuration of a model, with unit quaternions.
    pub fn configuration(&mut self, model: &Spatial) -> Vec<f64> {
        let mut q = Vec::new();
        for body in model.bodies() {
            let turn = self.attitude();
            let turn = [turn.w, turn.i, turn.j, turn.k];
            match body.joint {
                Joint::Floating => q.extend([&self.numbers(3)[..], &turn].concat()),
                Joint::Spherical => q.extend(turn),
                joint => q.extend(self.numbers(joint.positions())),
            }
        }
        assert_eq!(q.len(), model.position_count());
        q
    }
}
