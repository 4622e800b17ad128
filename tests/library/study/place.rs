//! Where outcomes lie beside a sampled set: what is not known is not said.

use super::*;
use carom::study::{SetPlace, Verdict};

/// Steele's splitmix generator, as a number in [0, 1).
fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Points of the plane, which lengths of 1 measure.
fn set(points: &[[f64; 2]]) -> PointSet {
    let rows: Vec<f64> = points.iter().flatten().copied().collect();
    PointSet::new(&DMatrix::identity(2, 2), &vector(&[0.6, -0.8]), &rows).unwrap()
}

/// The verdicts after 1000, 10 000 and 100 000 of the points.
fn verdicts(points: &[[f64; 2]], outcome: [f64; 2]) -> [Verdict; 3] {
    [1000, 10_000, 100_000].map(|count| SetPlace::of(&outcome, &set(&points[..count])).verdict)
}

/// Points of the unit disc.
fn disc(seed: u64, count: usize) -> Vec<[f64; 2]> {
    let mut state = seed;
    let mut point = || {
        let (radius, angle) = (draw(&mut state).sqrt(), std::f64::consts::TAU * draw(&mut state));
        [radius * angle.cos(), radius * angle.sin()]
    };
    (0..count).map(|_| point()).collect()
}

/// A disc whose border is known: no point of it is ever outside, however few points there are, and
/// none is inside but a sample; what is apart from it is found to be so, the nearer the more points
/// it takes.
#[test]
fn a_disc_has_an_inside_a_border_and_an_outside() {
    use Verdict::{Inside, NotResolved, Outside};
    for seed in 0..20 {
        let points = disc(seed, 100_000);
        for outcome in [[0.0, 0.0], [0.5, -0.3], [1.0, 0.0], [0.6, 0.8]] {
            assert_eq!(verdicts(&points, outcome), [NotResolved; 3], "{seed}: {outcome:?}");
        }
        assert_eq!(verdicts(&points, points[500]), [Inside; 3], "{seed}");
        assert_eq!(verdicts(&points, points[5000]), [NotResolved, Inside, Inside], "{seed}");
        assert_eq!(verdicts(&points, [1.6, 0.0]), [NotResolved, NotResolved, Outside], "{seed}");
        assert_eq!(verdicts(&points, [40.0, 9.0]), [Outside; 3], "{seed}");
    }
}

/// Corners where samples get rare, as `r^k`: none is taken for a point outside.
#[test]
fn sparse_corners_are_not_outside() {
    for k in [1, 2, 5, 10, 20] {
        for seed in 0..60 {
            let mut state = 1000 * k + seed;
            let mut point = || {
                let (radius, angle) =
                    (draw(&mut state).powf(1.0 / k as f64), 1.5 * draw(&mut state));
                [radius * angle.cos(), radius * angle.sin()]
            };
            let points: Vec<[f64; 2]> = (0..16_384).map(|_| point()).collect();
            let place = SetPlace::of(&[0.0, 0.0], &set(&points));
            assert_ne!(place.verdict, Verdict::Outside, "k = {k}, seed {seed}: {place:?}");
        }
    }
}

/// Points that coincide are one: a set of an atom and a rare remainder does not crowd at the atom.
#[test]
fn a_rare_part_of_a_set_is_not_outside() {
    let rare = disc(3, 1000);
    let mixed: Vec<[f64; 2]> =
        (0..20_000).map(|i| if i % 20 == 7 { rare[i / 20] } else { [3.0, 0.0] }).collect();
    assert_eq!(SetPlace::of(&[0.1, 0.2], &set(&mixed)).verdict, Verdict::NotResolved);
    assert_eq!(SetPlace::of(&[3.0, 0.0], &set(&mixed)).verdict, Verdict::Inside);
    // A part that appears late refutes what was said before.
    let late: Vec<[f64; 2]> =
        (0..4000).map(|i| if i < 2000 { [3.0, 0.0] } else { rare[i / 4] }).collect();
    assert_eq!(SetPlace::of(&[0.1, 0.2], &set(&late[..2000])).verdict, Verdict::Outside);
    assert_eq!(SetPlace::of(&[0.1, 0.2], &set(&late)).verdict, Verdict::NotResolved);
}

