//! Questions to sampled sets; and files of samples that are read back.

use super::*;
use carom::Reach;
use carom::output::RunRecord;
use carom::output::query::{Beside, Question, reply};
use carom::study::SampledSet;
use carom_analysis::bounds::{BoundKind, Cost};
use carom_analysis::{State, possible_modes};
use carom_core::outcome::clusters::clusters;
use carom_core::outcome::principal;
use carom_core::outcome::representatives::representatives;
use carom_data::saved;

/// Two coordinates with mass 4 and 1, velocity before (0, -2): |v|_M / |v-|_M is |(2 x, y)| / 2.
fn plane() -> ContactProblem {
    given(
        r#"{ "mass": [[4, 0], [0, 1]], "normal": [[0, 1]], "tangent": [[1, 0]],
              "friction": [0.5], "velocity": [0, -2] }"#,
    )
}

/// A set of made velocities; those with a status or residual that is not accepted are left out.
fn made(velocities: &[[f64; 2]], first: u64) -> SampledSet {
    let mut set = SampledSet::new::<f64>(&plane()).unwrap();
    let count = velocities.len();
    let samples = Samples {
        first,
        velocity: velocities.as_flattened().to_vec(),
        status: vec![Status::Terminated; count],
        residual: vec![0.0; count],
        ..Samples::default()
    };
    set.add(&samples, 1e-9);
    set
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    ((2.0 * (a[0] - b[0])).powi(2) + (a[1] - b[1]).powi(2)).sqrt() / 2.0
}

/// The distance of a point from a planar hull: the nearest edge of all pairs, or 0 inside.
fn hull(points: &[[f64; 2]], y: [f64; 2]) -> f64 {
    let at = |p: [f64; 2]| [p[0], p[1] / 2.0];
    let (y, points): ([f64; 2], Vec<[f64; 2]>) = (at(y), points.iter().map(|p| at(*p)).collect());
    // Inside if no direction, of many, separates.
    let outside = (0..20_000).any(|k| {
        let (s, c) = (f64::from(k) * 1e-4 * std::f64::consts::PI).sin_cos();
        points.iter().all(|p| c * (p[0] - y[0]) + s * (p[1] - y[1]) > 0.0)
    });
    if !outside {
        return 0.0;
    }
    let mut nearest = f64::INFINITY;
    for a in &points {
        for b in &points {
            for k in 0..=1000 {
                let t = f64::from(k) / 1000.0;
                let p = [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
                nearest = nearest.min((p[0] - y[0]).hypot(p[1] - y[1]));
            }
        }
    }
    nearest
}

#[test]
fn answers_are_those_of_brute_force() {
    let mut draws = Draws::new(31);
    for _ in 0..20 {
        let points: Vec<[f64; 2]> =
            (0..30).map(|_| [draws.uniform(-1.0, 1.0), draws.uniform(0.0, 1.0)]).collect();
        let set = made(&points, 100);
        let c = [draws.uniform(-1.0, 1.0), draws.uniform(-1.0, 1.0)];
        let found = set.support(&c).unwrap();
        let most =
            points.iter().map(|p| c[0] * p[0] + c[1] * p[1]).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(found.value, most);
        let point = points[found.sample as usize - 100];
        assert!((c[0] * point[0] + c[1] * point[1], &point[..]) == (most, found.velocity));
        let cost = Cost::new(set.problem(), "(q0 - 0.3)^2 + abs(q1)").unwrap();
        let most = points
            .iter()
            .map(|p| (p[0] - 0.3).powi(2) + p[1].abs())
            .fold(f64::NEG_INFINITY, f64::max);
        assert!((set.worst(&cost).unwrap().unwrap().value - most).abs() < 1e-14);
        let y = [draws.uniform(-2.0, 2.0), draws.uniform(-1.0, 2.0)];
        let distance = set.distance(&y).unwrap();
        let nearest = points.iter().map(|p| apart(p, &y)).fold(f64::INFINITY, f64::min);
        assert!((distance.nearest.value - nearest).abs() < 1e-12);
        let (found, known) = (distance.hull, hull(&points, y));
        assert!((found - known).abs() < 2e-3, "{found} {known}");
        let [low, high] = set.extents();
        assert_eq!(low[1], points.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min));
        assert_eq!(high[0], points.iter().map(|p| p[0]).fold(f64::NEG_INFINITY, f64::max));
    }
}

