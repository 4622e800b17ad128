//! npz files: one array per column, `meta` as JSON bytes.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::NamedTempFile;
use zip::ZipWriter;

use super::record::{RunRecord, of_whole_file};
use super::seal;
use super::sink::Sink;
use super::staging::{directory, failed, keep_sealed, target, temporary};
use crate::analysis::Jacobians;
use crate::engine::Precision;
use crate::engine::doubt::Doubted;
use crate::error::Result;
use crate::npz;
use crate::outcome::Samples;
use crate::problem::ContactProblem;

/// An npz file being written. An archive holds one array after the other, so each column waits in
/// an unnamed temporary file of its own: memory stays bounded, and nothing is left of a column that
/// is not finished.
pub struct NpzFile {
    path: PathBuf,
    archive: NamedTempFile,
    meta: Value,
    rows: u64,
    precision: Precision,
    sample: Column,
    velocity: Column,
    impulse: Column,
    steps: Column,
    status: Column,
    residual: Column,
    kinetic_energy: Column,
    /// The derivatives, and whether there are any.
    derivatives: Option<[Column; 2]>,
}

/// One array: its name, numpy type, shape of a row, and its bytes so far.
struct Column {
    name: &'static str,
    kind: &'static str,
    row: Vec<u64>,
    bytes: BufWriter<File>,
}

impl NpzFile {
    /// Opens the file.
    pub fn create(path: &Path, problem: &ContactProblem, record: &RunRecord) -> Result<Self> {
        let (n, k) = (problem.coordinate_count(), problem.jacobian().nrows());
        let float = match record.precision() {
            Precision::F32 => "<f4",
            Precision::F64 => "<f8",
        };
        let archive = temporary(path)?;
        let column = |name, kind, row: &[usize]| {
            let file =
                tempfile::tempfile_in(directory(&target(path))).map_err(|e| failed(path, &e))?;
            let row = row.iter().map(|width| *width as u64).collect();
            Ok(Column { name, kind, row, bytes: BufWriter::with_capacity(1 << 18, file) })
        };
        Ok(NpzFile {
            path: path.to_path_buf(),
            archive,
            meta: record.of_file(problem),
            rows: 0,
            precision: record.precision(),
            sample: column("sample", "<u8", &[])?,
            velocity: column("velocity", float, &[n])?,
            impulse: column("impulse", float, &[k])?,
            steps: column("steps", "<u4", &[])?,
            status: column("status", "|u1", &[])?,
            residual: column("residual", "<f4", &[])?,
            kinetic_energy: column("kinetic_energy", float, &[])?,
            derivatives: match record.jacobian {
                Some(wrt) => {
                    let jacobian = column("jacobian", "<f8", &[n, wrt.columns(problem)])?;
                    Some([jacobian, column("differentiable", "|b1", &[])?])
                }
                None => None,
            },
        })
    }

    fn put(&mut self, samples: &Samples, derivatives: Option<&Jacobians>) -> io::Result<()> {
        self.rows += samples.len() as u64;
        for i in 0..samples.len() as u64 {
            self.sample.bytes.write_all(&(samples.first + i).to_le_bytes())?;
        }
        let floats = match self.precision {
            Precision::F32 => put_f32,
            Precision::F64 => put_f64,
        };
        floats(&mut self.velocity.bytes, &samples.velocity)?;
        floats(&mut self.impulse.bytes, &samples.impulse)?;
        floats(&mut self.kinetic_energy.bytes, &samples.kinetic_energy)?;
        put_f32(&mut self.residual.bytes, &samples.residual)?;
        for steps in &samples.steps {
            self.steps.bytes.write_all(&steps.to_le_bytes())?;
        }
        for status in &samples.status {
            self.status.bytes.write_all(&[status.code()])?;
        }
        if let (Some([jacobian, differentiable]), Some(found)) =
            (&mut self.derivatives, derivatives)
        {
            put_f64(&mut jacobian.bytes, &found.values)?;
            for smooth in &found.differentiable {
                differentiable.bytes.write_all(&[u8::from(*smooth)])?;
            }
        }
        Ok(())
    }
}

fn put_f32(to: &mut BufWriter<File>, values: &[f64]) -> io::Result<()> {
    values.iter().try_for_each(|&x| to.write_all(&(x as f32).to_le_bytes()))
}

fn put_f64(to: &mut BufWriter<File>, values: &[f64]) -> io::Result<()> {
    values.iter().try_for_each(|&x| to.write_all(&x.to_le_bytes()))
}

impl Sink for NpzFile {
    fn write(&mut self, samples: &Samples, derivatives: Option<&Jacobians>) -> Result<()> {
        self.put(samples, derivatives).map_err(|e| failed(&self.path, &e))
    }

    fn finish(self: Box<Self>, doubted: Option<&Doubted>) -> Result<()> {
        let derivatives = self.derivatives.into_iter().flatten();
        let NpzFile { path, archive, meta, rows, .. } = *self;
        let columns = [
            self.sample,
            self.velocity,
            self.impulse,
            self.steps,
            self.status,
            self.residual,
            self.kinetic_energy,
        ];
        let assemble = || {
            let mut archive = ZipWriter::new(archive);
            archive.set_comment(seal::blank())?;
            for column in columns.into_iter().chain(derivatives) {
                let mut file = column.bytes.into_inner().map_err(|e| e.into_error())?;
                let length = file.stream_position()?;
                file.rewind()?;
                let shape: Vec<u64> = [rows].into_iter().chain(column.row).collect();
                npz::add(&mut archive, column.name, (column.kind, &shape), &mut file, length)?;
            }
            let meta = of_whole_file(meta, doubted);
            let length = meta.len() as u64;
            npz::add(&mut archive, "meta", ("|u1", &[length]), &mut meta.as_bytes(), length)?;
            archive.finish().map_err(io::Error::from)
        };
        let file = assemble().map_err(|e: io::Error| failed(&path, &e))?;
        keep_sealed(file, &path)
    }
}
