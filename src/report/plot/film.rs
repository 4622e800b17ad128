//! Animated pictures: SVG with SMIL animation, without scripts.
//!
//! Every changing number is an `<animate>` or `<animateTransform>` with key times. All animations
//! have equal duration and restart together. A viewer without animation shows the first frame.

use std::fmt::Write;

use super::Axis;
use super::axis::{AxisView, Ticks};
use super::marks::colour;
use super::svg::{Svg, Type, coordinate, line, shortened, width, wrapped};
use carom_core::error::{Error, Result};

/// Width of the picture and size of letters, in pixels.
const WIDTH: f64 = 640.0;
const FONT: f64 = 12.5;
/// The height of the scene over its width, at least and at most.
const HEIGHTS: [f64; 2] = [0.3, 0.75];
/// Seconds of the film for which the end is shown; then seconds for which an impact flashes.
const HOLD: f64 = 1.0;
const FLASH: f64 = 0.35;
/// Times that are shown in words, about.
const CLOCK: f64 = 60.0;
/// The colour of impacts.
const IMPACT: usize = 2;

/// The style of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A filled polygon with a border.
    Solid,
    /// A polygon filled in grey, without a border.
    Shade,
    /// A line.
    Line,
    /// A thin light line.
    Thin,
    /// A dot at each point.
    Dot,
}

/// A set of lines, polygons or dots with one style.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The style of the lines.
    pub look: Look,
    /// The number of its colour.
    pub colour: usize,
    /// The points in m: one line, or one line of equal length for each time of the part.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// For each time of the part, whether the figure faces the viewer; empty: always.
    pub front: Vec<bool>,
}

/// Figures that move together, visible from the first time of the part to the last.
#[derive(Clone, Debug)]
pub struct FilmPart {
    /// The times in s, ascending.
    pub times: Vec<f64>,
    /// The probability mass of the branch; the smaller, the fainter the part.
    pub share: f64,
    /// The pose at each time: origin in m and angle in rad; empty: the lines hold the positions.
    pub poses: Vec<[f64; 3]>,
    /// The figures of the part.
    pub figures: Vec<Figure>,
}

/// An impact.
#[derive(Clone, Debug)]
pub struct Flash {
    /// The time in s.
    pub time: f64,
    /// The place in m.
    pub place: [f64; 2],
    /// The probability mass of the branch, as [`FilmPart::share`].
    pub share: f64,
}

/// A picture whose parts move.
#[derive(Clone, Debug, Default)]
pub struct Film {
    /// The title of the film.
    pub title: String,
    /// A line at the foot: where the numbers come from.
    pub note: String,
    /// Seconds of the motion in one second of the film.
    pub speed: f64,
    /// Figures that stand still, behind the others.
    pub still: Vec<Figure>,
    /// Moving parts, in drawing order: the last ones are in front.
    pub parts: Vec<FilmPart>,
    /// The impacts.
    pub flashes: Vec<Flash>,
    /// Points to keep in view although nothing moves there.
    pub seen: Vec<[f64; 2]>,
    /// Legend: colour index and text.
    pub legend: Vec<(usize, String)>,
}

struct Clock {
    start: f64,
    end: f64,
    speed: f64,
    /// The length of the film, in s.
    length: f64,
}

struct Stage {
    scale: f64,
    /// The position of the origin, in pixels.
    origin: [f64; 2],
}

impl Figure {
    /// A figure that is always in front.
    pub fn new(look: Look, colour: usize, lines: Vec<Vec<[f64; 2]>>) -> Self {
        Figure { look, colour, lines, front: Vec::new() }
    }
}

