//! The tolerances of a sample, as parts of `max|u-|`, and its limits.

/// Tolerances of velocities.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Largest error of a step, as estimated.
    pub error: f64,
    /// Normal velocities below this count as zero.
    pub land: f64,
    /// Slips below this count as zero where a decision is due.
    pub halt: f64,
    /// A contact stops where its slip falls below this, and begins to slide with a fixed direction
    /// until its slip is this; friction keeps its direction where it turns by less until a stop.
    pub snap: f64,
}

impl Settings {
    /// The tolerances of an accuracy, where contacts count as approaching from `rest` on.
    pub fn new(accuracy: f64, rest: f64) -> Self {
        let land = (accuracy / 6000.0).min(0.25 * rest);
        Settings { error: accuracy, land, halt: accuracy / 600.0, snap: accuracy }
    }

    /// All tolerances, larger by a factor.
    pub fn wider(self, by: f64) -> Self {
        let Settings { error, land, halt, snap } = self;
        Settings { error: error * by, land: land * by, halt: halt * by, snap: snap * by }
    }
}

/// Steps of a block after which tolerances grow, and by how much.
pub const PATIENCE: u32 = 150;
pub const WIDER: f64 = 3.0;

/// Most blocks of a sample.
pub const BLOCKS: u32 = 1000;

/// Most ends of a sample that are checked with the velocity that its impulse leads to.
pub const CHECKS: u32 = 8;

/// A step is judged in this many pieces where a sliding direction turns by more than this (sine).
pub const PIECES: usize = 4;
pub const TURNS: f64 = 0.1;

/// Most times that a step is taken again because it violates the law by more than this multiple of
/// `snap`.
pub const REFUSALS: u32 = 4;
pub const REFUSED: f64 = 2.0;

/// Most trials of a step whose error is too large.
pub const TRIALS: u32 = 21;

/// Most turn of a sliding direction in the first step of a phase.
pub const TURN: f64 = 0.5;
