//! The WGSL of a kernel: a generated header, then the files of `shaders/`.

use std::fmt::Write;

use super::layout::Layout;
use crate::law::draws::rates::SUBSETS;
use crate::law::inclusion::tolerances::{MAX_SUBSTEPS, MAX_SWEEPS, MAX_TRIALS, Tolerances};
use crate::law::restitution::empty_part;
use crate::law::sequential::FLAT;
use crate::lcp::Cells;
use crate::lcp::mixed::{MAX_ROUNDS, SINGULAR};
use crate::lcp::table::key_weight;
use crate::real::Real;
use crate::rng::Purpose;
use crate::status::Status;

/// Threads of one workgroup.
pub const WORKGROUP: u32 = 64;

/// Which kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelKind {
    /// Steps by the table of contact modes.
    Table,
    /// Steps by the cells of the table, of which each lists one combination.
    Unique,
    /// Steps by the cells of the table, of which some list several.
    Listed,
    /// Steps by Lemke's method, a thread per sample.
    Pivot,
    /// Steps by Lemke's method, a workgroup per sample: for large dictionaries.
    Shared,
    /// Steps by the iterated mixed form.
    Mixed,
    /// Single impacts in random order.
    Impacts,
    /// Reflections in random order.
    Reflections,
    /// The inclusion, integrated stage by stage.
    Inclusion,
    /// No steps: the statistics of samples that another kernel has computed.
    Statistics,
}

/// What a pipeline depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelKey {
    /// Which kernel.
    pub kind: KernelKind,
    /// Number of contacts.
    pub contacts: usize,
    /// Number T of axes of each contact's friction.
    pub axes: usize,
    /// Whether it computes in f64.
    pub double: bool,
    /// Whether its samples are of several problems.
    pub many: bool,
    /// Columns of the noise of the velocity.
    pub noise: usize,
}

impl KernelKey {
    /// The kernel's entry point.
    pub fn entry_point(&self) -> &'static str {
        match self.kind {
            KernelKind::Table => "sample_table",
            KernelKind::Unique => "sample_unique",
            KernelKind::Listed => "sample_listed",
            KernelKind::Pivot => "sample_pivot",
            KernelKind::Shared => "sample_shared",
            KernelKind::Mixed => "sample_mixed",
            KernelKind::Impacts | KernelKind::Reflections => "sample_orders",
            KernelKind::Inclusion => "sample_inclusion",
            KernelKind::Statistics => "statistics",
        }
    }

    /// Whether the problem's numbers lie in storage: uniform memory is too small for those of many facets.
    pub fn stored(&self) -> bool {
        self.many || self.axes > 1 || self.kind == KernelKind::Inclusion
    }

    /// How the numbers of a problem lie.
    pub fn layout(&self) -> Layout {
        match self.kind {
            KernelKind::Inclusion => Layout::inclusion(self.contacts, self.axes, self.noise),
            _ => Layout::new(self.contacts, self.axes),
        }
    }

    /// The whole WGSL text of the kernel.
    pub fn source(&self) -> String {
        let (m, axes) = (self.contacts, self.axes);
        let mut text = if self.double { header::<f64>(m, axes) } else { header::<f32>(m, axes) };
        if self.kind == KernelKind::Inclusion {
            let layout = self.layout();
            text.push_str(&if self.double {
                inclusion_header::<f64>(&layout)
            } else {
                inclusion_header::<f32>(&layout)
            });
        }
        text.push_str(&format!("const PROBLEM_FOURS = {}u;\n", self.layout().count.div_ceil(4)));
        if self.kind != KernelKind::Statistics {
            match (self.many, self.stored()) {
                (true, _) => text.push_str(MANY_PROBLEMS),
                (false, true) => text.push_str(&ONE_PROBLEM.replace("var<uniform>", "var<storage, read>")),
                (false, false) => text.push_str(ONE_PROBLEM),
            }
            text.push_str(LIBRARY);
        }
        text.push_str(match self.kind {
            KernelKind::Table => TABLE,
            KernelKind::Unique => UNIQUE,
            KernelKind::Listed => LISTED,
            KernelKind::Pivot => PIVOT,
            KernelKind::Shared => SHARED,
            KernelKind::Mixed => MIXED,
            KernelKind::Impacts => IMPACTS,
            KernelKind::Reflections => REFLECTIONS,
            KernelKind::Inclusion => INCLUSION,
            KernelKind::Statistics => STATISTICS,
        });
        text
    }
}

