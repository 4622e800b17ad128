//! The status with which a sample ended. The codes are shared with the shaders and written to
//! files.

use schemars::JsonSchema;
use serde::Serialize;

/// The status with which a sample ended.
///
/// The discriminant is the code that files and shaders carry; 0 means that the impact is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Status {
    /// No contact approaches any more: the impact is over.
    Terminated = 0,
    /// A contact still approaches after `max_steps` steps.
    StepLimit = 1,
    /// The complementarity problem of a step was not solved; the velocity is the last valid one.
    Unsolved = 2,
    /// A number overflowed or became NaN; the velocity is the last valid one.
    NotFinite = 3,
    /// The sample took more work than one may; the velocity is the last valid one.
    Budget = 4,
}

impl Status {
    /// Every status, in the order of the codes.
    pub const ALL: [Status; 5] = {
        use Status::*;
        [Terminated, StepLimit, Unsolved, NotFinite, Budget]
    };

    /// The name in files and `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Terminated => "terminated",
            Status::StepLimit => "step-limit",
            Status::Unsolved => "unsolved",
            Status::NotFinite => "not-finite",
            Status::Budget => "budget",
        }
    }

    /// The code in files and shaders.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The status of a code; an unknown code reads as [`Status::Unsolved`].
    pub fn from_code(code: u32) -> Status {
        *Status::ALL.get(code as usize).unwrap_or(&Status::Unsolved)
    }
}
