//! The explicit map of a step problem in the form that the vector kernel uses, built once.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::engine::simd::{Table, Vector};
use crate::law::routh::steps::Steps;
use crate::lcp::modes::{Normal, Tangent, solve_modes};
use crate::lcp::table::key_weight;
use crate::lcp::tree::{Child, Point};
use crate::lcp::{ExplicitMap, ModeMap, ModeTable, StepMode, StepProblem, Tree};
use crate::real::Real;
use crate::rng::Stream;

/// Number of samples on which a tree is trained.
const TRAINING: u64 = 1024;

/// Training ends early after this many steps per sample.
const ENOUGH: u64 = 8;

/// Number of samples that determine the order in which conditions are evaluated.
const ORDERING: u64 = 128;

/// Number of samples on which a cache is trained.
const CACHE_TRAINING: u64 = 1024;

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
    /// [`Solutions`]: crate::lcp::table::Solutions
    pub keys: Vec<R>,
    /// Two solutions whose keys differ by at most this are the same solution with different rounding errors.
    pub same: R,
    /// Two solutions whose keys differ by more than this are distinct.
    pub close: R,
    /// Whether steps are proved to have one solution, so that the search ends with the first one.
    pub unique: bool,
    /// The decision tree, where steps have one solution.
    pub tree: Option<FlatTree<R>>,
}

/// A [`Tree`] as look-up tables. Nodes and regions are numbered consecutively, nodes first, and encoded as
/// [`Vector::lookup_32`] reads indices.
#[derive(Clone, Debug)]
pub struct FlatTree<R> {
    /// The nodes' planes, entry by entry (3m), in single precision: rounding can only spoil a guess, which is checked
    /// anyway.
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
        let explicit = ordered(explicit, reference);
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
            keys: explicit.regions.iter().flat_map(|map| (0..k + k / 2).map(move |j| key(map, j))).collect(),
            same: R::from_f64(R::AMBIGUOUS.to_f64().min(1e4 * R::EPSILON) * total),
            close: R::from_f64(R::DISTINCT * total),
            unique: explicit.unique,
            tree,
        }
    }

    /// A cache of the combinations of modes that occur in a thousand samples, and the share of training steps in which
    /// Lemke's method found another solution with a second covering vector.
    ///
    /// The cache solves a step if the combinations in it give exactly one distinct solution. Otherwise the law's own
    /// solver does.
    pub fn cached(reference: &Steps<f64>) -> (Map<R>, f64) {
        let step = &reference.space.step;
        let mut work = reference.workspace();
        let mut again = reference.workspace();
        let mut u = vec![0.0; 2 * step.contacts];
        let mut counts: HashMap<Vec<StepMode>, (usize, usize)> = HashMap::new();
        let mut count = |modes: Vec<StepMode>| {
            let order = counts.len();
            counts.entry(modes).or_insert((0, order)).0 += 1;
        };
        let (mut steps, mut several) = (0u64, 0u64);
        for i in 0..CACHE_TRAINING {
            if steps > ENOUGH * CACHE_TRAINING {
                break;
            }
            reference.sample_observed(&training(i), &mut work, |number, x, l| {
                count(modes_at(step, x, l));
                // A second random covering vector may find another solution of the step.
                let other = Stream::new(u64::MAX - 1, i);
                if let Some((l_other, u_other, _)) = reference.solve_at(&other, number, x, &mut again) {
                    count(modes_at(step, x, l_other));
                    step.advance(&x[..u.len()], l, &mut u);
                    let apart = |i: usize| ((u[i] - u_other[i]) * step.sigma[i]).abs() > f64::DISTINCT;
                    several += u64::from((0..u.len()).any(apart));
                }
                steps += 1;
            });
        }
        let mut frequent: Vec<(Vec<StepMode>, (usize, usize))> = counts.into_iter().collect();
        frequent.sort_by_key(|(_, (count, order))| (Reverse(*count), *order));
        let regions: Vec<ModeMap> =
            frequent.iter().filter_map(|(modes, _)| solve_modes(step, modes)).collect();
        let share = several as f64 / steps.max(1) as f64;
        (Map::new(reference, ExplicitMap::of(step, regions)), share)
    }
}

/// The same map, with the conditions of each region in the order in which they exclude most steps.
fn ordered(mut explicit: ExplicitMap, reference: &Steps<f64>) -> ExplicitMap {
    let mut points: Vec<Vec<f64>> = Vec::new();
    let mut work = reference.workspace();
    for i in 0..ORDERING {
        if points.len() as u64 > ENOUGH * ORDERING {
            break;
        }
        reference.sample_observed(&training(i), &mut work, |_, x, _| points.push(x.to_vec()));
    }
    for region in &mut explicit.regions {
        let rows = region.conditions.row_iter();
        let mut left: Vec<(Vec<f64>, Vec<bool>)> = rows
            .map(|row| {
                let row: Vec<f64> = row.iter().copied().collect();
                let fails = points.iter().map(|x| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>() < 0.0);
                let fails = fails.collect();
                (row, fails)
            })
            .collect();
        let mut alive = vec![true; points.len()];
        for place in 0..left.len() {
            let ruled_out =
                |fails: &[bool]| fails.iter().zip(&alive).filter(|(fails, alive)| **fails && **alive).count();
            let best =
                (place..left.len()).max_by_key(|&r| (ruled_out(&left[r].1), Reverse(r))).unwrap_or(place);
            left.swap(place, best);
            for (alive, fails) in alive.iter_mut().zip(&left[place].1) {
                *alive &= !fails;
            }
            for (j, x) in left[place].0.iter().enumerate() {
                region.conditions[(place, j)] = *x;
            }
        }
    }
    explicit
}

/// The stream of training sample `i`. Its seed is fixed, so that training does not depend on the samples of the run.
fn training(i: u64) -> Stream<'static> {
    Stream::new(u64::MAX, i)
}

/// The combination of modes of a solution `l` of the step at `x = (u, c)`.
fn modes_at(step: &StepProblem<f64>, x: &[f64], l: &[f64]) -> Vec<StepMode> {
    let m = step.contacts;
    let zero = 1e-9;
    let mut u = vec![0.0; 2 * m];
    step.advance(&x[..2 * m], l, &mut u);
    (0..m)
        .map(|i| {
            let (ln, lt, c, mu) = (l[i], l[m + i], x[2 * m + i], step.mu[i]);
            if c == 0.0 && u[i] < 0.0 {
                // With a bound of 0 the contact has no impulse; it keeps its direction of sliding.
                let slides = if u[m + i] > 0.0 { Tangent::Plus } else { Tangent::Minus };
                return (Normal::Full, if mu == 0.0 { Tangent::Free } else { slides });
            }
            if ln <= zero * c {
                return (Normal::Off, Tangent::Free);
            }
            let normal = if ln >= c - zero * c { Normal::Full } else { Normal::Ending };
            let tangent = match () {
                () if mu == 0.0 => Tangent::Free,
                () if lt <= -mu * ln * (1.0 - zero) => Tangent::Plus,
                () if lt >= mu * ln * (1.0 - zero) => Tangent::Minus,
                () => Tangent::Stick,
            };
            (normal, tangent)
        })
        .collect()
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

fn table_of<R: Real, const ENTRIES: usize>(entry: impl Fn(usize) -> Option<R>) -> Table<R, ENTRIES> {
    Table(std::array::from_fn(|i| entry(i).unwrap_or(R::ZERO)))
}
