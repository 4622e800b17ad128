//! All contacts at once, inelastic, with friction: every solution of the simultaneous complementarity problem.

use std::collections::BTreeSet;

use nalgebra::{DMatrix, DVector};

use super::contact_space::facets_on;
use super::resolved::{Details, Outcome, Resolved, coincide};
use super::restitution::require_inelastic;
use crate::error::Result;
use crate::lcp::{Lemke, LemkeEnd, Scaling, StepProblem, cone};
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::rng::{Purpose, Stream, stream};

/// What a contact does in a solution of the simultaneous problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContactMode {
    /// `ln = lt = 0`, `u+_n >= 0`.
    Off,
    /// `u+_n = u+_t = 0`, `|lt| <= mu ln`.
    Stick,
    /// `u+_n = 0`, `u+_t >= 0`, `lt = -mu ln`; a contact without friction slides so, with any `u+_t`.
    Slide,
    /// `u+_n = 0`, `u+_t <= 0`, `lt = mu ln`.
    SlideBack,
}

impl ContactMode {
    /// The name that reports and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            ContactMode::Off => "off",
            ContactMode::Stick => "stick",
            ContactMode::Slide => "slide+",
            ContactMode::SlideBack => "slide-",
        }
    }
}

/// The simultaneous inelastic impact of Anitescu and Potra, all of its solutions:
///
/// ```text
/// find L = (ln, lt) with u+ = u + W L,
///   0 <= ln _|_ u+_n >= 0,   |lt| <= mu ln,   lt = -mu ln where u+_t > 0,   lt = mu ln where u+_t < 0.
/// ```
///
/// In each combination of the contacts' modes the solutions are the points of a cone: the nonnegative multiples of
/// `W g`, with `g` the edges of the friction cones, and of the slacks, that sum to `-u`. One point is found in each
/// ([`cone::nonnegative`]), whatever the rank of the cone; where `v+` may vary within a combination, its corners are.
/// Source: \[HP23\] (31), after \[AP97\]. Deviation: all solutions instead of one.
/// Guarantee: complete up to [`AnitescuPotra::MAX_COMBINATIONS`] combinations, 4^m of them, 2 instead of 4 for a contact
/// without friction; above, the solutions that Lemke's method finds with
/// [`AnitescuPotra::PATHS`] random covering vectors. Solutions with the same `v+` are merged.
///
/// Spatial contacts have friction cones of [`crate::lcp::Facets`]; their solutions are those that Lemke's method finds with
/// [`AnitescuPotra::SPATIAL_PATHS`] covering vectors whose entries spread over six decades, never all for certain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnitescuPotra {
    /// Facets of the friction cones of a spatial problem; `None`: [`AnitescuPotra::FACETS`].
    pub facets: Option<u32>,
}

/// How far a point of a cone may lie from `-u`, relative to it.
const ON_CONE: f64 = 1e-10;

/// Cones solved at most while the corners of one combination are looked for.
const MAX_FACES: usize = 2000;

impl AnitescuPotra {
    /// The law's name.
    pub const NAME: &'static str = "anitescu-potra";
    /// Combinations of contact modes up to which all are looked at: those of six contacts with friction.
    pub const MAX_COMBINATIONS: usize = 4096;
    /// Covering vectors tried where there are more.
    pub const PATHS: u64 = 256;
    /// Covering vectors tried in spatial problems.
    pub const SPATIAL_PATHS: u64 = 32;
    /// Facets of spatial friction cones that are not asked for.
    pub const FACETS: u32 = 16;

    /// All solutions, in the order of their combinations of modes.
    ///
    /// # Errors
    /// Facets in a planar problem, a number of them that [`crate::lcp::Facets::new`] refuses, a coefficient of restitution above 0.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<Resolved> {
        let spatial = problem.tangents_per_contact() == 2;
        let facets = facets_on(problem, self.facets, Self::FACETS)?;
        require_inelastic(problem, Self::NAME)?;
        let (w, mu, u) = (problem.delassus(), problem.friction(), problem.contact_velocity());
        let (step, scaling) = StepProblem::of(w, mu, u, facets.as_ref());
        let u = (0..step.width()).map(|i| scaling.along(u, i)).collect();
        let mut search = Search {
            problem,
            scaling,
            caps: vec![f64::MAX; step.contacts],
            step,
            u,
            found: Vec::new(),
            complete: true,
        };
        let per_contact: Vec<&[ContactMode]> = problem.friction().iter().map(|&mu| modes_of(mu)).collect();
        let count = per_contact.iter().try_fold(1_usize, |count, modes| count.checked_mul(modes.len()));
        match count.filter(|&count| count <= Self::MAX_COMBINATIONS && !spatial) {
            Some(count) => {
                for k in 0..count {
                    let mut rest = k;
                    let mode_of = |modes: &&[ContactMode]| {
                        let mode = modes[rest % modes.len()];
                        rest /= modes.len();
                        mode
                    };
                    search.combination(&per_contact.iter().map(mode_of).collect::<Vec<_>>());
                }
            }
            None => search.pivot(),
        }
        let mut warnings = Vec::new();
        if search.found.is_empty() {
            search.complete = false;
            warnings.push("no solution was found; rounding hides it".to_string());
        }
        if let Some(facets) = &facets {
            let (count, paths) = (2 * facets.axes().len(), Self::SPATIAL_PATHS);
            warnings.push(format!(
                "the friction cones have {count} facets; listed are the solutions that Lemke's method meets with {paths} \
                 covering vectors"
            ));
        }
        if !search.complete {
            warnings.push("there may be more solutions than those listed".to_string());
        }
        let (mut outcomes, all) = (search.found, search.complete);
        for outcome in &mut outcomes {
            if let Details::AnitescuPotra { complete, .. } = &mut outcome.details {
                *complete = all;
            }
        }
        let mut resolved =
            Resolved { law: Self::NAME, outcomes, complete: all, uniqueness: None, course: None, warnings };
        resolved.finish(problem);
        Ok(resolved)
    }
}

