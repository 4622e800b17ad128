//! Random problems of many kinds, of which `benches/random.rs` measures more.

use super::*;
use crate::support::random::{Kind, outcomes};

#[test]
fn samples_of_random_problems_end_accepted() {
    let (mut accepted, mut unsolved) = ([(0, 0); 2], 0);
    for kind in Kind::all() {
        let problems = kind.problems().take(cases(25, 250));
        let all: Vec<_> = problems.flat_map(|(_, problem)| outcomes(&problem, 20)).collect();
        let with = |status| all.iter().filter(|one| one.status == status).count();
        let counts: Vec<_> =
            Status::ALL.into_iter().map(|status| (status.name(), with(status))).collect();
        let sound = all.iter().filter(|one| one.accepted).count();
        println!("{kind}: {sound} of {} accepted, {counts:?}", all.len());
        unsolved += with(Status::Unsolved);
        let sum = &mut accepted[usize::from(kind.spatial)];
        *sum = (sum.0 + sound, sum.1 + all.len());
    }
    let [planar, spatial] = accepted.map(|(sound, all)| sound as f64 / all as f64);
    assert!(planar >= 0.999 && spatial >= 0.96, "planar {planar}, spatial {spatial}");
    // A block in which no forces are found is cut, and the next one has other rates.
    assert!(unsolved <= accepted[1].1 / 1000, "{unsolved} unsolved");
}
