//! Measured impacts from recordings: velocities before and after each impact, from positions over
//! time.

use nalgebra::{DMatrix, DVector};

use carom_core::error::{Error, Result};
use carom_core::event::Event;
use carom_mechanics::motion::mechanism::Mechanism;
use carom_mechanics::motion::midpoint::{Coefficients, problem};

/// Number of sections of a frame interval for the time of the impact.
const SECTIONS: usize = 64;
/// Significance level in standard deviations, for residuals above the median and jumps above 0.
pub(super) const CLEARLY: f64 = 4.0;
/// Error of the velocity jump, in units of `|v-|_M`, below which an event is always clean.
const SMALL: f64 = 2e-3;
/// Time difference for the derivative of the mass matrix, s.
const DIFFERENCE: f64 = 1e-5;

/// Configurations over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Frames, toss by toss.
    pub frames: Vec<Frame>,
}

/// Configuration at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Time in s, increasing within a toss.
    pub time: f64,
    /// Configuration `q`.
    pub position: DVector<f64>,
    /// Toss number.
    pub toss: f64,
}

/// Criteria for an impact in a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extraction {
    /// Number of frames on each side in the fit of free motion; at least 3.
    pub frames: usize,
    /// Minimum velocity jump, `|v+ - v-|_M / |v-|_M`.
    pub jump: f64,
    /// Minimum approach speed of a contact, m/s.
    pub speed: f64,
    /// Maximum gap of a contact at the time of the impact, m.
    pub gap: f64,
}

impl Default for Extraction {
    fn default() -> Self {
        Extraction { frames: 5, jump: 0.1, speed: 0.1, gap: 2e-3 }
    }
}

/// Table layout of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Column names, for a table without a header line.
    pub columns: Option<Vec<String>>,
    /// Frames per second, for a table without the column `time`.
    pub rate: Option<f64>,
    /// Toss number, for a table without the column `toss`.
    pub toss: f64,
}

