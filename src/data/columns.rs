//! The columns of samples in files: names, types, meanings, and where their numbers come from. The
//! formats, their schemas and descriptions follow.

use std::fmt;
use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use carom_analysis::{Jacobians, Wrt};
use carom_core::outcome::{Mode, Samples, Tolerance};
use carom_core::problem::ContactProblem;
use carom_engine::Precision;

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnNumber {
    /// True or false.
    Bool,
    /// An unsigned number of 8 bits.
    U8,
    /// An unsigned number of 32 bits.
    U32,
    /// A signed number of 64 bits.
    I64,
    /// An unsigned number of 64 bits.
    U64,
    /// A number in single precision.
    F32,
    /// A number in double precision.
    F64,
}

/// The shape of a row: how many numbers it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnShape {
    /// One number.
    One,
    /// A list of the same length in every row.
    Fixed(usize),
    /// A table of the same size in every row, a list row by row.
    Table([usize; 2]),
    /// A list whose length may differ from row to row.
    List,
}

/// The numbers of a column, in the types that files have.
#[derive(Clone, Debug)]
pub enum ColumnValues {
    /// True or false.
    Bool(Vec<bool>),
    /// [`ColumnNumber::U8`] and [`ColumnNumber::U32`].
    I32(Vec<i32>),
    /// [`ColumnNumber::I64`] and [`ColumnNumber::U64`].
    I64(Vec<i64>),
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
}

/// Some samples on their way into a file.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    /// The samples.
    pub samples: &'a Samples,
    /// Which of them.
    pub rows: Range<usize>,
    /// What counts as accepted and as at rest.
    pub tolerance: Tolerance,
    /// The derivatives of these samples.
    pub derivatives: Option<&'a Jacobians>,
    /// Whole numbers that all of them share.
    pub whole: &'a [u64],
    /// Lists of numbers that all of them share.
    pub shared: &'a [&'a [f64]],
}

/// What adds the numbers of a batch to those of a column.
type Take = dyn Fn(&Batch<'_>, &mut ColumnValues) + Send + Sync;

/// A column.
pub struct Column {
    /// The name of the column.
    pub name: String,
    /// The type of its numbers.
    pub number: ColumnNumber,
    /// How many numbers a row has.
    pub shape: ColumnShape,
    /// What the column holds, in one line.
    pub about: String,
    take: Box<Take>,
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.kind())
    }
}

/// The columns of samples of `problem`, with derivatives if there are any. The contact velocities
/// of forecasts tell no modes.
pub fn of_samples(
    problem: &ContactProblem,
    precision: Precision,
    jacobian: Option<Wrt>,
    forecasts: bool,
) -> Vec<Column> {
    use ColumnNumber::{Bool, F32, F64, U8, U32, U64};
    use ColumnShape::{Fixed, One, Table};
    let (n, k) = (problem.coordinate_count(), problem.jacobian().nrows());
    let m = problem.contact_count();
    let float = if precision == Precision::F32 { F32 } else { F64 };
    let mut columns = vec![
        Column::new("sample", U64, One, "number of the sample", |batch, values| {
            values.whole(batch.rows.clone().map(|i| batch.samples.first + i as u64));
        }),
        Column::new(
            "velocity",
            float,
            Fixed(n),
            "velocity after the impact: one number for each coordinate, m/s or rad/s",
            |batch, values| values.floats(batch.part(&batch.samples.velocity)),
        ),
        Column::new(
            "impulse",
            float,
            Fixed(k),
            "impulses of the contacts, N s: first the normal ones, then the tangential ones contact by contact",
            |batch, values| values.floats(batch.part(&batch.samples.impulse)),
        ),
        Column::new(
            "steps",
            U32,
            One,
            "steps, segments, substeps or single impacts",
            |batch, values| {
                values.whole(batch.part(&batch.samples.steps).iter().map(|x| u64::from(*x)));
            },
        ),
        Column::new(
            "status",
            U8,
            One,
            "how the sample ended: 0 terminated, others see `status` in dataset.json",
            |batch, values| {
                let status = batch.part(&batch.samples.status).iter();
                values.whole(status.map(|status| u64::from(status.code())));
            },
        ),
        Column::new(
            "residual",
            F32,
            One,
            "largest violation of the law, dimensionless",
            |batch, values| values.floats(batch.part(&batch.samples.residual)),
        ),
        Column::new(
            "kinetic_energy",
            float,
            One,
            "kinetic energy after the impact, J",
            |batch, values| values.floats(batch.part(&batch.samples.kinetic_energy)),
        ),
        Column::new(
            "accepted",
            Bool,
            One,
            "whether the sample terminated with a small residual",
            |batch, values| {
                let most = batch.tolerance.residual;
                values.truths(batch.rows.clone().map(|i| batch.samples.is_accepted(i, most)));
            },
        ),
    ];
    if !forecasts {
        columns.push(Column::new(
            "mode",
            U8,
            Fixed(m),
            "what each contact does after the impact: 0 lift, 1 stick, 2 slide, 3 slide-",
            move |batch, values| {
                // States of a data set may have more contacts or fewer than `problem`.
                let of_all = &batch.samples.contact_velocity;
                let width = of_all.len() / batch.samples.len().max(1);
                for velocity in batch.part(of_all).chunks_exact(width.max(1)) {
                    values.whole(modes(velocity, width * m / k, batch.tolerance.rest));
                }
            },
        ));
    }
    if let Some(wrt) = jacobian {
        columns.push(Column::new(
            "jacobian",
            F64,
            Table([n, wrt.columns(problem)]),
            "derivative of the velocity",
            |batch, values| {
                let found = batch.derivatives.map_or(&[][..], |found| batch.part(&found.values));
                values.floats(found);
            },
        ));
        columns.push(Column::new(
            "differentiable",
            Bool,
            One,
            "whether the velocity has this derivative",
            |batch, values| {
                let found = batch.derivatives.map(|found| batch.part(&found.differentiable));
                values.truths(found.unwrap_or_default().iter().copied());
            },
        ));
    }
    columns
}

