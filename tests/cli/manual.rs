//! `carom completions` and `carom manual`.

use super::*;

fn printed(args: &str) -> String {
    let output = run(Path::new("."), args);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{args:?}");
    text(&output.stdout)
}

/// The commands that `carom --help` lists.
fn commands() -> Vec<String> {
    let help = printed("--help");
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let rows = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<_> =
        rows.map(|row| row.split_whitespace().next().unwrap().to_string()).collect();
    assert!(names.len() > 12 && names.contains(&"manual".to_string()), "{names:?}");
    names
}

#[test]
fn shells_learn_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = printed(&format!("completions {shell}"));
        for word in commands().iter().map(String::as_str).chain(["until-radius", "restitution"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    // Where there is a bash, it reads its script.
    let Ok(mut bash) = Command::new("bash").args(["-n", "-s"]).stdin(Stdio::piped()).spawn() else {
        return;
    };
    bash.stdin.take().unwrap().write_all(printed("completions bash").as_bytes()).unwrap();
    assert!(bash.wait().unwrap().success());
}

#[test]
fn every_command_has_a_page() {
    let page = printed("manual");
    assert!(page.contains(".TH carom 1") && page.contains(".SH SYNOPSIS"), "{page}");
    for name in commands().iter().filter(|name| *name != "help") {
        assert!(page.contains(&format!("carom\\-{name}(1)")), "{name}\n{page}");
        let page = printed(&format!("manual {name}"));
        has(&page, &format!(".TH carom-{name} 1|.SH OPTIONS"));
    }
    assert!(printed("manual sample").contains("until\\-radius"));
}

#[test]
fn unknown_shells_and_commands_are_refused() {
    let dir = Folder::new();
    refused(&dir, "completions tcsh", 2, &["tcsh", "elvish"]);
    refused(&dir, "completions", 2, &["SHELL"]);
    refused(&dir, "manual smaple", 2, &["smaple", "the commands are sample"]);
}
