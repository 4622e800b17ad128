//! How far bounds lie above what samples and adversarial motions reach, and how long they take.
//!
//! `cargo bench --bench bounds -- --directions 100 --problems 200` takes so many directions of each
//! scene and so many random problems of each kind [default: 20 and 22].

use std::time::{Duration, Instant};

use carom::scene;
use carom::{Device, Engine, Uncertainty, bound_within};
use carom_analysis::bounds::{Aim, BoundKind, bound};
use carom_analysis::judged;
use carom_core::Limits;
use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_engine::{Plan, Precision};
use nalgebra::DVector;
use support::bouncing::Bouncing;
use support::draws::Draws;
use support::families::{Family, Rows};
use support::judge::Judge;
use support::random::Kind;

// The benchmark uses a part of the tests' support.
#[allow(dead_code)]
#[path = "../tests/support"]
mod support {
    pub mod bouncing;
    pub mod draws;
    pub mod families;
    pub mod fractions;
    pub mod judge;
    pub mod random;
}

/// Scenes, and restitution in place of their own.
const SCENES: [(&str, Option<f64>); 11] = [
    ("rocking-block", None),
    ("box-and-wall", None),
    ("box-and-wall", Some(0.5)),
    ("compass-gait", None),
    ("compass-gait", Some(0.5)),
    ("cube-on-edge", Some(0.0)),
    ("cube-on-edge", None),
    ("quadruped-trot", None),
    ("pin-ball", None),
    ("icosahedron-tetrahedron", None),
    ("disk-stack", None),
];
/// Kinds of random planar problems: contacts, and whether they bounce.
const KINDS: [(usize, bool); 5] = [(2, false), (2, true), (3, false), (3, true), (4, false)];
/// Samples of a scene, of which half seek the direction; motions of a random problem that bounces,
/// and motions in fractions of one that does not.
const SAMPLES: u64 = 4096;
const MOTIONS: usize = 500;
const EXACT_MOTIONS: usize = 100;
/// Time of somebody who waits for a certified bound, and of a control loop.
const PATIENCE: Duration = Duration::from_secs(10);
const SOON: Duration = Duration::from_millis(50);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    // Without `--bench` it is run as a test.
    let measured = arguments.iter().any(|argument| argument == "--bench");
    let asked = |name: &str, otherwise: usize| {
        let at = arguments.iter().position(|argument| argument == name);
        let given = at.and_then(|at| arguments.get(at + 1)?.parse().ok());
        given.unwrap_or(if measured { otherwise } else { 1 })
    };
    println!("gaps are over |c|_(M^-1) |v-|_M: median, 90 %, largest");
    for (name, restitution) in SCENES {
        of_scene(name, restitution, asked("--directions", 20));
    }
    for (contacts, bounces) in KINDS {
        of_kind(contacts, bounces, asked("--problems", 22));
    }
    for kind in Kind::all() {
        for friction in [1.0, 100.0] {
            of_any_contacts(kind, friction, asked("--problems", 22));
        }
    }
}

/// Gaps of `conic` and `certified`, seconds of `certified`, and what others add.
#[derive(Default)]
struct Gaps {
    conic: Vec<f64>,
    certified: Vec<f64>,
    seconds: Vec<f64>,
    /// The gap of the best bound that is proved within [`SOON`], and how long that took.
    soon: Vec<f64>,
    seconds_of_soon: Vec<f64>,
    /// The gap of the strongest bound, the exact one where it is proved; seconds of the exact one.
    strongest: Vec<f64>,
    seconds_of_exact: Vec<f64>,
    exact: usize,
    passed: usize,
}

