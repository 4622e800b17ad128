//! From the dimensionless impulses of a kernel to checked samples; all engines use this verifier.

use nalgebra::DMatrix;
use pulp::NullaryFnOnce;

use carom_core::draws::inertia::{Drawn, UncertainInertia};
use carom_core::draws::numbers::{disturbance, noise_root};
use carom_core::outcome::group::{Group, GroupColumn, WIDTH};
use carom_core::outcome::summary::Tolerance;
use carom_core::outcome::verdict::{FlagLimits, is_flagged, settled_residual};
use carom_core::outcome::{Dressing, Samples, Summary};
use carom_core::problem::ContactProblem;
use carom_core::real::Real;
use carom_core::rng::Stream;
use carom_core::status::Status;
use carom_law::{Ending, Process, ProcessKind, Workspace};

/// Number of samples in a block. Statistics are summed block by block, so results do not depend on
/// the cut of a run into chunks or on the number of threads.
pub const BLOCK: usize = 1024;

/// Converts impulses into samples, checks each sample against the problem in f64, and recomputes
/// flagged samples.
#[derive(Debug)]
pub struct Verifier<'a> {
    problem: &'a ContactProblem,
    /// The law in f64, which recomputes flagged samples.
    reference: &'a Process<f64>,
    seed: u64,
    rest: f64,
    residual: f64,
    /// Limits beyond which a sample is flagged.
    limits: FlagLimits,
    /// Whether flagged samples are recomputed. Among reference processes, only the inclusion can
    /// recompute its own samples, by finer integration.
    repairs: bool,
    /// Whether the samples come from the reference itself.
    mended: bool,
    /// Whether results are rounded to single precision.
    single: bool,
    /// Kinetic energy before the impact, J.
    energy: f64,
    /// Whether the law forbids a gain of kinetic energy.
    dissipates: bool,
    /// The matrix that maps draws to disturbances of the velocity (n,n).
    noise: Option<DMatrix<f64>>,
    /// The forecast model, applied to checked outcomes.
    dressing: Option<&'a Dressing>,
}

/// The unchecked results of a kernel for samples `first ..`.
#[derive(Clone, Copy, Debug)]
pub struct Unchecked<'a, R> {
    /// Number of the first sample.
    pub first: u64,
    /// The status, steps and residual of each sample (N).
    pub endings: &'a [Ending<R>],
    /// Total impulses (N,K).
    pub totals: &'a [R],
}

/// The memory in which a thread verifies samples.
#[derive(Clone, Debug)]
pub struct VerifierScratch {
    /// Workspace in which flagged samples are recomputed.
    pub work: Workspace<f64>,
    group: Group,
}

impl<'a> Verifier<'a> {
    /// A verifier for kernels of precision `R`; `mended` means that the kernel is the reference
    /// itself.
    pub fn new<R: Real>(
        problem: &'a ContactProblem,
        reference: &'a Process<f64>,
        seed: u64,
        mended: bool,
    ) -> Self {
        let single = R::EPSILON > f64::EPSILON;
        let integrated = reference.kind() == ProcessKind::Inclusion;
        let residual = reference.most_residual::<R>();
        let limits = FlagLimits::new::<R>(problem.contact_count(), reference.space().step.axes);
        Verifier {
            problem,
            reference,
            seed,
            rest: problem.rest_velocity::<R>(),
            residual,
            limits: if integrated { FlagLimits { residual, long_run: u32::MAX } } else { limits },
            repairs: !mended || integrated,
            mended,
            single,
            energy: problem.kinetic_energy(problem.velocity().as_slice()),
            dissipates: reference.dissipates(problem),
            noise: noise_root(problem),
            dressing: None,
        }
    }

    /// Hands out forecasts instead of the checked outcomes.
    pub fn dressed(self, dressing: Option<&'a Dressing>) -> Self {
        Verifier { dressing, ..self }
    }

    /// Whether forecasts are handed out.
    pub fn is_dressed(&self) -> bool {
        self.dressing.is_some()
    }

    /// An empty summary for the samples of this run.
    pub fn summary(&self) -> Summary {
        let tolerance = Tolerance { rest: self.rest, residual: self.residual };
        Summary::new(
            self.problem.coordinate_count(),
            self.problem.contact_count(),
            self.problem.tangents_per_contact(),
            tolerance,
        )
    }

