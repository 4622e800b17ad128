//! Reports of a scenario tree of a motion.

use std::fmt::Write;

use super::mechanism::{ImpactRow, PassingRow, impact, passing};
use super::mechanism_text::warning;
use carom_core::text::{count, line, printable, short};
use carom_mechanics::motion::futures::{Fork, Futures, Node, Range, Tree};
use carom_mechanics::motion::{Midpoint, MotionEnding};
use schemars::JsonSchema;
use serde::Serialize;

/// Ends that the text lists.
const LISTED: usize = 20;

/// A tree: its branches, each after its parent, and the spread of their ends.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Futures")]
pub struct FuturesReport<'a> {
    branch: usize,
    max_branches: usize,
    samples: u64,
    /// Impacts at which fewer outcomes went on than wanted.
    cut: usize,
    interrupted: bool,
    passed: Vec<PassingRow<'a>>,
    /// What a reader must know.
    warnings: Vec<String>,
    #[schemars(length(min = 1))]
    nodes: Vec<NodeRow<'a>>,
    /// The ranges over the ends of branches.
    spread: Vec<SpreadRow>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Node")]
struct NodeRow<'a> {
    parent: Option<usize>,
    /// The share of what was drawn that it stands for.
    #[schemars(range(min = 0, max = 1))]
    mass: f64,
    fork: &'a Option<Fork>,
    collisions: Vec<ImpactRow<'a>>,
    children: &'a [usize],
    /// The step that it got to.
    time_step: u64,
    position: &'a [f64],
    momentum: &'a [f64],
    status: Option<MotionEnding>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Spread")]
struct SpreadRow {
    coordinate: String,
    position: Range,
    #[serde(skip_serializing_if = "Option::is_none")]
    momentum: Option<Range>,
}

/// The report of a tree.
pub(super) fn report<'a>(
    motion: &'a Midpoint,
    futures: &Futures,
    tree: &'a Tree,
) -> FuturesReport<'a> {
    let passed = tree.passed();
    let row = |(coordinate, position, momentum)| SpreadRow { coordinate, position, momentum };
    FuturesReport {
        branch: futures.branch,
        max_branches: futures.most,
        samples: futures.samples,
        cut: tree.cut,
        interrupted: tree.is_interrupted(),
        passed: passed.iter().map(|one| passing(motion, one)).collect(),
        warnings: passed.iter().map(|one| warning(motion, one)).collect(),
        nodes: tree.nodes.iter().map(node).collect(),
        spread: spread(motion, tree).into_iter().map(row).collect(),
    }
}

fn node(node: &Node) -> NodeRow<'_> {
    let Node { parent, mass, fork, children, state, ending: status, .. } = node;
    let (position, momentum) = (state.q.as_slice(), state.p.as_slice());
    NodeRow {
        parent: *parent,
        mass: *mass,
        fork,
        collisions: node.impacts.iter().map(impact).collect(),
        children,
        time_step: state.step,
        position,
        momentum,
        status: *status,
    }
}

/// The range over the ends of branches of each coordinate, and in a plane of each momentum.
fn spread(motion: &Midpoint, tree: &Tree) -> Vec<(String, Range, Option<Range>)> {
    let names = motion.mechanism().position_names();
    // In space a coordinate has no momentum of its own.
    let planar = names.len() == motion.mechanism().size();
    let row = |(i, name): (usize, String)| {
        let position = tree.range(|node| node.state.q[i])?;
        let momentum = if planar { tree.range(|node| node.state.p[i]) } else { None };
        Some((name, position, momentum))
    };
    names.into_iter().enumerate().filter_map(row).collect()
}

/// How many branches reach the end.
pub(super) fn ends(tree: &Tree) -> String {
    format!("{} at the end", count(tree.ends().count(), "branch").replace("branchs", "branches"))
}

/// Adds the tree as text.
pub(super) fn text(text: &mut String, motion: &Midpoint, futures: &Futures, tree: &Tree) {
    let ends: Vec<(usize, &Node)> = tree.ends().collect();
    let forks = tree.nodes.iter().filter(|node| !node.children.is_empty()).count();
    let (forks, most) = (count(forks, "fork"), futures.branch);
    let what = format!(
        "{}, {forks}; up to {most} outcomes of each simultaneous impact, from {} samples",
        self::ends(tree),
        futures.samples
    );
    text.push('\n');
    line(text, "futures", &what);
    if tree.cut > 0 {
        let why = "kept fewer, as there were enough branches: --max-branches";
        line(text, "", &format!("{} {why}", count(tree.cut, "impact")));
    }
    for passing in tree.passed() {
        line(text, "warning", &printable(&warning(motion, &passing)));
    }
    let mass = "the share of what the sampler draws that a branch stands for, no probability";
    line(text, "mass", mass);
    let heads = ["min", "mean", "max", "deviation"].map(|head| format!("{head:>14}")).concat();
    let _ = writeln!(text, "\n{:<24}{heads}", "at the end");
    for (name, position, _) in spread(motion, tree) {
        let Range { least, most, mean, deviation } = position;
        let cells = [least, mean, most, deviation].map(|x| format!("{:>14}", short(x)));
        let _ = writeln!(text, "  {:<22}{}", printable(&name), cells.concat());
    }
    let _ = writeln!(text, "\n{:>8}{:>12}  forks: time, s (share)", "branch", "mass");
    let mut heavy = ends;
    heavy.sort_by(|(_, a), (_, b)| b.mass.total_cmp(&a.mass));
    for (id, node) in heavy.iter().take(LISTED) {
        let _ = writeln!(text, "{id:>8}{:>12}  {}", percent(node.mass), way(tree, *id));
    }
    if heavy.len() > LISTED {
        let _ = writeln!(text, "  and {} more; --json has them all", heavy.len() - LISTED);
    }
}

fn way(tree: &Tree, id: usize) -> String {
    let mut forks = Vec::new();
    let mut at = Some(id);
    while let Some(id) = at {
        let node = &tree.nodes[id];
        let fork = |fork: &Fork| format!("{} ({})", short(fork.time), percent(fork.share));
        forks.extend(node.fork.as_ref().map(fork));
        at = node.parent;
    }
    forks.reverse();
    forks.join(", ")
}

fn percent(share: f64) -> String {
    format!("{} %", short(100.0 * share))
}
