//! Columns of samples in files: names, types, descriptions, and the sources of their values. File
//! formats, schemas and descriptions derive from the columns.

use std::ops::Range;

use carom_analysis::{Jacobians, Wrt};
use carom_core::outcome::{Mode, Samples, Tolerance};
use carom_core::problem::ContactProblem;
use carom_engine::Precision;
use schemars::JsonSchema;
use serde::Serialize;

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnNumber {
    Bool,
    U8,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// The shape of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnShape {
    One,
    /// A list of fixed length.
    Fixed(usize),
    /// A table of fixed size, stored row by row.
    Table([usize; 2]),
    /// A list of variable length.
    List,
}

/// The values of a column, in the types of file formats.
#[derive(Clone, Debug)]
pub enum ColumnValues {
    Bool(Vec<bool>),
    /// [`ColumnNumber::U8`] and [`ColumnNumber::U32`].
    I32(Vec<i32>),
    /// [`ColumnNumber::I64`] and [`ColumnNumber::U64`].
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// A batch of samples for a file.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    pub samples: &'a Samples,
    /// The range of sample rows in the batch.
    pub rows: Range<usize>,
    /// Tolerances of acceptance and of rest.
    pub tolerance: Tolerance,
    /// Derivatives of the batch's samples.
    pub derivatives: Option<&'a Jacobians>,
    /// Whole numbers shared by all rows.
    pub whole: &'a [u64],
    /// Lists of numbers shared by all rows.
    pub shared: &'a [&'a [f64]],
}

/// Appends the values of a batch to a column.
type Take = dyn Fn(&Batch<'_>, &mut ColumnValues) + Send + Sync;

/// A column.
pub struct Column {
    pub name: String,
    pub number: ColumnNumber,
    pub shape: ColumnShape,
    /// Description of the column, in one line.
    pub about: String,
    take: Box<Take>,
}

/// The columns of samples of `problem`. Forecasts have no column of contact modes.
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
    let floats = |name, number, shape, of: fn(&Samples) -> &[f64]| {
        Column::new(name, number, shape, move |batch, values| {
            values.floats(batch.part(of(batch.samples)));
        })
    };
    let mut columns = vec![
        Column::new("sample", U64, One, |batch, values| {
            values.whole(batch.rows.clone().map(|i| batch.samples.first + i as u64));
        })
        .about("number of the sample"),
        floats("velocity", float, Fixed(n), |samples| &samples.velocity)
            .about("velocity after the impact: one number for each coordinate, m/s or rad/s"),
        floats("impulse", float, Fixed(k), |samples| &samples.impulse).about(
            "impulses of the contacts, N s: first the normal ones, then the tangential ones contact by contact",
        ),
        Column::new("steps", U32, One, |batch, values| {
            values.whole(batch.part(&batch.samples.steps).iter().map(|x| u64::from(*x)));
        })
        .about("steps, segments, substeps or single impacts"),
        Column::new("status", U8, One, |batch, values| {
            let status = batch.part(&batch.samples.status).iter();
            values.whole(status.map(|status| u64::from(status.code())));
        })
        .about("how the sample ended: 0 terminated, others see `status` in dataset.json"),
        floats("residual", F32, One, |samples| &samples.residual)
            .about("largest violation of the law, dimensionless"),
        floats("kinetic_energy", float, One, |samples| &samples.kinetic_energy)
            .about("kinetic energy after the impact, J"),
        Column::new("accepted", Bool, One, |batch, values| {
            let most = batch.tolerance.residual;
            values.truths(batch.rows.clone().map(|i| batch.samples.is_accepted(i, most)));
        })
        .about("whether the sample terminated with a small residual"),
    ];
    if !forecasts {
        let mode = Column::new("mode", U8, Fixed(m), move |batch, values| {
            // States of a data set may have another number of contacts than `problem`.
            let of_all = &batch.samples.contact_velocity;
            let width = of_all.len() / batch.samples.len().max(1);
            for velocity in batch.part(of_all).chunks_exact(width.max(1)) {
                values.whole(modes(velocity, width * m / k, batch.tolerance.rest));
            }
        });
        let about = "what each contact does after the impact: 0 lift, 1 stick, 2 slide, 3 slide-";
        columns.push(mode.about(about));
    }
    if let Some(wrt) = jacobian {
        let shape = Table([n, wrt.columns(problem)]);
        let jacobian = Column::new("jacobian", F64, shape, |batch, values| {
            values.floats(batch.derivatives.map_or(&[], |found| batch.part(&found.values)));
        });
        let differentiable = Column::new("differentiable", Bool, One, |batch, values| {
            let found = batch.derivatives.map(|found| batch.part(&found.differentiable));
            values.truths(found.unwrap_or_default().iter().copied());
        });
        columns.push(jacobian.about("derivative of the velocity"));
        columns.push(differentiable.about("whether the velocity has this derivative"));
    }
    columns
}

/// Codes of the contact modes at a contact velocity `u+` of m contacts; `rest` is the speed of
/// rest.
fn modes(velocity: &[f64], m: usize, rest: f64) -> impl Iterator<Item = u64> {
    let (normal, tangent) = velocity.split_at(m);
    let d = tangent.len() / m.max(1);
    let of =
        move |i: usize| Mode::of_sample(normal[i], &tangent[i * d..(i + 1) * d], [rest; 2]) as u64;
    (0..m).map(of)
}

impl<'a> Batch<'a> {
    /// A batch of samples without derivatives or shared numbers.
    pub fn of(
        samples: &'a Samples,
        tolerance: Tolerance,
        derivatives: Option<&'a Jacobians>,
    ) -> Self {
        Batch { samples, rows: 0..samples.len(), tolerance, derivatives, whole: &[], shared: &[] }
    }

