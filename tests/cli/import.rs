//! `carom import`: the problems of Siconos.

use super::*;

/// A sphere of mass 2 and radius 1 (inertia 0.8) that touches the ground and a wall: W by hand,
/// contact by contact (n, t1, t2). Ground: n = z, t = x, y at (0, 0, -1). Wall: n = x, t = y, z at
/// (-1, 0, 0). Tangents turn the sphere: 1/2 + 1/0.8 = 1.75, and -1/0.8 between x on the ground and
/// z at the wall.
const ENTRIES: [[f64; 6]; 6] = [
    [0.5, 0.0, 0.0, 0.0, 0.0, 0.5],
    [0.0, 1.75, 0.0, 0.5, 0.0, -1.25],
    [0.0, 0.0, 1.75, 0.0, 0.5, 0.0],
    [0.0, 0.5, 0.0, 0.5, 0.0, 0.0],
    [0.0, 0.0, 0.5, 0.0, 1.75, 0.0],
    [0.5, -1.25, 0.0, 0.0, 0.0, 1.75],
];

/// The velocity (-1, 0.5, -2) without spin.
const Q: [f64; 6] = [-2.0, -1.0, 0.5, -1.0, 0.5, -2.0];

/// The problem in FCLib's layouts.
const FCLIB: [(&str, &[u8]); 3] = [
    ("entries.hdf5", include_bytes!("../golden/fclib/entries.hdf5")),
    ("columns_gzip.hdf5", include_bytes!("../golden/fclib/columns_gzip.hdf5")),
    ("rows_compact.hdf5", include_bytes!("../golden/fclib/rows_compact.hdf5")),
];

fn joined<T: std::fmt::Display>(numbers: impl IntoIterator<Item = T>) -> String {
    numbers.into_iter().map(|x| format!("{x} ")).collect()
}

fn dense() -> String {
    format!(
        "3\n2\n0\n6\n6\n6\t6\n{}\n{}\n{}\n",
        joined(ENTRIES.as_flattened()),
        joined(Q),
        joined([0.3, 0.6])
    )
}

