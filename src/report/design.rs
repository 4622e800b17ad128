//! A design: as JSON for scripts, as text for people.

use std::fmt::Write;

use serde_json::{Value, json};

use carom_core::text::{count, line, short};
use carom_scene::Parameter;
use carom_scene::design::{Design, DesignState, Indeterminacy, TOLERANCE};

/// The design as JSON, `schema_version` 1.
pub fn json(design: &Design) -> Value {
    let parameters = design.before.parameters.iter().zip(&design.after.parameters);
    // JSON knows no infinity.
    let bound = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let parameter = |(before, after): (&Parameter, &Parameter)| {
        json!({
            "name": before.name, "before": before.value, "after": after.value, "free": before.free,
            "min": bound(before.min), "max": bound(before.max), "scale": before.scale,
        })
    };
    json!({
        "schema_version": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "name": design.name,
        "accepted": design.fault.is_none(),
        "fault": design.fault,
        "iterations": design.iterations,
        "distance": design.distance,
        "tolerance": TOLERANCE,
        "length": design.length,
        "spread": design.spread,
        "contacts": design.contacts,
        "parameters": parameters.map(parameter).collect::<Vec<_>>(),
        "before": state(&design.before),
        "after": state(&design.after),
    })
}

fn state(state: &DesignState) -> Value {
    let gram: Vec<Vec<f64>> =
        state.gram.row_iter().map(|row| row.iter().copied().collect()).collect();
    let xi = state.indeterminacy.map(
        |xi| json!({ "scene": xi.scene, "max": xi.largest, "mean": xi.mean, "draws": xi.draws }),
    );
    json!({ "inner_products": gram, "gaps": state.gaps, "indeterminacy": xi })
}

/// The design as text.
pub fn text(design: &Design) -> String {
    let mut text = String::new();
    let (before, after) = (&design.before, &design.after);
    line(
        &mut text,
        "scene",
        &format!("{}, {}", design.name, count(design.contacts.len(), "contact")),
    );
    line(
        &mut text,
        "design",
        design.fault.as_deref().unwrap_or("found: the order of impacts does not matter"),
    );
    let moved = short(design.distance);
    line(&mut text, "moved", &format!("{moved} scales, {}", count(design.iterations, "iteration")));
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
    if draws == [0, 0] {
        let _ = writeln!(
            text,
            "\nNothing strikes at this velocity or near it: xi has not been looked into."
        );
        return text;
    }
    let _ = writeln!(
        text,
        "\nxi = |p_a - p_b| / |p-| of elastic reflections in different order; {} draws before and {} after, within {} |v| of v",
        draws[0],
        draws[1],
        short(design.spread)
    );
    text
}
