//! A decision tree that guesses the critical region of a step from the signs of a few hyperplanes.

use super::table::dot;

/// The end of an edge of a [`DecisionTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// A node.
    Node(usize),
    /// A leaf with the guessed region.
    Leaf(usize),
}

/// A decision tree over hyperplanes `plane x <= 0`, trained on points whose critical regions are
/// known.
///
/// The answer of the tree is a guess, so callers check the solution of the guessed region. Training
/// is greedy: the leaf with the largest entropy is split next, by the plane that leaves the least
/// entropy, until every leaf has one region or `budget` nodes are used.
#[derive(Clone, Debug)]
pub struct DecisionTree {
    /// The hyperplane of each node.
    pub planes: Vec<Vec<f64>>,
    /// The two children of each node: for `plane x <= 0`, and otherwise.
    pub children: Vec<[Child; 2]>,
    /// The root of each group of training points.
    pub roots: Vec<Child>,
    /// Most nodes on a path from a root to a leaf.
    pub depth: usize,
}

/// A training point and its region.
pub type Point = (Vec<f64>, usize);

/// A leaf during training: its parent (node and side), root, training points and depth.
struct Open {
    parent: Option<(usize, usize)>,
    root: usize,
    points: Vec<usize>,
    depth: usize,
}

impl DecisionTree {
    /// Trains one tree with a root for each group of points. `planes` are the candidate splits,
    /// `budget` the most nodes.
    pub fn train(groups: &[Vec<Point>], planes: &[Vec<f64>], budget: usize) -> DecisionTree {
        let points: Vec<&Point> = groups.iter().flatten().collect();
        let sides = |plane: &Vec<f64>| points.iter().map(|(x, _)| dot(plane, x) > 0.0).collect();
        let above: Vec<Vec<bool>> = planes.iter().map(sides).collect();
        let roots = vec![Child::Leaf(0); groups.len()];
        let mut tree = DecisionTree { planes: vec![], children: vec![], roots, depth: 0 };
        let mut first = 0;
        let mut open: Vec<Open> = Vec::new();
        for (root, group) in groups.iter().enumerate() {
            let points = (first..first + group.len()).collect();
            open.push(Open { parent: None, root, points, depth: 0 });
            first += group.len();
        }
        for leaf in &open {
            tree.lead(leaf, Child::Leaf(majority(&points, &leaf.points)));
        }
        while tree.planes.len() < budget {
            let entropies = open.iter().map(|leaf| entropy(&points, leaf.points.iter().copied()));
            let widest = entropies.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((widest, most)) = widest.filter(|(_, most)| *most > 0.0) else { break };
            let leaf = open.swap_remove(widest);
            let left = |plane: usize| -> f64 {
                let above = &above[plane];
                let side = |up: bool| leaf.points.iter().copied().filter(move |&i| above[i] == up);
                entropy(&points, side(false)) + entropy(&points, side(true))
            };
            let best = (0..planes.len())
                .map(|plane| (plane, left(plane)))
                .min_by(|a, b| a.1.total_cmp(&b.1));
            let Some((plane, rest)) = best else { break };
            if rest >= most {
                continue;
            }
            let node = tree.planes.len();
            tree.planes.push(planes[plane].clone());
            tree.children.push([Child::Leaf(0); 2]);
            tree.lead(&leaf, Child::Node(node));
            tree.depth = tree.depth.max(leaf.depth + 1);
            for (side, up) in [false, true].into_iter().enumerate() {
                let here = leaf.points.iter().copied().filter(|&i| above[plane][i] == up).collect();
                let (parent, depth) = (Some((node, side)), leaf.depth + 1);
                let child = Open { parent, root: leaf.root, points: here, depth };
                tree.lead(&child, Child::Leaf(majority(&points, &child.points)));
                open.push(child);
            }
        }
        tree
    }

    fn lead(&mut self, leaf: &Open, to: Child) {
        match leaf.parent {
            None => self.roots[leaf.root] = to,
            Some((node, side)) => self.children[node][side] = to,
        }
    }

    /// The region that the tree guesses at `x`, starting from root number `root`.
    pub fn guess(&self, root: usize, x: &[f64]) -> usize {
        let mut at = self.roots[root];
        loop {
            match at {
                Child::Leaf(region) => return region,
                Child::Node(node) => {
                    at = self.children[node][usize::from(dot(&self.planes[node], x) > 0.0)]
                }
            }
        }
    }
}

fn counts(points: &[&Point], chosen: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut counts = Vec::new();
    for i in chosen {
        let region = points[i].1;
        if counts.len() <= region {
            counts.resize(region + 1, 0);
        }
        counts[region] += 1;
    }
    counts
}

/// Number of points times the entropy of their regions, in bits.
fn entropy(points: &[&Point], chosen: impl Iterator<Item = usize>) -> f64 {
    let counts = counts(points, chosen);
    let total = counts.iter().sum::<usize>() as f64;
    counts.iter().filter(|&&n| n > 0).map(|&n| n as f64 * (total / n as f64).log2()).sum()
}

fn majority(points: &[&Point], chosen: &[usize]) -> usize {
    let counts = counts(points, chosen.iter().copied());
    let most = counts.iter().enumerate().max_by_key(|(region, n)| (**n, usize::MAX - region));
    most.map_or(0, |(region, _)| region)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_learns_quadrants_and_keeps_its_budget() {
        let point = |i: u32| {
            let x = vec![f64::from(i % 17) - 8.25, f64::from(i % 23) - 11.25];
            let region = usize::from(x[0] > 0.0) + 2 * usize::from(x[1] > 0.0);
            (x, region)
        };
        let points: Vec<Point> = (0..400).map(point).collect();
        let lower: Vec<Point> = points.iter().filter(|p| p.1 < 2).cloned().collect();
        let planes = [vec![1.0, 0.0], vec![0.0, 1.0], vec![1.0, 1.0]];
        let tree = DecisionTree::train(&[points.clone(), lower.clone()], &planes, 32);
        assert!(points.iter().all(|(x, region)| tree.guess(0, x) == *region));
        assert!(lower.iter().all(|(x, region)| tree.guess(1, x) == *region));
        assert_eq!((tree.planes.len(), tree.depth), (4, 2));
        assert_eq!(DecisionTree::train(&[points], &planes, 1).planes.len(), 1);
    }
}
