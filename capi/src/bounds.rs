//! Bounds that are proved.

use carom::{BoundKind, Error, bound};

use crate::arrays::{read, write};
use crate::code::Code;
use crate::handle::{Handle, call};

/// A bound by the exact set of a planar inelastic problem, in exact arithmetic; takes longest.
pub const EXACT: u32 = 0;
/// A bound for any order of impulses of a planar inelastic problem of up to five contacts.
pub const CERTIFIED: u32 = 1;
/// A bound for every law that pushes within the friction cones and adds no energy, in space too.
pub const CONIC: u32 = 2;

/// A number that `direction . v` after the impact does not exceed. `kind`: `CAROM_EXACT`,
/// `CAROM_CERTIFIED` or `CAROM_CONIC`. `proved` tells whether it is proved, rounding included;
/// otherwise it is the solver's. Takes milliseconds, and allocates memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_bound(
    handle: *mut Handle,
    kind: u32,
    direction: *const f64,
    most: *mut f64,
    proved: *mut bool,
) -> Code {
    let find = |handle: &mut Handle| {
        let kind = match kind {
            EXACT => BoundKind::Exact,
            CERTIFIED => BoundKind::Certified,
            CONIC => BoundKind::Conic,
            other => {
                let what = "expected CAROM_EXACT, CAROM_CERTIFIED or CAROM_CONIC";
                return Err(Error::usage(format!("{what}, found {other}")).at("kind"));
            }
        };
        let problem = handle.sampler()?.current();
        let c = unsafe { read(direction, problem.coordinate_count(), "direction") }?;
        let found = bound(problem, c, kind)?;
        unsafe {
            write(most, 0, &[found.value]);
            write(proved, 0, &[found.certified]);
        }
        Ok(())
    };
    unsafe { call(handle, find) }
}
