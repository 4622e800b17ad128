use std::time::{Duration, Instant};

use super::automaton::{Automaton, in_states};
use super::certificate::certify;
use super::ends::{disjoint, terminal};
use super::fixpoint::{Reached, Stopped, is_bounded, settle};
use super::path::{lineage, path};
use super::rationals::Unsolved;
use super::set::{Arithmetic, ExactSet, OutcomePolytope, Parts};
use super::velocities::{Coordinates, Outcome, Velocities};
use crate::metric;
use carom_core::error::{Error, Result};
use carom_core::lcp::Facets;
use carom_core::outcome::Mode;
use carom_core::outcome::polytope::Polytope;
use carom_core::polyhedra::{Cone, Doubles, Integers, MOST_ENTRIES, Vector, dot};
use carom_core::problem::ContactProblem;
use carom_core::{Limits, Stop, stopped};
use carom_law::{Hypothesis, Law};

/// Maximum number of contact-state combinations: the count of six planar inelastic contacts.
const MOST_CELLS: f64 = 4096.0;

/// Which exact set is computed, and how.
#[derive(Clone, Debug)]
pub struct Reach {
    /// Hypothesis of restitution. Only Poisson's has an exact set: its stored impulse grows in
    /// proportion to the impulse. Stronge's stored work does not.
    pub hypothesis: Hypothesis,
    /// Number of facets of the friction cones in space, as in
    /// [`Routh::facets`](carom_law::Routh::facets). Circular cones have no exact set.
    pub facets: Option<u32>,
    /// In integers of any size, or in doubles.
    pub arithmetic: Arithmetic,
    /// Whether completeness is certified, see [`near_face`](super::certificate::near_face). The
    /// certificate takes longer than the set.
    pub certify: bool,
    /// Whether each vertex gets a path, and the set can be sampled and measured.
    pub describe: bool,
    /// Time limit in seconds, once for the polyhedra and once more for the certificate.
    pub seconds: f64,
    /// Once true, the work stops.
    pub stop: Stop,
}

impl Default for Reach {
    fn default() -> Self {
        Reach {
            hypothesis: Hypothesis::Stronge,
            facets: None,
            arithmetic: Arithmetic::Exact,
            certify: true,
            describe: true,
            seconds: 10.0,
            stop: None,
        }
    }
}

/// Hint of errors where no exact set exists.
const BESIDE: &str = "`carom sample` draws outcomes, `carom bound` bounds them";
/// Maximum contact counts for sets that nearly always (`SOON`) or often (`OFTEN`) end within
/// seconds.
const SOON: usize = 2;
const OFTEN: usize = 4;
/// Time budget for a set that often ends.
const PATIENCE: Duration = Duration::from_secs(4);

impl Reach {
    /// Doubles, no certificate, no paths: for control loops.
    pub fn fast() -> Self {
        let arithmetic = Arithmetic::Doubles;
        Reach { arithmetic, certify: false, describe: false, ..Reach::default() }
    }

    /// Settings with the hypothesis of restitution and the facets of a law. With short steps the
    /// law's samples lie in this set.
    pub fn of(law: &Law, problem: &ContactProblem) -> Self {
        let hypothesis = law.hypothesis_on(problem).unwrap_or(Hypothesis::Stronge);
        Reach { hypothesis, facets: law.facets(), ..Reach::default() }
    }