    /// The entries of `all` for the rows of the batch; `all` has equally many entries for each
    /// sample.
    fn part<'b, T>(&self, all: &'b [T]) -> &'b [T] {
        let width = all.len() / self.samples.len().max(1);
        &all[self.rows.start * width..self.rows.end * width]
    }
}

impl ColumnNumber {
    /// The names of the type: in Arrow and NumPy, in files of NumPy, and in the schema language of
    /// Parquet before and after the name of a column.
    fn names(self) -> [&'static str; 4] {
        match self {
            ColumnNumber::Bool => ["bool", "|b1", "boolean", ""],
            ColumnNumber::U8 => ["uint8", "|u1", "int32", " (INTEGER(8,false))"],
            ColumnNumber::U32 => ["uint32", "<u4", "int32", " (INTEGER(32,false))"],
            ColumnNumber::I64 => ["int64", "<i8", "int64", ""],
            ColumnNumber::U64 => ["uint64", "<u8", "int64", " (INTEGER(64,false))"],
            ColumnNumber::F32 => ["float32", "<f4", "float", ""],
            ColumnNumber::F64 => ["float64", "<f8", "double", ""],
        }
    }

    /// The name of the type in files of NumPy.
    pub fn numpy(self) -> &'static str {
        self.names()[1]
    }
}

/// Evaluates `$do` with the typed values of a column.
macro_rules! of_any {
    ($column:expr, $values:ident => $do:expr) => {
        match $column {
            ColumnValues::Bool($values) => $do,
            ColumnValues::I32($values) => $do,
            ColumnValues::I64($values) => $do,
            ColumnValues::F32($values) => $do,
            ColumnValues::F64($values) => $do,
        }
    };
}

impl ColumnValues {
    pub fn len(&self) -> usize {
        of_any!(self, values => values.len())
    }

    pub fn clear(&mut self) {
        of_any!(self, values => values.clear());
    }

    fn truths(&mut self, more: impl IntoIterator<Item = bool>) {
        if let ColumnValues::Bool(values) = self {
            values.extend(more);
        }
    }

    /// Appends whole numbers; a file stores their bits without a sign.
    pub fn whole(&mut self, more: impl IntoIterator<Item = u64>) {
        match self {
            ColumnValues::I32(values) => values.extend(more.into_iter().map(|x| x as i32)),
            ColumnValues::I64(values) => values.extend(more.into_iter().map(|x| x as i64)),
            _ => {}
        }
    }

    /// Appends numbers, rounded to the column's precision.
    pub fn floats(&mut self, more: &[f64]) {
        match self {
            ColumnValues::F32(values) => values.extend(more.iter().map(|&x| x as f32)),
            ColumnValues::F64(values) => values.extend_from_slice(more),
            _ => {}
        }
    }
}

impl Column {
    /// A column that gets its values from `take`.
    pub fn new(
        name: &str,
        number: ColumnNumber,
        shape: ColumnShape,
        take: impl Fn(&Batch<'_>, &mut ColumnValues) + Send + Sync + 'static,
    ) -> Self {
        let (name, about) = (name.to_string(), String::new());
        Column { name, number, shape, about, take: Box::new(take) }
    }

    /// A column of whole number `i` of the batch, shared by all rows.
    pub fn whole(name: &str, number: ColumnNumber, i: usize) -> Self {
        Column::new(name, number, ColumnShape::One, move |batch, values| {
            values.whole(batch.rows.clone().map(|_| batch.whole[i]));
        })
    }

    /// A column of list `i` of the batch, shared by all rows.
    pub fn shared(name: &str, shape: ColumnShape, i: usize) -> Self {
        Column::new(name, ColumnNumber::F64, shape, move |batch, values| {
            batch.rows.clone().for_each(|_| values.floats(batch.shared[i]));
        })
    }

    /// Sets the description.
    pub fn about(self, about: impl Into<String>) -> Self {
        Column { about: about.into(), ..self }
    }

    /// Empty values of the column's type.
    pub fn none(&self) -> ColumnValues {
        match self.number {
            ColumnNumber::Bool => ColumnValues::Bool(Vec::new()),
            ColumnNumber::U8 | ColumnNumber::U32 => ColumnValues::I32(Vec::new()),
            ColumnNumber::I64 | ColumnNumber::U64 => ColumnValues::I64(Vec::new()),
            ColumnNumber::F32 => ColumnValues::F32(Vec::new()),
            ColumnNumber::F64 => ColumnValues::F64(Vec::new()),
        }
    }

    /// Appends the values of a batch.
    pub fn take(&self, batch: &Batch<'_>, values: &mut ColumnValues) {
        (self.take)(batch, values);
    }

    /// The type of the column in words.
    pub fn kind(&self) -> String {
        let [number, ..] = self.number.names();
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
        let (name, about, [kind, ..]) =
            (self.name.clone(), self.about.clone(), self.number.names());
        ColumnRow { name, kind, length, shape, about }
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

/// The Parquet schema of some columns.
pub fn schema(columns: &[Column]) -> String {
    let field = |column: &Column| {
        let (name, [_, _, number, logical]) = (&column.name, column.number.names());
        match column.shape {
            ColumnShape::One => format!("required {number} {name}{logical};"),
            _ => format!(
                "required group {name} (LIST) {{ repeated group list {{ required {number} element{logical}; }} }}"
            ),
        }
    };
    format!("message carom {{ {} }}", columns.iter().map(field).collect::<String>())
}
