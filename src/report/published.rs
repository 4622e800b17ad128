//! Statements of \[HP23\] on its figures, and the same statements evaluated on samples.

use carom_analysis::sampled_set::SampledSet;
use carom_analysis::{ExactSet, possible_modes};
use carom_core::outcome::{Mode, Summary};
use carom_core::text::percent;

/// Distance from an exact set, in units of `|v-|_M`, from which on a velocity lies outside.
const OUTSIDE: f64 = 1e-6;

/// A published set.
pub struct Published {
    /// The scene.
    pub scene: &'static str,
    /// The figure.
    pub figure: &'static str,
    /// Axes of panels; empty: panels of the scene and of each contact.
    pub axes: &'static [&'static str],
    /// LCPs per sample, Table 3.
    pub problems: f64,
    /// Statements of the text on the outcomes.
    pub claims: &'static [Claim],
    /// Why carom differs.
    pub differs: &'static str,
}

/// A statement of the text on an outcome.
pub struct Claim {
    /// The outcome.
    pub outcome: &'static str,
    /// Whether it occurs, in the paper.
    pub occurs: bool,
    /// Mode words, a letter for each contact: L lift, S stick, + and - slide, s slide either way,
    /// . any mode.
    pub modes: &'static [&'static str],
}

const fn occurs(outcome: &'static str, modes: &'static [&'static str]) -> Claim {
    Claim { outcome, occurs: true, modes }
}

const fn never(outcome: &'static str, modes: &'static [&'static str]) -> Claim {
    Claim { outcome, occurs: false, modes }
}

/// The sets of \[HP23\] Sec. 5.4, except Fig. 12.
pub const PUBLISHED: [Published; 6] = [
    Published {
        scene: "rocking-block",
        figure: "Fig. 9",
        axes: &[],
        problems: 2.67,
        claims: &[
            occurs("comes to rest", &["SS"]),
            occurs("pivots on the left corner", &["SL"]),
            occurs("pivots on the right corner", &["LS"]),
        ],
        differs: "The published mean of LCPs is larger; why is not known. A solver with errors above the \
                  termination test, 1e-8, would need more steps to pass it.",
    },
    Published {
        scene: "compass-gait",
        figure: "Fig. 10",
        axes: &[],
        problems: 2.27,
        claims: &[
            occurs("both feet stick", &["SS"]),
            occurs("leading sticks, trailing slides", &["Ss"]),
            occurs("leading sticks, trailing lifts", &["SL"]),
            occurs("leading lifts, trailing stays on the ground", &["LS", "Ls"]),
        ],
        differs: "Steps with several solutions are why shares and means of LCPs depend on \
                  the solver: carom chooses among the solutions at random, as the published set suggests; \
                  Lemke's method alone (--solution lemke) makes one point of this set.",
    },
    Published {
        scene: "box-and-wall",
        figure: "Fig. 11",
        axes: &[],
        problems: 1.97,
        claims: &[
            occurs("comes to rest", &["SS"]),
            occurs("slides on the floor, leaves the wall", &["sL"]),
            occurs("slides along the wall", &["Ss", "ss"]),
        ],
        differs: "The steps, of 2 N s, take an impulse far larger than that of the impact: \
                  they end most samples in one step, at rest, and reach few of the law's outcomes. The published mean \
                  of LCPs is larger, as for Fig. 9.",
    },
    Published {
        scene: "ramone",
        figure: "Fig. 13",
        axes: &[],
        problems: 3.20,
        claims: &[
            occurs("both feet stick", &["SS"]),
            occurs("leading sticks, trailing slides", &["Ss"]),
            occurs("leading sticks, trailing lifts", &["SL"]),
            never("leading slides or lifts", &["L.", "s."]),
        ],
        differs: "Every step has several solutions; Lemke's method alone (--solution lemke) lets both feet \
                  stick. The published mean of LCPs is larger, as for Fig. 9.",
    },
    Published {
        scene: "disk-stack-as-published",
        figure: "Fig. 14",
        axes: DISKS,
        problems: 9.04,
        claims: CLAIMS_OF_DISKS,
        differs: "The code behind the figure has two slips, which this scene keeps: disks of mass 5, and tangents \
                  that are not perpendicular to the normals between disks. In carom no disk then leaves the ground \
                  and none slides on the top disk, though the text says that they do; without the slips, below, \
                  both occur. Many samples do not end within the 10 published steps.",
    },
    Published {
        scene: "disk-stack",
        figure: "Fig. 14, as the text states it",
        axes: DISKS,
        problems: 9.04,
        claims: CLAIMS_OF_DISKS,
        differs: "Mass 1 and tangents at right angles. Impacts end after fewer steps. The top disk may lose both \
                  contacts, which the text did not meet; it leaves open whether its samples cover all outcomes.",
    },
];

/// The text compares the normal velocities of both sides, and the contact velocity of each contact.
const DISKS: &[&str] = &[
    "top-left.normal,top-right.normal",
    "floor-left.normal,floor-right.normal",
    "floor-left.tangent,floor-left.normal",
    "top-left.tangent,top-left.normal",
];

/// The contacts are floor-left, floor-right, top-left, top-right and left-right.
const CLAIMS_OF_DISKS: &[Claim] = &[
    never("the top disk keeps no contact", &["..LL."]),
    never("both lower disks leave the ground", &["LL..."]),
    occurs("the top disk keeps one contact and slides on it", &["..sL.", "..Ls."]),
    occurs("a lower disk leaves the ground", &["L....", ".L..."]),
];

impl Claim {
    /// Whether the modes (m) match the outcome.
    fn holds(&self, modes: &[Mode]) -> bool {
        let is = |letter: char, mode: Mode| match letter {
            'L' => mode == Mode::Lift,
            'S' => mode == Mode::Stick,
            's' => matches!(mode, Mode::Slide | Mode::SlideBack),
            _ => true,
        };
        let is_word = |word: &&str| word.chars().zip(modes).all(|(letter, mode)| is(letter, *mode));
        self.modes.iter().any(is_word)
    }

    fn share(&self, set: &SampledSet) -> String {
        share(set, |at| self.holds(&set.modes_of(at)))
    }

    /// Whether an exact set, or else the samples, have this outcome.
    fn is_met(&self, exact: Option<&ExactSet>, set: &SampledSet) -> bool {
        match exact {
            Some(exact) => {
                (possible_modes(set.problem(), exact).iter()).any(|found| self.holds(&found.modes))
            }
            None => (0..set.len()).any(|at| self.holds(&set.modes_of(at))),
        }
    }

    fn of_law(&self, exact: Option<&ExactSet>, set: &SampledSet) -> String {
        let of_set = match exact.map(|_| self.is_met(exact, set)) {
            Some(true) => "in the set; ",
            Some(false) => "not in the set; ",
            None => "",
        };
        format!("{of_set}{}", self.share(set))
    }
}

/// The share of samples for whose index a predicate holds, as text.
fn share(set: &SampledSet, holds: impl Fn(usize) -> bool) -> String {
    let with = (0..set.len()).filter(|at| holds(*at)).count();
    format!("{} of the samples", percent(with as u64, set.len() as u64))
}

/// A run and the set of its accepted samples.
pub type Sampled<'a> = (&'a Summary, &'a SampledSet);

impl Published {
    /// Rows of a table: quantity, paper, published steps, law. Statements on the law use the exact
    /// set if known.
    pub fn rows(
        &self,
        (steps, by_steps): Sampled<'_>,
        (law, by_law): Sampled<'_>,
        exact: Option<&ExactSet>,
    ) -> Vec<[String; 4]> {
        let row = |what: &str, paper: &str, steps: String, law: String| {
            [what.to_string(), paper.to_string(), steps, law]
        };
        let mean = steps.steps_sum as f64 / steps.samples as f64;
        let endless = |run: &Summary| percent(run.samples - run.terminated(), run.samples);
        let published = format!("{:.2}", self.problems);
        let mut rows = vec![
            row("LCPs per sample (Table 3)", &published, format!("{mean:.2}"), String::new()),
            row("samples without an end", "", endless(steps), endless(law)),
        ];
        rows.extend(self.claims.iter().map(|claim| {
            let law = claim.of_law(exact, by_law);
            let paper = if claim.occurs { "yes" } else { "never" };
            row(claim.outcome, paper, claim.share(by_steps), law)
        }));
        let others = |set: &SampledSet| {
            share(set, |at| !self.claims.iter().any(|claim| claim.holds(&set.modes_of(at))))
        };
        rows.push(row("none of these", "", others(by_steps), others(by_law)));
        rows.extend(exact.map(|exact| {
            let outside =
                |set: &SampledSet| share(set, |at| !exact.contains(set.velocity(at), OUTSIDE));
            row("outside of the exact set", "", outside(by_steps), outside(by_law))
        }));
        rows
    }
    /// Statements of the paper that the law contradicts, and the reason for differences.
    pub fn differences(&self, by_law: &SampledSet, exact: Option<&ExactSet>) -> String {
        let other = |claim: &&Claim| claim.is_met(exact, by_law) != claim.occurs;
        let others: Vec<&str> =
            self.claims.iter().filter(other).map(|claim| claim.outcome).collect();
        match others[..] {
            [] => format!("The law has the outcomes of the text. {}", self.differs),
            _ => {
                format!("The law differs from the text in: {}. {}", others.join("; "), self.differs)
            }
        }
    }
}
