//! The rows of a data set on their way into a Parquet file.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use parquet::data_type::{DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use rayon::prelude::*;

use super::arrow;
use super::columns::{Column, ColumnNumber, ColumnShape, schema};
use super::plan::DatasetPlan;
use super::sampler::Sampled;
use crate::engine::Precision;
use crate::output::parquet::{Encoded, checksum, encode, properties};

/// Rows of a row group, at most.
const GROUP_ROWS: usize = 131_072;
/// Bytes of a row group before compression, about, at most.
const GROUP_BYTES: usize = 64 << 20;

impl DatasetPlan {
    /// The columns of the files, in their order.
    pub(super) fn columns(&self) -> Vec<Column> {
        use ColumnNumber::{F32, F64, U8, U32, U64};
        use ColumnShape::{Fixed, List, One};
        let n = self.first.coordinate_count();
        let float = if self.precision == Precision::F32 { F32 } else { F64 };
        let mut columns = vec![
            Column::new("state", U64, One, "number of the state"),
            Column::new("sample", U64, One, "number of the sample of its state"),
            Column::new("seed", U64, One, "seed of the state's samples"),
        ];
        columns.extend(self.states.parameters.iter().map(|quantity| {
            let name = format!("parameter_{}", quantity.name);
            Column::new(&name, F64, One, format!("parameter `{}` of the scene", quantity.name))
        }));
        let of_coordinates = "one number for each coordinate, m/s or rad/s";
        columns.extend([
            Column::new("velocity_before", F64, Fixed(n), format!("velocity before the impact: {of_coordinates}")),
            Column::new("velocity", float, Fixed(n), format!("velocity after the impact: {of_coordinates}")),
            Column::new(
                "impulse",
                float,
                List,
                "impulses of the contacts, N s: first the normal ones, then the tangential ones contact by contact",
            ),
            Column::new("status", U8, One, "how the sample ended: 0 terminated, others see `status` in dataset.json"),
            Column::new("steps", U32, One, "steps, segments, substeps or single impacts"),
            Column::new("residual", F32, One, "largest violation of the law, dimensionless"),
            Column::new("kinetic_energy", float, One, "kinetic energy after the impact, J"),
        ]);
        columns
    }

    /// Rows of a row group.
    pub(super) fn group_rows(&self) -> usize {
        let (n, k) = (self.first.coordinate_count(), self.first.jacobian().nrows());
        (GROUP_BYTES / (8 * (2 * n + k + self.states.parameters.len() + 6))).clamp(1024, GROUP_ROWS)
    }
}

/// A Parquet file that is being written.
pub struct RowWriter<W: Write + Send + Sync> {
    writer: SerializedFileWriter<W>,
    precision: Precision,
    group_rows: usize,
    n: usize,
    state: Vec<i64>,
    sample: Vec<i64>,
    seed: Vec<i64>,
    parameters: Vec<Vec<f64>>,
    before: Vec<f64>,
    velocity: Vec<f64>,
    impulse: Vec<f64>,
    /// Impulses of each row.
    impulses: Vec<usize>,
    status: Vec<i32>,
    steps: Vec<i32>,
    residual: Vec<f32>,
    energy: Vec<f64>,
}

impl<W: Write + Send + Sync> RowWriter<W> {
    /// Rows of a plan, on their way into a file.
    pub fn new(plan: &DatasetPlan, file: W) -> Result<Self, ParquetError> {
        let columns = plan.columns();
        let arrow = KeyValue::new("ARROW:schema".to_string(), arrow::schema(&columns));
        let schema = Arc::new(parse_message_type(&schema(&columns))?);
        Ok(RowWriter {
            writer: SerializedFileWriter::new(file, schema, properties(vec![arrow])?)?,
            precision: plan.precision,
            group_rows: plan.group_rows(),
            n: plan.first.coordinate_count(),
            state: Vec::new(),
            sample: Vec::new(),
            seed: Vec::new(),
            parameters: vec![Vec::new(); plan.states.parameters.len()],
            before: Vec::new(),
            velocity: Vec::new(),
            impulse: Vec::new(),
            impulses: Vec::new(),
            status: Vec::new(),
            steps: Vec::new(),
            residual: Vec::new(),
            energy: Vec::new(),
        })
    }

