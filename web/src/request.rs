//! What a page can ask.

use carom_core::error::{Error, Result};
use carom_scene::BUILTIN;
use carom_shaders::Limits;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::opened::{Opened, Wanted};
use crate::{fault, gate, ghosts, points, recipe};

/// A request. Samples are meant by their numbers.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Request {
    /// The built-in scenes, the names of laws, and the colours.
    Scenes,
    /// Opens a problem.
    Open { wanted: Wanted },
    /// What WebGPU needs to sample it.
    Recipe { limits: Adapter, kernel: Option<String> },
    /// Checks what a kernel left of samples from `first` on: the array has the endings, then the
    /// impulses.
    Finish { first: u64, count: usize },
    /// Samples without WebGPU.
    Sample { first: u64, count: usize },
    /// The problem as JSON.
    File,
    /// How many of the samples at hand are accepted.
    Count,
    /// The samples at hand in a picture with these axes, `A,B`; by default those that carry most
    /// energy.
    Points { axes: Option<String> },
    /// How one sample comes about.
    Replay { sample: u64 },
    /// The scene on its way before the impact, and after it at the velocities of samples at hand.
    Ghosts { samples: Vec<u64> },
    /// The velocity in which a body has another one, as the picture shows it.
    Push { body: usize, velocity: [f64; 2] },
    /// The outcomes of a law that has finitely many.
    Resolve { law: String },
    /// The size of the set of another problem, from so many samples.
    Size { wanted: Wanted, samples: usize },
    /// All programs, for some shapes.
    Programs,
    /// The samples at hand: velocities, steps, and which were repaired.
    Samples,
}

/// What a device says of itself.
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

/// What stays between requests.
#[derive(Default)]
pub struct Session {
    opened: Option<Opened>,
    points: points::Arrays,
    ghosts: Vec<[f32; 2]>,
    recipe: Option<recipe::Arrays>,
}

impl Session {
    /// The answer to a request in JSON, with the bytes that come along: an object, with the key
    /// `error` where there is no answer.
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
