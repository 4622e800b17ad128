//! The exact planar process.

use super::*;
use crate::support::random::Kind;
use carom_law::routh::events::check::EventsJudge;
use carom_law::routh::steps::Steps;
use proptest::prelude::*;

fn exact(problem: &ContactProblem, samples: u64, precision: Precision) -> Samples {
    let law = Routh { process: Some(RouthProcess::Events), ..uniform() };
    let law = Law::Routh(law);
    on_cpu(problem, &planned(law, samples, 3, precision))
}

/// The one outcome at one planar contact, phase by phase: sliding, then sticking or sliding the way
/// that friction cannot prevent, until the contact no longer approaches. `w` and `u` are those of
/// normal and tangent.
fn one_contact(w: [[f64; 2]; 2], mu: f64, mut u: [f64; 2]) -> [f64; 2] {
    while u[0] < 0.0 {
        let slides = |direction: f64| {
            [w[0][0] - mu * direction * w[0][1], w[1][0] - mu * direction * w[1][1]]
        };
        let rate = if u[1] != 0.0 {
            slides(u[1].signum())
        } else if w[1][0].abs() <= mu * w[1][1] {
            [w[0][0] - w[0][1] * w[1][0] / w[1][1], 0.0]
        } else {
            slides(w[1][0].signum())
        };
        let until = |i: usize| if u[i] * rate[i] < 0.0 { -u[i] / rate[i] } else { f64::INFINITY };
        let (over, turn) = (until(0), until(1));
        if over <= turn {
            return [0.0, u[1] + over * rate[1]];
        }
        u = [u[0] + turn * rate[0], 0.0];
    }
    u
}

#[test]
fn one_contact_has_its_closed_form() {
    let friction = prop_oneof![Just(0.0), 0.01..2.0f64, 0.01..2.0f64, 2.0..100.0f64].boxed();
    let specs = Problems { contacts: 1, coordinates: 4, tangents: 1, friction, decades: [2.0; 3] }
        .strategy();
    let (mut count, mut slid, mut worst) = (0, 0, 0.0f64);
    for problem in fixed_problems(specs).take(cases(5000, 100_000)) {
        let (w, u) = (problem.delassus(), problem.contact_velocity());
        // Where one coordinate alone moves the contact, rounding decides what is singular.
        if w[(0, 0)] * w[(1, 1)] - w[(0, 1)] * w[(1, 0)] < 1e-6 * w[(0, 0)] * w[(1, 1)] {
            continue;
        }
        let w = [[w[(0, 0)], w[(0, 1)]], [w[(1, 0)], w[(1, 1)]]];
        let expected = one_contact(w, problem.friction()[0], [u[0], u[1]]);
        let samples = exact(&problem, 1, F64);
        assert_eq!(samples.status[0], Status::Terminated);
        let after = problem.jacobian() * vector(samples.row(&samples.velocity, 0));
        for i in 0..2 {
            worst = worst.max((after[i] - expected[i]).abs() / u.amax());
        }
        count += 1;
        slid += usize::from(u[0] < 0.0 && expected[1].abs() > 1e-3 * u.amax());
    }
    assert!(count > cases(2500, 50_000), "{count} {slid} {worst:e}");
    assert!(slid > count / 8 && worst <= 1e-10, "{count} {slid} {worst:e}");
}

