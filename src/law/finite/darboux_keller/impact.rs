//! The whole impact at one spatial contact, arc by arc and phase by phase.

use super::phase::Phases;
use super::state::place::{E, F, G, V};
use super::{Arc, ArcEnd, Straight, StruckContact, dot};
use crate::Hypothesis;
use carom_core::Real;

/// The result of an impact, in SI units and the caller's frame.
#[derive(Clone, Copy, Debug)]
pub struct ContactImpact<R> {
    /// Contact velocity after the impact `(n, t1, t2)`.
    pub velocity: [R; 3],
    /// Impulse `(n, t1, t2)`.
    pub impulse: [R; 3],
    /// Work of compression, work returned by restitution, work of friction (negative) in J.
    pub work: [R; 3],
    /// Number of arcs.
    pub arcs: u32,
    /// [`ArcEnd::Over`], or [`ArcEnd::Never`] with the last known state; [`ArcEnd::Length`] after
    /// too many arcs.
    pub end: ArcEnd,
    /// The largest error of the arcs in the differential equation, of the law of restitution and of
    /// the friction cone, dimensionless. The work of compression follows from the energy balance,
    /// which therefore is no check.
    pub residual: R,
}

/// Limit of arcs per impact.
pub const MAX_ARCS: u32 = 1000;

impl<R: Real> StruckContact<R> {
    /// The whole impact at contact velocity `u` (n, t1, t2; m/s) with coefficient of restitution
    /// `e`.
    ///
    /// `watch` receives every arc, with its end parameter and the reason of its end; see
    /// [`StruckContact::si`]. Guarantee: ends for every positive definite `w`. The direction of
    /// slip obeys an autonomous equation on the circle and tends to a zero. A direction with
    /// `lambda < 0` leads to `g = 0` in finite `I`. A direction with `lambda >= 0` has
    /// `v' = W_nn - mu d.(lambda + mu B)^-1 d >= W_nn - d.B^-1 d > 0`, as has sticking. So `v`
    /// finally rises, whether \[JW16\] (18) holds or not. If `v` falls below zero during
    /// restitution, which (18) excludes, compression begins again and adds to the work or impulse
    /// to be returned. With a singular `w` an impact may be [`ArcEnd::Never`]. Does not allocate.
    pub fn impact(
        &self,
        u: [R; 3],
        hypothesis: Hypothesis,
        e: R,
        mut watch: impl FnMut(&Arc<R>, R, ArcEnd),
    ) -> ContactImpact<R> {
        let unit = self.unit(u);
        let mut state = self.start(u, unit);
        let mut phases = Phases::new(hypothesis, e, state[V]);
        let mut end = if state[V] < R::ZERO { ArcEnd::Length } else { ArcEnd::Over };
        let rises = self.margin() > R::ZERO;
        // The current motion, if its direction is constant.
        let mut along = if self.mu > R::ZERO { None } else { Some(Straight::free(self.d)) };
        let mut arc = Arc::still(self, state);
        let (mut arcs, mut residual, mut midst, mut aim) = (0, R::ZERO, false, None);
        while !matches!(end, ArcEnd::Over | ArcEnd::Never) && arcs < MAX_ARCS {
            let g = [state[G], state[G + 1]];
            let size = dot(g, g).sqrt();
            if along.is_none() && size <= R::from_f64(R::EPSILON) {
                [state[G], state[G + 1]] = [R::ZERO; 2];
                if size > R::ZERO {
                    // The sliding velocity is indistinguishable from a halt.
                    watch(&Arc::still(self, state), R::ZERO, ArcEnd::Halt);
                }
                along = Some(Straight::from_rest(self));
            }
            let mut left = if midst { arc.leave(&state, &phases.phase, rises) } else { None };
            if left.is_none() {
                along = along.or_else(|| Straight::along(self, g.map(|g| g / size)));
                left = match along {
                    Some(along) => arc.straight(&state, along, &phases.phase),
                    None => arc.slip(&state, size, &mut aim, &phases.phase, rises),
                };
            }
            let Some(leave) = left else { break };
            watch(&arc, leave.at, leave.why);
            (arcs, end) = (arcs + 1, leave.why);
            if end == ArcEnd::Never {
                break;
            }
            (state, residual) = (leave.state, residual.max(leave.defect));
            // The arc continues in another phase of the impact.
            midst = along.is_none() && matches!(end, ArcEnd::Compressed | ArcEnd::Recompressed);
            match end {
                ArcEnd::Halt => {
                    [state[G], state[G + 1]] = [R::ZERO; 2];
                    along = None;
                }
                ArcEnd::Compressed | ArcEnd::Recompressed => {
                    if end == ArcEnd::Recompressed {
                        phases.compress(&state);
                    } else if phases.restitute(&state) {
                        end = ArcEnd::Over;
                    }
                    arc.next_phase(leave.at, state[E]);
                    [state[V], state[E]] = [R::ZERO; 2];
                }
                ArcEnd::Over => phases.end(&state),
                ArcEnd::Length | ArcEnd::Never => {}
            }
        }
        if end == ArcEnd::Over {
            residual = residual.max(self.excess(&state)).max(phases.violation(&state));
        }
        let si = self.si(&state, unit);
        let joule = unit * unit / self.inverse_mass;
        let [compression, restitution] = phases.work;
        ContactImpact {
            velocity: [si[0], si[1], si[2]],
            impulse: [si[3], si[4], si[5]],
            work: [compression * joule, restitution * joule, state[F] * joule],
            arcs,
            end,
            residual,
        }
    }
}
