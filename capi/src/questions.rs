//! Questions about sets of outcomes.

use carom_analysis::BoundKind;
use carom_analysis::bounds::bound;
use carom_analysis::sampled_set::invariants;
use carom_core::error::{Error, Result};
use carom_core::outcome::PointSet;
use nalgebra::DMatrix;

use crate::arrays::{read, write};
use crate::code::Code;
use crate::handle::{Handle, call};
use crate::outcomes::Outcomes;

/// The set that a question concerns.
enum Asked<'a> {
    /// Accepted samples.
    Samples(&'a Outcomes),
    /// The exact set of all outcomes.
    Exact(&'a carom_analysis::ExactSet),
}

/// The set for a question: samples of the caller, or the exact set if `of` is NULL.
///
/// # Safety
/// `of` is NULL or has the outcomes that its `count` promises.
unsafe fn asked<'a>(handle: &'a mut Handle, of: *const Outcomes) -> Result<(usize, Asked<'a>)> {
    let n = handle.sampler()?.current().coordinate_count();
    let asked = match (unsafe { of.as_ref() }, &handle.found) {
        (Some(samples), _) => Asked::Samples(samples),
        (None, Some(found)) => Asked::Exact(&found.set),
        (None, None) => {
            let what = "no exact set was found for the present velocity";
            return Err(Error::usage(what).at("of").hint("call carom_exact_set first"));
        }
    };
    Ok((n, asked))
}

impl Asked<'_> {
    /// The maximum of a convex function over the set, and a maximizing velocity (n).
    unsafe fn largest(&self, n: usize, value: impl Fn(&[f64]) -> f64) -> Result<(f64, &[f64])> {
        match self {
            Asked::Exact(set) => Ok(set.worst(value)),
            Asked::Samples(samples) => {
                let all = unsafe { samples.accepted(n) }?.map(|v| (value(v), v));
                Ok(all.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NEG_INFINITY, &[])))
            }
        }
    }
}

/// The largest `direction . v` after the impact, and a velocity (n) that attains it.
///
/// Every question is about `of`: the accepted ones of these outcomes, or, where it is NULL, the set
/// that `carom_exact_set` found. Samples show what is possible, the exact set what all orders of
/// impulses can do, and `carom_bound` proves what is not possible. A set that is not `tight` is an
/// enclosure: its velocity need not be an outcome, and its value is no larger than the conic bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_support(
    handle: *mut Handle,
    of: *const Outcomes,
    direction: *const f64,
    value: *mut f64,
    velocity: *mut f64,
) -> Code {
    unsafe { carom_worst(handle, of, std::ptr::null(), direction, value, velocity) }
}

/// The largest cost `v' Q v / 2 + c . v` after the impact, and a velocity (n) that has it. `of` is
/// as for `carom_support`. `quadratic`, Q (n,n), is symmetric; NULL: 0. `linear`, c (n); NULL: 0.
/// About the exact set Q must be positive semidefinite, so that its vertices have the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_worst(
    handle: *mut Handle,
    of: *const Outcomes,
    quadratic: *const f64,
    linear: *const f64,
    value: *mut f64,
    velocity: *mut f64,
) -> Code {
    let find = |handle: &mut Handle| {
        let (n, _) = unsafe { asked(handle, of) }?;
        let present = |of: *const f64, len| if of.is_null() { 0 } else { len };
        let q = unsafe { read(quadratic, present(quadratic, n * n), "quadratic") }?;
        let c = unsafe { read(linear, present(linear, n), "linear") }?;
        let limit = match (of.is_null(), &handle.found) {
            (true, Some(found)) if !found.set.is_tight() && q.is_empty() => proved(handle, c)?,
            _ => f64::INFINITY,
        };
        let (_, asked) = unsafe { asked(handle, of) }?;
        if q.iter().chain(c).any(|x| !x.is_finite()) {
            return Err(Error::usage("a cost has finite numbers").at("quadratic, linear"));
        }
        if matches!(asked, Asked::Exact(_)) && !is_convex(q, n) {
            let what = "the matrix is not symmetric and positive semidefinite";
            return Err(Error::usage(what).at("quadratic").hint("ask samples instead"));
        }
        let cost = |v: &[f64]| {
            let row = |(x, row): (&f64, &[f64])| 0.5 * x * dot(row, v);
            v.iter().zip(q.chunks_exact(n)).map(row).sum::<f64>() + dot(c, v)
        };
        let (most, at) = unsafe { asked.largest(n, cost) }?;
        unsafe {
            write(value, 0, &[most.min(limit)]);
            write(velocity, 0, at);
        }
        Ok(())
    };
    unsafe { call(handle, find) }
}