const ONE_PROBLEM: &str = include_str!("../../../shaders/kernel/one_problem.wgsl");
const MANY_PROBLEMS: &str = include_str!("../../../shaders/kernel/many_problems.wgsl");

const LIBRARY: &str = concat!(
    include_str!("../../../shaders/rng/philox.wgsl"),
    include_str!("../../../shaders/rng/stream.wgsl"),
    include_str!("../../../shaders/lcp/step.wgsl"),
    include_str!("../../../shaders/law/routh.wgsl"),
    include_str!("../../../shaders/kernel/sample.wgsl"),
);

const TABLE: &str = concat!(
    include_str!("../../../shaders/lcp/modes.wgsl"),
    include_str!("../../../shaders/lcp/holds.wgsl"),
    include_str!("../../../shaders/lcp/table.wgsl"),
    include_str!("../../../shaders/law/routh_table.wgsl"),
    include_str!("../../../shaders/kernel/sample_table.wgsl"),
);

const UNIQUE: &str = concat!(
    include_str!("../../../shaders/lcp/cells.wgsl"),
    include_str!("../../../shaders/lcp/modes.wgsl"),
    include_str!("../../../shaders/law/routh_unique.wgsl"),
    include_str!("../../../shaders/kernel/sample_unique.wgsl"),
);

const LISTED: &str = concat!(
    include_str!("../../../shaders/lcp/cells.wgsl"),
    include_str!("../../../shaders/lcp/modes.wgsl"),
    include_str!("../../../shaders/lcp/holds.wgsl"),
    include_str!("../../../shaders/law/routh_listed.wgsl"),
    include_str!("../../../shaders/kernel/sample_listed.wgsl"),
);

const PIVOT: &str = concat!(
    include_str!("../../../shaders/lcp/lemke.wgsl"),
    include_str!("../../../shaders/law/routh_pivot.wgsl"),
    include_str!("../../../shaders/kernel/sample_pivot.wgsl"),
);

const SHARED: &str = concat!(
    include_str!("../../../shaders/lcp/lemke.wgsl"),
    include_str!("../../../shaders/law/routh_pivot.wgsl"),
    include_str!("../../../shaders/kernel/sample_shared.wgsl"),
);

const MIXED: &str = concat!(
    include_str!("../../../shaders/lcp/mixed.wgsl"),
    include_str!("../../../shaders/law/routh_mixed.wgsl"),
    include_str!("../../../shaders/kernel/sample_mixed.wgsl"),
);

const IMPACTS: &str = concat!(
    include_str!("../../../shaders/law/sequential.wgsl"),
    include_str!("../../../shaders/law/orders.wgsl"),
    include_str!("../../../shaders/kernel/sample_orders.wgsl"),
);

const REFLECTIONS: &str = concat!(
    include_str!("../../../shaders/law/propagative.wgsl"),
    include_str!("../../../shaders/law/orders.wgsl"),
    include_str!("../../../shaders/kernel/sample_orders.wgsl"),
);

const INCLUSION: &str = concat!(
    include_str!("../../../shaders/law/integration/course.wgsl"),
    include_str!("../../../shaders/law/integration/friction.wgsl"),
    include_str!("../../../shaders/law/integration/substep.wgsl"),
    include_str!("../../../shaders/law/integration/process.wgsl"),
    include_str!("../../../shaders/kernel/sample_inclusion.wgsl"),
);

