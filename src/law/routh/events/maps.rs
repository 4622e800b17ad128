//! The modes of planar contacts, and the forces of each combination of modes.

use carom_core::equations::eliminate;
use carom_core::{Real, StepProblem};

/// The law that decides the forces at a contact from its velocity. At a velocity that is exactly 0
/// several modes are possible, and the acceleration decides. A contact without friction slides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Mode {
    /// No force: the contact separates, or begins to.
    #[default]
    Off,
    /// The normal force keeps the normal velocity at 0 and lies between 0 and the cap; the
    /// tangential force keeps the tangential velocity at 0, within the friction cone.
    HeldStick,
    /// The normal force is as in [`Mode::HeldStick`], and `lt = -mu ln`: the contact slides, or
    /// begins to.
    HeldSlide,
    /// The normal force is as in [`Mode::HeldStick`], and `lt = mu ln`: the contact slides
    /// backward, or begins to.
    HeldBack,
    /// The normal force is the cap: the contact approaches, or is driven in, or is restituting; and
    /// it sticks.
    FullStick,
    /// The normal force is the cap, and the contact slides.
    FullSlide,
    /// The normal force is the cap, and the contact slides backward.
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

    /// Whether the normal velocity is kept at 0.
    pub fn held(self) -> bool {
        matches!(self, Mode::HeldStick | Mode::HeldSlide | Mode::HeldBack)
    }

    /// Whether the normal force is the cap.
    pub fn full(self) -> bool {
        matches!(self, Mode::FullStick | Mode::FullSlide | Mode::FullBack)
    }

    /// Whether the tangential velocity is kept at 0.
    pub fn sticks(self) -> bool {
        matches!(self, Mode::HeldStick | Mode::FullStick)
    }

    /// The direction of sliding, or of its beginning: 1, -1, or 0.
    pub fn slides(self) -> i8 {
        match self {
            Mode::HeldSlide | Mode::FullSlide => 1,
            Mode::HeldBack | Mode::FullBack => -1,
            _ => 0,
        }
    }
}

/// Largest number of contacts whose maps are remembered. With more contacts there are too many
/// combinations for one to come back often, and [`Maps::at`] solves for the caps at hand alone.
pub(super) const MOST_MAPPED: usize = 6;

/// Most numbers of all remembered maps together, unless [`Maps::spare`] allows fewer.
const NUMBERS: usize = 1 << 22;

/// Mark of a combination whose map is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// Mark of a combination of modes without forces.
const NONE: u32 = u32::MAX - 1;

/// The forces and accelerations of combinations of modes, computed when they are first asked for.
///
/// A combination of modes is a linear system: held normal velocities and tangential velocities of
/// contacts that stick have acceleration 0, and the other forces are given by caps and friction.
/// Its solution is linear in the caps `c` (m),
///
/// ```text
/// (l, u') = sum_j c_j a_j,    a_j (4m).
/// ```
///
/// The system is solved in double precision by elimination with complete pivoting. Where it is
/// singular, forces that it leaves free are 0, and the combination counts only if its equations
/// hold for all caps.
///
/// Beside it stand the conditions of the modes, four for each contact, which say
/// `sum_j c_j b_j >= 0` (4m) up to rounding: `ln` and `c - ln` where it is held, `u_n'` where it is
/// off, `-u_n'` at its cap; `mu ln - lt` and `mu ln + lt` where it sticks, `+-u_t'` where it
/// slides. The second pair counts at `u_t = 0` only, the first at `u_n = 0`.
#[derive(Clone, Debug)]
pub(super) struct Maps<R: Real> {
    /// Number m of contacts.
    contacts: usize,
    /// Where in `numbers` the map of each combination begins, as a multiple of its size.
    table: Vec<u32>,
    /// Most numbers of all maps together.
    most: usize,
    numbers: Vec<R>,
    /// The linear system: matrix and right-hand sides (n, n + m), and the row of the problem for
    /// each unknown.
    system: Vec<R::Wide>,
    /// The forces for one cap (2m).
    force: Vec<R::Wide>,
    unknown: Vec<usize>,
    order: Vec<usize>,
    /// The contacts at their caps, and the rows with forces for one cap.
    full: Vec<usize>,
    acting: Vec<usize>,
}

impl<R: Real> Maps<R> {
    /// The maps of a problem with `m` contacts, none of them known yet.
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

    /// Forgets all maps, and from now on remembers at most one of `parts` equal parts of the usual
    /// number, without reserving the memory.
    pub fn spare(&mut self, parts: usize) {
        self.clear();
        self.most = NUMBERS / parts.max(1);
        self.numbers = Vec::new();
    }

    /// Forgets all maps: the problem has changed.
    pub fn clear(&mut self) {
        self.table.fill(UNKNOWN);
        self.numbers.clear();
    }

    /// The map of a combination of `modes` (m) and its conditions, column by column: `a_j` and
    /// `b_j` (4m each) for each cap; `None` where it has no forces. For at most [`MOST_MAPPED`]
    /// contacts.
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

    /// Computes the map of combination `number`; returns its beginning.
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

    /// Lists the unknown forces of a combination, and the contacts at their caps.
    fn sort(&mut self, modes: &[Mode]) {
        let m = self.contacts;
        let Maps { unknown, full, .. } = self;
        unknown.clear();
        unknown.extend((0..m).filter(|i| modes[*i].held()));
        unknown.extend((0..m).filter(|i| modes[*i].sticks()).map(|i| m + i));
        full.clear();
        full.extend((0..m).filter(|i| modes[*i].full()));
    }

    /// The forces and accelerations `(l, u')` (4m) of a combination of `modes` (m) at the caps `c`
    /// (m), into `found`; returns whether there are any. Where the system is singular, its
    /// equations need to hold for these caps only.
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

    /// Solves the linear system of a combination for all caps, into `numbers` from `start` on,
    /// where there are zeros; returns whether it has a solution. Forces depend only on the caps of
    /// contacts at their caps.
    ///
    /// Cost: `n^2 (n + f) + 2 m (n + 2) f` multiplications with `n` unknowns and `f` contacts at
    /// their caps.
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

/// The number `m` of contacts, known when the code is compiled where `M` is not 0.
#[inline(always)]
pub fn size<const M: usize>(m: usize) -> usize {
    if M > 0 { M } else { m }
}

/// The tangential force of contact `i` over its normal force, where it slides: sliding friction is
/// proportional to the normal force.
#[inline(always)]
fn slope<R: Real>(step: &StepProblem<R>, modes: &[Mode], i: usize) -> R::Wide {
    -R::Wide::from_f64(f64::from(modes[i].slides())) * step.mu[i].widen()
}
