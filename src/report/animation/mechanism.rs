//! Films of mechanisms.

use super::{BODY, Branch, Caption, key_frames, planar, spatial};
use crate::plot::{BRANCH_COLOURS, Film, NAMED_BRANCHES};
use carom_core::text::{short, three_digits};
use carom_mechanics::motion::mechanism::{Mechanism, Model};

/// The film of a mechanism that moves through configurations, in one branch or in several, each in
/// a colour of its own.
pub fn mechanism(mechanism: &Mechanism, branches: &[Branch<Vec<f64>>], caption: &Caption) -> Film {
    let mut film = caption.film();
    let is_tree = branches.len() > 1;
    let colours: Vec<usize> =
        (0..branches.len()).map(|i| if is_tree { i % BRANCH_COLOURS } else { BODY }).collect();
    match &mechanism.model {
        Model::Planar(model) => planar::act(&mut film, model, branches, &colours),
        Model::Spatial(model) => spatial::act(&mut film, model, branches, &colours),
    }
    if is_tree && branches.len() <= NAMED_BRANCHES {
        let named = branches.iter().zip(colours).enumerate();
        film.legend.extend(named.map(|(i, (branch, colour))| {
            (colour, format!("branch {i}: {} %", short(three_digits(100.0 * branch.share))))
        }));
    }
    film
}

/// Number of key frames of a film of `branches` branches of a mechanism.
pub fn mechanism_keys(mechanism: &Mechanism, branches: usize) -> usize {
    let points = match &mechanism.model {
        Model::Planar(model) => planar::points(model),
        Model::Spatial(model) => spatial::points(model),
    };
    key_frames(points * branches)
}
