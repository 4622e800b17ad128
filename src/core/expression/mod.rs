//! Arithmetic expressions with names: numbers of scene files, costs of velocities.
//!
//! An expression is parsed once and evaluated with any [`Value`]: with numbers, with [`Interval`]s,
//! with [`Jet`]s (derivatives), with [`Slope`]s (bounds of derivatives), or with
//! [`ExpressionShape`]s (convexity).

mod interval;
mod jet;
mod number;
mod operation;
mod reader;
mod shape;
mod slope;

pub use interval::Interval;
pub use jet::Jet;
pub use operation::{Operation, Value};
pub use reader::{Fault, KNOWN};
pub use shape::{Bend, ExpressionShape};
pub use slope::Slope;

use std::ops::Range;

use reader::{Result, Step, fault};

/// Whether `text` is a name of a parameter: a letter or `_`, then letters, digits and `_`.
pub fn is_name(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with(|c: char| word(c) && !c.is_ascii_digit()) && text.chars().all(word)
}

/// An expression of numbers, `+ - * / ^`, brackets, functions, `pi` and names.
///
/// `^` binds strongest and is right-associative, then come signs, then `*` and `/`, then `+` and
/// `-`: `-2^2` is -4.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    steps: Vec<(Step, Range<usize>)>,
}

impl Expression {
    /// Reads a text. `number_of` gives the index of a name among the values, or `None` for an
    /// unknown name. A name is a letter or `_`, then letters, digits, `_` and points; other names
    /// stand between backticks.
    pub fn read(text: &str, number_of: &dyn Fn(&str) -> Option<usize>) -> Result<Self> {
        Ok(Expression { steps: reader::read(text, number_of)? })
    }

    /// The value at the values `names` of the names.
    pub fn value<V: Value>(&self, names: &[V]) -> Result<V> {
        let mut stack: Vec<V> = Vec::with_capacity(8);
        for (step, span) in &self.steps {
            let value = match *step {
                Step::Number(x) => V::number(x),
                Step::Name(at) => names[at],
                Step::Apply(operation) => {
                    let last = stack.pop();
                    let first = if operation.arguments() == 2 { stack.pop() } else { last };
                    let (Some(a), Some(b)) = (first, last) else {
                        unreachable!("each operation finds its arguments")
                    };
                    V::apply(operation, a, b).map_err(|what| fault(what, span.clone()))?
                }
            };
            stack.push(value);
        }
        Ok(stack.pop().unwrap_or(V::number(0.0)))
    }

    /// The indices of the names that occur, in order.
    pub fn names(&self) -> Vec<usize> {
        let name = |step: &(Step, Range<usize>)| match step.0 {
            Step::Name(at) => Some(at),
            _ => None,
        };
        let mut names: Vec<usize> = self.steps.iter().filter_map(name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
