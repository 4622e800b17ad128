//! The promises of theorems for a problem: as JSON for scripts, as text for people.

use super::Version;
use super::schema::Finite;
use carom_analysis::Guarantee;
use carom_core::problem::ContactProblem;
use carom_core::text::{grouped, line, problem_line, short};
use schemars::JsonSchema;
use serde::Serialize;

/// The probabilities of failure for which steps are listed.
const FAILURES: [f64; 4] = [0.5, 0.1, 0.01, 0.001];
/// The gap and the probability of failure for which Lemma 1 is evaluated.
const GAP: f64 = 0.1;
const FAILURE: f64 = 0.01;

/// The promises as `carom guarantee --json` prints them; `null`: nothing is promised, or not
/// decided.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom guarantee --json` prints")]
pub struct Promises<'a> {
    #[serde(flatten)]
    version: Version,
    /// Name of the problem.
    name: &'a str,
    /// Whether the friction cones together are pointed.
    pointed: bool,
    net_force: NetForce,
    duration: Duration,
    time: Time,
    /// N s
    step: f64,
    steps: Steps,
    /// Whether each step has one solution; null: not known.
    unique: Option<bool>,
    samples: Samples,
}

/// The least net force of random impulses, in the kinetic metric.
#[derive(Serialize, JsonSchema)]
struct NetForce {
    value: f64,
    at_most: Finite,
    by_coordinates: f64,
}

/// The largest sum of the normal impulses of an impact.
#[derive(Serialize, JsonSchema)]
struct Duration {
    /// N s; of this impact.
    at_most: Finite,
    /// N s, over |v-|_M, whatever the velocity.
    per_speed: Finite,
}

/// The advance of time.
#[derive(Serialize, JsonSchema)]
struct Time {
    /// The sum s of time and normal impulses from which on time surely advances.
    after: Finite,
    /// The length of the forces that are no contact's, in the kinetic metric.
    acceleration: Option<f64>,
    /// Least rate of time per unit of s beyond; null where no acceleration is given.
    rate: Option<f64>,
}

/// The numbers of steps of impacts.
#[derive(Serialize, JsonSchema)]
struct Steps {
    mean: Finite,
    tail: [Tail; FAILURES.len()],
}

/// The number of steps in which an impact ends but for a probability.
#[derive(Serialize, JsonSchema)]
struct Tail {
    failure: f64,
    steps: Option<u64>,
}

/// The numbers of samples that suffice.
#[derive(Serialize, JsonSchema)]
struct Samples {
    sampler: &'static str,
    lemma: Vec<Lemma>,
}

/// Lemma 1 for a number of steps.
#[derive(Serialize, JsonSchema)]
struct Lemma {
    steps: u64,
    gap: f64,
    failure: f64,
    /// The decimal logarithm of the number of samples.
    log10_samples: f64,
}

impl<'a> Promises<'a> {
    /// The promises for a problem. `acceleration`: length of the non-contact acceleration in the
    /// kinetic metric.
    pub fn new(problem: &'a ContactProblem, found: &Guarantee, acceleration: Option<f64>) -> Self {
        let lemma = |steps| {
            let log10_samples = found.samples_for(steps, GAP, FAILURE);
            Lemma { steps, gap: GAP, failure: FAILURE, log10_samples }
        };
        let [at_most, per_speed, mean, force] =
            [found.duration, found.duration_per_speed, found.steps, found.force_at_most]
                .map(Finite);
        let after = Finite(found.duration_per_speed * found.speed);
        let rate = acceleration.map(|a| found.time_rate(a));
        let tail = FAILURES.map(|failure| Tail { failure, steps: found.steps_for(failure) });
        Promises {
            version: Version::default(),
            name: problem.name(),
            pointed: found.pointed,
            net_force: NetForce {
                value: found.force,
                at_most: force,
                by_coordinates: found.force_by_coordinates,
            },
            duration: Duration { at_most, per_speed },
            time: Time { after, acceleration, rate },
            step: found.step,
            steps: Steps { mean, tail },
            unique: found.unique,
            samples: Samples {
                sampler: "uniform",
                lemma: lengths(found).into_iter().map(lemma).collect(),
            },
        }
    }
}

