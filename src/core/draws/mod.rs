//! Random draws of each sample: relative rates, uncertain coefficients and noise, uncertain
//! inertia.

pub mod inertia;
pub mod numbers;
pub mod rates;
pub mod sampler;
pub mod stop;
