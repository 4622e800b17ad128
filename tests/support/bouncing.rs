//! Motions of the planar law with Stronge's restitution in double precision, from event to event,
//! at rates, friction and restitution that an adversary chooses; shares nothing with the library.

use nalgebra::{DMatrix, DVector};

use super::draws::Draws;
use super::families::Rows;
use super::judge::{Normal, Tangent};

/// The modes of all contacts.
type Modes = Vec<(Normal, Tangent)>;

/// The planar law of a problem with ranges of friction and restitution, one for each contact.
pub struct Bouncing {
    m: usize,
    friction: Vec<[f64; 2]>,
    restitution: Vec<[f64; 2]>,
    velocity: DVector<f64>,
    /// Normals, then tangents (2m,n); `M^-1 J'` (n,2m); `J M^-1 J'` (2m,2m).
    jacobian: DMatrix<f64>,
    response: DMatrix<f64>,
    w: DMatrix<f64>,
}

/// The state of a motion: generalised velocity, contact velocity, and what contacts store.
#[derive(Clone)]
struct State {
    v: DVector<f64>,
    u: DVector<f64>,
    stored: Vec<f64>,
}

/// Most events of a motion; one that has not ended by then is given up.
const EVENTS: usize = 200;
/// By how much forces may violate their conditions: they are computed in double precision.
const ROUNDING: f64 = 1e-11;

