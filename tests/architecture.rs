//! The floors of the house: imports go down only. The checker is tested too, on snippets that break each rule.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of each floor, from the ground up. The command line stands above them all.
const FLOORS: [&[&str]; 8] = [
    &["error", "status", "real"],
    &["rng"],
    &["lcp", "problem"],
    &["model", "outcome"],
    &["law"],
    &["shading"],
    &["motion", "engine"],
    &["scene", "output"],
];

/// Where the command line lives; it may import everything.
const BINARY: &str = "src/bin/";

/// Outside names, and the only places that may use them. An empty list of places: everywhere but `never`.
struct Outside {
    path: &'static [&'static str],
    only: &'static str,
    never: &'static [&'static str],
}

const OUTSIDE: [Outside; 4] = [
    Outside { path: &["wgpu"], only: "src/engine/gpu/", never: &[] },
    Outside { path: &["std", "fs"], only: "src/", never: &["lcp", "law", "outcome", "shading"] },
    Outside { path: &["std", "thread"], only: "src/", never: &["lcp", "law", "outcome", "shading"] },
    Outside { path: &["rayon"], only: "src/", never: &["lcp", "law", "outcome", "shading"] },
];

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|modules| modules.contains(&module))
}

/// What is wrong with a source file, each with `file:line`.
fn violations(file: &str, text: &str) -> Vec<String> {
    let module = module_of(file);
    let top = module.first().map_or("", String::as_str);
    let mut found = Vec::new();
    let mut complain = |line: usize, what: String| found.push(format!("{file}:{line}: {what}"));
    let here = floor(top);
    if here.is_none() && !module.is_empty() && !file.starts_with(BINARY) {
        complain(1, format!("`{top}` stands on no floor; give it one in tests/architecture.rs"));
    }
    for Reference { line, path } in references(&module, &tokens(text)) {
        for outside in &OUTSIDE {
            let named =
                path.iter().map(String::as_str).take(outside.path.len()).eq(outside.path.iter().copied());
            if named && (!file.starts_with(outside.only) || outside.never.contains(&top)) {
                complain(line, format!("`{}` has no business here", outside.path.join("::")));
            }
        }
        let Some(here) = here else { continue };
        if path[0] != "crate" || path.len() < 2 || path[1] == top {
            continue;
        }
        let target = path[1].as_str();
        match floor(target) {
            None => complain(line, format!("`crate::{target}` stands on no floor")),
            Some(there) if there > here => complain(
                line,
                format!("`{top}` on floor {here} imports `{target}` on floor {there}; imports go down only"),
            ),
            Some(there) if top == "lcp" && there == here => {
                complain(line, format!("`lcp` knows no physics; it imports `{target}`"));
            }
            Some(_) => {}
        }
    }
    found.dedup();
    found
}

/// `src/law/routh.rs` is `law::routh`; `src/lib.rs` and the command line are no module of the house.
fn module_of(file: &str) -> Vec<String> {
    let inner = file.strip_prefix("src/").unwrap_or(file).trim_end_matches(".rs");
    if file.starts_with(BINARY) || inner == "lib" {
        return Vec::new();
    }
    inner.split('/').filter(|part| *part != "mod").map(str::to_string).collect()
}

/// A path that the text names: from `crate`, or from an outside crate.
struct Reference {
    line: usize,
    path: Vec<String>,
}

/// Every path that starts with `crate`, `super`, `self` or the first name of [`OUTSIDE`], groups spelled out.
fn references(module: &[String], tokens: &[(usize, String)]) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut module = module.to_vec();
    // Brace depth at which each inline module ends.
    let mut inner: Vec<usize> = Vec::new();
    let mut depth = 0;
    let token = |i: usize| tokens.get(i).map_or("", |(_, text)| text.as_str());
    for i in 0..tokens.len() {
        match token(i) {
            "{" => {
                depth += 1;
                if i >= 2 && token(i - 2) == "mod" {
                    module.push(token(i - 1).to_string());
                    inner.push(depth);
                }
            }
            "}" => {
                if inner.last() == Some(&depth) {
                    inner.pop();
                    module.pop();
                }
                depth -= 1;
            }
            start if i == 0 || token(i - 1) != "::" => {
                let outside = OUTSIDE.iter().any(|outside| outside.path[0] == start);
                let inside = ["crate", "super", "self"].contains(&start) && token(i + 1) == "::";
                if !outside && !inside {
                    continue;
                }
                for (line, path) in spelled_out(tokens, i).0 {
                    found.push(Reference { line, path: absolute(&module, path) });
                }
            }
            _ => {}
        }
    }
    found
}

