//! Typed access to the values of a parsed file; every error names the place of the wrong value.

use std::borrow::Cow;

use super::parameters::Parameter;
use super::tree::{Entry, Node, Source, Value};
use carom_core::error::{Error, Result};
use carom_core::expression::{Expression, Fault, KNOWN};
use carom_mechanics::model::{Vector, spatial};

/// A value with its path from the root, such as `bodies[1].mass`.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// The file of the value.
    pub source: Source<'a>,
    /// The path from the root.
    pub path: String,
    /// The value.
    pub node: &'a Node,
    /// The parameters that expressions may use; `None` where expressions are not allowed.
    pub parameters: Option<&'a [Parameter]>,
}

/// A table whose keys are all known.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    item: Item<'a>,
    entries: &'a [Entry],
}

/// The known word that is most similar to a misspelt one, if any is similar.
pub fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let word = word.to_lowercase();
    let score = |known: &str| {
        strsim::damerau_levenshtein(&word, known) as f64 / known.len().max(word.len()) as f64
    };
    let scored = known.into_iter().map(|known| (score(known), known));
    scored
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(score, _)| *score <= 0.4)
        .map(|(_, known)| known)
}

/// The hint for an unknown word.
pub fn suggestion<'w>(word: &str, known: impl IntoIterator<Item = &'w str> + Clone) -> String {
    match if word.len() <= 64 { nearest(word, known.clone()) } else { None } {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let mut list: Vec<_> = known.into_iter().map(|known| format!("`{known}`")).collect();
            let more = match list.len().saturating_sub(24) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            list.truncate(24);
            match list.is_empty() {
                true => "there is none".to_string(),
                false => format!("known: {}{more}", list.join(", ")),
            }
        }
    }
}

/// A word shortened for a message.
pub fn shortened(word: &str) -> Cow<'_, str> {
    match word.char_indices().nth(60) {
        Some((end, _)) => Cow::Owned(format!("{}...", &word[..end])),
        None => Cow::Borrowed(word),
    }
}

impl<'a> Item<'a> {
    /// An error at the place of this item.
    pub fn error(&self, what: impl Into<String>) -> Error {
        self.locate(Error::input(what))
    }

    /// Gives an error the place of this item, unless it points into the text already.
    pub fn locate(&self, error: Error) -> Error {
        if error.excerpt.is_some() {
            return error;
        }
        // An error about the whole file has no place in it.
        let whole = self.node.span.len() >= self.source.text.trim().len();
        let span = if whole { 0..0 } else { self.source.clip(self.node.span.clone()) };
        place(error.in_text(self.source.name, self.source.text, span), &self.path)
    }

    /// The error for a value of the wrong type; `what` is the expected type.
    pub fn expected(&self, what: &str) -> Error {
        self.error(format!("expected {what}, found {}", self.node.value.kind()))
    }

    fn within(&self, index: usize, node: &'a Node) -> Item<'a> {
        Item { path: format!("{}[{index}]", self.path), node, ..*self }
    }

    /// Reads a table, whose keys must be among `known`.
    pub fn table(&self, known: &[&str]) -> Result<Table<'a>> {
        self.table_beside(known, |_| None)
    }