fn modes_of(mu: f64) -> &'static [ContactMode] {
    use ContactMode::*;
    if mu > 0.0 { &[Off, Stick, Slide, SlideBack] } else { &[Off, Slide] }
}

struct Search<'a> {
    problem: &'a ContactProblem,
    step: StepProblem<f64>,
    scaling: Scaling,
    u: Vec<f64>,
    /// No caps on the impulses.
    caps: Vec<f64>,
    found: Vec<Outcome>,
    complete: bool,
}

impl Search<'_> {
    /// Finds the solutions in one combination of modes.
    fn combination(&mut self, modes: &[ContactMode]) {
        let cone = Cone::new(&self.step, &self.u, modes);
        let Some(x) = cone.point(&cone.all()) else { return };
        let corners = if cone.moves(&cone.all()) { self.corners(&cone, x) } else { vec![x] };
        let mut numbers = BTreeSet::new();
        for x in &corners {
            numbers.extend(self.add(&cone.impulse(x), Some(modes)));
        }
        if numbers.len() > 1 {
            for number in numbers {
                if let Details::AnitescuPotra { isolated, .. } = &mut self.found[number].details {
                    *isolated = false;
                }
            }
        }
    }

    /// The corners of a combination's solutions: points on linearly independent columns. Dropping one column after the
    /// other on which the rest depends meets them all.
    fn corners(&mut self, cone: &Cone, x: DVector<f64>) -> Vec<DVector<f64>> {
        let mut corners = vec![x];
        let mut seen = BTreeSet::from([cone.all()]);
        let mut open = vec![cone.all()];
        while let Some(columns) = open.pop() {
            for j in cone.dependent(&columns) {
                let face: Vec<usize> = columns.iter().copied().filter(|&k| k != j).collect();
                if seen.len() >= MAX_FACES {
                    self.complete = false;
                    return corners;
                }
                if !seen.insert(face.clone()) {
                    continue;
                }
                if let Some(x) = cone.point(&face) {
                    corners.push(x);
                    open.push(face);
                }
            }
        }
        corners
    }

    /// Adds a dimensionless impulse (K) if it is a solution; its place among those found.
    fn add(&mut self, l: &[f64], modes: Option<&[ContactMode]>) -> Option<usize> {
        let mut l = l.to_vec();
        let mut u_plus = vec![0.0; l.len()];
        self.step.clamp_impulse(&self.caps, &mut l);
        self.step.advance(&self.u, &l, &mut u_plus);
        let residual = self.step.residual(&self.caps, &l, &u_plus);
        if residual > f64::RESIDUAL {
            return None;
        }
        let details = Details::AnitescuPotra { combinations: Vec::new(), isolated: true, complete: true };
        let rows = self.problem.jacobian().nrows();
        let outcome = Outcome::new(self.problem, &self.scaling, rows, &l, details);
        let same = |other: &Outcome| coincide(self.problem, &other.velocity, &outcome.velocity);
        let place = self.found.iter().position(same).unwrap_or(self.found.len());
        if place == self.found.len() {
            let impacts = usize::from(l.iter().any(|&l| l != 0.0));
            self.found.push(Outcome { residual, impacts, ..outcome });
        }
        if let Details::AnitescuPotra { combinations, .. } = &mut self.found[place].details
            && let Some(modes) = modes
            && combinations.last().is_none_or(|last| last != modes)
        {
            combinations.push(modes.to_vec());
        }
        Some(place)
    }

    /// Lemke's method along many paths, for problems with too many combinations of modes.
    fn pivot(&mut self) {
        let (m, n, spatial) = (self.step.contacts, self.step.lcp_size(), self.step.axes > 1);
        self.complete = false;
        let mut lemke = Lemke::new(n - m);
        let (mut z, mut l) = (vec![0.0; n], vec![0.0; self.step.width()]);
        for path in 0..if spatial { AnitescuPotra::SPATIAL_PATHS } else { AnitescuPotra::PATHS } {
            let draws = Stream::new(0, path);
            let draw = |j: usize| f64::from(stream::unit(draws.draw(0, Purpose::Covering, j as u32)));
            let covering = |j: usize| match path {
                0 => 1.0,
                _ if spatial => 1e-6_f64.powf(draw(j)),
                _ => 0.0625 + 0.9375 * draw(j),
            };
            // The step's problem without its first rows, the caps.
            let end = lemke.solve(
                |i, j| self.step.lcp_entry(i + m, j + m),
                |i| self.step.lcp_constant(&self.u, &[], i + m),
                covering,
                &mut z[m..],
            );
            if end != LemkeEnd::PivotLimit {
                self.step.impulse_of(&z, &mut l);
                self.add(&l, None);
            }
        }
    }
}

