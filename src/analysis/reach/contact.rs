use nalgebra::DVector;

use super::state::{Phase, State};
use carom_core::lcp::Facets;
use carom_core::polyhedra::Vector;

pub struct Numbers<'a> {
    pub contact: usize,
    /// Rows of `u_t` in the contact velocity (d).
    pub tangents: std::ops::Range<usize>,
    pub mu: f64,
    /// Index of the stored impulse, and Poisson's coefficient of restitution.
    pub store: Option<(usize, f64)>,
    pub stores: bool,
    pub facets: Option<&'a Facets>,
}

/// Builds vectors from linear combinations; without rounding in exact arithmetic.
pub trait Sums<V> {
    /// Linear function `sum a u_j` of the velocities, over `(j, a)`.
    fn velocity(&self, terms: &[(usize, f64)]) -> V;

    fn store(&self, at: usize) -> V;

    /// Change by impulses `a b` N s over `(j, a, b)`, and by an increment `(index, part)` of a
    /// stored impulse.
    fn change(&self, terms: &[(usize, f64, f64)], stored: Option<(usize, f64)>) -> V;

    /// [`Sums::change`] per `impulse` N s, rounded.
    fn rounded(&self, terms: &[(usize, f64, f64)], stored: Option<(usize, f64)>) -> DVector<f64>;
}

/// Velocity change by 1 N s of normal impulse at a contact.
pub struct Push<V> {
    /// Change, up to a positive factor.
    pub change: V,
    /// Change per unit impulse of [`super::velocities::Velocities`], rounded.
    pub rounded: DVector<f64>,
    /// Ratio of tangential to normal impulse (d).
    pub along: Vec<f64>,
}

/// State of a contact.
pub struct Branch<V> {
    pub state: State,
    pub phase: Phase,
    /// Sign conditions on rows: nonnegative (1), nonpositive (-1) or zero (0).
    pub conditions: Vec<(usize, i32)>,
    pub pushes: Vec<Push<V>>,
    /// Velocity changes by returned impulse, possible while no contact compresses.
    pub returns: Vec<Push<V>>,
}

/// Contact with all its states.
pub struct Contact<V> {
    /// Functions whose signs determine the state: `u_n`, lines between sliding sectors, stored
    /// impulse.
    pub rows: Vec<V>,
    pub branches: Vec<Branch<V>>,
    /// Sign patterns of the rows, all 0 first; `None` if the sign is irrelevant.
    pub places: Vec<Vec<Option<i32>>>,
    pub store: Option<usize>,
    /// Number of corners of the friction cone; 0 without facets.
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

    /// Sign patterns in every neighbourhood of a sign pattern.
    pub fn nearby(&self, place: usize) -> impl Iterator<Item = usize> {
        let here = &self.places[place];
        let fits = |(here, near): (&Option<i32>, &Option<i32>)| match (here, near) {
            (Some(here), Some(near)) => *here == 0 || here == near,
            (here, near) => near.is_none() || here.is_some(),
        };
        (0..self.places.len()).filter(move |at| here.iter().zip(&self.places[*at]).all(fits))
    }

    /// States of the contact in the neighbourhood of a sign pattern.
    pub fn possible(&self, place: usize) -> impl Iterator<Item = usize> {
        let signs = &self.places[place];
        let fits = |(row, sign): &(usize, i32)| match signs[*row] {
            Some(0) => true,
            Some(here) => here == *sign,
            None => false,
        };
        (0..self.branches.len()).filter(move |at| self.branches[*at].conditions.iter().all(fits))
    }

    /// Whether the cones of two states share points that lie in no third state.
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

/// Sign patterns of `u_n`, of the lines between sliding sectors, and of the stored impulse.
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
    /// Sign conditions on rows of the contact; row 0 is `u_n`.
    conditions: Vec<(usize, i32)>,
    /// Sliding directions opposed by friction (d each).
    along: Vec<Vec<f64>>,
}

/// Partition of the sliding velocities by friction.
struct Friction {
    /// Linear functions `sum a u_t,axis` over `(axis, a)`.
    rows: Vec<Vec<(usize, f64)>>,
    slips: Vec<Slip>,
    /// All sign patterns of the rows, all 0 first.
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

    /// Corners are `d_k = axis k`, then their negatives. Friction opposes the corner with the
    /// largest component along the sliding velocity. The lines `u_t . (d_k - d_(k+1)) = 0` separate
    /// the sectors.
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
        // Sides of all lines for a sliding velocity; a velocity on line `on` has sign 0 there.
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
