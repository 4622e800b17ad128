//! Memory shared by a page and this crate, and the exported functions.
//!
//! A page writes a request into the memory of [`request`] and arrays into the memory of [`array`],
//! calls [`ask`], and reads the answer. Addresses stay valid until the next call. Only the exported
//! names are unsafe: a linker must not find them twice.

use std::cell::RefCell;

use crate::request::Session;

/// The shared memory.
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

/// Allocates memory for a request of `bytes` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn request(bytes: usize) -> *mut u8 {
    SHARED.with_borrow_mut(|shared| {
        shared.request.resize(bytes, 0);
        shared.request.as_mut_ptr()
    })
}

/// Allocates memory for the array of a request, of `bytes` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn array(bytes: usize) -> *mut u64 {
    SHARED.with_borrow_mut(|shared| {
        shared.array.resize(bytes.div_ceil(8), 0);
        shared.array.as_mut_ptr()
    })
}

/// Answers the request; returns the address of the answer, JSON in UTF-8.
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
