//! Files that somebody else has written, to harm whoever reads them.

use std::path::Path;

use super::{directory, refused, run, text};

fn write(dir: &Path, name: &str, content: &str) {
    std::fs::write(dir.join(name), content).unwrap();
}

#[test]
fn what_an_included_file_says_is_not_shown() {
    let dir = directory();
    write(dir.path(), "secret.txt", "top secret line 1\ntop secret line 2\n");
    write(
        dir.path(),
        "secret.xml",
        "<settings>\n<!-- hidden -->\n <server>hidden</server></settings>",
    );
    write(dir.path(), "names.xml", "<a>\n</hidden>");
    for (file, place) in
        [("secret.txt", "line 1, column 1"), ("secret.xml", "line 3"), ("names.xml", "line 2")]
    {
        let main = format!("<mujoco><include file=\"{file}\"/></mujoco>");
        write(dir.path(), "main.xml", &main);
        let output = run(dir.path(), &["import", "main.xml"]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{message}");
        assert!(message.contains(file) && message.contains(place), "{message}");
        assert!(!message.contains("top") && !message.contains("hidden"), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn what_another_file_names_is_a_regular_file() {
    let dir = directory();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(dir.path().join("fifo"))
            .status()
            .unwrap()
            .success()
    );
    std::os::unix::fs::symlink("fifo", dir.path().join("fifo.stl")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", dir.path().join("zero.stl")).unwrap();
    for file in ["fifo", "/dev/zero", "/dev/random", "."] {
        write(dir.path(), "main.xml", &format!("<mujoco><include file=\"{file}\"/></mujoco>"));
        refused(
            dir.path(),
            &["import", "main.xml"],
            3,
            &["is no regular file of up to 64 MB", "<include>"],
        );
    }
    for file in ["fifo.stl", "zero.stl"] {
        let asset = format!("<asset><mesh name=\"m\" file=\"{file}\"/></asset>");
        let body = "<worldbody><body><geom type=\"mesh\" mesh=\"m\"/></body></worldbody>";
        write(dir.path(), "main.xml", &format!("<mujoco>{asset}{body}</mujoco>"));
        refused(
            dir.path(),
            &["import", "main.xml"],
            3,
            &[file, "is no regular file of up to 64 MB"],
        );
    }
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_not_read_to_it() {
    let dir = directory();
    for name in ["zero.xml", "zero.dat", "zero.json", "zero.toml", "zero.csv"] {
        std::os::unix::fs::symlink("/dev/zero", dir.path().join(name)).unwrap();
    }
    refused(dir.path(), &["import", "zero.xml"], 3, &["up to 64 MB"]);
    refused(dir.path(), &["import", "zero.dat"], 3, &["up to 1 GB"]);
    refused(dir.path(), &["sample", "zero.json"], 3, &["bytes"]);
    refused(dir.path(), &["sample", "zero.toml"], 3, &["bytes"]);
}

#[test]
fn files_cannot_control_a_terminal() {
    let dir = directory();
    let red = "\"\\u001b[31m\\u0007red\" = 1";
    write(dir.path(), "key.toml", red);
    write(dir.path(), "raw.toml", "mass = \u{1b}[31m 1");
    write(
        dir.path(),
        "raw.xml",
        "<robot>\n<link name=\"\u{9b}31m\" x=\"\u{7f}\"/><joint/></robot>",
    );
    let shown = super::BLOCK.replace("left", "\\u001b[31mleft").replace("0.3, -1", "0.3, \"x\"");
    write(dir.path(), "contact.json", &shown);
    write(
        dir.path(),
        "name.json",
        &super::BLOCK.replacen("block", "\\u001b]0;\\u0007", 1).replace("0.5, 0.5]", "0.5]"),
    );
    for args in [
        &["scenes", "key.toml", "--json"][..],
        &["sample", "raw.toml"],
        &["import", "raw.xml"],
        &["sample", "contact.json"],
        &["sample", "name.json"],
        &["sample", "\u{1b}[31m.toml"],
    ] {
        let output = run(dir.path(), args);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{message}");
        assert!(!message.chars().any(|c| c.is_control() && c != '\n'), "{args:?}: {message:?}");
    }
    let message = text(&run(dir.path(), &["scenes", "key.toml", "--json"]).stderr);
    assert!(message.contains("\\u{1b}[31m\\u{7}red"), "{message}");
}
