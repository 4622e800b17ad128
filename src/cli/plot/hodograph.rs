//! Hodographs of the impact at one spatial contact, or of a sweep over a parameter.

use crate::args::PlotArgs;
use crate::{ContactProblem, Error, Result, input, options, picture, terminal};
use carom_law::{ContactCourse, DarbouxKeller, FiniteLaw, Hypothesis};
use carom_report::plot::Picture;
use carom_report::{RunRecord, pictures};

/// Options of hodographs.
pub const OPTIONS: &[&str] = &[
    "--law",
    "--set",
    "--velocity",
    "--friction",
    "--hypothesis",
    "--restitution",
    "--panels",
    "--sweep",
    "--curves",
];

/// Hodographs of a sweep.
const CURVES: usize = 15;

pub fn run(args: &PlotArgs) -> Result<u8> {
    let word = args.how.asked.given("hypothesis");
    let asked: Option<Hypothesis> = word.and_then(|w| serde_json::from_value(w.clone()).ok());
    let law = DarbouxKeller { hypothesis: asked.unwrap_or_default(), restitution: None };
    let resolve = |problem: &ContactProblem| -> Result<Option<ContactCourse>> {
        options::hypothesis_matters(asked.is_some(), problem)?;
        let mut found = law.resolve(problem).map_err(|e| input::located(e, &args.problem.what))?;
        Ok(found.outcomes.pop().map(|outcome| outcome.details))
    };
    let look = &args.drawing.look;
    let write =
        |drawn: Picture| picture::titled(look, args.out.as_deref(), drawn.chosen(&look.panels)?);
    if let Some((parameter, low, high)) = &args.sweep {
        let count = args.curves.unwrap_or(CURVES);
        let mut name = String::new();
        let mut courses = Vec::new();
        for k in 0..count {
            let value = low + (high - low) * k as f64 / (count - 1).max(1) as f64;
            let problem = swept(args, parameter, value)?;
            courses.extend(resolve(&problem)?.map(|course| (value, course)));
            name = problem.name().to_string();
        }
        let what = if parameter == "slip" { "direction of sliding (degrees)" } else { parameter };
        write(pictures::bundle(&name, what, &courses))?;
        return Ok(terminal::DONE);
    }
    let problem = input::problem_with(&args.problem, args.how.asked.restitution())?;
    terminal::warn(&RunRecord::resolved(&problem, &FiniteLaw::DarbouxKeller(law)).warnings);
    if let Some(course) = resolve(&problem)? {
        write(pictures::hodograph(&problem, &course))?;
    }
    Ok(terminal::DONE)
}

/// The problem with a value of friction, restitution, slip, or a parameter of the scene.
fn swept(args: &PlotArgs, parameter: &str, value: f64) -> Result<ContactProblem> {
    let mut set = input::values(&args.problem.set);
    if !["friction", "restitution", "slip"].contains(&parameter) {
        set.push((parameter, value));
    }
    let problem = input::replaced(input::open(&args.problem.what)?.problem(&set)?, &args.problem)?;
    let mut problem = input::restituted(problem, args.how.asked.restitution())?;
    match parameter {
        "friction" => input::with_friction(&problem, &[value]),
        "restitution" => input::with_restitution(&problem, value)
            .map_err(|error| Error::usage(error.what).at("--sweep")),
        "slip" => slip(&mut problem, value.to_radians()).map(|()| problem),
        _ => Ok(problem),
    }
}

/// Turns the sliding velocity of a single spatial contact to an angle from the first tangent, in
/// rad, by the velocity change of least kinetic energy.
fn slip(problem: &mut ContactProblem, angle: f64) -> Result<()> {
    if problem.contact_count() != 1 || problem.tangents_per_contact() != 2 {
        return Ok(()); // The law refuses the problem.
    }
    let u = problem.contact_velocity();
    let speed = u[1].hypot(u[2]);
    let mut change = -u.clone();
    change[0] = 0.0;
    change[1] += speed * angle.cos();
    change[2] += speed * angle.sin();
    let none = || Error::input("the contact cannot slide in every direction").at("--sweep");
    let impulse = problem.delassus().clone().lu().solve(&change).ok_or_else(none)?;
    let velocity = problem.velocity() + problem.response() * impulse;
    problem.set_velocity(velocity.as_slice())
}