/// However slowly a contact approaches, friction may drive it in until it stops sliding.
#[test]
fn a_contact_that_hardly_approaches_has_its_closed_form() {
    let specs =
        small(1, 1.0, false).prop_map(|spec| ProblemSpec { friction: Some(vec![3.0]), ..spec });
    let mut jams = [0; 2];
    let regular = |problem: &ContactProblem| {
        let w = problem.delassus();
        w[(0, 0)] * w[(1, 1)] - w[(0, 1)] * w[(1, 0)] > 1e-3 * w[(0, 0)] * w[(1, 1)]
    };
    let listed = fixed_problems(specs).filter(regular).take(cases(400, 4000)).enumerate();
    for (number, problem) in listed {
        let (w, u) = (problem.delassus(), problem.contact_velocity());
        let slow = u.amax() * 10f64.powi(-8 - (number % 8) as i32);
        // The normal impulse that leaves just this.
        let stop = problem.response().column(0) * ((-slow - u[0]) / w[(0, 0)]);
        let spec = problem.spec().clone();
        let velocity = (problem.velocity() + stop).as_slice().to_vec();
        let problem = crate::support::problems::problem(ProblemSpec { velocity, ..spec });
        let (w, u) = (problem.delassus(), problem.contact_velocity());
        if u[0] >= 0.0 || u[1].abs() < 1e-3 {
            continue;
        }
        let expected =
            one_contact([[w[(0, 0)], w[(0, 1)]], [w[(1, 0)], w[(1, 1)]]], 3.0, [u[0], u[1]]);
        for (k, precision) in [F64, F32].into_iter().enumerate() {
            let samples = exact(&problem, 20, precision);
            for i in 0..samples.len() {
                assert_eq!(samples.status[i], Status::Terminated);
                let after = problem.jacobian() * vector(samples.row(&samples.velocity, i));
                let apart = (0..2).fold(0.0, |far: f64, j| far.max((after[j] - expected[j]).abs()))
                    / u.amax();
                let most = [1e-12, 1e-4][k];
                assert!(apart < most, "{precision:?}: {after} {expected:?} {problem:?}");
            }
            jams[k] += usize::from(expected[1] == 0.0);
        }
    }
    assert!(jams[0] > 20, "{jams:?}");
}

/// Two points of a body that are hardly apart: what holds for one of them holds for both.
#[test]
fn samples_end_where_no_contact_approaches() {
    let apart = 6e-7;
    let points = [[-0.4, -0.7], [-0.4 + apart, -0.7 - apart]];
    for mu in [0.5, 3.0] {
        let normal = points.iter().map(|[x, _]| [0.0, 1.0, *x]);
        let tangent = points.iter().map(|[_, y]| [1.0, 0.0, -y]);
        let problem = problem(rough(&[1.0; 3], normal, tangent, [mu; 2], [0.3, -1.0, 0.8]));
        let samples = exact(&problem, 4000, F64);
        for i in 0..samples.len() {
            let after = problem.jacobian() * vector(samples.row(&samples.velocity, i));
            assert_eq!(samples.status[i], Status::Terminated);
            assert!(after.rows(0, 2).min() > -1e-13, "mu {mu}: {after}");
        }
    }
}

/// A store is lost only by a rest throughout a block; the judge sees a move within it.
#[test]
fn stores_are_lost_at_rest_only() {
    let problem = given(
        r#"{
  "mass": [
    [205.6538592179696, 0.0, 0.0], [0.0, 1.9682745207442608e-5, 0.0], [0.0, 0.0, 142773.4584933652]],
  "normal": [
    [-7.156844767170104, 0.021836947791044836, 14.710009966219113],
    [6.6991391273895085, -0.022624697688548683, 102.93752027109316],
    [6.848022124004668, -0.017445020864402208, 17.12441560940358]],
  "tangent": [
    [10.59299261499997, -0.005573880383241495, -46.258652693092635],
    [2.8063786968172306, -0.0021401864322453164, 188.95140434304932],
    [-18.20485129673263, -0.008083688643356597, 180.44854176413682]],
  "friction": [3.0, 3.0, 3.0],
  "restitution": [1.0, 1.0, 1.0],
  "velocity": [0.08634042944953448, -93.64146687113582, -0.0006333053635488295]
}"#,
    );
    let samples = exact(&problem, 200, F64);
    assert!(samples.residual.iter().all(|residual| *residual <= 1e-6));
    assert!(samples.status.iter().all(|status| *status == Status::Terminated));
    // One contact comes in, rests, has 1 stored; in the next block it may go in and out.
    let step = Events::<f64>::new(&uniform(), &point()).unwrap().space.step;
    let lost = |moves: bool| {
        let mut judge = EventsJudge::new(1);
        judge.begin(&[-1.0, 0.0], &[1.0]);
        judge.block();
        judge.segment::<0>(&step, &[1.0], &[1.0, 0.0]);
        judge.block();
        if moves {
            judge.segment::<0>(&step, &[1.0], &[0.5, 0.0]);
            judge.segment::<0>(&step, &[0.0], &[-0.5, 0.0]);
        }
        judge.residual = 0.0;
        judge.forfeit(0);
        judge.end()
    };
    assert!(lost(false) == 0.0 && lost(true) > 0.1, "{} {}", lost(false), lost(true));
}

