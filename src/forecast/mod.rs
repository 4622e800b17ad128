//! Studies of sampled sets: extent, distance of other laws' outcomes, prediction of measured
//! impacts, and number of samples that cover a sampler's mass.

pub mod baselines;
pub mod bootstrap;
pub mod features;
pub mod forecast;
pub mod frame;
mod free_motion;
pub mod groups;
pub mod identify;
pub mod judge;
pub mod normal;
pub mod reality;
pub mod recording;
pub mod regression;
pub mod residual;
pub mod ridge;
pub mod scoring;
pub mod selected;
pub mod shape;
pub mod simultaneous;
pub mod spread;
pub mod student;
mod units;

pub use forecast::Forecast;
pub use identify::{Identified, Identify, Model};
pub use judge::{Judge, Judged};
pub use reality::{Reality, reality, reality_beside};
pub use recording::{Extraction, Layout, Recording};
pub use residual::Residual;
