//! `carom dataset` of states in arrays: rows against those of `carom sample` of each state's
//! problem file, shards, and the arrays that a data set keeps.

use parquet::record::Field;

use super::dataset::{Row, are_those_of, content, field, make, numbers, rows, whole};
use super::schema::schema;
use super::support::npz::{self, array, f8};
use super::support::schema::faults;
use super::*;

const PLAN: &str = "problems = \"states.npz\"\nsamples = 12\nseed = 5\n[files]\nrows = 24\n";
const SAMPLES: usize = 12;
/// Which of a block's corners and of a wall each of six states has.
const ACTIVE: [[bool; 3]; 6] = [
    [true, true, false],
    [true, true, true],
    [false, false, false],
    [false, true, true],
    [true, true, false],
    [false, true, false],
];

/// The numbers of state b: mass, normal rows, tangent rows, friction, velocity.
type State = ([[f64; 3]; 3], [[f64; 3]; 3], [[f64; 3]; 3], [f64; 3], [f64; 3]);

/// A block that differs from state to state; state 4 has a mass that is none.
fn state(b: usize) -> State {
    let x = b as f64;
    let m = if b == 4 { -1.0 } else { 1.0 + 0.1 * x };
    (
        [[m, 0.0, 0.0], [0.0, m, 0.1], [0.0, 0.1, 0.2 + 0.02 * x]],
        [[0.0, 1.0, -0.5 - 0.03 * x], [0.0, 1.0, 0.5], [-1.0, 0.0, 0.1 * x]],
        [[1.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0.0, 1.0, 0.4]],
        [0.5, 0.3 + 0.05 * x, 0.2],
        [0.3, -1.0 + 0.05 * x, 0.4 - 0.2 * x],
    )
}

/// The bytes of doubles of all states; rows of contacts that a state does not have are NaN.
fn all(of: impl Fn(State) -> Vec<Vec<f64>>, by_contact: bool) -> Vec<u8> {
    let mut numbers = Vec::new();
    for (b, active) in ACTIVE.iter().enumerate() {
        for (i, row) in of(state(b)).into_iter().enumerate() {
            let known = !by_contact || active[i];
            numbers.extend(row.into_iter().map(|x| if known { x } else { f64::NAN }));
        }
    }
    f8(&numbers)
}

fn rows_of(table: [[f64; 3]; 3]) -> Vec<Vec<f64>> {
    table.iter().map(|row| row.to_vec()).collect()
}

/// A folder with the arrays of all states and a plan.
fn folder() -> Folder {
    let dir = directory();
    let active: Vec<u8> = ACTIVE.as_flattened().iter().map(|truth| u8::from(*truth)).collect();
    let letters = |texts: [&str; 3]| -> Vec<u8> {
        let padded = |text: &str| -> Vec<u8> {
            text.chars()
                .chain("\0\0\0\0\0".chars())
                .take(5)
                .flat_map(|c| u32::from(c).to_le_bytes())
                .collect()
        };
        texts.into_iter().flat_map(padded).collect()
    };
    let single = |list: [f64; 3]| list.iter().map(|x| vec![*x]).collect::<Vec<_>>();
    let arrays = [
        ("mass", array("<f8", false, "(6, 3, 3)", &all(|s| rows_of(s.0), false))),
        ("normal", array("<f8", false, "(6, 3, 3)", &all(|s| rows_of(s.1), true))),
        ("tangent", array("<f8", false, "(6, 3, 3)", &all(|s| rows_of(s.2), true))),
        ("friction", array("<f8", false, "(6, 3)", &all(|s| single(s.3), true))),
        ("velocity", array("<f8", false, "(6, 3)", &all(|s| vec![s.4.to_vec()], false))),
        ("active", array("|b1", false, "(6, 3)", &active)),
        ("coordinates", array("<U5", false, "(3,)", &letters(["x", "y", "theta"]))),
        ("contacts", array("<U5", false, "(3,)", &letters(["left", "right", "wall"]))),
    ];
    npz::write(&dir.join("states.npz"), &arrays);
    write(&dir, "plan.toml", PLAN);
    dir
}

fn all_rows(dir: &Path) -> Vec<Row> {
    let files = names_in(&dir.join("data"));
    files.iter().flat_map(|file| rows(&dir.join("data").join(file))).collect()
}

