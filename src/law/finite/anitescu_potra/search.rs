//! The search for all solutions of the simultaneous complementarity problem.

use std::collections::BTreeSet;

use nalgebra::DVector;

use super::cone::SolutionCone;
use super::{AnitescuPotraDetails, ContactMode};
use carom_core::lcp::modes::combination;
use carom_core::outcome::listed::coincide;
use carom_core::{
    ContactProblem, Facets, Lemke, LemkeEnd, Limits, Outcome, Purpose, Real, Scaling, StepProblem,
    Stream, stream,
};

/// Limit of solved cones per search for the corners of one combination of modes.
const MAX_FACES: usize = 2000;

/// The search for solutions of one problem.
pub struct SolutionSearch<'a> {
    problem: &'a ContactProblem,
    step: StepProblem<f64>,
    scaling: Scaling,
    /// Contact velocity (K).
    u: Vec<f64>,
    limits: &'a Limits,
    /// The impulse bounds (m) of a step problem; here impulses are unbounded.
    caps: Vec<f64>,
    /// The solutions, one per `v+`.
    pub found: Vec<Outcome<AnitescuPotraDetails>>,
    /// Whether the search has skipped no solution.
    pub complete: bool,
}

impl<'a> SolutionSearch<'a> {
    /// A search without solutions yet.
    pub fn new(problem: &'a ContactProblem, facets: Option<&Facets>, limits: &'a Limits) -> Self {
        let (w, mu, u) = (problem.delassus(), problem.friction(), problem.contact_velocity());
        let (step, scaling) = StepProblem::of(w, mu, u, facets);
        let u = (0..step.width()).map(|i| scaling.along(u, i)).collect();
        let caps = vec![f64::MAX; step.contacts];
        SolutionSearch {
            problem,
            limits,
            step,
            scaling,
            u,
            caps,
            found: Vec::new(),
            complete: true,
        }
    }

    /// Finds the solutions in all combinations of contact modes. Planar problems only.
    pub fn enumerate(&mut self, per_contact: &[&[ContactMode]]) {
        let count = per_contact.iter().map(|modes| modes.len()).product();
        for k in 0..count {
            if !self.limits.spend(self.work()) {
                self.complete = false;
                return;
            }
            self.combination(&combination(per_contact, k));
        }
    }

    /// Estimated multiplications for one cone.
    fn work(&self) -> f64 {
        4.0 * (self.u.len() as f64).powi(3)
    }

    /// Finds the solutions in one combination of modes.
    fn combination(&mut self, modes: &[ContactMode]) {
        let cone = SolutionCone::new(&self.step, &self.u, modes);
        let Some(x) = cone.point(&cone.all()) else { return };
        let corners = if cone.moves(&cone.all()) { self.corners(&cone, x) } else { vec![x] };
        let mut places = BTreeSet::new();
        for x in &corners {
            places.extend(self.add(&cone.impulse(x), Some(modes)));
        }
        if places.len() > 1 {
            for place in places {
                self.found[place].details.isolated = false;
            }
        }
    }

    /// The corners of a combination's solution set: points on linearly independent columns.
    /// Successive removal of dependent columns reaches every corner.
    fn corners(&mut self, cone: &SolutionCone, x: DVector<f64>) -> Vec<DVector<f64>> {
        let mut corners = vec![x];
        let mut seen = BTreeSet::from([cone.all()]);
        let mut open = vec![cone.all()];
        while let Some(columns) = open.pop() {
            for j in cone.dependent(&columns) {
                let face: Vec<usize> = columns.iter().copied().filter(|&k| k != j).collect();
                if seen.len() >= MAX_FACES || !self.limits.spend(self.work()) {
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

    /// Adds a dimensionless impulse (K) if it is a solution; returns its index in the list.
    fn add(&mut self, l: &[f64], modes: Option<&[ContactMode]>) -> Option<usize> {
        let mut l = l.to_vec();
        let mut u_plus = vec![0.0; l.len()];
        self.step.clamp_impulse(&self.caps, &mut l);
        self.step.advance(&self.u, &l, &mut u_plus);
        let residual = self.step.residual(&self.caps, &l, &u_plus);
        if residual > f64::RESIDUAL {
            return None;
        }
        let details =
            AnitescuPotraDetails { combinations: Vec::new(), isolated: true, complete: true };
        let rows = self.problem.jacobian().nrows();
        let outcome = Outcome::scaled(self.problem, &self.scaling, rows, &l, details);
        let same = |other: &Outcome<AnitescuPotraDetails>| {
            coincide(self.problem, &other.velocity, &outcome.velocity)
        };
        let place = self.found.iter().position(same).unwrap_or(self.found.len());
        if place == self.found.len() {
            self.found.push(Outcome { residual, ..outcome });
        }
        let combinations = &mut self.found[place].details.combinations;
        if let Some(modes) = modes
            && combinations.last().is_none_or(|last| last != modes)
        {
            combinations.push(modes.to_vec());
        }
        Some(place)
    }

    /// Finds the solutions by Lemke's method along `paths` paths. The first covering vector is all
    /// ones, the others are random: entries from 1/16 to 1, in spatial problems spread over six
    /// decades.
    pub fn pivot(&mut self, paths: u64) {
        let (m, n, spatial) = (self.step.contacts, self.step.lcp_size(), self.step.axes > 1);
        self.complete = false;
        let mut lemke = Lemke::new(n - m);
        let (mut z, mut l) = (vec![0.0; n], vec![0.0; self.step.width()]);
        for path in 0..paths {
            // A path is assumed to have one pivot per row, at least one.
            if !self.limits.spend((n - m).pow(3) as f64) {
                return;
            }
            let draws = Stream::new(0, path);
            let draw =
                |j: usize| f64::from(stream::unit(draws.draw(0, Purpose::Covering, j as u32)));
            let covering = |j: usize| match path {
                0 => 1.0,
                _ if spatial => 1e-6_f64.powf(draw(j)),
                _ => 0.0625 + 0.9375 * draw(j),
            };
            // The LCP of the step without the rows of the impulse bounds, which are the first.
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