impl Film {
    /// Bounding box of all moving parts, in m.
    pub fn bounds(&self) -> [[f64; 2]; 2] {
        let mut bounds = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
        let mut take = |[x, y]: [f64; 2]| {
            let [[left, down], [right, up]] = bounds;
            bounds = [[left.min(x), down.min(y)], [right.max(x), up.max(y)]];
        };
        for part in &self.parts {
            let points =
                || part.figures.iter().flat_map(|figure| figure.lines.iter().flatten().copied());
            if part.poses.is_empty() {
                points().for_each(&mut take);
            }
            for [x, y, angle] in &part.poses {
                let (sin, cos) = angle.sin_cos();
                points().for_each(|[a, b]| take([x + cos * a - sin * b, y + sin * a + cos * b]));
            }
        }
        let places = self.flashes.iter().map(|flash| &flash.place).chain(&self.seen);
        places.copied().for_each(&mut take);
        bounds
    }

    /// The film as the text of an SVG file.
    ///
    /// # Errors
    /// Nothing that moves; a number that is not finite.
    pub fn svg(&self) -> Result<String> {
        let times = || self.parts.iter().flat_map(|part| &part.times);
        let start = times().copied().fold(f64::INFINITY, f64::min);
        let end = times().copied().fold(f64::NEG_INFINITY, f64::max);
        let [low, high] = self.bounds();
        if ![start, end, low[0], low[1], high[0], high[1]].iter().all(|x| x.is_finite()) {
            return Err(Error::usage("nothing moves that can be drawn, or a number is not finite"));
        }
        let clock =
            Clock { start, end, speed: self.speed, length: (end - start) / self.speed + HOLD };
        let across = WIDTH - 2.0 * FONT;
        let head = (1.4 + 1.4 * wrapped(&self.title, 1.2 * FONT, across, 2).len() as f64) * FONT;
        let extent = [high[0] - low[0], high[1] - low[1]];
        let largest = extent[0].max(extent[1]);
        let least = if largest > 0.0 { 1e-3 * largest } else { 1.0 };
        let size = extent.map(|side| 1.12 * side.max(least));
        let up = (across * size[1] / size[0]).clamp(HEIGHTS[0] * across, HEIGHTS[1] * across);
        let corners = [[FONT, head], [FONT + across, head + up]];
        let scale = (across / size[0]).min(up / size[1]);
        let middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
        let origin = [FONT + 0.5 * across - scale * middle[0], head + 0.5 * up + scale * middle[1]];
        let stage = Stage { scale, origin };
        let foot = head + up + 3.4 * FONT;
        let longest = self.legend.iter().map(|(_, label)| width(label, FONT)).fold(0.0, f64::max)
            + 4.0 * FONT;
        let columns = ((across / longest) as usize).clamp(1, 4);
        let rows = self.legend.len().div_ceil(columns);
        let lines = wrapped(&self.note, 0.85 * FONT, across, 3).len();
        let height = foot + (1.6 * rows as f64 + 1.1 * lines as f64 + 1.0) * FONT;
        let mut svg = Svg::new([WIDTH, height], [WIDTH, height].map(coordinate));
        svg.title(&self.title, FONT, across);
        svg.clip(0, corners);
        self.still.iter().for_each(|figure| stage.figure(&mut svg, figure, &clock, &[], false));
        self.parts.iter().for_each(|part| stage.part(&mut svg, part, &clock));
        self.flashes.iter().for_each(|flash| stage.flash(&mut svg, flash, &clock));
        svg.end();
        let [[left, top], [right, bottom]] = corners;
        let frame = line(&[[left, top], [right, top], [right, bottom], [left, bottom]], true);
        svg.path(&frame, "fill=\"none\" stroke=\"#c0c0c0\" stroke-width=\"0.75\"");
        self.axis(&mut svg, &clock, [left, right, bottom]);
        for (i, (number, label)) in self.legend.iter().enumerate() {
            let room = across / columns as f64;
            let at = [FONT + (i % columns) as f64 * room, foot + 1.6 * (i / columns) as f64 * FONT];
            let swatch = [[0.0, 0.0], [1.6, 0.0], [1.6, 0.9], [0.0, 0.9]]
                .map(|[x, y]| [at[0] + x * FONT, at[1] + y * FONT]);
            svg.path(&line(&swatch, true), &Look::Solid.style(*number));
            let label = shortened(label, FONT, room - 3.0 * FONT);
            svg.words(&label, [at[0] + 2.2 * FONT, at[1] + 0.85 * FONT], Type::new(FONT));
        }
        svg.note(&self.note, FONT, [across, height]);
        Ok(svg.finish())
    }

