//! Copies the shaders without comments and indentation, to shorten the download of the web page.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The folders of shaders.
const FOLDERS: &[&str] = &["kernel", "law", "lcp", "outcome", "rng"];

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    for folder in FOLDERS {
        println!("cargo:rerun-if-changed={folder}");
        bare(Path::new(folder), &out)?;
    }
    Ok(())
}

/// Copies the shaders of a folder without comments and indentation into `out`.
fn bare(folder: &Path, out: &Path) -> io::Result<()> {
    fs::create_dir_all(out.join(folder))?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            bare(&path, out)?;
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
        let lines: Vec<&str> = code.filter(|line| !line.is_empty()).collect();
        fs::write(out.join(path), lines.join("\n") + "\n")?;
    }
    Ok(())
}
