//! Files that appear under their final name when they are whole, and not before.

use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// The directory a file is in.
pub fn directory(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that disappears unless it is [`keep`]ed.
pub fn temporary(path: &Path) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".carom-").suffix(".tmp");
    #[cfg(unix)]
    {
        // The process's umask applies, as to any other new file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory(path)).map_err(|e| {
        Error::usage(format!("cannot create a file in this directory: {}", plain(&e)))
            .at(directory(path).display().to_string())
            .hint("the directory must exist and be writable")
    })
}

/// Gives a complete temporary file its final name.
pub fn keep(file: NamedTempFile, path: &Path) -> Result<()> {
    file.as_file().sync_all().map_err(|e| failed(path, &e))?;
    file.persist(path).map(drop).map_err(|e| failed(path, &e.error))
}

/// The error of a write that failed.
pub fn failed(path: &Path, why: &(dyn std::error::Error + 'static)) -> Error {
    let mut cause = Some(why);
    let mut reason = why.to_string();
    while let Some(error) = cause {
        if let Some(system) = error.downcast_ref::<io::Error>().filter(|e| e.kind() != io::ErrorKind::Other) {
            reason = plain(system);
        }
        cause = error.source();
    }
    Error::usage(format!("cannot write this file: {reason}")).at(path.display().to_string())
}

/// What the system says, without the path of the temporary file.
fn plain(e: &io::Error) -> String {
    match e.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        io::ErrorKind::NotADirectory => "it is not a directory".to_string(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_string(),
        io::ErrorKind::StorageFull => "the disk is full".to_string(),
        kind => kind.to_string(),
    }
}
