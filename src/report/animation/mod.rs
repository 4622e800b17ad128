//! Films (animated pictures) of motions of mechanisms and rigid bodies, and of outcomes of impacts.
//!
//! A film has up to [`KEYS`] key frames at equal intervals, and one more at the first impact of
//! each interval. Shapes with many corners, and many branches, reduce the number of key frames.

mod film;
mod impact;
mod planar;
mod recording;
mod spatial;

pub use film::{film, keys};
pub use impact::impact;
pub use recording::{Branch, Recording, Strike, branches, whole};

use super::plot::Film;

/// Most key frames, impacts not counted.
pub const KEYS: usize = 240;
/// Fewest key frames; approximate total number of points in all key frames.
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
