//! Equations without physics: linear equations that may be singular, stiff differential equations.

pub mod elimination;
pub mod least_norm;
pub mod rosenbrock;

pub use elimination::eliminate;
pub use least_norm::least_norm;