    /// Takes samples of a state.
    pub fn push(&mut self, sampled: &Sampled) -> Result<(), ParquetError> {
        let (mut from, count) = (0, sampled.samples.len());
        while from < count {
            let to = (from + self.group_rows - self.state.len()).min(count);
            self.take(sampled, from..to);
            if self.state.len() == self.group_rows {
                self.flush()?;
            }
            from = to;
        }
        Ok(())
    }

    fn take(&mut self, sampled: &Sampled, rows: Range<usize>) {
        let Sampled { state, problem, samples, .. } = sampled;
        let (n, k, count) = (self.n, problem.jacobian().nrows(), rows.len());
        let constant = |x: u64| std::iter::repeat_n(x as i64, count);
        self.state.extend(constant(state.number));
        self.sample.extend(rows.clone().map(|i| (samples.first + i as u64) as i64));
        self.seed.extend(constant(state.seed));
        for (column, (_, value)) in self.parameters.iter_mut().zip(&state.parameters) {
            column.extend(std::iter::repeat_n(*value, count));
        }
        for _ in 0..count {
            self.before.extend_from_slice(problem.velocity().as_slice());
        }
        self.velocity.extend_from_slice(&samples.velocity[rows.start * n..rows.end * n]);
        self.impulse.extend_from_slice(&samples.impulse[rows.start * k..rows.end * k]);
        self.impulses.extend(std::iter::repeat_n(k, count));
        self.status
            .extend(samples.status[rows.clone()].iter().map(|status| i32::from(status.code())));
        self.steps.extend(samples.steps[rows.clone()].iter().map(|&steps| steps as i32));
        self.residual
            .extend(samples.residual[rows.clone()].iter().map(|&residual| residual as f32));
        self.energy.extend_from_slice(&samples.kinetic_energy[rows]);
    }

    /// Writes the rows taken as one row group.
    fn flush(&mut self) -> Result<(), ParquetError> {
        if self.state.is_empty() {
            return Ok(());
        }
        let columns = self.writer.schema_descr().columns();
        let to = |i: usize| (columns[i].clone(), self.writer.properties().clone());
        let fixed = vec![self.n; self.state.len()];
        let float = |i: usize, values: &[f64], lengths: Option<&[usize]>| match self.precision {
            Precision::F64 => encode::<DoubleType>(to(i), values, lengths),
            Precision::F32 => {
                let values: Vec<f32> = values.iter().map(|&x| x as f32).collect();
                encode::<FloatType>(to(i), &values, lengths)
            }
        };
        let p = 3 + self.parameters.len();
        let encoded: Vec<Result<Encoded, ParquetError>> = (0..columns.len())
            .into_par_iter()
            .map(|i| match i {
                0 => encode::<Int64Type>(to(i), &self.state, None),
                1 => encode::<Int64Type>(to(i), &self.sample, None),
                2 => encode::<Int64Type>(to(i), &self.seed, None),
                _ if i < p => encode::<DoubleType>(to(i), &self.parameters[i - 3], None),
                _ => match i - p {
                    0 => encode::<DoubleType>(to(i), &self.before, Some(&fixed)),
                    1 => float(i, &self.velocity, Some(&fixed)),
                    2 => float(i, &self.impulse, Some(&self.impulses)),
                    3 => encode::<Int32Type>(to(i), &self.status, None),
                    4 => encode::<Int32Type>(to(i), &self.steps, None),
                    5 => encode::<FloatType>(to(i), &self.residual, None),
                    _ => float(i, &self.energy, None),
                },
            })
            .collect();
        let mut group = self.writer.next_row_group()?;
        for column in encoded {
            let (bytes, close) = column?;
            group.append_column(&bytes, close)?;
        }
        group.close()?;
        let RowWriter { state, sample, seed, impulses, status, steps, residual, .. } = self;
        [state, sample, seed].into_iter().for_each(Vec::clear);
        [status, steps].into_iter().for_each(Vec::clear);
        impulses.clear();
        residual.clear();
        let floats = [&mut self.before, &mut self.velocity, &mut self.impulse, &mut self.energy];
        floats.into_iter().chain(&mut self.parameters).for_each(Vec::clear);
        Ok(())
    }

    /// Completes the file, with these metadata under the key `carom`.
    pub fn finish(mut self, about: String) -> Result<W, ParquetError> {
        self.flush()?;
        self.writer.append_key_value_metadata(KeyValue::new("carom".to_string(), about));
        self.writer.append_key_value_metadata(checksum());
        self.writer.into_inner()
    }
}
