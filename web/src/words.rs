//! Commands of the command line.

use carom_engine::run::Run;

use crate::opened::Opened;

/// The command that replays a sample. A problem that command-line arguments cannot specify is named
/// `problem.json`.
pub fn command(opened: &Opened, sample: u64) -> String {
    let Opened { wanted, problem, .. } = opened;
    let mut words = vec!["carom replay".to_string()];
    match &wanted.scene {
        Some(scene) if wanted.friction.is_none() && wanted.restitution.is_none() => {
            words.push(scene.clone());
            words.extend(wanted.set.iter().map(|(name, value)| format!("--set {name}={value}")));
            if wanted.velocity.is_some() {
                let velocity: Vec<String> = problem.velocity().iter().map(f64::to_string).collect();
                words.push(format!("--velocity {}", velocity.join(",")));
            }
        }
        _ => words.push("problem.json".to_string()),
    }
    let run = wanted.run();
    words.push(format!("--seed {} --sample {sample} --precision f32 --device cpu", run.seed));
    words.extend(Run { seed: 0, ..run }.words());
    words.join(" ")
}