const STATISTICS: &str = concat!(
    include_str!("../../../shaders/lcp/step.wgsl"),
    include_str!("../../../shaders/kernel/statistics.wgsl"),
);

/// Samples that each thread of the statistics reduces.
pub const SHARE: usize = 16;

/// Bins of a histogram.
pub const BINS: usize = 64;

/// The places of the counters of statistics: by status first, then flagged samples, steps in two words, the most
/// steps, bins, contact modes.
pub const COUNT_FLAGGED: usize = Status::ALL.len();
/// Steps modulo 4096, then the rest over 4096.
pub const COUNT_STEPS: usize = COUNT_FLAGGED + 1;
/// The most steps.
pub const COUNT_MOST_STEPS: usize = COUNT_STEPS + 2;
/// The bins of the histogram.
pub const COUNT_BINS: usize = COUNT_MOST_STEPS + 1;
/// The combinations of contact modes.
pub const COUNT_MODES: usize = COUNT_BINS + BINS;

/// Most contacts whose combinations of modes are counted.
pub const MAX_COUNTED: usize = 5;

/// Combinations of the modes of m contacts after an impact, as far as they are counted; 1 where they are not.
pub fn mode_table(m: usize) -> usize {
    if m <= MAX_COUNTED { 1 << (2 * m) } else { 1 }
}

/// The length of a row of mode maps in the kernel's buffer: whole vectors of four.
pub fn padded(width: usize) -> usize {
    width.next_multiple_of(4)
}

/// Two solutions of a step whose keys differ by more than this are distinct.
pub fn keys_apart<R: Real>(m: usize) -> f64 {
    R::from_f64(R::DISTINCT * (0..2 * m).map(key_weight::<f64>).sum::<f64>()).to_f64()
}

/// Points closer to a plane of the cells than this many tolerances of the mode conditions lie on it.
pub const NEAR: f64 = 4.0;

/// The guess of a cell is taken where its residual is below this many such tolerances.
pub const TIGHT: f64 = 2.0;

/// Most distinct solutions of a step that the table kernel can hold; more are flagged.
pub fn most_solutions(m: usize) -> usize {
    if m <= 2 { 8 } else { 12 }
}

/// Sweeps over contacts that are held, at a time.
pub const SWEEPS: u32 = 4;

/// Numbers that a sample of the inclusion has in storage while it is under way: `AT_*` of
/// `shaders/law/integration/course.wgsl`.
pub fn course_numbers(m: usize, k: usize) -> usize {
    9 * k + 4 * m + 6
}

/// Its marks: one of each contact, then `MARK_COURSE` of the same file.
pub fn course_marks(m: usize) -> usize {
    m + 4
}

/// What the header of the inclusion has beside [`header`].
pub fn inclusion_header<R: Real>(layout: &Layout) -> String {
    let tolerances = Tolerances::<R>::of_precision();
    let suffix = if R::EPSILON <= f64::EPSILON { "lf" } else { "f" };
    let words = [
        ("PROBLEM_FRICTION", layout.friction),
        ("PROBLEM_RESTITUTION", layout.restitution),
        ("PROBLEM_NOISE", layout.noise),
        ("NOISE", layout.columns),
        ("MAX_SUBSTEPS", MAX_SUBSTEPS as usize),
        ("MAX_TRIALS", MAX_TRIALS as usize),
        ("MAX_SWEEPS", MAX_SWEEPS as usize),
        ("SWEEPS", SWEEPS as usize),
    ];
    let numbers = [
        ("TOLERATED", tolerances.error),
        ("HALT", tolerances.halt),
        ("BALANCE", tolerances.balance),
        ("EMPTY", empty_part::<R>()),
        ("REGULAR", R::from_f64(16.0 * R::EPSILON)),
        ("NINTH", R::ONE / R::from_f64(9.0)),
    ];
    let words = words.iter().map(|(name, value)| format!("const {name} = {value}u;\n"));
    let real = |(name, value): &(&str, R)| format!("const {name}: real = {:e}{suffix};\n", value.to_f64());
    words.chain(numbers.iter().map(real)).collect()
}

