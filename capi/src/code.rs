//! Return codes of functions, and codes in arrays.

use carom_core::error::ErrorKind;

/// How a call ended. `carom_last_error` has the message of the last call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
// C has no namespaces.
#[allow(clippy::enum_variant_names)]
pub enum Code {
    /// The call did what it says.
    CaromOk = 0,
    /// No sample was accepted, so there is no answer.
    CaromEmpty = 1,
    /// The call cannot be honoured: a pointer that is NULL, an option, an order of calls.
    CaromUsage = 2,
    /// The problem says something impossible, or its exact set takes too long.
    CaromInput = 3,
    /// A defect of carom, which leaves the handle without a problem. Please report its message.
    CaromDefect = 70,
}

impl From<ErrorKind> for Code {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Empty => Code::CaromEmpty,
            ErrorKind::Usage | ErrorKind::Device => Code::CaromUsage,
            ErrorKind::Input => Code::CaromInput,
            ErrorKind::Doubt | ErrorKind::Interrupted => Code::CaromDefect,
        }
    }
}

/// A sample ended: no contact approaches any more.
pub const TERMINATED: u8 = 0;
/// A contact still approaches after `max_steps` steps.
pub const STEP_LIMIT: u8 = 1;
/// A step was not solved; the velocity is the last valid one.
pub const UNSOLVED: u8 = 2;
/// A number overflowed; the velocity is the last valid one.
pub const NOT_FINITE: u8 = 3;
/// The sample took more work than one may; the velocity is the last valid one.
pub const BUDGET: u8 = 4;

/// A contact opens.
pub const LIFT: u8 = 0;
/// A contact stays closed and does not slip.
pub const STICK: u8 = 1;
/// A contact stays closed and slips along its tangent.
pub const SLIDE: u8 = 2;
/// A contact stays closed and slips against its tangent.
pub const SLIDE_BACK: u8 = 3;
