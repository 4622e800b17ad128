//! The columns of a data set, from which its schemas and its description follow.

use serde_json::{Value, json};

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnNumber {
    U8,
    U32,
    U64,
    F32,
    F64,
}

/// The shape of a row: how many numbers it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnShape {
    One,
    /// A list of the same length in every row.
    Fixed(usize),
    /// A list whose length may differ from row to row.
    List,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub number: ColumnNumber,
    pub shape: ColumnShape,
    pub about: String,
}

impl ColumnNumber {
    /// The name of the type in Arrow and NumPy.
    pub fn name(self) -> &'static str {
        match self {
            ColumnNumber::U8 => "uint8",
            ColumnNumber::U32 => "uint32",
            ColumnNumber::U64 => "uint64",
            ColumnNumber::F32 => "float32",
            ColumnNumber::F64 => "float64",
        }
    }

    /// The name of the type in the language of Parquet's schemas, before and after the name of a
    /// column.
    fn parquet(self) -> (&'static str, &'static str) {
        match self {
            ColumnNumber::U8 => ("int32", " (INTEGER(8,false))"),
            ColumnNumber::U32 => ("int32", " (INTEGER(32,false))"),
            ColumnNumber::U64 => ("int64", " (INTEGER(64,false))"),
            ColumnNumber::F32 => ("float", ""),
            ColumnNumber::F64 => ("double", ""),
        }
    }
}

impl Column {
    /// A column.
    pub fn new(
        name: &str,
        number: ColumnNumber,
        shape: ColumnShape,
        about: impl Into<String>,
    ) -> Self {
        Column { name: name.to_string(), number, shape, about: about.into() }
    }

    /// The type of the column in words.
    pub fn kind(&self) -> String {
        let number = self.number.name();
        match self.shape {
            ColumnShape::One => number.to_string(),
            ColumnShape::Fixed(length) => format!("{number}, list of {length}"),
            ColumnShape::List => format!("{number}, list"),
        }
    }

    /// The entry of the column in `dataset.json`: `length` is that of its lists, `null` where it
    /// differs from row to row.
    pub fn json(&self) -> Value {
        let (name, kind, about) = (&self.name, self.number.name(), &self.about);
        match self.shape {
            ColumnShape::One => json!({ "name": name, "type": kind, "about": about }),
            ColumnShape::Fixed(length) => {
                json!({ "name": name, "type": kind, "length": length, "about": about })
            }
            ColumnShape::List => {
                json!({ "name": name, "type": kind, "length": null, "about": about })
            }
        }
    }
}

/// The Parquet schema of these columns.
pub fn schema(columns: &[Column]) -> String {
    let field = |column: &Column| {
        let (name, (number, logical)) = (&column.name, column.number.parquet());
        match column.shape {
            ColumnShape::One => format!("required {number} {name}{logical};"),
            _ => format!(
                "required group {name} (LIST) {{ repeated group list {{ required {number} element{logical}; }} }}"
            ),
        }
    };
    format!("message carom {{ {} }}", columns.iter().map(field).collect::<String>())
}
