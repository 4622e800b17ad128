//! A dumb integrator of the law: tiny implicit steps, each solved contact by contact until nothing
//! changes. Of `carom` it takes the problem and the draws.

use carom_core::problem::ContactProblem;
use carom_core::rng::{Purpose, Stream, stream};
use nalgebra::{DMatrix, DVector};

/// What the integrator does wrong on purpose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    None,
    /// Friction along sliding instead of against it.
    Friction,
    /// `e` of the work of compression comes back instead of `e^2`.
    Restitution,
    /// A contact that comes to `u_n = 0` is not held: it has no force until the next block.
    Holding,
}

pub struct Integrator {
    w: DMatrix<f64>,
    start: DVector<f64>,
    mu: Vec<f64>,
    e: Vec<f64>,
    /// The length of a block at each contact.
    block: Vec<f64>,
    axes: usize,
    /// Steps of a block.
    steps: u32,
    fault: Fault,
}

/// Iterations of a step, at most.
const SWEEPS: u32 = 20_000;

/// What counts as 0, a part of `max|u-|` or of the energy that belongs to it.
const STILL: f64 = 1e-9;

/// Times that differ by less are the same.
const SAME: f64 = 1e-10;

/// A contact that rests is held if it keeps this part of its store over a block; the store is then
/// lost.
const HELD: f64 = 0.999;

impl Integrator {
    /// With blocks of `h` N s.
    pub fn new(problem: &ContactProblem, h: f64, steps: u32, fault: Fault) -> Self {
        let m = problem.contact_count();
        let block = (0..m).map(|i| if problem.repeats(i).is_some() { 0.0 } else { h }).collect();
        Integrator {
            w: problem.delassus().clone(),
            start: problem.contact_velocity().clone(),
            mu: problem.friction().to_vec(),
            e: problem.restitution().map_or(vec![0.0; m], <[f64]>::to_vec),
            block,
            axes: problem.tangents_per_contact(),
            steps,
            fault,
        }
    }

    /// The contact velocity with which the impact ends whose rates `stream` draws, if it ends
    /// within 64 blocks.
    ///
    /// At first it goes along `pieces`, which are other forces and the times, in blocks, until
    /// which they act: steps end where pieces do, and start from their forces, which stay if they
    /// obey the law. This matters where several forces do.
    pub fn end(&self, stream: &Stream, pieces: &[(f64, DVector<f64>)]) -> Option<DVector<f64>> {
        let m = self.mu.len();
        let (mut u, size) = (self.start.clone(), self.start.amax());
        let empty: Vec<f64> = (0..m).map(|i| 1e-12 * size * size / self.w[(i, i)]).collect();
        let [mut stored, mut before] = [vec![0.0; m], vec![0.0; m]];
        let [mut rests, mut left] = [vec![true; m], vec![false; m]];
        let mut l = DVector::zeros(u.len());
        let (mut time, mut block, mut pieces) = (0.0, 0, pieces.iter().peekable());
        while block < 64 {
            if (0..m).all(|i| u[i] >= -STILL * size && stored[i] <= empty[i]) {
                return Some(u);
            }
            while pieces.next_if(|(until, _)| *until <= time + SAME).is_some() {}
            let piece = pieces.peek();
            let over = f64::from(block + 1);
            let most = piece.map_or(over, |(until, _)| until.min(over));
            let length = (1.0 / f64::from(self.steps)).min(most - time);
            if let Some((_, force)) = piece {
                l = force * length;
            }
            let rate =
                |i: usize| f64::from(stream::unit(stream.draw(block, Purpose::Rate, i as u32)));
            let caps: Vec<f64> = (0..m).map(|i| self.block[i] * rate(i) * length).collect();
            let gives = |i: usize| stored[i] > empty[i] && u[i] >= -STILL * size;
            let floor: Vec<f64> = (0..m).map(|i| if gives(i) { caps[i] } else { 0.0 }).collect();
            let absent = |i: usize| self.fault == Fault::Holding && left[i] && !gives(i);
            let most: Vec<f64> = (0..m).map(|i| if absent(i) { 0.0 } else { caps[i] }).collect();
            let next = self.step(&u, [&floor, &most], &mut l)?;
            for i in 0..m {
                let work = 0.5 * l[i] * (u[i] + next[i]);
                let part =
                    if self.fault == Fault::Restitution { self.e[i] } else { self.e[i].powi(2) };
                stored[i] = (stored[i] - if work < 0.0 { part * work } else { work }).max(0.0);
                rests[i] &= u[i].abs().max(next[i].abs()) <= STILL * size;
                left[i] |= next[i] >= -STILL * size;
            }
            (u, time) = (next, time + length);
            if time + SAME >= over {
                for i in 0..m {
                    let held = rests[i] && caps[i] > 0.0 && stored[i] >= HELD * before[i];
                    stored[i] = if held { 0.0 } else { stored[i] };
                }
                (before, rests, left) = (stored.clone(), vec![true; m], vec![false; m]);
                (time, block) = (over, block + 1);
            }
        }
        None
    }

    /// One step from `u`: its impulse `l`, from that of the last step, and the velocity at its end,
    /// at which the law holds. Normal impulses lie between those of `floor` and `most`.
    fn step(
        &self,
        u: &DVector<f64>,
        [floor, most]: [&[f64]; 2],
        l: &mut DVector<f64>,
    ) -> Option<DVector<f64>> {
        let (m, w) = (self.mu.len(), &self.w);
        let (last, mut next) = (l.clone(), u + w * &*l);
        for sweep in 0..SWEEPS {
            // Shorter where forces go back and forth.
            let part = if sweep < 200 { 1.0 } else { 0.25 };
            let mut change = 0.0f64;
            let mut set = |l: &mut DVector<f64>, next: &mut DVector<f64>, j: usize, to: f64| {
                change = change.max((to - l[j]).abs() * w[(j, j)]);
                next.axpy(to - l[j], &w.column(j), 1.0);
                l[j] = to;
            };
            for i in 0..m {
                let rows = m + self.axes * i..m + self.axes * (i + 1);
                let size: f64 = rows.clone().map(|t| w[(t, t)]).sum();
                // Friction first, with the normal force of the sweep before: forces that obey the
                // law stay as they are.
                let speed =
                    |u: &DVector<f64>| rows.clone().map(|t| u[t] * u[t]).sum::<f64>().sqrt();
                let (bound, sliding) = (self.mu[i] * l[i], speed(u));
                let free = |t: usize| if size > 0.0 { l[t] - part * next[t] / size } else { 0.0 };
                let mut to: Vec<f64> = rows.clone().map(free).collect();
                let length = to.iter().map(|f| f * f).sum::<f64>().sqrt();
                if length > bound {
                    to.iter_mut().for_each(|f| *f *= bound / length);
                }
                if self.fault == Fault::Friction && sliding > 0.0 {
                    to = rows.clone().map(|t| self.mu[i] * last[i] * u[t] / sliding).collect();
                }
                for (t, to) in rows.zip(to) {
                    set(l, &mut next, t, to);
                }
                let free = l[i] - part * next[i] / w[(i, i)];
                set(l, &mut next, i, free.clamp(floor[i], most[i]));
            }
            if change <= 1e-12 * self.start.amax() {
                return Some(next);
            }
        }
        None
    }
}
