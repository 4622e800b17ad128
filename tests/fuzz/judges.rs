//! What holds of every accepted outcome, from the numbers of the problem alone:
//! `M (v+ - v-) = J' L`, friction cones, no approach, no energy out of nothing.

use carom_core::problem::ProblemSpec;

/// A problem as numbers, with the sizes in which errors count.
pub struct Judge<'a> {
    spec: &'a ProblemSpec,
    /// `J` ((1+d) m, n), normals first.
    rows: Vec<&'a [f64]>,
    /// `W_ii`.
    diagonal: Vec<f64>,
    /// `max|u-|` and `max|v-|`.
    speed: f64,
    fastest: f64,
    /// Kinetic energy before.
    energy: f64,
}

/// How far numbers may be off.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Relative rounding of what is handed out, and its smallest normal number.
    pub rounding: f64,
    pub least: f64,
    /// The largest residual of an accepted outcome, dimensionless.
    pub residual: f64,
    /// What counts as at rest.
    pub rest: Rest,
    /// How much energy may be gained, a part of that before; none: any.
    pub energy: Option<f64>,
    /// Whether impulses push and obey Coulomb's law.
    pub cones: bool,
}

/// The normal velocity down to which a contact is at rest.
#[derive(Clone, Copy, Debug)]
pub enum Rest {
    /// A part of `max|v-|`, and the least and greatest part of `max|u-|`.
    OfSpeeds([f64; 3]),
    /// `1e-11 sqrt(W_ii) |v-|_M`: so reflections say.
    OfMomentum,
}

pub const DOUBLE: Tolerance = Tolerance {
    rounding: 1e-11,
    least: 0.0,
    residual: 1e-6,
    rest: Rest::OfSpeeds([1e-7, 1e-11, 1e-7]),
    energy: Some(1e-6),
    cones: true,
};
pub const SINGLE: Tolerance = Tolerance {
    rounding: 4e-7,
    least: 1.2e-38,
    residual: 1e-5,
    rest: Rest::OfSpeeds([3e-6, 5e-7, 3e-6]),
    energy: Some(1e-4),
    cones: true,
};

/// The entry of largest size.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The sum of the sizes of the terms of a product.
fn sizes(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum()
}

/// The outcome of one sample, or one of a finite law.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    pub velocity: &'a [f64],
    pub impulse: &'a [f64],
    pub energy: f64,
}

impl<'a> Judge<'a> {
    /// A judge of the outcomes of a problem with these `W_ii`, in whose size errors count.
    pub fn new(spec: &'a ProblemSpec, diagonal: &[f64]) -> Self {
        let rows: Vec<&[f64]> =
            spec.normal.iter().chain(&spec.tangent).map(Vec::as_slice).collect();
        let speeds: Vec<f64> = rows.iter().map(|row| dot(row, &spec.velocity)).collect();
        let momentum: Vec<f64> = spec.mass.iter().map(|row| dot(row, &spec.velocity)).collect();
        Judge {
            spec,
            rows,
            diagonal: diagonal.to_vec(),
            speed: largest(&speeds),
            fastest: largest(&spec.velocity),
            energy: 0.5 * dot(&momentum, &spec.velocity),
        }
    }

    /// What is wrong with an accepted outcome, if anything.
    pub fn verdict(&self, outcome: Outcome<'_>, tolerance: Tolerance) -> Result<(), String> {
        let Outcome { velocity, impulse, energy } = outcome;
        if !velocity.iter().chain(impulse).chain([&energy]).all(|x| x.is_finite()) {
            return Err(format!("not finite: {velocity:?}, {impulse:?}, {energy}"));
        }
        self.momentum(velocity, impulse, tolerance)?;
        self.ended(velocity, tolerance)?;
        self.energies(velocity, energy, tolerance)?;
        if tolerance.cones { self.cones(impulse, tolerance) } else { Ok(()) }
    }

