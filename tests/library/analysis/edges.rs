//! Exact sets with Poisson's restitution, and of friction cones with facets.

use super::*;
use crate::support::random::Kind;
use carom_analysis::{Leg, Phase, State};

/// The corners of a cone with so many facets, of length 1; both directions of a planar one.
fn corners(facets: Option<u32>) -> Vec<Vec<f64>> {
    let Some(count) = facets else { return vec![vec![1.0], vec![-1.0]] };
    let corner = |k: u32| {
        let (sin, cos) = (2.0 * std::f64::consts::PI * f64::from(k) / f64::from(count)).sin_cos();
        vec![cos, sin]
    };
    (0..count).map(corner).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A problem, and the cones of the law on it.
struct Judge<'a> {
    problem: &'a ContactProblem,
    corners: Vec<Vec<f64>>,
}

impl<'a> Judge<'a> {
    fn new(problem: &'a ContactProblem, facets: Option<u32>) -> Self {
        Judge { problem, corners: corners(facets) }
    }

    fn e(&self, i: usize) -> f64 {
        self.problem.restitution().map_or(0.0, |e| e[i])
    }

    /// The normal and tangential part of contact i.
    fn of(&self, i: usize, x: &DVector<f64>) -> (f64, Vec<f64>) {
        let (m, axes) = (self.problem.contact_count(), self.problem.tangents_per_contact());
        (x[i], (0..axes).map(|axis| x[m + i * axes + axis]).collect())
    }

    /// By how much friction `t` at a normal impulse of 1 breaks Coulomb's law for the sliding
    /// velocity `u`, if that lies where the state says; by how much it lies elsewhere.
    fn breaks(&self, state: State, mu: f64, t: &[f64], u: &[f64]) -> [f64; 2] {
        let along = |k: usize| dot(&self.corners[k], u);
        let most = (0..self.corners.len()).map(along).fold(0.0, f64::max);
        let next = |k: usize| (k + 1) % self.corners.len();
        let apart =
            |a: &[f64]| a.iter().zip(t).map(|(a, t)| (t + mu * a).abs()).fold(0.0, f64::max);
        let corner = |k: usize| [apart(&self.corners[k]), most - along(k)];
        match state {
            State::Open => [0.0, 0.0],
            State::Plus => corner(0),
            State::Minus => corner(1),
            State::Corner(k) => corner(k.into()),
            State::Facet(k) => {
                let [a, b] = [usize::from(k), next(k.into())];
                let (one, other) = (&self.corners[a], &self.corners[b]);
                // t = -mu (x a + (1 - x) b)
                let side: Vec<f64> = one.iter().zip(other).map(|(a, b)| a - b).collect();
                let from: Vec<f64> = other.iter().zip(t).map(|(b, t)| -(t + mu * b) / mu).collect();
                let x = (dot(&side, &from) / dot(&side, &side)).clamp(0.0, 1.0);
                let point: Vec<f64> = other.iter().zip(&side).map(|(b, s)| b + x * s).collect();
                [apart(&point), (most - along(a)).max(most - along(b))]
            }
            State::Hold => {
                // On the inner side of all facets.
                let over = |k: usize| {
                    let (a, b) = (&self.corners[k], &self.corners[next(k)]);
                    let across: Vec<f64> = match a.len() {
                        1 => a.clone(),
                        _ => a.iter().zip(b).map(|(a, b)| a + b).collect(),
                    };
                    -dot(t, &across) - mu * dot(a, &across)
                };
                let over = (0..self.corners.len()).map(over).fold(0.0, f64::max);
                [over, u.iter().fold(0.0, |most: f64, u| most.max(u.abs()))]
            }
            State::Smooth => [t.iter().fold(mu, |most: f64, t| most.max(t.abs())), 0.0],
        }
    }

