//! npz files, read and written without the library.

use std::fs::File;
use std::io::{Cursor, Read, Write};
use std::path::Path;

use npyz::NpyFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The arrays of a file.
pub struct Npz(ZipArchive<File>);

impl Npz {
    pub fn open(path: &Path) -> Self {
        Npz(ZipArchive::new(File::open(path).unwrap()).unwrap())
    }

    pub fn array(&mut self, name: &str) -> NpyFile<Cursor<Vec<u8>>> {
        let mut bytes = Vec::new();
        self.0.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
        NpyFile::new(Cursor::new(bytes)).unwrap()
    }
}

/// The bytes of an array: `kind` such as `<f8`, `shape` such as `(2, 3)`.
pub fn array(kind: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut header =
        format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}").into_bytes();
    header.resize((header.len() + 11).next_multiple_of(64) - 11, b' ');
    header.push(b'\n');
    let length = (header.len() as u16).to_le_bytes();
    [&b"\x93NUMPY\x01\x00"[..], &length, &header, data].concat()
}

/// Doubles as they stand in a file.
pub fn f8(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Writes deflated arrays.
pub fn write(path: &Path, arrays: &[(&str, Vec<u8>)]) {
    let mut zip = ZipWriter::new(File::create(path).unwrap());
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in arrays {
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}
