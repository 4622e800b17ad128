//! Cells: which critical regions can contain a step, from the signs of a few hyperplanes at that
//! step.

use nalgebra::DMatrix;

use super::explicit::{ExplicitMap, WIDTH};
use super::interior::interior;
use super::table::{ModeTable, dot};
use super::tree::{Child, DecisionTree, Point};

/// A plane on which more than this share of the training points lie does not separate critical
/// regions.
const SHARE_ON_PLANE: f64 = 2e-3;

/// A point closer to a plane than this lies on it.
const ON_PLANE: f64 = 1e-5;

/// A cell: the steps `x = (u, c)` on given sides of some planes.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The planes that bound the cell, as bits; the highest bit says that it holds only first steps
    /// or only later ones.
    pub mask: u32,
    /// The sides on which the cell lies: bit i is 1 for `plane_i x > 0`, the highest bit is 1 for
    /// later steps.
    pub sides: u32,
    /// The critical regions that can contain a step of this cell.
    pub regions: Vec<usize>,
}

/// The leaves of a [`DecisionTree`], each with the critical regions of an [`ExplicitMap`] that
/// overlap its cell.
///
/// Where every step has one solution, a leaf has one region. This region is a guess, which the
/// residual of its solution checks. Otherwise further planes cut off the parts of a leaf in which
/// there are other regions than at its training points; a step in such a part belongs to no cell.
/// The lists are then complete, except for points on a plane; where all regions of a cell give the
/// same solution, one of them is listed. Cost: two small linear programs per leaf and region. Twin:
/// `shaders/lcp/cells.wgsl`.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The hyperplanes of all cells.
    pub planes: Vec<Vec<f64>>,
    /// The two children of each node of the tree, whose plane has its number: for `plane x <= 0`,
    /// and otherwise.
    pub nodes: Vec<[Child; 2]>,
    /// The roots of first and of later steps.
    pub roots: [Child; 2],
    /// The cells; none overlaps another. They are in the order in which the leaves of both roots
    /// are met, below before above.
    pub cells: Vec<Cell>,
    /// The class of each region: regions of one class give the same solution.
    pub classes: Vec<usize>,
}

/// The bit that marks later steps.
const LATER: u32 = 1 << 31;

impl Cells {
    /// Largest number of planes.
    pub const PLANES: usize = 30;

    /// Largest number of planes in the tree where steps may have several solutions; the remaining
    /// planes cut its leaves.
    const TREE: usize = 16;

    /// Builds cells from the training points `steps`: first steps, which all start from one
    /// velocity, and later steps. `caps` (m) are the largest impulse bounds `c`.
    pub fn new(explicit: &ExplicitMap, caps: &[f64], steps: &[Vec<Vec<f64>>; 2]) -> Self {
        let table = ModeTable::<f64>::new(&explicit.regions, caps);
        let mut sets: Vec<Vec<usize>> = Vec::new();
        let mut label = |x: &Vec<f64>| -> Option<Point> {
            let mut set: Vec<usize> =
                (0..table.spans.len()).filter(|&k| table.holds(k, x)).collect();
            // One region stands for all regions of its class.
            set.dedup_by_key(|k| explicit.classes[*k]);
            if explicit.unique {
                set.truncate(1);
            }
            let label = sets.iter().position(|s| *s == set).unwrap_or_else(|| {
                sets.push(set);
                sets.len() - 1
            });
            (!sets[label].is_empty()).then(|| (x.clone(), label))
        };
        let groups =
            steps.each_ref().map(|xs| xs.iter().filter_map(&mut label).collect::<Vec<Point>>());
        let on = |plane: &Vec<f64>| {
            let near =
                groups.iter().flatten().filter(|(x, _)| dot(plane, x).abs() <= ON_PLANE).count();
            near as f64 <= SHARE_ON_PLANE * groups.iter().map(Vec::len).sum::<usize>() as f64
        };
        let mut occurring: Vec<usize> = sets.iter().flatten().copied().collect();
        occurring.sort_unstable();
        occurring.dedup();
        let planes_of = |k: usize| {
            explicit.regions[k].conditions.row_iter().map(|row| row.iter().copied().collect())
        };
        let planes: Vec<Vec<f64>> = occurring
            .iter()
            .flat_map(|&k| planes_of(k))
            .filter(|plane| explicit.unique || on(plane))
            .collect();
        let most = if explicit.unique { Self::PLANES } else { Self::TREE };
        let tree = DecisionTree::train(&groups, &planes, most);
        let mut cells = Cells {
            planes: tree.planes.clone(),
            nodes: tree.children.clone(),
            roots: [tree.roots[0], tree.roots[1]],
            cells: Vec::new(),
            classes: explicit.classes.clone(),
        };
        for (root, later) in [0, LATER].into_iter().enumerate() {
            let cell = Cell { mask: LATER, sides: later, regions: vec![] };
            cells.below(&tree, tree.roots[root], cell, &sets);
        }
        if !explicit.unique {
            let mut further = cells.planes.clone();
            for plane in (0..explicit.regions.len()).flat_map(planes_of).filter(on) {
                if further.iter().all(|other| same_side(&plane, other).is_none()) {
                    further.push(plane);
                }
            }
            let m = caps.len();
            let start = steps[0].first().map_or(vec![0.0; 2 * m], |x| x[..2 * m].to_vec());
            let intruders = cells.intruders(explicit, &start, &groups, &sets, &further);
            cells.narrow(&further, intruders);
            cells.list(explicit, &start);
        }
        cells
    }

