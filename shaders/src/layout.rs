//! The shape of a process, and the layout of its numbers in the buffer `problem`.

use carom_core::lcp::table::key_weight;
use carom_core::{ContactSpace, Numbers, Real};
use carom_law::Process;
use carom_law::routh::inclusion::tolerances::Tolerances;

/// The sizes and switches that determine the text of a kernel and the sizes of its buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct KernelShape {
    /// Number M of contacts.
    pub contacts: usize,
    /// Number T of axes of each contact's friction.
    pub axes: usize,
    /// Whether the kernel computes in f64.
    pub double: bool,
    /// Whether samples belong to several problems.
    pub many: bool,
    /// Whether samples are listed by number; the list has one problem.
    pub listed: bool,
    /// Whether the numbers of a problem end with coefficients of restitution, as in the event
    /// process.
    pub restitution: bool,
    /// Number of columns of the noise of the velocity, for the inclusion.
    pub noise: Option<usize>,
}

impl KernelShape {
    /// The shape of a process.
    pub fn of<R: Real>(process: &Process<R>) -> Self {
        let step = &process.space().step;
        let noise = match process {
            Process::Inclusion(inclusion) => {
                Some(inclusion.numbers.noise.len() / step.width().max(1))
            }
            _ => None,
        };
        KernelShape {
            contacts: step.contacts,
            axes: step.axes,
            double: R::EPSILON <= f64::EPSILON,
            many: false,
            listed: false,
            restitution: matches!(process, Process::Events(_)),
            noise,
        }
    }

    /// The common shape of several processes in one kernel, which may differ only in numbers;
    /// `None` if they differ in more.
    pub fn of_many<R: Real>(processes: &[&Process<R>]) -> Option<Self> {
        let widest =
            |a: KernelShape, b: KernelShape| KernelShape { noise: a.noise.max(b.noise), ..a };
        let shape = processes.iter().map(|process| Self::of(process)).reduce(widest)?;
        Some(KernelShape { many: true, ..shape })
    }

    /// Number of rows K = (1 + T) M of a contact velocity or an impulse.
    pub fn rows(&self) -> usize {
        (1 + self.axes) * self.contacts
    }

    /// Number of unknowns of a step as an LCP.
    pub fn lcp_size(&self) -> usize {
        (3 + 2 * self.axes) * self.contacts
    }

    /// Number of bytes of a number.
    pub fn real_bytes(&self) -> usize {
        if self.double { size_of::<f64>() } else { size_of::<f32>() }
    }

    /// Whether the problem's numbers lie in storage: uniform memory is too small for problems with
    /// many facets.
    pub fn stored(&self) -> bool {
        self.many || self.axes > 1 || self.noise.is_some()
    }

    /// The layout of the numbers of a problem.
    pub fn layout(&self) -> Layout {
        match self.noise {
            Some(columns) => Layout::inclusion(self.contacts, self.axes, columns),
            None if self.restitution => Layout::events(self.contacts),
            None => Layout::new(self.contacts, self.axes),
        }
    }
}

/// Offsets into the `problem` buffer of m contacts with T axes each, K = (1 + T) m, after W (K,K).
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Friction (m).
    pub mu: usize,
    /// Row scales (K).
    pub sigma: usize,
    /// Contact velocity before the impact (K).
    pub start: usize,
    /// Impulse bounds (m).
    pub caps: usize,
    /// Approach thresholds (m).
    pub rest: usize,
    /// Weights of the order of solutions (K).
    pub keys: usize,
    /// Tolerance of the mode conditions (1).
    pub tolerance: usize,
    /// For the inclusion: the least friction and the width of its range, contact by contact (m,2).
    pub friction: usize,
    /// For the inclusion: the least restitution and the width of its range, contact by contact
    /// (m,2); for the event process the coefficients of restitution (m).
    pub restitution: usize,
    /// Tolerances of the inclusion; its budget; the length of blocks as a multiple of the natural
    /// block, if it follows from the drawn velocity, else 0 (5).
    pub tolerances: usize,
    /// The noise of the contact velocity (K,columns).
    pub noise: usize,
    /// Number of columns of the noise.
    pub columns: usize,
    /// Total number of numbers.
    pub count: usize,
}

impl Layout {
    /// The layout for m contacts with T axes each.
    pub fn new(m: usize, axes: usize) -> Self {
        let k = (1 + axes) * m;
        let mu = k * k;
        let sigma = mu + m;
        let start = sigma + k;
        let caps = start + k;
        let rest = caps + m;
        let keys = rest + m;
        let tolerance = keys + k;
        let [friction, restitution, tolerances, noise, count] = [tolerance + 1; 5];
        Layout {
            mu,
            sigma,
            start,
            caps,
            rest,
            keys,
            tolerance,
            friction,
            restitution,
            tolerances,
            noise,
            columns: 0,
            count,
        }
    }

    /// The layout of the event process.
    pub fn events(m: usize) -> Self {
        let layout = Self::new(m, 1);
        Layout { count: layout.restitution + m, ..layout }
    }

    /// The layout of an inclusion with this number of columns of noise.
    pub fn inclusion(m: usize, axes: usize, columns: usize) -> Self {
        let layout = Self::new(m, axes);
        let restitution = layout.friction + 2 * m;
        let tolerances = restitution + 2 * m;
        let noise = tolerances + 5;
        Layout {
            restitution,
            tolerances,
            noise,
            columns,
            count: noise + (1 + axes) * m * columns,
            ..layout
        }
    }
}

/// The numbers of the `problem` buffer, padded to whole vectors of four; the noise of an inclusion
/// is padded to `columns` columns.
pub fn problem_buffer<R: Real>(process: &Process<R>, columns: usize) -> Vec<R> {
    let tolerance = process.table().map_or(R::ZERO, |table| table.tolerance);
    let keys: Vec<R> = (0..process.space().step.width()).map(key_weight).collect();
    let ContactSpace { step, start, rest, .. } = process.space();
    // Single impacts have no impulse bounds, but the kernels' layout has room for them.
    let caps = process.rates().map_or(vec![R::ZERO; step.contacts], |rates| rates.caps.clone());
    let parts: [&[R]; 8] =
        [&step.w, &step.mu, &step.sigma, start, &caps, rest, &keys, &[tolerance]];
    let mut numbers = parts.concat();
    if let Process::Events(exact) = process {
        numbers.extend(exact.numbers.e.iter().map(|[e, _]| *e));
    }
    if let Process::Inclusion(inclusion) = process {
        let Numbers { mu, e, noise } = &inclusion.numbers;
        numbers.extend_from_slice(mu.as_flattened());
        numbers.extend_from_slice(e.as_flattened());
        let Tolerances { error, halt, landing, budget, .. } = inclusion.tolerances;
        let reach = if inclusion.adapts { R::from_f64(inclusion.rates.reach) } else { R::ZERO };
        numbers.extend_from_slice(&[error, halt, landing, R::from_f64(budget as f64), reach]);
        let own = noise.len() / step.width();
        for row in 0..step.width() {
            numbers.extend_from_slice(&noise[row * own..(row + 1) * own]);
            numbers.resize(numbers.len() + columns - own, R::ZERO);
        }
    }
    numbers.resize(numbers.len().next_multiple_of(4), R::ZERO);
    numbers
}
