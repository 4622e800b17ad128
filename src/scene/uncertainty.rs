//! The table `[uncertainty]` of a scene or problem file.

use super::fields::Item;
use super::schema::keys;
use carom_core::error::Result;
use carom_core::problem::Uncertainty;

/// Reads ranges `[A, B]` for all contacts (or parts of the mass matrix, or tangents), or a list
/// with one for each, and sizes.
pub fn read(item: &Item<'_>) -> Result<Uncertainty> {
    let table = item.table(&keys::<Uncertainty>(&[]))?;
    let size = |key: &str| table.get(key).map(|item| item.number()).transpose();
    let length = |key: &str| table.get(key).map_or(Ok([0.0; 2]), |item| range(&item));
    let ranges = |key: &str| table.get(key).map_or(Ok(Vec::new()), |item| ranges(&item));
    Ok(Uncertainty {
        friction: ranges("friction")?,
        restitution: ranges("restitution")?,
        inertia: ranges("inertia")?,
        noise: size("noise")?.unwrap_or_default(),
        gap: size("gap")?,
        late: size("late")?,
        inset: length("inset")?,
        edge: length("edge")?,
        shift: size("shift")?.unwrap_or_default(),
        attitude: size("attitude")?.unwrap_or_default(),
        slope: ranges("slope")?,
    })
}

fn ranges(item: &Item<'_>) -> Result<Vec<[f64; 2]>> {
    let list = item.list()?;
    if list.iter().all(|entry| entry.list().is_err()) {
        return Ok(vec![range(item)?]);
    }
    list.iter().map(range).collect()
}

fn range(item: &Item<'_>) -> Result<[f64; 2]> {
    match item.numbers()?[..] {
        [low, high] if low <= high => Ok([low, high]),
        _ => Err(item.error("expected a range [A, B] with A <= B, or a list of them, one each")),
    }
}