    /// Whether no cell lists more than one region.
    pub fn single(&self) -> bool {
        self.cells.iter().all(|cell| cell.regions.len() <= 1)
    }

    /// The regions that overlap a cell but contain none of its training points, each with those
    /// `planes` that would exclude it from the cell.
    fn intruders(
        &self,
        explicit: &ExplicitMap,
        start: &[f64],
        groups: &[Vec<Point>; 2],
        sets: &[Vec<usize>],
        planes: &[Vec<f64>],
    ) -> Vec<Intruder> {
        let mut intruders = Vec::new();
        for (i, cell) in self.cells.iter().enumerate() {
            let later = cell.sides & LATER;
            let inside = |x: &[f64]| (self.sides(x) | later) & cell.mask == cell.sides;
            let points: Vec<&Point> =
                groups[usize::from(later != 0)].iter().filter(|(x, _)| inside(x)).collect();
            let held = points.iter().flat_map(|(_, label)| &sets[*label]);
            let classes: Vec<usize> = held.map(|&k| explicit.classes[k]).collect();
            let sides: Vec<Option<bool>> = planes
                .iter()
                .map(|plane| {
                    let all =
                        |sign: f64| points.iter().all(|(x, _)| sign * dot(plane, x) > ON_PLANE);
                    if all(1.0) { Some(true) } else { all(-1.0).then_some(false) }
                })
                .collect();
            for k in 0..explicit.regions.len() {
                if !classes.contains(&explicit.classes[k])
                    && meets(&self.planes, cell, explicit, k, start)
                {
                    let keeps_away = |&p: &usize| {
                        explicit.regions[k].conditions.row_iter().any(|row| {
                            let row: Vec<f64> = row.iter().copied().collect();
                            same_side(&row, &planes[p]).is_some_and(|same| sides[p] == Some(!same))
                        })
                    };
                    let ways: Vec<(usize, bool)> = (0..planes.len())
                        .filter(keeps_away)
                        .filter_map(|p| sides[p].map(|side| (p, side)))
                        .collect();
                    intruders.push(Intruder { cell: i, points: points.len(), ways });
                }
            }
        }
        intruders
    }

    /// Cuts each cell by planes on one side of which all its training points lie, to exclude
    /// intruders. `planes` begin with those of the cells.
    fn narrow(&mut self, planes: &[Vec<f64>], mut intruders: Vec<Intruder>) {
        // Planes that are in use already cost nothing and come first; then those whose intruders
        // share cells with most training points.
        let mut bits: Vec<Option<usize>> =
            (0..planes.len()).map(|p| (p < self.planes.len()).then_some(p)).collect();
        loop {
            let gain = |p: usize| -> usize {
                intruders.iter().filter(|one| one.side(p).is_some()).map(|one| one.points).sum()
            };
            let best = (0..planes.len())
                .filter(|&p| bits[p].is_some() || self.planes.len() < Self::PLANES)
                .map(|p| (bits[p].is_some(), gain(p), p))
                .filter(|&(_, gain, _)| gain > 0)
                .max();
            let Some((_, _, p)) = best else { break };
            let bit = *bits[p].get_or_insert(self.planes.len());
            if bit == self.planes.len() {
                self.planes.push(planes[p].clone());
            }
            intruders.retain(|one| {
                if let Some(above) = one.side(p) {
                    self.cells[one.cell].mask |= 1 << bit;
                    self.cells[one.cell].sides |= u32::from(above) << bit;
                }
                one.side(p).is_none()
            });
        }
    }

