//! Problems from arrays, options, and updates between calls.

use std::ffi::{CStr, c_char};

use carom_core::error::{Error, Result};
use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_engine::run::Run;
use carom_engine::{Device, PreparedImpact};

use crate::arrays::{null, read, size};
use crate::code::Code;
use crate::handle::{Handle, call};
use crate::outcomes::BLOCK;

/// Matrices are stored row by row, as arrays of C are.
pub const ROW_MAJOR: u32 = 0;
/// Matrices are stored column by column, as those of Eigen are by default.
pub const COLUMN_MAJOR: u32 = 1;

/// A contact problem in SI units, at a fixed configuration. Set what is not used to zero. The
/// arrays are read by `carom_prepare` alone.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Problem {
    /// Number n of coordinates.
    pub coordinates: usize,
    /// Number m of contacts, which all strike at once.
    pub contacts: usize,
    /// Tangent directions d of each contact: 0 frictionless, 1 planar, 2 spatial.
    pub tangents: usize,
    /// Number b of bilateral constraints, such as those that close a loop of links; often 0.
    pub constraints: usize,
    /// `CAROM_ROW_MAJOR` or `CAROM_COLUMN_MAJOR`, of all matrices.
    pub order: u32,
    /// Mass matrix M (n,n), symmetric and positive definite.
    pub mass: *const f64,
    /// Normal Jacobian Jn (m,n): Jn v are normal velocities in m/s, positive = separating.
    pub normal: *const f64,
    /// Tangent Jacobian Jt (d m, n), the d rows of a contact together: perpendicular to its normal,
    /// and to each other.
    pub tangent: *const f64,
    /// Bilateral constraints Jb (b,n): Jb v = 0 before, during and after the impact.
    pub bilateral: *const f64,
    /// Coefficients of friction (m); NULL where d is 0.
    pub friction: *const f64,
    /// Coefficients of restitution (m) in [0, 1]; NULL: the default of the law.
    pub restitution: *const f64,
    /// Velocity v (n) before the impact.
    pub velocity: *const f64,
}

impl Problem {
    /// The rows of a matrix.
    unsafe fn rows(&self, matrix: *const f64, rows: usize, name: &str) -> Result<Vec<Vec<f64>>> {
        let n = self.coordinates;
        let numbers = unsafe { read(matrix, rows * n, name) }?;
        let row = |i: usize| match self.order {
            ROW_MAJOR => numbers[i * n..(i + 1) * n].to_vec(),
            _ => numbers[i..].iter().step_by(rows).copied().collect(),
        };
        Ok((0..rows).map(row).collect())
    }

    /// The checked problem.
    ///
    /// # Errors
    /// Errors of [`ContactProblem::new`]; unset sizes or pointers.
    unsafe fn checked(&self) -> Result<ContactProblem> {
        let n = size(self.coordinates, "coordinates")?;
        let (m, b) = (size(self.contacts, "contacts")?, size(self.constraints, "constraints")?);
        if self.tangents > 2 {
            let what = format!("expected 0, 1 or 2, found {}", self.tangents);
            return Err(Error::usage(what).at("tangents"));
        }
        if ![ROW_MAJOR, COLUMN_MAJOR].contains(&self.order) {
            let what =
                format!("expected CAROM_ROW_MAJOR or CAROM_COLUMN_MAJOR, found {}", self.order);
            return Err(Error::usage(what).at("order"));
        }
        let given = |of: *const f64| (!of.is_null()).then_some(of);
        let numbers = |of, name| unsafe { read(of, m, name) }.map(<[f64]>::to_vec);
        unsafe {
            ContactProblem::new(ProblemSpec {
                name: "problem".to_string(),
                mass: self.rows(self.mass, n, "mass")?,
                normal: self.rows(self.normal, m, "normal")?,
                tangent: self.rows(self.tangent, self.tangents * m, "tangent")?,
                bilateral: self.rows(self.bilateral, b, "bilateral")?,
                friction: given(self.friction).map(|of| numbers(of, "friction")).transpose()?,
                restitution: given(self.restitution)
                    .map(|of| numbers(of, "restitution"))
                    .transpose()?,
                velocity: read(self.velocity, n, "velocity")?.to_vec(),
                ..ProblemSpec::default()
            })
        }
    }
}

/// Sets the options of problems that are prepared from now on: the law, its options, the seed and
/// the precision, as JSON with the keys of plans. NULL or "{}": the defaults. For example
/// {"precision": "f32", "max_steps": 200} limits the work of each sample; {"law": "plus"} takes
/// another law. The page `docs/options.md` lists them. Samples are computed on the thread of the
/// caller, so there is no device, and their number is that of `carom_sample`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_set_options(handle: *mut Handle, options: *const c_char) -> Code {
    let set = |handle: &mut Handle| {
        let text = match options.is_null() {
            true => c"{}",
            false => unsafe { CStr::from_ptr(options) },
        };
        let text = text.to_str().map_err(|_| Error::usage("expected UTF-8").at("options"))?;
        let options = Run::from_json(text)?;
        if options.samples.is_some() || !matches!(options.device, Device::Auto | Device::Cpu) {
            let name = if options.samples.is_some() { "samples" } else { "device" };
            let what = "a prepared problem has no such option";
            return Err(Error::usage(what).option(name).hint("leave it out"));
        }
        handle.options = options;
        Ok(())
    };
    unsafe { call(handle, set) }
}

/// Checks a problem and prepares it: everything that samples share is computed, and all memory is
/// taken that `carom_sample` needs. Call it again for other matrices, of whatever size; after an
/// error the last problem stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_prepare(handle: *mut Handle, problem: *const Problem) -> Code {
    let prepare = |handle: &mut Handle| {
        let problem = unsafe { problem.as_ref() }.ok_or_else(|| null("problem"))?;
        let problem = handle.options.on(unsafe { problem.checked() }?)?;
        let plan = handle.options.plan();
        let mut sampler = PreparedImpact::new(&problem, &plan)?;
        sampler.reserve(BLOCK);
        sampler.sample(0, 1);
        handle.law = plan.forecaster.is_none().then_some(plan.law);
        (handle.sampler, handle.found) = (Some(sampler), None);
        Ok(())
    };
    unsafe { call(handle, prepare) }
}

/// Sets another velocity (n) before the impact; the matrices and coefficients stay. Allocates
/// nothing, unless the velocity breaks bilateral constraints. After an error the last velocity
/// stays. The exact set of the last velocity is gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_set_velocity(handle: *mut Handle, velocity: *const f64) -> Code {
    let set = |handle: &mut Handle| {
        let sampler = handle.sampler()?;
        let n = sampler.current().coordinate_count();
        sampler.velocity(unsafe { read(velocity, n, "velocity") }?)?;
        handle.found = None;
        Ok(())
    };
    unsafe { call(handle, set) }
}

/// Sets another seed: with the same seed a problem has the same samples.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_set_seed(handle: *mut Handle, seed: u64) -> Code {
    let set = |handle: &mut Handle| {
        handle.options.seed = seed;
        handle.sampler()?.seed(seed);
        Ok(())
    };
    unsafe { call(handle, set) }
}
