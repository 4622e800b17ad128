//! Arithmetic expressions, which may replace numbers in a scene file.

use std::ops::Range;

/// The error of an expression, with the bytes that it is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    pub what: String,
    pub span: Range<usize>,
    /// An unknown name, for a suggestion.
    pub unknown: Option<String>,
}

/// A named number of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name that expressions use.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The least value it may have.
    pub min: f64,
    /// The greatest value it may have.
    pub max: f64,
    /// The change that counts as 1 in a design, so that changes of different parameters are comparable.
    pub scale: f64,
    /// Whether a design may change it.
    pub free: bool,
    /// The position of its value in the text.
    pub(super) place: Range<usize>,
}

type Result<T> = std::result::Result<T, Fault>;

/// Largest nesting depth of brackets, signs and powers.
const DEPTH: usize = 64;

/// Names that no parameter may have: functions with their number of arguments, and constants with 0.
pub(super) const KNOWN: &[(&str, usize)] = &[
    ("pi", 0),
    ("sqrt", 1),
    ("abs", 1),
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("atan2", 2),
];

/// Whether `text` is a name: a letter or `_`, then letters, digits and `_`.
pub(super) fn is_name(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with(|c: char| word(c) && !c.is_ascii_digit()) && text.chars().all(word)
}

/// The value of an expression of numbers, `+ - * / ^`, brackets, the functions and `pi` of [`KNOWN`], and names, whose
/// values are given by `value_of`.
///
/// `^` binds strongest and is right-associative, then come signs, then `*` and `/`, then `+` and `-`: `-2^2` is -4.
/// Angles in rad. Guarantee: a text without a finite value is an error, and so is one with a part that has no finite
/// value.
pub(super) fn evaluate(text: &str, value_of: &dyn Fn(&str) -> Option<f64>) -> Result<f64> {
    let mut reader = Reader { text, place: 0, depth: 0, value_of };
    let value = reader.sum()?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unexpected("an operator")),
    }
}

struct Reader<'a> {
    text: &'a str,
    place: usize,
    depth: usize,
    value_of: &'a dyn Fn(&str) -> Option<f64>,
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

    /// Consumes characters as long as they are of a kind.
    fn run(&mut self, kind: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.place..];
        let taken = &rest[..rest.find(|c| !kind(c)).unwrap_or(rest.len())];
        self.place += taken.len();
        taken
    }

    fn unexpected(&mut self, expected: &str) -> Fault {
        match self.peek() {
            None => fault(
                format!("the expression ends where {expected} is expected"),
                self.text.len()..self.text.len(),
            ),
            Some(c) => {
                fault(format!("expected {expected}, found `{c}`"), self.place..self.place + c.len_utf8())
            }
        }
    }

    fn sum(&mut self) -> Result<f64> {
        let mut value = self.product()?;
        loop {
            let (_, start) = (self.peek(), self.place);
            value = match () {
                () if self.take('+') => value + self.product()?,
                () if self.take('-') => value - self.product()?,
                () => return Ok(value),
            };
            self.finite(value, "this sum", start)?;
        }
    }

    fn product(&mut self) -> Result<f64> {
        let mut value = self.signed()?;
        loop {
            let (_, start) = (self.peek(), self.place);
            if self.take('*') {
                value *= self.signed()?;
                self.finite(value, "this product", start)?;
            } else if self.take('/') {
                let divisor = self.signed()?;
                if divisor == 0.0 {
                    return Err(fault("division by zero", start..self.place));
                }
                value /= divisor;
                self.finite(value, "this quotient", start)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn signed(&mut self) -> Result<f64> {
        self.nested(|reader| {
            if reader.take('-') {
                return Ok(-reader.signed()?);
            }
            if reader.take('+') {
                return reader.signed();
            }
            let base = reader.atom()?;
            let (_, start) = (reader.peek(), reader.place);
            if !reader.take('^') {
                return Ok(base);
            }
            let exponent = reader.signed()?;
            reader.finite(base.powf(exponent), &format!("{base} ^ {exponent}"), start)
        })
    }

    fn atom(&mut self) -> Result<f64> {
        let first = self.peek();
        let start = self.place;
        match first {
            Some('(') => {
                self.take('(');
                let value = self.sum()?;
                if self.take(')') { Ok(value) } else { Err(self.unexpected("an operator or `)`")) }
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(start),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.run(|c| c.is_ascii_alphanumeric() || c == '_');
                self.named(name, start)
            }
            _ => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    fn number(&mut self, start: usize) -> Result<f64> {
        self.run(|c| c.is_ascii_digit() || c == '.');
        let rest = &self.text.as_bytes()[self.place..];
        if let [b'e' | b'E', more @ ..] = rest {
            let sign = usize::from(matches!(more.first(), Some(b'+' | b'-')));
            if more.get(sign).is_some_and(u8::is_ascii_digit) {
                self.place += 1 + sign;
                self.run(|c| c.is_ascii_digit());
            }
        }
        let digits = &self.text[start..self.place];
        let value =
            digits.parse().map_err(|_| fault(format!("`{digits}` is not a number"), start..self.place))?;
        self.finite(value, digits, start)
    }

    fn named(&mut self, name: &'a str, start: usize) -> Result<f64> {
        let span = start..self.place;
        let Some((_, count)) = KNOWN.iter().find(|(known, _)| *known == name) else {
            let unknown = || Fault {
                what: format!("unknown parameter `{name}`"),
                span,
                unknown: Some(name.to_string()),
            };
            return (self.value_of)(name).ok_or_else(unknown);
        };
        if *count == 0 {
            return Ok(std::f64::consts::PI);
        }
        if !self.take('(') {
            return Err(self.unexpected(&format!("`(` after `{name}`")));
        }
        let x = self.sum()?;
        if *count == 2 && !self.take(',') {
            return Err(self.unexpected(&format!("`,` and a second argument of `{name}`")));
        }
        let y = if *count == 2 { self.sum()? } else { 0.0 };
        if !self.take(')') {
            return Err(self.unexpected(&format!("`)` after the arguments of `{name}`")));
        }
        let value = match name {
            "sqrt" => x.sqrt(),
            "abs" => x.abs(),
            "sin" => x.sin(),
            "cos" => x.cos(),
            "tan" => x.tan(),
            "asin" => x.asin(),
            "acos" => x.acos(),
            "atan" => x.atan(),
            _ => x.atan2(y),
        };
        self.finite(value, &format!("{name} of {x}"), start)
    }

    /// Reads a part that is nested one level deeper.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<f64>) -> Result<f64> {
        if self.depth == DEPTH {
            return Err(fault(format!("nested deeper than {DEPTH} levels"), self.place..self.place));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn finite(&self, value: f64, what: &str, start: usize) -> Result<f64> {
        if value.is_finite() {
            return Ok(value);
        }
        Err(fault(format!("{what} has no finite value"), start..self.place))
    }
}

fn fault(what: impl Into<String>, span: Range<usize>) -> Fault {
    Fault { what: what.into(), span, unknown: None }
}
