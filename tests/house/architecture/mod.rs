//! What stands where in `src/` and `shaders/`, read from the text of the files. The readers are
//! tested too, on snippets that break each rule.

mod circles;
mod floors;
mod paths;
mod tokens;
mod twins;

pub use floors::FLOORS;

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

/// The path of a file's module in its crate: `law::routh` for `src/law/routh.rs`, nothing for the
/// root.
fn module_of(file: &str) -> Vec<String> {
    let inner = file.strip_prefix("src/").unwrap_or(file);
    let parts = inner.trim_end_matches(".rs").split('/');
    parts.filter(|part| !["mod", "lib", "main"].contains(part)).map(str::to_string).collect()
}