impl Recording {
    /// Reads comma-separated columns: `time`, the positions in `names` and, optionally, `toss`;
    /// other columns are ignored. `carom simulate --out FILE.csv` writes such a file.
    ///
    /// # Errors
    /// A missing column, a row of another length, an entry that is not a finite number, times that
    /// do not increase within a toss, a quaternion whose length differs from 1 by more than 1 %.
    pub fn read(text: &str, names: &[String], layout: &Layout) -> Result<Self> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let columns: Vec<String> = match &layout.columns {
            Some(columns) => columns.clone(),
            None => {
                let heading = lines.next().ok_or_else(|| Error::input("the recording is empty"))?.1;
                let heading = heading.trim_start_matches('\u{feff}').split(',');
                heading.map(|name| name.trim().trim_matches('"').to_string()).collect()
            }
        };
        let table = Table::new(&columns, names, layout)?;
        let mut frames: Vec<Frame> = Vec::new();
        for (row, (line, text)) in lines.enumerate() {
            let at = |error: Error| error.at(format!("line {}", line + 1));
            let fields: Vec<&str> = text.split(',').map(str::trim).collect();
            let frame = table.frame(row, &fields).map_err(at)?;
            if frames.last().is_some_and(|last| last.toss == frame.toss && last.time >= frame.time)
            {
                return Err(at(Error::input("time does not rise"))
                    .hint("one row for each frame, and a column toss where there are several"));
            }
            frames.push(frame);
        }
        let found = (!frames.is_empty()).then_some(Recording { frames });
        found.ok_or_else(|| Error::input("the recording has no frames"))
    }

    /// Impacts of a mechanism in the recording.
    ///
    /// For each pair of adjacent frames, free motion `d(t) = c + v t + a t^2 / 2` is fitted by
    /// least squares to the frames before and to the frames after, with `a` the acceleration
    /// without contacts at the adjacent frame. Both fits are extrapolated to the time in between at
    /// which their configurations are nearest. A contact within `gap` at the far end of a fit may
    /// persist. After an impact, steady motion (`a = 0`) then replaces free motion if it fits
    /// better; if it fits better before, there is no impact. An impact requires a velocity
    /// difference above `jump`, and a contact within `gap` that approaches faster than `speed`.
    /// Among several candidates within `frames` frames, the one with the smallest residual of its
    /// fits counts. The noise is the standard deviation of `v+ - v-` in the kinetic norm in units
    /// of `|v-|_M`, from the residuals of the clean events. A jump below four times the noise is no
    /// impact. A clean event satisfies two conditions, which exclude a nearby second impact. The
    /// mean square of its residuals is at most four standard deviations `sqrt(2 / k)`, of a mean of
    /// k squares, above the median. No contact is within `gap` at the far ends of its fits, unless
    /// it clearly persists.
    ///
    /// # Errors
    /// Fewer than 3 frames on a side; a mass matrix that is not positive definite; invalid contact
    /// problems.
    pub fn impacts(
        &self,
        mechanism: &Mechanism,
        coefficients: &Coefficients,
        how: &Extraction,
    ) -> Result<Vec<Event>> {
        if how.frames < 3 {
            return Err(Error::usage("expected at least 3").at("frames"));
        }
        let mut found: Vec<Candidate> = Vec::new();
        for toss in self.frames.chunk_by(|a, b| a.toss == b.toss) {
            let mut here = Vec::new();
            for last in how.frames.saturating_sub(1)..toss.len().saturating_sub(how.frames) {
                here.extend(Candidate::at(mechanism, toss, last, how)?);
            }
            here.sort_by(|a, b| a.residual.total_cmp(&b.residual));
            let mut kept: Vec<Candidate> = Vec::new();
            for candidate in here {
                if kept.iter().all(|other| other.last.abs_diff(candidate.last) >= how.frames) {
                    kept.push(candidate);
                }
            }
            kept.sort_by_key(|candidate| candidate.last);
            found.extend(kept);
        }
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let mut residuals: Vec<f64> = found.iter().map(|candidate| candidate.residual).collect();
        residuals.sort_by(f64::total_cmp);
        let above = above(mechanism.size() * (2 * how.frames - 4));
        let most = above.sqrt() * residuals[residuals.len() / 2];
        let fits = |one: &Candidate| one.residual <= most || one.noise(&one.variance) <= SMALL;
        let is_clean = |one: &Candidate| one.flies && fits(one);
        let clean: Vec<&Candidate> = found.iter().filter(|one| fits(one)).collect();
        let sum = clean.iter().map(|one| &one.variance).sum::<DVector<f64>>();
        let variance = sum / clean.len() as f64;
        let jumps = found.iter().filter(|one| one.jump > CLEARLY * one.noise(&variance));
        let event = |(number, one): (usize, &Candidate)| {
            let contacts = mechanism.touching(&one.position, how.gap);
            let problem = problem(mechanism, coefficients, &contacts, &one.position, &one.before)?;
            Ok(Event {
                number,
                measured: one.after.as_slice().to_vec(),
                noise: Some(one.noise(&variance)),
                clean: Some(is_clean(one)),
                gap: Some(contacts.iter().map(|contact| contact.touch.gap).collect()),
                toss: Some(one.toss),
                problem,
            })
        };
        jumps.enumerate().map(event).collect()
    }
}

/// Threshold ratio for a significantly larger mean of `count` squares, by [`CLEARLY`].
fn above(count: usize) -> f64 {
    1.0 + CLEARLY * (2.0 / count as f64).sqrt()
}

struct Table<'a> {
    columns: &'a [String],
    time: Option<usize>,
    toss: Option<usize>,
    positions: Vec<usize>,
    /// Indices of the first entries of quaternions among the positions.
    quaternions: Vec<usize>,
    layout: &'a Layout,
}

impl<'a> Table<'a> {
    fn new(columns: &'a [String], names: &[String], layout: &'a Layout) -> Result<Self> {
        let find = |name: &str| columns.iter().position(|column| column == name);
        let missing = |name: &str| {
            let hint = format!(
                "the recording needs time and the positions {}; --columns names the columns \
                 of a table without a heading, and --rate stands for the time",
                names.join(", ")
            );
            Error::input(format!("there is no column {name}")).at("line 1").hint(hint)
        };
        let place = |name: &str| find(name).ok_or_else(|| missing(name));
        let time = if layout.rate.is_some() { None } else { Some(place("time")?) };
        let positions = names.iter().map(|name| place(name)).collect::<Result<_>>()?;
        let quaternions = (0..names.len()).filter(|&i| names[i].ends_with(".qw")).collect();
        Ok(Table { columns, time, toss: find("toss"), positions, quaternions, layout })
    }

