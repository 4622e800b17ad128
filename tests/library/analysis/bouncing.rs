//! Certified bounds with restitution, and with ranges of friction and restitution.

use super::*;
use crate::support::bouncing::Bouncing;
use crate::support::families::{Family, Rows};
use carom::Uncertainty;
use carom_analysis::bounds::certified::bouncing::certificate::Certificate;
use carom_analysis::bounds::certified::bouncing::{Goal, finder, judge};
use carom_analysis::bounds::certified::cells::Pushes;
use carom_analysis::bounds::certified::fan::Fan;
use carom_core::Limits;

/// A problem with ranges of friction and restitution, of which the lowest numbers are given.
fn problem(rows: &Rows, friction: &[[f64; 2]], restitution: &[[f64; 2]]) -> ContactProblem {
    let lowest = |ranges: &[[f64; 2]]| Some(ranges.iter().map(|range| range[0]).collect());
    ContactProblem::new(ProblemSpec {
        friction: lowest(friction),
        restitution: lowest(restitution),
        uncertainty: Uncertainty {
            friction: friction.to_vec(),
            restitution: restitution.to_vec(),
            ..Uncertainty::default()
        },
        ..rows.spec()
    })
    .unwrap()
}

fn certified(problem: &ContactProblem, c: &[f64]) -> Bound {
    bound(problem, c, BoundKind::Certified).unwrap()
}

/// A unit mass `(x, y)` that strikes the ground at `(2, -1)`.
pub fn puck() -> Rows {
    Rows {
        mass: vec![vec![1.0, 0.0], vec![0.0, 1.0]],
        normal: vec![vec![0.0, 1.0]],
        tangent: vec![vec![1.0, 0.0]],
        friction: vec![0.0],
        velocity: vec![2.0, -1.0],
    }
}

/// One contact that slides has `y+ = e` and `x+ = 2 - mu (1 + e)` for the friction and restitution
/// of the whole impact, and anything between for such as change; bounds are that close.
#[test]
fn one_contact_has_the_bounds_of_its_closed_form() {
    for (mu, e, direction, most) in [
        ([0.0; 2], [0.5; 2], [0.0, 1.0], 0.5),
        ([0.3; 2], [0.8; 2], [0.0, 1.0], 0.8),
        ([0.2, 0.6], [0.0; 2], [1.0, 0.0], 1.8),
        ([0.2, 0.6], [0.0; 2], [-1.0, 0.0], -1.4),
        ([0.3; 2], [0.25, 0.5], [0.0, 1.0], 0.5),
        ([0.2, 0.6], [0.25, 0.5], [-1.0, 0.0], -1.1),
    ] {
        let found = certified(&problem(&puck(), &[mu], &[e]), &direction);
        let gap = found.value - most;
        assert!(found.certified && gap >= -1e-9, "{mu:?} {e:?} {direction:?}: {found:?}");
        assert!(gap < 1e-2, "{mu:?} {e:?} {direction:?}: {found:?}");
    }
}

/// Motions that seek to go far, at rates, friction and restitution that change as they like, stay
/// within the bounds; most bounds are closer than those of the energy.
#[test]
fn no_motion_goes_beyond_the_bounds_for_its_ranges() {
    let (mut proved, mut ended) = (0, 0);
    for family in Family::ALL {
        for number in 0..cases(1, 20) {
            let rows = family.problem(2, number);
            let mut draws = Draws::of(197, number);
            let mut low = |high: f64| high * [0.0, 0.5, 1.0, 1.0][draws.below(4)];
            let friction: Vec<[f64; 2]> = rows.friction.iter().map(|mu| [low(*mu), *mu]).collect();
            let e = [0.0, 0.25, 0.5, 0.8, 1.0][number % 5];
            let restitution = [[low(0.5), 0.5], [low(e), e]];
            let problem = problem(&rows, &friction, &restitution);
            let speed = (2.0 * problem.kinetic_energy(&rows.velocity)).sqrt();
            let root = problem.mass().clone().cholesky().unwrap().l() / speed;
            let unit = DVector::from_vec(draws.numbers(rows.velocity.len())).normalize();
            let c = (root * unit).as_slice().to_vec();
            let found = certified(&problem, &c);
            let law = Bouncing::new(&rows, &friction, &restitution);
            let reach = |v: Vec<f64>| v.iter().zip(&c).map(|(v, c)| v * c).sum::<f64>();
            let ends: Vec<f64> =
                (0..200).filter_map(|_| law.walk(&c, &mut draws)).map(reach).collect();
            let most = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            ended += ends.len();
            proved += usize::from(found.certified);
            // The motions are rounded to doubles.
            let over = most - found.value;
            assert!(
                !found.certified || over <= 1e-9,
                "{family:?} {number}: {over:e} beyond {found:?} of {c:?}: {rows:?} {friction:?} {restitution:?}"
            );
        }
    }
    assert!(proved >= cases(6, 120) && ended > 500, "{proved} proved, {ended} outcomes");
}

/// The judge sees a store that gives back too much, weights below 0, and a function that rises.
#[test]
fn wrong_certificates_are_seen() {
    let mut rows = puck();
    rows.friction = vec![0.3];
    let problem = problem(&rows, &[[0.3; 2]], &[[0.5; 2]]);
    let space = Whitened::new(&problem).unwrap();
    let cells = Pushes::new(&problem, &space, problem.friction());
    let mut fan = Fan::orthants(cells.dimension());
    let goal = Goal::new(&space, &cells, &DVector::from_vec(vec![0.0, 1.0]), &mut fan).unwrap();
    let found = finder::find(&fan, &cells, &goal, &Limits::default()).unwrap().certificate;
    let rise = |change: &dyn Fn(&mut Certificate)| {
        let mut certificate = found.clone();
        change(&mut certificate);
        judge::rises(&fan, &cells, &certificate, &Limits::default())[0]
    };
    assert!(rise(&|_: &mut Certificate| ()) < 1e-6);
    assert!(rise(&|wrong: &mut Certificate| wrong.function.stored[0] *= 0.5) > 1e-3);
    assert!(rise(&|wrong: &mut Certificate| wrong.function.stored[0] *= 8.0) > 1e-3);
    assert_eq!(rise(&|wrong: &mut Certificate| wrong.function.stored[0] = -1.0), f64::INFINITY);
    assert_eq!(rise(&|wrong: &mut Certificate| wrong.function.energy = f64::NAN), f64::INFINITY);
    assert_eq!(rise(&|wrong: &mut Certificate| wrong.claims.truncate(1)), f64::INFINITY);
}
