//! Complete fan of cones over the space of contact velocities, refined by subdivision.

use std::collections::HashSet;

use nalgebra::{DMatrix, DVector};

use super::cells::{Push, PushState, Pushes};
use super::finder::Landings;
use carom_core::cones::conic::Limits;

/// Simplicial fan: the orthants, refined by further rays.
///
/// A new ray is a positive combination of rays of one cone, its parents. Stellar subdivision
/// replaces every cone with all parents: the new ray takes the place of one parent after the other.
/// The cones therefore fill the space and meet in common faces, however rays are rounded.
#[derive(Clone, Debug)]
pub struct Fan {
    /// The rays.
    pub rays: Vec<Ray>,
    /// Cones that fill the space.
    pub cones: Vec<FanCone>,
}

/// Ray: direction, not of unit length, and a bound on the rounding of its entries.
#[derive(Clone, Debug)]
pub struct Ray {
    /// Direction as computed.
    pub along: DVector<f64>,
    /// Maximum error of an entry.
    pub error: f64,
}

/// Cone: its rays, in order, and its orthant.
#[derive(Clone, Debug)]
pub struct FanCone {
    /// Indices of the spanning rays, one for each coordinate.
    pub rays: Vec<usize>,
    /// Whether each coordinate is negative.
    pub negative: Vec<bool>,
}

/// Face of a cone on which the law has one set of directions. Sticking contacts confine velocities
/// to a proper face.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FanFace {
    /// Indices of the spanning rays.
    pub rays: Vec<usize>,
    /// State of each contact.
    pub states: Vec<PushState>,
}

impl FanFace {
    /// Sticking contacts.
    pub fn held(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.states.len()).filter(|&i| self.states[i] == PushState::Stick)
    }

    /// Impulse directions, each with its contact.
    pub fn pushes<'a>(&'a self, cells: &'a Pushes) -> impl Iterator<Item = (usize, &'a Push)> {
        let of = |(i, state): (usize, &PushState)| {
            cells.pushes(i, *state).iter().map(move |push| (i, push))
        };
        self.states.iter().enumerate().flat_map(of)
    }
}

impl Fan {
    /// The orthants.
    pub fn orthants(dimension: usize) -> Self {
        let unit = |k: usize| {
            DVector::from_fn(dimension, |l, _| match l == k / 2 {
                true if k.is_multiple_of(2) => 1.0,
                true => -1.0,
                false => 0.0,
            })
        };
        let rays = (0..2 * dimension).map(|k| Ray { along: unit(k), error: 0.0 }).collect();
        let cone = |bits: usize| {
            let negative: Vec<bool> = (0..dimension).map(|k| bits >> k & 1 == 1).collect();
            FanCone {
                rays: (0..dimension).map(|k| 2 * k + usize::from(negative[k])).collect(),
                negative,
            }
        };
        Fan { rays, cones: (0..1 << dimension).map(cone).collect() }
    }

    /// Adds the ray `sum of part * ray` by stellar subdivision; `false` if the fan has it already.
    pub fn insert(&mut self, parts: &[(usize, f64)]) -> bool {
        let size: f64 = parts.iter().map(|(_, part)| part).sum();
        let parts = parts.iter().map(|&(ray, part)| (ray, part / size));
        let parts: Vec<(usize, f64)> = parts.filter(|(_, part)| *part > SMALL).collect();
        if parts.len() < 2 {
            return false;
        }
        let mut along = DVector::zeros(self.rays[0].along.len());
        let mut error = 0.0;
        for &(ray, part) in &parts {
            let Ray { along: of, error: off } = &self.rays[ray];
            along += of * part;
            error += part * (off + 8.0 * parts.len() as f64 * f64::EPSILON * of.amax());
        }
        if self.rays.iter().any(|ray| (ray.along.normalize() - along.normalize()).amax() < SMALL) {
            return false;
        }
        let new = self.rays.len();
        self.rays.push(Ray { along, error });
        let holds = |cone: &FanCone| parts.iter().all(|(ray, _)| cone.rays.contains(ray));
        let (split, mut cones): (Vec<FanCone>, Vec<FanCone>) =
            self.cones.drain(..).partition(holds);
        for cone in split {
            for &(ray, _) in &parts {
                let rays = cone.rays.iter().map(|&of| if of == ray { new } else { of }).collect();
                cones.push(FanCone { rays, negative: cone.negative.clone() });
            }
        }
        self.cones = cones;
        true
    }

