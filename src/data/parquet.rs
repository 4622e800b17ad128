//! Parquet files: one row per sample, `velocity` and `impulse` as lists.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::columns::{Batch, Column, ColumnShape, ColumnValues, schema};
use super::sink::{Fault, Table};
use super::staging::{failed, temporary};
use crate::{Result, seal};
use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::{ColumnCloseResult, get_column_writer};
use parquet::data_type::{BoolType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnDescPtr, TypePtr};
use rayon::prelude::*;
use tempfile::NamedTempFile;

/// The key of the metadata of carom.
pub const META: &str = "carom";
/// Most rows of a row group.
pub const GROUP_ROWS: usize = 131_072;
/// Approximate limit on the bytes of a row group before compression.
const GROUP_BYTES: usize = 64 << 20;

/// Number of rows in a row group, for rows of about `numbers` numbers.
pub fn group_rows(numbers: usize) -> usize {
    (GROUP_BYTES / (8 * numbers)).clamp(1024, GROUP_ROWS)
}

/// Writer of columns into a Parquet file.
pub struct ParquetTable<W: Write + Send + Sync> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    /// The buffered values of the current row group, column by column.
    values: Vec<ColumnValues>,
    /// The repetition levels of columns of lists: 0 where a list begins.
    repeated: Vec<Vec<i16>>,
    rows: usize,
    group_rows: usize,
}

impl ParquetTable<NamedTempFile> {
    /// A table in a temporary file next to `path`.
    pub fn create(path: &Path, columns: Vec<Column>, group_rows: usize) -> Result<Self> {
        Self::new(temporary(path)?, columns, group_rows).map_err(|e| failed(path, &e))
    }
}

impl Table for ParquetTable<NamedTempFile> {
    fn push(&mut self, batch: &Batch<'_>) -> Result<(), Fault> {
        Ok(self.take(batch)?)
    }

    fn finish(self: Box<Self>, about: String) -> Result<NamedTempFile, Fault> {
        Ok(self.close(about)?)
    }
}

impl<W: Write + Send + Sync> ParquetTable<W> {
    /// A table with `group_rows` rows in a row group.
    pub fn new(file: W, columns: Vec<Column>, group_rows: usize) -> Result<Self, ParquetError> {
        Ok(ParquetTable {
            writer: writer(file, Arc::new(parse_message_type(&schema(&columns))?))?,
            values: columns.iter().map(Column::none).collect(),
            repeated: vec![Vec::new(); columns.len()],
            columns,
            rows: 0,
            group_rows,
        })
    }

    /// Appends all rows of a batch.
    pub fn take(&mut self, batch: &Batch<'_>) -> Result<(), ParquetError> {
        let (mut from, end) = (batch.rows.start, batch.rows.end);
        while from < end {
            let to = (from + self.group_rows - self.rows).min(end);
            self.take_within(&Batch { rows: from..to, ..batch.clone() });
            if self.rows == self.group_rows {
                self.flush()?;
            }
            from = to;
        }
        Ok(())
    }

    /// Appends rows within one row group.
    fn take_within(&mut self, batch: &Batch<'_>) {
        let rows = batch.rows.len();
        let columns = self.columns.iter().zip(&mut self.values).zip(&mut self.repeated);
        for ((column, values), repeated) in columns {
            let before = values.len();
            column.take(batch, values);
            if column.shape != ColumnShape::One {
                let length = (values.len() - before) / rows;
                repeated.extend((0..rows * length).map(|i| i16::from(i % length > 0)));
            }
        }
        self.rows += rows;
    }

    /// Writes the buffered rows as a row group; columns are encoded in parallel.
    fn flush(&mut self) -> Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        let ParquetTable { writer, columns, values, repeated, .. } = self;
        let described = writer.schema_descr().columns();
        let encode = |i: usize| {
            let to = (described[i].clone(), writer.properties().clone());
            let repeated = (columns[i].shape != ColumnShape::One).then_some(&repeated[i][..]);
            match &values[i] {
                ColumnValues::Bool(values) => encode::<BoolType>(to, values, repeated),
                ColumnValues::I32(values) => encode::<Int32Type>(to, values, repeated),
                ColumnValues::I64(values) => encode::<Int64Type>(to, values, repeated),
                ColumnValues::F32(values) => encode::<FloatType>(to, values, repeated),
                ColumnValues::F64(values) => encode::<DoubleType>(to, values, repeated),
            }
        };
        let encoded: Vec<Encoded> = (0..columns.len()).into_par_iter().map(encode).collect();
        let mut group = writer.next_row_group()?;
        for column in encoded {
            let (bytes, close) = column?;
            group.append_column(&bytes, close)?;
        }
        group.close()?;
        self.values.iter_mut().for_each(ColumnValues::clear);
        self.repeated.iter_mut().for_each(Vec::clear);
        self.rows = 0;
        Ok(())
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Adds an entry to the metadata.
    pub fn note(&mut self, key: &str, value: String) {
        self.writer.append_key_value_metadata(KeyValue::new(key.to_string(), value));
    }

    /// Completes the file with metadata of carom.
    pub fn close(mut self, about: String) -> Result<W, ParquetError> {
        self.flush()?;
        closed(self.writer, about)
    }
}

/// A file with a schema and without rows.
pub fn writer<W: Write + Send>(
    file: W,
    schema: TypePtr,
) -> Result<SerializedFileWriter<W>, ParquetError> {
    let properties = WriterProperties::builder()
        .set_created_by(concat!("carom ", env!("CARGO_PKG_VERSION")).to_string())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_dictionary_enabled(false);
    SerializedFileWriter::new(file, schema, Arc::new(properties.build()))
}

/// Completes a file with metadata of carom and, as the last entry, a blank checksum.
pub fn closed<W: Write + Send>(
    mut writer: SerializedFileWriter<W>,
    about: String,
) -> Result<W, ParquetError> {
    for (key, value) in [(META, about), (seal::KEY, seal::blank())] {
        writer.append_key_value_metadata(KeyValue::new(key.to_string(), value));
    }
    writer.into_inner()
}

/// An encoded column of a row group: its bytes, and its Parquet metadata.
type Encoded = Result<(Bytes, ColumnCloseResult), ParquetError>;

/// Encodes a column of a row group; repetition levels make it a column of lists.
fn encode<D: DataType>(
    (column, properties): (ColumnDescPtr, WriterPropertiesPtr),
    values: &[D::T],
    repeated: Option<&[i16]>,
) -> Encoded {
    let mut bytes = TrackedWrite::new(Vec::new());
    let pages = Box::new(SerializedPageWriter::new(&mut bytes));
    let writer = D::get_column_writer(get_column_writer(column, properties, pages));
    let other = || ParquetError::General("a column of another type than the schema has".into());
    let mut writer = writer.ok_or_else(other)?;
    // No list is empty or null: every value is defined.
    let defined = repeated.map(|levels| vec![1; levels.len()]);
    writer.write_batch(values, defined.as_deref(), repeated)?;
    let close = writer.close()?;
    Ok((bytes.into_inner()?.into(), close))
}