/// Sizes, codes and tolerances, as the Rust side has them.
pub fn header<R: Real>(m: usize, axes: usize) -> String {
    let double = R::EPSILON <= f64::EPSILON;
    let suffix = if double { "lf" } else { "f" };
    let layout = Layout::new(m, axes);
    let k = (1 + axes) * m;
    let mut text = String::new();
    let mut line = |what: std::fmt::Arguments<'_>| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{what}");
    };
    line(format_args!("alias real = {};", R::NAME));
    for (name, value) in [
        ("M", m),
        ("AXES", axes),
        ("K", k),
        ("X", padded(k + m)),
        ("MOST", most_solutions(m)),
        ("MOST_K", most_solutions(m) * k),
        ("PROBLEM_MU", layout.mu),
        ("PROBLEM_SIGMA", layout.sigma),
        ("PROBLEM_START", layout.start),
        ("PROBLEM_CAPS", layout.caps),
        ("PROBLEM_REST", layout.rest),
        ("PROBLEM_KEYS", layout.keys),
        ("PROBLEM_TOLERANCE", layout.tolerance),
        ("PROBLEM_EDGE", layout.edge),
        ("SHARE", SHARE),
        ("BINS", BINS),
        ("COUNT_FLAGGED", COUNT_FLAGGED),
        ("COUNT_STEPS", COUNT_STEPS),
        ("COUNT_MOST_STEPS", COUNT_MOST_STEPS),
        ("COUNT_BINS", COUNT_BINS),
        ("COUNT_MODES", COUNT_MODES),
        ("MODE_TABLE", mode_table(m)),
        ("COUNTERS", COUNT_MODES + mode_table(m)),
        ("PLANES", Cells::PLANES),
        ("CELLS", Cells::CELLS),
        ("PLANE_FOURS", Cells::PLANES * padded(k + m) / 4),
        ("WORKGROUP", WORKGROUP as usize),
        ("MODE_ROUNDS", MAX_ROUNDS),
        ("TERMINATED", Status::Terminated as usize),
        ("STEP_LIMIT", Status::StepLimit as usize),
        ("UNSOLVED", Status::Unsolved as usize),
        ("NOT_FINITE", Status::NotFinite as usize),
        ("PURPOSE_RATE", Purpose::Rate as usize),
        ("PURPOSE_SOLUTION", Purpose::Solution as usize),
        ("PURPOSE_COVERING", Purpose::Covering as usize),
        ("PURPOSE_ORDER", Purpose::Order as usize),
        ("PURPOSE_PARAMETER", Purpose::Parameter as usize),
        ("SUBSETS", SUBSETS as usize),
    ] {
        line(format_args!("const {name} = {value}u;"));
    }
    for (name, value) in [
        ("ZERO", 0.0),
        ("ONE", 1.0),
        ("HUGE", R::HUGE.to_f64()),
        ("RESIDUAL", R::from_f64(R::RESIDUAL).to_f64()),
        ("DISTINCT", R::from_f64(R::DISTINCT).to_f64()),
        ("AMBIGUOUS", R::AMBIGUOUS.to_f64()),
        ("PIVOT", R::PIVOT.to_f64()),
        ("TIE", R::TIE.to_f64()),
        ("CLOSE", keys_apart::<R>(m)),
        ("TIGHT", TIGHT),
        ("FLAT", R::from_f64(FLAT * R::EPSILON).to_f64()),
        ("SINGULAR", R::from_f64(SINGULAR * R::EPSILON).to_f64()),
        ("COVERING_LOW", crate::law::routh::solve::COVERING[0]),
        ("COVERING_RANGE", crate::law::routh::solve::COVERING[1]),
    ] {
        line(format_args!("const {name}: real = {value:e}{suffix};"));
    }
    line(format_args!("const MENDABLE = {};", !double));
    text
}
