//! The set-valued Routh law: simultaneous inelastic impacts with friction, resolved in random order. \[HP23\]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Law;
use super::arc::Hypothesis;
use super::facets_on;
use super::integration::{Course, Drawn, Inclusion, Inertia, Process, Tolerances};
use super::orders::{Rebound, Strike};
use super::process::ProcessKind;
pub use super::rates::Sampler;
use super::reservoirs::Reservoirs;
use crate::error::{Error, Result};
use crate::lcp::{
    Facets, Lemke, Mixed, ModeTable, Scaling, StepProblem, modes::regular_maps, table::Solutions,
};
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::rng::Stream;
use crate::status::Status;

/// Which solution of a step is taken where there are several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solution {
    /// Uniform among the distinct `v+` of the step for up to three planar contacts; otherwise the one that Lemke's method
    /// finds with a random covering vector. Both are drawn from the sample's own stream.
    #[default]
    Random,
    /// The one that lexicographic Lemke finds with a covering vector of ones. It misses most of the set where
    /// steps have several solutions: on the compass gait it finds a single point.
    Lemke,
}

impl Solution {
    /// The name that the command line and the files use.
    pub fn name(self) -> &'static str {
        match self {
            Solution::Random => "random",
            Solution::Lemke => "lemke",
        }
    }
}

/// The set-valued Routh law.
///
/// Algorithm 1: while something approaches, draw relative rates `p` uniform on `[0, 1)^m`, find an impulse
/// increment with `ln <= h p` that obeys Coulomb's law and inelasticity at the velocity it leads to
/// ([`StepProblem`]), and apply it. Source: \[HP23\] Sec. 5, (72)-(75). Deviations: the solution of a step is chosen
/// by [`Solution`], because Assumption 6 (uniqueness) fails on most examples; "approaches" is
/// `u_n < -rest`, see [`ContactProblem::rest_velocity`], instead of an absolute 1e-8.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routh {
    /// Which solution of a step is taken.
    pub solution: Solution,
    /// How the rates are drawn.
    pub sampler: Sampler,
    /// Steps N >= 1 that share their draw of the rates: step s has those of draw s / N, rounded down. `None`: 1.
    pub persist: Option<u32>,
    /// Impulse step `h` in N s; `None`: the problem's, else its natural step.
    pub step: Option<f64>,
    /// Step limit; `None`: the problem's, else 1000.
    pub max_steps: Option<u32>,
    /// Facets of the friction cones of a spatial problem, which is then solved by complementarity; `None`: the circular
    /// cone, by integration.
    pub facets: Option<u32>,
    /// What a coefficient of restitution means; Newton's hypothesis is refused.
    pub hypothesis: Hypothesis,
}

impl Routh {
    /// The process that makes the samples of `problem`: an inclusion where no facets are asked for and a contact has
    /// restitution, numbers are uncertain or friction cones are circular; else steps.
    pub fn process_on(&self, problem: &ContactProblem) -> ProcessKind {
        let special = problem.bounces() || !problem.uncertainty().is_none();
        match (special, self.facets.is_some()) {
            (true, true) => ProcessKind::Bouncing,
            (false, true) => ProcessKind::Steps,
            (special, false) if special || problem.tangents_per_contact() == 2 => ProcessKind::Inclusion,
            _ => ProcessKind::Steps,
        }
    }

    /// The impulse step `h` in N s that a run on `problem` uses.
    pub fn step_on(&self, problem: &ContactProblem) -> f64 {
        self.step.or(problem.spec().step).or_else(|| problem.natural_step()).unwrap_or(1.0)
    }

    /// Steps that share their draw of the rates.
    pub fn persistence(&self) -> u32 {
        self.persist.unwrap_or(1)
    }

    /// The step limit that a run on `problem` uses. The problem's own is for steps of one length: where they may be as short
    /// as a part of it, it allows so many times as many.
    pub fn max_steps_on(&self, problem: &ContactProblem) -> u32 {
        let shortest = self.sampler.lengths()[1];
        let allowed = problem.spec().max_steps.map(|most| (f64::from(most) / shortest) as u32);
        self.max_steps.or(allowed).unwrap_or(1000)
    }

