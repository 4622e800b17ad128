//! Which process a law runs on a problem.

/// The processes that make samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcessKind {
    /// Steps of impulse, each a complementarity problem, without restitution and uncertain numbers.
    Steps,
    /// The same steps with restitution or with numbers that each sample draws.
    Bouncing,
    /// A differential inclusion over impulse, integrated: circular friction cones, restitution, uncertain numbers.
    Inclusion,
    /// One single impact or reflection after the other, in random order.
    RandomOrder,
}

impl ProcessKind {
    /// The name that reports, JSON and files use: the two processes by steps share one.
    pub fn name(self) -> &'static str {
        match self {
            ProcessKind::Steps | ProcessKind::Bouncing => "steps",
            ProcessKind::Inclusion => "inclusion",
            ProcessKind::RandomOrder => "random-order",
        }
    }
}
