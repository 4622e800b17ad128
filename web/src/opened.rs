//! An open problem: prepared, sampled, replayed.

use carom_core::error::{Error, Result};
use carom_core::outcome::{Cloud, PointSet, Samples};
use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_engine::check::{Unchecked, Verifier, VerifierScratch};
use carom_engine::replay::replay as path;
use carom_engine::run::Run;
use carom_engine::run::Settled;
use carom_engine::{DeviceInfo, Plan, Precision, Prepared};
use carom_law::Process;
use carom_law::{FiniteLaw, Routh, RouthProcess};
use carom_mechanics::model::spatial::{Vector, tangents};
use carom_report::scenery::{panel, seen};
use carom_report::scope::Scope;
use carom_report::{RunRecord, replay};
use carom_scene::{Document, Format, ScenePlace, Scenery};
use carom_shaders::Raw;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::words;

/// A request for a problem, and for the way to sample it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
pub struct Wanted {
    /// A built-in scene.
    pub scene: Option<String>,
    /// The text of a scene or problem file, where no built-in scene is named.
    pub text: String,
    /// Values of the scene's parameters.
    pub set: Vec<(String, f64)>,
    /// A velocity before the impact (n) that replaces the scene's.
    pub velocity: Option<Vec<f64>>,
    /// Other coefficients of friction (m).
    pub friction: Option<Vec<f64>>,
    /// Other coefficients of restitution (m).
    pub restitution: Option<Vec<f64>>,
    /// The seed.
    pub seed: u64,
    /// Whether the law takes its published steps.
    pub steps: bool,
}

/// An open problem.
pub struct Opened {
    /// The request that opened the problem.
    pub wanted: Wanted,
    /// The problem.
    pub problem: ContactProblem,
    /// Law and seed.
    pub plan: Plan,
    /// The prepared law, in f64 and in f32.
    pub reference: Process<f64>,
    pub single: Process<f32>,
    /// The samples in memory.
    pub samples: Samples,
    /// The scene or problem file.
    pub document: Document,
    prepared: Option<Prepared<f32>>,
}

impl Wanted {
    fn document(&self) -> Result<Document> {
        let text = self.text.trim_start();
        match &self.scene {
            Some(scene) if carom_scene::builtin(scene).is_some() => Document::open(scene),
            Some(scene) => Err(Error::input(format!("there is no scene `{scene}`"))
                .hint("choose one from the list")),
            None if text.starts_with('{') => {
                Document::new("problem.json", self.text.clone(), Format::Json)
            }
            None => Document::new("problem.toml", self.text.clone(), Format::Toml),
        }
    }

    /// The run specification of the request: law and seed.
    pub fn run(&self) -> Run {
        let process = self.steps.then_some(RouthProcess::Steps);
        let law = Routh { process, ..Routh::default() }.into();
        Run { law, seed: self.seed, ..Run::default() }
    }

    /// The values of the scene's parameters.
    pub fn set(&self) -> Vec<(&str, f64)> {
        self.set.iter().map(|(name, value)| (name.as_str(), *value)).collect()
    }
}

impl Opened {
    /// Opens a problem.
    ///
    /// # Errors
    /// Errors of the file, of its parameters and numbers, and of the law.
    pub fn new(wanted: Wanted) -> Result<Self> {
        let document = wanted.document()?;
        let mut problem = document.problem(&wanted.set())?;
        if wanted.friction.is_some() || wanted.restitution.is_some() {
            let mut spec: ProblemSpec = problem.spec().clone();
            spec.friction = wanted.friction.clone().or(spec.friction);
            spec.restitution = wanted.restitution.clone().or(spec.restitution);
            problem = ContactProblem::new(spec)?;
        }
        if let Some(velocity) = &wanted.velocity {
            problem.set_velocity(velocity)?;
        }
        let plan = Plan { samples: 0, ..wanted.run().plan() };
        let reference = plan.law.prepare::<f64>(&problem)?;
        let single = plan.law.prepare::<f32>(&problem)?;
        let samples = Samples::default();
        Ok(Opened { wanted, problem, plan, reference, single, samples, document, prepared: None })
    }

    /// Whether a request asks for the open problem with another velocity.
    pub fn differs_in_velocity(&self, wanted: &Wanted) -> bool {
        wanted
            .velocity
            .as_ref()
            .is_some_and(|velocity| velocity.len() == self.problem.coordinate_count())
            && *wanted == Wanted { velocity: wanted.velocity.clone(), ..self.wanted.clone() }
    }

