//! The pages: their commands run and print the lines that they show, and draw the figures.

use std::collections::BTreeSet;
use std::fs;

use carom::run::Field;

use super::support::npz;
use super::support::pages::{Block, Page, pages, root};
use super::*;

/// What pages take for granted: a name, and the file of the repository that has its content.
const FILES: [(&str, &str); 7] = [
    ("biped.npz", "examples/biped.npz"),
    ("robot.urdf", "tests/golden/models/quadruped.urdf"),
    ("robot.xml", "tests/golden/models/quadruped.xml"),
    ("humanoid.xml", "tests/golden/models/humanoid.xml"),
    ("talos.json", "tests/golden/feet/talos.json"),
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
        if ["--samples", "--perturb", "--steps", "--work"].contains(&&*words[i - 1])
            && words[i].contains('e')
        {
            words[i] = FEW.to_string();
        }
    }
    let says = |option: &str| words.iter().any(|word| word == option);
    let more: &[&str] = match &*words[1] {
        "sample" if !says("--samples") && !says("--until-radius") => &["--samples", FEW],
        "gallery" => &["--samples", FEW],
        "bench" if !says("--quick") && !says("--work") => {
            &["rocking-block", "--device", "cpu", "--quick"]
        }
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
    let (ended, said) = (output.status, text(&output.stderr));
    assert!(ended.success() || there_is_none, "{at}: {command}: {ended}\n{said}");
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

/// Whether pages and pictures are written anew.
fn anew() -> bool {
    std::env::var("CAROM_WRITE_PAGES").is_ok_and(|value| value == "1")
}

/// The cells of a row of a table that are commands about something, and nothing else.
fn commands_of_row((line, text): (usize, &str)) -> impl Iterator<Item = (usize, &str)> {
    let cells = text.strip_prefix("| ").into_iter().flat_map(|row| row.split('|'));
    let commands = cells.filter_map(|cell| cell.trim().strip_prefix('`')?.strip_suffix('`'));
    let whole = |command: &&str| command.starts_with("carom ") && command.split(' ').count() > 2;
    commands.filter(whole).map(move |command| (line, command))
}

/// Every command of a page.
fn try_page(name: &str) {
    let (all, dir) = (pages(), folder());
    let page = all.iter().find(|page| page.path == name).unwrap();
    let (prose, blocks) = page.parts();
    for (line, own) in prose.into_iter().flat_map(commands_of_row) {
        succeeds(dir.path(), &shortened(own), &format!("{}:{line}", page.path));
    }
    for block in blocks {
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
            if anew() && words(&picture) != words(&drawn) {
                fs::copy(&drawn, &picture).unwrap();
            }
            let why = "is not what the command on the page draws: CAROM_WRITE_PAGES=1 draws it";
            assert_eq!(words(&picture), words(&drawn), "{} {why}", picture.display());
        }
    }
}