/// At most twice the best radius, and every point is nearest to its representative.
#[test]
fn representatives_are_near_the_best() {
    let mut draws = Draws::new(32);
    for case in 0..30 {
        let (n, total, count) = (1 + case % 3, 9, 1 + case % 4);
        let points = draws.numbers(n * total);
        let found = representatives(&points, n, count);
        let at = |i: usize| &points[i * n..(i + 1) * n];
        let apart = |i: usize, j: usize| {
            at(i).iter().zip(at(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        let radius = |chosen: &[usize]| {
            (0..total)
                .map(|i| chosen.iter().map(|j| apart(i, *j)).fold(f64::INFINITY, f64::min))
                .fold(0.0, f64::max)
        };
        assert!((radius(&found.points) - found.radius).abs() < 1e-12);
        let mut best = f64::INFINITY;
        for bits in 0_usize..1 << total {
            if bits.count_ones() as usize == count {
                let chosen: Vec<usize> = (0..total).filter(|i| bits >> i & 1 == 1).collect();
                best = best.min(radius(&chosen));
            }
        }
        assert!(found.radius <= 2.0 * best + 1e-12 && found.points.len() == count);
        for (i, place) in found.nearest.iter().enumerate() {
            let own = apart(i, found.points[*place]);
            assert!(found.points.iter().all(|j| own <= apart(i, *j) + 1e-12));
        }
    }
    let same = representatives(&[1.0, 1.0, 1.0], 1, 5);
    assert_eq!((same.points, same.radius), (vec![0], 0.0));
    assert!(representatives(&[], 2, 3).points.is_empty());
}

/// The clusters of the definition: chains of pairs that are near, by brute force.
#[test]
fn clusters_are_those_of_the_definition() {
    let mut draws = Draws::new(33);
    for case in 0..60 {
        let (n, total) = (1 + case % 4, 40);
        let points: Vec<f64> = draws.numbers(n * total).iter().map(|x| x * 10.0).collect();
        let gap = [0.3, 1.0, 3.0][case % 3];
        let found = clusters(&points, n, gap);
        let near = |i: usize, j: usize| {
            (0..n).map(|d| (points[i * n + d] - points[j * n + d]).powi(2)).sum::<f64>()
                <= gap * gap
        };
        let mut label: Vec<usize> = (0..total).collect();
        for _ in 0..total {
            for i in 0..total {
                for j in 0..total {
                    if near(i, j) {
                        label[i] = label[i].min(label[j]);
                    }
                }
            }
        }
        for i in 0..total {
            for j in 0..total {
                assert_eq!(found[i] == found[j], label[i] == label[j], "case {case}, {i}, {j}");
            }
        }
        let size = |k: usize| found.iter().filter(|c| **c == k).count();
        let number = found.iter().max().unwrap() + 1;
        assert!((1..number).all(|k| size(k) <= size(k - 1)));
    }
    assert!(clusters(&[], 3, 1.0).is_empty());
    assert_eq!(clusters(&[1e300, 1e300, 0.0], 1, 0.5), [0, 0, 1]);
}

#[test]
fn axes_of_a_turned_box_are_its_sides() {
    let (s, c) = 0.4_f64.sin_cos();
    let mut points = Vec::new();
    for i in 0..11 {
        for j in 0..11 {
            let (a, b) = (f64::from(i), 0.1 * f64::from(j));
            points.extend([c * a - s * b, s * a + c * b]);
        }
    }
    let axes = principal::axes(&points, 2);
    assert!((axes[0].spread() - 1.0).abs() < 1e-12 && (axes[1].spread() - 10.0).abs() < 1e-12);
    assert!((axes[1].direction[0].abs() - c).abs() < 1e-12);
    let line = made(&[[0.0, 1.0], [0.5, 1.0], [1.0, 1.0]], 0);
    let thin = &line.invariants()[0];
    assert!(thin.spread < 1e-15);
    assert!((thin.direction[1] - 1.0).abs() < 1e-12 && (thin.extent[0] - 1.0).abs() < 1e-12);
}

#[test]
fn a_saved_set_answers_as_the_run_does() {
    let dir = tempfile::tempdir().unwrap();
    for (name, precision) in [("rocking-block", F64), ("cube-on-edge", F32)] {
        let problem = load(name);
        let plan = Plan { device: Device::Cpu, ..planned(Law::default(), 3000, 9, precision) };
        let engine = Engine::open_for(&problem, &plan).unwrap();
        let record = RunRecord::new(&problem, &plan, engine.info(), precision);
        for extension in ["npz", "parquet"] {
            let path = dir.path().join(format!("{name}.{extension}"));
            let mut file = carom_data::create(&path, &problem, &record).unwrap();
            let prepared = plan.law.prepare::<f64>(&problem).unwrap();
            let residual = match precision {
                F32 => prepared.most_residual::<f32>(),
                F64 => prepared.most_residual::<f64>(),
            };
            let mut set = SampledSet::new::<f64>(&problem).unwrap();
            engine
                .sample(&problem, &plan, |samples| {
                    set.add(samples, residual);
                    file.write(samples, None)
                })
                .unwrap();
            file.finish(None).unwrap();
            let read = saved::read(&path).unwrap();
            assert_eq!(read.set.numbers(), set.numbers(), "{name}.{extension}");
            assert_eq!(read.set.drawn(), 3000, "{name}.{extension}");
            let written = |x: f64| if precision == F32 { f64::from(x as f32) } else { x };
            let expected: Vec<f64> = set.velocities().iter().map(|x| written(*x)).collect();
            assert_eq!(read.set.velocities(), expected);
            assert_eq!(read.set.problem().spec().velocity, problem.spec().velocity);
            assert_eq!(read.record["seed"], 9);
        }
    }
}

#[test]
fn files_that_are_no_sets_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [("a.npz", &b"nothing"[..]), ("b.parquet", b"PAR1PAR1"), ("c.txt", b""), ("d.parquet", b"")]
    {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = saved::read(&path).unwrap_err();
        assert!(error.at.is_some_and(|at| at.contains(name)), "{name}");
    }
    assert!(saved::read(&dir.path().join("none.npz")).is_err());
    // A whole file, cut off anywhere, is never read as a smaller set.
    let problem = load("rocking-block");
    let plan = Plan { samples: 50, device: Device::Cpu, ..Plan::default() };
    let engine = Engine::open_for(&problem, &plan).unwrap();
    let record = RunRecord::new(&problem, &plan, engine.info(), F64);
    for extension in ["npz", "parquet"] {
        let path = dir.path().join(format!("whole.{extension}"));
        let mut file = carom_data::create(&path, &problem, &record).unwrap();
        engine.sample(&problem, &plan, |samples| file.write(samples, None)).unwrap();
        file.finish(None).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for part in 1..20 {
            let cut = dir.path().join(format!("cut.{extension}"));
            std::fs::write(&cut, &bytes[..bytes.len() * part / 20]).unwrap();
            assert!(saved::read(&cut).is_err(), "{extension}, {part} twentieths");
        }
    }
}

/// Every combination of modes that samples meet is possible, and the impulses of each witness lead
/// to it: through pushes within the friction cones to a velocity at which the contacts do what is
/// said.
#[test]
fn modes_that_are_met_are_possible_and_have_witnesses() {
    for (name, problem) in loaded(["rocking-block", "box-and-wall", "compass-gait"]) {
        let exact = Reach::default().set(&problem).unwrap();
        let possible = possible_modes(&problem, &exact);
        let plan = Plan { samples: 5000, device: Device::Cpu, ..Plan::default() };
        let engine = Engine::open_for(&problem, &plan).unwrap();
        let mut set = SampledSet::new::<f64>(&problem).unwrap();
        engine
            .sample(&problem, &plan, |samples| {
                set.add(samples, 1e-6);
                Ok(())
            })
            .unwrap();
        for met in set.modes().iter().filter(|met| met.count > 20) {
            assert!(possible.iter().any(|p| p.modes == met.modes), "{name}: {:?}", met.modes);
        }
        let m = problem.contact_count();
        for witness in &possible {
            let path = witness.path.as_ref().unwrap_or_else(|| panic!("{name}: {witness:?}"));
            let mut v = problem.velocity().clone();
            for leg in path {
                for i in 0..m {
                    let (normal, tangent) = (leg.impulse[i], leg.impulse[m + i]);
                    assert!(normal >= -1e-12);
                    assert!(tangent.abs() <= problem.friction()[i] * normal + 1e-9);
                    assert!(leg.states[i] != State::Open || normal.abs() < 1e-12);
                }
                let impulse = vector(&leg.impulse);
                let force = problem.jacobian().tr_mul(&impulse);
                v += problem.mass().clone().cholesky().unwrap().solve(&force);
            }
            let miss = (&v - vector(&witness.velocity)).amax();
            assert!(miss < 1e-7, "{name}: {miss}");
        }
    }
}

/// Where the exact set is missing the samples answer, and the answer says why it is missing.
#[test]
fn answers_go_on_without_the_exact_set() {
    let set = made(&[[0.5, 0.0], [1.0, 0.0]], 0);
    let why = Error::usage("it took too long").hint("wait");
    let without = Beside { missing: Some(why), ..Beside::default() };
    for question in [
        Question::Support(vec![1.0, 0.0]),
        Question::Modes,
        Question::Contains(vec![1.0, 0.0], 0.1),
    ] {
        let answer = reply(&set, &without, &question, &None).unwrap();
        assert!(answer.text.contains("it took too long (wait)"), "{}", answer.text);
        assert_eq!(answer.json["missing"]["why"], "it took too long");
        assert!(answer.json["exact"].is_null());
        let alone = reply(&set, &Beside::default(), &question, &None).unwrap();
        assert!(alone.json["missing"].is_null(), "{}", alone.text);
        assert!(!alone.text.contains("missing"), "{}", alone.text);
    }
}

/// A set that is not proved to have all outcomes says so, and a proof answers beside it.
#[test]
fn a_proof_answers_beside_a_set_that_is_not_proved() {
    let set = made(&[[0.0, 0.0]], 0);
    let found = Reach { certify: false, ..Reach::default() }.set(set.problem()).unwrap();
    let beside = |proofs| Beside { set: Some(found.clone()), proofs, ..Beside::default() };
    let answer = |question, proofs| reply(&set, &beside(proofs), &question, &None).unwrap();
    let support = || Question::Support(vec![1.0, 0.5]);
    let most = answer(support(), Some(BoundKind::Certified)).json;
    assert_eq!(most["exact"]["complete"], false);
    assert!(most["exact"]["value"].as_f64() <= most["bound"]["value"].as_f64(), "{most}");
    assert!(answer(support(), None).json["bound"].is_null());
    let far = || Question::Contains(vec![9.0, 9.0], 0.1);
    let proved = answer(far(), Some(BoundKind::Certified));
    assert!(proved.text.contains("no: a proof excludes it"), "{}", proved.text);
    assert!(proved.json["apart"].is_object(), "{}", proved.json);
    let open = answer(far(), None).text;
    assert!(open.contains("not in the set; that it has all outcomes is not proved"), "{open}");
}