    /// Verifies samples, and writes them into `samples` and `summary` if given. Does not allocate
    /// if `samples` is large enough.
    pub fn verify<R: Real>(
        &self,
        raw: Unchecked<'_, R>,
        scratch: &mut VerifierScratch,
        mut samples: Option<&mut Samples>,
        summary: Option<&mut Summary>,
    ) {
        if let Some(samples) = &mut samples {
            let (n, k) = (self.problem.coordinate_count(), self.problem.jacobian().nrows());
            samples.first = raw.first;
            samples.resize(raw.endings.len(), n, k);
        }
        pulp::Arch::new().dispatch(Verification { verifier: self, raw, scratch, samples, summary });
    }

    /// Loads the endings and impulses `L` of one group of samples, `at ..`.
    #[inline(always)]
    fn load<R: Real>(&self, raw: Unchecked<'_, R>, at: usize, group: &mut Group) {
        let len = (raw.endings.len() - at).min(WIDTH);
        group.len = len;
        for (l, ending) in raw.endings[at..at + len].iter().enumerate() {
            let residual = ending.residual.to_f64();
            (group.steps[l], group.status[l], group.residual[l]) =
                (ending.steps, ending.status, residual);
        }
        group.repaired = [false; WIDTH];
        let width = self.reference.space().step.width();
        let totals = &raw.totals[at * width..(at + len) * width];
        // With a width known at compile time, the transposition compiles to shuffles.
        match (width, self.reference.space().step.axes) {
            (2, 1) => self.columns::<R, 2>(totals, group),
            (4, 1) => self.columns::<R, 4>(totals, group),
            (6, 1) => self.columns::<R, 6>(totals, group),
            _ => {
                for (j, impulse) in group.impulse.iter_mut().enumerate() {
                    *impulse = [self.plastic(j); WIDTH];
                    for (row, weight) in self.reference.space().scaling.parts(j) {
                        let unit = weight * self.unit(row);
                        for (l, total) in totals.chunks_exact(width).enumerate() {
                            impulse[l] += total[row].to_f64() * unit;
                        }
                    }
                }
            }
        }
    }

    /// Converts dimensionless impulses from rows of K numbers to columns in N s.
    #[inline(always)]
    fn columns<R: Real, const K: usize>(&self, totals: &[R], group: &mut Group) {
        let (rows, _) = totals.as_chunks::<K>();
        for (j, impulse) in group.impulse.iter_mut().enumerate().take(K) {
            let (unit, plastic) = (self.unit(j), self.plastic(j));
            for (x, row) in impulse.iter_mut().zip(rows) {
                *x = row[j].to_f64() * unit + plastic;
            }
        }
    }

    /// The unit of impulse `j` of the step problem, in N s.
    #[inline(always)]
    fn unit(&self, j: usize) -> f64 {
        let (scaling, rebound) = (&self.reference.space().scaling, self.reference.rebound());
        rebound.restitution * scaling.impulse / scaling.sigma[j]
    }

    /// The constant that restitution adds to impulse `j`, in N s.
    #[inline(always)]
    fn plastic(&self, j: usize) -> f64 {
        self.reference.rebound().plastic.get(j).copied().unwrap_or(0.0)
    }

    /// Raises the residual of samples with a wrong kinetic energy: an energy that differs from the
    /// law's prescribed energy, or a gain beyond the tolerance under a dissipative law.
    #[inline(always)]
    fn account(&self, group: &mut Group) {
        let exact = self.reference.rebound().energy;
        if exact.is_none() && !self.dissipates {
            return;
        }
        let unit = if self.energy > 0.0 { self.energy } else { 1.0 };
        for l in 0..group.len {
            let wrong = match exact {
                Some(energy) => (group.kinetic_energy[l] - energy).abs() / unit,
                None => (group.kinetic_energy[l] - self.energy) / unit,
            };
            let counts = exact.is_some() || wrong > self.residual;
            if counts && group.status[l] == Status::Terminated && wrong > group.residual[l] {
                group.residual[l] = wrong;
            }
        }
    }

    /// Computes the disturbances of the velocities of samples `first ..`.
    fn disturb(&self, first: u64, group: &mut Group) {
        let Some(root) = &self.noise else { return };
        let n = root.nrows();
        group.disturbance.clear();
        group.disturbance.resize(n, [0.0; WIDTH]);
        for l in 0..group.len {
            let stream = Stream::new(self.seed, first + l as u64);
            for a in 0..n {
                let x = disturbance::<f64>(&stream, a);
                for (b, row) in group.disturbance.iter_mut().enumerate() {
                    row[l] += root[(b, a)] * x;
                }
            }
        }
    }

