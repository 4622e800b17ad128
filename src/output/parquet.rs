//! Parquet files: one row per sample, `velocity` and `impulse` as lists.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
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

use super::record::{RunRecord, of_whole_file};
use super::seal;
use super::sink::Sink;
use super::staging::{failed, keep_sealed, temporary};
use crate::analysis::Jacobians;
use crate::engine::Precision;
use crate::engine::doubt::Doubted;
use crate::error::Result;
use crate::outcome::Samples;
use crate::problem::ContactProblem;

/// Rows of a row group, at most.
const GROUP_ROWS: usize = 131_072;
/// Bytes of a row group before compression, about, at most.
const GROUP_BYTES: usize = 64 << 20;

/// Opens a Parquet file with floats of the run's precision.
pub fn create(path: &Path, problem: &ContactProblem, record: &RunRecord) -> Result<Box<dyn Sink>> {
    Ok(match record.precision() {
        Precision::F32 => {
            Box::new(ParquetFile::<FloatType>::create(path, problem, record, "float", |x| {
                x as f32
            })?)
        }
        Precision::F64 => {
            Box::new(ParquetFile::<DoubleType>::create(path, problem, record, "double", |x| x)?)
        }
    })
}

/// A Parquet file being written; `D` is the type of its floats.
struct ParquetFile<D: DataType> {
    path: PathBuf,
    writer: SerializedFileWriter<NamedTempFile>,
    meta: Value,
    cast: fn(f64) -> D::T,
    n: usize,
    k: usize,
    group_rows: usize,
    sample: Vec<i64>,
    velocity: Vec<D::T>,
    impulse: Vec<D::T>,
    steps: Vec<i32>,
    status: Vec<i32>,
    residual: Vec<f32>,
    kinetic_energy: Vec<D::T>,
    /// Number of entries of a derivative, if there are any.
    slopes: Option<usize>,
    jacobian: Vec<f64>,
    differentiable: Vec<bool>,
}

impl<D: DataType> ParquetFile<D>
where
    D::T: Sync,
{
    fn create(
        path: &Path,
        problem: &ContactProblem,
        record: &RunRecord,
        float: &str,
        cast: fn(f64) -> D::T,
    ) -> Result<Self> {
        let (n, k) = (problem.coordinate_count(), problem.jacobian().nrows());
        let list = format!("(LIST) {{ repeated group list {{ required {float} element; }} }}");
        let slopes = record.jacobian.map(|wrt| n * wrt.columns(problem));
        let more = match slopes {
            Some(_) => {
                "required group jacobian (LIST) { repeated group list { required double element; } }
                required boolean differentiable;"
            }
            None => "",
        };
        let schema = parse_message_type(&format!(
            "message carom {{
                required int64 sample (INTEGER(64,false));
                required group velocity {list}
                required group impulse {list}
                required int32 steps (INTEGER(32,false));
                required int32 status (INTEGER(8,false));
                required float residual;
                required {float} kinetic_energy;
                {more}
            }}"
        ));
        let file = temporary(path)?;
        let open = || SerializedFileWriter::new(file, Arc::new(schema?), properties(Vec::new())?);
        Ok(ParquetFile {
            path: path.to_path_buf(),
            writer: open().map_err(|e| failed(path, &e))?,
            meta: record.of_file(problem),
            cast,
            n,
            k,
            group_rows: (GROUP_BYTES / (8 * (n + k + 4 + slopes.unwrap_or(0))))
                .clamp(1024, GROUP_ROWS),
            sample: Vec::new(),
            velocity: Vec::new(),
            impulse: Vec::new(),
            steps: Vec::new(),
            status: Vec::new(),
            residual: Vec::new(),
            kinetic_energy: Vec::new(),
            slopes,
            jacobian: Vec::new(),
            differentiable: Vec::new(),
        })
    }

    /// Takes rows `from .. to` of `samples`.
    fn take(&mut self, samples: &Samples, derivatives: Option<&Jacobians>, from: usize, to: usize) {
        let (n, k, cast) = (self.n, self.k, self.cast);
        self.sample.extend((from..to).map(|i| (samples.first + i as u64) as i64));
        self.velocity.extend(samples.velocity[from * n..to * n].iter().map(|&x| cast(x)));
        self.impulse.extend(samples.impulse[from * k..to * k].iter().map(|&x| cast(x)));
        self.steps.extend(samples.steps[from..to].iter().map(|&x| x as i32));
        self.status.extend(samples.status[from..to].iter().map(|s| i32::from(s.code())));
        self.residual.extend(samples.residual[from..to].iter().map(|&x| x as f32));
        self.kinetic_energy.extend(samples.kinetic_energy[from..to].iter().map(|&x| cast(x)));
        if let (Some(width), Some(found)) = (self.slopes, derivatives) {
            self.jacobian.extend(&found.values[from * width..to * width]);
            self.differentiable.extend(&found.differentiable[from..to]);
        }
    }

    /// Writes the rows taken as one row group.
    fn flush(&mut self) -> Result<(), ParquetError> {
        if self.sample.is_empty() {
            return Ok(());
        }
        let rows = self.sample.len();
        let columns = self.writer.schema_descr().columns();
        let to = |i: usize| (columns[i].clone(), self.writer.properties().clone());
        let jobs: [&(dyn Fn() -> Result<Encoded, ParquetError> + Sync); 9] = [
            &|| encode::<Int64Type>(to(0), &self.sample, None),
            &|| encode::<D>(to(1), &self.velocity, Some(&vec![self.n; rows])),
            &|| encode::<D>(to(2), &self.impulse, Some(&vec![self.k; rows])),
            &|| encode::<Int32Type>(to(3), &self.steps, None),
            &|| encode::<Int32Type>(to(4), &self.status, None),
            &|| encode::<FloatType>(to(5), &self.residual, None),
            &|| encode::<D>(to(6), &self.kinetic_energy, None),
            &|| {
                encode::<DoubleType>(
                    to(7),
                    &self.jacobian,
                    Some(&vec![self.slopes.unwrap_or(0); rows]),
                )
            },
            &|| encode::<BoolType>(to(8), &self.differentiable, None),
        ];
        // Encoding takes longer than sampling, so the columns share the cores.
        let encoded: Vec<_> = jobs[..columns.len()].par_iter().map(|job| job()).collect();
        let mut group = self.writer.next_row_group()?;
        for column in encoded {
            let (bytes, close) = column?;
            group.append_column(&bytes, close)?;
        }
        group.close()?;
        self.sample.clear();
        self.velocity.clear();
        self.impulse.clear();
        self.steps.clear();
        self.status.clear();
        self.residual.clear();
        self.kinetic_energy.clear();
        self.jacobian.clear();
        self.differentiable.clear();
        Ok(())
    }
}

