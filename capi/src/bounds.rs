//! Proved bounds.

use std::time::Duration;

use carom_analysis::BoundKind;
use carom_analysis::bounds::Aim;
use carom_analysis::proofs::Proofs;
use carom_core::Limits;
use carom_core::error::{Error, Result};

use crate::arrays::{limit, read, write};
use crate::code::Code;
use crate::handle::{Handle, call};

/// A bound by the exact set of a planar problem, inelastic or with Poisson's restitution, in exact
/// arithmetic; takes longest.
pub const EXACT: u32 = 0;
/// A bound for any order of impulses, in the plane and in space, inelastic or with Stronge's
/// restitution, of up to 8 contacts.
pub const CERTIFIED: u32 = 1;
/// A bound for every law that pushes within the friction cones and adds no energy, in space too.
pub const CONIC: u32 = 2;

/// Largest time limit in seconds; a longer limit counts as none.
const LONGEST: f64 = 1e9;

/// A number that `direction . v` after the impact does not exceed. `kind`: `CAROM_EXACT`,
/// `CAROM_CERTIFIED` or `CAROM_CONIC`. `proved` tells whether it is proved, rounding included;
/// otherwise it is the solver's, or that of a set which may lack outcomes, and no larger than what
/// is proved.
///
/// An error where no such bound holds for the law that was prepared: certified and conic ones do
/// not hold with Poisson's restitution, none with cones of facets, with the laws `plus` and
/// `propagative`, with uncertain numbers other than friction and restitution, and for forecasts;
/// with the published steps and the law `sequential` the conic one alone holds.
///
/// The conic bound takes milliseconds; the others may take many seconds, without a limit
/// (`carom_bound_within` has one). Allocates memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_bound(
    handle: *mut Handle,
    kind: u32,
    direction: *const f64,
    most: *mut f64,
    proved: *mut bool,
) -> Code {
    unsafe { carom_bound_within(handle, kind, direction, 0.0, most, proved) }
}

/// `carom_bound` that takes about `seconds`; 0: no limit. A certified bound is the best one that is
/// found until then, never above the conic one, which is found first, in milliseconds. An exact set
/// that is not found in time is an error; it is not proved where its proof is not found. Starts a
/// thread for the certified bound, which ends with the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_bound_within(
    handle: *mut Handle,
    kind: u32,
    direction: *const f64,
    seconds: f64,
    most: *mut f64,
    proved: *mut bool,
) -> Code {
    let find = |handle: &mut Handle| {
        let kind = kind_of(kind)?;
        let within = limit(seconds)?;
        let within = (within < LONGEST).then(|| Duration::from_secs_f64(within));
        let law = handle.law()?;
        let problem = handle.sampler()?.current();
        let c = unsafe { read(direction, problem.coordinate_count(), "direction") }?;
        let aim = Aim::Direction(c.to_vec());
        let proofs = Proofs::new(problem, &law, &aim, &[kind], within, &Limits::default())?;
        // The list begins with proved bounds, so the search prefers them.
        let found = proofs.bounds.iter().find(|bound| match bound.kind {
            BoundKind::Enclosure => kind == BoundKind::Exact,
            of => of == kind,
        });
        let found = found.ok_or_else(|| Error::usage("no bound was found").at("kind"))?;
        unsafe {
            write(most, 0, &[found.value]);
            write(proved, 0, &[found.certified]);
        }
        Ok(())
    };
    unsafe { call(handle, find) }
}

fn kind_of(kind: u32) -> Result<BoundKind> {
    match kind {
        EXACT => Ok(BoundKind::Exact),
        CERTIFIED => Ok(BoundKind::Certified),
        CONIC => Ok(BoundKind::Conic),
        other => {
            let what = "expected CAROM_EXACT, CAROM_CERTIFIED or CAROM_CONIC";
            Err(Error::usage(format!("{what}, found {other}")).at("kind"))
        }
    }
}
