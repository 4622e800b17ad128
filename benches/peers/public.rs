//! Seeks one solution of cone complementarity of each problem file, and says how long it takes and
//! how well it solves the problem. Usage: peer-public FILE.json; prints a row of a table.

use std::time::Instant;

use carom::ConeComplementarity;
use carom::scene;
use carom_core::status::Status;

fn main() {
    let file = std::env::args().nth(1).expect("usage: peer-public FILE.json");
    let problem = match scene::load(&file) {
        Ok(problem) => problem,
        Err(error) => return println!("{error}"),
    };
    let (m, n) = (problem.contact_count(), problem.coordinate_count());
    let rows = problem.contact_velocity().len();
    let mut best = f64::INFINITY;
    let start = Instant::now();
    let mut set = ConeComplementarity::default().first(&problem).expect("an inelastic problem");
    best = best.min(start.elapsed().as_secs_f64());
    // Short ones again.
    while start.elapsed().as_secs_f64() < 0.2 {
        let again = Instant::now();
        set = ConeComplementarity::default().first(&problem).expect("an inelastic problem");
        best = best.min(again.elapsed().as_secs_f64());
    }
    let outcome = &set.outcomes[0];
    let solved = if outcome.status == Status::Terminated { "yes" } else { "no" };
    let from = outcome.details.start.name();
    println!(
        "{m} | {n} of {rows} | {solved} | {from} | {} | {:.0e} | {:.3}",
        outcome.details.iterations,
        outcome.residual,
        1e3 * best
    );
}