    /// What is left to reach `vertex` after a path whose legs follow the law of their states,
    /// dimensionless. What a leg does with stores at rest is free within limits: whether some
    /// choice of it ends with empty stores is seen from the least and the largest that may be
    /// stored.
    fn replay(&self, path: &[Leg], vertex: &[f64]) -> f64 {
        let (problem, m) = (self.problem, self.problem.contact_count());
        let mut u = problem.contact_velocity().clone();
        let (mut total, mut stored) = (DVector::zeros(u.len()), vec![[0.0, 0.0]; m]);
        let close = 1e-7 * u.amax();
        let scale = path.iter().flat_map(|leg| &leg.impulse).fold(0.0, |a: f64, x| a.max(x.abs()));
        for Leg { states, phases, impulse } in path {
            let impulse = vector(impulse);
            let after = &u + problem.delassus() * &impulse;
            let compress = phases.contains(&Phase::Compression);
            for i in 0..m {
                let ((n, t), mu) = (self.of(i, &impulse), problem.friction()[i]);
                assert!(n >= -1e-12 * scale, "{n}");
                for at in [&u, &after] {
                    let (normal, sliding) = self.of(i, at);
                    let off = match phases[i] {
                        Phase::Compression => normal,
                        Phase::Rest => normal.abs(),
                        Phase::Open | Phase::Restitution => -normal,
                    };
                    assert!(off <= close, "{phases:?} {i}: {at}");
                    let share = t.iter().map(|t| t / n.max(f64::MIN_POSITIVE)).collect::<Vec<_>>();
                    let [force, place] = self.breaks(states[i], mu, &share, &sliding);
                    assert!(place <= close, "{states:?} {i}: {at}");
                    assert!(n <= 1e-9 * scale || force <= 1e-6 * (1.0 + mu), "{states:?}: {force}");
                }
                let [least, most] = &mut stored[i];
                let e = self.e(i);
                match phases[i] {
                    Phase::Open => assert!(n == 0.0),
                    Phase::Compression => (*least, *most) = (*least + e * n, *most + e * n),
                    Phase::Rest => {
                        let back = if compress { 0.0 } else { n };
                        (*least, *most) = ((*least - back).max(0.0), *most + e * n);
                    }
                    Phase::Restitution => {
                        assert!(!compress && *most - n >= -1e-6 * scale, "{n} of {most}");
                        (*least, *most) = ((*least - n).max(0.0), (*most - n).max(0.0));
                    }
                }
            }
            total += impulse;
            u = after;
        }
        assert!(u.rows(0, m).min() >= -close, "{u}");
        assert!(stored.iter().all(|[least, _]| *least <= 1e-6 * scale), "{stored:?}");
        let missed = problem.velocity() + problem.response() * total - vector(vertex);
        (problem.jacobian() * missed).amax() / problem.contact_velocity().amax()
    }

    /// The end of a motion in steps of about `h` of the velocity before the impact, at rates that
    /// change now and then; `None`: none in time.
    fn walk(&self, h: f64, draws: &mut Draws) -> Option<Vec<f64>> {
        let (problem, m) = (self.problem, self.problem.contact_count());
        let axes = problem.tangents_per_contact();
        let w = problem.delassus();
        let most = (0..m).map(|i| w[(i, i)]).fold(0.0, f64::max);
        let step = h * problem.contact_velocity().amax() / most;
        let mut u = problem.contact_velocity().clone();
        let (mut total, mut stored) = (DVector::zeros(u.len()), vec![0.0; m]);
        let mut rates = vec![1.0; m];
        for _ in 0..(40.0 / h) as usize {
            if draws.uniform(0.0, 1.0) < 20.0 * h {
                rates = (0..m).map(|_| draws.uniform(0.0, 1.0).powi(3)).collect();
            }
            let approaches = (0..m).any(|i| u[i] < 0.0);
            let mut l = DVector::zeros(u.len());
            for i in 0..m {
                let (normal, sliding) = self.of(i, &u);
                let n = match approaches {
                    true if normal < 0.0 => rates[i] * step,
                    false => (rates[i] * step).min(stored[i]),
                    true => continue,
                };
                stored[i] += if approaches { self.e(i) * n } else { -n };
                let along = |d: &&Vec<f64>| dot(d, &sliding);
                let farthest = self.corners.iter().max_by(|a, b| along(a).total_cmp(&along(b)));
                l[i] = n;
                for axis in 0..axes {
                    l[m + i * axes + axis] = -problem.friction()[i] * n * farthest.unwrap()[axis];
                }
            }
            if !approaches && stored.iter().all(|s| *s <= 0.0) {
                let v = problem.velocity() + problem.response() * total;
                return Some(v.as_slice().to_vec());
            }
            u += w * &l;
            total += l;
        }
        None
    }
}

