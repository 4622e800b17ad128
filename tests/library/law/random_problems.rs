//! Random problems in units of every size, against dumb oracles.

use super::propagative::momentum;
use super::*;
use carom_core::lcp::StepProblem;
use carom_core::lcp::enumerate::enumerate;
use carom_law::Outcome;
use carom_law::finite::anitescu_potra::AnitescuPotraDetails;
use carom_law::finite::propagative;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Debug;

fn velocity_after<D>(problem: &ContactProblem, outcome: &Outcome<D>) -> DVector<f64> {
    problem.jacobian() * vector(&outcome.velocity)
}

/// What holds of every outcome: finite, momentum changed by its impulse alone, no energy gained.
fn sound<D: Debug, A>(problem: &ContactProblem, resolved: &OutcomeSet<D, A>) {
    let before = problem.kinetic_energy(problem.velocity().as_slice());
    for outcome in &resolved.outcomes {
        let v = vector(&outcome.velocity);
        let impulse = vector(&outcome.impulse);
        assert!(v.iter().chain(&impulse).all(|x| x.is_finite()) && outcome.residual.is_finite());
        let change = problem.mass() * (&v - problem.velocity());
        let by_impulse = problem.jacobian().transpose() * impulse;
        let size = (problem.mass().amax() * problem.velocity().amax()).max(by_impulse.amax());
        assert!((change - by_impulse).amax() <= 1e-9 * size, "{outcome:?}");
        let after = problem.kinetic_energy(&outcome.velocity);
        assert!((after - outcome.kinetic_energy).abs() <= 1e-12 * before);
        // Impulses without end add up to numbers beside which velocities are small.
        let slack = if outcome.status == Status::Terminated { 1e-9 } else { 1e-5 };
        let slack = slack + rounding(outcome);
        assert!(after <= before * (1.0 + slack), "energy {before} -> {after}");
    }
    assert!(resolved.outcomes.iter().all(|o| o.number < resolved.distinct()));
}

/// The share of the energy that rounding may change. Contact space magnifies rounding by the
/// inverse of the angle between contacts, and that angle bounds the number of impacts: `n` of them
/// may change `n^2` roundings.
fn rounding<D: Debug>(outcome: &Outcome<D>) -> f64 {
    4.0 * f64::EPSILON * (outcome.impacts as f64).powi(2)
}

/// The impulses push and lie in their cones.
fn in_cones<D: Debug>(problem: &ContactProblem, outcome: &Outcome<D>) {
    let m = problem.contact_count();
    let size = outcome.impulse.iter().fold(0.0, |size: f64, l| size.max(l.abs()));
    for i in 0..m {
        let (ln, lt) = (outcome.impulse[i], outcome.impulse[m + i]);
        let bound = problem.friction()[i] * ln;
        assert!(ln >= 0.0 && lt.abs() <= bound * (1.0 + 1e-9) + 1e-12 * size, "{outcome:?}");
    }
}

/// All basic solutions of the uncapped complementarity problem in `[ln | b+ | b- | g]`: their `v+`.
fn basic_solutions(problem: &ContactProblem) -> Vec<Vec<f64>> {
    let (m, w, u) = (problem.contact_count(), problem.delassus(), problem.contact_velocity());
    let same = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    let matrix = DMatrix::from_fn(4 * m, 4 * m, |r, c| {
        let ((a, i), (b, j)) = ((r / m, r % m), (c / m, c % m));
        let sign = |block: usize| if block == 2 { -1.0 } else { 1.0 };
        let row = |block: usize, i: usize| if block == 0 { i } else { m + i };
        match (a, b) {
            (3, 0) => problem.friction()[i] * same(i, j),
            (3, 1 | 2) => -same(i, j),
            (1 | 2, 3) => same(i, j),
            (0..=2, 0..=2) => sign(a) * sign(b) * w[(row(a, i), row(b, j))],
            _ => 0.0,
        }
    });
    let q = DVector::from_fn(4 * m, |r, _| match (r / m, r % m) {
        (0, i) => u[i],
        (1, i) => u[m + i],
        (2, i) => -u[m + i],
        _ => 0.0,
    });
    let after = |z: DVector<f64>| {
        let l = DVector::from_fn(2 * m, |r, _| if r < m { z[r] } else { z[r] - z[m + r] });
        (problem.velocity() + problem.response() * l).as_slice().to_vec()
    };
    enumerate(&matrix, &q, 1e-9).into_iter().map(after).collect()
}

