//! The impulse that stops an impact.

use crate::{ContactProblem, Lemke, LemkeEnd};

/// Workspace for the impulse that stops an impact of a problem with m contacts.
#[derive(Clone, Debug)]
pub struct Stop {
    lemke: Lemke<f64>,
    /// Scales of the rows (m), `1 / sqrt(W_ii)`, and the scaled impulses (m).
    scale: Vec<f64>,
    impulse: Vec<f64>,
}

impl Stop {
    /// A workspace for problems with `m` contacts.
    pub fn new(m: usize) -> Self {
        Stop { lemke: Lemke::new(m), scale: vec![1.0; m], impulse: vec![0.0; m] }
    }

    /// The sum in N s of the normal impulses of the frictionless, inelastic impact at all contacts
    /// at once, `0 <= l _|_ u_n + W_nn l >= 0`: the least-squares problem `min |v + M^-1 Jn' l|_M`
    /// over `l >= 0`. A light foot under a heavy robot takes this impulse many times over the
    /// impulse that stops the foot alone. `None` where rounding spoils the solution. Does not
    /// allocate.
    pub fn total(&mut self, problem: &ContactProblem) -> Option<f64> {
        let (w, u) = (problem.delassus(), problem.contact_velocity());
        for (i, scale) in self.scale.iter_mut().enumerate() {
            *scale = if w[(i, i)] > 0.0 { 1.0 / w[(i, i)].sqrt() } else { 1.0 };
        }
        let scale = &self.scale;
        let end = self.lemke.solve(
            |i, j| w[(i, j)] * scale[i] * scale[j],
            |i| u[i] * scale[i],
            |_| 1.0,
            &mut self.impulse,
        );
        let total = self.impulse.iter().zip(scale).map(|(l, scale)| l * scale).sum::<f64>();
        (end == LemkeEnd::Solved && total.is_finite()).then_some(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::ProblemSpec;

    /// A light foot (1 kg) under a heavy body (99 kg), held apart by no force: the foot alone stops
    /// at 1 N s. Tied to the body, as coordinates of one bar, all 100 N s are needed.
    #[test]
    fn a_heavy_body_needs_more_than_its_foot() {
        let problem = |normal: Vec<Vec<f64>>| {
            let spec = ProblemSpec {
                mass: vec![vec![99.0, 0.0], vec![0.0, 1.0]],
                normal,
                velocity: vec![-1.0, -1.0],
                ..ProblemSpec::default()
            };
            ContactProblem::new(spec).unwrap()
        };
        let foot = problem(vec![vec![0.0, 1.0]]);
        assert_eq!(Stop::new(1).total(&foot), Some(1.0));
        let both = problem(vec![vec![0.0, 1.0], vec![1.0, 0.0]]);
        let total = Stop::new(2).total(&both).unwrap();
        assert!((total - 100.0).abs() < 1e-12, "{total}");
        // The body rests on the foot: its bound on the foot passes on to the ground.
        let stacked = problem(vec![vec![0.0, 1.0], vec![1.0, -1.0]]);
        let total = Stop::new(2).total(&stacked).unwrap();
        assert!((total - 199.0).abs() < 1e-10, "{total}");
    }
}
