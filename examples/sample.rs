//! The outcomes of a built-in scene, in ten lines.

use carom::Plan;
use carom::scene;

fn main() -> carom::Result<()> {
    let problem = scene::load("compass-gait")?;
    let plan = Plan { samples: 65_536, seed: 1, ..Plan::default() };
    let run = carom::sample(&problem, &plan, |_samples| Ok(()))?;
    println!(
        "{} of {} samples accepted, on {}",
        run.summary.accepted, run.summary.samples, run.device.name
    );
    for (i, name) in problem.coordinates().iter().enumerate() {
        if let Some((least, most, mean)) = run.summary.velocity.get(i) {
            println!("{name:<16} {least:>9.4} .. {most:>8.4}, mean {mean:>8.4}");
        }
    }
    Ok(())
}
