//! Parquet files: one row per sample, `velocity` and `impulse` as lists.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::columns::{Batch, Column, ColumnShape, ColumnValues, of_samples, schema};
use super::seal;
use super::sink::Sink;
use super::staging::{failed, keep_sealed, temporary};
use crate::{ContactProblem, Result};
use bytes::Bytes;
use carom_analysis::Jacobians;
use carom_core::outcome::{Samples, Tolerance};
use carom_engine::doubt::Doubted;
use carom_report::record::{RunRecord, of_whole_file};
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::{ColumnCloseResult, get_column_writer};
use parquet::data_type::{BoolType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnDescPtr;
use rayon::prelude::*;
use serde_json::Value;
use tempfile::NamedTempFile;

const GROUP_ROWS: usize = 131_072;
/// Bytes of a row group before compression, about, at most.
const GROUP_BYTES: usize = 64 << 20;

/// Opens a Parquet file.
pub fn create(path: &Path, problem: &ContactProblem, record: &RunRecord) -> Result<Box<dyn Sink>> {
    let columns = of_samples(problem, record.precision(), record.jacobian, record.forecasts());
    let (n, k) = (problem.coordinate_count(), problem.jacobian().nrows());
    let slopes = record.jacobian.map_or(0, |wrt| n * wrt.columns(problem));
    let file = temporary(path)?;
    let table = ParquetTable::new(file, columns, group_rows(n + k + 5 + slopes), Vec::new());
    Ok(Box::new(ParquetFile {
        path: path.to_path_buf(),
        table: table.map_err(|e| failed(path, &e))?,
        meta: record.of_file(problem),
        tolerance: record.tolerance(problem),
        rows: 0,
    }))
}

/// Rows of a row group, where a row has about this many numbers.
pub fn group_rows(numbers: usize) -> usize {
    (GROUP_BYTES / (8 * numbers)).clamp(1024, GROUP_ROWS)
}

/// Columns on their way into a Parquet file.
pub struct ParquetTable<W: Write + Send + Sync> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    values: Vec<ColumnValues>,
    /// The length of each list of the columns whose lists differ in length.
    lengths: Vec<Vec<usize>>,
    rows: usize,
    group_rows: usize,
}

impl<W: Write + Send + Sync> ParquetTable<W> {
    /// A table with so many rows in a row group, and these metadata.
    pub fn new(
        file: W,
        columns: Vec<Column>,
        group_rows: usize,
        metadata: Vec<KeyValue>,
    ) -> Result<Self, ParquetError> {
        let schema = Arc::new(parse_message_type(&schema(&columns))?);
        Ok(ParquetTable {
            writer: SerializedFileWriter::new(file, schema, properties(metadata)?)?,
            values: columns.iter().map(Column::none).collect(),
            lengths: vec![Vec::new(); columns.len()],
            columns,
            rows: 0,
            group_rows,
        })
    }

    /// Takes all samples of a batch.
    pub fn push(&mut self, batch: &Batch<'_>) -> Result<(), ParquetError> {
        let (mut from, end) = (batch.rows.start, batch.rows.end);
        while from < end {
            let to = (from + self.group_rows - self.rows).min(end);
            self.take(&Batch { rows: from..to, ..batch.clone() });
            if self.rows == self.group_rows {
                self.flush()?;
            }
            from = to;
        }
        Ok(())
    }