    /// Lists the regions that overlap each cell; only the guessed one, if all of them are of its
    /// class.
    fn list(&mut self, explicit: &ExplicitMap, start: &[f64]) {
        for cell in &mut self.cells {
            let guess = cell.regions.first().copied();
            cell.regions = (0..explicit.regions.len())
                .filter(|&k| meets(&self.planes, cell, explicit, k, start))
                .collect();
            let same = |guess: &usize| {
                cell.regions.iter().all(|&k| explicit.classes[k] == explicit.classes[*guess])
            };
            if let Some(guess) = guess.filter(same) {
                cell.regions = vec![guess];
            }
        }
    }

    /// Adds the leaves below `child` as cells, bounded by the planes of `cell` and those of the
    /// nodes in between.
    fn below(&mut self, tree: &DecisionTree, child: Child, cell: Cell, sets: &[Vec<usize>]) {
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

    /// Bit i is 1 where `plane_i x > 0`.
    fn sides(&self, x: &[f64]) -> u32 {
        self.planes.iter().enumerate().map(|(i, plane)| u32::from(dot(plane, x) > 0.0) << i).sum()
    }

    /// The regions that can contain `x`, in the first step or a later one; `None` if `x` is in no
    /// cell, or closer than `near` to a plane that bounds its cell. Twin:
    /// `shaders/lcp/cells.wgsl::cells_find`.
    pub fn find(&self, first: bool, near: f64, x: &[f64]) -> Option<&[usize]> {
        let sides = self.sides(x) | if first { 0 } else { LATER };
        let near = |(i, plane): (usize, &Vec<f64>)| u32::from(dot(plane, x).abs() < near) << i;
        let close: u32 = self.planes.iter().enumerate().map(near).sum();
        let cell = self.cells.iter().find(|cell| sides & cell.mask == cell.sides)?;
        (close & cell.mask == 0).then_some(&cell.regions)
    }
}

/// A region that overlaps a cell but contains none of its training points.
struct Intruder {
    cell: usize,
    /// Number of training points in the cell.
    points: usize,
    /// The planes that exclude it from the cell, each with the side of the training points.
    ways: Vec<(usize, bool)>,
}

impl Intruder {
    /// On which side of plane `p` the training points lie, if that plane excludes the region.
    fn side(&self, p: usize) -> Option<bool> {
        self.ways.iter().find(|way| way.0 == p).map(|way| way.1)
    }
}

/// Whether two coinciding planes (with largest entry 1) have the same positive side; `None` if they
/// do not coincide.
fn same_side(a: &[f64], b: &[f64]) -> Option<bool> {
    let same = |sign: f64| a.iter().zip(b).all(|(a, b)| (a - sign * b).abs() <= WIDTH);
    if same(1.0) { Some(true) } else { same(-1.0).then_some(false) }
}

/// Whether critical region `k` and a cell have common interior points, among the velocities that
/// can occur.
fn meets(
    planes: &[Vec<f64>],
    cell: &Cell,
    explicit: &ExplicitMap,
    k: usize,
    start: &[f64],
) -> bool {
    let first = cell.sides & LATER == 0;
    let basis = if first {
        DMatrix::from_column_slice(start.len(), 1, start)
    } else {
        explicit.basis.clone()
    };
    let bounds =
        planes.iter().enumerate().filter(|(i, _)| cell.mask >> i & 1 == 1).map(|(i, plane)| {
            let sign = if cell.sides >> i & 1 == 1 { 1.0 } else { -1.0 };
            plane.iter().map(|x| sign * x).collect::<Vec<f64>>()
        });
    let conditions =
        explicit.regions[k].conditions.row_iter().map(|row| row.iter().copied().collect());
    let lifted = bounds.chain(conditions).map(|row| {
        let along = basis.column_iter().map(|b| dot(&row, b.as_slice()));
        along.chain(row[start.len()..].iter().copied()).collect::<Vec<f64>>()
    });
    let onward = (1..=start.len() / 2 + 1).map(|i| if i == 1 { 1.0 } else { 0.0 }).collect();
    let rows =
        lifted.filter(|row| row.iter().any(|x| x.abs() > WIDTH)).chain(first.then_some(onward));
    interior(&rows.collect::<Vec<_>>(), basis.ncols()).is_none_or(|t| t > WIDTH)
}
