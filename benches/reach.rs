//! The exact set of outcomes: how long it takes, whether samples lie inside, and how near they come
//! to all of it.
//!
//! `cargo bench --bench reach -- --samples 1e7` draws so many samples of each scene [default:
//! 100000]; `--edges` measures only sets with Poisson's restitution, with facets, and
//! of bodies on three to six contacts.

use std::time::Instant;

use carom::scene;
use carom_analysis::{Arithmetic, ExactSet, Reach};
use carom_core::outcome::Samples;
use carom_core::outcome::distance::PointSet;
use carom_core::problem::ContactProblem;
use carom_core::status::Status;
use carom_engine::{Device, Engine, Plan, Precision, Search, SearchGoal, sample};
use carom_law::{Hypothesis, Routh, RouthProcess, Sampler};
use support::draws::Draws;
use support::planar::Planar;
use support::random::Kind;

// The benchmark uses a part of the tests' support.
#[allow(dead_code)]
#[path = "../tests/support"]
mod support {
    pub mod draws;
    pub mod planar;
    pub mod random;
}

const SCENES: [&str; 4] = ["rocking-block", "box-and-wall", "compass-gait", "ramone"];

/// Directions of support.
const DIRECTIONS: usize = 30;

/// Samples that have to come near all of the set, and uniform points of it that they have to come
/// near to.
const NEAR: u64 = 4096;
const POINTS: u64 = 2000;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let measured = arguments.iter().any(|argument| argument == "--bench");
    let asked = arguments.iter().position(|argument| argument == "--samples");
    let asked = asked.and_then(|at| arguments.get(at + 1)?.parse::<f64>().ok());
    // Without `--bench` it is run as a test.
    let samples = if measured { asked.unwrap_or(1e5) as u64 } else { 100 };
    edges(if measured { 40 } else { 1 });
    if arguments.iter().any(|argument| argument == "--edges") {
        return;
    }
    println!("scene, flows, polytopes, dimension, complete; milliseconds: exact, check, doubles");
    for name in SCENES {
        let problem = scene::load(name).unwrap();
        let set = timed(name, &problem, if measured { 200 } else { 1 });
        for sampler in [Sampler::Uniform, Sampler::Coverage] {
            beside(&problem, &set, sampler, samples);
        }
        aimed(&problem, &set);
    }
    random(2, if measured { 200 } else { 2 });
    random(3, if measured { 150 } else { 1 });
}

/// The shortest of `times` runs, in ms.
fn shortest(times: usize, mut run: impl FnMut()) -> f64 {
    let one = |_| {
        let begun = Instant::now();
        run();
        1e3 * begun.elapsed().as_secs_f64()
    };
    (0..times).map(one).fold(f64::INFINITY, f64::min)
}

fn timed(name: &str, problem: &ContactProblem, times: usize) -> ExactSet {
    let set = Reach::default().set(problem).unwrap();
    let bare = Reach { certify: false, describe: false, ..Reach::default() };
    let exact = shortest(times, || drop(bare.set(problem)));
    let check = shortest(1, || drop(Reach { certify: true, ..bare.clone() }.set(problem))) - exact;
    let doubles = shortest(10 * times, || drop(Reach::fast().set(problem)));
    let ([flows, _], polytopes) = (set.work(), set.polytopes().len());
    let (dimension, complete) = (set.dimension(), set.is_complete());
    println!(
        "{name}, {flows}, {polytopes}, {dimension}, {complete}; {exact:.2}, {check:.0}, {doubles:.3}"
    );
    set
}

