use serde::Serialize;
use serde_json::{Value, json};

use super::motion::{CompliantMotion, Track};
use crate::{Describe, DescribeOutcome};
use carom_core::{ContactProblem, short};

/// Limit of listed moments of a course, besides the last.
const MOMENTS: usize = 500;

/// A moment of a compliant impact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompliantMoment {
    /// Time since the start of the impact, in s.
    pub time: f64,
    /// Penetration of each contact (m), in m; below 0 where it is open.
    pub depth: Vec<f64>,
    /// Impulse until then in N s ((1+d) m), normals first.
    pub impulse: Vec<f64>,
    /// Contact velocity in m/s ((1+d) m), normals first.
    #[serde(rename = "contact_velocity")]
    pub velocity: Vec<f64>,
}

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
    /// Energy of the springs at the end, in J; it is lost.
    pub spring_energy: f64,
    /// The fraction of the normal impulse of contact i before the impulse of contact j (m, m): the
    /// probability that a random part of the first precedes a random part of the second.
    /// `[i][j] + [j][i] = 1`, and 0.5 on the diagonal, if both contacts have impulses.
    pub precedes: Vec<Vec<f64>>,
    /// Moments of the impact: every integration step, or a selection with the first and the last.
    pub course: Vec<CompliantMoment>,
}

impl CompliantDetails {
    pub(super) fn new(
        problem: &ContactProblem,
        motion: &CompliantMotion<'_>,
        track: &Track,
        stiffness: Vec<f64>,
    ) -> Self {
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
        let moment = |k: usize| CompliantMoment {
            time: track.times[k],
            depth: track.states[k].rows(0, m).iter().map(|gap| -gap).collect(),
            impulse: track.states[k].as_slice()[m..].to_vec(),
            velocity: motion.velocity(&track.states[k]).as_slice().to_vec(),
        };
        let last = track.states.len() - 1;
        let some = (0..last).step_by(1 + last / MOMENTS);
        CompliantDetails {
            course: some.chain([last]).map(moment).collect(),
            stiffness,
            duration: track.times.last().copied().unwrap_or(0.0),
            steps: track.times.len() - 1,
            depth: (0..m).map(depth).collect(),
            spring_energy: motion.spring_energy(&track.states[last]),
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
            ("spring_energy", self.spring_energy.into()),
            ("precedes", json!(self.precedes)),
            ("course", json!(self.course)),
        ]
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let depth: Vec<String> = self.depth.iter().map(|x| short(*x)).collect();
        let mut lines = vec![
            ("duration", format!("{} s, {} steps", short(self.duration), self.steps)),
            ("depth, m", depth.join(", ")),
            (
                "springs",
                format!("{} J are in them at the end, and lost", short(self.spring_energy)),
            ),
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
