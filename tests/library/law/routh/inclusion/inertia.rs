//! Uncertain inertia.

use super::*;
use carom_core::problem::MassPart;
use proptest::prelude::*;

fn with_inertia(problem: &ContactProblem, inertia: Vec<[f64; 2]>) -> ContactProblem {
    let uncertainty = Uncertainty { inertia, ..problem.uncertainty().clone() };
    ContactProblem::new(ProblemSpec { uncertainty, ..problem.spec().clone() }).unwrap()
}

/// Factor `p` of sample `i`.
fn factor(i: usize, p: usize, [low, high]: [f64; 2]) -> f64 {
    let word = Stream::new(0, i as u64).draw(3, Purpose::Parameter, p as u32);
    low + (high - low) * f64::from(stream::unit(word))
}

/// The mass matrix of sample `i`, all of whose factors are from one range.
fn drawn(problem: &ContactProblem, i: usize, range: [f64; 2]) -> DMatrix<f64> {
    let n = problem.coordinate_count();
    let mut mass = DMatrix::zeros(n, n);
    for (p, part) in problem.mass_parts().iter().enumerate() {
        for (a, row) in part.coordinates.iter().zip(&part.mass) {
            for (b, entry) in part.coordinates.iter().zip(row) {
                mass[(*a, *b)] += factor(i, p, range) * entry;
            }
        }
    }
    mass
}

#[test]
fn factors_of_one_change_nothing() {
    for name in ["cube-on-edge", "quadruped-trot", "compass-gait"] {
        let known = bouncing(&load(name), 0.3);
        let uncertain = with_inertia(&known, vec![[1.0, 1.0]]);
        for precision in [F32, F64] {
            let [a, b] = [&known, &uncertain].map(|p| {
                sampled(
                    p,
                    Routh { process: Some(RouthProcess::Inclusion), ..Routh::default() },
                    precision,
                    100,
                )
            });
            assert!(a.steps == b.steps && a.status == b.status, "{name}");
            let apart =
                a.velocity.iter().zip(&b.velocity).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // The products of matrices are summed up in another order.
            let bound = if precision == F32 { 1e-5 } else { 1e-9 };
            assert!(apart <= bound * known.velocity().amax(), "{name}: {apart}");
        }
    }
}

/// One ball strikes another: masses 1 and 3, each with a factor of its own.
#[test]
fn two_balls_exchange_momentum_as_their_masses_say() {
    let (range, e) = ([0.5, 2.0], 0.6);
    let problem = problem(ProblemSpec {
        restitution: Some(vec![e]),
        uncertainty: Uncertainty { inertia: vec![range], ..Uncertainty::default() },
        ..smooth(&[1.0, 3.0], [[-1.0, 1.0]], [2.0, -0.5])
    });
    let samples = sampled(&problem, Routh::default(), F64, 200);
    let mut ratios = Vec::new();
    for i in 0..samples.len() {
        let [a, b] = [factor(i, 0, range), 3.0 * factor(i, 1, range)];
        let impulse = (1.0 + e) * 2.5 / (1.0 / a + 1.0 / b);
        let after = [2.0 - impulse / a, -0.5 + impulse / b];
        let found = samples.row(&samples.velocity, i);
        assert_eq!(samples.status[i], Status::Terminated);
        assert!((found[0] - after[0]).abs() <= 1e-6, "sample {i}");
        assert!((found[1] - after[1]).abs() <= 1e-6, "sample {i}");
        assert!((samples.impulse[i] - impulse).abs() <= 1e-6 * impulse);
        let energy = 0.5 * (a * after[0].powi(2) + b * after[1].powi(2));
        assert!((samples.kinetic_energy[i] - energy).abs() <= 1e-5 * energy, "sample {i}");
        ratios.push(a / b * 3.0);
    }
    assert!(ratios.iter().any(|r| *r < 0.5) && ratios.iter().any(|r| *r > 2.0));
}

