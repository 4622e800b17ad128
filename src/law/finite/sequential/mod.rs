//! Sequences of single impacts with friction, each at one contact alone, until no contact
//! approaches.

mod alternation;
mod continuous;
mod planar;
mod single;

pub(super) use continuous::rows;
pub use single::{FLAT, impact, single_impact};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Describe, DescribeOutcome};
use alternation::alternate;
use carom_core::outcome::listed::MAX_IMPACTS;
use carom_core::{ContactProblem, Error, Limits, OutcomeSet, Result, Status};
use continuous::SpatialContacts;
use planar::PlanarContacts;

/// Single impacts at one contact after the other, in a cyclic order.
///
/// The contacts are visited in the order `K, K+1, ... mod m`, or in another one that is repeated.
/// Where a contact approaches, it is struck alone, as if the others were not there. The impact is
/// over when `min Jn v >= -1e-12 max|v-|`: the outcome is the limit of the sequence, not the result
/// of its first ten impacts. In planar and frictionless problems without restitution an impact is a
/// [`single_impact`]. Where a problem is spatial or has a coefficient of restitution above 0, an
/// impact is one of Darboux and Keller
/// ([`StruckContact::impact`](super::darboux_keller::contact::StruckContact::impact)) with circular
/// friction and Stronge's coefficient; a planar contact is then one whose second tangential
/// velocity is always 0. At restitution 0 the two kinds of impact differ only where the sliding
/// velocity changes its sign during an impact. Source: \[HP23\] Sec. 2.2.2, \[JW16\]. Deviation: a
/// planar inelastic impact is a single-contact complementarity problem in closed form. Guarantee:
/// ends after at most [`MAX_IMPACTS`] impacts, otherwise [`Status::StepLimit`], and
/// [`Limits::WORK`], otherwise [`Status::Budget`]. Where a contact's own Delassus matrix is
/// singular, other than by a tangential velocity that is always 0, an outcome with restitution may
/// be [`Status::Unsolved`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct Sequential {
    /// The contact `K` to begin with; `None`: one outcome for each contact.
    #[serde(skip)]
    pub start: Option<usize>,
    /// The cyclic order of the contacts, instead of that of the file; each occurs at least once.
    #[serde(skip)]
    pub order: Option<Vec<usize>>,
    /// The limit on single impacts of a sample; 1000 by default. The problem's own step limit does
    /// not apply: it counts steps of all contacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
}

impl Sequential {
    /// The law's name.
    pub const NAME: &'static str = "sequential";

    /// The outcome of each order: one, or one per starting contact.
    ///
    /// # Errors
    /// A start that is no contact, an order that omits a contact or contains an unknown one, both
    /// at once.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<OutcomeSet<SequentialDetails>> {
        self.resolve_within(problem, &Limits::default())
    }

    /// The outcomes of the orders; an outcome that exceeds the work limit contains the state at
    /// that time.
    pub fn resolve_within(
        &self,
        problem: &ContactProblem,
        limits: &Limits,
    ) -> Result<OutcomeSet<SequentialDetails>> {
        let elastic = problem.restitution().is_some_and(|e| e.iter().any(|&e| e > 0.0));
        let continuous = elastic || problem.tangents_per_contact() == 2;
        let of_order = |order: Vec<usize>| match continuous {
            true => alternate(SpatialContacts::new(problem), order, limits),
            false => alternate(PlanarContacts::new(problem), order, limits),
        };
        let orders = self.orders(problem.contact_count())?;
        let outcomes: Vec<_> = orders.into_iter().map(of_order).collect();
        let unfinished =
            outcomes.iter().filter(|outcome| outcome.status == Status::StepLimit).count();
        let mut warnings = Vec::new();
        if unfinished > 0 {
            let count = outcomes.len();
            warnings.push(format!(
                "{unfinished} of {count} orders did not end within {MAX_IMPACTS} impacts"
            ));
        }
        Ok(OutcomeSet::new(Self::NAME, problem, outcomes, true, (), warnings))
    }

    /// The cyclic orders to resolve, for m contacts.
    fn orders(&self, m: usize) -> Result<Vec<Vec<usize>>> {
        let from = |start: usize| (0..m).map(|k| (start + k) % m).collect::<Vec<usize>>();
        let no_contact = |place: &str, i: usize| {
            let last = m - 1;
            Error::usage(format!("there is no contact {i}; contacts are counted from 0 to {last}"))
                .at(place)
        };
        match (&self.order, self.start) {
            (None, None) => Ok((0..m).map(from).collect()),
            (None, Some(start)) if start < m => Ok(vec![from(start)]),
            (None, Some(start)) => Err(no_contact("start", start)),
            (Some(_), Some(_)) => Err(Error::usage(
                "an order says where to begin; expected either a start or an order",
            )
            .at("order")),
            (Some(order), None) => {
                if let Some(&i) = order.iter().find(|&&i| i >= m) {
                    return Err(no_contact("order", i));
                }
                match (0..m).find(|i| !order.contains(i)) {
                    Some(i) => Err(Error::usage(format!("the order leaves out contact {i}"))
                        .at("order")
                        .hint(format!("name each contact from 0 to {} at least once", m - 1))),
                    None => Ok(vec![order.clone()]),
                }
            }
        }
    }
}

impl Describe for Sequential {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![("start", self.start.into()), ("order", self.order.clone().into())]
    }
}

/// Details of an outcome of the sequential law.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialDetails {
    /// The contacts in their cyclic order, at least one.
    pub order: Vec<usize>,
    /// Number of visits, including contacts that did not approach.
    pub visits: usize,
    /// The impulse (normal, tangents) in N s of each impact; 0 along missing tangents.
    pub impulses: Vec<[f64; 3]>,
}

impl Describe for SequentialDetails {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        let SequentialDetails { order, visits, .. } = self;
        vec![
            ("start", order[0].into()),
            ("order", order.clone().into()),
            ("visits", (*visits).into()),
        ]
    }
}

impl DescribeOutcome for SequentialDetails {
    fn title(&self) -> String {
        format!("start {}", self.order[0])
    }
}
