//! Runs by a model: its law and its uncertainty, and forecasts sample by sample.

use std::path::Path;
use std::sync::Arc;

use nalgebra::{DMatrix, DVector, SymmetricEigen};

use super::dress::frame;
use super::model::Model;
use super::place::scaled;
use super::unfitted::unfitted;
use carom_core::error::{Error, Result};
use carom_core::event::Event;
use carom_core::outcome::{Dressing, PointSet};
use carom_core::problem::{ContactProblem, Uncertainty};
use carom_core::real::Real;
use carom_engine::PreparedImpact;
use carom_engine::run::{Forecaster, ModelFile, Plan, Run, StepSolver};
use carom_law::{Law, Sampler};

/// Applies the model that a run names, if any: its law and its uncertainty. The file name is
/// relative to `folder`.
///
/// A model without noise, dress and residual has no forecasts but outcomes of its law.
///
/// # Errors
/// See [`read_model`].
pub fn modelled(run: Run, folder: &Path) -> Result<Run> {
    let Some(file) = &run.model else { return Ok(run) };
    let (model, text) = read_model(file, folder)?;
    let (law, law_only) = (model.law()?, run.law_only || !model.forecasts());
    Ok(Run { law_only, ..run.with_model(law, text, Arc::new(model)) })
}

/// Model of a file, whose name is relative to `folder`, and the text of the file.
///
/// # Errors
/// A file that cannot be read; errors of [`Model::read`].
pub fn read_model(file: &ModelFile, folder: &Path) -> Result<(Model, String)> {
    let path = folder.join(file.name());
    let text = std::fs::read_to_string(&path)
        .map_err(|why| Error::unreadable(&path, &why).option("model"))?;
    Ok((Model::read(&path.to_string_lossy(), &text)?, text))
}

/// Number and seed of the samples that estimate the mean of the outcomes.
const FIRST: (usize, u64) = (256, 0);

impl Forecaster for Model {
    fn on(&self, problem: ContactProblem) -> Result<ContactProblem> {
        let contacts = problem.contact_count();
        let (several, model) = (contacts > 1, self.of_contacts(contacts));
        if model.gap.is_some() && several && problem.spec().gap.is_none() {
            return Err(Error::usage("by the model, gaps say which contacts take part")
                .option("model")
                .hint("give the problem the key `gap`"));
        }
        let problem = model.with_middle(&event(problem))?.into_owned().problem;
        let problem = model.turned(problem, model.inertia)?;
        let restitution = problem.spec().restitution.clone();
        let uncertain = model.uncertainty(&problem, several);
        Ok(problem.with_numbers(restitution, uncertain)?.warned(self.unfitted(&[contacts])))
    }

    fn unfitted(&self, contacts: &[usize]) -> Option<String> {
        unfitted(self.events, &self.contacts, contacts)
    }

    /// With `m` the mean of the first 256 outcomes of seed 0, in the coordinates of [`PointSet`]
    /// on the problem with its own inertia, the parts of [`Model::forecast`] in turn are
    ///
    /// ```text
    /// x' = m + scale (x - m) + sum_k (bias_k + spread_k z_k) d_k     the dress
    /// x' = m' + shift + scale (x - m') + F A z                       the learned residual
    /// x' = x + noise z                                               the noise
    /// ```
    ///
    /// with normal numbers `z`. Their covariances add up to one normal error; a noise of Student's
    /// t remains a separate term.
    fn dressing(&self, problem: &ContactProblem) -> Result<Dressing> {
        self.of_contacts(problem.contact_count()).dressing_of(problem)
    }
}

impl Model {
    /// Ensemble dressing that turns the outcomes of a problem into forecasts.
    fn dressing_of(&self, problem: &ContactProblem) -> Result<Dressing> {
        let own = self.turned(problem.clone(), 1.0 / self.inertia)?;
        let space = PointSet::new(own.mass(), own.velocity(), &[])
            .ok_or_else(|| Error::input("expected a positive definite matrix").at("mass"))?;
        let n = own.coordinate_count();
        let (mut shift, mut cov) = (DVector::zeros(n), DMatrix::zeros(n, n));
        let (mut scale, mut noise, mut freedom) = (1.0, self.noise, self.freedom);
        if let Some((dress, directions)) = self.dress.as_ref().zip(frame(&own)) {
            scale = dress.scale;
            for (k, direction) in directions.iter().enumerate() {
                shift.axpy(dress.bias[k], direction, 1.0);
                cov.ger(dress.spread[k].powi(2), direction, direction, 1.0);
            }
        }
        let centred = scale == 1.0 && self.residual.is_none();
        let mean = if centred { DVector::zeros(n) } else { self.mean(problem, &space)? };
        if let Some(residual) = &self.residual
            && let Some(found) = residual.correction(&mean + &shift, &event(own))?
        {
            shift += found.shift;
            if let Some((spread, root)) = found.spread {
                scale *= spread.scale;
                cov = cov * spread.scale.powi(2) + &root * root.transpose();
                (noise, freedom) = (spread.noise, None);
            }
        }
        if freedom.is_none() {
            cov += DMatrix::identity(n, n) * noise.powi(2);
        }
        let singular = || Error::input("the kinetic metric has no inverse").at("mass");
        let back = space.map().clone().try_inverse().ok_or_else(singular)?;
        let shift = &back * (shift + mean * (1.0 - scale));
        let tail = freedom.map(|freedom| (freedom, &back * noise));
        Ok(Dressing { shift, scale, root: back * root(cov), tail })
    }