    /// Set of all velocities at which the impact can end. They are the velocities reachable by
    /// motions of the set-valued Routh law at which no contact approaches and nothing is stored.
    ///
    /// With [`Arithmetic::Exact`] the set belongs exactly to the given `M` (its lower triangle),
    /// `J`, `mu`, `e` and `v`. The rank decisions on `J`, `W = J M^-1 J'` and all polyhedra are
    /// rational, and no tolerance decides anything. Corners of friction cones are taken from
    /// [`Facets`], as doubles. Each entry of a vertex is rounded once, at the end. With
    /// [`Arithmetic::Doubles`] products up to 1e-10 count as 0. Rows of `W` with a relative
    /// residual up to 1e-11 in the span of the others count as dependent. Doubles prove nothing,
    /// and nearly dependent contacts may merge into one.
    ///
    /// Source: the law is \[HP23\] Sec. 3.2, (37) to (40); the facets are from \[ST96\];
    /// restitution is carom's own. Cost: some ms for two contacts in integers, more for mass
    /// matrices that couple many coordinates, as their determinants have many digits; 0.1 to 0.3 ms
    /// in doubles; the certificate about 0.1 s. With restitution or facets ms to seconds, and the
    /// certificate up to minutes.
    ///
    /// # Errors
    /// A spatial problem with friction and without facets, restitution above 0 unless it is
    /// Poisson's, uncertain numbers, more than 4096 combinations of the states of contacts, more
    /// than seven coordinates of velocities and stores; no end within the time, or no bound that is
    /// known; an interrupt.
    pub fn set(&self, problem: &ContactProblem) -> Result<ExactSet> {
        match self.arithmetic {
            Arithmetic::Exact => self.in_integers(problem),
            Arithmetic::Doubles => self.in_doubles(problem),
        }
    }

    /// [`Reach::set`] in integers. A program that calls only this has no code for doubles.
    ///
    /// # Errors
    /// See [`Reach::set`].
    pub fn in_integers(&self, problem: &ContactProblem) -> Result<ExactSet> {
        self.compute::<Integers>(problem, Arithmetic::Exact)
    }

    /// [`Reach::set`] in doubles, see [`Reach::in_integers`].
    ///
    /// # Errors
    /// See [`Reach::set`].
    pub fn in_doubles(&self, problem: &ContactProblem) -> Result<ExactSet> {
        self.compute::<Doubles>(problem, Arithmetic::Doubles)
    }

    /// Exact set of a problem with one or two contacts, or with three or four if it ends within 4
    /// s. `None` for other problems.
    ///
    /// # Errors
    /// See [`Reach::set`].
    pub fn soon(self, problem: &ContactProblem) -> Result<Option<ExactSet>> {
        let reach = if self.ends_soon(problem) { self } else { self.within(PATIENCE) };
        reach.ends_often(problem).then(|| reach.set(problem)).transpose()
    }

    /// Whether the exact set nearly always ends soon: at most two contacts.
    pub fn ends_soon(&self, problem: &ContactProblem) -> bool {
        problem.contact_count() <= SOON && self.refusal(problem).is_none()
    }

    /// Whether the exact set often ends within seconds: at most four contacts.
    pub fn ends_often(&self, problem: &ContactProblem) -> bool {
        problem.contact_count() <= OFTEN && self.refusal(problem).is_none()
    }

    /// Limits the time to `time`: half for the set, half for its certificate.
    pub fn within(self, time: Duration) -> Self {
        Reach { seconds: time.as_secs_f64() / 2.0, ..self }
    }

    /// Without paths and volume, which bounds do not need; stops at the flag of `limits`.
    pub fn for_bounds(self, limits: &Limits) -> Self {
        Reach { describe: false, stop: limits.stop().clone(), ..self }
    }

    /// Reason why no exact set can be computed, or `None`.
    pub fn refusal(&self, problem: &ContactProblem) -> Option<Error> {
        self.require(problem).err()
    }

