//! Trees of futures: every branch is a motion, and together they are all that was drawn.

use super::*;
use carom::motion::futures::{Futures, Tree, grow};
use carom::motion::midpoint::{Going, strike};
use carom_analysis::Reach;

fn block(law: &str) -> Midpoint {
    let text = include_str!("../../../scenes/motions/falling-block.toml");
    midpoint_motion(text.replace("\"routh\"", &format!("\"{law}\"")))
}

fn tree(motion: &Midpoint, branch: usize, most: usize, steps: u64) -> Tree {
    let futures = Futures { branch, most, samples: 512 };
    grow(motion, &futures, steps, None, |_, _| Ok(())).unwrap()
}

/// The masses of the branches at the end add up to 1, and no more than wanted go on.
#[test]
fn branches_share_the_mass() {
    for (branch, most) in [(1, 5), (2, 3), (3, 7), (4, 64)] {
        let tree = tree(&block("routh"), branch, most, 60);
        let ends: Vec<f64> = tree.ends().map(|(_, node)| node.mass).collect();
        assert!((ends.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{ends:?}");
        assert!(ends.len() <= most, "{branch} {most}: {}", ends.len());
        for node in &tree.nodes {
            assert!(node.children.len() <= branch && node.children.len() != 1);
            let shares: f64 = node
                .children
                .iter()
                .filter_map(|at| Some(tree.nodes[*at].fork.as_ref()?.share))
                .sum();
            assert!(node.children.is_empty() || (shares - 1.0).abs() < 1e-12);
            assert_eq!(node.children.is_empty(), node.ending.is_some());
        }
        if branch > 1 {
            assert!(ends.len() > 1, "the outcome of the block's impact is not one");
        }
        assert!(branch == 1 || most > 60 || tree.cut > 0 || ends.len() < most);
    }
}

/// The first fork keeps outcomes of the exact set; branches, by hand, end as the tree says.
#[test]
fn branches_are_motions() {
    let motion = block("routh");
    let tree = tree(&motion, 3, 12, 60);
    let mut state = motion.start().clone();
    let problem = loop {
        if let Going::Impact(strike) = motion.advance(&mut state, &mut Vec::new()).unwrap() {
            break strike.problem;
        }
    };
    let exact = Reach::default().set(&problem).unwrap();
    assert!(exact.is_complete());
    let root = &tree.nodes[0];
    assert!(root.children.len() > 1);
    for at in &root.children {
        let fork = tree.nodes[*at].fork.as_ref().unwrap();
        assert!((fork.time - (2.0 * 0.1 / 9.81_f64).sqrt()).abs() < 1e-3, "{}", fork.time);
        assert!(exact.distance(&fork.velocity) < 1e-6, "{:?}", fork.velocity);
        let mut found = state.clone();
        strike(motion.mechanism(), &mut found, &fork.velocity);
        let energy = motion.moment(&found, 0, None).unwrap().energy;
        assert!(energy <= motion.moment(motion.start(), 0, None).unwrap().energy + 1e-9);
    }
    for (_, node) in tree.ends() {
        assert_eq!(node.state.step, 60);
        // Nothing overlaps at the end.
        assert!(motion.mechanism().touching(&node.state.q, -1e-6).is_empty());
    }
}

/// Laws with finitely many outcomes branch over these: the corners of the block in either order.
#[test]
fn orders_of_single_impacts_are_branches() {
    let tree = tree(&block("sequential"), 4, 8, 30);
    assert_eq!(tree.nodes[0].children.len(), 2);
    let velocities: Vec<&Vec<f64>> = tree.nodes[0]
        .children
        .iter()
        .map(|at| &tree.nodes[*at].fork.as_ref().unwrap().velocity)
        .collect();
    // The two velocities mirror each other.
    assert!((velocities[0][0] + velocities[1][0]).abs() < 1e-9);
    assert!((velocities[0][2] + velocities[1][2]).abs() < 1e-9);
    assert!((velocities[0][1] - velocities[1][1]).abs() < 1e-9);
}

/// A tree does not depend on the number of threads.
#[test]
fn trees_do_not_depend_on_threads() {
    let motion = block("routh");
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let tree = pool.install(|| tree(&motion, 3, 10, 40));
        tree.nodes
            .iter()
            .map(|node| (node.parent, node.mass, node.state.q.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(with(1), with(3));
}

/// Where a law is elastic, no branch is plastic.
#[test]
fn branches_of_reflections_keep_the_energy() {
    let motion = match Document::open("bouncing-rod").unwrap().motion().unwrap() {
        Simulation::Midpoint(motion) => *motion,
        other => panic!("{}", other.integrator()),
    };
    let first = motion.moment(motion.start(), 0, None).unwrap().energy;
    let tree = grow(&motion, &Futures { branch: 3, ..Futures::default() }, 60, None, |_, _| Ok(()))
        .unwrap();
    for (_, end) in tree.ends() {
        let energy = motion.moment(&end.state, 0, None).unwrap().energy;
        assert!((energy - first).abs() < 1e-6 * first, "{energy} {first}");
    }
    assert!(tree.ends().count() >= 1);
}

/// The inclusion grows trees too, in the plane and in space: the masses add up to 1, several
/// outcomes go on, nothing overlaps, and no branch gains energy.
#[test]
fn the_inclusion_has_futures() {
    let flat = include_str!("../../../scenes/motions/falling-block.toml").to_string();
    let brick = "integrator = \"midpoint\"\ndimensions = 3\ngravity = 9.81\ntime_step = 0.01\nfriction = 0.6\n\
                 [[walls]]\nname = \"floor\"\nnormal = [0, 0, 1]\n[[bodies]]\nname = \"brick\"\nmass = 1\n\
                 shapes = [{ box = [0.3, 0.1, 0.2] }]\nposition = [0, 0, 0.2]\nvelocity = [0.4, 0.1, 0]\n";
    for (text, steps) in [(flat, 60), (brick.to_string(), 40)] {
        let text = text.replace("\"midpoint\"", "\"inclusion\"");
        let motion = inclusion_motion(text);
        let futures = Futures { branch: 3, most: 9, samples: 128 };
        let mut arcs = Vec::new();
        let tree = grow(&motion, &futures, steps, None, |branch, moment| {
            arcs.push((branch, moment.time, moment.others[2]));
            Ok(())
        })
        .unwrap();
        let ends: Vec<_> = tree.nodes.iter().filter(|node| node.children.is_empty()).collect();
        let mass: f64 = ends.iter().map(|node| node.mass).sum();
        assert!(ends.len() > 2 && (mass - 1.0).abs() < 1e-12, "{} ends, {mass}", ends.len());
        let given = motion.given();
        let first = given.moment(given.start(), 0, None).unwrap().energy;
        for end in ends {
            assert_eq!(end.state.step, steps);
            assert!(given.moment(&end.state, 0, None).unwrap().energy <= first * (1.0 + 1e-9));
            assert!(given.mechanism().touching(&end.state.q, -2e-6).is_empty());
        }
        // In each branch s grows at least as time does.
        for pair in arcs.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            assert!(pair[1].2 - pair[0].2 >= pair[1].1 - pair[0].1 - 1e-12, "{pair:?}");
        }
    }
}