/// The codes of what m contacts do at a contact velocity `u+`, by a velocity that counts as none.
fn modes(velocity: &[f64], m: usize, rest: f64) -> impl Iterator<Item = u64> {
    let (normal, tangent) = velocity.split_at(m);
    let d = tangent.len() / m.max(1);
    let of =
        move |i: usize| Mode::of_sample(normal[i], &tangent[i * d..(i + 1) * d], [rest; 2]) as u64;
    (0..m).map(of)
}

impl<'a> Batch<'a> {
    /// Samples without anything else.
    pub fn of(
        samples: &'a Samples,
        tolerance: Tolerance,
        derivatives: Option<&'a Jacobians>,
    ) -> Self {
        Batch { samples, rows: 0..samples.len(), tolerance, derivatives, whole: &[], shared: &[] }
    }

    /// The part of `all`, which has as many entries for each sample, that belongs to the rows.
    fn part<'b, T>(&self, all: &'b [T]) -> &'b [T] {
        let width = all.len() / self.samples.len().max(1);
        &all[self.rows.start * width..self.rows.end * width]
    }
}

impl ColumnNumber {
    /// The name of the type in Arrow and NumPy.
    pub fn name(self) -> &'static str {
        match self {
            ColumnNumber::Bool => "bool",
            ColumnNumber::U8 => "uint8",
            ColumnNumber::U32 => "uint32",
            ColumnNumber::I64 => "int64",
            ColumnNumber::U64 => "uint64",
            ColumnNumber::F32 => "float32",
            ColumnNumber::F64 => "float64",
        }
    }

    /// The name of the type in files of NumPy.
    pub fn numpy(self) -> &'static str {
        match self {
            ColumnNumber::Bool => "|b1",
            ColumnNumber::U8 => "|u1",
            ColumnNumber::U32 => "<u4",
            ColumnNumber::I64 => "<i8",
            ColumnNumber::U64 => "<u8",
            ColumnNumber::F32 => "<f4",
            ColumnNumber::F64 => "<f8",
        }
    }

    /// No numbers yet.
    fn none(self) -> ColumnValues {
        match self {
            ColumnNumber::Bool => ColumnValues::Bool(Vec::new()),
            ColumnNumber::U8 | ColumnNumber::U32 => ColumnValues::I32(Vec::new()),
            ColumnNumber::I64 | ColumnNumber::U64 => ColumnValues::I64(Vec::new()),
            ColumnNumber::F32 => ColumnValues::F32(Vec::new()),
            ColumnNumber::F64 => ColumnValues::F64(Vec::new()),
        }
    }

    /// The name of the type in the language of Parquet's schemas, before and after the name of a
    /// column.
    fn parquet(self) -> (&'static str, &'static str) {
        match self {
            ColumnNumber::Bool => ("boolean", ""),
            ColumnNumber::U8 => ("int32", " (INTEGER(8,false))"),
            ColumnNumber::U32 => ("int32", " (INTEGER(32,false))"),
            ColumnNumber::I64 => ("int64", ""),
            ColumnNumber::U64 => ("int64", " (INTEGER(64,false))"),
            ColumnNumber::F32 => ("float", ""),
            ColumnNumber::F64 => ("double", ""),
        }
    }
}

