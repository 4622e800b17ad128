//! The pairs of shapes that touch, and their friction.
//!
//! Links that are fixed to each other never touch, nor does a link touch the one that carries its
//! joint.

use std::collections::BTreeMap;

use super::links::{Robot, Touching};
use super::parts::{Part, Welds};

/// The coefficient of friction of most pairs, and the pairs that differ.
pub(super) struct Pairs {
    pub friction: f64,
    pub unlike: Vec<Unlike>,
}

/// Two names, and their friction; `None` where they pass through each other.
pub(super) struct Unlike {
    pub between: [String; 2],
    pub friction: Option<f64>,
}

/// All pairs of surfaces that the scene would let touch; `walls` are the names of the walls.
pub(super) fn pairs(robot: &Robot, welds: &Welds, parts: &[Part], walls: &[String]) -> Pairs {
    let moves = |part: &Part| welds.root[part.link].is_some();
    let mut found = Vec::new();
    let shaped: Vec<(usize, &Part)> =
        parts.iter().enumerate().filter(|(_, part)| !part.forms.is_empty()).collect();
    for (w, wall) in robot.walls.iter().enumerate() {
        for (_, part) in shaped.iter().filter(|(_, part)| moves(part)) {
            let friction = named(robot, &[Touching::Wall(w)], part).or_else(|| {
                let apart = wall.link.is_some_and(|link| excluded(robot, link, part.link));
                let surface = robot.links[part.link].geoms[part.geoms[0]].surface;
                if apart { None } else { wall.surface.against(&surface) }
            });
            found.push(Unlike { between: [walls[w].clone(), part.name.clone()], friction });
        }
    }
    for (k, (i, first)) in shaped.iter().enumerate() {
        for (_, second) in &shaped[k + 1..] {
            if second.parent == Some(*i) || !(moves(first) || moves(second)) {
                continue;
            }
            let shapes: Vec<Touching> = first.touching().collect();
            let friction = named(robot, &shapes, second).or_else(|| {
                let [a, b] =
                    [first, second].map(|part| robot.links[part.link].geoms[part.geoms[0]].surface);
                if separate(robot, welds, first.link, second.link) { a.against(&b) } else { None }
            });
            found.push(Unlike { between: [first.name.clone(), second.name.clone()], friction });
        }
    }
    let friction = most(&found);
    found.retain(|pair| pair.friction != Some(friction));
    Pairs { friction, unlike: found }
}

/// The friction of a pair that names a shape of both.
fn named(robot: &Robot, shapes: &[Touching], part: &Part) -> Option<f64> {
    let other: Vec<Touching> = part.touching().collect();
    let joins = |[a, b]: [Touching; 2]| {
        shapes.contains(&a) && other.contains(&b) || shapes.contains(&b) && other.contains(&a)
    };
    robot.pairs.iter().find(|pair| joins(pair.between)).map(|pair| pair.friction)
}

fn excluded(robot: &Robot, a: usize, b: usize) -> bool {
    robot.exclusions.iter().any(|&pair| pair == (a, b) || pair == (b, a))
}

/// Whether two links may touch.
fn separate(robot: &Robot, welds: &Welds, a: usize, b: usize) -> bool {
    let (first, second) = (welds.root[a], welds.root[b]);
    let carrier = |root: Option<usize>| root.map(|root| welds.carrier(&robot.links[root]).0);
    let carries = |below: Option<usize>, above: Option<usize>| {
        carrier(below) == Some(above) && (above.is_some() || !robot.touches_base)
    };
    first != second && !carries(first, second) && !carries(second, first) && !excluded(robot, a, b)
}

/// The coefficient that most pairs have; 1 where there is none.
fn most(pairs: &[Unlike]) -> f64 {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for friction in pairs.iter().filter_map(|pair| pair.friction) {
        *counts.entry(friction.to_bits()).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(1.0, |(bits, _)| f64::from_bits(bits))
}
