//! One spatial contact with circular Coulomb friction and restitution: the theory of Darboux and Keller.

use serde_json::{Value, json};

use super::arc::{Arc, End, Motion};
use super::describe::{Describe, DescribeOutcome};
use super::hodograph::{Contact, Impact};
use super::invariant::{Invariant, invariant_directions};
use super::outcome::{Outcome, OutcomeSet};
use super::restitution::{Hypothesis, shared_coefficient};
use crate::digits::short;
use crate::error::{Error, Result};
use crate::problem::ContactProblem;
use crate::status::Status;

/// The Darboux-Keller law: normal impulse as time, Coulomb's law at every instant.
///
/// ```text
/// u' = W (1, p'),  p' = -mu g/|g| while the contact slips, whatever holds it while it sticks (at most mu)
/// compression until u_n = 0, restitution until  -int u_n dI = e^2 E_c   (Stronge)
///                                               I = (1 + e) I_c         (Poisson)
///                                               u_n = -e u_n-           (Newton)
/// ```
///
/// The tangent rows `t1`, `t2` and the normal form a right-handed orthonormal frame. A contact that does not approach is
/// left alone. Restitution left out of the file is 0.
/// Source: \[JW16\] Sec. 2 and 6. Deviations: (15) is not converged; Algorithm 1's tests for equality are sign changes
/// with the place found; its event `l` is none, because an invariant direction is reached only asymptotically;
/// a second compression, possible where (18) fails, owes its own share.
/// Guarantee: ends for every positive definite `W`, see [`Contact::impact`]; otherwise [`Status::StepLimit`].
/// Accuracy: about 1e-11; checked for every outcome: rates at the end of each arc, energy balance, momentum, cone, law of
/// restitution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DarbouxKeller {
    /// What ends restitution.
    pub hypothesis: Hypothesis,
    /// Coefficient of restitution; `None`: the problem's, else 0.
    pub restitution: Option<f64>,
}

impl Default for DarbouxKeller {
    fn default() -> Self {
        DarbouxKeller { hypothesis: Hypothesis::Stronge, restitution: None }
    }
}

/// What happens at one moment of an impact, in SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// What.
    pub kind: EventKind,
    /// Impulse so far `(n, t1, t2)`; its first entry is the moment.
    pub impulse: [f64; 3],
    /// Contact velocity `(n, t1, t2)`.
    pub velocity: [f64; 3],
}

/// The events of an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Sliding halts.
    SlipEnds,
    /// The normal velocity rises to zero.
    CompressionEnds,
    /// The normal velocity falls to zero while restitution lasts.
    CompressionResumes,
    /// The impact is over.
    RestitutionEnds,
}

impl EventKind {
    /// The name that reports and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::SlipEnds => "slip-ends",
            EventKind::CompressionEnds => "compression-ends",
            EventKind::CompressionResumes => "compression-resumes",
            EventKind::RestitutionEnds => "restitution-ends",
        }
    }

    /// The letter of \[JW16\] Sec. 6: `s`, `c`, `r`; `d` where compression resumes.
    pub fn letter(self) -> char {
        match self {
            EventKind::SlipEnds => 's',
            EventKind::CompressionEnds => 'c',
            EventKind::CompressionResumes => 'd',
            EventKind::RestitutionEnds => 'r',
        }
    }
}

/// What happened during an impact, in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// What ended restitution.
    pub hypothesis: Hypothesis,
    /// The coefficient of restitution.
    pub restitution: f64,
    /// The coefficient of friction.
    pub friction: f64,
    /// The events, in their order.
    pub events: Vec<Event>,
    /// What the contact did, with the normal impulse at the beginning and at the end.
    pub phases: Vec<(Motion, [f64; 2])>,
    /// The invariant directions, by angle; `None`: every direction is one.
    pub invariant: Option<Vec<Invariant>>,
    /// The friction `|B^-1 d|` that sticking needs; at most `mu` where it is possible.
    pub needed: f64,
    /// `W_nn - mu |d|` in 1/kg: the margin of \[JW16\] (18), which holds where it is positive.
    pub margin: f64,
    /// Work of compression, work returned by restitution, work of friction (negative) in J.
    pub work: [f64; 3],
    /// Sliding velocities `(t1, t2)` along the hodograph.
    pub hodograph: Vec<[f64; 2]>,
    /// Place in the hodograph at which compression last ended; 0 where nothing approached.
    pub compressed: usize,
    /// Closed forms and power series that it took, one more for each event in the midst of one.
    pub arcs: u32,
}

