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
    /// Kinds that a request may name.
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

    /// Laws that cannot exceed the bound, and laws that may.
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

/// Upper bound on `c.v+`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Laws for which the bound holds.
    pub kind: BoundKind,
    /// Bound in the units of `c.v`.
    pub value: f64,
    /// Whether the value is proved, rounding included; otherwise it is the solver's.
    pub certified: bool,
    /// Whether the bound rests on ranges of single coordinates alone, or on a truncated search; it
    /// may be far above the maximum over the set.
    pub by_ranges: bool,
    /// Whether an outcome attains the bound up to rounding.
    pub attained: bool,
    /// Value of a refuted proof, exceeded by an outcome; no bound is left.
    pub withdrawn: Option<f64>,
}

/// Relative excess over a bound, in units of `|c|_{M^-1} |v-|_M`, that refutes it: the error of
/// samples is smaller.
pub const WRONG: f64 = 1e-6;

impl Bound {
    /// Bound not known to be attained.
    pub(super) fn new(kind: BoundKind, value: f64, certified: bool) -> Self {
        Bound { kind, value, certified, by_ranges: false, attained: false, withdrawn: None }
    }

    /// For an enclosure, the minimum with a proved bound of the same law; other bounds unchanged.
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

    /// The bound, withdrawn if an outcome exceeds it by more than `room`.
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
