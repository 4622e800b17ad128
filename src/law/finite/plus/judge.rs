//! The violation of the law by an impulse, computed from impulses and velocities alone.

use nalgebra::DVector;

use super::{ContactPhase, IntervalEquations, IntervalStart, PlusCourse, TangentMode};
use carom_core::ContactProblem;

/// The conditions of an interval, for an impulse `pi` that lasts to the end of the round:
///
/// ```text
/// observing:    pi = 0
/// expanding:    pi_n = the impulse left to expand
/// compressing:  0 <= pi_n _|_ u+_n >= 0,
///               jamming along s:   0 <= pi_n _|_ max(u+_n, -s u+_t) >= 0
/// sliding:      pi_t = -mu pi_n s
/// else:         |pi_t| <= mu pi_n,   pi_t = -mu pi_n u+_t/|u+_t|  where  u+_t != 0
/// ```
///
/// with `u+ = u + W pi` and `s` the direction of `u_t`, if `|u_t|` is at least `transition`.
/// Violations are velocities in m/s: impulses are multiplied by the diagonal of `W`. Source:
/// \[USD15\] Table 1; jamming is a deviation of `active_set`.
pub struct Conditions<'a> {
    start: &'a IntervalStart<'a>,
    impulse: &'a DVector<f64>,
    tangents: &'a [TangentMode],
    end: DVector<f64>,
}

impl<'a> Conditions<'a> {
    /// The conditions for an impulse and the contact modes `tangents`; only the jammed modes
    /// matter.
    pub fn new(
        start: &'a IntervalStart<'a>,
        impulse: &'a DVector<f64>,
        tangents: &'a [TangentMode],
    ) -> Self {
        Conditions { start, impulse, tangents, end: start.u + start.equations.delassus * impulse }
    }

    /// The largest violation; infinite where a number is NaN.
    pub fn largest(&self) -> f64 {
        (0..self.start.phases.len()).map(|i| self.of(i)).fold(0.0, f64::max)
    }

    /// The largest change of a velocity.
    pub fn change(&self) -> f64 {
        (&self.end - self.start.u).amax()
    }

    /// Whether contact i slides at the start, and has stopped or reversed at the end.
    pub fn turns(&self, i: usize) -> bool {
        let [x, y] = self.start.equations.tangential(&self.end, i);
        self.slides(i).is_some_and(|s| s[0] * x + s[1] * y <= 0.0)
    }

    /// The violation of contact i.
    pub fn of(&self, i: usize) -> f64 {
        let worst = self.normal(i).max(self.tangential(i));
        if worst.is_nan() { f64::INFINITY } else { worst }
    }

    /// The sliding direction of contact i, if it slides.
    fn slides(&self, i: usize) -> Option<[f64; 2]> {
        let [x, y] = self.start.equations.tangential(self.start.u, i);
        let speed = x.hypot(y);
        let slides =
            self.start.equations.friction[i] > 0.0 && speed >= self.start.limits.transition;
        slides.then(|| [x / speed, y / speed])
    }

    fn normal(&self, i: usize) -> f64 {
        let w = self.start.equations.delassus[(i, i)];
        let (load, end) = (self.impulse[i] * w, self.end[i]);
        match self.start.phases[i] {
            ContactPhase::Observing => load.abs(),
            ContactPhase::Expanding => (load - self.start.left[i] * w).abs(),
            ContactPhase::Compressing => {
                let stops = load.min(end).abs();
                let jams = self.slides(i).filter(|_| self.tangents[i] == TangentMode::Jammed);
                jams.map_or(stops, |s| {
                    let [x, y] = self.start.equations.tangential(&self.end, i);
                    load.min(end.max(-(s[0] * x + s[1] * y))).abs()
                })
            }
        }
    }

    fn tangential(&self, i: usize) -> f64 {
        let equations = self.start.equations;
        let w = equations.tangential_effect(i);
        let [x, y] = equations.tangential(self.impulse, i).map(|l| l * w);
        let most = equations.friction[i] * self.impulse[i].max(0.0) * w;
        if let Some(s) = self.slides(i) {
            return (x + most * s[0]).hypot(y + most * s[1]);
        }
        // The projection of pi_t - u+_t onto the friction disk, which equals pi_t in a solution.
        let [vx, vy] = equations.tangential(&self.end, i);
        let (ax, ay) = (x - vx, y - vy);
        let size = ax.hypot(ay);
        let part = if size > most { most / size } else { 1.0 };
        (x - ax * part).hypot(y - ay * part)
    }
}

/// The largest violation of
///
/// ```text
/// M (v+ - v-) = J' L,   pi_n >= 0 and |pi_t| <= mu pi_n in each round,
/// pi_n = e pi_n of the compression before (expanding)
/// ```
///
/// Momenta are relative to the sum of the sizes of their terms, impulses to the largest normal
/// impulse of the impact. Includes the largest violation of the [`Conditions`] of the intervals.
pub fn residual(
    problem: &ContactProblem,
    equations: &IntervalEquations<'_>,
    course: &PlusCourse,
    velocity: &[f64],
) -> f64 {
    let rows = problem.jacobian().nrows();
    let total = |k: usize| course.rounds.iter().map(|round| round.impulse[k]).sum::<f64>();
    let total: Vec<f64> = (0..rows).map(total).collect();
    let mut worst = of_rounds(equations, course);
    let (mass, jacobian, before) = (problem.mass(), problem.jacobian(), problem.velocity());
    for a in 0..before.len() {
        let (mut off, mut size) = (0.0, 0.0_f64);
        for b in 0..before.len() {
            off += mass[(a, b)] * (velocity[b] - before[b]);
            size += mass[(a, b)].abs() * (velocity[b].abs() + before[b].abs());
        }
        for k in 0..rows {
            off -= jacobian[(k, a)] * total[k];
            size += (jacobian[(k, a)] * total[k]).abs();
        }
        worst = worst.max(if size > 0.0 { off.abs() / size } else { 0.0 });
    }
    worst
}

/// The part of [`residual`] without masses: the largest violation in the impulses of the rounds and
/// in their intervals.
pub fn of_rounds(equations: &IntervalEquations<'_>, course: &PlusCourse) -> f64 {
    let m = equations.friction.len();
    let mut worst = course.violation;
    let loads = course.rounds.iter().flat_map(|round| &round.impulse[..m]);
    let load = loads.fold(0.0_f64, |most, l| most.max(l.abs()));
    let unit = if load > 0.0 { load } else { 1.0 };
    let mut owed = vec![0.0; m];
    for round in &course.rounds {
        for i in 0..m {
            let normal = round.impulse[i];
            let tangent = &round.impulse[equations.tangents(i)];
            let size = tangent.iter().map(|t| t * t).sum::<f64>().sqrt();
            let limit = equations.friction[i] * normal;
            // The scale of a friction violation is the largest load, or the friction if this is
            // larger.
            worst = worst.max((size - limit) / unit.max(size)).max(-normal / unit);
            if round.phases[i] == ContactPhase::Expanding {
                worst = worst.max((normal - owed[i]).abs() / unit);
            }
            owed[i] = round.restitution[i] * normal;
        }
    }
    worst
}
