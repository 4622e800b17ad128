//! The inclusion: random problems against the laws of mechanics, in other frames and units.

use super::*;
use proptest::prelude::*;

fn law(sampler: Sampler, hypothesis: Hypothesis) -> Routh {
    Routh {
        process: Some(RouthProcess::Inclusion),
        sampler: Some(sampler),
        hypothesis: Some(hypothesis),
        ..Routh::default()
    }
}

/// Impulses in their cones, but for rounding and what residuals tell, momentum, and an energy that
/// does not rise, of samples that may have been disturbed.
fn check(problem: &ContactProblem, samples: &Samples, mu: f64, slack: f64, rounding: f64) {
    let m = problem.contact_count();
    let noise = problem.uncertainty().noise > 0.0;
    let before = problem.kinetic_energy(problem.velocity().as_slice());
    for i in 0..samples.len() {
        let l = vector(samples.row(&samples.impulse, i));
        let v = vector(samples.row(&samples.velocity, i));
        assert!(l.iter().chain(v.iter()).all(|x| x.is_finite()), "sample {i}");
        let gained = problem.mass() * (&v - problem.velocity());
        let given = problem.jacobian().transpose() * &l;
        let size = (problem.mass() * problem.velocity()).amax()
            + problem.jacobian().amax() * l.amax() * m as f64
            + problem.mass().amax() * v.amax();
        assert!(noise || (&gained - &given).amax() <= slack * size, "sample {i}: momentum");
        for c in 0..m {
            let (ln, t) = (l[c], l[m + 2 * c].hypot(l[m + 2 * c + 1]));
            assert!(ln >= -rounding * l.amax(), "sample {i}: {ln}");
            let most = problem.friction()[c].max(mu) * ln;
            // Residuals are parts of the largest velocity. Beside a contact with friction of 1e5
            // that may be far more than all impulses of another contact make; and a residual has
            // the largest excess of a substep, of which a sample has several.
            let w = (0..2).map(|a| problem.delassus()[(m + 2 * c + a, m + 2 * c + a)]);
            let excess = w.fold(0.0, f64::max) * (t - most);
            let told = 10.0 * samples.residual[i] * problem.contact_velocity().amax();
            let within = t <= most * (1.0 + 1e-6) + slack * l.amax() || excess <= told;
            assert!(within, "sample {i}: {t} of {most}, residual {}", samples.residual[i]);
        }
        if samples.status[i] == Status::Terminated && !noise {
            let energy = samples.kinetic_energy[i];
            assert!(energy <= before * (1.0 + slack), "sample {i}: energy {before} -> {energy}");
        }
    }
}

proptest! {
    #![proptest_config(random_cases(cases(15, 40)))]

    #[test]
    fn random_problems_obey_mechanics(spec in spatial(8), e in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0], k in 0..4usize) {
        let m = spec.normal.len();
        let uncertainty = match k {
            0 => Uncertainty { friction: vec![[0.1, 0.9]], restitution: vec![[0.0, 1.0]], ..Uncertainty::default() },
            1 => Uncertainty { noise: 0.1, ..Uncertainty::default() },
            _ => Uncertainty::default(),
        };
        let problem = problem(ProblemSpec { restitution: Some(vec![e; m]), uncertainty, ..spec });
        let law = law([Sampler::Uniform, Sampler::Coverage][k % 2], Hypothesis::Stronge);
        check(&problem, &sampled(&problem, law.clone(), F64, 3), 0.9, 1e-6, 0.0);
        check(&problem, &sampled(&problem, law, F32, 3), 0.9, 1e-4, f64::from(f32::EPSILON));
    }
}

