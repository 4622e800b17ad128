use schemars::JsonSchema;
use serde::Serialize;

/// The laws for which a bound holds, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BoundKind {
    /// For the planar law with any order of impulses, inelastic or with Poisson's restitution, by
    /// the exact set.
    Exact,
    /// For the law with any order of impulses, inelastic or with Stronge's restitution.
    Certified,
    /// For every law that pushes within the friction cones and adds no energy.
    Conic,
    /// In place of [`BoundKind::Exact`] where the set is not tight: it encloses what it found.
    Enclosure,
}

impl BoundKind {
    /// The kinds that can be asked for.
    pub const ALL: [BoundKind; 3] = [BoundKind::Exact, BoundKind::Certified, BoundKind::Conic];

    /// The kind's name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            BoundKind::Exact => "exact",
            BoundKind::Certified => "certified",
            BoundKind::Conic => "conic",
            BoundKind::Enclosure => "enclosure",
        }
    }

    /// What exceeds the bound, and what may.
    pub fn excludes(self) -> &'static str {
        match self {
            BoundKind::Exact => {
                "no order of impulses of the planar law exceeds it, inelastic or with Poisson's restitution"
            }
            BoundKind::Certified => {
                "no order of impulses of the law exceeds it, inelastic or with Stronge's coefficient of restitution"
            }
            BoundKind::Conic => {
                "no law exceeds it that pushes within the friction cones, adds no energy and ends when no contact approaches, \
                 with or without restitution; laws that add energy may"
            }
            BoundKind::Enclosure => {
                "a set around motions without end, of the planar law, inelastic or with Poisson's restitution; \
                 outcomes need not go as far"
            }
        }
    }
}

/// A number that `c.v+` does not exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The laws for which the bound holds.
    pub kind: BoundKind,
    /// The number, in the units of `c.v`.
    pub value: f64,
    /// Whether the number is proved, rounding included; otherwise it is the solver's.
    pub certified: bool,
    /// Whether the bound follows from ranges of single coordinates alone, or from a search that was
    /// cut short; it may be far above what the set attains.
    pub by_ranges: bool,
    /// Whether an outcome attains the bound, but for rounding.
    pub attained: bool,
    /// The value of a proof that an outcome exceeds: the proof is wrong, and no bound is left.
    pub withdrawn: Option<f64>,
}

/// Excess over a bound, over `|c|_{M^-1} |v-|_M`, beyond which it is wrong: no sample errs so.
pub const WRONG: f64 = 1e-6;

impl Bound {
    /// A bound of which it is not known whether an outcome attains it.
    pub(super) fn new(kind: BoundKind, value: f64, certified: bool) -> Self {
        Bound { kind, value, certified, by_ranges: false, attained: false, withdrawn: None }
    }

    /// The bound, where it is an enclosure no larger than a proved bound of the same law.
    pub fn cut(self, proved: f64) -> Self {
        match self.kind {
            BoundKind::Enclosure => Bound { value: self.value.min(proved), ..self },
            _ => self,
        }
    }

    /// Whether the bound is proved and finite.
    pub fn is_proved(&self) -> bool {
        self.certified && self.value.is_finite()
    }

    /// The bound, unless an outcome exceeds it by more than `room`: then it is withdrawn.
    pub fn unless_passed(self, by: f64, room: f64) -> Self {
        match by - self.value > room {
            true => {
                let withdrawn = Some(self.value);
                Bound { value: f64::INFINITY, certified: false, withdrawn, ..self }
            }
            false => self,
        }
    }
}
