//! The kernels on the vectors of a CPU.

use super::*;
use carom_law::lanes::{Job, LaneTables, Map};
use carom_law::routh::steps::Steps;
use carom_law::{Ending, Kernels, Process};

/// The endings and the impulses of samples, with vectors of at most `bits`.
fn within(
    bits: u32,
    tables: &LaneTables<f64>,
    process: &Process<f64>,
) -> (Vec<Ending<f64>>, Vec<f64>) {
    let mut endings = vec![Ending { status: Status::Unsolved, steps: 0, residual: 0.0 }; 1000];
    let mut totals = vec![0.0; 4 * endings.len()];
    let job = Job {
        tables: Some(tables),
        process,
        seed: 1,
        first: 7,
        endings: &mut endings,
        totals: &mut totals,
        work: &mut process.workspace(),
    };
    f64::compute_within(bits, job);
    (endings, totals)
}

#[test]
fn vectors_of_every_width_compute_the_same_samples() {
    let problem = given(
        r#"{ "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.2]],
              "normal": [[0, 1, -0.5], [0, 1, 0.4]], "tangent": [[1, 0, 0.9], [1, 0, 0.8]],
              "friction": [0.6, 0.4], "velocity": [0.3, -1, 0.2] }"#,
    );
    let law = Steps::<f64>::new(&Routh::steps(), &problem).unwrap();
    let tables = LaneTables::Steps(Box::new(Map::<f64>::new(&law).unwrap()));
    let process = Process::Steps(law.clone());
    let runs = [512, 256].map(|bits| within(bits, &tables, &process));
    let mut work = law.workspace();
    for (endings, totals) in &runs {
        assert!(totals.iter().zip(&runs[0].1).all(|(a, b)| (a - b).abs() < 1e-12));
        for (i, ending) in endings.iter().enumerate() {
            let slow = law.sample(&Stream::new(1, 7 + i as u64), &mut work);
            assert!(slow.status == Status::Terminated && slow.steps > 0);
            assert_eq!((slow.status, slow.steps), (ending.status, ending.steps));
        }
    }
}
