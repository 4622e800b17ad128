//! Which regions can hold, from the side of a few hyperplanes on which a step lies.

use nalgebra::DMatrix;

use super::explicit::{ExplicitMap, WIDTH};
use super::interior::interior;
use super::table::{ModeTable, dot};
use super::tree::{Child, Point, Tree};

/// Planes that more of the training points than this lie on do not tell regions apart.
const SHARE_ON_PLANE: f64 = 2e-3;

/// Points closer to a plane than this lie on it.
const ON_PLANE: f64 = 1e-5;

/// A part of the steps, bounded by planes.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The planes that bound it, as bits; the highest one says that the first step is told from later ones.
    pub mask: u32,
    /// On which sides of them it lies: `plane x > 0`; later steps.
    pub sides: u32,
    /// The regions that can hold there.
    pub regions: Vec<usize>,
}

/// The leaves of a [`Tree`], each with all regions of an [`ExplicitMap`] that hold on part of its cell.
///
/// Where steps have one solution a leaf has one region, a guess that the residual of its solution checks.
/// Elsewhere the lists are complete, up to points on a plane. Cost: one small linear program per leaf and region.
/// Twin: `shaders/lcp/cells.wgsl`.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The hyperplanes.
    pub planes: Vec<Vec<f64>>,
    /// The cells; every step is in one.
    pub cells: Vec<Cell>,
    /// The class of each region.
    pub classes: Vec<usize>,
}

/// The bit of later steps.
const LATER: u32 = 1 << 31;

impl Cells {
    /// Most planes.
    pub const PLANES: usize = 30;

    /// Most cells: the leaves of two trees with [`Cells::PLANES`] nodes between them.
    pub const CELLS: usize = Self::PLANES + 2;

    /// Builds the cells, good for points like those of `steps`: the first steps, all from one velocity, then the later
    /// ones. `caps` (m) are the largest `c`.
    pub fn new(explicit: &ExplicitMap, caps: &[f64], steps: &[Vec<Vec<f64>>; 2]) -> Self {
        let table = ModeTable::<f64>::new(&explicit.regions, caps);
        let mut sets: Vec<Vec<usize>> = Vec::new();
        let mut label = |x: &Vec<f64>| -> Option<Point> {
            let mut set: Vec<usize> = (0..table.spans.len()).filter(|&k| table.holds(k, x)).collect();
            if explicit.unique {
                set.truncate(1);
            }
            let label = sets.iter().position(|s| *s == set).unwrap_or_else(|| {
                sets.push(set);
                sets.len() - 1
            });
            (!sets[label].is_empty()).then(|| (x.clone(), label))
        };
        let groups = steps.each_ref().map(|xs| xs.iter().filter_map(&mut label).collect::<Vec<Point>>());
        let on = |plane: &Vec<f64>| {
            let near = groups.iter().flatten().filter(|(x, _)| dot(plane, x).abs() <= ON_PLANE).count();
            near as f64 <= SHARE_ON_PLANE * groups.iter().map(Vec::len).sum::<usize>() as f64
        };
        let mut occurring: Vec<usize> = sets.iter().flatten().copied().collect();
        occurring.sort_unstable();
        occurring.dedup();
        let planes: Vec<Vec<f64>> = occurring
            .iter()
            .flat_map(|&k| explicit.regions[k].conditions.row_iter().map(|row| row.iter().copied().collect()))
            .filter(|plane| explicit.unique || on(plane))
            .collect();
        let tree = Tree::train(&groups, &planes, Self::PLANES);
        let mut cells =
            Cells { planes: tree.planes.clone(), cells: Vec::new(), classes: explicit.classes.clone() };
        for (root, later) in [0, LATER].into_iter().enumerate() {
            cells.below(&tree, tree.roots[root], Cell { mask: LATER, sides: later, regions: vec![] }, &sets);
        }
        if !explicit.unique {
            let m = caps.len();
            let start = steps[0].first().map_or(vec![0.0; 2 * m], |x| x[..2 * m].to_vec());
            for cell in &mut cells.cells {
                cell.regions = (0..explicit.regions.len())
                    .filter(|&k| meets(&cells.planes, cell, explicit, k, &start))
                    .collect();
            }
        }
        cells
    }

    /// Adds the leaves below `child`, in their own cells of `cell`.
    fn below(&mut self, tree: &Tree, child: Child, cell: Cell, sets: &[Vec<usize>]) {
        match child {
            Child::Leaf(label) => {
                let regions = sets.get(label).cloned().unwrap_or_default();
                self.cells.push(Cell { regions, ..cell });
            }
            Child::Node(node) => {
                for (i, &child) in tree.children[node].iter().enumerate() {
                    let (mask, sides) = (cell.mask | 1 << node, cell.sides | (i as u32) << node);
                    self.below(tree, child, Cell { mask, sides, regions: vec![] }, sets);
                }
            }
        }
    }

    /// The regions that can hold at `x`, in the first step or a later one; `None` closer than `near` to a plane that
    /// bounds its cell. Twin: `shaders/lcp/cells.wgsl::cells_find`.
    pub fn find(&self, first: bool, near: f64, x: &[f64]) -> Option<&[usize]> {
        let mut sides = if first { 0 } else { LATER };
        let mut close = 0;
        for (i, plane) in self.planes.iter().enumerate() {
            let side = dot(plane, x);
            sides |= u32::from(side > 0.0) << i;
            close |= u32::from(side.abs() < near) << i;
        }
        let cell = self.cells.iter().find(|cell| sides & cell.mask == cell.sides)?;
        (close & cell.mask == 0).then_some(&cell.regions)
    }
}

/// Whether region `k` and a cell have interior in common, among the velocities that occur.
fn meets(planes: &[Vec<f64>], cell: &Cell, explicit: &ExplicitMap, k: usize, start: &[f64]) -> bool {
    let first = cell.sides & LATER == 0;
    let basis =
        if first { DMatrix::from_column_slice(start.len(), 1, start) } else { explicit.basis.clone() };
    let bounds = planes.iter().enumerate().filter(|(i, _)| cell.mask >> i & 1 == 1).map(|(i, plane)| {
        let sign = if cell.sides >> i & 1 == 1 { 1.0 } else { -1.0 };
        plane.iter().map(|x| sign * x).collect::<Vec<f64>>()
    });
    let conditions = explicit.regions[k].conditions.row_iter().map(|row| row.iter().copied().collect());
    let lifted = bounds.chain(conditions).map(|row| {
        let along = basis.column_iter().map(|b| dot(&row, b.as_slice()));
        along.chain(row[start.len()..].iter().copied()).collect::<Vec<f64>>()
    });
    let onward = (1..=start.len() / 2 + 1).map(|i| if i == 1 { 1.0 } else { 0.0 }).collect();
    let rows = lifted.filter(|row| row.iter().any(|x| x.abs() > WIDTH)).chain(first.then_some(onward));
    interior(&rows.collect::<Vec<_>>(), basis.ncols()).is_none_or(|t| t > WIDTH)
}
