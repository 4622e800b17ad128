//! Sequences of reflections: one step, and all sequences up to a length.

use carom_core::{Limits, Real, StepProblem};

/// Reflects the momentum at contact `i`: `p Gamma(u_i)`,
/// `Gamma(u) = I - 2 M^-1 u' u / (u M^-1 u')`.
///
/// In contact space this is the impulse `ln = -2 u_i / W_ii`, which reverses the normal velocity
/// `u_i`: `u+ = u + W_.i ln`. Updates the normal velocities `u` (m), adds the impulse to `total`
/// (m). Does not allocate. Source: \[SM14\] (7). Conserves the kinetic energy: `n` reflections
/// between nearly opposed contacts conserve it within about `n^2` roundings. Needs `W_ii > 0`.
pub fn reflect<R: Real>(problem: &StepProblem<R>, i: usize, u: &mut [R], total: &mut [R]) {
    let (m, k) = (problem.contacts, 2 * problem.contacts);
    let ln = -(u[i] + u[i]) / problem.w[i * k + i];
    let turned = -u[i];
    for j in 0..m {
        u[j] += problem.w[j * k + i] * ln;
    }
    u[i] = turned;
    total[i] += ln;
}

/// Sequences of reflections of one momentum `p`, in dimensionless contact space: the normal
/// velocities are the rates `<p,u_i>` along the unit normals, times a constant.
#[derive(Clone, Debug)]
pub struct Reflections {
    /// The normals' step problem, without friction.
    pub step: StepProblem<f64>,
    /// Rates before the impact (m).
    pub start: Vec<f64>,
    /// A momentum is feasible when `u_i >= -rest` for every contact.
    pub rest: f64,
}

/// A list of sequences of contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequences {
    /// The sequences, by increasing length, then in lexicographic order.
    pub found: Vec<Vec<usize>>,
    /// The length up to which the list is complete.
    pub length: usize,
    /// Whether no sequence is longer.
    pub complete: bool,
}

/// Limit of unfinished sequences in one search.
const MAX_OPEN: usize = 300_000;

/// The empty sequence: the first node.
const ROOT: usize = 0;

/// An unfinished sequence: its last contact, and the sequence before it.
struct Node {
    before: usize,
    last: usize,
    /// The unfinished extensions of this sequence by one contact (m), by contact.
    after: Vec<Option<usize>>,
}

/// A sequence to be extended.
struct Open {
    node: usize,
    /// The rates at its end.
    u: Vec<f64>,
    /// The subsequences without one of the contacts; all are unfinished.
    shorter: Vec<usize>,
}

impl Reflections {
    /// Whether no contact approaches at rates `u`.
    pub fn feasible(&self, u: &[f64]) -> bool {
        u.iter().all(|&u| u >= -self.rest)
    }

    /// The rates (m) and impulses (m) after a sequence of contacts.
    pub fn follow(&self, sequence: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let (mut u, mut total) = (self.start.clone(), vec![0.0; self.start.len()]);
        for &i in sequence {
            reflect(&self.step, i, &mut u, &mut total);
        }
        (u, total)
    }

    /// The sequence in which `pick` selects the next contact, from the violated contacts and the
    /// rates; cut after `longest` reflections.
    pub fn propagate(
        &self,
        longest: usize,
        mut pick: impl FnMut(&[usize], &[f64]) -> usize,
    ) -> Vec<usize> {
        let (mut u, mut total) = (self.start.clone(), vec![0.0; self.start.len()]);
        let mut sequence = Vec::new();
        while sequence.len() < longest {
            let violated: Vec<usize> = (0..u.len()).filter(|&i| u[i] < -self.rest).collect();
            if violated.is_empty() {
                break;
            }
            let i = pick(&violated, &u);
            reflect(&self.step, i, &mut u, &mut total);
            sequence.push(i);
        }
        sequence
    }

    /// Every *admissible* sequence up to a length: it reflects violated contacts only, and ends at
    /// the first feasible momentum.
    pub fn admissible(&self, longest: usize, limits: &Limits) -> Sequences {
        self.search(longest, limits, |_, open, i| (open.u[i] < -self.rest).then(Vec::new))
    }

    /// Every *minimal* sequence up to a length: the sequence ends feasible, but no proper
    /// subsequence does, contiguous or not, the empty one included.
    ///
    /// Source: \[SM14\] Definition 1. A sequence `s w` has no feasible proper subsequence if all
    /// sequences without one of its contacts are unfinished: `s` itself, and `t w` for each `t`
    /// obtained from `s` without one contact. Two successive reflections at one contact cancel: no
    /// minimal sequence contains them, and `t w` stands for `t` if `t` ends with `w`.
    pub fn minimal(&self, longest: usize, limits: &Limits) -> Sequences {
        self.search(longest, limits, |nodes, open, w| {
            let k = 2 * self.step.contacts;
            if nodes[open.node].last == w || self.step.w[w * k + w] <= 0.0 {
                return None;
            }
            let mut shorter = vec![open.node];
            for &t in &open.shorter {
                let tw = if nodes[t].last == w { t } else { nodes[t].after[w]? };
                if !shorter.contains(&tw) {
                    shorter.push(tw);
                }
            }
            Some(shorter)
        })
    }

    /// Breadth-first search. `extend` decides whether a sequence may continue with a contact, and
    /// returns [`Open::shorter`] of the extended sequence.
    fn search(
        &self,
        longest: usize,
        limits: &Limits,
        extend: impl Fn(&[Node], &Open, usize) -> Option<Vec<usize>>,
    ) -> Sequences {
        let m = self.start.len();
        if self.feasible(&self.start) {
            return Sequences { found: vec![Vec::new()], length: longest, complete: true };
        }
        let mut nodes = vec![Node { before: ROOT, last: usize::MAX, after: vec![None; m] }];
        let mut open = vec![Open { node: ROOT, u: self.start.clone(), shorter: Vec::new() }];
        let mut found = Vec::new();
        for length in 0..longest {
            let mut next = Vec::new();
            for under_way in &open {
                if !limits.spend((4 * m * m) as f64) {
                    return Sequences { found, length, complete: false };
                }
                for i in 0..m {
                    let Some(shorter) = extend(&nodes, under_way, i) else { continue };
                    let mut u = under_way.u.clone();
                    reflect(&self.step, i, &mut u, &mut vec![0.0; m]);
                    if self.feasible(&u) {
                        found.push(sequence(&nodes, under_way.node, i));
                    } else if nodes.len() < MAX_OPEN {
                        let node = nodes.len();
                        nodes[under_way.node].after[i] = Some(node);
                        nodes.push(Node { before: under_way.node, last: i, after: vec![None; m] });
                        next.push(Open { node, u, shorter });
                    } else {
                        return Sequences { found, length, complete: false };
                    }
                }
            }
            if next.is_empty() {
                return Sequences { found, length: longest, complete: true };
            }
            open = next;
        }
        Sequences { found, length: longest, complete: false }
    }
}

/// The contacts of a node, followed by `last`.
fn sequence(nodes: &[Node], mut node: usize, last: usize) -> Vec<usize> {
    let mut contacts = vec![last];
    while node != ROOT {
        contacts.push(nodes[node].last);
        node = nodes[node].before;
    }
    contacts.reverse();
    contacts
}
