//! `docs/papers.md`: the commands of its tables of numbers run, print what the page has, and agree
//! with the papers as the page says.

use std::fs;

use super::support::pages::{Page, pages};
use super::*;

/// The head of a table of numbers.
const HEAD: &str = "| number | command | the paper | carom | agreement |";

/// Deviations within which a number that has one is met: beyond are 3 of 1000 normal numbers.
const DEVIATIONS: f64 = 3.0;

/// A row of a table of numbers.
#[derive(Debug)]
struct Row<'a> {
    number: &'a str,
    command: &'a str,
    paper: Vec<Printed<'a>>,
    carom: Vec<Printed<'a>>,
    agreement: &'a str,
}

/// A word or a number as it is printed.
#[derive(Debug)]
enum Printed<'a> {
    Word(&'a str),
    /// The value, half a unit of its last digit, and the standard deviation if there is one.
    Number(f64, f64, Option<f64>),
}

impl<'a> Printed<'a> {
    /// The entries of a cell; `-` is none.
    fn list(cell: &'a str) -> Vec<Self> {
        cell.split(", ").filter(|entry| *entry != "-").map(Self::read).collect()
    }

    fn read(entry: &'a str) -> Self {
        let (number, deviation) = match entry.split_once(" +- ") {
            Some((number, deviation)) => (number, Some(deviation.parse().unwrap())),
            None => (entry, None),
        };
        let Ok(value) = number.parse() else { return Printed::Word(entry) };
        let (digits, exponent) = number.split_once('e').unwrap_or((number, "0"));
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let unit = 10_f64.powi(exponent.parse::<i32>().unwrap() - decimals as i32);
        Printed::Number(value, 0.5 * unit, deviation)
    }

    /// How far a result is from this, in parts of what it may be off: 1 at most where it agrees.
    fn off(&self, found: &Value, within: Option<f64>) -> f64 {
        match (self, found) {
            (Printed::Number(value, half, deviation), Value::Number(found)) => {
                let most = deviation.map_or(*half, |deviation| DEVIATIONS * deviation);
                let most = within.unwrap_or(most);
                // Ten roundings of the decimal numbers.
                (found.as_f64().unwrap() - value).abs() / (most + 1e-15 * value.abs())
            }
            (Printed::Word(word), Value::String(found)) if word == found => 0.0,
            _ => f64::INFINITY,
        }
    }
}

/// All rows of the tables of numbers.
fn rows(page: &Page) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut within = false;
    for (line, text) in page.parts().0 {
        within = text == HEAD || within && text.starts_with('|');
        if !within || text == HEAD || text.starts_with("|---") {
            continue;
        }
        let cells: Vec<&str> = text.trim_matches('|').split('|').map(str::trim).collect();
        let [number, command, paper, carom, agreement] = cells[..] else {
            panic!("docs/papers.md:{line}: {} cells", cells.len())
        };
        let (paper, carom) = (Printed::list(paper), Printed::list(carom));
        rows.push(Row { number, command: command.trim_matches('`'), paper, carom, agreement });
    }
    rows
}

