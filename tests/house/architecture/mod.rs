//! What stands where in `src/` and `shaders/`, read from the text of the files.

mod twins;

use std::fs;
use std::path::{Path, PathBuf};

/// A file with its path from the root of the repository.
pub type File = (String, String);

/// The files of a folder with this extension, in order.
pub fn files(folder: &str, extension: &str) -> Vec<File> {
    fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, into) } else { into.push(path) }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    walk(&root.join(folder), &mut paths);
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    let name = |path: &Path| path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
    paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// The packages of the house, each with its folder.
fn packages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let inner = fs::read_dir(root.join("src")).unwrap().map(|entry| entry.unwrap().path());
    let folders = inner.filter(|path| path.join("Cargo.toml").exists());
    let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let shaders = ("carom-shaders".to_string(), "shaders/src".to_string());
    folders.map(name).map(|name| (name.clone(), format!("src/{name}"))).chain([shaders]).collect()
}

/// Most lines of a package: larger ones are built too slowly, and no one reads them.
const LINES: usize = 18_000;

#[test]
fn no_package_is_large() {
    for (name, folder) in packages() {
        let lines: usize = files(&folder, "rs").iter().map(|(_, text)| text.lines().count()).sum();
        assert!(lines <= LINES, "{name} has {lines} lines; {LINES} at most");
    }
}

#[test]
fn the_architecture_shows_every_package() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let text = fs::read_to_string(path).unwrap();
    for (name, _) in packages() {
        assert!(text.contains(&format!("| `{name}` |")), "ARCHITECTURE.md has no row `{name}`");
    }
}
