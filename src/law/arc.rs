//! A piece of an impact as power series, and where it ends.

use super::hodograph::Contact;
use super::restitution::Hypothesis;
use super::settle::Settling;
use super::slip::Straight;
use crate::real::Real;

/// Order of the Taylor arcs.
pub const ORDER: usize = 23;
/// Most terms of an arc.
pub const TERMS: usize = 24;
/// Parts of an arc in which events are looked for where the normal velocity may fall.
const PARTS: usize = 8;

/// The contact while it is struck: `[v, g (2), I, p (2), E, F]`.
pub type State<R> = [R; 8];

/// Places in a [`State`]: normal velocity, sliding velocity, normal and tangential impulse, compression work since the
/// phase began, work of friction.
pub mod place {
    /// Normal velocity.
    pub const V: usize = 0;
    /// Sliding velocity, two.
    pub const G: usize = 1;
    /// Normal impulse.
    pub const I: usize = 3;
    /// Tangential impulse, two.
    pub const P: usize = 4;
    /// Compression work since the phase began.
    pub const E: usize = 6;
    /// Work of friction.
    pub const F: usize = 7;
}
use place::{E, G, I, V};

/// What the contact does along an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// It slips.
    Slip,
    /// It sticks.
    Stick,
    /// It slips again, in the centrifugal direction.
    Resumed,
}

impl Motion {
    /// The name that reports and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            Motion::Slip => "slip",
            Motion::Stick => "stick",
            Motion::Resumed => "resumed-slip",
        }
    }
}

/// A piece of an impact: power series from `t = 0` to `length`.
#[derive(Clone, Debug)]
pub struct Arc<'a, R> {
    /// The contact.
    pub contact: &'a Contact<R>,
    /// The state at 0.
    pub start: State<R>,
    /// Coefficients of what `[I, p (2), F]` gain, those of the `k`-th power in row `k`.
    pub terms: [[R; 4]; TERMS],
    /// Highest power.
    pub order: usize,
    /// What it is.
    pub(super) shape: Shape<R>,
    /// Where it begins: at 0, or where a phase of the impact ended in the midst of it.
    pub begin: R,
    /// Where it ends; [`Real::HUGE`]: never.
    pub length: R,
    /// What the contact does.
    pub motion: Motion,
    /// Whether the sliding velocity is zero at its end.
    pub halts: bool,
}

/// What an arc is.
#[derive(Clone, Debug)]
pub(super) enum Shape<R> {
    /// A direction that stays; `t` is the normal impulse, and there are no terms.
    Straight(Straight<R>),
    /// Slip in powers of `t`.
    Taylor,
    /// Slip in powers of its angle to a stable direction.
    Settling(Settling<R>),
}

impl<'a, R: Real> Arc<'a, R> {
    /// The contact as it is.
    pub(super) fn still(contact: &'a Contact<R>, start: State<R>) -> Self {
        let (terms, shape) = ([[R::ZERO; 4]; TERMS], Shape::Straight(Straight::free([R::ZERO; 2])));
        let [begin, length] = [R::ZERO; 2];
        Arc { contact, start, terms, order: 0, shape, begin, length, motion: Motion::Slip, halts: false }
    }

    /// The state at `t`.
    pub fn at(&self, t: R) -> State<R> {
        let gain = match &self.shape {
            Shape::Straight(along) => return along.at(&self.start, self.contact.rise(along.push), t),
            Shape::Taylor => sum(self.rows(), t),
            Shape::Settling(settling) => settling.gain(t, self.rows()).0,
        };
        self.contact.after(&self.start, gain)
    }

    /// The terms in use, an even number.
    pub(super) fn rows(&self) -> &[[R; 4]] {
        &self.terms[..(self.order | 1) + 1]
    }

    /// Whether its parameter is the normal impulse and its sliding velocity draws a straight line.
    pub fn straight(&self) -> bool {
        matches!(self.shape, Shape::Straight(_))
    }

    /// The place at a share of the way from the beginning to `t`.
    pub fn part(&self, share: R, t: R) -> R {
        match &self.shape {
            Shape::Settling(settling) => settling.between([self.begin, t], share),
            _ => self.begin + (t - self.begin) * share,
        }
    }

