use std::collections::BTreeSet;

use nalgebra::DVector;

use super::given::Midpoint;
use super::impact::StrikeOutcome;
use super::state::{Hit, MechanismState};
use super::strike::Strike;
use crate::model::{Site, Surface};
use carom_core::error::Result;

/// Default number of impacts of a contact in a step after which a slowly closing contact is
/// sustained.
const MAX_IMPACTS: u32 = 20;
/// Relative loss of energy, compared with an impact's work, below which it is rounding.
const LOSSLESS: f64 = 1e-9;

impl Midpoint {
    /// Speed in m/s gained by gravity in two steps.
    pub(super) fn slow(&self) -> f64 {
        2.0 * self.mechanism().gravity.norm() * self.time_step()
    }

    /// Maximum gap of a sustained contact in m: the gap that gravity closes in two steps, plus the
    /// tolerance.
    pub(super) fn hop(&self) -> f64 {
        self.tolerance() + 0.5 * self.slow() * self.time_step()
    }

    /// Maximum approach speed in m/s of a hopping sustained contact: the speed after a fall through
    /// its maximum gap, plus [`Midpoint::slow`].
    pub(super) fn brisk(&self) -> f64 {
        self.slow() + (2.0 * self.mechanism().gravity.norm() * self.hop()).sqrt()
    }

    /// Whether the impacts of a site that closes at the speed `closing` accumulate: it was struck
    /// in this step, energy was lost, it now closes more slowly, no faster than
    /// [`Midpoint::slow`], and a geometric series of such impacts ends within a time step. Or it
    /// closes that slowly after [`max_impacts`](super::MidpointSpec::max_impacts) impacts in a
    /// step.
    pub(super) fn accumulates(&self, state: &MechanismState, site: &Site, closing: f64) -> bool {
        let Some(hit) = state.hits.get(site).filter(|_| closing <= self.slow()) else {
            return false;
        };
        let left = (state.within - hit.time) * closing / (hit.closing - closing);
        hit.count > self.max_impacts().unwrap_or(MAX_IMPACTS)
            || (hit.loses && closing < hit.closing && left <= self.time_step())
    }

    /// Updates the sites in sustained contact after an impact: sites that neither approach nor
    /// separate. A previously sustained site also stays if energy was lost, and it separates so
    /// slowly that gravity closes it within two steps.
    pub(super) fn leave(
        &self,
        state: &mut MechanismState,
        strike: &Strike,
        outcome: &StrikeOutcome,
    ) {
        let rebound = strike.rebound(&outcome.velocity);
        let before = strike.problem.contact_velocity();
        let work = |u: &DVector<f64>| -> f64 {
            outcome.impulse.iter().zip(u.iter()).map(|(l, u)| l * u).sum()
        };
        let size: f64 = (outcome.impulse.iter().zip(before.iter().zip(rebound.u.iter())))
            .map(|(l, (a, b))| l.abs() * a.abs().max(b.abs()))
            .sum();
        let loses = -0.5 * (work(before) + work(&rebound.u)) > LOSSLESS * size;
        let sustained = std::mem::take(&mut state.sustained);
        let of_impact: BTreeSet<Site> = strike.places.iter().map(|(site, _)| *site).collect();
        state.sustained = sustained.difference(&of_impact).copied().collect();
        for (i, (site, _)) in strike.places.iter().enumerate() {
            let returns = loses && sustained.contains(site) && rebound.u[i] <= self.slow();
            if rebound.closes(i) || returns {
                state.sustained.insert(*site);
            }
            if before[i] < 0.0 {
                let count = state.hits.get(site).map_or(0, |hit| hit.count) + 1;
                let hit = Hit { time: state.within, closing: -before[i], count, loses };
                state.hits.insert(*site, hit);
            }
        }
    }

    /// Sustained sites with a further touch that strikes within `left` seconds, such as two bodies
    /// that touch at an edge and fall onto a face; and the maximum gap of such touches.
    pub(super) fn slammed(&self, state: &MechanismState, left: f64) -> Result<(Vec<Site>, f64)> {
        let between = |first: Surface, second: usize| {
            matches!(first, Surface::Body(_))
                && state.sustained.iter().any(|site| (site.first, site.second) == (first, second))
        };
        let (mut sites, mut reach) = (Vec::new(), 0.0_f64);
        if !state.sustained.iter().any(|site| matches!(site.first, Surface::Body(_))) {
            return Ok((sites, reach));
        }
        let (places, contacts): (Vec<_>, Vec<_>) =
            self.mechanism().places(&state.q, between, f64::INFINITY).into_iter().unzip();
        let v = self.mechanism().velocity(&state.q, &state.p)?;
        let u = self.mechanism().normal_rows(&state.q, &contacts) * v;
        for (i, (site, _)) in places.iter().enumerate() {
            let gap = contacts[i].touch.gap;
            let strikes = u[i] < -self.brisk() && gap <= -u[i] * left;
            if strikes && state.sustained.contains(site) {
                sites.push(*site);
                reach = reach.max(gap);
            }
        }
        Ok((sites, reach))
    }

    /// Ends sustained contacts with a gap beyond [`Midpoint::hop`].
    pub(super) fn part(&self, state: &mut MechanismState) {
        if state.sustained.is_empty() {
            return;
        }
        let hop = self.hop();
        let gaps = self.mechanism().gaps(&state.q, hop);
        let near: BTreeSet<Site> =
            gaps.into_iter().filter(|(_, gap)| *gap <= hop).map(|(site, _)| site).collect();
        state.sustained.retain(|site| near.contains(site));
    }
}