/// Momentum and energy of each sample, in the mass matrix that it has drawn.
fn check(problem: &ContactProblem, samples: &Samples, range: [f64; 2], slack: f64) {
    for i in 0..samples.len() {
        let mass = drawn(problem, i, range);
        let l = vector(samples.row(&samples.impulse, i));
        let v = vector(samples.row(&samples.velocity, i));
        let (before, given) = (&mass * problem.velocity(), problem.jacobian().transpose() * &l);
        let pushed = problem.jacobian().amax() * l.amax() * l.len() as f64;
        let size = before.amax() + pushed + mass.amax() * v.amax();
        assert!((&mass * &v - &before - &given).amax() <= slack * size, "{i}: momentum");
        let [energy, most] =
            [v.dot(&(&mass * &v)), problem.velocity().dot(&before)].map(|x| 0.5 * x);
        assert!((samples.kinetic_energy[i] - energy).abs() <= slack * most, "{i}: {energy}");
        assert!(samples.status[i] != Status::Terminated || energy <= most * (1.0 + slack), "{i}");
    }
}

proptest! {
    #![proptest_config(random_cases(cases(15, 40)))]

    #[test]
    fn random_problems_obey_mechanics(spec in spatial(8), e in 0.0..1.0f64) {
        let restitution = Some(vec![e; spec.normal.len()]);
        let problem = problem(ProblemSpec { restitution, ..spec });
        let (problem, range) = (with_inertia(&problem, vec![[0.5, 2.0]]), [0.5, 2.0]);
        for (precision, slack) in [(F64, 1e-6), (F32, 1e-4)] {
            check(&problem, &sampled(&problem, Routh::default(), precision, 3), range, slack);
        }
    }
}

#[test]
fn momentum_and_energy_are_those_of_the_drawn_inertia() {
    let range = [0.7, 1.4];
    let names = "cube-on-face cube-on-edge quadruped-trot box-and-wall disk-stack newtons-cradle";
    for name in names.split(' ') {
        let problem = with_inertia(&load(name), vec![range]);
        for (precision, slack) in [(F64, 1e-6), (F32, 1e-4)] {
            let samples = sampled(&problem, Routh::default(), precision, 100);
            check(&problem, &samples, range, slack);
            for i in 0..samples.len() {
                let u = problem.jacobian() * vector(samples.row(&samples.velocity, i));
                let rest = -1e-5 * problem.contact_velocity().amax();
                let over = (0..problem.contact_count()).all(|c| u[c] >= rest);
                assert!(samples.status[i] != Status::Terminated || over, "{name}, sample {i}: {u}");
            }
        }
    }
}

/// A sample is that of the same number of the problem whose mass matrix it has drawn.
#[test]
fn samples_are_those_of_the_problem_with_their_mass_matrix() {
    let range = [0.7, 1.4];
    for (name, bound) in [("cube-on-edge", 1e-4), ("box-and-wall", 1e-9)] {
        let problem = with_inertia(&load(name), vec![range]);
        let law = Routh { step: Some(problem.natural_step().unwrap()), ..Routh::default() };
        let samples = sampled(&problem, law.clone(), F64, 60);
        let mut apart = Vec::new();
        for i in 0..samples.len() {
            let mass = drawn(&problem, i, range);
            let mut spec = problem.spec().clone();
            spec.mass = rows_of(&mass);
            // Noise that is too small to matter, so that the planar scene is integrated as well.
            spec.uncertainty = Uncertainty { noise: 1e-300, ..Uncertainty::default() };
            let known = ContactProblem::new(spec).unwrap();
            let drawn = Law::Routh(law.clone()).prepare::<f64>(&known).unwrap();
            let mut work = drawn.workspace();
            drawn.sample(&Stream::new(0, i as u64), &mut work);
            let rows = problem.jacobian().nrows();
            let l =
                DVector::from_fn(rows, |j, _| drawn.space().scaling.impulse_along(work.total(), j));
            let v = known.velocity() + known.response() * l;
            let found = vector(samples.row(&samples.velocity, i));
            apart.push((found - v).amax() / problem.velocity().amax());
        }
        apart.sort_by(f64::total_cmp);
        assert!(apart[apart.len() - 1] <= bound, "{name}: {apart:?}");
    }
}

