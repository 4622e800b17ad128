//! Complete exact sets and bounds before the judge: no outcome of its motions lies outside, on
//! problems of many families: a few of each, or 2 167 problems in all where the environment says
//! `CAROM_MORE_CASES=1`.

use super::*;
use crate::support::families::{Family, Rows};
use crate::support::judge::{Judge, outside};
use carom_analysis::bounds::applies;

/// How far outside an outcome may seem, over `|v-|_M`: vertices and outcomes are rounded.
const ROUNDING: f64 = 1e-9;

/// A problem, outcomes of the judge, and `L'` over the speed: `|v|_M / |v-|_M` is a length.
struct Case {
    name: String,
    rows: Rows,
    problem: ContactProblem,
    ends: Vec<Vec<f64>>,
    root: DMatrix<f64>,
}

impl Case {
    /// Motions seek to go far in three directions, and in as many others as there are motions.
    fn new(family: Family, m: usize, number: usize, motions: usize) -> (Case, Vec<Vec<f64>>) {
        let rows = family.problem(m, number);
        let problem = problem(rows.spec());
        let speed = (2.0 * problem.kinetic_energy(&rows.velocity)).sqrt();
        let root = problem.mass().clone().cholesky().unwrap().l().transpose() / speed;
        let (judge, mut draws) = (Judge::new(&rows), Draws::of(97, number));
        // A cost of length 1 over |v-|_M.
        let mut direction = || {
            let unit = DVector::from_vec(draws.numbers(rows.velocity.len())).normalize();
            root.tr_mul(&unit).as_slice().to_vec()
        };
        let directions: Vec<Vec<f64>> = (0..motions.max(3)).map(|_| direction()).collect();
        let aim = |k: usize| &directions[if k.is_multiple_of(2) { k % 3 } else { k }];
        let ends = (0..motions).filter_map(|k| judge.walk(aim(k), &mut draws)).collect();
        let name = format!("{family:?}, {m} contacts, number {number}");
        (Case { name, rows, problem, ends, root }, directions)
    }

    fn metric(&self, v: &[f64]) -> Vec<f64> {
        (&self.root * vector(v)).as_slice().to_vec()
    }

    /// Whether there is a complete set, which then has all outcomes.
    fn is_in_its_set(&self, seconds: f64) -> bool {
        let Ok(set) = (Reach { seconds, ..Reach::default() }).set(&self.problem) else {
            return false;
        };
        let shape =
            |vertices: &[Vec<f64>]| vertices.iter().map(|v| self.metric(v)).collect::<Vec<_>>();
        let polytopes: Vec<_> =
            set.polytopes().iter().map(|polytope| shape(&polytope.shape.vertices)).collect();
        for end in self.ends.iter().filter(|_| set.is_complete()) {
            let point = self.metric(end);
            let far = polytopes.iter().map(|p| outside(p, &point)).fold(f64::INFINITY, f64::min);
            let Case { name, rows, .. } = self;
            assert!(far <= ROUNDING, "{name}: {end:?} lies {far:e} outside the set: {rows:?}");
        }
        set.is_complete()
    }

    /// All outcomes stay within the bounds in direction `c` that are proved.
    fn keeps_its_bounds(&self, c: &[f64]) {
        let reach = |end: &Vec<f64>| end.iter().zip(c).map(|(v, c)| v * c).sum::<f64>();
        let most = self.ends.iter().map(reach).fold(f64::NEG_INFINITY, f64::max);
        for kind in [BoundKind::Exact, BoundKind::Certified, BoundKind::Conic] {
            if !applies(kind, &self.problem, &Law::default()) {
                continue;
            }
            let Ok(found) = bound(&self.problem, c, kind) else { continue };
            let Case { name, rows, .. } = self;
            let over = most - found.value;
            assert!(
                !found.certified || over <= ROUNDING,
                "{name}: {over:e} beyond the bound {found:?} of {c:?}: {rows:?}"
            );
        }
    }
}

fn hold(family: Family) {
    let (mut problems, mut complete, mut ended) = (0, 0, 0);
    for (m, count, seconds) in [
        (2, cases(2, 160), 10.0),
        (3, cases(1, 30), cases(2.0, 10.0)),
        (4, cases(1, 6), cases(1.0, 10.0)),
        (5, cases(0, 1), 0.0),
    ] {
        for number in 0..count {
            let (case, directions) = Case::new(family, m, number, 60);
            problems += 1;
            ended += case.ends.len();
            complete += usize::from(m <= 4 && case.is_in_its_set(seconds));
            // Certified bounds of three contacts take seconds each.
            if number % 10 == 0 && cases(m == 2, true) {
                directions.iter().take(2).for_each(|c| case.keeps_its_bounds(c));
            }
        }
    }
    assert!(ended > 40 * problems, "{family:?}: {complete} of {problems} sets, {ended} outcomes");
    assert!(complete > 0, "{family:?}: {complete} of {problems} sets, {ended} outcomes");
}

macro_rules! families {
    ($($name:ident: $family:ident,)*) => { $(
        #[test]
        fn $name() {
            hold(Family::$family);
        }
    )* };
}

families! {
    raw: Raw,
    bodies: Body,
    disks: Disks,
    integers: Integers,
    parallel_rows: Parallel,
    repeated_contacts: Repeated,
    touching_contacts: Touching,
    mirrored_contacts: Symmetric,
    masses_of_all_sizes: Masses,
    near_dependent_contacts: Near,
    nearly_opposed_contacts: Opposed,
}

/// The judge has the known outcome of a block, and sees a point outside of a triangle.
#[test]
fn the_judge_knows_what_is_known() {
    // One contact, inelastic: it slides while it is stopped, u_t+ = u_t + mu u_n.
    let rows = Rows { friction: vec![0.5], ..super::bouncing::puck() };
    let mut draws = Draws::of(98, 0);
    assert_eq!(Judge::new(&rows).walk(&[1.0, 0.0], &mut draws), Some(vec![1.5, 0.0]));
    // The contact jams: friction drives it in until it no longer slides.
    let jam = Rows {
        tangent: vec![vec![0.6, 0.8]],
        friction: vec![3.0],
        velocity: vec![1.0, -5e-8],
        ..rows
    };
    let end = Judge::new(&jam).walk(&[1.0, 0.0], &mut draws).unwrap();
    assert!(end.iter().all(|x| x.abs() < 1e-15), "{end:?}");
    let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vec::from);
    for (point, far) in
        [([0.2, 0.3, 0.0], 0.0), ([1.0, 1.0, 0.0], 0.5f64.sqrt()), ([-3.0, 0.5, 4.0], 5.0)]
    {
        assert!((outside(&triangle, &point) - far).abs() < 1e-12, "{point:?}");
    }
}
