//! Contact velocities in integers, for the numbers of the problem as they are given.

use dashu_int::IBig;
use nalgebra::DMatrix;

use super::{Coordinates, Outcome, ROUNDED_UP, Velocities, twice_energy};
use crate::analysis::reach::rationals::{Rationals, Unsolved};
use crate::lcp::{Scaling, StepProblem};
use crate::polyhedra::Integers;
use crate::polyhedra::dyadic::{Dyadic, quotient, whole};
use crate::problem::ContactProblem;

impl Coordinates for Integers {
    fn velocities(
        problem: &ContactProblem,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Velocities<Self>, Unsolved> {
        let given = Rationals::new(problem, go_on)?;
        let m = problem.contact_count();
        let scaling = scaling(problem);
        let frame = Frame::new(problem, &given, &scaling);
        let r = frame.units.len();
        let vector = |first: Dyadic, rest: &dyn Fn(usize) -> Dyadic| {
            let entries: Vec<Dyadic> = std::iter::once(first).chain((0..r).map(rest)).collect();
            Integers::of(whole(&entries))
        };
        let row = |i: usize| match frame.rows.get(i) {
            Some(row) => vector(Dyadic::of(0.0), &|k| row[k].shifted(frame.units[k])),
            None => vector(Dyadic::of(0.0), &|_| Dyadic::of(0.0)),
        };
        let edge = |i: usize, side: f64| {
            let mu = Dyadic::of(side * problem.friction()[i]);
            vector(Dyadic::of(0.0), &|k| {
                let along = &frame.changes[k];
                let rubbed = along.get(m + i).map(|along| &mu * along);
                rubbed
                    .map_or(along[i].clone(), |rubbed| &along[i] + &rubbed)
                    .shifted(-frame.units[k])
            })
        };
        // |u_i| <= sqrt(W_ii v' M v)
        let energy = twice_energy(problem);
        let limit = |i: usize| {
            let row = frame.rows.get(i)?;
            let own = quotient(given.delassus(i, i), &given.delassus_divisor);
            let most = (own * energy).sqrt() * ROUNDED_UP;
            let side = |sign: f64| {
                let sign = Dyadic::of(sign);
                vector(&Dyadic::of(most) * &frame.lift_divisor, &|k| {
                    &sign * &row[k].shifted(frame.units[k])
                })
            };
            (most > 0.0 && most.is_finite()).then(|| [side(1.0), side(-1.0)])
        };
        let response = |k: usize, j: usize| {
            let power = (scaling.impulse / scaling.sigma[j]).log2() as i64 - frame.units[k];
            let change = frame.changes[k].get(j);
            change.map_or(0.0, |change| quotient(&change.shifted(power), &given.delassus_divisor))
        };
        let friction = |i: usize| problem.friction()[i] * (scaling.sigma[m + i] / scaling.sigma[i]);
        Ok(Velocities {
            entries: r + 1,
            start: vector(frame.divisor.clone(), &|k| frame.start[k].shifted(-frame.units[k])),
            normal: (0..m).map(row).collect(),
            tangent: (m..2 * m).map(row).collect(),
            edges: (0..m).map(|i| [edge(i, -1.0), edge(i, 1.0)]).collect(),
            response: DMatrix::from_fn(r, 2 * m, response),
            friction: (0..m).map(friction).collect(),
            outcome: frame.outcome(problem),
            limits: (0..2 * m).filter_map(limit).flatten().collect(),
            scaling,
        })
    }
}

/// The scaling of the step problem, rounded to powers of two.
fn scaling(problem: &ContactProblem) -> Scaling {
    let (_, scaling, _) =
        StepProblem::scaled(problem.delassus(), problem.friction(), problem.contact_velocity());
    let rounded = |x: f64| x.max(f64::MIN_POSITIVE).log2().round().exp2();
    let [velocity, inverse_mass] = [scaling.velocity, scaling.inverse_mass].map(rounded);
    Scaling {
        velocity,
        inverse_mass,
        impulse: velocity / inverse_mass,
        sigma: scaling.sigma.into_iter().map(rounded).collect(),
        facets: None,
    }
}

/// Coordinates `y` (r) of the velocities that impulses can lead to.
///
/// Those with short numbers are taken: `v` itself where impulses can change it in all directions
/// and contact velocities depend on each other, else independent entries of `u`.
struct Frame {
    /// The power of two that is the unit of each coordinate.
    units: Vec<i64>,
    /// `y-`, times `divisor`.
    start: Vec<Dyadic>,
    divisor: Dyadic,
    /// `u` (K) as a function of `y`, times `lift_divisor`: it has no constant part.
    rows: Vec<Vec<Dyadic>>,
    /// The change of `y` by each impulse (r,K), up to one positive factor.
    changes: Vec<Vec<Dyadic>>,
    /// The change of `v` with `y` (n,r), times `lift_divisor`.
    lift: Vec<Vec<Dyadic>>,
    lift_divisor: Dyadic,
}

impl Frame {
    fn new(problem: &ContactProblem, given: &Rationals, scaling: &Scaling) -> Self {
        let (n, r, k) = (problem.coordinate_count(), given.basis.len(), given.velocity.len());
        let integer = |x: &IBig| Dyadic::new(x.clone(), 0);
        let table = |rows: usize, columns: usize, entry: &dyn Fn(usize, usize) -> Dyadic| {
            (0..rows).map(|i| (0..columns).map(|j| entry(i, j)).collect()).collect()
        };
        if n == r && r < k && problem.spec().bilateral.is_empty() {
            let speed = problem.velocity().amax() * problem.mass().diagonal().amax().sqrt();
            let unit = |i: usize| {
                (speed / problem.mass()[(i, i)].sqrt()).max(f64::MIN_POSITIVE).log2().round()
            };
            return Frame {
                units: (0..n).map(|i| unit(i) as i64).collect(),
                start: problem.velocity().iter().map(|v| Dyadic::of(*v)).collect(),
                divisor: Dyadic::of(1.0),
                rows: table(k, n, &|i, j| Dyadic::of(problem.jacobian()[(i, j)])),
                changes: table(n, k, &|i, j| given.response[i * k + j].clone()),
                lift: table(n, n, &|i, j| Dyadic::of(f64::from(i == j))),
                lift_divisor: Dyadic::of(1.0),
            };
        }
        let unit = |at: &usize| (scaling.velocity.log2() + scaling.sigma[*at].log2()) as i64;
        Frame {
            units: given.basis.iter().map(unit).collect(),
            start: given.basis.iter().map(|at| given.velocity[*at].clone()).collect(),
            divisor: integer(&given.velocity_divisor),
            rows: table(k, r, &|i, j| given.rows[i * r + j].clone()),
            changes: table(r, k, &|i, j| given.delassus(given.basis[i], j).clone()),
            lift: table(n, r, &|i, j| given.lift[i * r + j].clone()),
            lift_divisor: integer(&given.divisor),
        }
    }

