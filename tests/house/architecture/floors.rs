//! The floors of the house: imports go down only.

use super::paths::{Named, read};
use super::{files, module_of};

/// The modules of each floor, from the ground up.
pub const FLOORS: [&[&str]; 9] = [
    &["error", "status", "real", "digits"],
    &["expression", "npz", "rng"],
    &["lcp", "polyhedra", "problem", "vectors"],
    &["model", "outcome"],
    &["law", "shading"],
    &["analysis", "run"],
    &["engine", "motion"],
    &["scene", "output", "study", "dataset", "bench"],
    &["cli"],
];

/// The command line imports what users of the library import.
const OUTSIDER: &str = "cli";

/// Neighbours on a floor of which one does not import the other.
const APART: [(&str, &str, &str); 2] =
    [("lcp", "problem", "knows no physics"), ("law", "shading", "knows nothing of shaders")];

/// Outside names, and the only places that may use them, except in the modules `never`.
struct Outside {
    path: &'static [&'static str],
    only: &'static str,
    never: &'static [&'static str],
}

/// Modules that compute, and neither read nor share work out.
const PURE: &[&str] = &["lcp", "polyhedra", "vectors", "law", "shading", "outcome"];

/// Modules that read no files and start no threads of their own.
const QUIET: &[&str] = &["lcp", "polyhedra", "vectors", "law", "shading", "outcome", "analysis"];

const OUTSIDE: [Outside; 4] = [
    Outside { path: &["wgpu"], only: "src/engine/gpu/", never: &[] },
    Outside { path: &["std", "fs"], only: "src/", never: QUIET },
    Outside { path: &["std", "thread"], only: "src/", never: QUIET },
    Outside { path: &["rayon"], only: "src/", never: PURE },
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
    if here.is_none() && !module.is_empty() {
        complain(
            1,
            format!(
                "`{top}` stands on no floor; give it one in tests/house/architecture/floors.rs"
            ),
        );
    }
    for Named { line, path, .. } in read(&module, text).named {
        for outside in &OUTSIDE {
            let named = path
                .iter()
                .map(String::as_str)
                .take(outside.path.len())
                .eq(outside.path.iter().copied());
            if named && (!file.starts_with(outside.only) || outside.never.contains(&top)) {
                complain(line, format!("`{}` has no business here", outside.path.join("::")));
            }
        }
        let Some(here) = here.filter(|_| top != OUTSIDER) else { continue };
        if path[0] != "crate" || path.len() < 2 || path[1] == top {
            continue;
        }
        let target = path[1].as_str();
        let apart = APART.iter().find(|(from, to, _)| (*from, *to) == (top, target));
        match (floor(target), apart) {
            (None, _) => complain(line, format!("`crate::{target}` stands on no floor")),
            (Some(there), _) if there > here => complain(
                line,
                format!(
                    "`{top}` on floor {here} imports `{target}` on floor {there}; imports go down only"
                ),
            ),
            (_, Some((_, _, why))) => {
                complain(line, format!("`{top}` {why}; it imports `{target}`"))
            }
            _ => {}
        }
    }
    found.dedup();
    found
}

#[test]
fn imports_go_down_only() {
    let files = files("src", "rs");
    assert!(files.len() > 20, "only {} source files found", files.len());
    let found: Vec<String> = files.iter().flat_map(|(file, text)| violations(file, text)).collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Each rule, broken once, is reported with its line.
#[test]
fn the_checker_finds_what_is_wrong() {
    let broken = [
        (
            "src/law/new.rs",
            "use std::fmt;\nuse crate::engine::Plan;",
            "2: `law` on floor 4 imports `engine`",
        ),
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
        (
            "src/law/new.rs",
            "fn f() { std::thread::spawn(|| 1); }",
            "1: `std::thread` has no business here",
        ),
        ("src/outcome/new.rs", "use std::fs;", "1: `std::fs` has no business here"),
        ("src/engine/cpu.rs", "fn f(x: &wgpu::Device) {}", "1: `wgpu` has no business here"),
        ("src/cli/new.rs", "use wgpu;", "1: `wgpu` has no business here"),
        ("src/law/new.rs", "use crate::shading::Header;", "1: `law` knows nothing of shaders"),
        (
            "src/shading/new.rs",
            "use crate::engine::Plan;",
            "1: `shading` on floor 4 imports `engine`",
        ),
        ("src/shading/new.rs", "use wgpu::naga;", "1: `wgpu` has no business here"),
        ("src/shading/new.rs", "use rayon::prelude::*;", "1: `rayon` has no business here"),
        (
            "src/engine/new.rs",
            "use crate::study::Reality;",
            "1: `engine` on floor 6 imports `study`",
        ),
        ("src/law/new.rs", "use crate::analysis::Reach;", "1: `law` on floor 4 imports `analysis`"),
        ("src/analysis/new.rs", "use std::fs;", "1: `std::fs` has no business here"),
        ("src/engine/new.rs", "use crate::bench::Bench;", "1: `engine` on floor 6 imports `bench`"),
        ("src/vectors/new.rs", "use crate::law::Law;", "1: `vectors` on floor 2 imports `law`"),
        ("src/utils.rs", "", "1: `utils` stands on no floor"),
        ("src/law/new.rs", "use crate::cli::run;", "1: `law` on floor 4 imports `cli` on floor 8"),
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
        (
            "src/law/new.rs",
            "use crate::lcp::{Lemke, step::StepProblem};\nuse super::Law;\nuse std::fmt;",
        ),
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
        (
            "src/cli/new.rs",
            "use crate::{Plan, cli::print}; fn f() { print(); std::fs::read(\"x\"); }",
        ),
        ("src/shading/new.rs", "use crate::law::Law; use crate::lcp::Cells;"),
        ("src/study/new.rs", "use crate::engine::Plan; use crate::output::Meta;"),
        ("src/lib.rs", "pub mod engine; pub use crate::engine::Plan;"),
    ];
    for (file, text) in sound {
        assert_eq!(violations(file, text), Vec::<String>::new(), "{text}");
    }
}
