//! The requests of a page.

use carom_core::error::{Error, Result};
use carom_scene::BUILTIN;
use carom_shaders::Limits;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::opened::{Opened, Wanted};
use crate::{fault, gate, ghosts, points, recipe};

/// A request. Numbers identify samples.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Request {
    /// The built-in scenes, the names of laws, the colours and the version.
    Scenes,
    /// Opens a problem.
    Open { wanted: Wanted },
    /// The recipe for sampling the problem with WebGPU.
    Recipe { limits: Adapter, kernel: Option<String> },
    /// Checks the raw results of a kernel for samples `first ..`. The array holds the endings, then
    /// the impulses.
    Finish { first: u64, count: usize },
    /// Samples without WebGPU.
    Sample { first: u64, count: usize },
    /// The problem as JSON.
    File,
    /// Number of accepted samples in memory.
    Count,
    /// The samples in memory as points on two axes, `A,B`; by default the two coordinates over
    /// which the samples spread most.
    Points { axes: Option<String> },
    /// The path of one sample, step by step.
    Replay { sample: u64 },
    /// Motion of the scene before the impact, and after it for samples in memory.
    Ghosts { samples: Vec<u64> },
    /// The velocity before the impact that gives a body this velocity in the picture.
    Push { body: usize, velocity: [f64; 2] },
    /// All outcomes of a law with finitely many outcomes.
    Resolve { law: String },
    /// Diameter of the sampled set of another problem, from `samples` samples.
    Size { wanted: Wanted, samples: usize },
    /// All shader programs, for small shapes.
    Programs,
    /// The samples in memory: velocities, steps, statuses, and flags of recomputed samples.
    Samples,
}

/// Properties of the page's WebGPU adapter.
#[derive(Deserialize)]
struct Adapter {
    name: String,
    hardware: bool,
    storage_buffer_bytes: u64,
    workgroup_memory_bytes: u32,
}

impl Adapter {
    fn limits(&self) -> Limits<'_> {
        Limits {
            name: &self.name,
            hardware: self.hardware,
            f64: false,
            storage_buffer_bytes: self.storage_buffer_bytes,
            workgroup_memory_bytes: self.workgroup_memory_bytes,
        }
    }
}

/// The state between requests.
#[derive(Default)]
pub struct Session {
    opened: Option<Opened>,
    points: points::Arrays,
    ghosts: Vec<[f32; 2]>,
    recipe: Option<recipe::Arrays>,
}

impl Session {
    /// Answers a JSON request, with the bytes of its array. The answer is a JSON object; after an
    /// error, an object with the key `error`.
    pub fn answer(&mut self, request: &[u8], array: &[u8]) -> Value {
        let request =
            serde_json::from_slice(request).map_err(|error| Error::usage(error.to_string()));
        request
            .and_then(|request| self.act(request, array))
            .unwrap_or_else(|error| fault::error(&error))
    }

    fn act(&mut self, request: Request, array: &[u8]) -> Result<Value> {
        Ok(match request {
            Request::Scenes => {
                let scene = |scene: &carom_scene::Builtin| json!({ "name": scene.name, "about": scene.description, "text": scene.text });
                json!({
                    "scenes": BUILTIN.iter().map(scene).collect::<Vec<_>>(),
                    "laws": carom_law::FiniteLaw::NAMES,
                    "colours": (0..8).map(carom_report::plot::colour).collect::<Vec<_>>(),
                    "version": env!("CARGO_PKG_VERSION"),
                })
            }
            Request::Open { wanted } => {
                match &mut self.opened {
                    Some(opened) if opened.differs_in_velocity(&wanted) => {
                        opened.approach(&wanted)?
                    }
                    opened => *opened = Some(Opened::new(wanted)?),
                }
                self.opened()?.describe()?
            }
            Request::Recipe { limits, kernel } => {
                let (answer, arrays) =
                    recipe::recipe(self.opened()?, &limits.limits(), kernel.as_deref())?;
                self.recipe = Some(arrays);
                answer
            }
            Request::Finish { first, count } => self.opened()?.finish(first, count, array),
            Request::Sample { first, count } => self.opened()?.sample(first, count)?,
            Request::File => json!({ "file": self.opened()?.file() }),
            Request::Count => json!({ "accepted": self.opened()?.accepted().len() }),
            Request::Points { axes } => {
                let opened = self.opened.as_ref().ok_or_else(none)?;
                points::points(opened, axes, &mut self.points)?
            }
            Request::Replay { sample } => self.opened()?.replay(sample)?,
            Request::Ghosts { samples } => {
                let opened = self.opened.as_ref().ok_or_else(none)?;
                ghosts::ghosts(opened, &samples, &mut self.ghosts)?
            }
            Request::Push { body, velocity } => ghosts::push(self.opened()?, body, velocity)?,
            Request::Resolve { law } => self.opened()?.resolve(&law)?,
            Request::Size { wanted, samples } => Opened::new(wanted)?.size(samples)?,
            Request::Programs => gate::programs(),
            Request::Samples => self.opened()?.all(),
        })
    }

    fn opened(&mut self) -> Result<&mut Opened> {
        self.opened.as_mut().ok_or_else(none)
    }
}

fn none() -> Error {
    Error::usage("no problem is open")
}
