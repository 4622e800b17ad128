//! How well samplers cover the set of outcomes of built-in scenes, each against a dense reference
//! of its own; and the time to a deficit of one per cent on box and wall, on one core.

use std::time::Instant;

use carom::scene;
use carom_core::outcome::{PointSet, Samples};
use carom_core::problem::ContactProblem;
use carom_core::rng::{Purpose, Stream, stream};
use carom_core::status::Status;
use carom_engine::{Plan, Precision, Prepared};
use carom_law::{Law, Routh, Sampler};
use nalgebra::DVector;

/// Scenes whose set is more than a point (that of ramone is one): four in the plane, three in
/// space.
const SCENES: &str = "rocking-block compass-gait box-and-wall disk-stack \
    cube-on-edge quadruped-trot cube-on-face";
/// The scenes of the geometric mean.
const PLANAR: usize = 4;
const SAMPLERS: [Sampler; 3] = [Sampler::Uniform, Sampler::Sobol, Sampler::Coverage];

/// Fixed random directions in the kinetic metric.
const DIRECTIONS: u32 = 64;
/// The deficit that is asked for, a part of |v-|_M.
const DEFICIT: f64 = 0.01;
/// Samples whose covering distance is printed; and those for whose covering distance samples of
/// `uniform` are counted.
const FEW: usize = 4096;
const FEWER: usize = 1024;
/// Points of the net that distances are measured from, at most.
const NET: usize = 2000;
/// Samples that are computed at a time.
const CHUNK: usize = 16_384;

/// How much is computed.
#[derive(Clone, Copy)]
struct Effort {
    /// Samples in the reference with up to two contacts, and with more.
    reference: [usize; 2],
    /// Seeds of which the median is taken.
    seeds: u64,
    /// Most samples of a run whose deficit or covering distance is measured.
    most: usize,
}

fn main() {
    // Without `--bench` it is run as a test.
    let measures = std::env::args().any(|argument| argument == "--bench");
    let effort = match measures {
        true => Effort { reference: [4_000_000, 400_000], seeds: 5, most: 1 << 17 },
        false => Effort { reference: [20_000, 2000], seeds: 1, most: 1 << 13 },
    };
    println!(
        "scene, sampler: samples to a support deficit of 1 % of |v-| over {DIRECTIONS} directions, 99th percentile of the \
         covering distance at {FEW} samples, and how many times more samples uniform needs for that of {FEWER} (medians of {} seeds)",
        effort.seeds
    );
    let mut logarithms = [const { Vec::new() }; SAMPLERS.len()];
    for name in SCENES.split(' ') {
        let problem = scene::load(name).unwrap();
        let reference = Reference::new(&problem, &effort);
        let runs = SAMPLERS.map(|sampler| reference.runs(&problem, sampler, &effort));
        for ((sampler, run), logarithms) in SAMPLERS.iter().zip(&runs).zip(&mut logarithms) {
            let needed = median(run.iter().map(|run| run.needed).collect());
            let ratio =
                median(runs[0].iter().zip(run).map(|(uniform, run)| uniform.ratio(run)).collect());
            let covering = median(run.iter().map(|run| run.covering(FEW)).collect());
            if logarithms.len() < PLANAR {
                logarithms.push(ratio.ln());
            }
            let needed = count(needed, effort.most);
            println!("{name:16} {sampler:9} {needed:>8} {covering:8.4} {ratio:8.1}");
        }
    }
    for (sampler, logarithms) in SAMPLERS.iter().zip(&logarithms) {
        let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
        println!(
            "{sampler}: as many samples of uniform for an equal 99th percentile: {mean:.1} times (geometric mean in the plane)"
        );
    }
    time(&effort);
}

