//! The exact set of outcomes: as JSON for scripts, as text for people.

use std::fmt::Write;
use std::time::Duration;

use super::answer::Source;
use super::schema::{self, ModeName};
use super::{RunRecord, table};
use carom_analysis::bounds::certified::refusal;
use carom_analysis::bounds::{BoundKind, covers};
use carom_analysis::proofs::cut_extents;
use carom_analysis::{
    Arithmetic, Certificate, ExactSet, Leg, OutcomePolytope, Phase, PossibleModes, Reach, State,
    possible_modes,
};
use carom_core::Limits;
use carom_core::error::Result;
use carom_core::problem::ContactProblem;
use carom_core::text::{count, grouped, letter, line, short};
use carom_law::Routh;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Remark on a set that is not tight.
const LOOSE: &str = "no: motions without end were enclosed, so not all of it need be outcomes";
/// Polytopes that the text lists.
const LISTED: usize = 20;
/// Combinations of modes that the text lists.
const MODES: usize = 24;
/// Least and largest coordinates (n each). Where the set is not tight, proved bounds cut them; the
/// proofs may take as long as the set.
///
/// # Errors
/// An interrupt.
pub fn extents(problem: &ContactProblem, reach: &Reach, set: &ExactSet) -> Result<[Vec<f64>; 2]> {
    let (hypothesis, facets) = (Some(reach.hypothesis), reach.facets);
    let law = Routh { hypothesis, facets, ..Routh::default() }.into();
    let holds = |kind: &BoundKind| covers(*kind, problem, &law);
    let kinds = [BoundKind::Certified, BoundKind::Conic].into_iter();
    let kind = kinds.filter(|kind| *kind == BoundKind::Conic || refusal(problem).is_none());
    match kind.filter(|_| !set.is_tight()).find(holds) {
        Some(kind) => {
            let proofs = 2.0 * problem.coordinate_count() as f64;
            let each = Duration::from_secs_f64(reach.seconds.clamp(0.0, 1e9) / proofs);
            cut_extents(problem, set.extents(), kind, each, &Limits::until(reach.stop.clone()))
        }
        None => Ok(set.extents()),
    }
}

/// The set as `carom set --json` prints it, after the record.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom set --json` prints")]
pub struct SetReport<'a> {
    dimension: usize,
    kind: Source,
    /// Whether it is proved that there is no other outcome.
    complete: bool,
    certificate: Option<Certificate>,
    arithmetic: Arithmetic,
    flows: usize,
    widened: usize,
    /// Whether all of the set are outcomes.
    tight: bool,
    seconds: f64,
    volume: Option<f64>,
    velocity: Extents,
    polytopes: Vec<Polytope<'a>>,
}

/// The least and the largest value of each coordinate (n).
#[derive(Serialize, JsonSchema)]
pub(super) struct Extents {
    min: Vec<f64>,
    max: Vec<f64>,
}

impl Extents {
    pub(super) fn new([min, max]: [Vec<f64>; 2]) -> Self {
        Extents { min, max }
    }
}

#[derive(Serialize, JsonSchema)]
struct Polytope<'a> {
    /// Velocities after the impact (n).
    #[schemars(length(min = 1))]
    vertices: &'a [Vec<f64>],
    /// What each contact does.
    contacts: Vec<ModeName>,
    dimension: usize,
    /// Numbers of the vertices of each facet.
    facets: &'a [Vec<usize>],
    /// States of the contacts, motion by motion.
    states: Vec<Vec<String>>,
    /// Phases of the contacts, motion by motion.
    phases: &'a [Vec<Phase>],
    /// How each vertex is reached, where that is known.
    paths: Vec<Option<Vec<PathLeg<'a>>>>,
}

/// A part of a path to a vertex.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Leg")]
struct PathLeg<'a> {
    contacts: Vec<String>,
    phases: &'a [Phase],
    /// N s
    impulse: &'a [f64],
}