    /// Validates the law against a problem and prepares all that is the same for every sample.
    ///
    /// # Errors
    /// Facets for a planar problem, a number of them that [`Facets::new`] refuses, Newton's hypothesis with a coefficient of
    /// restitution above 0, rates that persist where the inclusion is integrated or over no step, a step that is not a finite
    /// positive number or that overflows the precision, a step limit of 0.
    pub fn bind<R: Real>(&self, problem: &ContactProblem) -> Result<Bound<R>> {
        let kind = self.process_on(problem);
        let (integrates, bounces) = (kind == ProcessKind::Inclusion, kind == ProcessKind::Bouncing);
        // Four facets have the tangents themselves as axes, which is all that the inclusion needs.
        let facets = facets_on(problem, self.facets, Facets::LEAST)?;
        if bounces && !problem.uncertainty().inertia.is_empty() {
            return Err(Error::input("friction cones with facets do not go with uncertain inertia")
                .at("facets")
                .hint("leave --facets out for the circular cone"));
        }
        if (integrates || bounces) && self.hypothesis == Hypothesis::Newton {
            return Err(Error::usage(
                "Newton's hypothesis is for single contacts; several may gain energy by it",
            )
            .at("hypothesis")
            .hint("take stronge, with which energy never rises"));
        }
        if self.persist == Some(0) {
            return Err(Error::usage("rates persist over at least 1 step, found 0").at("persist"));
        }
        if integrates && self.persistence() > 1 {
            return Err(Error::usage(
                "with circular cones, restitution or uncertain numbers rates persist for a block of impulse as it is",
            )
            .at("persist")
            .hint("take a longer block, --step H, and leave --persist out"));
        }
        let max_steps = self.max_steps_on(problem);
        if max_steps == 0 {
            return Err(Error::usage("a step limit is at least 1, found 0").at("max_steps"));
        }
        let m = problem.contact_count();
        let (w, mu, u) = (problem.delassus(), problem.friction(), problem.contact_velocity());
        let (step, scaling) = StepProblem::of(w, mu, u, facets.as_ref());
        let small = facets.is_none() && !integrates && m <= ModeTable::<R>::MAX_CONTACTS;
        let numbers = || {
            let poisson = self.hypothesis == Hypothesis::Poisson;
            Inclusion::new(problem, &scaling, poisson, self.sampler).cast()
        };
        let (inclusion, bounce) = (integrates.then(numbers), bounces.then(numbers));
        let table =
            (self.solution == Solution::Random && small).then(|| ModeTable::new(&regular_maps(&step), &[]));
        let mut bound = Bound {
            step: step.cast(),
            start: vec![R::ZERO; scaling.sigma.len()],
            caps: vec![R::ZERO; m],
            rest: vec![R::ZERO; m],
            scaling,
            table,
            solution: self.solution,
            sampler: self.sampler,
            persist: self.persistence(),
            max_steps,
            strike: None,
            inclusion,
            bounce,
            rebound: Rebound::NONE,
        };
        self.approach(problem, &mut bound)?;
        Ok(bound)
    }

    /// Takes over the velocity of `problem`, which has the mass, Jacobians and friction that `bound` was made for.
    /// Does not allocate.
    ///
    /// # Errors
    /// A step that is not a finite positive number or that overflows the precision.
    pub fn approach<R: Real>(&self, problem: &ContactProblem, bound: &mut Bound<R>) -> Result<()> {
        let h = self.step_on(problem);
        if !(h.is_finite() && h > 0.0) {
            return Err(Error::usage(format!("an impulse step is a finite number > 0, found {h}")).at("step"));
        }
        let u = problem.contact_velocity();
        bound.scaling.rescale(u);
        let scaling = &bound.scaling;
        let rest = problem.rest_velocity::<R>() / scaling.velocity;
        for (i, start) in bound.start.iter_mut().enumerate() {
            *start = R::from_f64(scaling.along(u, i));
        }
        for i in 0..problem.contact_count() {
            bound.caps[i] = R::from_f64(scaling.cap(h, i));
            bound.rest[i] = R::from_f64(-rest / scaling.sigma[i]);
        }
        if !bound.start.iter().chain(&bound.caps).all(|x| x.is_finite())
            && self.step.or(problem.spec().step).is_none()
        {
            return Err(
                Error::input(format!("the velocities are out of the range of {}", R::NAME)).at("velocity")
            );
        }
        if !bound.caps.iter().all(|c| c.is_finite()) {
            return Err(Error::usage(format!(
                "an impulse step of {h:e} N s is out of the range of {}",
                R::NAME
            ))
            .at("step")
            .hint("steps near the impulse that stops one contact, max(-u_i / W_ii), serve best"));
        }
        for inclusion in bound.inclusion.iter_mut().chain(&mut bound.bounce) {
            inclusion.disturb(problem, scaling);
        }
        if let Some(table) = &mut bound.table {
            let longest = self.sampler.lengths()[0];
            table.set_caps((0..problem.contact_count()).map(|i| longest * scaling.cap(h, i)));
        }
        Ok(())
    }
}

