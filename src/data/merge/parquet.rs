//! Files of samples in Apache Parquet, one after the other: groups of rows are copied as they are.

use std::fs::File;
use std::path::Path;

use super::order;
use crate::parquet::{checksum, properties};
use crate::saved::foreign;
use crate::staging::{failed, keep_sealed, temporary};
use carom_core::error::{Error, Result};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, RowGroupMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use serde_json::Value;
use tempfile::NamedTempFile;

const META: &str = "carom";

/// Copies the groups of rows of all files, which have the same columns.
pub fn merge(paths: &[&Path], out: &Path) -> Result<u64> {
    let mut parts = order::read(paths, meta)?;
    let record = order::whole(&mut parts, &[])?;
    let fault = |e: ParquetError| failed(out, &e);
    let first = open(&parts[0].path)?.1;
    let schema = first.metadata().file_metadata().schema_descr().root_schema_ptr();
    let properties = properties(Vec::new()).map_err(fault)?;
    let writer = SerializedFileWriter::new(temporary(out)?, schema.clone(), properties);
    let mut writer = writer.map_err(fault)?;
    for part in &parts {
        let (file, reader) = open(&part.path)?;
        let metadata = reader.metadata();
        let rows = u64::try_from(metadata.file_metadata().num_rows()).ok();
        let same = metadata.file_metadata().schema() == &*schema;
        if !same || rows != part.record["samples"].as_u64() {
            let what = "its columns or rows are not those of its metadata";
            return Err(foreign(what).at(part.name()));
        }
        for group in metadata.row_groups() {
            copy(&mut writer, &file, group).map_err(fault)?;
        }
    }
    writer.append_key_value_metadata(KeyValue::new(META.to_string(), record.to_string()));
    writer.append_key_value_metadata(checksum());
    keep_sealed(writer.into_inner().map_err(fault)?, out)?;
    Ok(record["samples"].as_u64().unwrap_or_default())
}

fn open(path: &Path) -> Result<(File, SerializedFileReader<File>)> {
    let open = || File::open(path).map_err(|e| Error::unreadable(path, &e));
    let reader = SerializedFileReader::new(open()?);
    let reader = reader.map_err(|e| foreign(&e.to_string()).at(path.display().to_string()))?;
    Ok((open()?, reader))
}

fn meta(path: &Path) -> Result<Value> {
    let (_, reader) = open(path)?;
    let entries = reader.metadata().file_metadata().key_value_metadata();
    let found = entries.into_iter().flatten().find(|entry| entry.key == META);
    let text = found.and_then(|entry| entry.value.as_deref());
    serde_json::from_str(text.ok_or_else(|| foreign("it has no key `carom`"))?)
        .map_err(|e| foreign(&e.to_string()))
}

fn copy(
    writer: &mut SerializedFileWriter<NamedTempFile>,
    file: &File,
    group: &RowGroupMetaData,
) -> Result<(), ParquetError> {
    let negative = |_| ParquetError::General("a negative number of bytes or rows".to_string());
    let rows_written = u64::try_from(group.num_rows()).map_err(negative)?;
    let mut to = writer.next_row_group()?;
    for column in group.columns() {
        let close = ColumnCloseResult {
            bytes_written: u64::try_from(column.compressed_size()).map_err(negative)?,
            rows_written,
            metadata: column.clone(),
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        to.append_column(file, close)?;
    }
    to.close().map(drop)
}
