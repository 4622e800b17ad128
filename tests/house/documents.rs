//! The pages: what they lead to is there, and the first ones are short.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::support::pages::{Page, pages, root};

/// A page of at most so many words.
const README_WORDS: usize = 450;

/// How GitHub writes a heading in an address.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let text: String = heading.trim_start_matches('#').trim().chars().filter(kept).collect();
    text.to_lowercase().replace(' ', "-")
}

fn has_heading(text: &str, wanted: &str) -> bool {
    text.lines().any(|line| line.starts_with('#') && anchor(line) == wanted)
}

/// A path without the steps up in it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    plain
}

/// Where the links of a page lead, with their lines, those to other sites left out.
fn links(page: &Page) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, text) in page.parts().0 {
        let ends = [("](", ')'), ("src=\"", '"')];
        for (start, end) in ends {
            let targets = text.split(start).skip(1).filter_map(|rest| rest.split(end).next());
            found.extend(targets.map(|target| (line, target.to_string())));
        }
    }
    found.retain(|(_, target)| !target.contains("://"));
    found
}

/// What is wrong with the links of a page, and with the files that it names.
fn dead(page: &Page) -> Vec<String> {
    let mut wrong = Vec::new();
    for (line, target) in links(page) {
        let (file, heading) = target.split_once('#').unwrap_or((&target, ""));
        let folder = Path::new(&page.path).parent().unwrap();
        let path =
            if file.is_empty() { page.path.clone().into() } else { plain(&folder.join(file)) };
        let path = root().join(path);
        let found = path.exists()
            && (heading.is_empty() || has_heading(&fs::read_to_string(&path).unwrap(), heading));
        if !found {
            wrong.push(format!("{}:{line}: nothing at {target}", page.path));
        }
    }
    for (line, code) in page.code() {
        let first = code.split_whitespace().find(|word| word.contains('/')).unwrap_or(code);
        let path = first.split("::").next().unwrap();
        let mut ours = "src/ tests/ shaders/ scripts/ benches/ docs/ .ci/".split(' ');
        // A name in capitals stands for any name.
        let template = path.split(['/', '.']).any(|part| part == "NAME" || part.contains('*'));
        if ours.any(|folder| path.starts_with(folder)) && !template {
            let here = [root().join(path), root().join(&page.path).parent().unwrap().join(path)];
            if !here.iter().any(|path| path.exists()) {
                wrong.push(format!("{}:{line}: there is no {path}", page.path));
            }
        }
        let mut words = code.split_whitespace().skip_while(|word| *word != "--bench").skip(1);
        let bench = words.next().filter(|_| code.starts_with("cargo bench"));
        if bench.is_some_and(|name| !root().join(format!("benches/{name}.rs")).exists()) {
            wrong.push(format!("{}:{line}: no such measurement: {code}", page.path));
        }
    }
    wrong
}

fn page(path: &str) -> Page {
    pages().into_iter().find(|page| page.path == path).unwrap()
}

#[test]
fn links_and_names_of_files_lead_somewhere() {
    let wrong: Vec<String> = pages().iter().flat_map(dead).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let text = "[a](b.md) [c](../README.md#nothing) [d](README.md#documentation)\n\
        `src/nothing.rs`, `src/lib.rs`, `src/law/NAME.rs`, `cargo bench --bench nothing`\n";
    let wrong = dead(&Page { path: "docs/page.md".into(), text: text.into() });
    let expected = ["b.md", "#nothing", "src/nothing.rs", "--bench nothing"];
    assert_eq!(wrong.len(), expected.len(), "{wrong:?}");
    for (wrong, expected) in wrong.iter().zip(expected) {
        assert!(wrong.contains(expected), "{wrong}");
    }
}

#[test]
fn the_first_pages_are_short() {
    let readme = page("README.md").text;
    let words = readme.split_whitespace().count();
    assert!(words <= README_WORDS, "README.md has {words} words");
    let picture = readme.lines().position(|line| line.contains("docs/figures/")).unwrap();
    assert!(picture < 10, "no picture in the first lines of README.md");
    for (path, most) in [("ARCHITECTURE.md", 115), ("CONTRIBUTING.md", 110), ("docs/README.md", 50)]
    {
        let text = page(path).text;
        assert!(text.lines().count() <= most, "{path} has {} lines", text.lines().count());
        for (i, line) in text.lines().enumerate() {
            assert!(line.chars().count() <= 120, "{path}:{}: a line of more than 120", i + 1);
        }
    }
}

/// The index leads to every page in `docs/`.
#[test]
fn the_index_has_every_page() {
    let found = links(&page("docs/README.md"));
    for page in pages() {
        let Some(name) = page.path.strip_prefix("docs/").filter(|name| *name != "README.md") else {
            continue;
        };
        assert!(found.iter().any(|(_, target)| target == name), "docs/README.md leaves out {name}");
    }
}

/// The site's navigation leads to every page in `docs/` and `benches/results/`.
#[test]
fn the_site_has_every_page() {
    let navigation = fs::read_to_string(root().join("mkdocs.yml")).unwrap();
    for (folder, place) in [("docs", ""), ("benches/results", "results/")] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let line = format!(": {place}{name}");
            let found = navigation.lines().any(|text| text.ends_with(&line));
            let page = name.ends_with(".md") && name != "README.md";
            assert!(found || !page, "mkdocs.yml does not lead to {folder}/{name}");
        }
    }
}

#[test]
fn the_citation_is_of_this_version() {
    let citation = fs::read_to_string(root().join("CITATION.cff")).unwrap();
    let version = format!("version: {}", env!("CARGO_PKG_VERSION"));
    assert!(citation.lines().any(|line| line == version), "CITATION.cff has no line `{version}`");
}
