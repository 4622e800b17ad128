//! Contact velocities in exact integers.

use dashu_int::IBig;
use nalgebra::DVector;

use super::{
    Coordinates, Outcome, ROUNDED_UP, Sums, Units, Velocities, contacts, stores, twice_energy,
};
use crate::reach::rationals::{Rationals, Unsolved};
use carom_core::lcp::Facets;
use carom_core::polyhedra::dyadic::{Dyadic, quotient, whole};
use carom_core::polyhedra::{Integers, Vector};
use carom_core::problem::ContactProblem;

impl Coordinates for Integers {
    fn velocities(
        problem: &ContactProblem,
        facets: Option<&Facets>,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Velocities<Self>, Unsolved> {
        let given = Rationals::new(problem, go_on)?;
        let m = problem.contact_count();
        let units = Units::new(problem).powers_of_two();
        let frame = Frame::new(problem, &given, &units);
        let (divisor, impulse) = (&given.delassus_divisor, units.impulse);
        let sums = Exact { frame: &frame, divisor, impulse, stores: stores(problem) };
        // |u_i| <= sqrt(W_ii v' M v)
        let energy = twice_energy(problem);
        let limit = |i: usize| {
            let own = quotient(given.delassus(i, i), &given.delassus_divisor);
            let most = (own * energy).sqrt() * ROUNDED_UP;
            let side = |sign: f64| {
                let most = &Dyadic::of(most) * &frame.lift_divisor;
                sums.vector(most, |k| sums.row(&[(i, sign)], k), |_| Dyadic::of(0.0))
            };
            (most > 0.0 && most.is_finite()).then(|| [side(1.0), side(-1.0)])
        };
        let rows = |rows: std::ops::Range<usize>| {
            rows.map(|i| sums.velocity(&[(i, 1.0)])).collect::<Vec<_>>()
        };
        let count = frame.rows.len();
        let start = |k: usize| frame.start[k].shifted(-frame.units[k]);
        let start = sums.vector(frame.divisor.clone(), start, |_| Dyadic::of(0.0));
        Ok(Velocities {
            entries: 1 + frame.units.len() + sums.stores,
            start,
            normal: rows(0..m),
            tangent: rows(m..count),
            contacts: contacts(problem, facets, &sums),
            limits: match sums.stores {
                0 => (0..count).filter_map(limit).flatten().collect(),
                _ => Vec::new(),
            },
            impulse: units.impulse,
            outcome: frame.outcome(problem),
        })
    }
}

struct Exact<'a> {
    frame: &'a Frame,
    divisor: &'a IBig,
    /// Unit of impulse, a power of two.
    impulse: f64,
    stores: usize,
}

impl Exact<'_> {
    fn vector(
        &self,
        first: Dyadic,
        along: impl Fn(usize) -> Dyadic,
        stored: impl Fn(usize) -> Dyadic,
    ) -> Integers {
        let along = (0..self.frame.units.len()).map(along);
        let entries: Vec<Dyadic> =
            std::iter::once(first).chain(along).chain((0..self.stores).map(stored)).collect();
        Integers::of(whole(&entries))
    }

    /// Entry k of `sum a u_j`.
    fn row(&self, terms: &[(usize, f64)], k: usize) -> Dyadic {
        let sum = terms.iter().fold(Dyadic::of(0.0), |sum, (j, a)| {
            &sum + &(&Dyadic::of(*a) * &self.frame.rows[*j][k])
        });
        sum.shifted(self.frame.units[k])
    }

    /// Entry k of the velocity change by impulses, times `divisor`.
    fn entry(&self, terms: &[(usize, f64, f64)], k: usize) -> Dyadic {
        let sum = terms.iter().fold(Dyadic::of(0.0), |sum, (j, a, b)| {
            let factor = &Dyadic::of(*a) * &Dyadic::of(*b);
            &sum + &(&factor * &self.frame.changes[k][*j])
        });
        sum.shifted(-self.frame.units[k])
    }

    /// Stored impulse in units of impulse.
    fn part(&self, part: f64) -> Dyadic {
        Dyadic::of(part).shifted(-(self.impulse.log2() as i64))
    }
}

impl Sums<Integers> for Exact<'_> {
    fn velocity(&self, terms: &[(usize, f64)]) -> Integers {
        self.vector(Dyadic::of(0.0), |k| self.row(terms, k), |_| Dyadic::of(0.0))
    }

    fn store(&self, at: usize) -> Integers {
        Integers::unit(1 + self.frame.units.len() + self.stores, 1 + self.frame.units.len() + at)
    }

    fn change(&self, terms: &[(usize, f64, f64)], stored: Option<(usize, f64)>) -> Integers {
        let divisor = Dyadic::new(self.divisor.clone(), 0);
        let own = |j: usize| match stored {
            Some((at, part)) if at == j => &divisor * &self.part(part),
            _ => Dyadic::of(0.0),
        };
        self.vector(Dyadic::of(0.0), |k| self.entry(terms, k), own)
    }

    fn rounded(&self, terms: &[(usize, f64, f64)], stored: Option<(usize, f64)>) -> DVector<f64> {
        let r = self.frame.units.len();
        DVector::from_fn(r + self.stores, |k, _| match stored {
            _ if k < r => {
                let unit = self.impulse.log2() as i64;
                quotient(&self.entry(terms, k).shifted(unit), self.divisor)
            }
            Some((at, part)) if r + at == k => part,
            _ => 0.0,
        })
    }
}

/// Coordinates `y` (r) of the velocities reachable by impulses.
///
/// `y = v` if impulses span all directions and contact velocities are dependent; otherwise `y` are
/// independent entries of `u`. The choice keeps the integers short.
struct Frame {
    /// Unit of each coordinate, as an exponent of two.
    units: Vec<i64>,
    /// `y-`, times `divisor`.
    start: Vec<Dyadic>,
    divisor: Dyadic,
    /// `u` (K) as a homogeneous linear function of `y`, times `lift_divisor`.
    rows: Vec<Vec<Dyadic>>,
    /// Change of `y` per impulse (r,K), up to one positive factor.
    changes: Vec<Vec<Dyadic>>,
    /// Change of `v` per `y` (n,r), times `lift_divisor`.
    lift: Vec<Vec<Dyadic>>,
    lift_divisor: Dyadic,
}

impl Frame {
    fn new(problem: &ContactProblem, given: &Rationals, dimensions: &Units) -> Self {
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
        let unit = |at: &usize| (dimensions.velocity.log2() + dimensions.sigma[*at].log2()) as i64;
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

    /// `v+ = v- + R (y+ - y-)`; each entry is a quotient of integers, rounded once.
    fn outcome(&self, problem: &ContactProblem) -> Outcome<Integers> {
        let r = self.units.len();
        let all = &self.lift_divisor * &self.divisor;
        let row = |(v, lift): (&f64, &Vec<Dyadic>)| {
            let before = lift.iter().zip(&self.start).map(|(lift, start)| -&(lift * start));
            let constant = before.fold(&all * &Dyadic::of(*v), |sum, x| &sum + &x);
            let along = lift.iter().zip(&self.units);
            let along = along.map(|(lift, unit)| (lift * &self.divisor).shifted(*unit));
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
