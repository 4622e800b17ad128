//! The problem that commands take: its velocity, and files of arrays.

use super::*;

/// What a command prints in JSON, without times.
fn report(dir: &Path, args: &str) -> Value {
    let mut report = reported(dir, args);
    report.as_object_mut().unwrap().remove("seconds");
    report
}

#[test]
fn a_velocity_replaces_that_of_the_file_in_every_command() {
    let dir = directory();
    let other = BLOCK.replacen("[0.3, -1, 0.4]", "[0.3, -2, 0.1]", 1);
    write(&dir, "other.json", other);
    let sampled = "-n 50 --device cpu";
    let commands = [
        ("sample", sampled),
        ("compare", sampled),
        ("resolve", "--law sequential"),
        ("bound", "--direction 1,0,0 -n 50"),
        ("set", ""),
        ("guarantee", ""),
    ];
    for (command, more) in commands {
        let expected = report(&dir, &format!("{command} other.json {more}"));
        for velocity in ["0.3,-2,0.1", "q2 = 0.1, q1=-2"] {
            let given =
                report(&dir, &format!("{command} block.json --velocity '{velocity}' {more}"));
            assert_eq!(given, expected, "{command} {velocity}");
        }
        let own = report(&dir, &format!("{command} block.json {more}"));
        assert_ne!(own, expected, "{command}");
    }
    let picture = |args: &str, name: &str| {
        done(&dir, &format!("plot {args} -o {name} -n 50"));
        read(&dir, name)
    };
    let given = picture("block.json --velocity q1=-2,q2=0.1", "given.svg");
    assert_eq!(given, picture("other.json", "other.svg"));
}

mod npz {
    use super::*;
    use crate::support::npz::{array, f8};

    /// The block, with arrays of many kinds.
    fn block() -> Vec<(&'static str, Vec<u8>)> {
        let big_f4 = [0.5_f32, 0.5].iter().flat_map(|x| x.to_be_bytes()).collect::<Vec<u8>>();
        vec![
            ("M", array("<f8", true, "(3, 3)", &f8(&[1., 0., 0., 0., 1., 0., 0., 0., 0.2]))),
            // Column by column.
            ("Jn", array("<f8", true, "(2, 3)", &f8(&[0., 0., 1., 1., -0.5, 0.5]))),
            ("Jt", array("<f8", false, "(2, 3)", &f8(&[1., 0., 0.5, 1., 0., 0.5]))),
            ("mu", array(">f4", false, "(2,)", &big_f4)),
            ("v", array("<f8", false, "(3,)", &f8(&[0.3, -1., 0.4]))),
        ]
    }

    fn pack(dir: &Path, name: &str, arrays: &[(&str, Vec<u8>)]) {
        crate::support::npz::write(&dir.join(name), arrays);
    }

    #[test]
    fn arrays_are_the_problem_that_they_hold() {
        let dir = directory();
        pack(&dir, "block.npz", &block());
        let sample = |what: &str, more: &str| {
            report(&dir, &format!("sample {what} -n 50 --device cpu {more}"))
        };
        let (given, expected) = (sample("block.npz", ""), sample("block.json", ""));
        assert_eq!((&given["velocity"], &given["name"]), (&expected["velocity"], &"block".into()));
        // One coefficient for all, and integers: of two bytes, with the larger one first, and of
        // one byte.
        let mut other = block();
        other[0].1 =
            array(">i2", false, "(3, 3)", &[0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 4]);
        other[3].1 = array("<f8", false, "()", &f8(&[0.5]));
        other[4].1 = array("|i1", false, "(3,)", &[1, 255, 2]);
        other.push(("restitution", array("<f8", false, "()", &f8(&[0.25]))));
        pack(&dir, "other.npz", &other);
        let expected = BLOCK.replacen("0.2]]", "260]]", 1);
        let velocity = "[1, -1, 2], \"restitution\": 0.25";
        write(&dir, "other.json", expected.replacen("[0.3, -1, 0.4]", velocity, 1));
        assert_eq!(sample("other.npz", "")["velocity"], sample("other.json", "")["velocity"]);
        let named = sample("other.npz", "--velocity q0=2");
        assert_eq!(named["velocity"], sample("other.json", "--velocity 2,-1,2")["velocity"]);
    }

