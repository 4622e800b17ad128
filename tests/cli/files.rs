//! Files that are read and written.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{BLOCK, carom, directory, names_in, refused, run, text};

#[test]
fn bad_files_are_named_with_key_and_row() {
    let bent = |from: &str, to: &str| {
        assert!(BLOCK.contains(from), "{from}");
        BLOCK.replacen(from, to, 1)
    };
    let cases: Vec<(&str, String, &[&str])> = vec![
        ("empty.json", String::new(), &["empty.json"]),
        ("cut.json", BLOCK[..60].to_string(), &["cut.json"]),
        ("list.json", "[1, 2]".to_string(), &["list.json", "expected"]),
        ("bad.toml", "mass = [[1\n".to_string(), &["bad.toml"]),
        ("comma.json", bent("\"block\",", "\"block\""), &["comma.json"]),
        ("key.json", bent("\"mass\"", "\"mas\""), &["key.json", "mas", "mass"]),
        ("missing.json", bent("\"velocity\": [0.3, -1, 0.4],", ""), &["missing.json", "velocity"]),
        (
            "type.json",
            bent("[0.3, -1, 0.4]", "[0.3, \"fast\", 0.4]"),
            &["type.json", "velocity[1]"],
        ),
        ("short.json", bent("[0, 1, 0]", "[0, 1]"), &["short.json", "mass[1]", "expected 3"]),
        ("rows.json", bent(", [0, 0, 0.2]]", "]"), &["rows.json", "mass", "expected 3"]),
        ("skew.json", bent("[0, 1, 0]", "[7, 1, 0]"), &["skew.json", "mass[1][0]", "symmetric"]),
        ("flat.json", bent("0.2", "0"), &["flat.json", "mass", "positive definite"]),
        ("huge.json", bent("0.2", "1e999"), &["huge.json", "1e999"]),
        (
            "normal.json",
            bent("[0, 1, 0.5]]", "[0, 1]]"),
            &["normal.json", "normal[1]", "expected 3"],
        ),
        (
            "none.json",
            bent("[[0, 1, -0.5], [0, 1, 0.5]]", "[]"),
            &["none.json", "normal", "contact"],
        ),
        (
            "tangent.json",
            bent("[[1, 0, 0.5], [1, 0, 0.5]]", "[[1, 0, 0.5]]"),
            &["tangent.json", "tangent"],
        ),
        ("mu.json", bent("[0.5, 0.5]", "[0.5, -1]"), &["mu.json", "friction[1]", "-1"]),
        ("mus.json", bent("[0.5, 0.5]", "[0.5]"), &["mus.json", "friction"]),
        ("names.json", bent("\"left\", \"right\"", "\"left\""), &["names.json", "contacts"]),
        (
            "e.json",
            bent("\"contacts\"", "\"restitution\": [0, 2], \"contacts\""),
            &["e.json", "restitution[1]"],
        ),
        (
            "range.json",
            bent("\"contacts\"", "\"uncertainty\": {\"friction\": [0.5, 0.1]}, \"contacts\""),
            &["uncertainty.friction", "A <= B"],
        ),
        ("h.json", bent("\"contacts\"", "\"step\": 0, \"contacts\""), &["h.json", "step", "> 0"]),
        (
            "k.json",
            bent("\"contacts\"", "\"max_steps\": 0, \"contacts\""),
            &["k.json", "max_steps"],
        ),
        (
            "twice.json",
            bent("\"contacts\"", "\"mass\": [[1]], \"contacts\""),
            &["twice.json", "mass"],
        ),
        ("scene.toml", "[[bodies]]\nname = \"a\"\nmas = 1\n".to_string(), &["scene.toml", "mas"]),
        ("block.txt", BLOCK.to_string(), &["block.txt", ".json", ".toml"]),
    ];
    let dir = directory();
    for (name, content, words) in &cases {
        std::fs::write(dir.path().join(name), content).unwrap();
        let mut args = vec!["sample", name];
        args.extend(["--out", "out.npz"]);
        refused(dir.path(), &args, 3, words);
    }
    std::fs::write(dir.path().join("bytes.json"), b"{\"name\": \"\xff\"}").unwrap();
    refused(dir.path(), &["sample", "bytes.json"], 3, &["bytes.json", "UTF-8"]);
    refused(dir.path(), &["sample", "absent.json"], 3, &["absent.json"]);
    refused(dir.path(), &["sample", "."], 3, &["directory"]);
    refused(dir.path(), &["sample", "rocking-blok"], 3, &["rocking-blok", "rocking-block"]);
    refused(dir.path(), &["sample", "-"], 3, &["stdin"]);
    refused(dir.path(), &["bench", "-", "--device", "cpu"], 3, &["stdin"]);
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let dir = directory();
    let what = ["this is a file", "block.json", "name another directory"];
    refused(dir.path(), &["programs", "block.json"], 2, &what);
    let within = ["cannot make this directory", "block.json/in", "name another directory"];
    refused(dir.path(), &["programs", "block.json/in"], 2, &within);
    refused(dir.path(), &["gallery", "-o", "block.json/in"], 2, &within);
    std::fs::create_dir_all(dir.path().join("made/index.json")).unwrap();
    let output = run(dir.path(), &["programs", "made"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("made/index.json"), "{}", text(&output.stderr));
}

#[test]
fn files_are_written_and_replaced_without_leftovers() {
    let dir = directory();
    for name in ["a.npz", "a.parquet"] {
        let args = ["sample", "block.json", "--samples", "3k", "--device", "cpu", "--out", name];
        std::fs::write(dir.path().join(name), "old").unwrap();
        let output = run(dir.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let start = &std::fs::read(dir.path().join(name)).unwrap()[..4];
        assert!([&b"PK\x03\x04"[..], b"PAR1"].contains(&start), "{name}: {start:?}");
        assert_eq!(names_in(dir.path()), [name, "block.json"]);
        std::fs::remove_file(dir.path().join(name)).unwrap();
    }
}

/// Ctrl-C keeps the samples that are done: the report and the file, which is whole, have them.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_is_done() {
    let file = "out.npz";
    let dir = directory();
    let args = [
        "sample",
        "block.json",
        "--samples",
        "1e12",
        "--device",
        "cpu",
        "--threads",
        "1",
        "--json",
        "--out",
        file,
    ];
    let mut child =
        carom(dir.path(), &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A run that says how long it takes goes on at once.
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut first = String::new();
    said.read_line(&mut first).unwrap();
    assert!(first.starts_with("1 000 000 000 000 samples take about "), "{first}");
    assert!(first.ends_with(" about 2 s; Ctrl-C keeps what is done\n"), "{first}");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success()
    );
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{rest}");
    assert!(rest.contains("warning: interrupted after "), "{rest}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let done = report["samples"].as_u64().unwrap();
    assert!(done > 0 && done.is_multiple_of(1024), "{done}");
    assert_eq!(report["accepted"], done);
    assert!(report["warnings"].to_string().contains("interrupted after "));
    let query = run(dir.path(), &["query", file, "extents", "--json"]);
    assert!(query.status.success(), "{}", text(&query.stderr));
    let answer: Value = serde_json::from_slice(&query.stdout).unwrap();
    assert_eq!(answer["samples"], done, "{answer}");
}

/// A link leads to the new file, and the file keeps its permissions; another hard link keeps the
/// old one.
#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let file = "out.npz";
    let dir = directory();
    let path = |name: &str| dir.path().join(name);
    std::fs::create_dir(path("far")).unwrap();
    std::fs::write(path("far/real"), "old").unwrap();
    std::fs::set_permissions(path("far/real"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::hard_link(path("far/real"), path("hard")).unwrap();
    symlink("far/real", path("near")).unwrap();
    symlink("near", path(file)).unwrap();
    let output =
        run(dir.path(), &["sample", "block.json", "-n", "16", "--device", "cpu", "--out", file]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(std::fs::symlink_metadata(path(file)).unwrap().is_symlink());
    let real = std::fs::metadata(path("far/real")).unwrap();
    assert_eq!((real.permissions().mode() & 0o777, real.len() > 100), (0o640, true));
    assert_eq!(std::fs::read_to_string(path("hard")).unwrap(), "old");
    assert_eq!(names_in(&path("far")), ["real"]);
    // What a link leads to need not be there.
    std::fs::remove_file(path("far/real")).unwrap();
    run(dir.path(), &["sample", "block.json", "-n", "16", "--device", "cpu", "--out", file]);
    assert!(path("far/real").exists());
}

/// A read-only file stays, as do links in a circle.
#[cfg(unix)]
#[test]
fn what_must_not_be_replaced_is_not() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let file = "out.npz";
    let dir = directory();
    let path = dir.path().join(file);
    let refused = |why: &str| {
        let args = ["sample", "block.json", "-n", "16", "--device", "cpu", "--out", file];
        let output = run(dir.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    };
    std::fs::write(&path, "results").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    refused("read-only");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "results");
    std::fs::remove_file(&path).unwrap();
    symlink("other", &path).unwrap();
    symlink(file, dir.path().join("other")).unwrap();
    refused("circle");
    assert!(std::fs::read_link(&path).is_ok());
}

/// Whichever byte of a file of samples changes, who reads it is told; and no byte depends on the
/// number of threads.
#[test]
fn a_changed_byte_of_samples_is_noticed() {
    for file in ["a.npz", "a.parquet"] {
        let dir = directory();
        let made = |threads: &str| {
            let args = [
                "sample",
                "block.json",
                "-n",
                "300",
                "--device",
                "cpu",
                "--threads",
                threads,
                "--out",
                file,
            ];
            assert_eq!(run(dir.path(), &args).status.code(), Some(0));
            std::fs::read(dir.path().join(file)).unwrap()
        };
        let sound = made("1");
        assert!(sound == made("3"), "{file} depends on threads");
        let query = || run(dir.path(), &["query", file, "extents"]).status.code();
        assert_eq!(query(), Some(0));
        for k in 0..24 {
            let (at, mut bytes) = (k * sound.len() / 24 + k % 7, sound.clone());
            bytes[at] ^= 1 << (k % 8);
            std::fs::write(dir.path().join(file), &bytes).unwrap();
            assert_eq!(query(), Some(3), "{file}, byte {at}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let named = |extension: &str| {
        dir.path().join(std::ffi::OsStr::from_bytes(&[b"b\xff.", extension.as_bytes()].concat()))
    };
    let (set, scene) = (named("npz"), named("toml"));
    std::fs::write(&scene, carom::scene::builtin("rocking-block").unwrap().text).unwrap();
    let run = |args: &[&std::ffi::OsStr]| {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_carom")).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let word = |word: &'static str| std::ffi::OsStr::new(word);
    run(&[
        word("sample"),
        scene.as_os_str(),
        word("-n16"),
        word("--device=cpu"),
        word("--out"),
        set.as_os_str(),
    ]);
    run(&[word("query"), set.as_os_str(), word("extents")]);
    run(&[word("scenes"), scene.as_os_str()]);
}
