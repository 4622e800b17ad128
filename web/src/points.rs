//! The samples in memory as points of a picture, with the contact modes of each sample.

use std::collections::HashMap;

use carom_analysis::{ExactSet, Reach};
use carom_core::error::Result;
use carom_core::outcome::Mode;
use carom_report::outline::outline;
use carom_report::scope::Scope;
use serde_json::{Value, json};

use crate::opened::Opened;
use crate::recipe::place;

/// The arrays of the last picture, one entry for each accepted sample: position, index of its
/// combination of contact modes, sample number.
#[derive(Default)]
pub struct Arrays {
    places: Vec<[f32; 2]>,
    modes: Vec<u32>,
    numbers: Vec<u32>,
}

/// The accepted samples in a picture.
///
/// # Errors
/// Axes that the problem does not have.
pub fn points(opened: &Opened, axes: Option<String>, arrays: &mut Arrays) -> Result<Value> {
    let Opened { problem, samples, .. } = opened;
    let accepted = opened.accepted();
    let velocities: Vec<&[f64]> =
        accepted.iter().map(|&i| samples.row(&samples.velocity, i)).collect();
    let scope = Scope::new(problem);
    let axes: Vec<String> = axes.into_iter().collect();
    let views = scope.views(&velocities, &axes)?;
    let view = &views[..1];
    let points = scope.points(view, &velocities).remove(0);
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let rest = [problem.rest_velocity::<f32>(); 2];
    let mut met: Vec<(Vec<Mode>, u64)> = Vec::new();
    let mut known: HashMap<Vec<Mode>, u32> = HashMap::new();
    arrays.modes.clear();
    for &i in &accepted {
        let u = samples.row(&samples.contact_velocity, i);
        let modes: Vec<Mode> =
            (0..m).map(|k| Mode::of(u[k], &u[m + k * d..m + (k + 1) * d], rest)).collect();
        let number = *known.entry(modes).or_insert_with_key(|modes| {
            met.push((modes.clone(), 0));
            met.len() as u32 - 1
        });
        met[number as usize].1 += 1;
        arrays.modes.push(number);
    }
    arrays.places = points.iter().map(|point| point.map(|x| x as f32)).collect();
    arrays.numbers = accepted.iter().map(|&i| i as u32 + samples.first as u32).collect();
    let named = |(modes, count): &(Vec<Mode>, u64)| {
        let names: Vec<&str> = modes.iter().map(|mode| mode.name(d)).collect();
        json!({ "name": names.join(", "), "count": count })
    };
    // A failure to compute the exact set is not reported: the picture then shows samples only.
    let soon = Reach::default().ends_soon(problem);
    let exact = soon.then(|| Reach::fast().in_doubles(problem).ok()).flatten();
    let exact = exact.filter(ExactSet::is_tight);
    let polytopes = exact.iter().flat_map(|set| set.polytopes()).map(|polytope| {
        let vertices: Vec<&[f64]> = polytope.shape.vertices.iter().map(Vec::as_slice).collect();
        outline(scope.points(view, &vertices).remove(0))
    });
    let polytopes: Vec<_> = polytopes.collect();
    let panel = &view[0].panel;
    let axis = |i: usize| json!({ "name": panel.axes[i].name, "unit": panel.axes[i].unit, "scale": panel.axes[i].scale });
    Ok(json!({
        "drawn": samples.len(),
        "accepted": accepted.len(),
        "repaired": samples.repaired.iter().filter(|repaired| **repaired).count(),
        "modes": met.iter().map(named).collect::<Vec<_>>(),
        "axes": [axis(0), axis(1)],
        "names": scope.names_of(&view[0]),
        "before": scope.values(problem.velocity().as_slice()),
        "hull": outline(points),
        // Outlines of the exact set's polytopes, if the set is tight and fast to compute.
        "exact": exact.is_some().then_some(polytopes),
        "arrays": {
            "places": place(&arrays.places),
            "modes": place(&arrays.modes),
            "numbers": place(&arrays.numbers),
        },
    }))
}
