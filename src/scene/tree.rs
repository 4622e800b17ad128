//! TOML and JSON texts as trees of one type, whose nodes know their positions in the text.

use std::ops::Range;

use serde::de::IgnoredAny;
use toml::de::{DeTable, DeValue};

use carom_core::error::{Error, Result};

/// Largest nesting depth of a file; a problem needs 3 levels, a scene 6.
const DEPTH: usize = 32;

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TOML 1.1.
    Toml,
    /// JSON.
    Json,
}

/// A value and its range of bytes.
#[derive(Clone, Debug)]
pub struct Node {
    /// The bytes of the text.
    pub span: Range<usize>,
    /// The value.
    pub value: Value,
}

/// A value of either format. Numbers may be infinite or NaN where the format allows it.
#[derive(Clone, Debug)]
pub enum Value {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A date of TOML, which no key takes.
    Date,
    /// A list.
    List(Vec<Node>),
    /// A table, in the order of the text.
    Table(Vec<Entry>),
}

/// A key, its range of bytes, and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The bytes of the key.
    pub span: Range<usize>,
    /// The value of the key.
    pub node: Node,
}

impl Node {
    /// Merges another document: tables are joined, other values replaced. A new value has the
    /// position of the value that it replaces, or of its table.
    pub fn take(&mut self, other: Node) {
        match (&mut self.value, other.value) {
            (Value::Table(entries), Value::Table(taken)) => {
                for Entry { key, node, .. } in taken {
                    match entries.iter_mut().find(|entry| entry.key == key) {
                        Some(entry) => entry.node.take(node),
                        None => {
                            let span = self.span.clone();
                            entries.push(Entry { key, span, node }.at(&self.span));
                        }
                    }
                }
            }
            (value, other) => *value = other.at(&self.span),
        }
    }
}

impl Entry {
    /// The entry with all its parts at one place.
    fn at(self, span: &Range<usize>) -> Self {
        let node = Node { span: span.clone(), value: self.node.value.at(span) };
        Entry { key: self.key, span: span.clone(), node }
    }
}

impl Value {
    /// The value with all its parts at one place.
    fn at(self, span: &Range<usize>) -> Self {
        let node = |node: Node| Node { span: span.clone(), value: node.value.at(span) };
        match self {
            Value::List(list) => Value::List(list.into_iter().map(node).collect()),
            Value::Table(entries) => {
                Value::Table(entries.into_iter().map(|entry| entry.at(span)).collect())
            }
            other => other,
        }
    }

    /// The name of the value's type in error messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Boolean(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::Date => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// A file: the name the user gave it and its text.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The name of the file.
    pub name: &'a str,
    /// The whole text.
    pub text: &'a str,
}

impl Source<'_> {
    /// An input error that points to `span`, with its line and column, both from 1.
    pub fn error(&self, what: impl Into<String>, span: Range<usize>) -> Error {
        let span = self.clip(span);
        let before = &self.text[..span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
        Error::input(what)
            .in_text(self.name, self.text, span)
            .at(format!("line {line}, column {column}"))
    }

    /// The span, cut to the text and to whole characters.
    pub fn clip(&self, span: Range<usize>) -> Range<usize> {
        let start = self.text.floor_char_boundary(span.start.min(self.text.len()));
        let end = self.text.ceil_char_boundary(span.end.clamp(start, self.text.len()));
        start..end
    }

    /// The tree of the text.
    pub fn parse(&self, format: Format) -> Result<Node> {
        if self.text.trim().is_empty() {
            return Err(self
                .error("the file is empty", 0..0)
                .hint("`carom scenes rocking-block` prints an example"));
        }
        match format {
            Format::Toml => self.parse_toml(),
            Format::Json => self.parse_json(),
        }
    }

    fn parse_toml(&self) -> Result<Node> {
        let table = DeTable::parse(self.text).map_err(|error| {
            self.error(format!("not valid TOML: {}", error.message()), error.span().unwrap_or(0..0))
        })?;
        let span = table.span();
        Ok(Node { span, value: self.toml_table(table.into_inner(), 0)? })
    }

    fn toml_table(&self, table: DeTable<'_>, depth: usize) -> Result<Value> {
        let mut entries = Vec::with_capacity(table.len());
        for (key, value) in table {
            let (span, place) = (key.span(), value.span());
            let value = self.toml_value(value.into_inner(), place.clone(), depth + 1)?;
            entries.push(Entry {
                key: key.into_inner().into_owned(),
                span,
                node: Node { span: place, value },
            });
        }
        entries.sort_by_key(|entry| entry.span.start);
        Ok(Value::Table(entries))
    }

    fn toml_value(&self, value: DeValue<'_>, span: Range<usize>, depth: usize) -> Result<Value> {
        if depth > DEPTH {
            return Err(self.too_deep(span));
        }
        Ok(match value {
            DeValue::String(text) => Value::Text(text.into_owned()),
            DeValue::Boolean(value) => Value::Boolean(value),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Table(table) => self.toml_table(table, depth)?,
            DeValue::Integer(integer) => {
                let digits = integer.as_str();
                match i128::from_str_radix(digits, integer.radix()) {
                    Ok(integer) => Value::Number(integer as f64),
                    Err(_) if digits.contains(|c: char| c.is_ascii_alphanumeric()) => {
                        return Err(self.out_of_range(span));
                    }
                    Err(_) => {
                        return Err(self.error("not valid TOML: a number without digits", span));
                    }
                }
            }
            DeValue::Float(float) => {
                let named = float.as_str().contains("inf") || float.as_str().contains("nan");
                match float.as_str().parse::<f64>() {
                    Ok(number) if number.is_finite() || named => Value::Number(number),
                    Ok(_) => return Err(self.out_of_range(span)),
                    Err(_) => return Err(self.error("not valid TOML: not a number", span)),
                }
            }
            DeValue::Array(array) => {
                let mut list = Vec::with_capacity(array.len());
                for item in array {
                    let place = item.span();
                    let value = self.toml_value(item.into_inner(), place.clone(), depth + 1)?;
                    list.push(Node { span: place, value });
                }
                Value::List(list)
            }
        })
    }

    fn parse_json(&self) -> Result<Node> {
        if let Err(error) = serde_json::from_str::<IgnoredAny>(self.text) {
            let message = error.to_string();
            let message =
                message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
            let line: usize = self
                .text
                .split_inclusive('\n')
                .take(error.line().saturating_sub(1))
                .map(str::len)
                .sum();
            let place = line + error.column().saturating_sub(1);
            return Err(self.error(format!("not valid JSON: {message}"), place..place + 1));
        }
        let mut cursor = Cursor { source: self, place: 0 };
        cursor.value(0)
    }

    fn too_deep(&self, span: Range<usize>) -> Error {
        self.error(format!("nested deeper than {DEPTH} levels"), span.start..span.start)
    }

    fn out_of_range(&self, span: Range<usize>) -> Error {
        let text = &self.text[self.clip(span.clone())];
        self.error(format!("the number {text} is beyond the range of a double (1.8e308)"), span)
    }
}

