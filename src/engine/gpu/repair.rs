//! Flagged samples computed again in f64, on the device.

use super::device::Gpu;
use super::run::Kernel;
use carom_core::error::Result;
use carom_law::Process;
use carom_shaders::{Inputs, Raw};

/// Most samples of one dispatch.
const CHUNK: u64 = 1 << 17;

/// A kernel in f64 for samples of a list.
#[derive(Debug)]
pub struct Repairer<'a>(Kernel<'a>);

impl<'a> Repairer<'a> {
    /// Builds the kernel for the samples of a process.
    pub fn new(gpu: &'a Gpu, reference: &Process<f64>, seed: u64) -> Result<Self> {
        let mut inputs = Inputs::new(reference, seed, &gpu.report.limits())?;
        inputs.shape.listed = true;
        inputs.chunk = inputs.chunk.min(CHUNK);
        Ok(Repairer(Kernel::with_inputs(gpu, &inputs)?))
    }

    /// Computes samples whose numbers are sorted.
    pub fn solve(&mut self, samples: &[u64], stopped: impl Fn() -> bool) -> Result<Raw<f64>> {
        let kernel = &mut self.0;
        let mut all = Raw { endings: Vec::new(), impulses: Vec::new() };
        let mut left = samples;
        while let Some(&first) = left.first() {
            // A dispatch takes the samples that fit into it and lie within 2^32 numbers.
            let near = left.partition_point(|sample| sample - first <= u64::from(u32::MAX));
            let (part, rest) = left.split_at(near.min(kernel.chunk() as usize));
            let list: Vec<u32> = part.iter().map(|sample| (sample - first) as u32).collect();
            kernel.list(&list);
            let next = kernel.dispatch::<f64>(first, part.len() as u64, &stopped)?;
            all.endings.extend(next.endings);
            all.impulses.extend(next.impulses);
            left = rest;
        }
        Ok(all)
    }
}
