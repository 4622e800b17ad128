//! Uncertain numbers in the event process.

use super::*;

const SCENES: [&str; 4] = ["rocking-block", "compass-gait", "box-and-wall", "ramone"];

/// Draw `j` of number `step` of sample `i`, in a range.
fn drawn(i: usize, step: u32, j: usize, [low, high]: [f64; 2]) -> f64 {
    low + (high - low)
        * f64::from(unit(Stream::new(3, i as u64).draw(step, Purpose::Parameter, j as u32)))
}

/// Compares samples of uncertain problems with those of `certain(spec, i, disturbance)`.
fn each_is_certain(
    restitution: Option<f64>,
    uncertainty: &Uncertainty,
    certain: impl Fn(&mut ProblemSpec, &ContactProblem, usize, &[f64]),
) {
    for name in SCENES {
        let mut spec = load(name).spec().clone();
        spec.restitution = restitution.map(|e| vec![e; spec.normal.len()]);
        let mut uncertain = spec.clone();
        uncertain.uncertainty = uncertainty.clone();
        let uncertain = problem(uncertain);
        // The length of a block is that of the numbers as they are given.
        let law = Law::Routh(Routh { step: uncertain.natural_step(), ..Routh::default() });
        let plan = planned(law, 60, 3, F64);
        let found = on_cpu(&uncertain, &plan);
        assert!(found.status.iter().all(|status| *status == Status::Terminated), "{name}");
        let mut changed = 0;
        for i in 0..found.len() {
            let impulse = found.row(&found.impulse, i);
            let after = found.row(&found.velocity, i);
            let disturbance: Vec<f64> = (0..after.len())
                .map(|a| {
                    let gained: f64 =
                        (0..impulse.len()).map(|j| uncertain.response()[(a, j)] * impulse[j]).sum();
                    after[a] - uncertain.velocity()[a] - gained
                })
                .collect();
            let mut spec = spec.clone();
            certain(&mut spec, &uncertain, i, &disturbance);
            let known = on_cpu(&problem(spec), &Plan { samples: i as u64 + 1, ..plan.clone() });
            let error = apart(known.row(&known.velocity, i), after);
            assert!(error <= 1e-7 * uncertain.velocity().amax(), "{name}, sample {i}: {error:e}");
            let plain = on_cpu(&load(name), &Plan { samples: i as u64 + 1, ..plan.clone() });
            changed += usize::from(apart(plain.row(&plain.velocity, i), after) > 1e-3);
        }
        assert!(changed > 10, "{name}: {changed} samples differ from those of certain numbers");
    }
}

#[test]
fn samples_draw_friction_and_restitution() {
    let (mu, e) = ([0.1, 0.9], [0.1, 0.7]);
    let uncertainty =
        Uncertainty { friction: vec![mu], restitution: vec![e], ..Uncertainty::default() };
    each_is_certain(None, &uncertainty, |spec, problem, i, _| {
        let m = problem.contact_count();
        spec.friction = Some((0..m).map(|j| drawn(i, 0, j, mu)).collect());
        spec.restitution = Some((0..m).map(|j| drawn(i, 1, j, e)).collect());
    });
}

#[test]
fn samples_draw_inertia() {
    let range = [0.7, 1.4];
    let uncertainty = Uncertainty { inertia: vec![range], ..Uncertainty::default() };
    each_is_certain(Some(0.4), &uncertainty, |spec, problem, i, _| {
        let n = problem.coordinate_count();
        spec.mass = vec![vec![0.0; n]; n];
        for (p, part) in problem.mass_parts().iter().enumerate() {
            for (a, row) in part.coordinates.iter().zip(&part.mass) {
                for (b, entry) in part.coordinates.iter().zip(row) {
                    spec.mass[*a][*b] += drawn(i, 3, p, range) * entry;
                }
            }
        }
    });
}

#[test]
fn samples_start_at_a_disturbed_velocity() {
    let uncertainty = Uncertainty { noise: 0.2, ..Uncertainty::default() };
    each_is_certain(None, &uncertainty, |spec, _, _, disturbance| {
        spec.velocity.iter_mut().zip(disturbance).for_each(|(v, d)| *v += d);
    });
}