    /// Adopts the velocity of a request.
    ///
    /// # Errors
    /// Errors of [`ContactProblem::set_velocity`] and of the law.
    pub fn approach(&mut self, wanted: &Wanted) -> Result<()> {
        let Some(velocity) = &wanted.velocity else { return Ok(()) };
        self.problem.set_velocity(velocity)?;
        self.wanted = wanted.clone();
        self.reference.approach(&self.problem)?;
        self.single.approach(&self.problem)?;
        self.prepared.as_mut().map_or(Ok(()), |prepared| prepared.velocity(velocity))
    }

    /// All data that the page shows before sampling.
    ///
    /// # Errors
    /// Errors of the scene.
    pub fn describe(&self) -> Result<Value> {
        let Opened { problem, plan, document, .. } = self;
        let spatial = problem.tangents_per_contact() > 1;
        let settled = Settled::new(&plan.law, problem);
        let parameters = document.parameters(&self.wanted.set())?;
        let parameter = |p: &carom_scene::Parameter| {
            let bound = |x: f64| x.is_finite().then_some(x);
            json!({ "name": p.name, "value": p.value, "min": bound(p.min), "max": bound(p.max), "scale": p.scale })
        };
        let scenery = self.scenery()?;
        let units: Vec<Option<&str>> =
            (0..problem.coordinate_count()).map(|i| problem.unit(i)).collect();
        Ok(json!({
            "name": problem.name(),
            "coordinates": problem.coordinates(),
            "units": units,
            "velocity": problem.velocity().as_slice(),
            "speed": (2.0 * problem.kinetic_energy(problem.velocity().as_slice())).sqrt(),
            "contacts": problem.contacts(),
            "friction": problem.friction(),
            "restitution": problem.restitution(),
            "tangents": problem.tangents_per_contact(),
            "parameters": parameters.iter().map(parameter).collect::<Vec<_>>(),
            "process": settled.process.words(spatial, None),
            "on_the_cpu": settled.cpu_only,
            "approaches": problem.approaches(),
            "warnings": problem.warnings(),
            "axes": Scope::new(problem).names(),
            "scene": scenery.map(|scenery| self.picture(&scenery)),
        }))
    }

    fn scenery(&self) -> Result<Option<Scenery>> {
        self.document.scenery(&self.wanted.set(), &self.problem)
    }

    fn picture(&self, scenery: &Scenery) -> Value {
        let (panel, series) = panel(scenery, &self.problem);
        let series: Vec<Value> = (series.iter())
            .map(|s| json!({ "label": s.label, "colour": s.colour, "mark": format!("{:?}", s.mark), "points": s.points[0] }))
            .collect();
        let contacts: Vec<[f64; 2]> =
            scenery.contacts.iter().map(|[point, _]| seen(scenery, *point)).collect();
        let names: Vec<_> = panel.names.iter().map(|named| (named.at, &named.name)).collect();
        json!({ "series": series, "names": names, "velocities": velocities(scenery), "contacts": contacts })
    }

    /// Samples on the CPU.
    ///
    /// # Errors
    /// Errors of [`Prepared::new`].
    pub fn sample(&mut self, first: u64, count: usize) -> Result<Value> {
        if self.prepared.is_none() {
            self.prepared = Some(Prepared::new(&self.problem, &self.plan)?);
        }
        if let Some(prepared) = &mut self.prepared {
            prepared.sample_into(first, count, &mut self.samples);
        }
        Ok(json!({}))
    }

    /// Checks the raw results of a kernel: two 32-bit words of ending for each sample, then the
    /// impulses of all samples. Flagged samples are recomputed in f64.
    pub fn finish(&mut self, first: u64, count: usize, array: &[u8]) -> Value {
        let width = self.reference.space().step.width() * size_of::<f32>();
        let (endings, impulses) = array.split_at(8 * count);
        let raw = Raw::<f32>::read(endings, &impulses[..count * width]);
        let verifier = Verifier::new::<f32>(&self.problem, &self.reference, self.plan.seed, false);
        let raw = Unchecked { first, endings: &raw.endings, totals: &raw.impulses };
        let mut scratch = VerifierScratch::new(&self.problem, self.reference.workspace());
        verifier.verify(raw, &mut scratch, Some(&mut self.samples), None);
        json!({})
    }

    /// Row indices of the accepted samples in memory.
    pub fn accepted(&self) -> Vec<usize> {
        self.samples.accepted(self.reference.most_residual::<f32>())
    }

    /// The samples in memory, as JSON.
    pub fn all(&self) -> Value {
        let Samples { velocity, steps, status, repaired, .. } = &self.samples;
        let status: Vec<u8> = status.iter().map(|status| status.code()).collect();
        json!({ "velocity": velocity, "steps": steps, "status": status, "repaired": repaired })
    }

