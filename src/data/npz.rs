//! npz files: one array per column, `meta` as JSON bytes.

use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use super::columns::{Batch, Column, ColumnNumber, ColumnShape, ColumnValues};
use super::sink::{Fault, Table};
use super::staging::{directory, failed, target, temporary};
use crate::{Result, seal};
use carom_scene::archive as npz;
use tempfile::NamedTempFile;
use zip::ZipWriter;

/// The array of the metadata.
pub const META: &str = "meta";

/// Arrays of an unfinished npz file. An archive stores one array after the other, so each array
/// first goes into its own unnamed temporary file: memory stays bounded, and unfinished arrays
/// leave no file behind.
pub struct NpzArrays {
    path: PathBuf,
    archive: NamedTempFile,
    pub arrays: Vec<NpzArray>,
}

/// An array that grows row by row.
pub struct NpzArray {
    pub name: String,
    /// Byte order, kind and bytes of a number, as NumPy writes them: `<f8`.
    pub kind: String,
    /// The shape of a row.
    pub row: Vec<usize>,
    pub bytes: BufWriter<File>,
}

impl NpzArrays {
    /// Starts a file without arrays.
    pub fn create(path: &Path) -> Result<Self> {
        Ok(NpzArrays { path: path.to_path_buf(), archive: temporary(path)?, arrays: Vec::new() })
    }

    /// Starts an array without rows.
    pub fn array(&self, name: &str, kind: &str, row: &[usize]) -> Result<NpzArray> {
        let file = tempfile::tempfile_in(directory(&target(&self.path)));
        let file = file.map_err(|e| failed(&self.path, &e))?;
        let bytes = BufWriter::with_capacity(1 << 18, file);
        Ok(NpzArray { name: name.to_string(), kind: kind.to_string(), row: row.to_vec(), bytes })
    }

    /// Completes the file: its arrays have `rows` rows; `about` becomes the metadata.
    pub fn close(self, rows: usize, about: &str) -> Result<NamedTempFile, Fault> {
        let mut archive = ZipWriter::new(self.archive);
        archive.set_comment(seal::blank())?;
        for NpzArray { name, kind, row, bytes } in self.arrays {
            let mut file = bytes.into_inner().map_err(|e| e.into_error())?;
            let length = file.stream_position()?;
            file.rewind()?;
            let shape = [&[rows], &row[..]].concat();
            npz::add(&mut archive, &name, (&kind, &shape), &mut file, length)?;
        }
        let length = about.len();
        npz::add(&mut archive, META, ("|u1", &[length]), &mut about.as_bytes(), length as u64)?;
        Ok(archive.finish()?)
    }
}

/// A table whose columns are arrays.
pub struct NpzTable {
    columns: Vec<Column>,
    arrays: NpzArrays,
    rows: usize,
}

impl NpzTable {
    /// Opens the file.
    pub fn create(path: &Path, columns: Vec<Column>) -> Result<Self> {
        let mut arrays = NpzArrays::create(path)?;
        for column in &columns {
            let row: &[usize] = match &column.shape {
                ColumnShape::Table(sides) => sides,
                ColumnShape::Fixed(length) => std::slice::from_ref(length),
                ColumnShape::One | ColumnShape::List => &[],
            };
            let array = arrays.array(&column.name, column.number.numpy(), row)?;
            arrays.arrays.push(array);
        }
        Ok(NpzTable { columns, arrays, rows: 0 })
    }
}

impl Table for NpzTable {
    fn push(&mut self, batch: &Batch<'_>) -> Result<(), Fault> {
        self.rows += batch.rows.len();
        for (column, NpzArray { bytes, .. }) in self.columns.iter().zip(&mut self.arrays.arrays) {
            let mut values = column.none();
            column.take(batch, &mut values);
            match values {
                ColumnValues::Bool(all) => put(bytes, &all, |x| [u8::from(x)])?,
                ColumnValues::I32(all) if column.number == ColumnNumber::U8 => {
                    put(bytes, &all, |x| [x as u8])?;
                }
                ColumnValues::I32(all) => put(bytes, &all, i32::to_le_bytes)?,
                ColumnValues::I64(all) => put(bytes, &all, i64::to_le_bytes)?,
                ColumnValues::F32(all) => put(bytes, &all, f32::to_le_bytes)?,
                ColumnValues::F64(all) => put(bytes, &all, f64::to_le_bytes)?,
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>, about: String) -> Result<NamedTempFile, Fault> {
        self.arrays.close(self.rows, &about)
    }
}

fn put<T: Copy, const N: usize>(
    to: &mut BufWriter<File>,
    values: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> std::io::Result<()> {
    values.iter().try_for_each(|x| to.write_all(&bytes(*x)))
}
