//! The modes of planar contacts, and the forces of each combination of modes.

use std::collections::HashMap;

use crate::lcp::StepProblem;
use crate::real::Real;

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
    pub const ALL: [Mode; 7] = [
        Mode::Off,
        Mode::HeldStick,
        Mode::HeldSlide,
        Mode::HeldBack,
        Mode::FullStick,
        Mode::FullSlide,
        Mode::FullBack,
    ];

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

/// Largest number of combinations of modes for which a table has all maps; where there are more
/// combinations, most maps that are remembered.
const TABLE: u64 = 1 << 17;

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
    others: HashMap<u64, u32>,
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
        let combinations = (0..m).try_fold(1, |n: u64, _| n.checked_mul(MODES as u64));
        let tabled = combinations.filter(|n| *n <= TABLE).unwrap_or(0) as usize;
        Maps {
            contacts: m,
            table: vec![UNKNOWN; tabled],
            others: HashMap::new(),
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
        self.others.clear();
        self.numbers.clear();
    }

    /// The map of a combination of `modes` (m) and its conditions, column by column: `a_j` and
    /// `b_j` (4m each) for each cap; `None` where it has no forces.
    #[inline(always)]
    pub fn of<const M: usize>(
        &mut self,
        step: &StepProblem<R>,
        modes: &[Mode],
    ) -> Option<(&[R], &[R])> {
        let m = size::<M>(self.contacts);
        let size = 8 * m * m;
        let number = modes[..m]
            .iter()
            .rev()
            .fold(0, |n: u64, mode| n.wrapping_mul(MODES as u64) + *mode as u64);
        let known = match self.table.get(number as usize) {
            Some(at) => *at,
            None => self.others.get(&number).copied().unwrap_or(UNKNOWN),
        };
        let at = if known == UNKNOWN { self.add(step, modes, number) } else { known };
        (at != NONE)
            .then(|| self.numbers[at as usize * size..(at as usize + 1) * size].split_at(size / 2))
    }

    /// Computes the map of combination `number`; returns its beginning.
    #[cold]
    fn add(&mut self, step: &StepProblem<R>, modes: &[Mode], number: u64) -> u32 {
        let (m, size) = (self.contacts, 8 * self.contacts * self.contacts);
        if m > MOST_NUMBERED {
            self.numbers.clear();
        } else if self.numbers.len() + size > self.most.max(size)
            || self.others.len() as u64 >= TABLE
        {
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
        if let Some(known) = self.table.get_mut(number as usize) {
            *known = at;
        } else if m <= MOST_NUMBERED {
            self.others.insert(number, at);
        }
        at
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
        // Sliding friction is proportional to the normal force.
        let way = |i: usize| R::Wide::from_f64(f64::from(modes[i].slides()));
        let slope = |i: usize| -way(i) * step.mu[i].widen();
        let Maps { numbers, system, force: l, unknown, full, acting, order, .. } = self;
        unknown.clear();
        unknown.extend((0..m).filter(|i| modes[*i].held()));
        unknown.extend((0..m).filter(|i| modes[*i].sticks()).map(|i| m + i));
        full.clear();
        full.extend((0..m).filter(|i| modes[*i].full()));
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
                    _ => [way(i) * at, zero],
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

/// Largest number of contacts whose combinations of modes can be numbered in 64 bits.
const MOST_NUMBERED: usize = 22;

/// Solves `A X = B` with `A` (n,n) and `B` (n, width - n) side by side in `system`, by elimination
/// with complete pivoting; `X` replaces `B`. Unknowns that a singular `A` leaves free are 0.
/// Returns whether the equations that are left hold.
fn eliminate<R: Real>(
    system: &mut [R],
    n: usize,
    width: usize,
    pivot: R,
    order: &mut Vec<usize>,
) -> bool {
    let largest =
        |x: &mut dyn Iterator<Item = R>| x.fold(R::ZERO, |size, x| Real::max(size, x.abs()));
    order.clear();
    order.extend(0..n);
    let scale = largest(&mut (0..n).flat_map(|i| system[i * width..i * width + n].iter().copied()));
    let scale = Real::max(scale, R::ONE);
    let size =
        largest(&mut (0..n).flat_map(|i| system[i * width + n..(i + 1) * width].iter().copied()));
    let mut rank = n;
    for p in 0..n {
        let (mut row, mut column, mut most) = (p, p, 0);
        for i in p..n {
            for j in p..n {
                // The bits of numbers that are not negative have the order of the numbers.
                let bits = system[i * width + j].abs().to_f64().to_bits();
                if bits >= most {
                    (row, column, most) = (i, j, bits);
                }
            }
        }
        if system[row * width + column].abs() <= pivot * scale {
            rank = p;
            break;
        }
        for j in 0..width {
            system.swap(p * width + j, row * width + j);
        }
        for i in 0..n {
            system.swap(i * width + p, i * width + column);
        }
        order.swap(p, column);
        for i in p + 1..n {
            let factor = system[i * width + p] / system[p * width + p];
            for j in p..width {
                let above = system[p * width + j];
                system[i * width + j] -= factor * above;
            }
        }
    }
    if (rank..n)
        .any(|i| system[i * width + n..(i + 1) * width].iter().any(|x| x.abs() > pivot * size))
    {
        return false;
    }
    for b in n..width {
        for i in rank..n {
            system[i * width + b] = R::ZERO;
        }
        for p in (0..rank).rev() {
            let terms = (p + 1..rank).map(|j| system[p * width + j] * system[j * width + b]);
            let known = terms.fold(R::ZERO, |sum, term| sum + term);
            system[p * width + b] = (system[p * width + b] - known) / system[p * width + p];
        }
    }
    // Back to the order of the unknowns.
    for p in 0..n {
        while order[p] != p {
            let q = order[p];
            for b in n..width {
                system.swap(p * width + b, q * width + b);
            }
            order.swap(p, q);
        }
    }
    true
}