/// Random problems of two contacts and sets that are found soon; how many were sought.
fn found(kind: Kind, reach: &Reach, count: usize) -> (Vec<(ContactProblem, ExactSet)>, usize) {
    let problems = kind.problems().map(|(_, problem)| problem).filter(|problem| {
        problem.contact_count() == 2 && problem.friction().iter().all(|mu| *mu <= 1.0)
    });
    let mut sought = 0;
    let set = |problem: ContactProblem| {
        sought += 1;
        let set = reach.set(&problem).ok()?;
        Some((problem, set))
    };
    (problems.take(count).filter_map(set).collect(), sought)
}

fn poisson() -> Reach {
    Reach { hypothesis: Hypothesis::Poisson, certify: false, seconds: 3.0, ..Reach::default() }
}

fn with_facets(facets: u32) -> Reach {
    Reach { facets: Some(facets), certify: false, seconds: 3.0, ..Reach::default() }
}

/// All paths lead to their vertices by the law, and walks end inside, up to their steps.
fn hold(reach: &Reach, kinds: [Kind; 2], least: f64) {
    let (mut sets, mut all) = (Vec::new(), 0);
    for kind in kinds {
        let (found, sought) = found(kind, reach, cases(12, 100));
        sets.extend(found);
        all += sought;
    }
    let (mut vertices, mut without, mut walks, mut far) = (0, 0, 0, [0.0_f64; 2]);
    for (number, (problem, set)) in sets.iter().enumerate() {
        let judge = Judge::new(problem, reach.facets);
        for polytope in set.polytopes() {
            for (vertex, path) in polytope.shape.vertices.iter().zip(&polytope.paths) {
                vertices += 1;
                match path {
                    Some(path) => {
                        let missed = judge.replay(path, vertex);
                        assert!(missed < 1e-6, "problem {number}: {missed:e}");
                    }
                    None => without += 1,
                }
            }
        }
        // Steps err by about their length; a tenth of it errs less.
        for (h, far) in [2e-3, 2e-4].into_iter().zip(&mut far) {
            let mut draws = Draws::of(5, number);
            for _ in 0..cases(6, 60) {
                let Some(end) = judge.walk(h, &mut draws) else { continue };
                let off = set.distance(&end);
                assert!(off < 30.0 * h, "problem {number}, steps of {h}: {off:e}");
                *far = far.max(off);
                walks += 1;
            }
        }
    }
    assert!(sets.len() as f64 >= least * all as f64, "{} of {all} sets", sets.len());
    assert!(without * 20 < vertices && walks > 100 && far[1] < 0.3 * far[0], "{without} {far:?}");
}

const PLANAR: [Kind; 2] = [
    Kind { spatial: false, body: true, bounces: true },
    Kind { spatial: false, body: false, bounces: true },
];

const SPATIAL: [Kind; 2] = [
    Kind { spatial: true, body: true, bounces: false },
    Kind { spatial: true, body: false, bounces: false },
];

#[test]
fn sets_with_poissons_restitution_are_those_of_the_law() {
    hold(&poisson(), PLANAR, 0.5);
}

#[test]
fn sets_of_cones_with_four_facets_are_those_of_the_law() {
    hold(&with_facets(4), SPATIAL, 0.5);
}

#[test]
fn sets_of_cones_with_six_facets_are_those_of_the_law() {
    hold(&with_facets(6), SPATIAL, 0.4);
}

/// Samples of the inclusion with Poisson's hypothesis are outcomes of the set.
#[test]
fn samples_with_poissons_restitution_lie_inside() {
    let law = Routh {
        process: Some(RouthProcess::Inclusion),
        hypothesis: Some(Hypothesis::Poisson),
        ..Routh::default()
    };
    let samples = cases(150, 1000);
    let bouncing = |name: &str| {
        let problem = load(name);
        let e = vec![0.5; problem.contact_count()];
        problem.with_numbers(Some(e), Default::default()).unwrap()
    };
    let scenes = ["rocking-block", "box-and-wall"].map(bouncing);
    let scenes = scenes.into_iter().map(|problem| {
        let set = Reach { seconds: 600.0, ..poisson() }.set(&problem).unwrap();
        (problem, set)
    });
    let [bodies, rows] = PLANAR.map(|kind| found(kind, &poisson(), cases(12, 100)).0);
    for (number, (problem, set)) in scenes.chain(bodies).chain(rows).enumerate() {
        let plan = planned(law.clone(), samples, 0, F64);
        let drawn = ends(&on_cpu(&problem, &plan));
        let far = drawn.chunks(problem.coordinate_count()).map(|v| set.distance(v));
        let far = far.fold(0.0, f64::max);
        assert!(drawn.len() > samples as usize / 2 && far < 1e-9, "{number}: {far:e}");
    }
}

