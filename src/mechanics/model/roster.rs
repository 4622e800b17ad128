//! Names of walls, bodies and contacts of a planar or spatial model, and the check of its gaps.

use std::collections::BTreeSet;

use super::touch::Surface;
use carom_core::error::{Error, Result};

/// The most coordinates, bodies, walls or contacts a model may have.
pub(super) const LIMIT: usize = 4096;

/// The unit of the velocity of a joint's coordinate of this name.
pub(super) fn unit(coordinate: &str) -> &'static str {
    if matches!(coordinate, "theta" | "wx" | "wy" | "wz") { "rad/s" } else { "m/s" }
}

/// Refuses more bodies or walls than [`LIMIT`].
pub(super) fn check_counts(bodies: usize, walls: usize) -> Result<()> {
    for (count, key) in [(bodies, "bodies"), (walls, "walls")] {
        if count > LIMIT {
            let what = format!("{count} {key}; at most {LIMIT} are possible");
            return Err(Error::input(what).at(key));
        }
    }
    Ok(())
}

/// Refuses duplicate, empty and reserved names of walls and bodies.
pub(super) fn check_names<'a>(
    walls: impl Iterator<Item = &'a str>,
    bodies: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let mut names = BTreeSet::new();
    let walls = walls.enumerate().map(|name| ("walls", name));
    for (key, (i, name)) in walls.chain(bodies.enumerate().map(|name| ("bodies", name))) {
        if name.is_empty() || name == "world" || !names.insert(name) {
            let what = format!(
                "`{name}` is empty, `world`, or used twice; names tell bodies and walls apart"
            );
            return Err(Error::input(what).at(format!("{key}[{i}].name")));
        }
    }
    Ok(())
}

/// Pair with the smallest gap so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Nearest(Option<(f64, Surface, usize)>);

impl Nearest {
    /// Takes a pair if its gap is smaller than those before.
    pub fn consider(&mut self, gap: f64, first: Surface, second: usize) {
        if self.0.is_none_or(|(least, ..)| gap < least) {
            self.0 = Some((gap, first, second));
        }
    }

    /// Whether the smallest gap is below `gap`.
    pub fn is_below(&self, gap: f64) -> bool {
        self.0.is_some_and(|(least, ..)| least < gap)
    }

    /// Refuses overlaps deeper than the tolerance, models without contacts, and models with too
    /// many contacts.
    pub fn check<'a>(
        &self,
        contacts: usize,
        tolerance: f64,
        name: impl Fn(Surface) -> &'a str,
    ) -> Result<()> {
        let Some((gap, first, second)) = self.0 else {
            return Err(Error::input(
                "nothing can touch: no two bodies or walls with shapes, one of them free to move",
            ));
        };
        let (one, other) = (name(first), name(Surface::Body(second)));
        if !gap.is_finite() {
            let what = format!("the distance of `{one}` and `{other}` is not finite");
            return Err(Error::input(what));
        }
        if gap < -tolerance {
            let what = format!(
                "`{one}` and `{other}` overlap by {:e} m, more than the tolerance {tolerance:e} m",
                -gap
            );
            return Err(Error::input(what).hint("move them apart, or raise `contact.tolerance`"));
        }
        if contacts == 0 {
            return Err(Error::input(format!(
                "there is no contact: the nearest, `{one}` and `{other}`, are {gap:e} m apart, \
                 more than the tolerance {tolerance:e} m"
            ))
            .hint("move them together, or raise `contact.tolerance`"));
        }
        if contacts > LIMIT {
            return Err(Error::input(format!("{contacts} contacts; at most {LIMIT} are possible")));
        }
        Ok(())
    }
}
