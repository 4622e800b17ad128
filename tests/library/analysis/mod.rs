//! What is known of the laws, against samples, walks in fractions, differences and closed forms.

mod bouncing;
mod bounds;
mod certified;
mod chatter;
mod derivative;
mod edges;
mod enclosure;
mod guarantee;
mod judged;
mod near;
mod quadratic;
mod reach;
mod wedge;

use crate::law::ends;
use crate::prelude::*;
use carom_analysis::bounds::whitened::Whitened;
use carom_analysis::bounds::{Bound, BoundKind, bound, conic};
use carom_analysis::{ExactSet, Reach};

/// A problem of a golden file.
fn known(case: &Value) -> ContactProblem {
    problem(serde_json::from_value(case.clone()).unwrap())
}
