//! Costs of velocities, and bounds of them.

use super::exact;
use super::kind::{Bound, BoundKind};
use super::whitened::Whitened;
use crate::analysis::reach::{ExactSet, Reach};
use crate::error::{Error, Result};
use crate::expression::{Bend, Expression, ExpressionShape, Interval};
use crate::law::cones::conic::Stop;
use crate::problem::{ContactProblem, no_coordinate};

/// Largest number of coordinates in a cost for which all corners of a box are tried.
const MOST_CORNERS: usize = 12;

/// A cost of velocities: an [`Expression`] in the coordinates of a problem, such as
/// `0.5*(x-1)^2 + abs(theta)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    text: String,
    expression: Expression,
    coordinates: Vec<String>,
}

impl Cost {
    /// Reads a cost. Names in the text are those of the problem's coordinates, in backticks where
    /// they are not plain.
    ///
    /// # Errors
    /// A text that is no expression, and names that no coordinate has.
    pub fn new(problem: &ContactProblem, text: &str) -> Result<Self> {
        let coordinates = problem.coordinates();
        let number_of = |name: &str| problem.coordinate(name);
        let expression = Expression::read(text, &number_of).map_err(|fault| {
            let names = format!(
                "the coordinates are {}; names with spaces stand between backticks; functions are sqrt, abs, min, max, sin, cos, tan, \
                 asin, acos, atan, atan2",
                coordinates.join(", ")
            );
            match fault.unknown {
                Some(name) => {
                    Error::usage(no_coordinate(coordinates, &name)).option("cost").hint(names)
                }
                None => Error::usage(located(&fault.what, text, fault.span)).option("cost"),
            }
        })?;
        Ok(Cost { text: text.trim().to_string(), expression, coordinates: coordinates.to_vec() })
    }

    /// The text of the cost.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The cost of a velocity (n).
    ///
    /// A velocity for which the cost has no finite value.
    pub fn of(&self, velocity: &[f64]) -> Result<f64> {
        self.expression.value(velocity).map_err(|fault| {
            let value = |&i: &usize| format!("{} = {}", self.coordinates[i], velocity[i]);
            let values: Vec<String> = self.expression.names().iter().map(value).collect();
            let with = if values.is_empty() {
                String::new()
            } else {
                format!(" with {}", values.join(", "))
            };
            let what =
                if fault.what.len() <= 80 { fault.what } else { "no finite value".to_string() };
            Error::input(located(&what, &self.text, fault.span) + &with)
                .option("cost")
                .hint("a cost has a finite value for every velocity")
        })
    }

    /// How the cost bends where each coordinate (n) lies in a range.
    pub fn shape(&self, ranges: &[Interval]) -> ExpressionShape {
        let names: Vec<ExpressionShape> =
            ranges.iter().map(|range| ExpressionShape::name(*range)).collect();
        let unknown = ExpressionShape { bend: Bend::Unknown, range: self.range(ranges) };
        self.expression.value(&names).unwrap_or(unknown)
    }

    /// A range that holds the cost where each coordinate (n) lies in a range.
    pub fn range(&self, ranges: &[Interval]) -> Interval {
        self.expression.value(ranges).unwrap_or(Interval::ALL)
    }
}

/// An error message with the part of the text that is at fault.
fn located(what: &str, text: &str, span: std::ops::Range<usize>) -> String {
    match text.get(span).map(str::trim) {
        Some(part) if !part.is_empty() && part.len() <= 80 => format!("{what}: `{part}`"),
        _ => what.to_string(),
    }
}

/// A bound of the cost of `v+` after an impact.
///
/// The exact kind tries the vertices of the exact set where the rules of composition show that the
/// cost is quasiconvex, and bounds it over the box around each polytope otherwise. The other kinds
/// bound each coordinate of the cost from both sides, and try the corners of this box, or bound the
/// cost over it; a cost that is linear is bounded as a direction. Costs are evaluated in intervals.
///
/// # Errors
/// Those of [`bound`](super::bound).
pub fn bound_cost(problem: &ContactProblem, cost: &Cost, kind: BoundKind) -> Result<Bound> {
    bound_cost_until(problem, cost, kind, &None)
}

/// [`bound_cost`], unless the flag is raised.
///
/// # Errors
/// Those of [`bound_cost`]; an interrupt.
pub fn bound_cost_until(
    problem: &ContactProblem,
    cost: &Cost,
    kind: BoundKind,
    stop: &Stop,
) -> Result<Bound> {
    match kind {
        BoundKind::Exact => {
            let reach = Reach { describe: false, stop: stop.clone(), ..Reach::default() };
            let set = reach.set(problem)?;
            let (value, by_ranges) = on_set(problem, cost, &set);
            Ok(Bound {
                kind,
                value,
                certified: set.is_complete() && value.is_finite(),
                by_ranges,
                attained: set.is_tight() && !by_ranges,
                withdrawn: None,
            })
        }
        _ => on_box(problem, cost, kind, stop),
    }
}

