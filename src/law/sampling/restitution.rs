//! The meaning of a coefficient of restitution, and its admissible values.

use schemars::JsonSchema;
use serde::Deserialize;

use carom_core::named;
use carom_core::{ContactProblem, Error, Number, Real, Result};

named! {
    /// The hypothesis that determines the end of restitution.
    #[derive(Default, Hash, Deserialize, JsonSchema)]
    pub enum Hypothesis {
        /// Energy: restitution returns `e^2` of the work of compression.
        #[default]
        Stronge = "stronge",
        /// Impulse: the normal impulse of restitution is `e` times that of compression.
        Poisson = "poisson",
        /// Velocity: the last normal velocity is `-e` times the first.
        Newton = "newton",
    }
}

/// The common coefficient of restitution of all contacts: `given`, else the coefficient of the
/// problem, else `otherwise`.
///
/// A usage error where `given` lies outside [0, 1], an input error where the problem's coefficients
/// differ between contacts.
pub fn shared_coefficient(
    problem: &ContactProblem,
    law: &str,
    given: Option<f64>,
    otherwise: f64,
) -> Result<f64> {
    if let Some(e) = given {
        if (0.0..=1.0).contains(&e) {
            return Ok(e);
        }
        let what = format!("a coefficient of restitution lies in [0, 1], found {e}");
        return Err(Error::usage(what).at("restitution"));
    }
    let Some(e) = problem.restitution() else { return Ok(otherwise) };
    let Some(i) = e.iter().position(|&other| other != e[0]) else { return Ok(e[0]) };
    let what = format!(
        "the law `{law}` has one coefficient of restitution for all contacts; found {} and {}",
        e[0], e[i]
    );
    Err(Error::input(what)
        .at(format!("restitution[{i}]"))
        .hint("set all of them to one value, or pass --restitution"))
}

/// Refuses coefficients of restitution above 0.
pub fn require_inelastic(problem: &ContactProblem, law: &str) -> Result<()> {
    let Some(i) = problem.restitution().and_then(|e| e.iter().position(|&e| e > 0.0)) else {
        return Ok(());
    };
    let what = format!("the law `{law}` is inelastic; it cannot honour a restitution above 0");
    Err(Error::input(what)
        .at(format!("restitution[{i}]"))
        .hint("set it to 0, leave `restitution` out, or pass --restitution 0"))
}

/// Largest dimensionless normal velocity at the end of a compression that counts as zero: a quarter
/// of the rest threshold.
pub fn landing<R: Real>(rest: R) -> R {
    -rest * R::from_f64(0.25)
}

/// The value, times `W_nn`, below which stored work (Poisson: stored impulse) counts as zero. The
/// larger of two bounds applies: a small part of the energy of the normal velocity `u`, and an
/// amount that changes the velocity by less than the rest threshold.
#[inline(always)]
pub fn negligible<X: Number>(u: X, landing: X, poisson: bool) -> X {
    let (quarter, part) = (u.number(0.25), u.like(empty_part::<X::Scalar>()));
    if poisson {
        (part * u.magnitude()).larger(quarter * landing)
    } else {
        (part * u * u).larger(quarter * landing * landing)
    }
}

/// The value below which stored work counts as zero, relative to `u_n^2 / W_nn`; Poisson: the value
/// for stored impulse, relative to `|u_n| / W_nn`.
pub fn empty_part<R: Real>() -> R {
    R::from_f64(if R::EPSILON > f64::EPSILON { 1e-6 } else { 1e-12 })
}

/// The smallest positive `t` with `a t^2 / 2 + u t = s`, for `s > 0`; [`Real::HUGE`] where no such
/// `t` exists.
#[inline(always)]
pub fn first_root<X: Number>(a: X, u: X, s: X) -> X {
    let [zero, two] = u.numbers([0.0, 2.0]);
    let square = u * u + two * a * s;
    let below = u + square.square_root();
    X::pick(!square.below(zero) & zero.below(below), two * s / below, u.like(X::Scalar::HUGE))
}
