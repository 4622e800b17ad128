//! Arrays are inflated up to the size that their shape declares, and a shape may not be far larger
//! than the file.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use zip::ZipArchive;
use zip::read::ZipFile;

use super::header::Header;
use carom_core::digits::shown;
use carom_core::error::{Error, Result};

/// Largest compression ratio of real data. An array may not be larger than the file by more than
/// this factor.
const RATIO: u64 = 100;
/// Size in bytes up to which an array may have any compression ratio.
const SMALL: u64 = 64 << 20;

/// An open archive.
#[derive(Debug)]
pub struct Archive {
    zip: ZipArchive<BufReader<File>>,
    /// The most bytes of an array.
    most: u64,
}

/// An array whose header has been read, and whose numbers have not.
pub struct Unread<'a> {
    name: String,
    header: Header,
    entry: ZipFile<'a, BufReader<File>>,
    most: u64,
}

impl Archive {
    /// Opens a file.
    ///
    /// # Errors
    /// A file that cannot be read or is no zip archive.
    pub fn open(path: &Path) -> Result<Self> {
        let not = |what: String| Error::input(format!("not an npz file: {what}"));
        let file = File::open(path).map_err(|e| not(e.to_string()))?;
        let length = file.metadata().map_err(|e| not(e.to_string()))?.len();
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|e| not(e.to_string()))?;
        Ok(Archive { zip, most: SMALL.max(length.saturating_mul(RATIO)) })
    }

    /// The names of the arrays.
    pub fn names(&self) -> Vec<String> {
        let names = self.zip.file_names_raw().map(String::from_utf8_lossy);
        names.map(|name| name.strip_suffix(".npy").unwrap_or(&name).to_string()).collect()
    }

    /// The array of this name, if there is one.
    ///
    /// # Errors
    /// A file of this name that is no array; an array with more than a hundred times the bytes of
    /// the archive.
    pub fn array(&mut self, name: &str) -> Result<Option<Unread<'_>>> {
        let file = format!("{name}.npy");
        if self.zip.index_for_name(&file).is_none() {
            return Ok(None);
        }
        let fail = |what: String| Error::input(what).at(name);
        let mut entry =
            self.zip.by_name(&file).map_err(|e| fail(format!("cannot be read: {e}")))?;
        let header =
            Header::read(&mut entry).ok_or_else(|| fail("not an array of NumPy".to_string()))?;
        Ok(Some(Unread { name: name.to_string(), header, entry, most: self.most }))
    }
}

impl Unread<'_> {
    /// The lengths of its sides.
    pub fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// Whether the numbers are stored column by column.
    pub fn fortran(&self) -> bool {
        self.header.fortran
    }

    /// Byte order, kind and bytes of a number: `<f8`.
    pub fn kind(&self) -> &str {
        &self.header.kind
    }

    /// The numbers, row by row.
    ///
    /// # Errors
    /// Numbers of another type than f4, f8 or integers; see [`Unread::bytes`].
    pub fn numbers(self) -> Result<Vec<f64>> {
        let number = self.header.number().ok_or_else(|| {
            let kind = self.short_kind();
            self.fail(format!("expected numbers of type f4, f8 or integers, found `{kind}`"))
        })?;
        let (size, header) = (self.header.size().unwrap_or(1), self.header.clone());
        let stored: Vec<f64> = self.bytes()?.chunks_exact(size).map(number).collect();
        Ok(if header.fortran { by_rows(&stored, &header.shape) } else { stored })
    }

    /// The booleans, in the order of the file.
    ///
    /// # Errors
    /// Another type than b1; see [`Unread::bytes`].
    pub fn truths(self) -> Result<Vec<bool>> {
        if self.header.kind != "|b1" {
            return Err(self.fail(format!("expected booleans, found `{}`", self.short_kind())));
        }
        Ok(self.bytes()?.into_iter().map(|byte| byte != 0).collect())
    }

    /// The texts, in the order of the file.
    ///
    /// # Errors
    /// Another type than U; invalid Unicode; see [`Unread::bytes`].
    pub fn texts(self) -> Result<Vec<String>> {
        if !self.header.is_text() {
            return Err(self.fail(format!("expected texts, found `{}`", self.short_kind())));
        }
        let (big, name) = (self.header.kind.starts_with('>'), self.name.clone());
        let size = self.header.size().unwrap_or(4).max(4);
        let letter = |bytes: &[u8]| -> Option<char> {
            let bytes: [u8; 4] = bytes.try_into().ok()?;
            let code = if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
            char::from_u32(code)
        };
        let text = |bytes: &[u8]| -> Option<String> {
            let letters: Option<String> = bytes.chunks_exact(4).map(letter).collect();
            Some(letters?.trim_end_matches('\0').to_string())
        };
        let texts: Option<Vec<String>> = self.bytes()?.chunks_exact(size).map(text).collect();
        texts.ok_or_else(|| Error::input("a text is no Unicode").at(name))
    }

    fn short_kind(&self) -> String {
        self.header.kind.chars().take(40).collect()
    }

    /// The bytes of its numbers.
    ///
    /// # Errors
    /// More or fewer bytes than its shape says; a wrong checksum; more bytes than an array of this
    /// file may have.
    pub fn bytes(mut self) -> Result<Vec<u8>> {
        let size = self
            .header
            .count()
            .zip(self.header.size())
            .and_then(|(count, size)| count.checked_mul(size));
        let Some(size) = size.map(|size| size as u64).filter(|size| *size <= self.most) else {
            return Err(self
                .fail(format!(
                    "an array of shape {} would take far more bytes than the file has",
                    shown(self.shape())
                ))
                .hint(format!(
                    "at most {RATIO} times the size of the file, or {} MB, are possible",
                    SMALL >> 20
                )));
        };
        let (mut bytes, mut more) = (Vec::new(), [0]);
        let read = (&mut self.entry).take(size).read_to_end(&mut bytes);
        // The checksum is compared at the end of the entry.
        let read = read.and_then(|_| self.entry.read(&mut more));
        let more = read.map_err(|e| self.fail(format!("cannot be read: {e}")))?;
        let shape = shown(self.shape());
        match (bytes.len() as u64 == size, more) {
            (true, 0) => Ok(bytes),
            (true, _) => {
                Err(self.fail(format!("more bytes follow than an array of shape {shape} has")))
            }
            (false, _) => {
                Err(self.fail(format!("the file ends within this array of shape {shape}")))
            }
        }
    }

    fn fail(&self, what: String) -> Error {
        Error::input(what).at(self.name.as_str())
    }
}

/// Converts numbers from column-major to row-major order.
fn by_rows(stored: &[f64], shape: &[usize]) -> Vec<f64> {
    let place = |at: usize| {
        let (mut rest, mut stride, mut found) = (at, stored.len(), 0);
        for side in shape.iter().rev() {
            stride /= side;
            found += rest % side * stride;
            rest /= side;
        }
        found
    };
    (0..stored.len()).map(|at| stored[place(at)]).collect()
}
