//! Bilateral constraints against the same problem in coordinates that keep them by themselves.

use super::*;
use crate::support::random::Kind;

/// A problem with a constraint, given twice; the same in coordinates z; and N in `v = N z`.
fn pair(
    problem: &ContactProblem,
    draws: &mut Draws,
) -> Option<(ContactProblem, ContactProblem, DMatrix<f64>)> {
    let n = problem.coordinate_count();
    let constraint = DMatrix::from_row_slice(1, n, &draws.numbers(n));
    // The vectors across the constraint, by hand: the unit vectors less their parts along it.
    let along = constraint.transpose().normalize();
    let across = DMatrix::identity(n, n) - &along * along.transpose();
    let basis = across.qr().q().columns(0, n - 1).into_owned();
    if (&constraint * &basis).amax() > 1e-12 {
        return None;
    }
    let z = basis.transpose() * problem.velocity();
    let v = &basis * &z;
    let spec = problem.spec().clone();
    let whole = ProblemSpec {
        bilateral: [rows_of(&constraint), rows_of(&(2.0 * &constraint))].concat(),
        velocity: v.as_slice().to_vec(),
        ..spec.clone()
    };
    let (m, jacobian) = (problem.contact_count(), problem.jacobian() * &basis);
    let reduced = ProblemSpec {
        mass: rows_of(&(basis.transpose() * problem.mass() * &basis)),
        normal: rows_of(&jacobian.rows(0, m).into_owned()),
        tangent: rows_of(&jacobian.rows(m, jacobian.nrows() - m).into_owned()),
        velocity: z.as_slice().to_vec(),
        coordinates: None,
        units: None,
        mass_parts: Vec::new(),
        ..spec
    };
    let whole = ContactProblem::new(whole).unwrap();
    whole.approaches().then(|| (whole, ContactProblem::new(reduced).unwrap(), basis))
}

#[test]
fn every_law_keeps_constraints() {
    let mut draws = Draws::new(11);
    let mut compared = 0;
    for spatial in [false, true] {
        let kind = Kind { spatial, body: false, bounces: false };
        for (_, problem) in kind.problems().take(20) {
            let Some((whole, reduced, basis)) = pair(&problem, &mut draws) else { continue };
            let laws = [
                FiniteLaw::AnitescuPotra(AnitescuPotra::default()),
                FiniteLaw::ConeComplementarity(ConeComplementarity::default()),
                FiniteLaw::Sequential(Sequential::default()),
                FiniteLaw::Plus(Plus::default()),
            ];
            let size = whole.velocity().amax();
            for law in laws {
                let (Ok(a), Ok(b)) = (law.resolve(&whole), law.resolve(&reduced)) else { continue };
                let velocities = |set: &carom_law::Resolved| -> Vec<DVector<f64>> {
                    let ended = set.outcomes.iter().filter(|outcome| outcome.residual < 1e-8);
                    ended.map(|outcome| vector(&outcome.velocity)).collect()
                };
                let expected: Vec<_> = velocities(&b).iter().map(|z| &basis * z).collect();
                for found in velocities(&a) {
                    let constraint = vector(&whole.spec().bilateral[0]);
                    assert!(constraint.dot(&found).abs() <= 1e-9 * size * constraint.amax() * 10.0);
                    // Solutions found from a start of their own need not be in both lists.
                    let near = expected.iter().any(|v| (v - &found).amax() <= 1e-5 * size);
                    let listed =
                        matches!(law, FiniteLaw::ConeComplementarity(_)) && a.distinct() > 1;
                    assert!(near || listed, "{}: {found} {expected:?}", law.name());
                    compared += usize::from(near);
                }
            }
            let plan = Plan { samples: 50, ..Plan::default() };
            let sampled = |problem| cpu().collect(problem, &plan).unwrap().1;
            let (a, b) = (sampled(&whole), sampled(&reduced));
            let same = (0..50).filter(|&i| {
                let z = vector(b.row(&b.velocity, i));
                let v = vector(a.row(&a.velocity, i));
                (v - &basis * z).amax() <= 1e-4 * size
            });
            // Rounding may lead a sample elsewhere.
            assert!(same.count() >= 45, "{}", whole.name());
        }
    }
    assert!(compared > 60, "{compared}");
}

/// The velocity changes by `-M^-1 b' (b v)/(b M^-1 b')` for a row b; of the row and its double the
/// impulses are as 1 to 2, which is least.
#[test]
fn a_velocity_that_breaks_constraints_is_repaired_first() {
    let mut draws = Draws::new(12);
    for (_, problem) in (Kind { spatial: true, body: false, bounces: true }).problems().take(20) {
        let n = problem.coordinate_count();
        let row = DVector::from_vec(draws.numbers(n));
        let inverse = problem.mass().clone().try_inverse().unwrap();
        let (along, before) = (&inverse * &row, problem.velocity());
        let whole = -row.dot(before) / row.dot(&along);
        let after = before + along * whole;
        let spec = |velocity: &DVector<f64>| ProblemSpec {
            bilateral: vec![row.as_slice().to_vec(), (2.0 * &row).as_slice().to_vec()],
            velocity: velocity.as_slice().to_vec(),
            ..problem.spec().clone()
        };
        let [mut broken, kept] = [before, &after].map(|v| ContactProblem::new(spec(v)).unwrap());
        let size = before.amax();
        assert!((broken.velocity() - &after).amax() <= 1e-9 * size);
        let expected = [0.2 * whole, 0.4 * whole];
        let impulse = broken.bilateral_impulse();
        assert_eq!(impulse.len(), 2);
        for (l, expected) in impulse.iter().zip(expected) {
            assert!((l - expected).abs() <= 1e-9 * whole.abs(), "{impulse:?} {expected:?}");
        }
        assert!(broken.warnings().iter().any(|warning| warning.contains("repair")));
        assert!(kept.bilateral_impulse().is_empty());
        assert!(!kept.warnings().iter().any(|warning| warning.contains("repair")));
        // All that laws start from.
        let apart = broken.contact_velocity() - kept.contact_velocity();
        assert!(apart.amax() <= 1e-9 * kept.contact_velocity().amax(), "{apart}");
        broken.set_velocity(after.as_slice()).unwrap();
        assert!(broken.bilateral_impulse().is_empty());
        broken.set_velocity(before.as_slice()).unwrap();
        assert!((broken.velocity() - &after).amax() <= 1e-9 * size);
    }
    // A block that may not move up or down, but falls, stands still.
    let block = load("rocking-block");
    let held = ProblemSpec { bilateral: vec![vec![0.0, 1.0, 0.0]], ..block.spec().clone() };
    let held = ContactProblem::new(held).unwrap();
    assert!(held.velocity().amax() == 0.0 && !held.approaches());
    let momentum = -block.mass()[(1, 1)] * block.velocity()[1];
    assert!((held.bilateral_impulse()[0] - momentum).abs() <= 1e-12 * momentum);
}

#[test]
fn constraints_that_are_no_rows_are_refused() {
    let block = load("rocking-block");
    let with = |row: Vec<f64>| ProblemSpec { bilateral: vec![row], ..block.spec().clone() };
    assert!(ContactProblem::new(with(vec![1.0, 0.0])).is_err());
    assert!(ContactProblem::new(with(vec![f64::NAN, 0.0, 0.0])).is_err());
    let guided = problem(with(vec![1.0, 0.0, 0.0]));
    let noise = Uncertainty { noise: 0.1, ..Uncertainty::default() };
    assert!(guided.with_numbers(None, noise).is_err());
}