    /// The path of one sample, step by step, with the velocities of the scene before the impact and
    /// after each step.
    ///
    /// # Errors
    /// Errors of [`path`].
    pub fn replay(&self, sample: u64) -> Result<Value> {
        let Opened { problem, plan, .. } = self;
        let device = DeviceInfo {
            kind: "cpu",
            software: false,
            name: "WebAssembly".to_string(),
            backend: "wasm".to_string(),
            why: "a page".to_string(),
            threads: None,
        };
        let path = path::<f32>(problem, plan, sample)?;
        let record = RunRecord::new(problem, plan, &device, Precision::F32);
        let mut answer = replay::json(problem, &record, sample, &path);
        let scope = Scope::new(problem);
        let cast = self.document.cast(&self.wanted.set())?;
        let mut total = vec![0.0; problem.jacobian().nrows()];
        let mut places = Vec::new();
        let steps = path.steps.iter().map(|step| (&step.after, &step.impulse[..]));
        for (place, impulse) in std::iter::once((&path.before, &[][..])).chain(steps) {
            total.iter_mut().zip(impulse).for_each(|(total, l)| *total += l);
            let scenery =
                cast.as_ref().map(|cast| cast.scenery(place.velocity.clone())).transpose()?;
            places.push(json!({
                "values": scope.values(&place.velocity),
                "energy": place.kinetic_energy,
                "total": total,
                "velocities": scenery.as_ref().map(velocities),
                "impulses": scenery.as_ref().map(|scenery| impulses(scenery, problem, &total)),
            }));
        }
        answer["places"] = Value::Array(places);
        answer["command"] = json!(words::command(self, sample));
        answer["file"] = json!(self.file());
        Ok(answer)
    }

    /// The problem as JSON.
    pub fn file(&self) -> String {
        serde_json::to_string(self.problem.spec()).unwrap_or_default()
    }

    /// All outcomes of a law with finitely many outcomes, each with its values on all axes.
    ///
    /// # Errors
    /// An unknown law; an option or number that the law does not support.
    pub fn resolve(&self, law: &str) -> Result<Value> {
        let law = FiniteLaw::named(law)
            .ok_or_else(|| Error::usage(format!("there is no law `{law}`")))?;
        let resolved = law.resolve(&self.problem)?;
        let (scope, tangents) = (Scope::new(&self.problem), self.problem.tangents_per_contact());
        let outcomes = resolved.outcomes.iter().map(|outcome| {
            let modes: Vec<&str> = outcome.modes.iter().map(|mode| mode.name(tangents)).collect();
            json!({
                "values": scope.values(&outcome.velocity),
                "modes": modes.join(", "),
                "status": outcome.status.name(),
                "number": outcome.number,
            })
        });
        Ok(
            json!({ "outcomes": outcomes.collect::<Vec<_>>(), "distinct": resolved.distinct(), "complete": resolved.complete }),
        )
    }

    /// Diameter of a set of samples in the kinetic metric, over `|v-|_M`.
    ///
    /// # Errors
    /// Errors of [`Prepared::new`].
    pub fn size(mut self, samples: usize) -> Result<Value> {
        self.sample(0, samples)?;
        let (problem, drawn) = (&self.problem, &self.samples);
        let accepted = self.accepted();
        let velocities: Vec<f64> =
            accepted.iter().flat_map(|&i| drawn.row(&drawn.velocity, i)).copied().collect();
        let set = PointSet::new(problem.mass(), problem.velocity(), &velocities)
            .ok_or_else(|| Error::input("the mass matrix is not positive definite").at("mass"))?;
        let size = Cloud::new(problem.coordinate_count(), set.points()).size();
        Ok(json!({ "diameter": size.diameter, "accepted": accepted.len() }))
    }
}

/// Mass centres and their velocities in m/s, projected onto the picture.
fn velocities(scenery: &Scenery) -> Vec<[[f64; 2]; 2]> {
    scenery.velocities.iter().map(|pair| pair.map(|place| seen(scenery, place))).collect()
}

/// The contact impulses of `impulse` ((1+d) m) in N s, projected onto the picture.
fn impulses(scenery: &Scenery, problem: &ContactProblem, impulse: &[f64]) -> Vec<[f64; 2]> {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let one = |(i, [_, normal]): (usize, &[ScenePlace; 2])| {
        let tangents: Vec<ScenePlace> = match d {
            2 => tangents(Vector::from(*normal)).map(ScenePlace::from).to_vec(),
            _ => vec![[normal[1], -normal[0], 0.0]],
        };
        let along = impulse[m + d * i..m + d * (i + 1)].iter().zip(&tangents);
        let sum = along.fold(normal.map(|x| x * impulse[i]), |sum, (l, t)| {
            [0, 1, 2].map(|axis| sum[axis] + l * t[axis])
        });
        seen(scenery, sum)
    };
    scenery.contacts.iter().enumerate().map(one).collect()
}
