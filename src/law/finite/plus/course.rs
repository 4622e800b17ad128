use serde::Serialize;

use carom_core::named;

named! {
    /// The phase of a contact throughout a round.
    pub enum ContactPhase {
        /// The contact approached at the start: its normal velocity is driven to 0.
        Compressing = "C",
        /// The contact returns part of the normal impulse of its compression.
        Expanding = "E",
        /// The contact did not approach: it gets no impulse.
        Observing = "O",
    }
}

named! {
    /// The mode of a contact's tangential impulse throughout an interval.
    pub enum TangentMode {
        /// The contact gets no impulse in this round.
        Observing = "observing",
        /// The contact is compressing, but gets no impulse in this interval: it would have to pull.
        Inactive = "inactive",
        /// The contact has no friction.
        Frictionless = "frictionless",
        /// Friction opposes the velocity at the start of the interval.
        Sliding = "sliding",
        /// The contact slides and its friction pulls it in: it slides on along its friction until
        /// sliding ends.
        Jammed = "jammed",
        /// Friction brings the velocity to 0.
        Rolling = "rolling",
        /// Friction cannot bring the small velocity to 0; it opposes the velocity at the end of the
        /// interval.
        Impending = "impending",
    }
}

/// An interval of a round, with all impulses in constant proportion.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundInterval {
    /// The applied fraction `alpha` of the impulse to the end of the round.
    pub share: f64,
    /// The mode of each contact (m).
    pub tangents: Vec<TangentMode>,
    /// The applied impulse in N s ((1+d) m), normals first.
    pub impulse: Vec<f64>,
    /// The contact velocity at the end in m/s ((1+d) m), normals first.
    pub velocity: Vec<f64>,
}

/// A round, with constant contact phases.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The phase of each contact (m).
    pub phases: Vec<ContactPhase>,
    /// The coefficient of restitution of each compressing contact; 0 for others (m).
    pub restitution: Vec<f64>,
    /// The impulse of the round in N s ((1+d) m), normals first.
    pub impulse: Vec<f64>,
    /// The intervals, at least one.
    pub intervals: Vec<RoundInterval>,
}

named! {
    /// How an impact ended.
    pub enum PlusEnd {
        /// Nothing approaches, and nothing is left to expand.
        Over = "over",
        /// The impact has [`MAX_ROUNDS`](super::MAX_ROUNDS) rounds,
        /// [`MAX_INTERVALS`](super::MAX_INTERVALS) intervals, or
        /// [`MAX_ASTRAY`](super::MAX_ASTRAY) that miss their conditions; or one compression and one
        /// expansion, where there are no more, and contacts approach.
        Limit = "limit",
        /// The work of the [`Limits`](crate::Limits) was spent.
        Budget = "budget",
        /// A round would apply no impulse although a contact approaches.
        Stuck = "stuck",
    }
}

/// A change of a contact's mode from one interval to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Transition {
    /// The round of the later interval, from 0 on.
    pub round: usize,
    /// The number of the later interval in its round, from 0 on.
    pub interval: usize,
    /// The contact.
    pub contact: usize,
    /// The mode before.
    pub from: TangentMode,
    /// The mode from then on.
    pub to: TangentMode,
}

/// The course of an impact.
#[derive(Clone, Debug, PartialEq)]
pub struct PlusCourse {
    /// The rounds, in their order.
    pub rounds: Vec<Round>,
    /// The reason for the end of the impact.
    pub end: PlusEnd,
    /// Number of intervals without an active set that satisfies all conditions.
    pub astray: usize,
    /// The largest violation of the conditions of an interval, over `max|u-|`.
    pub violation: f64,
}

impl PlusCourse {
    /// Number of intervals of all rounds.
    pub fn intervals(&self) -> usize {
        self.rounds.iter().map(|round| round.intervals.len()).sum()
    }

    /// Number of intervals in which a contact jams.
    pub fn jammed(&self) -> usize {
        let jams = |interval: &&RoundInterval| interval.tangents.contains(&TangentMode::Jammed);
        self.rounds.iter().flat_map(|round| &round.intervals).filter(jams).count()
    }

    /// The changes of contact modes.
    pub fn transitions(&self) -> Vec<Transition> {
        let intervals = self.rounds.iter().enumerate().flat_map(|(number, round)| {
            let intervals = round.intervals.iter().enumerate();
            intervals.map(move |(place, interval)| (number, place, interval))
        });
        let intervals: Vec<_> = intervals.collect();
        let mut found = Vec::new();
        for pair in intervals.windows(2) {
            let ((.., before), (round, interval, after)) = (pair[0], pair[1]);
            for (contact, (&from, &to)) in before.tangents.iter().zip(&after.tangents).enumerate() {
                if from != to {
                    found.push(Transition { round, interval, contact, from, to });
                }
            }
        }
        found
    }
}
