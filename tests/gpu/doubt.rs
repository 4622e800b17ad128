//! The host solves samples of a GPU again: nothing is wrong on an adapter that is right.

use super::*;
use carom_law::Compiled;

in_both! {
    right_samples_raise_no_alarm,
}

/// All laws and processes that have kernels.
fn laws() -> Vec<Law> {
    let routh = |process| Law::Routh(Routh { process: Some(process), ..Routh::default() });
    let processes = [RouthProcess::Steps, RouthProcess::Events, RouthProcess::Inclusion].map(routh);
    let others = Law::NAMES[1..].iter().filter_map(|name| Law::named(name));
    processes.into_iter().chain(others).collect()
}

pub fn right_samples_raise_no_alarm<R: Compiled>() {
    let engine = Engine::open(&Device::Gpu).unwrap();
    let few = ["rocking-block", "box-and-wall", "newtons-cradle", "icosahedron-tetrahedron"];
    let all = scene::BUILTIN.iter().map(|scene| scene.name).collect();
    let samples = cases(160, 20_000);
    let refused = [ErrorKind::Device, ErrorKind::Usage, ErrorKind::Input];
    let (mut doubted, mut runs) = (0, 0);
    for name in cases(few.to_vec(), all) {
        let problem = scene::load(name).unwrap();
        for law in laws() {
            let process = law.process_on(&problem);
            let what = format!("{name}, {}, {process:?}, {}", law.name(), R::NAME);
            let precision = Some(precision_of::<R>());
            let plan = Plan { law, samples, seed: 7, precision, ..Plan::default() };
            let found = match engine.summarize(&problem, &plan, |_| ()) {
                // No kernel, or a law that this problem is not for.
                Err(error) if refused.contains(&error.kind) => continue,
                run => run.unwrap_or_else(|error| panic!("{what}: {error}")).doubted.unwrap(),
            };
            println!("{what}: {found:?}");
            assert!((16..=64).contains(&found.samples), "{what}: {found:?}");
            let explained = found.largest_difference <= found.tolerance;
            assert!(found.unexplained == 0 && explained, "{what}: {found:?}");
            runs += 1;
            doubted += found.samples - found.repaired;
        }
    }
    println!("{doubted} samples of {runs} runs");
    assert!(runs > 5 && doubted > 40, "{doubted} of {runs}");
}
