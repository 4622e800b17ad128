//! Sets of outcomes: their points, statistics, contact modes, and distances. This module contains
//! no mechanics and reads no files.

pub mod ball;
pub mod binomial;
pub mod clusters;
pub mod distance;
pub mod dressing;
pub mod group;
pub mod hull;
pub mod listed;
pub mod modes;
pub mod polytope;
pub mod principal;
pub mod representatives;
pub mod score;
pub mod set;
pub mod sum;
pub mod summary;
pub mod verdict;

pub use distance::PointSet;
pub use dressing::Dressing;
pub use group::Group;
pub use modes::{Mode, ModeCounts};
pub use polytope::Polytope;
pub use score::{Cloud, Score, Size};
pub use set::Samples;
pub use sum::Sum;
pub use summary::{Spread, Summary, Tolerance};
