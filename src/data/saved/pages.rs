//! What the pages of a column of a Parquet file claim. Readers allocate the memory that pages ask
//! for and take dictionaries for granted, so claims are checked before.
//!
//! Source: apache/parquet-format, `parquet.thrift` (`PageHeader`), and the compact protocol of
//! Apache Thrift.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;

/// Largest ratio of a column to its file; then the size in bytes that any column may have.
const RATIO: u64 = 100;
const SMALL: u64 = 64 << 20;
/// The bytes that a value takes in memory, with its levels, however few it has in the file.
const VALUE: u64 = 8;
/// The encodings by a dictionary.
const BY_DICTIONARY: [i64; 2] = [2, 8];

/// The claims of a page's header: the bytes of the page in memory and in the file, its values, with
/// their levels, and how they are encoded; or whether it is a dictionary.
#[derive(Debug, Default)]
struct Page {
    bytes: i64,
    stored: i64,
    values: i64,
    encoding: i64,
    dictionary: bool,
}

/// Refuses a column whose place lies outside of the file, whose pages would take far more bytes
/// than the file has, or that lacks its dictionary.
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
        // All of these are below 2^32.
        (at, bytes, values) = (at + read + stored, bytes + in_memory, values + of_page);
        if bytes > most || VALUE * values > most {
            return Err(wrong("its pages would take far more bytes than the file has"));
        }
    }
    Ok(())
}

/// A header that is being read; `None` stands for what is no header.
struct Header<R> {
    from: R,
    depth: u32,
}

/// The types of the compact protocol that matter here.
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

    /// Calls `take` with the number and the type of each field; fields that it leaves are skipped.
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
            // The type of a truth is its value.
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
                    // A truth in a list has a byte.
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

    /// The header of a page: field 2 has its bytes, 3 those in the file, 5 and 8 (data) and 7
    /// (dictionary) structs whose field 1 is its values; field 2 of 5 and 4 of 8 is the encoding.
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
