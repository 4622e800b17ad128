//! How comments begin, and how long their lines are. A reader who hovers over an item sees its
//! comment alone, so the first word must not point at something that stands elsewhere.

use super::architecture::{File, files};

/// Openings whose subject is missing or stands in another comment.
const DANGLING: &str = "And|Another|As few|As many|As much|Both|But|He|His|It|Its|Neither|Of|\
    One of these|One of those|One that|Or|Others|Otherwise|So few|So many|So much|Some of them|\
    Such|That|The others|The same|Their|They|These|This|Those|Which is|Whose";

/// Most columns of a line.
const COLUMNS: usize = 100;

/// The folders whose comments are read, each with the extension of its files.
const FOLDERS: &str = "src:rs shaders:wgsl benches:rs tests:rs capi/src:rs capi/tests:rs \
    capi/include:hpp python/src:rs python/carom:py web/src:rs web/ts:ts";

/// The signs that begin a comment, longer ones first.
fn markers(file: &str) -> &'static [&'static str] {
    if file.ends_with(".py") { &["\"\"\"", "#"] } else { &["///", "//!", "//", "/**"] }
}

/// The comment of a line: its sign, its text, and whether the line holds nothing else.
fn comment<'a>(line: &'a str, markers: &[&'a str]) -> Option<(&'a str, &'a str, bool)> {
    let whole = line.trim_start();
    for &marker in markers {
        if let Some(text) = whole.strip_prefix(marker) {
            return Some((marker, text.trim(), true));
        }
    }
    let (code, text) = line.split_once(" // ")?;
    (markers.contains(&"//") && code.matches('"').count() % 2 == 0).then_some(("//", text, false))
}

/// The comments of a file that open with a word of [`DANGLING`].
fn dangling(file: &str, text: &str) -> Vec<String> {
    let markers = markers(file);
    let mut found = Vec::new();
    let mut before = "";
    for (i, line) in text.lines().enumerate() {
        let Some((marker, said, alone)) = comment(line, markers) else {
            before = "";
            continue;
        };
        let goes_on = alone && marker == before;
        before = if alone { marker } else { "" };
        let begins = |word: &&str| {
            said.strip_prefix(*word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        if let Some(word) = DANGLING.split('|').find(begins).filter(|_| !goes_on) {
            found.push(format!("{file}:{}: a comment opens with \"{word}\": {said}", i + 1));
        }
    }
    found
}

/// The lines of comments of a file that are wider than [`COLUMNS`]. A row of a table cannot be
/// broken.
fn wide(file: &str, text: &str) -> Vec<String> {
    let markers = markers(file);
    let (mut found, mut within) = (Vec::new(), false);
    for (i, line) in text.lines().enumerate() {
        let whole = comment(line, markers).filter(|(_, _, alone)| *alone);
        // The text of a docstring, or of a comment that opens with `/**`, has no sign on each line.
        let inner = within;
        within ^= file.ends_with(".py") && line.matches("\"\"\"").count() % 2 == 1;
        within |= line.trim_start().starts_with("/**");
        within &= !line.contains("*/");
        if whole.is_none() && !inner {
            continue;
        }
        let said = whole.map_or("", |(_, said, _)| said);
        let columns = line.chars().count();
        if columns > COLUMNS && !said.starts_with('|') {
            found.push(format!("{file}:{}: a comment of {columns} columns", i + 1));
        }
    }
    found
}

fn sources() -> Vec<File> {
    let folders = FOLDERS.split(' ').map(|folder| folder.split_once(':').unwrap());
    folders.flat_map(|(folder, extension)| files(folder, extension)).collect()
}

/// No file has any of this.
fn none(wrong: fn(&str, &str) -> Vec<String>) {
    let found: Vec<String> = sources().iter().flat_map(|(file, text)| wrong(file, text)).collect();
    assert!(found.is_empty(), "{} comments:\n{}", found.len(), found.join("\n"));
}

#[test]
fn no_comment_opens_with_a_dangling_reference() {
    none(dangling);
}

#[test]
fn comments_keep_to_their_columns() {
    none(wide);
}

#[test]
fn dangling_openings_are_found() {
    for sound in [
        "/// The step. It goes on.\n/// Those of it too.",
        concat!("let word = \"x /", "/ Its\";"),
        "/// Italy, offsets, thatched roofs.",
        "fn f() {} // Nothing else.\n",
    ] {
        assert_eq!(dangling("a.rs", sound), Vec::<String>::new(), "{sound}");
    }
    for (file, broken, line) in [
        ("a.rs", "/// The same, twice.", 1),
        ("a.rs", "/// A step.\n/// Its length.\nfn f() {}\n    // Of each.", 4),
        ("a.rs", "//! A step.\n/// It.", 2),
        ("a.rs", "let x = 1; // Those.", 1),
        ("a.rs", "let x = 1; // None.\n// Such as this.", 2),
        ("a.wgsl", "// So many.", 1),
        ("a.py", "def f():\n    \"\"\"Its value.\"\"\"", 2),
        ("a.py", "# They are.", 1),
        ("a.ts", "/** This one. */", 1),
    ] {
        let found = dangling(file, broken);
        let place = format!("{file}:{line}: a comment opens");
        assert!(found.len() == 1 && found[0].starts_with(&place), "{broken}: {found:?}");
    }
}

#[test]
fn wide_comments_are_found() {
    let wide_of = |begin: &str| wide("a.rs", &format!("{begin}{}", "x".repeat(101 - begin.len())));
    for broken in ["/// ", "    // ", "//! ```text "] {
        assert_eq!(wide_of(broken).len(), 1, "{broken}");
    }
    for sound in ["//! | ", "let x = 1; // "] {
        assert_eq!(wide_of(sound), Vec::<String>::new(), "{sound}");
    }
    assert!(wide("a.rs", &format!("// {}", "x".repeat(97))).is_empty());
    let long = "x".repeat(101);
    for (file, text, count) in [
        ("a.py", format!("def f():\n    \"\"\"Says\n{long}\n    \"\"\"\n{long}"), 1),
        ("a.py", format!("\"\"\"Says.\"\"\"\n{long}"), 0),
        ("a.ts", format!("/** Says\n * {long}\n */\n{long}"), 1),
        ("a.ts", format!("/** Says. */\n{long}"), 0),
    ] {
        assert_eq!(wide(file, &text).len(), count, "{text}");
    }
}
