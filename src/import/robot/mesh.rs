//! Triangle meshes of STL (binary and text) and OBJ files.

use std::path::Path;

use super::file::named;
use super::hull::{FLAT, flat};
use super::solid::Solid;
use carom_core::error::{Error, Result};
use carom_mechanics::model::spatial::{Matrix, Vector, quickhull};

/// Most hull corners for which the convexity of a mesh is checked.
const MOST: usize = 4096;
/// Largest relative difference between the volumes of a convex mesh and of its hull.
const CONVEX: f64 = 1e-6;

/// Points, and triangles as indices of points, counter-clockwise as seen from outside.
#[derive(Clone, Debug, Default)]
pub(super) struct Mesh {
    pub points: Vec<Vector>,
    pub triangles: Vec<[usize; 3]>,
}

impl Mesh {
    /// The mesh of an `.stl` or `.obj` file.
    pub fn read(path: &Path) -> Result<Mesh> {
        let failed = |what: String| Error::input(format!("the mesh `{}` {what}", path.display()));
        let bytes = named(path).map_err(&failed)?;
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let mesh = match extension.as_deref() {
            Some("stl") => stl(&bytes),
            Some("obj") => obj(&String::from_utf8_lossy(&bytes)),
            _ => {
                return Err(failed("is neither STL nor OBJ".into())
                    .hint("convert it, for example with Blender or MeshLab"));
            }
        };
        let mesh = mesh.map_err(&failed)?;
        match mesh.points.iter().all(|p| p.iter().all(|x| x.is_finite())) {
            true if !mesh.points.is_empty() => Ok(mesh),
            true => Err(failed("has no points".into())),
            false => Err(failed("has numbers that are not finite".into())),
        }
    }

    pub fn moved(mut self, change: impl Fn(Vector) -> Vector) -> Mesh {
        self.points.iter_mut().for_each(|p| *p = change(*p));
        self
    }

    /// The solid enclosed by a convex mesh.
    pub fn solid(&self) -> Result<Solid> {
        let hull = quickhull(&self.points, MOST, FLAT).ok_or_else(flat)?;
        let filled = moments(&self.points, &hull.triangles);
        let own = moments(&self.points, &self.triangles);
        let convex =
            self.triangles.is_empty() || (own.0.abs() - filled.0).abs() <= CONVEX * filled.0;
        if !convex || hull.corners.len() == MOST {
            return Err(Error::input("the mesh is not convex, so its mass is not clear")
                .hint("give the body its mass and inertia; collisions take the convex hull"));
        }
        let (volume, first, second) = filled;
        let centre = first / volume;
        let spread = second / volume - centre * centre.transpose();
        Ok(Solid { volume, centre, gyration: Matrix::identity() * spread.trace() - spread })
    }
}

/// Volume, first and second moments of the interior of a closed surface, summed over tetrahedra
/// from one point.
fn moments(points: &[Vector], triangles: &[[usize; 3]]) -> (f64, Vector, Matrix) {
    let origin = points.first().copied().unwrap_or_default();
    let (mut volume, mut first, mut second) = (0.0, Vector::zeros(), Matrix::zeros());
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| points[i] - origin);
        let (d, s) = (a.dot(&b.cross(&c)), a + b + c);
        volume += d / 6.0;
        first += s * (d / 24.0);
        second += [s, a, b, c].map(|x| x * x.transpose()).iter().sum::<Matrix>() * (d / 120.0);
    }
    // Shifts the moments from the common point to the origin of the mesh.
    let turned = first * origin.transpose();
    let second = second + turned + turned.transpose() + origin * origin.transpose() * volume;
    (volume, first + origin * volume, second)
}

/// STL: binary if the length agrees with the triangle count of the header, otherwise text.
fn stl(bytes: &[u8]) -> Result<Mesh, String> {
    let count = bytes.get(80..84).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let mut points = Vec::new();
    if count.is_some_and(|count| Some(bytes.len()) == count.checked_mul(50).map(|size| size + 84)) {
        for triangle in bytes[84..].chunks_exact(50) {
            let numbers: Vec<f64> = triangle[12..48]
                .chunks_exact(4)
                .map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])))
                .collect();
            points.extend(numbers.chunks_exact(3).map(|p| Vector::new(p[0], p[1], p[2])));
        }
    } else {
        let text = String::from_utf8_lossy(bytes);
        if !text.trim_start().starts_with("solid") {
            return Err("is cut off, or no STL".into());
        }
        for line in text.lines() {
            let mut words = line.split_whitespace();
            if words.next() == Some("vertex") {
                points.push(point(words)?);
            }
        }
        if points.len() % 3 != 0 || !text.contains("endsolid") {
            return Err("is cut off".into());
        }
    }
    let triangles = (0..points.len() / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Ok(Mesh { points, triangles })
}

/// OBJ: points, and faces split into triangles.
fn obj(text: &str) -> Result<Mesh, String> {
    let mut mesh = Mesh::default();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => mesh.points.push(point(words)?),
            Some("f") => {
                let face: Option<Vec<usize>> =
                    words.map(|word| index(word, mesh.points.len())).collect();
                let face = face.filter(|face| face.len() >= 3);
                let face =
                    face.ok_or_else(|| format!("has a wrong face in line {}", number + 1))?;
                mesh.triangles.extend(face[1..].windows(2).map(|pair| [face[0], pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    Ok(mesh)
}

/// Index of the point in a word such as `3/1/2` or `-1` of an OBJ face, with `count` points read.
fn index(word: &str, count: usize) -> Option<usize> {
    let index: i64 = word.split('/').next()?.parse().ok()?;
    let count = i64::try_from(count).ok()?;
    let from_0 = if index < 0 { count.checked_add(index)? } else { index - 1 };
    (0..count).contains(&from_0).then_some(from_0 as usize)
}

fn point<'a>(words: impl Iterator<Item = &'a str>) -> Result<Vector, String> {
    let numbers: Result<Vec<f64>, _> = words.take(3).map(str::parse).collect();
    match numbers.as_deref() {
        Ok([x, y, z]) => Ok(Vector::new(*x, *y, *z)),
        _ => Err("has a point without three numbers".into()),
    }
}
