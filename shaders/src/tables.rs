//! The table of contact modes by which steps are solved, and its layout in buffers.

use super::header::{NEAR, padded};
use super::uniform::{RunUniform, TablePlace};
use crate::Limits;
use carom_core::lcp::Cells;
use carom_core::lcp::table::key_weight;
use carom_core::lcp::tree::Child;
use carom_core::{Error, ExplicitMap, ModeTable, Real, Result, StepProblem};
use carom_law::routh::events::table::tabulate;
use carom_law::routh::steps::Steps;
use carom_law::routh::steps::training::training;

/// Number of samples on which cells are trained.
const TRAINING: u64 = 1024;

/// A table of contact modes; and, where there are any, the cells that list its combinations.
#[derive(Clone, Copy, Debug)]
pub struct Regions<'a, R> {
    /// The maps of the contact modes.
    pub table: &'a ModeTable<R>,
    /// The cells, each with the combinations that can hold in it.
    pub cells: Option<&'a Cells>,
    /// Whether combinations outside the table may hold too: then only a step with one solution in
    /// the table is solved.
    pub part: bool,
    /// Whether steps are proved to have one solution, so that the guess of a cell is the solution
    /// wherever it satisfies the conditions.
    pub unique: bool,
}

/// Cells for the regions of steps, trained on samples.
pub fn train(law: &Steps<f64>, explicit: &ExplicitMap) -> Cells {
    let mut steps = [Vec::new(), Vec::new()];
    let mut work = law.workspace();
    for i in 0..TRAINING {
        law.sample_observed(&training(i), &mut work, |step, x, _| {
            steps[usize::from(step > 0)].push(x.to_vec());
        });
    }
    let caps: Vec<f64> = law.rates.largest_caps().collect();
    Cells::new(explicit, &caps, &steps)
}

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

/// Bit that marks a leaf among the entries of a tree.
pub const LEAF: u32 = 1 << 31;

/// Entry without a cell.
pub const NOWHERE: u32 = u32::MAX;

/// The entries of [`Buffers::cells`]; `lists` are those of the cells.
fn entries(cells: &Cells, lists: &[[u32; 2]]) -> Vec<[u32; 4]> {
    // Appends the part of the tree below `child`, whose cells follow the first `leaves`; returns
    // its place. `path` are the planes above it.
    fn append(
        cells: &Cells,
        lists: &[[u32; 2]],
        child: Child,
        path: u32,
        leaves: &mut usize,
        entries: &mut Vec<[u32; 4]>,
    ) -> u32 {
        let at = entries.len();
        if let Child::Node(node) = child {
            entries.push([0; 4]);
            let below = cells.nodes[node]
                .map(|child| append(cells, lists, child, path | 1 << node, leaves, entries));
            entries[at] = [node as u32, below[0], below[1], 0];
            return at as u32;
        }
        let (cell, [list, length]) = (&cells.cells[*leaves], lists[*leaves]);
        entries.push([list, length, *leaves as u32, 0]);
        *leaves += 1;
        // The planes that cut this leaf.
        let cuts = (0..cells.planes.len()).filter(|plane| cell.mask & !path & 1 << plane != 0);
        cuts.fold(LEAF | at as u32, |inside, plane| {
            let [below, above] =
                if cell.sides & 1 << plane == 0 { [inside, NOWHERE] } else { [NOWHERE, inside] };
            entries.push([plane as u32, below, above, 0]);
            entries.len() as u32 - 1
        })
    }
    let mut all = vec![[0; 4]];
    let mut leaves = 0;
    let [first, later] =
        cells.roots.map(|root| append(cells, lists, root, 0, &mut leaves, &mut all));
    all[0] = [0, first, later, 0];
    all
}

/// The table kernels' buffers.
#[derive(Clone, Debug, Default)]
pub struct Buffers<R> {
    /// The combinations; then the lists of the cells, each entry with its class.
    pub spans: Vec<[u32; 2]>,
    /// The numbers of [`table_buffer`]; then two keys of each region, where cells list several. For
    /// the event process, those of [`tabulate`].
    pub maps: Vec<R>,
    /// The planes of the cells, each padded with zeros.
    pub planes: Vec<R>,
    /// The tree of the cells. First its roots: 0, the root of first steps, the root of later steps.
    /// A node has its plane, then where it leads below and above: to an entry, to a leaf ([`LEAF`]
    /// and its entry), or [`NOWHERE`]. A leaf has the place of its cell's list (its region, where
    /// no cell lists several), the length of the list, and the number of the cell.
    pub cells: Vec<[u32; 4]>,
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

impl<R: Real> Regions<'_, R> {
    /// Distance from a plane of the cells within which a step lies on the plane: there a cell may
    /// miss a solution.
    pub fn edge(&self) -> R {
        if self.unique { R::ZERO } else { R::from_f64(NEAR) * self.table.tolerance }
    }

    /// The buffers for the table of `step`; writes the places of their parts into `uniform`.
    pub fn buffers(&self, step: &StepProblem<R>, uniform: &mut RunUniform) -> Buffers<R> {
        let m = step.contacts;
        let mut spans = self.table.spans.clone();
        let mut maps = table_buffer(self.table, m);
        let row = padded(3 * m);
        uniform.combinations = spans.len() as u32;
        uniform.first_map = (self.table.conditions.len() / (3 * m) * row / 4) as u32;
        uniform.first_key = (maps.len() / 4) as u32;
        let mut planes = Vec::new();
        let mut cells = Vec::new();
        if let Some(given) = self.cells {
            let mut lists = Vec::new();
            for one in &given.cells {
                let guess = one.regions.first().map_or(0, |&k| k as u32);
                let list = if given.single() { guess } else { spans.len() as u32 };
                lists.push([list, one.regions.len() as u32]);
                spans.extend(one.regions.iter().map(|&k| [k as u32, given.classes[k] as u32]));
            }
            if !given.single() {
                for k in 0..self.table.spans.len() {
                    for power in [1, 2] {
                        maps.extend(self.key(step, k, power));
                        maps.resize(maps.len().next_multiple_of(row), R::ZERO);
                    }
                }
            }
            for plane in &given.planes {
                planes.extend(plane.iter().map(|&x| R::from_f64(x)));
                planes.resize(planes.len().next_multiple_of(row), R::ZERO);
            }
            cells = entries(given, &lists);
        }
        Buffers { spans, maps, planes, cells }
    }

    /// The sum of `key_weight^power sigma u+` of region `k` as a map of `x` (3m).
    fn key(&self, step: &StepProblem<R>, k: usize, power: i32) -> Vec<R> {
        let (m, width) = (step.contacts, 3 * step.contacts);
        let map = &self.table.impulses[k * 2 * m * width..(k + 1) * 2 * m * width];
        let weight = |i: usize| key_weight::<f64>(i).powi(power) * step.sigma[i].to_f64();
        let of_impulse =
            |i: usize| (0..2 * m).map(|r| weight(r) * step.w[r * 2 * m + i].to_f64()).sum::<f64>();
        let entry = |j: usize| {
            let direct = if j < 2 * m { weight(j) } else { 0.0 };
            let terms = (0..2 * m).map(|i| of_impulse(i) * map[i * width + j].to_f64());
            R::from_f64(direct + terms.sum::<f64>())
        };
        (0..width).map(entry).collect()
    }
}
