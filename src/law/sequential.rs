//! One impact after the other: at each contact alone, with friction, until nothing approaches.

use super::Hypothesis;
use super::arc::End;
use super::hodograph::Contact;
use super::resolved::{Details, MAX_IMPACTS, Outcome, Resolved};
use crate::error::{Error, Result};
use crate::lcp::{Scaling, StepProblem};
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::status::Status;

/// The impulse `(ln, lt)` of an inelastic impact at one contact with friction: the solution of
///
/// ```text
/// u+ = u + W L,  u+_n = 0,  |lt| <= mu ln,  lt = -mu ln where u+_t > 0,  lt = mu ln where u+_t < 0
/// ```
///
/// for `u_n < 0`, and none for `u_n >= 0`. `w` is `[W_nn, W_nt, W_tt]`.
/// Along the line `u+_n = 0`, `u+_t` grows with `lt`, and the friction cone cuts a single interval out of that line
/// (unbounded where `mu |W_nt| >= W_nn`); so there is one solution, the `lt` of the interval nearest to where
/// `u+_t = 0`. Guarantee: finite for every `mu >= 0`. Where `W` is singular `u+_t` is 0 all along the line, and the
/// smallest `|lt|` is taken.
/// Source: \[HP23\] (31) with m = 1.
pub fn single_impact<R: Real>(w: [R; 3], mu: R, u: [R; 2]) -> [R; 2] {
    let [nn, nt, tt] = w;
    if !(u[0] < R::ZERO && nn > R::ZERO) {
        return [R::ZERO; 2];
    }
    let slope = tt - nt * (nt / nn);
    let flat = slope <= R::from_f64(FLAT * R::EPSILON) * tt;
    let stick = if flat { R::ZERO } else { -(u[1] - nt * (u[0] / nn)) / slope };
    // The ends of the interval, where lt = mu ln and lt = -mu ln.
    for side in [R::ONE, -R::ONE] {
        let denominator = nn + side * mu * nt;
        if denominator > R::ZERO && side * stick * denominator >= -mu * u[0] {
            let ln = -u[0] / denominator;
            return [ln, side * mu * ln];
        }
    }
    [-(u[0] + nt * stick) / nn, stick]
}

/// `W` counts as singular where its Schur complement is below this many roundings of `W_tt`.
pub const FLAT: f64 = 16.0;

/// Applies [`single_impact`] at contact `i` to the contact velocity `u` (2m) and adds its impulse to `total` (2m);
/// the impulse. `u_n` is 0 afterwards, exactly. Does not allocate.
pub fn impact<R: Real>(problem: &StepProblem<R>, i: usize, u: &mut [R], total: &mut [R]) -> [R; 2] {
    let m = problem.contacts;
    let k = 2 * m;
    let (n, t) = (i, m + i);
    let w = [problem.w[n * k + n], problem.w[n * k + t], problem.w[t * k + t]];
    let [ln, lt] = single_impact(w, problem.mu[i], [u[n], u[t]]);
    if ln > R::ZERO {
        for j in 0..k {
            u[j] += problem.w[j * k + n] * ln;
            u[j] += problem.w[j * k + t] * lt;
        }
        u[n] = R::ZERO;
        total[n] += ln;
        total[t] += lt;
    }
    [ln, lt]
}

/// Alternating single impacts in a cyclic order of the contacts.
///
/// Contact by contact, in the order `K, K+1, ... mod m` or any other that is repeated: where the contact approaches, it is
/// struck alone; over when `min Jn v >= -1e-12 max|v-|`. The limit of the sequence, not its first ten impacts.
/// A strike is a [`single_impact`] in planar and frictionless problems without restitution. Where a problem is spatial, or
/// has a coefficient of restitution above 0, it is an impact of Darboux and Keller ([`Contact::impact`]) with circular
/// friction and Stronge's coefficient; a planar contact is one whose second tangent does not move. The two differ at
/// restitution 0 only where sliding turns round during the impact.
/// Source: \[HP23\] Sec. 2.2.2, \[JW16\]. Deviation: a planar inelastic impact is a single-contact complementarity problem
/// in closed form.
/// Guarantee: ends after at most [`MAX_IMPACTS`] impacts; otherwise [`Status::StepLimit`]. Where a contact's own Delassus
/// matrix is singular in more than an unmoving tangent, a bounce may be [`Status::Unsolved`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequential {
    /// The contact `K` to begin with; `None`: one outcome for each.
    pub start: Option<usize>,
    /// The cyclic order of the contacts, instead of that of the file; each occurs at least once.
    pub order: Option<Vec<usize>>,
}

