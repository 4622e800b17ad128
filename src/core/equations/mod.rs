//! Equations without physics: linear ones that may be singular, and stiff differential ones.

pub mod elimination;
pub mod least_norm;
pub mod rosenbrock;

pub use elimination::eliminate;
pub use least_norm::least_norm;
