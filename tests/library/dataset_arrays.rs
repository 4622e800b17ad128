//! Plans whose states are rows of arrays.

use crate::prelude::*;
use crate::support::npz::{array, f8, write};
use carom::dataset::DatasetPlan;
use std::fs;
use std::path::Path;

const PLAN: &str = "problems = \"states.npz\"\nsamples = 4\nseed = 3\n";

type Arrays = Vec<(&'static str, Vec<u8>)>;

/// Two states of a block on two corners.
fn states() -> Arrays {
    let mass = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.2];
    let normal = [0.0, 1.0, -0.5, 0.0, 1.0, 0.5];
    let tangent = [1.0, 0.0, 0.5, 1.0, 0.0, 0.5];
    vec![
        ("mass", array("<f8", false, "(2, 3, 3)", &f8(&[mass, mass].concat()))),
        ("normal", array("<f8", false, "(2, 2, 3)", &f8(&[normal, normal].concat()))),
        ("tangent", array("<f8", false, "(2, 2, 3)", &f8(&[tangent, tangent].concat()))),
        ("friction", array("<f8", false, "()", &f8(&[0.5]))),
        ("velocity", array("<f8", false, "(2, 3)", &f8(&[0.3, -1.0, 0.4, 0.1, -1.0, 0.2]))),
    ]
}

fn with(name: &'static str, bytes: Vec<u8>) -> Arrays {
    let others = states().into_iter().filter(|(other, _)| *other != name);
    others.chain([(name, bytes)]).collect()
}

fn without(name: &str) -> Arrays {
    states().into_iter().filter(|(other, _)| *other != name).collect()
}

fn open(dir: &Path, plan: &str, arrays: &Arrays) -> Result<DatasetPlan, Error> {
    write(&dir.join("states.npz"), arrays);
    fs::write(dir.join("plan.toml"), plan).unwrap();
    DatasetPlan::open(&dir.join("plan.toml"))
}

/// The whole text of an error: file, place, what is wrong, hint.
fn said(error: &Error) -> String {
    format!("{error}\n{}", error.hint.as_deref().unwrap_or_default())
}

#[test]
fn wrong_arrays_are_refused_with_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let doubles =
        |name, shape: &str, numbers: &[f64]| with(name, array("<f8", false, shape, &f8(numbers)));
    let zeros = |name, shape: &str, count: usize| doubles(name, shape, &vec![0.0; count]);
    let nan = |name, shape: &str, count: usize, at: usize| {
        let mut numbers = vec![0.0; count];
        numbers[at] = f64::NAN;
        doubles(name, shape, &numbers)
    };
    let active = |shape, bytes: &[u8]| with("active", array("|b1", false, shape, bytes));
    let named = |shape, bytes: &[u8]| with("contacts", array("<U1", false, shape, bytes));
    let cases: &[(Arrays, &[&str])] = &[
        (without("mass"), &["`mass` is missing", "(B,n,n)"]),
        (without("normal"), &["`normal` is missing", "(B,m,n)"]),
        (without("velocity"), &["`velocity` is missing", "(B,n)"]),
        (without("friction"), &["`friction` is missing", "(2, 2)"]),
        (zeros("M", "(3, 3)", 9), &["M: there is no array", "`mass`"]),
        (zeros("activ", "(1,)", 1), &["activ: there is no array", "did you mean `active`?"]),
        (
            zeros("mass", "(3, 2)", 6),
            &[
                "mass: shape (3, 2), expected (2, 3, 3), or (3, 3) for all states",
                "velocity has the shape (2, 3)",
            ],
        ),
        (zeros("mass", "(3, 3, 3)", 27), &["mass: shape (3, 3, 3), expected (2, 3, 3)"]),
        (zeros("normal", "(2, 0, 3)", 0), &["normal: shape (2, 0, 3)", "a contact at least"]),
        (zeros("normal", "(2, 2, 2)", 8), &["normal: shape (2, 2, 2), expected (2, 2, 3)"]),
        (
            zeros("tangent", "(2, 3, 3)", 18),
            &["tangent: shape (2, 3, 3), expected 2 rows (planar), 4 (spatial) or none"],
        ),
        (
            zeros("friction", "(3,)", 3),
            &[
                "friction: shape (3,), expected (2, 2), or (2,) for all states",
                "2 states with 2 contacts",
            ],
        ),
        (zeros("restitution", "(1, 2)", 2), &["restitution: shape (1, 2), expected (2, 2)"]),
        (zeros("velocity", "(3,)", 3), &["velocity: shape (3,), expected (B, n)"]),
        (zeros("velocity", "(0, 3)", 0), &["velocity: shape (0, 3)", "a state"]),
        (
            nan("velocity", "(2, 3)", 6, 4),
            &[
                "velocity[1][1]: expected a finite number, found NaN in state 1",
                "leave such states out",
            ],
        ),
        (nan("mass", "(3, 3)", 9, 5), &["mass[1][2]: expected a finite number"]),
        (nan("tangent", "(2, 2, 3)", 12, 9), &["tangent[1][1][0]: expected a finite number"]),
        (nan("friction", "()", 1, 0), &["friction: expected a finite number"]),
        (zeros("active", "(2, 2)", 4), &["active: expected booleans, found `<f8`"]),
        (active("(2,)", &[1, 1]), &["active: shape (2,), expected (2, 2)"]),
        (active("(2, 2)", &[0; 4]), &["active: no contact is active in any state"]),
        (zeros("contacts", "(2,)", 2), &["contacts: expected texts, found `<f8`"]),
        (named("(1,)", &[97, 0, 0, 0]), &["contacts: 1 entries for 2 rows of `normal`"]),
        (named("(2,)", &[97, 0, 0, 0, 97, 0, 0, 0]), &["contacts[1]: `a` is the name of both"]),
        (
            zeros("mass", "(3, 3)", 9),
            &["none of the first 2 states can be sampled; state 0", "mass"],
        ),
    ];
    for (arrays, words) in cases {
        let error = open(dir.path(), PLAN, arrays).unwrap_err();
        let text = said(&error);
        assert!(words.iter().all(|word| text.contains(word)), "{words:?}: {text}");
        assert!(text.contains("states.npz") || text.contains("plan.toml"), "{text}");
    }
}

