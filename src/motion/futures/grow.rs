//! The growth of a tree of futures.

use std::sync::atomic::{AtomicBool, Ordering};

use super::candidates::{Candidates, Chosen, DISTINCT};
use super::tree::{Fork, Node, Tree};
use crate::error::{Error, Result};
use crate::motion::ending::MotionEnding;
use crate::motion::midpoint::{Change, Going, MechanismMoment, Stepping};

/// Number that exceeds the impacts of a step.
const IMPACTS: u64 = 1 << 20;

/// The options of a tree of futures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Futures {
    /// Most outcomes of a simultaneous impact that continue.
    pub branch: usize,
    /// Most branches that end.
    pub most: usize,
    /// Number of samples from which these outcomes are chosen.
    pub samples: u64,
}

impl Default for Futures {
    fn default() -> Self {
        Futures { branch: 3, most: 64, samples: 4096 }
    }
}

/// The tree of the motions that `motion` can take in `steps` steps; `look` is called for each
/// branch, with its number, at the start, at the end of each step and, where other branches follow,
/// at its end; one branch after the other.
///
/// At each impact at two contacts and more, at most `branch` outcomes continue: the first one of
/// the law, then again and again the one that is farthest from all before, in the norm of the mass
/// matrix. Each stands for the outcomes nearest to it and has their share. The branch with the
/// largest mass grows first; where there would be more than `most` branches, fewer outcomes
/// continue. A fork is the same for every number of threads: each impact of a step has samples of
/// its own.
///
/// # Errors
/// Numbers of branches or samples that are 0; those of [`Stepping::go_on`], of the law, and of
/// `look`.
pub fn grow<M: Stepping>(
    motion: &M,
    futures: &Futures,
    steps: u64,
    stop: Option<&AtomicBool>,
    mut look: impl FnMut(usize, &MechanismMoment<'_>) -> Result<()>,
) -> Result<Tree> {
    for (number, key) in [
        (futures.branch, "branch"),
        (futures.most, "max_branches"),
        (futures.samples as usize, "samples"),
    ] {
        if number == 0 {
            return Err(Error::usage("expected a number above 0").at(key));
        }
    }
    let start = motion.begin()?;
    let root = Node::new(None, None, 1.0, motion.plain(&start));
    let mut tree = Tree { nodes: vec![root], cut: 0 };
    let mut states = vec![start];
    let mut open = vec![0];
    let mut ended = 0;
    while let Some(at) = heaviest(&tree, &open) {
        let id = open.swap_remove(at);
        let room = futures.most.saturating_sub(ended + open.len()).max(1);
        let before = impacts_before(&tree, id);
        let look = |state: &M::State, impacts: usize| -> Result<()> {
            let (given, plain) = (motion.given(), motion.plain(state));
            let moment = MechanismMoment {
                step: plain.step,
                time: given.time_of(&plain),
                state: &plain,
                energy: given.energy(&plain)?,
                impacts: (before + impacts) as u64,
                arc: motion.arc(state),
            };
            look(id, &moment)
        };
        let branch = (&mut tree.nodes[id], &mut states[id]);
        let forks = follow(motion, futures, steps, stop, branch, room, look)?;
        tree.cut += usize::from(forks.cut);
        ended += usize::from(forks.children.is_empty());
        for (fork, state) in forks.children {
            let mass = tree.nodes[id].mass * fork.share;
            let place = tree.nodes.len();
            tree.nodes[id].children.push(place);
            open.push(place);
            tree.nodes.push(Node::new(Some(id), Some(fork), mass, motion.plain(&state)));
            states.push(state);
        }
    }
    Ok(tree)
}

/// The place in `open` of the branch with the largest mass; of equal ones, the first branch.
fn heaviest(tree: &Tree, open: &[usize]) -> Option<usize> {
    let heavier = |a: &usize, b: &usize| {
        let [x, y] = [*a, *b].map(|place| open[place]);
        tree.nodes[x].mass.total_cmp(&tree.nodes[y].mass).then(y.cmp(&x))
    };
    (0..open.len()).max_by(heavier)
}

/// Number of impacts before a branch begins, that of its fork included.
fn impacts_before(tree: &Tree, id: usize) -> usize {
    let parent = |id: &usize| tree.nodes[*id].parent;
    std::iter::successors(parent(&id), parent).map(|id| tree.nodes[id].impacts.len() + 1).sum()
}

/// The branches that continue another one, with their states.
struct Forks<S> {
    children: Vec<(Fork, S)>,
    cut: bool,
}

/// Follows a branch to its end or to the next simultaneous impact with several outcomes, of which
/// at most `room` continue.
fn follow<M: Stepping>(
    motion: &M,
    futures: &Futures,
    steps: u64,
    stop: Option<&AtomicBool>,
    (node, state): (&mut Node, &mut M::State),
    room: usize,
    mut look: impl FnMut(&M::State, usize) -> Result<()>,
) -> Result<Forks<M::State>> {
    let given = motion.given();
    let mut cut = false;
    look(state, 0)?;
    while node.state.step < steps {
        let end = |node: &mut Node, ending| {
            node.ending = Some(ending);
            Ok(Forks { children: Vec::new(), cut })
        };
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return end(node, MotionEnding::Interrupted);
        }
        let going = motion.go_on(state, &mut node.passed)?;
        let before = std::mem::replace(&mut node.state, motion.plain(state));
        let time = given.time_of(&node.state);
        if !node.state.is_finite() {
            return end(node, MotionEnding::NotFinite);
        }
        if node.state.sustained != before.sustained {
            node.changes.push(Change { time, sustained: node.state.sustained.clone() });
        }
        if node.state.step > before.step {
            look(state, node.impacts.len())?;
        }
        let strike = match going {
            Going::On => continue,
            Going::Ends(ending) => return end(node, ending),
            Going::Impact(strike) => strike,
        };
        let several = strike.contacts.len() > 1;
        let count = if several { futures.samples } else { 1 };
        let number = node.state.step * IMPACTS + u64::from(node.state.impacts);
        let first = number.wrapping_mul(futures.samples);
        let range = first..first.saturating_add(count);
        let candidates = Candidates::of(given.law(), &strike.problem, given.seed(), range)?;
        if candidates.outcomes.is_empty() {
            let name = given.law().name();
            return Err(Error::empty(format!(
                "the law {name} does not end the impact at {time} s"
            ))
            .hint("take another law, or more samples"));
        }
        let wanted = if several { futures.branch } else { 1 };
        let (chosen, radius) = candidates.chosen(&strike.problem, wanted.min(room))?;
        cut |= room < wanted && radius > DISTINCT;
        if let [only] = &chosen[..] {
            node.impacts.push(motion.take(state, *strike, only.outcome.clone())?);
            node.state = motion.plain(state);
            continue;
        }
        look(state, node.impacts.len())?;
        let names = given.mechanism().contact_names(&strike.contacts);
        let child = |chosen: &Chosen| {
            let mut state = state.clone();
            motion.take(&mut state, (*strike).clone(), chosen.outcome.clone())?;
            let fork = Fork {
                time,
                contacts: names.clone(),
                sample: chosen.number,
                impulse: chosen.outcome.impulse.clone(),
                velocity: chosen.outcome.velocity.clone(),
                share: chosen.share,
                radius,
            };
            Ok((fork, state))
        };
        return Ok(Forks { children: chosen.iter().map(child).collect::<Result<_>>()?, cut });
    }
    node.ending = Some(MotionEnding::Done);
    Ok(Forks { children: Vec::new(), cut })
}