#[test]
fn rows_are_those_of_sample_of_each_problem() {
    let dir = folder();
    let report = make(&dir, "out", "");
    assert_eq!((&report["states"], &report["failed_states"]), (&6.into(), &2.into()));
    let found = all_rows(&dir.join("out"));
    let states: Vec<u64> = found.chunks(SAMPLES).map(|rows| whole(&rows[0], "state")).collect();
    assert_eq!(states, [0, 1, 3, 5]);
    for rows in found.chunks(SAMPLES) {
        let b = whole(&rows[0], "state") as usize;
        let contacts: Vec<usize> = (0..3).filter(|i| ACTIVE[b][*i]).collect();
        let (mass, normal, tangent, friction, velocity) = state(b);
        let of = |table: [[f64; 3]; 3]| contacts.iter().map(|i| table[*i]).collect::<Vec<_>>();
        let friction: Vec<f64> = contacts.iter().map(|i| friction[*i]).collect();
        let problem = json!({ "mass": mass, "normal": of(normal), "tangent": of(tangent), "friction": friction, "velocity": velocity });
        write(&dir, "one.json", problem.to_string());
        let seed = whole(&rows[0], "seed").to_string();
        let args = format!("sample one.json --seed {seed} --samples 12 --device cpu");
        done(&dir, &format!("{args} --out one.parquet"));
        are_those_of(rows, &self::rows(&dir.join("one.parquet")), &format!("state {b}"));
        assert_eq!(numbers(&rows[0], "velocity_before"), velocity);
        let Field::ListInternal(list) = field(&rows[0], "contacts") else { panic!("no list") };
        let expected: Vec<_> = contacts.iter().map(|i| Field::UInt(*i as u32)).collect();
        assert_eq!(list.elements(), expected);
    }
}

#[test]
fn the_description_names_states_that_fail_and_keeps_the_arrays() {
    let dir = folder();
    make(&dir, "out", "");
    let about = read(&dir, "out/dataset.json");
    let about: Value = serde_json::from_str(&about).unwrap();
    assert_eq!(faults(&schema("dataset"), &about), [""; 0]);
    assert_eq!(about["problem"]["coordinates"], json!(["x", "y", "theta"]));
    assert_eq!(about["problem"]["contacts"], json!(["left", "right", "wall"]));
    assert_eq!((&about["scene"], &about["problems"]), (&Value::Null, &json!("problems.npz")));
    let parts = about["parts"].as_array().unwrap().iter();
    let failures: Vec<_> = parts.flat_map(|part| part["failures"].as_array().unwrap()).collect();
    assert_eq!(failures.len(), 2);
    assert_eq!(failures[0], &json!({ "state": 2, "reason": "active: no contact is active" }));
    assert_eq!(failures[1]["state"], 4);
    has(failures[1]["reason"].as_str().unwrap(), "not positive definite");
    let card = read(&dir, "out/README.md");
    assert!(card.contains("problems.npz") && card.contains("2 states have no rows"), "{card}");
    // What the data set keeps gives the same data set again.
    write(&dir, "plan.toml", PLAN.replace("states.npz", "out/problems.npz"));
    let again = make(&dir, "out", "");
    assert_eq!((&again["written"], &again["found"]), (&0.into(), &3.into()));
    let plan: Value = toml::from_str(PLAN).unwrap();
    assert_eq!(faults(&schema("plan"), &plan), [""; 0]);
}

#[test]
fn shards_make_the_same_files_and_other_arrays_another_plan() {
    let dir = folder();
    make(&dir, "whole", "--threads 1");
    for shard in ["1/2", "0/2"] {
        make(&dir, "shards", &format!("--shard {shard}"));
    }
    assert_eq!(content(&dir.join("shards")), content(&dir.join("whole")));
    let output = run(&dir, "dataset plan.toml --dry-run");
    assert!(text(&output.stdout).contains("6 states"), "{}", text(&output.stdout));
    let velocity = [-1.0; 18];
    let mass: Vec<u8> = f8(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.2]);
    let normal = f8(&[0.0, 1.0, -0.5]);
    let arrays = [
        ("mass", array("<f8", false, "(3, 3)", &mass)),
        ("normal", array("<f8", false, "(1, 3)", &normal)),
        ("velocity", array("<f8", false, "(6, 3)", &f8(&velocity))),
    ];
    npz::write(&dir.join("states.npz"), &arrays);
    refused(&dir, "dataset plan.toml -o whole", 2, &["another plan"]);
    // Arrays that all states share have lists of one length.
    make(&dir, "shared", "");
    let about = read(&dir, "shared/dataset.json");
    let about: Value = serde_json::from_str(&about).unwrap();
    let columns = about["columns"].as_array().unwrap();
    let length = |name: &str| columns.iter().find(|c| c["name"] == name).unwrap()["length"].clone();
    assert_eq!((length("impulse"), length("mode")), (json!(1), json!(1)));
    assert!(columns.iter().all(|column| column["name"] != "contacts"));
}
