//! Which kernel serves a law on a problem, and with which table.

use super::inputs::Inputs;
use super::kernels::{looking_up, serving};
use super::limits::Limits;
use super::spec::SamplingKernel;
use super::tables::{Regions, train};
use crate::error::Result;
use crate::law::Process;
use crate::law::routh::steps::Steps;
use crate::lcp::{Cells, ModeTable};
use crate::real::Real;

/// Most contacts for which cells are trained.
const MAX_TRAINED: usize = 2;

/// The fastest kernel that applies, and why it was taken. It depends on the problem and the law alone, and for large
/// steps on the device.
#[derive(Debug)]
pub struct KernelChoice<'a, R> {
    process: &'a Process<R>,
    /// The kernel.
    pub kernel: &'static SamplingKernel,
    /// Its regions and cells, and whether steps are proved to have one solution.
    regions: Option<(ModeTable<R>, Cells, bool)>,
    /// Why it was taken, line by line.
    pub why: Vec<String>,
}

impl<'a, R: Real> KernelChoice<'a, R> {
    /// Trains cells where there are few contacts.
    pub fn new(process: &'a Process<R>, reference: &Process<f64>, limits: &Limits<'_>) -> Self {
        let m = process.space().step.contacts;
        let kernel = serving(process, limits);
        let plain = |why: String| KernelChoice { process, kernel, regions: None, why: vec![why] };
        match reference {
            Process::Steps(steps) if steps.table.is_some() && m <= MAX_TRAINED => {
                Self::trained(process, steps)
            }
            Process::Steps(_) | Process::Bouncing(_) => {
                plain(format!("{m} contacts: the kernel `{}`", kernel.solver))
            }
            other => plain(other.kind().words(process.space().step.axes == 2, None)),
        }
    }

    fn trained(process: &'a Process<R>, steps: &Steps<f64>) -> Self {
        let explicit = steps.pruned_map();
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
        let kernel = looking_up(&Regions { table: &table, cells: Some(&cells), unique: explicit.unique });
        KernelChoice { process, kernel, regions: Some((table, cells, explicit.unique)), why }
    }

    /// What the kernel reads.
    ///
    /// # Errors
    /// Those of [`Inputs::new`].
    pub fn inputs(&self, seed: u64, limits: &Limits<'_>) -> Result<Inputs<R>> {
        match &self.regions {
            None => Inputs::with_kernel(self.process, seed, self.kernel, limits),
            Some((table, cells, unique)) => {
                let regions = Regions { table, cells: Some(cells), unique: *unique };
                Inputs::with_regions(self.process, seed, &regions, limits)
            }
        }
    }
}
