//! Checks of the arrays of many states: consistent shapes, finite numbers.

use super::given::{Array, StateArrays, rows_of};
use crate::digits::shown;
use crate::{Error, Result};

/// The numbers of contacts and coordinates, `[m, n]`, of consistent arrays.
pub(super) fn shapes(arrays: &StateArrays<'_>) -> Result<[usize; 2]> {
    let StateArrays { mass, normal, tangent, friction, velocity, restitution, active, .. } = arrays;
    let &[count, n] = &velocity.shape[..] else {
        return Err(misfit("velocity", &velocity.shape, "(B, n), a row for each state"));
    };
    if count == 0 || n == 0 {
        return Err(misfit("velocity", &velocity.shape, "a state and a coordinate at least"));
    }
    let v = format!("as velocity has the shape {}", shown(&velocity.shape));
    fits("mass", mass, count, &[n, n], &v)?;
    let m = match normal.shape[..] {
        [m, _] | [_, m, _] => m,
        _ => 0,
    };
    if m == 0 {
        let expected =
            format!("({count}, m, {n}), or (m, {n}) for all states, with a contact at least");
        return Err(misfit("normal", &normal.shape, &expected));
    }
    fits("normal", normal, count, &[m, n], &v)?;
    if let Some(tangent) = tangent {
        let rows = tangent.shape.iter().rev().nth(1).copied().unwrap_or(0);
        if ![0, m, 2 * m].contains(&rows) {
            let expected = format!(
                "{m} rows (planar), {} (spatial) or none, as there are {m} contacts",
                2 * m
            );
            return Err(misfit("tangent", &tangent.shape, &expected));
        }
        fits("tangent", tangent, count, &[rows, n], &v)?;
        if rows > 0 && friction.is_none() {
            let hint = format!(
                "`friction` has the shape ({count}, {m}), ({m},) for all states, or is one number"
            );
            return Err(Error::input("the array `friction` is missing").hint(hint));
        }
    }
    let contacts = format!("as there are {count} states with {m} contacts");
    for (name, array) in [("friction", friction), ("restitution", restitution)] {
        if let Some(array) = array.as_ref().filter(|array| !array.shape.is_empty()) {
            fits(name, array, count, &[m], &contacts)?;
        }
    }
    match active {
        Some((shape, _)) if shape[..] != [count, m] => {
            Err(misfit("active", shape, &format!("({count}, {m}), {contacts}")))
        }
        _ => Ok([m, n]),
    }
}

/// Refuses an array that has neither an entry of this shape for each state nor one for all.
fn fits(name: &str, array: &Array<'_>, count: usize, entry: &[usize], why: &str) -> Result<()> {
    let each = [&[count][..], entry].concat();
    if array.shape == each || array.shape == entry {
        return Ok(());
    }
    let expected = format!("{}, or {} for all states, {why}", shown(&each), shown(entry));
    Err(misfit(name, &array.shape, &expected))
}

fn misfit(name: &str, found: &[usize], expected: &str) -> Error {
    Error::input(format!("shape {}, expected {expected}", shown(found))).at(name)
}

/// Refuses numbers that are not finite, except for contacts that are not active.
pub(super) fn numbers(arrays: &StateArrays<'_>) -> Result<()> {
    let StateArrays { mass, normal, tangent, friction, velocity, restitution, active, .. } = arrays;
    let (count, m) = (velocity.shape[0], rows_of(normal));
    let counts = |b: Option<usize>, i: usize| match (active, b) {
        (None, _) => true,
        (Some((_, active)), Some(b)) => active[b * m + i],
        (Some((_, active)), None) => (0..count).any(|b| active[b * m + i]),
    };
    finite("velocity", velocity, 1, &|_, _| true)?;
    finite("mass", mass, 2, &|_, _| true)?;
    finite("normal", normal, 2, &counts)?;
    if let Some(tangent) = tangent {
        let d = (rows_of(tangent) / m).max(1);
        finite("tangent", tangent, 2, &|b, row| counts(b, row / d))?;
    }
    for (name, array) in [("friction", friction), ("restitution", restitution)] {
        array.as_ref().map_or(Ok(()), |array| finite(name, array, 1, &counts))?;
    }
    Ok(())
}

/// Refuses a number that is not finite where it `counts`. Arguments of `counts`: its state (`None`
/// if all states share the array), and the first index within its entry. An entry has `axes` axes.
fn finite(
    name: &str,
    array: &Array<'_>,
    axes: usize,
    counts: &dyn Fn(Option<usize>, usize) -> bool,
) -> Result<()> {
    for (at, x) in array.numbers.iter().enumerate().filter(|(_, x)| !x.is_finite()) {
        let place = place(&array.shape, at);
        let b = (place.len() > axes).then(|| place[0]);
        if place.iter().rev().nth(axes - 1).is_none_or(|&first| counts(b, first)) {
            let indices: String = place.iter().map(|i| format!("[{i}]")).collect();
            let of = b.map_or(String::new(), |b| format!(" in state {b}"));
            return Err(Error::input(format!("expected a finite number, found {x}{of}"))
                .at(format!("{name}{indices}"))
                .hint(
                    "leave such states out; contacts that `active` leaves out may have any numbers",
                ));
        }
    }
    Ok(())
}

/// The indices of number `at` of an array.
fn place(shape: &[usize], at: usize) -> Vec<usize> {
    let mut rest = at;
    let mut indices = vec![0; shape.len()];
    for (index, side) in indices.iter_mut().zip(shape).rev() {
        (*index, rest) = (rest % side, rest / side);
    }
    indices
}
