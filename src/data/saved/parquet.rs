//! Files of samples in Apache Parquet.

use std::fs::File;
use std::path::Path;

use super::reading::{Reading, SavedRows, foreign};
use super::{SavedSet, pages};
use crate::parquet::META;
use carom_core::error::{Error, Result};
use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};

type Read<T> = Result<T, ParquetError>;

/// An open Parquet file.
pub struct Table {
    file: File,
    reader: SerializedFileReader<File>,
}

impl Table {
    /// Reads the metadata of a file.
    pub fn open(file: File) -> Read<Self> {
        Ok(Table { reader: SerializedFileReader::new(file.try_clone()?)?, file })
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The Parquet metadata.
    pub fn metadata(&self) -> &ParquetMetaData {
        self.reader.metadata()
    }

    /// The metadata of carom, as JSON.
    pub fn about(&self) -> Option<&str> {
        let entries = self.metadata().file_metadata().key_value_metadata();
        entries.into_iter().flatten().find(|entry| entry.key == META)?.value.as_deref()
    }

    /// The values of a column in a row group, exact up to 2^53; lists are concatenated.
    pub fn numbers(&self, group: usize, column: usize) -> Read<Vec<f64>> {
        use ColumnReader as Any;
        let group = self.reader.get_row_group(group)?;
        pages::check(&self.file, group.metadata().column(column))?;
        let negative = |_| ParquetError::General("a negative number of rows".to_string());
        let rows = usize::try_from(group.metadata().num_rows()).map_err(negative)?;
        Ok(match group.get_column_reader(column)? {
            Any::Int32ColumnReader(of) => values(of, rows)?.into_iter().map(f64::from).collect(),
            Any::Int64ColumnReader(of) => values(of, rows)?.into_iter().map(|x| x as f64).collect(),
            Any::FloatColumnReader(of) => values(of, rows)?.into_iter().map(f64::from).collect(),
            Any::DoubleColumnReader(of) => values(of, rows)?,
            _ => return Err(ParquetError::General("a column of another type".to_string())),
        })
    }
}

/// Opens a file of samples.
pub fn open(path: &Path) -> Result<Table> {
    let file = File::open(path).map_err(|e| Error::unreadable(path, &e))?;
    Table::open(file).map_err(|e| foreign(&e.to_string()).at(path.display().to_string()))
}

/// The metadata of carom in a file of samples.
pub fn meta(table: &Table) -> Result<&[u8]> {
    let missing = || foreign("it has no key `carom`");
    table.about().map(str::as_bytes).ok_or_else(missing)
}

/// Reads the columns needed for queries, one row group after the other.
pub fn read(file: File) -> Result<SavedSet> {
    let broken = |e: ParquetError| foreign(&e.to_string());
    let table = Table::open(file).map_err(broken)?;
    let mut reading = Reading::new(meta(&table)?)?;
    let schema = table.metadata().file_metadata().schema_descr();
    let place = |name: &str, kinds: &[Type]| {
        let column = |column: &parquet::schema::types::ColumnDescPtr| {
            column.path().parts().first().is_some_and(|part| part == name)
                && kinds.contains(&column.physical_type())
        };
        let missing = || foreign(&format!("it has no column `{name}` of the right type"));
        schema.columns().iter().position(column).ok_or_else(missing)
    };
    let places = [
        place("sample", &[Type::INT64])?,
        place("velocity", &[Type::FLOAT, Type::DOUBLE])?,
        place("status", &[Type::INT32])?,
        place("residual", &[Type::FLOAT])?,
    ];
    for group in 0..table.metadata().num_row_groups() {
        let [sample, velocity, status, residual] =
            places.map(|place| table.numbers(group, place).map_err(broken));
        reading.add(SavedRows {
            sample: sample?.into_iter().map(|x| x as u64).collect(),
            velocity: velocity?,
            status: status?.into_iter().map(|x| x as u8).collect(),
            residual: residual?.into_iter().map(|x| x as f32).collect(),
        })?;
    }
    Ok(reading.saved)
}

fn values<D: DataType>(mut reader: ColumnReaderImpl<D>, rows: usize) -> Read<Vec<D::T>> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    // One more row than expected is requested, to prove that the column ends with its last row.
    let more = rows.saturating_add(1);
    let (read, ..) =
        reader.read_records(more, Some(&mut defined), Some(&mut repeated), &mut values)?;
    if read == rows {
        return Ok(values);
    }
    let has = if read > rows { "more".to_string() } else { format!("only {read}") };
    Err(ParquetError::General(format!("a group of {rows} rows has {has} in one of its columns")))
}
