//! Files do not import each other in circles.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Module, Source, Way, read};
use super::{File, files, module_of};

/// The files of one crate.
struct Crate {
    sources: BTreeMap<String, Source>,
    /// The file that each module stands in.
    home: BTreeMap<Vec<String>, String>,
}

/// What a path leads to: a file, and whether it is all of a module.
struct Target<'a> {
    file: &'a str,
    module: bool,
}

impl Crate {
    fn new(files: &[File]) -> Self {
        let sources: BTreeMap<_, _> =
            files.iter().map(|(file, text)| (file.clone(), read(&module_of(file), text))).collect();
        let home = sources.iter().flat_map(|(file, source)| {
            source.modules.keys().map(move |module| (module.clone(), file.clone()))
        });
        Crate { home: home.collect(), sources }
    }

    fn module(&self, path: &[String]) -> Option<&Module> {
        self.sources[self.home.get(path)?].modules.get(path)
    }

    /// Where a path from `crate` leads, through what modules hand on. A name that is not found
    /// belongs to the last module.
    fn resolve(&self, path: &[String], passed: usize) -> Option<Target<'_>> {
        let mut here = 0;
        while here < path.len() && self.home.contains_key(&path[..=here]) {
            here += 1;
        }
        let file = self.home.get(&path[..here])?;
        let Some(name) = path.get(here) else { return Some(Target { file, module: true }) };
        let module = self.module(&path[..here])?;
        if module.items.contains(name) || passed > 16 {
            return Some(Target { file, module: false });
        }
        let rest = &path[here..];
        let through = match module.imports.get(name) {
            Some(import) => self.absolute(&path[..here], &[import, &rest[1..]].concat()),
            None => module.globs.iter().find_map(|glob| {
                let glob = self.absolute(&path[..here], glob)?;
                self.module(&glob)?.knows(name).then(|| [&glob, rest].concat())
            }),
        };
        match through {
            Some(path) => self.resolve(&path, passed + 1),
            None => Some(Target { file, module: false }),
        }
    }

    /// A path that `module` names, from the root of the crate; none where it leads outside.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        if first == "crate" {
            return Some(rest.to_vec());
        }
        let local = [module, path].concat();
        let own = self.module(module)?;
        if self.home.contains_key(&local[..=module.len()]) || own.items.contains(first) {
            return Some(local);
        }
        let import = own.imports.get(first).filter(|import| import[0] != *first)?;
        self.absolute(module, &[import, rest].concat())
    }

    /// Which file names which other one, and the first line where it does. Unit tests may name
    /// anything.
    fn edges(&self) -> BTreeMap<(&str, &str), usize> {
        let mut edges = BTreeMap::new();
        for (file, source) in &self.sources {
            for named in source.named.iter().filter(|named| !named.test) {
                let Some(path) = self.absolute(&named.from, &named.path) else { continue };
                let Some(target) = self.resolve(&path, 0) else { continue };
                // What a module hands on it does not use; what is reached through an imported
                // module is named in code.
                let only_a_way = match named.way {
                    Way::Reexport => true,
                    Way::Import => target.module && source.passes_through(&named.path),
                    Way::Code => false,
                };
                if !only_a_way && target.file != file {
                    edges.entry((file.as_str(), target.file)).or_insert(named.line);
                }
            }
        }
        edges
    }

    /// The files of every circle, with the lines that close it.
    fn circles(&self) -> Vec<(Vec<&str>, String)> {
        let edges = self.edges();
        let reached = |from| {
            let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
            while let Some(file) = next.pop() {
                let more = edges.keys().filter(|(from, _)| *from == file).map(|(_, to)| *to);
                next.extend(more.filter(|to| reached.insert(*to)));
            }
            reached
        };
        let reach: BTreeMap<&str, BTreeSet<&str>> =
            self.sources.keys().map(|file| (file.as_str(), reached(file.as_str()))).collect();
        let mut circles: Vec<Vec<&str>> = Vec::new();
        for (file, to) in &reach {
            let circle: Vec<&str> =
                to.iter().copied().filter(|other| reach[other].contains(file)).collect();
            if circle.len() > 1 && circle[0] == *file {
                circles.push(circle);
            }
        }
        let with_lines = |circle: Vec<_>| {
            let inside =
                edges.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
            let lines =
                inside.map(|((from, to), line)| format!("  {from}:{line} names {to}\n")).collect();
            (circle, lines)
        };
        circles.into_iter().map(with_lines).collect()
    }
}

impl Module {
    fn knows(&self, name: &str) -> bool {
        self.items.contains(name) || self.imports.contains_key(name)
    }
}

impl Source {
    /// Whether code names something in the module that is imported as `path`.
    fn passes_through(&self, path: &[String]) -> bool {
        let imports = self.modules.values().flat_map(|module| &module.imports);
        let names: Vec<&String> =
            imports.filter(|(_, import)| *import == path).map(|(name, _)| name).collect();
        self.named.iter().any(|named| named.path.len() > 1 && names.contains(&&named.path[0]))
    }
}

