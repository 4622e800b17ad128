use nalgebra::DVector;

use super::state::{Phase, State};
use carom_core::lcp::Facets;
use carom_core::polyhedra::Vector;

pub struct Numbers<'a> {
    pub contact: usize,
    /// The rows of `u_t` in the contact velocity (d).
    pub tangents: std::ops::Range<usize>,
    pub mu: f64,
    /// Poisson's coefficient of restitution, and the place of the store among all stores.
    pub store: Option<(usize, f64)>,
    pub stores: bool,
    pub facets: Option<&'a Facets>,
}

/// Makes vectors from sums that are not rounded where vectors are exact.
pub trait Sums<V> {
    /// The function `sum a u_j` of the velocities over `(j, a)`.
    fn velocity(&self, terms: &[(usize, f64)]) -> V;

    fn store(&self, at: usize) -> V;

    /// The change by impulses `a b` N s over `(j, a, b)`, and by what is added to a store.
    fn change(&self, terms: &[(usize, f64, f64)], stored: Option<(usize, f64)>) -> V;

    /// [`Sums::change`], rounded, for `impulse` N s in the place of 1 N s.
    fn rounded(&self, terms: &[(usize, f64, f64)], stored: Option<(usize, f64)>) -> DVector<f64>;
}

/// A direction in which a contact moves velocities, by 1 N s of normal impulse.
pub struct Push<V> {
    /// The change, up to a positive factor.
    pub change: V,
    /// The change by the unit impulse of [`super::velocities::Velocities`], rounded.
    pub rounded: DVector<f64>,
    /// The tangential impulse over the normal one (d).
    pub along: Vec<f64>,
}

/// A state of a contact.
pub struct Branch<V> {
    pub state: State,
    pub phase: Phase,
    /// Rows that are not negative (1), not positive (-1) or 0.
    pub conditions: Vec<(usize, i32)>,
    pub pushes: Vec<Push<V>>,
    /// Where it moves them, too, while no contact approaches.
    pub returns: Vec<Push<V>>,
}

/// All that a contact may do.
pub struct Contact<V> {
    /// What tells its states by its signs: `u_n`, lines that divide sliding, and any store.
    pub rows: Vec<V>,
    pub branches: Vec<Branch<V>>,
    /// Combinations of signs of the rows, all 0 first; `None`: the sign makes no difference there.
    pub places: Vec<Vec<Option<i32>>>,
    pub store: Option<usize>,
    /// Number of corners of the friction cone, if it has facets.
    corners: usize,
}

impl<V: Vector> Contact<V> {
    pub fn new(numbers: &Numbers<'_>, sums: &impl Sums<V>) -> Self {
        let friction = Friction::new(numbers);
        let tangent = |axis: usize| numbers.tangents.start + axis;
        let mut rows = vec![sums.velocity(&[(numbers.contact, 1.0)])];
        for row in &friction.rows {
            let terms: Vec<_> = row.iter().map(|(axis, a)| (tangent(*axis), *a)).collect();
            rows.push(sums.velocity(&terms));
        }
        let store = numbers.store.map(|(at, _)| {
            rows.push(sums.store(at));
            rows.len() - 1
        });
        let push = |along: &Vec<f64>, part: f64| {
            let sliding = along.iter().enumerate();
            let rubbed = sliding.map(|(axis, d)| (tangent(axis), -numbers.mu, *d));
            let terms: Vec<_> =
                std::iter::once((numbers.contact, 1.0, 1.0)).chain(rubbed).collect();
            let stored = numbers.store.map(|(at, _)| (at, part));
            Push {
                change: sums.change(&terms, stored),
                rounded: sums.rounded(&terms, stored),
                along: along.iter().map(|d| -numbers.mu * d).collect(),
            }
        };
        let (state, phase, conditions) = (State::Open, Phase::Open, vec![(0, 1)]);
        let open = Branch { state, phase, conditions, pushes: Vec::new(), returns: Vec::new() };
        let e = numbers.store.map_or(0.0, |(_, e)| e);
        let mut branches = vec![open];
        for phase in [Phase::Compression, Phase::Rest, Phase::Restitution] {
            let exists = match phase {
                Phase::Rest => numbers.stores,
                Phase::Restitution => store.is_some(),
                _ => true,
            };
            for Slip { state, conditions, along } in friction.slips.iter().filter(|_| exists) {
                let pushes = |part: f64| along.iter().map(move |along| push(along, part));
                let normal = match phase {
                    Phase::Rest => 0,
                    Phase::Restitution => 1,
                    _ => -1,
                };
                let own = store.filter(|_| phase != Phase::Compression).map(|row| (row, 1));
                let conditions = conditions.iter().copied().chain(own);
                branches.push(Branch {
                    state: *state,
                    phase,
                    conditions: std::iter::once((0, normal)).chain(conditions).collect(),
                    pushes: match phase {
                        Phase::Rest if e > 0.0 => pushes(0.0).chain(pushes(e)).collect(),
                        Phase::Restitution => Vec::new(),
                        _ => pushes(e).collect(),
                    },
                    returns: match phase {
                        Phase::Rest | Phase::Restitution if e > 0.0 => pushes(-1.0).collect(),
                        _ => Vec::new(),
                    },
                });
            }
        }
        let places = places(&friction.patterns, store.is_some());
        let corners = numbers.facets.map_or(0, |facets| 2 * facets.axes().len());
        Contact { rows, branches, places, store, corners }
    }

