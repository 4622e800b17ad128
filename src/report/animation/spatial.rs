//! Films of bodies in space, in orthographic projection.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::{BODY, Branch, WALL, ink};
use crate::eye::{axes, seen, towards};
use crate::plot::{Figure, Film, FilmPart, Look};
use carom_mechanics::model::spatial::{
    Body, Joint, Matrix, Pose, Shape, Spatial, Vector, tangents,
};
use carom_mechanics::motion::lgvci::{RigidBody, shape};

/// Points of the silhouette of a round body, of half a great circle, and of a shadow.
const OUTLINE: usize = 36;
const HALF: usize = 12;
const SHADOW: usize = 24;
/// Approximate number of grid lines on a plane.
const GRID: f64 = 10.0;
/// A box or polyhedron whose rounding radius is below this fraction of its size has edges.
const SHARP: f64 = 0.01;

/// A convex solid in the frame of its body.
struct Solid<'a> {
    /// The number of the body.
    body: usize,
    /// The corners and faces, if there are any.
    hull: Option<Shape>,
    /// Whether the body is round, and not only a polyhedron.
    round: bool,
    /// The support mapping: the farthest point along a direction.
    farthest: Box<dyn Fn(Vector) -> Vector + 'a>,
}

/// The pose of a body: its origin, and its rotation matrix from body to world.
type Placed = (Vector, Matrix);

/// Puts a rigid body over its plane in a film.
pub fn rigid_body(film: &mut Film, body: &RigidBody, branches: &[Branch]) {
    let solids = solids_of(body);
    let normal = Vector::from(body.normal);
    let plane = (normal * -body.offset, normal);
    let placed = |position: &[f64]| {
        let turn = Matrix::from_row_slice(&position[3..]);
        vec![(Vector::from_column_slice(&position[..3]), turn)]
    };
    for branch in branches {
        let keys = branch.keys();
        let poses: Vec<Vec<Placed>> = keys.iter().map(|(_, state)| placed(state)).collect();
        let figures = figures(&solids, &poses, Some(plane), BODY);
        let times = keys.iter().map(|(time, _)| *time).collect();
        film.parts.push(FilmPart { times, share: branch.share, poses: Vec::new(), figures });
        film.flashes.extend(branch.flashes(|place| seen(place.into())));
        let origins: Vec<Vector> = poses.iter().flatten().map(|(origin, _)| *origin).collect();
        ground(film, plane, &origins);
    }
}

/// Number of points of a rigid body in each key frame.
pub fn body_points(body: &RigidBody) -> usize {
    solids_of(body).iter().map(Solid::points).sum()
}

/// Puts a model in space in a film, each branch in a colour of its own.
pub fn act(film: &mut Film, model: &Spatial, branches: &[Branch], colours: &[usize]) {
    let solids = solids_in(model);
    let plane = model.walls().first().map(|wall| (wall.point, wall.normal));
    let mut origins = Vec::new();
    for (branch, &colour) in branches.iter().zip(colours) {
        let keys = branch.keys();
        let poses: Vec<Vec<Pose>> = keys.iter().map(|(_, q)| model.poses(q)).collect();
        let turned = |pose: &Pose| (pose.origin, *pose.attitude.to_rotation_matrix().matrix());
        let placed: Vec<Vec<Placed>> =
            poses.iter().map(|poses| poses.iter().map(turned).collect()).collect();
        origins.extend(placed.iter().flatten().map(|(origin, _)| *origin));
        let mut figures = figures(&solids, &placed, plane, colour);
        figures.extend(links(model, &poses, ink(colour)));
        let times = keys.iter().map(|(time, _)| *time).collect();
        film.parts.push(FilmPart { times, share: branch.share, poses: Vec::new(), figures });
        film.flashes.extend(branch.flashes(|place| seen(place.into())));
    }
    model.walls().iter().for_each(|wall| ground(film, (wall.point, wall.normal), &origins));
}

pub fn points(model: &Spatial) -> usize {
    solids_in(model).iter().map(Solid::points).sum()
}