/// The law, bound to a problem. All numbers are dimensionless, see [`Scaling`]; a kernel's impulses and velocities are
/// the K = [`StepProblem::width`] rows of the step problem, of which [`Scaling::parts`] makes those of the problem.
#[derive(Clone, Debug)]
pub struct Bound<R> {
    /// The step problem.
    pub step: StepProblem<R>,
    /// Contact velocity before the impact (K).
    pub start: Vec<R>,
    /// Impulse caps `h` (m).
    pub caps: Vec<R>,
    /// Normal velocities (m), negative, from which on a contact approaches.
    pub rest: Vec<R>,
    /// From dimensionless numbers back to SI.
    pub scaling: Scaling,
    /// The maps of the step's contact modes, where they are used.
    pub table: Option<ModeTable<R>>,
    /// Which solution of a step is taken.
    pub solution: Solution,
    /// How the rates are drawn.
    pub sampler: Sampler,
    /// Steps that share their draw of the rates.
    pub persist: u32,
    /// Step limit.
    pub max_steps: u32,
    /// What happens at a contact, where single impacts are sampled instead of steps of all contacts.
    pub strike: Option<Strike>,
    /// Friction and restitution, where the inclusion is integrated.
    pub inclusion: Option<Inclusion<R>>,
    /// The same, where steps of complementarity have [`Reservoirs`].
    pub bounce: Option<Inclusion<R>>,
    /// What is made of the impulse.
    pub rebound: Rebound,
}

/// How one sample ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending<R> {
    /// Why.
    pub status: Status,
    /// After how many steps.
    pub steps: u32,
    /// With what largest residual over its steps.
    pub residual: R,
}

/// What one sample needs while it runs, and its impulse at the end.
#[derive(Clone, Debug)]
pub struct Workspace<R> {
    /// Dimensionless total impulse (K) of the last sample.
    pub total: Vec<R>,
    /// Once true, a sample under way ends as [`Status::StepLimit`] within a few steps.
    pub stop: Option<Arc<AtomicBool>>,
    /// Contact velocity and caps `x = (u, c)` (K + m).
    pub(super) x: Vec<R>,
    pub(super) l: Vec<R>,
    pub(super) u_plus: Vec<R>,
    pub(super) z: Vec<R>,
    pub(super) covering: Vec<R>,
    /// The matrix of a step as an LCP (N,N), row by row.
    pub(super) matrix: Vec<R>,
    pub(super) solutions: Solutions<R>,
    pub(super) lemke: Lemke<R>,
    pub(super) mixed: Mixed<R>,
    pub(super) reservoirs: Option<Reservoirs<R>>,
    course: Option<Course<R>>,
    /// The inertia of the sample, and its step problem, where inertia is uncertain.
    pub(crate) drawn: Option<(Drawn, StepProblem<R>)>,
}

impl Bound<f64> {
    /// The same in another precision.
    ///
    /// # Errors
    /// A step that overflows the precision.
    pub fn cast<R: Real>(&self, law: &Law, problem: &ContactProblem) -> Result<Bound<R>> {
        let m = self.step.contacts;
        let mut bound = Bound {
            step: self.step.cast(),
            start: vec![R::ZERO; self.step.width()],
            caps: vec![R::ZERO; m],
            rest: vec![R::ZERO; m],
            scaling: self.scaling.clone(),
            table: self.table.as_ref().map(ModeTable::cast),
            solution: self.solution,
            sampler: self.sampler,
            persist: self.persist,
            max_steps: self.max_steps,
            strike: self.strike,
            inclusion: self.inclusion.as_ref().map(Inclusion::cast),
            bounce: self.bounce.as_ref().map(Inclusion::cast),
            rebound: self.rebound.clone(),
        };
        law.approach(problem, &mut bound)?;
        Ok(bound)
    }
}