    /// The places that there are as near to a place as one likes.
    pub fn nearby(&self, place: usize) -> impl Iterator<Item = usize> {
        let here = &self.places[place];
        let fits = |(here, near): (&Option<i32>, &Option<i32>)| match (here, near) {
            (Some(here), Some(near)) => *here == 0 || here == near,
            (here, near) => near.is_none() || here.is_some(),
        };
        (0..self.places.len()).filter(move |at| here.iter().zip(&self.places[*at]).all(fits))
    }

    /// The states that the contact can have near a place.
    pub fn possible(&self, place: usize) -> impl Iterator<Item = usize> {
        let signs = &self.places[place];
        let fits = |(row, sign): &(usize, i32)| match signs[*row] {
            Some(0) => true,
            Some(here) => here == *sign,
            None => false,
        };
        (0..self.branches.len()).filter(move |at| self.branches[*at].conditions.iter().all(fits))
    }

    /// Whether the cones of two states touch elsewhere than in those of others.
    pub fn touch(&self, [a, b]: [usize; 2]) -> bool {
        let [a, b] = [&self.branches[a], &self.branches[b]];
        let phases = match (a.phase, b.phase) {
            (Phase::Open, _) | (_, Phase::Open) => true,
            (Phase::Compression, Phase::Restitution) | (Phase::Restitution, Phase::Compression) => {
                false
            }
            (one, other) => one == other || a.state == b.state,
        };
        phases && a.state.touches(b.state, self.corners)
    }
}

/// Combinations of signs of `u_n`, of the lines that divide sliding velocities, and of a store.
fn places(patterns: &[Vec<i32>], store: bool) -> Vec<Vec<Option<i32>>> {
    let mut places = Vec::new();
    for normal in [0, -1, 1] {
        for stored in if store { vec![Some(0), Some(1)] } else { vec![None] } {
            let differs = normal <= 0 || stored == Some(1);
            for pattern in &patterns[..if differs { patterns.len() } else { 1 }] {
                let signs = pattern.iter().map(|sign| differs.then_some(*sign));
                let own = store.then_some(stored);
                places.push(std::iter::once(Some(normal)).chain(signs).chain(own).collect());
            }
        }
    }
    places
}

struct Slip {
    state: State,
    /// Signs of rows of the contact, of which `u_n` is the first.
    conditions: Vec<(usize, i32)>,
    /// Directions of sliding against which there is friction (d each).
    along: Vec<Vec<f64>>,
}