    /// Computes velocities and energies of samples `first ..` from impulses: `v+ = v + M^-1 J' L`
    /// and `u+ = J v+`.
    #[inline(always)]
    fn place(&self, first: u64, group: &mut Group, work: &mut Workspace<f64>) {
        match (self.reference.inertia(), work.drawn()) {
            (Some(inertia), Some(drawn)) => {
                self.place_each(first, group, inertia, drawn);
            }
            _ => self.place_all(group),
        }
        self.follow(group);
    }

    /// Computes contact velocities from velocities, `u+ = J v+`.
    #[inline(always)]
    fn follow(&self, group: &mut Group) {
        for j in 0..group.contact_velocity.len() {
            let mut contact_velocity = [0.0; WIDTH];
            add_products(&mut contact_velocity, self.problem.jacobian(), j, &group.velocity);
            group.contact_velocity[j] = contact_velocity;
        }
    }

    /// Replaces the outcomes of samples `first ..` by forecasts: velocity, contact velocity and
    /// energy. Impulse, steps, status and residual of the outcome stay.
    fn dress(&self, first: u64, group: &mut Group) {
        let Some(dressing) = self.dressing else { return };
        group.outcome.clone_from(&group.contact_velocity);
        dressing.apply(self.seed, first, group);
        self.follow(group);
        self.weigh(group);
    }

    /// Velocities and energies under a separate mass matrix for each sample.
    fn place_each(
        &self,
        first: u64,
        group: &mut Group,
        inertia: &UncertainInertia,
        drawn: &mut Drawn,
    ) {
        let n = group.velocity.len();
        for l in 0..group.len {
            inertia.draw(&Stream::new(self.seed, first + l as u64), drawn);
            for a in 0..n {
                let disturbance =
                    group.disturbance.get(a).map_or(0.0, |disturbance| disturbance[l]);
                let mut velocity = self.problem.velocity()[a] + disturbance;
                for (j, impulse) in group.impulse.iter().enumerate() {
                    velocity += drawn.response[(a, j)] * impulse[l];
                }
                group.velocity[a][l] = velocity;
            }
            let mut energy = 0.0;
            for a in 0..n {
                for b in 0..n {
                    energy += drawn.mass[(a, b)] * group.velocity[a][l] * group.velocity[b][l];
                }
            }
            group.kinetic_energy[l] = 0.5 * energy;
        }
    }

    /// Velocities and energies under the mass matrix of the problem.
    #[inline(always)]
    fn place_all(&self, group: &mut Group) {
        let n = group.velocity.len();
        for a in 0..n {
            let mut velocity = [self.problem.velocity()[a]; WIDTH];
            if let Some(disturbance) = group.disturbance.get(a) {
                for l in 0..WIDTH {
                    velocity[l] += disturbance[l];
                }
            }
            add_products(&mut velocity, self.problem.response(), a, &group.impulse);
            group.velocity[a] = velocity;
        }
        self.weigh(group);
    }

    /// Turns verified samples into forecasts, if the run has a forecast model, and adds the
    /// resulting samples to `summary`.
    pub fn hand_out(&self, samples: &mut Samples, mut summary: Option<&mut Summary>) {
        let (n, k) = (self.problem.coordinate_count(), self.problem.jacobian().nrows());
        let mut group = Group::new(n, k);
        for at in (0..samples.len()).step_by(WIDTH) {
            samples.get(at, &mut group);
            if self.dressing.is_some() {
                self.dress(samples.first + at as u64, &mut group);
                self.round(&mut group);
                samples.put(at, &group);
            }
            if let Some(summary) = &mut summary {
                summary.add_group(&mut group);
            }
        }
    }

    /// Rounds velocities, impulses and energies to the precision of the run.
    #[inline(always)]
    fn round(&self, group: &mut Group) {
        if self.single {
            for column in group.columns() {
                column.iter_mut().for_each(|x| *x = f64::from(*x as f32));
            }
        }
    }

    /// Computes energies from velocities with the mass matrix of the problem.
    #[inline(always)]
    fn weigh(&self, group: &mut Group) {
        let n = group.velocity.len();
        let mut energy = [0.0; WIDTH];
        for a in 0..n {
            let mut momentum = [0.0; WIDTH];
            add_products(&mut momentum, self.problem.mass(), a, &group.velocity);
            for l in 0..WIDTH {
                energy[l] += momentum[l] * group.velocity[a][l];
            }
        }
        group.kinetic_energy = energy.map(|x| 0.5 * x);
    }

    /// The largest velocity of approach in each sample, in m/s.
    #[inline(always)]
    fn approach(&self, group: &Group) -> GroupColumn {
        let mut worst = [0.0; WIDTH];
        for u in &group.contact_velocity[..self.problem.contact_count()] {
            for l in 0..WIDTH {
                worst[l] = if -u[l] > worst[l] { -u[l] } else { worst[l] };
            }
        }
        worst
    }

