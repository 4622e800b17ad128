//! Reads the text of an expression by recursive descent.

use std::ops::Range;

use super::operation::Operation;

/// The error of an expression, with the affected bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The fault.
    pub what: String,
    /// The place of the fault, in bytes of the text.
    pub span: Range<usize>,
    /// The unknown name, for a suggestion.
    pub unknown: Option<String>,
}

pub type Result<T> = std::result::Result<T, Fault>;

/// Names that no parameter may have: functions and a constant.
pub const KNOWN: &[&str] =
    &["pi", "sqrt", "abs", "sin", "cos", "tan", "asin", "acos", "atan", "atan2"];

/// Functions of two arguments that may also be names of numbers.
const EXTREMES: &[&str] = &["min", "max"];

/// One step of the evaluation on a stack of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Puts a number on the stack.
    Number(f64),
    /// Puts the value of a name on the stack.
    Name(usize),
    /// Replaces the last values by the result.
    Apply(Operation),
}

/// Largest nesting depth of brackets, signs and powers.
const DEPTH: usize = 64;

/// The steps of the evaluation of a text.
pub fn read(
    text: &str,
    number_of: &dyn Fn(&str) -> Option<usize>,
) -> Result<Vec<(Step, Range<usize>)>> {
    let mut reader = Reader { text, place: 0, depth: 0, steps: Vec::new(), number_of };
    reader.sum()?;
    match reader.peek() {
        None => Ok(reader.steps),
        Some(_) => Err(reader.unexpected("an operator")),
    }
}

struct Reader<'a> {
    text: &'a str,
    place: usize,
    depth: usize,
    steps: Vec<(Step, Range<usize>)>,
    number_of: &'a dyn Fn(&str) -> Option<usize>,
}

impl<'a> Reader<'a> {
    /// The next character that is not a space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.place..];
        self.place += rest.len() - rest.trim_start().len();
        self.text[self.place..].chars().next()
    }

    /// Consumes the next character if it is `wanted`.
    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.place += if found { wanted.len_utf8() } else { 0 };
        found
    }

    /// Consumes the longest run of characters of a kind.
    fn run(&mut self, kind: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.place..];
        let taken = &rest[..rest.find(|c| !kind(c)).unwrap_or(rest.len())];
        self.place += taken.len();
        taken
    }

    fn unexpected(&mut self, expected: &str) -> Fault {
        let what = match self.peek() {
            None => format!("the expression ends where {expected} is expected"),
            Some(c) => format!("expected {expected}, found `{c}`"),
        };
        let found = self.peek().map_or(0, char::len_utf8);
        fault(what, self.place..self.place + found)
    }

    /// Adds a step for the text from `start` on.
    fn step(&mut self, step: Step, start: usize) {
        self.steps.push((step, start..self.place));
    }

    fn sum(&mut self) -> Result<()> {
        self.chain([('+', Operation::Sum), ('-', Operation::Difference)], Self::product)
    }

    fn product(&mut self) -> Result<()> {
        self.chain([('*', Operation::Product), ('/', Operation::Quotient)], Self::signed)
    }

    /// Operands joined by left-associative operators of equal precedence.
    fn chain(
        &mut self,
        operators: [(char, Operation); 2],
        operand: fn(&mut Self) -> Result<()>,
    ) -> Result<()> {
        operand(self)?;
        loop {
            let (_, start) = (self.peek(), self.place);
            let Some((_, operation)) = operators.into_iter().find(|(sign, _)| self.take(*sign))
            else {
                return Ok(());
            };
            operand(self)?;
            self.step(Step::Apply(operation), start);
        }
    }

    fn signed(&mut self) -> Result<()> {
        self.nested(|reader| {
            let (_, start) = (reader.peek(), reader.place);
            if reader.take('-') {
                reader.signed()?;
                reader.step(Step::Apply(Operation::Negate), start);
                return Ok(());
            }
            if reader.take('+') {
                return reader.signed();
            }
            reader.atom()?;
            let (_, start) = (reader.peek(), reader.place);
            if reader.take('^') {
                reader.signed()?;
                reader.step(Step::Apply(Operation::Power), start);
            }
            Ok(())
        })
    }

    fn atom(&mut self) -> Result<()> {
        let first = self.peek();
        let start = self.place;
        match first {
            Some('(') => {
                self.take('(');
                self.sum()?;
                if self.take(')') { Ok(()) } else { Err(self.unexpected("an operator or `)`")) }
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(start),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.run(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
                self.named(name, start)
            }
            Some('`') => {
                self.take('`');
                let name = self.run(|c| c != '`');
                match self.take('`') {
                    true => self.name(name, start),
                    false => Err(self.unexpected("a second backtick")),
                }
            }
            _ => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    fn number(&mut self, start: usize) -> Result<()> {
        self.run(|c| c.is_ascii_digit() || c == '.');
        let rest = &self.text.as_bytes()[self.place..];
        if let [b'e' | b'E', more @ ..] = rest {
            let sign = usize::from(matches!(more.first(), Some(b'+' | b'-')));
            if more.get(sign).is_some_and(u8::is_ascii_digit) {
                self.place += 1 + sign;
                self.run(|c| c.is_ascii_digit());
            }
        }
        let (digits, span) = (&self.text[start..self.place], start..self.place);
        let value: f64 = digits
            .parse()
            .map_err(|_| fault(format!("`{digits}` is not a number"), span.clone()))?;
        if !value.is_finite() {
            return Err(fault(format!("{digits} has no finite value"), span));
        }
        self.step(Step::Number(value), start);
        Ok(())
    }

    /// The value of a name.
    fn name(&mut self, name: &str, start: usize) -> Result<()> {
        let Some(at) = (self.number_of)(name) else {
            let what = format!("unknown name `{name}`");
            return Err(Fault { what, span: start..self.place, unknown: Some(name.to_string()) });
        };
        self.step(Step::Name(at), start);
        Ok(())
    }

    /// A constant, a call, or the value of a name.
    fn named(&mut self, name: &str, start: usize) -> Result<()> {
        let known = KNOWN.contains(&name);
        let Some(function) = Operation::named(name) else {
            if !known {
                return self.name(name, start);
            }
            self.step(Step::Number(std::f64::consts::PI), start);
            return Ok(());
        };
        if EXTREMES.contains(&name) && self.peek() != Some('(') {
            return self.name(name, start);
        }
        if !self.take('(') {
            return Err(self.unexpected(&format!("`(` after `{name}`")));
        }
        self.sum()?;
        if function.arguments() == 2 {
            if !self.take(',') {
                return Err(self.unexpected(&format!("`,` and a second argument of `{name}`")));
            }
            self.sum()?;
        }
        if !self.take(')') {
            return Err(self.unexpected(&format!("`)` after the arguments of `{name}`")));
        }
        self.step(Step::Apply(function), start);
        Ok(())
    }

    /// Reads a nested part, one level deeper.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.depth == DEPTH {
            let what = format!("nested deeper than {DEPTH} levels");
            return Err(fault(what, self.place..self.place));
        }
        self.depth += 1;
        read(self)?;
        self.depth -= 1;
        Ok(())
    }
}

/// A fault in a part of the text.
pub fn fault(what: impl Into<String>, span: Range<usize>) -> Fault {
    Fault { what: what.into(), span, unknown: None }
}