/// A pass through a text that is known to be valid JSON. It only finds positions, and skips
/// whatever it does not expect.
struct Cursor<'a> {
    source: &'a Source<'a>,
    place: usize,
}

impl Cursor<'_> {
    fn peek(&mut self) -> u8 {
        let bytes = self.source.text.as_bytes();
        while bytes.get(self.place).is_some_and(u8::is_ascii_whitespace) {
            self.place += 1;
        }
        bytes.get(self.place).copied().unwrap_or(0)
    }

    /// The span up to the end of a string or, otherwise, up to the next delimiter.
    fn token(&mut self) -> Range<usize> {
        let start = self.place;
        let bytes = &self.source.text.as_bytes()[start..];
        let length = if bytes.first() == Some(&b'"') {
            let mut end = 1;
            while end < bytes.len() && bytes[end] != b'"' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            end + 1
        } else {
            bytes
                .iter()
                .position(|b| b",:]}".contains(b) || b.is_ascii_whitespace())
                .unwrap_or(bytes.len())
        };
        self.place = (start + length).min(self.source.text.len());
        start..self.place
    }

    fn text(&mut self) -> Result<(String, Range<usize>)> {
        let span = self.token();
        let text = serde_json::from_str(&self.source.text[span.clone()]).map_err(|_| {
            self.source.error("not valid JSON: a string that is not Unicode text", span.clone())
        })?;
        Ok((text, span))
    }

    fn value(&mut self, depth: usize) -> Result<Node> {
        let open = self.peek();
        let start = self.place;
        if depth > DEPTH {
            return Err(self.source.too_deep(start..start));
        }
        let value = match open {
            b'{' => self.table(depth)?,
            b'[' => {
                self.place += 1;
                let mut list = Vec::new();
                while !matches!(self.peek(), b']' | 0) {
                    list.push(self.value(depth + 1)?);
                    self.skip(b',');
                }
                self.skip(b']');
                Value::List(list)
            }
            b'"' => Value::Text(self.text()?.0),
            _ => {
                let span = self.token();
                match &self.source.text[span.clone()] {
                    "null" => Value::Null,
                    "true" => Value::Boolean(true),
                    "false" => Value::Boolean(false),
                    number => match number.parse::<f64>() {
                        Ok(number) if number.is_finite() => Value::Number(number),
                        _ => return Err(self.source.out_of_range(span)),
                    },
                }
            }
        };
        Ok(Node { span: start..self.place, value })
    }

    fn table(&mut self, depth: usize) -> Result<Value> {
        self.place += 1;
        let mut entries: Vec<Entry> = Vec::new();
        let mut keys = std::collections::BTreeSet::new();
        while !matches!(self.peek(), b'}' | 0) {
            let (key, span) = self.text()?;
            if !keys.insert(key.clone()) {
                return Err(self.source.error(format!("the key `{key}` occurs twice"), span));
            }
            self.skip(b':');
            let node = self.value(depth + 1)?;
            entries.push(Entry { key, span, node });
            self.skip(b',');
        }
        self.skip(b'}');
        Ok(Value::Table(entries))
    }

    fn skip(&mut self, byte: u8) {
        if self.peek() == byte {
            self.place += 1;
        }
    }
}