impl Bouncing {
    pub fn new(rows: &Rows, friction: &[[f64; 2]], restitution: &[[f64; 2]]) -> Bouncing {
        let matrix =
            |rows: &[Vec<f64>]| DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]);
        let jacobian = matrix(&[&rows.normal[..], &rows.tangent].concat());
        let response = matrix(&rows.mass).cholesky().unwrap().solve(&jacobian.transpose());
        Bouncing {
            m: rows.normal.len(),
            friction: friction.to_vec(),
            restitution: restitution.to_vec(),
            velocity: DVector::from_column_slice(&rows.velocity),
            w: &jacobian * &response,
            response,
            jacobian,
        }
    }

    /// An outcome: the velocity (n) with which a motion ends that seeks to go far in direction `d`
    /// (n). `None` if it takes long.
    pub fn walk(&self, d: &[f64], draws: &mut Draws) -> Option<Vec<f64>> {
        let (m, d) = (self.m, DVector::from_column_slice(d));
        let u = &self.jacobian * &self.velocity;
        let mut state = State { v: self.velocity.clone(), u, stored: vec![0.0; m] };
        let greed = draws.uniform(0.0, 1.0);
        for _ in 0..EVENTS {
            if (0..m).all(|i| state.u[i] >= 0.0 && state.stored[i] == 0.0) {
                return Some(state.v.as_slice().to_vec());
            }
            let mut moves: Vec<State> = Vec::new();
            for _ in 0..3 {
                let [mu, e] = [&self.friction, &self.restitution].map(|ranges| {
                    let end = |[low, high]: &[f64; 2]| match draws.below(3) {
                        0 => draws.uniform(*low, *high),
                        1 => *low,
                        _ => *high,
                    };
                    ranges.iter().map(end).collect::<Vec<f64>>()
                });
                let caps = self.caps(&state, draws);
                let part = if draws.below(6) == 0 { 0.5 } else { 1.0 };
                for (modes, l) in self.forces(&state, &mu, &caps, draws) {
                    moves.extend(self.advance(&state, &modes, &l, &e, part));
                }
            }
            let most = moves.iter().map(|to| to.v.dot(&d)).fold(f64::NEG_INFINITY, f64::max);
            if draws.uniform(0.0, 1.0) < greed {
                moves.retain(|to| to.v.dot(&d) == most);
            }
            if !moves.is_empty() {
                state = moves.swap_remove(draws.below(moves.len()));
            }
        }
        None
    }

    /// Caps, of which at least one of a contact that pushes is above 0.
    fn caps(&self, state: &State, draws: &mut Draws) -> Vec<f64> {
        loop {
            let sizes = [0.0, 0.0, 0.0, 0.25, 1.0, 1.0, 1.5, 4.0];
            let caps: Vec<f64> = (0..self.m).map(|_| sizes[draws.below(8)]).collect();
            if (0..self.m).any(|i| caps[i] > 0.0 && (state.u[i] < 0.0 || state.stored[i] > 0.0)) {
                return caps;
            }
        }
    }

    /// The modes that contact `i` may have: it pushes while it approaches or has something stored.
    fn possible(&self, i: usize, state: &State, caps: &[f64]) -> Vec<(Normal, Tangent)> {
        use {Normal::*, Tangent::*};
        let (normal, tangent) = (state.u[i], state.u[self.m + i]);
        let normals = match (normal < 0.0 || state.stored[i] > 0.0, normal == 0.0) {
            _ if caps[i] == 0.0 => vec![Off],
            (true, _) => vec![Full],
            (false, true) => vec![Off, Held, Full],
            (false, false) => vec![Off],
        };
        let tangents = match tangent {
            _ if self.friction[i][1] == 0.0 => vec![Plus],
            0.0 => vec![Stick, Plus, Minus],
            t if t > 0.0 => vec![Plus],
            _ => vec![Minus],
        };
        let rubs = |n: Normal| if n == Off { vec![Plus] } else { tangents.clone() };
        normals.iter().flat_map(|n| rubs(*n).into_iter().map(|t| (*n, t))).collect()
    }

    /// The combinations of modes that the law allows in a state, with their forces (2m).
    fn forces(
        &self,
        state: &State,
        mu: &[f64],
        caps: &[f64],
        draws: &mut Draws,
    ) -> Vec<(Modes, DVector<f64>)> {
        let possible: Vec<_> = (0..self.m).map(|i| self.possible(i, state, caps)).collect();
        let count: usize = possible.iter().map(Vec::len).product();
        let (first, mut found) = (draws.below(count), Vec::new());
        for k in 0..count {
            let mut rest = (first + k) % count;
            let mut mode = |modes: &Vec<(Normal, Tangent)>| {
                let at = rest % modes.len();
                rest /= modes.len();
                modes[at]
            };
            let modes: Vec<_> = possible.iter().map(&mut mode).collect();
            found.extend(self.with(&modes, state, mu, caps).map(|l| (modes, l)));
            if count > 49 && !found.is_empty() {
                break;
            }
        }
        found
    }

    /// The forces (2m) of a combination of modes, if the law allows them.
    fn with(
        &self,
        modes: &[(Normal, Tangent)],
        state: &State,
        mu: &[f64],
        caps: &[f64],
    ) -> Option<DVector<f64>> {
        let m = self.m;
        let (mut rows, mut right) = (DMatrix::zeros(2 * m, 2 * m), DVector::zeros(2 * m));
        for (i, (normal, tangent)) in modes.iter().enumerate() {
            match normal {
                Normal::Held => rows.set_row(i, &self.w.row(i)),
                _ => rows[(i, i)] = 1.0,
            }
            right[i] = if *normal == Normal::Full { caps[i] } else { 0.0 };
            match tangent {
                Tangent::Stick => rows.set_row(m + i, &self.w.row(m + i)),
                _ => {
                    rows[(m + i, m + i)] = 1.0;
                    rows[(m + i, i)] = if *tangent == Tangent::Plus { mu[i] } else { -mu[i] };
                }
            }
        }
        let l = rows.full_piv_lu().solve(&right)?;
        let slopes = &self.w * &l;
        let size = l.amax() * self.w.amax();
        if !(size.is_finite() && size < 1e6 * self.w.amax()) {
            return None;
        }
        let (fine, still) = (ROUNDING * (1.0 + l.amax()), ROUNDING * (self.w.amax() + size));
        let allowed = |i: usize| {
            let (normal, tangent) = modes[i];
            let touches = state.u[i] == 0.0 && state.stored[i] == 0.0 && caps[i] > 0.0;
            let pushes = match normal {
                Normal::Off => !touches || slopes[i] >= -still,
                Normal::Held => l[i] >= 0.0 && l[i] <= caps[i] && slopes[i].abs() <= still,
                Normal::Full => !touches || slopes[i] <= still,
            };
            let turns = normal != Normal::Off && state.u[m + i] == 0.0 && mu[i] > 0.0;
            let rubs = match tangent {
                Tangent::Stick => {
                    l[m + i].abs() <= mu[i] * l[i] + fine && slopes[m + i].abs() <= still
                }
                Tangent::Plus => !turns || slopes[m + i] >= -still,
                Tangent::Minus => !turns || slopes[m + i] <= still,
            };
            pushes && rubs
        };
        (0..m).all(allowed).then_some(l)
    }

    /// The state at the first event, or before.
    fn advance(
        &self,
        state: &State,
        modes: &[(Normal, Tangent)],
        l: &DVector<f64>,
        e: &[f64],
        part: f64,
    ) -> Option<State> {
        let m = self.m;
        let mut slopes = &self.w * l;
        for (i, (normal, tangent)) in modes.iter().enumerate() {
            for (row, held) in [(i, *normal == Normal::Held), (m + i, *tangent == Tangent::Stick)] {
                // What is held is held exactly.
                slopes[row] = if held { 0.0 } else { slopes[row] };
            }
        }
        let crossed = |row: usize| {
            let matters = row < m || l[row - m] > 0.0;
            let time = -state.u[row] / slopes[row];
            (matters && state.u[row] * slopes[row] < 0.0).then_some((time, Some(row)))
        };
        // S = l (u t + u' t^2 / 2)
        let emptied = |i: usize| {
            let (u, slope, s) = (state.u[i], slopes[i], state.stored[i]);
            let square = u * u + 2.0 * slope * s / l[i];
            let gives = s > 0.0 && l[i] > 0.0 && u >= 0.0 && square >= 0.0;
            let below = u + square.max(0.0).sqrt();
            (gives && below > 0.0).then_some((2.0 * s / l[i] / below, None))
        };
        let events = (0..2 * m).filter_map(crossed).chain((0..m).filter_map(emptied));
        let (first, _) = events.clone().reduce(|a, b| if b.0 < a.0 { b } else { a })?;
        let time = part * first;
        let mut to = State {
            v: &state.v + &self.response * l * time,
            u: &state.u + &slopes * time,
            stored: state.stored.clone(),
        };
        let ends = |at: f64| part == 1.0 && at <= first * (1.0 + 1e-12);
        for i in 0..m {
            if crossed(i).is_some_and(|(at, _)| ends(at)) {
                to.u[i] = 0.0;
            }
            if crossed(m + i).is_some_and(|(at, _)| ends(at)) {
                to.u[m + i] = 0.0;
            }
            let work = l[i] * time * (state.u[i] + to.u[i]) / 2.0;
            to.stored[i] = match work < 0.0 {
                true => state.stored[i] - e[i] * e[i] * work,
                false => (state.stored[i] - work).max(0.0),
            };
            if emptied(i).is_some_and(|(at, _)| ends(at)) || to.stored[i] < 1e-18 {
                to.stored[i] = 0.0;
            }
        }
        Some(to)
    }
}
