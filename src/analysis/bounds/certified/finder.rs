//! Search for a function of the velocity that never rises along the law and bounds `c.v` at ends.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector, RowDVector};

use super::absence::{self, Claim};
use super::cells::Pushes;
use super::fan::{Fan, FanFace, free};
use carom_core::cones::conic::{ConicProgram, ConicRow, Limits};

/// Continuous function `V`, linear on each cone of a fan, by its values on rays; with its proof.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// `V` on each ray.
    pub values: Vec<f64>,
    /// Values of a minorant of `V` on the rays of cones in which the impact ends.
    pub below: Vec<f64>,
    /// Claim about each face of the fan.
    pub claims: Vec<Claim<f64>>,
    /// Rays that receive most impulse from faces, as combinations of known rays.
    pub landings: Landings,
}

/// Points as combinations of known rays, each with its distance from a ray.
pub type Landings = Vec<(f64, Vec<(usize, f64)>)>;

/// Coordinates of directions in the rays of a face: `inverse' * d` on the free coordinates.
pub fn inverse(fan: &Fan, cells: &Pushes, face: &FanFace) -> Option<(Vec<usize>, DMatrix<f64>)> {
    let free = free(cells, &face.states);
    let inverse = fan.matrix(&face.rays, &free).try_inverse()?;
    Some((free, inverse))
}

/// Best function among those linear on the cones of a fan.
///
/// ```text
/// minimise    V(start) + radius k
/// over        V on the rays, q <= V on the rays of cones without approach, slopes s of the faces
/// subject to  p.g <= 0  for every face and every direction g there,
///               p = the gradient of V on the face, with slopes s across it
///             |d - B q'| <= k  for every cone in which the impact may end,
///               q' = the gradient of q there
/// ```
/// `start`: ray of the velocity before the impact; `d` (n): direction in coordinates with a
/// Euclidean kinetic metric, of unit length; `B`: [`Pushes::columns`]. Along the law `V` does not
/// rise, and at the end `d.y <= q.u + |d - B q'| |y| <= V(u) + k |y|`. `None` if the solver fails
/// or the flag is raised.
pub fn find(
    fan: &Fan,
    cells: &Pushes,
    d: &DVector<f64>,
    radius: f64,
    start: usize,
    limits: &Limits,
) -> Option<Candidate> {
    let rays = fan.rays.len();
    let all = fan.faces(cells);
    let absent = absence::witnesses(cells, fan, &all, limits)?;
    let present = all.into_iter().zip(&absent).filter(|(_, absent)| absent.is_none());
    let faces: Vec<FanFace> = present.map(|(face, _)| face).collect();
    let stuck: Vec<usize> = faces.iter().map(|face| face.held().count()).collect();
    let steepness = 2 * rays;
    let slopes = steepness + 1;
    let mut objective = vec![0.0; slopes + stuck.iter().sum::<usize>()];
    objective[start] = 1.0;
    objective[steepness] = radius;
    let mut program = ConicProgram::minimise(objective, limits);

    let (mut flows, mut falls, mut slope) = (Vec::new(), Vec::new(), slopes);
    for (f, face) in faces.iter().enumerate() {
        let (free, inverse) = inverse(fan, cells, face)?;
        for (_, push) in face.pushes(cells) {
            let g = &push.along / push.along.norm().max(f64::MIN_POSITIVE);
            let inner = DVector::from_fn(free.len(), |k, _| g[free[k]]);
            let parts = inner.transpose() * &inverse;
            let mut row: Vec<_> = face.rays.iter().copied().zip(parts.iter().copied()).collect();
            let held = face.held().enumerate();
            row.extend(held.filter_map(|(s, j)| Some((slope + s, g[cells.tangent[j]?]))));
            falls.push((row, 0.0));
            flows.push((f, parts));
        }
        slope += stuck[f];
    }
    program.nonnegative(falls);
    let of_ends: Vec<usize> =
        fan.ends(cells.contacts).flat_map(|cone| cone.rays.iter().copied()).collect();
    let below = (0..rays).filter(|r| of_ends.contains(r));
    program.nonnegative(below.map(|r| (vec![(rays + r, 1.0), (r, -1.0)], 0.0)).collect());
    for cone in fan.ends(cells.contacts) {
        let through = &cells.columns * fan.of_cone(&cone.rays).try_inverse()?;
        let rows = (0..d.len()).map(|k| -> ConicRow {
            let part = |(r, &ray): (usize, &usize)| (rays + ray, through[(k, r)]);
            (cone.rays.iter().enumerate().map(part).collect(), d[k])
        });
        program.round(std::iter::once((vec![(steepness, -1.0)], 0.0)).chain(rows).collect());
    }

    let solved = program.solve()?;
    let mut slope = slopes;
    let falls = stuck.iter().map(|count| {
        slope += count;
        Claim::Falls(solved.x[slope - count..slope].to_vec())
    });
    let mut falls = falls.collect::<Vec<_>>().into_iter();
    let claims = absent.into_iter();
    Some(Candidate {
        values: solved.x[..rays].to_vec(),
        below: solved.x[rays..2 * rays].to_vec(),
        claims: claims.filter_map(|one| one.map(Claim::Absent).or_else(|| falls.next())).collect(),
        landings: landings(&faces, &flows, &solved.dual),
    })
}

/// Points at which impulse from faces arrives, farthest from a ray first.
pub fn landings(faces: &[FanFace], flows: &[(usize, RowDVector<f64>)], dual: &[f64]) -> Landings {
    let mut sums: BTreeMap<usize, RowDVector<f64>> = BTreeMap::new();
    for ((face, parts), weight) in flows.iter().zip(dual).filter(|(_, weight)| **weight > LEAST) {
        let sum = sums.entry(*face).or_insert_with(|| parts * 0.0);
        *sum += parts * *weight;
    }
    let landing = |(face, sum): (usize, RowDVector<f64>)| {
        let parts = faces[face].rays.iter().copied().zip(sum.iter().copied());
        let arriving: Vec<(usize, f64)> = parts.filter(|(_, part)| *part > LEAST).collect();
        let most = arriving.iter().fold(0.0, |most: f64, (_, part)| most.max(*part));
        (arriving.iter().map(|(_, part)| part).sum::<f64>() - most, arriving)
    };
    let found = sums.into_iter().map(landing);
    let mut found: Landings = found.filter(|(_, arriving)| arriving.len() > 1).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found
}

/// Flow below which it counts as rounding.
const LEAST: f64 = 1e-7;