/// The promises as text, each with its theorem and the assumptions of the theorem.
pub fn text(problem: &ContactProblem, found: &Guarantee, acceleration: Option<f64>) -> String {
    let mut text = String::new();
    line(&mut text, "problem", &problem_line(problem));
    let of =
        "the published steps (`--process steps`) with rates drawn by the sampler `uniform`, [HP23]";
    line(&mut text, "of", of);
    text.push('\n');
    let pointed = match found.pointed {
        true => "yes: no impulses of the contacts cancel each other (Assumption 2, checked)",
        false => {
            "no, or rounding cannot tell: contacts can jam, and nothing below is promised (Assumption 2)"
        }
    };
    line(&mut text, "pointed", pointed);
    let [force, weakest, linear] =
        [found.force, found.force_at_most, found.force_by_coordinates].map(short);
    let force = format!(
        "an impulse of 1 N s moves the velocity by {force} or more in the kinetic metric, kg^-1/2 (Lemma 6); the weakest found: {weakest}"
    );
    line(&mut text, "net force", &force);
    let by = "as the linear program of (77), in the units of the coordinates";
    line(&mut text, "", &format!("{linear} {by}"));
    if found.pointed {
        let [duration, per_speed] = [found.duration, found.duration_per_speed].map(short);
        let most = format!(
            "{duration} N s of normal impulse at most, of all contacts together, without a gain of energy (Theorem 3); {per_speed} N s for each m/s kg^1/2 of |v-|_M, whatever the velocity"
        );
        line(&mut text, "duration", &most);
        let rate = match acceleration.map(|a| [found.time_rate(a), a].map(short)) {
            None => format!(
                "1/(1 + {per_speed} a) of s or more, where forces change the velocity by a in 1 s, kg^1/2 m/s^2; --acceleration gives it"
            ),
            Some([rate, a]) => format!(
                "{rate} of s or more, where forces change the velocity by {a} in 1 s, kg^1/2 m/s^2"
            ),
        };
        let after = short(found.duration_per_speed * found.speed);
        let time = format!(
            "beyond s = {after}, the sum of time and normal impulses, time advances (Theorem 5, at this configuration) by {rate}"
        );
        line(&mut text, "time", &time);
        let [steps, step] = [found.steps, found.step].map(short);
        let mean = format!(
            "N0 = {steps} steps of {step} N s, of mean size: they use up the movement that energy allows (Theorem 8)"
        );
        line(&mut text, "ends after", &mean);
        let tail = |&failure: &f64| {
            let steps = grouped(found.steps_for(failure)?);
            Some(format!("{}: {steps}", short(1.0 - failure)))
        };
        let tail = FAILURES.iter().filter_map(tail).collect::<Vec<_>>().join(", ");
        line(&mut text, "", &format!("steps in which impacts end with probability {tail}"));
    }
    let unique = match found.unique {
        Some(true) => {
            "yes: every step has one outcome, up to a set of measure 0 (Assumption 6, by all pairs of critical regions)"
        }
        Some(false) => {
            "no: some steps have several outcomes, so Assumption 6 fails, and with it Lemma 1's promise"
        }
        None => "not decided: that is done for up to two planar inelastic contacts (Assumption 6)",
    };
    line(&mut text, "unique", unique);
    for steps in lengths(found) {
        let (count, share) = (found.samples_for(steps, GAP, FAILURE), 1.0 - FAILURE);
        let (key, of) = match steps {
            1 => ("samples", "1 step".to_string()),
            _ => ("", format!("{} steps", grouped(steps))),
        };
        let what = format!(
            "10^{count:.1} leave no gap above {GAP} in the rates of {of}, with probability {share}"
        );
        line(&mut text, key, &what);
    }
    let lemma = "(Lemma 1; gaps of outcomes: times a Lipschitz constant, which exists where steps are unique)";
    line(&mut text, "", lemma);
    text
}

/// The numbers of steps for which Lemma 1 is evaluated.
fn lengths(found: &Guarantee) -> Vec<u64> {
    let mean = found.steps.ceil();
    if mean > 1.0 && mean < 1e9 { vec![1, mean as u64] } else { vec![1] }
}