    fn compute<V: Coordinates>(
        &self,
        problem: &ContactProblem,
        arithmetic: Arithmetic,
    ) -> Result<ExactSet> {
        let facets = self.require(problem)?;
        let begun = now();
        let stopped = || stopped(&self.stop);
        let most = Duration::from_secs_f64(self.seconds.clamp(0.0, 1e9));
        let within = |begun: Option<Instant>| begun.is_none_or(|begun| begun.elapsed() < most);
        let go_on = || within(begun) && !stopped();
        let late = || self.endless(problem, &format!("did not end within {} s", self.seconds));
        let unsolved = |why| match why {
            Unsolved::Indefinite => {
                let what = "the mass matrix is not positive definite, to the last digit";
                Error::input(what).at("mass")
            }
            Unsolved::Told if stopped() => Error::interrupted(),
            Unsolved::Told => late(),
        };
        let velocities = V::velocities(problem, facets.as_ref(), &go_on).map_err(unsolved)?;
        if velocities.entries > MOST_ENTRIES {
            let what = format!(
                "the exact set is that of up to {} coordinates of velocities and of what contacts store, found {}",
                MOST_ENTRIES - 1,
                velocities.entries - 1
            );
            return Err(Error::input(what).at("normal").hint(BESIDE));
        }
        let automaton = Automaton::near(&velocities, &vec![0; problem.contact_count()]);
        let start = velocities.point(&velocities.start);
        let approaches = velocities.normal.iter().any(|n| n.side(&velocities.start) < 0);
        let failed = |why: Stopped| match why {
            _ if stopped() => Error::interrupted(),
            Stopped::Told => late(),
            _ => self.endless(problem, "has polytopes with too many faces"),
        };
        let reached = match approaches {
            true => settle(&automaton, &start, &velocities.room(), &|_| go_on()).map_err(failed)?,
            false => Reached::new(0),
        };
        let ends =
            if approaches { terminal(&automaton, &reached) } else { vec![(None, start.clone())] };
        if !ends.iter().all(|(_, cone)| is_bounded(cone)) {
            let what = "has no bound that is known: with Poisson's restitution motions gain energy";
            return Err(self.endless(problem, what));
        }
        let begun_check = now();
        let reached_within = begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        let go_on = |_: f64| within(begun_check) && !stopped();
        let certificate =
            (self.certify && approaches).then(|| certify(&velocities, &reached, &start, &go_on));
        if stopped() {
            return Err(Error::interrupted());
        }
        let axes = problem.tangents_per_contact();
        let polytope = |cone: &Cone<V>| shape(cone, velocities.entries, &velocities.outcome);
        let outcome = |(piece, cone): &(Option<usize>, Cone<V>)| {
            let lineage = piece.map_or(Vec::new(), |piece| lineage(&reached, piece));
            let cell = |piece: &usize| &automaton.cells[reached.pieces[*piece].cell];
            let branches = |piece| in_states(&velocities.contacts, &cell(piece).branches);
            let leads = |ray| path(&velocities, &automaton, &reached, &lineage, &start, ray);
            let rays = || cone.rays.iter().map(|ray| &ray.x);
            OutcomePolytope {
                shape: polytope(cone),
                signs: rays().map(|ray| signs(&velocities, ray)).collect(),
                contacts: modes(&velocities, cone, axes),
                states: lineage.iter().map(|at| branches(at).map(|b| b.state).collect()).collect(),
                phases: lineage.iter().map(|at| branches(at).map(|b| b.phase).collect()).collect(),
                paths: rays().filter(|_| self.describe).map(leads).collect(),
            }
        };
        let polytopes = ends.iter().map(outcome).collect();
        let parts = || disjoint(ends.iter().map(|(_, cone)| cone)).iter().map(polytope).collect();
        // With restitution, stored impulses are coordinates too; faces in velocities are then
        // unknown.
        let known = self.describe && automaton.dissipates;
        let exact = reached.pieces.iter().filter(|piece| known && piece.exact);
        let passed = exact.map(|piece| polytope(&piece.cone)).collect();
        let metric = metric(problem)?;
        Ok(ExactSet {
            polytopes,
            passed,
            arithmetic,
            certificate,
            moves: approaches,
            flows: reached.flows,
            widened: reached.widened,
            tight: reached.tight,
            seconds: reached_within.as_secs_f64(),
            parts: self.describe.then(|| Parts::new(parts(), &metric)),
            metric,
        })
    }