/// The paths of the tree that begins at token `i`, with the line of each, and where the tree ends.
fn spelled_out(tokens: &[(usize, String)], i: usize) -> (Vec<(usize, Vec<String>)>, usize) {
    let token = |i: usize| tokens.get(i).map_or("", |(_, text)| text.as_str());
    if token(i) == "{" {
        let (mut paths, mut i) = (Vec::new(), i + 1);
        while i < tokens.len() && token(i) != "}" {
            if token(i) == "," {
                i += 1;
                continue;
            }
            let (more, end) = spelled_out(tokens, i);
            paths.extend(more);
            i = end.max(i + 1);
            // `a as b`
            while i < tokens.len() && token(i) != "," && token(i) != "}" {
                i += 1;
            }
        }
        return (paths, i + 1);
    }
    let (line, name) = &tokens[i];
    if token(i + 1) != "::" {
        return (vec![(*line, vec![name.clone()])], i + 1);
    }
    let (rest, end) = match tokens.get(i + 2) {
        Some((_, next)) if next == "{" || is_name(next) => spelled_out(tokens, i + 2),
        _ => (vec![(*line, Vec::new())], i + 2),
    };
    let paths = rest.into_iter().map(|(line, mut path)| {
        path.insert(0, name.clone());
        (line, path)
    });
    (paths.collect(), end)
}

