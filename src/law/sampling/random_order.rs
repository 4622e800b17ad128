//! Single impacts in random order: the sampled form of the sequential and of the propagative law.

use super::ending::Ending;
use super::restitution::{Hypothesis, require_inelastic};
use crate::finite::darboux_keller::contact::StruckContact;
pub use crate::finite::darboux_keller::phase::ArcEnd;
use crate::finite::propagative::Rebound;
use crate::finite::propagative::reflections::reflect;
use crate::finite::sequential::impact;
use crate::{Propagative, Sequential};
use carom_core::{
    ContactProblem, ContactSpace, Error, Facets, Limits, Purpose, Real, Result, Status,
    StepProblem, Stop, Stream, stopped, stream,
};

/// The default limit on single impacts.
pub const LIMIT: u32 = 1000;

/// The kind of a single impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrikeKind {
    /// A planar inelastic impact with friction, see
    /// [`single_impact`](crate::finite::sequential::single_impact).
    Impact,
    /// A spatial impact with circular friction and Stronge's coefficient of restitution, see
    /// [`StruckContact::impact`].
    Continuous,
    /// A reflection of the momentum, see [`reflect`]; friction is ignored.
    Reflection,
}

/// Single impacts in random order on a problem.
#[derive(Clone, Debug)]
pub struct RandomOrder<R> {
    /// The problem's contact space, without friction for reflections.
    pub space: ContactSpace<R>,
    /// The kind of a single impact.
    pub strike: StrikeKind,
    /// The effect of restitution on the impulse at the end of a sample.
    pub rebound: Rebound,
    /// The contacts (m) of spatial impacts, dimensionless, with their coefficients of restitution;
    /// `None` for a contact without normal mobility (`W_nn = 0`).
    contacts: Vec<Option<(StruckContact<R>, R)>>,
}

/// The memory of a sample; at the end it contains the sample's impulse.
#[derive(Clone, Debug)]
pub struct RandomOrderWorkspace<R> {
    /// Dimensionless total impulse (2m) of the last sample.
    pub total: Vec<R>,
    /// Once true, a sample in progress ends as [`Status::StepLimit`] within a few impacts.
    pub stop: Stop,
    /// Contact velocity (2m).
    u: Vec<R>,
}

impl<R: Real> RandomOrder<R> {
    /// Checks that the law applies to a problem, and prepares the data common to all samples.
    pub fn new(max_steps: u32, strike: StrikeKind, problem: &ContactProblem) -> Result<Self> {
        if problem.uncertainty().draws_numbers() {
            let what = "single impacts in random order take a problem's numbers as they are";
            return Err(Error::input(what)
                .at("uncertainty")
                .hint("leave it out, or take the law routh"));
        }
        let m = problem.contact_count();
        let (w, mu, u) = (problem.delassus(), problem.friction(), problem.contact_velocity());
        let spatial = problem.tangents_per_contact() == 2;
        let strike =
            if strike == StrikeKind::Impact && spatial { StrikeKind::Continuous } else { strike };
        let (step, scaling) = match strike {
            StrikeKind::Impact => {
                require_inelastic(problem, Sequential::NAME)?;
                StepProblem::of(w, mu, u, None)
            }
            // With four facets, the facet directions are the tangents, and both have one scale.
            StrikeKind::Continuous => StepProblem::of(w, mu, u, Some(&Facets::new(Facets::LEAST)?)),
            StrikeKind::Reflection => {
                let normals = w.view((0, 0), (m, m)).into_owned();
                StepProblem::of(&normals, &vec![0.0; m], u, None)
            }
        };
        let contacts =
            if strike == StrikeKind::Continuous { continuous(&step, problem) } else { Vec::new() };
        let space = ContactSpace::new(&step, scaling, max_steps)?;
        let contacts = cast(&contacts);
        let mut process = RandomOrder { space, strike, rebound: Rebound::NONE, contacts };
        process.approach(problem)?;
        Ok(process)
    }

    /// Sets the velocity before the impact from `problem`, which must have the mass matrix,
    /// Jacobians and friction of the prepared problem.
    pub fn approach(&mut self, problem: &ContactProblem) -> Result<()> {
        let m = problem.contact_count();
        self.space
            .approach(problem, if self.strike == StrikeKind::Reflection { m } else { usize::MAX });
        if self.strike == StrikeKind::Reflection {
            self.rebound = Propagative::default().rebound(problem)?;
        }
        Ok(())
    }

    /// A workspace for [`RandomOrder::sample`].
    pub fn workspace(&self) -> RandomOrderWorkspace<R> {
        let width = self.space.step.width();
        RandomOrderWorkspace { total: vec![R::ZERO; width], stop: None, u: vec![R::ZERO; width] }
    }

    /// Computes one sample and writes its total impulse to `work.total`. Does not allocate. Twin:
    /// `shaders/law/random_order.wgsl::order_step`.
    pub fn sample(&self, stream: &Stream, work: &mut RandomOrderWorkspace<R>) -> Ending<R> {
        self.sample_observed(stream, work, |_, _| {})
    }

