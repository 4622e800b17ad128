//! Files of samples in Apache Parquet.

use std::fs::File;
use std::path::Path;

use super::reading::{Reading, SavedRows, foreign};
use super::{SavedSet, pages};
use carom_core::error::{Error, Result};
use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

type Read<T> = Result<T, ParquetError>;

/// Reads the columns that queries need, one group of rows after the other.
pub fn read(path: &Path) -> Result<SavedSet> {
    let unreadable = |e: std::io::Error| Error::input(e.to_string());
    let file = File::open(path).map_err(unreadable)?;
    let broken = |e: ParquetError| foreign(&e.to_string());
    let reader = SerializedFileReader::new(file.try_clone().map_err(unreadable)?);
    let reader = reader.map_err(broken)?;
    let metadata = reader.metadata().file_metadata();
    let mut entries = metadata.key_value_metadata().into_iter().flatten();
    let meta = entries.find(|entry| entry.key == "carom").and_then(|entry| entry.value.as_ref());
    let missing = || foreign("it has no key `carom`");
    let mut reading = Reading::new(meta.ok_or_else(missing)?.as_bytes())?;
    let schema = metadata.schema_descr();
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
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(broken)?;
        let [sample, velocity, status, residual] =
            places.map(|place| numbers(&file, group.as_ref(), place));
        let rows = SavedRows {
            sample: sample.map_err(broken)?.into_iter().map(|x| x as u64).collect(),
            velocity: velocity.map_err(broken)?,
            status: status.map_err(broken)?.into_iter().map(|x| x as u8).collect(),
            residual: residual.map_err(broken)?.into_iter().map(|x| x as f32).collect(),
        };
        reading.add(rows)?;
    }
    Ok(reading.saved)
}

/// The numbers of a column of a `file`, lists one after the other, exact up to 2^53.
pub fn numbers(file: &File, group: &dyn RowGroupReader, column: usize) -> Read<Vec<f64>> {
    use ColumnReader as Any;
    pages::check(file, group.metadata().column(column))?;
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

fn values<D: DataType>(mut reader: ColumnReaderImpl<D>, rows: usize) -> Read<Vec<D::T>> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    let mut read = 0;
    // One more row than there should be: the column must end with its last one.
    while read <= rows {
        let more = (rows - read).saturating_add(1);
        let (records, ..) =
            reader.read_records(more, Some(&mut defined), Some(&mut repeated), &mut values)?;
        if records == 0 {
            break;
        }
        read += records;
    }
    if read == rows {
        return Ok(values);
    }
    let has = if read > rows { "more".to_string() } else { format!("only {read}") };
    Err(ParquetError::General(format!("a group of {rows} rows has {has} in one of its columns")))
}
