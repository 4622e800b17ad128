//! The judge of the inclusion: it accepts what the integrator does, and sees what it should not do.

use super::*;
use carom_law::routh::inclusion::check::{InclusionJudge, Judged};
use carom_law::routh::inclusion::process::Inclusion;

/// A substep: its length, the caps (m) and the forces (K).
type Substep = (f64, Vec<f64>, Vec<f64>);

fn prepared(problem: &ContactProblem) -> Inclusion<f64> {
    let law = Routh { process: Some(RouthProcess::Inclusion), ..uniform() };
    Inclusion::new(&law, problem).unwrap()
}

/// What the judge says about substeps with restitution `e` that end the impact.
fn judged(process: &Inclusion<f64>, e: f64, substeps: &[Substep]) -> f64 {
    let step = &process.space.step;
    let (m, k) = (step.contacts, step.width());
    let mut judge = InclusionJudge::new(0.0, m, k, false);
    judge.begin(&process.space.start, &step.mu, &vec![e; m]);
    let mut u = process.space.start.clone();
    for (h, caps, l) in substeps {
        judge.substep(Judged { w: &step.w, shape: [m, step.axes, k], h: *h, caps, l });
        for j in 0..k {
            u[j] += h * (0..k).map(|i| step.w[j * k + i] * l[i]).sum::<f64>();
        }
    }
    judge.end(&u, true)
}

fn substeps(process: &Inclusion<f64>, sample: u64) -> Vec<Substep> {
    let (mut work, mut all) = (process.workspace(), Vec::new());
    let ending =
        process.sample_observed(false, &Stream::new(5, sample), &mut work, |h, caps, l| {
            all.push((h, caps.to_vec(), l.to_vec()));
        });
    assert_eq!(ending.status, Status::Terminated);
    assert!((judged(process, 0.5, &all) - ending.residual).abs() <= 1e-6 + 1e-3 * ending.residual);
    all
}

/// A change of the substeps of a sample with so many contacts.
type Mutation = fn(usize, &mut Vec<Substep>);

/// What an integrator could do wrong, one substep at a time.
fn mutations() -> Vec<(&'static str, Mutation)> {
    vec![
        ("friction of the wrong sign", |m, all| {
            all.iter_mut().for_each(|(_, _, l)| l[m..].iter_mut().for_each(|f| *f = -*f));
        }),
        ("a constant force of friction", |m, all| {
            all.iter_mut().for_each(|(_, _, l)| {
                for i in 0..m {
                    (l[m + 2 * i], l[m + 2 * i + 1]) = (0.1 * l[i], 0.0);
                }
            });
        }),
        ("a contact that is left out", |m, all| {
            let first = all[0].2[..m].iter().position(|l| *l > 0.0).unwrap();
            all.iter_mut().for_each(|(_, _, l)| {
                (l[first], l[m + 2 * first], l[m + 2 * first + 1]) = (0.0, 0.0, 0.0);
            });
        }),
        ("a missed event", |_, all| {
            let longest = (0..all.len()).max_by(|a, b| all[*a].0.total_cmp(&all[*b].0)).unwrap();
            all[longest].0 *= 3.0;
        }),
        ("half of the friction", |m, all| {
            all.iter_mut().for_each(|(_, _, l)| l[m..].iter_mut().for_each(|f| *f *= 0.5));
        }),
    ]
}

#[test]
fn it_sees_what_an_integrator_could_do_wrong() {
    for name in ["cube-on-edge", "quadruped-trot"] {
        let problem = bouncing(&load(name), 0.5);
        let process = prepared(&problem);
        let m = problem.contact_count();
        for (what, mutate) in mutations() {
            let mut seen = Vec::new();
            for sample in 0..40 {
                let mut all = substeps(&process, sample);
                assert!(judged(&process, 0.5, &all) <= 1e-3);
                mutate(m, &mut all);
                seen.push(judged(&process, 0.5, &all));
            }
            seen.sort_by(f64::total_cmp);
            assert!(seen[0] > 1e-3, "{name}, {what}: {:e} {:e}", seen[0], seen[20]);
            assert!(seen[20] > 1e-2, "{name}, {what}: {:e} {:e}", seen[0], seen[20]);
        }
        // Storing e instead of e^2 of the work is what sqrt(e) should do.
        let other = prepared(&bouncing(&load(name), 0.5f64.sqrt()));
        let all = {
            let (mut work, mut all) = (other.workspace(), Vec::new());
            other.sample_observed(false, &Stream::new(5, 1), &mut work, |h, caps, l| {
                all.push((h, caps.to_vec(), l.to_vec()));
            });
            all
        };
        assert!(judged(&process, 0.5, &all) > 1e-2, "{name}: e for e squared");
    }
}
