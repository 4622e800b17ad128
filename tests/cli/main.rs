//! The command line, run as a user runs it: a file for each command.

mod animate;
mod bench;
mod bound;
mod compare;
mod dataset;
mod dataset_arrays;
#[cfg(target_os = "linux")]
mod dataset_ends;
mod design;
mod doctor;
#[cfg(target_os = "linux")]
mod documents;
mod doors;
mod extract;
mod files;
mod guarantee;
mod hostile;
mod identify;
mod import;
mod listed;
mod long_runs;
mod manual;
mod merge;
mod modelled;
mod names;
mod options;
mod papers;
mod problems;
mod query;
mod reality;
mod record;
mod replay;
mod reports;
mod resolve;
mod robots;
mod said;
mod sample;
mod scenes;
mod schema;
mod set;
mod simulate;
#[cfg(target_os = "linux")]
mod staging;
mod usage;
mod warnings;

// Each binary uses a part of it.
#[allow(dead_code)]
#[path = "../support"]
mod support {
    pub mod draws;
    pub mod events;
    pub mod golden;
    pub mod indeterminacy;
    pub mod npz;
    pub mod pages;
    pub mod schema;
}

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A block on two corners; tests bend it by replacing text.
const BLOCK: &str = r#"{
  "name": "block",
  "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.2]],
  "normal": [[0, 1, -0.5], [0, 1, 0.5]],
  "tangent": [[1, 0, 0.5], [1, 0, 0.5]],
  "friction": [0.5, 0.5],
  "velocity": [0.3, -1, 0.4],
  "contacts": ["left", "right"]
}"#;

fn carom(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    command.args(args).current_dir(dir).stdin(Stdio::null());
    // Without it, some Vulkan drivers write to stderr.
    command.env("XDG_RUNTIME_DIR", dir);
    command
}

fn run(dir: &Path, args: &[&str]) -> Output {
    carom(dir, args).output().unwrap()
}

fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("block.json"), BLOCK).unwrap();
    dir
}

fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Exit code, words in the message, nothing on stdout, no panic, nothing new in the directory.
fn refused(dir: &Path, args: &[&str], code: i32, words: &[&str]) {
    let before = names_in(dir);
    let output = run(dir, args);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{message}");
    assert_eq!(text(&output.stdout), "", "{args:?}");
    assert!(!message.contains("panicked"), "{args:?}\n{message}");
    assert_eq!(message.matches("error:").count(), 1, "{args:?}\n{message}");
    for word in words {
        assert!(message.contains(word), "{args:?}: {word}\n{message}");
    }
    assert_eq!(names_in(dir), before, "{args:?}");
}

/// Whether `value` has the keys of `form`, in any order, and values of the same types.
fn has_form(value: &Value, form: &Value, at: &str) {
    match (value, form) {
        (Value::Object(value), Value::Object(form)) => {
            for (key, form) in form {
                has_form(
                    value.get(key).unwrap_or_else(|| panic!("{at}.{key}")),
                    form,
                    &format!("{at}.{key}"),
                );
            }
        }
        (Value::Array(value), Value::Array(form)) => {
            for value in value {
                has_form(value, &form[0], &format!("{at}[]"));
            }
        }
        (Value::Number(value), Value::Number(form)) => {
            assert!(form.is_f64() || value.is_u64(), "{at}: {value} is not an integer");
        }
        (Value::String(_), Value::String(_)) => {}
        _ => panic!("{at}: {value} instead of {form}"),
    }
}
