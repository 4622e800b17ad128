//! The set-valued Routh law in complementarity steps: simultaneous inelastic impacts with friction.
//! \[HP23\]

use std::sync::Arc;

use crate::{Ending, Routh, Solution};
use carom_core::contact_space::facets_on;
use carom_core::draws::rates::Length;
use carom_core::lcp::modes::regular_maps;
use carom_core::lcp::table::Solutions;
use carom_core::lcp::{Mixed, ModeMap};
use carom_core::{
    Budget, ContactProblem, ContactSpace, Error, Facets, Lemke, ModeTable, Rates, Real, Result,
    Sampler, Status, StepProblem, Stop, Stream, stopped,
};

/// Algorithm 1 of \[HP23\] on a problem: impulse steps until no contact approaches.
#[derive(Clone, Debug)]
pub struct Steps<R> {
    /// The problem's contact space.
    pub space: ContactSpace<R>,
    /// The impulse step and the sampler of its rates.
    pub rates: Rates<R>,
    /// The explicit solution by contact modes, for up to three planar contacts and
    /// [`Solution::Random`].
    pub table: Option<ModeTable<R>>,
    /// The regular combinations of contact modes from which the table is made.
    pub(crate) maps: Option<Arc<[ModeMap]>>,
    /// The choice among several solutions of a step.
    pub solution: Solution,
    /// The bounds of one additional step at the step limit, without drawn rates.
    last: Option<Rates<R>>,
}

/// The memory of a sample; at the end it contains the sample's impulse.
#[derive(Clone, Debug)]
pub struct StepsWorkspace<R> {
    /// Dimensionless total impulse (K) of the last sample.
    pub total: Vec<R>,
    /// Once true, a sample in progress ends as [`Status::StepLimit`] within a few steps.
    pub stop: Stop,
    /// The remaining work budget of the sample, for steps outside the explicit solution.
    pub budget: Budget,
    /// Contact velocity and impulse bounds `x = (u, c)` (K + m).
    pub(super) x: Vec<R>,
    /// Impulse and velocity of the last step (K).
    pub(super) l: Vec<R>,
    pub(super) u_plus: Vec<R>,
    /// Unknowns and covering vector of the LCP of a step (N), and its matrix (N,N), row by row.
    pub(super) z: Vec<R>,
    pub(super) covering: Vec<R>,
    pub(super) matrix: Vec<R>,
    pub(super) solutions: Solutions<R>,
    pub(super) lemke: Lemke<R>,
    pub(super) mixed: Mixed<R>,
}

impl<R: Real> StepsWorkspace<R> {
    /// The status of a sample with an unsolved step.
    pub fn failure(&self) -> Status {
        match stopped(&self.stop) {
            true => Status::StepLimit,
            false if self.budget.is_over() => Status::Budget,
            false => Status::Unsolved,
        }
    }

    /// Spends `work` multiplications on the budget; returns whether the sample may continue.
    pub(super) fn may(&mut self, work: u64) -> bool {
        self.budget.spend(work);
        !self.budget.is_over() && !stopped(&self.stop)
    }

    /// Applies the last step; returns whether all numbers are still finite.
    pub(super) fn advance(&mut self) -> bool {
        for i in 0..self.total.len() {
            self.total[i] += self.l[i];
            self.x[i] = self.u_plus[i];
        }
        self.total.iter().all(|l| l.is_finite())
    }
}

impl<R: Real> Steps<R> {
    /// Checks that the law applies to a problem, and prepares the data common to all samples.
    pub fn new(law: &Routh, problem: &ContactProblem) -> Result<Self> {
        if law.persist == Some(0) {
            return Err(Error::usage("rates persist over at least 1 step, found 0").at("persist"));
        }
        let facets = facets_on(problem, law.facets, Facets::LEAST)?;
        let m = problem.contact_count();
        let (w, mu, u) = (problem.delassus(), problem.friction(), problem.contact_velocity());
        let (step, scaling) = StepProblem::of(w, mu, u, facets.as_ref());
        let tabled = facets.is_none()
            && m <= ModeTable::<R>::MAX_CONTACTS
            && law.solution == Solution::Random;
        let rates = Rates::new(m, law.length(), law.sampler(), law.persistence());
        let maps: Option<Arc<[ModeMap]>> = tabled.then(|| regular_maps(&step).into());
        let mut steps = Steps {
            space: ContactSpace::new(&step, scaling, law.steps_on(problem))?,
            rates: if law.reaches() { rates.reaching() } else { rates },
            table: maps.as_deref().map(|maps| ModeTable::new(maps, &[])),
            maps,
            solution: law.solution,
            last: law.last_step.map(|most| {
                let length = Length { impulse: Some(most), block: None };
                Rates::new(m, length, Sampler::Uniform, 1)
            }),
        };
        steps.approach(problem)?;
        Ok(steps)
    }

    /// Sets the velocity before the impact from `problem`, which must have the mass matrix,
    /// Jacobians and friction of the prepared problem. Does not allocate.
    pub fn approach(&mut self, problem: &ContactProblem) -> Result<()> {
        self.space.approach(problem, usize::MAX);
        self.rates.approach(problem, &self.space)?;
        let mut longest = self.rates.sampler.lengths()[0] * self.rates.step_on(problem);
        if let Some(last) = &mut self.last {
            last.approach(problem, &self.space)?;
            longest = longest.max(last.step_on(problem));
        }
        if let Some(table) = &mut self.table {
            table
                .set_caps((0..problem.contact_count()).map(|i| self.space.scaling.cap(longest, i)));
        }
        Ok(())
    }

