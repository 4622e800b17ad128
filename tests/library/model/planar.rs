//! Planar models.

use crate::prelude::*;
use carom::model::{
    Body, Contact, HalfPlane, Joint, Motion, Planar, Pose, Shape, Surface, TangentRule, Vector,
    separation, touches,
};
use std::f64::consts::PI;

type Models = super::Models<2>;

impl Models {
    fn vector(&mut self, size: f64) -> Vector {
        Vector::new(self.uniform(-size, size), self.uniform(-size, size))
    }
    fn shape(&mut self) -> Shape {
        let at = self.vector(0.5);
        match self.below(5) {
            0 => Shape::point(at),
            1 => Shape::rod(at, at + Vector::new(1.0, self.uniform(-1.0, 1.0))),
            2 => Shape::rectangle(
                self.uniform(0.2, 1.0),
                self.uniform(0.2, 1.0),
                at,
                self.uniform(-3.0, 3.0),
            ),
            3 => Shape::polygon(vec![
                at,
                at + Vector::new(1.0, -0.3),
                at + Vector::new(self.uniform(0.2, 0.8), 1.0),
            ]),
            _ => Shape::disk(at, self.uniform(0.2, 0.6)),
        }
        .expect("a valid shape")
    }
    fn joint(&mut self) -> Joint {
        match self.below(6) {
            0 => Joint::Floating,
            1 => Joint::Translating,
            2 => Joint::Revolute { absolute: false },
            3 => Joint::Revolute { absolute: true },
            4 => Joint::Prismatic { axis: self.vector(1.0).normalize() },
            _ => Joint::Fixed,
        }
    }
    /// A random forest: seven bodies on joints of the world or each other, above a slanted wall.
    fn model(&mut self) -> Planar {
        let mut bodies = vec![Body::uniform("root", 1.0, self.shape())];
        for i in 1..7 {
            let parent = if self.below(4) == 0 { None } else { Some(self.below(i)) };
            let joint = self.joint();
            let body = Body::uniform(&format!("body {i}"), self.uniform(0.1, 2.0), self.shape());
            let body =
                Body { offset: self.uniform(-1.0, 1.0), inertia: self.uniform(0.1, 1.0), ..body };
            bodies.push(body.on(parent, self.vector(1.0), joint));
        }
        let normal = self.vector(1.0).normalize();
        Planar::new(bodies, vec![HalfPlane { name: "wall".into(), point: normal * -20.0, normal }])
            .expect("a valid model")
    }
}

fn moved(q: &[f64], v: &[f64], by: f64) -> Vec<f64> {
    q.iter().zip(v).map(|(q, v)| q + by * v).collect()
}

/// The material point of a body that is at `point` in one pose, in another pose.
fn carried(point: Vector, from: &Pose, to: &Pose) -> Vector {
    let d = point - from.origin;
    let (sin, cos) = from.angle.sin_cos();
    to.point(Vector::new(cos * d.x + sin * d.y, -sin * d.x + cos * d.y))
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}

#[test]
fn built_in_scenes_equal_the_reference() {
    let golden = golden("halm_posa_examples");
    for (scene, reference) in [
        ("rocking-block", "rocking_block"),
        ("compass-gait", "compass_gait"),
        ("box-and-wall", "box_and_wall"),
        ("ramone", "ramone"),
        ("disk-stack", "disk_stacking"),
        ("disk-stack-as-published", "disk_stacking_ascoded"),
    ] {
        let problem = scene::load(scene).unwrap_or_else(|error| panic!("{error}"));
        let (spec, expected) = (problem.spec(), &golden[reference]);
        for (found, key) in [(&spec.mass, "M"), (&spec.normal, "Jn")] {
            let wanted = rows(&expected[key]);
            assert_eq!(found.len(), wanted.len(), "{scene} {key}");
            for (a, b) in found.iter().zip(&wanted) {
                assert!(close(a, b, 1e-12), "{scene} {key}: {a:?} != {b:?}");
            }
        }
        for (a, b) in spec.tangent.iter().zip(&rows(&expected["Jt"])) {
            let opposite: Vec<f64> = b.iter().map(|x| -x).collect();
            assert!(close(a, b, 1e-12) || close(a, &opposite, 1e-12), "{scene} Jt: {a:?} != {b:?}");
        }
        for (found, key) in [(&spec.velocity[..], "v_minus"), (problem.friction(), "mu")] {
            let wanted = numbers(&expected[key]);
            assert!(close(found, &wanted, 1e-12), "{scene} {key}: {found:?} != {wanted:?}");
        }
        assert_eq!(spec.step, expected["h"].as_f64(), "{scene}");
        assert_eq!(spec.max_steps.map(u64::from), expected["N_Routh"].as_u64(), "{scene}");
        assert_eq!(spec.tangent.len(), spec.normal.len(), "{scene}");
    }
}

