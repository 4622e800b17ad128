//! The propagative law: every case of the golden file, the billiard break, two contacts at random.

use super::*;
use carom_core::outcome::listed as outcome;
use carom_law::Uniqueness;
use carom_law::finite::propagative::PropagativeDetails;

/// `p = M v`.
pub fn momentum(problem: &ContactProblem, v: &[f64]) -> Vec<f64> {
    (problem.mass() * vector(v)).as_slice().to_vec()
}

fn case(inputs: &Value) -> ContactProblem {
    let mass = rows(&inputs["M"]);
    let n = mass.len();
    let m = DMatrix::from_fn(n, n, |i, j| mass[i][j]);
    let v = m.lu().solve(&DVector::from_vec(numbers(&inputs["p_minus"]))).unwrap();
    problem(ProblemSpec {
        mass,
        normal: rows(&inputs["N"]),
        velocity: v.as_slice().to_vec(),
        ..ProblemSpec::default()
    })
}

type Outcome = outcome::Outcome<PropagativeDetails>;
type Resolved = OutcomeSet<PropagativeDetails, Uniqueness>;

fn of_kind(resolved: &Resolved, wanted: Kind) -> Vec<&Outcome> {
    resolved.outcomes.iter().filter(|o| o.details.kind == wanted).collect()
}

/// The outcomes of a kind are those expected, each with its sequence.
fn agree(
    problem: &ContactProblem,
    resolved: &Resolved,
    kind: Kind,
    expected: &Value,
    bound: f64,
    name: &str,
) {
    let found = of_kind(resolved, kind);
    let expected = expected.as_array().unwrap();
    assert_eq!(found.len(), expected.len(), "{name}: {kind:?}");
    for expected in expected {
        let sequence = indices(&expected["seq"]);
        let outcome = found.iter().find(|o| o.sequence == sequence);
        let outcome =
            outcome.unwrap_or_else(|| panic!("{name}: no {kind:?} sequence {sequence:?}"));
        let off = apart(&momentum(problem, &outcome.velocity), &numbers(&expected["p_plus"]));
        assert!(off <= bound, "{name}: {sequence:?} off by {off}");
        assert_eq!(outcome.impacts, sequence.len(), "{name}");
        assert_eq!(outcome.status, Status::Terminated, "{name}");
    }
}

#[test]
fn every_case_of_the_golden_file() {
    for reference in golden("propagative")["cases"].as_array().unwrap() {
        let (inputs, expected) = (&reference["inputs"], &reference["expected"]);
        let name = inputs["name"].as_str().unwrap();
        let bound = number(&reference["tol"]["p_abs"]);
        let problem = case(inputs);
        let resolved = Propagative::default().resolve(&problem).unwrap();
        let uniqueness = &resolved.about;
        for (i, row) in rows(&expected["gram_normalised"]).iter().enumerate() {
            assert!(apart(uniqueness.gram.row(i).transpose().as_slice(), row) <= 1e-12, "{name}");
        }
        let longest = expected["minimal_maxlen"].as_u64().map(|l| l as usize);
        let short = Propagative { max_length: longest, ..Propagative::default() }
            .resolve(&problem)
            .unwrap();
        agree(&problem, &short, Kind::Minimal, &expected["minimal"], bound, name);
        agree(&problem, &resolved, Kind::Admissible, &expected["admissible"], bound, name);
        let admissible = of_kind(&resolved, Kind::Admissible);
        let distinct: std::collections::BTreeSet<usize> =
            admissible.iter().map(|o| o.number).collect();
        let known = expected["n_distinct_admissible_outcomes"].as_u64().unwrap();
        assert_eq!(distinct.len() as u64, known, "{name}");
        if known == 1 {
            assert!(uniqueness.indeterminacy <= 1e-7, "{name}: {}", uniqueness.indeterminacy);
        } else if known > 1 {
            assert!(uniqueness.indeterminacy > 1e-6 && uniqueness.theorem.is_none(), "{name}");
        }
        for (kind, key) in [(Kind::Argmin, "argmin_rule"), (Kind::Argmax, "argmax_rule")] {
            let [outcome] = of_kind(&resolved, kind)[..] else { panic!("{name}") };
            if expected[key]["feasible"] == true {
                assert_eq!(outcome.sequence, indices(&expected[key]["seq"]), "{name}: {key}");
                let off = apart(
                    &momentum(&problem, &outcome.velocity),
                    &numbers(&expected[key]["p_plus"]),
                );
                assert!(off <= bound, "{name}: {key} off by {off}");
            } else {
                assert_eq!(outcome.status, Status::StepLimit, "{name}: {key}");
                assert!(!resolved.complete && resolved.warnings.len() >= 2, "{name}");
            }
        }
        for (kind, key) in [
            (Kind::PlasticProjection, "plastic_projection"),
            (Kind::PlasticUnilateral, "plastic_unilateral"),
        ] {
            let [outcome] = of_kind(&resolved, kind)[..] else { panic!("{name}") };
            let off =
                apart(&momentum(&problem, &outcome.velocity), &numbers(&expected[key]["p_plus"]));
            assert!(off <= bound, "{name}: {key} off by {off}");
            let tension = outcome.details.tension;
            // The triangle's normals sum to zero: to the file's multipliers (.2, -.158, -.042) may
            // be added any (t, t, t), and with t = .158 none pulls. The file itself has the same p+
            // with multipliers >= 0, in `plastic_unilateral`. So its `tension` is that of the
            // smallest multipliers, not of (10).
            if name == "P2_triangle_dependent" {
                assert!(!tension && outcome.impulse.iter().all(|&l| l >= 0.0));
                continue;
            }
            assert_eq!(tension, expected[key]["tension"] == true, "{name}: {key}");
            let off = apart(&outcome.impulse, &numbers(&expected[key]["lam"]));
            assert!(off <= 1e-9, "{name}: impulses of {key} off by {off}");
        }
        if problem.contact_count() == 2 {
            let gamma = uniqueness.gamma.unwrap();
            assert!((gamma - number(&expected["gamma"])).abs() <= 1e-12, "{name}");
            assert_eq!(uniqueness.length_bound, expected["bound_tight"].as_f64(), "{name}");
        }
        for row in expected["inelastic_alpha_eq_R"].as_array().unwrap() {
            let restitution = row["R"].as_f64();
            let resolved =
                Propagative { restitution, ..Propagative::default() }.resolve(&problem).unwrap();
            let [outcome] = of_kind(&resolved, Kind::Argmin)[..] else { panic!("{name}") };
            // Without a feasible outcome the file stops after 400 reflections.
            if outcome.status == Status::Terminated {
                let off = apart(&momentum(&problem, &outcome.velocity), &numbers(&row["p_plus"]));
                assert!(off <= bound, "{name}: R = {restitution:?} off by {off}");
                assert!(outcome.residual <= 1e-12, "{name}: {}", outcome.residual);
                let lost =
                    problem.kinetic_energy(problem.velocity().as_slice()) - outcome.kinetic_energy;
                assert!((lost - number(&row["dE"])).abs() <= bound, "{name}");
            }
        }
    }
}

