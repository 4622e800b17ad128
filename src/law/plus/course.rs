//! The course of an impact: its rounds, their intervals, and what each contact did in them.

/// What a contact does throughout a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It approached at the start: its normal velocity is driven to 0.
    Compressing,
    /// It returns part of the normal impulse of its compression.
    Expanding,
    /// It did not approach: it gets no impulse.
    Observing,
}

impl Phase {
    /// The letter that reports and `--json` use.
    pub fn letter(self) -> &'static str {
        match self {
            Phase::Compressing => "C",
            Phase::Expanding => "E",
            Phase::Observing => "O",
        }
    }
}

/// What the tangential impulse of a contact does throughout an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangent {
    /// The contact gets no impulse in this round.
    Observing,
    /// The contact is compressing, but gets no impulse in this interval: it would have to pull.
    Inactive,
    /// There is no friction.
    Frictionless,
    /// Friction opposes the velocity at the start of the interval.
    Sliding,
    /// It slides too, and its friction pulls it in: it goes on along that until it slides no more.
    Jammed,
    /// Friction brings the velocity to 0.
    Rolling,
    /// Friction cannot bring the small velocity to 0; it opposes that at the end of the interval.
    Impending,
}

impl Tangent {
    /// The name that reports and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            Tangent::Observing => "observing",
            Tangent::Inactive => "inactive",
            Tangent::Frictionless => "frictionless",
            Tangent::Sliding => "sliding",
            Tangent::Jammed => "jammed",
            Tangent::Rolling => "rolling",
            Tangent::Impending => "impending",
        }
    }
}

/// An interval of a round, in which all impulses grow in proportion.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// The share `alpha` of the impulse to the end of the round that was applied.
    pub share: f64,
    /// What each contact did (m).
    pub tangents: Vec<Tangent>,
    /// The impulse that was applied in N s ((1+d) m), normals first.
    pub impulse: Vec<f64>,
}

/// A round, in which no contact changes its phase.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The phase of each contact (m).
    pub phases: Vec<Phase>,
    /// The coefficient of restitution of each compressing contact; 0 of the others (m).
    pub restitution: Vec<f64>,
    /// The impulse of the round in N s ((1+d) m), normals first.
    pub impulse: Vec<f64>,
    /// The intervals, at least one.
    pub intervals: Vec<Interval>,
}

/// How an impact ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing approaches, and nothing is left to expand.
    Over,
    /// It has [`MAX_ROUNDS`](super::MAX_ROUNDS) rounds or [`MAX_INTERVALS`](super::MAX_INTERVALS)
    /// intervals.
    Limit,
    /// The [`Effort`](crate::law::Effort) was over.
    Effort,
    /// A round would apply no impulse although a contact approaches.
    Stuck,
}

/// Where a contact began to do something else, from one interval to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The round of the later interval, from 0 on.
    pub round: usize,
    /// Its number in the round, from 0 on.
    pub interval: usize,
    /// The contact.
    pub contact: usize,
    /// What it did before.
    pub from: Tangent,
    /// What it does from then on.
    pub to: Tangent,
}

/// What happened during an impact.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The rounds, in their order.
    pub rounds: Vec<Round>,
    /// How it ended.
    pub end: End,
    /// Number of intervals for which no active set was found that meets all conditions.
    pub astray: usize,
    /// The largest violation of the conditions of an interval, over `max|u-|`.
    pub violation: f64,
}

impl Course {
    /// Number of intervals of all rounds.
    pub fn intervals(&self) -> usize {
        self.rounds.iter().map(|round| round.intervals.len()).sum()
    }

    /// Number of intervals in which a contact jams.
    pub fn jammed(&self) -> usize {
        let jams = |interval: &&Interval| interval.tangents.contains(&Tangent::Jammed);
        self.rounds.iter().flat_map(|round| &round.intervals).filter(jams).count()
    }

    /// Where contacts began to do something else.
    pub fn transitions(&self) -> Vec<Transition> {
        let intervals = self.rounds.iter().enumerate().flat_map(|(number, round)| {
            round
                .intervals
                .iter()
                .enumerate()
                .map(move |(place, interval)| (number, place, interval))
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