#[test]
fn mass_matrix_gives_the_kinetic_energy_of_moving_bodies() {
    let mut random = Models::new(1);
    for case in 0..200 {
        let model = random.model();
        let n = model.coordinate_count();
        let (q, v) = (random.numbers(n), DVector::from_vec(random.numbers(n)));
        let mass = model.mass_matrix(&model.poses(&q));
        let eps = 1e-5;
        let (ahead, behind) = (
            model.poses(&moved(&q, v.as_slice(), eps)),
            model.poses(&moved(&q, v.as_slice(), -eps)),
        );
        let mut energy = 0.0;
        for (i, body) in model.bodies().iter().enumerate() {
            let center = |pose: &Pose| pose.point(body.center_of_mass);
            let velocity = (center(&ahead[i]) - center(&behind[i])) / (2.0 * eps);
            let spin = (ahead[i].angle - behind[i].angle) / (2.0 * eps);
            energy += 0.5 * (body.mass * velocity.norm_squared() + body.inertia * spin * spin);
        }
        let found = 0.5 * v.dot(&(&mass * &v));
        let off = (found - energy).abs();
        assert!(off <= 1e-7 * (1.0 + energy), "case {case}: {found} != {energy}");
        assert!((&mass - mass.transpose()).amax() <= 1e-13 * mass.amax(), "case {case}");
    }
}

#[test]
fn contact_rows_are_rates_of_gaps_and_of_sliding() {
    let mut random = Models::new(2);
    let eps = 1e-6;
    let mut found = [0; 2];
    for case in 0..300 {
        let model = random.model();
        let n = model.coordinate_count();
        let (q, v) = (random.numbers(n), random.numbers(n));
        let (here, ahead, behind) =
            (model.poses(&q), model.poses(&moved(&q, &v, eps)), model.poses(&moved(&q, &v, -eps)));
        let near = |_: f64, gap: f64, turn: f64| gap > 1e-3 && turn < 1e-3;
        let contacts = contacts_with_rates!(model, [&behind, &here, &ahead], eps, near);
        let (list, rates): (Vec<_>, Vec<_>) = contacts.into_iter().unzip();
        list.iter().for_each(|c: &Contact| found[usize::from(c.first != Surface::Wall(0))] += 1);
        let normal = model.normal_rows(&here, &list) * DVector::from_vec(v.clone());
        let tangent = model.tangent_rows(&here, &list, TangentRule::Perpendicular)
            * DVector::from_vec(v.clone());
        for (k, contact) in list.iter().enumerate() {
            let (found, rate) = (normal[k], rates[k]);
            assert!((found - rate).abs() < 1e-6, "case {case}: {found} != {rate}, {contact:?}");
            let drift = |i: usize| {
                let point = contact.touch.point;
                (carried(point, &here[i], &ahead[i]) - carried(point, &here[i], &behind[i]))
                    / (2.0 * eps)
            };
            let first =
                if let Surface::Body(i) = contact.first { drift(i) } else { Vector::zeros() };
            let n = contact.touch.normal;
            let sliding = Vector::new(n.y, -n.x).dot(&(drift(contact.second) - first));
            let found = tangent[k];
            assert!((found - sliding).abs() < 1e-6, "case {case}: {found} != {sliding}");
        }
    }
    assert!(found.iter().all(|count| *count > 1000), "{found:?}");
}