fn count(needed: f64, most: usize) -> String {
    if needed.is_finite() { format!("{needed:.0}") } else { format!("> {most}") }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn plan(sampler: Sampler, seed: u64) -> Plan {
    let law = Law::Routh(Routh { sampler: Some(sampler), ..Routh::default() });
    Plan { law, seed, precision: Some(Precision::F64), ..Plan::default() }
}

/// Calls `each` with the number of a sample and its velocity as a point of the kinetic metric, for
/// samples that ended soundly.
fn sample(
    problem: &ContactProblem,
    plan: &Plan,
    count: usize,
    mut each: impl FnMut(usize, &[f64]),
) {
    let most = plan.law.prepare::<f64>(problem).unwrap().most_residual::<f64>();
    let mut prepared = Prepared::<f64>::new(problem, plan).unwrap();
    let mut samples = Samples::default();
    let n = problem.coordinate_count();
    for first in (0..count).step_by(CHUNK) {
        prepared.sample_into(first as u64, CHUNK.min(count - first), &mut samples);
        let sound =
            |i: &usize| samples.status[*i] == Status::Terminated && samples.residual[*i] <= most;
        let set = PointSet::new(problem.mass(), problem.velocity(), &samples.velocity).unwrap();
        for i in (0..samples.len()).filter(sound) {
            each(first + i, &set.points()[n * i..n * (i + 1)]);
        }
    }
}

/// What a sampler is measured against: samples of all samplers.
struct Reference {
    directions: Vec<DVector<f64>>,
    /// How far the set reaches in each direction.
    reach: Vec<f64>,
    /// Points of the set, no two in the same cell of a grid: parts of the set count by their size.
    net: Vec<f64>,
}

fn along(x: &[f64], direction: &DVector<f64>) -> f64 {
    x.iter().zip(direction.iter()).map(|(x, a)| x * a).sum()
}

/// A run of a sampler against a reference.
struct Run {
    /// Samples to the deficit that is asked for.
    needed: f64,
    /// The 99th percentile of the covering distance after 64, 128, ... samples.
    curve: Vec<f64>,
}

impl Reference {
    fn new(problem: &ContactProblem, effort: &Effort) -> Self {
        let n = problem.coordinate_count();
        let direction = |d: u32| {
            let unit = |a: usize, k: u64| {
                f64::from(stream::unit(Stream::new(64, k).draw(d, Purpose::User, a as u32)))
            };
            let normal = |a| (0..12).map(|k| unit(a, k)).sum::<f64>() - 6.0;
            DVector::from_fn(n, |a, _| normal(a)).normalize()
        };
        let directions: Vec<_> = (0..DIRECTIONS).map(direction).collect();
        let mut reach = vec![f64::NEG_INFINITY; directions.len()];
        let (mut net, mut size) = (Net::new(n), 0);
        for sampler in SAMPLERS {
            let count = effort.reference[usize::from(problem.contact_count() > 2)] / SAMPLERS.len();
            sample(problem, &plan(sampler, 1000), count, |_, x| {
                for (reach, direction) in reach.iter_mut().zip(&directions) {
                    *reach = reach.max(along(x, direction));
                }
                net.add(x);
                size += 1;
            });
        }
        assert!(size > 0, "no sample of {} ended", problem.name());
        Reference { directions, reach, net: net.points }
    }

    fn runs(&self, problem: &ContactProblem, sampler: Sampler, effort: &Effort) -> Vec<Run> {
        let covers = if sampler == SAMPLERS[0] { effort.most } else { FEW };
        let run = |seed| self.run(problem, &plan(sampler, seed), effort.most, covers);
        (0..effort.seeds).map(run).collect()
    }

    /// A run of `most` samples, of which the covering distance of the first `covers` is measured.
    fn run(&self, problem: &ContactProblem, plan: &Plan, most: usize, covers: usize) -> Run {
        let n = problem.coordinate_count();
        let mut open: Vec<usize> = (0..self.directions.len()).collect();
        let mut needed = 0;
        let mut nearest = vec![f64::INFINITY; self.net.len() / n];
        let (mut next, mut curve) = (64, Vec::new());
        sample(problem, plan, most, |i, x| {
            while i >= next && next <= covers {
                curve.push(percentile(&nearest));
                next *= 2;
            }
            let before = open.len();
            open.retain(|&d| self.reach[d] - along(x, &self.directions[d]) > DEFICIT);
            if open.len() < before {
                needed = i + 1;
            }
            if i >= covers {
                return;
            }
            for (nearest, point) in nearest.iter_mut().zip(self.net.chunks_exact(n)) {
                let square = point.iter().zip(x).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                *nearest = nearest.min(square);
            }
        });
        while next <= covers {
            curve.push(percentile(&nearest));
            next *= 2;
        }
        Run { needed: if open.is_empty() { needed as f64 } else { f64::INFINITY }, curve }
    }
}

fn percentile(squares: &[f64]) -> f64 {
    let mut sorted = squares.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[(0.99 * (sorted.len() - 1) as f64) as usize].sqrt()
}

impl Run {
    /// The 99th percentile of the covering distance after 64 times a power of two samples.
    fn covering(&self, samples: usize) -> f64 {
        self.curve[(samples / 64).ilog2() as usize]
    }

    /// How many times more samples this run needs for the covering distance that another one has at
    /// [`FEWER`]; where its samples do not suffice, by how much they do not at least.
    fn ratio(&self, other: &Run) -> f64 {
        let wanted = other.covering(FEWER).max(1e-9).ln();
        let logs: Vec<f64> = self.curve.iter().map(|x| x.max(1e-9).ln()).collect();
        let Some(at) = logs.iter().position(|x| *x <= wanted) else {
            return 64.0 * ((self.curve.len() - 1) as f64).exp2() / FEWER as f64;
        };
        let part = match at {
            0 => 0.0,
            _ => at as f64 - 1.0 + (logs[at - 1] - wanted) / (logs[at - 1] - logs[at]),
        };
        64.0 * part.exp2() / FEWER as f64
    }
}

/// Points of which no two are in the same cell of a grid, whose cells grow so that there are at
/// most [`NET`].
struct Net {
    n: usize,
    cell: f64,
    seen: std::collections::HashSet<Vec<i32>>,
    points: Vec<f64>,
}

impl Net {
    fn new(n: usize) -> Self {
        Net { n, cell: 1e-3, seen: Default::default(), points: Vec::new() }
    }

    fn add(&mut self, x: &[f64]) {
        if self.seen.insert(x.iter().map(|x| (x / self.cell).floor() as i32).collect()) {
            self.points.extend_from_slice(x);
        }
        if self.points.len() > NET * self.n {
            self.cell *= 1.3;
            self.seen.clear();
            let points = std::mem::take(&mut self.points);
            points.chunks(self.n).for_each(|x| self.add(x));
        }
    }
}

/// The time to the deficit on box and wall, by one thread, from a sampler that is prepared.
fn time(effort: &Effort) {
    let problem = scene::load("box-and-wall").unwrap();
    let reference = Reference::new(&problem, effort);
    for sampler in SAMPLERS {
        let runs = reference.runs(&problem, sampler, effort);
        let needed = median(runs.iter().map(|run| run.needed).collect());
        if !needed.is_finite() {
            println!("box-and-wall, {sampler}: no deficit of 1 % with {} samples", effort.most);
            continue;
        }
        let start = Instant::now();
        let mut prepared = Prepared::<f64>::new(&problem, &plan(sampler, 0)).unwrap();
        let prepares = start.elapsed();
        let mut samples = Samples::default();
        let times = (0..101).map(|_| {
            let start = Instant::now();
            prepared.sample_into(0, needed as usize, &mut samples);
            start.elapsed().as_secs_f64() * 1e3
        });
        println!(
            "box-and-wall, {sampler}: {needed} samples to a deficit of 1 % take {:.3} ms on one core; preparation {prepares:.1?}",
            median(times.collect())
        );
    }
}
