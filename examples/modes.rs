//! A contact problem made from numbers: a square block falls flat onto the floor. Which contact
//! modes can follow?

use carom::{ContactProblem, Device, Plan, ProblemSpec};

fn main() -> carom::Result<()> {
    // Coordinates x, y and the angle; the contacts are the lower corners, half a metre below the
    // centre and half a metre to its left and right.
    let problem = ContactProblem::new(ProblemSpec {
        name: "falling block".to_string(),
        mass: vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0 / 6.0]],
        normal: vec![vec![0.0, 1.0, -0.5], vec![0.0, 1.0, 0.5]],
        tangent: vec![vec![1.0, 0.0, 0.5], vec![1.0, 0.0, 0.5]],
        friction: Some(vec![0.5, 0.5]),
        velocity: vec![0.5, -1.0, 0.0],
        ..ProblemSpec::default()
    })?;
    let plan = Plan { samples: 10_000, device: Device::Cpu, ..Plan::default() };
    let summary = carom::sample(&problem, &plan, |_samples| Ok(()))?.summary;
    println!("left corner, right corner");
    for (modes, count) in summary.modes.by_frequency() {
        let names: Vec<&str> =
            modes.iter().map(|mode| mode.name(problem.tangents_per_contact())).collect();
        println!("{:>6.2} %  {}", 100.0 * count as f64 / summary.accepted as f64, names.join(", "));
    }
    Ok(())
}