    /// How far the rates of the normal impulse and of the work of friction on a Taylor arc are from the differential
    /// equation.
    fn defect(&self, t: R, state: &State<R>) -> R {
        let [mut pace, mut power, mut k] = [R::ZERO, R::ZERO, R::from_f64(self.order as f64)];
        for [i, _, _, f] in self.terms[1..=self.order].iter().rev() {
            (pace, power) = (pace * t + k * *i, power * t + k * *f);
            k -= R::ONE;
        }
        let square = state[G] * state[G] + state[G + 1] * state[G + 1];
        let rate = self.contact.rate;
        let off = power + rate * (self.contact.mu * square);
        (pace - rate * square.sqrt()).abs().max(off.abs())
    }
}

/// The sums of an even number of terms, those of `t^k` in row `k`.
pub(super) fn sum<R: Real, const N: usize>(rows: &[[R; N]], t: R) -> [R; N] {
    let square = t * t;
    let [mut even, mut odd] = [[R::ZERO; N]; 2];
    for pair in rows.chunks_exact(2).rev() {
        for i in 0..N {
            even[i] = even[i] * square + pair[0][i];
            odd[i] = odd[i] * square + pair[1][i];
        }
    }
    std::array::from_fn(|i| even[i] + t * odd[i])
}

/// Why an arc was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It goes on in another arc.
    Length,
    /// The sliding velocity is zero.
    Halt,
    /// The normal velocity rose to zero.
    Compressed,
    /// The normal velocity fell below zero before restitution was over: compression begins again.
    Recompressed,
    /// Restitution is over, and so is the impact.
    Over,
    /// Nothing ever ends it.
    Never,
}

/// How an arc was left.
#[derive(Clone, Copy, Debug)]
pub struct Leave<R> {
    /// Where.
    pub at: R,
    /// Why.
    pub why: End,
    /// The state there.
    pub state: State<R>,
    /// How far it is from the differential equation.
    pub defect: R,
}

/// The phase of an impact.
#[derive(Clone, Copy, Debug)]
pub struct Stage<R> {
    pub(super) hypothesis: Hypothesis,
    pub(super) compressing: bool,
    /// What restitution still owes: work, impulse, or the velocity to reach.
    pub(super) owed: R,
    /// Normal impulse at the beginning of the phase.
    pub(super) from: R,
}

impl<R: Real> Stage<R> {
    /// What restitution still owes at a state.
    pub(super) fn left(&self, state: &State<R>) -> R {
        match self.hypothesis {
            Hypothesis::Stronge => self.owed + state[E],
            Hypothesis::Poisson => self.owed - (state[I] - self.from),
            Hypothesis::Newton => self.owed - state[V],
        }
    }

    /// The normal impulse until restitution is over, if the normal velocity goes on with the derivative `rise`; negative
    /// if it has been.
    pub(super) fn ahead(&self, state: &State<R>, rise: R) -> R {
        let (v, left) = (state[V], self.left(state));
        match self.hypothesis {
            Hypothesis::Stronge => {
                // left - v t - rise t^2/2 = 0
                let root = v * v + (left + left) * rise;
                let below = v + root.max(R::ZERO).sqrt();
                if root < R::ZERO || below <= R::ZERO { R::HUGE } else { (left + left) / below }
            }
            Hypothesis::Poisson => left,
            Hypothesis::Newton if rise > R::ZERO => left / rise,
            Hypothesis::Newton if left <= R::ZERO => R::ZERO,
            Hypothesis::Newton => R::HUGE,
        }
    }
}