/// The boundary of a shape's hull in points, with their largest distance from each other.
fn boundary(shape: &Shape) -> (Vec<Vector>, f64) {
    let (vertices, parts) = (shape.vertices(), 200);
    let mut points = vertices.to_vec();
    let mut spacing = 0.0_f64;
    for i in 0..vertices.len() {
        let (a, b) = (vertices[i], vertices[(i + 1) % vertices.len()]);
        points.extend((1..parts).map(|k| a + (b - a) * (k as f64 / parts as f64)));
        spacing = spacing.max((b - a).norm() / parts as f64);
    }
    (points, spacing)
}

#[test]
fn separation_is_the_distance() {
    let mut random = Models::new(3);
    for case in 0..150 {
        let pose = |random: &mut Models, size| Pose {
            origin: random.vector(size),
            angle: random.uniform(-3.0, 3.0),
        };
        let a = random.shape().placed(&pose(&mut random, 0.1));
        let b = random.shape().placed(&pose(&mut random, 2.0));
        let gap = separation(&a, &b);
        assert!((gap - separation(&b, &a)).abs() < 1e-12);
        let radii = a.radius() + b.radius();
        if gap + radii > 1e-9 {
            let ((p, hp), (q, hq)) = (boundary(&a), boundary(&b));
            let brute = p
                .iter()
                .flat_map(|p| q.iter().map(move |q| (p - q).norm()))
                .fold(f64::INFINITY, f64::min)
                - radii;
            assert!(gap <= brute + 1e-12, "case {case}: {gap} != {brute}");
            assert!(gap >= brute - hp - hq - 1e-12, "case {case}: {gap} != {brute}");
        }
        if gap < -1e-9 {
            // No shift shorter than the depth separates; one along the normal does.
            let shift = |by: Vector| b.placed(&Pose { origin: by, angle: 0.0 });
            for k in 0..360 {
                let (sin, cos) = (f64::from(k) * PI / 180.0).sin_cos();
                let inside = separation(&a, &shift(Vector::new(cos, sin) * (-gap * (1.0 - 1e-9))));
                assert!(inside <= 1e-9, "case {case}: {inside}");
            }
            let normal = touches(&a, &b, 0.0)[0].normal;
            let free = separation(&a, &shift(normal * -gap));
            assert!(free.abs() < 1e-9, "case {case}: {free}");
        }
    }
}

#[test]
fn moments_of_inertia_have_their_closed_forms() {
    let at = |x: f64, y: f64| Vector::new(x, y);
    let regular = |count: usize, circumradius: f64| {
        let corner = |k: usize| 2.0 * PI * k as f64 / count as f64;
        let vertex = |k: usize| {
            at(7.0 + circumradius * corner(k).cos(), -3.0 + circumradius * corner(k).sin())
        };
        Shape::polygon((0..count).map(vertex).collect())
    };
    for (shape, expected, centroid) in [
        (Shape::rectangle(1.0, 2.0, at(3.0, 4.0), 0.3), 5.0 / 12.0, at(3.0, 4.0)),
        (Shape::disk(at(1.0, 0.0), 3.0), 4.5, at(1.0, 0.0)),
        (Shape::rod(at(0.0, 0.0), at(3.0, 4.0)), 25.0 / 12.0, at(1.5, 2.0)),
        (Shape::point(at(5.0, 5.0)), 0.0, at(5.0, 5.0)),
        (regular(3, 3f64.sqrt() / 3.0), 1.0 / 12.0, at(7.0, -3.0)),
        (regular(6, 1.0), 5.0 / 12.0, at(7.0, -3.0)),
        (
            Shape::polygon(vec![at(0.0, 0.0), at(0.0, 3.0), at(6.0, 0.0)]),
            (36.0 + 9.0) / 18.0,
            at(2.0, 1.0),
        ),
    ] {
        let shape = shape.expect("a valid shape");
        let found = shape.gyration_squared();
        assert!((found - expected).abs() < 1e-12, "{shape:?}: {found}");
        assert!((shape.centroid() - centroid).norm() < 1e-12, "{shape:?}");
    }
}

