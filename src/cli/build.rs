//! Passes the source commit to the program, if known.

use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-env-changed=CAROM_COMMIT");
    println!("cargo:rerun-if-changed=build.rs");
    // Only release builds are rebuilt for each commit.
    if env::var("PROFILE").is_ok_and(|profile| profile == "release")
        && env::var("CAROM_COMMIT").is_err()
        && let Some(commit) = packaged().or_else(checked_out)
    {
        println!("cargo:rustc-env=CAROM_COMMIT={commit}");
    }
    Ok(())
}

/// The source commit of a package from a registry.
fn packaged() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let commit = text.split("\"sha1\": \"").nth(1)?.split('"').next()?;
    Some(commit.chars().take(7).collect())
}

/// The commit of this repository, never of an enclosing repository.
fn checked_out() -> Option<String> {
    if !Path::new("../../.git").exists() {
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