/// The properties with which files are written, with these metadata.
pub(crate) fn properties(metadata: Vec<KeyValue>) -> Result<WriterPropertiesPtr, ParquetError> {
    let properties = WriterProperties::builder()
        .set_created_by(concat!("carom ", env!("CARGO_PKG_VERSION")).to_string())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_dictionary_enabled(false)
        .set_key_value_metadata(Some(metadata));
    Ok(Arc::new(properties.build()))
}

/// The place of the checksum, which comes last among the metadata.
pub(crate) fn checksum() -> KeyValue {
    KeyValue::new(seal::KEY.to_string(), seal::blank())
}

/// A column of a row group as it lies in the file, and what the file says about it.
pub(crate) type Encoded = (Bytes, ColumnCloseResult);

/// Encodes a column of a row group: `lengths` has the number of values of each row; without it a
/// row has one.
pub(crate) fn encode<D: DataType>(
    (column, properties): (ColumnDescPtr, WriterPropertiesPtr),
    values: &[D::T],
    lengths: Option<&[usize]>,
) -> Result<Encoded, ParquetError> {
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

impl<D: DataType> Sink for ParquetFile<D>
where
    D::T: Sync,
{
    fn write(&mut self, samples: &Samples, derivatives: Option<&Jacobians>) -> Result<()> {
        let mut from = 0;
        while from < samples.len() {
            let to = (from + self.group_rows - self.sample.len()).min(samples.len());
            self.take(samples, derivatives, from, to);
            if self.sample.len() == self.group_rows {
                self.flush().map_err(|e| failed(&self.path, &e))?;
            }
            from = to;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, doubted: Option<&Doubted>) -> Result<()> {
        self.flush().map_err(|e| failed(&self.path, &e))?;
        let ParquetFile { path, mut writer, meta, .. } = *self;
        let meta = of_whole_file(meta, doubted);
        writer.append_key_value_metadata(KeyValue::new("carom".to_string(), meta));
        writer.append_key_value_metadata(checksum());
        let file = writer.into_inner().map_err(|e| failed(&path, &e))?;
        keep_sealed(file, &path)
    }
}
