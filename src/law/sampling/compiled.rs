//! Processes in each number type, compiled in this package and not again where they are called.

use super::ending::Ending;
use super::process::{Process, Workspace};
use crate::Law;
use carom_core::error::Result;
use carom_core::problem::ContactProblem;
use carom_core::real::{Counted, Dual, Real};
use carom_core::rng::Stream;

/// A number type whose processes this package holds compiled, so that a package that samples does
/// not compile them again. Methods of [`Process`] call the functions.
pub trait Compiled: Real {
    #[doc(hidden)]
    fn compiled() -> &'static Functions<Self>;
}

/// Receives the largest normal impulse (m) that a part of a sample allowed, and its impulse (K).
pub(crate) type Note<'n, R> = dyn FnMut(&[R], &[R]) + 'n;

type Trace<R> = fn(&Process<R>, bool, &Stream, &mut Workspace<R>, &mut Note<'_, R>) -> Ending<R>;

/// The functions of processes in one number type.
#[derive(Debug)]
pub struct Functions<R: Real> {
    pub(crate) prepare: fn(&Law, &ContactProblem) -> Result<Process<R>>,
    pub(super) approach: fn(&mut Process<R>, &ContactProblem) -> Result<()>,
    pub(super) workspace: fn(&Process<R>) -> Workspace<R>,
    pub(super) sample: fn(&Process<R>, bool, &Stream, &mut Workspace<R>) -> Ending<R>,
    pub(super) trace: Trace<R>,
}

macro_rules! compiled {
    ($($r:ident),*) => {$(
        impl Compiled for $r {
            fn compiled() -> &'static Functions<Self> {
                static FUNCTIONS: Functions<$r> = Functions {
                    prepare: Law::prepare_in,
                    approach: Process::approach_in,
                    workspace: Process::workspace_in,
                    sample: Process::sample_in,
                    trace: Process::trace_in,
                };
                &FUNCTIONS
            }
        }
    )*};
}

compiled!(f32, f64, Dual, Counted);
