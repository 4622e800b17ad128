//! What the compliant law says of its outcome.

use serde_json::{Value, json};

use super::motion::Track;
use crate::digits::short;
use crate::law::describe::{Describe, DescribeOutcome};
use crate::problem::ContactProblem;

/// The course of a compliant impact.
#[derive(Clone, Debug, PartialEq)]
pub struct CompliantDetails {
    /// The stiffness of each contact (m).
    pub stiffness: Vec<f64>,
    /// Time from the start of the impact to its end, in s.
    pub duration: f64,
    /// Number of integration steps.
    pub steps: usize,
    /// Largest penetration of each contact (m entries), in m.
    pub depth: Vec<f64>,
    /// Which part of the normal impulse of contact i comes before that of contact j (m, m): the
    /// chance that a part of the one, drawn at random, precedes a part of the other.
    /// `[i][j] + [j][i] = 1`, and 0.5 on the diagonal, where both contacts push.
    pub precedes: Vec<Vec<f64>>,
}

impl CompliantDetails {
    pub(super) fn new(problem: &ContactProblem, track: &Track, stiffness: Vec<f64>) -> Self {
        let m = problem.contact_count();
        let depth = |i: usize| track.states.iter().map(|y| -y[i]).fold(0.0, f64::max);
        let end = track.impulse();
        let before = |i: usize, j: usize| {
            if end[i] <= 0.0 || end[j] <= 0.0 {
                return 0.0;
            }
            let mut sum = 0.0;
            for pair in track.states.windows(2) {
                let part = |state: usize, contact: usize| pair[state][m + contact] / end[contact];
                sum += (part(1, i) - part(0, i)) * (1.0 - 0.5 * (part(0, j) + part(1, j)));
            }
            sum
        };
        CompliantDetails {
            stiffness,
            duration: track.times.last().copied().unwrap_or(0.0),
            steps: track.times.len() - 1,
            depth: (0..m).map(depth).collect(),
            precedes: (0..m).map(|i| (0..m).map(|j| before(i, j)).collect()).collect(),
        }
    }
}

impl Describe for CompliantDetails {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("stiffness", json!(self.stiffness)),
            ("duration", self.duration.into()),
            ("steps", self.steps.into()),
            ("depth", json!(self.depth)),
            ("precedes", json!(self.precedes)),
        ]
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let depth: Vec<String> = self.depth.iter().map(|x| short(*x)).collect();
        let mut lines = vec![
            ("duration", format!("{} s, {} steps", short(self.duration), self.steps)),
            ("depth, m", depth.join(", ")),
        ];
        if let [first, ..] = &self.precedes[..]
            && first.len() == 2
        {
            let share = (1e4 * first[1]).round() / 1e2;
            lines.push((
                "order",
                format!("{share} % of the first contact's impulse precedes the second's"),
            ));
        }
        lines
    }
}

impl DescribeOutcome for CompliantDetails {
    fn title(&self) -> String {
        "compliant".to_string()
    }
}
