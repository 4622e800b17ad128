//! The pages: their commands run and print the lines that they show, and draw the figures.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::support::npz;
use super::support::pages::{Block, Page, pages, root};
use super::{run, text};

/// What pages take for granted: a name, and the file of the repository that has its content.
const FILES: [(&str, &str); 4] = [
    ("robot.urdf", "tests/golden/models/quadruped.urdf"),
    ("robot.xml", "tests/golden/models/quadruped.xml"),
    ("problem.hdf5", "tests/golden/fclib/entries.hdf5"),
    ("examples/impacts.json", "examples/impacts.json"),
];

/// Other programs that pages name; they do not run here.
const OTHERS: [&str; 5] = ["cargo", "pip", "python3", "sbatch", "seq"];

/// A page whose commands need the names of devices, and those without commands to try.
const UNTRIED: [&str; 3] = ["benches/README.md", "CHANGELOG.md", "docs/options.md"];

/// The samples that a command takes whose output is not shown.
const FEW: &str = "1000";

/// A folder with all files that pages name and write.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("examples")).unwrap();
    for (name, source) in FILES {
        fs::copy(root().join(source), dir.path().join(name)).unwrap();
    }
    let matrix = |rows: usize, numbers: &[f64]| {
        npz::array("<f8", false, &format!("({rows}, 3)"), &npz::f8(numbers))
    };
    let list = |numbers: &[f64]| {
        npz::array("<f8", false, &format!("({},)", numbers.len()), &npz::f8(numbers))
    };
    let arrays = [
        ("M", matrix(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.4167])),
        ("Jn", matrix(2, &[0.0, 1.0, -0.5, 0.0, 1.0, 0.5])),
        ("Jt", matrix(2, &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0])),
        ("mu", list(&[1.0, 1.0])),
        ("v", list(&[0.0, -0.44, 0.0])),
    ];
    npz::write(&dir.path().join("impact.npz"), &arrays);
    for page in pages() {
        for Block { file, text, .. } in page.parts().1 {
            let Some(file) = file else { continue };
            fs::write(dir.path().join(file), fewer_states(&text)).unwrap();
        }
    }
    dir
}

/// A plan with less to do.
fn fewer_states(plan: &str) -> String {
    let lines = plan.lines().map(|line| match line.starts_with("states = ") {
        true => "states = 20\n".to_string(),
        false => format!("{line}\n"),
    });
    lines.collect()
}

/// The command without its comment.
fn command(line: &str) -> &str {
    line.split(" #").next().unwrap().trim()
}

/// A command with fewer samples and steps, to run sooner.
fn shortened(command: &str) -> String {
    let mut words: Vec<String> = command.split(' ').map(str::to_string).collect();
    for i in 1..words.len() {
        // Large numbers are written as powers of ten.
        if ["--samples", "--perturb"].contains(&&*words[i - 1]) && words[i].contains('e') {
            words[i] = FEW.to_string();
        }
    }
    let says = |option: &str| words.iter().any(|word| word == option);
    let more: &[&str] = match &*words[1] {
        "sample" if !says("--samples") && !says("--until-radius") => &["--samples", FEW],
        "gallery" => &["--samples", FEW],
        "bench" if !says("--quick") => &["rocking-block", "--device", "cpu", "--quick"],
        _ => &[],
    };
    let end = words.iter().position(|word| word == ">").unwrap_or(words.len());
    words.splice(end..end, more.iter().map(|word| word.to_string()));
    words.join(" ")
}

