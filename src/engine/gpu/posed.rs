//! Samples with an uncertain pose on a GPU: batches of impacts, each of a problem of its own.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::batch::{GpuBatch, Start};
use super::device::Gpu;
use crate::doubt::Doubted;
use crate::posed::{Poser, late};
use crate::run::Plan;
use carom_core::error::Result;
use carom_core::outcome::Samples;
use carom_core::problem::ContactProblem;
use carom_core::rng::Stream;
use carom_law::lanes::Kernels;

impl Poser {
    /// Samples `first .. first + count`, on a GPU: first the first impact of every sample, then all
    /// second impacts. Each of the two stages takes one dispatch for each number of contacts.
    pub fn on_gpu<R: Kernels>(
        &self,
        gpu: &Gpu,
        first: u64,
        count: u64,
        doubted: &mut Doubted,
    ) -> Result<Vec<Samples>> {
        let posed: Vec<_> = (first..first + count).into_par_iter().map(|i| self.draw(i)).collect();
        let known = posed.iter().enumerate();
        let known = known.filter_map(|(i, one)| Some((i, one.as_ref().ok()?, first + i as u64)));
        let known: Vec<_> = known.collect();
        let impacts = known.iter().map(|(_, posed, i)| (*i, posed.first.clone())).collect();
        let firsts = self.batches::<R>(gpu, impacts, doubted)?;
        let mut samples: Vec<Samples> = (first..first + count).map(|i| self.unsolved(i)).collect();
        let mut seconds = Vec::new();
        for ((i, posed, number), impact) in known.iter().zip(&firsts) {
            samples[*i] = self.whole(posed, impact);
            if let Some(late) = late::<R>(posed, impact)? {
                seconds.push((*i, *posed, Stream::second(*number), late));
            }
        }
        let impacts = seconds.iter().map(|(_, _, number, late)| (*number, late.clone())).collect();
        let later = self.batches::<R>(gpu, impacts, doubted)?;
        for ((i, posed, ..), impact) in seconds.iter().zip(&later) {
            self.add(&mut samples[*i], posed, impact);
        }
        Ok(samples)
    }

    /// One sample of each problem, with its number.
    fn batches<R: Kernels>(
        &self,
        gpu: &Gpu,
        impacts: Vec<(u64, ContactProblem)>,
        doubted: &mut Doubted,
    ) -> Result<Vec<Samples>> {
        let plan = Plan { samples: 1, solver: None, ..self.plan().clone() };
        let mut samples = vec![Samples::default(); impacts.len()];
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, (_, problem)) in impacts.iter().enumerate() {
            groups.entry(problem.contact_count()).or_default().push(i);
        }
        for group in groups.into_values() {
            let problems: Vec<_> = group.iter().map(|&i| impacts[i].1.clone()).collect();
            let start = |&i: &usize| Start { seed: plan.seed, first: impacts[i].0 };
            let starts: Vec<_> = group.iter().map(start).collect();
            let keys = (0..group.len() as u64).map(|i| vec![i]).collect();
            let mut own = vec![Samples::default(); group.len()];
            let mut batch = GpuBatch::<R>::new(gpu);
            let found = batch.sample(&problems, keys, &starts, &problems, &plan, &mut own)?;
            *doubted = doubted.and(&found);
            group.into_iter().zip(own).for_each(|(i, own)| samples[i] = own);
        }
        Ok(samples)
    }
}
