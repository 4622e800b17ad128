//! Polytopes of velocities: vertices, faces, volume and uniform samples.

use nalgebra::DMatrix;

use crate::rng::stream::unit;

/// A bounded convex set of velocities, the hull of its vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope {
    /// The vertices (n each).
    pub vertices: Vec<Vec<f64>>,
    /// The vertices of each facet by index, in ascending order. A single point has no facets.
    pub facets: Vec<Vec<usize>>,
    /// The dimension.
    pub dimension: usize,
}

impl Polytope {
    /// A triangulation: simplices (`dimension + 1` indices of vertices each) that overlap in faces
    /// only.
    ///
    /// A vertex is joined with the simplices of all facets that do not contain it.
    pub fn simplices(&self) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..self.vertices.len()).collect();
        triangulate(&all, &self.facets, self.dimension)
    }

    /// The volume of a simplex of vertices, with lengths `|map v|` of velocities `v`.
    pub fn volume_of(&self, simplex: &[usize], map: &DMatrix<f64>) -> f64 {
        let d = simplex.len() - 1;
        let edge =
            |k: usize, i: usize| self.vertices[simplex[k + 1]][i] - self.vertices[simplex[0]][i];
        let edges = map * DMatrix::from_fn(map.ncols(), d, |i, k| edge(k, i));
        let gram = edges.transpose() * &edges;
        let factorial: f64 = (1..=d).map(|k| k as f64).product();
        gram.determinant().max(0.0).sqrt() / factorial
    }

    /// A uniform point of a simplex of vertices, from one random word per vertex.
    pub fn point_of(&self, simplex: &[usize], words: impl Iterator<Item = u32>) -> Vec<f64> {
        // Exponentials over their sum are uniform on the standard simplex.
        let words = words.take(simplex.len());
        let weights: Vec<f64> = words.map(|word| -(1.0 - f64::from(unit(word))).ln()).collect();
        let sum: f64 = weights.iter().sum();
        let mut point = vec![0.0; self.vertices[0].len()];
        for (vertex, weight) in simplex.iter().zip(&weights) {
            let share = if sum > 0.0 { weight / sum } else { 1.0 / weights.len() as f64 };
            point.iter_mut().zip(&self.vertices[*vertex]).for_each(|(x, v)| *x += share * v);
        }
        point
    }
}

/// The simplices of a face of dimension `d` with these vertices; the facets of the face are its
/// intersections with `facets`.
fn triangulate(face: &[usize], facets: &[Vec<usize>], d: usize) -> Vec<Vec<usize>> {
    if face.len() <= d + 1 {
        return vec![face.to_vec()];
    }
    let mut parts: Vec<Vec<usize>> = facets
        .iter()
        .map(|facet| facet.iter().copied().filter(|v| face.contains(v)).collect::<Vec<_>>())
        .filter(|part| part.len() >= d && part.len() < face.len())
        .collect();
    parts.sort();
    parts.dedup();
    let within =
        |a: &Vec<usize>, b: &Vec<usize>| a.len() < b.len() && a.iter().all(|v| b.contains(v));
    let largest: Vec<&Vec<usize>> =
        parts.iter().filter(|part| !parts.iter().any(|other| within(part, other))).collect();
    let apex = face[0];
    let opposite = largest.into_iter().filter(|part| !part.contains(&apex));
    let joined = |part: &Vec<usize>| {
        let simplices = triangulate(part, facets, d - 1);
        simplices.into_iter().map(|simplex| [&[apex][..], &simplex].concat()).collect::<Vec<_>>()
    };
    opposite.flat_map(joined).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cube of side 2 in three dimensions; vertex i has the bits of i as coordinates.
    fn cube() -> Polytope {
        let vertices =
            (0..8).map(|i| (0..3).map(|k| f64::from(i >> k & 1) * 2.0).collect()).collect();
        let facet = |k: usize, side: usize| (0..8).filter(|i| i >> k & 1 == side).collect();
        let facets = (0..3).flat_map(|k| [facet(k, 0), facet(k, 1)]).collect();
        Polytope { vertices, facets, dimension: 3 }
    }

    #[test]
    fn the_simplices_of_a_cube_have_its_volume() {
        let cube = cube();
        let simplices = cube.simplices();
        let identity = DMatrix::identity(3, 3);
        let volumes = simplices.iter().map(|simplex| cube.volume_of(simplex, &identity));
        assert!((volumes.sum::<f64>() - 8.0).abs() < 1e-12);
        assert!(simplices.iter().all(|simplex| simplex.len() == 4));
    }

    #[test]
    fn points_of_a_simplex_are_its_own() {
        let cube = cube();
        let mut mean = [0.0; 3];
        for sample in 0..2000 {
            let stream = crate::rng::Stream::new(1, sample);
            let words = (0..4).map(|j| stream.draw(0, crate::rng::Purpose::User, j));
            let point = cube.point_of(&[0, 1, 2, 4], words);
            assert!(point.iter().all(|x| *x >= 0.0) && point.iter().sum::<f64>() <= 2.0 + 1e-12);
            mean.iter_mut().zip(&point).for_each(|(mean, x)| *mean += x / 2000.0);
        }
        // The centroid of the corners 0, 2 e_1, 2 e_2, 2 e_3.
        assert!(mean.iter().all(|x| (x - 0.5).abs() < 0.03), "{mean:?}");
    }
}