/// The proved conic bound of `c . v` after an inelastic impact, for any order of impulses; infinite
/// without a proof.
fn proved(handle: &mut Handle, c: &[f64]) -> Result<f64> {
    if c.iter().all(|c| *c == 0.0) {
        return Ok(0.0);
    }
    let conic = bound(handle.sampler()?.current(), c, BoundKind::Conic)?;
    Ok(if conic.is_proved() { conic.value } else { f64::INFINITY })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Whether a matrix (n,n) is symmetric and positive semidefinite, up to rounding; true without a
/// matrix.
fn is_convex(q: &[f64], n: usize) -> bool {
    const ROUNDING: f64 = 1e-12;
    if q.is_empty() {
        return true;
    }
    let q = DMatrix::from_row_slice(n, n, q);
    let room = ROUNDING * q.amax();
    (&q - q.transpose()).amax() <= room && q.symmetric_eigenvalues().min() >= -room
}

/// How far a velocity (n) is from the nearest outcome, in the kinetic metric `sqrt(d' M d)` over
/// that of the velocity before the impact: 1 is as far as that one is from rest. `of` is as for
/// `carom_support`. Entries that are NaN may be anything. Allocates memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_distance(
    handle: *mut Handle,
    of: *const Outcomes,
    velocity: *const f64,
    distance: *mut f64,
) -> Code {
    let find = |handle: &mut Handle| {
        let found = unsafe { nearest(handle, of, velocity) }?;
        unsafe { write(distance, 0, &[found]) };
        Ok(())
    };
    unsafe { call(handle, find) }
}

/// Whether a velocity (n) is within `eps` of an outcome, as `carom_distance` measures it. Doubles
/// lie on thin sets to rounding only, so `eps` is to be above 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_contains(
    handle: *mut Handle,
    of: *const Outcomes,
    velocity: *const f64,
    eps: f64,
    contains: *mut bool,
) -> Code {
    let find = |handle: &mut Handle| {
        if eps.is_nan() || eps < 0.0 {
            return Err(Error::usage(format!("expected 0 or more, found {eps}")).at("eps"));
        }
        let found = unsafe { nearest(handle, of, velocity) }?;
        unsafe { write(contains, 0, &[found <= eps]) };
        Ok(())
    };
    unsafe { call(handle, find) }
}

/// The distance between a velocity and the set.
///
/// # Safety
/// The requirements of [`carom_distance`].
unsafe fn nearest(handle: &mut Handle, of: *const Outcomes, velocity: *const f64) -> Result<f64> {
    let (n, _) = unsafe { asked(handle, of) }?;
    let velocity = unsafe { read(velocity, n, "velocity") }?;
    if velocity.iter().any(|x| x.is_infinite()) {
        return Err(Error::usage("expected finite numbers, or NaN for any").at("velocity"));
    }
    let points: Vec<f64> = match unsafe { asked(handle, of) }?.1 {
        Asked::Exact(set) => return Ok(set.distance(velocity)),
        Asked::Samples(samples) => unsafe { samples.accepted(n) }?.flatten().copied().collect(),
    };
    let (metric, given) = metric(handle, &[])?.where_given(velocity);
    Ok(metric.of(&points).distance(&given).0)
}

/// Velocities (n each) as points in the kinetic metric of the problem.
fn metric(handle: &mut Handle, velocities: &[f64]) -> Result<PointSet> {
    let problem = handle.sampler()?.current();
    let set = PointSet::new(problem.mass(), problem.velocity(), velocities);
    set.ok_or_else(|| Error::input("the mass matrix is not positive definite").at("mass"))
}

/// Directions c of velocities in which the order of impulses matters little, the least first: the
/// principal axes of the outcomes. Where `spread` is 0 up to rounding, `c . v` after the impact is
/// the same whatever the order, and a controller may rely on it. `of` is as for `carom_support`.
/// Allocates memory.
///
/// `directions` (n,n) has a direction in each row, of which the largest entry is 1; `least` and
/// `most` (n) are the ends of `c . v`, `spread` (n) their distance in the unit of
/// `carom_distance`. Arrays that are NULL are not written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_invariants(
    handle: *mut Handle,
    of: *const Outcomes,
    directions: *mut f64,
    spread: *mut f64,
    least: *mut f64,
    most: *mut f64,
) -> Code {
    let find = |handle: &mut Handle| {
        let velocities: Vec<f64> = match unsafe { asked(handle, of) }? {
            (_, Asked::Exact(set)) => set.vertices().flatten().copied().collect(),
            (n, Asked::Samples(samples)) => {
                unsafe { samples.accepted(n) }?.flatten().copied().collect()
            }
        };
        for (i, axis) in invariants(&metric(handle, &velocities)?).iter().enumerate() {
            unsafe {
                write(directions, i * axis.direction.len(), &axis.direction);
                write(spread, i, &[axis.spread]);
                write(least, i, &[axis.extent[0]]);
                write(most, i, &[axis.extent[1]]);
            }
        }
        Ok(())
    };
    unsafe { call(handle, find) }
}
