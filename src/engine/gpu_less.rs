//! Replacement of the GPU engine in a build without the feature `gpu`.

use std::marker::PhantomData;
use std::time::Instant;

use super::{Device, DeviceInfo, How, Plan, Sink};
use crate::cpu::RunContext;
use crate::posed::Poser;
use carom_core::error::{Error, Result};
use carom_core::outcome::Samples;
use carom_core::problem::ContactProblem;
use carom_law::Process;

pub(crate) const BUILT: bool = false;
pub(crate) const NONE: &str = "this build has no GPU engine";

/// An open device. The type has no values.
#[derive(Debug)]
pub enum Gpu {}

impl Gpu {
    /// Returns `None` if `wanted` allows the CPU.
    pub fn open(wanted: &Device) -> Result<Option<Gpu>> {
        match wanted {
            Device::Cpu | Device::Auto => Ok(None),
            Device::Gpu | Device::Named(_) => Err(Error::device(NONE)
                .option("device")
                .hint("build with the cargo feature `gpu`, or run with --device cpu")),
        }
    }

    pub(crate) fn info(&self) -> DeviceInfo {
        match *self {}
    }

    pub(crate) fn run<R>(
        &self,
        _: &Process<R>,
        _: &RunContext<'_>,
        _: Instant,
        _: Sink<'_>,
    ) -> Result<How> {
        match *self {}
    }

    pub(crate) fn run_posed<R>(
        &self,
        _: &Poser,
        _: &Process<R>,
        _: &RunContext<'_>,
        _: Sink<'_>,
    ) -> Result<How> {
        match *self {}
    }
}

#[derive(Debug)]
pub(crate) struct GpuBatch<'g, R>(&'g Gpu, PhantomData<R>);

impl<'g, R> GpuBatch<'g, R> {
    pub(crate) fn new(gpu: &'g Gpu) -> Self {
        GpuBatch(gpu, PhantomData)
    }

    pub(crate) fn sample_seeded(
        &mut self,
        _: &[ContactProblem],
        _: Vec<Vec<u64>>,
        _: &[u64],
        _: &Plan,
        _: &mut [Samples],
    ) -> Result<()> {
        match *self.0 {}
    }
}