#[test]
fn keys_that_arrays_leave_no_room_for_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let cases: &[(&str, &[&str])] = &[
        ("problem = \"rocking-block\"", &["problem:", "exclude each other"]),
        ("states = 2", &["states:", "say how many states"]),
        ("table = \"a.csv\"", &["table:", "all numbers of the states"]),
        ("[velocity]\nq0 = 1", &["velocity:", "all numbers of the states"]),
        ("[parameters]\nwidth = 1", &["parameters:", "all numbers of the states"]),
        ("[law]\nfacets = 5", &["law.facets", "none of the first 2 states"]),
    ];
    for (line, words) in cases {
        let error = open(dir.path(), &format!("{PLAN}{line}\n"), &states()).unwrap_err();
        let text = said(&error);
        assert!(words.iter().all(|word| text.contains(word)), "{line}: {text}");
    }
    for (name, words) in [("none.npz", "does not exist"), ("plan.toml", "`numpy.savez`")] {
        let plan = PLAN.replace("states.npz", name);
        let text = said(&open(dir.path(), &plan, &states()).unwrap_err());
        assert!(text.contains(name) && text.contains(words), "{text}");
    }
}

/// Arrays stored by columns, in single precision or shared by all states give the same problems.
#[test]
fn other_ways_to_store_arrays_give_the_same_problems() {
    let dir = tempfile::tempdir().unwrap();
    let plan = open(dir.path(), PLAN, &states()).unwrap();
    let problem =
        |plan: &DatasetPlan, b: u64| plan.problem_of(&plan.state(b)).unwrap().spec().clone();
    let (first, second) = (problem(&plan, 0), problem(&plan, 1));
    assert_eq!((plan.states(), second.velocity.as_slice()), (2, &[0.1, -1.0, 0.2][..]));
    // The first index runs fastest: contact 0 of both states, then contact 1, column by column.
    let columns = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, -0.5, -0.5, 0.5, 0.5];
    let by_columns =
        open(dir.path(), PLAN, &with("normal", array("<f8", true, "(2, 2, 3)", &f8(&columns))))
            .unwrap();
    assert_eq!((problem(&by_columns, 0), problem(&by_columns, 1)), (first.clone(), second.clone()));
    assert_eq!(by_columns.fingerprint(), plan.fingerprint());
    let single: Vec<u8> =
        [0.0_f32, 1.0, -0.5, 0.0, 1.0, 0.5].iter().flat_map(|x| x.to_le_bytes()).collect();
    let shared =
        open(dir.path(), PLAN, &with("normal", array("<f4", false, "(2, 3)", &single))).unwrap();
    assert_eq!((problem(&shared, 0), problem(&shared, 1)), (first, second));
    let rough = with("friction", array("<f8", false, "()", &f8(&[0.6])));
    assert_ne!(open(dir.path(), PLAN, &rough).unwrap().fingerprint(), plan.fingerprint());
}
