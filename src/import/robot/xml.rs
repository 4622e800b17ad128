//! XML as a tree of elements with their positions in the files.

use std::ops::Range;
use std::rc::Rc;

use carom_core::error::{Error, Result};
use carom_mechanics::model::spatial::Vector;
use carom_scene::fields::suggestion;

/// The deepest nesting of elements; the parser recurses.
const DEEPEST: usize = 200;

/// A file: its name and its text.
#[derive(Debug)]
struct Source {
    name: String,
    text: String,
    /// Whether errors quote lines of the file. An included file may be any file readable by this
    /// process, even one that the author of the including file cannot read.
    quoted: bool,
}

impl Source {
    /// The error with its place: the bytes; for files that are not quoted, line and column.
    fn locate(&self, error: Error, range: Range<usize>) -> Error {
        if self.quoted {
            return error.in_text(&self.name, &self.text, range);
        }
        let before = &self.text[..range.start];
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let place = format!("line {}, column {column}", before.matches('\n').count() + 1);
        let place = error.at.as_ref().map_or(place.clone(), |at| format!("{place}: {at}"));
        error.at(place).in_text(&self.name, "", 0..0)
    }
}

/// The place of an element, and its name in errors.
#[derive(Clone, Debug)]
pub(super) struct Place {
    source: Rc<Source>,
    range: Range<usize>,
    called: Rc<str>,
}

impl Place {
    pub fn error(&self, what: impl Into<String>) -> Error {
        self.locate(Error::input(what))
    }

    /// Adds this place to an error.
    pub fn locate(&self, error: Error) -> Error {
        let place = match &error.at {
            Some(at) => format!("{}: {at}", self.called),
            None => self.called.to_string(),
        };
        self.source.locate(error.at(place), self.range.clone())
    }
}

#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub name: String,
    pub value: String,
    pub place: Place,
}

impl Attribute {
    pub fn error(&self, what: impl std::fmt::Display) -> Error {
        self.place.error(format!("`{}`: {what}", self.name))
    }

    /// Finite numbers, separated by white space.
    pub fn numbers(&self) -> Result<Vec<f64>> {
        let number = |word: &str| {
            let number = word.parse().ok().filter(|x: &f64| x.is_finite());
            number.ok_or_else(|| self.error(format!("expected a finite number, found `{word}`")))
        };
        self.value.split_whitespace().map(number).collect()
    }

    pub fn array<const N: usize>(&self) -> Result<[f64; N]> {
        let numbers = self.numbers()?;
        let count = numbers.len();
        numbers.try_into().map_err(|_| {
            self.error(format!(
                "expected {N} number{}, found {count}",
                if N == 1 { "" } else { "s" }
            ))
        })
    }

    pub fn number(&self) -> Result<f64> {
        Ok(self.array::<1>()?[0])
    }

    pub fn vector(&self) -> Result<Vector> {
        Ok(self.array::<3>()?.into())
    }

    pub fn direction(&self) -> Result<Vector> {
        let vector = self.vector()?;
        let size = vector.amax();
        if size == 0.0 {
            return Err(self.error("a direction has a length > 0"));
        }
        Ok((vector / size).normalize())
    }

    pub fn integer(&self) -> Result<i64> {
        let found = self.value.trim();
        found.parse().map_err(|_| self.error(format!("expected a whole number, found `{found}`")))
    }

    pub fn word<'a>(&self, words: &[&'a str]) -> Result<&'a str> {
        let found = self.value.trim();
        words.iter().copied().find(|word| *word == found).ok_or_else(|| {
            self.error(format!("expected one of {}, found `{found}`", words.join(", ")))
        })
    }

    pub fn flag(&self) -> Result<bool> {
        Ok(self.word(&["true", "false"])? == "true")
    }
}

/// An element with its attributes, its children in order, and its text.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub name: String,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
    pub content: String,
    pub place: Place,
}

