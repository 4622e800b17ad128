//! Pairs of shapes that touch, and their coefficients.
//!
//! Links fixed to each other never touch, nor does a link touch the parent of its joint.

use std::collections::BTreeMap;

use super::links::{Robot, Rubbing, Surface, Touching};
use super::parts::{Part, Welds};

/// The most frequent coefficients, and the pairs with other coefficients.
pub(super) struct Pairs {
    pub most: Rubbing,
    pub unlike: Vec<Unlike>,
}

/// Two names, and the coefficients of their contact; `None` if they do not collide.
pub(super) struct Unlike {
    pub between: [String; 2],
    pub rubbing: Option<Rubbing>,
}

/// All pairs of surfaces that can touch in the scene; `walls`: names of the walls.
pub(super) fn pairs(robot: &Robot, welds: &Welds, parts: &[Part], walls: &[String]) -> Pairs {
    let moves = |part: &Part| welds.root[part.link].is_some();
    let surface = |part: &Part| robot.links[part.link].geoms[part.geoms[0]].surface;
    let mut found = Vec::new();
    let shaped: Vec<(usize, &Part)> =
        parts.iter().enumerate().filter(|(_, part)| !part.forms.is_empty()).collect();
    for (w, wall) in robot.walls.iter().enumerate() {
        for (_, part) in shaped.iter().filter(|(_, part)| moves(part)) {
            let rubbing = named(robot, &[Touching::Wall(w)], part).or_else(|| {
                let apart = wall.link.is_some_and(|link| excluded(robot, link, part.link));
                if apart { None } else { wall.surface.against(&surface(part), robot.combining) }
            });
            found.push(Unlike { between: [walls[w].clone(), part.name.clone()], rubbing });
        }
    }
    for (k, (i, first)) in shaped.iter().enumerate() {
        for (_, second) in &shaped[k + 1..] {
            if second.parent == Some(*i) || !(moves(first) || moves(second)) {
                continue;
            }
            let shapes: Vec<Touching> = first.touching().collect();
            let rubbing = named(robot, &shapes, second).or_else(|| {
                let meet = separate(robot, welds, first.link, second.link);
                let [a, b] = [first, second].map(|part| surface(part));
                if meet { a.against(&b, robot.combining) } else { None }
            });
            found.push(Unlike { between: [first.name.clone(), second.name.clone()], rubbing });
        }
    }
    // Without any pair, each surface counts as paired with a surface without coefficients.
    let bare = Surface::rubbing(None, None);
    let alone = shaped.iter().filter_map(|(_, part)| surface(part).against(&bare, robot.combining));
    let mut all: Vec<Rubbing> = found.iter().filter_map(|pair| pair.rubbing).collect();
    if all.is_empty() {
        all = alone.collect();
    }
    let bounces = all.iter().any(|rubbing| rubbing.restitution.is_some());
    let stated = |rubbing: Rubbing| Rubbing {
        restitution: if bounces { rubbing.restitution.or(Some(0.0)) } else { None },
        ..rubbing
    };
    found.iter_mut().for_each(|pair| pair.rubbing = pair.rubbing.map(stated));
    let all: Vec<Rubbing> = all.into_iter().map(stated).collect();
    let most = Rubbing {
        friction: most(all.iter().map(|rubbing| rubbing.friction)).unwrap_or(1.0),
        restitution: most(all.iter().filter_map(|rubbing| rubbing.restitution)),
    };
    found.retain(|pair| pair.rubbing != Some(most));
    Pairs { most, unlike: found }
}

/// The coefficients of an explicit pair with a shape of each side.
fn named(robot: &Robot, shapes: &[Touching], part: &Part) -> Option<Rubbing> {
    let other: Vec<Touching> = part.touching().collect();
    let joins = |[a, b]: [Touching; 2]| {
        shapes.contains(&a) && other.contains(&b) || shapes.contains(&b) && other.contains(&a)
    };
    robot.pairs.iter().find(|pair| joins(pair.between)).map(|pair| pair.rubbing)
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

/// The most frequent number; the largest if several are equally frequent.
fn most(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for number in numbers {
        *counts.entry(number.to_bits()).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(bits, _)| f64::from_bits(bits))
}
