//! Parquet files whose metadata or pages are rewritten.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom};

use parquet::file::metadata::{
    ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};

use super::{refused, refuses};
use crate::formats::{line, unseal};
use crate::harness::{Case, Verdict};

/// A set of samples in Parquet whose metadata are changed, with more bytes behind its pages.
fn parquet_with(
    case: &mut Case,
    change: fn(ParquetMetaData, u64) -> ParquetMetaData,
    more: &[u8],
    words: &[&str],
) -> Verdict {
    line(case, "sample rocking-block -n 20 --device cpu --out DIR/set.parquet")?;
    let path = case.dir.join("set.parquet");
    let mut file = File::open(&path).expect("a set");
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).expect("metadata");
    let length = file.seek(SeekFrom::End(0)).expect("a set");
    let mut bytes = fs::read(&path).expect("a set");
    let end = length as usize - 8;
    let size = u32::from_le_bytes(bytes[end..end + 4].try_into().expect("four bytes"));
    bytes.truncate(end - size as usize);
    let place = bytes.len() as u64;
    bytes.extend(more);
    ParquetMetaDataWriter::new(&mut bytes, &change(metadata, place)).finish().expect("metadata");
    unseal(&mut bytes);
    fs::write(&path, bytes).expect("a set");
    refused(case, "query DIR/set.parquet extents", words)
}

/// Metadata with another first group of rows.
fn with_group(
    metadata: ParquetMetaData,
    change: impl Fn(RowGroupMetaData) -> RowGroupMetaData,
) -> ParquetMetaData {
    let mut builder = metadata.into_builder();
    let groups = builder.take_row_groups().into_iter().map(change).collect();
    builder.set_row_groups(groups).build()
}

/// Metadata with another place of column `number`.
fn with_place(metadata: ParquetMetaData, number: usize, place: [i64; 2]) -> ParquetMetaData {
    let [start, length] = place;
    with_group(metadata, |group| {
        let mut columns = group.columns().to_vec();
        let moved = columns[number].clone().into_builder().set_data_page_offset(start);
        columns[number] = moved.set_total_compressed_size(length).build().expect("a column");
        group.into_builder().set_column_metadata(columns).build().expect("a group")
    })
}

fn with_rows(metadata: ParquetMetaData, rows: i64) -> ParquetMetaData {
    with_group(metadata, |group| group.into_builder().set_num_rows(rows).build().expect("a group"))
}

#[test]
fn rows_that_a_group_does_not_have() {
    refuses("many rows", |case| {
        parquet_with(case, |data, _| with_rows(data, 1 << 62), &[], &["only 20"])
    });
    refuses("few rows", |case| {
        parquet_with(case, |data, _| with_rows(data, 7), &[], &["7 rows", "more"])
    });
    refuses("negative rows", |case| {
        parquet_with(case, |data, _| with_rows(data, -3), &[], &["rows"])
    });
}

#[test]
fn columns_outside_of_the_file() {
    const WORDS: &[&str] = &["outside of the file"];
    refuses("behind", |case| {
        parquet_with(case, |data, _| with_place(data, 0, [1 << 40, 100]), &[], WORDS)
    });
    refuses("longer", |case| {
        parquet_with(case, |data, _| with_place(data, 0, [4, 1 << 40]), &[], WORDS)
    });
    refuses("negative", |case| {
        parquet_with(case, |data, _| with_place(data, 1, [-4, 100]), &[], &["set.parquet"])
    });
    refuses("negative length", |case| {
        parquet_with(case, |data, _| with_place(data, 1, [4, -100]), &[], WORDS)
    });
}

/// A number as a header of a page has it.
fn varint(x: i64) -> Vec<u8> {
    let mut rest = ((x << 1) ^ (x >> 63)) as u64;
    let mut bytes = Vec::new();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// A data page with this number of bytes, bytes in the file, and values; plain, with levels by run
/// lengths.
fn page(bytes: i64, stored: i64, values: i64) -> Vec<u8> {
    let sizes = [&[0x15, 0, 0x15][..], &varint(bytes), &[0x15], &varint(stored)].concat();
    let values = [&[0x2c, 0x15][..], &varint(values), &[0x15, 0, 0x15, 6, 0x15, 6, 0, 0]].concat();
    [&sizes[..], &values, &[0; 64]].concat()
}

/// Metadata whose first column is a page at `place`.
fn with_page(metadata: ParquetMetaData, place: u64) -> ParquetMetaData {
    with_place(metadata, 0, [place as i64, 80])
}

#[test]
fn pages_larger_than_their_file() {
    const WORDS: &[&str] = &["sample", "far more bytes"];
    refuses("bytes", |case| {
        parquet_with(case, with_page, &page(i64::from(i32::MAX), 20, 20), WORDS)
    });
    refuses("values", |case| {
        parquet_with(case, with_page, &page(160, 20, i64::from(i32::MAX)), WORDS)
    });
    refuses("negative page", |case| {
        parquet_with(case, with_page, &page(-5, 20, 20), &["negative"])
    });
    refuses("no header", |case| {
        let moved = |data, place| with_place(data, 0, [place as i64, 40]);
        parquet_with(case, moved, &[0x1c; 64], &["header"])
    });
}