    /// The time axis: ticks, impacts, a moving pointer, and the time as text.
    fn axis(&self, svg: &mut Svg, clock: &Clock, [left, right, bottom]: [f64; 3]) {
        let end = if clock.end > clock.start { clock.end } else { clock.start + HOLD };
        let length = end - clock.start;
        let view = AxisView { low: clock.start, high: end };
        let ticks = |wanted: f64| -> Vec<(f64, String)> {
            let ticks = Ticks::new(view, &Axis::new("", ""), wanted, None).ticks;
            let times: Vec<f64> = ticks.iter().map(|(time, _)| *time).collect();
            let step = times.windows(2).next().map_or(length, |pair| pair[1] - pair[0]);
            let decimals = (-(step * (1.0 + 1e-9)).log10().floor()).max(0.0) as usize;
            // No sign before 0.
            times.into_iter().map(|time| (time, format!("{:.decimals$}", time + 0.0))).collect()
        };
        let shown = ticks(CLOCK);
        let longest = shown.iter().map(|(_, words)| width(words, FONT)).fold(0.0, f64::max);
        let room = longest + width("t =  s", FONT) + 1.2 * FONT;
        let (left, right, y) = (left, right - room, bottom + 0.9 * FONT);
        let at = |time: f64| left + (right - left) * (time - clock.start) / length;
        let black = "stroke=\"black\" stroke-width=\"1\"";
        svg.path(&line(&[[left, y], [right, y]], false), black);
        let mut taken = f64::NEG_INFINITY;
        for (time, words) in ticks(8.0) {
            let (x, half) = (at(time), 0.5 * width(&words, 0.9 * FONT));
            svg.path(&line(&[[x, y], [x, y + 0.4 * FONT]], false), black);
            let middle = x.max(left + half);
            if middle - half > taken {
                let at = [middle, y + 1.5 * FONT];
                svg.words(&words, at, Type::new(0.9 * FONT).anchored("middle"));
                taken = middle + half + 0.4 * FONT;
            }
        }
        let mark =
            |flash: &Flash| line(&[[at(flash.time), y - 0.5 * FONT], [at(flash.time), y]], false);
        let marks: String = self.flashes.iter().map(mark).collect();
        svg.path(&marks, &format!("stroke=\"{}\" stroke-width=\"1\"", colour(IMPACT)));
        let ends = [clock.key(clock.start), clock.key(clock.end)];
        let [x, y, up] = [left, y, y + 0.4 * FONT].map(coordinate);
        let (r, colour) = (coordinate(0.35 * FONT), colour(0));
        let moves =
            clock.linear("animate attributeName=\"cx\"", &ends, &[left, right].map(coordinate));
        svg.add(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{colour}\">{moves}</circle>\n"
        ));
        let x = coordinate(right + room);
        for (i, (time, words)) in shown.iter().enumerate() {
            let next = shown.get(i + 1).map(|(time, _)| *time);
            let seen = clock.shown(Some(*time).filter(|_| i > 0), next);
            let hidden = if i == 0 { "" } else { " visibility=\"hidden\"" };
            svg.add(&format!(
                "<text x=\"{x}\" y=\"{up}\" font-size=\"{FONT}\" text-anchor=\"end\"{hidden}>{seen}t = {words} s</text>\n"
            ));
        }
    }
}

impl Clock {
    /// The fraction of the film at a time of the motion.
    fn key(&self, time: f64) -> f64 {
        ((time - self.start) / self.speed / self.length).clamp(0.0, 1.0)
    }

