//! The modes of planar contacts, and the forces of each combination of modes.

use carom_core::equations::eliminate;
use carom_core::{Real, StepProblem};

/// The mode of a contact, which determines its forces from its velocity. At a velocity of exactly 0
/// several modes are possible, and the acceleration decides. A frictionless contact counts as
/// sliding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Mode {
    /// No force: the contact separates, or begins to.
    #[default]
    Off,
    /// The normal force, between 0 and its bound, keeps the normal velocity at 0; the tangential
    /// force, within the friction cone, keeps the tangential velocity at 0.
    HeldStick,
    /// Normal force as in [`Mode::HeldStick`], and `lt = -mu ln`: sliding, or sliding onset.
    HeldSlide,
    /// Normal force as in [`Mode::HeldStick`], and `lt = mu ln`: backward sliding, or its onset.
    HeldBack,
    /// Sticking, with the normal force at its bound: the contact approaches, is pressed into
    /// approach, or is restituting.
    FullStick,
    /// Sliding, with the normal force at its bound.
    FullSlide,
    /// Backward sliding, with the normal force at its bound.
    FullBack,
}

/// Number of modes.
pub const MODES: usize = Mode::ALL.len();

impl Mode {
    /// Every mode, in the order of its number.
    pub const ALL: [Mode; 7] = {
        use Mode::*;
        [Off, HeldStick, HeldSlide, HeldBack, FullStick, FullSlide, FullBack]
    };

    /// Whether a force keeps the normal velocity at 0.
    pub fn held(self) -> bool {
        matches!(self, Mode::HeldStick | Mode::HeldSlide | Mode::HeldBack)
    }

    /// Whether the normal force is at its bound.
    pub fn full(self) -> bool {
        matches!(self, Mode::FullStick | Mode::FullSlide | Mode::FullBack)
    }

    /// Whether a force keeps the tangential velocity at 0.
    pub fn sticks(self) -> bool {
        matches!(self, Mode::HeldStick | Mode::FullStick)
    }

    /// The direction of sliding or sliding onset: 1, -1, or 0.
    pub fn slides(self) -> i8 {
        match self {
            Mode::HeldSlide | Mode::FullSlide => 1,
            Mode::HeldBack | Mode::FullBack => -1,
            _ => 0,
        }
    }
}

/// Largest number of contacts with cached maps. With more contacts, a combination rarely recurs,
/// and [`Maps::at`] solves for the given impulse bounds only.
pub(super) const MOST_MAPPED: usize = 6;

/// Size of the cache of maps in numbers, unless [`Maps::spare`] reduces it.
const NUMBERS: usize = 1 << 22;

/// Mark of a combination whose map has not been computed.
const UNKNOWN: u32 = u32::MAX;

/// Mark of a combination of modes without forces.
const NONE: u32 = u32::MAX - 1;

/// The forces and accelerations of combinations of modes, computed at the first request.
///
/// A combination of modes is a linear system: held normal velocities and sticking tangential
/// velocities have acceleration 0; impulse bounds and friction determine the other forces. Its
/// solution is linear in the impulse bounds `c` (m),
///
/// ```text
/// (l, u') = sum_j c_j a_j,    a_j (4m).
/// ```
///
/// Elimination with complete pivoting, in double precision, solves the system. In a singular system
/// undetermined forces are 0, and the combination is valid only if its equations hold for all
/// impulse bounds.
///
/// Each map includes the conditions of the modes, four per contact, in the form
/// `sum_j c_j b_j >= 0` (4m) up to rounding. The first pair applies at `u_n = 0` only: `ln` and
/// `c - ln` for a held contact, `u_n'` without force, `-u_n'` at the bound. The second pair applies
/// at `u_t = 0` only: `mu ln - lt` and `mu ln + lt` for sticking, `+-u_t'` for sliding.
#[derive(Clone, Debug)]
pub(super) struct Maps<R: Real> {
    /// Number m of contacts.
    contacts: usize,
    /// Start of each combination's map in `numbers`, as a multiple of its size.
    table: Vec<u32>,
    /// Size limit of all maps together, in numbers.
    most: usize,
    numbers: Vec<R>,
    /// The linear system: matrix and right-hand sides (n, n + m).
    system: Vec<R::Wide>,
    /// The forces for one impulse bound (2m), the rows of the unknowns, and the pivot order.
    force: Vec<R::Wide>,
    unknown: Vec<usize>,
    order: Vec<usize>,
    /// The contacts at their bounds, and the rows with forces for one impulse bound.
    full: Vec<usize>,
    acting: Vec<usize>,
}

