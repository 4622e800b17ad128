//! Files that somebody else has written, to harm whoever reads them.

use super::*;

#[test]
fn what_an_included_file_says_is_not_shown() {
    let dir = directory();
    write(&dir, "secret.txt", "top secret line 1\ntop secret line 2\n");
    write(&dir, "secret.xml", "<settings>\n<!-- hidden -->\n <server>hidden</server></settings>");
    write(&dir, "names.xml", "<a>\n</hidden>");
    for (file, place) in
        [("secret.txt", "line 1, column 1"), ("secret.xml", "line 3"), ("names.xml", "line 2")]
    {
        let main = format!("<mujoco><include file=\"{file}\"/></mujoco>");
        write(&dir, "main.xml", &main);
        let [_, message] = ended(&dir, "import main.xml", 3);
        assert!(message.contains(file) && message.contains(place), "{message}");
        assert!(!message.contains("top") && !message.contains("hidden"), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn what_another_file_names_is_a_regular_file() {
    let dir = directory();
    assert!(std::process::Command::new("mkfifo").arg(dir.join("fifo")).status().unwrap().success());
    std::os::unix::fs::symlink("fifo", dir.join("fifo.stl")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", dir.join("zero.stl")).unwrap();
    for file in ["fifo", "/dev/zero", "/dev/random", "."] {
        write(&dir, "main.xml", format!("<mujoco><include file=\"{file}\"/></mujoco>"));
        refused(&dir, "import main.xml", 3, &["is no regular file of up to 64 MB", "<include>"]);
    }
    for file in ["fifo.stl", "zero.stl"] {
        let asset = format!("<asset><mesh name=\"m\" file=\"{file}\"/></asset>");
        let body = "<worldbody><body><geom type=\"mesh\" mesh=\"m\"/></body></worldbody>";
        write(&dir, "main.xml", format!("<mujoco>{asset}{body}</mujoco>"));
        refused(&dir, "import main.xml", 3, &[file, "is no regular file of up to 64 MB"]);
    }
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_not_read_to_it() {
    let dir = directory();
    for name in ["zero.xml", "zero.dat", "zero.json", "zero.toml", "zero.csv"] {
        std::os::unix::fs::symlink("/dev/zero", dir.join(name)).unwrap();
    }
    refused(&dir, "import zero.xml", 3, &["up to 64 MB"]);
    refused(&dir, "import zero.dat", 3, &["up to 1 GB"]);
    refused(&dir, "sample zero.json", 3, &["bytes"]);
    refused(&dir, "sample zero.toml", 3, &["bytes"]);
}

#[test]
fn files_cannot_control_a_terminal() {
    let dir = directory();
    let red = "\"\\u001b[31m\\u0007red\" = 1";
    write(&dir, "key.toml", red);
    write(&dir, "raw.toml", "mass = \u{1b}[31m 1");
    write(&dir, "raw.xml", "<robot>\n<link name=\"\u{9b}31m\" x=\"\u{7f}\"/><joint/></robot>");
    let shown = BLOCK.replace("left", "\\u001b[31mleft").replace("0.3, -1", "0.3, \"x\"");
    write(&dir, "contact.json", &shown);
    let named = BLOCK.replacen("block", "\\u001b]0;\\u0007", 1).replace("0.5, 0.5]", "0.5]");
    write(&dir, "name.json", named);
    for args in [
        "scenes key.toml --json",
        "sample raw.toml",
        "import raw.xml",
        "sample contact.json",
        "sample name.json",
        "sample \u{1b}[31m.toml",
    ] {
        let [_, message] = ended(&dir, args, 3);
        assert!(!message.chars().any(|c| c.is_control() && c != '\n'), "{args:?}: {message:?}");
    }
    let message = text(&run(&dir, "scenes key.toml --json").stderr);
    assert!(message.contains("\\u{1b}[31m\\u{7}red"), "{message}");
}
