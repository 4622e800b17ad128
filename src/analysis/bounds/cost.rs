use super::rounding::Sum;
use carom_core::error::{Error, Result};
use carom_core::expression::{Bend, Expression, ExpressionShape, Interval, Slope};
use carom_core::problem::{ContactProblem, no_coordinate};

/// Cost of velocities: an [`Expression`] in coordinates, such as `0.5*(x-1)^2 + abs(theta)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    text: String,
    expression: Expression,
    names: Vec<usize>,
    coordinates: Vec<String>,
}

impl Cost {
    /// Parses a cost. Names in the text are the problem's coordinates, in backticks if they are not
    /// plain.
    ///
    /// # Errors
    /// A text that is not an expression, an unknown coordinate.
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

    /// Text of the cost.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Cost of a velocity (n).
    ///
    /// # Errors
    /// No finite value at this velocity.
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

    /// Curvature class of the cost over a box of velocities (n).
    pub fn shape(&self, ranges: &[Interval]) -> ExpressionShape {
        let names: Vec<_> = ranges.iter().map(|range| ExpressionShape::name(*range)).collect();
        let unknown = ExpressionShape { bend: Bend::Unknown, range: self.range(ranges) };
        self.expression.value(&names).unwrap_or(unknown)
    }

    /// Enclosure of the cost over a box of velocities (n).
    pub fn range(&self, ranges: &[Interval]) -> Interval {
        self.expression.value(ranges).unwrap_or(Interval::ALL)
    }

    /// Enclosures of the cost and of its slope in one of the coordinates (n).
    pub fn slope(&self, coordinates: &[Slope]) -> Option<Slope> {
        self.expression.value(coordinates).ok()
    }

    /// Coordinates in the cost, in order.
    pub fn names(&self) -> &[usize] {
        &self.names
    }
}

/// Error message that quotes the faulty part of the text.
fn located(what: &str, text: &str, span: std::ops::Range<usize>) -> String {
    match text.get(span).map(str::trim) {
        Some(part) if !part.is_empty() && part.len() <= 80 => format!("{what}: `{part}`"),
        _ => what.to_string(),
    }
}

/// Vector (n) along coordinate `i` with length `x`.
pub(super) fn unit(n: usize, i: usize, x: f64) -> Vec<f64> {
    let mut c = vec![0.0; n];
    c[i] = x;
    c
}

/// Affine upper bound on a cost `f` over a box of velocities, `f(v) <= at + slope.(v - middle)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tangent {
    pub middle: Vec<f64>,
    /// Half-widths of the box (n), rounded up.
    pub radius: Vec<f64>,
    pub at: f64,
    pub slope: Vec<f64>,
}

impl Tangent {
    /// Affine bound over a box (n); `None` if interval slopes are not finite.
    ///
    /// Coordinates move one after the other from the midpoint `m` to `v`. With slopes of coordinate
    /// `i` in an interval with midpoint `s_i` and half-width `e_i`, and `r_i` the half-width of the
    /// box, `f(v) <= f(m) + sum_i (s_i (v_i - m_i) + e_i r_i)`.
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
