use super::cost::{Cost, unit};
use super::outline::Outline;
use super::whitened::Whitened;
use super::{Bound, BoundKind, Limits, exact, simplices};
use crate::reach::{ExactSet, Reach};
use carom_core::error::Result;
use carom_core::expression::{Bend, Interval};
use carom_core::problem::ContactProblem;

/// Maximum number of coordinates in a cost for which all corners of a box are evaluated.
const MOST_CORNERS: usize = 12;

/// Upper bound on the cost of `v+` after an impact.
///
/// The exact kind evaluates the vertices of the exact set if the rules of composition show that the
/// cost is quasiconvex. Otherwise branch and bound splits the simplices of its polytopes. The other
/// kinds bound the cost in an [`Outline`] of half-spaces; a linear cost is bounded as a direction.
/// Costs are evaluated in intervals.
///
/// # Errors
/// See [`bound`](super::bound).
pub fn bound_cost(problem: &ContactProblem, cost: &Cost, kind: BoundKind) -> Result<Bound> {
    bound_cost_until(problem, cost, kind, &Limits::default())
}

/// [`bound_cost`], or an error once the stop flag is raised.
pub fn bound_cost_until(
    problem: &ContactProblem,
    cost: &Cost,
    kind: BoundKind,
    limits: &Limits,
) -> Result<Bound> {
    if kind != BoundKind::Exact {
        return on_box(problem, cost, kind, limits);
    }
    let set = Reach::default().for_bounds(limits).in_integers(problem)?;
    let found = most_of_set(problem, cost, &set);
    if found.kind == BoundKind::Exact {
        return Ok(found);
    }
    let conic = on_box(problem, cost, BoundKind::Conic, limits)?;
    Ok(if conic.is_proved() { found.cut(conic.value) } else { found })
}

/// Upper bound on the cost over an exact set of the problem.
pub fn most_of_set(problem: &ContactProblem, cost: &Cost, set: &ExactSet) -> Bound {
    let (value, by_ranges) = on_set(problem, cost, set);
    let certified = set.is_complete() && value.is_finite();
    let attained = set.is_tight() && !by_ranges;
    Bound { by_ranges, attained, ..Bound::new(exact::kind(set), value, certified) }
}

/// Upper bound on the cost over the exact set, and whether the gap to the maximum may be large.
fn on_set(problem: &ContactProblem, cost: &Cost, set: &ExactSet) -> (f64, bool) {
    let radius: Vec<_> = fastest(problem).iter().map(|fastest| exact::ROUNDING * fastest).collect();
    let all: Vec<&[f64]> = set.vertices().collect();
    if cost.shape(&simplices::around(&all, &radius)).peaks_at_vertices() {
        let of = |vertex: &[f64]| cost.range(&simplices::around(&[vertex], &radius)).high;
        return (all.into_iter().map(of).fold(f64::NEG_INFINITY, f64::max), false);
    }
    simplices::largest(cost, set.polytopes().iter().map(|polytope| &polytope.shape), &radius)
}

/// Upper bound on `|cost(v)|`, in the cost's units, over the energy box `|v_i| <= |v-|_M
/// sqrt((M^-1)_ii)`; `None` if intervals give none.
pub fn most_cost(problem: &ContactProblem, cost: &Cost) -> Option<f64> {
    let ranges = fastest(problem).into_iter().map(|most| Interval { low: -most, high: most });
    let Interval { low, high } = cost.range(&ranges.collect::<Vec<_>>());
    Some(high.max(-low)).filter(|most| most.is_finite())
}

/// Upper bound on the cost from bounds on directions.
fn on_box(
    problem: &ContactProblem,
    cost: &Cost,
    kind: BoundKind,
    limits: &Limits,
) -> Result<Bound> {
    let n = problem.coordinate_count();
    let fastest = fastest(problem);
    let ranges: Vec<_> = fastest.iter().map(|most| Interval { low: -most, high: *most }).collect();
    let names = cost.names();
    if let Bend::Affine = cost.shape(&ranges).bend {
        // Each coefficient of a linear cost is enclosed in a narrow interval.
        let at = |v: Vec<f64>| cost.range(&v.into_iter().map(Interval::point).collect::<Vec<_>>());
        let origin = at(vec![0.0; n]);
        let (mut c, mut slack) = (vec![0.0; n], origin.high);
        for &i in names {
            let one = at(unit(n, i, 1.0));
            let (low, high) =
                ((one.low - origin.high).next_down(), (one.high - origin.low).next_up());
            c[i] = low + (high - low) / 2.0;
            slack = (slack + ((high - low).next_up() * fastest[i]).next_up()).next_up();
        }
        if c.iter().any(|c| *c != 0.0) {
            let bound = super::bound_until(problem, &c, kind, limits);
            let bound = bound.map_err(|error| error.option("cost"))?;
            return Ok(Bound { value: (bound.value + slack).next_up(), ..bound });
        }
    }
    let mut outline = Outline::new(problem, names, kind, limits)?;
    let ranges = outline.ranges.clone();
    let mut known = cost.range(&ranges).high;
    if names.len() <= MOST_CORNERS && cost.shape(&ranges).peaks_at_vertices() {
        let corner = |bits: usize| {
            let mut place = ranges.clone();
            for (k, &i) in names.iter().enumerate() {
                let end = if bits >> k & 1 == 1 { ranges[i].high } else { ranges[i].low };
                place[i] = Interval::point(end);
            }
            cost.range(&place).high
        };
        known = known.min((0..1 << names.len()).map(corner).fold(f64::NEG_INFINITY, f64::max));
    }
    let (value, by_ranges) = outline.most(cost, known)?;
    let certified = outline.certified && value.is_finite();
    Ok(Bound { by_ranges, ..Bound::new(kind, value, certified) })
}

/// Largest `|v_i|` (n) without energy gain: `|v-|_M sqrt((M^-1)_ii)`.
fn fastest(problem: &ContactProblem) -> Vec<f64> {
    let n = problem.coordinate_count();
    let Some(space) = Whitened::new(problem) else { return vec![f64::INFINITY; n] };
    let most = |i: usize| {
        space.direction(&unit(n, i, 1.0)).map_or(f64::INFINITY, |w| w.norm() * space.speed)
    };
    (0..n).map(|i| most(i) * (1.0 + 1e-9)).collect()
}
