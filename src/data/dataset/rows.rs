//! Writer of the rows of a data set into a Parquet file.

use std::io::Write;
use std::sync::Arc;

use super::arrow;
use super::plan::DatasetPlan;
use super::sampler::Sampled;
use crate::columns::{Batch, Column, ColumnNumber, ColumnShape, of_samples};
use crate::parquet::{ParquetTable, group_rows};
use carom_core::outcome::Tolerance;
use carom_engine::Precision;
use parquet::errors::ParquetError;

/// The order of the leading columns of samples.
const ORDER: [&str; 8] =
    ["velocity", "impulse", "mode", "accepted", "status", "steps", "residual", "kinetic_energy"];

impl DatasetPlan {
    /// The columns of the files, in their order.
    pub(super) fn columns(&self) -> Vec<Column> {
        use ColumnNumber::{I64, U32};
        use ColumnShape::{Fixed, List, One};
        let forecasts = self.states.how.forecaster.is_some();
        let mut of_samples = of_samples(&self.first, self.precision, None, forecasts);
        let order = |column: &Column| {
            ORDER.iter().position(|name| *name == column.name).unwrap_or(ORDER.len())
        };
        let at = of_samples.iter().position(|column| column.name == "sample").unwrap_or(0);
        let mut sample = of_samples.remove(at);
        sample.about = "number of the sample of its state".to_string();
        sample.number = I64;
        of_samples.sort_by_key(order);
        let of_contacts = ["impulse", "mode"];
        let ragged = |column: &&mut Column| of_contacts.contains(&column.name.as_str());
        if self.states.choose() {
            // The number of contacts may differ between states.
            of_samples.iter_mut().filter(ragged).for_each(|column| column.shape = List);
        }
        let mut columns = vec![
            Column::whole("state", I64, 0).about("number of the state"),
            sample,
            Column::whole("seed", I64, 1).about("seed of the state's samples"),
        ];
        columns.extend(self.states.parameters.iter().enumerate().map(|(i, quantity)| {
            let name = format!("parameter_{}", quantity.name);
            let about = format!("parameter `{}` of the scene", quantity.name);
            Column::shared(&name, One, i + 1).about(about)
        }));
        let about = "velocity before the impact: one number for each coordinate, m/s or rad/s";
        let n = self.first.coordinate_count();
        columns.push(Column::shared("velocity_before", Fixed(n), 0).about(about));
        if let Some(arrays) = self.states.source.arrays().filter(|arrays| arrays.choose()) {
            let arrays = Arc::clone(arrays);
            let contacts = Column::new("contacts", U32, List, move |batch, values| {
                let contacts = arrays.contacts_of(batch.whole[0] as usize);
                let each = |_| values.whole(contacts.iter().map(|i| *i as u64));
                batch.rows.clone().for_each(each);
            });
            columns.push(contacts.about("numbers of the state's contacts"));
        }
        columns.extend(of_samples);
        columns
    }

    /// Number of rows in a row group.
    pub(super) fn group_rows(&self) -> usize {
        let (n, k) = (self.first.coordinate_count(), self.first.jacobian().nrows());
        group_rows(2 * n + k + self.states.parameters.len() + 6)
    }
}

/// A Parquet file during writing.
pub struct RowWriter<W: Write + Send + Sync> {
    table: ParquetTable<W>,
    precision: Precision,
}

impl<W: Write + Send + Sync> RowWriter<W> {
    /// Starts the file of a plan's rows.
    pub fn new(plan: &DatasetPlan, file: W) -> Result<Self, ParquetError> {
        let table = ParquetTable::new(file, plan.columns(), plan.group_rows())?;
        Ok(RowWriter { table, precision: plan.precision })
    }

    /// Appends the samples of a state.
    pub fn push(&mut self, sampled: &Sampled) -> Result<(), ParquetError> {
        let Sampled { state, problem, samples, residual } = sampled;
        let rest = self.precision.rest_velocity(problem);
        let tolerance = Tolerance { rest, residual: *residual };
        let mut shared = vec![problem.velocity().as_slice()];
        shared.extend(state.parameters.iter().map(|(_, value)| std::slice::from_ref(value)));
        self.table.take(&Batch {
            whole: &[state.number, state.seed],
            shared: &shared,
            ..Batch::of(samples, tolerance, None)
        })
    }

    /// Completes the file with these metadata, under the key `carom` and in Arrow's schema.
    pub fn finish(mut self, about: String) -> Result<W, ParquetError> {
        let schema = arrow::schema(self.table.columns(), &about);
        self.table.note("ARROW:schema", schema);
        self.table.close(about)
    }
}