/// What becomes of samples of random problems. Elastic ones may bounce for ever between opposite
/// contacts, and friction of 1e5 may jam; such samples say so.
#[test]
fn random_problems_end_or_say_so() {
    // Friction up to 10, and above: samples, accepted, at a limit.
    let mut counts = [[0; 3]; 2];
    for (case, problem) in fixed_problems(spatial(8)).take(cases(40, 100)).enumerate() {
        let restitution = Some(vec![[0.0, 0.5, 0.9][case % 3]; problem.contact_count()]);
        let problem =
            ContactProblem::new(ProblemSpec { restitution, ..problem.spec().clone() }).unwrap();
        let wild = problem.friction().iter().any(|mu| *mu > 10.0);
        let samples = sampled(&problem, law(Sampler::Uniform, Hypothesis::Stronge), F64, 4);
        for (status, residual) in samples.status.iter().zip(&samples.residual) {
            let count = &mut counts[usize::from(wild)];
            count[0] += 1;
            count[1] += usize::from(*status == Status::Terminated && *residual <= 1e-3);
            count[2] += usize::from(matches!(status, Status::StepLimit | Status::Budget));
        }
    }
    let share = |[all, good, limited]: [usize; 3]| (good + limited) as f64 / all as f64;
    assert!(share(counts[0]) >= 0.99, "{counts:?}");
    assert!(counts[0][1] as f64 >= 0.95 * counts[0][0] as f64, "{counts:?}");
    assert!(share(counts[1]) >= 0.92, "{counts:?}");
}

/// Tangents turned by an angle of their own at each contact: the same velocities, sample by sample.
#[test]
fn tangent_frames_do_not_matter() {
    for (name, problem) in loaded(["cube-on-edge", "cube-on-face", "quadruped-trot"]) {
        let mut spec = problem.spec().clone();
        for (i, pair) in spec.tangent.chunks_mut(2).enumerate() {
            let (sin, cos) = (0.4 + i as f64).sin_cos();
            for k in 0..pair[0].len() {
                let (a, b) = (pair[0][k], pair[1][k]);
                (pair[0][k], pair[1][k]) = (cos * a + sin * b, cos * b - sin * a);
            }
        }
        let turned = ContactProblem::new(spec).unwrap();
        let law = Routh { accuracy: Some(1e-8), ..law(Sampler::Uniform, Hypothesis::Stronge) };
        let (a, b) = (sampled(&problem, law.clone(), F64, 300), sampled(&turned, law, F64, 300));
        let size = problem.velocity().amax();
        let apart =
            a.velocity.iter().zip(&b.velocity).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart <= 1e-4 * size, "{name}: {apart}");
    }
}

/// Two balls of a row strike at once, elastically and without friction: the sampled set has the
/// outcomes in which the contacts end one after the other.
#[test]
fn elastic_contacts_without_friction_contain_the_admissible_sequences() {
    use carom_law::Propagative;
    let mut draws = Draws::new(11);
    let (mut found, mut all) = (0, 0);
    for _ in 0..12 {
        let angle = draws.uniform(1.6, 3.0);
        let mass = draws.uniform(0.5, 2.0);
        let spec = ProblemSpec {
            mass: vec![vec![mass, 0.0], vec![0.0, mass]],
            normal: vec![vec![1.0, 0.0], vec![angle.cos(), angle.sin()]],
            velocity: vec![draws.uniform(-1.0, -0.2), draws.uniform(-1.0, -0.2)],
            restitution: Some(vec![1.0; 2]),
            ..ProblemSpec::default()
        };
        let problem = problem(spec);
        let outcomes = Propagative::default().resolve(&problem).unwrap().outcomes;
        let samples = sampled(&problem, law(Sampler::Coverage, Hypothesis::Stronge), F64, 3000);
        let size = problem.velocity().norm();
        for outcome in outcomes {
            if outcome.details.kind != Kind::Admissible {
                continue;
            }
            let near = (0..samples.len())
                .map(|i| {
                    let v = samples.row(&samples.velocity, i);
                    v.iter()
                        .zip(&outcome.velocity)
                        .map(|(a, b)| (a - b).powi(2))
                        .sum::<f64>()
                        .sqrt()
                        / size
                })
                .fold(f64::INFINITY, f64::min);
            all += 1;
            found += usize::from(near <= 0.01);
            println!("{:?}: nearest sample {near:.1e}", outcome.velocity);
        }
    }
    assert!(all > 12 && found == all, "{found} of {all}");
}

