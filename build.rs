//! Tells the program the commit that it is built from, where that is known, and gives it the text
//! of shaders without comments and indentation, for which a visitor of the page would wait.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-env-changed=CAROM_COMMIT");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=shaders");
    // Other profiles are not built anew for each commit.
    if env::var("PROFILE").is_ok_and(|profile| profile == "release")
        && env::var("CAROM_COMMIT").is_err()
        && let Some(commit) = packaged().or_else(checked_out)
    {
        println!("cargo:rustc-env=CAROM_COMMIT={commit}");
    }
    println!("cargo:rustc-check-cfg=cfg(unoptimized)");
    if env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo:rustc-cfg=unoptimized");
    }
    bare(Path::new("shaders"), &PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()))
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

/// The commit that a package from a registry was made of.
fn packaged() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let commit = text.split("\"sha1\": \"").nth(1)?.split('"').next()?;
    Some(commit.chars().take(7).collect())
}

/// The commit of this repository, which may not be that of a repository around it.
fn checked_out() -> Option<String> {
    if !Path::new(".git").exists() {
        return None;
    }
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    for file in ["HEAD", "logs/HEAD"] {
        println!("cargo:rerun-if-changed={}", git(&["rev-parse", "--git-path", file])?);
    }
    git(&["rev-parse", "--short=7", "HEAD"])
}