/// Resolution and distance by sorting all distances.
#[test]
fn the_resolution_is_that_of_the_hundredth_sample_behind_the_nearest() {
    let points = disc(11, 5000);
    for outcome in [[0.2, 0.1], [1.5, -0.5]] {
        let place = SetPlace::of(&outcome, &set(&points));
        let mut all: Vec<f64> =
            points.iter().map(|p| (p[0] - outcome[0]).hypot(p[1] - outcome[1])).collect();
        all.sort_by(f64::total_cmp);
        // Some distances may coincide but for rounding.
        all.dedup_by(|next, kept| *next - *kept <= 1e-6);
        assert!((place.distance - all[0]).abs() < 1e-12, "{place:?}");
        assert!((place.resolution - (all[100] - all[0])).abs() < 5e-6, "{place:?}");
    }
    let one = SetPlace::of(&[1.0, 0.0], &set(&[[1.0, 2.0]; 3]));
    assert_eq!((one.distance, one.resolution, one.verdict), (2.0, 0.0, Verdict::NotResolved));
}

/// On every scene a verdict is made once and stays. Inelastic outcomes belong to the set [HP23,
/// Sec. 5] and are never outside; reflections that keep all energy, where the law loses some, are
/// never inside.
#[test]
fn more_samples_make_verdicts_and_change_none() {
    let (mut made, mut outcomes) = (0, 0);
    for scene in scene::BUILTIN {
        let problem = load(scene.name);
        if problem.contact_count() > FEW {
            continue;
        }
        let count = if problem.tangents_per_contact() == 2 { 10_000 } else { 100_000 };
        let plan = Plan { samples: count, seed: 0, ..Plan::default() };
        let comparison = beside(&problem, &plan);
        let samples = &comparison.samples;
        let among = |count: usize| {
            let accepted = comparison.accepted.iter().filter(|i| **i < count);
            let rows: Vec<f64> =
                accepted.flat_map(|&i| samples.row(&samples.velocity, i)).copied().collect();
            PointSet::new(problem.mass(), problem.velocity(), &rows).unwrap()
        };
        let sets = [among(1000), among(10_000), among(100_000)];
        let inelastic = !problem.bounces();
        for compared in &comparison.outcomes {
            let velocity = &compared.outcome.velocity;
            let [few, more, most] = [0, 1, 2].map(|i| SetPlace::of(velocity, &sets[i]).verdict);
            // The exact set says the same, where samples say anything.
            let known = compared.place.verdict;
            if comparison.exact.is_some() && most != Verdict::NotResolved {
                assert_eq!(known, most, "{}: {}", scene.name, compared.law);
            }
            let what = format!(
                "{}: {} {}: {few:?}, {more:?}, {most:?}",
                scene.name, compared.law, compared.which
            );
            let stays = |a: Verdict, b: Verdict| a == b || a == Verdict::NotResolved;
            assert!(stays(few, more) && stays(more, most), "{what}");
            let (law, which) = (compared.law, &compared.which);
            if law == "sequential"
                || law == "anitescu-potra" && inelastic && problem.tangents_per_contact() < 2
            {
                assert!(most != Verdict::Outside, "{what}");
            }
            if law == "propagative" && !which.contains("plastic") {
                assert!(few != Verdict::Inside && most != Verdict::Inside, "{what}");
                assert!(!inelastic || most == Verdict::Outside, "{what}");
            }
            made += usize::from(few == Verdict::NotResolved && most != few);
            outcomes += 1;
        }
    }
    assert!(outcomes > 80 && made > 10, "{made} of {outcomes}");
}

/// Outcomes that a thousand samples do not tell from the set are not said to be in it; those of
/// single impacts in turn are samples.
#[test]
fn a_thousand_samples_of_a_cube_show_no_outcome_inside() {
    for name in ["cube-on-edge", "cube-on-face"] {
        let plan = Plan { samples: 1000, seed: 0, ..Plan::default() };
        let comparison = beside(&load(name), &plan);
        let verdict = |law: &str, verdict: Verdict| {
            let mut all = comparison.outcomes.iter().filter(|compared| compared.law == law);
            all.any(|compared| compared.place.verdict == verdict)
        };
        assert!(!verdict("sequential", Verdict::Outside), "{name}");
        let verdicts: Vec<Verdict> =
            (comparison.outcomes.iter().filter(|compared| compared.law != "sequential"))
                .map(|compared| compared.place.verdict)
                .collect();
        assert!(!verdicts.contains(&Verdict::Inside), "{name}: {verdicts:?}");
        assert!(verdicts.contains(&Verdict::NotResolved), "{name}: {verdicts:?}");
    }
}