/// A ball of mass 1 that falls.
fn point() -> ContactProblem {
    bouncing(&problem(puck(1.0, 0.0, [0.0, -1.0])), 1.0)
}

/// Sorted distances of matched samples of events and of steps of a `k`-th, over `max|v-|`.
fn against_steps(problem: &ContactProblem, k: u32, samples: u64) -> Vec<f64> {
    let h = problem.natural_step().unwrap();
    let exact = Events::<f64>::new(&uniform(), problem).unwrap();
    let law = Routh {
        step: Some(h / f64::from(k)),
        persist: Some(k),
        max_steps: Some(2_000_000),
        ..uniform()
    };
    let steps = Steps::<f64>::new(&law, problem).unwrap();
    let (mut a, mut b) = (exact.workspace(), steps.workspace());
    let mut distances: Vec<f64> = (0..samples)
        .map(|i| {
            let stream = Stream::new(9, i);
            assert_eq!(exact.sample(&stream, &mut a).status, Status::Terminated);
            assert_eq!(steps.sample(&stream, &mut b).status, Status::Terminated);
            let width = steps.space.step.width();
            let [mut u, mut v] = [vec![0.0; width], vec![0.0; width]];
            steps.space.step.advance(&steps.space.start, &a.total, &mut u);
            steps.space.step.advance(&steps.space.start, &b.total, &mut v);
            let sigma = &steps.space.step.sigma;
            (0..width).fold(0.0, |d: f64, j| d.max(sigma[j] * (u[j] - v[j]).abs()))
        })
        .collect();
    distances.sort_by(f64::total_cmp);
    distances
}

/// Steps of a k-th of a block converge at the first order: ten times as many, a tenth off.
///
/// Where a segment has several solutions, steps draw one of them again at every step, and segments
/// draw others: rarely on a stack of disks, nearly always on the compass gait. On `ramone` a step
/// may also catch the foot again that the step before has lifted, which the law does not: all short
/// steps end with both feet stuck.
#[test]
fn ever_shorter_steps_lead_to_it() {
    let scenes = [
        ("rocking-block", Some(0.5)),
        // Half of the samples of a box have one segment, which steps of any length follow.
        ("box-and-wall", Some(0.9)),
        ("disk-stack", Some(0.5)),
        ("compass-gait", Some(0.1)),
        ("ramone", None),
    ];
    for (name, compared) in scenes {
        let problem = load(name);
        let count = if name == "disk-stack" { 60 } else { 200 };
        let rows = [20, 100, 400].map(|k| against_steps(&problem, k, count));
        let at = |row: &[f64], part: f64| row[(part * row.len() as f64) as usize];
        for (k, row) in [20, 100, 400].into_iter().zip(&rows) {
            let [least, median, most] = [0.1, 0.5, 0.9].map(|part| at(row, part));
            println!("{name}, k = {k}: 10 % {least:.1e}, median {median:.1e}, 90 % {most:.1e}");
        }
        if let Some(part) = compared {
            let [coarse, fine] = [at(&rows[0], part), at(&rows[2], part)];
            assert!(fine <= coarse / 10.0 && fine <= 1e-3, "{name}: {coarse:e} {fine:e}");
        }
    }
}

#[test]
fn coarse_steps_are_not_the_law() {
    let block = load("rocking-block");
    let samples = exact(&block, 4000, F64);
    let m = block.contact_count();
    for i in 0..samples.len() {
        assert_eq!(samples.status[i], Status::Terminated);
        let after = block.jacobian() * vector(samples.row(&samples.velocity, i));
        let lifted = after.iter().take(m).filter(|u| **u > 1e-6).count();
        assert_eq!(lifted, 1, "one corner lifts: {after}");
    }
}

