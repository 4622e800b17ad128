use std::collections::BTreeSet;

use super::interval::{found, published};
use super::sweeps::sweeps;
use super::{Conditions, ContactPhase, Found, IntervalStart, TangentMode};
use carom_core::lcp::modes::combination;

/// Limit of active sets for an exhaustive search: six sliding contacts.
const SETS: usize = 1024;
/// Relative pivot size below which rows count as dependent.
const DEPENDENT: f64 = 1e-9;
/// Number of active sets examined in sequence above the limit, per contact.
const TURNS: usize = 8;

/// The impulse and the tangential modes of an interval.
///
/// If the published active set satisfies the conditions of an interval ([`Conditions`]), and
/// impending slip of redundant contacts leaves no ambiguity, this set is taken. Otherwise, with
/// rolling contacts or impending slip, the result of [`sweeps`] is taken if it satisfies the
/// conditions; otherwise, among all active sets that satisfy them, the set whose impulse has the
/// least norm, as in Table 1. If no set satisfies them, contacts pulled in by their sliding
/// friction may *jam*: they slide along their friction until sliding has ended, as in the law of
/// Darboux and Keller, and continue in the next interval of the same round. With more than [`SETS`]
/// active sets, sets are examined in sequence: the contact with the largest violation changes.
/// Source: \[USD15\] Algorithm 1, Sec. 3b for the exhaustive search. Deviations: sweeps, and
/// jamming contacts, for which the published law has no impulse. With `P` the loads with their
/// friction,
///
/// ```text
/// sum_i d_i ((W_n P d)_i - mu_i s_i' (W_t P d)_i) = |P d|_W^2,
/// ```
///
/// so no loads `d` make all loaded contacts approach faster and slide faster: sliding contacts stop
/// or jam. Guarantee: ends; if no set satisfies the conditions, the result is the published set
/// with its violation.
pub fn active_set(start: &IntervalStart<'_>) -> Found {
    let published = published(start);
    let (m, slips) = (start.phases.len(), published.tangents.contains(&TangentMode::Impending));
    let fits = published.fits;
    // Impending slip of redundant contacts has many solutions.
    if fits && !(slips && redundant(start)) {
        return published;
    }
    if (0..m).any(|i| start.at_first(i) == TangentMode::Rolling) {
        let swept = sweeps(start);
        if swept.fits {
            return swept;
        }
    }
    for jams in [false, true] {
        let choices: Vec<Vec<TangentMode>> = (0..m).map(|i| choices(start, i, jams)).collect();
        let count = choices.iter().try_fold(1_usize, |count, of| count.checked_mul(of.len()));
        let best = match count.filter(|&count| count <= SETS) {
            Some(count) => exhaustive(start, &choices, count, jams),
            None if fits => Some(published.clone()),
            None => pivots(start, &published, &choices, jams),
        };
        if let Some(best) = best {
            return best;
        }
    }
    published
}

/// Whether the rows of the acting contacts are linearly dependent.
fn redundant(start: &IntervalStart<'_>) -> bool {
    let acting = (0..start.phases.len()).filter(|&i| start.phases[i] != ContactPhase::Observing);
    let rows: Vec<usize> =
        acting.flat_map(|i| std::iter::once(i).chain(start.equations.tangents(i))).collect();
    let factor = start.equations.delassus.select_rows(&rows).select_columns(&rows).col_piv_qr();
    let pivots = factor.r().diagonal().abs();
    pivots.min() <= DEPENDENT * pivots.max()
}

/// The possible tangential modes of contact i.
fn choices(start: &IntervalStart<'_>, i: usize, jams: bool) -> Vec<TangentMode> {
    let first = start.at_first(i);
    let mut choices = vec![first];
    if first == TangentMode::Rolling {
        choices.push(TangentMode::Impending);
    }
    if start.phases[i] == ContactPhase::Compressing {
        choices.push(TangentMode::Inactive);
        if jams && first == TangentMode::Sliding {
            choices.push(TangentMode::Jammed);
        }
    }
    choices
}

/// The impulse and modes for the contact modes `tangents`. With `jams`, a contact without impulse
/// whose slip is stopped by others jams too.
fn tried(start: &IntervalStart<'_>, tangents: Vec<TangentMode>, jams: bool) -> Found {
    let found = found(start, tangents);
    if !jams || found.fits {
        return found;
    }
    let conditions = Conditions::new(start, &found.impulse, &found.tangents);
    let state = |i: usize| match found.tangents[i] {
        TangentMode::Inactive if conditions.turns(i) && conditions.of(i) > start.limits.rest => {
            TangentMode::Jammed
        }
        state => state,
    };
    let tangents = (0..found.tangents.len()).map(state).collect();
    Found::new(start, found.impulse.clone(), tangents)
}

/// The active set that satisfies the conditions with the impulse of least norm.
fn exhaustive(
    start: &IntervalStart<'_>,
    choices: &[Vec<TangentMode>],
    count: usize,
    jams: bool,
) -> Option<Found> {
    let mut best: Option<Found> = None;
    for k in 0..count {
        if start.equations.limits.is_over() {
            break;
        }
        let found = tried(start, combination(choices, k), jams);
        let shorter = |best: &Found| found.impulse.norm() < best.impulse.norm() * (1.0 - 1e-9);
        if found.fits && best.as_ref().is_none_or(shorter) {
            best = Some(found);
        }
    }
    best
}

/// An active set that satisfies the conditions. From `first`, the contact with the largest
/// violation changes its mode repeatedly; if the set has been seen before, the contact with the
/// next violation changes instead.
fn pivots(
    start: &IntervalStart<'_>,
    first: &Found,
    choices: &[Vec<TangentMode>],
    jams: bool,
) -> Option<Found> {
    let mut seen = BTreeSet::from([codes(&first.tangents)]);
    let mut now = first.clone();
    for _ in 0..TURNS * choices.len() {
        if now.fits {
            return Some(now);
        }
        if start.equations.limits.is_over() {
            return None;
        }
        let conditions = Conditions::new(start, &now.impulse, &now.tangents);
        let mut order: Vec<usize> = (0..choices.len()).filter(|&i| choices[i].len() > 1).collect();
        order.sort_by(|&a, &b| conditions.of(b).total_cmp(&conditions.of(a)));
        let next = order.into_iter().find_map(|i| {
            let at = choices[i].iter().position(|choice| *choice == now.tangents[i]).unwrap_or(0);
            (1..choices[i].len()).find_map(|by| {
                let mut tangents = now.tangents.clone();
                tangents[i] = choices[i][(at + by) % choices[i].len()];
                seen.insert(codes(&tangents)).then_some(tangents)
            })
        });
        now = tried(start, next?, jams);
    }
    None
}

fn codes(tangents: &[TangentMode]) -> Vec<u8> {
    tangents.iter().map(|tangent| *tangent as u8).collect()
}
