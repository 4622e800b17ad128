//! Models in space: mass matrices, Jacobians and gaps against finite differences, point masses, sampled surfaces, closed
//! forms, planar models and golden numbers.

use std::f64::consts::PI;

use carom::model::spatial::{
    Attitude, Body, Contact, HalfSpace, Joint, Matrix, Pose, Shape, Spatial, Touch, Vector, separation,
    tangents, touches,
};
use carom::model::{self, Motion, Planar, Surface};
use carom::problem::ContactProblem;
use carom::scene;
use nalgebra::{DMatrix, DVector, Quaternion};

/// A small linear congruential generator (Knuth's MMIX constants), for reproducible random models.
struct Lcg(u64);

impl Lcg {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.bits() as f64 / (1u64 << 31) as f64
    }
    fn below(&mut self, count: usize) -> usize {
        self.bits() as usize % count
    }
    fn vector(&mut self, size: f64) -> Vector {
        Vector::from_fn(|_, _| self.between(-size, size))
    }
    fn vectors(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.between(-1.0, 1.0)).collect()
    }
    fn attitude(&mut self) -> Attitude {
        let mut x = || self.between(-1.0, 1.0);
        Attitude::from_quaternion(Quaternion::new(x(), x(), x(), x()))
    }
    fn pose(&mut self, size: f64) -> Pose {
        Pose { origin: self.vector(size), attitude: self.attitude() }
    }
    fn shape(&mut self) -> Shape {
        let at = self.vector(0.5);
        let to = at + Vector::new(1.0, self.between(-1.0, 1.0), self.between(-1.0, 1.0));
        match self.below(6) {
            0 => Shape::point(at),
            1 => Shape::rod(at, to),
            2 => Shape::sphere(at, self.between(0.2, 0.6)),
            3 => Shape::capsule(at, to, self.between(0.1, 0.4)),
            4 => Shape::cuboid(Vector::from_fn(|_, _| self.between(0.3, 1.0)), at, self.attitude()),
            _ => {
                let apex = Vector::new(self.between(0.2, 0.45), self.between(0.2, 0.45), 1.0);
                let base = [at, at + Vector::new(1.0, 0.1, 0.0), at + Vector::new(0.1, 1.0, 0.0)];
                Shape::polyhedron([&base[..], &[at + apex, at + Vector::new(0.35, 0.35, -0.5)]].concat())
            }
        }
        .expect("a valid shape")
    }
    fn joint(&mut self) -> Joint {
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
    fn body(&mut self, name: &str, shape: Shape) -> (Body, Vec<(Vector, f64)>) {
        let points: Vec<_> = (0..5).map(|_| (self.vector(0.7), self.between(0.1, 1.0))).collect();
        let mass: f64 = points.iter().map(|(_, m)| m).sum();
        let center = points.iter().map(|(p, m)| p * *m).sum::<Vector>() / mass;
        let inertia = points
            .iter()
            .map(|(p, m)| {
                let r = p - center;
                (Matrix::identity() * r.norm_squared() - r * r.transpose()) * *m
            })
            .sum::<Matrix>();
        let body = Body { mass, inertia, center_of_mass: center, ..Body::uniform(name, 1.0, shape) };
        (body, points)
    }
    /// A random forest: six bodies on random joints of the world or of an earlier body, above a slanted wall; and the
    /// point masses of each body.
    fn model(&mut self) -> (Spatial, Vec<Vec<(Vector, f64)>>) {
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
    fn configuration(&mut self, model: &Spatial) -> Vec<f64> {
        let mut q = Vec::new();
        for body in model.bodies() {
            let turn = self.attitude();
            let turn = [turn.w, turn.i, turn.j, turn.k];
            match body.joint {
                Joint::Floating => q.extend([&self.vectors(3)[..], &turn].concat()),
                Joint::Spherical => q.extend(turn),
                joint => q.extend(self.vectors(joint.positions())),
            }
        }
        assert_eq!(q.len(), model.position_count());
        q
    }
}

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

#[test]
fn mass_matrix_gives_the_kinetic_energy_of_point_masses() {
    let mut random = Lcg(1);
    for case in 0..200 {
        let (model, masses) = random.model();
        let (q, v) = (random.configuration(&model), random.vectors(model.coordinate_count()));
        let mass = model.mass_matrix(&model.poses(&q));
        let eps = 1e-5;
        let ahead = model.poses(&model.flowed(&q, &v, eps));
        let behind = model.poses(&model.flowed(&q, &v, -eps));
        let mut energy = 0.0;
        for (i, points) in masses.iter().enumerate() {
            for (point, m) in points {
                let velocity = (ahead[i].point(*point) - behind[i].point(*point)) / (2.0 * eps);
                energy += 0.5 * m * velocity.norm_squared();
            }
        }
        let v = DVector::from_vec(v);
        let found = 0.5 * v.dot(&(&mass * &v));
        assert!((found - energy).abs() <= 1e-7 * (1.0 + energy), "case {case}: {found} != {energy}");
        assert!((&mass - mass.transpose()).amax() <= 1e-13 * mass.amax(), "case {case}");
    }
}

/// What the entries of a velocity mean, without the library's own flow: the product of exponentials in matrices.
#[test]
fn velocities_are_those_of_the_mass_centre_and_of_the_attitude() {
    let mut random = Lcg(2);
    let cross = |w: Vector| Matrix::new(0.0, -w.z, w.y, w.z, 0.0, -w.x, -w.y, w.x, 0.0);
    for _ in 0..50 {
        let shape = random.shape();
        let (root, _) = random.body("root", shape.clone());
        let (arm, _) = random.body("arm", shape);
        let arm = Body { offset: random.attitude(), ..arm.on(Some(0), random.vector(1.0), Joint::Spherical) };
        let model = Spatial::new(vec![root, arm], vec![]).expect("a valid model");
        let (q, v) = (random.configuration(&model), random.vectors(9));
        let eps = 1e-6;
        let (here, ahead) = (model.poses(&q), model.poses(&model.flowed(&q, &v, eps)));
        let behind = model.poses(&model.flowed(&q, &v, -eps));
        let rate = |i: usize| {
            let matrix = |pose: &Pose| pose.attitude.to_rotation_matrix().into_inner();
            (matrix(&ahead[i]) - matrix(&behind[i])) * matrix(&here[i]).transpose() / (2.0 * eps)
        };
        let center = |pose: &Pose| pose.point(model.bodies()[0].center_of_mass);
        let (linear, angular) = (at(v[0], v[1], v[2]), at(v[3], v[4], v[5]));
        assert!(((center(&ahead[0]) - center(&behind[0])) / (2.0 * eps) - linear).norm() < 1e-9);
        assert!((rate(0) - cross(angular)).amax() < 1e-8);
        // The arm's rates are along the root's axes.
        let relative = here[0].direction(at(v[6], v[7], v[8]));
        assert!((rate(1) - cross(angular + relative)).amax() < 1e-8);
    }
}

#[test]
fn a_free_body_has_a_diagonal_mass_matrix() {
    let cube = Body::uniform("cube", 3.0, box_at([2.0, 2.0, 2.0], [0.5, 0.0, 0.0]));
    let model = Spatial::new(vec![cube], vec![]).expect("a valid model");
    let mut random = Lcg(3);
    let q = random.configuration(&model);
    let mass = model.mass_matrix(&model.poses(&q));
    let expected = DMatrix::from_diagonal(&DVector::from_vec(vec![3.0, 3.0, 3.0, 2.0, 2.0, 2.0]));
    assert!((mass - expected).amax() < 1e-14);
}

#[test]
fn contact_rows_are_rates_of_gaps_and_of_sliding() {
    let mut random = Lcg(4);
    let eps = 1e-6;
    let (mut walls, mut pairs) = (0, 0);
    for case in 0..120 {
        let (model, _) = random.model();
        let (q, v) = (random.configuration(&model), random.vectors(model.coordinate_count()));
        let here = model.poses(&q);
        let (ahead, behind) =
            (model.poses(&model.flowed(&q, &v, eps)), model.poses(&model.flowed(&q, &v, -eps)));
        let mut contacts = Vec::new();
        let place = |i: usize, poses: &[Pose]| model.bodies()[i].shapes[0].placed(&poses[i]);
        for j in 0..model.bodies().len() {
            let wall = &model.walls()[0];
            for (k, touch) in wall.touches(&place(j, &here)).enumerate() {
                let gap =
                    |poses: &[Pose]| wall.touches(&place(j, poses)).nth(k).expect("the same vertex").gap;
                let rate = (gap(&ahead) - gap(&behind)) / (2.0 * eps);
                contacts.push((Contact { first: Surface::Wall(0), second: j, touch }, rate));
                walls += 1;
            }
            for i in 0..j {
                let gap = |poses: &[Pose]| separation(&place(i, poses), &place(j, poses));
                let found = touches(&place(i, &here), &place(j, &here), 10.0);
                let least = found.into_iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
                // The rate is two-sided where the same two features stay nearest, which the differences show.
                let (fore, back) = ((gap(&ahead) - gap(&here)) / eps, (gap(&here) - gap(&behind)) / eps);
                if let Some(touch) = least
                    && gap(&here) > 1e-2
                    && (gap(&here) - touch.gap).abs() < 1e-12
                    && (fore - back).abs() < 1e-5
                {
                    contacts
                        .push((Contact { first: Surface::Body(i), second: j, touch }, (fore + back) / 2.0));
                    pairs += 1;
                }
            }
        }
        let (list, rates): (Vec<_>, Vec<_>) = contacts.into_iter().unzip();
        let normal = model.normal_rows(&here, &list) * DVector::from_vec(v.clone());
        let tangent = model.tangent_rows(&here, &list) * DVector::from_vec(v.clone());
        for (k, contact) in list.iter().enumerate() {
            let (found, rate) = (normal[k], rates[k]);
            assert!((found - rate).abs() < 1e-5, "case {case}: {found} != {rate}, {contact:?}");
            let drift = |i: usize| {
                let point = contact.touch.point;
                (carried(point, &here[i], &ahead[i]) - carried(point, &here[i], &behind[i])) / (2.0 * eps)
            };
            let first = if let Surface::Body(i) = contact.first { drift(i) } else { Vector::zeros() };
            for (d, along) in tangents(contact.touch.normal).iter().enumerate() {
                let (found, sliding) = (tangent[2 * k + d], along.dot(&(drift(contact.second) - first)));
                assert!((found - sliding).abs() < 1e-6, "case {case}: {found} != {sliding}");
            }
        }
    }
    assert!(walls > 1000 && pairs > 500, "{walls} {pairs}");
}

#[test]
fn tangents_make_a_right_handed_frame() {
    let mut random = Lcg(5);
    let close = |a: Vector, b: Vector| (a - b).norm() < 1e-15;
    let [t1, t2] = tangents(Vector::z());
    assert!(close(t1, Vector::x()) && close(t2, Vector::y()));
    for case in 0..300 {
        let normal = match case {
            0..6 => Vector::from_fn(|i, _| if i == case / 2 { 1.0 - 2.0 * (case % 2) as f64 } else { 0.0 }),
            _ => random.vector(1.0).normalize(),
        };
        let [t1, t2] = tangents(normal);
        let frame = Matrix::from_columns(&[t1, t2, normal]);
        assert!((frame.transpose() * frame - Matrix::identity()).amax() < 1e-14);
        assert!((frame.determinant() - 1.0).abs() < 1e-14);
    }
}

/// The boundary of a shape's hull in points, with their largest distance from each other.
fn boundary(shape: &Shape) -> (Vec<Vector>, f64) {
    let mut points = shape.vertices().to_vec();
    let mut spacing = 0.0_f64;
    let parts = 36;
    let share = |k: usize| k as f64 / parts as f64;
    for (a, b) in shape.edges() {
        points.extend((1..parts).map(|k| a + (b - a) * share(k)));
        spacing = spacing.max((b - a).norm() / parts as f64);
    }
    for face in shape.faces() {
        let corners: Vec<_> = shape.corners(face).collect();
        for pair in corners[1..].windows(2) {
            let (a, b, c) = (corners[0], pair[0], pair[1]);
            for i in 0..=parts {
                points.extend((0..=parts - i).map(|j| a + (b - a) * share(i) + (c - a) * share(j)));
            }
            spacing = spacing.max(((b - a).norm() + (c - a).norm()) / parts as f64);
        }
    }
    (points, spacing)
}

#[test]
fn separation_is_the_distance() {
    let mut random = Lcg(6);
    let (mut apart, mut overlaps) = (0, 0);
    for case in 0..80 {
        let a = random.shape().placed(&random.pose(0.1));
        let b = random.shape().placed(&random.pose([0.3, 1.5][case % 2]));
        let gap = separation(&a, &b);
        assert!((gap - separation(&b, &a)).abs() < 1e-12);
        let radii = a.radius() + b.radius();
        if gap + radii > 1e-9 {
            let ((p, hp), (q, hq)) = (boundary(&a), boundary(&b));
            // Thin the denser one out: the sum over pairs is what costs.
            let brute = p
                .iter()
                .step_by(if p.len() > 1000 { 3 } else { 1 })
                .flat_map(|p| q.iter().map(move |q| (p - q).norm_squared()))
                .fold(f64::INFINITY, f64::min)
                .sqrt()
                - radii;
            let slack = 3.0 * hp + hq + 1e-12;
            assert!(gap <= brute + 1e-12 && gap >= brute - slack, "case {case}: {gap} != {brute}");
            // The closest places are among the touches, or ones that are as close as the shapes' size allows to tell.
            let least = touches(&a, &b, 10.0).iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
            let points = a.vertices().len() + b.vertices().len() == 2 && radii == 0.0;
            assert!(points || (least - gap).abs() < 1e-5, "case {case}: {least} {gap}");
            apart += 1;
        }
        if gap < -1e-9 && a.faces().len() + b.faces().len() > 0 {
            // No displacement shorter than the depth separates, and one of this length along the normal does.
            let shift = |by: Vector| b.placed(&Pose { origin: by, attitude: Attitude::identity() });
            for _ in 0..100 {
                let along = random.vector(1.0).normalize();
                let inside = separation(&a, &shift(along * (-gap * (1.0 - 1e-9))));
                assert!(inside <= 1e-9, "case {case}: {inside}");
            }
            let normal = touches(&a, &b, 0.0)[0].normal;
            let free = separation(&a, &shift(normal * -gap));
            assert!(free.abs() < 1e-9, "case {case}: {free}");
            overlaps += 1;
        }
    }
    assert!(apart > 40 && overlaps > 8, "{apart} {overlaps}");
}

/// The faces of a hull, by their planes: an oracle that looks at every triple of points.
#[test]
fn hulls_are_convex_and_closed() {
    let mut random = Lcg(7);
    for case in 0..60 {
        // Points on a sphere are all corners.
        let points: Vec<Vector> = (0..4 + case % 30).map(|_| random.vector(1.0).normalize()).collect();
        let Ok(shape) = Shape::polyhedron(points.clone()) else { panic!("case {case}") };
        let mut sides = std::collections::BTreeMap::new();
        for face in shape.faces() {
            let plane = face.normal.dot(&points[face.corners[0]]);
            assert!(points.iter().all(|p| face.normal.dot(p) <= plane + 1e-9), "case {case}");
            for i in 0..face.corners.len() {
                let side = (face.corners[i], face.corners[(i + 1) % face.corners.len()]);
                assert!(sides.insert(side, ()).is_none(), "case {case}: a side twice the same way round");
            }
        }
        // Every edge is a side of two faces, once each way round.
        assert!(sides.keys().all(|(a, b)| sides.contains_key(&(*b, *a))), "case {case}");
        assert_eq!(sides.len(), 2 * shape.edges().count());
    }
    let cube = box_at([1.0, 2.0, 3.0], [0.0; 3]);
    assert_eq!((cube.faces().len(), cube.edges().count()), (6, 12));
    assert!(cube.faces().iter().all(|face| face.corners.len() == 4));
}

#[test]
fn moments_of_inertia_have_their_closed_forms() {
    let corner = at(7.0, -3.0, 2.0);
    let tetrahedron = vec![corner, corner + Vector::x(), corner + Vector::y(), corner + Vector::z()];
    let s = |x: f64| x * x;
    let regular = |a: f64| {
        [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)]
            .map(|(x, y, z)| at(x, y, z) * (a / 8f64.sqrt()))
            .to_vec()
    };
    let diagonal = |x: f64, y: f64, z: f64| Matrix::from_diagonal(&at(x, y, z));
    for (shape, expected, centroid) in [
        (Shape::point(corner), Matrix::zeros(), corner),
        (Shape::sphere(corner, 3.0), Matrix::identity() * 3.6, corner),
        (Shape::rod(corner, corner + at(0.0, 0.0, 2.0)), diagonal(1.0, 1.0, 0.0) / 3.0, at(7.0, -3.0, 3.0)),
        (
            Ok(box_at([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])),
            diagonal(s(2.0) + s(3.0), s(1.0) + s(3.0), s(1.0) + s(2.0)) / 12.0,
            at(4.0, 5.0, 6.0),
        ),
        // A regular tetrahedron with the side a: a^2/20.
        (Shape::polyhedron(regular(2.0)), Matrix::identity() * 0.2, Vector::zeros()),
        // The corner of a cube: 3/40 on the diagonal, 1/80 off it.
        (
            Shape::polyhedron(tetrahedron),
            Matrix::from_element(1.0 / 80.0) + Matrix::identity() * (3.0 / 40.0 - 1.0 / 80.0),
            corner + at(0.25, 0.25, 0.25),
        ),
    ] {
        let shape = shape.expect("a valid shape");
        let off = (shape.gyration() - expected).amax();
        assert!(off < 1e-12, "{shape:?}: {}", shape.gyration());
        assert!((shape.centroid() - centroid).norm() < 1e-12, "{shape:?}");
    }
}