/// Contacts of a stack of disks take over from each other ever faster; samples end.
#[test]
fn spirals_end() {
    let disks = load("disk-stack");
    for precision in [F64, F32] {
        let samples = exact(&disks, 600, precision);
        let ended = samples.status.iter().filter(|status| **status == Status::Terminated).count();
        assert_eq!(ended, samples.len(), "{precision:?}");
        assert!(samples.residual.iter().all(|residual| *residual <= 1e-6));
    }
}

/// Contacts that give back ever less in turn: stores end before they underflow.
#[test]
fn spirals_of_restitution_end() {
    let kind = Kind { spatial: false, body: false, bounces: true };
    let (_, problem) = kind.problems().find(|(number, _)| *number == 27).unwrap();
    let samples = exact(&problem, 600, F64);
    let worst = samples.residual.iter().copied().fold(0.0, f64::max);
    assert!(samples.status.iter().all(|s| *s == Status::Terminated) && worst <= 1e-6, "{worst:e}");
}

/// One segment: the normal impulses that its rates allow, and its impulse.
type Piece = (Vec<f64>, Vec<f64>);

fn judged(process: &Events<f64>, pieces: &[Piece]) -> f64 {
    let m = process.space.step.contacts;
    let e: Vec<f64> = process.numbers.e.iter().map(|[e, _]| *e).collect();
    let mut judge = EventsJudge::new(m);
    judge.begin(&process.space.start, &e);
    for (c, l) in pieces {
        judge.segment::<0>(&process.space.step, c, l);
    }
    judge.end()
}

/// What is wrong with an integrator shows: friction of the wrong sign, a contact left out, an event
/// missed, a force too large, a force at a contact that separates.
#[test]
fn the_judge_sees_what_is_wrong() {
    let mut seen = [(0, 0); 5];
    let problems = fixed_problems(small(3, 1.0, false)).filter(ContactProblem::approaches);
    for problem in problems.take(300) {
        let process = Events::<f64>::new(&uniform(), &problem).unwrap();
        let m = problem.contact_count();
        let mut work = process.workspace();
        for sample in 0..4 {
            let mut pieces: Vec<Piece> = Vec::new();
            let keep = |c: &[f64], l: &[f64]| pieces.push((c.to_vec(), l.to_vec()));
            let ending = process.sample_observed(&Stream::new(1, sample), &mut work, keep);
            assert_eq!(ending.status, Status::Terminated);
            assert!(judged(&process, &pieces) <= 1e-9);
            let mut u = process.space.start.clone();
            for s in 0..pieces.len() {
                let before = u.clone();
                process.space.step.advance(&before, &pieces[s].1, &mut u);
                for i in 0..m {
                    let (c, l) = &pieces[s];
                    let (cap, ln, lt) = (c[i], l[i], l[m + i]);
                    let slides = before[m + i].abs().max(u[m + i].abs());
                    let approaches = (-before[i]).max(-u[i]);
                    let mut test = |fault: usize, clear: bool, change: &dyn Fn(&mut Vec<Piece>)| {
                        if clear {
                            let mut changed = pieces.clone();
                            change(&mut changed);
                            seen[fault].0 += 1;
                            seen[fault].1 += usize::from(judged(&process, &changed) > 1e-4);
                        }
                    };
                    let force = lt.abs().min(slides) > 1e-2;
                    test(0, force, &|pieces| pieces[s].1[m + i] = -lt);
                    let pushed = ln.min(approaches) > 1e-2;
                    test(1, pushed, &|pieces| {
                        pieces[s].1[i] = 0.0;
                        pieces[s].1[m + i] = 0.0;
                    });
                    // A missed event: forces go on through the next segment.
                    let next = pieces.get(s + 1).map(|(_, l)| (l[i], l[m + i]));
                    let turns = next.is_some_and(|(n, t)| {
                        let rate = pieces[s + 1].0[i] / cap;
                        (ln * rate - n).abs().max((lt * rate - t).abs()) > 1e-2
                    });
                    test(2, turns && cap > 0.0, &|pieces| {
                        let rate = pieces[s + 1].0[i] / cap;
                        pieces[s + 1].1[i] = ln * rate;
                        pieces[s + 1].1[m + i] = lt * rate;
                    });
                    test(3, ln > 1e-2, &|pieces| pieces[s].1[i] = cap + 0.01);
                    test(4, ln == 0.0 && before[i].min(u[i]) > 1e-2, &|pieces| {
                        pieces[s].1[i] = 0.01
                    });
                }
            }
        }
    }
    for (fault, (made, found)) in seen.into_iter().enumerate() {
        assert!(made > 100 && found == made, "fault {fault}: {found} of {made}");
    }
}

