//! Films of planar mechanisms.

use super::{Branch, WALL, ink};
use crate::outline::rounded;
use crate::plot::{Figure, Film, FilmPart, Look};
use carom_mechanics::model::{Body, HalfPlane, Joint, Planar, Pose, Vector};

/// Number of points of a model's bodies in each key frame; a pose counts as two.
pub fn points(model: &Planar) -> usize {
    2 * model.bodies().len()
}

/// Puts a model in a film, each branch in a colour of its own.
pub fn act(film: &mut Film, model: &Planar, branches: &[Branch], colours: &[usize]) {
    for (branch, &colour) in branches.iter().zip(colours) {
        let keys = branch.keys();
        let times: Vec<f64> = keys.iter().map(|(time, _)| *time).collect();
        let poses: Vec<_> = keys.iter().map(|(_, q)| model.poses(q)).collect();
        for i in 0..model.bodies().len() {
            let pose = |poses: &Vec<Pose>| [poses[i].origin.x, poses[i].origin.y, poses[i].angle];
            let poses: Vec<[f64; 3]> = poses.iter().map(pose).collect();
            let turns = poses.iter().any(|[_, _, angle]| *angle != poses[0][2]);
            let figures = figures(model, i, turns, colour);
            film.parts.push(FilmPart { times: times.clone(), share: branch.share, poses, figures });
        }
        film.flashes.extend(branch.flashes(|[x, y, _]| [x, y]));
    }
    model.walls().iter().for_each(|wall| ground(film, wall));
}

/// A body in its own frame: shapes, and lines from its joint to the joints of its children.
fn figures(model: &Planar, number: usize, turns: bool, colour: usize) -> Vec<Figure> {
    let body = &model.bodies()[number];
    let point = |v: Vector| [v.x, v.y];
    let figure =
        |look: Look, colour: usize, points: Vec<[f64; 2]>| Figure::new(look, colour, vec![points]);
    let carried = |child: &&Body| child.parent == Some(number);
    let mut ends: Vec<Vector> =
        model.bodies().iter().filter(carried).map(|child| child.anchor).collect();
    if !matches!(body.joint, Joint::Floating | Joint::Translating) {
        let single = |vertices: &[Vector]| (vertices.len() == 1).then(|| vertices[0]);
        ends.extend(body.shapes.iter().filter_map(|shape| single(shape.vertices())));
    }
    ends.retain(|end| end.norm() > 0.0);
    let ink = ink(colour);
    let mut figures: Vec<Figure> =
        ends.iter().map(|end| figure(Look::Line, ink, vec![[0.0; 2], point(*end)])).collect();
    for shape in &body.shapes {
        let vertices: Vec<[f64; 2]> = shape.vertices().iter().copied().map(point).collect();
        match (&vertices[..], shape.radius()) {
            ([_], 0.0) => figures.push(figure(Look::Dot, colour, vertices)),
            ([_, _], 0.0) => figures.push(figure(Look::Line, colour, vertices)),
            ([[x, y]], radius) => {
                let center = [*x, *y];
                figures.push(figure(Look::Solid, colour, rounded([center].into_iter(), radius)));
                if turns {
                    // A radius makes the rotation of a disk visible.
                    figures.push(figure(Look::Thin, colour, vec![center, [x + radius, *y]]));
                }
            }
            (_, radius) => {
                figures.push(figure(Look::Solid, colour, rounded(vertices.into_iter(), radius)))
            }
        }
    }
    if matches!(body.joint, Joint::Revolute { .. }) {
        figures.push(figure(Look::Dot, ink, vec![[0.0; 2]]));
    }
    figures
}

/// A wall, if it is near the bodies.
fn ground(film: &mut Film, wall: &HalfPlane) {
    let [low, high] = film.bounds().map(Vector::from);
    let (middle, size) = ((low + high) * 0.5, (high - low).amax());
    let far = (middle - wall.point).dot(&wall.normal);
    if !size.is_finite() || far > 1.5 * size {
        return;
    }
    let foot = middle - wall.normal * far;
    let (along, deep) =
        (Vector::new(wall.normal.y, -wall.normal.x) * (4.0 * size), wall.normal * (4.0 * size));
    let corner = |v: Vector| [v.x, v.y];
    let [a, b] = [foot - along, foot + along];
    film.seen.push(corner(foot));
    let area = [a, b, b - deep, a - deep].map(corner).to_vec();
    film.still.push(Figure::new(Look::Shade, WALL, vec![area]));
    film.still.push(Figure::new(Look::Line, WALL, vec![[a, b].map(corner).to_vec()]));
}
