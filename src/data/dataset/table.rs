//! Tables of states: `.csv`, `.parquet` and `.npz`, one row per state, in memory as doubles.

use std::fs::File;
use std::path::Path;

use crate::saved::parquet::Table;
use crate::staging::extension;
use carom_core::error::{Error, Result};
use parquet::basic::LogicalType;
use parquet::errors::ParquetError;

/// A table: the names of its columns, and their numbers.
pub type Columns = Vec<(String, Vec<f64>)>;

/// Reads a table.
pub fn read(path: &Path) -> Result<Columns> {
    let name = path.display().to_string();
    let in_file = |error: Error| error.in_text(&name, "", 0..0);
    if path.metadata().is_ok_and(|table| !table.is_file()) {
        return Err(in_file(Error::input("expected a table in a regular file")));
    }
    let unreadable = |e: std::io::Error| Error::input(e.to_string());
    let columns = match extension(path).as_str() {
        "csv" => std::fs::read_to_string(path).map_err(unreadable).and_then(|t| csv(&t)),
        "parquet" => parquet(path),
        "npz" => carom_scene::npz::columns(path),
        _ => Err(Error::input("expected a table, .csv, .parquet or .npz")),
    };
    let checked = |columns: Columns| checked(&columns).map(|()| columns);
    columns.and_then(checked).map_err(in_file)
}

fn checked(columns: &Columns) -> Result<()> {
    let rows = columns.first().map_or(0, |(_, numbers)| numbers.len());
    if rows == 0 {
        return Err(Error::input("the table has no rows"));
    }
    for (i, (name, numbers)) in columns.iter().enumerate() {
        if columns[..i].iter().any(|(other, _)| other == name) {
            return Err(Error::input("two columns have this name").at(name));
        }
        if numbers.len() != rows {
            let (count, first) = (numbers.len(), &columns[0].0);
            return Err(Error::input(format!("{count} numbers, but `{first}` has {rows}")).at(name));
        }
        if let Some(row) = numbers.iter().position(|x| !x.is_finite()) {
            let what = format!("expected a finite number, found {}", numbers[row]);
            return Err(Error::input(what).at(format!("{name}[{row}]")));
        }
    }
    Ok(())
}

/// Parses a line of names, then lines of numbers, separated by commas; empty lines are skipped.
fn csv(text: &str) -> Result<Columns> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, head) = lines.next().ok_or_else(|| Error::input("the table has no line of names"))?;
    let cells = |line: &str| -> Vec<String> {
        line.split(',').map(|cell| cell.trim().trim_matches('"').to_string()).collect()
    };
    let mut columns: Columns = cells(head).into_iter().map(|name| (name, Vec::new())).collect();
    for (i, line) in lines {
        let fault = |what: String| Error::input(what).at(format!("line {}", i + 1));
        let cells = cells(line);
        if cells.len() != columns.len() {
            return Err(fault(format!("{} cells for {} columns", cells.len(), columns.len())));
        }
        for (cell, (name, numbers)) in cells.iter().zip(&mut columns) {
            let number = cell.parse().map_err(|_| {
                fault(format!("expected a number, found `{cell}`"))
                    .hint(format!("it is the cell of the column `{name}`"))
            })?;
            numbers.push(number);
        }
    }
    Ok(columns)
}

fn parquet(path: &Path) -> Result<Columns> {
    let unreadable = |e: std::io::Error| Error::input(e.to_string());
    let broken =
        |e: ParquetError| Error::input(format!("not a Parquet file that can be read: {e}"));
    let table = Table::open(File::open(path).map_err(unreadable)?).map_err(broken)?;
    let metadata = table.metadata();
    let mut columns: Columns = Vec::new();
    for (i, column) in metadata.file_metadata().schema_descr().columns().iter().enumerate() {
        let name = column.path().parts().join(".");
        let plain = matches!(column.logical_type_ref(), None | Some(LogicalType::Integer { .. }));
        if column.max_rep_level() > 0 || !plain {
            let what = "expected a column of floats or whole numbers, one to a row";
            return Err(Error::input(what).at(name));
        }
        let mut all = Vec::new();
        for (group, about) in metadata.row_groups().iter().enumerate() {
            let found = table.numbers(group, i).map_err(|e| broken(e).at(name.clone()))?;
            if found.len() as i64 != about.num_rows() {
                return Err(Error::input("some rows have no number").at(name));
            }
            all.extend(found);
        }
        columns.push((name, all));
    }
    Ok(columns)
}