/// An integrator that stores `e` of the work of compression instead of `e^2` shows as well.
#[test]
fn the_judge_keeps_accounts_of_its_own() {
    let (mut made, mut found) = (0, 0);
    for problem in fixed_problems(small(2, 1.0, false)).filter(ContactProblem::approaches).take(200)
    {
        let m = problem.contact_count();
        let with = |e: f64| Events::<f64>::new(&uniform(), &bouncing(&problem, e)).unwrap();
        let (sound, wrong) = (with(0.5), with(0.5f64.sqrt()));
        for sample in 0..3 {
            let run = |process: &Events<f64>| {
                let mut pieces: Vec<Piece> = Vec::new();
                let keep = |c: &[f64], l: &[f64]| pieces.push((c.to_vec(), l.to_vec()));
                process.sample_observed(&Stream::new(4, sample), &mut process.workspace(), keep);
                pieces
            };
            let pieces = run(&sound);
            // Where a held contact has lost its store, the impulses alone do not say so.
            if judged(&sound, &pieces) > 1e-9 {
                continue;
            }
            let mut work = process_work(&sound, &pieces);
            work.sort_by(f64::total_cmp);
            if work[m - 1] > 1e-2 {
                made += 1;
                found += usize::from(judged(&sound, &run(&wrong)) > 1e-4);
            }
        }
    }
    assert!(made > 100 && found == made, "{found} of {made}");
}

/// The work of compression at each contact (m).
fn process_work(process: &Events<f64>, pieces: &[Piece]) -> Vec<f64> {
    let m = process.space.step.contacts;
    let mut work = vec![0.0; m];
    let mut u = process.space.start.clone();
    for (_, l) in pieces {
        let before = u.clone();
        process.space.step.advance(&before, l, &mut u);
        for i in 0..m {
            work[i] += l[i] * (-0.5 * (before[i] + u[i])).max(0.0);
        }
    }
    work
}

/// Nearly all samples end accepted, and none with a residual up to `sound` gains energy.
fn end_soundly(problems: impl Iterator<Item = ContactProblem>, sound: f64) {
    let (mut samples, mut ended) = (0, 0);
    for problem in problems {
        let run = exact(&problem, 10, F64);
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        for i in 0..run.len() {
            samples += 1;
            if run.status[i] != Status::Terminated || run.residual[i] > sound {
                println!("{:?} {:e}: {problem:?}", run.status[i], run.residual[i]);
                continue;
            }
            ended += usize::from(run.residual[i] <= 1e-6);
            let share = run.kinetic_energy[i] / before;
            assert!(run.kinetic_energy[i] <= before * (1.0 + 1e-9), "{share:e}");
        }
    }
    assert!(ended * 1000 >= samples * 999, "{ended} of {samples}");
}

/// Any number of contacts, copies among them, in any units, with friction from 0 to 1e5.
#[test]
fn random_problems_end_soundly() {
    let few = fixed_problems(planar(4)).take(cases(200, 2000));
    end_soundly(few.chain(fixed_problems(planar(8)).take(cases(40, 400))), f64::INFINITY);
}