    /// An animation through values at key times; nothing where all values are equal.
    fn linear(&self, element: &str, keys: &[f64], values: &[String]) -> String {
        let [Some(first), Some(last)] = [values.first(), values.last()] else {
            return String::new();
        };
        if values.iter().all(|value| value == first) {
            return String::new();
        }
        let mut all: Vec<(f64, &str)> = vec![(0.0, first)];
        let between = keys.iter().copied().zip(values.iter().map(String::as_str));
        all.extend(between.filter(|(key, _)| (0.0..1.0).contains(key)));
        all.push((1.0, last));
        if all[1].0 == 0.0 {
            all.remove(0);
        }
        self.animation(element, &all, "")
    }

    /// An animation that jumps from value to value.
    fn discrete(&self, attribute: &str, keys: &[f64], values: &[&str]) -> String {
        let mut all: Vec<(f64, &str)> = Vec::new();
        for (key, value) in keys.iter().zip(values) {
            if all.last().is_none_or(|(_, last)| last != value) {
                all.push((if all.is_empty() { 0.0 } else { *key }, value));
            }
        }
        if all.len() < 2 {
            return String::new();
        }
        let element = format!("animate attributeName=\"{attribute}\"");
        self.animation(&element, &all, " calcMode=\"discrete\"")
    }

    fn animation(&self, element: &str, all: &[(f64, &str)], mode: &str) -> String {
        let keys = all.iter().map(|(key, _)| short(*key)).collect::<Vec<_>>().join(";");
        let values = all.iter().map(|(_, value)| *value).collect::<Vec<_>>().join(";");
        let length = short(self.length);
        format!(
            "<{element} dur=\"{length}s\" repeatCount=\"indefinite\"{mode} keyTimes=\"{keys}\" values=\"{values}\"/>"
        )
    }

    /// Shows something from a time to another one, or to the end of the film.
    fn shown(&self, from: Option<f64>, to: Option<f64>) -> String {
        let from = from.map_or(0.0, |time| self.key(time));
        let mut states = vec![(from, "visible")];
        if from > 0.0 {
            states.insert(0, (0.0, "hidden"));
        }
        states.extend(to.map(|to| (self.key(to), "hidden")));
        let (keys, values): (Vec<f64>, Vec<&str>) = states.into_iter().unzip();
        self.discrete("visibility", &keys, &values)
    }
}

