//! Random numbers by address: no state, the same integers on every device.

pub mod philox;
pub mod stream;

pub use philox::philox4x32_10;
pub use stream::{Purpose, Stream, StreamRng};
