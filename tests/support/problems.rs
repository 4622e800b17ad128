//! Random contact problems.

use carom_core::problem::{ContactProblem, ProblemSpec};
use nalgebra::{DVector, Dim, Matrix, RawStorage};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::families::diagonal;

/// Problems with `M = A A' + d I` and rows of any length and direction; some contacts copy an
/// earlier one, which makes them redundant.
pub struct Problems {
    /// The most contacts and coordinates.
    pub contacts: usize,
    pub coordinates: usize,
    /// Tangents of each contact: 1 in the plane, 2 in space.
    pub tangents: usize,
    pub friction: BoxedStrategy<f64>,
    /// How many decades masses, lengths and speeds range over, up and down.
    pub decades: [f64; 3],
}

impl Problems {
    pub fn strategy(self) -> impl Strategy<Value = ProblemSpec> {
        let Problems { contacts, coordinates, tangents, friction, decades } = self;
        let [mass, length, speed] = decades.map(|decades| -decades..decades);
        (1..=contacts, 1..=coordinates)
            .prop_flat_map(move |(m, n)| {
                let parts = (
                    prop::collection::vec(-1.0..1.0f64, n * n),
                    prop::collection::vec(-1.0..1.0f64, (1 + tangents) * m * n),
                    prop::collection::vec(friction.clone(), m),
                    prop::collection::vec(-1.0..1.0f64, n),
                    prop::collection::vec(0..4usize, m),
                    (mass.clone(), length.clone(), speed.clone()),
                );
                parts.prop_map(move |(a, j, friction, velocity, copy, (mass, length, speed))| {
                    let [mass, length, speed] = [mass, length, speed].map(|x| 10f64.powf(x));
                    let entry = |i: usize, k: usize| {
                        let product: f64 = (0..n).map(|l| a[i * n + l] * a[k * n + l]).sum();
                        mass * (product + if i == k { 0.1 } else { 0.0 })
                    };
                    let row = |r| (0..n).map(|k| length * j[r * n + k]).collect::<Vec<_>>();
                    let source = |c: usize| if copy[c] == 0 && c > 0 { c - 1 } else { c };
                    let tangent = |r| row(m + tangents * source(r / tangents) + r % tangents);
                    ProblemSpec {
                        mass: (0..n).map(|i| (0..n).map(|k| entry(i, k)).collect()).collect(),
                        normal: (0..m).map(|c| row(source(c))).collect(),
                        tangent: (0..tangents * m).map(tangent).collect(),
                        friction: Some(friction),
                        velocity: velocity.iter().map(|v| speed * v).collect(),
                        ..ProblemSpec::default()
                    }
                })
            })
            .prop_filter("a row of zeros", |spec| {
                spec.normal.iter().all(|row| row.iter().any(|x| *x != 0.0))
            })
    }
}

fn over_decades() -> impl Strategy<Value = f64> {
    (-6.0..5.0f64).prop_map(|x| 10f64.powf(x))
}

/// Planar problems of any size, in any units, with friction over many decades.
pub fn planar(contacts: usize) -> impl Strategy<Value = ProblemSpec> {
    let friction =
        prop_oneof![Just(0.0), Just(1e-6), over_decades(), 0.1..1.5f64, Just(1e5)].boxed();
    Problems { contacts, coordinates: 12, tangents: 1, friction, decades: [6.0; 3] }.strategy()
}

/// Spatial problems of any size, in any units, with friction over many decades.
pub fn spatial(contacts: usize) -> impl Strategy<Value = ProblemSpec> {
    let friction =
        prop_oneof![Just(0.0), over_decades(), 0.1..1.5f64, 0.1..1.5f64, Just(1e5)].boxed();
    Problems { contacts, coordinates: 12, tangents: 2, friction, decades: [6.0; 3] }.strategy()
}

/// Planar problems of few coordinates, with friction up to `most`; `units`: whether units are of
/// any size.
pub fn small(contacts: usize, most: f64, units: bool) -> impl Strategy<Value = ProblemSpec> {
    let friction = prop_oneof![Just(0.0), Just(1e-6), 0.1..1.5f64, Just(most)].boxed();
    let decades = if units { [6.0; 3] } else { [1e-9; 3] };
    Problems { contacts, coordinates: 6, tangents: 1, friction, decades }.strategy()
}

/// Problems of few coordinates without friction; `units`: whether units are of any size.
pub fn frictionless(contacts: usize, units: bool) -> impl Strategy<Value = ProblemSpec> {
    let strip = |spec| ProblemSpec { tangent: vec![], friction: None, ..spec };
    small(contacts, 0.0, units).prop_map(strip)
}

pub fn problem(spec: ProblemSpec) -> ContactProblem {
    ContactProblem::new(spec).unwrap()
}

/// A built-in scene.
pub fn load(name: &str) -> ContactProblem {
    carom::scene::load(name).unwrap()
}

