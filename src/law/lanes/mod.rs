//! The set-valued Routh law on the CPU, one sample per vector lane.

mod column;
mod draws;
mod events;
mod locate;
mod map;
mod steps;

pub use map::Map;

use crate::routh::events::chart::Chart;
use crate::routh::inclusion::lanes::{Samples, Starts};
use crate::routh::inclusion::process::{Inclusion, InclusionWorkspace};
use crate::sampling::compiled::Compiled;
use crate::{Ending, Process, Workspace};
use carom_core::real::Real;
use carom_core::rng::Stream;
use carom_core::vectors::{Lane, OnVectors, Vector};

/// Explicit solutions for the vector kernels.
#[derive(Clone, Debug)]
pub enum LaneTables<R> {
    /// The explicit solution of the steps of [`Process::Steps`].
    Steps(Box<Map<R>>),
    /// The explicit solution of the segments of [`Process::Events`].
    Events(Chart<R>),
}

impl<R: Real> LaneTables<R> {
    /// The explicit solution of steps.
    pub fn map(&self) -> Option<&Map<R>> {
        match self {
            LaneTables::Steps(map) => Some(map),
            LaneTables::Events(_) => None,
        }
    }

    /// Adapts the tolerance of the region conditions to the largest impulse bounds (m).
    pub fn set_caps(&mut self, caps: impl Iterator<Item = f64>) {
        if let LaneTables::Steps(map) = self {
            map.table.set_caps(caps);
        }
    }
}

/// A range of samples, from number `first`, to be computed into `endings` and `totals` (K each), as
/// [`Process::sample`] does.
#[derive(Debug)]
pub struct Job<'a, R: Lane> {
    /// The explicit solution for the vector kernel; `None`: samples are computed one by one.
    pub tables: Option<&'a LaneTables<R>>,
    /// The law, prepared for its problem.
    pub process: &'a Process<R>,
    /// Seed of the streams.
    pub seed: u64,
    /// Number of the first sample.
    pub first: u64,
    /// Status, steps and residual of each sample.
    pub endings: &'a mut [Ending<R>],
    /// The total impulse of each sample (K).
    pub totals: &'a mut [R],
    /// The memory for samples and steps outside the vector kernel.
    pub work: &'a mut Workspace<R>,
}

/// A precision with compiled kernels in this package. The functions are not generic, so that a
/// program does not compile the kernels again, which would take minutes.
pub trait Kernels: Lane + Compiled {
    /// Computes the samples of a job with the widest vectors of the machine, or by
    /// [`Process::sample`] where vectors or an explicit solution are missing.
    fn compute(job: Job<'_, Self>) {
        Self::compute_within(u32::MAX, job);
    }

    /// Computes the samples of a job with vectors of at most `bits`.
    fn compute_within(bits: u32, job: Job<'_, Self>);

    /// Computes samples of the inclusion, each with its own initial velocity, with vectors; returns
    /// false where the machine has no vectors.
    fn compute_from(job: InclusionJob<'_, Self>) -> bool;
}

macro_rules! kernels {
    ($r:ident) => {
        impl Kernels for $r {
            fn compute_within(bits: u32, job: Job<'_, $r>) {
                job.run(bits);
            }

            fn compute_from(job: InclusionJob<'_, $r>) -> bool {
                $r::run(job)
            }
        }
    };
}

kernels!(f32);
kernels!(f64);

impl<R: Lane + Compiled> Job<'_, R> {
    fn run(self, bits: u32) {
        let Job { tables, process, seed, first, endings, totals, work } = self;
        let done = match (tables, process, &mut *work) {
            (Some(LaneTables::Steps(map)), Process::Steps(law), Workspace::Steps(work)) => {
                let tables = &**map;
                let work = &mut **work;
                R::run_within(bits, VectorJob { tables, law, seed, first, endings, totals, work })
            }
            // A problem at rest has no noise, but may have a velocity later.
            (Some(LaneTables::Events(tables)), Process::Events(law), Workspace::Events(work))
                if law.numbers.noise.is_empty() =>
            {
                let work = &mut **work;
                R::run_within(bits, VectorJob { tables, law, seed, first, endings, totals, work })
            }
            (_, Process::Inclusion(law), Workspace::Inclusion(work)) if law.takes_plain_steps() => {
                let from = None;
                R::run_within(bits, InclusionJob { law, seed, first, from, endings, totals, work })
            }
            _ => false,
        };
        if done {
            return;
        }
        let rows = endings.iter_mut().zip(totals.chunks_exact_mut(process.space().step.width()));
        for (i, (ending, total)) in rows.enumerate() {
            *ending = process.sample(&Stream::new(seed, first + i as u64), work);
            total.copy_from_slice(work.total());
        }
    }
}

/// A [`Job`] for the vector kernel. The result of a sample does not depend on its lane.
#[derive(Debug)]
struct VectorJob<'a, R, T, L, W> {
    tables: &'a T,
    law: &'a L,
    seed: u64,
    first: u64,
    endings: &'a mut [Ending<R>],
    totals: &'a mut [R],
    work: &'a mut W,
}

/// Samples of the inclusion for the vector kernel.
#[derive(Debug)]
pub struct InclusionJob<'a, R: Lane> {
    /// The law, prepared for its problem.
    pub law: &'a Inclusion<R>,
    /// Seed of the streams.
    pub seed: u64,
    /// Number of the first sample.
    pub first: u64,
    /// Numbers and initial velocities of the samples, unless numbers are consecutive and all
    /// samples start at the velocity of the problem.
    pub from: Option<(&'a [u64], Starts<'a, R>)>,
    /// Status, steps and residual of each sample.
    pub endings: &'a mut [Ending<R>],
    /// The total impulse of each sample (K).
    pub totals: &'a mut [R],
    /// The memory for samples in progress.
    pub work: &'a mut InclusionWorkspace<R>,
}

impl<R: Lane> OnVectors for InclusionJob<'_, R> {
    type R = R;

    #[inline(always)]
    fn run<S: Vector<R>>(self, simd: S) {
        let InclusionJob { law, seed, first, from, endings, totals, work } = self;
        let starts = from.map(|(_, starts)| starts);
        let number = |i: usize| from.map_or(first + i as u64, |(numbers, _)| numbers[i]);
        let streams = |i: usize| Stream::new(seed, number(i));
        let stop = work.stop.clone();
        let stop = stop.as_deref();
        let samples = Samples { finer: false, stop, streams, starts, endings, totals };
        law.sample_lanes(simd, samples, work);
    }
}