/// Capsules and polyhedra in general position, filled with small cubes.
#[test]
fn moments_of_inertia_are_those_of_many_small_cubes() {
    let mut random = Lcg(8);
    let capsule = Shape::capsule(at(0.1, 0.0, 0.2), at(0.4, 0.5, -0.1), 0.3).expect("a capsule");
    let points = (0..12).map(|_| random.vector(1.0).normalize() * 0.6).collect();
    let polyhedron = Shape::polyhedron(points).expect("a polyhedron");
    for shape in [capsule, polyhedron] {
        let (h, parts) = (1.8 / 120.0, 120);
        let inside = |p: Vector| match shape.vertices() {
            [a, b] => {
                let along = b - a;
                let s = (along.dot(&(p - a)) / along.norm_squared()).clamp(0.0, 1.0);
                (p - a - along * s).norm() <= shape.radius()
            }
            vertices => shape.faces().iter().all(|f| f.normal.dot(&(p - vertices[f.corners[0]])) <= 0.0),
        };
        let (mut count, mut first, mut second) = (0.0, Vector::zeros(), Matrix::zeros());
        for k in 0..parts * parts * parts {
            let cell = at((k % parts) as f64, (k / parts % parts) as f64, (k / parts / parts) as f64);
            let p = cell * h - Vector::repeat(0.9 - 0.5 * h);
            if inside(p) {
                count += 1.0;
                first += p;
                second += p * p.transpose();
            }
        }
        let center = first / count;
        let spread = second / count - center * center.transpose();
        let expected = Matrix::identity() * spread.trace() - spread;
        assert!((shape.centroid() - center).norm() < 2e-3, "{} {center}", shape.centroid());
        let off = (shape.gyration() - expected).amax() / expected.amax();
        assert!(off < 1e-2, "{} {expected}", shape.gyration());
    }
}