/// Whatever the friction, a set is bounded or refused with a reason.
#[test]
fn any_friction_has_a_set_or_a_reason() {
    let (mut found, mut refused) = (0, 0);
    for kind in [PLANAR, SPATIAL].concat() {
        let two = kind.problems().map(|(_, problem)| problem);
        let two = two.filter(|problem| problem.contact_count() == 2);
        for problem in two.take(cases(15, 100)) {
            let reach = Reach { seconds: 0.5, facets: Some(4), ..poisson() };
            match reach.set(&problem) {
                Ok(set) => {
                    assert!(set.vertices().flatten().all(|v| v.is_finite()));
                    found += 1;
                }
                Err(error) => {
                    assert!(error.hint.is_some(), "{error:?}");
                    refused += 1;
                }
            }
        }
    }
    assert!(found > refused);
}

/// A ball bounces by `e`, and slides by Coulomb's law with its whole impulse.
#[test]
fn one_contact_has_its_closed_form() {
    for (mu, e, after) in
        [(0.0, 0.5, [2.0, 0.5]), (0.25, 0.5, [2.0 - 0.25 * 1.5, 0.5]), (2.0, 0.75, [0.0, 0.75])]
    {
        let problem = bouncing(&problem(puck(1.0, mu, [2.0, -1.0])), e);
        let set = Reach { certify: true, ..poisson() }.set(&problem).unwrap();
        assert!(set.is_complete() && set.is_tight() && set.dimension() == 0, "{set:?}");
        assert_eq!(set.vertices().collect::<Vec<_>>(), [after]);
    }
}

/// A unit mass that slides over the ground obliquely, mu = 0.5: along a corner friction is
/// Coulomb's, and between two it keeps to their middle.
#[test]
fn one_spatial_contact_slides_along_corners() {
    let end = |velocity: Vec<f64>, facets: u32| {
        let (normal, tangent) = ([[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let problem = problem(rough(&[1.0; 3], normal, tangent, [0.5], velocity));
        let set = Reach { certify: true, ..with_facets(facets) }.set(&problem).unwrap();
        assert!(set.is_complete() && set.is_tight(), "{set:?}");
        set.vertices().map(<[f64]>::to_vec).collect::<Vec<_>>()
    };
    assert_eq!(end(vec![1.0, 0.0, -1.0], 4), [[0.5, 0.0, 0.0]]);
    // Along x down to the diagonal, then along it.
    assert_eq!(end(vec![1.0, 0.75, -1.0], 4), [[0.625, 0.625, 0.0]]);
    assert_eq!(end(vec![1.0, 1.0, -1.0], 4), [[0.75, 0.75, 0.0]]);
    assert_eq!(end(vec![0.25, 0.25, -1.0], 8).len(), 1);
}

#[test]
fn what_has_no_set_is_refused_with_a_hint() {
    let cube = load("cube-on-edge");
    let cube = cube.with_numbers(Some(vec![0.0; 2]), Default::default()).unwrap();
    let refused = Reach::default().set(&cube).unwrap_err();
    assert!(refused.hint.unwrap().contains("--facets"));
    assert!(with_facets(5).set(&cube).is_err());
    // Four contacts; and six coordinates of velocity with two stores.
    let brick = load("brick-flat");
    assert!(Reach { facets: Some(4), ..poisson() }.set(&brick).unwrap_err().what.contains("4096"));
    let trot = load("quadruped-trot");
    let trot = trot.with_numbers(Some(vec![0.5; 2]), Default::default()).unwrap();
    assert!(Reach { facets: Some(4), ..poisson() }.set(&trot).unwrap_err().what.contains("7"));
}