    /// As [`RandomOrder::sample`]; calls `observe` with the contact of every single impact and the
    /// total impulse (K) after it.
    pub fn sample_observed(
        &self,
        stream: &Stream,
        work: &mut RandomOrderWorkspace<R>,
        mut observe: impl FnMut(usize, &[R]),
    ) -> Ending<R> {
        let ContactSpace { step: problem, start, rest, max_steps, .. } = &self.space;
        let m = problem.contacts;
        let RandomOrderWorkspace { total, u, stop } = work;
        total.fill(R::ZERO);
        u.copy_from_slice(start);
        let mut residual = R::ZERO;
        let mut steps = 0;
        let status = loop {
            let approaches = |i: &usize| u[*i] < rest[*i];
            let count = (0..m).filter(approaches).count();
            if count == 0 {
                break if u.iter().all(|u| u.is_finite()) {
                    Status::Terminated
                } else {
                    Status::NotFinite
                };
            }
            if steps == *max_steps || steps % 64 == 63 && stopped(stop) {
                break Status::StepLimit;
            }
            let word = stream.block(steps, Purpose::Order, 0)[0];
            let rank = stream::index(word, count as u32) as usize;
            let i = (0..m).filter(approaches).nth(rank).unwrap_or(0);
            match self.strike {
                StrikeKind::Impact => residual = Real::max(residual, self.impact(i, u, total)),
                StrikeKind::Continuous => match self.continuous(i, u, total) {
                    Some(violation) => residual = Real::max(residual, violation),
                    None => break Status::StepLimit,
                },
                StrikeKind::Reflection => reflect(problem, i, u, total),
            }
            steps += 1;
            observe(i, total);
            if !total.iter().all(|l| l.is_finite()) {
                break Status::NotFinite;
            }
        };
        Ending { status, steps, residual }
    }

    /// Applies an impact at contact `i` and returns its residual.
    fn impact(&self, i: usize, u: &mut [R], total: &mut [R]) -> R {
        let step = &self.space.step;
        let (k, t) = (u.len(), u.len() / 2 + i);
        let before = u[i];
        let [ln, lt] = impact(step, i, u, total);
        let after = before + step.w[i * k + i] * ln + step.w[i * k + t] * lt;
        step.contact_residual(i, R::HUGE, (ln, &[lt]), (after, &[u[t]]))
    }

    /// Applies a spatial impact at contact `i` and returns its residual; `None` where the impact
    /// does not end.
    fn continuous(&self, i: usize, u: &mut [R], total: &mut [R]) -> Option<R> {
        let (step, k) = (&self.space.step, u.len());
        let (contact, e) = self.contacts[i].as_ref()?;
        let rows = [i, step.contacts + 2 * i, step.contacts + 2 * i + 1];
        let impact = contact.impact(rows.map(|row| u[row]), Hypothesis::Stronge, *e, |_, _, _| {});
        for (row, l) in rows.into_iter().zip(impact.impulse) {
            total[row] += l;
            for (j, u) in u.iter_mut().enumerate() {
                *u += step.w[j * k + row] * l;
            }
        }
        // The law sets these velocities to exactly 0; the sums above contain rounding.
        for (row, after) in rows.into_iter().zip(impact.velocity) {
            u[row] = after;
        }
        (impact.end == ArcEnd::Over).then_some(impact.residual)
    }
}

/// The contacts of a spatial step problem, with the coefficients of restitution.
fn continuous(
    step: &StepProblem<f64>,
    problem: &ContactProblem,
) -> Vec<Option<(StruckContact<f64>, f64)>> {
    let (m, k) = (step.contacts, step.width());
    let contact = |i: usize| {
        let rows = [i, m + 2 * i, m + 2 * i + 1];
        let block = rows.map(|a| rows.map(|b| step.w[a * k + b]));
        let e = problem.restitution().map_or(0.0, |e| e[i]);
        (block[0][0] > 0.0).then(|| (StruckContact::new(block, step.mu[i]), e))
    };
    (0..m).map(contact).collect()
}

/// The contacts in another precision.
fn cast<R: Real>(
    contacts: &[Option<(StruckContact<f64>, f64)>],
) -> Vec<Option<(StruckContact<R>, R)>> {
    let one = |contact: &Option<(StruckContact<f64>, f64)>| {
        contact.as_ref().map(|(contact, e)| (contact.cast(), R::from_f64(*e)))
    };
    contacts.iter().map(one).collect()
}

/// The velocities at the end of random sequences of reflections, without unfinished sequences:
/// samples `0 .. count` of seed 0.
pub fn sampled_velocities(
    problem: &ContactProblem,
    rebound: Rebound,
    count: u64,
    limits: &Limits,
) -> Result<Vec<Vec<f64>>> {
    let process = RandomOrder::<f64>::new(LIMIT, StrikeKind::Reflection, problem)?;
    let mut work = process.workspace();
    let mut velocities = Vec::new();
    for i in 0..count {
        if limits.is_over() {
            break;
        }
        let ending = process.sample(&Stream::new(0, i), &mut work);
        limits.spend(f64::from(ending.steps + 1) * (4 * work.u.len()) as f64);
        if ending.status != Status::Terminated {
            continue;
        }
        let mut velocity = problem.velocity().clone();
        for (j, column) in problem.response().column_iter().enumerate() {
            let elastic = process.space.scaling.impulse_along(&work.total, j);
            let plastic = rebound.plastic.get(j).copied().unwrap_or(0.0);
            velocity.axpy(rebound.restitution * elastic + plastic, &column, 1.0);
        }
        velocities.push(velocity.as_slice().to_vec());
    }
    Ok(velocities)
}
