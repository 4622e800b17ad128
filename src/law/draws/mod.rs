//! What samples draw: relative rates of impulse, uncertain numbers, uncertain inertia.

pub mod inertia;
pub mod numbers;
pub mod rates;
