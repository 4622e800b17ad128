//! Which kernel serves a law on a problem.

use super::device::Gpu;
use super::regions::{Regions, train};
use super::run::Kernel;
use crate::engine::lanes::Lane;
use crate::error::Result;
use crate::law::Process;
use crate::lcp::{Cells, ExplicitMap, ModeTable};

/// The fastest kernel that applies, and why it was taken. It depends on the problem and the law alone.
pub struct KernelChoice<'a, R> {
    gpu: &'a Gpu,
    bound: &'a Process<R>,
    seed: u64,
    /// Its name.
    pub solver: &'static str,
    /// Its regions and cells, and whether steps are proved to have one solution.
    regions: Option<(ModeTable<R>, Cells, bool)>,
    /// Why it was taken, line by line.
    pub why: Vec<String>,
}

impl<'a, R: Lane> KernelChoice<'a, R> {
    /// Trains cells where there are few contacts.
    pub fn new(gpu: &'a Gpu, bound: &'a Process<R>, reference: &Process<f64>, seed: u64) -> Self {
        let m = bound.space().step.contacts;
        let plain = |solver: &'static str, why: String| KernelChoice {
            gpu,
            bound,
            seed,
            solver,
            regions: None,
            why: vec![why],
        };
        let steps = match reference {
            Process::RandomOrder(_) => return plain("orders", "single impacts in random order".to_string()),
            Process::Inclusion(_) => {
                let why = "circular friction cones or restitution: the inclusion is integrated";
                return plain("inclusion", why.to_string());
            }
            Process::Steps(steps) if steps.table.is_some() && m <= 2 => steps,
            _ => {
                let solver = if bound.table().is_some() { "table" } else { "lemke" };
                return plain(solver, format!("{m} contacts: the kernel `{solver}`"));
            }
        };
        let explicit = ExplicitMap::pruned(&steps.space.step);
        let cells = train(steps, &explicit);
        let unique = match (explicit.unique, cells.single()) {
            (true, _) => "steps are proved to have one solution",
            (false, true) => "each cell lists one: none of its steps has several solutions",
            (false, false) => "steps have several solutions",
        };
        let why =
            vec![format!("{} regions in {} cells; {unique}", explicit.regions.len(), cells.cells.len())];
        let caps: Vec<f64> = steps.rates.largest_caps().collect();
        let table = ModeTable::<R>::new(&explicit.regions, &caps);
        let regions = Some((table, cells, explicit.unique));
        KernelChoice { gpu, bound, seed, solver: "cells", regions, why }
    }

    /// The kernel; each call makes one.
    ///
    /// # Errors
    /// Those of [`Kernel::new`].
    pub fn kernel(&self) -> Result<Kernel<'a>> {
        match &self.regions {
            None => Kernel::new(self.gpu, self.bound, self.seed),
            Some((table, cells, unique)) => {
                let regions = Regions { table, cells: Some(cells), unique: *unique };
                Kernel::with_regions(self.gpu, self.bound, self.seed, &regions)
            }
        }
    }
}
