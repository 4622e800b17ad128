use super::body::RigidBody;
use super::state::BodyState;
use crate::motion::ending::MotionEnding;
use carom_core::real::Real;

/// Number of bisections that locate a collision: a few more than the bits of a double's mantissa.
pub const HALVINGS: usize = 60;

/// A collision within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Struck {
    /// Time of the collision from the start of the step, in s.
    pub after: f64,
    /// The state just after the collision.
    pub state: BodyState,
    /// The impulse lambda, in N s, >= 0.
    pub impulse: f64,
    /// The point that touches, in the frame of the body, in m.
    pub point: [f64; 3],
    /// The speed at which the gap closed, and with which it opens, in m/s.
    pub speed: f64,
}

/// The state one time step later; `struck` is called with every collision on the way.
///
/// A free flight over the whole step is accepted if it ends outside of the plane. Otherwise
/// bisection finds a time at which the gap changes sign, the state on the side `gap >= 0` jumps,
/// and the rest of the step is tried, repeatedly. Source: \[TL24\] Algorithm 5.2. Deviations: time
/// advances by alpha h, not by alpha; bisection continues to the last digit. If the gap does not
/// close at the located point, due to rounding or a graze, the point just inside counts; if it does
/// not close there either, the impulse is 0. Only the end of a flight is tested: a dip into the
/// plane that ends within the flight is not seen, as published.
///
/// # Errors
/// [`MotionEnding::Zeno`] after more than `limit` collisions; [`MotionEnding::NoRotation`] where
/// the body turns too far in one step; [`MotionEnding::NotFinite`].
pub fn step(
    body: &RigidBody,
    start: &BodyState,
    h: f64,
    limit: u32,
    struck: &mut dyn FnMut(Struck),
) -> Result<BodyState, MotionEnding> {
    let mut state = *start;
    let mut left = h;
    let mut count = 0;
    loop {
        let trial = body.flight(&state, left).ok_or(MotionEnding::NoRotation)?;
        let gap = body.gap(&trial).value;
        if gap >= 0.0 {
            return Ok(trial);
        }
        if !gap.is_finite() || !trial.is_finite() {
            return Err(MotionEnding::NotFinite);
        }
        if count >= limit {
            return Err(MotionEnding::Zeno);
        }
        count += 1;
        let (tau, before, inside) = meet(body, &state, left, trial)?;
        left -= tau;
        let hit = strike(body, &before, &inside, h - left);
        state = hit.state;
        struck(hit);
    }
}

/// The collision of a body that is `before` just outside of the plane and a moment later `inside`.
pub fn strike(body: &RigidBody, before: &BodyState, inside: &BodyState, after: f64) -> Struck {
    let mut point = body.gap(before).point;
    let (mut rate, mut mobility) = body.approach(before, point);
    if rate >= 0.0 {
        point = body.gap(inside).point;
        (rate, mobility) = body.approach(before, point);
    }
    let closing = Real::max(-rate, 0.0);
    let impulse = (closing + closing) / mobility;
    Struck { after, state: body.jump(before, point, impulse), impulse, point, speed: closing }
}

/// A time at which the gap changes its sign, the state then, outside, and the one a moment later,
/// inside.
fn meet(
    body: &RigidBody,
    start: &BodyState,
    left: f64,
    end: BodyState,
) -> Result<(f64, BodyState, BodyState), MotionEnding> {
    let (mut low, mut high) = (0.0, left);
    let (mut outside, mut inside) = (*start, end);
    let half = 0.5;
    for _ in 0..HALVINGS {
        let middle = (low + high) * half;
        if middle <= low || middle >= high {
            break;
        }
        let state = body.flight(start, middle).ok_or(MotionEnding::NoRotation)?;
        if body.gap(&state).value >= 0.0 {
            (low, outside) = (middle, state);
        } else {
            (high, inside) = (middle, state);
        }
    }
    Ok((low, outside, inside))
}