/// Points of the hodograph per arc.
const POINTS: usize = 24;

impl DarbouxKeller {
    /// The law's name.
    pub const NAME: &'static str = "darboux-keller";

    /// The outcome, with its course.
    ///
    /// # Errors
    /// Not one contact, not two tangent rows, no motion along the normal, a coefficient of restitution outside [0, 1].
    /// That the rows form a right-handed orthonormal frame is not checked: `M`, `J` alone cannot tell.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<OutcomeSet<Course>> {
        require_one_spatial(problem)?;
        let e = shared_coefficient(problem, Self::NAME, self.restitution, 0.0)?;
        let w = problem.delassus();
        let rows: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| w[(i, j)]));
        let u: [f64; 3] = std::array::from_fn(|i| problem.contact_velocity()[i]);
        let mu = problem.friction()[0];
        if rows[0][0] <= 0.0 {
            return Err(Error::input("no coordinate moves the contact along its normal").at("normal[0]"));
        }
        let contact = Contact::new(rows, mu);
        let mut recorder = Recorder::new(&contact, u);
        let impact = contact.impact(u, self.hypothesis, e, |arc, t, end| recorder.see(arc, t, end));
        if impact.end == End::Over
            && recorder.events.last().is_some_and(|event| event.kind == EventKind::CompressionEnds)
        {
            // Restitution owes nothing.
            let Impact { impulse, velocity, .. } = impact;
            recorder.events.push(Event { kind: EventKind::RestitutionEnds, impulse, velocity });
        }
        let [needed, margin] =
            [contact.hold[0].hypot(contact.hold[1]) / contact.sigma, contact.margin() * contact.inverse_mass];
        let course = Course {
            hypothesis: self.hypothesis,
            restitution: e,
            friction: mu,
            events: recorder.events,
            phases: recorder.phases,
            invariant: invariant_directions(&contact),
            needed,
            margin,
            work: impact.work,
            hodograph: recorder.hodograph,
            compressed: recorder.compressed,
            arcs: impact.arcs,
        };
        let mut outcome = Outcome::new(problem, impact.impulse.to_vec(), course);
        let size = u.iter().fold(0.0, |size: f64, u| size.max(u.abs()));
        let drift = outcome.drift(problem, 1.0, |i| impact.velocity[i]);
        outcome.residual = impact.residual.max(if size > 0.0 { drift / size } else { 0.0 });
        if impact.end == End::Over {
            let [compression, restitution, friction] = impact.work;
            let done = friction + restitution - compression;
            outcome.residual = outcome.residual.max(outcome.imbalance(problem, done));
        }
        outcome.impacts = usize::from(impact.impulse[0] > 0.0);
        outcome.sequence = vec![0; outcome.impacts];
        let mut warnings = Vec::new();
        if outcome.status == Status::Terminated && impact.end != End::Over {
            outcome.status = Status::StepLimit;
            warnings.push("the impact does not end: the contact goes on approaching".to_string());
        } else if margin <= 0.0 {
            warnings.push(format!(
                "condition (18) fails by {:.3e} 1/kg: friction may drive the contact together; this impact ends all the same",
                -margin
            ));
        }
        Ok(OutcomeSet::new(Self::NAME, problem, vec![outcome], true, (), warnings))
    }
}

fn require_one_spatial(problem: &ContactProblem) -> Result<()> {
    let law = DarbouxKeller::NAME;
    let m = problem.contact_count();
    if m != 1 {
        return Err(Error::input(format!("the law `{law}` solves one contact; this problem has {m}"))
            .at("normal")
            .hint(
                "keep one row of `normal`, or take a law for several contacts, such as routh or sequential",
            ));
    }
    match problem.tangents_per_contact() {
        2 => Ok(()),
        0 => Err(Error::input(format!(
            "the law `{law}` needs a spatial contact; this one has no tangent rows"
        ))
        .at("tangent")
        .hint("give two tangent rows; friction may be 0")),
        _ => Err(Error::input(format!("the law `{law}` needs a spatial contact; this one is planar"))
            .at("tangent")
            .hint("give two tangent rows; planar contacts are solved by anitescu-potra and sequential")),
    }
}