/// The report of a command of the page; shares of samples are those of double precision.
fn report(dir: &Path, command: &str) -> Value {
    let line = format!("{} --json", command.strip_prefix("carom ").unwrap());
    let mut command = carom(dir, &line);
    command.env("VK_DRIVER_FILES", "none").env("VK_ICD_FILENAMES", "none");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The numbers of a report that a row is about.
fn results(row: &Row<'_>, report: &Value) -> Vec<Value> {
    let at = |path: &str| report.pointer(path).unwrap_or_else(|| panic!("{path}: {row:?}")).clone();
    let all = |paths: &[&str]| paths.iter().map(|path| at(path)).collect::<Vec<_>>();
    let list = |path: &str| at(path).as_array().unwrap().clone();
    let impulse = || {
        let l = list("/solutions/0/impulse");
        vec![l[1].clone(), l[2].clone(), l[0].clone()]
    };
    let is = |words: &str| row.number.contains(words);
    match row.command.split(' ').collect::<Vec<_>>()[1..] {
        ["sample", ..] => all(&["/steps/mean"]),
        ["bound", ..] => {
            let bounds = list("/bounds");
            let of = |kind: &str| bounds.iter().find(|bound| bound["kind"] == kind).unwrap();
            vec![of("exact")["value"].clone(), of("conic")["value"].clone()]
        }
        ["simulate", "rocking-zeno", ..] => all(&["/zeno/0/time", "/zeno/0/s"]),
        ["simulate", .., "--steps", _] => all(&["/collision_count"]),
        ["simulate", _, "--perturb", ..] => all(&["/perturbation/distance/0/median"]),
        ["resolve", .., "anitescu-potra"] if is("energy") => {
            all(&["/distinct", "/solutions/0/kinetic_energy"])
        }
        ["resolve", .., "anitescu-potra"] => all(&["/distinct"]),
        ["resolve", "newtons-cradle", .., "--restitution", _] => {
            // The elastic outcome is (0, 0, 1), the plastic one (1, 1, 1) / 3.
            let v = list("/solutions/0/velocity");
            vec![json!(v[2].as_f64().unwrap() - v[1].as_f64().unwrap())]
        }
        ["resolve", "newtons-cradle", ..] => {
            all(&["/uniqueness/gram/0/1", "/uniqueness/indeterminacy", "/solutions/0/velocity/2"])
        }
        ["resolve", "billiard-break", ..] => all(&["/uniqueness/indeterminacy"]),
        ["resolve", "ball-row", ..] if is("Table 2") => {
            let phases = |round: &Value| {
                let letters = round["phases"].as_array().unwrap().iter();
                json!(letters.map(|letter| letter.as_str().unwrap()).collect::<String>())
            };
            list("/solutions/0/details/rounds").iter().map(phases).collect()
        }
        ["resolve", "ball-row", ..] => list("/solutions/0/velocity"),
        ["resolve", "triple-pendulum", ..] => {
            let mut found: Vec<Value> = Vec::new();
            for round in list("/solutions/0/details/rounds") {
                let intervals = round["intervals"].as_array().unwrap().iter();
                found.extend(intervals.map(|interval| interval["tangent"][0].clone()));
            }
            found.dedup();
            found
        }
        ["resolve", .., "darboux-keller"] if is("tangential") => {
            all(&["/solutions/0/impulse/0", "/solutions/0/impulse/1"])
        }
        ["resolve", ..] if is("total impulse") || is("without friction") => impulse(),
        ["resolve", ..] if is("sticking") => all(&["/solutions/0/details/friction_to_stick"]),
        ["resolve", ..] if is("events") => all(&["/solutions/0/details/event_sequence"]),
        ["resolve", ..] if is("directions") => {
            let found = list("/solutions/0/details/invariant_directions");
            let of = |kind: &str| found.iter().filter(|of| of["kind"] == kind).count();
            vec![json!(of("centripetal")), json!(of("centrifugal"))]
        }
        ["resolve", ..] if is("slip") => {
            let slip = list("/solutions/0/details/hodograph/0");
            vec![json!(slip[0].as_f64().unwrap().hypot(slip[1].as_f64().unwrap()))]
        }
        ["resolve", ..] if is("theta_max") => all(&["/solutions/0/details/interval_count"]),
        ["resolve", ..] if is("round") || is(", mu ") => {
            let found = list("/solutions/0/details/transitions");
            let rolls = found.iter().filter(|change| change["to"] == "rolling");
            let rounds: Vec<Value> =
                rolls.map(|change| json!(change["round"].as_u64().unwrap() + 1)).collect();
            if rounds.is_empty() { vec![json!("none")] } else { rounds }
        }
        _ => panic!("what of the report of {row:?}?"),
    }
}

/// What is wrong with a row whose command has these results.
fn wrong(row: &Row<'_>, found: &[Value]) -> Vec<String> {
    let mut wrong = Vec::new();
    let most = |printed: &[Printed<'_>], within: Option<f64>| {
        if printed.len() != found.len() {
            return f64::INFINITY;
        }
        printed.iter().zip(found).map(|(a, b)| a.off(b, within)).fold(0.0, f64::max)
    };
    if most(&row.carom, None) > 1.0 {
        wrong.push(format!("{}: the command prints {found:?}: {row:?}", row.number));
    }
    let (kind, why) = row.agreement.split_once(": ").unwrap_or((row.agreement, ""));
    let holds = match kind.strip_prefix("+- ") {
        Some(within) => !why.is_empty() && most(&row.paper, Some(within.parse().unwrap())) <= 1.0,
        None if kind == "as printed" => most(&row.paper, None) <= 1.0,
        None if kind == "differs" => !why.is_empty() && most(&row.paper, None) > 1.0,
        None => kind == "none" && !why.is_empty() && row.paper.is_empty(),
    };
    if !holds {
        wrong.push(format!("{}: not `{}`: {found:?}: {row:?}", row.number, row.agreement));
    }
    wrong
}

#[test]
fn numbers_of_the_page_are_those_of_its_commands() {
    let all = pages();
    let page = all.iter().find(|page| page.path == "docs/papers.md").unwrap();
    let dir = Folder::new();
    for block in page.parts().1 {
        fs::write(dir.join(block.file.unwrap()), block.text).unwrap();
    }
    let rows = rows(page);
    for paper in ["[HP23]", "[SM14]", "[JW16]", "[USD15]", "[TL24]"] {
        let part = page.text.split("\n## ").find(|part| part.starts_with(paper)).unwrap();
        assert!(part.contains(HEAD), "no numbers of {paper}");
    }
    let mut bad = Vec::new();
    for row in &rows {
        bad.extend(wrong(row, &results(row, &report(&dir, row.command))));
    }
    assert!(bad.is_empty(), "\n{}", bad.join("\n"));
}

#[test]
fn a_wrong_number_is_found() {
    let check = |row: &str, found: Value| {
        let text = format!("{HEAD}\n|---|---|---|---|---|\n{row}\n");
        let page = Page { path: String::new(), text };
        wrong(&rows(&page)[0], found.as_array().unwrap()).len()
    };
    let mean = |agreement: &str| format!("| n | `carom x` | 9.04 | 8.812 +- 0.008 | {agreement} |");
    assert_eq!(check(&mean("differs: why"), json!([8.81])), 0);
    assert_eq!(check(&mean("differs: why"), json!([8.85])), 1);
    assert_eq!(check(&mean("differs"), json!([8.81])), 1);
    assert_eq!(check(&mean("as printed"), json!([8.81])), 1);
    assert_eq!(check(&mean("+- 0.3: why"), json!([8.81])), 0);
    assert_eq!(check(&mean("+- 0.2: why"), json!([8.81])), 1);
    assert_eq!(check(&mean("none: why"), json!([8.81])), 1);
    let words =
        |agreement: &str| format!("| n | `carom x` | lcr, 1.75e-8 | cr, 1.745e-8 | {agreement} |");
    assert_eq!(check(&words("differs: why"), json!(["cr", 1.7453e-8])), 0);
    assert_eq!(check(&words("as printed"), json!(["cr", 1.7453e-8])), 1);
    assert_eq!(check(&words("differs: why"), json!(["lcr", 1.7453e-8])), 2);
    assert_eq!(check(&words("differs: why"), json!(["cr"])), 1);
}
