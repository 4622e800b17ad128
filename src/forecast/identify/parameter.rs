use super::place::reach;
use super::training::FREEDOMS;
use super::{Dress, Model};
use crate::reality::Event;
use carom_core::named;
use carom_law::Law;

named! {
    /// A part of a model that is identified together, and kept where it gains.
    pub enum Ingredient {
        /// Ranges of friction and restitution, and the noise after.
        Numbers = "numbers",
        /// The gap beyond which contacts are left out of the first impact, and the second impact.
        Gap = "gap",
        /// Contact points that lie inside.
        Inset = "inset",
        /// A contact in the middle between two.
        Middle = "middle",
        /// The slope of the floor.
        Slope = "slope",
        /// The rotational inertia.
        Inertia = "inertia",
        /// The noise of the velocity before.
        Before = "before",
        /// What is not known of the pose: displacements of contact points, and a rotation.
        Pose = "pose",
        /// The sampler of the orders, and how long rates last.
        Orders = "orders",
        /// The tails of the noise after.
        Tails = "tails",
        /// Bias, scale and spread in the frame of the slip.
        Dress = "dress",
    }
}

/// Parameter to be identified.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name: key of the model file, or part of a key.
    pub name: &'static str,
    /// Minimum value.
    pub low: f64,
    /// Maximum value.
    pub high: f64,
    /// First step of the search, in units of the value, or of its logarithm.
    pub step: f64,
    /// Whether the search works in the logarithm.
    pub log: bool,
    /// Value in a model.
    pub value: fn(&Model) -> f64,
    set: fn(&mut Model, f64),
}

impl Ingredient {
    /// Whether the ingredient is tried only on request: it lengthens the search, and gained nothing
    /// on measured squares (`benches/results/forecasts.md`).
    pub fn is_on_request(self) -> bool {
        matches!(self, Ingredient::Middle | Ingredient::Pose)
    }

    /// Whether the samples are unchanged and only their dressing varies.
    pub fn keeps_samples(self) -> bool {
        matches!(self, Ingredient::Tails | Ingredient::Dress)
    }