#[test]
fn absolute_and_relative_angles_give_the_same_dynamics() {
    let leg = |name: &str| {
        Body::uniform(
            name,
            1.5,
            Shape::rod(Vector::zeros(), Vector::new(0.0, -1.0)).expect("a rod"),
        )
    };
    let arm = |absolute: bool| {
        let joint = Joint::Revolute { absolute };
        let lower = leg("lower").on(Some(0), Vector::new(0.0, -1.0), joint);
        Planar::new(vec![leg("upper").on(None, Vector::zeros(), joint), lower], vec![])
            .expect("a valid model")
    };
    let (absolute, relative) = (arm(true), arm(false));
    let (a, r) = (absolute.poses(&[0.4, 1.1]), relative.poses(&[0.4, 0.7]));
    assert!(
        (a[1].point(Vector::new(0.0, -1.0)) - r[1].point(Vector::new(0.0, -1.0))).norm() < 1e-15
    );
    // absolute rates = T relative rates
    let t = DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 1.0, 1.0]);
    let expected = t.transpose() * absolute.mass_matrix(&a) * &t;
    assert!((relative.mass_matrix(&r) - expected).amax() < 1e-14);
    // the textbook double pendulum: m l^2 (1/3 + 1), m l^2 cos(d) / 2, m l^2 / 3
    let textbook = [1.5 * 4.0 / 3.0, 1.5 * 0.7_f64.cos() / 2.0, 1.5 * 0.7_f64.cos() / 2.0, 0.5];
    assert!((absolute.mass_matrix(&a) - DMatrix::from_row_slice(2, 2, &textbook)).amax() < 1e-14);
}

#[test]
fn a_welded_body_is_part_of_its_parent() {
    let square = |name: &str| {
        Body::uniform(name, 1.0, Shape::rectangle(1.0, 1.0, Vector::zeros(), 0.0).expect("a box"))
    };
    let welded = square("b").on(Some(0), Vector::new(1.0, 0.0), Joint::Fixed);
    let model = Planar::new(vec![square("a"), welded], vec![]).expect("a valid model");
    let mass = model.mass_matrix(&model.poses(&[0.0, 0.0, 0.0]));
    let expected =
        DMatrix::from_row_slice(3, 3, &[2.0, 0.0, 0.0, 0.0, 2.0, 1.0, 0.0, 1.0, 4.0 / 3.0]);
    assert!((mass - expected).amax() < 1e-14);
}

fn floor() -> HalfPlane {
    HalfPlane { name: "floor".into(), point: Vector::zeros(), normal: Vector::new(0.0, 1.0) }
}

fn unit_box(name: &str) -> Body {
    Body::uniform(name, 1.0, Shape::rectangle(1.0, 1.0, Vector::zeros(), 0.0).expect("a box"))
}

#[test]
fn a_box_on_a_box_touches_twice() {
    let model = Planar::new(vec![unit_box("lower"), unit_box("upper")], vec![floor()])
        .expect("a valid model");
    let q = [0.0, 0.5, 0.0, 0.25, 1.5, 0.0];
    let contacts = model.contacts(&model.poses(&q), 1e-6).expect("contacts");
    let found: Vec<_> = contacts.iter().map(|c| (c.first, c.second, c.touch.point.x)).collect();
    let names = ["floor-lower-1", "floor-lower-2", "lower-upper-1", "lower-upper-2"];
    assert_eq!(model.contact_names(&contacts), names, "{found:?}");
    let mut x: Vec<f64> = found[2..].iter().map(|c| c.2).collect();
    x.sort_by(f64::total_cmp);
    assert!(close(&x, &[-0.25, 0.5], 1e-12), "{x:?}");
    assert!(contacts[2..].iter().all(|c| (c.touch.normal - Vector::new(0.0, 1.0)).norm() < 1e-12));
    let motion = Motion { position: q.to_vec(), velocity: vec![0.0, 0.0, 0.0, 0.0, -1.0, 0.0] };
    let problem = ContactProblem::new(model.impact(
        &motion,
        &contacts,
        vec![0.5; 4],
        TangentRule::Perpendicular,
    ));
    let u = problem.expect("a valid problem").contact_velocity().clone();
    assert!(close(u.as_slice(), &[0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0], 1e-12), "{u}");
}