/// Pairs with known closest features, in random poses of the world.
#[test]
fn every_kind_of_pair_touches_where_it_should() {
    let unit = || box_at([2.0, 2.0, 2.0], [0.0; 3]);
    let sphere = |x: f64, y: f64, z: f64, r: f64| Shape::sphere(at(x, y, z), r).expect("a sphere");
    let capsule =
        |a: [f64; 3], b: [f64; 3], r: f64| Shape::capsule(a.into(), b.into(), r).expect("a capsule");
    let rod = |a: [f64; 3], b: [f64; 3]| Shape::rod(a.into(), b.into()).expect("a rod");
    let turned_box = |sides: [f64; 3], center: Vector, axis: Vector| {
        Shape::cuboid(sides.into(), center, Attitude::from_scaled_axis(axis)).expect("a box")
    };
    let half = 0.5f64.sqrt();
    // A box on its corner: half a diagonal of space above the top.
    let on_corner = Attitude::rotation_between(&at(-1.0, -1.0, -1.0), &-Vector::z()).expect("a rotation");
    let corner_box =
        Shape::cuboid(at(1.0, 1.0, 1.0), at(0.2, 0.3, 1.0 + 0.75f64.sqrt()), on_corner).expect("a box");
    let cases: Vec<(&str, Shape, Shape, Vec<Vector>, Vector)> = vec![
        (
            "spheres",
            sphere(0.0, 0.0, 0.0, 1.0),
            sphere(3.0, 0.0, 0.0, 2.0),
            vec![at(1.0, 0.0, 0.0)],
            Vector::x(),
        ),
        (
            "sphere on the side of a capsule",
            capsule([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.5),
            sphere(0.3, 0.0, 1.5, 1.0),
            vec![at(0.3, 0.0, 0.5)],
            Vector::z(),
        ),
        (
            "sphere on the end of a capsule",
            capsule([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.5),
            sphere(1.0 + 0.9, 0.0, 1.2, 1.0),
            vec![at(1.3, 0.0, 0.4)],
            at(0.6, 0.0, 0.8),
        ),
        (
            "crossed capsules",
            capsule([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.5),
            capsule([0.2, -1.0, 0.75], [0.2, 3.0, 0.75], 0.25),
            vec![at(0.2, 0.0, 0.5)],
            Vector::z(),
        ),
        (
            "capsules side by side",
            capsule([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.5),
            capsule([0.2, 0.0, 0.75], [3.0, 0.0, 0.75], 0.25),
            vec![at(0.2, 0.0, 0.5), at(1.0, 0.0, 0.5)],
            Vector::z(),
        ),
        ("sphere on a face", unit(), sphere(0.2, 0.3, 3.0, 2.0), vec![at(0.2, 0.3, 1.0)], Vector::z()),
        (
            "sphere on an edge",
            unit(),
            sphere(0.2, 1.0 + 1.2, 1.0 + 1.6, 2.0),
            vec![at(0.2, 1.0, 1.0)],
            at(0.0, 0.6, 0.8),
        ),
        (
            "sphere on a corner",
            unit(),
            sphere(1.0 + 2.0, 1.0 + 1.0, 1.0 + 2.0, 3.0),
            vec![at(1.0, 1.0, 1.0)],
            at(2.0, 1.0, 2.0) / 3.0,
        ),
        (
            "capsule on a face, beyond its rim",
            unit(),
            capsule([0.2, 0.3, 1.5], [4.0, 0.3, 1.5], 0.5),
            vec![at(0.2, 0.3, 1.0), at(1.0, 0.3, 1.0)],
            Vector::z(),
        ),
        (
            "capsule with one end on a face",
            unit(),
            capsule([0.2, 0.3, 1.5], [4.0, 0.3, 2.5], 0.5),
            vec![at(0.2, 0.3, 1.0)],
            Vector::z(),
        ),
        (
            "capsule across an edge",
            unit(),
            capsule([0.2, 1.6 - 1.6, 1.8 + 1.2], [0.2, 1.6 + 1.6, 1.8 - 1.2], 1.0),
            vec![at(0.2, 1.0, 1.0)],
            at(0.0, 0.6, 0.8),
        ),
        (
            "rod on a face",
            unit(),
            rod([0.5, 0.5, 1.0], [-0.5, 0.0, 1.0]),
            vec![at(0.5, 0.5, 1.0), at(-0.5, 0.0, 1.0)],
            Vector::z(),
        ),
        (
            "crossed rods",
            rod([-1.0, 0.0, 0.0], [2.0, 0.0, 0.0]),
            rod([0.3, -1.0, 0.0], [0.3, 3.0, 0.0]),
            vec![at(0.3, 0.0, 0.0)],
            Vector::z(),
        ),
        (
            "point on a face",
            unit(),
            Shape::point(at(0.1, 0.2, 1.0)).expect("a point"),
            vec![at(0.1, 0.2, 1.0)],
            Vector::z(),
        ),
        ("corner on a face", unit(), corner_box, vec![at(0.2, 0.3, 1.0)], Vector::z()),
        (
            "edge on a face",
            unit(),
            turned_box([4.0, 1.0, 1.0], at(1.5, 0.25, 1.0 + half), at(PI / 4.0, 0.0, 0.0)),
            vec![at(-0.5, 0.25, 1.0), at(1.0, 0.25, 1.0)],
            Vector::z(),
        ),
        (
            "crossed edges",
            turned_box([4.0, 1.0, 1.0], at(0.0, 0.0, -half), at(PI / 4.0, 0.0, 0.0)),
            turned_box([1.0, 4.0, 1.0], at(0.3, 0.2, half), at(0.0, PI / 4.0, 0.0)),
            vec![at(0.3, 0.0, 0.0)],
            Vector::z(),
        ),
        (
            "edges along each other, apart",
            turned_box([4.0, 1.0, 1.0], at(0.0, 0.0, -half - 1e-8), at(PI / 4.0, 0.0, 0.0)),
            turned_box([2.0, 1.0, 1.0], at(1.5, 0.0, half), at(PI / 4.0, 0.0, 0.0)),
            vec![at(0.5, 0.0, 0.0), at(2.0, 0.0, 0.0)],
            Vector::z(),
        ),
        (
            "face on face",
            unit(),
            box_at([2.0, 2.0, 2.0], [0.5, 1.0, 2.0]),
            vec![at(-0.5, 0.0, 1.0), at(1.0, 0.0, 1.0), at(1.0, 1.0, 1.0), at(-0.5, 1.0, 1.0)],
            Vector::z(),
        ),
        (
            "face on face, turned by an eighth",
            unit(),
            turned_box([2.0, 2.0, 1.0], at(0.0, 0.0, 1.5), at(0.0, 0.0, PI / 4.0)),
            {
                let t = 2f64.sqrt() - 1.0;
                let eight =
                    [(1.0, t), (t, 1.0), (-t, 1.0), (-1.0, t), (-1.0, -t), (-t, -1.0), (t, -1.0), (1.0, -t)];
                eight.map(|(x, y)| at(x, y, 1.0)).to_vec()
            },
            Vector::z(),
        ),
    ];
    let mut random = Lcg(9);
    for (what, a, b, points, normal) in &cases {
        for _ in 0..20 {
            let world = random.pose(2.0);
            let (a, b) = (a.placed(&world), b.placed(&world));
            let points: Vec<Vector> = points.iter().map(|p| world.point(*p)).collect();
            let normal = world.direction(*normal);
            for (first, second, sign) in [(&a, &b, 1.0), (&b, &a, -1.0)] {
                let found = touches(first, second, 1e-6);
                assert_eq!(found.len(), points.len(), "{what}: {found:?}");
                for Touch { point, normal: along, gap } in &found {
                    assert!(gap.abs() < 2e-8, "{what}: {gap}");
                    assert!(points.iter().any(|known| (known - point).norm() < 1e-7), "{what}: {found:?}");
                    assert!((along * sign - normal).norm() < 1e-6, "{what}: {along} {normal}");
                }
                // As many different places as were expected.
                let new = |i: usize| found[..i].iter().all(|t| (t.point - found[i].point).norm() > 1e-6);
                assert!((0..found.len()).all(new), "{what}: {found:?}");
            }
        }
    }
    let point = || Shape::point(at(0.0, 0.0, 0.0)).expect("a point");
    assert!(touches(&point(), &point(), 1e-9).is_empty());
}

/// Boxes on boxes at random: the touches are in both faces, and span as much area as a grid finds in both.
#[test]
fn faces_touch_at_the_corners_of_their_overlap() {
    let mut random = Lcg(10);
    for case in 0..60 {
        let (w, d, yaw) = (random.between(0.3, 2.0), random.between(0.3, 2.0), random.between(-3.0, 3.0));
        let offset = at(random.between(-0.9, 0.9), random.between(-0.9, 0.9), 1.5);
        let lower = box_at([2.0, 2.0, 2.0], [0.0; 3]);
        let turn = Attitude::from_scaled_axis(Vector::z() * yaw);
        let upper = Shape::cuboid(at(w, d, 1.0), offset, turn).expect("a box");
        let within = |p: Vector, slack: f64| {
            let local = turn.inverse() * (p - offset);
            p.x.abs().max(p.y.abs()) <= 1.0 + slack
                && local.x.abs() <= w / 2.0 + slack
                && local.y.abs() <= d / 2.0 + slack
        };
        let found = touches(&lower, &upper, 1e-9);
        assert!(found.iter().all(|touch| within(touch.point, 1e-9)), "case {case}: {found:?}");
        assert!(found.iter().all(|t| (t.normal - Vector::z()).norm() < 1e-12 && t.gap.abs() < 1e-12));
        let area: f64 = (1..found.len().saturating_sub(1))
            .map(|i| {
                let [a, b] = [i, i + 1].map(|k| found[k].point - found[0].point);
                0.5 * (a.x * b.y - a.y * b.x)
            })
            .sum();
        let parts = 400;
        let cells = (0..parts * parts)
            .filter(|k| {
                let place = |k: usize| (k as f64 + 0.5) * 2.0 / parts as f64 - 1.0;
                within(at(place(k % parts), place(k / parts), 1.0), 0.0)
            })
            .count();
        let counted = cells as f64 * 4.0 / (parts * parts) as f64;
        assert!((area.abs() - counted).abs() < 0.02, "case {case}: {area} {counted}");
    }
}

/// Rounded numbers tilt a box that should lie flat: it touches at the same places, within the tolerance.
#[test]
fn a_box_that_lies_nearly_flat_touches_with_its_face() {
    let mut random = Lcg(13);
    for case in 0..200 {
        let lower = box_at([2.0, 2.0, 2.0], [0.0; 3]);
        let flat = Attitude::from_scaled_axis(Vector::z() * random.between(-3.0, 3.0));
        let tilt = Attitude::from_scaled_axis(random.vector(1e-7));
        let center = at(random.between(-0.9, 0.9), random.between(-0.9, 0.9), 1.5);
        let upper = |attitude: Attitude| Shape::cuboid(at(1.0, 1.5, 1.0), center, attitude).expect("a box");
        let expected = touches(&lower, &upper(flat), 1e-6);
        let found = touches(&lower, &upper(tilt * flat), 1e-6);
        assert_eq!(found.len(), expected.len(), "case {case}");
        for touch in found {
            assert!(expected.iter().any(|other| (other.point - touch.point).norm() < 1e-5), "case {case}");
            assert!((touch.normal - Vector::z()).norm() < 1e-6, "case {case}");
        }
    }
}

/// A planar model and its twin in the plane z = 0 of space have the same mass matrix and the same rows.
#[test]
fn a_planar_model_in_space_is_the_same() {
    let mut random = Lcg(11);
    let lift = |v: model::Vector| at(v.x, v.y, 0.0);
    for case in 0..100 {
        let (mut flat, mut solid) = (Vec::new(), Vec::new());
        let (mut q, mut q3) = (Vec::new(), Vec::new());
        for i in 0..5 {
            let mut vector = || model::Vector::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
            let (center, anchor, axis, p) = (vector(), vector(), vector().normalize(), vector());
            let (mass, inertia) = (random.between(0.1, 2.0), random.between(0.1, 1.0));
            let (offset, theta) = (random.between(-1.0, 1.0), random.between(-1.0, 1.0));
            let parent = if i == 0 { None } else { Some(random.below(i)) };
            let kind = if i == 0 { 0 } else { 1 + random.below(4) };
            // Planar rates of a floating body are those of its frame, spatial ones those of its mass centre.
            let center = if kind == 0 { model::Vector::zeros() } else { center };
            let offset = if matches!(kind, 0 | 2) { 0.0 } else { offset };
            let (joint, joint3) = match kind {
                0 => (model::Joint::Floating, Joint::Floating),
                1 => (model::Joint::Translating, Joint::Translating),
                2 => (model::Joint::Revolute { absolute: false }, Joint::Revolute { axis: Vector::z() }),
                3 => (model::Joint::Prismatic { axis }, Joint::Prismatic { axis: lift(axis) }),
                _ => (model::Joint::Fixed, Joint::Fixed),
            };
            let turn = Attitude::from_scaled_axis(Vector::z() * theta);
            let (flat_state, state): (Vec<f64>, Vec<f64>) = match kind {
                0 => (vec![p.x, p.y, theta], vec![p.x, p.y, 0.0, turn.w, turn.i, turn.j, turn.k]),
                1 => (vec![p.x, p.y], vec![p.x, p.y, 0.0]),
                2 | 3 => (vec![theta], vec![theta]),
                _ => (Vec::new(), Vec::new()),
            };
            q.extend(flat_state);
            q3.extend(state);
            let name = format!("body {i}");
            let (a, b) = (model::Vector::new(0.2, 0.1), model::Vector::new(-0.3, 0.4));
            let shape = model::Shape::rod(a, b).expect("a rod");
            let body = model::Body::uniform(&name, mass, shape).on(parent, anchor, joint);
            flat.push(model::Body { inertia, center_of_mass: center, offset, ..body });
            let shape = Shape::rod(lift(a), lift(b)).expect("a rod");
            let body = Body::uniform(&name, mass, shape).on(parent, lift(anchor), joint3);
            solid.push(Body {
                // Only the moment about z matters.
                inertia: Matrix::from_diagonal(&at(0.7 * inertia, 0.6 * inertia, inertia)),
                center_of_mass: lift(center),
                offset: Attitude::from_scaled_axis(Vector::z() * offset),
                ..body
            });
        }
        let normal = model::Vector::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0)).normalize();
        let wall = model::HalfPlane { name: "wall".into(), point: normal * -9.0, normal };
        let planar = Planar::new(flat, vec![wall]).expect("a valid model");
        let wall = HalfSpace { name: "wall".into(), point: lift(normal * -9.0), normal: lift(normal) };
        let spatial = Spatial::new(solid, vec![wall]).expect("a valid model");
        // The indices in space that correspond to the planar ones.
        let mut columns = Vec::new();
        for (i, body) in spatial.bodies().iter().enumerate() {
            let first = spatial.first_coordinate(i);
            match body.joint {
                Joint::Floating => columns.extend([first, first + 1, first + 5]),
                Joint::Translating => columns.extend([first, first + 1]),
                Joint::Fixed => {}
                _ => columns.push(first),
            }
        }
        assert_eq!(columns.len(), planar.coordinate_count());
        let (poses, poses3) = (planar.poses(&q), spatial.poses(&q3));
        let (mass, mass3) = (planar.mass_matrix(&poses), spatial.mass_matrix(&poses3));
        let n = columns.len();
        let part = DMatrix::from_fn(n, n, |i, j| mass3[(columns[i], columns[j])]);
        assert!((&part - &mass).amax() < 1e-12, "case {case}: {part} {mass}");

        let contacts = planar.contacts(&poses, 30.0).expect("contacts");
        let contacts: Vec<_> = contacts.into_iter().filter(|c| c.first == Surface::Wall(0)).collect();
        let lifted: Vec<Contact> = (contacts.iter())
            .map(|c| Contact {
                first: c.first,
                second: c.second,
                touch: Touch { point: lift(c.touch.point), normal: lift(c.touch.normal), gap: c.touch.gap },
            })
            .collect();
        let found = spatial.contacts(&poses3, 30.0).expect("contacts");
        let same = |c: &&Contact| c.first == Surface::Wall(0);
        for (known, found) in lifted.iter().zip(found.iter().filter(same)) {
            assert!((known.touch.point - found.touch.point).norm() < 1e-12);
            assert!((known.touch.gap - found.touch.gap).abs() < 1e-12);
        }
        let rows = planar.normal_rows(&poses, &contacts);
        let rows3 = spatial.normal_rows(&poses3, &lifted);
        let slides = planar.tangent_rows(&poses, &contacts, model::TangentRule::Perpendicular);
        let slides3 = spatial.tangent_rows(&poses3, &lifted);
        for i in 0..contacts.len() {
            let [t1, _] = tangents(lift(normal));
            let sign = t1.dot(&at(normal.y, -normal.x, 0.0));
            assert!((sign.abs() - 1.0).abs() < 1e-12);
            for j in 0..n {
                assert!((rows[(i, j)] - rows3[(i, columns[j])]).abs() < 1e-12, "case {case}");
                let off = sign * slides[(i, j)] - slides3[(2 * i, columns[j])];
                assert!(off.abs() < 1e-12, "case {case}");
            }
        }
    }
}

/// The whole world turned and shifted: nothing that can be measured changes.
#[test]
fn the_world_has_no_preferred_frame() {
    let mut random = Lcg(12);
    let mut tried = 0;
    for case in 0..60 {
        let (model, _) = random.model();
        let (q, v) = (random.configuration(&model), random.vectors(model.coordinate_count()));
        let world = random.pose(3.0);
        // A fixed body of no mass carries what is not floating.
        let base = Body {
            mass: 0.0,
            inertia: Matrix::zeros(),
            shapes: Vec::new(),
            offset: world.attitude,
            ..Body::uniform("base", 1.0, Shape::point(Vector::zeros()).expect("a point")).on(
                None,
                world.origin,
                Joint::Fixed,
            )
        };
        let (mut bodies, mut turned, mut rates) = (vec![base], Vec::new(), v.clone());
        let mut place = 0;
        for (i, body) in model.bodies().iter().enumerate() {
            let mut body = body.clone();
            let own = &q[place..place + body.joint.positions()];
            place += own.len();
            if body.joint == Joint::Floating {
                let origin = world.point(body.anchor + at(own[0], own[1], own[2]));
                let turn = world.attitude
                    * Attitude::from_quaternion(Quaternion::new(own[3], own[4], own[5], own[6]));
                body.anchor = Vector::zeros();
                turned.extend([origin.x, origin.y, origin.z, turn.w, turn.i, turn.j, turn.k]);
                let first = model.first_coordinate(i);
                for k in [first, first + 3] {
                    let rate = world.direction(at(v[k], v[k + 1], v[k + 2]));
                    rates[k..k + 3].copy_from_slice(rate.as_slice());
                }
            } else {
                body.parent = Some(body.parent.map_or(0, |parent| parent + 1));
                turned.extend(own);
            }
            if body.joint == Joint::Floating {
                body.parent = None;
            }
            bodies.push(body);
        }
        let walls = (model.walls().iter())
            .map(|wall| HalfSpace {
                name: wall.name.clone(),
                point: world.point(wall.point),
                normal: world.direction(wall.normal),
            })
            .collect();
        let other = Spatial::new(bodies, walls).expect("a valid model");
        let problem = |model: &Spatial, q: &[f64], v: &[f64]| {
            let contacts = model.contacts(&model.poses(q), 1e9).expect("contacts");
            // Few enough for the blocks to be compared one by one.
            let contacts: Vec<_> =
                contacts.into_iter().filter(|c| matches!(c.first, Surface::Wall(_))).collect();
            let motion = Motion { position: q.to_vec(), velocity: v.to_vec() };
            let count = contacts.len();
            ContactProblem::new(model.impact(&motion, &contacts, vec![0.5; count]))
        };
        // Bodies without inertia of their own about a joint make no valid problem.
        let (Ok(a), Ok(b)) = (problem(&model, &q, &v), problem(&other, &turned, &rates)) else { continue };
        tried += 1;
        let (m, size) = (a.contact_count(), a.delassus().amax());
        assert_eq!(m, b.contact_count());
        let energy = |p: &ContactProblem| p.kinetic_energy(p.velocity().as_slice());
        assert!((energy(&a) - energy(&b)).abs() < 1e-10 * (1.0 + energy(&a)), "case {case}");
        for i in 0..m {
            assert!((a.contact_velocity()[i] - b.contact_velocity()[i]).abs() < 1e-10, "case {case}");
            let slide = |p: &ContactProblem| p.contact_velocity().rows(m + 2 * i, 2).norm();
            assert!((slide(&a) - slide(&b)).abs() < 1e-10, "case {case}");
            for j in 0..m {
                let off = a.delassus()[(i, j)] - b.delassus()[(i, j)];
                assert!(off.abs() < 1e-9 * size, "case {case}: W_nn off by {off:e}");
            }
            let block = |p: &ContactProblem| {
                let rows = [i, m + 2 * i, m + 2 * i + 1];
                let mut values =
                    Matrix::from_fn(|r, c| p.delassus()[(rows[r], rows[c])]).symmetric_eigenvalues();
                values.as_mut_slice().sort_by(f64::total_cmp);
                values
            };
            assert!((block(&a) - block(&b)).amax() < 1e-9 * size, "case {case}");
        }
    }
    assert!(tried > 20, "{tried}");
}

fn floor() -> HalfSpace {
    HalfSpace { name: "floor".into(), point: Vector::zeros(), normal: Vector::z() }
}

#[test]
fn shapes_touch_a_wall_with_all_their_vertices() {
    let contacts = |shape: Shape, height: f64| {
        let model = Spatial::new(vec![Body::uniform("it", 1.0, shape)], vec![floor()]).expect("a model");
        let q = [0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0];
        model.contacts(&model.poses(&q), 1e-9)
    };
    let count = |shape: Shape, height: f64| contacts(shape, height).expect("contacts").len();
    assert_eq!(count(Shape::sphere(Vector::zeros(), 0.5).expect("a sphere"), 0.5), 1);
    assert_eq!(count(Shape::capsule(Vector::zeros(), Vector::x(), 0.5).expect("a capsule"), 0.5), 2);
    assert_eq!(count(Shape::capsule(Vector::zeros(), Vector::z(), 0.5).expect("a capsule"), 0.5), 1);
    assert_eq!(count(box_at([1.0, 1.0, 1.0], [0.0; 3]), 0.5), 4);
    let error = contacts(box_at([1.0, 1.0, 1.0], [0.0; 3]), 0.25).expect_err("an overlap").to_string();
    assert!(error.contains("`floor` and `it` overlap by 2.5e-1 m"), "{error}");
    let error = contacts(box_at([1.0, 1.0, 1.0], [0.0; 3]), 0.75).expect_err("a distance").to_string();
    assert!(error.contains("`floor` and `it`, are 2.5e-1 m apart"), "{error}");
}

#[test]
fn what_is_jointed_or_excluded_does_not_touch() {
    let unit = |name: &str| Body::uniform(name, 1.0, box_at([1.0, 1.0, 1.0], [0.0; 3]));
    let arm = unit("arm").on(Some(0), Vector::x() * 0.5, Joint::Spherical);
    let model = Spatial::new(vec![unit("trunk"), arm], vec![floor()]).expect("a valid model");
    let q = [0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let contacts = model.contacts(&model.poses(&q), 1e-6).expect("contacts");
    assert!(contacts.len() == 8 && contacts.iter().all(|c| c.first == Surface::Wall(0)));
    let names = model.contact_names(&contacts);
    assert_eq!((&*names[0], &*names[7]), ("floor-trunk-1", "floor-arm-4"));

    let mut model = Spatial::new(vec![unit("a"), unit("b")], vec![floor()]).expect("a valid model");
    let q = [0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0];
    let poses = model.poses(&q);
    assert!(model.contacts(&poses, 1e-6).is_err());
    model.exclude(Surface::Body(1), 0);
    assert_eq!(model.contacts(&poses, 1e-6).expect("contacts").len(), 8);
}

/// The cube's numbers in closed form: with arms r from the centre, `W_nn = 1/m + (r x n).(r' x n)/I` and so on.
#[test]
fn the_cubes_have_their_closed_forms() {
    let (m, i, h) = (0.37, 0.0010206, 0.0524);
    let low = -h * 2f64.sqrt();
    let edge = vec![at(-h, 0.0, low), at(h, 0.0, low)];
    let face = vec![at(-h, -h, -h), at(h, -h, -h), at(h, h, -h), at(-h, h, -h)];
    for (name, arms, rank) in [("cube-on-edge", edge, 5), ("cube-on-face", face, 6)] {
        let problem = scene::load(name).unwrap_or_else(|error| panic!("{error}"));
        let diagonal = DVector::from_vec(vec![m, m, m, i, i, i]);
        assert!((problem.mass() - DMatrix::from_diagonal(&diagonal)).amax() < 1e-16, "{name}");
        assert_eq!((problem.contact_count(), problem.coordinate_count()), (arms.len(), 6));
        assert_eq!(problem.restitution(), Some(&vec![0.3; arms.len()][..]));
        // Rows in the order of the problem, each as an arm and a direction.
        let normals = arms.iter().map(|arm| (*arm, Vector::z()));
        let slides = arms.iter().flat_map(|arm| [(*arm, Vector::x()), (*arm, Vector::y())]);
        let rows: Vec<_> = normals.chain(slides).collect();
        let v = problem.velocity();
        let (linear, angular) = (at(v[0], v[1], v[2]), at(v[3], v[4], v[5]));
        for (k, (arm, along)) in rows.iter().enumerate() {
            let u = along.dot(&(linear + angular.cross(arm)));
            assert!((problem.contact_velocity()[k] - u).abs() < 1e-14, "{name}: u[{k}]");
            for (l, (other, across)) in rows.iter().enumerate() {
                let w = along.dot(across) / m + arm.cross(along).dot(&other.cross(across)) / i;
                assert!((problem.delassus()[(k, l)] - w).abs() < 1e-12, "{name}: W[{k}][{l}]");
            }
        }
        assert!((0..arms.len()).all(|k| problem.contact_velocity()[k] < 0.0), "{name}: all approach");
        assert_eq!(problem.delassus().rank(1e-9), rank, "{name}");
    }
}

/// The published contacts: their matrices, velocities and coefficients.
#[test]
fn the_published_spatial_contacts_are_the_reference() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("golden/jia_wang.json")).expect("valid JSON");
    for (name, case, size) in
        [("icosahedron-tetrahedron", "P1_Fig4a", 12), ("pin-ball", "P1_pinball_calibrated", 3)]
    {
        let problem = scene::load(name).unwrap_or_else(|error| panic!("{error}"));
        let cases = golden["cases"].as_array().expect("cases");
        let inputs = &cases.iter().find(|known| known["inputs"]["name"] == case).expect("the case")["inputs"];
        assert_eq!((problem.contact_count(), problem.coordinate_count()), (1, size));
        // The paper's order is t1, t2, n.
        for (i, row) in [1, 2, 0].into_iter().enumerate() {
            let u = inputs["v_minus"][i].as_f64().expect("a number");
            assert!((problem.contact_velocity()[row] - u).abs() < 1e-12, "{name}: velocity {i}");
            for (j, column) in [1, 2, 0].into_iter().enumerate() {
                let entry = |i: usize, j: usize| inputs["W"][i][j].as_f64().expect("a number");
                let (found, mean) = (problem.delassus()[(row, column)], (entry(i, j) + entry(j, i)) / 2.0);
                assert!((found - mean).abs() < 1e-12 * 12.0, "{name}: W[{i}][{j}] {found} {mean}");
            }
        }
        assert_eq!(problem.friction()[0], inputs["mu"].as_f64().expect("a number"));
        assert_eq!(problem.restitution().expect("one")[0], inputs["e"].as_f64().expect("a number"));
    }
}

#[test]
fn the_quadruped_strikes_with_two_feet() {
    let problem = scene::load("quadruped-trot").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((problem.coordinate_count(), problem.tangents_per_contact()), (18, 2));
    assert_eq!(problem.contacts(), ["front-left", "rear-right"]);
    assert!((0..2).all(|i| problem.contact_velocity()[i] < -0.1), "{}", problem.contact_velocity());
    // All of it falls: the mass of everything, 8 + 4 (0.6 + 1 + 0.2).
    let mut fall = vec![0.0; 18];
    fall[2] = 1.0;
    assert!((problem.kinetic_energy(&fall) - 0.5 * 15.2).abs() < 1e-12);
    // Other angles keep the feet on the ground.
    for stance in [20.0, 60.0] {
        let problem = scene::load_with("quadruped-trot", &[("stance", stance)]);
        let swings_higher = stance < 55.0;
        assert_eq!(problem.is_ok(), swings_higher, "{stance}");
    }
}
