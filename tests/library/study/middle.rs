//! Contact along an edge: a third contact, where a body that is built with one has it.

use super::*;
use carom_core::event::Event;

fn body(places: &[[f64; 3]]) -> ContactProblem {
    problem(standing(places, [0.4, 8e-4], 0.2, [0.5, 0.1, -1.0, 2.0, -3.0, 1.0]))
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
