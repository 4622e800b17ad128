//! Impact laws, one published law per module: the velocities to which an impact can lead.
//!
//! [`Law`] holds the laws that are sampled, each a [`SampledLaw`] and a line in `laws.rs`;
//! [`FiniteLaw`] those with finitely many outcomes, which [`FiniteLaw::resolve`] lists.

pub mod anitescu_potra;
pub mod budget;
pub mod compliant;
pub mod cone_complementarity;
pub mod cones;
pub mod contact_space;
pub mod convex_relaxation;
pub mod course;
pub mod darboux_keller;
pub mod describe;
pub mod direction;
pub mod draws;
pub mod effort;
pub mod ending;
pub mod finite;
pub mod laws;
pub mod orders;
pub mod outcome;
pub mod plain;
pub mod plus;
pub mod process;
pub mod propagative;
pub mod random_order;
pub mod restitution;
pub mod routh;
pub mod sampled;
pub mod sequential;

pub use anitescu_potra::AnitescuPotra;
pub use compliant::{Compliant, ContactModel};
pub use cone_complementarity::ConeComplementarity;
pub use convex_relaxation::ConvexRelaxation;
pub use darboux_keller::{ContactCourse, DarbouxKeller};
pub use describe::{Describe, DescribeOutcome};
pub use direction::Direction;
pub use draws::sampler::{Sampler, Shares};
pub use effort::Effort;
pub use ending::Ending;
pub use finite::{About, Details, FiniteLaw, Resolved};
pub use laws::Law;
pub use orders::Orders;
pub use outcome::{Outcome, OutcomeSet};
pub use plus::Plus;
pub use process::{Process, ProcessKind, Workspace, most_residual};
pub use propagative::{Propagative, Uniqueness};
pub use random_order::StrikeKind;
pub use restitution::Hypothesis;
pub use routh::options::{Routh, RouthProcess, Solution};
pub use sampled::SampledLaw;
pub use sequential::Sequential;
