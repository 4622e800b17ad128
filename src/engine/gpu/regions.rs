//! What the table kernel solves steps with, and how it lies in its buffers.

use super::layout::{RunUniform, table_buffer};
use super::source::padded;
use crate::law::routh::Bound;
use crate::lcp::{Cells, ExplicitMap, ModeTable};
use crate::real::Real;
use crate::rng::Stream;

/// Samples that cells are trained on.
const TRAINING: u64 = 512;

/// A table of contact modes; and, where there are any, the cells that list its combinations.
#[derive(Clone, Copy, Debug)]
pub struct Regions<'a, R> {
    /// The maps of the contact modes.
    pub table: &'a ModeTable<R>,
    /// Which of them can hold where.
    pub cells: Option<&'a Cells>,
    /// Whether steps are proved to have one solution, so that what the cells guess is it wherever it is one.
    pub unique: bool,
}

/// Cells for the regions of a bound law, trained on samples of a seed of their own.
pub fn train(reference: &Bound<f64>, explicit: &ExplicitMap) -> Cells {
    let mut steps = [Vec::new(), Vec::new()];
    let mut work = reference.workspace();
    for i in 0..TRAINING {
        reference.sample_observed(&Stream::new(u64::MAX, i), &mut work, |step, x| {
            steps[usize::from(step > 0)].push(x.to_vec());
        });
    }
    Cells::new(explicit, &reference.caps, &steps)
}

/// The table kernels' buffers.
#[derive(Clone, Debug)]
pub struct Buffers<R> {
    /// The combinations, then the lists of the cells.
    pub spans: Vec<[u32; 2]>,
    /// See [`table_buffer`].
    pub maps: Vec<R>,
    /// The planes of the cells, each padded with zeros.
    pub planes: Vec<R>,
    /// The planes that bound each cell, the sides where it lies, where its list begins (its region, where steps have one
    /// solution) and how long it is.
    pub cells: Vec<[u32; 4]>,
}

impl<R: Real> Regions<'_, R> {
    /// The buffers for m contacts.
    pub fn buffers(&self, m: usize, uniform: &mut RunUniform) -> Buffers<R> {
        let mut spans = self.table.spans.clone();
        let row = padded(3 * m);
        uniform.combinations = spans.len() as u32;
        uniform.first_map = (self.table.conditions.len() / (3 * m) * row / 4) as u32;
        let mut planes = Vec::new();
        // No step lies in an empty cell.
        let mut cells = vec![[0, 1, 0, 0]; Cells::CELLS];
        if let Some(given) = self.cells {
            uniform.cells = given.cells.len() as u32;
            for (cell, given) in cells.iter_mut().zip(&given.cells) {
                let guess = given.regions.first().map_or(0, |&k| k as u32);
                let list = if self.unique { guess } else { spans.len() as u32 };
                *cell = [given.mask, given.sides, list, given.regions.len() as u32];
                spans.extend(given.regions.iter().map(|&k| [k as u32, 0]));
            }
            for plane in &given.planes {
                planes.extend(plane.iter().map(|&x| R::from_f64(x)));
                planes.resize(planes.len().next_multiple_of(row), R::ZERO);
            }
        }
        planes.resize(Cells::PLANES * row, R::ZERO);
        Buffers { spans, maps: table_buffer(self.table, m), planes, cells }
    }
}
