//! Impact laws, one published law per module: the velocities to which an impact can lead.
//!
//! [`Law`] lists the sampled laws, each a [`SampledLaw`] and a line in `laws.rs`. [`FiniteLaw`]
//! lists the laws with finitely many outcomes, which [`FiniteLaw::resolve`] computes. `routh`
//! contains the set-valued law, `finite` the other laws, `sampling` the code common to all sampled
//! laws, `lanes` the kernels on the vector instructions of a CPU.

pub mod finite;
pub mod lanes;
pub mod laws;
mod orders;
pub mod routh;
pub mod sampling;

pub use carom_core::draws::sampler::{Sampler, Shares};
pub use carom_core::limits::Limits;
pub use carom_core::outcome::listed::{Outcome, OutcomeSet};
pub use finite::anitescu_potra::AnitescuPotra;
pub use finite::compliant::{Compliant, ContactModel};
pub use finite::cone_complementarity::ConeComplementarity;
pub use finite::convex_relaxation::ConvexRelaxation;
pub use finite::darboux_keller::{ContactCourse, DarbouxKeller};
pub use finite::describe::{Describe, DescribeOutcome};
pub use finite::plus::Plus;
pub use finite::propagative::{Propagative, Uniqueness};
pub use finite::sequential::Sequential;
pub use finite::{About, Details, FiniteLaw, Resolved};
pub use lanes::Kernels;
pub use laws::Law;
pub use routh::options::{Routh, RouthProcess, Solution};
pub use sampling::compiled::Compiled;
pub use sampling::ending::Ending;
pub use sampling::process::{Process, ProcessKind, Workspace, most_residual};
pub use sampling::random_order::StrikeKind;
pub use sampling::restitution::Hypothesis;
pub use sampling::sampled::SampledLaw;