    /// Adds the ray of a velocity and returns its index, or the index of the nearest ray if the fan
    /// has it.
    pub fn split_at(&mut self, u: &DVector<f64>) -> usize {
        let part = |(k, x): (usize, &f64)| (2 * k + usize::from(*x < 0.0), x.abs());
        let parts: Vec<(usize, f64)> = u.iter().enumerate().map(part).collect();
        match self.insert(&parts) {
            true => self.rays.len() - 1,
            false => parts.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |part| part.0),
        }
    }

    /// Faces on which some contact pushes.
    pub fn faces(&self, cells: &Pushes) -> Vec<FanFace> {
        let mut found = HashSet::new();
        let mut faces = Vec::new();
        for cone in &self.cones {
            let pushes = |i: &usize| cone.negative[*i] || cells.bounces(*i);
            let active: Vec<usize> = (0..cells.contacts).filter(pushes).collect();
            let rubbing: Vec<usize> =
                active.iter().copied().filter(|&i| cells.tangent[i].is_some()).collect();
            for subset in 0..1usize << rubbing.len() {
                let sticks = |i: usize| {
                    rubbing.iter().position(|&j| j == i).is_some_and(|at| subset >> at & 1 == 1)
                };
                let state = |i: usize| match cells.tangent[i] {
                    _ if !active.contains(&i) => PushState::Open,
                    Some(_) if sticks(i) => PushState::Stick,
                    Some(t) if cone.negative[t] => PushState::Back,
                    _ => PushState::Forward,
                };
                let states: Vec<PushState> = (0..cells.contacts).map(state).collect();
                let free = free(cells, &states);
                let within = |ray: &usize| {
                    (0..cells.dimension())
                        .all(|k| free.contains(&k) || self.rays[*ray].along[k] == 0.0)
                };
                let mut rays: Vec<usize> = cone.rays.iter().copied().filter(within).collect();
                rays.sort_unstable();
                let face = FanFace { rays, states };
                if !active.is_empty() && face.rays.len() == free.len() && found.insert(face.clone())
                {
                    faces.push(face);
                }
            }
        }
        faces
    }

    /// Cones without approaching contacts.
    pub fn ends(&self, contacts: usize) -> impl Iterator<Item = &FanCone> {
        self.cones.iter().filter(move |cone| !cone.negative[..contacts].contains(&true))
    }

    /// Free coordinates of the rays, row by row.
    pub fn matrix(&self, rays: &[usize], free: &[usize]) -> DMatrix<f64> {
        DMatrix::from_fn(rays.len(), free.len(), |r, k| self.rays[rays[r]].along[free[k]])
    }

    /// Rays of a cone, row by row.
    pub fn of_cone(&self, rays: &[usize]) -> DMatrix<f64> {
        self.matrix(rays, &(0..rays.len()).collect::<Vec<_>>())
    }
}

/// Coordinates not fixed at 0 by sticking contacts.
pub fn free(cells: &Pushes, states: &[PushState]) -> Vec<usize> {
    let held = |k: &usize| {
        (0..cells.contacts).any(|i| states[i] == PushState::Stick && cells.tangent[i] == Some(*k))
    };
    (0..cells.dimension()).filter(|k| !held(k)).collect()
}

/// Weight of a ray, and distance of rays, below which they count as 0.
const SMALL: f64 = 1e-7;
/// Maximum number of refinement rounds, and number of rays added in a round.
const ROUNDS: usize = 30;
const RAYS: usize = 2;
/// Rounds without improvement after which the search ends: before and after a bound below the conic
/// one. An improvement counts if it exceeds `BETTER |c|_{M^-1} |v-|_M`.
const PATIENCE: [usize; 2] = [4, 8];
pub(super) const BETTER: f64 = 1e-5;
/// Total number of cones of all rounds after which the search ends, without and with restitution.
pub(super) const MOST_CONES: [usize; 2] = [30_000, 1000];

/// Values proved by `find` on a fan refined at the landing points of impulse, in search of a value
/// below `known` by more than `better`; with about `most` cones in all rounds together.
pub(super) fn rounds(
    mut fan: Fan,
    known: f64,
    better: f64,
    most: usize,
    limits: &Limits,
    mut find: impl FnMut(&Fan) -> Option<(Option<f64>, Landings)>,
) -> Vec<f64> {
    let (mut found, mut best, mut idle, mut cones) = (Vec::new(), known, 0, 0);
    for _ in 0..ROUNDS {
        if limits.stopped() {
            break;
        }
        let Some((value, landings)) = find(&fan) else { break };
        found.extend(value);
        idle += 1;
        if let Some(value) = value.filter(|value| *value < best - better) {
            (best, idle) = (value, 0);
        }
        cones += fan.cones.len();
        if idle >= PATIENCE[usize::from(best < known)] || cones > most {
            break;
        }
        let mut room = RAYS;
        for (_, parts) in &landings {
            room -= usize::from(room > 0 && fan.insert(parts));
        }
        if room == RAYS {
            break;
        }
    }
    found
}
