use std::fs::File;
use std::io::Read;
use std::path::Path;

use carom_core::error::{Error, Result};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;
const REFUSED: &str = "is no regular file of up to 64 MB";

/// The text of a file that the user names: any but a directory, a pipe too.
pub(super) fn content(path: &Path) -> Result<String> {
    let failed = |what: String| Error::input(what).at(path.display().to_string());
    let unreadable = |e: std::io::Error| failed(format!("cannot be read: {e}"));
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() || metadata.len() > LARGEST {
        return Err(failed("expected a file of up to 64 MB".into()));
    }
    let bytes = within(path, LARGEST + 1).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        return Err(failed("expected a file of up to 64 MB".into()));
    }
    text(bytes).map_err(failed)
}

/// The bytes of a file that another file names. Only a regular file is read, and no more bytes than
/// the file system reports, so that files that the kernel makes up are empty.
pub(super) fn named(path: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |e: std::io::Error| format!("cannot be read: {e}");
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return Err(REFUSED.into());
    }
    within(path, metadata.len()).map_err(unreadable)
}

/// Bytes as text, without a byte order mark.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, String> {
    let text = String::from_utf8(bytes).map_err(|_| "is no UTF-8 text")?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_string))
}

/// The first bytes of a file, `most` at most.
fn within(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
