//! PLUS with uncertain numbers: closed forms, and the outcomes of the certain law.

use super::*;
use crate::support::random::Kind;

/// From any speed on, the coefficient of restitution is the least.
const PLAIN: Plus = Plus { restitution: None, ..super::plus::PLASTIC };

fn uncertain(problem: &ContactProblem, uncertainty: Uncertainty) -> ContactProblem {
    problem.clone().with_numbers(problem.spec().restitution.clone(), uncertainty).unwrap()
}

fn sample(problem: &ContactProblem, law: Plus, precision: Precision, samples: u64) -> Samples {
    let plan = planned(law, samples, 0, precision);
    on_cpu(problem, &plan)
}

/// Where nothing is uncertain, every sample is the outcome that `resolve` finds.
#[test]
fn without_uncertainty_samples_are_the_outcome() {
    let mut ended = 0;
    for spatial in [false, true] {
        for (number, problem) in (Kind { spatial, body: true, bounces: true }).problems().take(15) {
            let resolved = &Plus::default().resolve(&problem).unwrap().outcomes[0];
            for (precision, accuracy) in [(F64, 1e-9), (F32, 1e-5)] {
                let samples = sample(&problem, Plus::default(), precision, 1);
                assert_eq!(samples.status[0], resolved.status, "{number}");
                assert_eq!(samples.steps[0] as usize, resolved.details.rounds.len(), "{number}");
                if resolved.status == Status::Terminated {
                    let size = problem.velocity().amax();
                    let off = apart(samples.row(&samples.velocity, 0), &resolved.velocity);
                    assert!(off <= accuracy * size);
                    ended += 1;
                }
            }
        }
    }
    assert!(ended > 48, "{ended}");
}

/// A ball leaves with `v+ = -e v-`; what friction does not reach stays, but for noise.
#[test]
fn a_ball_bounces_as_its_numbers_say() {
    let spec = smooth(&[3.0; 2], [[0.0, 1.0]], [0.5, -2.0]);
    let ball = problem(spec);
    let count = 4000;
    let bouncing = Uncertainty { restitution: vec![[0.2, 0.6]], ..Uncertainty::default() };
    let samples = sample(&uncertain(&ball, bouncing), PLAIN, F64, count);
    let up: Vec<f64> = (0..count as usize).map(|i| samples.row(&samples.velocity, i)[1]).collect();
    let (least, most) = up.iter().fold((f64::MAX, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
    let mean = up.iter().sum::<f64>() / count as f64;
    assert!((0.4..0.402).contains(&least) && (1.198..1.2001).contains(&most), "{least} {most}");
    assert!((mean - 0.8).abs() < 4.0 * (0.8 / 12.0_f64.sqrt()) / (count as f64).sqrt(), "{mean}");
    // The energy norm of the noise is 0.1 |v-|; it is the same in both directions.
    let noisy = uncertain(&ball, Uncertainty { noise: 0.1, ..Uncertainty::default() });
    let samples = sample(&noisy, PLAIN, F64, count);
    let squares = (0..count as usize).map(|i| {
        let [x, y] = samples.row(&samples.velocity, i) else { panic!("two coordinates") };
        assert!(y.abs() < 1e-9);
        (x - 0.5).powi(2)
    });
    let found = (squares.sum::<f64>() / count as f64).sqrt();
    let expected = 0.1 * (0.5_f64.powi(2) + 4.0).sqrt() / 2.0_f64.sqrt();
    assert!((found / expected - 1.0).abs() < 0.05, "{found} {expected}");
}

/// With uncertain friction outcomes lie on the curve of the certain law, from end to end.
#[test]
fn uncertain_friction_sweeps_the_outcomes_of_the_law() {
    let brick = load("brick-on-vertex");
    let range = [0.1, 0.9];
    let samples = sample(
        &uncertain(&brick, Uncertainty { friction: vec![range], ..Uncertainty::default() }),
        Plus::default(),
        F64,
        200,
    );
    let outcome = |k: usize| {
        let mu = range[0] + (range[1] - range[0]) * k as f64 / 400.0;
        let spec = ProblemSpec { friction: Some(vec![mu]), ..brick.spec().clone() };
        let resolved = Plus::default().resolve(&problem(spec)).unwrap();
        resolved.outcomes[0].velocity.clone()
    };
    let curve: Vec<Vec<f64>> = (0..=400).map(outcome).collect();
    let (mut nearest_ends, mut widest) = ([f64::MAX; 2], 0.0_f64);
    for pair in curve.windows(2) {
        widest = widest.max(apart(&pair[0], &pair[1]));
    }
    for i in samples.accepted(1e-6) {
        let velocity = samples.row(&samples.velocity, i);
        let nearest = curve.iter().map(|other| apart(velocity, other)).fold(f64::MAX, f64::min);
        assert!(nearest <= widest, "{i}: {nearest} {widest}");
        for (nearest, end) in nearest_ends.iter_mut().zip([0, 400]) {
            *nearest = nearest.min(apart(velocity, &curve[end]));
        }
    }
    assert!(nearest_ends.iter().all(|d| *d < 20.0 * widest), "{nearest_ends:?} {widest}");
}

#[test]
fn what_samples_cannot_draw_is_refused() {
    let block = load("rocking-block");
    let law = |law: Plus| Law::Plus(law).prepare::<f64>(&block).err().and_then(|error| error.at);
    assert_eq!(law(Plus { theta_max: 4.0, ..PLAIN }), Some("theta_max".to_string()));
    let heavy =
        uncertain(&block, Uncertainty { inertia: vec![[0.9, 1.1]], ..Uncertainty::default() });
    let error = Law::Plus(PLAIN).prepare::<f64>(&heavy).unwrap_err();
    assert_eq!(error.at.as_deref(), Some("uncertainty.inertia"));
    let twice = uncertain(
        &block,
        Uncertainty { restitution: vec![[0.0, 0.5]; 2], ..Uncertainty::default() },
    );
    let both =
        Law::Plus(Plus { restitution: Some(0.1), ..PLAIN }).prepare::<f64>(&twice).unwrap_err();
    assert_eq!(both.at.as_deref(), Some("restitution"));
}
