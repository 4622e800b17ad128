//! Inputs that carom knows, as a user might have them: what the cases change.

use std::fs;
use std::path::{Path, PathBuf};

use carom::scene;
use carom_core::problem::ProblemSpec;
use serde_json::{Value, json};

use crate::support::draws::Draws;

/// A file of the repository.
pub fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The files of a folder of the repository whose names end so.
pub fn files(folder: &str, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(place(folder)).expect("a folder of the repository");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(end));
    files.sort();
    files
}

pub fn any<T>(draws: &mut Draws, mut all: Vec<T>) -> T {
    all.swap_remove(draws.below(all.len()))
}

pub fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("a text of the repository")
}

/// The numbers of a built-in scene.
pub fn spec(draws: &mut Draws) -> ProblemSpec {
    let file = any(draws, files("scenes", ".toml"));
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    scene::load(&name).expect("a built-in scene").spec().clone()
}

/// A problem with some of the keys that are optional.
pub fn problem(draws: &mut Draws) -> Value {
    let spec = spec(draws);
    let m = spec.normal.len();
    let mut problem = json!(spec);
    let uncertainty = json!({ "friction": [[0.1, 0.5]], "noise": 0.01, "inertia": [[0.9, 1.1]] });
    let optional = [
        ("restitution", json!(vec![0.5; m])),
        ("step", json!(0.3)),
        ("max_steps", json!(10)),
        ("uncertainty", uncertainty),
        ("bilateral", json!([vec![0.0; spec.velocity.len()]])),
        ("contacts", (0..m).map(|i| format!("c{i}")).collect()),
    ];
    for (key, value) in optional {
        if draws.below(4) == 0 {
            problem[key] = value;
        }
    }
    problem
}

/// Measured impacts.
pub fn events(draws: &mut Draws) -> Value {
    let event = |draws: &mut Draws| {
        let mut event = problem(draws);
        event["measured"] = event["velocity"].clone();
        event["noise"] = json!(0.01);
        event["clean"] = json!(true);
        event["toss"] = json!(1);
        event
    };
    json!({ "schema": "made up", "events": (0..1 + draws.below(3)).map(|_| event(draws)).collect::<Vec<_>>() })
}

pub const PLAN: &str = r#"
name = "blocks"
problem = "block.toml"
samples = 4
states = 3
seed = 5
precision = "f32"
[parameters]
width = [0.5, 2.0]
[velocity]
block.y = [-1.0, -0.1]
block.theta = -0.25
[law]
name = "routh"
process = "exact"
sampler = "uniform"
restitution = 0.5
[files]
rows = 80
"#;

pub const TABLE: &str = "width,block.y\n1.0,-0.5\n0.7,-1e-3\n2,-1\n";

pub const SCENE: &str = r#"
friction = 0.6
[parameters]
width = { value = 1.0, min = 0.1 }
mu = 0.5
[[walls]]
name = "floor"
normal = [0, 1]
[[bodies]]
name = "block"
mass = "2 * mu"
shapes = [{ box = ["width", 1.0] }]
position = [0, 0.5]
velocity = [0.2, -0.5]
angular_velocity = 0.3
"#;

/// A sphere between the ground and a wall, as Siconos prints it: W dense, and in blocks.
pub const SICONOS: [&str; 2] = [
    "3\n2\n0\n6\n6\n6\t6\n0.5 0 0 0 0 0.5 0 1.75 0 0.5 0 -1.25 0 0 1.75 0 0.5 0 0 0.5 0 0.5 0 0 0 0 0.5 0 1.75 0 0.5 -1.25 0 0 0 1.75\n\
     -2 -1 0.5 -1 0.5 -2\n0.3 0.6\n",
    "3\n2\n1\n6\n6\n4\n2\n2\n3 6\n3 6\n3\n4\n0 2 4\n0 1 0 1\n0\n0.5 0 0 0 1.75 0 0 0 1.75\n1\n0 0.5 0 0 0 0.5 0.5 -1.25 0\n2\n\
     0 0 0.5 0.5 0 -1.25 0 0.5 0\n3\n0.5 0 0 0 1.75 0 0 0 1.75\n-2 -1 0.5 -1 0.5 -2\n0.3 0.6\n",
];
