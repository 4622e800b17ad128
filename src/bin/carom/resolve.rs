//! `carom resolve`: all outcomes of a law that has finitely many.

use std::process::ExitCode;

use carom::error::{Error, ErrorKind, Result};
use carom::law::{AnitescuPotra, DarbouxKeller, FiniteLaw, Hypothesis, Propagative, Sequential};
use carom::output::{RunRecord, resolved};

use crate::args::ResolveArgs;

/// Loads, resolves and reports.
pub fn run(args: &ResolveArgs) -> Result<ExitCode> {
    let law = law(args)?;
    let mut problem = crate::load(&args.what, &args.set)?;
    if let Some(e) = args.restitution {
        problem = crate::with_restitution(&problem, e)?;
    }
    crate::hypothesis_matters(args.hypothesis.is_some(), &problem)?;
    let mut record = RunRecord::resolved(&problem, &law);
    crate::warn(&record.warnings);
    let found = law.resolve(&problem).map_err(|e| match e.kind {
        ErrorKind::Input if e.excerpt.is_none() => e.in_text(&args.what, "", 0..0),
        _ => e,
    })?;
    crate::warn(record.warn(found.warnings.clone()));
    if args.json {
        crate::print_json(&resolved::json(&problem, &record, &found))?;
    } else {
        crate::print(&resolved::text(&problem, &record, &found))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The law that the command line asks for; options of other laws are refused.
fn law(args: &ResolveArgs) -> Result<FiniteLaw> {
    let name = args.law.as_str();
    let (sequential, propagative, single) = (Sequential::NAME, Propagative::NAME, DarbouxKeller::NAME);
    for (option, given, of) in [
        ("--start", args.start.is_some(), sequential),
        ("--order", args.order.is_some(), sequential),
        ("--sequences", args.sequences.is_some(), propagative),
        ("--max-length", args.max_length.is_some(), propagative),
        ("--hypothesis", args.hypothesis.is_some(), single),
        ("--facets", args.facets.is_some(), AnitescuPotra::NAME),
    ] {
        if given && name != of {
            return Err(
                Error::usage(format!("the law {name} has no such option; it belongs to {of}")).at(option)
            );
        }
    }
    if let Some(e) = args.restitution.filter(|_| name == AnitescuPotra::NAME) {
        crate::inelastic(name, e)?;
    }
    Ok(match name {
        _ if name == sequential => {
            FiniteLaw::Sequential(Sequential { start: args.start, order: args.order.clone() })
        }
        _ if name == propagative => FiniteLaw::Propagative(Propagative {
            restitution: None,
            sequences: args.sequences.map(Into::into),
            max_length: args.max_length.map(|length| length as usize),
        }),
        _ if name == single => FiniteLaw::DarbouxKeller(DarbouxKeller {
            hypothesis: args.hypothesis.map_or(Hypothesis::Stronge, Into::into),
            restitution: None,
        }),
        _ => FiniteLaw::AnitescuPotra(AnitescuPotra { facets: args.facets }),
    })
}
