//! npz files: one array per column, `meta` as JSON bytes.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use super::columns::{Batch, Column, ColumnNumber, ColumnShape, ColumnValues, of_samples};
use super::seal;
use super::sink::Sink;
use super::staging::{directory, failed, keep_sealed, target, temporary};
use crate::{ContactProblem, Result};
use carom_analysis::Jacobians;
use carom_core::outcome::{Samples, Tolerance};
use carom_engine::doubt::Doubted;
use carom_report::record::{RunRecord, of_whole_file};
use carom_scene::archive as npz;
use serde_json::Value;
use tempfile::NamedTempFile;
use zip::ZipWriter;

/// An npz file being written. An archive holds one array after the other, so each column waits in
/// an unnamed temporary file of its own: memory stays bounded, and nothing is left of a column that
/// is not finished.
pub struct NpzFile {
    path: PathBuf,
    archive: NamedTempFile,
    meta: Value,
    tolerance: Tolerance,
    rows: u64,
    /// The columns, each with its bytes so far.
    columns: Vec<(Column, BufWriter<File>)>,
}

impl NpzFile {
    /// Opens the file.
    pub fn create(path: &Path, problem: &ContactProblem, record: &RunRecord) -> Result<Self> {
        let archive = temporary(path)?;
        let folder = directory(&target(path)).to_path_buf();
        let waiting = |column| {
            let file = tempfile::tempfile_in(&folder).map_err(|e| failed(path, &e))?;
            Ok((column, BufWriter::with_capacity(1 << 18, file)))
        };
        let columns = of_samples(problem, record.precision(), record.jacobian, record.forecasts());
        Ok(NpzFile {
            path: path.to_path_buf(),
            archive,
            meta: record.of_file(problem),
            tolerance: record.tolerance(problem),
            rows: 0,
            columns: columns.into_iter().map(waiting).collect::<Result<_>>()?,
        })
    }

    fn put(&mut self, batch: &Batch<'_>) -> io::Result<()> {
        self.rows += batch.rows.len() as u64;
        for (column, bytes) in &mut self.columns {
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
}

fn put<T: Copy, const N: usize>(
    to: &mut BufWriter<File>,
    values: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> io::Result<()> {
    values.iter().try_for_each(|x| to.write_all(&bytes(*x)))
}

impl Sink for NpzFile {
    fn write(&mut self, samples: &Samples, derivatives: Option<&Jacobians>) -> Result<()> {
        self.put(&Batch::of(samples, self.tolerance, derivatives))
            .map_err(|e| failed(&self.path, &e))
    }

    fn finish(self: Box<Self>, doubted: Option<&Doubted>) -> Result<()> {
        let NpzFile { path, archive, meta, rows, columns, .. } = *self;
        let assemble = || {
            let mut archive = ZipWriter::new(archive);
            archive.set_comment(seal::blank())?;
            for (column, bytes) in columns {
                let mut file = bytes.into_inner().map_err(|e| e.into_error())?;
                let length = file.stream_position()?;
                file.rewind()?;
                let shape: Vec<u64> = match column.shape {
                    ColumnShape::One => vec![rows],
                    ColumnShape::Table([n, p]) => vec![rows, n as u64, p as u64],
                    ColumnShape::Fixed(length) => vec![rows, length as u64],
                    ColumnShape::List => vec![length / 8],
                };
                let kind = (column.number.numpy(), &shape[..]);
                npz::add(&mut archive, &column.name, kind, &mut file, length)?;
            }
            let meta = of_whole_file(meta, rows, doubted);
            let length = meta.len() as u64;
            npz::add(&mut archive, "meta", ("|u1", &[length]), &mut meta.as_bytes(), length)?;
            archive.finish().map_err(io::Error::from)
        };
        let file = assemble().map_err(|e: io::Error| failed(&path, &e))?;
        keep_sealed(file, &path)
    }
}
