//! What is drawn of a sampled set, of laws beside it, and of a swept parameter.

pub use super::hodograph::hodograph;

use super::RunRecord;
use super::compare::short_distance;
use super::plot::{Mark, Panel, Picture, Series};
use super::text::{count, kept, percent};
use crate::engine::Run;
use crate::law::{ExactSet, OutcomePolytope};
use crate::outcome::{Mode, Samples};
use crate::problem::ContactProblem;
use crate::study::{Compared, Comparison, Verdict};

/// Points of a set that are drawn: more hide each other and make the file heavy.
const DRAWN: usize = 4000;

/// Combinations of contact modes with a colour of their own.
const MODES: usize = 6;

/// The outlines of laws, in their order.
const OUTLINES: [Mark; 5] = [Mark::Diamond, Mark::Triangle, Mark::Square, Mark::Cross, Mark::Ring];

/// A number of a velocity after the impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    /// An entry of `v+`.
    Coordinate(usize),
    /// A row of `J v+`.
    Row(usize),
}

/// The velocities that a picture is to hold.
struct Scope<'a> {
    problem: &'a ContactProblem,
    velocities: Vec<&'a [f64]>,
}

impl<'a> Scope<'a> {
    fn value(&self, quantity: Quantity, v: &[f64]) -> f64 {
        match quantity {
            Quantity::Coordinate(i) => v[i],
            Quantity::Row(i) => self.problem.jacobian().row(i).iter().zip(v).map(|(a, b)| a * b).sum(),
        }
    }

    /// How far a quantity ranges.
    fn range(&self, quantity: Quantity) -> f64 {
        let values = self.velocities.iter().map(|v| self.value(quantity, v));
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        if low <= high { high - low } else { 0.0 }
    }

    /// The two of some quantities, weighted, that range farthest, in their order.
    fn two(&self, quantities: Vec<(Quantity, f64)>) -> Option<[Quantity; 2]> {
        let mut ranked: Vec<(usize, f64)> =
            quantities.iter().map(|&(quantity, weight)| weight * self.range(quantity)).enumerate().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut taken: Vec<usize> = ranked.into_iter().take(2).map(|(i, _)| i).collect();
        taken.sort_unstable();
        match taken[..] {
            [a, b] => Some([quantities[a].0, quantities[b].0]),
            _ => None,
        }
    }

    /// The coordinates that carry most energy, and the contacts that differ most.
    fn panels(&self) -> Vec<(Panel, [Quantity; 2])> {
        let problem = self.problem;
        let (n, m, d) = (problem.coordinate_count(), problem.contact_count(), problem.tangents_per_contact());
        let mass = problem.mass();
        let coordinates = (0..n).map(|i| (Quantity::Coordinate(i), mass[(i, i)].sqrt())).collect();
        let contacts = match (m, d) {
            (1, 0) => Vec::new(),
            (1, _) => vec![(Quantity::Row(0), 1.0), (Quantity::Row(1), 1.0)],
            _ => (0..m).map(|i| (Quantity::Row(i), 1.0)).collect(),
        };
        let panel = |title: &str, axes: [Quantity; 2]| {
            let panel = Panel { title: title.to_string(), axes: axes.map(|axis| self.label(axis)) };
            (panel, axes)
        };
        let velocity = self.two(coordinates).map(|axes| panel("Velocity after the impact", axes));
        let contact = self.two(contacts).map(|axes| panel("Contact velocity after the impact", axes));
        velocity.into_iter().chain(contact).collect()
    }

    fn label(&self, quantity: Quantity) -> String {
        let m = self.problem.contact_count();
        match quantity {
            Quantity::Coordinate(i) => format!("rate of {} (SI)", self.problem.coordinates()[i]),
            Quantity::Row(i) if i < m => format!("{}, normal (m/s)", self.problem.contacts()[i]),
            Quantity::Row(i) => {
                let contact = (i - m) / self.problem.tangents_per_contact().max(1);
                format!("{}, tangent (m/s)", self.problem.contacts()[contact])
            }
        }
    }