/// What is wrong with the files of a crate.
fn complaints(files: &[File]) -> Vec<String> {
    let found = Crate::new(files);
    let text = |(circle, text): &(Vec<&str>, String)| {
        format!("{} files import each other in a circle:\n{text}", circle.len())
    };
    found.circles().iter().map(text).collect()
}

#[test]
fn files_do_not_import_each_other_in_circles() {
    let found = complaints(&files("src", "rs"));
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// The circles of a crate of which only `src/law/` is written down.
fn circles_of(law: &[(&str, &str)]) -> Vec<String> {
    let file = |(name, text): &(&str, &str)| (format!("src/law/{name}.rs"), text.to_string());
    let root = ("src/lib.rs".to_string(), "pub mod law;".to_string());
    complaints(&law.iter().map(file).chain([root]).collect::<Vec<_>>())
}

#[test]
fn circles_are_found() {
    let broken: [&[(&str, &str)]; 9] = [
        &[
            ("mod", "mod a; mod b;"),
            ("a", "use super::b::B;\nstruct A;"),
            ("b", "use super::a::A; struct B;"),
        ],
        // Through what the folder hands on.
        &[
            ("mod", "mod a; mod b; pub use a::A; pub use b::B as C;"),
            ("a", "use crate::law::C;\nstruct A;"),
            ("b", "struct B; fn f(x: super::A) {}"),
        ],
        // By all of its names, and by an imported module.
        &[
            ("mod", "mod a; mod b; pub use b::*;"),
            ("a", "use super::B;\npub struct A;"),
            ("b", "use super::a; pub struct B; fn f(x: a::A) {}"),
        ],
        // The folder's own file uses a part of it that needs it.
        &[("mod", "mod a;\nuse a::A; pub struct Law(A);"), ("a", "use super::Law; pub struct A;")],
        &[("mod", "mod a;\npub fn f() { a::f() }"), ("a", "pub fn f() { super::f() }")],
        &[
            ("mod", "mod a; pub use a::A;\npub struct Law(A);"),
            ("a", "use super::Law; pub struct A;"),
        ],
        &[("mod", "mod a; pub use a::f;\npub fn g() { f() }"), ("a", "pub fn f() { super::g() }")],
        // Files of three, and one within a folder of its own.
        &[
            ("mod", "mod a; mod b; mod c;"),
            ("a", "use super::b::B;\npub struct A;"),
            ("b", "use super::c::C; pub struct B;"),
            ("c", "use super::{a, b}; pub struct C(a::A);"),
        ],
        &[
            ("mod", "mod a; mod b;"),
            ("a", "mod c;\nuse super::b::B;"),
            ("a/c", "pub struct C;"),
            ("b", "use super::a; pub struct B; impl a::New for B {}"),
        ],
    ];
    for files in broken {
        let found = circles_of(files);
        assert_eq!(found.len(), 1, "{files:?}: {found:?}");
        assert!(found[0].contains("names src/law/"), "{}", found[0]);
    }
    let three = circles_of(broken[7]);
    assert!(
        three[0].starts_with("3 files") && three[0].contains("src/law/a.rs:1 names src/law/b.rs"),
        "{three:?}"
    );
}

#[test]
fn what_is_no_circle_passes() {
    let sound: [&[(&str, &str)]; 6] = [
        // A folder that declares and hands on; siblings one way, through it or not.
        &[
            ("mod", "mod a; pub mod b; pub use a::A; pub use b::{B, f};"),
            ("a", "pub struct A;"),
            ("b", "use super::A; pub struct B(A); pub fn f() {}"),
        ],
        // Parts of what the folder defines.
        &[
            ("mod", "mod a; pub use a::A; pub struct Law; fn g(f: u32) -> u32 { f }"),
            ("a", "use super::Law; pub struct A(Law); pub fn f() {}"),
        ],
        // A file imports from its own modules, tests among them, and names of other crates.
        &[
            ("mod", "mod a; mod b; use std::a::A;"),
            (
                "a",
                "pub(in crate::law) use super::b::B; mod inner { use super::B; fn f() { self::g() } fn g() {} }",
            ),
            (
                "b",
                "pub struct B; #[cfg(test)] mod tests { use super::*; use crate::law::a; fn f() { a::f() } }",
            ),
        ],
        // A word in a text, a method, a variable.
        &[
            ("mod", "mod a; pub use a::f; fn g(f: u32) { x.f(); let y = f + 1; \"f()\" }"),
            ("a", "/// As super::b::B.\npub fn f() { super::g() }"),
        ],
        &[("mod", "mod a; mod b;"), ("a", "use super::b::{self, B};"), ("b", "pub struct B;")],
        &[
            ("mod", "mod a; mod b;"),
            ("a", "use super::b as c; fn f() { c::g() }"),
            ("b", "pub fn g() {}"),
        ],
    ];
    for files in sound {
        assert_eq!(circles_of(files), Vec::<String>::new(), "{files:?}");
    }
}
