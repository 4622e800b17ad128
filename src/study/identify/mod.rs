//! Identification: the model of what is uncertain that forecasts measured impacts best.

pub mod dress;
pub mod estimate;
pub mod fit;
pub mod folds;
pub mod forecast;
pub mod held;
pub mod improve;
mod local;
pub mod model;
pub mod parameter;
pub mod place;
pub mod score;
pub mod search;
pub mod training;

pub use dress::Dress;
pub use estimate::Estimate;
pub use fit::{Identified, Identify, Worth};
pub use held::{Forecasting, HeldOut};
pub use model::Model;
pub use parameter::Ingredient;
pub use training::Criterion;