proptest! {
    #![proptest_config(random_cases(200))]

    #[test]
    fn simultaneous_solutions_solve_the_problem(spec in small(4, 1e5, true)) {
        let problem = problem(spec);
        let resolved = AnitescuPotra::default().resolve(&problem).unwrap();
        sound(&problem, &resolved);
        assert!(!resolved.outcomes.is_empty());
        let (m, speed) = (problem.contact_count(), problem.contact_velocity().amax());
        for outcome in &resolved.outcomes {
            in_cones(&problem, outcome);
            assert!(outcome.residual <= 1e-8, "{}", outcome.residual);
            let u = velocity_after(&problem, outcome) / speed;
            let heaviest = problem.delassus().diagonal().amax();
            let l: Vec<f64> = outcome.impulse.iter().map(|l| l * heaviest / speed).collect();
            for i in 0..m {
                let (ln, lt, ut) = (l[i], l[m + i], u[m + i]);
                let slack = problem.friction()[i] * ln - lt * -ut.signum();
                assert!(u[i] >= -1e-7 && u[i].min(ln) <= 1e-7, "{outcome:?}");
                assert!(ut.abs().min(slack.abs()) <= 1e-7, "{outcome:?}");
            }
        }
    }

    #[test]
    fn every_basic_solution_is_among_the_simultaneous_ones(spec in small(2, 2.0, false)) {
        let problem = problem(spec);
        let resolved = AnitescuPotra::default().resolve(&problem).unwrap();
        for v in basic_solutions(&problem) {
            let nearest = resolved.outcomes.iter().map(|o| apart(&o.velocity, &v)).fold(f64::MAX, f64::min);
            // Within a continuum, rounding makes a basic solution of any point.
            let corner = |o: &Outcome<AnitescuPotraDetails>| !o.details.isolated;
            let continuum = resolved.outcomes.iter().any(corner);
            assert!(continuum || nearest <= 1e-6, "{v:?} is {nearest} from {:?}", resolved.outcomes);
        }
    }

    #[test]
    fn sequences_of_impacts_end_at_rest_or_say_so(spec in small(5, 1e5, true)) {
        let problem = problem(spec);
        let resolved = Sequential::default().resolve(&problem).unwrap();
        sound(&problem, &resolved);
        for outcome in &resolved.outcomes {
            in_cones(&problem, outcome);
            assert!(outcome.residual <= 1e-8, "{}", outcome.residual);
            let limited = outcome.status == Status::StepLimit;
            assert_eq!(limited, outcome.impacts == 20_000, "{:?}", outcome.status);
            let u = velocity_after(&problem, outcome);
            let rest = 1e-12 * problem.velocity().amax() + 1e-9 * problem.contact_velocity().amax();
            assert!(limited || (0..problem.contact_count()).all(|i| u[i] >= -rest), "{outcome:?}");
        }
    }

    #[test]
    fn reflections_keep_energy_and_end_feasible(spec in frictionless(4, true)) {
        let problem = problem(spec);
        let law = Propagative { max_length: Some(6), ..Propagative::default() };
        let resolved = law.resolve(&problem).unwrap();
        sound(&problem, &resolved);
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        for outcome in &resolved.outcomes {
            let propagative::PropagativeDetails { kind, tension, .. } = outcome.details;
            let u = velocity_after(&problem, outcome);
            let size = problem.contact_velocity().amax();
            let ended = outcome.status == Status::Terminated;
            assert!(!ended || u.iter().all(|&u| u >= -1e-8 * size), "{outcome:?}");
            assert!(ended || outcome.impacts == 20_000);
            let plastic = matches!(kind, Kind::PlasticProjection | Kind::PlasticUnilateral);
            if !plastic && ended {
                let lost = (outcome.kinetic_energy - before).abs();
                assert!(lost <= (1e-10 + rounding(outcome)) * before, "{outcome:?}");
            }
            if matches!(kind, Kind::Admissible | Kind::PlasticUnilateral) {
                assert!(!tension && outcome.impulse.iter().all(|&l| l >= 0.0));
            }
        }
    }

    #[test]
    fn sequences_are_those_that_brute_force_finds(spec in frictionless(3, false)) {
        let problem = problem(spec);
        let oracle = Oracle::new(&problem);
        let (m, longest) = (problem.contact_count(), 5);
        let law = Propagative { max_length: Some(longest), ..Propagative::default() };
        let resolved = law.resolve(&problem).unwrap();
        let words = oracle.words(longest);
        for (kind, expected) in [
            (Kind::Minimal, words.iter().filter(|word| oracle.minimal(word)).cloned().collect::<BTreeSet<_>>()),
            (Kind::Admissible, words.iter().filter(|word| oracle.admissible(word)).cloned().collect()),
        ] {
            let of_kind =
                |o: &&Outcome<propagative::PropagativeDetails>| o.details.kind == kind;
            let found: BTreeSet<Vec<usize>> =
                resolved.outcomes.iter().filter(of_kind).map(|o| o.sequence.clone()).collect();
            assert_eq!(found, expected, "{kind:?}, {m} contacts");
            for outcome in resolved.outcomes.iter().filter(of_kind) {
                let p = momentum(&problem, &outcome.velocity);
                assert!(apart(&p, oracle.after(&outcome.sequence).as_slice()) <= 1e-9);
            }
        }
    }

    #[test]
    fn a_single_impact_obeys_coulomb(
        j in prop::collection::vec(-1.0..1.0f64, 6), mu in prop_oneof![Just(0.0), 1e-3..2.0f64, Just(1e5)],
        v in prop::collection::vec(-1.0..1.0f64, 3), parallel in 0..8
    ) {
        let (n, mut t) = (&j[..3], j[3..].to_vec());
        if parallel == 0 {
            t = n.iter().map(|x| 0.5 * x).collect();
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let w = [dot(n, n), dot(n, &t), dot(&t, &t)];
        let u = [dot(n, &v), dot(&t, &v)];
        let check = |l: [f64; 2], tolerance: f64| {
            let (un, ut) = (u[0] + w[0] * l[0] + w[1] * l[1], u[1] + w[1] * l[0] + w[2] * l[1]);
            let size = 1.0 + l[0].abs() + l[1].abs();
            assert!(l[0] >= 0.0 && l[1].abs() <= mu * l[0] * (1.0 + tolerance) + tolerance * size, "{l:?}");
            if u[0] >= 0.0 {
                assert_eq!(l, [0.0; 2]);
                return;
            }
            assert!(un.abs() <= tolerance * size, "{l:?}: {un}");
            assert!(ut.abs() <= tolerance * size || (mu * l[0] + l[1] * ut.signum()).abs() <= tolerance * size,
                "{l:?}: {ut}");
        };
        check(single_impact(w, mu, u), 1e-11);
        let single = single_impact(w.map(|x| x as f32), mu as f32, u.map(|x| x as f32));
        // Where rows are nearly parallel, single precision may stick where double slides.
        if w[0] * w[2] - w[1] * w[1] > 1e-2 * w[0] * w[2] {
            check(single.map(f64::from), 1e-4);
        }
    }
}

/// The definitions, word for word, on momenta: `p Gamma(u)`.
struct Oracle {
    p: DVector<f64>,
    normals: Vec<DVector<f64>>,
    gamma: Vec<DMatrix<f64>>,
    /// `M^-1`.
    inverse: DMatrix<f64>,
}

impl Oracle {
    fn new(problem: &ContactProblem) -> Self {
        let inverse = problem.mass().clone().try_inverse().unwrap();
        let normals: Vec<DVector<f64>> =
            problem.jacobian().row_iter().map(|row| row.transpose()).collect();
        let map = |u: &DVector<f64>| {
            let square = (u.transpose() * &inverse * u)[0];
            DMatrix::identity(u.len(), u.len()) - &inverse * u * u.transpose() * (2.0 / square)
        };
        Oracle {
            p: problem.mass() * problem.velocity(),
            gamma: normals.iter().map(map).collect(),
            normals,
            inverse,
        }
    }

    fn after(&self, word: &[usize]) -> DVector<f64> {
        let mut p = self.p.transpose();
        word.iter().for_each(|&i| p *= &self.gamma[i]);
        p.transpose()
    }

    fn rate(&self, p: &DVector<f64>, i: usize) -> f64 {
        let norm = |a: &DVector<f64>| a.dot(&(&self.inverse * a)).sqrt();
        p.dot(&(&self.inverse * &self.normals[i])) / norm(&self.normals[i]) / norm(&self.p)
    }

    fn feasible(&self, word: &[usize]) -> bool {
        let p = self.after(word);
        (0..self.normals.len()).all(|i| self.rate(&p, i) >= -1e-11)
    }

    fn words(&self, longest: usize) -> Vec<Vec<usize>> {
        let mut words = vec![Vec::new()];
        let mut first = 0;
        for _ in 0..longest {
            let last = words.len();
            for k in first..last {
                words.extend(
                    (0..self.normals.len())
                        .map(|i| [&words[k][..], &[i]].concat())
                        .collect::<Vec<_>>(),
                );
            }
            first = last;
        }
        words
    }

    fn minimal(&self, word: &[usize]) -> bool {
        let part = |mask: u32| -> Vec<usize> {
            (0..word.len()).filter(|k| mask >> k & 1 == 1).map(|k| word[k]).collect()
        };
        self.feasible(word)
            && (0..(1_u32 << word.len()) - 1).all(|mask| !self.feasible(&part(mask)))
    }

    fn admissible(&self, word: &[usize]) -> bool {
        let violated = |k: usize| self.rate(&self.after(&word[..k]), word[k]) < -1e-11;
        self.feasible(word) && (0..word.len()).all(violated)
    }
}

#[test]
fn steps_work_in_both_precisions() {
    let problem = given(
        r#"{ "mass": [[1, 0], [0, 2]], "normal": [[1, 0], [-1, 1]],
              "tangent": [[0, 1], [1, 1]], "friction": [0.5, 0.25], "velocity": [-1, 0.5] }"#,
    );
    let (step, _, start) =
        StepProblem::scaled(problem.delassus(), problem.friction(), problem.contact_velocity());
    let single: StepProblem<f32> = step.cast();
    let mut narrow: Vec<f32> = start.iter().map(|&x| x as f32).collect();
    let (mut wide, mut totals, mut narrow_totals) = (start, vec![0.0; 4], vec![0.0_f32; 4]);
    for i in [0, 1, 0] {
        impact(&step, i, &mut wide, &mut totals);
        impact(&single, i, &mut narrow, &mut narrow_totals);
    }
    for i in [1, 0] {
        reflect(&step, i, &mut wide[..2], &mut totals[..2]);
        reflect(&single, i, &mut narrow[..2], &mut narrow_totals[..2]);
    }
    for (a, b) in wide.iter().chain(&totals).zip(narrow.iter().chain(&narrow_totals)) {
        assert!((a - f64::from(*b)).abs() < 1e-5, "{a} {b}");
    }
}