    /// Reason why these events cannot determine the ingredient, if any.
    pub fn missing(self, events: &[Event], model: &Model) -> Option<&'static str> {
        let tangents = events.iter().all(|event| event.problem.tangents_per_contact() > 0);
        let several = events.iter().any(|event| event.problem.contact_count() > 1);
        let free = reach(events).is_some();
        match self {
            Ingredient::Gap if !events.iter().any(several_gaps) => {
                Some("no event has different gaps of several contacts")
            }
            Ingredient::Slope if !tangents => Some("there are no tangents"),
            Ingredient::Inset | Ingredient::Pose | Ingredient::Inertia if !free => {
                Some("the events are not those of one free body")
            }
            Ingredient::Inset | Ingredient::Middle | Ingredient::Orders if !several => {
                Some("no event has two contacts")
            }
            Ingredient::Orders if !matches!(model.law, Law::Routh(_)) => {
                Some("only the law routh has blocks and samplers")
            }
            _ => None,
        }
    }

    /// Initial models of the search for the ingredient, except the model without it.
    pub fn starts(self, events: &[Event], model: &Model) -> Vec<Model> {
        let with = |change: &dyn Fn(&mut Model)| {
            let mut model = model.clone();
            change(&mut model);
            model
        };
        let length = reach(events).unwrap_or_default();
        match self {
            Ingredient::Gap => {
                let gaps = spreads(events);
                let at = |share: f64| gaps[((gaps.len() - 1) as f64 * share) as usize];
                let of = |(near, far)| with(&|m| (m.gap, m.late) = (Some(at(near)), Some(at(far))));
                let far = [0.0, 0.2, 0.4, 0.6, 0.8].map(|near| (near, 1.0));
                far.into_iter().chain([(0.6, 0.9)]).map(of).collect()
            }
            Ingredient::Inset => [0.1, 0.3].map(|x| with(&|m| m.inset = x * length)).to_vec(),
            Ingredient::Middle => vec![with(&|model| model.middle = true)],
            Ingredient::Before => [0.02, 0.05].map(|x| with(&|model| model.before = x)).to_vec(),
            Ingredient::Pose => {
                let shift = 0.05 * length;
                let of = |(shift, attitude)| with(&|m| (m.shift, m.attitude) = (shift, attitude));
                [(shift, 0.0), (0.0, 0.01), (shift, 0.01)].map(of).to_vec()
            }
            Ingredient::Orders => {
                let of = |block| with(&|m| (m.block, m.coverage) = (Some(block), Some(0.5)));
                [0.5, 2.0, 8.0].map(of).to_vec()
            }
            Ingredient::Tails => FREEDOMS.map(|nu| with(&|m| m.freedom = Some(nu))).to_vec(),
            Ingredient::Dress => vec![with(&|model| model.dress = Some(Dress::default()))],
            _ => Vec::new(),
        }
    }

    /// Parameters of the ingredient, scaled to the sizes in the events.
    pub fn parameters(self, events: &[Event]) -> Vec<Parameter> {
        const ANY: f64 = f64::INFINITY;
        let length = reach(events).unwrap_or_default();
        match self {
            Ingredient::Numbers => vec![
                Number(
                    |m| middle(m.friction),
                    |m, x| m.friction = range(x, share(m.friction, ANY), ANY),
                )
                .log("friction", [0.01, 2.0], 0.2),
                Number(
                    |m| share(m.friction, ANY),
                    |m, x| m.friction = range(middle(m.friction), x, ANY),
                )
                .linear("width of friction", [0.0, 1.0], 0.2),
                Number(
                    |m| middle(m.restitution),
                    |m, x| m.restitution = range(x, share(m.restitution, 1.0), 1.0),
                )
                .linear("restitution", [0.0, 1.0], 0.08),
                Number(
                    |m| share(m.restitution, 1.0),
                    |m, x| m.restitution = range(middle(m.restitution), x, 1.0),
                )
                .linear("width of restitution", [0.0, 1.0], 0.2),
            ],
            Ingredient::Gap => {
                let largest = spreads(events).last().copied().unwrap_or(0.0).max(1e-5);
                let gap = Number(|m| m.gap.unwrap_or(ANY), |m, x| m.gap = Some(x));
                let late = Number(|m| m.late.unwrap_or(0.0), |m, x| m.late = Some(x));
                [("gap", gap), ("late", late)]
                    .map(|(name, of)| of.log(name, [1e-5, largest], 0.3))
                    .to_vec()
            }
            Ingredient::Inset => {
                let inset = Number(|m| m.inset, |m, x| m.inset = x);
                vec![inset.linear("inset", [0.0, length], 0.05 * length)]
            }
            Ingredient::Slope => {
                let spatial = events.iter().any(|event| event.problem.tangents_per_contact() == 2);
                let first = Number(|m| m.slope[0], |m, x| m.slope[0] = x);
                let second = Number(|m| m.slope[1], |m, x| m.slope[1] = x);
                let all = [("slope", first), ("second slope", second)].into_iter();
                all.take(1 + usize::from(spatial))
                    .map(|(name, of)| of.linear(name, [-0.2, 0.2], 0.01))
                    .collect()
            }
            Ingredient::Inertia => {
                let inertia = Number(|m| m.inertia, |m, x| m.inertia = x);
                vec![inertia.log("inertia", [0.3, 3.0], 0.1)]
            }
            Ingredient::Before => {
                let before = Number(|m| m.before, |m, x| m.before = x);
                vec![before.linear("before", [0.0, 0.5], 0.02)]
            }
            Ingredient::Pose => {
                let shift = Number(|m| m.shift, |m, x| m.shift = x);
                let attitude = Number(|m| m.attitude, |m, x| m.attitude = x);
                vec![
                    shift.linear("shift", [0.0, 0.5 * length], 0.05 * length),
                    attitude.linear("attitude", [0.0, 0.2], 0.01),
                ]
            }
            Ingredient::Orders => vec![
                Number(|m| m.block.unwrap_or(1.0), |m, x| m.block = Some(x)).log(
                    "block",
                    [0.05, 100.0],
                    0.7,
                ),
                Number(|m| m.coverage.unwrap_or(1.0), |m, x| m.coverage = Some(x)).linear(
                    "coverage",
                    [0.0, 1.0],
                    0.3,
                ),
            ],
            Ingredient::Middle | Ingredient::Tails => Vec::new(),
            Ingredient::Dress => vec![
                Number(|m| dress(m).scale, |m, x| dressed(m).scale = x).log(
                    "scale",
                    [0.1, 5.0],
                    0.2,
                ),
                Number(|m| dress(m).bias[0], |m, x| dressed(m).bias[0] = x).linear(
                    "normal bias",
                    [-0.5, 0.5],
                    0.01,
                ),
                Number(|m| dress(m).bias[1], |m, x| dressed(m).bias[1] = x).linear(
                    "bias along the slip",
                    [-0.5, 0.5],
                    0.01,
                ),
                Number(|m| dress(m).spread[0], |m, x| dressed(m).spread[0] = x).linear(
                    "normal spread",
                    [0.0, 1.0],
                    0.02,
                ),
                Number(|m| dress(m).spread[1], |m, x| dressed(m).spread[1] = x).linear(
                    "spread along the slip",
                    [0.0, 1.0],
                    0.02,
                ),
            ],
        }
    }
}