pub fn vector(entries: &[f64]) -> DVector<f64> {
    DVector::from_column_slice(entries)
}

/// A matrix row by row.
pub fn rows_of<R: Dim, C: Dim, S: RawStorage<f64, R, C>>(
    m: &Matrix<f64, R, C, S>,
) -> Vec<Vec<f64>> {
    m.row_iter().map(|row| row.iter().copied().collect()).collect()
}

/// Built-in scenes with their names.
pub fn loaded<'a>(
    names: impl IntoIterator<Item = &'a str>,
) -> impl Iterator<Item = (&'a str, ContactProblem)> {
    names.into_iter().map(|name| (name, load(name)))
}

/// The problem of a JSON text.
pub fn given(text: &str) -> ContactProblem {
    problem(serde_json::from_str(text).unwrap())
}

/// The problem with the same coefficient of restitution at all contacts.
pub fn bouncing(known: &ContactProblem, e: f64) -> ContactProblem {
    let restitution = Some(vec![e; known.contact_count()]);
    problem(ProblemSpec { restitution, ..known.spec().clone() })
}

/// The problem with other numbers.
pub fn changed(known: &ContactProblem, change: impl FnOnce(&mut ProblemSpec)) -> ContactProblem {
    let mut spec = known.spec().clone();
    change(&mut spec);
    problem(spec)
}

/// A problem with a diagonal mass matrix and friction at every contact.
pub fn rough(
    mass: &[f64],
    normal: impl IntoIterator<Item = impl Into<Vec<f64>>>,
    tangent: impl IntoIterator<Item = impl Into<Vec<f64>>>,
    friction: impl Into<Vec<f64>>,
    velocity: impl Into<Vec<f64>>,
) -> ProblemSpec {
    ProblemSpec {
        mass: diagonal(mass),
        normal: normal.into_iter().map(Into::into).collect(),
        tangent: tangent.into_iter().map(Into::into).collect(),
        friction: Some(friction.into()),
        velocity: velocity.into(),
        ..ProblemSpec::default()
    }
}

/// A problem with a diagonal mass matrix and without friction.
pub fn smooth(
    mass: &[f64],
    normal: impl IntoIterator<Item = impl Into<Vec<f64>>>,
    velocity: impl Into<Vec<f64>>,
) -> ProblemSpec {
    ProblemSpec { friction: None, ..rough(mass, normal, [[0.0; 0]; 0], [], velocity) }
}

/// A point mass above a floor.
pub fn puck(mass: f64, mu: f64, velocity: [f64; 2]) -> ProblemSpec {
    rough(&[mass; 2], [[0.0, 1.0]], [[1.0, 0.0]], [mu], velocity)
}

/// A planar body of mass 1 with contacts at `places` from its mass centre, on a floor whose normal
/// leans by `slope` from the vertical towards +x.
pub fn leaning(places: &[[f64; 2]], slope: f64, inertia: f64, velocity: [f64; 3]) -> ProblemSpec {
    let (n, t) = ([slope.sin(), slope.cos()], [slope.cos(), -slope.sin()]);
    let row = |d: [f64; 2], r: &[f64; 2]| vec![d[0], d[1], r[0] * d[1] - r[1] * d[0]];
    let (normal, tangent) = (places.iter().map(|r| row(n, r)), places.iter().map(|r| row(t, r)));
    rough(&[1.0, 1.0, inertia], normal, tangent, vec![0.3; places.len()], velocity)
}

/// The row of direction `d` at `r` from the mass centre of a free body in space.
pub fn body_row(r: [f64; 3], d: [f64; 3]) -> Vec<f64> {
    let moment = |i: usize, j: usize| r[i] * d[j] - r[j] * d[i];
    vec![d[0], d[1], d[2], moment(1, 2), moment(2, 0), moment(0, 1)]
}

/// A body in space on a floor, with contacts at `places` from its mass centre.
pub fn standing(
    places: &[[f64; 3]],
    [mass, inertia]: [f64; 2],
    mu: f64,
    velocity: [f64; 6],
) -> ProblemSpec {
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let normal = places.iter().map(|r| body_row(*r, z));
    let tangent = places.iter().flat_map(|r| [body_row(*r, x), body_row(*r, y)]);
    let mass = [mass, mass, mass, inertia, inertia, inertia];
    rough(&mass, normal, tangent, vec![mu; places.len()], velocity)
}

/// Values that are the same in every run.
pub fn fixed<S: Strategy>(values: S) -> impl Iterator<Item = S::Value> {
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    std::iter::repeat_with(move || values.new_tree(&mut runner).unwrap().current())
}

/// Problems that are the same in every run.
pub fn fixed_problems(
    specs: impl Strategy<Value = ProblemSpec>,
) -> impl Iterator<Item = ContactProblem> {
    fixed(specs).map(problem)
}
