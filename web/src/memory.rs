//! The memory that a page and this crate share, and the functions that it calls.
//!
//! A page writes a request into [`request`]'s memory and arrays into that of [`array`], calls
//! [`ask`], and reads the answer. Addresses stay valid until the next call. Only the names of these
//! functions are unsafe: a linker must not meet them twice.

use std::cell::RefCell;

use crate::request::Session;

/// What is shared.
#[derive(Default)]
struct Shared {
    request: Vec<u8>,
    array: Vec<u64>,
    answer: Vec<u8>,
    session: Session,
}

thread_local! {
    static SHARED: RefCell<Shared> = RefCell::default();
}

/// Memory for a request of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn request(bytes: usize) -> *mut u8 {
    SHARED.with_borrow_mut(|shared| {
        shared.request.resize(bytes, 0);
        shared.request.as_mut_ptr()
    })
}

/// Memory for an array of so many bytes, which goes with a request.
#[unsafe(no_mangle)]
pub extern "C" fn array(bytes: usize) -> *mut u64 {
    SHARED.with_borrow_mut(|shared| {
        shared.array.resize(bytes.div_ceil(8), 0);
        shared.array.as_mut_ptr()
    })
}

/// Answers the request; where the answer is, JSON in UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> *const u8 {
    SHARED.with_borrow_mut(|shared| {
        let Shared { request, array, session, .. } = &mut *shared;
        let answer = session.answer(request, bytemuck::cast_slice(array));
        shared.answer = answer.to_string().into_bytes();
        shared.answer.as_ptr()
    })
}

/// The length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer_bytes() -> usize {
    SHARED.with_borrow(|shared| shared.answer.len())
}
