//! Samples in vector lanes: bit by bit those that are computed one by one.

use super::*;
use carom_law::lanes::{Job, Kernels};
use carom_law::routh::inclusion::process::Inclusion;
use carom_law::{Ending, Process};

/// Compares samples of a process in lanes with those that are computed one by one.
fn compare<R: Kernels>(name: &str, process: &Inclusion<R>, samples: usize) {
    let process = Process::Inclusion(process.clone());
    let k = process.space().step.width();
    let ending = Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO };
    let (mut endings, mut totals) = (vec![ending; samples], vec![R::ZERO; samples * k]);
    let mut work = process.workspace();
    R::compute(Job {
        tables: None,
        process: &process,
        seed: 5,
        first: 11,
        endings: &mut endings,
        totals: &mut totals,
        work: &mut work,
    });
    let mut work = process.workspace();
    for (i, (ending, total)) in endings.iter().zip(totals.chunks(k)).enumerate() {
        let one = process.sample(&Stream::new(5, 11 + i as u64), &mut work);
        assert_eq!(one.status, ending.status, "{name}, {}, sample {i}", R::NAME);
        assert_eq!(one.steps, ending.steps, "{name}, {}, sample {i}", R::NAME);
        assert_eq!(one.residual, ending.residual, "{name}, {}, sample {i}", R::NAME);
        assert_eq!(work.total(), total, "{name}, {}, sample {i}", R::NAME);
    }
}

#[test]
fn samples_do_not_depend_on_their_lane() {
    let scenes = "cube-on-edge cube-on-face quadruped-trot brick-on-vertex brick-flat humanoid";
    for name in scenes.split(' ') {
        let spec = load(name).spec().clone();
        let m = spec.normal.len();
        let samples = if m > 4 { 40 } else { cases(100, 1000) };
        let uncertain = "mu=0.2..0.9,e=0..0.8,inertia=0.9..1.1,noise=0.05".parse().unwrap();
        let certain = Uncertainty::default();
        for (mu, e, hypothesis, uncertainty) in [
            (0.3, 0.0, Hypothesis::Stronge, certain.clone()),
            (0.8, 0.5, Hypothesis::Stronge, certain.clone()),
            (3.0, 0.0, Hypothesis::Stronge, certain.clone()),
            (0.4, 0.5, Hypothesis::Poisson, certain),
            (0.5, 0.5, Hypothesis::Stronge, uncertain),
        ] {
            let (friction, restitution) = (Some(vec![mu; m]), Some(vec![e; m]));
            let problem =
                problem(ProblemSpec { friction, restitution, uncertainty, ..spec.clone() });
            let process = Some(RouthProcess::Inclusion);
            let law = Routh { process, hypothesis: Some(hypothesis), ..Routh::default() };
            let double = Inclusion::<f64>::new(&law, &problem).unwrap();
            let name = format!("{name}, friction {mu}, restitution {e}, {hypothesis:?}");
            compare(&name, &double, samples);
            compare(&name, &Inclusion::<f32>::new(&law, &problem).unwrap(), samples);
        }
    }
}