    /// Law with the model's sampler and block length.
    ///
    /// # Errors
    /// Invalid shares of samplers.
    pub fn law(&self) -> Result<Law> {
        let mut law = self.law.clone();
        if let Law::Routh(routh) = &mut law {
            if let Some(share) = self.coverage {
                let parts = [(Sampler::Uniform, 1.0 - share), (Sampler::Coverage, share)];
                let parts: Vec<_> = parts.into_iter().filter(|(_, share)| *share > 0.0).collect();
                routh.sampler = Some(Sampler::mix(&parts)?);
            }
            if self.block.is_some() {
                (routh.block, routh.step) = (self.block, None);
            }
        }
        Ok(law)
    }

    /// Uncertainty for a problem; without known gaps all contacts take part.
    pub fn uncertainty(&self, problem: &ContactProblem, gaps: bool) -> Uncertainty {
        let d = problem.tangents_per_contact();
        let several = problem.contact_count() > 1;
        let gap = self.gap.filter(|_| gaps && several);
        let slope = &self.slope[..d];
        Uncertainty {
            friction: if d == 0 { Vec::new() } else { vec![self.friction] },
            restitution: vec![self.restitution],
            noise: self.before,
            gap,
            late: self.late.filter(|_| gap.is_some()),
            edge: if several { [self.inset; 2] } else { [0.0; 2] },
            shift: self.shift,
            attitude: self.attitude,
            slope: match slope.iter().all(|angle| *angle == 0.0) {
                true => Vec::new(),
                false => slope.iter().map(|&angle| [angle; 2]).collect(),
            },
            ..Uncertainty::default()
        }
    }

    /// Whether forecasts differ from the outcomes of the law.
    fn forecasts(&self) -> bool {
        let single = self.single.as_ref().is_some_and(|single| single.forecasts());
        self.noise > 0.0 || self.dress.is_some() || self.residual.is_some() || single
    }

    /// Problem with its rotational inertia multiplied by `factor`.
    fn turned(&self, problem: ContactProblem, factor: f64) -> Result<ContactProblem> {
        if factor == 1.0 {
            return Ok(problem);
        }
        let mut spec = problem.spec().clone();
        spec.mass = scaled(&problem, factor)?;
        spec.mass_parts.clear();
        ContactProblem::new(spec)
    }

    /// Mean of the outcomes of a problem.
    fn mean(&self, problem: &ContactProblem, space: &PointSet) -> Result<DVector<f64>> {
        let (count, seed) = FIRST;
        let law = self.law()?;
        let residual = law.most_residual(problem, f64::RESIDUAL);
        let plan = Plan { law, seed, solver: Some(StepSolver::Scalar), ..Plan::default() };
        let mut prepared = PreparedImpact::new(problem, &plan)?;
        let samples = prepared.sample(0, count);
        let accepted = samples.accepted(residual);
        let mut sum = DVector::zeros(problem.coordinate_count());
        for &i in &accepted {
            sum += space.point(samples.row(&samples.velocity, i));
        }
        match accepted.len() {
            0 => Err(Error::empty(format!(
                "none of {count} outcomes is accepted, so forecasts have no mean"
            ))),
            many => Ok(sum / many as f64),
        }
    }
}

/// Event without a measurement.
fn event(problem: ContactProblem) -> Event {
    let measured = Vec::new();
    let gap = problem.spec().gap.clone();
    Event { number: 0, problem, measured, noise: None, clean: None, gap, toss: None }
}

/// Symmetric root of a covariance (n,n).
fn root(covariance: DMatrix<f64>) -> DMatrix<f64> {
    let parts = SymmetricEigen::new(covariance);
    let roots = parts.eigenvalues.map(|variance| variance.max(0.0).sqrt());
    &parts.eigenvectors * DMatrix::from_diagonal(&roots) * parts.eigenvectors.transpose()
}
