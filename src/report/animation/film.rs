//! Films of motions.

use super::{BODY, Branch, Caption, key_frames, planar, spatial};
use crate::plot::{BRANCH_COLOURS, Film, NAMED_BRANCHES};
use carom_core::text::{short, three_digits};
use carom_mechanics::motion::mechanism::Model;
use carom_mechanics::motion::{Midpoint, Simulation};

/// The film of a motion with one or several branches, one colour per branch.
pub fn film(motion: &Simulation, branches: &[Branch], caption: &Caption) -> Film {
    let mut film = caption.film();
    let is_tree = branches.len() > 1;
    let colours: Vec<usize> =
        (0..branches.len()).map(|i| if is_tree { i % BRANCH_COLOURS } else { BODY }).collect();
    match motion {
        Simulation::Lgvci(body) => spatial::rigid_body(&mut film, body.body(), branches),
        Simulation::Midpoint(given) => act(&mut film, given, branches, &colours),
        Simulation::Inclusion(motion) => act(&mut film, motion.given(), branches, &colours),
    }
    if is_tree && branches.len() <= NAMED_BRANCHES {
        let named = branches.iter().zip(colours).enumerate();
        film.legend.extend(named.map(|(i, (branch, colour))| {
            (colour, format!("branch {i}: {} %", short(three_digits(100.0 * branch.share))))
        }));
    }
    film
}

/// Number of key frames of a film of `branches` branches of a motion.
pub fn keys(motion: &Simulation, branches: usize) -> usize {
    let points = match motion {
        Simulation::Lgvci(body) => spatial::body_points(body.body()),
        Simulation::Midpoint(given) => points(given),
        Simulation::Inclusion(motion) => points(motion.given()),
    };
    key_frames(points * branches)
}

fn act(film: &mut Film, motion: &Midpoint, branches: &[Branch], colours: &[usize]) {
    match &motion.mechanism().model {
        Model::Planar(model) => planar::act(film, model, branches, colours),
        Model::Spatial(model) => spatial::act(film, model, branches, colours),
    }
}

fn points(motion: &Midpoint) -> usize {
    match &motion.mechanism().model {
        Model::Planar(model) => planar::points(model),
        Model::Spatial(model) => spatial::points(model),
    }
}
