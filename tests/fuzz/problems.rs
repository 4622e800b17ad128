//! Problems over twelve decades: masses, lengths and speeds of any size, contacts that copy others,
//! or nearly, friction from 0 to 1e8.

use carom_core::problem::ProblemSpec;

use crate::support::draws::Draws;

/// How many contacts and coordinates a problem has at most.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub contacts: usize,
    pub coordinates: usize,
}

/// A number of any size within so many decades up and down.
fn scale(draws: &mut Draws, decades: f64) -> f64 {
    10f64.powf(draws.uniform(-decades, decades))
}

/// Small numbers more often than large ones.
fn count(draws: &mut Draws, most: usize) -> usize {
    let most = [most.min(3), most.min(6), most][draws.below(3)];
    1 + draws.below(most)
}

/// A mass matrix: of bodies, full, graded, nearly singular, or singular.
fn mass(draws: &mut Draws, n: usize) -> Vec<Vec<f64>> {
    let unit = scale(draws, 6.0);
    let kind = draws.below(8);
    let rank = if kind == 7 { n.saturating_sub(1) } else { n };
    let a: Vec<Vec<f64>> = (0..n).map(|_| draws.numbers(rank)).collect();
    let weights: Vec<f64> = (0..n)
        .map(|_| match kind {
            0 => 1.0,
            1 | 2 => draws.uniform(0.1, 2.0),
            5 => scale(draws, 6.0),
            _ => scale(draws, 1.0),
        })
        .collect();
    let ridge = [0.1, 1e-4, 1e-10][draws.below(3)];
    let entry = |i: usize, j: usize| {
        let same = if i == j { 1.0 } else { 0.0 };
        let product: f64 = a[i].iter().zip(&a[j]).map(|(x, y)| x * y).sum();
        match kind {
            0..=2 => same * weights[i],
            3 | 4 => product + same * ridge,
            5 | 6 => (product + same * ridge) * weights[i] * weights[j],
            _ => product,
        }
    };
    (0..n).map(|i| (0..n).map(|j| unit * entry(i, j)).collect()).collect()
}

/// The rows of a contact, its normal first.
fn rows(draws: &mut Draws, n: usize, count: usize) -> Vec<Vec<f64>> {
    let sparse = draws.below(3) == 0;
    let row = |draws: &mut Draws| -> Vec<f64> {
        let mut row = draws.numbers(n);
        if sparse {
            row.iter_mut().for_each(|x| *x = if draws.below(3) == 0 { *x } else { 0.0 });
            row[draws.below(n)] = 1.0;
        }
        row
    };
    (0..count).map(|_| row(draws)).collect()
}

/// A contact like an earlier one: its copy, nearly so, its opposite, or with tangents that are zero
/// or parallel.
fn like(draws: &mut Draws, earlier: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut rows = earlier.to_vec();
    match draws.below(6) {
        0 | 1 => {}
        2 | 3 => {
            let part = 10f64.powf(draws.uniform(-14.0, -2.0));
            rows.iter_mut().flatten().for_each(|x| *x += part * draws.uniform(-1.0, 1.0));
        }
        4 => rows.iter_mut().flatten().for_each(|x| *x = -*x),
        _ => {
            let normal = rows[0].clone();
            let factor = [0.0, 1.0, -0.5][draws.below(3)];
            rows[1..].iter_mut().for_each(|row| *row = normal.iter().map(|x| factor * x).collect());
        }
    }
    rows
}

fn friction(draws: &mut Draws, m: usize) -> Vec<f64> {
    let kind = draws.below(7);
    let one = |draws: &mut Draws| match kind {
        0 => 0.0,
        1 | 2 => draws.uniform(0.0, 1.5),
        3 => scale(draws, 5.0),
        4 => 1e8,
        5 => 1e-8,
        _ => [0.0, draws.uniform(0.0, 1.5), 1e5, 1e8, scale(draws, 4.0)][draws.below(5)],
    };
    (0..m).map(|_| one(draws)).collect()
}

fn restitution(draws: &mut Draws, m: usize) -> Option<Vec<f64>> {
    match draws.below(8) {
        0..=3 => None,
        4 => Some(vec![0.0; m]),
        5 => Some(vec![1.0; m]),
        6 => Some(vec![draws.uniform(0.0, 1.0); m]),
        _ => Some((0..m).map(|_| draws.uniform(0.0, 1.0)).collect()),
    }
}

fn velocity(draws: &mut Draws, n: usize) -> Vec<f64> {
    let unit = scale(draws, 6.0);
    let (kind, mut velocity) = (draws.below(8), draws.numbers(n));
    for x in &mut velocity {
        *x *= match kind {
            0 => 0.0,
            1 => [0.0, unit][draws.below(2)],
            2 => unit * scale(draws, 6.0),
            _ => unit,
        };
    }
    velocity
}

/// A problem, which may be one that is refused.
pub fn problem(draws: &mut Draws, size: Size) -> ProblemSpec {
    let (m, n) = (count(draws, size.contacts), count(draws, size.coordinates));
    let tangents = draws.below(3);
    let mut contacts: Vec<Vec<Vec<f64>>> = Vec::new();
    for i in 0..m {
        let next = if i > 0 && draws.below(4) == 0 {
            let earlier = draws.below(i);
            like(draws, &contacts[earlier].clone())
        } else {
            rows(draws, n, 1 + tangents)
        };
        contacts.push(next);
    }
    let (unit, apart) = (scale(draws, 6.0), draws.below(4) == 0);
    for rows in &mut contacts {
        let unit = if apart { unit * scale(draws, 3.0) } else { unit };
        rows.iter_mut().flatten().for_each(|x| *x *= unit);
    }
    let mut spec = ProblemSpec {
        mass: mass(draws, n),
        normal: contacts.iter().map(|rows| rows[0].clone()).collect(),
        tangent: contacts.iter().flat_map(|rows| rows[1..].to_vec()).collect(),
        friction: (tangents > 0).then(|| friction(draws, m)),
        restitution: restitution(draws, m),
        velocity: velocity(draws, n),
        ..ProblemSpec::default()
    };
    if draws.below(20) == 0 {
        let huge = 10f64.powf(draws.uniform(-150.0, 150.0));
        let part = [&mut spec.mass, &mut spec.normal][draws.below(2)].iter_mut().flatten();
        part.for_each(|x| *x *= huge);
    }
    spec
}