    /// Whether each sample is flagged; entries beyond the last sample are undefined.
    #[inline(always)]
    fn flagged(&self, group: &Group) -> [bool; WIDTH] {
        let approach = self.approach(group);
        let mut flagged = [false; WIDTH];
        for l in 0..WIDTH {
            let (at_rest, finite) = (approach[l] <= self.rest, group.kinetic_energy[l].is_finite());
            let (status, steps, residual) = (group.status[l], group.steps[l], group.residual[l]);
            flagged[l] = is_flagged(status, steps, residual, at_rest, finite, self.limits);
        }
        flagged
    }

    /// Raises the residual of samples whose velocity contradicts their status.
    fn settle(&self, group: &mut Group) {
        let approach = self.approach(group);
        for l in 0..group.len {
            let approach = approach[l] / self.rest;
            group.residual[l] =
                settled_residual(group.status[l], group.residual[l], approach, self.residual);
        }
    }

    /// Recomputes sample number `sample`, the `l`-th of the group, in f64.
    fn repair(&self, sample: u64, l: usize, group: &mut Group, work: &mut Workspace<f64>) {
        let stream = Stream::new(self.seed, sample);
        let mut ending = if self.mended {
            Ending { status: group.status[l], steps: group.steps[l], residual: group.residual[l] }
        } else {
            self.reference.sample(&stream, work)
        };
        let failed = matches!(ending.status, Status::Unsolved | Status::Budget)
            || ending.residual > self.reference.most_residual::<f64>();
        let again = failed && self.reference.kind() == ProcessKind::Inclusion;
        if self.mended && !again {
            return;
        }
        if again {
            ending = self.reference.sample_again(&stream, work);
        }
        group.steps[l] = ending.steps;
        group.status[l] = ending.status;
        group.residual[l] = ending.residual;
        group.repaired[l] = true;
        for (j, impulse) in group.impulse.iter_mut().enumerate() {
            let parts = self.reference.space().scaling.parts(j);
            impulse[l] = parts.fold(self.plastic(j), |sum, (row, weight)| {
                sum + work.total()[row] * (weight * self.unit(row))
            });
        }
    }
}

impl VerifierScratch {
    /// Memory for samples of `problem`, with a workspace of the problem prepared in f64.
    pub fn new(problem: &ContactProblem, work: Workspace<f64>) -> Self {
        let group = Group::new(problem.coordinate_count(), problem.jacobian().nrows());
        VerifierScratch { work, group }
    }
}

/// Adds `(row a of matrix) . columns` to `sum`; zeros of the matrix are skipped.
#[inline(always)]
fn add_products(
    sum: &mut GroupColumn,
    matrix: &nalgebra::DMatrix<f64>,
    a: usize,
    columns: &[GroupColumn],
) {
    for (b, column) in columns.iter().enumerate() {
        let factor = matrix[(a, b)];
        if factor != 0.0 {
            for l in 0..WIDTH {
                sum[l] += factor * column[l];
            }
        }
    }
}

/// The arguments of [`Verifier::verify`], compiled for each instruction set.
struct Verification<'f, 'a, 'o, R> {
    verifier: &'f Verifier<'a>,
    raw: Unchecked<'f, R>,
    scratch: &'f mut VerifierScratch,
    samples: Option<&'o mut Samples>,
    summary: Option<&'o mut Summary>,
}

impl<R: Real> NullaryFnOnce for Verification<'_, '_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Verification {
            verifier,
            raw,
            scratch: VerifierScratch { work, group },
            mut samples,
            mut summary,
        } = self;
        for at in (0..raw.endings.len()).step_by(WIDTH) {
            let first = raw.first + at as u64;
            verifier.load(raw, at, group);
            verifier.disturb(first, group);
            verifier.place(first, group, work);
            verifier.account(group);
            let flagged = verifier.flagged(group);
            if flagged[..group.len].contains(&true) {
                if verifier.repairs {
                    for l in (0..group.len).filter(|&l| flagged[l]) {
                        verifier.repair(first + l as u64, l, group, work);
                    }
                    verifier.place(first, group, work);
                    verifier.account(group);
                }
                verifier.settle(group);
            }
            verifier.dress(first, group);
            verifier.round(group);
            if let Some(samples) = &mut samples {
                samples.put(at, group);
            }
            if let Some(summary) = &mut summary {
                summary.add_group(group);
            }
        }
    }
}
