//! The tables of contact modes for the solution of steps, and their layout in buffers.

use super::header::padded;
use super::uniform::TablePlace;
use crate::Limits;
use carom_core::{Error, ModeTable, Real, Result, StepProblem};
use carom_law::routh::events::table::tabulate;

/// The numbers of the `maps` buffer: the condition rows, then the rows of the impulse maps, each
/// padded with zeros.
pub fn table_buffer<R: Real>(table: &ModeTable<R>, m: usize) -> Vec<R> {
    let mut maps = Vec::new();
    for row in table.conditions.chunks(3 * m).chain(table.impulses.chunks(3 * m)) {
        maps.extend_from_slice(row);
        maps.resize(maps.len().next_multiple_of(padded(3 * m)), R::ZERO);
    }
    maps
}

/// The table kernels' buffers.
#[derive(Clone, Debug, Default)]
pub struct Buffers<R> {
    /// The combinations.
    pub spans: Vec<[u32; 2]>,
    /// The numbers of [`table_buffer`]; for the event process, the numbers of [`tabulate`].
    pub maps: Vec<R>,
}

impl<R: Real> Buffers<R> {
    /// Appends the table of one of several problems; returns its place.
    pub fn append(&mut self, table: &ModeTable<R>, m: usize) -> TablePlace {
        let first_condition = (self.maps.len() / 4) as u32;
        let rows = table.conditions.len() / (3 * m);
        let place = TablePlace {
            first_span: self.spans.len() as u32,
            combinations: table.spans.len() as u32,
            first_condition,
            first_map: first_condition + (rows * padded(3 * m) / 4) as u32,
            ..TablePlace::default()
        };
        self.spans.extend(&table.spans);
        self.maps.extend(table_buffer(table, m));
        place
    }

    /// Appends the forces of all combinations of modes of the event process; returns their place.
    ///
    /// More forces than a buffer of the device holds.
    pub fn append_forces(
        &mut self,
        step: &StepProblem<R>,
        limits: &Limits<'_>,
    ) -> Result<TablePlace> {
        let place = TablePlace { first_map: (self.maps.len() / 4) as u32, ..TablePlace::default() };
        self.maps.extend(tabulate(step));
        if size_of_val(&*self.maps) as u64 > limits.storage_buffer_bytes {
            let (name, most) = (limits.name, limits.storage_buffer_bytes >> 20);
            let what =
                format!("the forces of all contact modes take more than the {most} MiB of {name}");
            return Err(Error::device(what)
                .option("device")
                .hint("sample fewer different problems at a time, or run with --device cpu"));
        }
        Ok(place)
    }
}