fn is_name(token: &str) -> bool {
    token.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The same path from `crate`, seen from `module`.
fn absolute(module: &[String], path: Vec<String>) -> Vec<String> {
    let mut base = module.to_vec();
    let mut rest = path.as_slice();
    while let Some((first, more)) = rest.split_first() {
        match first.as_str() {
            "self" => {}
            "super" => {
                base.pop();
            }
            _ => break,
        }
        rest = more;
    }
    if rest.len() == path.len() {
        return path;
    }
    ["crate".to_string()].into_iter().chain(base).chain(rest.iter().cloned()).collect()
}

/// Names, `::` and single characters with their lines; comments, strings and characters are left out.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut line, mut i) = (Vec::new(), 1, 0);
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    while i < chars.len() {
        let start = i;
        match at(i) {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => {
                let mut open = 0;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (open, i) = (open + 1, i + 2),
                        ('*', '/') => (open, i) = (open - 1, i + 2),
                        _ => i += 1,
                    }
                    if open == 0 || i >= chars.len() {
                        break;
                    }
                }
            }
            '"' => {
                i += 1;
                while i < chars.len() && at(i) != '"' {
                    i += if at(i) == '\\' { 2 } else { 1 };
                }
                i += 1;
            }
            '\'' if at(i + 1) == '\\' => {
                i += 3;
                while i < chars.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            }
            '\'' if at(i + 2) == '\'' => i += 3,
            ':' if at(i + 1) == ':' => {
                i += 2;
                found.push((line, "::".to_string()));
            }
            c if c.is_alphanumeric() || c == '_' => {
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
                let name: String = chars[start..i].iter().collect();
                let hashes = (i..).take_while(|&i| at(i) == '#').count();
                if ["r", "br"].contains(&name.as_str()) && at(i + hashes) == '"' {
                    i += hashes + 1;
                    while i < chars.len() && !(at(i) == '"' && (1..=hashes).all(|j| at(i + j) == '#')) {
                        i += 1;
                    }
                    i += 1 + hashes;
                } else {
                    found.push((line, name));
                }
            }
            c => {
                i += 1;
                if !c.is_whitespace() {
                    found.push((line, c.to_string()));
                }
            }
        }
        line += chars[start..i.min(chars.len())].iter().filter(|&&c| c == '\n').count();
    }
    found
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn imports_go_down_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    files.sort();
    assert!(files.len() > 20, "only {} source files found", files.len());
    let mut found = Vec::new();
    for file in &files {
        let name = file.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        found.extend(violations(&name, &fs::read_to_string(file).unwrap()));
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Each rule, broken once, is reported with its line.
#[test]
fn the_checker_finds_what_is_wrong() {
    let broken = [
        ("src/law/new.rs", "use std::fmt;\nuse crate::engine::Plan;", "2: `law` on floor 4 imports `engine`"),
        (
            "src/law/new.rs",
            "fn f() {\n    crate::scene::load(\"x\");\n}",
            "2: `law` on floor 4 imports `scene`",
        ),
        ("src/law/mod.rs", "use super::output;", "1: `law` on floor 4 imports `output`"),
        ("src/law/new.rs", "use super::super::engine;", "1: `law` on floor 4 imports `engine`"),
        (
            "src/rng/new.rs",
            "use crate::{\n    error::Error,\n    lcp::{Lemke, step},\n};",
            "3: `rng` on floor 1",
        ),
        (
            "src/rng/new.rs",
            "mod tests {\n use super::super::super::law; }",
            "2: `rng` on floor 1 imports `law`",
        ),
        ("src/lcp/new.rs", "use crate::problem::ContactProblem;", "1: `lcp` knows no physics"),
        ("src/law/new.rs", "use rayon::prelude::*;", "1: `rayon` has no business here"),
        ("src/law/new.rs", "use std::{fmt, fs::File};", "1: `std::fs` has no business here"),
        ("src/law/new.rs", "fn f() { std::thread::spawn(|| 1); }", "1: `std::thread` has no business here"),
        ("src/outcome/new.rs", "use std::fs;", "1: `std::fs` has no business here"),
        ("src/engine/cpu.rs", "fn f(x: &wgpu::Device) {}", "1: `wgpu` has no business here"),
        ("src/bin/carom/new.rs", "use wgpu;", "1: `wgpu` has no business here"),
        ("src/utils.rs", "", "1: `utils` stands on no floor"),
        ("src/law/new.rs", "use crate::utils::x;", "1: `crate::utils` stands on no floor"),
    ];
    for (file, text, expected) in broken {
        let found = violations(file, text);
        assert_eq!(found.len(), 1, "{file}, {text}: {found:?}");
        assert!(found[0].starts_with(&format!("{file}:{expected}")), "{text}: {found:?}");
    }
}

#[test]
fn the_checker_passes_what_is_right() {
    let sound = [
        ("src/law/new.rs", "use crate::lcp::{Lemke, step::StepProblem};\nuse super::Law;\nuse std::fmt;"),
        (
            "src/law/new.rs",
            "//! `wgpu`\n/* use crate::engine; /* rayon */ */ const A: &str = \"crate::scene::\";",
        ),
        (
            "src/law/new.rs",
            "const A: &str = r#\"use crate::\"scene\"::x\"#; const C: [char; 2] = ['\"', '\\''];",
        ),
        (
            "src/law/new.rs",
            "fn f<'a>(x: &'a str) -> &'a str { x }\nmod tests { use super::*; use super::super::Law; }",
        ),
        ("src/law/new.rs", "pub(crate) fn f() { self::g(); }"),
        ("src/model/new.rs", "use crate::outcome::Samples; use crate::problem::ContactProblem;"),
        (
            "src/engine/gpu/run.rs",
            "use wgpu::util::DeviceExt; use super::device::Gpu; use crate::law::Routh;",
        ),
        ("src/engine/cpu.rs", "use rayon::prelude::*; use std::thread;"),
        ("src/bin/carom/new.rs", "use carom::engine::Plan; fn f() { crate::print(); std::fs::read(\"x\"); }"),
        ("src/lib.rs", "pub mod engine; pub use crate::engine::Plan;"),
    ];
    for (file, text) in sound {
        assert_eq!(violations(file, text), Vec::<String>::new(), "{text}");
    }
}