/// A test for each page of `docs/` by its name, and for others.
macro_rules! pages_run {
    ($($docs:ident)*; $($test:ident $page:literal)*) => {
        $(#[test] fn $docs() { try_page(concat!("docs/", stringify!($docs), ".md")); })*
        $(#[test] fn $test() { try_page($page); })*
        const TRIED: &[&str] = &[$(concat!("docs/", stringify!($docs), ".md"),)* $($page),*];
    };
}

pages_run! {
    biped c choose cite control datasets feet figure files gallery identify law motion outcome papers
    problems quadruped reality rust samples scenes sets speed start study tested train;
    readme "README.md"
    command_line "docs/command-line.md"
    contributing "CONTRIBUTING.md"
    index "docs/README.md"
    python "python/README.md"
    simulators "docs/python-simulators.md"
    structure "ARCHITECTURE.md"
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
    let of = |line: &str| text(&run(Path::new("."), &format!("{line} --help")).stdout);
    let mut help = of(command);
    if command == "query" {
        let asks = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
        let names: Vec<&str> = (asks.lines().filter(|line| !line.starts_with("   ")))
            .filter_map(|line| line.split_whitespace().next())
            .filter(|&name| name != "help")
            .collect();
        help = names.iter().map(|name| of(&format!("query {name}"))).collect();
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

/// The names of all properties in a schema.
fn properties(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(entries) => {
            if let Some(Value::Object(own)) = entries.get("properties") {
                names.extend(own.keys().cloned());
            }
            entries.values().for_each(|value| properties(value, names));
        }
        Value::Array(values) => values.iter().for_each(|value| properties(value, names)),
        _ => {}
    }
}

/// The page of scenes has every key of their schema.
#[test]
fn scenes_have_all_keys() {
    let mut names = BTreeSet::new();
    properties(&super::schema::schema("scene"), &mut names);
    let page = fs::read_to_string(root().join("docs/scenes.md")).unwrap();
    let words: BTreeSet<&str> = page.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let missing: Vec<&String> = names.iter().filter(|name| !words.contains(&***name)).collect();
    assert!(names.len() > 30 && missing.is_empty(), "docs/scenes.md leaves out {missing:?}");
}

/// The page of all options and the classes of laws in Python, as the schema of a run has them.
///
/// `CAROM_WRITE_PAGES=1` writes them anew.
#[test]
fn options_are_generated_from_the_schema_of_a_run() {
    for (name, page) in [("docs/options.md", options()), ("python/carom/laws.py", classes())] {
        let path = root().join(name);
        if anew() {
            fs::write(&path, &page).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap();
        assert!(found == page, "{name} is not up to date: CAROM_WRITE_PAGES=1 writes it anew");
    }
}

/// What is common to all laws in Python.
const LAW: &str = r#""""Laws that are sampled, with their options; generated from ``carom schema run``.

None leaves an option at its default.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar


@dataclass(frozen=True)
class Law:
    """A law that is sampled. Its fields are its options."""

    name: ClassVar[str]

    def options(self) -> dict[str, Any]:
        """The law and its options by the names that ``carom schema run`` has for them."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"law": self.name, **{name: value for name, value in given.items() if value is not None}}
"#;

/// Python with a class for each law.
fn classes() -> String {
    let mut text = LAW.to_string();
    let plain = |text: &str| text.replace('\n', " ").replace(['`', '\\'], "");
    for (law, meaning) in Field::named("law").unwrap().words() {
        let of = || Field::all().iter().filter(|field| field.laws.contains(&law));
        let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
        let class: String = law.split('-').map(capital).collect();
        text += &format!("\n\n@dataclass(frozen=True)\nclass {class}(Law):\n");
        text += &wrapped(4, &format!("\"\"\"{}", plain(meaning)), 4);
        text += "\n    Attributes:\n";
        for field in of() {
            let default = field.default().map_or(String::new(), |x| format!(" Default: {x}."));
            let meanings = field.meanings();
            let (_, meaning) = meanings.iter().find(|(laws, _)| laws.contains(&law)).unwrap();
            let meaning = plain(meaning) + &default.replace('"', "");
            text += &wrapped(8, &format!("{}: {meaning}", field.name), 12);
        }
        text += &format!("    \"\"\"\n\n    name: ClassVar[str] = \"{law}\"\n");
        for field in of() {
            let kind = match field.kind() {
                Some("integer") => "int",
                Some("number") => "float",
                _ => "str",
            };
            text += &format!("    {}: {kind} | None = None\n", field.name);
        }
    }
    text
}

/// Lines of at most 100 columns, with a first and a further indent.
fn wrapped(first: usize, text: &str, further: usize) -> String {
    let mut lines = vec![" ".repeat(first)];
    for word in text.split_whitespace() {
        let line = lines.last_mut().unwrap();
        let begun = !line.trim().is_empty();
        if begun && line.len() + 1 + word.len() > 100 {
            lines.push(" ".repeat(further) + word);
        } else {
            *line += if begun { " " } else { "" };
            *line += word;
        }
    }
    lines.join("\n") + "\n"
}

/// Markdown of all options with their values.
fn options() -> String {
    let mut page = String::from(
        "# Options of a run\n\nThis page is generated from `carom schema run`. Plans and Python name an \
         option by its field,\nthe command line by its flag: `--max-steps` for `max_steps`. An option of \
         another law is refused.\n\n| option | laws | values | default | meaning |\n|---|---|---|---|---|\n",
    );
    let mut words = String::new();
    let line = |text: &str| text.replace('\n', " ").replace('|', "\\|");
    for field in Field::all() {
        let Field { name, .. } = field;
        let all = field.words();
        if !all.is_empty() {
            words += &format!("\n## `{name}`\n\n| value | |\n|---|---|\n");
            for (word, meaning) in &all {
                words += &format!("| `{word}` | {} |\n", line(meaning));
            }
        }
        let values = match field.kind() {
            _ if !all.is_empty() => {
                let words: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
                format!("[{}](#{name})", words.join(", "))
            }
            Some("integer") => "whole number".to_string(),
            kind => kind.unwrap_or("text or table").to_string(),
        };
        let default =
            field.default().map_or(String::new(), |value| format!("`{value}`").replace('"', ""));
        for (laws, meaning) in field.meanings() {
            let (laws, meaning) = (laws.join(", "), line(meaning));
            page += &format!("| `{name}` | {laws} | {values} | {default} | {meaning} |\n");
        }
    }
    page + &words
}