/// Lines from joints to the joints, spheres and points of their bodies.
fn links(model: &Spatial, poses: &[Vec<Pose>], colour: usize) -> Vec<Figure> {
    let mut links = Vec::new();
    let mut link = |body: usize, end: Vector| {
        let line = |poses: &Vec<Pose>| vec![seen(poses[body].origin), seen(poses[body].point(end))];
        if end.norm() > 0.0 {
            links.push(Figure::new(Look::Line, colour, poses.iter().map(line).collect()));
        }
    };
    for (i, body) in model.bodies().iter().enumerate() {
        if let Some(parent) = body.parent {
            link(parent, body.anchor);
        }
        let free = matches!(body.joint, Joint::Floating | Joint::Translating);
        if !free || body.shapes.len() > 1 && hull_of_balls(body).is_none() {
            let single = body.shapes.iter().filter(|shape| shape.vertices().len() == 1);
            single.for_each(|shape| link(i, shape.vertices()[0]));
        }
    }
    links
}

fn solids_of(body: &RigidBody) -> Vec<Solid<'_>> {
    body.shape.parts.iter().map(solid_of).collect()
}

fn solid_of(part: &shape::ShapePart) -> Solid<'_> {
    let farthest = Box::new(|along: Vector| Vector::from(part.support((-along).into()).point));
    let (corners, rounding): (Vec<Vector>, f64) = match part {
        shape::ShapePart::Cuboid(image, rounding) => {
            let half = Matrix::from_fn(|i, j| image.half[i][j]);
            let side = |k: usize, bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
            let corner = |k| half * Vector::new(side(k, 4), side(k, 2), side(k, 1));
            let corners = (0..8).map(|k| Vector::from(image.center) + corner(k));
            (corners.collect(), *rounding)
        }
        shape::ShapePart::Polyhedron(body) => {
            (body.vertices.iter().map(|v| Vector::from(*v)).collect(), body.rounding)
        }
        _ => (Vec::new(), 0.0),
    };
    let size = corners.iter().map(|corner| (corner - corners[0]).norm()).fold(0.0, f64::max);
    // Rounding can spoil the faces of a shape; the silhouette remains.
    let hull = Shape::polyhedron(corners).ok();
    Solid { body: 0, round: hull.is_none() || rounding > SHARP * size, hull, farthest }
}

/// The solids of a model; a body of spheres or points has their convex hull as well.
fn solids_in(model: &Spatial) -> Vec<Solid<'static>> {
    let of_body = |(i, body): (usize, &Body)| -> Vec<Solid<'static>> {
        let hull = hull_of_balls(body);
        body.shapes.iter().cloned().chain(hull).map(|shape| of_shape(i, shape)).collect()
    };
    model.bodies().iter().enumerate().flat_map(of_body).collect()
}

/// The hull of the centres of a body of spheres or points, unless they lie in a plane.
fn hull_of_balls(body: &Body) -> Option<Shape> {
    let centers = body.shapes.iter().flat_map(|shape| shape.vertices()).copied();
    let balls = body.shapes.iter().all(|shape| shape.vertices().len() == 1);
    if balls { Shape::polyhedron(centers.collect()).ok() } else { None }
}

fn of_shape(body: usize, shape: Shape) -> Solid<'static> {
    let hull = (!shape.faces().is_empty()).then(|| shape.clone());
    let farthest = Box::new(move |along: Vector| {
        let ahead = |v: &&Vector| v.dot(&along);
        let first = shape.vertices().iter().max_by(|a, b| ahead(a).total_cmp(&ahead(b)));
        first.copied().unwrap_or_default() + along * shape.radius()
    });
    Solid { body, round: hull.is_none(), hull, farthest }
}