    /// Frame of a row, counted from 0.
    fn frame(&self, row: usize, fields: &[&str]) -> Result<Frame> {
        let (found, expected) = (fields.len(), self.columns.len());
        if found != expected {
            return Err(Error::input(format!("{found} fields; expected {expected}")));
        }
        let number = |place: usize| match fields[place].parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            _ => {
                let (name, text) = (&self.columns[place], fields[place]);
                Err(Error::input(format!("{name} is no number: {text}")))
            }
        };
        let position: Vec<f64> =
            self.positions.iter().map(|at| number(*at)).collect::<Result<_>>()?;
        for &at in &self.quaternions {
            let length = position[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
            if (length - 1.0).abs() > 0.01 {
                let what = format!("a quaternion of length {length:.4}; expected 1");
                return Err(Error::input(what));
            }
        }
        let time = match (self.time, self.layout.rate) {
            (Some(place), _) => number(place)?,
            (None, rate) => row as f64 / rate.unwrap_or(1.0),
        };
        let toss = self.toss.map_or(Ok(self.layout.toss), number)?;
        Ok(Frame { time, position: DVector::from_vec(position), toss })
    }
}

/// Impact between two frames.
struct Candidate {
    toss: f64,
    /// Index of the last frame before the impact, within the toss.
    last: usize,
    position: DVector<f64>,
    before: DVector<f64>,
    after: DVector<f64>,
    /// Root mean square of the residuals in the norm of the mass matrix.
    residual: f64,
    /// Variance of a recorded displacement along each entry of the velocity (n).
    variance: DVector<f64>,
    /// Ratio of the variance of `v+ - v-` to the variance of a displacement, 1/s^2.
    lever: f64,
    /// Diagonal of the mass matrix (n), and `|v-|_M`.
    mass: DVector<f64>,
    speed: f64,
    jump: f64,
    /// Whether no contact exists at the far ends of the fits, or contacts clearly persist.
    flies: bool,
}

/// Free motion near a frame: `c + v t + a t^2 / 2` at time `t` after it.
pub(super) struct Fit {
    c: DVector<f64>,
    v: DVector<f64>,
    a: DVector<f64>,
    squares: DVector<f64>,
    /// Sum of the squares of the times about their mean, s^2.
    spread: f64,
}

impl Fit {
    /// Motion without contacts.
    fn free(mechanism: &Mechanism, frames: &[Frame], at: &Frame) -> Result<Self> {
        // Forces may depend on the velocity, so a first fit estimates it.
        let first = Fit::new(mechanism, frames, at, acceleration(mechanism, at, None)?);
        let a = acceleration(mechanism, at, Some(&first.v))?;
        Ok(Fit::new(mechanism, frames, at, a))
    }

    fn new(mechanism: &Mechanism, frames: &[Frame], at: &Frame, a: DVector<f64>) -> Self {
        let times: Vec<f64> = frames.iter().map(|frame| frame.time - at.time).collect();
        let moved = |(frame, t): (&Frame, &f64)| {
            mechanism.displacement(&at.position, &frame.position) - &a * (0.5 * t * t)
        };
        let moved: Vec<DVector<f64>> = frames.iter().zip(&times).map(moved).collect();
        let count = frames.len() as f64;
        let mean = times.iter().sum::<f64>() / count;
        let centre = moved.iter().sum::<DVector<f64>>() / count;
        let spread: f64 = times.iter().map(|t| (t - mean).powi(2)).sum();
        let v =
            times.iter().zip(&moved).map(|(t, d)| d * (t - mean)).sum::<DVector<f64>>() / spread;
        let c = centre - &v * mean;
        let square = |(t, d): (&f64, &DVector<f64>)| (d - &c - &v * *t).map(|x| x * x);
        let squares = times.iter().zip(&moved).map(square).sum();
        Fit { c, v, a, squares, spread }
    }

    /// Motion at constant velocity.
    pub(super) fn steady(mechanism: &Mechanism, frames: &[Frame], at: &Frame) -> Self {
        Fit::new(mechanism, frames, at, DVector::zeros(mechanism.size()))
    }