/// Writes down the course of an impact.
struct Recorder<'a> {
    contact: &'a Contact<f64>,
    unit: f64,
    events: Vec<Event>,
    phases: Vec<(Motion, [f64; 2])>,
    hodograph: Vec<[f64; 2]>,
    compressed: usize,
}

impl<'a> Recorder<'a> {
    fn new(contact: &'a Contact<f64>, u: [f64; 3]) -> Self {
        let unit = contact.unit(u);
        let (events, phases, hodograph) = (Vec::new(), Vec::new(), vec![[u[1], u[2]]]);
        Recorder { contact, unit, events, phases, hodograph, compressed: 0 }
    }

    fn see(&mut self, arc: &Arc<f64>, t: f64, end: End) {
        if end == End::Never {
            return;
        }
        let at = |t: f64| self.contact.si(&arc.at(t), self.unit);
        let (first, mut last) = (at(arc.begin), at(t));
        let points = match arc.motion {
            Motion::Stick => 0,
            _ if arc.straight() => 1,
            _ => POINTS,
        };
        for k in 1..=points {
            let [_, x, y, ..] = at(arc.part(k as f64 / points as f64, t));
            self.hodograph.push([x, y]);
        }
        match self.phases.last_mut() {
            Some((motion, [_, to])) if *motion == arc.motion => *to = last[3],
            _ => self.phases.push((arc.motion, [first[3], last[3]])),
        }
        let mut record = |kind: EventKind, state: [f64; 6]| {
            let [n, x, y, i, p, q] = state;
            self.events.push(Event { kind, impulse: [i, p, q], velocity: [n, x, y] });
        };
        match end {
            End::Halt => {
                [last[1], last[2]] = [0.0; 2];
                record(EventKind::SlipEnds, last);
            }
            End::Compressed => {
                last[0] = 0.0;
                record(EventKind::CompressionEnds, last);
                self.compressed = self.hodograph.len() - 1;
            }
            End::Recompressed => {
                last[0] = 0.0;
                record(EventKind::CompressionResumes, last);
            }
            End::Over => record(EventKind::RestitutionEnds, last),
            End::Length | End::Never => {}
        }
    }
}

impl Course {
    /// The letters of the events: \[JW16\] Sec. 6.
    fn letters(&self) -> String {
        self.events.iter().map(|event| event.kind.letter()).collect()
    }
}

impl Describe for Course {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        let event = |event: &Event| {
            json!({
                "event": event.kind.name(),
                "normal_impulse": event.impulse[0],
                "impulse": event.impulse,
                "contact_velocity": event.velocity,
            })
        };
        let phase = |&(motion, [from, to]): &(Motion, [f64; 2])| json!({ "motion": motion.name(), "from": from, "to": to });
        let direction = |invariant: &Invariant| {
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
        let [compression, restitution, friction] = self.work;
        vec![
            ("hypothesis", self.hypothesis.name().into()),
            ("restitution", self.restitution.into()),
            ("events", self.events.iter().map(event).collect()),
            ("event_sequence", self.letters().into()),
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
            ("arcs", self.arcs.into()),
        ]
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let (e, hypothesis) = (short(self.restitution), self.hypothesis.name());
        let phases: Vec<&str> = self.phases.iter().map(|(motion, _)| motion.name()).collect();
        let motion = if phases.is_empty() { "nothing approaches".to_string() } else { phases.join(", ") };
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
        lines.push(("condition", format!("(18) of [JW16] {holds}, by {} 1/kg", short(self.margin.abs()))));
        let [compression, restitution, friction] = self.work.map(short);
        let work = format!("compression {compression}, restitution {restitution}, friction {friction}");
        lines.push(("work, J", work));
        lines
    }
}

impl DescribeOutcome for Course {
    fn title(&self) -> String {
        "continuous".to_string()
    }
}
