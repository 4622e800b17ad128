use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::candidates::{Candidates, DISTINCT};
use super::tree::{Fork, Node, Tree};
use crate::motion::course::{Change, Moment};
use crate::motion::ending::MotionEnding;
use crate::motion::midpoint::{Going, MechanismState, Stepping, Strike};
use carom_core::error::{Error, Result};

/// Upper bound on the number of impacts of a step.
const IMPACTS: u64 = 1 << 20;
/// Maximum number of advances of all branches ahead of their turns, as their moments are kept.
const AHEAD: usize = 1 << 18;
/// Least number of advances of a branch at a time.
const FEWEST: usize = 16;
/// Maximum number of samples of an impact with a single continuation, after enough branches; they
/// tell whether another outcome exists.
const ENOUGH: u64 = 64;

/// Options of a scenario tree.
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

/// Scenario tree of `motion` over `steps` steps. Calls `look` for each branch, with its number, at
/// the start, at the end of each step and, if other branches follow, at its end; one branch after
/// the other.
///
/// At each impact of two or more contacts, at most `branch` outcomes continue: the law's first one,
/// then by farthest-point selection in the norm of the mass matrix. Each represents the outcomes
/// nearest to it and has their share. The branch with the largest mass grows first; to keep at most
/// `most` branches, fewer outcomes continue. Branches advance in parallel but fork in this order:
/// the tree is the same for every number of threads. Each impact of a step has its own samples;
/// once there are `most` branches, at most 64.
///
/// # Errors
/// # Errors
/// A number of branches or samples that is 0; errors of [`Stepping::go_on`], of the law, and of
/// `look`.
pub fn grow<M: Stepping>(
    motion: &M,
    futures: &Futures,
    steps: u64,
    stop: Option<&AtomicBool>,
    mut look: impl FnMut(usize, &Moment) -> Result<()>,
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
    let growth = Growth { motion, futures, steps, stop };
    let start = motion.begin()?;
    let mut tip = Tip { state: start, before: 0, seen: Vec::new(), halt: None };
    let mut root = Node::new(None, None, 1.0, motion.plain(&tip.state));
    root.changes.extend(root.state.first_change());
    growth.see(&root, &mut tip)?;
    let mut tree = Tree { nodes: vec![root], cut: 0 };
    let mut tips = vec![tip];
    let mut open = vec![0];
    let mut ended = 0;
    while let Some(at) = heaviest(&tree, &open) {
        let id = open[at];
        if tips[id].halt.is_none() {
            let count = (AHEAD / open.len()).max(FEWEST);
            tree.nodes
                .par_iter_mut()
                .zip(&mut tips)
                .filter(|(node, tip)| node.is_open() && tip.halt.is_none())
                .for_each(|(node, tip)| tip.halt = Some(growth.advance(node, tip, count)));
        }
        let (node, tip) = (&mut tree.nodes[id], &mut tips[id]);
        tip.seen.drain(..).try_for_each(|moment| look(id, &moment))?;
        let strike = match tip.halt.take().transpose()? {
            None | Some(Halt::Pause) => continue,
            Some(Halt::End(ending)) => {
                node.ending = Some(ending);
                open.swap_remove(at);
                ended += 1;
                continue;
            }
            Some(Halt::Strike(strike)) => strike,
        };
        let full = ended + open.len() >= futures.most;
        let count = if full { futures.samples.min(ENOUGH) } else { futures.samples };
        let candidates = growth.candidates(&node.state, &strike, count)?;
        if candidates.outcomes.is_empty() {
            tip.halt = Some(Ok(Halt::End(MotionEnding::Unresolved)));
            continue;
        }
        let room = futures.most.saturating_sub(ended + open.len() - 1).max(1);
        let (chosen, radius) = candidates.chosen(&strike.problem, futures.branch.min(room))?;
        tree.cut += usize::from(room < futures.branch && radius > DISTINCT);
        if let [only] = &chosen[..] {
            node.impacts.push(motion.take(&mut tip.state, *strike, only.outcome.clone())?);
            node.state = motion.plain(&tip.state);
            continue;
        }
        growth.see(node, tip)?;
        tip.seen.drain(..).try_for_each(|moment| look(id, &moment))?;
        open.swap_remove(at);
        let (parent, before) = (node.mass, tip.before + node.impacts.len() + 1);
        let (state, time) = (tip.state.clone(), motion.given().time_of(&node.state));
        let contacts = motion.given().mechanism().contact_names(&strike.contacts);
        for chosen in chosen {
            let mut state = state.clone();
            motion.take(&mut state, (*strike).clone(), chosen.outcome.clone())?;
            let fork = Fork {
                time,
                contacts: contacts.clone(),
                sample: chosen.number,
                impulse: chosen.outcome.impulse,
                velocity: chosen.outcome.velocity,
                share: chosen.share,
                radius,
            };
            let mass = parent * chosen.share;
            let node = Node::new(Some(id), Some(fork), mass, motion.plain(&state));
            let mut tip = Tip { state, before, seen: Vec::new(), halt: None };
            growth.see(&node, &mut tip)?;
            let place = tree.nodes.len();
            tree.nodes[id].children.push(place);
            open.push(place);
            tree.nodes.push(node);
            tips.push(tip);
        }
    }
    Ok(tree)
}

