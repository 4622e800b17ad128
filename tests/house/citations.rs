//! Citations of the five papers: no number beyond those that the paper has.

use super::architecture::files;
use crate::support::pages::pages;

/// The largest numbers of a paper; where they count within sections, those of the last section.
const LAST: [(&str, &str, f64); 15] = [
    ("HP23", "Definition", 6.0),
    ("HP23", "Lemma", 13.0),
    ("HP23", "Theorem", 9.0),
    ("HP23", "Assumption", 6.0),
    ("HP23", "Corollar", 3.0),
    ("HP23", "Algorithm", 2.0),
    ("SM14", "Definition", 1.0),
    ("SM14", "Lemma", 7.0),
    ("SM14", "Theorem", 3.0),
    ("JW16", "Lemma", 11.0),
    ("JW16", "Theorem", 12.0),
    ("JW16", "Corollar", 6.0),
    ("JW16", "Algorithm", 1.0),
    ("USD15", "Algorithm", 2.0),
    ("TL24", "Algorithm", 5.2),
];

/// Words before a number that make it one of a list: `Theorems 3, 5 and 8`.
const JOINED: [&str; 3] = ["and", "to", "or"];

/// The numbers that follow the name of a kind.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split_whitespace().skip(1).filter(|word| !JOINED.contains(word));
    let number = |word: &str| {
        let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        word[..end].trim_end_matches('.').parse().ok()
    };
    let mut found = Vec::new();
    for word in words {
        let Some(number) = number(word) else { break };
        found.push(number);
        if word.ends_with([';', ':', '.', ')']) {
            break;
        }
    }
    found
}

/// What a text cites that its paper does not have. A citation reaches from its key to the next key
/// or empty line, that of a heading to the next heading.
fn beyond(at: &str, text: &str) -> Vec<String> {
    let signs = ["///", "//!", "//"];
    let bare = |line: &str| {
        let line = line.trim();
        signs.iter().find_map(|sign| line.strip_prefix(sign)).unwrap_or(line).trim().to_string()
    };
    let plain = text.lines().map(bare).collect::<Vec<_>>().join("\n").replace('\\', "");
    let mut found = Vec::new();
    for (i, _) in plain.match_indices('[') {
        let Some((key, rest)) = plain[i + 1..].split_once(']') else { continue };
        let ends: &[&str] = if plain[..i].ends_with("## ") { &["\n## "] } else { &["\n\n", "["] };
        let end = ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
        for (_, kind, last) in LAST.iter().filter(|(paper, ..)| *paper == key) {
            for (kind_at, _) in rest[..end].match_indices(kind) {
                let wrong = numbers(&rest[kind_at..end]).into_iter().filter(|n| n > last);
                found.extend(wrong.map(|n| format!("{at}: [{key}] has no {kind} {n}")));
            }
        }
    }
    found
}

#[test]
fn papers_have_what_is_cited() {
    let folders = [("src", "rs"), ("shaders", "wgsl"), ("tests", "rs"), ("scenes", "toml")];
    let sources = folders.iter().flat_map(|(folder, extension)| files(folder, extension));
    let sources = sources.chain(pages().into_iter().map(|page| (page.path, page.text)));
    let others = sources.filter(|(path, _)| !path.ends_with("citations.rs"));
    let wrong: Vec<String> = others.flat_map(|(path, text)| beyond(&path, &text)).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_wrong_citation_is_found() {
    let wrong = [
        "[HP23] (Definition 9)",
        "\\[SM14\\] Theorems 1,\n    /// 2 and 4",
        "[TL24] Algorithm 5.3",
        "## [HP23], the law\n\n| Definition 9: all outcomes |\n\n## [H02]",
    ];
    for text in wrong {
        assert_eq!(beyond("", text).len(), 1, "{text}");
    }
    let right = [
        "[HP23] Theorem 8",
        "[H02] Theorem 10.3",
        "[HP23] (75); [CPS09] Algorithm 4.4",
        "## [JW16]\n\n## [H02]\n\nAlgorithm 4",
    ];
    for text in right {
        assert!(beyond("", text).is_empty(), "{text}");
    }
}
