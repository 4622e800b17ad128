//! The course of the single outcome of a law.

use crate::args::PlotArgs;
use crate::{ContactProblem, Result, input, options, picture, terminal};
use carom_engine::run::Field;
use carom_law::{Compliant, FiniteLaw, Plus};
use carom_report::RunRecord;
use carom_report::pictures::{self, DrawnCourse};

pub fn known(args: &PlotArgs) -> Vec<&'static str> {
    let mut known =
        vec!["--law", "--set", "--velocity", "--friction", "--restitution", "--panels", "--beside"];
    let drawn = |law: &str| args.how.asked.law() == law || args.beside.as_deref() == Some(law);
    if args.how.asked.law() == Plus::NAME {
        let of_plus = Field::all().iter().filter(|field| field.laws == [Plus::NAME]);
        known.extend(of_plus.map(|field| &*field.flag));
    }
    if drawn(Compliant::NAME) {
        known.extend(args.compliant.flags().iter().map(|(flag, _)| flag));
    }
    known
}

/// Refuses options of courses for a set.
pub fn none(args: &PlotArgs) -> Result<()> {
    let why =
        "a set is drawn; with --law plus and nothing uncertain, or --law compliant, a course is";
    options::refuse(
        why,
        &[vec![("--beside", args.beside.is_some())], args.compliant.flags()].concat(),
    )
}

/// Draws the course of a law's outcome, and optionally overlays the course of another law's
/// outcome.
pub fn run(args: &PlotArgs, problem: &ContactProblem, law: &FiniteLaw) -> Result<u8> {
    let twice = args.beside.as_deref() == Some(law.name());
    options::refuse("the course of this law is drawn already", &[("--beside", twice)])?;
    let beside = args.beside.as_deref().map(|name| match name {
        Compliant::NAME => FiniteLaw::Compliant(args.compliant.compliant()),
        _ => FiniteLaw::Plus(Plus::default()),
    });
    let mut courses = Vec::new();
    let mut roll = None;
    terminal::warn(&RunRecord::resolved(problem, law).warnings);
    for law in std::iter::once(law).chain(&beside) {
        let resolved = law.resolve(problem).map_err(|e| input::located(e, &args.problem.what))?;
        terminal::warn(&resolved.warnings);
        let of = |outcome: &carom_law::Outcome<_>| DrawnCourse::of(problem, &outcome.details);
        courses.extend(resolved.outcomes.first().and_then(of));
        if let FiniteLaw::Plus(law) = law {
            roll = Some(law.v_transition);
        }
    }
    let look = &args.drawing.look;
    let drawn = pictures::courses(problem, &courses, roll, &look.panels)?;
    picture::titled(look, args.out.as_deref(), drawn)?;
    Ok(terminal::DONE)
}