impl<R: Real> Bound<R> {
    /// A workspace for [`Bound::sample`].
    pub fn workspace(&self) -> Workspace<R> {
        let (m, k, n) = (self.step.contacts, self.step.width(), self.step.lcp_size());
        Workspace {
            total: vec![R::ZERO; k],
            stop: None,
            x: vec![R::ZERO; k + m],
            l: vec![R::ZERO; k],
            u_plus: vec![R::ZERO; k],
            z: vec![R::ZERO; n],
            covering: vec![R::ONE; n],
            matrix: (0..n * n).map(|e| self.step.lcp_entry(e / n, e % n)).collect(),
            solutions: Solutions::new(m),
            lemke: Lemke::new(n),
            mixed: Mixed::new(m),
            reservoirs: self.bounce.as_ref().map(|_| Reservoirs::new(&self.step)),
            course: self.inclusion.as_ref().map(|_| Course::new(m, k)),
            drawn: self.inertia().map(|inertia| (inertia.room(), self.step.clone())),
        }
    }

    /// The mass matrix, where it is uncertain.
    pub(crate) fn inertia(&self) -> Option<&Inertia> {
        self.inclusion.as_ref()?.inertia.as_deref()
    }

    /// Runs one sample; its total impulse is left in `work.total`. Does not allocate.
    ///
    /// Guarantee: ends after at most `max_steps` steps; every step applied has residual <= [`Real::RESIDUAL`].
    /// Twin: `shaders/law/routh.wgsl::routh_sample`.
    pub fn sample(&self, stream: &Stream, work: &mut Workspace<R>) -> Ending<R> {
        self.sample_within(Tolerances::of_precision(), stream, work)
    }

    /// The same sample once more, where it failed: inclusions have [`Tolerances::finer`].
    pub fn sample_again(&self, stream: &Stream, work: &mut Workspace<R>) -> Ending<R> {
        self.sample_within(Tolerances::of_precision().finer(), stream, work)
    }

    fn sample_within(
        &self,
        tolerances: Tolerances<R>,
        stream: &Stream,
        work: &mut Workspace<R>,
    ) -> Ending<R> {
        if let (Some(inclusion), Some(course)) = (&self.inclusion, &mut work.course) {
            let step = match (&inclusion.inertia, &mut work.drawn) {
                (Some(inertia), Some((drawn, step))) => {
                    inertia.draw(stream, drawn);
                    drawn.contact_space(&self.scaling, step);
                    &*step
                }
                _ => &self.step,
            };
            let caps = [&self.caps[..], &self.rest];
            let process = Process { tolerances, ..Process::new(step, inclusion, caps, self.max_steps) };
            let ending = process.sample(&self.start, stream, work.stop.as_deref(), course);
            work.total.copy_from_slice(&course.total);
            return ending;
        }
        match self.strike {
            None => self.sample_observed(stream, work, |_, _, _| {}),
            Some(strike) => self.sample_order(strike, stream, work),
        }
    }

    /// [`Bound::sample`] of the Routh law, showing every step that was solved to `observe`: its number, `x = (u, c)` (K + m) and
    /// its impulse (K).
    pub fn sample_observed(
        &self,
        stream: &Stream,
        work: &mut Workspace<R>,
        mut observe: impl FnMut(u32, &[R], &[R]),
    ) -> Ending<R> {
        let k = self.step.width();
        work.total.fill(R::ZERO);
        self.begin(stream, work);
        let mut residual = R::ZERO;
        for steps in 0..self.max_steps {
            if self.over(work) {
                return Ending { status: Status::Terminated, steps, residual };
            }
            if steps % 64 == 63 && work.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Ending { status: Status::StepLimit, steps, residual };
            }
            let (u, caps) = work.x.split_at_mut(k);
            self.draw_caps(stream, steps, u, caps);
            let Some(worst) = self.solve_within(stream, steps, work) else {
                return Ending { status: Status::Unsolved, steps, residual };
            };
            observe(steps, &work.x, &work.l);
            residual = Real::max(residual, worst);
            for i in 0..k {
                work.total[i] += work.l[i];
                work.x[i] = work.u_plus[i];
            }
            if !(0..k).all(|i| work.total[i].is_finite()) {
                return Ending { status: Status::NotFinite, steps: steps + 1, residual };
            }
        }
        let status = if self.over(work) { Status::Terminated } else { Status::StepLimit };
        Ending { status, steps: self.max_steps, residual }
    }

    /// Solves step `step` of a sample from `x = (u, c)` (K + m); its impulse, `u+` and residual, or `None` where this
    /// precision finds no solution or cannot count them.
    pub fn solve_at<'w>(
        &self,
        stream: &Stream,
        step: u32,
        x: &[R],
        work: &'w mut Workspace<R>,
    ) -> Option<(&'w [R], &'w [R], R)> {
        work.x.copy_from_slice(x);
        let residual = self.solve(stream, step, work)?;
        Some((&work.l, &work.u_plus, residual))
    }
}
