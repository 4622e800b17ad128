//! Predictions by laws with few outcomes.

use carom_core::error::Result;
use carom_core::problem::ContactProblem;
use carom_core::status::Status;
use carom_law::{AnitescuPotra, FiniteLaw, Sequential};

/// Maximum number of contacts for all orders; beyond it, only cyclic ones.
const ALL_ORDERS: usize = 4;

/// Outcomes of the simultaneous inelastic impact, row by row.
pub fn simultaneous(problem: &ContactProblem) -> Result<Vec<f64>> {
    let inelastic = problem.clone().with_numbers(None, problem.uncertainty().clone())?;
    outcomes(&FiniteLaw::AnitescuPotra(AnitescuPotra::default()), &inelastic)
}

/// Outcomes of single impacts in every order, row by row.
pub fn sequential(problem: &ContactProblem) -> Result<Vec<f64>> {
    let m = problem.contact_count();
    if m > ALL_ORDERS {
        return outcomes(&FiniteLaw::Sequential(Sequential::default()), problem);
    }
    let in_order = |order| {
        let law = Sequential { order: Some(order), ..Sequential::default() };
        outcomes(&FiniteLaw::Sequential(law), problem)
    };
    Ok(orders(m).into_iter().map(in_order).collect::<Result<Vec<_>>>()?.concat())
}

/// Velocities after the impact in all outcomes of a law.
fn outcomes(law: &FiniteLaw, problem: &ContactProblem) -> Result<Vec<f64>> {
    let resolved = law.resolve(problem)?;
    let ended = resolved.outcomes.into_iter().filter(|one| one.status == Status::Terminated);
    Ok(ended.flat_map(|outcome| outcome.velocity).collect())
}

fn orders(m: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for i in 0..m {
        let insert = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |at| [&order[..at], &[i], &order[at..]].concat())
        };
        orders = orders.iter().flat_map(insert).collect();
    }
    orders
}
