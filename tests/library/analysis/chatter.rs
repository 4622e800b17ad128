//! Exact sets where motions go through the same cells without end.

use super::reach::{outside, proved, replay};
use super::*;
use crate::support::planar::Planar;
use carom_analysis::Arithmetic;

fn chattering(name: &str) -> (ContactProblem, ExactSet) {
    let case = &golden("chatter")[name];
    let problem = known(case);
    let set = proved(&problem);
    assert!(set.is_tight(), "{name}: {:?}, {:?}", set.work(), set.certificate());
    assert!(set.is_complete(), "{name}: {:?}, {:?}", set.work(), set.certificate());
    (problem, set)
}

#[test]
fn all_motions_come_to_rest() {
    let (problem, set) = chattering("to_rest");
    let largest = problem.contact_velocity().amax();
    for v in set.vertices() {
        let u = problem.jacobian() * vector(v);
        assert!(u.amax() < 1e-12 * largest, "{u}");
    }
    assert_eq!(set.dimension(), 0);
    assert!(set.work()[1] > 0, "it is to be a case in which polyhedra are widened");
}

#[test]
fn vertices_are_reached_and_samples_lie_inside() {
    for name in ["to_rest", "to_three_ends"] {
        let (problem, set) = chattering(name);
        for polytope in set.polytopes() {
            for (vertex, path) in polytope.shape.vertices.iter().zip(&polytope.paths) {
                let missed = replay(&problem, path.as_ref().unwrap(), vertex);
                assert!(missed < 1e-6, "{name}: {missed:e}");
            }
        }
        let far = outside(&problem, &set, 300, 5);
        assert!(far < 1e-9, "{name}: {far:e}");
    }
}

/// Lists of these end only where pieces in the union of others are left out, where these are
/// widened as well, where none is widened, and where the list of a face is kept to few faces.
#[test]
fn lists_end_in_one_way_or_another() {
    let cases = [
        (Planar::Rough, 2, 5),
        (Planar::Bodies, 2, 17),
        (Planar::Symmetric, 3, 10),
        (Planar::Disks, 2, 19),
    ];
    for (kind, contacts, number) in cases {
        let problem = problem(kind.problem(contacts, number));
        let set = proved(&problem);
        assert!(set.is_tight() && set.is_complete(), "{kind:?} {number}: {:?}", set.work());
        let far = outside(&problem, &set, 300, 5);
        assert!(far < 1e-9, "{kind:?} {number}: {far:e}");
    }
}

/// Lists of these have no end found in time: pieces are enlarged wherever motions end.
#[test]
fn loose_sets_have_all_samples() {
    let exact = |kind: Planar, number| {
        let problem = problem(kind.problem(3, number));
        // The search for lists takes all of the time; a busy machine takes long to find the pieces.
        let within = |seconds| Reach { arithmetic: Arithmetic::Exact, seconds, ..Reach::fast() };
        let set = [30.0, 120.0, 480.0].into_iter().find_map(|t| within(t).set(&problem).ok());
        (problem, set.unwrap())
    };
    let (disks, _, found) = super::enclosure::enclosed();
    for (what, (problem, set)) in [
        ("disks 0", (disks, found)),
        ("raw 13", exact(Planar::Raw, 13)),
        ("masses 12", exact(Planar::Masses, 12)),
    ] {
        let far = outside(&problem, &set, 300, 5);
        assert!(far < 1e-9, "{what}: {far:e}");
        let v = problem.velocity();
        let speed = v.dot(&(problem.mass() * v)).sqrt();
        for v in set.vertices() {
            let u = problem.jacobian() * vector(v);
            for (i, u) in u.iter().enumerate() {
                let most = problem.delassus()[(i, i)].sqrt() * speed;
                assert!(u.abs() < 1.001 * most, "{what}: {u} of at most {most}");
            }
        }
    }
}
