//! Processes in each number type, compiled in this package and not again where they are called.

use super::ending::Ending;
use super::process::{Process, Workspace};
use crate::Law;
use carom_core::error::Result;
use carom_core::problem::ContactProblem;
use carom_core::real::{Counted, Dual, Real};
use carom_core::rng::Stream;

/// A number type whose processes this package holds compiled. The functions are not generic, so
/// that a package that samples does not compile them again. Methods of [`Process`] call them.
pub trait Compiled: Real {
    /// See [`Law::prepare`].
    #[doc(hidden)]
    fn prepare(law: &Law, problem: &ContactProblem) -> Result<Process<Self>>;

    /// See [`Process::cast`].
    #[doc(hidden)]
    fn cast(process: &Process<f64>, problem: &ContactProblem) -> Result<Process<Self>>;

    /// See [`Process::approach`].
    #[doc(hidden)]
    fn approach(process: &mut Process<Self>, problem: &ContactProblem) -> Result<()>;

    /// See [`Process::workspace`].
    #[doc(hidden)]
    fn workspace(process: &Process<Self>) -> Workspace<Self>;

    /// See [`Process::sample`] and, where `finer`, [`Process::sample_again`].
    #[doc(hidden)]
    fn sample(
        process: &Process<Self>,
        finer: bool,
        stream: &Stream,
        work: &mut Workspace<Self>,
    ) -> Ending<Self>;

    /// See [`Process::trace`].
    #[doc(hidden)]
    fn trace(
        process: &Process<Self>,
        finer: bool,
        stream: &Stream,
        work: &mut Workspace<Self>,
        note: &mut dyn FnMut(&[Self], &[Self]),
    ) -> Ending<Self>;
}

macro_rules! compiled {
    ($($r:ident),*) => {$(
        impl Compiled for $r {
            fn prepare(law: &Law, problem: &ContactProblem) -> Result<Process<$r>> {
                law.prepare_in(problem)
            }

            fn cast(process: &Process<f64>, problem: &ContactProblem) -> Result<Process<$r>> {
                process.cast_in(problem)
            }

            fn approach(process: &mut Process<$r>, problem: &ContactProblem) -> Result<()> {
                process.approach_in(problem)
            }

            fn workspace(process: &Process<$r>) -> Workspace<$r> {
                process.workspace_in()
            }

            fn sample(
                process: &Process<$r>,
                finer: bool,
                stream: &Stream,
                work: &mut Workspace<$r>,
            ) -> Ending<$r> {
                process.sample_in(finer, stream, work)
            }

            fn trace(
                process: &Process<$r>,
                finer: bool,
                stream: &Stream,
                work: &mut Workspace<$r>,
                note: &mut dyn FnMut(&[$r], &[$r]),
            ) -> Ending<$r> {
                process.trace_in(finer, stream, work, note)
            }
        }
    )*};
}

compiled!(f32, f64, Dual, Counted);