impl<R: Real> Maps<R> {
    /// An empty cache for a problem with `m` contacts.
    pub fn new(m: usize) -> Self {
        let tabled = if m > MOST_MAPPED { 0 } else { MODES.pow(m as u32) };
        Maps {
            contacts: m,
            table: vec![UNKNOWN; tabled],
            most: NUMBERS,
            numbers: Vec::with_capacity((tabled * 8 * m * m).min(NUMBERS)),
            force: vec![R::Wide::ZERO; 2 * m],
            system: Vec::with_capacity(6 * m * m),
            unknown: Vec::with_capacity(2 * m),
            order: Vec::with_capacity(2 * m),
            full: Vec::with_capacity(m),
            acting: Vec::with_capacity(2 * m),
        }
    }

    /// Clears the cache and limits it to one of `parts` equal parts of its usual size, without
    /// reserving memory.
    pub fn spare(&mut self, parts: usize) {
        self.clear();
        self.most = NUMBERS / parts.max(1);
        self.numbers = Vec::new();
    }

    /// Clears the cache, after a change of the problem.
    pub fn clear(&mut self) {
        self.table.fill(UNKNOWN);
        self.numbers.clear();
    }

    /// The map and the conditions of a combination of `modes` (m), column by column: `a_j` and
    /// `b_j` (4m each) for each impulse bound; `None` where the combination has no forces. For at
    /// most [`MOST_MAPPED`] contacts.
    #[inline(always)]
    pub fn of<const M: usize>(
        &mut self,
        step: &StepProblem<R>,
        modes: &[Mode],
    ) -> Option<(&[R], &[R])> {
        let m = size::<M>(self.contacts);
        let size = 8 * m * m;
        let number = modes[..m].iter().rev().fold(0, |n, mode| n * MODES + *mode as usize);
        let known = self.table[number];
        let at = if known == UNKNOWN { self.add(step, modes, number) } else { known };
        (at != NONE)
            .then(|| self.numbers[at as usize * size..(at as usize + 1) * size].split_at(size / 2))
    }

    /// Computes the map of combination `number`; returns its position.
    #[cold]
    fn add(&mut self, step: &StepProblem<R>, modes: &[Mode], number: usize) -> u32 {
        let size = 8 * self.contacts * self.contacts;
        if self.numbers.len() + size > self.most.max(size) {
            self.clear();
        }
        let start = self.numbers.len();
        self.numbers.resize(start + size, R::ZERO);
        let at = if self.solve(step, modes, start) {
            (start / size) as u32
        } else {
            self.numbers.truncate(start);
            NONE
        };
        self.table[number] = at;
        at
    }

    /// Lists the unknown forces of a combination, and the contacts at their bounds.
    fn sort(&mut self, modes: &[Mode]) {
        let m = self.contacts;
        let Maps { unknown, full, .. } = self;
        unknown.clear();
        unknown.extend((0..m).filter(|i| modes[*i].held()));
        unknown.extend((0..m).filter(|i| modes[*i].sticks()).map(|i| m + i));
        full.clear();
        full.extend((0..m).filter(|i| modes[*i].full()));
    }

    /// Computes the forces and accelerations `(l, u')` (4m) of a combination of `modes` (m) at the
    /// impulse bounds `c` (m), into `found`; returns whether they exist. The equations of a
    /// singular system need to hold for these bounds only.
    ///
    /// Cost: `n^2 (n + 1) + 2 m n + 4 m^2` multiplications with `n` unknowns.
    pub fn at(&mut self, step: &StepProblem<R>, modes: &[Mode], c: &[R], found: &mut [R]) -> bool {
        let (m, k) = (self.contacts, step.width());
        let w = |i: usize, j: usize| step.w[i * k + j].widen();
        let slope = |i: usize| slope(step, modes, i);
        self.sort(modes);
        let Maps { system, force: l, unknown, full, order, .. } = self;
        let (n, width) = (unknown.len(), unknown.len() + 1);
        l.fill(R::Wide::ZERO);
        for &i in &*full {
            l[i] = c[i].widen();
            if !modes[i].sticks() {
                l[m + i] = slope(i) * l[i];
            }
        }
        let acceleration = |l: &[R::Wide], i: usize| {
            let row = &step.w[i * k..(i + 1) * k];
            row.iter().zip(l).fold(R::Wide::ZERO, |sum, (w, l)| sum + w.widen() * *l)
        };
        system.clear();
        for &row in &*unknown {
            system.extend(unknown.iter().map(|&j| match j {
                j if j < m => w(row, j) + slope(j) * w(row, m + j),
                j => w(row, j),
            }));
            system.push(-acceleration(l, row));
        }
        if !eliminate(system, n, width, R::PIVOT.widen(), order) {
            return false;
        }
        for (a, &row) in unknown.iter().enumerate() {
            l[row] = system[a * width + n];
        }
        for i in (0..m).filter(|i| modes[*i].held() && !modes[*i].sticks()) {
            l[m + i] = slope(i) * l[i];
        }
        for i in 0..k {
            found[i] = R::narrow(l[i]);
            found[k + i] = R::narrow(acceleration(l, i));
        }
        unknown.iter().for_each(|&i| found[k + i] = R::ZERO);
        found.iter().all(|x| x.is_finite())
    }