impl ColumnValues {
    /// Number of numbers.
    pub(crate) fn len(&self) -> usize {
        match self {
            ColumnValues::Bool(values) => values.len(),
            ColumnValues::I32(values) => values.len(),
            ColumnValues::I64(values) => values.len(),
            ColumnValues::F32(values) => values.len(),
            ColumnValues::F64(values) => values.len(),
        }
    }

    /// Forgets all numbers.
    pub fn clear(&mut self) {
        match self {
            ColumnValues::Bool(values) => values.clear(),
            ColumnValues::I32(values) => values.clear(),
            ColumnValues::I64(values) => values.clear(),
            ColumnValues::F32(values) => values.clear(),
            ColumnValues::F64(values) => values.clear(),
        }
    }

    /// Takes truths.
    fn truths(&mut self, more: impl IntoIterator<Item = bool>) {
        if let ColumnValues::Bool(values) = self {
            values.extend(more);
        }
    }

    /// Takes whole numbers; a file has their bits without a sign.
    pub fn whole(&mut self, more: impl IntoIterator<Item = u64>) {
        match self {
            ColumnValues::I32(values) => values.extend(more.into_iter().map(|x| x as i32)),
            ColumnValues::I64(values) => values.extend(more.into_iter().map(|x| x as i64)),
            _ => {}
        }
    }

    /// Takes numbers, which are rounded to the column's precision.
    pub fn floats(&mut self, more: &[f64]) {
        match self {
            ColumnValues::F32(values) => values.extend(more.iter().map(|&x| x as f32)),
            ColumnValues::F64(values) => values.extend_from_slice(more),
            _ => {}
        }
    }
}

impl Column {
    /// A column, whose numbers `take` adds.
    pub fn new(
        name: &str,
        number: ColumnNumber,
        shape: ColumnShape,
        about: impl Into<String>,
        take: impl Fn(&Batch<'_>, &mut ColumnValues) + Send + Sync + 'static,
    ) -> Self {
        Column { name: name.to_string(), number, shape, about: about.into(), take: Box::new(take) }
    }

    /// No numbers of the column yet.
    pub fn none(&self) -> ColumnValues {
        self.number.none()
    }

    /// Adds the numbers of a batch.
    pub fn take(&self, batch: &Batch<'_>, values: &mut ColumnValues) {
        (self.take)(batch, values);
    }

    /// The type of the column in words.
    pub fn kind(&self) -> String {
        let number = self.number.name();
        match self.shape {
            ColumnShape::One => number.to_string(),
            ColumnShape::Fixed(length) => format!("{number}, list of {length}"),
            ColumnShape::Table([rows, columns]) => format!("{number}, {rows} x {columns}"),
            ColumnShape::List => format!("{number}, list"),
        }
    }

    /// The entry of the column in `dataset.json`.
    pub fn row(&self) -> ColumnRow {
        let (length, shape) = match self.shape {
            ColumnShape::One => (None, None),
            ColumnShape::Fixed(length) => (Some(Some(length)), None),
            ColumnShape::Table(shape) => (None, Some(shape)),
            ColumnShape::List => (Some(None), None),
        };
        let (name, about) = (self.name.clone(), self.about.clone());
        ColumnRow { name, kind: self.number.name(), length, shape, about }
    }
}

/// The entry of a column in `dataset.json`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Column")]
pub struct ColumnRow {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    /// The length of its lists; null where it differs from row to row.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<Option<usize>>,
    /// Rows and columns of its tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<[usize; 2]>,
    about: String,
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
