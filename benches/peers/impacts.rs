//! Writes random spatial impacts for the peers, and times carom's laws on the same impacts.
//! Usage: peer-impacts plus|cones body|stack CONTACTS COUNT FILE; prints one JSON object a line.
//!
//! FILE, little-endian: CONTACTS m and the number of impacts as u64, then of each impact as f64: mu
//! (m), W (3m,3m) row by row, u- (3m), and the u+ of carom's law (3m). Rows are contact by contact:
//! normal, tangent, tangent.

mod draw;

use std::f64::consts::PI;
use std::hint::black_box;
use std::time::Instant;

use carom_core::problem::ContactProblem;
use carom_core::status::Status;
use carom_law::finite::plus::TangentMode;
use carom_law::{ConeComplementarity, Outcome, Plus};
use nalgebra::{DMatrix, DVector};

use draw::Kind;

/// Seconds of passes after which no other begins.
const LONGEST: f64 = 20.0;

/// Most contacts with which every solution is looked for.
const MANY: usize = 5;

/// An impulse and whether the law says that it has solved the problem.
type Answer = (DVector<f64>, bool);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: peer-impacts plus|cones body|stack CONTACTS COUNT FILE";
    let [law, kind, contacts, count, file] = &arguments[..] else { panic!("{usage}") };
    let kind = Kind::named(kind).expect(usage);
    let contacts = contacts.parse().expect("contacts");
    let count = count.parse().expect("a number of impacts");
    let mut problems = kind.problems(contacts, count);
    // Simbody's largest change of direction, and its speed of rolling as the driver sets it.
    let plus = Plus {
        theta_max: PI / 6.0,
        v_transition: 0.01,
        v_plastic: 0.0,
        v_capture: 0.0,
        restitution: Some(0.0),
        ..Plus::default()
    };
    let cones = ConeComplementarity::default();
    if law == "plus" {
        problems.retain(|problem| !impends(&plus, problem));
    }
    let head = format!(r#"{{"law": "{law}", "kind": "{}", "contacts": {contacts}"#, kind.name());
    println!(r#"{head}, "impacts": {}, "left_out": {}}}"#, problems.len(), count - problems.len());
    let set = Set { head, contacts, problems };
    let by_plus =
        |law: Plus| move |problem: &ContactProblem| answer(&law.resolve(problem).unwrap().outcomes);
    let first = |problem: &ContactProblem| answer(&cones.first(problem).unwrap().outcomes);
    let all = |problem: &ContactProblem| answer(&cones.resolve(problem).unwrap().outcomes);
    match law.as_str() {
        "plus" => {
            set.measure("carom plus", by_plus(plus), violation);
            let fine = by_plus(Plus { theta_max: 0.01, ..plus });
            set.measure("carom plus, directions to 0.01 rad", fine, violation);
            std::fs::write(file, set.bytes(by_plus(plus))).expect("a file to write");
        }
        "cones" => {
            set.measure("carom, first solution", first, residual);
            if contacts <= MANY {
                set.measure("carom, every solution it finds", all, residual);
            }
            std::fs::write(file, set.bytes(first)).expect("a file to write");
        }
        _ => panic!("{usage}"),
    }
}

/// Whether a contact is in impending slip at any time.
fn impends(law: &Plus, problem: &ContactProblem) -> bool {
    let course = &law.resolve(problem).unwrap().outcomes[0].details;
    let mut intervals = course.rounds.iter().flat_map(|round| &round.intervals);
    intervals.any(|interval| interval.tangents.contains(&TangentMode::Impending))
}

fn answer<D>(outcomes: &[Outcome<D>]) -> Answer {
    let first = &outcomes[0];
    (DVector::from_column_slice(&first.impulse), first.status == Status::Terminated)
}

/// The rows of contact `i` of `m`.
fn rows(m: usize, i: usize) -> [usize; 3] {
    [i, m + 2 * i, m + 2 * i + 1]
}

/// The coefficient of friction of each contact, its impulse in units of velocity, and its velocity
/// after the impact, over `max|u-|`.
fn contacts(problem: &ContactProblem, impulse: &DVector<f64>) -> Vec<(f64, [f64; 3], [f64; 3])> {
    let (w, u, m) = (problem.delassus(), problem.contact_velocity(), problem.contact_count());
    let (after, speed) = (u + w * impulse, u.amax());
    let contact = |i: usize| {
        let rows = rows(m, i);
        let mean = rows.iter().map(|&k| w[(k, k)]).sum::<f64>() / 3.0;
        let [l, u] = [rows.map(|k| impulse[k] * mean / speed), rows.map(|k| after[k] / speed)];
        (problem.friction()[i], l, u)
    };
    (0..m).map(contact).collect()
}

/// What every inelastic impact must obey: it ends, contacts push, and friction lies in its cone.
/// Twin of `violation` in `impacts.h`.
fn violation(problem: &ContactProblem, impulse: &DVector<f64>) -> f64 {
    let one = |(mu, l, u): (f64, [f64; 3], [f64; 3])| {
        (-u[0]).max(-l[0]).max(l[1].hypot(l[2]) - mu * l[0])
    };
    contacts(problem, impulse).into_iter().map(one).fold(0.0, f64::max)
}

/// The largest of `|min(ln, u_n)|` and `|lt - P(lt - u_t)|`, `P` onto the disk of radius `mu ln`.
/// Twin of `residual` in `impacts.h`.
fn residual(problem: &ContactProblem, impulse: &DVector<f64>) -> f64 {
    let one = |(mu, l, u): (f64, [f64; 3], [f64; 3])| {
        let (x, y) = (l[1] - u[1], l[2] - u[2]);
        let shrink = (mu * l[0].max(0.0) / x.hypot(y)).min(1.0);
        let still = x == 0.0 && y == 0.0;
        let slip = if still { 0.0 } else { (l[1] - shrink * x).hypot(l[2] - shrink * y) };
        l[0].min(u[0]).abs().max(slip)
    };
    contacts(problem, impulse).into_iter().map(one).fold(0.0, f64::max)
}

/// Random impacts.
struct Set {
    /// The beginning of each row.
    head: String,
    contacts: usize,
    problems: Vec<ContactProblem>,
}

impl Set {
    /// Twin of `measure` in `impacts.h`.
    fn measure(
        &self,
        who: &str,
        solve: impl Fn(&ContactProblem) -> Answer,
        judge: fn(&ContactProblem, &DVector<f64>) -> f64,
    ) {
        let (mut wrong, mut failed) = (0, 0);
        for problem in &self.problems {
            let (impulse, solved) = solve(problem);
            failed += i32::from(!solved);
            // A number that is none is wrong.
            wrong += i32::from(solved && !matches!(judge(problem, &impulse), gap if gap <= 1e-8));
        }
        let (start, mut passes) = (Instant::now(), 0);
        let mut best = vec![f64::INFINITY; self.problems.len()];
        let elapsed = || start.elapsed().as_secs_f64();
        while (passes < 3 || elapsed() < 0.5) && elapsed() < LONGEST {
            for (problem, best) in self.problems.iter().zip(&mut best) {
                let begin = Instant::now();
                black_box(solve(problem));
                *best = best.min(begin.elapsed().as_secs_f64());
            }
            passes += 1;
        }
        best.sort_by(f64::total_cmp);
        let count = self.problems.len() as f64;
        println!(
            r#"{}, "who": "{who}", "median": {}, "mean": {}, "wrong": {}, "failed": {}}}"#,
            self.head,
            1e6 * best[best.len() / 2],
            1e6 * best.iter().sum::<f64>() / count,
            f64::from(wrong) / count,
            f64::from(failed) / count
        );
    }

    fn bytes(&self, solve: impl Fn(&ContactProblem) -> Answer) -> Vec<u8> {
        let (m, k) = (self.contacts, 3 * self.contacts);
        let order: Vec<usize> = (0..m).flat_map(|i| rows(m, i)).collect();
        let mut bytes: Vec<u8> =
            [m, self.problems.len()].iter().flat_map(|x| (*x as u64).to_le_bytes()).collect();
        for problem in &self.problems {
            let (w, u) = (problem.delassus(), problem.contact_velocity());
            let after = u + w * solve(problem).0;
            let w = DMatrix::from_fn(k, k, |j, i| w[(order[i], order[j])]);
            let of = |x: &DVector<f64>| order.iter().map(|&i| x[i]).collect::<Vec<f64>>();
            let numbers = [problem.friction(), w.as_slice(), &of(u), &of(&after)].concat();
            bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        }
        bytes
    }
}