    fn position(&self, t: f64) -> DVector<f64> {
        &self.c + &self.v * t + &self.a * (0.5 * t * t)
    }

    pub(super) fn velocity(&self, t: f64) -> DVector<f64> {
        &self.v + &self.a * t
    }
}

/// Acceleration without contacts at velocity `v`, or at rest: `M^-1 (dp/dt - dM/dt v)`, with
/// `dM/dt` along the motion by a finite difference.
pub(super) fn acceleration(
    mechanism: &Mechanism,
    at: &Frame,
    v: Option<&DVector<f64>>,
) -> Result<DVector<f64>> {
    let q = &at.position;
    let rest = DVector::zeros(mechanism.size());
    let v = v.unwrap_or(&rest);
    let p = mechanism.momentum(q, v);
    let along = |t: f64| mechanism.momentum(&mechanism.moved(q, v, t), v);
    let change = (along(DIFFERENCE) - along(-DIFFERENCE)) / (2.0 * DIFFERENCE);
    Ok(mechanism.factor(q)?.solve(&(mechanism.push(q, v, &p) - change)))
}

impl Candidate {
    /// Impact between frame `last` of a toss and the next frame, if any.
    fn at(
        mechanism: &Mechanism,
        toss: &[Frame],
        last: usize,
        how: &Extraction,
    ) -> Result<Option<Self>> {
        let (from, to) = (&toss[last], &toss[last + 1]);
        let mass: DMatrix<f64> = mechanism.mass(&from.position);
        let error = |fit: &Fit| fit.squares.dot(&mass.diagonal());
        let [earlier, later] =
            [&toss[last + 1 - how.frames..=last], &toss[last + 1..=last + how.frames]];
        let touches = |frame: &Frame| !mechanism.touching(&frame.position, how.gap).is_empty();
        let [first, end] = [touches(&earlier[0]), touches(&later[how.frames - 1])];
        let before = Fit::free(mechanism, earlier, from)?;
        if first && error(&Fit::steady(mechanism, earlier, from)) < error(&before) {
            return Ok(None);
        }
        let (free, steady) = (Fit::free(mechanism, later, to)?, Fit::steady(mechanism, later, to));
        let better = error(&free) / error(&steady);
        let flies = !first && (!end || better > above(mechanism.size() * (how.frames - 2)));
        let after = if end && better > 1.0 { steady } else { free };
        let step = mechanism.displacement(&from.position, &to.position);
        let pause = to.time - from.time;
        let apart = |t: f64| {
            let apart = &step + after.position(t - pause) - before.position(t);
            apart.dot(&(&mass * &apart))
        };
        let times = (0..=SECTIONS).map(|k| pause * k as f64 / SECTIONS as f64);
        let time = times.min_by(|a, b| apart(*a).total_cmp(&apart(*b))).unwrap_or(0.0);
        let (v, end) = (before.velocity(time), after.velocity(time - pause));
        let size = |v: &DVector<f64>| v.dot(&(&mass * v)).sqrt();
        let (speed, jump) = (size(&v), size(&(&end - &v)) / size(&v));
        if jump.is_nan() || jump <= how.jump {
            return Ok(None);
        }
        let position = mechanism.moved(&from.position, &before.position(time), 1.0);
        let contacts = mechanism.touching(&position, how.gap);
        let closing = mechanism.normal_rows(&position, &contacts) * &v;
        if closing.iter().all(|speed| *speed > -how.speed) {
            return Ok(None);
        }
        let squares = before.squares + after.squares;
        Ok(Some(Candidate {
            toss: from.toss,
            last,
            position,
            before: v,
            after: end,
            residual: (squares.dot(&mass.diagonal()) / (2 * how.frames) as f64).sqrt(),
            variance: squares / (2 * how.frames - 4) as f64,
            lever: 1.0 / before.spread + 1.0 / after.spread,
            mass: mass.diagonal(),
            speed,
            jump,
            flies,
        }))
    }

    /// Standard deviation of `v+ - v-`, in units of `|v-|_M`, for displacements of this variance
    /// (n).
    fn noise(&self, variance: &DVector<f64>) -> f64 {
        (self.mass.dot(variance) * self.lever).sqrt() / self.speed
    }
}