    fn points(&self, panels: &[(Panel, [Quantity; 2])], velocities: &[&[f64]]) -> Vec<Vec<[f64; 2]>> {
        let of =
            |axes: &[Quantity; 2]| velocities.iter().map(|v| axes.map(|axis| self.value(axis, v))).collect();
        panels.iter().map(|(_, axes)| of(axes)).collect()
    }
}

/// Where the numbers come from.
fn note(record: &RunRecord, run: &Run) -> String {
    record.note(&kept(run.summary.accepted, run.summary.samples))
}

/// A sampled set with the outcomes of the laws beside it.
pub fn comparison(problem: &ContactProblem, record: &RunRecord, comparison: &Comparison) -> Picture {
    let samples = &comparison.samples;
    let drawn: Vec<&[f64]> =
        comparison.accepted.iter().take(DRAWN).map(|&i| samples.row(&samples.velocity, i)).collect();
    let outcomes = comparison.outcomes.iter().map(|compared| &compared.outcome.velocity[..]);
    let scope = Scope { problem, velocities: drawn.iter().copied().chain(outcomes).collect() };
    let panels = scope.panels();
    let mut series = vec![Series {
        label: format!("the set: {} of its samples", drawn.len()),
        colour: 5,
        mark: Mark::Dot,
        points: scope.points(&panels, &drawn),
    }];
    let mut names: Vec<String> = comparison.outcomes.iter().map(shown_as).collect();
    names.dedup();
    for (i, law) in names.iter().enumerate() {
        let of_law: Vec<_> =
            comparison.outcomes.iter().filter(|compared| shown_as(compared) == *law).collect();
        let of = |verdict| of_law.iter().filter(|compared| compared.place.verdict == verdict).count();
        let (inside, outside) = (of(Verdict::Inside), of(Verdict::Outside));
        let far = of_law.iter().fold(0.0_f64, |far, compared| far.max(compared.place.distance));
        let velocities: Vec<&[f64]> = of_law.iter().map(|compared| &compared.outcome.velocity[..]).collect();
        series.push(Series {
            label: format!(
                "{law}: {}, {inside} inside, {outside} outside, {} |v-| away at most",
                count(of_law.len(), "outcome"),
                short_distance(far)
            ),
            colour: [1, 2, 3, 4, 6][i % 5],
            mark: OUTLINES[i % OUTLINES.len()],
            points: scope.points(&panels, &velocities),
        });
    }
    let title = format!("{}: the set of outcomes, and what laws pick", problem.name());
    let panels = panels.into_iter().map(|(panel, _)| panel).collect();
    Picture { title, panels, series, note: note(record, &comparison.run) }
}

/// The series of an outcome: that of its law, where plastic outcomes have one of their own.
fn shown_as(compared: &Compared) -> String {
    match compared.which.starts_with("plastic") {
        true => format!("{}, plastic", compared.law),
        false => compared.law.to_string(),
    }
}

/// A sampled set, coloured by what the contacts do.
pub fn set(problem: &ContactProblem, record: &RunRecord, run: &Run, samples: &Samples) -> Picture {
    let residual = run.summary.tolerance().residual;
    let accepted = (0..samples.len()).filter(|&i| {
        samples.status[i] == crate::status::Status::Terminated && samples.residual[i] <= residual
    });
    let accepted: Vec<usize> = accepted.take(DRAWN).collect();
    let velocity = |i: &usize| samples.row(&samples.velocity, *i);
    let scope = Scope { problem, velocities: accepted.iter().map(velocity).collect() };
    let panels = scope.panels();
    let frequent = run.summary.modes.by_frequency();
    let tangents = problem.tangents_per_contact();
    let mut series = Vec::new();
    let mut left = accepted;
    for (i, (modes, times)) in frequent.iter().take(MODES).enumerate() {
        let (these, others) = left.into_iter().partition::<Vec<usize>, _>(|&s| {
            run.summary.modes.of(samples.row(&samples.contact_velocity, s)) == *modes
        });
        left = others;
        let names: Vec<&str> = modes.iter().map(|mode| mode.name(tangents)).collect();
        series.push(Series {
            label: format!("{}: {} of the samples", names.join(", "), percent(*times, run.summary.accepted)),
            colour: i,
            mark: Mark::Dot,
            points: scope.points(&panels, &these.iter().map(velocity).collect::<Vec<_>>()),
        });
    }
    if !left.is_empty() {
        let listed: u64 = frequent.iter().take(MODES).map(|(_, times)| times).sum();
        let rest = percent(run.summary.accepted - listed, run.summary.accepted);
        // Behind the others.
        series.insert(
            0,
            Series {
                label: format!("{} more combinations: {rest} of the samples", frequent.len() - MODES),
                colour: 6,
                mark: Mark::Dot,
                points: scope.points(&panels, &left.iter().map(velocity).collect::<Vec<_>>()),
            },
        );
    }
    let contacts: Vec<&str> = problem.contacts().iter().map(String::as_str).collect();
    let title = format!("{}: outcomes by what the contacts do ({})", problem.name(), contacts.join(", "));
    let panels = panels.into_iter().map(|(panel, _)| panel).collect();
    Picture { title, panels, series, note: note(record, run) }
}

