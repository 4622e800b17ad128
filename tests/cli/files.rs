//! Files that are read and written.

use std::io::{BufRead, BufReader, Read};

use super::*;

#[test]
fn bad_files_are_named_with_key_and_row() {
    let bent = |from: &str, to: &str| {
        assert!(BLOCK.contains(from), "{from}");
        BLOCK.replacen(from, to, 1)
    };
    let with = |key: &str| bent("\"contacts\"", &format!("{key}, \"contacts\""));
    let cases = [
        ("empty.json", String::new(), ""),
        ("cut.json", BLOCK[..60].to_string(), ""),
        ("list.json", "[1, 2]".to_string(), "expected"),
        ("bad.toml", "mass = [[1\n".to_string(), ""),
        ("comma.json", bent("\"block\",", "\"block\""), ""),
        ("key.json", bent("\"mass\"", "\"mas\""), "mas|mass"),
        ("missing.json", bent("\"velocity\": [0.3, -1, 0.4],", ""), "velocity"),
        ("type.json", bent("[0.3, -1, 0.4]", "[0.3, \"fast\", 0.4]"), "velocity[1]"),
        ("short.json", bent("[0, 1, 0]", "[0, 1]"), "mass[1]|expected 3"),
        ("rows.json", bent(", [0, 0, 0.2]]", "]"), "mass|expected 3"),
        ("skew.json", bent("[0, 1, 0]", "[7, 1, 0]"), "mass[1][0]|symmetric"),
        ("flat.json", bent("0.2", "0"), "mass|positive definite"),
        ("huge.json", bent("0.2", "1e999"), "1e999"),
        ("normal.json", bent("[0, 1, 0.5]]", "[0, 1]]"), "normal[1]|expected 3"),
        ("none.json", bent("[[0, 1, -0.5], [0, 1, 0.5]]", "[]"), "normal|contact"),
        ("tangent.json", bent("[[1, 0, 0.5], [1, 0, 0.5]]", "[[1, 0, 0.5]]"), "tangent"),
        ("mu.json", bent("[0.5, 0.5]", "[0.5, -1]"), "friction[1]|-1"),
        ("mus.json", bent("[0.5, 0.5]", "[0.5]"), "friction"),
        ("names.json", bent("\"left\", \"right\"", "\"left\""), "contacts"),
        ("e.json", with("\"restitution\": [0, 2]"), "restitution[1]"),
        (
            "range.json",
            with("\"uncertainty\": {\"friction\": [0.5, 0.1]}"),
            "uncertainty.friction|A <= B",
        ),
        ("h.json", with("\"step\": 0"), "step|> 0"),
        ("k.json", with("\"max_steps\": 0"), "max_steps"),
        ("twice.json", with("\"mass\": [[1]]"), "mass"),
        ("scene.toml", "[[bodies]]\nname = \"a\"\nmas = 1\n".to_string(), "mas"),
        ("block.txt", BLOCK.to_string(), ".json|.toml"),
    ];
    let dir = directory();
    for (name, content, words) in &cases {
        write(&dir, name, content);
        let words: Vec<&str> = words.split('|').chain([*name]).collect();
        refused(&dir, &format!("sample {name} --out out.npz"), 3, &words);
    }
    write(&dir, "bytes.json", b"{\"name\": \"\xff\"}");
    let cases = "
        3 sample bytes.json => bytes.json | UTF-8
        3 sample absent.json => absent.json
        3 sample . => directory
        3 sample rocking-blok => rocking-blok | rocking-block
        3 sample - => stdin
        3 bench - --device cpu => stdin";
    refusals(&dir, "", cases);
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let dir = directory();
    let cases = "
        2 programs block.json => this is a file | block.json | name another directory
        2 programs block.json/in => \
            cannot make this directory | block.json/in | name another directory
        2 gallery -o block.json/in => \
            cannot make this directory | block.json/in | name another directory";
    refusals(&dir, "", cases);
    std::fs::create_dir_all(dir.join("made/index.json")).unwrap();
    let [_, said] = ended(&dir, "programs made", 2);
    has(&said, "made/index.json");
}