    fn take(&mut self, batch: &Batch<'_>) {
        let rows = batch.rows.len();
        for ((column, values), lengths) in
            self.columns.iter().zip(&mut self.values).zip(&mut self.lengths)
        {
            let before = values.len();
            column.take(batch, values);
            if column.shape == ColumnShape::List {
                lengths.resize(lengths.len() + rows, (values.len() - before) / rows);
            }
        }
        self.rows += rows;
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        let ParquetTable { writer, columns, values, lengths, rows, .. } = self;
        write_group(writer, |i, to| {
            let lengths = match columns[i].shape {
                ColumnShape::One => None,
                ColumnShape::Fixed(length) => Some(vec![length; *rows]),
                ColumnShape::Table([n, p]) => Some(vec![n * p; *rows]),
                ColumnShape::List => Some(lengths[i].clone()),
            };
            let lengths = lengths.as_deref();
            match &values[i] {
                ColumnValues::Bool(values) => encode::<BoolType>(to, values, lengths),
                ColumnValues::I32(values) => encode::<Int32Type>(to, values, lengths),
                ColumnValues::I64(values) => encode::<Int64Type>(to, values, lengths),
                ColumnValues::F32(values) => encode::<FloatType>(to, values, lengths),
                ColumnValues::F64(values) => encode::<DoubleType>(to, values, lengths),
            }
        })?;
        self.values.iter_mut().for_each(ColumnValues::clear);
        self.lengths.iter_mut().for_each(Vec::clear);
        self.rows = 0;
        Ok(())
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Adds an entry to the metadata.
    pub fn note(&mut self, entry: KeyValue) {
        self.writer.append_key_value_metadata(entry);
    }

    /// Completes the file, with these metadata under the key `carom`.
    pub fn finish(mut self, about: String) -> Result<W, ParquetError> {
        self.flush()?;
        self.writer.append_key_value_metadata(KeyValue::new("carom".to_string(), about));
        self.writer.append_key_value_metadata(checksum());
        self.writer.into_inner()
    }
}

/// The properties with which files are written, with these metadata.
pub fn properties(metadata: Vec<KeyValue>) -> Result<WriterPropertiesPtr, ParquetError> {
    let properties = WriterProperties::builder()
        .set_created_by(concat!("carom ", env!("CARGO_PKG_VERSION")).to_string())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_dictionary_enabled(false)
        .set_key_value_metadata(Some(metadata));
    Ok(Arc::new(properties.build()))
}

/// The place of the checksum, which comes last among the metadata.
pub fn checksum() -> KeyValue {
    KeyValue::new(seal::KEY.to_string(), seal::blank())
}

/// A column of a row group as it lies in the file, and what the file says about it.
type Encoded = Result<(Bytes, ColumnCloseResult), ParquetError>;
type Described = (ColumnDescPtr, WriterPropertiesPtr);

/// Writes columns by number as one row group; the cores share their encoding.
pub fn write_group<W: Write + Send + Sync>(
    writer: &mut SerializedFileWriter<W>,
    encode: impl Fn(usize, Described) -> Encoded + Sync,
) -> Result<(), ParquetError> {
    let columns = writer.schema_descr().columns();
    let one = |i: usize| encode(i, (columns[i].clone(), writer.properties().clone()));
    let encoded: Vec<Encoded> = (0..columns.len()).into_par_iter().map(one).collect();
    let mut group = writer.next_row_group()?;
    for column in encoded {
        let (bytes, close) = column?;
        group.append_column(&bytes, close)?;
    }
    group.close().map(drop)
}

/// Encodes a column of a row group; `lengths` has the number of values of each row, else one.
pub fn encode<D: DataType>(
    (column, properties): Described,
    values: &[D::T],
    lengths: Option<&[usize]>,
) -> Encoded {
    let mut bytes = TrackedWrite::new(Vec::new());
    let close = {
        let pages = Box::new(SerializedPageWriter::new(&mut bytes));
        let writer = D::get_column_writer(get_column_writer(column, properties, pages));
        let other =
            || ParquetError::General("a column of another type than the schema has".to_string());
        let mut writer = writer.ok_or_else(other)?;
        match lengths {
            None => writer.write_batch(values, None, None)?,
            Some(lengths) => {
                // No list is empty or null: every value is defined (1), and the first of a row
                // starts a list (0).
                let defined = vec![1; values.len()];
                let row = |&length: &usize| (0..length).map(|i| i16::from(i > 0));
                let repeated: Vec<i16> = lengths.iter().flat_map(row).collect();
                writer.write_batch(values, Some(&defined), Some(&repeated))?
            }
        };
        writer.close()?
    };
    Ok((bytes.into_inner()?.into(), close))
}

struct ParquetFile {
    path: PathBuf,
    table: ParquetTable<NamedTempFile>,
    meta: Value,
    tolerance: Tolerance,
    rows: u64,
}

impl Sink for ParquetFile {
    fn write(&mut self, samples: &Samples, derivatives: Option<&Jacobians>) -> Result<()> {
        self.rows += samples.len() as u64;
        self.table
            .push(&Batch::of(samples, self.tolerance, derivatives))
            .map_err(|e| failed(&self.path, &e))
    }

    fn finish(self: Box<Self>, doubted: Option<&Doubted>) -> Result<()> {
        let ParquetFile { path, table, meta, rows, .. } = *self;
        let meta = of_whole_file(meta, rows, doubted);
        let file = table.finish(meta).map_err(|e| failed(&path, &e))?;
        keep_sealed(file, &path)
    }
}
