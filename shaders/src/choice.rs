//! The choice of the kernel, and of its table, for a law on a problem.

use super::kernels::{CACHE, LISTED, UNIQUE, looking_up, serving};
use crate::inputs::scan;
use crate::tables::train;
use crate::{Inputs, KernelShape, Limits, Regions, SamplingKernel};
use carom_core::lcp::Cells;
use carom_core::{Error, ModeTable, Real, Result};
use carom_law::Process;
use carom_law::routh::steps::Steps;
use carom_law::routh::steps::training::{CACHED, Cache};

/// Largest number of contacts for which cells are trained.
const MAX_TRAINED: usize = 2;

/// The fastest kernel that applies, and the reasons for the choice. The choice depends on the
/// problem and the law alone, and for large steps on the device.
#[derive(Debug)]
pub struct KernelChoice<'a, R> {
    process: &'a Process<R>,
    /// The kernel.
    pub kernel: &'static SamplingKernel,
    table: Option<Table<R>>,
    /// The reasons for the choice, line by line.
    pub why: Vec<String>,
}

/// Whether there are cells for the steps.
fn may_be_trained(steps: &Steps<f64>) -> bool {
    steps.table.is_some() && steps.space.step.contacts <= MAX_TRAINED
}

/// The kernels with tables of their own among which the choice for a process may fall, beside the
/// one that is [`serving`] it.
pub fn with_tables(reference: &Process<f64>) -> Vec<&'static SamplingKernel> {
    match reference {
        Process::Steps(steps) if may_be_trained(steps) => vec![&UNIQUE, &LISTED],
        Process::Steps(steps) if steps.may_be_cached() => vec![&CACHE],
        _ => Vec::new(),
    }
}

/// The table of a kernel; the names are those of [`Regions`].
#[derive(Debug)]
struct Table<R> {
    table: ModeTable<R>,
    cells: Option<Cells>,
    part: bool,
    unique: bool,
}

impl<R: Real> Table<R> {
    fn regions(&self) -> Regions<'_, R> {
        let Table { table, cells, part, unique } = self;
        Regions { table, cells: cells.as_ref(), part: *part, unique: *unique }
    }
}

impl<'a, R: Real> KernelChoice<'a, R> {
    /// Chooses cells, which are trained where there are few contacts, else a cache where it knows
    /// all solutions.
    pub fn new(process: &'a Process<R>, reference: &Process<f64>, limits: &Limits<'_>) -> Self {
        let m = process.space().step.contacts;
        let kernel = serving(process, limits);
        let plain = |why: Vec<String>| KernelChoice { process, kernel, table: None, why };
        let usual = format!("{m} contacts: the kernel `{}`", kernel.solver);
        match reference {
            Process::Steps(steps) if may_be_trained(steps) => Self::trained(process, steps),
            Process::Steps(steps) if steps.may_be_cached() => {
                let cache = steps.cache();
                match Self::of_cache(process, steps, &cache, limits) {
                    Ok(choice) if cache.knows_all() => choice,
                    _ => plain(vec![cache.why(), usual]),
                }
            }
            Process::Steps(_) | Process::Bouncing(_) => plain(vec![usual]),
            other => plain(vec![other.kind().words(process.space().step.axes == 2, None)]),
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
        let (regions, count) = (explicit.regions.len(), cells.cells.len());
        let why = vec![format!("{regions} regions in {count} cells; {unique}")];
        let caps: Vec<f64> = steps.rates.largest_caps().collect();
        let table = ModeTable::<R>::new(&explicit.regions, &caps);
        let table = Table { table, cells: Some(cells), part: false, unique: explicit.unique };
        Self::of_table(process, table, why)
    }

    /// The kernel that looks steps up in a cache, even where the cache may not know all solutions.
    pub fn cached(
        process: &'a Process<R>,
        reference: &Process<f64>,
        limits: &Limits<'_>,
    ) -> Result<Self> {
        if let Process::Steps(steps) = reference
            && steps.may_be_cached()
        {
            return Self::of_cache(process, steps, &steps.cache(), limits);
        }
        let (least, most) = (CACHED.start(), CACHED.end());
        let what = "the planar inelastic steps of the law routh";
        let what = format!("the solver `cache` is for {what} with {least} to {most} contacts");
        Err(Error::usage(what)
            .option("solver")
            .hint("leave --solver out; --explain says which one applies"))
    }

    fn of_cache(
        process: &'a Process<R>,
        steps: &Steps<f64>,
        cache: &Cache,
        limits: &Limits<'_>,
    ) -> Result<Self> {
        let explicit = steps.ordered(cache.explicit.clone());
        let caps: Vec<f64> = steps.rates.largest_caps().collect();
        let table = ModeTable::<R>::new(&explicit.regions, &caps);
        let table = Table { table, cells: None, part: true, unique: false };
        let why = vec![
            cache.why(),
            format!("{} combinations of contact modes in the cache", explicit.regions.len()),
            "a sample with a step that these do not solve, or solve in several ways, is left to Lemke's method in double precision, which may \
             take others of several solutions"
                .to_string(),
        ];
        let choice = Self::of_table(process, table, why);
        let table = choice.table.as_ref().map(|table| &table.table);
        let rounds = (choice.kernel.rounds)(&KernelShape::of(process), &scan(process, table));
        if rounds > limits.rounds() {
            let what =
                format!("the cache is larger than {} looks through in a dispatch", limits.name);
            return Err(Error::device(what)
                .option("solver")
                .hint("leave --solver out, or run with --device cpu"));
        }
        Ok(choice)
    }

    fn of_table(process: &'a Process<R>, table: Table<R>, why: Vec<String>) -> Self {
        KernelChoice { process, kernel: looking_up(&table.regions()), table: Some(table), why }
    }

    /// The buffers that the kernel reads.
    pub fn inputs(&self, seed: u64, limits: &Limits<'_>) -> Result<Inputs<R>> {
        match &self.table {
            None => Inputs::with_kernel(self.process, seed, self.kernel, limits),
            Some(table) => Inputs::with_regions(self.process, seed, &table.regions(), limits),
        }
    }
}