/// An exact set, coloured by what the contacts do.
pub fn exact_set(problem: &ContactProblem, record: &RunRecord, set: &ExactSet) -> Picture {
    let scope = Scope { problem, velocities: set.vertices().collect() };
    let panels = scope.panels();
    let tangents = problem.tangents_per_contact();
    let mut kinds: Vec<&[Mode]> = set.polytopes().iter().map(|polytope| &polytope.contacts[..]).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut polytopes: Vec<&OutcomePolytope> = set.polytopes().iter().collect();
    polytopes.sort_by_key(|polytope| (polytope.contacts.clone(), usize::MAX - polytope.shape.dimension));
    let mut series: Vec<Series> = Vec::new();
    for polytope in polytopes {
        let kind = kinds.iter().position(|kind| *kind == polytope.contacts).unwrap_or(0);
        let vertices: Vec<&[f64]> = polytope.shape.vertices.iter().map(Vec::as_slice).collect();
        let names: Vec<&str> = polytope.contacts.iter().map(|mode| mode.name(tangents)).collect();
        let label = names.join(", ");
        let labelled = series.iter().any(|series| series.label == label);
        series.push(Series {
            label: if labelled { String::new() } else { label },
            colour: kind,
            mark: if polytope.shape.dimension == 0 { Mark::Ring } else { Mark::Area },
            points: scope.points(&panels, &vertices).into_iter().map(outline).collect(),
        });
    }
    let contacts: Vec<&str> = problem.contacts().iter().map(String::as_str).collect();
    let all = if set.is_complete() { "all outcomes" } else { "outcomes" };
    let title = format!("{}: {all} by what the contacts do ({})", problem.name(), contacts.join(", "));
    let panels = panels.into_iter().map(|(panel, _)| panel).collect();
    let polytopes = count(set.polytopes().len(), "polytope");
    let note = record.note(&format!("the exact set, {polytopes} of dimension up to {}", set.dimension()));
    Picture { title, panels, series, note }
}

/// The corners of the convex hull of points in the plane, in order.
///
/// Source: A. M. Andrew: Another efficient algorithm for convex hulls in two dimensions. Information Processing Letters 9 (1979).
fn outline(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let turns = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0
    };
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while matches!(chain[..], [.., a, b] if !turns(a, b, point)) {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    if points.len() < 3 {
        return points;
    }
    let mut corners = chain(&mut points.iter().copied());
    corners.append(&mut chain(&mut points.iter().rev().copied()));
    corners
}

/// How much the order of reflections matters, over the values of a parameter.
pub fn sweep(name: &str, parameter: &str, indeterminacy: &[[f64; 2]]) -> Picture {
    Picture {
        title: format!("{name}: how much the order of reflections matters"),
        panels: vec![Panel {
            title: "Indeterminacy of the propagative law".to_string(),
            axes: [parameter.to_string(), "xi = largest |p_a - p_b| / |p-|".to_string()],
        }],
        series: vec![Series {
            label: "largest distance of two outcomes of admissible sequences, over |p-|".to_string(),
            colour: 0,
            mark: Mark::Line,
            points: vec![indeterminacy.to_vec()],
        }],
        note: format!("carom {}", env!("CARGO_PKG_VERSION")),
    }
}