    /// `M (v+ - v-) = J' L`, up to the rounding of `v+`, which each impulse changes by
    /// `M^-1 J_i' L_i`.
    fn momentum(&self, velocity: &[f64], impulse: &[f64], by: Tolerance) -> Result<(), String> {
        let n = velocity.len();
        let mass = &self.spec.mass;
        // sqrt(W_ii) |L_i| is the length, in the kinetic metric, of what impulse i changes.
        let lengths: Vec<f64> =
            impulse.iter().zip(&self.diagonal).map(|(l, w)| l.abs() * w.sqrt()).collect();
        let length: f64 = lengths.iter().sum();
        for k in 0..n {
            let change: Vec<f64> =
                velocity.iter().zip(&self.spec.velocity).map(|(a, b)| a - b).collect();
            let gained = dot(&mass[k], &change);
            let given: f64 = self.rows.iter().zip(impulse).map(|(row, l)| row[k] * l).sum();
            let size = sizes(&mass[k], velocity)
                + sizes(&mass[k], &self.spec.velocity)
                + self.rows.iter().zip(impulse).map(|(row, l)| (row[k] * l).abs()).sum::<f64>()
                + mass[k][k].sqrt() * length;
            let error = (gained - given).abs();
            if error > by.rounding * n as f64 * size {
                let sides = format!("M (v+ - v-) = {gained:e}, J' L = {given:e}");
                return Err(format!("momentum {k}: {sides}, size {size:e}"));
            }
        }
        Ok(())
    }

    /// No contact approaches faster than rest.
    fn ended(&self, velocity: &[f64], tolerance: Tolerance) -> Result<(), String> {
        for (i, row) in self.spec.normal.iter().enumerate() {
            let rest = match tolerance.rest {
                Rest::OfSpeeds([part, least, most]) => {
                    (part * self.fastest).min(most * self.speed).max(least * self.speed)
                }
                Rest::OfMomentum => {
                    1e-11 * (2.0 * self.energy * self.diagonal[i]).sqrt() * (1.0 + 1e-6)
                }
            };
            let u = dot(row, velocity);
            if u < -rest - tolerance.rounding * sizes(row, velocity) {
                return Err(format!("contact {i} approaches: {u:e}, at rest from {:e} on", -rest));
            }
        }
        Ok(())
    }

    /// The energy is that of `v+`, and no more than before.
    fn energies(&self, velocity: &[f64], energy: f64, tolerance: Tolerance) -> Result<(), String> {
        let of = |row: &Vec<f64>, v: &f64| dot(row, velocity) * v;
        let own = 0.5 * self.spec.mass.iter().zip(velocity).map(|(row, v)| of(row, v)).sum::<f64>();
        let of = |(row, v): (&Vec<f64>, &f64)| sizes(row, velocity) * v.abs();
        let size: f64 = self.spec.mass.iter().zip(velocity).map(of).sum();
        let most = tolerance.rounding * velocity.len() as f64 * size + tolerance.least;
        if (own - energy).abs() > most {
            return Err(format!("energy {energy:e}, but v+ has {own:e}"));
        }
        match tolerance.energy {
            Some(gain) if energy > self.energy * (1.0 + gain) + tolerance.rounding * size => {
                Err(format!("energy {:e} -> {energy:e}", self.energy))
            }
            _ => Ok(()),
        }
    }

    /// `0 <= ln` and `|lt| <= mu ln`, dimensionless as residuals are: impulses times
    /// `sqrt(W_ii max W_jj)` over `max|u-|`.
    fn cones(&self, impulse: &[f64], tolerance: Tolerance) -> Result<(), String> {
        let m = self.spec.normal.len();
        let d = self.spec.tangent.len() / m;
        let w = largest(&self.diagonal);
        let unit = |row: usize| self.speed / w.sqrt() / self.diagonal[row].sqrt();
        for i in 0..m {
            let ln = impulse[i];
            if ln < -tolerance.residual * unit(i) {
                return Err(format!("contact {i} pulls: {ln:e}"));
            }
            let t = &impulse[m + d * i..m + d * (i + 1)];
            let lt = t.iter().map(|l| l * l).sum::<f64>().sqrt();
            let mu = self.spec.friction.as_ref().map_or(0.0, |friction| friction[i]);
            let units = (m + d * i..m + d * (i + 1)).map(unit);
            let slack = units.filter(|unit| unit.is_finite()).fold(0.0, f64::max);
            if lt > mu * ln * (1.0 + tolerance.residual) + tolerance.residual * slack {
                let most = mu * ln;
                return Err(format!("contact {i}: |lt| = {lt:e}, mu ln = {most:e}, mu = {mu:e}"));
            }
        }
        Ok(())
    }
}
