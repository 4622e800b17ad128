//! Arrays are stored, not deflated: numbers of samples hardly get smaller.

use std::io::{self, Read, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::header::Header;

/// Adds an array of this kind (`<f8`) and shape, whose numbers are the next `length` bytes, to an
/// archive.
///
/// # Errors
/// A failure to read or write.
pub fn add(
    archive: &mut ZipWriter<impl Write + Seek>,
    name: &str,
    (kind, shape): (&str, &[usize]),
    bytes: &mut impl Read,
    length: u64,
) -> io::Result<()> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .large_file(length > u64::from(u32::MAX) - (1 << 16));
    archive.start_file(format!("{name}.npy"), options)?;
    archive.write_all(&Header::written(kind, shape))?;
    io::copy(bytes, archive)?;
    Ok(())
}
