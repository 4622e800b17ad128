//! A piece of an impact as polynomials, and where it ends.

use crate::real::Real;

/// Order of the Taylor arcs.
pub const ORDER: usize = 20;
/// Terms of a Taylor arc.
pub const TERMS: usize = ORDER + 1;
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

/// A piece of an impact: polynomials in `t` from 0 to `length`.
#[derive(Clone, Debug)]
pub struct Arc<R> {
    /// Coefficients of each entry of the state, those of `t^k` in column `k`.
    pub terms: [[R; TERMS]; 8],
    /// Highest power.
    pub order: usize,
    /// Where it ends; [`Real::HUGE`]: never.
    pub length: R,
    /// What the contact does.
    pub motion: Motion,
    /// Whether the sliding velocity is zero at its end.
    pub halts: bool,
}

impl<R: Real> Arc<R> {
    /// The state at `t`.
    pub fn at(&self, t: R) -> State<R> {
        let mut state = [R::ZERO; 8];
        for k in (0..=self.order).rev() {
            for i in 0..8 {
                state[i] = state[i] * t + self.terms[i][k];
            }
        }
        state
    }

    /// The derivative of one entry of the state at `t`.
    pub(super) fn slope(&self, place: usize, t: R) -> R {
        let row = |k: usize| R::from_f64(k as f64) * self.terms[place][k];
        (1..=self.order).rev().fold(R::ZERO, |sum, k| sum * t + row(k))
    }
}

impl<R: Real> Arc<R> {
    /// Makes this the way from one state to a halt, over the normal impulse, as far as a picture of it needs: the chord,
    /// and for the sliding velocity the cubic with derivatives `first` and `last`.
    pub(super) fn sketch(&mut self, from: &State<R>, to: &State<R>, first: [R; 2], last: [R; 2]) {
        let length = to[I] - from[I];
        for i in 0..8 {
            let slope = (to[i] - from[i]) / length;
            [self.terms[i][0], self.terms[i][1], self.terms[i][2], self.terms[i][3]] =
                [from[i], slope, R::ZERO, R::ZERO];
        }
        for k in 0..2 {
            let chord = self.terms[G + k][1];
            self.terms[G + k][1] = first[k];
            self.terms[G + k][2] = (chord + chord + chord - first[k] - first[k] - last[k]) / length;
            self.terms[G + k][3] = (first[k] + last[k] - chord - chord) / length / length;
        }
        (self.order, self.length, self.motion, self.halts) = (3, length, Motion::Slip, true);
    }
}

/// How the end of the impact is found from its phases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Hypothesis {
    /// Energies: restitution returns `e^2` of the work of compression.
    #[default]
    Stronge,
    /// Impulses: that of restitution is `e` times that of compression.
    Poisson,
    /// Velocities: the last is `-e` times the first.
    Newton,
}

impl Hypothesis {
    /// Every hypothesis.
    pub const ALL: [Hypothesis; 3] = [Hypothesis::Stronge, Hypothesis::Poisson, Hypothesis::Newton];

    /// The name that the command line and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            Hypothesis::Stronge => "stronge",
            Hypothesis::Poisson => "poisson",
            Hypothesis::Newton => "newton",
        }
    }
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

impl<R: Real> Arc<R> {
    /// Where this arc ends in a phase of the impact, and why. `rises`: the normal velocity surely does.
    pub fn until(&self, stage: &Stage<R>, rises: bool) -> (R, End) {
        if self.order <= 2 { self.until_straight(stage) } else { self.until_curved(stage, rises) }
    }

    /// Of an arc whose parameter is the normal impulse.
    fn until_straight(&self, stage: &Stage<R>) -> (R, End) {
        let (v, rise) = (self.terms[V][0], self.terms[V][1]);
        // The normal velocity is zero: coming from below, or from above.
        let crossing = if rise * v < R::ZERO { -v / rise } else { R::HUGE };
        let (t, end) = if stage.compressing {
            (crossing, End::Compressed)
        } else {
            let owed = stage.owed;
            let t = match stage.hypothesis {
                Hypothesis::Stronge => {
                    // owed + E - v t - rise t^2/2 = 0
                    let left = owed + self.terms[E][0];
                    let root = v * v + (left + left) * rise;
                    let below = v + root.max(R::ZERO).sqrt();
                    if root < R::ZERO || below <= R::ZERO { R::HUGE } else { (left + left) / below }
                }
                Hypothesis::Poisson => owed - (self.terms[I][0] - stage.from),
                Hypothesis::Newton if owed <= v => R::ZERO,
                Hypothesis::Newton if rise > R::ZERO => (owed - v) / rise,
                Hypothesis::Newton => R::HUGE,
            };
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

    fn until_curved(&self, stage: &Stage<R>, rises: bool) -> (R, End) {
        let velocity = &self.terms[V];
        let rest = match (stage.compressing, stage.hypothesis) {
            (true, _) => *velocity,
            (_, Hypothesis::Stronge) => {
                let mut c = self.terms[E];
                c[0] += stage.owed;
                c
            }
            (_, Hypothesis::Poisson) => {
                let mut c = self.terms[I].map(|c| -c);
                c[0] += stage.owed + stage.from;
                c
            }
            (_, Hypothesis::Newton) => {
                let mut c = velocity.map(|c| -c);
                c[0] += stage.owed;
                c
            }
        };
        let parts = if rises { 1 } else { PARTS };
        let mut low = R::ZERO;
        for part in 1..=parts {
            let high = self.length * R::from_f64(part as f64 / parts as f64);
            if stage.compressing {
                if value(velocity, high) >= R::ZERO {
                    return (root(velocity, low, high), End::Compressed);
                }
            } else {
                let over = value(&rest, high) <= R::ZERO;
                if !rises && value(velocity, high) < R::ZERO {
                    let t = root(velocity, low, high);
                    if !over || value(&rest, t) > R::ZERO {
                        return (t, End::Recompressed);
                    }
                }
                if over {
                    return (root(&rest, low, high), End::Over);
                }
            }
            low = high;
        }
        (self.length, End::Length)
    }
}

/// A polynomial at `t`.
fn value<R: Real>(c: &[R; TERMS], t: R) -> R {
    c.iter().rev().fold(R::ZERO, |sum, &c| sum * t + c)
}

/// The place in `[low, high]` where a polynomial that changes its sign there is zero: Newton's method in a bracket.
fn root<R: Real>(c: &[R; TERMS], mut low: R, mut high: R) -> R {
    let (first, last) = (value(c, low), value(c, high));
    if first == last {
        return high;
    }
    let half = R::from_f64(0.5);
    let close = R::from_f64(R::EPSILON).sqrt() * R::from_f64(0.1);
    let mut t = low + (high - low) * (first / (first - last));
    for _ in 0..64 {
        let (mut f, mut slope) = (R::ZERO, R::ZERO);
        for &c in c.iter().rev() {
            slope = slope * t + f;
            f = f * t + c;
        }
        if (f > R::ZERO) == (last > R::ZERO) {
            high = t
        } else {
            low = t
        }
        let newton = t - f / slope;
        let inside = newton >= low && newton <= high;
        let moved = (newton - t).abs();
        t = if inside { newton } else { (low + high) * half };
        // The next step would be the square of this one.
        if inside && moved <= close * t || high - low <= R::from_f64(R::EPSILON) * high {
            break;
        }
    }
    t
}