    /// Solves the linear system of a combination for all impulse bounds, into `numbers` from
    /// `start`, where the entries are 0; returns whether a solution exists. Forces depend only on
    /// the impulse bounds of contacts at their bounds.
    ///
    /// Cost: `n^2 (n + f) + 2 m (n + 2) f` multiplications with `n` unknowns and `f` contacts at
    /// their bounds.
    fn solve(&mut self, step: &StepProblem<R>, modes: &[Mode], start: usize) -> bool {
        let (m, k) = (self.contacts, step.width());
        let (zero, one) = (R::Wide::ZERO, R::Wide::ONE);
        let w = |i: usize, j: usize| step.w[i * k + j].widen();
        let slope = |i: usize| slope(step, modes, i);
        self.sort(modes);
        let Maps { numbers, system, force: l, unknown, full, acting, order, .. } = self;
        let (n, width) = (unknown.len(), unknown.len() + full.len());
        system.clear();
        for &row in &*unknown {
            system.extend(unknown.iter().map(|&j| match j {
                j if j < m => w(row, j) + slope(j) * w(row, m + j),
                j => w(row, j),
            }));
            system.extend(full.iter().map(|&j| -(w(row, j) + slope(j) * w(row, m + j))));
        }
        if !eliminate(system, n, width, R::PIVOT.widen(), order) {
            return false;
        }
        let (map, conditions) = numbers[start..].split_at_mut(4 * m * m);
        for i in (0..m).filter(|i| modes[*i].held()) {
            conditions[4 * (m * i + i) + 1] = R::ONE;
        }
        let mut finite = true;
        for (number, &cap) in full.iter().enumerate() {
            l.fill(zero);
            l[cap] = one;
            for (a, &row) in unknown.iter().enumerate() {
                l[row] = system[a * width + n + number];
            }
            for i in (0..m).filter(|i| !modes[*i].sticks()) {
                l[m + i] = slope(i) * l[i];
            }
            let acts = |i: usize| i == cap || modes[i].held();
            acting.clear();
            acting.extend((0..m).filter(|i| acts(*i)));
            acting.extend((0..m).filter(|i| acts(*i) || modes[*i].sticks()).map(|i| m + i));
            let column = &mut map[4 * m * cap..4 * m * (cap + 1)];
            for i in 0..k {
                column[i] = R::narrow(l[i]);
                column[k + i] = R::narrow(acting.iter().fold(zero, |sum, &j| sum + w(i, j) * l[j]));
            }
            unknown.iter().for_each(|&i| column[k + i] = R::ZERO);
            for i in 0..m {
                let (ln, lt, mu) = (l[i], l[m + i], step.mu[i].widen());
                let (an, at) = (column[k + i].widen(), column[k + m + i].widen());
                let normal = match modes[i] {
                    mode if mode.held() => [ln, -ln],
                    mode if mode.full() => [-an, zero],
                    _ => [an, zero],
                };
                let tangent = match modes[i] {
                    mode if mode.sticks() => [mu * ln - lt, mu * ln + lt],
                    mode => [R::Wide::from_f64(f64::from(mode.slides())) * at, zero],
                };
                let place = 4 * m * cap + 4 * i;
                for (k, x) in normal.into_iter().chain(tangent).enumerate() {
                    conditions[place + k] = R::narrow(x);
                }
            }
            let conditions = &conditions[4 * m * cap..4 * m * (cap + 1)];
            finite &= column.iter().chain(conditions).all(|x| x.is_finite());
        }
        finite
    }
}

/// The number `m` of contacts, a constant at compile time where `M` is not 0.
#[inline(always)]
pub fn size<const M: usize>(m: usize) -> usize {
    if M > 0 { M } else { m }
}

/// The ratio of tangential to normal force of contact `i`: sliding friction is proportional to the
/// normal force.
#[inline(always)]
fn slope<R: Real>(step: &StepProblem<R>, modes: &[Mode], i: usize) -> R::Wide {
    -R::Wide::from_f64(f64::from(modes[i].slides())) * step.mu[i].widen()
}
