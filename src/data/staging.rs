//! Atomic writes: a file appears under its final name only when complete.
//!
//! Until then a file has a temporary name, with the names of the target and of the [`kernel`] in
//! it, and is locked. A killed process leaves its file without a lock, and the next process with an
//! equal target removes the file. In a shared folder each host may keep its own locks, so files of
//! another kernel are never touched.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use carom_core::error::{Error, Result};
use tempfile::{Builder, NamedTempFile};

/// The extension of a file's name in small letters; empty without one.
pub fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase()
}

/// The directory a file is in.
pub fn directory(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The ending of the names of temporary files.
const SUFFIX: &str = ".tmp";
const TRIES: u32 = 16;
/// Most symbolic links followed in a row, as on Linux.
const LINKS: u32 = 40;

/// Resolves symbolic links of a path, also without a file at its end.
pub fn target(path: &Path) -> PathBuf {
    let mut target = path.to_path_buf();
    for _ in 0..LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = directory(&target).join(next),
            Err(_) => return target,
        }
    }
    path.to_path_buf()
}

/// A temporary file next to the resolved target, removed on drop unless [`keep`]ed. Removes stale
/// files of earlier processes with an equal target.
pub fn temporary(path: &Path) -> Result<NamedTempFile> {
    let refused = |why: &str| Error::usage(why).at(path.display().to_string());
    if let Ok(old) = fs::metadata(path) {
        if !old.is_file() {
            return Err(refused("this is no regular file, and would be replaced"));
        }
        if old.permissions().readonly() {
            return Err(refused("this file is read-only, and would be replaced")
                .hint("make it writable, or name another file"));
        }
    }
    let path = &target(path);
    if path.is_symlink() {
        return Err(refused("these links lead in a circle"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // File systems allow 255 bytes.
    let name = &name[..name.floor_char_boundary(160)];
    if let Some(prefix) = kernel().map(|kernel| format!(".carom-{name}-{kernel}-")) {
        for _ in 0..TRIES {
            let file = create(path, &prefix)?;
            match file.as_file().try_lock() {
                Ok(()) if file.path().exists() => {
                    if unlocked(file.path()).is_none() {
                        remove_stale(directory(path), &prefix);
                    }
                    return Ok(file);
                }
                // Between creation and lock, another process removed the file as stale.
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(_)) => break,
            }
        }
    }
    // Without locks the file has a random name that no process searches.
    create(path, ".carom-")
}

/// An identifier of the kernel that holds this process's locks, if known.
fn kernel() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    boot.get(..8).map(str::to_string)
}

/// Opens and locks a file, unless a process has locked it; dropping the result unlocks it.
fn unlocked(path: &Path) -> Option<File> {
    let file = File::options().write(true).open(path).ok()?;
    file.try_lock().is_ok().then_some(file)
}

/// Removes the unlocked temporary files with this prefix.
fn remove_stale(directory: &Path, prefix: &str) {
    let named = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_ours = name.starts_with(prefix) && name.ends_with(SUFFIX);
        is_ours && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    for entry in fs::read_dir(directory).into_iter().flatten().flatten().filter(named) {
        if let Some(_lock) = unlocked(&entry.path()) {
            // A file that cannot be removed is harmless.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn create(path: &Path, prefix: &str) -> Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(prefix).suffix(SUFFIX);
    #[cfg(unix)]
    {
        // The process's umask applies, as for any new file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(directory(path)).map_err(|e| {
        Error::usage(format!("cannot create a file in this directory: {}", plain(&e)))
            .at(directory(path).display().to_string())
            .hint("the directory must exist and be writable")
    })?;
    created().insert(file.path().to_path_buf());
    Ok(file)
}

static CREATED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn created() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    CREATED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of this process before it exits in the middle of writing.
pub fn abandon() {
    for path in created().iter() {
        // The next run with an equal target removes leftover files.
        let _ = fs::remove_file(path);
    }
}

/// Renames a complete temporary file to its final name, with the permissions of the replaced file.
/// Symbolic links then lead to the new file; hard links keep the old one.
pub fn keep(file: NamedTempFile, path: &Path) -> Result<()> {
    let target = target(path);
    if let Ok(old) = fs::metadata(&target) {
        file.as_file().set_permissions(old.permissions()).map_err(|e| failed(path, &e))?;
    }
    file.as_file().sync_all().map_err(|e| failed(path, &e))?;
    created().remove(file.path());
    file.persist(&target).map(drop).map_err(|e| failed(path, &e.error))
}

/// Like [`keep`], for a file with a blank checksum: fills in the checksum first.
pub fn keep_sealed(file: NamedTempFile, path: &Path) -> Result<()> {
    super::seal::close(file.as_file()).map_err(|e| failed(path, &e))?;
    keep(file, path)
}

/// Renames a complete temporary file to its final name, unless the name exists; returns whether it
/// renamed. Among concurrent processes, one succeeds.
pub fn keep_first(file: NamedTempFile, path: &Path) -> Result<bool> {
    file.as_file().sync_all().map_err(|e| failed(path, &e))?;
    created().remove(file.path());
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(failed(path, &e.error)),
    }
}

/// The error of a failed write.
pub fn failed(path: &Path, why: &(dyn std::error::Error + 'static)) -> Error {
    let causes = std::iter::successors(Some(why), |error| error.source());
    let system = causes.filter_map(|error| error.downcast_ref::<io::Error>());
    let last = system.filter(|e| e.kind() != io::ErrorKind::Other).last();
    let reason = last.map_or_else(|| why.to_string(), plain);
    Error::usage(format!("cannot write this file: {reason}")).at(path.display().to_string())
}

/// The system's message, without the path of the temporary file.
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