impl Gaps {
    fn add(&mut self, problem: &ContactProblem, c: &[f64], reached: f64, tolerance: f64) {
        let begun = Instant::now();
        let found =
            bound_within(problem, c, BoundKind::Certified, PATIENCE, &Limits::default()).unwrap();
        self.seconds.push(begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        let soon =
            bound_within(problem, c, BoundKind::Certified, SOON, &Limits::default()).unwrap();
        self.seconds_of_soon.push(begun.elapsed().as_secs_f64());
        self.soon.push(soon.value - reached);
        self.passed += usize::from(soon.certified && reached > soon.value + tolerance);
        let wide = bound(problem, c, BoundKind::Conic).unwrap();
        self.certified.push(found.value - reached);
        self.conic.push(wide.value - reached);
        self.passed += usize::from(found.certified && reached > found.value + tolerance);
        let begun = Instant::now();
        let exact = bound(problem, c, BoundKind::Exact).ok().filter(|exact| exact.certified);
        self.seconds_of_exact.push(begun.elapsed().as_secs_f64());
        self.exact += usize::from(exact.is_some());
        self.passed += usize::from(exact.is_some_and(|exact| reached > exact.value + tolerance));
        let strongest = exact.map_or(found.value, |exact| exact.value.min(found.value));
        self.strongest.push(strongest - reached);
    }

    fn print(self, name: &str) {
        let (count, proved, passed) = (self.seconds.len(), self.exact, self.passed);
        let ranks = |mut all: Vec<f64>| {
            all.sort_by(f64::total_cmp);
            let last = all.len().saturating_sub(1);
            let at = |k: usize| all.get(k).map_or("-".into(), |x| format!("{x:.4}"));
            [last / 2, last * 9 / 10, last].map(at).join(", ")
        };
        let [of_soon, of_exact] = [self.seconds_of_soon, self.seconds_of_exact].map(ranks);
        let [conic, certified, seconds] = [self.conic, self.certified, self.seconds].map(ranks);
        let [soon, strongest] = [self.soon, self.strongest].map(ranks);
        println!(
            "{name}: conic {conic}; certified {certified}; seconds {seconds}; \
             within {SOON:?} {soon}; seconds {of_soon}; exact for {proved} of {count}; \
             strongest {strongest}; seconds of exact {of_exact}; passed {passed}",
        );
    }
}

/// A direction of unit length in the kinetic metric of `v / |v-|_M`.
fn direction(problem: &ContactProblem, draws: &mut Draws) -> Vec<f64> {
    let v = problem.velocity();
    let speed = (2.0 * problem.kinetic_energy(v.as_slice())).sqrt();
    let root = problem.mass().clone().cholesky().unwrap().l() / speed;
    (root * DVector::from_vec(draws.numbers(v.len())).normalize()).as_slice().to_vec()
}

fn of_scene(name: &str, restitution: Option<f64>, directions: usize) {
    let mut problem = scene::load(name).unwrap();
    if let Some(e) = restitution {
        let all = vec![e; problem.contact_count()];
        problem = problem.with_numbers(Some(all), Uncertainty::default()).unwrap();
    }
    let (mut draws, mut gaps) = (Draws::of(229, 0), Gaps::default());
    for _ in 0..directions {
        let c = direction(&problem, &mut draws);
        gaps.add(&problem, &c, sampled(&problem, &c).unwrap(), 1e-4);
    }
    let restitution = restitution.map_or(String::new(), |e| format!(", restitution {e}"));
    gaps.print(&format!("{name}{restitution}"));
}

/// The largest `c.v+` of samples of which half seek it, if any is accepted.
fn sampled(problem: &ContactProblem, c: &[f64]) -> Option<f64> {
    let engine = Engine::open(&Device::Cpu).unwrap();
    let plan = Plan { samples: SAMPLES, precision: Some(Precision::F64), ..Plan::default() };
    let (aim, kinds) = (Aim::Direction(c.to_vec()), [BoundKind::Conic]);
    let found = judged::bounds(&engine, problem, &plan, &aim, &kinds, None, Some(0.5));
    Some(found.ok()?.farthest?.value)
}

/// One to eight contacts, friction up to a number, planar and spatial.
fn of_any_contacts(kind: Kind, friction: f64, problems: usize) {
    let (mut draws, mut gaps) = (Draws::of(239, 0), Gaps::default());
    for (_, problem) in kind.problems().take(problems) {
        let mu = problem.friction().iter().map(|mu| mu.min(friction)).collect();
        let spec = ProblemSpec { friction: Some(mu), ..problem.spec().clone() };
        let problem = ContactProblem::new(spec).unwrap();
        let c = direction(&problem, &mut draws);
        if let Some(reached) = sampled(&problem, &c) {
            gaps.add(&problem, &c, reached, 1e-6);
        }
    }
    gaps.print(&format!("{kind}, up to eight contacts, friction up to {friction}"));
}

fn of_kind(contacts: usize, bounces: bool, problems: usize) {
    let mut gaps = Gaps::default();
    for k in 0..problems {
        let family = Family::ALL[k % Family::ALL.len()];
        let rows = family.problem(contacts, k / Family::ALL.len());
        let mut draws = Draws::of(233, k);
        let e = |draws: &mut Draws| if bounces { [0.25, 0.5, 0.8][draws.below(3)] } else { 0.0 };
        let restitution: Vec<f64> = (0..contacts).map(|_| e(&mut draws)).collect();
        let problem = problem(&rows, &restitution, bounces);
        let c = direction(&problem, &mut draws);
        let both = |all: &[f64]| all.iter().map(|x| [*x, *x]).collect::<Vec<_>>();
        // A smaller restitution is covered too.
        let less: Vec<[f64; 2]> = restitution.iter().map(|e| [0.0, *e]).collect();
        let (judge, law) = (Judge::new(&rows), Bouncing::new(&rows, &both(&rows.friction), &less));
        let along = |v: Vec<f64>| v.iter().zip(&c).map(|(v, c)| v * c).sum::<f64>();
        let energy = problem.kinetic_energy(problem.velocity().as_slice()) * (1.0 + 1e-9);
        // Doubles lose their way between opposed contacts, and then may gain energy.
        let walk = |_| match bounces {
            true => law.walk(&c, &mut draws).filter(|v| problem.kinetic_energy(v) <= energy),
            false => judge.walk(&c, &mut draws),
        };
        let motions = (0..if bounces { MOTIONS } else { EXACT_MOTIONS }).filter_map(walk);
        let reached = motions.map(along).fold(f64::NEG_INFINITY, f64::max);
        if reached.is_finite() {
            gaps.add(&problem, &c, reached, 1e-9);
        }
    }
    let bounces = if bounces { "with" } else { "without" };
    gaps.print(&format!("{contacts} random planar contacts {bounces} restitution"));
}

fn problem(rows: &Rows, restitution: &[f64], bounces: bool) -> ContactProblem {
    let Rows { mass, normal, tangent, friction, velocity } = rows.clone();
    let (friction, restitution) = (Some(friction), bounces.then(|| restitution.to_vec()));
    let spec = ProblemSpec { mass, normal, tangent, friction, velocity, ..ProblemSpec::default() };
    ContactProblem::new(ProblemSpec { restitution, ..spec }).unwrap()
}