#[test]
fn single_precision_agrees() {
    for (name, problem) in
        loaded(["rocking-block", "compass-gait", "box-and-wall", "ramone", "disk-stack"])
    {
        let (a, b) = (exact(&problem, 1000, F64), exact(&problem, 1000, F32));
        let far = |i: &usize| {
            let pairs = a.row(&a.velocity, *i).iter().zip(b.row(&b.velocity, *i));
            pairs.fold(0.0, |d: f64, (x, y)| d.max((x - y).abs()))
                > 1e-3 * problem.velocity().amax()
        };
        assert!(b.status.iter().all(|status| *status == Status::Terminated), "{name}");
        let flips = (0..a.len()).filter(far).count();
        // Spirals of a stack of disks are left at another velocity, and lead elsewhere in the set.
        assert!(name == "disk-stack" || flips <= 2, "{name}: {flips}");
    }
}

#[test]
fn what_it_does_not_cover_is_refused() {
    let block = load("rocking-block");
    let law = Law::Routh(Routh { process: Some(RouthProcess::Events), ..uniform() });
    let poisson = Routh {
        process: Some(RouthProcess::Events),
        hypothesis: Some(Hypothesis::Poisson),
        ..uniform()
    };
    let error = Law::Routh(poisson).prepare::<f64>(&bouncing(&block, 0.5)).unwrap_err();
    assert!(error.to_string().contains("hypothesis"));
    let cube = load("cube-on-edge");
    assert!(law.prepare::<f64>(&cube).unwrap_err().to_string().contains("planar"));
}

/// Two frictionless contacts with Stronge's coefficients, event by event, with rates that change
/// with every unit of time: the velocity after, and how often a contact that gave back was
/// compressed again.
pub fn two_bounces(
    w: &nalgebra::DMatrix<f64>,
    mut u: [f64; 2],
    e: [f64; 2],
    rates_of: impl Fn(u32) -> [f64; 2],
) -> ([f64; 2], u32) {
    let (mut stored, mut again) = ([0.0f64; 2], 0);
    let (mut block, mut left) = (0, 1.0f64);
    for _ in 0..10_000 {
        let rates = rates_of(block);
        if (0..2).all(|i| u[i] >= 0.0 && stored[i] == 0.0) {
            return (u, again);
        }
        // Forces: full where a contact approaches or gives back; at rest what keeps it there.
        let mut l = [0, 1].map(|i| if u[i] < 0.0 || stored[i] > 0.0 { rates[i] } else { 0.0 });
        for i in 0..2 {
            let j = 1 - i;
            let pushed = w[(i, j)] * l[j];
            if u[i] == 0.0 && stored[i] == 0.0 && pushed < 0.0 {
                l[i] = (-pushed / w[(i, i)]).min(rates[i]);
            }
        }
        let rate = [0, 1].map(|i| {
            let rate = w[(i, 0)] * l[0] + w[(i, 1)] * l[1];
            if u[i] == 0.0 && l[i] > 0.0 && l[i] < rates[i] { 0.0 } else { rate }
        });
        let crossing =
            |i: usize| if u[i] * rate[i] < 0.0 { -u[i] / rate[i] } else { f64::INFINITY };
        let empty = |i: usize| {
            let (a, b) = (rate[i], u[i]);
            let square = b * b + 2.0 * a * stored[i] / rates[i];
            let gives = stored[i] > 0.0 && (b > 0.0 || b == 0.0 && a > 0.0) && square >= 0.0;
            if gives { 2.0 * stored[i] / rates[i] / (b + square.sqrt()) } else { f64::INFINITY }
        };
        let events = [0, 1].map(|i| [crossing(i), empty(i)]);
        let time = events.iter().flatten().copied().fold(left, f64::min);
        (block, left) = if time < left { (block, left - time) } else { (block + 1, 1.0) };
        for i in 0..2 {
            let [cross, runs_out] = events[i].map(|event| event <= time);
            let next = if cross { 0.0 } else { u[i] + rate[i] * time };
            let work = l[i] * 0.5 * (u[i] + next) * time;
            again += u32::from(stored[i] > 0.0 && work < 0.0 && u[i] == 0.0);
            stored[i] += if work < 0.0 { -e[i] * e[i] * work } else { -work };
            if runs_out {
                stored[i] = 0.0;
            }
            u[i] = next;
        }
    }
    panic!("no end");
}

