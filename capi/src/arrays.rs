//! Arrays of the caller.

use carom_core::error::{Error, Result};

/// Most entries along one dimension of an array; products of two dimensions then cannot overflow.
const MOST: usize = 65_535;

/// Views an array of the caller.
///
/// # Errors
/// NULL.
///
/// # Safety
/// `from` is NULL or points to `len` numbers, which nobody changes meanwhile.
pub unsafe fn read<'a, T>(from: *const T, len: usize, name: &str) -> Result<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    if from.is_null() {
        return Err(null(name));
    }
    Ok(unsafe { std::slice::from_raw_parts(from, len) })
}

/// Writes rows `from ..` of an array of the caller; writes nothing if `to` is NULL.
///
/// # Safety
/// `to` is NULL, or `to + from ..` has room for the numbers, which nobody reads meanwhile.
pub unsafe fn write<T: Copy>(to: *mut T, from: usize, numbers: &[T]) {
    if !to.is_null() {
        unsafe { to.add(from).copy_from_nonoverlapping(numbers.as_ptr(), numbers.len()) }
    }
}

/// The error for a NULL pointer.
pub fn null(name: &str) -> Error {
    Error::usage("the pointer is NULL").at(name)
}

/// Checks a number of rows or columns.
///
/// # Errors
/// A number beyond the limit of 65 535.
pub fn size(number: usize, name: &str) -> Result<usize> {
    if number > MOST {
        let what = format!("{number} is more than {MOST}");
        return Err(Error::usage(what).at(name).hint("other fields of the structure may be unset"));
    }
    Ok(number)
}

/// Checks a time limit in seconds; 0 stands for no limit.
///
/// # Errors
/// A negative number, or NaN.
pub fn limit(seconds: f64) -> Result<f64> {
    match seconds {
        0.0 => Ok(f64::INFINITY),
        _ if seconds > 0.0 => Ok(seconds),
        _ => Err(Error::usage(format!("expected 0 or more, found {seconds}")).at("seconds")),
    }
}