impl Solid<'_> {
    fn points(&self) -> usize {
        let faces = self.hull.iter().flat_map(|hull| hull.faces());
        let corners: usize = faces.map(|face| face.corners.len()).sum();
        corners + SHADOW + if self.round { OUTLINE + 3 * (HALF + 1) } else { 0 }
    }

    /// Support points in the world along `count` directions in the plane of two unit vectors.
    fn around(&self, (origin, turn): &Placed, [a, b]: [Vector; 2], count: usize) -> Vec<Vector> {
        let point = |k: usize| {
            let (sin, cos) = (TAU * k as f64 / count as f64).sin_cos();
            origin + turn * (self.farthest)(turn.transpose() * (a * cos + b * sin))
        };
        (0..count).map(point).collect()
    }

    /// The visible half of the great circle in the plane of two body axes.
    fn half(&self, (origin, turn): &Placed, [i, j]: [usize; 2]) -> Vec<[f64; 2]> {
        let eye = turn.transpose() * towards();
        let middle = eye[j].atan2(eye[i]);
        let point = |k: usize| {
            let (sin, cos) = (middle - FRAC_PI_2 + PI * k as f64 / HALF as f64).sin_cos();
            let mut normal = Vector::zeros();
            (normal[i], normal[j]) = (cos, sin);
            seen(origin + turn * (self.farthest)(normal))
        };
        (0..=HALF).map(point).collect()
    }
}

/// Solids, and their shadows on a plane, at the poses of bodies.
fn figures(
    solids: &[Solid<'_>],
    poses: &[Vec<Placed>],
    plane: Option<(Vector, Vector)>,
    colour: usize,
) -> Vec<Figure> {
    let mut figures = Vec::new();
    for solid in solids {
        let Some((foot, normal)) = plane else { continue };
        let fallen = |point: Vector| seen(point - normal * normal.dot(&(point - foot)));
        let shadow = |poses: &Vec<Placed>| {
            let points = solid.around(&poses[solid.body], tangents(normal), SHADOW);
            points.into_iter().map(fallen).collect()
        };
        figures.push(Figure::new(Look::Shade, WALL, poses.iter().map(shadow).collect()));
    }
    for solid in solids {
        let each = |line: &dyn Fn(&Placed) -> Vec<[f64; 2]>| {
            poses.iter().map(|poses| line(&poses[solid.body])).collect()
        };
        if solid.round {
            let outline =
                each(&|pose| solid.around(pose, axes(), OUTLINE).into_iter().map(seen).collect());
            figures.push(Figure::new(Look::Solid, colour, outline));
        }
        if let Some(hull) = &solid.hull {
            for face in hull.faces() {
                let corners = |(origin, turn): &Placed| {
                    hull.corners(face).map(|corner| seen(origin + turn * corner)).collect()
                };
                let ahead =
                    |poses: &Vec<Placed>| (poses[solid.body].1 * face.normal).dot(&towards()) > 0.0;
                let front = poses.iter().map(ahead).collect();
                figures.push(Figure { front, ..Figure::new(Look::Solid, colour, each(&corners)) });
            }
        }
        if solid.round && solid.hull.is_none() {
            for axes in [[0, 1], [1, 2], [2, 0]] {
                figures.push(Figure::new(Look::Thin, colour, each(&|pose| solid.half(pose, axes))));
            }
        }
    }
    figures
}

/// A plane with a grid, if it is near the bodies; covers the area below them and a margin.
fn ground(film: &mut Film, (foot, normal): (Vector, Vector), origins: &[Vector]) {
    let [low, high] = film.bounds();
    let size = (high[0] - low[0]).max(high[1] - low[1]);
    let range = |along: Vector| {
        let places = origins.iter().map(|origin| along.dot(&(origin - foot)));
        places.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    };
    if !(size.is_finite() && size > 0.0 && range(normal)[0] <= 1.5 * size) {
        return;
    }
    let [a, b] = tangents(normal);
    let room = 0.3 * size;
    let cell = (size / GRID).log2().ceil().exp2();
    let whole = |x: f64| (x / cell).round() * cell;
    let [across, up] = [a, b].map(range).map(|[low, high]| [whole(low - room), whole(high + room)]);
    let place = |x: f64, y: f64| seen(foot + a * x + b * y);
    let corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[i, j]| place(across[i], up[j]));
    film.still.push(Figure::new(Look::Shade, WALL, vec![corners.to_vec()]));
    let lines = |[low, high]: [f64; 2]| {
        (0..=((high - low) / cell).round() as usize).map(move |k| low + k as f64 * cell)
    };
    let one = lines(across).map(|x| vec![place(x, up[0]), place(x, up[1])]);
    let other = lines(up).map(|y| vec![place(across[0], y), place(across[1], y)]);
    film.still.extend(one.chain(other).map(|line| Figure::new(Look::Thin, WALL, vec![line])));
}
