use super::rounding::Sum;
use carom_core::error::{Error, Result};
use carom_core::expression::{Bend, Expression, ExpressionShape, Interval, Slope};
use carom_core::problem::{ContactProblem, no_coordinate};

/// A cost of velocities: an [`Expression`] in coordinates, such as `0.5*(x-1)^2 + abs(theta)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    text: String,
    expression: Expression,
    names: Vec<usize>,
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
        Ok(Cost {
            text: text.trim().to_string(),
            names: expression.names(),
            expression,
            coordinates: coordinates.to_vec(),
        })
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
            let values: Vec<String> = self.names.iter().map(value).collect();
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
        let names: Vec<_> = ranges.iter().map(|range| ExpressionShape::name(*range)).collect();
        let unknown = ExpressionShape { bend: Bend::Unknown, range: self.range(ranges) };
        self.expression.value(&names).unwrap_or(unknown)
    }

    /// A range that holds the cost where each coordinate (n) lies in a range.
    pub fn range(&self, ranges: &[Interval]) -> Interval {
        self.expression.value(ranges).unwrap_or(Interval::ALL)
    }

    /// The range of the cost and of its slopes in one of the coordinates (n).
    pub fn slope(&self, coordinates: &[Slope]) -> Option<Slope> {
        self.expression.value(coordinates).ok()
    }

    /// The coordinates that occur in the cost, in order.
    pub fn names(&self) -> &[usize] {
        &self.names
    }
}

/// An error message with the part of the text that is at fault.
fn located(what: &str, text: &str, span: std::ops::Range<usize>) -> String {
    match text.get(span).map(str::trim) {
        Some(part) if !part.is_empty() && part.len() <= 80 => format!("{what}: `{part}`"),
        _ => what.to_string(),
    }
}

/// The direction (n) of coordinate `i`, of length `x`.
pub(super) fn unit(n: usize, i: usize, x: f64) -> Vec<f64> {
    let mut c = vec![0.0; n];
    c[i] = x;
    c
}

/// A bound of a cost `f` over a box of velocities, `f(v) <= at + slope.(v - middle)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tangent {
    pub middle: Vec<f64>,
    /// How far the box reaches from its middle (n), rounded up.
    pub radius: Vec<f64>,
    pub at: f64,
    pub slope: Vec<f64>,
}

impl Tangent {
    /// The bound over a box (n); `None` where intervals find no finite slopes.
    ///
    /// One coordinate after the other goes from the middle `m` to `v`, where its slopes are between
    /// two numbers: `f(v) <= f(m) + sum_i (s_i (v_i - m_i) + e_i r_i)` with `s_i` between them,
    /// `e_i` their distance from it, and `r_i` the radius.
    pub fn new(cost: &Cost, ranges: &[Interval]) -> Option<Self> {
        let middle: Vec<f64> = ranges.iter().map(|range| range.middle()).collect();
        let reach = |(range, middle): (&Interval, &f64)| {
            (range.high - middle).max(middle - range.low).next_up()
        };
        let radius: Vec<f64> = ranges.iter().zip(&middle).map(reach).collect();
        let mut place: Vec<Slope> =
            middle.iter().map(|x| Slope::constant(Interval::point(*x))).collect();
        let mut slope = vec![0.0; ranges.len()];
        let mut at = Sum::default().and(cost.slope(&place)?.value.high);
        for &i in cost.names() {
            place[i] = Slope::variable(ranges[i]);
            let slopes = cost.slope(&place)?.slope;
            slope[i] = slopes.middle();
            at.add((slopes.high - slope[i]).max(slope[i] - slopes.low).next_up() * radius[i]);
            place[i] = Slope::constant(ranges[i]);
        }
        Some(Tangent { middle, radius, at: at.most(), slope }).filter(|t| t.at.is_finite())
    }
}
