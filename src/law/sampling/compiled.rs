//! Processes in each number type, compiled in this package and not again in packages that call
//! them.

use super::ending::Ending;
use super::process::{Process, Workspace};
use crate::Law;
use crate::routh::inclusion::process::Observer;
use carom_core::error::Result;
use carom_core::problem::ContactProblem;
use carom_core::real::{Counted, Dual, Real};
use carom_core::rng::Stream;

/// A number type with compiled processes in this package, so that other packages do not compile
/// them again. Methods of [`Process`] call these functions.
pub trait Compiled: Real {
    #[doc(hidden)]
    fn compiled() -> &'static Functions<Self>;
}

/// Receives the normal impulse bounds (m) of a part of a sample, and its impulse (K).
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
    ($($r:ident: $prepare:path, $sample:path, $trace:path;)*) => {$(
        impl Compiled for $r {
            fn compiled() -> &'static Functions<Self> {
                static FUNCTIONS: Functions<$r> = Functions {
                    prepare: $prepare,
                    approach: Process::approach_in,
                    workspace: Process::workspace_in,
                    sample: $sample,
                    trace: $trace,
                };
                &FUNCTIONS
            }
        }
    )*};
}

compiled! {
    f32: Law::prepare_in, Process::sample_in, Process::trace_in;
    f64: prepare_in_double, sample_in_double, trace_in_double;
    Dual: Law::prepare_in, Process::sample_in, Process::trace_in;
    Counted: Law::prepare_in, Process::sample_in, Process::trace_in;
}

/// [`Law::prepare_in`], with phases where the inclusion supports them.
fn prepare_in_double(law: &Law, problem: &ContactProblem) -> Result<Process<f64>> {
    let mut process = law.prepare_in(problem)?;
    if let Process::Inclusion(inclusion) = &mut process {
        inclusion.prepare_phases();
    }
    Ok(process)
}

/// [`Process::sample_in`], but phase by phase where the inclusion supports it.
fn sample_in_double(
    process: &Process<f64>,
    finer: bool,
    stream: &Stream,
    work: &mut Workspace<f64>,
) -> Ending<f64> {
    let phased = process.sample_phased(finer, stream, work, &mut |_, _, _| {});
    phased.unwrap_or_else(|| process.sample_in(finer, stream, work))
}

/// [`Process::trace_in`], but phase by phase where the inclusion supports it.
fn trace_in_double(
    process: &Process<f64>,
    finer: bool,
    stream: &Stream,
    work: &mut Workspace<f64>,
    note: &mut Note<'_, f64>,
) -> Ending<f64> {
    let scaled = |h: f64, x: &[f64]| x.iter().map(|x| h * x).collect::<Vec<_>>();
    let mut observe = |h: f64, caps: &[f64], l: &[f64]| note(&scaled(h, caps), &scaled(h, l));
    match process.sample_phased(finer, stream, work, &mut observe) {
        Some(ending) => ending,
        None => process.trace_in(finer, stream, work, note),
    }
}

impl Process<f64> {
    /// A sample of an inclusion by phases, see [`Inclusion::sample_phased`].
    fn sample_phased(
        &self,
        finer: bool,
        stream: &Stream,
        work: &mut Workspace<f64>,
        observe: &mut Observer<'_, f64>,
    ) -> Option<Ending<f64>> {
        let Process::Inclusion(process) = self else { return None };
        if !matches!(work, Workspace::Inclusion(_)) {
            work.renew(self);
        }
        let Workspace::Inclusion(work) = work else { return None };
        process.sample_phased(finer, stream, work, observe)
    }
}