    /// Computes the explicit solution again, after a change of friction.
    pub fn renew(&mut self) {
        if let Some(table) = &mut self.table {
            let maps: Arc<[ModeMap]> = regular_maps(&self.space.step.cast()).into();
            *table = ModeTable { tolerance: table.tolerance, ..ModeTable::new(&maps, &[]) };
            self.maps = Some(maps);
        }
    }

    /// A workspace for [`Steps::sample`].
    pub fn workspace(&self) -> StepsWorkspace<R> {
        let step = &self.space.step;
        let (m, k, n) = (step.contacts, step.width(), step.lcp_size());
        StepsWorkspace {
            total: vec![R::ZERO; k],
            stop: None,
            budget: Budget::of(n).with_limit(self.space.max_steps, Routh::STEPS),
            x: vec![R::ZERO; k + m],
            l: vec![R::ZERO; k],
            u_plus: vec![R::ZERO; k],
            z: vec![R::ZERO; n],
            covering: vec![R::ONE; n],
            matrix: (0..n * n).map(|e| step.lcp_entry(e / n, e % n)).collect(),
            solutions: Solutions::new(m),
            lemke: Lemke::new(n),
            mixed: Mixed::new(m),
        }
    }

    /// Computes one sample and writes its total impulse to `work.total`. Does not allocate.
    ///
    /// Guarantee: ends after at most `max_steps` steps, and with [`Status::Budget`] after the work
    /// of a [`Budget`]; every applied step has residual <= [`Real::RESIDUAL`]. Twin:
    /// `shaders/law/routh/steps/process.wgsl`, which counts no work.
    pub fn sample(&self, stream: &Stream, work: &mut StepsWorkspace<R>) -> Ending<R> {
        self.sample_observed(stream, work, |_, _, _| {})
    }

    /// As [`Steps::sample`]; calls `observe` for every solved step with its number, `x = (u, c)` (K
    /// + m) and its impulse (K).
    pub fn sample_observed(
        &self,
        stream: &Stream,
        work: &mut StepsWorkspace<R>,
        observe: impl FnMut(u32, &[R], &[R]),
    ) -> Ending<R> {
        work.x[..self.space.step.width()].copy_from_slice(&self.space.start);
        let solve = |work: &mut StepsWorkspace<R>, step| self.solve(stream, step, None, work);
        self.take_steps(stream, work, |work| work, |work| self.at_rest(work), solve, observe)
    }

    /// Takes steps until the sample is `over`; with the last-step option, takes one additional step
    /// at the step limit (\[HP23\] Algorithm 2, Lemma 9). `part` returns the steps' workspace
    /// within `work`; `solve` solves a step and returns its residual, or `None` without a solution.
    #[inline]
    pub(super) fn take_steps<W>(
        &self,
        stream: &Stream,
        work: &mut W,
        part: impl Fn(&mut W) -> &mut StepsWorkspace<R>,
        over: impl Fn(&W) -> bool,
        mut solve: impl FnMut(&mut W, u32) -> Option<R>,
        mut observe: impl FnMut(u32, &[R], &[R]),
    ) -> Ending<R> {
        part(work).total.fill(R::ZERO);
        part(work).budget.begin();
        let mut residual = R::ZERO;
        let most = self.space.max_steps + u32::from(self.last.is_some());
        for steps in 0..most {
            if over(work) {
                return Ending { status: Status::Terminated, steps, residual };
            }
            let own = part(work);
            if stopped(&own.stop) {
                return Ending { status: Status::StepLimit, steps, residual };
            }
            let (u, caps) = own.x.split_at_mut(self.space.step.width());
            match &self.last {
                Some(last) if steps == self.space.max_steps => caps.copy_from_slice(&last.caps),
                _ => self.rates.draw_caps(stream, steps, u, &self.space.rest, caps),
            }
            let Some(worst) = solve(work, steps) else {
                return Ending { status: part(work).failure(), steps, residual };
            };
            residual = Real::max(residual, worst);
            let own = part(work);
            observe(steps, &own.x, &own.l);
            if !own.advance() {
                return Ending { status: Status::NotFinite, steps: steps + 1, residual };
            }
        }
        let status = if over(work) { Status::Terminated } else { Status::StepLimit };
        Ending { status, steps: most, residual }
    }

    /// Whether no contact approaches.
    pub(super) fn at_rest(&self, work: &StepsWorkspace<R>) -> bool {
        self.space.rest.iter().zip(&work.x).all(|(rest, u)| u >= rest)
    }

    /// Solves step `step` of a sample from `x = (u, c)` (K + m). Returns its impulse, `u+` and
    /// residual, or `None` where this precision finds no solution or cannot count solutions, or
    /// where the budget of the workspace is spent.
    pub fn solve_at<'w>(
        &self,
        stream: &Stream,
        step: u32,
        x: &[R],
        work: &'w mut StepsWorkspace<R>,
    ) -> Option<(&'w [R], &'w [R], R)> {
        work.x.copy_from_slice(x);
        let residual = self.solve(stream, step, None, work)?;
        Some((&work.l, &work.u_plus, residual))
    }
}
