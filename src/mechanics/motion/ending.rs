use schemars::JsonSchema;
use serde::Serialize;

/// The reason for which a motion ended. The motion until then is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MotionEnding {
    /// All steps were taken.
    Done,
    /// More collisions in one step than allowed: bodies come to rest, or lie on each other, which
    /// elastic impacts cannot show. With the inclusion these collisions accumulate.
    Zeno,
    /// The body turns by more than about a quarter turn in one step: no discrete rotation exists.
    NoRotation,
    /// A number overflowed or became NaN.
    NotFinite,
    /// The caller stopped the motion.
    Interrupted,
    /// More impacts and changes of contacts in one step than allowed, which do not accumulate.
    EventLimit,
    /// More work in one step than allowed: contacts close and open, or slide, without an end.
    Stalled,
    /// The law of impacts has no accepted outcome for an impact.
    Unresolved,
}

impl MotionEnding {
    /// Every ending.
    pub const ALL: [MotionEnding; 8] = [
        MotionEnding::Done,
        MotionEnding::Zeno,
        MotionEnding::NoRotation,
        MotionEnding::NotFinite,
        MotionEnding::Interrupted,
        MotionEnding::EventLimit,
        MotionEnding::Stalled,
        MotionEnding::Unresolved,
    ];

    /// Name in reports and `--json`.
    pub fn name(self) -> &'static str {
        self.words()[0]
    }

    /// Meaning of the ending, with advice.
    pub fn meaning(self) -> &'static str {
        self.words()[1]
    }

    fn words(self) -> [&'static str; 2] {
        match self {
            MotionEnding::Done => ["done", "all steps were taken"],
            MotionEnding::Zeno => [
                "zeno",
                "more collisions in one step than allowed: bodies nearly rest, or the limit is too small",
            ],
            MotionEnding::NoRotation => [
                "no-rotation",
                "the body turns by more than about a quarter turn in one step; take a smaller time step",
            ],
            MotionEnding::NotFinite => ["not-finite", "a number overflowed or became NaN"],
            MotionEnding::Interrupted => {
                ["interrupted", "interrupted; the report is about what was computed"]
            }
            MotionEnding::EventLimit => [
                "event-limit",
                "more impacts and changes of contacts in one step than allowed; take a smaller time_step, or with inclusion raise max_impacts",
            ],
            MotionEnding::Stalled => [
                "stalled",
                "more work in one step than allowed; take a smaller time_step, or integrator = \"midpoint\"",
            ],
            MotionEnding::Unresolved => [
                "unresolved",
                "the law has no accepted outcome for an impact; take another law, or another seed",
            ],
        }
    }
}