fn blocks() -> String {
    let block = |r: usize, c: usize| joined((0..9).map(|k| ENTRIES[3 * r + k % 3][3 * c + k / 3]));
    format!(
        "3\n2\n1\n6\n6\n4\n2\n2\n3 6\n3 6\n3\n4\n0 2 4\n0 1 0 1\n0\n{}\n1\n{}\n2\n{}\n3\n{}\n{}\n{}\n",
        block(0, 0),
        block(0, 1),
        block(1, 0),
        block(1, 1),
        joined(Q),
        joined([0.3, 0.6])
    )
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn the_delassus_matrix_and_the_velocity_are_those_of_the_file() {
    let dir = directory();
    let texts = [("dense.dat", dense()), ("blocks.dat", blocks())];
    let texts = texts.map(|(name, text)| (name, text.into_bytes())).into_iter();
    for (name, file) in texts.chain(FCLIB.map(|(name, bytes)| (name, bytes.to_vec()))) {
        write(&dir, name, file);
        done(&dir, &format!("import {name} -o problem.json"));
        let text = read(&dir, "problem.json");
        let problem: Value = serde_json::from_str(&text).unwrap();
        let (normal, tangent) = (rows(&problem["normal"]), rows(&problem["tangent"]));
        let order = [&normal[0], &tangent[0], &tangent[1], &normal[1], &tangent[2], &tangent[3]];
        let velocity: Vec<f64> = serde_json::from_value(problem["velocity"].clone()).unwrap();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for i in 0..6 {
            assert!((dot(order[i], &velocity) - Q[i]).abs() < 1e-12, "{name}: q[{i}]");
            for j in 0..6 {
                let off = dot(order[i], order[j]) - ENTRIES[i][j];
                assert!(off.abs() < 1e-12, "{name}: W[{i}][{j}]");
            }
        }
        done(&dir, "resolve problem.json --law cone-complementarity");
    }
}

#[test]
fn small_errors_of_the_matrix_are_warned_of() {
    let dir = directory();
    let uneven = dense().replacen("-1.25 ", "-1.2500005 ", 1) + "1\n";
    let negative = dense().replace("1.75 ", "1.7499999 ");
    for (file, words) in
        [(uneven, ["warning", "symmetric up to"]), (negative, ["warning", "negative directions"])]
    {
        write(&dir, "rough.dat", file);
        let [_, message] = ended(&dir, "import rough.dat -o problem.json", 0);
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

#[test]
fn wrong_files_are_refused_with_their_line() {
    let dir = directory();
    let cases = [
        (dense().replace("0.6", "x"), ["line 9", "`x`"]),
        (dense().replace("3\n2", "4\n2"), ["line 1", "dimension"]),
        (dense() + "7", ["line 10", "the end"]),
        (dense().replace("1.75 ", "-1.75 "), ["W", "semidefinite"]),
        (dense().replace("-1.25 ", "0.25 ").replacen("0.25 ", "-1.25 ", 1), ["W", "symmetric"]),
        (String::new(), ["line 1", "ends"]),
        (blocks().replace("0 2 4", "0 4 2"), ["line 14", "lists"]),
        ("3\n1000000000\n".to_string(), ["line 2", "contacts"]),
    ];
    for (file, words) in cases {
        write(&dir, "bad.dat", file);
        refused(&dir, "import bad.dat", 3, &words);
    }
    refused(&dir, "import none.dat", 3, &["none.dat"]);
}

mod hdf5 {
    use carom_import::fclib;

    use super::{FCLIB, directory, refused, write};

    /// The file with W by entries, where the numbers `from` are `to`.
    fn changed<const N: usize>(from: &[[u8; N]], to: &[[u8; N]]) -> Vec<u8> {
        let (from, to) = (from.concat(), to.concat());
        let mut bytes = FCLIB[0].1.to_vec();
        let at = bytes.windows(from.len()).position(|part| part == from).expect("these numbers");
        bytes[at..at + to.len()].copy_from_slice(&to);
        bytes
    }

    #[test]
    fn wrong_files_are_refused_with_their_place() {
        let dir = directory();
        let double = |x: &[f64]| x.iter().map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        let whole = |x: &[i32]| x.iter().map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        let global = include_bytes!("../golden/fclib/global.hdf5").to_vec();
        let cases = [
            (global, ["fclib_local", "global form"]),
            (changed(&double(&[0.3, 0.6]), &double(&[0.3, f64::NAN])), ["vectors/mu", "NaN"]),
            (
                changed(&double(&[0.5, 0.5, 1.75]), &double(&[0.5, 0.5, -1.75])),
                ["W", "semidefinite"],
            ),
            (changed(&double(&[0.5, 0.5, 1.75]), &double(&[0.5, 0.25, 1.75])), ["W", "symmetric"]),
            (changed(&whole(&[0, 5, 1, 3, 5]), &whole(&[0, 6, 1, 3, 5])), ["W/i", "from 0 to 5"]),
            (changed(&whole(&[0, 5, 1, 3, 5]), &whole(&[-1, 5, 1, 3, 5])), ["W/i", "from 0 to 5"]),
            (FCLIB[0].1[..700].to_vec(), ["bad.hdf5", "FCLib"]),
        ];
        for (file, words) in cases {
            write(&dir, "bad.hdf5", file);
            refused(&dir, "import bad.hdf5", 3, &words);
        }
    }

    #[test]
    fn damaged_files_end_nothing() {
        let mut state = 1_u64;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        for round in 0..3000 {
            let mut bytes = FCLIB[round % 3].1.to_vec();
            if draw(4) == 0 {
                bytes.truncate(1 + draw(bytes.len() - 1));
            }
            for _ in 0..1 + draw(6) {
                let at = draw(bytes.len());
                bytes[at] = [0, 0xff, draw(256) as u8][draw(3)];
            }
            let _ = fclib::read(bytes, "damaged");
        }
    }
}
