//! Files that appear under their final name when they are whole, and not before.
//!
//! Until then a file has a temporary name, with the target's and the [`kernel`]'s in it, and is
//! locked. A process that is killed leaves the file behind without its lock, and the next one with
//! the same target removes it. Locks may be kept by each host of a shared folder for itself, so
//! files of another kernel are never touched.

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
/// Links that are followed at most, as Linux does.
const LINKS: u32 = 40;

/// The path that a path leads to through links, whether there is a file or not.
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

/// A file that disappears unless it is [`keep`]ed, beside what links lead to. What earlier
/// processes with the same target left behind is removed.
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
                // Before it was locked, another process took it for one that was left behind.
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(_)) => break,
            }
        }
    }
    // Without locks the file has a name that no process looks for.
    create(path, ".carom-")
}

/// A text that tells the kernel of this process's locks from all others, if there is one.
fn kernel() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    boot.get(..8).map(str::to_string)
}

/// A file that no process has locked; it is locked until it is dropped.
fn unlocked(path: &Path) -> Option<File> {
    let file = File::options().write(true).open(path).ok()?;
    file.try_lock().is_ok().then_some(file)
}

/// Removes the temporary files with this prefix that no process has locked.
fn remove_stale(directory: &Path, prefix: &str) {
    let named = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_ours = name.starts_with(prefix) && name.ends_with(SUFFIX);
        is_ours && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    for entry in fs::read_dir(directory).into_iter().flatten().flatten().filter(named) {
        if let Some(_lock) = unlocked(&entry.path()) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn create(path: &Path, prefix: &str) -> Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(prefix).suffix(SUFFIX);
    #[cfg(unix)]
    {
        // The process's umask applies, as to any other new file.
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

/// Removes the temporary files of this process, which is about to end while it writes them.
pub fn abandon() {
    for path in created().iter() {
        // A file that cannot be removed is left to the next run with this target.
        let _ = fs::remove_file(path);
    }
}

/// Gives a complete temporary file its final name, and the permissions of the file that it
/// replaces. Symbolic links lead to the new file then; hard links keep the old one.
pub fn keep(file: NamedTempFile, path: &Path) -> Result<()> {
    let target = target(path);
    if let Ok(old) = fs::metadata(&target) {
        file.as_file().set_permissions(old.permissions()).map_err(|e| failed(path, &e))?;
    }
    file.as_file().sync_all().map_err(|e| failed(path, &e))?;
    created().remove(file.path());
    file.persist(&target).map(drop).map_err(|e| failed(path, &e.error))
}

/// Like [`keep`], of a file with a place for a checksum, which is written there.
pub fn keep_sealed(file: NamedTempFile, path: &Path) -> Result<()> {
    super::seal::close(file.as_file()).map_err(|e| failed(path, &e))?;
    keep(file, path)
}

/// Gives a complete temporary file its final name, unless there is a file of this name; whether
/// there was none. Of several processes that do so at once, one does.
pub fn keep_first(file: NamedTempFile, path: &Path) -> Result<bool> {
    file.as_file().sync_all().map_err(|e| failed(path, &e))?;
    created().remove(file.path());
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(failed(path, &e.error)),
    }
}

/// The error of a write that failed.
pub fn failed(path: &Path, why: &(dyn std::error::Error + 'static)) -> Error {
    let causes = std::iter::successors(Some(why), |error| error.source());
    let system = causes.filter_map(|error| error.downcast_ref::<io::Error>());
    let last = system.filter(|e| e.kind() != io::ErrorKind::Other).last();
    let reason = last.map_or_else(|| why.to_string(), plain);
    Error::usage(format!("cannot write this file: {reason}")).at(path.display().to_string())
}

/// The message of the system, without the path of the temporary file.
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