    /// `v+ = v- + R (y+ - y-)`: each entry is a quotient of integers until it is rounded.
    fn outcome(&self, problem: &ContactProblem) -> Outcome<Integers> {
        let r = self.units.len();
        let all = &self.lift_divisor * &self.divisor;
        let row = |(v, lift): (&f64, &Vec<Dyadic>)| {
            let before = lift.iter().zip(&self.start).map(|(lift, start)| -&(lift * start));
            let constant = before.fold(&all * &Dyadic::of(*v), |sum, x| &sum + &x);
            let along = lift
                .iter()
                .zip(&self.units)
                .map(|(lift, unit)| (lift * &self.divisor).shifted(*unit));
            std::iter::once(constant).chain(along).collect::<Vec<_>>()
        };
        let rows = problem.velocity().iter().zip(&self.lift).flat_map(row);
        let mut numbers = whole(&rows.chain([all.clone()]).collect::<Vec<_>>());
        let divisor = numbers.pop().unwrap_or(IBig::ONE);
        Box::new(move |ray: &Integers| {
            let below = &divisor * &ray.entries()[0];
            let of = |row: &[IBig]| {
                let sum = row.iter().zip(ray.entries()).fold(IBig::ZERO, |sum, (a, x)| sum + a * x);
                quotient(&Dyadic::new(sum, 0), &below)
            };
            numbers.chunks(r + 1).map(of).collect()
        })
    }
}
