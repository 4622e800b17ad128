//! The text of files.

use std::path::Path;

use crate::error::{Error, Result};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// The text of a file.
pub(super) fn content(path: &Path) -> Result<String> {
    let failed = |what: String| Error::input(what).at(path.display().to_string());
    let metadata = std::fs::metadata(path).map_err(|e| failed(format!("cannot be read: {e}")))?;
    if metadata.is_dir() || metadata.len() > LARGEST {
        return Err(failed("expected a file of up to 64 MB".into()));
    }
    let bytes = std::fs::read(path).map_err(|e| failed(format!("cannot be read: {e}")))?;
    let text = String::from_utf8(bytes).map_err(|_| failed("this is no UTF-8 text".into()))?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_string))
}
