//! The handle: an impact with its options, and the message of the last error.

use std::any::Any;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use carom_core::error::{Error, Result};
use carom_engine::PreparedImpact;
use carom_engine::run::{Run, by_field};
use carom_law::Law;

use crate::code::Code;
use crate::set::Found;

/// An impact that is prepared once and sampled many times. Two threads may not use a handle at the
/// same time; different handles share nothing.
pub struct Handle {
    pub(crate) options: Run,
    pub(crate) sampler: Option<PreparedImpact>,
    /// The law of the prepared problem; `None` for forecasts.
    pub(crate) law: Option<Law>,
    pub(crate) found: Option<Found>,
    message: CString,
}

impl Handle {
    /// The prepared problem.
    ///
    /// # Errors
    /// No problem was prepared.
    pub(crate) fn sampler(&mut self) -> Result<&mut PreparedImpact> {
        self.sampler
            .as_mut()
            .ok_or_else(|| Error::usage("no problem was prepared").hint("call carom_prepare first"))
    }

    /// The law of the prepared problem, for proofs.
    ///
    /// # Errors
    /// No problem was prepared; the samples are forecasts of a model.
    pub(crate) fn law(&mut self) -> Result<Law> {
        self.sampler()?;
        self.law.clone().ok_or_else(carom_analysis::proofs::forecasts)
    }

    fn fail(&mut self, code: Code, message: String) -> Code {
        let bytes: Vec<u8> = message.into_bytes().into_iter().filter(|byte| *byte != 0).collect();
        self.message = CString::new(bytes).unwrap_or_default();
        code
    }
}

/// The message of an error, in one line.
fn line(error: Error) -> String {
    let error = by_field(error);
    match &error.hint {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    }
}

fn reason(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}

/// Does the work of a call, and turns errors and panics into codes with a message. Public for
/// tests.
///
/// # Safety
/// `handle` is NULL or from [`carom_new`], and no other thread uses it.
#[doc(hidden)]
pub unsafe fn call(handle: *mut Handle, work: impl FnOnce(&mut Handle) -> Result<()>) -> Code {
    let Some(handle) = (unsafe { handle.as_mut() }) else { return Code::CaromUsage };
    match catch_unwind(AssertUnwindSafe(|| work(handle))) {
        Ok(Ok(())) => Code::CaromOk,
        Ok(Err(error)) => handle.fail(error.kind.into(), line(error)),
        Err(panic) => {
            (handle.sampler, handle.law, handle.found) = (None, None, None);
            handle.fail(Code::CaromDefect, format!("a defect of carom: {}", reason(&*panic)))
        }
    }
}

/// A new handle, without a problem. Release it with `carom_free`.
#[unsafe(no_mangle)]
pub extern "C" fn carom_new() -> *mut Handle {
    let message = CString::default();
    let handle = Handle { options: Run::default(), sampler: None, law: None, found: None, message };
    Box::into_raw(Box::new(handle))
}

/// Releases a handle; NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_free(handle: *mut Handle) {
    if !handle.is_null() {
        let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(handle) })));
    }
}

/// What went wrong in the last call on the handle that failed: one line, which the handle owns and
/// which lives until the next call on it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_last_error(handle: *const Handle) -> *const c_char {
    match unsafe { handle.as_ref() } {
        Some(handle) => handle.message.as_ptr(),
        None => c"the handle is NULL".as_ptr(),
    }
}

/// The version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn carom_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}
