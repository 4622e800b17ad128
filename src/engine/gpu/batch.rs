use std::collections::HashMap;

use rayon::prelude::*;

use super::{Gpu, Kernel, require_kernel};
use crate::batch::{provide, within};
use crate::check::{Unchecked, Verifier, VerifierScratch};
use crate::doubt::{self, DeviceSample, Doubted, Doubter, SpotChecks};
use crate::posed::Pose;
use crate::run::Plan;
use carom_core::error::{Error, Result};
use carom_core::outcome::Samples;
use carom_core::problem::ContactProblem;
use carom_law::{Compiled, Process};
use carom_shaders::Inputs;

/// A process in f64, and in the kernel's precision.
type Pair<R> = (Process<f64>, Process<R>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    pub seed: u64,
    /// The number of the first sample.
    pub first: u64,
}

/// Tables of problems, and the kernel of the last call, which later calls reuse for other
/// velocities.
#[derive(Debug)]
pub struct GpuBatch<'g, R> {
    gpu: &'g Gpu,
    tables: HashMap<Vec<u64>, Pair<R>>,
    keys: Vec<Vec<u64>>,
    starts: Vec<Start>,
    pairs: Vec<Pair<R>>,
    kernel: Option<Kernel<'g>>,
}

impl<'g, R: Compiled> GpuBatch<'g, R> {
    pub fn new(gpu: &'g Gpu) -> Self {
        let (tables, keys, starts, pairs) = Default::default();
        GpuBatch { gpu, tables, keys, starts, pairs, kernel: None }
    }

    /// The first `plan.samples` samples of each problem, with a seed for each.
    pub fn sample_seeded(
        &mut self,
        problems: &[ContactProblem],
        keys: Vec<Vec<u64>>,
        seeds: &[u64],
        plan: &Plan,
        samples: &mut [Samples],
    ) -> Result<()> {
        let posed = |(i, problem)| one_pose(problem, plan).map_err(within(i));
        let posed: Vec<_> = problems.par_iter().enumerate().map(posed).collect::<Result<_>>()?;
        let starts: Vec<_> = seeds.iter().map(|&seed| Start { seed, first: 0 }).collect();
        self.sample(&posed, keys, &starts, problems, plan, samples).map(|_| ())
    }

    /// `plan.samples` samples of each problem, from its start on. Problems with equal `keys` differ
    /// in velocity only. Forecasts are forecasts for the `given` problems. Returns the result of
    /// the cross-check.
    pub fn sample(
        &mut self,
        problems: &[ContactProblem],
        keys: Vec<Vec<u64>>,
        starts: &[Start],
        given: &[ContactProblem],
        plan: &Plan,
        samples: &mut [Samples],
    ) -> Result<Doubted> {
        let Some(first) = problems.first() else { return Ok(Doubted::default()) };
        let law = &plan.law;
        let shape = |problem: &ContactProblem| {
            (problem.contact_count(), problem.tangents_per_contact() == 2, law.process_on(problem))
        };
        if let Some(i) = problems.iter().position(|problem| shape(problem) != shape(first)) {
            let words = |problem| {
                let (m, spatial, process) = shape(problem);
                let space = if spatial { "spatial" } else { "planar" };
                format!("{m} {space} contacts for the process `{}`", process.word())
            };
            let [own, other] = [&problems[i], first].map(words);
            let what = format!("{own}, where the first problem has {other}");
            let hint =
                "sample problems of one shape at a time, or on the CPU, which takes any mixture";
            return Err(within(i)(Error::usage(what)).hint(hint));
        }
        if keys != self.keys {
            self.kernel = None;
            provide(&mut self.tables, &keys, |i| {
                let reference = law.prepare::<f64>(&problems[i])?;
                require_kernel(&reference)?;
                let process = law.prepare::<R>(&problems[i])?;
                Ok((reference, process))
            })?;
            self.pairs = keys.par_iter().map(|key| self.tables[key].clone()).collect();
            self.keys = keys;
        }
        if self.starts != starts {
            self.kernel = None;
            self.starts = starts.to_vec();
        }
        let pairs = self.pairs.par_iter_mut().zip(problems).enumerate();
        pairs.try_for_each(|(i, ((reference, process), problem))| {
            reference.approach(problem).and(process.approach(problem)).map_err(within(i))
        })?;
        let processes: Vec<&Process<R>> = self.pairs.iter().map(|(_, process)| process).collect();
        let each = plan.samples as usize;
        let kernel = match &mut self.kernel {
            Some(kernel) => {
                kernel.set_velocities(&processes);
                kernel
            }
            none => {
                let each = u32::try_from(each).unwrap_or(u32::MAX);
                let (seeds, first): (Vec<_>, Vec<_>) =
                    self.starts.iter().map(|start| (start.seed, start.first)).unzip();
                let inputs = Inputs::of_many(&processes, &seeds, each, &self.gpu.report.limits())?;
                none.insert(Kernel::with_inputs(self.gpu, &inputs.numbered(&first))?)
            }
        };
        let all = kernel.dispatch_all::<R>(0, (problems.len() * each) as u64, || plan.stopped())?;
        let pairs = &self.pairs;
        let name = &self.gpu.report.name;
        let doubters: Vec<_> = (pairs.iter().zip(problems).zip(&self.starts))
            .map(|(((reference, process), problem), start)| {
                Doubter::new(problem, process, reference, start.seed, name)
            })
            .collect();
        let choice = SpotChecks::of(all.endings.len() as u64);
        for (i, doubter) in doubters.iter().enumerate() {
            let (first, end) = ((i * each) as u64, ((i + 1) * each) as u64);
            let mut rows = DeviceSample::chosen(choice, 0, &all, first..end);
            let start = self.starts[i].first;
            rows.iter_mut().for_each(|row| row.sample = start + (row.sample - first));
            doubter.doubt(rows).map_err(within(i))?;
        }
        let doubted = doubt::together(&doubters)?;
        let each_problem = samples.par_iter_mut().zip(problems).enumerate();
        each_problem.try_for_each(|(i, (samples, problem))| {
            let (reference, Start { seed, first }) = (&pairs[i].0, self.starts[i]);
            let dressing = plan.dressing(&given[i]).map_err(within(i))?;
            let verifier =
                Verifier::new::<R>(problem, reference, seed, false).dressed(dressing.as_ref());
            let mut scratch = VerifierScratch::new(problem, plan.workspace(reference));
            let (rows, width) = (i * each..(i + 1) * each, reference.space().step.width());
            let totals = &all.impulses[rows.start * width..rows.end * width];
            let raw = Unchecked { first, endings: &all.endings[rows], totals };
            verifier.verify(raw, &mut scratch, Some(samples), None);
            Ok(())
        })?;
        if plan.stopped() { Err(Error::interrupted()) } else { Ok(doubted) }
    }
}

/// The problem in its pose, if all samples have one pose.
fn one_pose(problem: &ContactProblem, plan: &Plan) -> Result<ContactProblem> {
    match Pose::of(problem, plan)? {
        None => Ok(problem.clone()),
        Some(Pose::One(problem)) => Ok(*problem),
        Some(Pose::Each(_)) => {
            let what = "batches of problems with an uncertain pose are sampled on the CPU only";
            Err(Error::device(what).option("device").hint("run with --device cpu"))
        }
    }
}
