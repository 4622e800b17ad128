//! Files of states, `.csv` or `.parquet`: one row per state, one column per number.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::staging::{extension, failed, keep, temporary};
use carom_core::error::{Error, Result};
use tempfile::NamedTempFile;

/// A file of rows: whole numbers, then others.
pub trait Rows {
    /// Takes a row.
    fn push(&mut self, whole: &[u64], numbers: &[f64]) -> Result<()>;

    /// Completes the file and gives it its final name. Dropped before, it leaves nothing behind.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Opens a file with columns of whole numbers, then of numbers; `about` is JSON for the file's
/// metadata, where it has any.
pub fn create(path: &Path, whole: &[&str], numbers: &[&str], about: &str) -> Result<Box<dyn Rows>> {
    let wrong = |what: &str| Err(Error::usage(what).at(path.display().to_string()));
    if path.is_dir() {
        return wrong("this is a directory; expected the name of a file");
    }
    match extension(path).as_str() {
        "csv" => Ok(Box::new(Csv::create(path, whole, numbers)?)),
        "parquet" => Ok(Box::new(columns::File::create(path, whole, numbers, about)?)),
        _ => wrong("expected the name of a .csv or .parquet file"),
    }
}

struct Csv {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl Csv {
    fn create(path: &Path, whole: &[&str], numbers: &[&str]) -> Result<Self> {
        let mut csv = Csv { path: path.to_path_buf(), file: BufWriter::new(temporary(path)?) };
        csv.line(&[whole, numbers].concat().join(","))?;
        Ok(csv)
    }

    fn line(&mut self, text: &str) -> Result<()> {
        writeln!(self.file, "{text}").map_err(|e| failed(&self.path, &e))
    }
}

impl Rows for Csv {
    fn push(&mut self, whole: &[u64], numbers: &[f64]) -> Result<()> {
        let whole = whole.iter().map(u64::to_string);
        let cells: Vec<String> = whole.chain(numbers.iter().map(|x| format!("{x:?}"))).collect();
        self.line(&cells.join(","))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Csv { path, file } = *self;
        let file = file.into_inner().map_err(|e| failed(&path, e.error()))?;
        keep(file, &path)
    }
}

mod columns {
    //! Parquet, a column for each number.

    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use parquet::data_type::{DoubleType, Int64Type};
    use parquet::errors::ParquetError;
    use parquet::file::metadata::KeyValue;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use tempfile::NamedTempFile;

    use crate::parquet::{checksum, encode, properties, write_group};
    use crate::staging::{failed, keep_sealed, temporary};
    use carom_core::error::Result;

    const GROUP: usize = 131_072;

    pub struct File {
        path: PathBuf,
        writer: SerializedFileWriter<NamedTempFile>,
        whole: Vec<Vec<i64>>,
        numbers: Vec<Vec<f64>>,
    }

    impl File {
        pub fn create(path: &Path, whole: &[&str], numbers: &[&str], about: &str) -> Result<Self> {
            let fields =
                whole.iter().map(|name| format!("required int64 {name} (INTEGER(64,false));"));
            let numbers_of = numbers.iter().map(|name| format!("required double {name};"));
            let fields: String = fields.chain(numbers_of).collect();
            let schema = parse_message_type(&format!("message carom {{ {fields} }}"));
            let file = temporary(path)?;
            let open = || {
                let about = KeyValue::new("carom".to_string(), about.to_string());
                SerializedFileWriter::new(file, Arc::new(schema?), properties(vec![about])?)
            };
            Ok(File {
                path: path.to_path_buf(),
                writer: open().map_err(|e| failed(path, &e))?,
                whole: vec![Vec::new(); whole.len()],
                numbers: vec![Vec::new(); numbers.len()],
            })
        }

        fn flush(&mut self) -> Result<(), ParquetError> {
            if self.whole.iter().all(Vec::is_empty) {
                return Ok(());
            }
            let File { writer, whole, numbers, .. } = self;
            write_group(writer, |i, to| match i.checked_sub(whole.len()) {
                None => encode::<Int64Type>(to, &whole[i], None),
                Some(j) => encode::<DoubleType>(to, &numbers[j], None),
            })?;
            self.whole.iter_mut().for_each(Vec::clear);
            self.numbers.iter_mut().for_each(Vec::clear);
            Ok(())
        }
    }

    impl crate::motion::Rows for File {
        fn push(&mut self, whole: &[u64], numbers: &[f64]) -> Result<()> {
            self.whole.iter_mut().zip(whole).for_each(|(column, x)| column.push(*x as i64));
            self.numbers.iter_mut().zip(numbers).for_each(|(column, x)| column.push(*x));
            if self.whole.first().is_some_and(|column| column.len() >= GROUP) {
                self.flush().map_err(|e| failed(&self.path, &e))?;
            }
            Ok(())
        }

        fn finish(mut self: Box<Self>) -> Result<()> {
            self.flush().map_err(|e| failed(&self.path, &e))?;
            let File { path, mut writer, .. } = *self;
            writer.append_key_value_metadata(checksum());
            let file = writer.into_inner().map_err(|e| failed(&path, &e))?;
            keep_sealed(file, &path)
        }
    }
}