impl Stage {
    fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.origin[0] + self.scale * x, self.origin[1] - self.scale * y]
    }

    fn part(&self, svg: &mut Svg, part: &FilmPart, clock: &Clock) {
        let keys: Vec<f64> = part.times.iter().map(|time| clock.key(*time)).collect();
        let (first, last) = (part.times.first().copied(), part.times.last().copied());
        let last = last.filter(|last| *last < clock.end);
        let hidden = if first > Some(clock.start) { " visibility=\"hidden\"" } else { "" };
        let (opacity, seen) = (short(opacity(part.share)), clock.shown(first, last));
        svg.add(&format!("<g opacity=\"{opacity}\"{hidden}>{seen}\n"));
        let moves = !part.poses.is_empty();
        if moves {
            let places =
                part.poses.iter().map(|[x, y, _]| self.at([*x, *y]).map(coordinate).join(" "));
            let turns = part.poses.iter().map(|[_, _, angle]| short(-angle.to_degrees()));
            let [places, turns]: [Vec<String>; 2] = [places.collect(), turns.collect()];
            let moving = |kind: &str, values: &[String]| {
                let element =
                    format!("animateTransform attributeName=\"transform\" type=\"{kind}\"");
                clock.linear(&element, &keys, values)
            };
            let (place, turn) = (&places[0], &turns[0]);
            let (moving, turning) = (moving("translate", &places), moving("rotate", &turns));
            svg.add(&format!(
                "<g transform=\"translate({place})\">{moving}<g transform=\"rotate({turn})\">{turning}\n"
            ));
        }
        part.figures.iter().for_each(|figure| self.figure(svg, figure, clock, &keys, moves));
        svg.add(if moves { "</g></g></g>\n" } else { "</g>\n" });
    }

    /// A figure; `local`: in the frame of its moving part.
    fn figure(&self, svg: &mut Svg, figure: &Figure, clock: &Clock, keys: &[f64], local: bool) {
        let origin = if local { [0.0; 2] } else { self.origin };
        let stage = Stage { origin, ..*self };
        let paths: Vec<String> =
            figure.lines.iter().map(|points| stage.path(figure.look, points)).collect();
        let Some(first) = paths.first().filter(|path| !path.is_empty()) else { return };
        let seen: Vec<&str> =
            figure.front.iter().map(|front| if *front { "1" } else { "0.25" }).collect();
        let faint = if figure.front.first() == Some(&false) { " opacity=\"0.25\"" } else { "" };
        let moved = match paths.len() {
            0 | 1 => String::new(),
            _ => clock.linear("animate attributeName=\"d\"", keys, &paths),
        };
        let turned = clock.discrete("opacity", keys, &seen);
        let style = figure.look.style(figure.colour);
        svg.add(&format!("<path d=\"{first}\" {style}{faint}>{moved}{turned}</path>\n"));
    }

    /// The line of a figure in the syntax of SVG, to a tenth of a pixel: `L` need not be repeated.
    fn path(&self, look: Look, points: &[[f64; 2]]) -> String {
        let mut path = String::new();
        for (i, point) in points.iter().enumerate() {
            let [x, y] = self.at(*point).map(tenth);
            let _ = match (look, i) {
                (Look::Dot, _) => write!(path, "M{x} {y}h0"),
                (_, 0) => write!(path, "M{x} {y}"),
                (_, 1) => write!(path, "L{x} {y}"),
                _ => write!(path, " {x} {y}"),
            };
        }
        if matches!(look, Look::Solid | Look::Shade) && !path.is_empty() {
            path.push('Z');
        }
        path
    }

    fn flash(&self, svg: &mut Svg, flash: &Flash, clock: &Clock) {
        let [x, y] = self.at(flash.place).map(coordinate);
        let begin = clock.key(flash.time);
        let keys = [begin, begin, (begin + FLASH / clock.length).min(1.0)];
        let shine = short(opacity(flash.share));
        let shines = ["0", &shine, "0"].map(str::to_string);
        let sizes = [0.3, 0.3, 1.3].map(|r| coordinate(r * FONT));
        let [shines, grows] = [("opacity", &shines), ("r", &sizes)].map(|(attribute, values)| {
            clock.linear(&format!("animate attributeName=\"{attribute}\""), &keys, values)
        });
        let (r, colour) = (&sizes[0], colour(IMPACT));
        svg.add(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\" opacity=\"0\">{shines}{grows}</circle>\n"
        ));
    }
}

impl Look {
    fn style(self, number: usize) -> String {
        let colour = colour(number);
        let line = |w: &str| {
            format!(
                "fill=\"none\" stroke=\"{colour}\" stroke-width=\"{w}\" stroke-linecap=\"round\""
            )
        };
        match self {
            Look::Solid => format!(
                "fill=\"{colour}\" fill-opacity=\"0.25\" stroke=\"{colour}\" stroke-width=\"1.5\" stroke-linejoin=\"round\""
            ),
            Look::Shade => format!("fill=\"{colour}\" fill-opacity=\"0.22\""),
            Look::Line => line("2.5"),
            Look::Thin => format!(
                "fill=\"none\" stroke=\"{colour}\" stroke-width=\"1\" stroke-opacity=\"0.6\" stroke-linecap=\"round\""
            ),
            Look::Dot => line("6"),
        }
    }
}

fn opacity(share: f64) -> f64 {
    0.15 + 0.85 * share.clamp(0.0, 1.0).sqrt()
}

/// A number with at most one decimal.
fn tenth(x: f64) -> String {
    let text = format!("{x:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// A number with at most five decimals.
fn short(x: f64) -> String {
    let text = format!("{x:.5}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
