//! Two thousand random problems of eight kinds: which samples end and are accepted, and how long
//! each takes.

use std::collections::BTreeMap;

use carom_core::status::Status;
use support::random::{Kind, Outcome, outcomes};

// The benchmark uses a part of the tests' support.
#[allow(dead_code)]
#[path = "../tests/support"]
mod support {
    pub mod draws;
    pub mod random;
}

/// Problems of each kind, and samples of each problem.
const PROBLEMS: usize = 250;
const SAMPLES: u64 = 20;

/// A sample and the problem that it is of.
struct One {
    outcome: Outcome,
    problem: usize,
    what: String,
}

fn main() {
    // Without `--bench` it is run as a test.
    let problems =
        if std::env::args().any(|argument| argument == "--bench") { PROBLEMS } else { 1 };
    for kind in Kind::all() {
        let mut all = Vec::new();
        for (problem, drawn) in kind.problems().take(problems) {
            let (m, n, mu) = (drawn.contact_count(), drawn.coordinate_count(), drawn.friction());
            for (sample, outcome) in outcomes(&drawn, SAMPLES).into_iter().enumerate() {
                let status = outcome.status.name();
                let what = format!(
                    "{status}, sample {sample} of problem {problem}, m = {m}, n = {n}, mu = {mu:.2?}"
                );
                all.push(One { outcome, problem, what });
            }
        }
        report(kind, all);
    }
}

fn report(kind: Kind, mut all: Vec<One>) {
    all.sort_by_key(|one| one.outcome.time);
    let share = |fits: &dyn Fn(&Outcome) -> bool| {
        100.0 * all.iter().filter(|one| fits(&one.outcome)).count() as f64 / all.len() as f64
    };
    let ended = share(&|one| one.status == Status::Terminated);
    let accepted = share(&|one| one.accepted);
    let (mut statuses, mut rejected) = (BTreeMap::new(), BTreeMap::new());
    for one in &all {
        *statuses.entry(one.outcome.status.name()).or_insert(0) += 1;
        if !one.outcome.accepted {
            *rejected.entry(one.problem).or_insert(0) += 1;
        }
    }
    println!(
        "{kind}: {} samples, {ended:.2} % ended, {accepted:.2} % accepted, {statuses:?}",
        all.len()
    );
    let time = |part: f64| all[(part * (all.len() - 1) as f64) as usize].outcome.time;
    let [median, p99, p999, most] = [0.5, 0.99, 0.999, 1.0].map(time);
    println!("    median {median:.1?}, 99 % {p99:.1?}, 99.9 % {p999:.1?}, most {most:.1?}");
    println!("    slowest: {}", all[all.len() - 1].what);
    let mut worst: Vec<(usize, u64)> = rejected.into_iter().collect();
    worst.sort_by_key(|(_, samples)| std::cmp::Reverse(*samples));
    print!("    {} problems with samples that are not accepted", worst.len());
    worst.iter().take(5).for_each(|(problem, samples)| print!(", {samples} of problem {problem}"));
    println!();
}