/// Runs a command of a page, without a GPU unless it asks for one: shares of samples are those of
/// double precision.
fn typed(dir: &Path, command: &str) -> Output {
    let programs = Path::new(env!("CARGO_BIN_EXE_carom")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(dir).stdin(Stdio::null()).env("PATH", path);
    shell.env("XDG_RUNTIME_DIR", dir).env("SLURM_ARRAY_TASK_ID", "3");
    if !command.contains("--device gpu") {
        shell.env("VK_DRIVER_FILES", "none").env("VK_ICD_FILENAMES", "none");
    }
    shell.output().unwrap()
}

fn succeeds(dir: &Path, command: &str, at: &str) -> String {
    let output = typed(dir, command);
    let there_is_none = command.contains("--device gpu") && output.status.code() == Some(4);
    assert!(
        output.status.success() || there_is_none,
        "{at}: {command}: {}\n{}",
        output.status,
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// The lines that are shown are printed, in this order; `...` stands for the rest of a line.
fn shows(printed: &str, shown: &[&str], at: &str) {
    let mut lines = printed.lines().map(str::trim);
    for line in shown.iter().map(|line| line.trim()) {
        let same = |printed: &str| match line.strip_suffix("...") {
            Some(beginning) => printed.starts_with(beginning.trim_end()),
            None => printed == line,
        };
        assert!(lines.any(same), "{at}: not printed: {line}\n{printed}");
    }
}

/// The words of a picture: what stands on its axes, in its legend and below it.
fn words(picture: &Path) -> Vec<String> {
    let text = fs::read_to_string(picture).unwrap();
    let texts = text.split("<text").skip(1);
    texts.map(|text| text.split(['>', '<']).nth(1).unwrap().to_string()).collect()
}

/// Every command of a page.
fn try_page(name: &str) {
    let (all, dir) = (pages(), folder());
    let page = all.iter().find(|page| page.path == name).unwrap();
    for block in page.parts().1 {
        let at = format!("{}:{}", page.path, block.line);
        match block.language {
            "sh" => {
                for command in block.text.lines().map(command).filter(|line| !line.is_empty()) {
                    let own = command.replace("cargo run --release --", "carom");
                    match own.split(' ').collect::<Vec<_>>()[..] {
                        ["carom", ..] => _ = succeeds(dir.path(), &shortened(&own), &at),
                        ["bash", file, ..] => assert!(root().join(file).is_file(), "{at}: {file}"),
                        [other, ..] if OTHERS.contains(&other) || other.starts_with('#') => {}
                        _ => panic!("{at}: what runs `{own}`?"),
                    }
                }
            }
            "console" => {
                for typed in block.text.split("$ ").skip(1) {
                    let lines: Vec<&str> = typed.lines().filter(|line| !line.is_empty()).collect();
                    shows(&succeeds(dir.path(), lines[0], &at), &lines[1..], &at);
                }
            }
            _ => {}
        }
    }
    for picture in fs::read_dir(root().join("docs/figures")).unwrap() {
        let picture = picture.unwrap().path();
        let drawn = dir.path().join(picture.file_name().unwrap());
        if drawn.exists() {
            let why = "is not what the command on the page draws; draw it again";
            assert_eq!(words(&picture), words(&drawn), "{} {why}", picture.display());
        }
    }
}

macro_rules! pages_run {
    ($($test:ident $page:literal)*) => {
        $(#[test] fn $test() { try_page($page); })*
        const TRIED: &[&str] = &[$($page),*];
    };
}

pages_run! {
    readme "README.md"
    choose "docs/choose.md"
    command_line "docs/command-line.md"
    contributing "CONTRIBUTING.md"
    control "docs/control.md"
    datasets "docs/datasets.md"
    files "docs/files.md"
    index "docs/README.md"
    law "docs/law.md"
    motion "docs/motion.md"
    problems "docs/problems.md"
    python "python/README.md"
    reality "docs/reality.md"
    rust "docs/rust.md"
    samples "docs/samples.md"
    sets "docs/sets.md"
    simulators "docs/python-simulators.md"
    speed "docs/speed.md"
    start "docs/start.md"
    structure "ARCHITECTURE.md"
    study "docs/study.md"
    train "docs/train.md"
    web "web/README.md"
}

#[test]
fn every_page_is_tried() {
    let found: BTreeSet<String> = pages().into_iter().map(|page| page.path).collect();
    let known: BTreeSet<String> = TRIED.iter().chain(&UNTRIED).map(|p| p.to_string()).collect();
    assert_eq!(found, known);
}

/// The help of a command, with that of the commands below it.
fn help(command: &str) -> String {
    let of = |words: &[&str]| text(&run(Path::new("."), words).stdout);
    let mut help = of(&[command, "--help"]);
    if command == "query" {
        let asks = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
        let names: Vec<&str> = (asks.lines().filter(|line| !line.starts_with("   ")))
            .filter_map(|line| line.split_whitespace().next())
            .filter(|&name| name != "help")
            .collect();
        help = names.iter().map(|&name| of(&["query", name, "--help"])).collect();
    }
    help
}

/// A command that stands within a sentence, such as `carom bound WHAT --direction C`, has the
/// options that it is said to have.
fn said(page: &Page, wrong: &mut Vec<String>) {
    for (line, code) in page.code() {
        let words: Vec<&str> = code.split_whitespace().collect();
        let ["carom", command, options @ ..] = &words[..] else { continue };
        if command.starts_with('-') || command.chars().any(char::is_uppercase) {
            continue;
        }
        let help = help(command);
        if help.is_empty() {
            wrong.push(format!("{}:{line}: {code}: no such command", page.path));
        }
        for option in options.iter().filter(|word| word.starts_with("--")) {
            let option = option.split(['=', '[']).next().unwrap();
            if !help.contains(option) {
                wrong.push(format!("{}:{line}: {code}: no option {option}", page.path));
            }
        }
    }
}

#[test]
fn commands_within_sentences_have_their_options() {
    let mut wrong = Vec::new();
    for page in pages().iter().filter(|page| page.path != "CHANGELOG.md") {
        said(page, &mut wrong);
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_is_wrong_on_a_page_is_found() {
    let page = |text: &str| Page { path: "page.md".into(), text: text.into() };
    let mut wrong = Vec::new();
    said(
        &page("`carom sample X --nonsense`, `carom smaple`, `carom bound WHAT --cost C`"),
        &mut wrong,
    );
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    let printed = "a  1\n  b  2 and more\nc\n";
    shows(printed, &["a  1", "b  2 ..."], "");
    for shown in [["c", "a  1"], ["a 1", "c"], ["a  1", "b  3 ..."]] {
        assert!(std::panic::catch_unwind(|| shows(printed, &shown, "")).is_err(), "{shown:?}");
    }
}

/// The page of all options, as the schema of a run has them.
///
/// `CAROM_WRITE_PAGES=1` writes it anew.
#[test]
fn the_page_of_options_is_generated_from_the_schema_of_a_run() {
    let schema: Value =
        serde_json::from_str(&text(&run(root(), &["schema", "run"]).stdout)).unwrap();
    let page = options(&schema);
    let path = root().join("docs/options.md");
    if std::env::var("CAROM_WRITE_PAGES").is_ok_and(|value| value == "1") {
        fs::write(&path, &page).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap();
    assert!(found == page, "docs/options.md is not up to date: CAROM_WRITE_PAGES=1 writes it anew");
}

/// Markdown of all options with their values.
fn options(schema: &Value) -> String {
    let mut page = String::from(
        "# Options of a run\n\nThis page is generated from `carom schema run`. Plans and Python name an \
         option by its field,\nthe command line by its flag: `--max-steps` for `max_steps`. An option of \
         another law is refused.\n\n| option | values | default | meaning |\n|---|---|---|---|\n",
    );
    let mut words = String::new();
    for (field, of) in schema["properties"].as_object().unwrap() {
        let named = of["$ref"].as_str().or_else(|| of["anyOf"][0]["$ref"].as_str());
        let kind = named.map(|name| &schema["$defs"][name.trim_start_matches("#/$defs/")]);
        let choices = kind.and_then(|kind| kind["oneOf"].as_array());
        let values = match choices {
            Some(all) => {
                words += &format!("\n## `{field}`\n\n| value | |\n|---|---|\n");
                for choice in all {
                    words += &format!("| `{}` | {} |\n", word(choice), line(choice));
                }
                format!("[{}](#{field})", all.iter().map(word).collect::<Vec<_>>().join(", "))
            }
            None => match of["type"].as_str().or_else(|| of["type"][0].as_str()) {
                Some("integer") => "whole number".to_string(),
                Some(other) => other.to_string(),
                None => kind
                    .and_then(|kind| kind["type"].as_str())
                    .unwrap_or("text or table")
                    .to_string(),
            },
        };
        let default = match &of["default"] {
            Value::Null => String::new(),
            Value::String(word) => format!("`{word}`"),
            other => format!("`{other}`"),
        };
        page += &format!("| `{field}` | {values} | {default} | {} |\n", line(of));
    }
    page + &words
}

fn word(choice: &Value) -> String {
    choice["const"].as_str().unwrap().to_string()
}

/// The description as one line of a table.
fn line(of: &Value) -> String {
    of["description"].as_str().unwrap().replace('\n', " ").replace('|', "\\|")
}
