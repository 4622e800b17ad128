//! What a comment calls a twin exists: the file, and what is named in it.

use super::{File, files};

/// The comments that begin a sentence with `Twin:`, each with its line and the sentence, without
/// quotes.
fn twins(text: &str) -> Vec<(usize, String)> {
    let comment = |line: &str| {
        line.split_once("//").map(|(_, text)| text.trim_start_matches(['/', '!']).to_string())
    };
    let lines: Vec<Option<String>> = text.lines().map(comment).collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some((_, begin)) = line.as_deref().unwrap_or("").split_once("Twin:") else { continue };
        let more = lines[i + 1..].iter().map_while(Option::as_deref);
        let all = [begin].into_iter().chain(more).collect::<Vec<_>>().join(" ");
        let sentence = all.split(". ").next().unwrap_or("").trim().trim_end_matches('.');
        found.push((i + 1, sentence.replace(['`', '[', ']'], "")));
    }
    found
}

/// Whether a file defines something of this name, beside its comments.
fn defines(text: &str, name: &str) -> bool {
    let kinds = ["fn", "struct", "enum", "trait", "const", "type"];
    let outside = |c: char| !c.is_alphanumeric() && c != '_';
    text.lines().filter(|line| line.contains(name)).any(|line| {
        let words = line.split("//").next().unwrap_or("").split(outside);
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.windows(2).any(|pair| kinds.contains(&pair[0]) && pair[1] == name)
    })
}

/// What a sentence names that is not there: `PATH`, `PATH::NAME`, `NAME in PATH`, or a `NAME` that
/// stands anywhere in `all`.
fn missing(sentence: &str, all: &[File]) -> Option<String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let (path, name) = match words[..] {
        [.., name, "in", path] if path.contains('/') => (path, name),
        [.., path] if path.contains('/') => path.split_once("::").unwrap_or((path, "")),
        [.., name] => ("", name),
        [] => return Some("nothing".to_string()),
    };
    let within = |(file, _): &&File| {
        let rest = file.strip_prefix(path);
        path.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let place: Vec<File> = all.iter().filter(within).cloned().collect();
    let defined = |name: &str, files: &[File]| files.iter().any(|(_, text)| defines(text, name));
    // A type may stand in another file than its function.
    let (types, name) = name.rsplit_once("::").unwrap_or(("", name));
    let types = types.split("::").find(|name| !name.is_empty() && !defined(name, all));
    match types {
        _ if place.is_empty() => Some(path.to_string()),
        Some(missing) => Some(missing.to_string()),
        None => (!name.is_empty() && !defined(name, &place)).then(|| name.to_string()),
    }
}

fn violations(file: &str, text: &str, all: &[File]) -> Vec<String> {
    let wrong = |(line, sentence): (usize, String)| {
        let missing = missing(&sentence, all)?;
        let what = format!("there is no `{missing}`, of which this is the twin: {sentence}");
        Some(format!("{file}:{line}: {what}"))
    };
    twins(text).into_iter().filter_map(wrong).collect()
}

#[test]
fn every_twin_exists() {
    let all = [files("src", "rs"), files("shaders", "rs"), files("shaders", "wgsl")].concat();
    let found: Vec<String> =
        all.iter().flat_map(|(file, text)| violations(file, text, &all)).collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
    let count = all.iter().map(|(_, text)| twins(text).len()).sum::<usize>();
    assert!(count > 20, "only {count} twins found");
}