/// The solutions of one combination of modes: `x >= 0` with `A x = b`.
struct Cone {
    a: DMatrix<f64>,
    b: DVector<f64>,
    /// The impulse (2m) of each column; none for a slack.
    edges: DMatrix<f64>,
    /// The change of contact velocity (2m) with each column.
    response: DMatrix<f64>,
}

impl Cone {
    fn new(step: &StepProblem<f64>, u: &[f64], modes: &[ContactMode]) -> Cone {
        let m = step.contacts;
        let mut edges: Vec<DVector<f64>> = Vec::new();
        let mut slacks: Vec<(usize, f64)> = Vec::new();
        let mut rows: Vec<usize> = Vec::new();
        for (i, &mode) in modes.iter().enumerate() {
            let mu = step.mu[i];
            let mut edge = |ln: f64, lt: f64| {
                let mut edge = DVector::zeros(2 * m);
                edge[i] = ln;
                edge[m + i] = lt;
                edges.push(edge / mu.max(1.0));
            };
            rows.push(i);
            match mode {
                ContactMode::Off => slacks.push((i, -1.0)),
                ContactMode::Stick => {
                    edge(1.0, mu);
                    edge(1.0, -mu);
                    if mu > 1.0 {
                        // Between two edges that nearly cancel.
                        edge(mu, 0.0);
                    }
                }
                ContactMode::Slide => edge(1.0, -mu),
                ContactMode::SlideBack => edge(1.0, mu),
            }
            if mode != ContactMode::Off && mu > 0.0 {
                rows.push(m + i);
                match mode {
                    ContactMode::Slide => slacks.push((m + i, -1.0)),
                    ContactMode::SlideBack => slacks.push((m + i, 1.0)),
                    ContactMode::Off | ContactMode::Stick => {}
                }
            }
        }
        edges.resize(edges.len() + slacks.len(), DVector::zeros(2 * m));
        let edges = DMatrix::from_columns(&edges);
        let response = DMatrix::from_row_slice(2 * m, 2 * m, &step.w) * &edges;
        let mut a = response.select_rows(&rows);
        let first = a.ncols() - slacks.len();
        for (k, (row, sign)) in slacks.into_iter().enumerate() {
            let row = rows.iter().position(|&r| r == row).unwrap_or(0);
            a[(row, first + k)] = sign;
        }
        let b = DVector::from_iterator(rows.len(), rows.iter().map(|&row| -u[row]));
        Cone { a, b, edges, response }
    }

    fn all(&self) -> Vec<usize> {
        (0..self.a.ncols()).collect()
    }

    fn impulse(&self, x: &DVector<f64>) -> Vec<f64> {
        (&self.edges * x).as_slice().to_vec()
    }

    /// A point on the given columns, if there is one.
    fn point(&self, columns: &[usize]) -> Option<DVector<f64>> {
        let (y, distance) = cone::nonnegative(&self.a.select_columns(columns), &self.b);
        let mut x = DVector::zeros(self.a.ncols());
        for (k, &j) in columns.iter().enumerate() {
            x[j] = y[k];
        }
        (distance <= ON_CONE * self.b.norm()).then_some(x)
    }

    /// The combinations of `columns` that sum to nothing, as columns.
    fn null_space(&self, columns: &[usize]) -> DMatrix<f64> {
        let a = self.a.select_columns(columns);
        let n = columns.len();
        // As many rows as columns, so that the decomposition has all directions.
        let svd = a.clone().resize_vertically(a.nrows().max(n), 0.0).svd(false, true);
        let least = 1e-9 * svd.singular_values.amax();
        let directions = svd.v_t.map(|v_t| v_t.transpose()).unwrap_or_else(|| DMatrix::zeros(n, 0));
        let null: Vec<usize> = (0..directions.ncols()).filter(|&k| svd.singular_values[k] <= least).collect();
        directions.select_columns(&null)
    }

    /// Whether points on these columns can differ in `v+`.
    fn moves(&self, columns: &[usize]) -> bool {
        (self.response.select_columns(columns) * self.null_space(columns)).amax() > 1e-7
    }

    /// The columns that others make up for.
    fn dependent(&self, columns: &[usize]) -> Vec<usize> {
        let null = self.null_space(columns);
        (0..columns.len()).filter(|&k| null.row(k).amax() > 1e-7).map(|k| columns[k]).collect()
    }
}
