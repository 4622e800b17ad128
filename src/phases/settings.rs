//! The tolerances of a sample, relative to `max|u-|`, and its limits.

/// Tolerances of velocities.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Largest estimated error of a step.
    pub error: f64,
    /// Normal velocities below this count as zero.
    pub land: f64,
    /// Slips below this count as zero in a decision.
    pub halt: f64,
    /// Slip below which a contact stops. A contact that begins to slide keeps a fixed direction of
    /// friction up to this slip; so does a contact whose direction turns by less before it stops.
    pub snap: f64,
}

impl Settings {
    /// Tolerances for an accuracy; contacts approach faster than the threshold `rest`.
    pub fn new(accuracy: f64, rest: f64) -> Self {
        let land = (accuracy / 6000.0).min(0.25 * rest);
        Settings { error: accuracy / 2.0, land, halt: accuracy / 600.0, snap: accuracy }
    }

    /// All tolerances, times a factor.
    pub fn wider(self, by: f64) -> Self {
        let Settings { error, land, halt, snap } = self;
        Settings { error: error * by, land: land * by, halt: halt * by, snap: snap * by }
    }
}

/// Number of steps in a block after which the tolerances grow; growth factor.
pub const PATIENCE: u32 = 150;
pub const WIDER: f64 = 3.0;

/// Most blocks of a sample.
pub const BLOCKS: u32 = 1000;

/// Limit of termination checks per sample, at the velocity that follows from the total impulse.
pub const CHECKS: u32 = 8;

/// Violation of the law by a step, as a fraction of `snap`, above which the step is also judged in
/// `PIECES` pieces: the residual check knows neither the course of held forces nor sharp turns.
pub const FINE: f64 = 0.5;
pub const PIECES: usize = 4;

/// Limit of repetitions of a step whose violation of the law exceeds `REFUSED` times `snap`.
pub const REFUSALS: u32 = 4;
pub const REFUSED: f64 = 2.0;

/// Limit of reductions of a step length because of the error.
pub const TRIALS: u32 = 21;

/// Largest turn of a sliding direction in the first step of a phase.
pub const TURN: f64 = 0.5;
