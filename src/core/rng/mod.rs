//! Counter-based random numbers: functions of an address instead of a state, so every device draws
//! the same integers.

pub mod normal;
pub mod philox;
pub mod sobol;
pub mod stream;

pub use normal::{deviates, normal};
pub use philox::philox4x32_10;
pub use stream::{Patch, Purpose, Stream, StreamRng, seed_of_state};