/// Bodies have two parts each, which add up; other matrices fall apart where uncoupled.
#[test]
fn mass_matrices_have_parts() {
    for scene in scene::BUILTIN {
        let problem = load(scene.name);
        assert!(problem.mass_parts().is_empty());
        let problem = with_inertia(&problem, vec![[1.0, 1.0]]);
        let mut sum = problem.mass().clone();
        problem.mass_parts().iter().for_each(|part| part.add_to(&mut sum, -1.0));
        assert!(sum.amax() <= 1e-12 * problem.mass().amax(), "{}", scene.name);
    }
    let cube = with_inertia(&load("cube-on-edge"), vec![[1.0, 1.0], [0.9, 1.1]]);
    let coordinates: Vec<_> =
        cube.mass_parts().iter().map(|part| part.coordinates.clone()).collect();
    assert_eq!(coordinates, [[0, 1, 2], [3, 4, 5]]);
    let mass = vec![
        vec![2.0, 0.0, 0.0, 0.0, 0.0],
        vec![0.0, 2.0, 0.0, 0.0, 0.0],
        vec![0.0, 0.0, 0.3, 0.0, 0.0],
        vec![0.0, 0.0, 0.0, 1.0, 0.5],
        vec![0.0, 0.0, 0.0, 0.5, 1.0],
    ];
    let normal = vec![vec![0.0, 1.0, 0.2, 0.0, -1.0]];
    let spec = ProblemSpec { mass, normal, velocity: vec![-1.0; 5], ..ProblemSpec::default() };
    let problem = with_inertia(&ContactProblem::new(spec).unwrap(), vec![[0.5, 1.5]]);
    let parts = problem.mass_parts();
    let coordinates: Vec<_> = parts.iter().map(|part| part.coordinates.clone()).collect();
    assert_eq!(coordinates, [vec![0, 1], vec![2], vec![3, 4]]);
    assert_eq!(parts[2].mass, [[1.0, 0.5], [0.5, 1.0]]);
}

const FILE: &str = r#"
mass = [[3.0, 0.0], [0.0, 1.0]]
normal = [[1.0, 0.5]]
velocity = [-1.0, 0.0]
mass_parts = [{ coordinates = [0], mass = [[2.0]] }, { coordinates = [0, 1], mass = [[1.0, 0.0], [0.0, 1.0]] }]
uncertainty = { inertia = [[1.0, 1.0], [0.5, 2.0]] }
"#;

#[test]
fn files_state_parts_and_their_ranges() {
    let read = |text: &str| scene::parse("file.toml", text, Format::Toml);
    let problem = read(FILE).unwrap();
    assert_eq!(problem.uncertainty().inertia, [[1.0, 1.0], [0.5, 2.0]]);
    assert_eq!(problem.mass_parts()[0], MassPart { coordinates: vec![0], mass: vec![vec![2.0]] });
    // What a file of samples says about itself is a problem file.
    let spec = serde_json::to_string(problem.spec()).unwrap();
    let again = scene::parse("again.json", &spec, Format::Json).unwrap();
    assert_eq!(again.mass_parts(), problem.mass_parts());
    let cases = "
[[2.0]] => [[2.5]] | mass_parts | add up to 3.5
coordinates = [0], => coordinates = [2], | mass_parts[0].coordinates[0] | counted from 0
coordinates = [0, 1] => coordinates = [0, 0] | mass_parts[1].coordinates | twice
coordinates = [0, 1] => coordinates = [0.5, 1] | mass_parts[1].coordinates[0] | counted from 0
[1.0, 0.0], [0.0, 1.0]] }] => [1.0, 3.0], [3.0, 1.0]] }] | mass_parts[1].mass | semidefinite
[[2.0]] => [[2.0, 0.0]] | mass_parts[0].mass | rows
[1.0, 1.0], [0.5, 2.0] => [1.0, 1.0], [0.0, 2.0] | uncertainty.inertia[1] | > 0
[1.0, 1.0], [0.5, 2.0] => [1.0, 1.0], [0.5, nan] | uncertainty.inertia[1][1] | finite
[1.0, 1.0], [0.5, 2.0] => [1.0, 1.0], [2.0, 0.5] | uncertainty.inertia[1] | A <= B
[[1.0, 1.0], [0.5, 2.0]] => [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    | uncertainty.inertia | 3 ranges for 2
";
    for [old, new, place, word] in table(cases) {
        let text = FILE.replace(&old, &new);
        assert_ne!(text, FILE, "{old}");
        let error = read(&text).unwrap_err();
        let message = format!("{error}");
        assert_eq!(error.at.as_deref(), Some(&*place), "{message}");
        assert!(message.contains(&word), "{word}: {message}");
    }
}