    /// Reads a table, whose keys must be among `known`; `table_of` names the table of a misplaced
    /// key, if any.
    pub fn table_beside(
        &self,
        known: &[&str],
        table_of: impl Fn(&str) -> Option<&'static str>,
    ) -> Result<Table<'a>> {
        let table = self.open_table()?;
        if let Some(entry) = table.entries.iter().find(|entry| !known.contains(&entry.key.as_str()))
        {
            let what = format!("unknown key `{}`", shortened(&entry.key));
            let hint = match table_of(&entry.key) {
                Some(table) => format!("it belongs to [{table}]"),
                None => suggestion(&entry.key, known.iter().copied()),
            };
            let error = self.source.error(what, entry.span.clone()).hint(hint);
            return Err(place(error, &self.path));
        }
        Ok(table)
    }

    /// Reads a table that may have unknown keys.
    pub fn open_table(&self) -> Result<Table<'a>> {
        let Value::Table(entries) = &self.node.value else { return Err(self.expected("a table")) };
        Ok(Table { item: self.clone(), entries })
    }

    /// The entries of a table with arbitrary keys.
    pub fn entries(&self) -> Result<Vec<(&'a str, Item<'a>)>> {
        let Value::Table(entries) = &self.node.value else { return Err(self.expected("a table")) };
        let path = |key: &str| format!("{}.{}", self.path, shortened(key));
        let entry =
            |e: &'a Entry| (e.key.as_str(), Item { path: path(&e.key), node: &e.node, ..*self });
        Ok(entries.iter().map(entry).collect())
    }

    /// Reads a list of any values.
    pub fn list(&self) -> Result<Vec<Item<'a>>> {
        self.list_of("a list")
    }

    fn list_of(&self, what: &str) -> Result<Vec<Item<'a>>> {
        let Value::List(list) = &self.node.value else { return Err(self.expected(what)) };
        Ok(list.iter().enumerate().map(|(i, node)| self.within(i, node)).collect())
    }

    /// Reads a finite number.
    pub fn number(&self) -> Result<f64> {
        match self.node.value {
            Value::Number(number) if number.is_finite() => Ok(number),
            Value::Number(number) => {
                Err(self.error(format!("expected a finite number, found {number}")))
            }
            Value::Text(ref text) => match self.parameters {
                Some(parameters) => self.expression(text, parameters),
                None => Err(self
                    .expected("a number")
                    .hint("expressions belong in scenes with `[parameters]`, outside that table")),
            },
            _ => Err(self.expected("a number")),
        }
    }

    /// The value of an expression that may use the parameters.
    fn expression(&self, text: &str, parameters: &[Parameter]) -> Result<f64> {
        let number_of = |name: &str| parameters.iter().position(|p| p.name == name);
        let values: Vec<f64> = parameters.iter().map(|p| p.value).collect();
        let value =
            Expression::read(text, &number_of).and_then(|expression| expression.value(&values));
        value.map_err(|fault| self.fault(text, fault, parameters.iter().map(|p| p.name.as_str())))
    }

    /// Reads an expression of some variables.
    pub fn formula(&self, variables: &[&'static str]) -> Result<Expression> {
        let text = self.text()?;
        let number_of = |name: &str| variables.iter().position(|known| *known == name);
        Expression::read(text, &number_of)
            .map_err(|fault| self.fault(text, fault, variables.iter().copied()))
    }

    /// The error of an expression with some names.
    fn fault<'n>(
        &self,
        text: &str,
        Fault { what, span, unknown }: Fault,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Error {
        let what = unknown.as_ref().map_or(what, |name| format!("unknown parameter `{name}`"));
        // With escapes in the text, positions in the value differ from positions in the file.
        let literal = &self.source.text[self.source.clip(self.node.span.clone())];
        let start =
            literal.find(text).filter(|_| !span.is_empty()).map(|at| self.node.span.start + at);
        let place =
            start.map_or(self.node.span.clone(), |start| start + span.start..start + span.end);
        let error =
            Error::input(what).in_text(self.source.name, self.source.text, self.source.clip(place));
        let hint = unknown.map(|name| suggestion(&name, names.chain(KNOWN.iter().copied())));
        Error { hint, ..error.at(&self.path) }
    }

    /// Reads a whole number >= 1 that fits 32 bits.
    pub fn count(&self) -> Result<u32> {
        Ok(self.within_range(1, u64::from(u32::MAX))? as u32)
    }

    /// Reads a whole number >= 0 that fits 32 bits.
    pub fn whole(&self) -> Result<u32> {
        if self.number()? == 0.0 { Ok(0) } else { self.count() }
    }

    /// Reads a whole number from `least` to 2^53, the range in which doubles are exact.
    pub fn integer(&self, least: u64) -> Result<u64> {
        self.within_range(least, 1 << 53)
    }

    fn within_range(&self, least: u64, most: u64) -> Result<u64> {
        let number = self.number()?;
        if number.fract() != 0.0 || !(least as f64..=most as f64).contains(&number) {
            return Err(self
                .error(format!("expected a whole number from {least} to {most}, found {number}")));
        }
        Ok(number as u64)
    }

    /// Reads a list of finite numbers.
    pub fn numbers(&self) -> Result<Vec<f64>> {
        let Value::List(list) = &self.node.value else {
            return Err(self.expected("a list of numbers"));
        };
        let one = |(i, node): (usize, &'a Node)| match node.value {
            Value::Number(number) if number.is_finite() => Ok(number),
            _ => self.within(i, node).number(),
        };
        list.iter().enumerate().map(one).collect()
    }

    /// Reads a list of rows of finite numbers.
    pub fn rows(&self) -> Result<Vec<Vec<f64>>> {
        self.list_of("a list of rows of numbers")?.iter().map(Item::numbers).collect()
    }

    /// Reads a list of two finite numbers.
    pub fn vector(&self) -> Result<Vector> {
        match self.numbers()?.as_slice() {
            [x, y] => Ok(Vector::new(*x, *y)),
            numbers => {
                let error =
                    self.error(format!("expected two numbers [x, y], found {}", numbers.len()));
                Err(if numbers.len() == 3 {
                    error.hint("a scene in space says so at its top: `dimensions = 3`")
                } else {
                    error
                })
            }
        }
    }

    /// Reads a list of three finite numbers.
    pub fn spatial_vector(&self) -> Result<spatial::Vector> {
        match self.numbers()?.as_slice() {
            [x, y, z] => Ok(spatial::Vector::new(*x, *y, *z)),
            numbers => {
                Err(self
                    .error(format!("expected three numbers [x, y, z], found {}", numbers.len())))
            }
        }
    }

    /// Reads a string.
    pub fn text(&self) -> Result<&'a str> {
        match &self.node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.expected("a string")),
        }
    }

    /// Reads a list of strings.
    pub fn texts(&self) -> Result<Vec<String>> {
        self.list_of("a list of strings")?
            .iter()
            .map(|item| item.text().map(str::to_string))
            .collect()
    }

    /// Reads a word that must be among `known`.
    pub fn word(&self, known: &[&'static str]) -> Result<&'static str> {
        let text = self.text()?;
        known.iter().find(|word| **word == text).copied().ok_or_else(|| {
            self.error(format!("unknown value `{}`", shortened(text)))
                .hint(suggestion(text, known.iter().copied()))
        })
    }

    /// Reads `true` or `false`.
    pub fn boolean(&self) -> Result<bool> {
        match self.node.value {
            Value::Boolean(value) => Ok(value),
            _ => Err(self.expected("true or false")),
        }
    }

    /// The item at a path such as `mass[2][0]`, or the last item on this path that exists.
    pub fn descend(&self, path: &str) -> Item<'a> {
        let mut item = self.clone();
        for step in path.split(['.', '[']) {
            let next = match &item.node.value {
                Value::Table(entries) => {
                    entries.iter().find(|entry| entry.key == step).map(|entry| &entry.node)
                }
                Value::List(list) => {
                    step.trim_end_matches(']').parse().ok().and_then(|i: usize| list.get(i))
                }
                _ => None,
            };
            match next {
                Some(node) => item.node = node,
                None => break,
            }
        }
        item.path = joined(&self.path, path);
        item
    }
}

