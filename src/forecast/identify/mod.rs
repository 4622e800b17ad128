//! Identification: the uncertainty model with the best forecasts of measured impacts.

mod dress;
mod estimate;
mod fit;
mod folds;
mod forecast;
mod held;
mod improve;
mod local;
mod model;
mod modelled;
mod parameter;
mod parts;
pub mod place;
pub mod score;
pub mod search;
mod training;
mod unfitted;

pub use dress::Dress;
pub use estimate::Estimate;
pub use fit::{Identified, Identify, Worth};
pub use held::{Forecasting, HeldOut};
pub use model::Model;
pub use modelled::{modelled, read_model};
pub use parameter::Ingredient;
pub use training::Criterion;