#[test]
fn missing_twins_are_found() {
    let file = |name: &str, text: &str| (name.to_string(), text.to_string());
    let all = [
        file("shaders/lcp/step.wgsl", "fn advance(u: u32) -> u32 { return residual(u); }"),
        file(
            "src/core/lcp/step.rs",
            "impl Step {\n    pub fn advance(&self) {}\n}\npub struct Step;",
        ),
    ];
    for sound in [
        "/// `u+ = u + W L`. Twin: `shaders/lcp/step.wgsl::advance`.",
        "// Twin: `shaders/lcp/step.wgsl`. More words, say a/b.rs.",
        "/// Twin:\n/// `src/core/lcp/step.rs`.\nfn f() {}",
        "// One step. Twin: the first way of Step::advance in src/core/lcp/step.rs.",
        "// Twin: advance in src/core/lcp.",
        "// Twin: a round of Step::advance.",
        "let twin = \"no comment\";",
    ] {
        assert_eq!(violations("a", sound, &all), Vec::<String>::new(), "{sound}");
    }
    for (broken, what) in [
        (
            "fn f() {}\n// Twin: `shaders/lcp/steps.wgsl`.",
            "a:2: there is no `shaders/lcp/steps.wgsl`",
        ),
        ("/// Twin: `shaders/lcp/step.wgsl::residual`.", "a:1: there is no `residual`"),
        ("// Twin: Step::residual in src/core/lcp/step.rs.", "a:1: there is no `residual`"),
        ("// Twin: Bound::advance in src/core/lcp/step.rs.", "a:1: there is no `Bound`"),
        ("// Twin: Step::residual.", "a:1: there is no `residual`"),
        ("// Twin: advance in src/law.", "a:1: there is no `src/law`"),
        ("// Twin: advance in src/lc.", "a:1: there is no `src/lc`"),
        ("// Twin:", "a:1: there is no `nothing`"),
    ] {
        let found = violations("a", broken, &all);
        assert!(found.len() == 1 && found[0].starts_with(what), "{broken}: {found:?}");
    }
}

/// The functions of shaders that have neither the name of a Rust function - perhaps after the name
/// of a type, `lemke_pivot` - or of a field, `stage_of` and `set_stage`, nor a comment that speaks
/// of the twin.
fn nameless(file: &str, text: &str, all: &[File]) -> Vec<String> {
    let rust = || all.iter().filter(|(file, _)| file.ends_with(".rs"));
    let known = |name: &str| {
        let field = |line: &str| {
            let line = line.trim_start();
            let seen = line.strip_prefix("pub(super) ").or(line.strip_prefix("pub "));
            seen.unwrap_or(line).strip_prefix(name).is_some_and(|rest| rest.starts_with(": "))
        };
        rust().any(|(_, text)| defines(text, name) || text.lines().any(field))
    };
    let mut found = Vec::new();
    let mut comment = String::new();
    for (i, line) in text.lines().enumerate() {
        if let Some(more) = line.strip_prefix("//") {
            comment.push_str(more);
            continue;
        }
        if let Some((name, _)) = line.strip_prefix("fn ").and_then(|rest| rest.split_once('(')) {
            let (_, rest) = name.split_once('_').unwrap_or(("", name));
            let field = name.strip_suffix("_of").unwrap_or(name);
            let told = comment.contains("twin") || comment.contains("Twin");
            if !told && ![name, rest, field].into_iter().any(known) {
                let what = format!("`{name}` is no Rust name, and its comment does not say why");
                found.push(format!("{file}:{}: {what}", i + 1));
            }
        }
        comment.clear();
    }
    found
}

#[test]
fn shader_functions_have_the_names_of_their_twins() {
    let all = [files("src", "rs"), files("shaders", "rs"), files("shaders", "wgsl")].concat();
    let found: Vec<String> = (all.iter())
        .filter(|(file, _)| file.ends_with(".wgsl") && !file.starts_with("shaders/kernel/"))
        .flat_map(|(file, text)| nameless(file, text, &all))
        .collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn other_names_are_found() {
    let rust = "struct Lemke {\n    pub(super) stage: f64,\n}\nimpl Lemke {\n    fn pivot() {}\n}";
    let all = [("src/core/lcp/lemke.rs".to_string(), rust.to_string())];
    for sound in [
        "fn pivot() {",
        "// Exchanges.\nfn lemke_pivot(n: u32) {",
        "fn stage_of(i: u32) -> real {",
        "fn set_stage(i: u32) {",
        "// Twin: Lemke::pivot.\nfn exchange() {",
        "// There is no twin.\n// So it is.\nfn exchange() {",
    ] {
        assert_eq!(nameless("a", sound, &all), Vec::<String>::new(), "{sound}");
    }
    for broken in
        ["fn exchange() {", "// Twin: x.\n\nfn lemke_exchange() {", "// Exchanges.\nfn stages() {"]
    {
        assert_eq!(nameless("a", broken, &all).len(), 1, "{broken}");
    }
}
