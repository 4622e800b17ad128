//! What the vector kernel knows of a step problem, built once.

use crate::engine::simd::{Table, Vector};
use crate::law::routh::Bound;
use crate::lcp::table::key_weight;
use crate::lcp::tree::{Child, Point};
use crate::lcp::{ExplicitMap, ModeMap, ModeTable, Tree};
use crate::real::Real;
use crate::rng::Stream;

/// Samples a tree is trained on.
const TRAINING: u64 = 1024;

/// Most nodes of a tree.
pub const NODES: usize = 32;

/// Most regions that a tree tells apart.
pub const REGIONS: usize = 16;

/// What the vector kernel knows of a step problem.
#[derive(Clone, Debug)]
pub struct Map<R> {
    /// The regions, those of a class together.
    pub table: ModeTable<R>,
    /// The class of each region.
    pub classes: Vec<usize>,
    /// The key of each region's solution as a map of `x = (u, c)` (3m each), see [`Solutions`].
    ///
    /// [`Solutions`]: crate::lcp::table::Solutions
    pub keys: Vec<R>,
    /// Two solutions whose keys differ by more are distinct.
    pub close: R,
    /// Whether steps are proved to have one solution, so that the first one found is the one.
    pub unique: bool,
    /// Where they have, what guesses it.
    pub tree: Option<FlatTree<R>>,
}

/// A [`Tree`] as look-up tables: node and region numbers are indices as [`Vector::lookup_32`] reads them, regions
/// beyond all nodes.
#[derive(Clone, Debug)]
pub struct FlatTree<R> {
    /// The nodes' planes, entry by entry (3m). Single precision: it guesses, and wrong guesses are found out.
    pub planes: Vec<Table<f32, NODES>>,
    /// Where each node leads.
    pub children: [Table<f32, NODES>; 2],
    /// Entrances of the first and of later steps.
    pub roots: [f32; 2],
    /// Most nodes on a way.
    pub depth: usize,
    /// The regions' impulse maps, entry by entry (6 m^2).
    pub impulses: Vec<Table<R, REGIONS>>,
}

impl<R: Real> Map<R> {
    /// Builds the map for a bound law; `reference` is the same law in f64.
    pub fn new(reference: &Bound<f64>) -> Map<R> {
        let explicit = ExplicitMap::new(&reference.step);
        let step = &reference.step;
        let k = 2 * step.contacts;
        let tree = explicit.unique.then(|| FlatTree::train(reference, &explicit, &reference.caps));
        let weights: Vec<f64> = (0..k).map(|i| key_weight::<f64>(i) * step.sigma[i]).collect();
        // The sum of weight_i u+_i, u+ = u + W L.
        let key = |map: &ModeMap, j: usize| -> R {
            let of_impulse = |i: usize| (0..k).map(|r| weights[r] * step.w[r * k + i]).sum::<f64>();
            let direct = if j < k { weights[j] } else { 0.0 };
            R::from_f64(direct + (0..k).map(|i| of_impulse(i) * map.impulse[(i, j)]).sum::<f64>())
        };
        Map {
            table: ModeTable::new(&explicit.regions, &reference.caps),
            keys: explicit.regions.iter().flat_map(|map| (0..k + k / 2).map(|j| key(map, j))).collect(),
            close: R::from_f64(R::DISTINCT * (0..k).map(key_weight::<f64>).sum::<f64>()),
            classes: explicit.classes,
            unique: explicit.unique,
            tree,
        }
    }
}

impl<R: Real> FlatTree<R> {
    fn train(reference: &Bound<f64>, explicit: &ExplicitMap, caps: &[f64]) -> Self {
        let width = 3 * caps.len();
        let table = ModeTable::<f64>::new(&explicit.regions, caps);
        let mut groups: Vec<Vec<Point>> = vec![Vec::new(), Vec::new()];
        let mut work = reference.workspace();
        for i in 0..TRAINING {
            // A seed of its own: the training is the same whatever is sampled.
            reference.sample_observed(&Stream::new(u64::MAX, i), &mut work, |step, x| {
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
            .flat_map(|&k| explicit.regions[k].conditions.row_iter().map(|row| row.iter().copied().collect()))
            .collect();
        let tree = Tree::train(&groups, &planes, NODES);

        let index = |child: Child| {
            let i = match child {
                Child::Node(node) => node,
                Child::Leaf(region) => NODES + region,
            };
            <pulp::Scalar128b as Vector<f32>>::INDEX_BASE + i as f32
        };
        let planes =
            (0..width).map(|j| table_of(|i| tree.planes.get(i).map(|plane| plane[j] as f32))).collect();
        let side = |side: usize| table_of(|i| tree.children.get(i).map(|children| index(children[side])));
        let impulses = (0..2 * caps.len() * width)
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

fn table_of<R: Real, const ENTRIES: usize>(entry: impl Fn(usize) -> Option<R>) -> Table<R, ENTRIES> {
    Table(std::array::from_fn(|i| entry(i).unwrap_or(R::ZERO)))
}