/// The set as JSON, `schema_version` 1; `extents`: see [`extents`].
pub fn json(
    problem: &ContactProblem,
    record: &RunRecord,
    set: &ExactSet,
    extents: &[Vec<f64>; 2],
) -> Value {
    let tangents = problem.tangents_per_contact();
    let [flows, widened] = set.work();
    record.with(SetReport {
        dimension: set.dimension(),
        kind: Source::of(Some(set)),
        complete: set.is_complete(),
        certificate: set.certificate(),
        arithmetic: set.arithmetic(),
        flows,
        widened,
        tight: set.is_tight(),
        seconds: set.seconds(),
        volume: set.volume(),
        velocity: Extents::new(extents.clone()),
        polytopes: set.polytopes().iter().map(|polytope| one(polytope, tangents)).collect(),
    })
}

fn one(polytope: &OutcomePolytope, tangents: usize) -> Polytope<'_> {
    let OutcomePolytope { shape, contacts, states, phases, paths, .. } = polytope;
    Polytope {
        vertices: &shape.vertices,
        contacts: schema::named(contacts, tangents),
        dimension: shape.dimension,
        facets: &shape.facets,
        states: states.iter().map(|states| names(states)).collect(),
        phases,
        paths: paths.iter().map(|path| Some(path.as_ref()?.iter().map(leg).collect())).collect(),
    }
}

fn leg(leg: &Leg) -> PathLeg<'_> {
    PathLeg { contacts: names(&leg.states), phases: &leg.phases, impulse: &leg.impulse }
}

fn names(states: &[State]) -> Vec<String> {
    states.iter().map(|state| state.name()).collect()
}

/// The set as text, for a reader who has not seen the problem; `extents`: see [`extents`].
pub fn text(
    problem: &ContactProblem,
    record: &RunRecord,
    set: &ExactSet,
    extents: &[Vec<f64>; 2],
) -> String {
    let mut text = String::new();
    record.head(&mut text);
    let options = record.options();
    if !options.is_empty() {
        line(&mut text, "options", &options);
    }
    let all = match set.polytopes().len() {
        1 => "one polytope".to_string(),
        polytopes => format!("the union of {polytopes} polytopes"),
    };
    let dimension = set.dimension();
    let volume = set.volume().filter(|_| dimension > 0);
    let volume = volume.map_or(String::new(), |volume| {
        let most = if set.is_complete() && !set.is_tight() { " at most" } else { "" };
        format!(", volume{most} {} |v-|^{dimension}", short(volume))
    });
    let name = if set.is_tight() { "set" } else { "enclosure" };
    line(&mut text, name, &format!("{all}, dimension {dimension}{volume}"));
    line(&mut text, "complete", &completeness(set));
    line(&mut text, "tight", tightness(set));
    let arithmetic = match set.arithmetic() {
        Arithmetic::Exact => "in exact arithmetic",
        Arithmetic::Doubles => "in doubles",
    };
    let (time, flows) = (1e3 * set.seconds(), grouped(set.work()[0] as u64));
    line(&mut text, "computed", &format!("{time:.2} ms {arithmetic}, {flows} flows"));
    list(&mut text, problem, set);
    modes(&mut text, problem, set);
    ranges(&mut text, problem, set, extents);
    text
}

fn tightness(set: &ExactSet) -> &'static str {
    match (set.is_tight(), set.arithmetic()) {
        (false, _) => LOOSE,
        (true, Arithmetic::Exact) => "yes: all of it are outcomes",
        (true, Arithmetic::Doubles) => "yes, but for the rounding of doubles",
    }
}

