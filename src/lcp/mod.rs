//! Complementarity problems: the impulse step in `2 m` unknowns, its form as an LCP, and their solvers.
//! Nothing here knows where the numbers come from.

pub mod enumerate;
pub mod lemke;
pub mod mixed;
pub mod modes;
pub mod step;

pub use lemke::{Lemke, LemkeEnd};
pub use mixed::Mixed;
pub use modes::{Mode, ModeTable};
pub use step::{Scaling, StepProblem};
