use super::SequentialDetails;
use carom_core::outcome::listed::MAX_IMPACTS;
use carom_core::{Limits, Outcome, Status};

/// A contact counts as at rest when `u_n >= -REST max|v-|`.
pub const REST: f64 = 1e-12;

/// The result of a visit to a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Visit {
    /// The contact does not approach.
    Passed,
    /// A single impact with this impulse in N s (normal, tangents).
    Struck([f64; 3]),
    /// A single impact that does not end.
    Endless([f64; 3]),
}

/// Contacts with single impacts, their velocities and total impulses.
pub trait Contacts {
    /// Whether no contact approaches.
    fn at_rest(&self) -> bool;

    /// Applies a single impact at contact `i`, if it approaches.
    fn visit(&mut self, i: usize) -> Visit;

    /// Estimated limit of multiplications per visit.
    fn work(&self) -> f64;

    /// The outcome of the total impulse, with its residual.
    fn outcome(&self, details: SequentialDetails) -> Outcome<SequentialDetails>;
}

/// Visits the contacts in a cyclic order until no contact approaches.
pub fn alternate(
    mut contacts: impl Contacts,
    order: Vec<usize>,
    limits: &Limits,
) -> Outcome<SequentialDetails> {
    let (mut sequence, mut impulses, mut visits) = (Vec::new(), Vec::new(), 0);
    let mut limited = false;
    // Contacts visited since the last impact: after a whole round without an impact, rounding
    // prevents further impacts.
    let mut idle = 0;
    while !contacts.at_rest() && !limited && idle < order.len() && limits.spend(contacts.work()) {
        let i = order[visits % order.len()];
        (visits, idle) = (visits + 1, idle + 1);
        let visit = contacts.visit(i);
        if let Visit::Struck(impulse) | Visit::Endless(impulse) = visit {
            idle = 0;
            sequence.push(i);
            impulses.push(impulse);
        }
        limited = matches!(visit, Visit::Endless(_)) || sequence.len() == MAX_IMPACTS;
    }
    let mut outcome = contacts.outcome(SequentialDetails { order, visits, impulses });
    if outcome.status == Status::Terminated && !contacts.at_rest() {
        outcome.status = match limited {
            true => Status::StepLimit,
            false if limits.is_over() => Status::Budget,
            false => Status::Unsolved,
        };
    }
    Outcome { impacts: sequence.len(), sequence, ..outcome }
}