#[test]
fn files_are_written_and_replaced_without_leftovers() {
    let dir = directory();
    for name in ["a.npz", "a.parquet"] {
        let args = format!("sample block.json --samples 3k --device cpu --out {name}");
        write(&dir, name, "old");
        done(&dir, &args);
        let start = &std::fs::read(dir.join(name)).unwrap()[..4];
        assert!([&b"PK\x03\x04"[..], b"PAR1"].contains(&start), "{name}: {start:?}");
        assert_eq!(names_in(&dir), [name, "block.json"]);
        std::fs::remove_file(dir.join(name)).unwrap();
    }
}

/// Ctrl-C keeps the samples that are done: the report and the file, which is whole, have them.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_is_done() {
    let dir = directory();
    let args = "sample block.json -n 1e12 --device cpu --threads 1 --json --out out.npz";
    let mut child = piped(&mut carom(&dir, args));
    // A run that says how long it takes goes on at once.
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut first = String::new();
    said.read_line(&mut first).unwrap();
    assert!(first.starts_with("1 000 000 000 000 samples take about "), "{first}");
    assert!(first.ends_with(" about 2 s; Ctrl-C keeps what is done\n"), "{first}");
    std::thread::sleep(std::time::Duration::from_secs(2));
    signal(&child, "-INT");
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
    let answer = reported(&dir, "query out.npz extents");
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
    let path = |name: &str| dir.join(name);
    std::fs::create_dir(path("far")).unwrap();
    std::fs::write(path("far/real"), "old").unwrap();
    std::fs::set_permissions(path("far/real"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::hard_link(path("far/real"), path("hard")).unwrap();
    symlink("far/real", path("near")).unwrap();
    symlink("near", path(file)).unwrap();
    done(&dir, &format!("sample block.json -n 16 --device cpu --out {file}"));
    assert!(std::fs::symlink_metadata(path(file)).unwrap().is_symlink());
    let real = std::fs::metadata(path("far/real")).unwrap();
    assert_eq!((real.permissions().mode() & 0o777, real.len() > 100), (0o640, true));
    assert_eq!(std::fs::read_to_string(path("hard")).unwrap(), "old");
    assert_eq!(names_in(&path("far")), ["real"]);
    // What a link leads to need not be there.
    std::fs::remove_file(path("far/real")).unwrap();
    run(&dir, &format!("sample block.json -n 16 --device cpu --out {file}"));
    assert!(path("far/real").exists());
}

/// A read-only file stays, as do links in a circle.
#[cfg(unix)]
#[test]
fn what_must_not_be_replaced_is_not() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let file = "out.npz";
    let dir = directory();
    let path = dir.join(file);
    let refused = |why: &str| {
        refused(&dir, "sample block.json -n 16 --device cpu --out out.npz", 2, &[why]);
    };
    std::fs::write(&path, "results").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    refused("read-only");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "results");
    std::fs::remove_file(&path).unwrap();
    symlink("other", &path).unwrap();
    symlink(file, dir.join("other")).unwrap();
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
            let args = format!("sample block.json -n 300 --device cpu --threads {threads}");
            done(&dir, &format!("{args} --out {file}"));
            std::fs::read(dir.join(file)).unwrap()
        };
        let sound = made("1");
        assert!(sound == made("3"), "{file} depends on threads");
        let query = || run(&dir, &format!("query {file} extents")).status.code();
        assert_eq!(query(), Some(0));
        for k in 0..24 {
            let (at, mut bytes) = (k * sound.len() / 24 + k % 7, sound.clone());
            bytes[at] ^= 1 << (k % 8);
            write(&dir, file, &bytes);
            assert_eq!(query(), Some(3), "{file}, byte {at}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let dir = Folder::new();
    let named = |extension: &str| {
        dir.join(std::ffi::OsStr::from_bytes(&[b"b\xff.", extension.as_bytes()].concat()))
    };
    let (set, scene) = (named("npz"), named("toml"));
    std::fs::write(&scene, carom::scene::builtin("rocking-block").unwrap().text).unwrap();
    let run = |args: &[&std::ffi::OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
        let output = command.args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let word = |word: &'static str| std::ffi::OsStr::new(word);
    let [few, cpu, out] = ["-n16", "--device=cpu", "--out"].map(word);
    run(&[word("sample"), scene.as_os_str(), few, cpu, out, set.as_os_str()]);
    run(&[word("query"), set.as_os_str(), word("extents")]);
    run(&[word("scenes"), scene.as_os_str()]);
}
