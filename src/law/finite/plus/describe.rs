//! Report of a PLUS outcome: the course of the impact.

use serde_json::{Value, json};

use super::{ContactPhase, PlusCourse, Round, RoundInterval, TangentMode};
use crate::finite::describe::rest;
use crate::{Describe, DescribeOutcome};
use carom_core::short;

/// Limit of rounds and of changes of friction in the report's text.
const LISTED: usize = 20;

impl Round {
    /// The state of each contact's normal impulse in an interval.
    fn normals(&self, interval: &RoundInterval) -> Vec<&'static str> {
        let letter = |(phase, &tangent): (&ContactPhase, &TangentMode)| match tangent {
            TangentMode::Inactive => "-",
            _ => phase.name(),
        };
        self.phases.iter().zip(&interval.tangents).map(letter).collect()
    }
}

impl Describe for PlusCourse {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        let round = |round: &Round| {
            let interval = |interval: &RoundInterval| {
                json!({
                    "alpha": interval.share,
                    "normal": round.normals(interval),
                    "tangent": interval.tangents,
                    "impulse": interval.impulse,
                    "contact_velocity": interval.velocity,
                })
            };
            json!({
                "phases": round.phases,
                "restitution": round.restitution,
                "impulse": round.impulse,
                "interval_count": round.intervals.len(),
                "intervals": round.intervals.iter().map(interval).collect::<Vec<_>>(),
            })
        };
        vec![
            ("round_count", self.rounds.len().into()),
            ("interval_count", self.intervals().into()),
            ("end", self.end.name().into()),
            ("jammed", self.jammed().into()),
            ("violation", self.violation.into()),
            ("rounds", self.rounds.iter().map(round).collect()),
            ("transitions", json!(self.transitions())),
        ]
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        for (number, round) in self.rounds.iter().enumerate().take(LISTED) {
            let phases: String = round.phases.iter().map(|phase| phase.name()).collect();
            let m = round.phases.len();
            let normal: Vec<String> = round.impulse[..m].iter().map(|l| short(*l)).collect();
            let count = round.intervals.len();
            let s = if count == 1 { "" } else { "s" };
            let normal = normal.join(", ");
            lines.push((
                if number == 0 { "rounds" } else { "" },
                format!("{phases}: {count} interval{s}, normal impulses {normal} N s"),
            ));
        }
        lines.extend(rest(self.rounds.len(), LISTED));
        if self.jammed() > 0 {
            let count = self.jammed();
            let s = if count == 1 { "" } else { "s" };
            let what = format!(
                "{count} interval{s}: friction pulls a contact in, it slides to rest (not in the published law)"
            );
            lines.push(("jammed", what));
        }
        let mut transitions = self.transitions();
        transitions.retain(|t| ![t.from, t.to].contains(&TangentMode::Observing));
        for (number, t) in transitions.iter().take(LISTED).enumerate() {
            let head = if number == 0 { "friction" } else { "" };
            let (from, to) = (t.from.name(), t.to.name());
            let what = format!(
                "contact {} from {from} to {to} in round {}, interval {}",
                t.contact, t.round, t.interval
            );
            lines.push((head, what));
        }
        lines.extend(rest(transitions.len(), LISTED));
        lines
    }
}

impl DescribeOutcome for PlusCourse {
    fn title(&self) -> String {
        let rounds = self.rounds.len();
        format!("{rounds} round{}", if rounds == 1 { "" } else { "s" })
    }
}