impl<R: Real> Arc<'_, R> {
    /// How this arc, followed from `state` on, is left in a phase of the impact; `None`: not found. `rises`: the normal
    /// velocity surely does.
    pub fn leave(&self, state: &State<R>, stage: &Stage<R>, rises: bool) -> Option<Leave<R>> {
        match &self.shape {
            Shape::Straight(along) => {
                let (at, why) = self.until_straight(stage, self.contact.rise(along.push));
                let state = if why == End::Never { *state } else { self.at(at) };
                Some(Leave { at, why, state, defect: R::ZERO })
            }
            Shape::Taylor => {
                let (at, why, state) = self.until_curved(state, stage, rises);
                Some(Leave { at, why, state, defect: self.defect(at, &state) })
            }
            Shape::Settling(settling) => {
                let found = self.leave_settled(settling, state, stage);
                found.filter(|leave| leave.defect <= R::CONDITION)
            }
        }
    }

    /// Of an arc whose parameter is the normal impulse; `rise` is the derivative of the normal velocity.
    fn until_straight(&self, stage: &Stage<R>, rise: R) -> (R, End) {
        let v = self.start[V];
        // The normal velocity is zero: coming from below, or from above.
        let crossing = if rise * v < R::ZERO { -v / rise } else { R::HUGE };
        let (t, end) = if stage.compressing {
            (crossing, End::Compressed)
        } else {
            let t = stage.ahead(&self.start, rise);
            let falls = rise < R::ZERO && crossing < t;
            if falls { (crossing, End::Recompressed) } else { (t.max(R::ZERO), End::Over) }
        };
        let never = t >= R::HUGE && self.length >= R::HUGE;
        match (never, t <= self.length) {
            (true, _) => (R::ZERO, End::Never),
            (_, true) => (t, end),
            _ => (self.length, if self.halts { End::Halt } else { End::Length }),
        }
    }

    fn until_curved(&self, state: &State<R>, stage: &Stage<R>, rises: bool) -> (R, End, State<R>) {
        let velocity = |state: &State<R>, [_, rise]: [R; 2]| [state[V], rise];
        let left = |state: &State<R>, [pace, rise]: [R; 2]| match stage.hypothesis {
            Hypothesis::Stronge => [stage.left(state), -state[V] * pace],
            Hypothesis::Poisson => [stage.left(state), -pace],
            Hypothesis::Newton => [stage.left(state), -rise],
        };
        let parts = if rises { 1 } else { PARTS };
        let (mut low, mut before) = (self.begin, *state);
        for part in 1..=parts {
            let high = self.begin + (self.length - self.begin) * R::from_f64(part as f64 / parts as f64);
            let after = self.at(high);
            let within = ([low, high], [&before, &after]);
            if stage.compressing {
                if after[V] >= R::ZERO {
                    let (t, state) = self.root(velocity, within);
                    return (t, End::Compressed, state);
                }
            } else {
                let over = stage.left(&after) <= R::ZERO;
                if !rises && after[V] < R::ZERO {
                    let (t, state) = self.root(velocity, within);
                    if !over || stage.left(&state) > R::ZERO {
                        return (t, End::Recompressed, state);
                    }
                }
                if over {
                    let (t, state) = self.root(left, within);
                    return (t, End::Over, state);
                }
            }
            (low, before) = (high, after);
        }
        (self.length, End::Length, before)
    }

    /// Where a function of the state that changes its sign between two places is zero, and the state there: Newton's
    /// method in a bracket. `f` gives value and derivative, from the derivatives of `I` and `v`.
    fn root(
        &self,
        f: impl Fn(&State<R>, [R; 2]) -> [R; 2],
        ([mut low, mut high], ends): ([R; 2], [&State<R>; 2]),
    ) -> (R, State<R>) {
        let [first, last] = ends.map(|state| f(state, [R::ZERO; 2])[0]);
        if first == last {
            return (high, *ends[1]);
        }
        let half = R::from_f64(0.5);
        let close = R::from_f64(R::EPSILON).sqrt() * R::from_f64(0.1);
        let mut t = low + (high - low) * (first / (first - last));
        for _ in 0..64 {
            let state = self.at(t);
            let [value, slope] = f(&state, self.contact.paces(&state));
            if (value > R::ZERO) == (last > R::ZERO) {
                high = t
            } else {
                low = t
            }
            let newton = t - value / slope;
            let inside = newton >= low && newton <= high;
            let moved = (newton - t).abs();
            t = if inside { newton } else { (low + high) * half };
            // The next step would be the square of this one.
            if inside && moved <= close * t || high - low <= R::from_f64(R::EPSILON) * high {
                break;
            }
        }
        (t, self.at(t))
    }
}
