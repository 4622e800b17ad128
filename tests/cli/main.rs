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

use std::io::Write;
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

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

/// A folder of a test, which goes with it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

/// A folder with the block.
fn directory() -> Folder {
    let dir = Folder::new();
    write(&dir, "block.json", BLOCK);
    dir
}

fn write(dir: &Path, name: &str, content: impl AsRef<[u8]>) {
    std::fs::write(dir.join(name), content).unwrap();
}

fn read(dir: &Path, name: &str) -> String {
    std::fs::read_to_string(dir.join(name)).unwrap()
}

fn names_in(dir: &Path) -> Vec<String> {
    let names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The words of a command line; what stands between two `'` is one word.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    let word = |(i, part)| match i % 2 {
        1 => vec![part],
        _ => str::split_whitespace(part).collect(),
    };
    parts.flat_map(word).collect()
}

fn carom(dir: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    command.args(words(line)).current_dir(dir).stdin(Stdio::null());
    // Without it, some Vulkan drivers write to stderr.
    command.env("XDG_RUNTIME_DIR", dir);
    command
}

fn run(dir: &Path, line: &str) -> Output {
    carom(dir, line).output().unwrap()
}

/// What a command prints, and what it says on stderr, that ends with this exit code.
fn ended(dir: &Path, line: &str, code: i32) -> [String; 2] {
    let output = run(dir, line);
    let [shown, said] = [&output.stdout, &output.stderr].map(|bytes| text(bytes));
    assert_eq!(output.status.code(), Some(code), "{line}\n{said}");
    [shown, said]
}

/// What a command that succeeds prints.
fn done(dir: &Path, line: &str) -> String {
    let [shown, _] = ended(dir, line, 0);
    shown
}

/// The report of a command that succeeds.
fn reported(dir: &Path, line: &str) -> Value {
    serde_json::from_str(&done(dir, &format!("{line} --json"))).unwrap()
}

/// The JSON that a command prints, whatever its exit code.
fn parsed(dir: &Path, line: &str) -> Value {
    serde_json::from_slice(&run(dir, line).stdout).unwrap()
}

/// A child whose output is read.
fn piped(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[cfg(unix)]
fn signal(child: &Child, signal: &str) {
    let number = child.id().to_string();
    assert!(Command::new("kill").args([signal, &number]).status().unwrap().success());
}

/// The JSON that a command prints, which succeeds and is given `input`.
fn given(dir: &Path, line: &str, input: &str) -> Value {
    let mut child = piped(carom(dir, line).stdin(Stdio::piped()));
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{line}\n{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Exit code, words in the message, nothing on stdout, no panic, nothing new in the directory.
fn refused(dir: &Path, line: &str, code: i32, words: &[&str]) {
    let before = names_in(dir);
    let output = run(dir, line);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{line}\n{message}");
    assert_eq!(text(&output.stdout), "", "{line}");
    assert!(!message.contains("panicked"), "{line}\n{message}");
    assert_eq!(message.matches("error:").count(), 1, "{line}\n{message}");
    for word in words {
        assert!(message.contains(word), "{line}: {word}\n{message}");
    }
    assert_eq!(names_in(dir), before, "{line}");
}

/// Each line of `cases` has the exit code of a command that is refused, what follows `command`, and
/// behind `=>` words of the message, between `|`.
fn refusals(dir: &Path, command: &str, cases: &str) {
    for case in cases.lines().filter(|case| !case.trim().is_empty()) {
        let (line, words) = case.split_once("=>").unwrap();
        let (code, more) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let words: Vec<&str> = words.split('|').map(str::trim).collect();
        refused(dir, &format!("{command} {more}"), code.parse().unwrap(), &words);
    }
}

/// `shown` has each of the words between `|`.
fn has(shown: &str, words: &str) {
    for word in words.split('|') {
        assert!(shown.contains(word), "{word}\n{shown}");
    }
}

/// `report` has these values.
fn says(report: &Value, values: Value) {
    for (key, value) in values.as_object().unwrap() {
        assert_eq!(report[key], *value, "{key}: {report}");
    }
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