/// Means and spreads of a disturbed state are those that were asked for.
#[test]
fn noise_is_as_large_as_asked_for() {
    // Nothing approaches, so nothing happens but the noise.
    let mass = DMatrix::from_row_slice(3, 3, &[2.0, 0.3, 0.1, 0.3, 1.0, 0.0, 0.1, 0.0, 0.5]);
    let spec = ProblemSpec {
        mass: rows_of(&mass),
        normal: vec![vec![0.0, 0.0, 1.0]],
        velocity: vec![1.0, -2.0, 3.0],
        uncertainty: Uncertainty { noise: 0.05, ..Uncertainty::default() },
        ..ProblemSpec::default()
    };
    let problem = problem(spec);
    let samples = sampled(&problem, Routh::default(), F64, 20_000);
    let size = 2.0 * problem.kinetic_energy(problem.velocity().as_slice());
    let mut covariance = DMatrix::zeros(3, 3);
    let root = mass.clone().cholesky().unwrap().l().transpose();
    for i in 0..samples.len() {
        let d = &root * (vector(samples.row(&samples.velocity, i)) - problem.velocity());
        covariance += &d * d.transpose() / (samples.len() as f64 * size);
    }
    let expected = DMatrix::identity(3, 3) * (0.05 * 0.05 / 3.0);
    assert!((&covariance - &expected).amax() <= 0.05 * expected[(0, 0)], "{covariance}");
}

/// Numbers are drawn in their ranges, and each sample is the law at its numbers.
#[test]
fn ranges_are_filled_and_the_law_is_that_of_the_drawn_numbers() {
    let problem = load("icosahedron-tetrahedron");
    let far = beside_drawn_numbers(&problem, Routh::default(), 200);
    for (i, far) in far.into_iter().enumerate() {
        assert!(far <= 1e-5 * problem.velocity().amax(), "sample {i}: {far}");
    }
}

/// A list of ranges has one for each contact: two balls that have nothing to do with each other.
#[test]
fn ranges_may_be_given_contact_by_contact() {
    let read = |ranges: &str| {
        let uncertainty = format!(r#""uncertainty": {{ "restitution": {ranges} }}"#);
        let numbers =
            r#""mass": [[1, 0], [0, 2]], "normal": [[1, 0], [0, 1]], "velocity": [-1, -1]"#;
        scene::parse("balls.json", &format!("{{ {numbers}, {uncertainty} }}"), scene::Format::Json)
    };
    let ranges = [[0.1, 0.2], [0.7, 0.9]];
    let problem = read("[[0.1, 0.2], [0.7, 0.9]]").unwrap();
    let samples = sampled(&problem, Routh::default(), F64, 200);
    for i in 0..samples.len() {
        for (c, [low, high]) in ranges.into_iter().enumerate() {
            let word = Stream::new(0, i as u64).draw(1, Purpose::Parameter, c as u32);
            let e = low + (high - low) * f64::from(stream::unit(word));
            let found = samples.row(&samples.velocity, i)[c];
            assert!((found - e).abs() <= 1e-6, "sample {i}, contact {c}: {found} {e}");
        }
    }
    for wrong in
        ["[[0.1, 0.2], [0.7, 0.9], [0, 1]]", "[[0.2, 0.1], [0.7, 0.9]]", "[[0.1, 0.2], [0.7, 1.9]]"]
    {
        let error = read(wrong).unwrap_err();
        assert!(error.at.unwrap().starts_with("uncertainty.restitution"), "{wrong}");
    }
}

#[test]
fn a_sample_depends_on_its_number_alone() {
    let problem = load("cube-on-face");
    let engine = cpu();
    let plan = Plan {
        law: Law::Routh(law(Sampler::Coverage, Hypothesis::Stronge)),
        samples: 3000,
        ..Plan::default()
    };
    let (_, all) = engine.collect(&problem, &plan).unwrap();
    let (_, few) = engine
        .collect(&problem, &Plan { samples: 700, chunk: Some(1024), ..plan.clone() })
        .unwrap();
    assert!(all.velocity[..few.velocity.len()] == few.velocity[..]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (_, alone) = pool.install(|| engine.collect(&problem, &plan)).unwrap();
    assert!(alone.velocity == all.velocity && all.velocity.iter().all(|v| v.is_finite()));
}
