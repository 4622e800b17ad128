//! Files of states, `.csv` or `.parquet`: one row per state, one column per number.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::columns::ColumnNumber::U64;
use crate::columns::ColumnShape::One;
use crate::columns::{Batch, Column};
use crate::parquet::{GROUP_ROWS, ParquetTable};
use crate::staging::{extension, failed, keep, keep_sealed, temporary};
use carom_core::error::{Error, Result};
use carom_core::outcome::{Samples, Tolerance};
use tempfile::NamedTempFile;

/// A file of rows: whole numbers first, then other numbers.
pub trait Rows {
    /// Appends a row.
    fn push(&mut self, whole: &[u64], numbers: &[f64]) -> Result<()>;

    /// Completes the file and gives it its final name. An unfinished file is removed on drop.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Opens a file with columns of whole numbers, then of other numbers; `about` is the file's
/// metadata as JSON, if the format has metadata.
pub fn create(path: &Path, whole: &[&str], numbers: &[&str], about: &str) -> Result<Box<dyn Rows>> {
    let wrong = |what: &str| Err(Error::usage(what).at(path.display().to_string()));
    if path.is_dir() {
        return wrong("this is a directory; expected the name of a file");
    }
    match extension(path).as_str() {
        "csv" => Ok(Box::new(Csv::create(path, whole, numbers)?)),
        "parquet" => {
            let whole = whole.iter().enumerate().map(|(i, name)| Column::whole(name, U64, i));
            let numbers = numbers.iter().enumerate().map(|(i, name)| Column::shared(name, One, i));
            let table = ParquetTable::create(path, whole.chain(numbers).collect(), GROUP_ROWS)?;
            Ok(Box::new(Parquet { path: path.to_path_buf(), table, about: about.to_string() }))
        }
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

struct Parquet {
    path: PathBuf,
    table: ParquetTable<NamedTempFile>,
    about: String,
}

impl Rows for Parquet {
    fn push(&mut self, whole: &[u64], numbers: &[f64]) -> Result<()> {
        let shared: Vec<&[f64]> = numbers.chunks(1).collect();
        let (none, tolerance) = (Samples::default(), Tolerance { rest: 0.0, residual: 0.0 });
        let batch =
            Batch { rows: 0..1, whole, shared: &shared, ..Batch::of(&none, tolerance, None) };
        self.table.take(&batch).map_err(|e| failed(&self.path, &e))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Parquet { path, table, about } = *self;
        keep_sealed(table.close(about).map_err(|e| failed(&path, &e))?, &path)
    }
}