/// Samples of the event process beside the set.
fn beside(problem: &ContactProblem, set: &ExactSet, sampler: Sampler, samples: u64) {
    let process = Some(RouthProcess::Events);
    let law = Routh { process, sampler: Some(sampler), ..Routh::default() }.into();
    let plan = Plan { law, samples, precision: Some(Precision::F64), ..Plan::default() };
    let n = problem.coordinate_count();
    let metric = PointSet::new(problem.mass(), problem.velocity(), &[]).unwrap();
    let mut draws = Draws::new(14);
    let directions: Vec<Vec<f64>> =
        (0..DIRECTIONS).map(|_| direction(&metric, &mut draws, n)).collect();
    let mut most = vec![f64::NEG_INFINITY; DIRECTIONS];
    let (mut outside, mut drawn, mut first) = (0.0_f64, 0, Vec::new());
    sample(problem, &plan, |part| {
        for i in (0..part.len()).filter(|i| part.status[*i] == Status::Terminated) {
            let v = part.row(&part.velocity, i);
            outside = outside.max(set.distance(v));
            drawn += 1;
            for (most, direction) in most.iter_mut().zip(&directions) {
                *most = most.max(dot(direction, v));
            }
            if drawn <= NEAR {
                first.extend_from_slice(v);
            }
        }
        Ok(())
    })
    .unwrap();
    let gap = |(direction, most): (&Vec<f64>, &f64)| set.support(direction).0 - most;
    let mut gaps: Vec<f64> = directions.iter().zip(&most).map(gap).collect();
    gaps.sort_by(f64::total_cmp);
    let share = near(problem, set, &first);
    let (median, largest) = (gaps[DIRECTIONS / 2], gaps[DIRECTIONS - 1]);
    println!(
        "    {}: {drawn} samples, outside by {outside:.1e} at most; gap of support {median:.4}, at most {largest:.4}; \
         {share:.1} % of the set within 0.01 of {} samples",
        sampler,
        drawn.min(NEAR)
    );
}

/// How much of the set, in %, lies within 0.01 of velocities.
fn near(problem: &ContactProblem, set: &ExactSet, velocities: &[f64]) -> f64 {
    let near = PointSet::new(problem.mass(), problem.velocity(), velocities).unwrap();
    let points = set.sample(POINTS, 1).unwrap_or_default();
    let points = points.chunks(problem.coordinate_count());
    100.0 * points.filter(|v| near.distance(v).0 <= 0.01).count() as f64 / POINTS as f64
}

/// Samples of which half are aimed at what the others leave open, as `carom sample --aim 0.5`.
fn aimed(problem: &ContactProblem, set: &ExactSet) {
    let targets = set.sample(2048, 2).unwrap_or_default();
    let targets = targets.chunks(problem.coordinate_count()).map(<[f64]>::to_vec).collect();
    let search = Search { share: 0.5, goal: SearchGoal::Near(targets) };
    let plan = Plan { samples: NEAR, precision: Some(Precision::F64), ..Plan::default() };
    let (mut velocities, mut outside) = (Vec::new(), 0.0_f64);
    let see = |part: &Samples| {
        for i in (0..part.len()).filter(|i| part.status[*i] == Status::Terminated) {
            let v = part.row(&part.velocity, i);
            outside = outside.max(set.distance(v));
            velocities.extend_from_slice(v);
        }
        Ok(())
    };
    Engine::open(&Device::Cpu).unwrap().explore(problem, &plan, &search, see).unwrap();
    let share = near(problem, set, &velocities);
    println!(
        "    coverage, half of them aimed: outside by {outside:.1e} at most; {share:.1} % of the set within 0.01 of {NEAR} samples"
    );
}

