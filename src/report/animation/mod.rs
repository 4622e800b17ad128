//! Motions as pictures that move: of mechanisms, of bodies in space, and of what impacts may
//! do.
//!
//! A film has up to [`KEYS`] key frames at even times, fewer where shapes have many corners or
//! there are many branches, and between two of them one more at the first impact.

mod film;
mod impact;
mod planar;
mod recording;
mod spatial;

pub use film::{film, keys};
pub use impact::impact;
pub use recording::{Branch, Recording, Strike, branches, whole};

use super::plot::Film;

/// Most key frames but for impacts.
pub const KEYS: usize = 240;
/// Fewest key frames; then the number of points of all key frames together, about.
const FEWEST: usize = 24;
const POINTS: usize = 120_000;
/// The colours of bodies, of walls, and of links.
const BODY: usize = 3;
const WALL: usize = 7;
const INK: usize = 6;

/// Number of key frames of a film with `points` points in each.
fn key_frames(points: usize) -> usize {
    (POINTS / points.max(1)).clamp(FEWEST, KEYS)
}

/// The colour of the links of a body: its own where it tells branches apart.
fn ink(body: usize) -> usize {
    if body == BODY { INK } else { body }
}

/// The caption of a film.
#[derive(Clone, Debug)]
pub struct Caption {
    /// The title.
    pub title: String,
    /// The origin of the numbers.
    pub note: String,
    /// Seconds of the motion in one second of the film.
    pub speed: f64,
}

impl Caption {
    fn film(&self) -> Film {
        let Caption { title, note, speed } = self.clone();
        Film { title, note, speed, ..Film::default() }
    }
}
