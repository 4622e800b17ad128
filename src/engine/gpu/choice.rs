//! Which kernel serves a law on a problem.

use super::device::Gpu;
use super::regions::{Regions, train};
use super::run::Kernel;
use crate::engine::lanes::Lane;
use crate::error::Result;
use crate::law::routh::Bound;
use crate::lcp::{Cells, ExplicitMap, ModeTable};

/// The fastest kernel that applies, and why it was taken. It depends on the problem and the law alone.
pub struct Choice<'a, R> {
    gpu: &'a Gpu,
    bound: &'a Bound<R>,
    seed: u64,
    /// Its name.
    pub solver: &'static str,
    /// Its regions and cells, and whether steps are proved to have one solution.
    regions: Option<(ModeTable<R>, Cells, bool)>,
    /// Why it was taken, line by line.
    pub why: Vec<String>,
}

impl<'a, R: Lane> Choice<'a, R> {
    /// Trains cells where there are few contacts.
    pub fn new(gpu: &'a Gpu, bound: &'a Bound<R>, reference: &Bound<f64>, seed: u64) -> Self {
        let m = bound.step.contacts;
        if bound.strike.is_some() {
            let why = vec!["single impacts in random order".to_string()];
            return Choice { gpu, bound, seed, solver: "orders", regions: None, why };
        }
        if bound.inclusion.is_some() {
            let why = vec!["circular friction cones or restitution: the inclusion is integrated".to_string()];
            return Choice { gpu, bound, seed, solver: "inclusion", regions: None, why };
        }
        if bound.table.is_none() || m > 2 {
            let solver = if bound.table.is_some() { "table" } else { "lemke" };
            let why = vec![format!("{m} contacts: the kernel `{solver}`")];
            return Choice { gpu, bound, seed, solver, regions: None, why };
        }
        let explicit = ExplicitMap::pruned(&reference.step);
        let cells = train(reference, &explicit);
        let steps = match (explicit.unique, cells.single()) {
            (true, _) => "steps are proved to have one solution",
            (false, true) => "each cell lists one: none of its steps has several solutions",
            (false, false) => "steps have several solutions",
        };
        let why = vec![format!("{} regions in {} cells; {steps}", explicit.regions.len(), cells.cells.len())];
        let caps: Vec<f64> = reference.largest_caps().collect();
        let table = ModeTable::<R>::new(&explicit.regions, &caps);
        let regions = Some((table, cells, explicit.unique));
        Choice { gpu, bound, seed, solver: "cells", regions, why }
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