impl Element {
    /// The root element of a file; `quoted`: whether errors quote its lines.
    pub fn parse(name: &str, text: String, quoted: bool) -> Result<Element> {
        let source = Rc::new(Source { name: name.to_string(), text, quoted });
        let error = |what: String, at: usize| {
            let end = source.text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
            source.locate(Error::input(what), at..end)
        };
        if let Some(at) = too_deep(&source.text) {
            return Err(error(format!("elements are nested deeper than {DEEPEST} levels"), at));
        }
        let document = roxmltree::Document::parse(&source.text).map_err(|fault| {
            // The parser's message may contain names from the text.
            let more = if quoted { format!(": {fault}") } else { String::new() };
            error(format!("this is no XML{more}"), offset(&source.text, fault.pos()))
        })?;
        Ok(element(document.root_element(), &source))
    }

    pub fn error(&self, what: impl Into<String>) -> Error {
        self.place.error(what)
    }

    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).map(|attribute| attribute.value.as_str())
    }

    /// The value of an element: its attribute `value`, otherwise its text.
    pub fn value(&self) -> Attribute {
        let content = || Attribute {
            name: self.name.clone(),
            value: self.content.trim().to_string(),
            place: self.place.clone(),
        };
        self.get("value").cloned().unwrap_or_else(content)
    }

    pub fn require(&self, name: &str) -> Result<&Attribute> {
        self.get(name).ok_or_else(|| self.error(format!("the attribute `{name}` is missing")))
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> + 'a {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The only child of this name, if any.
    pub fn one(&self, name: &'static str) -> Result<Option<&Element>> {
        let mut all = self.all(name);
        match (all.next(), all.next()) {
            (_, Some(second)) => {
                Err(second.error(format!("a second <{name}> in {}", self.place.called)))
            }
            (first, None) => Ok(first),
        }
    }

    /// Refuses attributes that are not in `known`.
    pub fn check(&self, known: &str) -> Result<()> {
        let is_known = |attribute: &&Attribute| known.split(' ').any(|word| word == attribute.name);
        match self.attributes.iter().find(|attribute| !is_known(attribute)) {
            None => Ok(()),
            Some(unknown) => Err(unknown
                .place
                .error(format!(
                    "<{}> with the attribute `{}` is not supported",
                    self.name, unknown.name
                ))
                .hint(suggestion(&unknown.name, known.split(' ')))),
        }
    }
}

/// The offset of a line and a column, both from 1.
fn offset(text: &str, at: roxmltree::TextPos) -> usize {
    let line =
        text.split_inclusive('\n').take(at.row.max(1) as usize - 1).map(str::len).sum::<usize>();
    let column =
        text[line..].chars().take(at.col.max(1) as usize - 1).map(char::len_utf8).sum::<usize>();
    line + column
}

fn element(node: roxmltree::Node<'_, '_>, source: &Rc<Source>) -> Element {
    let name = node.tag_name().name().to_string();
    let called: Rc<str> = match node.attribute("name") {
        Some(own) => format!("{name} `{own}`").into(),
        None => format!("<{name}>").into(),
    };
    let place = |range| Place { source: Rc::clone(source), range, called: Rc::clone(&called) };
    let start = node.range().start;
    let tag = &source.text[start..];
    let length =
        tag.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).unwrap_or(tag.len());
    let attributes = node.attributes().map(|attribute| Attribute {
        name: attribute.name().to_string(),
        value: attribute.value().to_string(),
        place: place(attribute.range()),
    });
    Element {
        attributes: attributes.collect(),
        children: node.children().filter(|c| c.is_element()).map(|c| element(c, source)).collect(),
        content: node.text().unwrap_or_default().to_string(),
        place: place(start..start + length),
        name,
    }
}

/// The first position at which elements nest deeper than [`DEEPEST`].
fn too_deep(text: &str) -> Option<usize> {
    let mut depth: usize = 0;
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[start..];
        let skip = |end: &str| rest.find(end).map_or(rest.len(), |found| found + end.len());
        at = start
            + if rest.starts_with("<!--") {
                skip("-->")
            } else if rest.starts_with("<![CDATA[") {
                skip("]]>")
            } else if rest.starts_with("<?") {
                skip("?>")
            } else if rest.starts_with("</") {
                depth = depth.saturating_sub(1);
                2
            } else {
                let length = tag(rest);
                depth += usize::from(!rest[..length].ends_with("/>"));
                length
            };
        if depth > DEEPEST {
            return Some(start);
        }
    }
    None
}

/// The length of a start tag; quoted values may contain a `>`.
fn tag(text: &str) -> usize {
    let mut quote = None;
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return i + 1,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            _ => {}
        }
    }
    text.len()
}
