//! Checksum of a file, to detect changed bytes.
//!
//! A file with a checksum contains `fnv1a128:` and 32 hexadecimal digits near its end: in Parquet
//! as the value of the metadata key [`KEY`], in npz as the comment of the archive. The digits are
//! the 128-bit FNV-1a hash of all bytes of the file, computed with zeros in place of the digits.
//! Each step of the hash is one to one, so two files that differ in one byte never have equal
//! hashes.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use carom_core::error::{Error, Result};

/// The metadata key of the checksum in a Parquet file.
pub const KEY: &str = "carom.checksum";
/// The text before the digits.
const MARK: &str = "fnv1a128:";
const DIGITS: usize = 32;
/// Number of bytes at the end of a file in which the checksum is searched.
const TAIL: u64 = 1 << 16;
/// Number of bytes read at a time.
const CHUNK: usize = 1 << 20;

/// The result of comparing a file with its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// The bytes equal the written bytes.
    Whole,
    /// At least one byte has changed.
    Broken,
    /// The file has no checksum: another program has written it, or an earlier version.
    Missing,
}

/// 128-bit FNV-1a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash(pub u128);

impl Default for Hash {
    fn default() -> Self {
        Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Hash {
    /// Hashes further bytes.
    pub fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }
}

impl fmt::Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.take(text.as_bytes());
        Ok(())
    }
}

/// A placeholder of the checksum.
pub fn blank() -> String {
    format!("{MARK}{:0DIGITS$}", 0)
}

/// Writes the checksum of a file over the placeholder of [`blank`] near its end.
pub fn close(mut file: &File) -> io::Result<()> {
    let missing = || io::Error::other("there is no place for the checksum");
    let (at, _) = place(file)?.ok_or_else(missing)?;
    let hash = hash(file, at, &AtomicBool::new(false)).map_err(|e| io::Error::other(e.what))?;
    file.seek(SeekFrom::Start(at))?;
    write!(file, "{hash:0DIGITS$x}")
}

/// Compares the bytes of a file with its checksum.
pub fn check(path: &Path, stop: &AtomicBool) -> Result<Seal> {
    let file = File::open(path).map_err(unreadable)?;
    let Some((at, found)) = place(&file).map_err(unreadable)? else { return Ok(Seal::Missing) };
    let same = hash(&file, at, stop)? == found;
    Ok(if same { Seal::Whole } else { Seal::Broken })
}

fn unreadable(e: io::Error) -> Error {
    Error::input(format!("cannot be read: {e}"))
}

/// The position of the last checksum's digits in a file, and their value.
fn place(mut file: &File) -> io::Result<Option<(u64, u128)>> {
    let length = file.seek(SeekFrom::End(0))?;
    let start = file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail)?;
    let digits = |at: usize| {
        let text = tail.get(at..at + DIGITS).and_then(|digits| std::str::from_utf8(digits).ok())?;
        u128::from_str_radix(text, 16).ok().map(|found| (start + at as u64, found))
    };
    let marks =
        tail.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK.as_bytes());
    Ok(marks.rev().find_map(|(at, _)| digits(at + MARK.len())))
}

/// The hash of a file, with zeros in place of the digits at `at`.
fn hash(mut file: &File, at: u64, stop: &AtomicBool) -> Result<u128> {
    let mut hash = Hash::default();
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    take(&mut hash, file.take(at), stop)?;
    hash.take(&[b'0'; DIGITS]);
    file.seek(SeekFrom::Start(at + DIGITS as u64)).map_err(unreadable)?;
    take(&mut hash, file, stop)?;
    Ok(hash.0)
}

fn take(hash: &mut Hash, mut left: impl Read, stop: &AtomicBool) -> Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::interrupted());
        }
        match left.read(&mut chunk).map_err(unreadable)? {
            0 => return Ok(()),
            count => hash.take(&chunk[..count]),
        }
    }
}
