use super::SequentialDetails;
use carom_core::outcome::listed::MAX_IMPACTS;
use carom_core::{Limits, Outcome, Status};

/// A contact counts as at rest when `u_n >= -REST max|v-|`.
pub const REST: f64 = 1e-12;

/// The result of visiting a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Visit {
    /// The contact does not approach.
    Passed,
    /// The contact was struck, with this impulse in N s (normal, tangents).
    Struck([f64; 3]),
    /// The contact was struck, and its impact does not end.
    Endless([f64; 3]),
}

/// Contacts that are struck one at a time, with their velocities and the impulses so far.
pub trait Contacts {
    /// Whether no contact approaches.
    fn at_rest(&self) -> bool;

    /// Strikes contact `i` alone, if it approaches.
    fn visit(&mut self, i: usize) -> Visit;

    /// Most multiplications of a visit, estimated.
    fn work(&self) -> f64;

    /// The outcome of the impulses so far, with its residual.
    fn outcome(&self, details: SequentialDetails) -> Outcome<SequentialDetails>;
}

/// Visits the contacts in a cyclic order until none approaches.
pub fn alternate(
    mut contacts: impl Contacts,
    order: Vec<usize>,
    limits: &Limits,
) -> Outcome<SequentialDetails> {
    let (mut sequence, mut impulses, mut visits) = (Vec::new(), Vec::new(), 0);
    let mut limited = false;
    // Contacts visited since the last impact: a whole round of them means that rounding keeps a
    // contact from being struck.
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