impl<'a> Table<'a> {
    /// The value of a key, if the table has it.
    pub fn get(&self, key: &str) -> Option<Item<'a>> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(Item { path: joined(&self.item.path, key), node: &entry.node, ..self.item })
    }

    /// The value of a key that the table must have; `what` describes it.
    pub fn require(&self, key: &str, what: &str) -> Result<Item<'a>> {
        self.get(key).ok_or_else(|| self.missing(key).hint(format!("`{key}` is {what}")))
    }

    /// The single key of a shape among the words of `kinds`, and its value.
    pub fn kind<'k>(&self, kinds: &'k str) -> Result<(&'k str, Item<'a>)> {
        let given = |kind: &'k str| Some((kind, self.get(kind)?));
        let found: Vec<_> = kinds.split(' ').filter_map(given).collect();
        let count = found.len();
        <[_; 1]>::try_from(found).map(|[only]| only).map_err(|_| {
            let list = kinds.replace(' ', "`, `");
            let error = self.item.error(format!("a shape has one kind, found {count}"));
            error.hint(format!("one of `{list}`"))
        })
    }

    /// The tables of an optional array of tables.
    pub fn tables(&self, key: &str, known: &[&str]) -> Result<Vec<Table<'a>>> {
        let Some(item) = self.get(key) else { return Ok(Vec::new()) };
        item.list()?.iter().map(|item| item.table(known)).collect()
    }

    /// The error of a missing key.
    pub fn missing(&self, key: &str) -> Error {
        self.item.error(format!("the key `{key}` is missing"))
    }

    /// Refuses the keys of the table among `keys`, for the given `reason`.
    pub fn refuse(&self, keys: &[&str], reason: &str) -> Result<()> {
        match keys.iter().find_map(|key| self.get(key)) {
            Some(item) => Err(item.error(reason)),
            None => Ok(()),
        }
    }
}

/// The path of the item at `path` within `base`.
fn joined(base: &str, path: &str) -> String {
    match (base, path) {
        ("", path) => path.to_string(),
        (base, "") => base.to_string(),
        _ => format!("{base}.{path}"),
    }
}

fn place(error: Error, path: &str) -> Error {
    if path.is_empty() { error } else { error.at(path) }
}

/// Whether a name matches a pattern, in which `*` stands for any text.
pub fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((begin, rest)) => name.strip_prefix(begin).is_some_and(|name| {
            name.char_indices()
                .map(|(at, _)| at)
                .chain([name.len()])
                .any(|at| is_like(rest, &name[at..]))
        }),
    }
}
