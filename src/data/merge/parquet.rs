//! Concatenation of Parquet files of samples: row groups are copied without decoding.

use std::fs::File;
use std::path::Path;

use super::order::Part;
use crate::parquet::{closed, writer};
use crate::saved::foreign;
use crate::saved::parquet::open;
use crate::staging::{failed, temporary};
use carom_core::error::Result;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::writer::SerializedFileWriter;
use serde_json::Value;
use tempfile::NamedTempFile;

/// Copies the row groups of all parts; the parts must have equal columns.
pub fn merge(parts: &[Part], record: &Value, out: &Path) -> Result<NamedTempFile> {
    let fault = |e: ParquetError| failed(out, &e);
    let first = open(&parts[0].path)?;
    let schema = first.metadata().file_metadata().schema_descr().root_schema_ptr();
    let mut writer = writer(temporary(out)?, schema.clone()).map_err(fault)?;
    for part in parts {
        let table = open(&part.path)?;
        let metadata = table.metadata().file_metadata();
        let rows = u64::try_from(metadata.num_rows()).ok();
        if metadata.schema() != &*schema || rows != part.record["samples"].as_u64() {
            let what = "its columns or rows are not those of its metadata";
            return Err(foreign(what).at(part.name()));
        }
        for group in table.metadata().row_groups() {
            copy(&mut writer, table.file(), group).map_err(fault)?;
        }
    }
    closed(writer, record.to_string()).map_err(fault)
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
