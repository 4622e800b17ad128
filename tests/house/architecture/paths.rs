//! The paths that a source file names, and what it defines.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{is_name, tokens};

/// A path that the text names.
pub struct Named {
    pub line: usize,
    /// From `crate`, or as it stands where it begins with another name.
    pub path: Vec<String>,
    /// The module that names it.
    pub from: Vec<String>,
    pub way: Way,
    /// Whether a unit test names it.
    pub test: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Way {
    /// By `use`, for the module itself.
    Import,
    /// By `pub use`.
    Reexport,
    /// In code.
    Code,
}

/// A module, be it a file or within one.
#[derive(Default)]
pub struct Module {
    pub items: BTreeSet<String>,
    /// What a name stands for that a `use` brings in.
    pub imports: BTreeMap<String, Vec<String>>,
    /// Modules all of whose names are brought in.
    pub globs: Vec<Vec<String>>,
}

/// What a file says: its modules by their path, and the paths it names.
#[derive(Default)]
pub struct Source {
    pub modules: BTreeMap<Vec<String>, Module>,
    pub named: Vec<Named>,
}

const ITEMS: [&str; 10] =
    ["fn", "struct", "enum", "trait", "const", "static", "type", "union", "mod", "macro_rules"];

/// Reads the file that holds `module`.
pub fn read(module: &[String], text: &str) -> Source {
    let tokens = tokens(text);
    let token = |i: usize| tokens.get(i).map_or("", |(_, text)| text.as_str());
    let visibility =
        |i: usize| i > 2 && [token(i - 3), token(i - 2), token(i - 1)] == ["pub", "(", "in"];
    let mut source = Source::default();
    let mut here = module.to_vec();
    source.modules.insert(here.clone(), Module::default());
    // Depth of braces at which each inline module ends, and at which tests do.
    let (mut inner, mut test): (Vec<usize>, Option<usize>) = (Vec::new(), None);
    let (mut depth, mut i) = (0, 0);
    while i < tokens.len() {
        let top = inner.last().copied().unwrap_or(0);
        let own = source.modules.entry(here.clone()).or_default();
        match token(i) {
            "{" => depth += 1,
            "}" => {
                if inner.last() == Some(&depth) {
                    inner.pop();
                    here.pop();
                    test = test.filter(|ends| *ends < depth);
                }
                depth -= 1;
            }
            "use" => {
                let public = i > 0 && ["pub", ")"].contains(&token(i - 1));
                let way = if public { Way::Reexport } else { Way::Import };
                let (trees, end) = spelled_out(&tokens, i + 1);
                for Tree { line, path, alias } in trees {
                    let path = absolute(&here, path);
                    match alias {
                        Some(alias) => drop(own.imports.insert(alias, path.clone())),
                        None => own.globs.push(path.clone()),
                    }
                    source.named.push(Named {
                        line,
                        path,
                        from: here.clone(),
                        way,
                        test: test.is_some(),
                    });
                }
                i = end;
                continue;
            }
            item if ITEMS.contains(&item) && depth == top => {
                let name = i + 1 + usize::from(token(i + 1) == "!");
                own.items.insert(token(name).to_string());
                if item == "mod" && token(name + 1) == "{" {
                    let attribute =
                        (0..i).rev().take_while(|&k| !["}", ";", "{"].contains(&token(k)));
                    if attribute.map(token).any(|word| word == "test") {
                        test = test.or(Some(depth + 1));
                    }
                    here.push(token(name).to_string());
                    inner.push(depth + 1);
                    depth += 1;
                    i = name + 1;
                }
            }
            // A path starts neither in another path, nor at a method, nor in the place of
            // `pub(in place)`.
            start
                if is_name(start)
                    && (i == 0 || !["::", ".", "fn"].contains(&token(i - 1)) && !visibility(i)) =>
            {
                let mut path = vec![start.to_string()];
                let mut k = i;
                while token(k + 1) == "::" && is_name(token(k + 2)) {
                    k += 2;
                    path.push(token(k).to_string());
                }
                // A small letter alone may be a variable; before a bracket it is a function.
                if path.len() > 1 || start.starts_with(char::is_uppercase) || token(i + 1) == "(" {
                    let path = absolute(&here, path);
                    let (line, test) = (tokens[i].0, test.is_some());
                    source.named.push(Named {
                        line,
                        path,
                        from: here.clone(),
                        way: Way::Code,
                        test,
                    });
                }
            }
            _ => {}
        }
        i += 1;
    }
    source
}

/// A path of a `use`, and the name it gets; none where it brings in all names of a module.
struct Tree {
    line: usize,
    path: Vec<String>,
    alias: Option<String>,
}

/// The paths of the tree that begins at token `i`, and where the tree ends.
fn spelled_out(tokens: &[(usize, String)], mut i: usize) -> (Vec<Tree>, usize) {
    let token = |i: usize| tokens.get(i).map_or("", |(_, text)| text.as_str());
    let line = tokens.get(i).map_or(0, |(line, _)| *line);
    let mut prefix = Vec::new();
    loop {
        match token(i) {
            "{" => {
                let mut trees = Vec::new();
                i += 1;
                while i < tokens.len() && token(i) != "}" {
                    if token(i) == "," {
                        i += 1;
                        continue;
                    }
                    let (more, end) = spelled_out(tokens, i);
                    trees.extend(more);
                    i = end.max(i + 1);
                }
                for tree in &mut trees {
                    tree.path = [&prefix[..], &tree.path].concat();
                    // `a::{self}` is `a`.
                    if tree.path.len() > 1 && tree.path.last().is_some_and(|last| last == "self") {
                        tree.path.pop();
                        let renamed = tree.alias.take().filter(|alias| alias != "self");
                        tree.alias = renamed.or(tree.path.last().cloned());
                    }
                }
                return (trees, i + 1);
            }
            "*" => return (vec![Tree { line, path: prefix, alias: None }], i + 1),
            name => prefix.push(name.to_string()),
        }
        i += 1;
        match token(i) {
            "::" => i += 1,
            "as" => {
                let alias = Some(token(i + 1).to_string());
                return (vec![Tree { line, path: prefix, alias }], i + 2);
            }
            _ => {
                let alias = prefix.last().cloned();
                return (vec![Tree { line, path: prefix, alias }], i);
            }
        }
    }
}

/// The path from `crate`, seen from `module`; a path that begins with a name stays as it is.
fn absolute(module: &[String], path: Vec<String>) -> Vec<String> {
    let ups = path.iter().take_while(|part| *part == "super" || *part == "self").count();
    if ups == 0 {
        return path;
    }
    let supers = path[..ups].iter().filter(|part| *part == "super").count();
    let base = &module[..module.len().saturating_sub(supers)];
    [&["crate".to_string()], base, &path[ups..]].concat()
}
