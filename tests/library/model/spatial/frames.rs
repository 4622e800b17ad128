//! Planar models in space, and the whole world turned: the same numbers.

use super::random_models::Models;
use super::*;
use carom::model;
use carom::model::spatial::{Contact, HalfSpace, Touch, tangents};
use carom::model::{Motion, Planar, Surface};
use nalgebra::Quaternion;

/// A planar model and its twin in space have the same mass matrix and rows.
#[test]
fn a_planar_model_in_space_is_the_same() {
    let mut random = Models::new(11);
    let lift = |v: model::Vector| at(v.x, v.y, 0.0);
    for case in 0..100 {
        let (mut flat, mut solid) = (Vec::new(), Vec::new());
        let (mut q, mut q3) = (Vec::new(), Vec::new());
        for i in 0..5 {
            let mut vector =
                || model::Vector::new(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
            let (center, anchor, axis, p) = (vector(), vector(), vector().normalize(), vector());
            let (mass, inertia) = (random.uniform(0.1, 2.0), random.uniform(0.1, 1.0));
            let (offset, theta) = (random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
            let parent = if i == 0 { None } else { Some(random.below(i)) };
            let kind = if i == 0 { 0 } else { 1 + random.below(4) };
            // Planar rates of a floating body are its frame's, spatial ones its mass centre's.
            let center = if kind == 0 { model::Vector::zeros() } else { center };
            let offset = if matches!(kind, 0 | 2) { 0.0 } else { offset };
            let (joint, joint3) = match kind {
                0 => (model::Joint::Floating, Joint::Floating),
                1 => (model::Joint::Translating, Joint::Translating),
                2 => (
                    model::Joint::Revolute { absolute: false },
                    Joint::Revolute { axis: Vector::z() },
                ),
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
        let normal =
            model::Vector::new(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)).normalize();
        let wall = model::HalfPlane { name: "wall".into(), point: normal * -9.0, normal };
        let planar = Planar::new(flat, vec![wall]).expect("a valid model");
        let wall =
            HalfSpace { name: "wall".into(), point: lift(normal * -9.0), normal: lift(normal) };
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
        let contacts: Vec<_> =
            contacts.into_iter().filter(|c| c.first == Surface::Wall(0)).collect();
        let lifted: Vec<Contact> = (contacts.iter())
            .map(|c| Contact {
                first: c.first,
                second: c.second,
                touch: Touch {
                    point: lift(c.touch.point),
                    normal: lift(c.touch.normal),
                    gap: c.touch.gap,
                },
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
    let mut random = Models::new(12);
    let mut tried = 0;
    for case in 0..60 {
        let (model, _) = random.model();
        let (q, v) = (random.configuration(&model), random.numbers(model.coordinate_count()));
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
        let (Ok(a), Ok(b)) = (problem(&model, &q, &v), problem(&other, &turned, &rates)) else {
            continue;
        };
        tried += 1;
        let (m, size) = (a.contact_count(), a.delassus().amax());
        assert_eq!(m, b.contact_count());
        let energy = |p: &ContactProblem| p.kinetic_energy(p.velocity().as_slice());
        assert!((energy(&a) - energy(&b)).abs() < 1e-10 * (1.0 + energy(&a)), "case {case}");
        for i in 0..m {
            let off = a.contact_velocity()[i] - b.contact_velocity()[i];
            assert!(off.abs() < 1e-10, "case {case}");
            let slide = |p: &ContactProblem| p.contact_velocity().rows(m + 2 * i, 2).norm();
            assert!((slide(&a) - slide(&b)).abs() < 1e-10, "case {case}");
            for j in 0..m {
                let off = a.delassus()[(i, j)] - b.delassus()[(i, j)];
                assert!(off.abs() < 1e-9 * size, "case {case}: W_nn off by {off:e}");
            }
            let block = |p: &ContactProblem| {
                let rows = [i, m + 2 * i, m + 2 * i + 1];
                let mut values = Matrix::from_fn(|r, c| p.delassus()[(rows[r], rows[c])])
                    .symmetric_eigenvalues();
                values.as_mut_slice().sort_by(f64::total_cmp);
                values
            };
            assert!((block(&a) - block(&b)).amax() < 1e-9 * size, "case {case}");
        }
    }
    assert!(tried > 20, "{tried}");
}

/// A free box that strikes walls; velocity and angular velocity in the world's axes.
struct Strike {
    body: Body,
    box_pose: Pose,
    velocity: [Vector; 2],
    walls: Vec<HalfSpace>,
    /// Contacts within this gap.
    near: f64,
}

impl Strike {
    /// A box that touches one wall or two with its lowest corner, and approaches.
    fn random(random: &mut Models, walls: usize, near: f64) -> Self {
        let sides = Vector::from_fn(|_, _| random.uniform(0.5, 1.0));
        let shape = Shape::cuboid(sides, Vector::zeros(), Attitude::identity()).expect("a box");
        let (body, _) = random.body("box", shape.clone());
        let box_pose = random.pose(1.0);
        let wall = |name: &str, normal: Vector| {
            let lowest = (0..8).map(|k| {
                let sign = |bit: usize| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
                let corner = Vector::new(sign(0) * sides.x, sign(1) * sides.y, sign(2) * sides.z);
                normal.dot(&box_pose.point(corner))
            });
            let point = normal * lowest.fold(f64::MAX, f64::min);
            HalfSpace { name: name.into(), point, normal }
        };
        let first = random.vector(1.0).normalize();
        let second = (first + random.vector(0.8)).normalize();
        let walls = [wall("a", first), wall("b", second)].into_iter().take(walls).collect();
        let velocity = [random.vector(0.5) - (first + second), random.vector(1.0)];
        Strike { body, box_pose, velocity, walls, near }
    }

    /// The impact in a world turned and shifted by a pose.
    fn problem(&self, world: &Pose, friction: f64, e: f64) -> ContactProblem {
        let walls = self.walls.iter().map(|wall| HalfSpace {
            name: wall.name.clone(),
            point: world.point(wall.point),
            normal: world.direction(wall.normal),
        });
        let model = Spatial::new(vec![self.body.clone()], walls.collect()).expect("a valid model");
        let (origin, turn) =
            (world.point(self.box_pose.origin), world.attitude * self.box_pose.attitude);
        let position = vec![origin.x, origin.y, origin.z, turn.w, turn.i, turn.j, turn.k];
        let velocity =
            self.velocity.iter().flat_map(|v| world.direction(*v).as_slice().to_vec()).collect();
        let contacts = model.contacts(&model.poses(&position), self.near).expect("contacts");
        let count = contacts.len();
        let motion = Motion { position, velocity };
        let mut spec = model.impact(&motion, &contacts, vec![friction; count]);
        spec.restitution = Some(vec![e; count]);
        ContactProblem::new(spec).expect("a valid problem")
    }
}

/// How far velocities in the turned world are from the others, turned.
fn off(world: &Pose, own: &[f64], turned: &[f64]) -> f64 {
    let pairs = own.chunks(3).zip(turned.chunks(3));
    let apart =
        pairs.map(|(a, b)| (world.direction(at(a[0], a[1], a[2])) - at(b[0], b[1], b[2])).norm());
    apart.fold(0.0, f64::max)
}

/// The outcomes of an impact turn with the world: that of one contact, all those of single impacts
/// in any order, and the samples of the inclusion one by one (all but one in a thousand), because
/// its draws know nothing of frames.
#[test]
fn outcomes_turn_with_the_world() {
    let (mut alone, mut together) = (0, 0);
    let (mut samples, mut astray) = (0, 0);
    let mut random = Models::new(31);
    let engine = Engine::open(&Device::Cpu).expect("a processor");
    let plan = planned(Routh::default(), 64, 0, F64);
    for case in 0..60 {
        let strike = Strike::random(&mut random, 1 + case % 2, [1e-9, 0.1][case / 2 % 2]);
        let still = Pose { origin: Vector::zeros(), attitude: Attitude::identity() };
        let world = random.pose(2.0);
        let friction = if case % 3 == 0 { 0.0 } else { random.uniform(0.1, 1.0) };
        for e in [0.0, 0.5] {
            let problems = [&still, &world].map(|world| strike.problem(world, friction, e));
            let [count, other] = problems.each_ref().map(ContactProblem::contact_count);
            assert!(count > 0 && count == other, "case {case}: {count} and {other} contacts");
            let size = problems[0].velocity().norm();
            let [own, turned] =
                problems.each_ref().map(|p| engine.collect(p, &plan).expect("samples").1);
            for i in 0..own.len() {
                assert_eq!(own.status[i], turned.status[i], "case {case}, sample {i}");
                let off = off(&world, own.row(&own.velocity, i), turned.row(&turned.velocity, i));
                samples += 1;
                astray += usize::from(off > 1e-4 * size);
            }
            let resolved = |law: FiniteLaw| {
                problems.each_ref().map(|p| law.resolve(p).expect("outcomes").outcomes)
            };
            let [own, turned] = resolved(FiniteLaw::Sequential(Sequential::default()));
            assert_eq!(own.len(), turned.len(), "case {case}");
            for a in &own {
                let off = turned
                    .iter()
                    .map(|b| off(&world, &a.velocity, &b.velocity))
                    .fold(f64::MAX, f64::min);
                assert!(off <= 1e-9 * size, "case {case}, e {e}: sequential off by {off:e}");
            }
            if count == 1 {
                alone += 1;
                for hypothesis in Hypothesis::ALL {
                    let law = DarbouxKeller { hypothesis, restitution: None };
                    let [own, turned] = resolved(FiniteLaw::DarbouxKeller(law));
                    let off = off(&world, &own[0].velocity, &turned[0].velocity);
                    assert!(off <= 1e-9 * size, "case {case}, e {e}: darboux-keller {off:e}");
                }
            } else {
                together += 1;
            }
        }
    }
    assert!(alone >= 20 && together >= 20, "{alone} {together}");
    // Rounding may tip a contact that is about to part or to halt.
    assert!(1000 * astray <= samples, "{astray} of {samples}");
}

#[test]
fn tangents_make_a_right_handed_frame() {
    let mut random = Models::new(5);
    let close = |a: Vector, b: Vector| (a - b).norm() < 1e-15;
    let [t1, t2] = tangents(Vector::z());
    assert!(close(t1, Vector::x()) && close(t2, Vector::y()));
    for case in 0..300 {
        let normal = match case {
            0..6 => {
                Vector::from_fn(
                    |i, _| if i == case / 2 { 1.0 - 2.0 * (case % 2) as f64 } else { 0.0 },
                )
            }
            _ => random.vector(1.0).normalize(),
        };
        let [t1, t2] = tangents(normal);
        let frame = Matrix::from_columns(&[t1, t2, normal]);
        assert!((frame.transpose() * frame - Matrix::identity()).amax() < 1e-14);
        assert!((frame.determinant() - 1.0).abs() < 1e-14);
    }
}