    #[test]
    fn wrong_arrays_are_named() {
        let dir = directory();
        let f = |shape: &str, numbers: &[f64]| Some(array("<f8", false, shape, &f8(numbers)));
        let ten = [1.0; 10];
        type Case<'a> = (&'a str, Option<Vec<u8>>, &'a [&'a str]);
        let cases: Vec<Case> = vec![
            ("v", None, &["`v` is missing", "velocity before the impact"]),
            ("M", None, &["`M` is missing", "mass matrix"]),
            ("Jn", None, &["`Jn` is missing"]),
            ("mu", None, &["`mu` is missing"]),
            ("v", f("(3, 1)", &ten[..3]), &["v: shape (3, 1), expected (n,)"]),
            ("M", f("(3,)", &ten[..3]), &["M: shape (3,), expected (3, 3)"]),
            ("Jn", f("(3, 2)", &ten[..6]), &["Jn: shape (3, 2), expected (m, 3)"]),
            ("Jt", f("(3, 3)", &ten[..9]), &["Jt: shape (3, 3), expected (2, 3) or (4, 3)"]),
            ("mu", f("(3,)", &ten[..3]), &["mu: shape (3,), expected (2,)", "or one number"]),
            ("mu", f("(2,)", &[0.5, -1.0]), &["mu[1]", "-1"]),
            (
                "M",
                f("(3, 3)", &[1., 0., 0., 7., 1., 0., 0., 0., 1.]),
                &["M[1][0]", "not symmetric"],
            ),
            ("Jn", f("(2, 3)", &[0., 1., f64::NAN, 0., 1., 0.]), &["Jn[0][2]", "finite", "NaN"]),
            ("v", f("(3,)", &ten[..2]), &["v: ", "ends within"]),
            ("v", f("(99999999999999999999,)", &[]), &["v: ", "not an array"]),
            ("v", f("(4611686018427387904, 4)", &[]), &["v: shape", "at most two dimensions"]),
            (
                "v",
                Some(array("<c16", false, "(3,)", &[0; 48])),
                &["v: ", "f4, f8 or integers", "<c16"],
            ),
            ("v", Some(array("|O", false, "(3,)", &[0; 48])), &["v: ", "|O"]),
            ("v", Some(array("", false, "(3,)", &[])), &["v: ", "f4"]),
            ("v", Some(b"\x93NUMPY\x01\x00\xff\xff".to_vec()), &["v: ", "not an array"]),
            ("v", Some(Vec::new()), &["v: ", "not an array"]),
            ("Mass", f("(1,)", &[1.0]), &["Mass: ", "no array of this name", "known: `M`"]),
            ("restitutoin", f("(1,)", &[1.0]), &["restitutoin: ", "did you mean `restitution`?"]),
        ];
        for (name, bytes, words) in cases {
            let mut arrays = block();
            arrays.retain(|(known, _)| *known != name);
            arrays.extend(bytes.map(|bytes| (name, bytes)));
            pack(&dir, "bad.npz", &arrays);
            refused(&dir, "sample bad.npz", 3, &[&["bad.npz"], words].concat());
        }
        write(&dir, "bad.npz", "PK\x03\x04");
        refused(&dir, "sample bad.npz", 3, &["bad.npz", "not an npz file"]);
        refused(&dir, "sample none.npz", 3, &["none.npz", "does not exist"]);
        pack(&dir, "block.npz", &block());
        let cases = "
            2 sample block.npz --set a=1 => block.npz | no parameters
            3 reality block.npz => `events` is missing
            3 design block.npz => block.npz";
        refusals(&dir, "", cases);
    }

    #[test]
    fn a_set_of_samples_is_no_problem() {
        let dir = directory();
        done(&dir, "sample block.json -n 10 --device cpu --out set.npz");
        refused(&dir, "sample set.npz", 3, &["set.npz", "set of samples", "carom query"]);
    }
}
