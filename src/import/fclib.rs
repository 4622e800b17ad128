//! Frictional contact problems of FCLib in HDF5: `u = W r + q` with circular friction cones.
//!
//! `fclib_local` holds `spacedim` (d, 2 or 3), `vectors/q` (d m), `vectors/mu` (m) and the sparse
//! matrix `W`: its rows `m` and columns `n`, `nz`, and the lists `p`, `i`, `x`. Rows belong to
//! contacts one after the other: normal, then tangents. With `nz` >= 0 there are `nz` entries `x`
//! in rows `i` and columns `p`; with `nz` = -1 the entries of column j are from `p[j]` to
//! `p[j + 1]`, in rows `i`; with -2 the entries of row j, in columns `i`. Entries of the same place
//! are summed. Source: the files that FCLib and Siconos 4 write.

use hdf5_reader::{Dataset, H5Type, Hdf5File, OpenOptions};
use nalgebra::{DMatrix, DVector};

use super::siconos::{ImportedProblem, LIMIT, problem};
use carom_core::error::{Error, Result};

const ENTRIES: usize = LIMIT * LIMIT;

/// The contact problem of a file: `M = I`, `J J' = W`, `J v = q`.
pub fn read(bytes: Vec<u8>, name: &str) -> Result<ImportedProblem> {
    let mut options = OpenOptions::default();
    (options.max_chunk_bytes, options.max_read_bytes) = (8 * ENTRIES, 8 * ENTRIES);
    let file = Hdf5File::from_vec_with_options(bytes, options)
        .map_err(|fault| Error::input(format!("this is no HDF5 file that can be read: {fault}")))?;
    if let Err(fault) = file.group("fclib_local") {
        let found = match file.group("fclib_global") {
            Ok(_) => "the problem is in the global form".to_string(),
            Err(_) => format!("this is no problem of FCLib: {fault}"),
        };
        return Err(Error::input(found)
            .at("fclib_local")
            .hint("expected the local form, W and q: Siconos writes it with fclib_write_local"));
    }
    for name in ["fclib_local/V", "fclib_local/R"] {
        if file.group(name).is_ok() {
            return Err(fault(name, "the problem has bilateral constraints, which are not read"));
        }
    }
    let file = File(file);
    let d = file.count("fclib_local/spacedim", 2, 3)?;
    let friction = file.numbers("fclib_local/vectors/mu", LIMIT / d)?;
    if friction.is_empty() {
        return Err(fault("fclib_local/vectors/mu", "there is no contact"));
    }
    let rows = d * friction.len();
    let q = file.list("fclib_local/vectors/q", rows)?;
    if q.len() > rows {
        let what = format!("expected {rows} numbers, found {}", q.len());
        return Err(fault("fclib_local/vectors/q", what));
    }
    for side in ["fclib_local/W/m", "fclib_local/W/n"] {
        let found = file.count(side, 0, LIMIT)?;
        if found != rows {
            let m = friction.len();
            let what = format!("expected {rows}, as mu has {m} entries, found {found}");
            return Err(fault(side, what));
        }
    }
    let w = file.matrix(rows)?;
    problem(d, &w, &DVector::from_vec(q), friction, name)
}

/// The numbers of a dataset of type `T`.
fn all<T: H5Type + Copy>(
    dataset: &Dataset,
    number: fn(T) -> f64,
) -> std::result::Result<Vec<f64>, String> {
    let found = dataset.read_array::<T>().map_err(|fault| fault.to_string())?;
    Ok(found.iter().map(|x| number(*x)).collect())
}

fn fault(at: &str, what: impl Into<String>) -> Error {
    Error::input(what).at(at)
}

struct File(Hdf5File);

impl File {
    /// The numbers of a dataset, in order.
    fn numbers(&self, at: &str, most: usize) -> Result<Vec<f64>> {
        let missing = |_| fault(at, "the file does not have this");
        let dataset = self.0.dataset(at).map_err(missing)?;
        let count = dataset.shape().iter().try_fold(1_u64, |count, side| count.checked_mul(*side));
        if count.is_none_or(|count| count > most as u64) {
            let shape = dataset.shape();
            let what = format!("expected up to {most} numbers, found shape {shape:?}");
            return Err(fault(at, what));
        }
        let numbers = all::<f64>(&dataset, |x| x)
            .or_else(|fault| all::<i32>(&dataset, f64::from).map_err(|_| fault))
            .or_else(|fault| all::<i64>(&dataset, |x| x as f64).map_err(|_| fault))
            .or_else(|fault| all::<f32>(&dataset, f64::from).map_err(|_| fault))
            .map_err(|what| fault(at, what))?;
        match numbers.iter().find(|x| !x.is_finite()) {
            Some(x) => Err(fault(at, format!("expected finite numbers, found {x}"))),
            None => Ok(numbers),
        }
    }

    /// A dataset of at least `count` numbers.
    fn list(&self, at: &str, count: usize) -> Result<Vec<f64>> {
        let numbers = self.numbers(at, ENTRIES)?;
        if numbers.len() < count {
            let found = numbers.len();
            return Err(fault(at, format!("expected {count} numbers, found {found}")));
        }
        Ok(numbers)
    }

    /// A dataset of one whole number.
    fn whole(&self, at: &str) -> Result<i64> {
        match self.numbers(at, 1)?[..] {
            [x] if x.fract() == 0.0 && x.abs() < 1e9 => Ok(x as i64),
            _ => Err(fault(at, "expected a whole number")),
        }
    }

    fn count(&self, at: &str, least: usize, most: usize) -> Result<usize> {
        let found = self.whole(at)?;
        usize::try_from(found).ok().filter(|x| (least..=most).contains(x)).ok_or_else(|| {
            fault(at, format!("expected a whole number from {least} to {most}, found {found}"))
        })
    }

    /// A list of whole numbers up to `most`.
    fn places(&self, at: &str, count: usize, most: usize) -> Result<Vec<usize>> {
        let numbers = self.list(at, count)?;
        let place =
            |x: &f64| (x.fract() == 0.0 && (0.0..=most as f64).contains(x)).then_some(*x as usize);
        let places: Option<Vec<usize>> = numbers[..count].iter().map(place).collect();
        places.ok_or_else(|| fault(at, format!("expected whole numbers from 0 to {most}")))
    }

    fn matrix(&self, size: usize) -> Result<DMatrix<f64>> {
        let [first, other] = ["fclib_local/W/p", "fclib_local/W/i"];
        let nz = self.whole("fclib_local/W/nz")?;
        let (lines, places) = match nz {
            0.. => {
                let count = self.count("fclib_local/W/nz", 0, ENTRIES)?;
                (self.places(first, count, size - 1)?, self.places(other, count, size - 1)?)
            }
            -2 | -1 => {
                let ends = self.places(first, size + 1, ENTRIES)?;
                if ends[0] != 0 || !ends.is_sorted() {
                    return Err(fault(first, "expected numbers that grow from 0"));
                }
                let lines =
                    (0..size).flat_map(|j| std::iter::repeat_n(j, ends[j + 1] - ends[j])).collect();
                (lines, self.places(other, ends[size], size - 1)?)
            }
            _ => {
                let what = format!("expected -2, -1 or more, found {nz}");
                return Err(fault("fclib_local/W/nz", what));
            }
        };
        let numbers = self.list("fclib_local/W/x", places.len())?;
        let mut matrix = DMatrix::zeros(size, size);
        for ((line, place), x) in lines.iter().zip(&places).zip(&numbers) {
            let at = if nz == -2 { (*line, *place) } else { (*place, *line) };
            matrix[at] += x;
        }
        Ok(matrix)
    }
}
