//! A design: as JSON for scripts, as text for people.

use std::fmt::Write;

use super::Version;
use super::schema::Finite;
use carom_core::text::{count, line, short};
use carom_scene::Parameter;
use carom_scene::design::{Design, DesignState, Indeterminacy, TOLERANCE};
use schemars::JsonSchema;
use serde::Serialize;

/// The design as `carom design --json` prints it.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "What `carom design --json` prints")]
pub struct DesignReport<'a> {
    #[serde(flatten)]
    version: Version,
    /// Name of the problem.
    name: &'a str,
    accepted: bool,
    /// Why the design is not accepted.
    fault: &'a Option<String>,
    iterations: usize,
    distance: f64,
    tolerance: f64,
    length: f64,
    spread: f64,
    contacts: &'a [String],
    parameters: Vec<ParameterRow<'a>>,
    before: State<'a>,
    after: State<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Parameter")]
struct ParameterRow<'a> {
    name: &'a str,
    before: f64,
    after: f64,
    free: bool,
    /// null: no bound.
    min: Finite,
    /// null: no bound.
    max: Finite,
    scale: f64,
}

#[derive(Serialize, JsonSchema)]
struct State<'a> {
    inner_products: Vec<Vec<f64>>,
    gaps: &'a [f64],
    indeterminacy: Option<Xi>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Indeterminacy")]
struct Xi {
    scene: f64,
    max: f64,
    mean: f64,
    draws: usize,
}

impl<'a> DesignReport<'a> {
    /// The report of a design.
    pub fn new(design: &'a Design) -> Self {
        let parameters = design.before.parameters.iter().zip(&design.after.parameters);
        let parameter = |(before, after): (&'a Parameter, &Parameter)| {
            let Parameter { name, free, scale, min, max, .. } = before;
            let (free, scale, [min, max]) = (*free, *scale, [*min, *max].map(Finite));
            ParameterRow { name, before: before.value, after: after.value, free, min, max, scale }
        };
        let Design { name, fault, contacts, before, after, .. } = design;
        let Design { iterations, distance, length, spread, .. } = *design;
        DesignReport {
            version: Version::default(),
            name,
            accepted: fault.is_none(),
            fault,
            iterations,
            distance,
            tolerance: TOLERANCE,
            length,
            spread,
            contacts,
            parameters: parameters.map(parameter).collect(),
            before: State::of(before),
            after: State::of(after),
        }
    }
}

impl<'a> State<'a> {
    fn of(state: &'a DesignState) -> Self {
        State {
            inner_products: state
                .gram
                .row_iter()
                .map(|row| row.iter().copied().collect())
                .collect(),
            gaps: &state.gaps,
            indeterminacy: state.indeterminacy.map(|xi| {
                let Indeterminacy { scene, largest: max, mean, draws } = xi;
                Xi { scene, max, mean, draws }
            }),
        }
    }
}

/// The design as text.
pub fn text(design: &Design) -> String {
    let mut text = String::new();
    let (before, after) = (&design.before, &design.after);
    let contacts = count(design.contacts.len(), "contact");
    line(&mut text, "scene", &format!("{}, {contacts}", design.name));
    let found = "found: the order of impacts does not matter";
    line(&mut text, "design", design.fault.as_deref().unwrap_or(found));
    let (moved, steps) = (short(design.distance), count(design.iterations, "iteration"));
    line(&mut text, "moved", &format!("{moved} scales, {steps}"));
    let _ = writeln!(text, "\n{:<28}{:>14}{:>14}", "", "before", "after");
    let mut row = |what: &str, a: Option<f64>, b: Option<f64>, more: &str| {
        let cell = |x: Option<f64>| x.map_or("-".to_string(), short);
        let _ = writeln!(text, "{what:<28}{:>14}{:>14}{more}", cell(a), cell(b));
    };
    for (a, b) in before.parameters.iter().zip(&after.parameters) {
        let bounds = format!("   in [{}, {}], scale {}", a.min, a.max, a.scale);
        row(&a.name, Some(a.value), Some(b.value), if a.free { &bounds } else { "" });
    }
    for (i, j) in (0..design.contacts.len()).flat_map(|j| (0..j).map(move |i| (i, j))) {
        let pair = format!("<{}, {}>", design.contacts[i], design.contacts[j]);
        row(&pair, Some(before.gram[(i, j)]), Some(after.gram[(i, j)]), "");
    }
    for (i, contact) in design.contacts.iter().enumerate() {
        row(&format!("gap of {contact}"), Some(before.gaps[i]), Some(after.gaps[i]), "   m");
    }
    let mut xi = |what: &str, of: fn(&Indeterminacy) -> Option<f64>| {
        let [before, after] =
            [before, after].map(|state| state.indeterminacy.as_ref().and_then(of));
        row(what, before, after, "");
    };
    xi("xi", |xi| Some(xi.scene));
    xi("xi, largest of the draws", |xi| (xi.draws > 0).then_some(xi.largest));
    xi("xi, mean of the draws", |xi| (xi.draws > 0).then_some(xi.mean));
    let draws = [before, after].map(|state| state.indeterminacy.map_or(0, |xi| xi.draws));
    let (spread, [first, last]) = (short(design.spread), draws);
    text.push_str(&match draws {
        [0, 0] => {
            "\nNothing strikes at this velocity or near it: xi has not been looked into.\n".to_string()
        }
        _ => format!(
            "\nxi = |p_a - p_b| / |p-| of elastic reflections in different order; {first} draws before and {last} after, within {spread} |v| of v\n"
        ),
    });
    text
}
