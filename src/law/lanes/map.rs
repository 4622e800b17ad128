use crate::routh::steps::Steps;
use crate::routh::steps::training::{ENOUGH, training};
use carom_core::lcp::table::key_weight;
use carom_core::lcp::tree::{Child, Point};
use carom_core::lcp::{DecisionTree, ModeMap};
use carom_core::vectors::{Table, Vector};
use carom_core::{ExplicitMap, ModeTable, Real};

/// Number of samples on which a tree is trained.
const TRAINING: u64 = 1024;

/// Largest number of nodes in a tree.
pub const NODES: usize = 32;

/// Largest number of critical regions that a tree distinguishes.
pub const REGIONS: usize = 16;

/// The explicit map of a step problem, or a part of it, in the form that the vector kernel uses.
#[derive(Clone, Debug)]
pub struct Map<R> {
    /// The critical regions with their affine maps.
    pub table: ModeTable<R>,
    /// The key of each region's solution as a map of `x = (u, c)` (3m each), see [`Solutions`].
    ///
    /// [`Solutions`]: carom_core::lcp::table::Solutions
    pub keys: Vec<R>,
    /// Largest difference of the keys of equal solutions, which differ by rounding only.
    pub same: R,
    /// Smallest difference of the keys of distinct solutions.
    pub close: R,
    /// Whether steps are proved to have one solution, so that the search ends with the first one.
    pub unique: bool,
    /// The decision tree, where steps have one solution.
    pub tree: Option<FlatTree<R>>,
}

/// A [`DecisionTree`] as look-up tables. Nodes and regions are numbered consecutively, nodes first,
/// and encoded as [`Vector::lookup_32`] reads indices.
#[derive(Clone, Debug)]
pub struct FlatTree<R> {
    /// The nodes' planes, entry by entry (3m), in single precision: rounding can only spoil a
    /// guess, which is checked anyway.
    pub planes: Vec<Table<f32, NODES>>,
    /// The two children of each node.
    pub children: [Table<f32, NODES>; 2],
    /// The roots of the first step and of later steps.
    pub roots: [f32; 2],
    /// Most nodes on a path from a root to a leaf.
    pub depth: usize,
    /// The regions' impulse maps, entry by entry (6 m^2).
    pub impulses: Vec<Table<R, REGIONS>>,
}

impl<R: Real> Map<R> {
    /// The map of the steps of `reference`, from the explicit map of its step problem.
    pub fn new(reference: &Steps<f64>, explicit: ExplicitMap) -> Map<R> {
        let step = &reference.space.step;
        let k = 2 * step.contacts;
        let tree = explicit.unique.then(|| FlatTree::train(reference, &explicit));
        let explicit = reference.ordered(explicit);
        let weights: Vec<f64> = (0..k).map(|i| key_weight::<f64>(i) * step.sigma[i]).collect();
        // The key is the sum of weight_i u+_i, with u+ = u + W L.
        let key = |map: &ModeMap, j: usize| -> R {
            let of_impulse = |i: usize| (0..k).map(|r| weights[r] * step.w[r * k + i]).sum::<f64>();
            let direct = if j < k { weights[j] } else { 0.0 };
            R::from_f64(direct + (0..k).map(|i| of_impulse(i) * map.impulse[(i, j)]).sum::<f64>())
        };
        let total: f64 = (0..k).map(key_weight::<f64>).sum();
        let caps: Vec<f64> = reference.rates.largest_caps().collect();
        Map {
            table: ModeTable::new(&explicit.regions, &caps),
            keys: explicit
                .regions
                .iter()
                .flat_map(|map| (0..k + k / 2).map(move |j| key(map, j)))
                .collect(),
            same: R::from_f64(R::AMBIGUOUS.to_f64().min(1e4 * R::EPSILON) * total),
            close: R::from_f64(R::DISTINCT * total),
            unique: explicit.unique,
            tree,
        }
    }
}

impl<R: Real> FlatTree<R> {
    fn train(reference: &Steps<f64>, explicit: &ExplicitMap) -> Self {
        let m = reference.space.step.contacts;
        let width = 3 * m;
        let caps: Vec<f64> = reference.rates.largest_caps().collect();
        let table = ModeTable::<f64>::new(&explicit.regions, &caps);
        let mut groups: Vec<Vec<Point>> = vec![Vec::new(), Vec::new()];
        let mut work = reference.workspace();
        for i in 0..TRAINING {
            if groups[1].len() as u64 > ENOUGH * TRAINING {
                break;
            }
            reference.sample_observed(&training(i), &mut work, |step, x, _| {
                if let Some(k) = (0..table.spans.len()).find(|&k| table.holds(k, x)) {
                    groups[usize::from(step > 0)].push((x.to_vec(), k));
                }
            });
        }
        let mut count = vec![0; table.spans.len()];
        groups.iter().flatten().for_each(|(_, k)| count[*k] += 1);
        let mut frequent: Vec<usize> = (0..count.len()).filter(|&k| count[k] > 0).collect();
        frequent.sort_by_key(|&k| std::cmp::Reverse(count[k]));
        frequent.truncate(REGIONS);
        let place: Vec<Option<usize>> =
            (0..count.len()).map(|k| frequent.iter().position(|&f| f == k)).collect();
        for group in &mut groups {
            *group = group.drain(..).filter_map(|(x, k)| Some((x, place[k]?))).collect();
        }
        let planes: Vec<Vec<f64>> = frequent
            .iter()
            .flat_map(|&k| {
                explicit.regions[k].conditions.row_iter().map(|row| row.iter().copied().collect())
            })
            .collect();
        let tree = DecisionTree::train(&groups, &planes, NODES);

        let index = |child: Child| {
            let i = match child {
                Child::Node(node) => node,
                Child::Leaf(region) => NODES + region,
            };
            <pulp::Scalar128b as Vector<f32>>::INDEX_BASE + i as f32
        };
        let planes = (0..width)
            .map(|j| table_of(|i| tree.planes.get(i).map(|plane| plane[j] as f32)))
            .collect();
        let side =
            |side: usize| table_of(|i| tree.children.get(i).map(|children| index(children[side])));
        let impulses = (0..2 * m * width)
            .map(|e| {
                table_of(|i| {
                    let region = &explicit.regions[*frequent.get(i)?];
                    Some(R::from_f64(region.impulse[(e / width, e % width)]))
                })
            })
            .collect();
        FlatTree {
            planes,
            children: [side(0), side(1)],
            roots: [index(tree.roots[0]), index(tree.roots[1])],
            depth: tree.depth,
            impulses,
        }
    }
}

fn table_of<R: Real, const ENTRIES: usize>(
    entry: impl Fn(usize) -> Option<R>,
) -> Table<R, ENTRIES> {
    Table(std::array::from_fn(|i| entry(i).unwrap_or(R::ZERO)))
}
