//! Records the impulse steps of a scene as LCPs for the peers, and times carom's own solvers on the
//! same steps. Usage: peer-steps SCENE STEPS FILE; prints one JSON object a line.
//!
//! FILE, little-endian: N and the number of steps as u64, M (N,N) row by row and then the q of each
//! step as f64.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use carom::scene;
use carom_core::lcp::table::Solutions;
use carom_core::lcp::{Lemke, LemkeEnd, Mixed, StepProblem};
use carom_core::real::Real;
use carom_core::rng::{Purpose, Stream, stream};
use carom_core::status::Status;
use carom_law::Routh;
use carom_law::routh::steps::Steps;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, count, file] = &arguments[..] else { panic!("usage: peer-steps SCENE STEPS FILE") };
    let count = count.parse().expect("a number of steps");
    let problem = scene::load(name).expect("a scene");
    let mut law = Steps::<f64>::new(&Routh::steps(), &problem).expect("a problem the law takes");
    let limit = law.space.max_steps;
    let (m, mut work) = (law.space.step.contacts, law.workspace());

    // x = (u, c) of every step of as many whole samples as it takes. Cut off after k steps, a
    // sample leaves the impulse from which step k starts; what it is cut off by is the step limit.
    let (mut steps, mut samples) = (Vec::new(), 0);
    while steps.len() < count {
        let stream = Stream::new(0, samples);
        for k in 0..limit {
            law.space.max_steps = k;
            if law.sample(&stream, &mut work).status != Status::StepLimit {
                break;
            }
            let mut x = vec![0.0; 3 * m];
            law.space.step.advance(&law.space.start, &work.total, &mut x[..2 * m]);
            for i in 0..m {
                let rate = stream::unit(stream.draw(k, Purpose::Rate, i as u32));
                x[2 * m + i] = law.rates.caps[i] * f64::from(rate);
            }
            steps.push(x);
        }
        samples += 1;
    }
    println!(
        r#"{{"scene": "{name}", "contacts": {m}, "steps": {}, "samples": {samples}}}"#,
        steps.len()
    );

    let lcp = Lcp::new(&law.space.step, &steps);
    fs::write(file, lcp.bytes()).expect("a file to write");

    let n = law.space.step.lcp_size();
    let (mut lemke, mut mixed, mut found) = (Lemke::new(n), Mixed::new(m), Solutions::new(m));
    let (mut l, mut u_plus) = (vec![0.0; 2 * m], vec![0.0; 2 * m]);
    let step = &law.space.step;
    let mut by_lemke = |u: &[f64], c: &[f64], z: &mut [f64]| {
        let constant = |i| step.lcp_constant(u, c, i);
        lemke.solve(|i, j| step.lcp_entry(i, j), constant, |_| 1.0, z) == LemkeEnd::Solved
    };
    lcp.measure(name, "carom lemke f64", |i, z| {
        let (u, c) = steps[i].split_at(2 * m);
        by_lemke(u, c, z)
    });
    lcp.measure(name, "carom mixed form, else lemke, f64", |i, z| {
        let (u, c) = steps[i].split_at(2 * m);
        if mixed.solve(step, u, c, &mut l) {
            step.advance(u, &l, &mut u_plus);
            unknowns(&l, &u_plus, z);
            return true;
        }
        by_lemke(u, c, z)
    });
    if let Some(table) = &law.table {
        lcp.measure(name, "carom table f64, every solution", |i, z| {
            table.solve(step, &steps[i], &mut found);
            if found.count > 0 {
                let k = found.pick(0);
                table.impulse(step, found.combinations[k], &steps[i], &mut l);
                unknowns(&l, found.velocity(k), z);
            }
            found.count > 0 && !found.ambiguous
        });
    }
}

/// The unknowns `[s | ln | b+ | b- | g]` of the LCP that go with an impulse and the velocity it
/// leads to.
fn unknowns(l: &[f64], u_plus: &[f64], z: &mut [f64]) {
    let m = l.len() / 2;
    for i in 0..m {
        z[i] = (-u_plus[i]).max(0.0);
        z[m + i] = l[i];
        z[2 * m + i] = l[m + i].max(0.0);
        z[3 * m + i] = (-l[m + i]).max(0.0);
        z[4 * m + i] = u_plus[m + i].abs();
    }
}

/// The steps as LCPs with one matrix.
struct Lcp {
    n: usize,
    matrix: Vec<f64>,
    constants: Vec<f64>,
}

impl Lcp {
    fn new(step: &StepProblem<f64>, steps: &[Vec<f64>]) -> Self {
        let (n, m) = (step.lcp_size(), step.contacts);
        let constant = |x: &[f64], i| step.lcp_constant(&x[..2 * m], &x[2 * m..], i);
        Lcp {
            n,
            matrix: (0..n * n).map(|e| step.lcp_entry(e / n, e % n)).collect(),
            constants: steps.iter().flat_map(|x| (0..n).map(move |i| constant(x, i))).collect(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let sizes = [self.n as u64, (self.constants.len() / self.n) as u64];
        let numbers = self.matrix.iter().chain(&self.constants).flat_map(|x| x.to_le_bytes());
        sizes.iter().flat_map(|x| x.to_le_bytes()).chain(numbers).collect()
    }

    /// The largest `|min(z_i, (M z + q)_i)|`.
    fn residual(&self, q: &[f64], z: &[f64]) -> f64 {
        let row =
            |i: usize| self.matrix[i * self.n..(i + 1) * self.n].iter().zip(z).map(|(a, x)| a * x);
        let gaps = (0..self.n).map(|i| z[i].min(q[i] + row(i).sum::<f64>()).abs());
        gaps.fold(0.0, f64::max)
    }

    /// Twin of `measure` in `steps.h`.
    fn measure(&self, scene: &str, who: &str, mut solve: impl FnMut(usize, &mut [f64]) -> bool) {
        let mut z = vec![0.0; self.n];
        let (mut wrong, mut failed) = (0, 0);
        for (i, q) in self.constants.chunks_exact(self.n).enumerate() {
            if !solve(i, &mut z) {
                failed += 1;
            } else if self.residual(q, &z) > f64::RESIDUAL {
                wrong += 1;
            }
        }
        let count = self.constants.len() / self.n;
        let (start, mut passes, mut best) = (Instant::now(), 0, f64::INFINITY);
        while passes < 5 || start.elapsed().as_secs_f64() < 0.5 {
            let begin = Instant::now();
            for i in 0..count {
                black_box(solve(i, &mut z));
            }
            best = best.min(begin.elapsed().as_secs_f64());
            passes += 1;
        }
        println!(
            r#"{{"scene": "{scene}", "who": "{who}", "lcps_per_s": {:.0}, "wrong": {}, "failed": {}}}"#,
            count as f64 / best,
            f64::from(wrong) / count as f64,
            f64::from(failed) / count as f64
        );
    }
}