/// The largest cost on the exact set, or a bound of it; and whether it is a bound from ranges.
fn on_set(problem: &ContactProblem, cost: &Cost, set: &ExactSet) -> (f64, bool) {
    let n = problem.coordinate_count();
    let radius: Vec<f64> =
        fastest(problem).iter().map(|fastest| exact::ROUNDING * fastest).collect();
    let around = |points: &[&[f64]]| -> Vec<Interval> {
        let extreme = |i: usize| {
            let least = points.iter().map(|v| v[i]).fold(f64::INFINITY, f64::min);
            let greatest = points.iter().map(|v| v[i]).fold(f64::NEG_INFINITY, f64::max);
            let low = Interval::around(least, radius[i]).low;
            Interval { low, high: Interval::around(greatest, radius[i]).high }
        };
        (0..n).map(extreme).collect()
    };
    let all: Vec<&[f64]> = set.vertices().collect();
    let highest = |parts: Vec<Vec<&[f64]>>| {
        parts.iter().map(|part| cost.range(&around(part)).high).fold(f64::NEG_INFINITY, f64::max)
    };
    if cost.shape(&around(&all)).peaks_at_vertices() {
        return (highest(all.into_iter().map(|vertex| vec![vertex]).collect()), false);
    }
    let parts =
        set.polytopes().iter().map(|p| p.shape.vertices.iter().map(Vec::as_slice).collect());
    (highest(parts.collect()), true)
}

/// The largest `|cost(v)|`, in the cost's units, of velocities within the box that the energy
/// before the impact allows, `|v_i| <= |v-|_M sqrt((M^-1)_ii)`; `None` where intervals find no
/// number.
pub fn most_cost(problem: &ContactProblem, cost: &Cost) -> Option<f64> {
    let ranges = fastest(problem).into_iter().map(|most| Interval { low: -most, high: most });
    let Interval { low, high } = cost.range(&ranges.collect::<Vec<_>>());
    Some(high.max(-low)).filter(|most| most.is_finite())
}

/// A bound of the cost from bounds of its coordinates.
fn on_box(problem: &ContactProblem, cost: &Cost, kind: BoundKind, stop: &Stop) -> Result<Bound> {
    let n = problem.coordinate_count();
    let limits = fastest(problem);
    let mut ranges: Vec<Interval> =
        limits.iter().map(|most| Interval { low: -most, high: *most }).collect();
    let names = cost.expression.names();
    if let Bend::Affine = cost.shape(&ranges).bend {
        // Each coefficient of a linear cost lies within a small interval.
        let at = |v: Vec<f64>| cost.range(&v.into_iter().map(Interval::point).collect::<Vec<_>>());
        let origin = at(vec![0.0; n]);
        let (mut c, mut slack) = (vec![0.0; n], origin.high);
        for &i in &names {
            let one = at(unit(n, i, 1.0));
            let (low, high) =
                ((one.low - origin.high).next_down(), (one.high - origin.low).next_up());
            c[i] = low + (high - low) / 2.0;
            slack = (slack + ((high - low).next_up() * limits[i]).next_up()).next_up();
        }
        if c.iter().any(|c| *c != 0.0) {
            let bound = super::bound_until(problem, &c, kind, stop)
                .map_err(|error| error.option("cost"))?;
            return Ok(Bound { value: (bound.value + slack).next_up(), ..bound });
        }
    }
    let mut certified = true;
    for &i in &names {
        let [high, low] =
            [1.0, -1.0].map(|sign| super::bound_until(problem, &unit(n, i, sign), kind, stop));
        let (high, low) = (high?, low?);
        certified &= high.certified && low.certified;
        ranges[i] = Interval { low: -low.value, high: high.value };
    }
    let corners = names.len() <= MOST_CORNERS && cost.shape(&ranges).peaks_at_vertices();
    let mut value = cost.range(&ranges).high;
    if corners {
        let corner = |bits: usize| {
            let mut place = ranges.clone();
            for (k, &i) in names.iter().enumerate() {
                let end = if bits >> k & 1 == 1 { ranges[i].high } else { ranges[i].low };
                place[i] = Interval::point(end);
            }
            cost.range(&place).high
        };
        value = value.min((0..1 << names.len()).map(corner).fold(f64::NEG_INFINITY, f64::max));
    }
    Ok(Bound {
        kind,
        value,
        certified: certified && value.is_finite(),
        by_ranges: true,
        attained: false,
        withdrawn: None,
    })
}

/// The largest `|v_i|` (n) that an impact without new energy allows: `|v-|_M sqrt((M^-1)_ii)`.
fn fastest(problem: &ContactProblem) -> Vec<f64> {
    let n = problem.coordinate_count();
    let Some(space) = Whitened::new(problem) else { return vec![f64::INFINITY; n] };
    let most = |i: usize| {
        space.direction(&unit(n, i, 1.0)).map_or(f64::INFINITY, |w| w.norm() * space.speed)
    };
    (0..n).map(|i| most(i) * (1.0 + 1e-9)).collect()
}

/// The direction (n) of coordinate `i`, of length `x`.
fn unit(n: usize, i: usize, x: f64) -> Vec<f64> {
    let mut c = vec![0.0; n];
    c[i] = x;
    c
}
