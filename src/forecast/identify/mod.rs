//! Identification: the model of what is uncertain that forecasts measured impacts best.

pub mod dress;
pub mod estimate;
pub mod fit;
pub mod folds;
pub mod forecast;
pub mod held;
pub mod improve;
mod local;
pub mod middle;
pub mod model;
pub mod modelled;
pub mod parameter;
mod parts;
pub mod place;
pub mod score;
pub mod search;
pub mod training;
mod unfitted;

pub use dress::Dress;
pub use estimate::Estimate;
pub use fit::{Identified, Identify, Worth};
pub use held::{Forecasting, HeldOut};
pub use model::Model;
pub use modelled::{modelled, read_model};
pub use parameter::Ingredient;
pub use training::Criterion;
