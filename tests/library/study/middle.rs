//! Contact along an edge: a third contact, where a body that is built with one has it.

use carom_core::event::Event;

use super::*;

/// A body in space on a floor, with contacts at these places from its mass centre.
fn body(places: &[[f64; 3]]) -> ContactProblem {
    let row = |r: &[f64; 3], d: [f64; 3]| {
        let moment = |i: usize, j: usize| r[i] * d[j] - r[j] * d[i];
        vec![d[0], d[1], d[2], moment(1, 2), moment(2, 0), moment(0, 1)]
    };
    let along = |r| [row(r, [1.0, 0.0, 0.0]), row(r, [0.0, 1.0, 0.0])];
    let mut mass = vec![vec![0.0; 6]; 6];
    (0..6).for_each(|i| mass[i][i] = if i < 3 { 0.4 } else { 8e-4 });
    problem(ProblemSpec {
        mass,
        normal: places.iter().map(|r| row(r, [0.0, 0.0, 1.0])).collect(),
        tangent: places.iter().flat_map(along).collect(),
        friction: Some(vec![0.2; places.len()]),
        velocity: vec![0.5, 0.1, -1.0, 2.0, -3.0, 1.0],
        ..ProblemSpec::default()
    })
}

fn event(places: &[[f64; 3]], gap: &[f64]) -> Event {
    let spec = body(places).spec().clone();
    let problem = problem(ProblemSpec { gap: Some(gap.to_vec()), ..spec });
    let measured = problem.velocity().as_slice().to_vec();
    let gap = Some(gap.to_vec());
    Event { number: 0, problem, measured, noise: None, clean: None, gap, toss: None }
}

#[test]
fn an_edge_has_a_contact_in_its_middle() {
    let corners = [[0.05, -0.05, -0.05], [0.05, 0.05, -0.05], [-0.05, -0.05, -0.04]];
    let event = event(&corners, &[0.0002, 0.0, 0.004]);
    let rows = |model: &Model| Placed::new(model, &event).unwrap().first.jacobian().clone();
    let plain = Model { gap: Some(0.001), ..Model::default() };
    assert_eq!(rows(&plain), *body(&corners[..2]).jacobian());
    let edge = Model { middle: true, ..plain.clone() };
    let built = body(&[corners[0], corners[1], [0.05, 0.0, -0.05]]);
    assert!((rows(&edge) - built.jacobian()).amax() < 1e-15);
    // The late contacts are the same, after those of the edge.
    let late = Model { late: Some(0.01), ..edge.clone() };
    let all = Placed::new(&late, &event).unwrap().all.unwrap();
    let built = body(&[corners[0], corners[1], [0.05, 0.0, -0.05], corners[2]]);
    assert!((all.jacobian() - built.jacobian()).amax() < 1e-15);
    // Where three contacts are close there is no edge.
    let three = Model { gap: Some(0.01), ..edge.clone() };
    assert_eq!(rows(&three), *body(&corners).jacobian());
    assert!(!edge.forecast(&event, 8, 0, None).unwrap().is_empty());
    let text = edge.text().unwrap();
    assert_eq!(Model::read("model.toml", &text).unwrap(), edge);
    assert!(!plain.text().unwrap().contains("middle"));
}