/// A contact counts as at rest when `u_n >= -REST max|v-|`.
const REST: f64 = 1e-12;

impl Sequential {
    /// The law's name.
    pub const NAME: &'static str = "sequential";

    /// The outcome of each order: one, or one per contact to begin with.
    ///
    /// # Errors
    /// A start that is no contact, an order that leaves out a contact or names another, both at once.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<Resolved> {
        let elastic = problem.restitution().is_some_and(|e| e.iter().any(|&e| e > 0.0));
        let continuous = elastic || problem.tangents_per_contact() == 2;
        let strike = if continuous { run_continuous } else { run };
        let orders = self.orders(problem.contact_count())?;
        let outcomes = orders.into_iter().map(|order| strike(problem, order));
        let mut resolved = Resolved {
            law: Self::NAME,
            outcomes: outcomes.collect(),
            complete: true,
            uniqueness: None,
            course: None,
            warnings: Vec::new(),
        };
        let unfinished = resolved.outcomes.iter().filter(|o| o.status == Status::StepLimit).count();
        if unfinished > 0 {
            resolved.warnings.push(format!(
                "{unfinished} of {} orders did not end within {MAX_IMPACTS} impacts",
                resolved.outcomes.len()
            ));
        }
        resolved.finish(problem);
        Ok(resolved)
    }

    /// The cyclic orders to resolve, for m contacts.
    fn orders(&self, m: usize) -> Result<Vec<Vec<usize>>> {
        let from = |start: usize| (0..m).map(|k| (start + k) % m).collect::<Vec<usize>>();
        let no_contact = |place: &str, i: usize| {
            Error::usage(format!("there is no contact {i}; contacts are counted from 0 to {}", m - 1))
                .at(place)
        };
        match (&self.order, self.start) {
            (None, None) => Ok((0..m).map(from).collect()),
            (None, Some(start)) if start < m => Ok(vec![from(start)]),
            (None, Some(start)) => Err(no_contact("start", start)),
            (Some(_), Some(_)) => {
                Err(Error::usage("an order says where to begin; expected either a start or an order")
                    .at("order"))
            }
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

fn run(problem: &ContactProblem, order: Vec<usize>) -> Outcome {
    let m = problem.contact_count();
    let (step, scaling, mut u) =
        StepProblem::scaled(problem.delassus(), problem.friction(), problem.contact_velocity());
    let alone: Vec<StepProblem<f64>> = (0..m).map(|i| one_contact(&step, i)).collect();
    let rest = REST * problem.velocity().amax() / scaling.velocity;
    let over = |u: &[f64]| (0..m).all(|i| u[i] * scaling.sigma[i] >= -rest);
    let (mut total, mut sequence, mut visits, mut residual) = (vec![0.0; 2 * m], Vec::new(), 0, 0.0_f64);
    // Contacts since the last impact: a whole round of them means that rounding keeps one from being struck.
    let mut idle = 0;
    while !over(&u) && sequence.len() < MAX_IMPACTS && idle < order.len() {
        let i = order[visits % order.len()];
        (visits, idle) = (visits + 1, idle + 1);
        let l = impact(&step, i, &mut u, &mut total);
        if l[0] > 0.0 {
            idle = 0;
            sequence.push(i);
            residual = residual.max(alone[i].residual(&[f64::MAX], &l, &[u[i], u[m + i]]));
        }
    }
    let rows = problem.jacobian().nrows();
    let mut outcome = Outcome::new(problem, &scaling, rows, &total, Details::Sequential { order, visits });
    // v+ and u+ were reached by different sums.
    let reached = problem.jacobian() * nalgebra::DVector::from_column_slice(&outcome.velocity);
    for i in 0..rows {
        residual = residual.max((reached[i] / scaling.velocity - u[i] * scaling.sigma[i]).abs());
    }
    if outcome.status == Status::Terminated && !over(&u) {
        let limited = sequence.len() == MAX_IMPACTS;
        outcome.status = if limited { Status::StepLimit } else { Status::Unsolved };
    }
    Outcome { impacts: sequence.len(), sequence, residual, ..outcome }
}

/// [`run`] by impacts of Darboux and Keller, in SI units.
fn run_continuous(problem: &ContactProblem, order: Vec<usize>) -> Outcome {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let (w, friction) = (problem.delassus(), problem.friction());
    let e = |i: usize| problem.restitution().map_or(0.0, |e| e[i]);
    // Rows of `J` of contact i: normal and tangents.
    let rows = |i: usize| [Some(i), (d > 0).then_some(m + d * i), (d > 1).then_some(m + d * i + 1)];
    let contacts: Vec<Option<Contact<f64>>> = (0..m)
        .map(|i| {
            let entry = |a: Option<usize>, b: Option<usize>| a.zip(b).map_or(0.0, |at| w[at]);
            let block = rows(i).map(|a| rows(i).map(|b| entry(a, b)));
            (block[0][0] > 0.0).then(|| Contact::new(block, friction[i]))
        })
        .collect();
    let mut u = problem.contact_velocity().clone();
    let (size, rest) = (u.amax(), REST * problem.velocity().amax());
    let over = |u: &[f64]| u[..m].iter().all(|&u| u >= -rest);
    let (mut total, mut sequence, mut visits) = (vec![0.0; u.len()], Vec::new(), 0);
    let (mut residual, mut gained, mut idle, mut ends) = (0.0_f64, 0.0, 0, true);
    while ends && !over(u.as_slice()) && sequence.len() < MAX_IMPACTS && idle < order.len() {
        let i = order[visits % order.len()];
        (visits, idle) = (visits + 1, idle + 1);
        let Some(contact) = contacts[i].as_ref().filter(|_| u[i] < 0.0) else { continue };
        let before = rows(i).map(|row| row.map_or(0.0, |row| u[row]));
        let impact = contact.impact(before, Hypothesis::Stronge, e(i), |_, _, _| {});
        for (row, l) in rows(i).into_iter().zip(impact.impulse) {
            let Some(row) = row else { continue };
            u.axpy(l, &w.column(row), 1.0);
            total[row] += l;
        }
        // The impact's own end, where compression stops at 0.
        rows(i).into_iter().zip(impact.velocity).for_each(|(row, after)| {
            row.into_iter().for_each(|row| u[row] = after);
        });
        let [absorbed, returned, friction] = impact.work;
        gained += returned + friction - absorbed;
        residual = residual.max(impact.residual);
        ends = impact.end == End::Over;
        idle = 0;
        sequence.push(i);
    }
    let scaling =
        Scaling { velocity: 1.0, inverse_mass: 1.0, impulse: 1.0, sigma: vec![1.0; u.len()], facets: None };
    let details = Details::Sequential { order, visits };
    let mut outcome = Outcome::new(problem, &scaling, u.len(), &total, details);
    // v+ and u+ were reached by different sums.
    let reached = problem.jacobian() * nalgebra::DVector::from_column_slice(&outcome.velocity);
    if size > 0.0 {
        residual = residual.max((reached - &u).amax() / size);
    }
    let energy = problem.kinetic_energy(problem.velocity().as_slice());
    if energy > 0.0 {
        residual = residual.max((outcome.kinetic_energy - energy - gained).abs() / energy);
    }
    if outcome.status == Status::Terminated && !over(u.as_slice()) {
        let limited = !ends || sequence.len() == MAX_IMPACTS;
        outcome.status = if limited { Status::StepLimit } else { Status::Unsolved };
    }
    Outcome { impacts: sequence.len(), sequence, residual, ..outcome }
}

/// Contact `i` of a step problem on its own.
fn one_contact(step: &StepProblem<f64>, i: usize) -> StepProblem<f64> {
    let m = step.contacts;
    let rows = [i, m + i];
    StepProblem {
        contacts: 1,
        axes: 1,
        w: rows.iter().flat_map(|&r| rows.map(|c| step.w[r * 2 * m + c])).collect(),
        mu: vec![step.mu[i]],
        sigma: rows.map(|r| step.sigma[r]).to_vec(),
    }
}
