//! Runs on a GPU: kernels compute the samples, and the host checks them.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::reduction::{self, Reduction, Repairer};
use super::{Gpu, Kernel, require_kernel};
use crate::check::{BLOCK, Unchecked};
use crate::cpu::RunContext;
use crate::doubt::{self, DeviceSample, Doubted, Doubter, SpotChecks};
use crate::posed::{self, Poser};
use crate::{How, MAX_BLOCKS, POSED_BLOCKS, Sink, posed_blocks, stream};
use carom_core::error::Result;
use carom_law::Process;
use carom_law::lanes::Kernels;
use carom_shaders::StatisticsSpec;
use carom_shaders::kernels::{serving, statistics, why};

/// Most dispatches in a chunk of device statistics; dispatches within a chunk overlap.
const REDUCED_CHUNKS: u64 = 16;

impl Gpu {
    /// A run of samples that share a problem.
    pub(crate) fn run<R: Kernels>(
        &self,
        process: &Process<R>,
        context: &RunContext<'_>,
        start: Instant,
        sink: Sink<'_>,
    ) -> Result<How> {
        let plan = context.plan;
        require_kernel(process)?;
        let statistics = !context.keep && plan.forecaster.is_none();
        if statistics && statistics::serves(process) {
            return self.reduce(process, context, start, sink);
        }
        let mut kernel = Kernel::new(self, process, plan.seed)?;
        let served = kernel.common.kernel;
        let seconds_build = start.elapsed().as_secs_f64();
        let (doubter, chosen) = (&self.doubter(process, context), SpotChecks::of(plan.samples));
        let (summary, seconds) = stream(context, MAX_BLOCKS, sink, |first, count| {
            let raw = kernel.dispatch_all::<R>(first, count, || plan.stopped())?;
            Ok(Box::new(move || {
                doubter.doubt(DeviceSample::chosen(chosen, first, &raw, first..first + count))?;
                let raw = Unchecked { first, endings: &raw.endings, totals: &raw.impulses };
                Ok(context.verify_blocks(raw))
            }))
        })?;
        let doubted = Some(doubt::together([doubter])?);
        let (solver, why) = (served.solver, vec![why(process, served)]);
        Ok(How { solver, why, summary, doubted, seconds_build, seconds })
    }

    /// A run with a pose for each sample.
    pub(crate) fn run_posed<R: Kernels>(
        &self,
        poser: &Poser,
        process: &Process<R>,
        context: &RunContext<'_>,
        sink: Sink<'_>,
    ) -> Result<How> {
        require_kernel(process)?;
        let mut doubted = Doubted::default();
        let (summary, seconds) = stream(context, POSED_BLOCKS, sink, |first, count| {
            let samples = poser.on_gpu::<R>(self, first, count, &mut doubted)?;
            Ok(posed_blocks(poser, &samples, context))
        })?;
        let solver = serving(process, &self.report.limits()).solver;
        let (why, doubted) = (vec![posed::WHY.to_string()], Some(doubted));
        Ok(How { solver, why, summary, doubted, seconds_build: 0.0, seconds })
    }

    /// A run that leaves its samples on the device, which computes their statistics.
    fn reduce<R: Kernels>(
        &self,
        process: &Process<R>,
        context: &RunContext<'_>,
        start: Instant,
        sink: Sink<'_>,
    ) -> Result<How> {
        let RunContext { problem, reference, verifier, plan, .. } = *context;
        let doubter = &self.doubter(process, context);
        let kernel = Kernel::new(self, process, plan.seed)?;
        let served = kernel.common.kernel;
        let why = vec![why(process, served), "statistics are reduced on the device".to_string()];
        let spec = StatisticsSpec::new(problem).dissipating(reference.dissipates(problem));
        let most = REDUCED_CHUNKS * kernel.chunk() / BLOCK as u64;
        let mut reduction = Reduction::new(kernel, process, &spec)?;
        reduction.choose(SpotChecks::of(plan.samples));
        let seconds_build = start.elapsed().as_secs_f64();
        let spec = &spec;
        let repairer =
            self.repairs().then(|| Repairer::new(self, reference, plan.seed)).transpose()?;
        let repairer = &repairer.map(Mutex::new);
        let (summary, seconds) = stream(context, most.max(1), sink, |first, count| {
            let mut statistics = reduction.run(first, count, || plan.stopped())?;
            let rows = reduction.chosen();
            Ok(Box::new(move || {
                doubter.doubt(rows)?;
                let solve = |repairer: &Mutex<Repairer<'_>>| {
                    let mut repairer = repairer.lock().unwrap_or_else(PoisonError::into_inner);
                    repairer.solve(&statistics.flagged, || plan.stopped())
                };
                // After a device failure the host recomputes the samples; the next dispatch reports
                // the failure.
                let solved = repairer.as_ref().and_then(|repairer| solve(repairer).ok());
                let (to, solved) = (&mut statistics, solved.as_ref());
                let repaired = reduction::repair(to, process, reference, spec, plan, solved);
                let block = (statistics.summary(verifier.summary(), repaired), None);
                Ok(if plan.stopped() { Vec::new() } else { vec![block] })
            }))
        })?;
        let doubted = Some(doubt::together([doubter])?);
        Ok(How { solver: served.solver, why, summary, doubted, seconds_build, seconds })
    }

    fn doubter<'a, R: Kernels>(
        &'a self,
        process: &'a Process<R>,
        context: &RunContext<'a>,
    ) -> Doubter<'a, R> {
        let RunContext { problem, reference, plan, .. } = *context;
        Doubter::new(problem, process, reference, plan.seed, &self.report.name)
    }
}
