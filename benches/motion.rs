//! Steps per second of copies of a rigid body that bounces on a plane. Prints a Markdown page:
//! `cargo bench --bench motion > benches/results/motion.md`. With `MUJOCO=command` the rows that
//! this command prints stand in the same table; see benches/peers/motion.sh.

use std::process::Command;
use std::time::Instant;

use carom::motion::Simulation;
use carom::motion::lgvci::{CopySpread, Lgvci, Perturbation, Replica};
use carom::scene;

/// The angle by which copies are turned, in rad.
const ANGLE: f64 = 1e-3;

fn main() {
    // Without `--bench` it is run as a test.
    let measures = std::env::args().any(|argument| argument == "--bench");
    let (copies, steps) = if measures { (100_000, 1000) } else { (64, 50) };
    let Simulation::Lgvci(motion) =
        scene::Document::open("cube").and_then(|file| file.motion()).unwrap()
    else {
        panic!("no rigid body")
    };
    println!("| who | precision | where | copies | steps/s |");
    println!("|---|---|---|---|---|");
    let single = one_by_one(&motion, if measures { 300 } else { 2 }, steps);
    println!("| carom, one copy after the other | f64 | 1 core, scalar | 1 | {:.2e} |", single);
    if let Some(command) = std::env::var_os("MUJOCO") {
        let output = Command::new(command).output().unwrap();
        print!("{}", String::from_utf8_lossy(&output.stdout));
    }
    let how = Perturbation { copies, angle: ANGLE, shift: 0.0, seed: 0 };
    let spread = motion.spread(steps, &how, None, None, |_| ()).unwrap();
    println!(
        "| carom, `simulate --perturb` | f64 | {}; {} threads | {copies} | {:.2e} |",
        spread.device.name,
        spread.device.threads.unwrap_or(1),
        spread.steps as f64 / spread.seconds
    );
    statistics(&spread);
}

/// Steps per second of scalar copies on one core.
fn one_by_one(motion: &Lgvci, copies: u64, steps: u64) -> f64 {
    let setting = motion.setting();
    let how = Perturbation { copies, angle: ANGLE, shift: 0.0, seed: 0 };
    let began = Instant::now();
    for copy in 0..copies {
        let mut replica = Replica::new(&setting.body, &motion.perturbed(&how, copy));
        while replica.goes_on(steps) {
            replica.step(&setting, |_| ());
        }
    }
    (copies * steps) as f64 / began.elapsed().as_secs_f64()
}

fn statistics(spread: &CopySpread) {
    println!(
        "\n| precision | collisions of a copy | energy error, J | s: median of \\|x - y\\| + \\|R - Q\\|, mean and sd of the height, m |"
    );
    println!("|---|---|---|---|");
    let rows = spread.rows.iter().skip(10).step_by(30).map(|row| {
        format!("{}: {:.4}, {:.4}, {:.4}", row.time, row.median, row.mean_height, row.height)
    });
    let times: Vec<String> = rows.collect();
    let CopySpread { collisions, energy_error, .. } = spread;
    println!("| f64 | {collisions:.4} | {energy_error:.1e} | {} |", times.join("; "));
}
