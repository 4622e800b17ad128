//! Checks of the page headers of a Parquet column. Readers allocate memory as headers demand and
//! assume that dictionaries exist, so headers are checked before reading.
//!
//! Source: apache/parquet-format, `parquet.thrift` (`PageHeader`), and the compact protocol of
//! Apache Thrift.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;

/// Largest ratio of a column's size to the file's size; and a size in bytes that is always allowed.
const RATIO: u64 = 100;
const SMALL: u64 = 64 << 20;
/// Bytes of a value in memory, with its levels; a file may store a value in fewer bytes.
const VALUE: u64 = 8;
/// The codes of dictionary encodings.
const BY_DICTIONARY: [i64; 2] = [2, 8];

/// The content of a page header: bytes in memory, bytes in the file, number of values with levels,
/// encoding, and whether the page is a dictionary.
#[derive(Debug, Default)]
struct Page {
    bytes: i64,
    stored: i64,
    values: i64,
    encoding: i64,
    dictionary: bool,
}

/// Refuses a column that lies outside of the file, whose pages would take far more memory than the
/// file has bytes, or whose dictionary is missing.
pub fn check(file: &File, column: &ColumnChunkMetaData) -> Result<(), ParquetError> {
    let wrong =
        |what: &str| ParquetError::General(format!("column `{}`: {what}", column.column_path()));
    let length = file.metadata()?.len();
    let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let places = u64::try_from(start).ok().zip(u64::try_from(column.compressed_size()).ok());
    let end =
        places.and_then(|(start, stored)| start.checked_add(stored)).filter(|end| *end <= length);
    let (Some(end), Ok(mut at)) = (end, u64::try_from(start)) else {
        return Err(wrong("its place is outside of the file"));
    };
    let most = SMALL.max(length.saturating_mul(RATIO));
    let (mut bytes, mut values, mut dictionary) = (0_u64, 0_u64, false);
    let mut reader = BufReader::new(file.try_clone()?);
    while at < end {
        reader.seek(SeekFrom::Start(at))?;
        let mut header = Header { from: (&mut reader).take(end - at), depth: 0 };
        let page = header.page().ok_or_else(|| wrong("a header of a page that cannot be read"))?;
        dictionary |= page.dictionary;
        if !dictionary && BY_DICTIONARY.contains(&page.encoding) {
            return Err(wrong("a page refers to a dictionary that is not there"));
        }
        let read = end - at - header.from.limit();
        let sizes = [page.bytes, page.stored, page.values].map(u64::try_from);
        let [Ok(in_memory), Ok(stored), Ok(of_page)] = sizes else {
            return Err(wrong("a page of negative size"));
        };
        // The three terms are below 2^32.
        (at, bytes, values) = (at + read + stored, bytes + in_memory, values + of_page);
        if bytes > most || VALUE * values > most {
            return Err(wrong("its pages would take far more bytes than the file has"));
        }
    }
    Ok(())
}

/// A parser of a Thrift header; `None` means malformed.
struct Header<R> {
    from: R,
    depth: u32,
}

/// The relevant types of the compact protocol.
const STRUCT: u8 = 12;
const I32: u8 = 5;

impl<R: Read> Header<R> {
    fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        self.from.read_exact(&mut byte).ok()?;
        Some(byte[0])
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        self.varint().map(|x| (x >> 1) as i64 ^ -((x & 1) as i64))
    }

    /// Calls `take` with the number and type of each field; skips fields that `take` refuses.
    fn fields(&mut self, mut take: impl FnMut(&mut Self, i64, u8) -> Option<bool>) -> Option<()> {
        let mut number = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            number = if head >> 4 == 0 { self.zigzag()? } else { number + i64::from(head >> 4) };
            if !take(self, number, head & 15)? {
                self.skip(head & 15)?;
            }
        }
    }

    fn skip(&mut self, kind: u8) -> Option<()> {
        self.depth += 1;
        if self.depth > 16 {
            return None;
        }
        match kind {
            // A boolean field is encoded in its type.
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.zigzag()?),
            7 => self.pass(8)?,
            8 => {
                let length = self.varint()?;
                self.pass(length)?;
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                for _ in 0..count {
                    // A boolean in a list takes a byte.
                    self.skip(if head & 15 <= 2 { 3 } else { head & 15 })?;
                }
            }
            STRUCT => self.fields(|_, _, _| Some(false))?,
            _ => return None,
        }
        self.depth -= 1;
        Some(())
    }

    fn pass(&mut self, count: u64) -> Option<()> {
        let passed = std::io::copy(&mut (&mut self.from).take(count), &mut std::io::sink()).ok()?;
        (passed == count).then_some(())
    }

    /// Parses a page header. Field 2: bytes in memory. Field 3: bytes in the file. Fields 5 and 8
    /// (data) and 7 (dictionary): structs with the number of values in field 1. The encoding is
    /// field 2 of struct 5 and field 4 of struct 8.
    fn page(&mut self) -> Option<Page> {
        let mut page = Page::default();
        self.fields(|header, number, kind| {
            match (number, kind) {
                (2, I32) => page.bytes = header.zigzag()?,
                (3, I32) => page.stored = header.zigzag()?,
                (5 | 7 | 8, STRUCT) => {
                    page.dictionary = number == 7;
                    header.fields(|header, part, kind| {
                        match (number, part, kind) {
                            (_, 1, I32) => page.values = header.zigzag()?,
                            (5, 2, I32) | (8, 4, I32) => page.encoding = header.zigzag()?,
                            _ => return Some(false),
                        }
                        Some(true)
                    })?;
                }
                _ => return Some(false),
            }
            Some(true)
        })?;
        Some(page)
    }
}