    /// Facets of the friction cones. Refuses problems whose set is not polyhedral or too large.
    fn require(&self, problem: &ContactProblem) -> Result<Option<Facets>> {
        let spatial = problem.tangents_per_contact() > 1;
        let rough = problem.friction().iter().any(|mu| *mu > 0.0);
        if spatial && rough && self.facets.is_none() {
            let what = "the exact set is that of planar problems, or of friction cones with facets; these are circular";
            let hint = format!("--facets 4 gives the cones facets; {BESIDE}");
            return Err(Error::input(what).at("tangent").hint(hint));
        }
        if problem.bounces() && self.hypothesis != Hypothesis::Poisson {
            let what = "the exact set is that of inelastic impacts, or of Poisson's restitution";
            let hint = "--hypothesis poisson stores impulse instead of work; --restitution 0 leaves restitution out";
            return Err(Error::input(what).at("restitution").hint(hint));
        }
        if !problem.uncertainty().is_none() {
            let what = "the exact set is that of one problem, without uncertain numbers";
            return Err(Error::input(what).at("uncertainty"));
        }
        let facets = self.facets.filter(|_| spatial).map(Facets::new).transpose()?;
        let corners = facets.as_ref().map_or(1, |facets| 2 * facets.axes().len());
        let states = |(i, mu): (usize, &f64)| {
            let slips = if *mu > 0.0 { 2 * corners + 1 } else { 1 };
            let phases = match problem.restitution() {
                _ if !problem.bounces() => 1,
                Some(e) if e[i] > 0.0 => 3,
                _ => 2,
            };
            (1 + phases * slips) as f64
        };
        let cells: f64 = problem.friction().iter().enumerate().map(states).product();
        if cells > MOST_CELLS {
            let what = format!(
                "the exact set is for contacts with up to {MOST_CELLS} combinations of states, as six planar ones have; the {} have {cells:.3e}",
                problem.contact_count()
            );
            return Err(Error::input(what).at("normal").hint(BESIDE));
        }
        Ok(facets)
    }

    fn endless(&self, problem: &ContactProblem, what: &str) -> Error {
        let hint =
            format!("motions through more and more contact states may have no end; {BESIDE}");
        let what = format!("the exact set of `{}` {what}", problem.name());
        Error::usage(what).at("seconds").hint(hint)
    }
}

/// Current time; WebAssembly has no clock.
fn now() -> Option<Instant> {
    (!cfg!(target_arch = "wasm32")).then(Instant::now)
}

fn shape<V: Vector>(cone: &Cone<V>, entries: usize, outcome: &Outcome<V>) -> Polytope {
    let facets = cone.inequalities.iter().map(|row| row.tight.iter().collect::<Vec<_>>());
    Polytope {
        vertices: cone.rays.iter().map(|ray| outcome(&ray.x)).collect(),
        facets: facets.filter(|facet| !facet.is_empty()).collect(),
        dimension: entries - 1 - cone.equalities.len(),
    }
}

/// Signs of the contact velocity at a vertex, normals first.
fn signs<V: Vector>(velocities: &Velocities<V>, ray: &V) -> Vec<i32> {
    velocities.normal.iter().chain(&velocities.tangent).map(|row| row.side(ray)).collect()
}

/// Contact modes in the relative interior of a polytope.
fn modes<V: Vector>(velocities: &Velocities<V>, cone: &Cone<V>, axes: usize) -> Vec<Mode> {
    let side = |row: &V| {
        let sides: Vec<i32> = cone.rays.iter().map(|ray| row.side(&ray.x)).collect();
        match (sides.contains(&1), sides.contains(&-1)) {
            (true, false) => 1.0,
            (false, true) => -1.0,
            (false, false) => 0.0,
            // The entry has both signs; the sign at the mean of the vertices counts.
            (true, true) => {
                cone.rays.iter().map(|ray| dot(row.near(), ray.x.near()) / ray.x.near()[0]).sum()
            }
        }
    };
    let tangents: Vec<f64> = velocities.tangent.iter().map(side).collect();
    let along = |i: usize| &tangents[i * axes..(i + 1) * axes];
    let normals = velocities.normal.iter().map(side).enumerate();
    normals.map(|(i, normal)| Mode::of(normal, along(i), [0.0; 2])).collect()
}
