//! Report of a Darboux-Keller outcome: the course of the impact.

use serde_json::{Value, json};

use super::{ContactCourse, ContactMotion, ImpactEvent, InvariantDirection};
use crate::{Describe, DescribeOutcome};
use carom_core::short;

impl Describe for ContactCourse {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        let event = |event: &ImpactEvent| {
            json!({
                "event": event.kind.name(),
                "normal_impulse": event.impulse[0],
                "impulse": event.impulse,
                "contact_velocity": event.velocity,
            })
        };
        let phase = |(motion, [from, to]): &(ContactMotion, [f64; 2])| json!({ "motion": motion, "from": from, "to": to });
        let direction = |invariant: &InvariantDirection| {
            json!({
                "angle": invariant.angle,
                "direction": invariant.direction,
                "rate": invariant.rate,
                "slope": invariant.slope,
                "kind": invariant.kind(),
                "stable": invariant.stable(),
            })
        };
        let directions: Vec<Value> = self.invariant.iter().flatten().map(direction).collect();
        let letters: String = self.events.iter().map(|event| event.kind.letter()).collect();
        let [compression, restitution, friction] = self.work;
        vec![
            ("hypothesis", self.hypothesis.name().into()),
            ("restitution", self.restitution.into()),
            ("events", self.events.iter().map(event).collect()),
            ("event_sequence", letters.into()),
            ("phases", self.phases.iter().map(phase).collect()),
            ("every_direction_invariant", self.invariant.is_none().into()),
            ("invariant_directions", directions.into()),
            ("friction_to_stick", self.needed.into()),
            ("condition_18", json!({ "holds": self.margin > 0.0, "margin": self.margin })),
            (
                "energy",
                json!({
                    "compression": compression,
                    "restitution": restitution,
                    "friction": friction,
                    "change": restitution - compression + friction,
                }),
            ),
            ("hodograph", json!(self.hodograph)),
            ("impulse_curve", json!(self.curve)),
            ("arcs", self.arcs.into()),
        ]
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let (e, hypothesis) = (short(self.restitution), self.hypothesis.name());
        let phases: Vec<&str> = self.phases.iter().map(|(motion, _)| motion.name()).collect();
        let motion =
            if phases.is_empty() { "nothing approaches".to_string() } else { phases.join(", ") };
        let mut lines = vec![("restitution", format!("{e} ({hypothesis})")), ("motion", motion)];
        for (i, event) in self.events.iter().enumerate() {
            let head = if i == 0 { "events" } else { "" };
            lines.push((head, format!("{} at {} N s", event.kind.name(), short(event.impulse[0]))));
        }
        let (mu, needed) = (self.friction, self.needed);
        let able = if needed <= mu { "can" } else { "cannot" };
        let sticking = format!("{able}: needs a friction of {}, has {}", short(needed), short(mu));
        lines.push(("sticking", sticking));
        if self.invariant.is_none() {
            lines.push(("invariant", "every direction".to_string()));
        }
        for (i, invariant) in self.invariant.iter().flatten().enumerate() {
            let head = if i == 0 { "invariant" } else { "" };
            let stable = if invariant.stable() { "stable" } else { "unstable" };
            let degrees = short(invariant.angle.to_degrees());
            lines.push((head, format!("{degrees} degrees: {}, {stable}", invariant.kind())));
        }
        let holds = if self.margin > 0.0 { "holds" } else { "fails" };
        lines.push((
            "condition",
            format!("(18) of [JW16] {holds}, by {} 1/kg", short(self.margin.abs())),
        ));
        let [compression, restitution, friction] = self.work.map(short);
        let work =
            format!("compression {compression}, restitution {restitution}, friction {friction}");
        lines.push(("work, J", work));
        lines
    }
}

impl DescribeOutcome for ContactCourse {
    fn title(&self) -> String {
        "continuous".to_string()
    }
}