/// How friction divides the sliding velocities.
struct Friction {
    /// Functions `sum a u_t,axis` over `(axis, a)`.
    rows: Vec<Vec<(usize, f64)>>,
    slips: Vec<Slip>,
    /// All combinations of their signs, all 0 first.
    patterns: Vec<Vec<i32>>,
}

impl Friction {
    fn new(numbers: &Numbers<'_>) -> Self {
        match numbers.facets {
            _ if numbers.mu == 0.0 || numbers.tangents.is_empty() => {
                let along = vec![vec![0.0; numbers.tangents.len()]];
                let slip = Slip { state: State::Smooth, conditions: Vec::new(), along };
                Friction { rows: Vec::new(), slips: vec![slip], patterns: vec![Vec::new()] }
            }
            None => {
                let slip = |state, sign, along: &[f64]| Slip {
                    state,
                    conditions: vec![(1, sign)],
                    along: along.iter().map(|along| vec![*along]).collect(),
                };
                Friction {
                    rows: vec![vec![(0, 1.0)]],
                    slips: vec![
                        slip(State::Plus, 1, &[1.0]),
                        slip(State::Minus, -1, &[-1.0]),
                        slip(State::Hold, 0, &[1.0, -1.0]),
                    ],
                    patterns: vec![vec![0], vec![1], vec![-1]],
                }
            }
            Some(facets) => Friction::with_facets(facets.axes()),
        }
    }

    /// With the corners `d_k = axis k`, then those opposite: friction opposes the corner that is
    /// farthest in the direction of sliding. The lines `u_t . (d_k - d_(k+1)) = 0` divide the
    /// sliding velocities.
    fn with_facets(axes: &[[f64; 2]]) -> Self {
        let half = axes.len();
        let corners: Vec<[f64; 2]> =
            axes.iter().copied().chain(axes.iter().map(|[x, y]| [-x, -y])).collect();
        let count = corners.len();
        let next = |k: usize| corners[(k + 1) % count];
        // The line between corners k and k + 1, and the sign of its side towards k.
        let line = |k: usize, sign: i32| match k % count {
            k if k < half => (1 + k, sign),
            k => (1 + k - half, -sign),
        };
        let rows = (0..half).map(|k| {
            let ([x, y], [next_x, next_y]) = (corners[k], next(k));
            vec![(0, x), (0, -next_x), (1, y), (1, -next_y)]
        });
        let corner = |k: usize| Slip {
            state: State::Corner(k as u8),
            conditions: vec![line(k, 1), line(k + count - 1, -1)],
            along: vec![corners[k].to_vec()],
        };
        let facet = |k: usize| Slip {
            state: State::Facet(k as u8),
            conditions: vec![line(k, 0), line(k + count - 1, -1), line(k + 1, 1)],
            along: vec![corners[k].to_vec(), next(k).to_vec()],
        };
        let hold = Slip {
            state: State::Hold,
            conditions: (0..half).map(|k| (1 + k, 0)).collect(),
            along: corners.iter().map(|corner| corner.to_vec()).collect(),
        };
        // On which side of all lines a sliding velocity is; `on` is the line that it is on.
        let pattern = |[x, y]: [f64; 2], on: Option<usize>| -> Vec<i32> {
            let side = |k: usize| {
                let ([a, b], [c, d]) = (corners[k], next(k));
                let across = (a - c) * x + (b - d) * y;
                match on {
                    Some(on) if on == k => 0,
                    _ if across > 0.0 => 1,
                    _ => -1,
                }
            };
            (0..half).map(side).collect()
        };
        let middle = |k: usize| {
            let ([a, b], [c, d]) = (corners[k], next(k));
            [a + c, b + d]
        };
        let sectors = (0..count).map(|k| pattern(corners[k], None));
        let rays = (0..count).map(|k| pattern(middle(k), Some(k % half)));
        Friction {
            rows: rows.collect(),
            slips: (0..count).map(corner).chain((0..count).map(facet)).chain([hold]).collect(),
            patterns: std::iter::once(vec![0; half]).chain(sectors).chain(rays).collect(),
        }
    }
}