/// Getter and setter of a number of a model.
struct Number(fn(&Model) -> f64, fn(&mut Model, f64));

impl Number {
    fn linear(self, name: &'static str, [low, high]: [f64; 2], step: f64) -> Parameter {
        let Number(value, set) = self;
        Parameter { name, low, high, step, log: false, value, set }
    }

    fn log(self, name: &'static str, bounds: [f64; 2], step: f64) -> Parameter {
        Parameter { log: true, ..self.linear(name, bounds, step) }
    }
}

impl Parameter {
    /// Noise of the velocity after the impact. It is fitted without search: see
    /// [`Training::fitted`](super::training::Training::fitted).
    pub const NOISE: Parameter = Parameter {
        name: "noise",
        low: 1e-5,
        high: 5.0,
        step: 0.5,
        log: true,
        value: |model| model.noise,
        set: |model, x| model.noise = x,
    };

    /// Whether scores depend smoothly on the value; contacts and samplers cause jumps.
    pub fn is_smooth(&self) -> bool {
        !["gap", "late", "block", "coverage"].contains(&self.name)
    }

    /// Place of the model's value in the search.
    pub fn place(&self, model: &Model) -> f64 {
        let x = (self.value)(model).clamp(self.low, self.high);
        if self.log { x.ln() } else { x }
    }

    /// Places of the bounds.
    pub fn bounds(&self) -> [f64; 2] {
        [self.low, self.high].map(|x| if self.log { x.ln() } else { x })
    }

    /// Sets the value from a place of the search, clamped to the bounds.
    pub fn put(&self, model: &mut Model, place: f64) {
        let x = if self.log { place.exp() } else { place };
        (self.set)(model, x.clamp(self.low, self.high));
    }

    /// Whether the value lies at a bound of the search.
    pub fn is_bound(&self, model: &Model) -> bool {
        let x = (self.value)(model);
        let near = 1e-6 * (self.high - self.low);
        x <= self.low + near || x >= self.high - near
    }
}

fn dress(model: &Model) -> Dress {
    model.dress.clone().unwrap_or_default()
}

fn dressed(model: &mut Model) -> &mut Dress {
    model.dress.get_or_insert_default()
}

fn middle([low, high]: [f64; 2]) -> f64 {
    0.5 * (low + high)
}

/// Half-width of a range, relative to the maximum with this midpoint within `[0, most]`.
fn share(of: [f64; 2], most: f64) -> f64 {
    let largest = middle(of).min(most - middle(of));
    if largest > 0.0 { (0.5 * (of[1] - of[0]) / largest).clamp(0.0, 1.0) } else { 0.0 }
}

/// Range with a midpoint and a half-width relative to the maximum within `[0, most]`.
fn range(middle: f64, share: f64, most: f64) -> [f64; 2] {
    let half = share * middle.min(most - middle);
    [(middle - half).max(0.0), (middle + half).min(most)]
}

/// Whether an event has contacts with different gaps.
fn several_gaps(event: &Event) -> bool {
    event.gap.as_ref().is_some_and(|gaps| gaps.iter().any(|gap| *gap != gaps[0]))
}

/// Gaps of contacts beyond the smallest gap of their event, sorted.
fn spreads(events: &[Event]) -> Vec<f64> {
    let beyond = |gaps: &Vec<f64>| {
        let nearest = gaps.iter().copied().fold(f64::INFINITY, f64::min);
        gaps.iter().map(|gap| gap - nearest).filter(|gap| *gap > 0.0).collect::<Vec<_>>()
    };
    let mut all: Vec<f64> = events.iter().filter_map(|e| e.gap.as_ref()).flat_map(beyond).collect();
    all.sort_unstable_by(f64::total_cmp);
    all
}
