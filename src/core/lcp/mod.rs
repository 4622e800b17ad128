//! Complementarity problems: the impulse step in `(1 + T) m` unknowns, its form as an LCP, and
//! their solvers. Also a solver for systems of nonlinear equations. This module contains no
//! physics.

pub mod cone;
pub mod enumerate;
pub mod explicit;
pub mod facets;
pub mod forced;
pub mod interior;
pub mod lemke;
pub mod mixed;
pub mod modes;
pub mod root;
pub mod scaling;
pub mod step;
pub mod table;

pub use explicit::ExplicitMap;
pub use facets::Facets;
pub use lemke::{Lemke, LemkeEnd};
pub use mixed::Mixed;
pub use modes::ModeMap;
pub use root::{Root, System};
pub use scaling::Scaling;
pub use step::StepProblem;
pub use table::ModeTable;