/// Index in `open` of the branch with the largest mass; ties go to the first branch.
fn heaviest(tree: &Tree, open: &[usize]) -> Option<usize> {
    let heavier = |a: &usize, b: &usize| {
        let [x, y] = [*a, *b].map(|place| open[place]);
        tree.nodes[x].mass.total_cmp(&tree.nodes[y].mass).then(y.cmp(&x))
    };
    (0..open.len()).max_by(heavier)
}

/// Tip of a growing branch.
struct Tip<S> {
    state: S,
    /// Number of impacts before the branch began, its fork included.
    before: usize,
    /// Moments not yet passed to `look`.
    seen: Vec<Moment>,
    /// Reason why the branch waits for its turn.
    halt: Option<Result<Halt>>,
}

/// Reason why a branch waits.
enum Halt {
    /// Enough steps ahead of its turn.
    Pause,
    Strike(Box<Strike>),
    End(MotionEnding),
}

/// Data shared by all branches.
struct Growth<'a, M> {
    motion: &'a M,
    futures: &'a Futures,
    steps: u64,
    stop: Option<&'a AtomicBool>,
}

impl<M: Stepping> Growth<'_, M> {
    /// Notes the present moment of a branch.
    fn see(&self, node: &Node, tip: &mut Tip<M::State>) -> Result<()> {
        let state = self.motion.plain(&tip.state);
        let (impacts, arc) = (tip.before + node.impacts.len(), self.motion.arc(&tip.state));
        tip.seen.push(self.motion.given().moment(&state, impacts, arc)?);
        Ok(())
    }

    /// Outcomes of an impact in a state, from `count` samples.
    fn candidates(
        &self,
        state: &MechanismState,
        strike: &Strike,
        count: u64,
    ) -> Result<Candidates> {
        let given = self.motion.given();
        let number = state.step * IMPACTS + u64::from(state.impacts);
        let first = number.wrapping_mul(self.futures.samples);
        let range = first..first.saturating_add(count);
        Candidates::of(given.law(), &strike.problem, given.seed(), range)
    }

    /// Advances a branch to its end, to the next impact of several contacts, or `count` times.
    fn advance(&self, node: &mut Node, tip: &mut Tip<M::State>, count: usize) -> Result<Halt> {
        let Growth { motion, steps, stop, .. } = self;
        let given = motion.given();
        for _ in 0..count {
            if node.state.step >= *steps {
                return Ok(Halt::End(MotionEnding::Done));
            }
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Ok(Halt::End(MotionEnding::Interrupted));
            }
            let going = motion.go_on(&mut tip.state, &mut node.passed)?;
            let before = std::mem::replace(&mut node.state, motion.plain(&tip.state));
            let time = given.time_of(&node.state);
            if !node.state.is_finite() {
                return Ok(Halt::End(MotionEnding::NotFinite));
            }
            if node.state.sustained != before.sustained {
                node.changes.push(Change { time, sustained: node.state.sustained.clone() });
            }
            if node.state.step > before.step {
                self.see(node, tip)?;
            }
            let strike = match going {
                Going::On => continue,
                Going::Ends(ending) => return Ok(Halt::End(ending)),
                Going::Impact(strike) => strike,
            };
            if strike.contacts.len() > 1 {
                return Ok(Halt::Strike(strike));
            }
            let candidates = self.candidates(&node.state, &strike, 1)?;
            let Some(only) = candidates.outcomes.first().cloned() else {
                return Ok(Halt::End(MotionEnding::Unresolved));
            };
            node.impacts.push(motion.take(&mut tip.state, *strike, only)?);
            node.state = motion.plain(&tip.state);
        }
        Ok(Halt::Pause)
    }
}
