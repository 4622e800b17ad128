//! How a motion ended.

/// How a motion ended. What was computed before is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ending {
    /// All steps were taken.
    Done,
    /// More collisions in one step than allowed: bodies come to rest, or lie on each other, which
    /// elastic impacts cannot show. With the inclusion these collisions accumulate.
    Zeno,
    /// The body turns by more than about a quarter turn in one step: no discrete rotation exists.
    NoRotation,
    /// A number overflowed or became NaN.
    NotFinite,
    /// The caller stopped it.
    Interrupted,
    /// More impacts and changes of contacts in one step than allowed, which do not accumulate.
    EventLimit,
}

impl Ending {
    /// Every ending.
    pub const ALL: [Ending; 6] = [
        Ending::Done,
        Ending::Zeno,
        Ending::NoRotation,
        Ending::NotFinite,
        Ending::Interrupted,
        Ending::EventLimit,
    ];

    /// The name in reports and `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Done => "done",
            Ending::Zeno => "zeno",
            Ending::NoRotation => "no-rotation",
            Ending::NotFinite => "not-finite",
            Ending::Interrupted => "interrupted",
            Ending::EventLimit => "event-limit",
        }
    }

    /// What it means, and what helps.
    pub fn meaning(self) -> &'static str {
        match self {
            Ending::Done => "all steps were taken",
            Ending::Zeno => {
                "more collisions in one step than allowed: bodies nearly rest, or the limit is too small"
            }
            Ending::NoRotation => {
                "the body turns by more than about a quarter turn in one step; take a smaller time step"
            }
            Ending::NotFinite => "a number overflowed or became NaN",
            Ending::Interrupted => "interrupted; the report is about what was computed",
            Ending::EventLimit => {
                "more impacts and changes of contacts in one step than allowed; raise max_impacts, or take integrator = \"midpoint\""
            }
        }
    }
}