#[test]
fn every_kind_of_pair_touches_where_it_should() {
    let at = Vector::new;
    let square = || Shape::rectangle(2.0, 2.0, at(0.0, 0.0), 0.0);
    let disk = |x: f64, y: f64, r: f64| Shape::disk(at(x, y), r);
    let rod = |x: f64, y: f64, a: f64, b: f64| Shape::rod(at(x, y), at(a, b));
    let diamond = Shape::rectangle(2f64.sqrt(), 2f64.sqrt(), at(2.0, 0.3), PI / 4.0);
    // ((first, second), point, normal from first to second)
    for ((a, b), point, normal) in [
        ((disk(0.0, 0.0, 1.0), disk(3.0, 0.0, 2.0)), at(1.0, 0.0), at(1.0, 0.0)),
        ((square(), disk(0.5, 3.0, 2.0)), at(0.5, 1.0), at(0.0, 1.0)),
        ((disk(-2.0, 0.3, 1.0), square()), at(-1.0, 0.3), at(1.0, 0.0)),
        ((square(), disk(4.0, 5.0, 5.0)), at(1.0, 1.0), at(0.6, 0.8)),
        ((square(), Shape::point(at(0.2, 1.0))), at(0.2, 1.0), at(0.0, 1.0)),
        ((rod(0.0, -2.0, 0.0, -1.0), square()), at(0.0, -1.0), at(0.0, 1.0)),
        ((rod(1.0, 5.0, -1.0, 5.0), disk(0.0, 4.0, 1.0)), at(0.0, 5.0), at(0.0, -1.0)),
        ((square(), diamond), at(1.0, 0.3), at(1.0, 0.0)),
        ((rod(-1.0, 0.0, 1.0, 0.0), rod(0.3, 0.0, 0.3, 1.0)), at(0.3, 0.0), at(0.0, 1.0)),
    ] {
        let (a, b) = (a.expect("a shape"), b.expect("a shape"));
        for (first, second, sign) in [(&a, &b, 1.0), (&b, &a, -1.0)] {
            let found = touches(first, second, 1e-9);
            assert_eq!(found.len(), 1, "{a:?} {b:?}: {found:?}");
            assert!(found[0].gap.abs() < 1e-12, "{found:?}");
            assert!((found[0].point - point).norm() < 1e-9, "{a:?} {b:?}: {found:?}");
            assert!((found[0].normal * sign - normal).norm() < 1e-9, "{a:?} {b:?}: {found:?}");
        }
    }
    let point = || Shape::point(at(0.0, 0.0)).expect("a point");
    assert!(touches(&point(), &point(), 1e-9).is_empty());
}

#[test]
fn what_is_jointed_or_excluded_does_not_touch() {
    let arm =
        unit_box("arm").on(Some(0), Vector::new(0.5, 0.0), Joint::Revolute { absolute: false });
    let model = Planar::new(vec![unit_box("trunk"), arm], vec![floor()]).expect("a valid model");
    let contacts = model.contacts(&model.poses(&[0.0, 0.5, 0.0, 0.0]), 1e-6).expect("contacts");
    assert!(contacts.iter().all(|c| c.first == Surface::Wall(0)));
    let mut model =
        Planar::new(vec![unit_box("a"), unit_box("b")], vec![floor()]).expect("a valid model");
    let poses = model.poses(&[0.0, 0.5, 0.0, 0.2, 0.5, 0.0]);
    assert!(model.contacts(&poses, 1e-6).is_err());
    model.exclude(Surface::Body(1), 0);
    assert_eq!(model.contacts(&poses, 1e-6).expect("contacts").len(), 4);
}

#[test]
fn overlap_and_distance_are_named() {
    let model = Planar::new(vec![unit_box("block")], vec![floor()]).expect("a valid model");
    let message = |height: f64| {
        model.contacts(&model.poses(&[0.0, height, 0.0]), 1e-6).expect_err("an error").to_string()
    };
    assert!(message(0.25).contains("`floor` and `block` overlap by 2.5e-1 m"), "{}", message(0.25));
    assert!(message(0.75).contains("`floor` and `block`, are 2.5e-1 m apart"), "{}", message(0.75));
}

#[test]
fn bringing_a_contact_to_rest_leaves_the_other_rates() {
    let problem = scene::load("ramone").unwrap_or_else(|error| panic!("{error}"));
    let u = problem.contact_velocity();
    assert!(u[1].abs() < 1e-15 && u[3].abs() < 1e-15 && u[0] < -0.5, "{u}");
    assert_eq!(&problem.velocity().as_slice()[2..], &[1.0, 0.0, 0.0, 0.0, 0.0]);
}
