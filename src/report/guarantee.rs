//! The promises of theorems for a problem: as JSON for scripts, as text for people.

use std::fmt::Write;

use serde_json::{Value, json};

use carom_analysis::Guarantee;
use carom_core::problem::ContactProblem;
use carom_core::text::{grouped, line, problem_line, short};

/// The probabilities of failure for which steps are listed.
const FAILURES: [f64; 4] = [0.5, 0.1, 0.01, 0.001];
/// The gap and the probability of failure for which Lemma 1 is evaluated.
const GAP: f64 = 0.1;
const FAILURE: f64 = 0.01;

/// The promises as JSON, `schema_version` 1; `null`: nothing is promised, or not decided.
/// `log10_samples`: the decimal logarithm of Lemma 1's number of samples.
/// `acceleration`: of the forces that are no contact's, as a length in the kinetic metric.
pub fn json(problem: &ContactProblem, found: &Guarantee, acceleration: Option<f64>) -> Value {
    let finite = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let tail =
        FAILURES.map(|failure| json!({ "failure": failure, "steps": found.steps_for(failure) }));
    let lemma: Vec<Value> = lengths(found)
        .into_iter()
        .map(|steps| {
            json!({ "steps": steps, "gap": GAP, "failure": FAILURE, "log10_samples": found.samples_for(steps, GAP, FAILURE) })
        })
        .collect();
    json!({
        "schema_version": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "name": problem.name(),
        "pointed": found.pointed,
        "net_force": {
            "value": found.force, "at_most": finite(found.force_at_most), "by_coordinates": found.force_by_coordinates,
        },
        "duration": {
            "at_most": finite(found.duration), "per_speed": finite(found.duration_per_speed),
        },
        "time": {
            "after": finite(found.duration_per_speed * found.speed),
            "acceleration": acceleration,
            "rate": acceleration.map(|a| found.time_rate(a)),
        },
        "step": found.step,
        "steps": { "mean": finite(found.steps), "tail": tail },
        "unique": found.unique,
        "samples": { "sampler": "uniform", "lemma": lemma },
    })
}

/// The promises as text, each with its theorem and what it takes for granted.
pub fn text(problem: &ContactProblem, found: &Guarantee, acceleration: Option<f64>) -> String {
    let mut text = String::new();
    line(&mut text, "problem", &problem_line(problem));
    line(
        &mut text,
        "of",
        "the published steps (`--process steps`) with rates drawn by the sampler `uniform`, [HP23]",
    );
    let _ = writeln!(text);
    line(
        &mut text,
        "pointed",
        match found.pointed {
            true => "yes: no impulses of the contacts cancel each other (Assumption 2, checked)",
            false => {
                "no, or rounding cannot tell: contacts can jam, and nothing below is promised (Assumption 2)"
            }
        },
    );
    let force = format!(
        "an impulse of 1 N s moves the velocity by {} or more in the kinetic metric, kg^-1/2 (Lemma 6); the weakest found: {}",
        short(found.force),
        short(found.force_at_most)
    );
    line(&mut text, "net force", &force);
    let by = format!(
        "{} as the linear program of (77), in the units of the coordinates",
        short(found.force_by_coordinates)
    );
    line(&mut text, "", &by);
    if found.pointed {
        let most = format!(
            "{} N s of normal impulse at most, of all contacts together, without a gain of energy (Theorem 3); {} N s for each m/s kg^1/2 of |v-|_M, whatever the velocity",
            short(found.duration),
            short(found.duration_per_speed)
        );
        line(&mut text, "duration", &most);
        let rate = match acceleration {
            None => format!(
                "1/(1 + {} a) of s or more, where forces change the velocity by a in 1 s, kg^1/2 m/s^2; --acceleration gives it",
                short(found.duration_per_speed)
            ),
            Some(a) => format!(
                "{} of s or more, where forces change the velocity by {} in 1 s, kg^1/2 m/s^2",
                short(found.time_rate(a)),
                short(a)
            ),
        };
        let after = short(found.duration_per_speed * found.speed);
        let time = format!(
            "beyond s = {after}, the sum of time and normal impulses, time advances (Theorem 5, at this configuration) by {rate}"
        );
        line(&mut text, "time", &time);
        let mean = format!(
            "N0 = {} steps of {} N s, of mean size: they use up the movement that energy allows (Theorem 8)",
            short(found.steps),
            short(found.step)
        );
        line(&mut text, "ends after", &mean);
        let tail: Vec<String> = (FAILURES.iter())
            .filter_map(|&failure| {
                Some(format!("{}: {}", short(1.0 - failure), grouped(found.steps_for(failure)?)))
            })
            .collect();
        line(
            &mut text,
            "",
            &format!("steps in which impacts end with probability {}", tail.join(", ")),
        );
    }
    line(
        &mut text,
        "unique",
        match found.unique {
            Some(true) => {
                "yes: every step has one outcome, up to a set of measure 0 (Assumption 6, by all pairs of critical regions)"
            }
            Some(false) => {
                "no: some steps have several outcomes, so Assumption 6 fails, and with it Lemma 1's promise"
            }
            None => {
                "not decided: that is done for up to two planar inelastic contacts (Assumption 6)"
            }
        },
    );
    for steps in lengths(found) {
        let count = found.samples_for(steps, GAP, FAILURE);
        let of =
            if steps == 1 { "1 step".to_string() } else { format!("{} steps", grouped(steps)) };
        let what = format!(
            "10^{count:.1} leave no gap above {GAP} in the rates of {of}, with probability {}",
            1.0 - FAILURE
        );
        line(&mut text, if steps == 1 { "samples" } else { "" }, &what);
    }
    line(
        &mut text,
        "",
        "(Lemma 1; gaps of outcomes: times a Lipschitz constant, which exists where steps are unique)",
    );
    text
}

/// The numbers of steps for which Lemma 1 is evaluated.
fn lengths(found: &Guarantee) -> Vec<u64> {
    let mean = found.steps.ceil();
    if mean > 1.0 && mean < 1e9 { vec![1, mean as u64] } else { vec![1] }
}