/// A direction `c` in which `c . v` is a coordinate of unit length in the kinetic metric.
fn direction(metric: &PointSet, draws: &mut Draws, n: usize) -> Vec<f64> {
    let x: Vec<f64> = (0..n).map(|_| (0..12).map(|_| draws.uniform(-0.5, 0.5)).sum()).collect();
    let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let x = nalgebra::DVector::from_iterator(n, x.iter().map(|x| x / size));
    metric.map().tr_mul(&x).iter().copied().collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Sets of random problems with Poisson's restitution in the plane and with facets in space, two
/// contacts, half of them of one body; and of planar bodies on more contacts.
fn edges(count: usize) {
    let bare = Reach { seconds: 2.0, describe: false, ..Reach::default() };
    let poisson = Reach { hypothesis: Hypothesis::Poisson, ..bare.clone() };
    let faceted = |count| Reach { facets: Some(count), ..bare.clone() };
    let of = |spatial, body, bounces, contacts| {
        let all = Kind { spatial, body, bounces }.problems().map(|(_, problem)| problem);
        all.filter(move |problem| problem.contact_count() == contacts)
    };
    for friction in [1.0, f64::INFINITY] {
        let fits = |p: &ContactProblem| p.friction().iter().all(|mu| *mu <= friction);
        for (name, spatial, reach) in [
            ("Poisson's restitution", false, &poisson),
            ("4 facets", true, &faceted(4)),
            ("6 facets", true, &faceted(6)),
            ("8 facets", true, &faceted(8)),
        ] {
            let two = |body| of(spatial, body, !spatial, 2);
            let all = two(true).zip(two(false)).flat_map(|(body, rows)| [body, rows]);
            soon(&format!("{name}, friction up to {friction}"), reach, all.filter(fits), count);
        }
        for contacts in 3..7 {
            let bodies = of(false, true, false, contacts).filter(fits);
            let name = format!("a body on {contacts} contacts, friction up to {friction}");
            soon(&name, &bare, bodies, count / 2);
        }
    }
}

/// The set of a problem if it is found, and how many ms it and its check take.
fn found_in(reach: &Reach, problem: &ContactProblem) -> (Option<ExactSet>, [f64; 2]) {
    let begun = Instant::now();
    let set = reach.set(problem).ok();
    let all = begun.elapsed().as_secs_f64();
    let seconds = set.as_ref().map_or(all, ExactSet::seconds);
    (set, [1e3 * seconds, 1e3 * (all - seconds)])
}

/// Which sets of `count` problems are found in the time given, are tight, and are proved in as much
/// time.
fn soon(name: &str, reach: &Reach, all: impl Iterator<Item = ContactProblem>, count: usize) {
    let (mut times, mut checks) = (Vec::new(), Vec::new());
    let (mut found, mut tight, mut good) = (0, 0, 0);
    for problem in all.take(count.max(1)) {
        let (set, [exact, check]) = found_in(reach, &problem);
        times.push(exact);
        checks.push(check);
        let Some(set) = set else { continue };
        found += 1;
        tight += usize::from(set.is_tight());
        good += usize::from(set.is_tight() && set.is_complete());
    }
    println!(
        "{name}, {} random problems: {found} sets found, {tight} tight, {good} tight and proved complete; ms: exact {}, check {}",
        times.len(),
        spread(times),
        spread(checks)
    );
}

/// Random problems with so many contacts, of all kinds in turn: which sets are found within ten
/// seconds, tight and proved.
fn random(contacts: usize, count: usize) {
    let (mut times, mut checks, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut found, mut tight, mut good, mut doubles) = (0, 0, 0, 0);
    let bare = Reach { describe: false, ..Reach::default() };
    for number in 0..count {
        let kind = Planar::ALL[number % Planar::ALL.len()];
        let number = number / Planar::ALL.len();
        let problem = ContactProblem::new(kind.problem(contacts, number)).unwrap();
        let (set, [exact, check]) = found_in(&bare, &problem);
        times.push(exact);
        checks.push(check);
        let all = set.as_ref().map(|set| [set.is_tight(), set.is_complete()]);
        found += usize::from(all.is_some());
        tight += usize::from(all.is_some_and(|[tight, _]| tight));
        good += usize::from(all == Some([true; 2]));
        match all {
            Some([true, true]) => {}
            None => failed.push(format!("{kind:?} {number} not found")),
            Some([true, _]) => failed.push(format!("{kind:?} {number} not proved")),
            Some(_) => failed.push(format!("{kind:?} {number} loose")),
        }
        let arithmetic = Arithmetic::Doubles;
        let fast = Reach { arithmetic, certify: false, ..bare.clone() };
        doubles += usize::from(fast.set(&problem).is_ok());
    }
    println!(
        "{contacts} contacts, {count} random problems: {found} sets found, {tight} tight, {good} tight and proved complete, {doubles} \
         found in doubles; ms: exact {}, check {}",
        spread(times),
        spread(checks)
    );
    println!("    {}", failed.join(", "));
}

/// The median, the 90 % quantile and the largest of some times.
fn spread(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let [median, p90, most] =
        [0.5, 0.9, 1.0].map(|part| times[(part * (times.len() - 1) as f64) as usize]);
    format!("median {median:.2}, 90 % {p90:.2}, most {most:.0}")
}
