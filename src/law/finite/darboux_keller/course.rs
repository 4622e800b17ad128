//! The course of an impact: events, motions of the contact, hodograph.

use super::{
    Arc, ArcEnd, ContactImpact, ContactMotion, ImpactState, InvariantDirection, StruckContact,
    invariant_directions,
};
use crate::Hypothesis;
use carom_core::named;

/// An event of an impact, in SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactEvent {
    /// The kind of the event.
    pub kind: EventKind,
    /// Impulse `(n, t1, t2)` up to the event; its first entry is the time variable.
    pub impulse: [f64; 3],
    /// Contact velocity `(n, t1, t2)`.
    pub velocity: [f64; 3],
}

named! {
    /// The events of an impact.
    pub enum EventKind {
        /// Sliding halts.
        SlipEnds = "slip-ends",
        /// The normal velocity rises to zero.
        CompressionEnds = "compression-ends",
        /// The normal velocity falls to zero while restitution lasts.
        CompressionResumes = "compression-resumes",
        /// The impact is over.
        RestitutionEnds = "restitution-ends",
    }
}

impl EventKind {
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

/// The course of an impact at one spatial contact, in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactCourse {
    /// The law of restitution.
    pub hypothesis: Hypothesis,
    /// The coefficient of restitution.
    pub restitution: f64,
    /// The coefficient of friction.
    pub friction: f64,
    /// The events, in their order.
    pub events: Vec<ImpactEvent>,
    /// The motions of the contact, each with the normal impulse at its beginning and at its end.
    pub phases: Vec<(ContactMotion, [f64; 2])>,
    /// The invariant directions, by angle; `None`: every direction is invariant.
    pub invariant: Option<Vec<InvariantDirection>>,
    /// The friction `|B^-1 d|` necessary for sticking; sticking is possible if it is at most `mu`.
    pub needed: f64,
    /// `W_nn - mu |d|` in 1/kg: the margin of \[JW16\] (18), which assumes a positive margin.
    pub margin: f64,
    /// Work of compression, work returned by restitution, work of friction (negative) in J.
    pub work: [f64; 3],
    /// Sliding velocities `(t1, t2)` along the hodograph.
    pub hodograph: Vec<[f64; 2]>,
    /// Impulses `(n, t1, t2)` along the impulse curve.
    pub curve: Vec<[f64; 3]>,
    /// Number of arcs ([`Arc`]); an event within an arc adds one.
    pub arcs: u32,
}

/// Points of the hodograph per curved arc.
const POINTS: usize = 24;

impl ContactCourse {
    /// The impact of a contact with friction `friction` at contact velocity `u` (n, t1, t2), and
    /// its course.
    pub fn of(
        contact: &StruckContact<f64>,
        friction: f64,
        u: [f64; 3],
        hypothesis: Hypothesis,
        restitution: f64,
    ) -> (ContactImpact<f64>, ContactCourse) {
        let mut course = ContactCourse {
            hypothesis,
            restitution,
            friction,
            events: Vec::new(),
            phases: Vec::new(),
            invariant: invariant_directions(contact),
            needed: contact.hold[0].hypot(contact.hold[1]) / contact.sigma,
            margin: contact.margin() * contact.inverse_mass,
            work: [0.0; 3],
            hodograph: vec![[u[1], u[2]]],
            curve: vec![[0.0; 3]],
            arcs: 0,
        };
        let unit = contact.unit(u);
        let impact = contact.impact(u, hypothesis, restitution, |arc, t, end| {
            course.see(|state| contact.si(&state, unit), arc, t, end);
        });
        let last = course.events.last().map(|event| event.kind);
        if impact.end == ArcEnd::Over && last == Some(EventKind::CompressionEnds) {
            // Without stored work, restitution ends at once.
            let ContactImpact { impulse, velocity, .. } = impact;
            course.events.push(ImpactEvent { kind: EventKind::RestitutionEnds, impulse, velocity });
        }
        (course.work, course.arcs) = (impact.work, impact.arcs);
        (impact, course)
    }

    /// Records an arc that ended at the parameter `t`. `si` converts a state to contact velocity
    /// and impulse in SI units.
    fn see(
        &mut self,
        si: impl Fn(ImpactState<f64>) -> [f64; 6],
        arc: &Arc<f64>,
        t: f64,
        end: ArcEnd,
    ) {
        if end == ArcEnd::Never {
            return;
        }
        let at = |t: f64| si(arc.at(t));
        let (first, mut last) = (at(arc.first()), at(t));
        let points = if arc.is_straight() { 1 } else { POINTS };
        for k in 1..=points {
            let [_, x, y, impulse @ ..] = at(arc.part(k as f64 / points as f64, t));
            if arc.motion() != ContactMotion::Stick {
                self.hodograph.push([x, y]);
            }
            self.curve.push(impulse);
        }
        match self.phases.last_mut() {
            Some((motion, [_, to])) if *motion == arc.motion() => *to = last[3],
            _ => self.phases.push((arc.motion(), [first[3], last[3]])),
        }
        let kind = match end {
            ArcEnd::Halt => EventKind::SlipEnds,
            ArcEnd::Compressed => EventKind::CompressionEnds,
            ArcEnd::Recompressed => EventKind::CompressionResumes,
            ArcEnd::Over => EventKind::RestitutionEnds,
            ArcEnd::Length | ArcEnd::Never => return,
        };
        // At the event, a component is exactly zero.
        match end {
            ArcEnd::Halt => [last[1], last[2]] = [0.0; 2],
            ArcEnd::Compressed | ArcEnd::Recompressed => last[0] = 0.0,
            _ => {}
        }
        let [n, x, y, i, p, q] = last;
        self.events.push(ImpactEvent { kind, impulse: [i, p, q], velocity: [n, x, y] });
    }
}