/// A light body approaches beside a heavy one that nothing strikes: the approach is small over the
/// momentum, and large over the velocity.
#[test]
fn an_outcome_that_approaches_is_not_accepted() {
    for (light, solved) in [(1e-24, false), (1e-6, true)] {
        let problem = problem(smooth(&[light, 1.0], [[1.0, 0.0]], [-1.0, 1.0]));
        let resolved = Propagative::default().resolve(&problem).unwrap();
        let projected = of_kind(&resolved, Kind::PlasticProjection)[0];
        assert_eq!(projected.status == Status::Terminated, solved, "{light}: {projected:?}");
        assert!(!solved || projected.velocity[0].abs() < 1e-12, "{light}: {projected:?}");
    }
}

/// Disk c runs into a and b, at `theta` from each other; masses as r^3, that of c is 1.
fn break_shot(radii: [f64; 3], theta: f64) -> ContactProblem {
    let mass = radii.map(|r| (r / radii[2]).powi(3));
    let (c, s) = ((theta / 2.0).cos(), (theta / 2.0).sin());
    let unit = |i: usize, j: usize| if i == j { mass[i / 2] } else { 0.0 };
    problem(ProblemSpec {
        mass: (0..6).map(|i| (0..6).map(|j| unit(i, j)).collect()).collect(),
        normal: vec![vec![c, s, 0.0, 0.0, -c, -s], vec![0.0, 0.0, c, -s, -c, s]],
        velocity: vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        ..ProblemSpec::default()
    })
}

#[test]
fn the_billiard_break_at_every_angle() {
    for billiard in golden("propagative")["billiards"].as_array().unwrap() {
        let radii = ["ra", "rb", "rc"].map(|key| number(&billiard[key]));
        for point in billiard["sweep"].as_array().unwrap() {
            let degrees = number(&point["theta_deg"]);
            let problem = break_shot(radii, degrees.to_radians());
            let resolved = Propagative::default().resolve(&problem).unwrap();
            let uniqueness = &resolved.about;
            let inner = number(&point["inner_norm"]);
            assert!((uniqueness.gram[(0, 1)] - inner).abs() <= 1e-12, "{degrees}");
            let off = (uniqueness.indeterminacy - number(&point["xi"])).abs();
            assert!(off <= 1e-9, "{degrees}: xi off by {off}");
            for (sequence, outcome) in [("seq_ab", "p_ab"), ("seq_ba", "p_ba")] {
                let sequence = indices(&point[sequence]);
                let found = of_kind(&resolved, Kind::Admissible)
                    .into_iter()
                    .find(|o| o.sequence == sequence);
                let p = momentum(&problem, &found.unwrap().velocity);
                assert!(apart(&p, &numbers(&point[outcome])) <= 1e-9, "{degrees}");
            }
            let mut lengths: Vec<usize> =
                of_kind(&resolved, Kind::Minimal).iter().map(|o| o.sequence.len()).collect();
            lengths.sort();
            let mut known = indices(&point["def1_minimal_lengths"]);
            known.sort();
            assert_eq!(lengths, known, "{degrees}");
            let orthogonal = inner.abs() < 1e-12;
            let three = (inner + 0.5).abs() < 1e-12;
            let theorem = match () {
                () if orthogonal => Some(Theorem::Orthogonal),
                () if three => Some(Theorem::ThreeStages),
                () => None,
            };
            assert_eq!(uniqueness.theorem, theorem, "{degrees}");
        }
    }
}

