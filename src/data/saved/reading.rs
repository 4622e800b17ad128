//! Assembly of a set from the rows of a file.

use super::SavedSet;
use carom_analysis::sampled_set::SampledSet;
use carom_core::error::{Error, Result};
use carom_core::outcome::Samples;
use carom_core::problem::{ContactProblem, Poses, ProblemSpec};
use carom_core::status::Status;
use carom_engine::Precision;
use carom_law::most_residual;
use serde::Deserialize;
use serde_json::Value;

/// The metadata needed for queries.
#[derive(Deserialize)]
struct Meta {
    problem: ProblemSpec,
    precision: Precision,
    accuracy: Option<f64>,
}

/// A partly read set.
pub struct Reading {
    pub saved: SavedSet,
    /// The largest residual of an accepted sample.
    residual: f64,
    /// Number of values in a row of velocities.
    pub n: usize,
    /// Poses and seed, if each sample has a pose of its own.
    poses: Option<(Poses, u64)>,
}

/// A batch of rows of a file.
#[derive(Default)]
pub struct SavedRows {
    pub sample: Vec<u64>,
    pub velocity: Vec<f64>,
    pub status: Vec<u8>,
    pub residual: Vec<f32>,
}

impl Reading {
    /// Parses the metadata of a file.
    pub fn new(meta: &[u8]) -> Result<Self> {
        let record: Value = serde_json::from_slice(meta).map_err(|e| foreign(&e.to_string()))?;
        let Meta { problem, precision, accuracy } =
            serde_json::from_slice(meta).map_err(|e| foreign(&e.to_string()))?;
        let problem = ContactProblem::new(problem)?;
        let set = match precision {
            Precision::F32 => SampledSet::new::<f32>(&problem)?,
            Precision::F64 => SampledSet::new::<f64>(&problem)?,
        };
        let residual = most_residual(precision.residual(), accuracy);
        let n = problem.coordinate_count();
        let seed = record["seed"].as_u64().unwrap_or_default();
        let poses = problem.uncertainty().poses().then(|| (Poses::new(&problem), seed));
        Ok(Reading { saved: SavedSet { set, record }, residual, n, poses })
    }
    /// Appends rows.
    pub fn add(&mut self, rows: SavedRows) -> Result<()> {
        let SavedRows { sample, velocity, status, residual } = rows;
        let count = sample.len();
        if velocity.len() != count * self.n || status.len() != count || residual.len() != count {
            return Err(foreign("its columns differ in length"));
        }
        let first = sample.first().copied().unwrap_or(0);
        if sample.iter().zip(first..).any(|(sample, expected)| *sample != expected) {
            return Err(foreign("its samples are not numbered one after the other"));
        }
        let samples = Samples {
            first,
            contact_velocity: self.contact_velocities(first, &velocity)?,
            velocity,
            status: status.iter().map(|code| Status::from_code(u32::from(*code))).collect(),
            residual: residual.into_iter().map(f64::from).collect(),
            ..Samples::default()
        };
        self.saved.set.add(&samples, self.residual);
        Ok(())
    }
    fn contact_velocities(&self, first: u64, velocities: &[f64]) -> Result<Vec<f64>> {
        let Some((poses, seed)) = &self.poses else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for (number, v) in (first..).zip(velocities.chunks_exact(self.n)) {
            let v = nalgebra::DVector::from_column_slice(v);
            all.extend_from_slice((poses.draw(*seed, number)?.jacobian * v).as_slice());
        }
        Ok(all)
    }
}

/// The error for a file that is no file of samples.
pub fn foreign(why: &str) -> Error {
    Error::input(format!("this is no file of samples of carom: {why}"))
        .hint("`carom sample WHAT --out FILE` writes one")
}
