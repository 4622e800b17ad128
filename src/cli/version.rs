//! Version and commit of the build.

use std::sync::LazyLock;

/// The commit of the build, if known: in release builds.
pub const COMMIT: Option<&str> = option_env!("CAROM_COMMIT");

pub fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let commit = COMMIT.map_or(String::new(), |commit| format!(" ({commit})"));
        format!("{}{commit}", env!("CARGO_PKG_VERSION"))
    });
    &VERSION
}
