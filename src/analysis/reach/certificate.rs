//! Completeness certificate: motions that leave a point through infinitely many cells, which the
//! list of flows does not follow, stay in the list.

use schemars::JsonSchema;
use serde::Serialize;

use super::automaton::Automaton;
use super::ends::is_covered;
use super::fixpoint::{Around, Ends, Reached, Stopped, reach, reach_within, recession};
use super::state::Phase;
use super::velocities::Velocities;
use carom_core::polyhedra::{Cone, Vector};

/// Maximum number of flows from a point; a longer list is truncated.
const ENOUGH: usize = 500;

/// The number of faces of the cells for which the list was shown to be complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Certificate {
    /// Faces that reached velocities lie on, and those that lie on them near such a face, each a
    /// combination of signs of `u_n`, of what tells how contacts slide, and of stores.
    pub faces: usize,
    /// Faces on which the condition was shown to hold.
    pub shown: usize,
}

/// Merges of segments and work budgets, attempt by attempt.
const ATTEMPTS: [(Around, f64); 5] = [
    (Around::Hull, 3000.0),
    (Around::Coarse, 600.0),
    (Around::Coarse, 5000.0),
    (Around::Hull, 30_000.0),
    (Around::Coarse, f64::INFINITY),
];

/// Checks the condition of [`near_face`] on all faces that contain reached velocities, and on all
/// faces that motions from there meet.
pub fn certify<V: Vector>(
    velocities: &Velocities<V>,
    reached: &Reached<V>,
    start: &Cone<V>,
    go_on: &dyn Fn(f64) -> bool,
) -> Certificate {
    let rest = vec![0; velocities.contacts.len()];
    let mut faces = met(velocities, &rest, kept(reached).chain([start]));
    let mut shown = 0;
    for next in 0.. {
        let Some(places) = faces.get(next) else { break };
        let Ok((holds, further)) = near_face(velocities, places, go_on) else { continue };
        shown += usize::from(holds);
        let new: Vec<_> = further.into_iter().filter(|places| !faces.contains(places)).collect();
        faces.extend(new);
    }
    Certificate { faces: faces.len(), shown }
}

fn kept<V: Vector>(reached: &Reached<V>) -> impl Iterator<Item = &Cone<V>> + Clone {
    reached.kept.iter().flatten().map(|piece| &reached.pieces[*piece].cone)
}

/// Faces near the face `around` that contain points of some polyhedra, in coordinates relative to a
/// point of `around`. Faces at which no contact can push are left out.
fn met<'a, V: Vector + 'a>(
    velocities: &Velocities<V>,
    around: &[usize],
    polyhedra: impl Iterator<Item = &'a Cone<V>>,
) -> Vec<Vec<usize>> {
    // Sign patterns of the first contacts, with the polyhedra that meet this partial face.
    let mut faces: Vec<(Vec<usize>, Vec<&Cone<V>>)> = vec![(Vec::new(), polyhedra.collect())];
    for (contact, place) in velocities.contacts.iter().zip(around) {
        let longer = |(begun, polyhedra): &(Vec<usize>, Vec<&'a Cone<V>>)| {
            let there = |place: usize| {
                let places = [&begun[..], &[place]].concat();
                let meets = |p: &&Cone<V>| lies_on(velocities, around, &places, p);
                let polyhedra = polyhedra.iter().copied().filter(meets).collect::<Vec<_>>();
                (!polyhedra.is_empty()).then_some((places, polyhedra))
            };
            contact.nearby(*place).filter_map(there).collect::<Vec<_>>()
        };
        faces = faces.iter().flat_map(longer).collect();
    }
    let pushes = |places: &Vec<usize>| {
        velocities.contacts.iter().zip(places).any(|(contact, place)| {
            contact.possible(*place).any(|at| contact.branches[at].phase != Phase::Open)
        })
    };
    faces.into_iter().map(|(places, _)| places).filter(pushes).collect()
}

/// Whether a polyhedron meets the face `places` near the face `around`, in coordinates relative to
/// a point of `around`.
fn lies_on<V: Vector>(of: &Velocities<V>, around: &[usize], places: &[usize], p: &Cone<V>) -> bool {
    let mut conditions = Vec::new();
    for (contact, (around, place)) in of.contacts.iter().zip(around.iter().zip(places)) {
        let signs = contact.places[*around].iter().zip(&contact.places[*place]);
        for (row, (here, near)) in contact.rows.iter().zip(signs) {
            if let (Some(0), Some(sign)) = (here, near) {
                conditions.push((*sign, row));
            }
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
    if p.lines.is_empty() && conditions.iter().any(apart) {
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
    let beyond = |(sign, a): &(i32, &V)| {
        let mut rays = p.rays.iter().map(|ray| &ray.x);
        *sign == 0 || rays.any(|x| a.side(x) == *sign) || p.lines.iter().any(|x| a.side(x) != 0)
    };
    p.crowded || !p.is_empty() && conditions.iter().all(beyond)
}

/// Whether motions that leave a point through infinitely many cells stay in the list of [`reach`]
/// from this point. Contact i of the point has the sign pattern `places[i]` (m). The answer
/// presumes the same property at all returned faces.
///
/// Near the point the cells are cones, so motions can be scaled. Such a motion starts arbitrarily
/// near the point. Its velocities therefore lie in the recession cones of the list from a polytope
/// around the point. Each recession cone has to lie in the union of the cones reached from the
/// point itself. The returned faces contain velocities reached from the polytope: from there, too,
/// motions may leave through infinitely many cells.
pub fn near_face<V: Vector>(
    velocities: &Velocities<V>,
    places: &[usize],
    go_on: &dyn Fn(f64) -> bool,
) -> Result<(bool, Vec<Vec<usize>>), Stopped> {
    let automaton = Automaton::near(velocities, places);
    let entries = velocities.entries;
    // Every row of the velocities is within [-1, 1], up to a factor.
    let mut around = Cone::space(entries);
    let unit = V::unit(entries, 0);
    around.cut(&unit);
    for row in velocities.normal.iter().chain(&velocities.tangent) {
        around.cut(&row.moved(1.0, &unit));
        around.cut(&row.opposite().moved(1.0, &unit));
    }
    for (contact, place) in velocities.contacts.iter().zip(places) {
        let Some(row) = contact.store else { continue };
        let store = &contact.rows[row];
        around.cut(&store.opposite().moved(1.0, &unit));
        match contact.places[*place][row] {
            Some(0) => around.cut(store),
            _ => around.cut(&store.moved(1.0, &unit)),
        }
    }
    let near = reach(&automaton, &automaton.rest, &Ends::Left(ENOUGH), go_on)?;
    let stays = |cell: usize, cone: &Cone<V>| {
        let directions = recession(cone, entries);
        let own = near.kept[cell].iter().map(|piece| &near.pieces[*piece].cone);
        directions.rays.is_empty() && directions.lines.is_empty() || is_covered(&directions, own)
    };
    let mut far = Err(Stopped::Told);
    for (way, most) in ATTEMPTS {
        far = reach_within(&automaton, &around, &Ends::Hulls(way, &stays), most, go_on);
        if far.is_ok() || !go_on(0.0) {
            break;
        }
    }
    let far = far?;
    let stay = |(cell, pieces): (usize, &Vec<usize>)| {
        pieces.iter().all(|piece| stays(cell, &far.pieces[*piece].cone))
    };
    let holds = far.kept.iter().enumerate().all(stay);
    Ok((holds, met(velocities, places, kept(&far))))
}