fn completeness(set: &ExactSet) -> String {
    let what = match set.certificate() {
        _ if set.arithmetic() == Arithmetic::Doubles => "not proved: doubles are rounded",
        Some(Certificate { shown, faces, .. }) if shown < faces => {
            return format!(
                "not proved: shown for {shown} of {faces} faces; motions that leave a point of the others through infinitely many \
                 contact states may be missing"
            );
        }
        None if !set.is_complete() => {
            "not checked for motions that leave a point through infinitely many contact states"
        }
        _ => "yes: the law has no other outcome",
    };
    what.to_string()
}

fn list(text: &mut String, problem: &ContactProblem, set: &ExactSet) {
    let tangents = problem.tangents_per_contact();
    let contacts = problem.contacts().join(", ");
    let all = || set.polytopes().iter().take(LISTED);
    let mut states = all().flat_map(|polytope| polytope.states.iter().flatten());
    let corners = match states.any(|state| matches!(state, State::Corner(_))) {
        true => ", 0 1 .. slide along a corner of the friction cone, 0' between 0 and 1",
        false => "",
    };
    let mut phases = all().flat_map(|polytope| polytope.phases.iter().flatten());
    let phases = match phases.any(|phase| *phase == Phase::Restitution) {
        true => "; _ at rest, ^ gives back",
        false => "",
    };
    let _ = writeln!(
        text,
        "\npolytopes; contacts ({contacts}): L lift or open, S stick, + - slide, ~ slide without friction{corners}{phases}"
    );
    text.push_str("  dimension vertices  after     states that lead there\n");
    for polytope in all() {
        let modes: String = polytope.contacts.iter().map(|&mode| letter(mode, tangents)).collect();
        let signs = |(states, phases): (&Vec<State>, &Vec<Phase>)| -> String {
            states.iter().zip(phases).map(|(s, p)| sign(*s, *p)).collect()
        };
        let states = polytope.states.iter().zip(&polytope.phases).map(signs);
        let states = states.collect::<Vec<_>>().join(" ");
        let (dimension, vertices) = (polytope.shape.dimension, polytope.shape.vertices.len());
        let _ = writeln!(text, "  {dimension:>9} {vertices:>8}  {modes:<8}  {states}");
    }
    if set.polytopes().len() > LISTED {
        let more = count(set.polytopes().len() - LISTED, "polytope");
        let _ = writeln!(text, "  and {more} more; --json has them all");
    }
}

fn modes(text: &mut String, problem: &ContactProblem, set: &ExactSet) {
    let tangents = problem.tangents_per_contact();
    let letters = |found: &PossibleModes| -> String {
        found.modes.iter().map(|&mode| letter(mode, tangents)).collect()
    };
    let all: Vec<String> = possible_modes(problem, set).iter().map(letters).collect();
    let shown = all[..all.len().min(MODES)].join(" ");
    let more = match all.len().saturating_sub(MODES) {
        0 => String::new(),
        more => format!(" and {more} more; `carom query WHAT modes` lists them"),
    };
    let _ = writeln!(text, "\nmodes on the set and its borders: {shown}{more}");
}

/// A state in one to three characters.
fn sign(state: State, phase: Phase) -> String {
    let state = match state {
        State::Open => "L".into(),
        State::Plus => "+".into(),
        State::Minus => "-".into(),
        State::Hold => "S".into(),
        State::Smooth => "~".into(),
        State::Corner(k) => k.to_string(),
        State::Facet(k) => format!("{k}'"),
    };
    let phase = match phase {
        Phase::Open | Phase::Compression => "",
        Phase::Rest => "_",
        Phase::Restitution => "^",
    };
    state + phase
}

fn ranges(text: &mut String, problem: &ContactProblem, set: &ExactSet, extents: &[Vec<f64>; 2]) {
    let [least, most] = extents;
    let ends = match (set.is_tight(), set.is_complete()) {
        (true, _) => ["least", "most"],
        (false, true) => ["no less than", "no more than"],
        (false, false) => ["from", "to"],
    };
    let columns = [("before", problem.velocity().as_slice()), (ends[0], least), (ends[1], most)];
    table::velocities(text, problem, &columns, "");
}