#[test]
fn sequences_at_two_contacts_never_exceed_the_sharp_bound() {
    let mut draws = Draws::new(1);
    let mut reached = 0;
    for trial in 0..40_000 {
        let n = 2 + trial % 3;
        let mut row = || draws.numbers(n);
        let (a, normal, velocity) =
            ((0..n).map(|_| row()).collect::<Vec<_>>(), vec![row(), row()], row());
        let product = |i: usize, j: usize| a[i].iter().zip(&a[j]).map(|(x, y)| x * y).sum::<f64>();
        let unit = |i: usize, j: usize| if i == j { 0.1 } else { 0.0 };
        let problem = problem(ProblemSpec {
            mass: (0..n).map(|i| (0..n).map(|j| product(i, j) + unit(i, j)).collect()).collect(),
            normal,
            velocity,
            ..ProblemSpec::default()
        });
        let w = problem.delassus();
        let inner = w[(0, 1)] / (w[(0, 0)] * w[(1, 1)]).sqrt();
        let gamma = ((1.0 + inner) / 2.0).sqrt().asin();
        let bound = (std::f64::consts::PI / (2.0 * gamma) - 1e-9).ceil();
        assert_eq!(length_bound(gamma), bound);
        let law = Propagative { max_length: Some(bound as usize + 3), ..Propagative::default() };
        let resolved = law.resolve(&problem).unwrap();
        assert!(resolved.complete, "trial {trial}");
        let longest = resolved.outcomes.iter().map(|o| o.sequence.len()).max().unwrap();
        assert!(longest as f64 <= bound, "trial {trial}: {longest} reflections, bound {bound}");
        reached += usize::from(longest as f64 == bound);
        for outcome in &resolved.outcomes {
            let Outcome { residual, details, .. } = outcome;
            // The Delassus matrix of nearly parallel normals is all rounding.
            let bound = 1e-11 + 1e-14 / (1.0 - inner.abs());
            assert!(*residual <= bound, "{trial}: {residual} of {details:?}, <u,v> = {inner}");
        }
    }
    assert!(reached > 1000);
}

/// A law with an order has one outcome: that of reflections which a dumb loop chooses.
#[test]
fn an_order_has_one_outcome() {
    let mut draws = Draws::new(61);
    let mut differ = 0;
    for _ in 0..200 {
        let (n, m) = (3, 2 + draws.below(2));
        let normal: Vec<Vec<f64>> = (0..m).map(|_| draws.numbers(n)).collect();
        let mass: Vec<f64> = (0..n).map(|_| draws.uniform(0.5, 2.0)).collect();
        let problem = problem(smooth(&mass, normal.clone(), draws.numbers(n)));
        let backwards: Vec<String> = problem.contacts().iter().rev().cloned().collect();
        let mut outcomes = Vec::new();
        for kind in [Kind::Argmin, Kind::Argmax, Kind::Listed] {
            let (sequences, order) = (Some(kind), backwards.clone());
            let law = Propagative { sequences, order, ..Propagative::default() };
            let resolved = law.resolve(&problem).unwrap();
            assert_eq!(resolved.outcomes.len(), 1);
            let found = &resolved.outcomes[0];
            if found.status != Status::Terminated {
                continue;
            }
            // J M^-1 J' and J v by hand; the rates are over the length of the normals.
            let mut v = problem.velocity().as_slice().to_vec();
            for &i in &found.sequence {
                let row =
                    |i: usize| (0..n).map(|j| normal[i][j] * normal[i][j] / mass[j]).sum::<f64>();
                let speed = |i: usize| (0..n).map(|j| normal[i][j] * v[j]).sum::<f64>();
                let rate = |i: usize| speed(i) / row(i).sqrt();
                let violated: Vec<usize> = (0..m).filter(|&i| rate(i) < -1e-9).collect();
                let best = match kind {
                    Kind::Argmin => violated.iter().min_by(|a, b| rate(**a).total_cmp(&rate(**b))),
                    Kind::Argmax => violated.iter().max_by(|a, b| rate(**a).total_cmp(&rate(**b))),
                    _ => violated.iter().max(),
                };
                assert_eq!(best, Some(&i), "{kind:?} {:?}", found.sequence);
                let push = -2.0 * speed(i) / row(i);
                (0..n).for_each(|j| v[j] += push * normal[i][j] / mass[j]);
            }
            // Rounding of up to 20 reflections.
            assert!(apart(&v, &found.velocity) < 1e-11, "{kind:?}");
            outcomes.push(found.velocity.clone());
        }
        differ += usize::from(outcomes.windows(2).any(|pair| apart(&pair[0], &pair[1]) > 1e-3));
    }
    assert!(differ > 20, "{differ}");
}
