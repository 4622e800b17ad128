//! The growth of a tree of futures.

use std::sync::atomic::{AtomicBool, Ordering};

use super::candidates::{Candidates, Chosen, DISTINCT};
use super::tree::{Fork, Node, Tree};
use crate::error::{Error, Result};
use crate::motion::ending::MotionEnding;
use crate::motion::midpoint::{
    Advance, Change, Impact, MechanismMoment, MechanismState, Midpoint, strike,
};

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
/// continue. A fork is the same for every number of threads: fork k of a branch has samples of its
/// own.
///
/// # Errors
/// Numbers of branches or samples that are 0; those of [`Midpoint::advance`], of the law, and of
/// `look`.
pub fn grow(
    motion: &Midpoint,
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
    let root = Node::new(None, None, 1.0, motion.start().clone());
    let mut tree = Tree { nodes: vec![root], cut: 0 };
    let mut open = vec![0];
    let mut ended = 0;
    while let Some(at) = heaviest(&tree, &open) {
        let id = open.swap_remove(at);
        let room = futures.most.saturating_sub(ended + open.len()).max(1);
        let before = impacts_before(&tree, id);
        let look = |state: &MechanismState, impacts: usize| -> Result<()> {
            let (time, energy) = (motion.time_of(state), motion.energy(state)?);
            look(
                id,
                &MechanismMoment {
                    step: state.step,
                    time,
                    state,
                    energy,
                    impacts: (before + impacts) as u64,
                    arc: None,
                },
            )
        };
        let forks = follow(motion, futures, steps, stop, &mut tree.nodes[id], room, look)?;
        tree.cut += usize::from(forks.cut);
        ended += usize::from(forks.children.is_empty());
        for (fork, state) in forks.children {
            let mass = tree.nodes[id].mass * fork.share;
            let place = tree.nodes.len();
            tree.nodes[id].children.push(place);
            open.push(place);
            tree.nodes.push(Node::new(Some(id), Some(fork), mass, state));
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

/// The branches that continue another one.
struct Forks {
    children: Vec<(Fork, MechanismState)>,
    cut: bool,
}

/// Follows a branch to its end or to the next simultaneous impact with several outcomes, of which
/// at most `room` continue.
fn follow(
    motion: &Midpoint,
    futures: &Futures,
    steps: u64,
    stop: Option<&AtomicBool>,
    node: &mut Node,
    room: usize,
    mut look: impl FnMut(&MechanismState, usize) -> Result<()>,
) -> Result<Forks> {
    let none = |cut| Forks { children: Vec::new(), cut };
    let mut cut = false;
    look(&node.state, 0)?;
    while node.state.step < steps {
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            node.ending = Some(MotionEnding::Interrupted);
            return Ok(none(cut));
        }
        let step = node.state.step;
        let advance = motion.advance(&mut node.state, &mut node.passed)?;
        let time = motion.time_of(&node.state);
        if !node.state.is_finite() {
            node.ending = Some(MotionEnding::NotFinite);
            return Ok(none(cut));
        }
        if node.state.step > step {
            look(&node.state, node.impacts.len())?;
        }
        let (problem, contacts) = match advance {
            Advance::Step => continue,
            Advance::Changed => {
                node.changes.push(Change { time, sustained: node.state.sustained.clone() });
                continue;
            }
            Advance::Impact { problem, contacts } => (problem, contacts),
        };
        let count = if contacts.len() > 1 { futures.samples } else { 1 };
        // Each impact of a step has samples of its own.
        let number = node.state.step * IMPACTS + u64::from(node.state.impacts);
        let first = number.wrapping_mul(futures.samples);
        let range = first..first.saturating_add(count);
        let candidates = Candidates::of(motion.law(), &problem, motion.seed(), range)?;
        if candidates.outcomes.is_empty() {
            let name = motion.law().name();
            return Err(Error::empty(format!(
                "the law {name} does not end the impact at {time} s"
            ))
            .hint("take another law, or more samples"));
        }
        let wanted = if contacts.len() > 1 { futures.branch } else { 1 };
        let (chosen, radius) = candidates.chosen(&problem, wanted.min(room))?;
        cut |= room < wanted && radius > DISTINCT;
        if let [only] = &chosen[..] {
            let outcome = only.outcome.clone();
            node.impacts.push(Impact::at(
                motion.mechanism(),
                time,
                &mut node.state,
                contacts,
                outcome,
            ));
            continue;
        }
        look(&node.state, node.impacts.len())?;
        let names = motion.mechanism().contact_names(&contacts);
        let child = |chosen: &Chosen| {
            let mut state = node.state.clone();
            strike(motion.mechanism(), &mut state, &chosen.outcome.velocity);
            let fork = Fork {
                time,
                contacts: names.clone(),
                sample: chosen.number,
                impulse: chosen.outcome.impulse.clone(),
                velocity: chosen.outcome.velocity.clone(),
                share: chosen.share,
                radius,
            };
            (fork, state)
        };
        return Ok(Forks { children: chosen.iter().map(child).collect(), cut });
    }
    node.ending = Some(MotionEnding::Done);
    Ok(none(cut))
}