/// The impulses of a sample of a process.
pub type Sampling = Box<dyn FnMut(&Stream) -> [f64; 2]>;

/// Pairs of frictionless contacts that push each other back in, against the oracle: how many of so
/// many impacts have a second compression, and how far velocities are off, over `max|u-|`.
pub fn compressed_again(
    most: u32,
    process: impl Fn(&ContactProblem, f64) -> Sampling,
) -> (u32, f64) {
    let specs = small(2, 0.0, false).prop_map(|spec| ProblemSpec {
        tangent: vec![],
        friction: None,
        ..spec
    });
    let (mut count, mut repeated, mut worst) = (0, 0, 0.0f64);
    let pairs = fixed_problems(specs).filter(|problem| problem.contact_count() == 2);
    for (k, pair) in pairs.enumerate() {
        let (w, u) = (pair.delassus(), pair.contact_velocity());
        let regular = w[(0, 0)] * w[(1, 1)] - w[(0, 1)] * w[(1, 0)] > 1e-3 * w[(0, 0)] * w[(1, 1)];
        if !regular || w[(0, 1)] >= 0.0 || !pair.approaches() {
            continue;
        }
        let e = [0.6, 0.3 + 0.1 * (k % 6) as f64];
        let problem = changed(&pair, |spec| spec.restitution = Some(e.to_vec()));
        let h = 0.3 * problem.natural_step().unwrap();
        let mut sample = process(&problem, h);
        for number in 0..5 {
            let stream = Stream::new(2, number);
            let rates = |block: u32| {
                let words = stream.block(block, Purpose::Rate, 0);
                // Late blocks are longer.
                let length = 2f64.powi(((block + 8).saturating_sub(64) / 8).min(10) as i32);
                [0, 1].map(|i| h * length * f64::from(unit(words[i])))
            };
            let (expected, again) = two_bounces(w, [u[0], u[1]], e, rates);
            let l = sample(&stream);
            for i in 0..2 {
                let after = u[i] + w[(i, 0)] * l[0] + w[(i, 1)] * l[1];
                worst = worst.max((after - expected[i]).abs() / u.amax());
            }
            count += 1;
            repeated += u32::from(again > 0);
        }
        if count >= most {
            break;
        }
    }
    println!("{count} impacts, {repeated} with a second compression: within {worst:e}");
    (repeated, worst)
}

#[test]
fn compressed_again_a_contact_stores_e_squared_of_the_work() {
    let (repeated, worst) = compressed_again(3000, |problem, h| {
        let process = Events::<f64>::new(&Routh { step: Some(h), ..uniform() }, problem).unwrap();
        let mut work = process.workspace();
        Box::new(move |stream| {
            let ending = process.sample(stream, &mut work);
            assert_eq!(ending.status, Status::Terminated);
            assert!(ending.residual <= 1e-9, "{ending:?}");
            [0, 1].map(|i| process.space.scaling.impulse_along(&work.total, i))
        })
    });
    assert!(repeated > 300 && worst <= 1e-10, "{repeated} {worst:e}");
}

/// With restitution and friction samples end, gain no energy, and the judge agrees.
#[test]
fn restitution_is_sound_on_random_problems() {
    let known = fixed_problems(small(5, 2.0, true)).take(cases(200, 2000));
    let problems = known.enumerate().map(|(k, known)| {
        let e = (0..known.contact_count()).map(|i| 0.1 + 0.08 * ((k + 3 * i) % 11) as f64);
        changed(&known, |spec| spec.restitution = Some(e.collect()))
    });
    end_soundly(problems, 1e-6);
}

/// With so many contacts no map of a combination of modes is remembered.
#[test]
fn many_contacts_have_outcomes() {
    let friction = (0.1..1.0f64).boxed();
    let specs =
        Problems { contacts: 24, coordinates: 60, tangents: 1, friction, decades: [0.1; 3] }
            .strategy();
    for problem in fixed_problems(specs).take(2) {
        let samples = exact(&problem, 5, F64);
        assert!(samples.status.iter().all(|status| *status == Status::Terminated));
        assert!(samples.residual.iter().all(|residual| *residual <= 1e-6));
    }
}
