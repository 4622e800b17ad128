//! Whether motions that the list of flows does not follow stay in it: those that leave a point through infinitely many cells.

use super::automaton::{Automaton, Place};
use super::fixpoint::{Ends, Reached, Stopped, reach, recession};
use super::velocities::Velocities;
use crate::polyhedra::{Cone, Vector, difference};

/// Of how many faces of the cells it was shown that the list is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Faces that reached velocities lie on, each a combination of signs of `u_n` and `u_t`.
    pub faces: usize,
    /// Faces on which the condition was shown to hold.
    pub shown: usize,
}

/// Checks the condition of [`holds_at`] on all faces on which there are reached velocities.
pub fn certify<V: Vector>(
    velocities: &Velocities<V>,
    reached: &Reached<V>,
    start: &Cone<V>,
    go_on: &dyn Fn() -> bool,
) -> Certificate {
    let mut faces = vec![Vec::new()];
    for _ in &velocities.normal {
        let longer = |begun: &Vec<Place>| {
            let begun = begun.clone();
            Place::ALL.into_iter().map(move |place| [&begun[..], &[place]].concat())
        };
        faces = faces.iter().flat_map(longer).collect();
    }
    let kept = reached.kept.iter().flatten().map(|piece| &reached.pieces[*piece].cone);
    let polyhedra: Vec<&Cone<V>> = kept.chain([start]).collect();
    faces.retain(|places| {
        places.iter().any(|place| place.normal <= 0)
            && polyhedra.iter().any(|p| lies_on(velocities, places, p))
    });
    let shown = faces.iter().filter(|places| holds_at(velocities, places, go_on) == Ok(true));
    Certificate { faces: faces.len(), shown: shown.count() }
}

/// Whether a polyhedron has points of a face.
fn lies_on<V: Vector>(velocities: &Velocities<V>, places: &[Place], p: &Cone<V>) -> bool {
    let mut conditions = Vec::new();
    for (i, place) in places.iter().enumerate() {
        conditions.push((place.normal, &velocities.normal[i]));
        if place.normal <= 0 {
            conditions.push((place.tangent, &velocities.tangent[i]));
        }
    }
    let apart = |(sign, a): &(i32, &V)| {
        let mut sides = p.rays.iter().map(|ray| a.side(&ray.x));
        let first = sides.next().unwrap_or(0);
        match *sign {
            0 => first != 0 && sides.all(|side| side == first),
            sign => first != sign && sides.all(|side| side != sign),
        }
    };
    if conditions.iter().any(apart) {
        return false;
    }
    let mut p = p.clone();
    for (sign, a) in &conditions {
        match sign {
            0 => p.flatten(a),
            1 => p.cut(a),
            _ => p.cut(&a.opposite()),
        }
    }
    let strict = |(sign, a): &(i32, &V)| *sign == 0 || p.rays.iter().any(|ray| a.side(&ray.x) == *sign);
    !p.is_empty() && conditions.iter().all(strict)
}

/// Whether motions that leave a point through infinitely many cells stay in what [`reach`] finds from that point, where
/// contact i of the point is at `places[i]` (m).
///
/// Near the point the cells are cones, so motions can be scaled. Such a motion comes from velocities as near to the point as one
/// likes. What it reaches therefore lies in the recession cones of what is reached from a simplex around the point. Each of these has to
/// lie in the union of the cones that are reached from the point itself.
///
/// # Errors
/// See [`reach`].
pub fn holds_at<V: Vector>(
    velocities: &Velocities<V>,
    places: &[Place],
    go_on: &dyn Fn() -> bool,
) -> Result<bool, Stopped> {
    let automaton = Automaton::near(velocities, places);
    let entries = velocities.entries;
    let unit = |i: usize| V::new(&(0..entries).map(|j| f64::from(j == 0 || j == i)).collect::<Vec<_>>());
    // y_i >= -1, and the sum of all y_i is at most 1.
    let mut around = Cone::space(entries);
    around.cut(&V::new(&[&[1.0][..], &vec![-1.0; entries - 1]].concat()));
    (1..entries).for_each(|i| around.cut(&unit(i)));
    let near = reach(&automaton, &velocities.point(&unit(0)), &Ends::ByItself, go_on)?;
    let stays = |cell: usize, cone: &Cone<V>| {
        let mut rest = vec![recession(cone, entries)];
        rest.retain(|cone| !(cone.rays.is_empty() && cone.lines.is_empty()));
        for cone in near.kept[cell].iter().map(|piece| &near.pieces[*piece].cone) {
            rest = rest.iter().flat_map(|part| difference(part, cone)).collect();
        }
        rest.is_empty()
    };
    let far = reach(&automaton, &around, &Ends::Hulls(&stays), go_on)?;
    let kept = far.kept.iter().enumerate();
    Ok(kept
        .flat_map(|(cell, pieces)| pieces.iter().map(move |piece| (cell, piece)))
        .all(|(cell, piece)| stays(cell, &far.pieces[*piece].cone)))
}
