//! A panel: a frame with ticks, and the marks in it.

use std::f64::consts::FRAC_PI_2;

use super::axis::{AxisView, Ticks};
use super::marks::{arrow, marks, ring};
use super::svg::{Svg, Type, coordinate, line, shortened, width};
use super::{Mark, Panel, PlaceName, Series};
use carom_core::error::{Error, Result};
use carom_core::text::{short, three_digits};

/// The placement of a panel in the picture.
pub struct PanelPlace {
    /// The number of the panel.
    pub number: usize,
    /// Upper left and lower right corner, in pixels.
    pub corners: [[f64; 2]; 2],
    /// The size of letters.
    pub font: f64,
    /// Powers of ten of the axes, if shared with other panels.
    pub powers: [Option<i32>; 2],
}

struct Frame {
    views: [AxisView; 2],
    /// Upper left and lower right corner.
    corners: [[f64; 2]; 2],
    font: f64,
}

impl Frame {
    fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [[left, top], [right, bottom]] = self.corners;
        [
            left + self.views[0].place(x) * (right - left),
            bottom - self.views[1].place(y) * (bottom - top),
        ]
    }

    fn shows(&self, point: [f64; 2]) -> bool {
        self.views.iter().zip(point).all(|(view, x)| view.shows(x))
    }
}

/// The range of the axes of a panel.
pub fn views(number: usize, panel: &Panel, series: &[Series]) -> [AxisView; 2] {
    let all = || {
        let seen = series.iter().filter(|series| series.mark != Mark::Path);
        seen.flat_map(|series| series.at(number))
    };
    [0, 1].map(|i| match panel.view {
        Some(view) => AxisView::of(view.iter().map(|corner| corner[i]), &panel.axes[i]),
        None => AxisView::of(all().map(|point| point[i]), &panel.axes[i]),
    })
}

/// Draws a panel.
///
/// # Errors
/// No room; a number that is not finite.
pub fn draw(svg: &mut Svg, place: &PanelPlace, panel: &Panel, series: &[Series]) -> Result<()> {
    let (p, font) = (place.number, place.font);
    let mut numbers = series.iter().flat_map(|series| series.at(p)).flatten();
    if numbers.any(|x| !x.is_finite()) {
        return Err(Error::usage(format!("cannot draw `{}`: a number is not finite", panel.title)));
    }
    let mut views = views(p, panel, series);
    let [[left, top], [right, bottom]] = place.corners;
    let small = 0.9 * font;
    let (top, bottom) = (top + 1.8 * font, bottom - 3.8 * font);
    let ticks = |view: AxisView| {
        let wanted = ((bottom - top) / (2.6 * font)).min(6.0);
        Ticks::new(view, &panel.axes[1], wanted, place.powers[1])
    };
    let labels = labels(&ticks(views[1]), small);
    let (left, right) = (left + 3.0 * font + labels, right - 1.6 * font);
    if right - left < 5.0 * font || bottom - top < 4.0 * font {
        let hint = "make it larger, leave out the height, which then follows, or choose panels with --panels";
        let none = Error::usage("there is no room for the panels");
        return Err(none.option("size").hint(hint));
    }
    if panel.equal {
        // An axis with more pixels than its labels need has more ticks.
        let pixels = [right - left, bottom - top];
        let scale = (0..2).map(|i| (views[i].high - views[i].low) / pixels[i]).fold(0.0, f64::max);
        for (view, pixels) in views.iter_mut().zip(pixels) {
            let (middle, half) = (0.5 * (view.low + view.high), 0.5 * scale * pixels);
            *view = AxisView { low: middle - half, high: middle + half };
        }
    }
    let y = ticks(views[1]);
    let wanted = ((right - left) / (5.0 * font)).min(7.0);
    let x = Ticks::new(views[0], &panel.axes[0], wanted, place.powers[0]);
    let frame = Frame { views, corners: [[left, top], [right, bottom]], font };
    frame.axes(svg, [&x, &y], panel);
    svg.clip(p, frame.corners);
    for series in series.iter().filter(|series| series.mark.joins()) {
        frame.shape(svg, series, series.at(p));
    }
    svg.end();
    let (mut rings, mut named) = (Vec::new(), Vec::new());
    let fanned = frame.fanned(svg, series, p);
    for (series, fanned) in series.iter().zip(&fanned) {
        frame.points(svg, series, series.at(p), fanned, &mut rings, &mut named);
    }
    frame.names(svg, &panel.names);
    Ok(())
}

impl Frame {
    fn axes(&self, svg: &mut Svg, [x, y]: [&Ticks; 2], panel: &Panel) {
        let ([[left, top], [right, bottom]], font) = (self.corners, self.font);
        let (small, tick) = (0.9 * font, 0.35 * font);
        let [middle, half] = [0.5 * (left + right), 0.5 * (top + bottom)];
        let centred = Type::new(font).anchored("middle");
        let title = shortened(&panel.title, font, right - left + 3.0 * font);
        svg.words(&title, [middle, top - 0.7 * font], centred);
        let mut grid = String::new();
        let corners = [[left, top], [left, bottom], [right, bottom], [right, top]];
        let mut ticks = line(&corners, true);
        let mut taken = f64::NEG_INFINITY;
        for (value, text) in &x.ticks {
            let at = self.at([*value, self.views[1].low])[0];
            grid += &line(&[[at, bottom], [at, top]], false);
            ticks += &line(&[[at, bottom], [at, bottom + tick]], false);
            let room = 0.5 * width(text, small);
            if at - room > taken {
                svg.words(text, [at, bottom + 1.4 * font], Type::new(small).anchored("middle"));
                taken = at + room + 0.4 * font;
            }
        }
        for (value, text) in &y.ticks {
            let at = self.at([self.views[0].low, *value])[1];
            grid += &line(&[[left, at], [right, at]], false);
            ticks += &line(&[[left - tick, at], [left, at]], false);
            let place = [left - 0.6 * font, at + 0.33 * small];
            svg.words(text, place, Type::new(small).anchored("end"));
        }
        let thin = |colour: &str, w: f64| outlined(colour, w * font);
        svg.path(&grid, &thin("#e8e8e8", 0.06));
        let mut zero = String::new();
        let [low, high] =
            [0, 1].map(|end| self.views.map(|view| if end == 0 { view.low } else { view.high }));
        if self.views[0].shows(0.0) {
            zero += &line(&[[0.0, low[1]], [0.0, high[1]]].map(|point| self.at(point)), false);
        }
        if self.views[1].shows(0.0) {
            zero += &line(&[[low[0], 0.0], [high[0], 0.0]].map(|point| self.at(point)), false);
        }
        svg.path(&zero, &thin("#a0a0a0", 0.07));
        svg.path(&ticks, &thin("black", 0.08));
        let (along, up) = (right - left + 3.0 * font, bottom - top + 3.0 * font);
        svg.words(&fitted(x, panel, 0, font, along), [middle, bottom + 2.9 * font], centred);
        let at = [left - labels(y, small) - 1.3 * font, half];
        svg.words(&fitted(y, panel, 1, font, up), at, Type { upwards: true, ..centred });
    }

    fn shape(&self, svg: &mut Svg, series: &Series, points: &[[f64; 2]]) {
        let at: Vec<[f64; 2]> = points.iter().map(|point| self.at(*point)).collect();
        let colour = series.shown_in();
        let none = |more: &str| format!("fill=\"none\"{more}");
        let dashes =
            |size: f64| none(&format!(" stroke-dasharray=\"{}\"", coordinate(size * self.font)));
        let (fill, w) = match series.mark {
            Mark::Shade => (format!("fill=\"{colour}\""), 0.1),
            Mark::Trace => (none(""), 0.4),
            Mark::Area => (format!("fill=\"{colour}\" fill-opacity=\"0.22\""), 0.1),
            Mark::Outline => (none(""), 0.07),
            Mark::Dashes => (dashes(0.6), 0.14),
            Mark::Path => (none(" stroke-opacity=\"0.7\""), 0.05),
            Mark::Bound => (dashes(0.4), 0.1),
            _ => (none(""), 0.14),
        };
        let w = coordinate(w * self.font);
        let style =
            format!("{fill} stroke=\"{colour}\" stroke-width=\"{w}\" stroke-linejoin=\"round\"");
        let open = matches!(series.mark, Mark::Line | Mark::Dashes | Mark::Path | Mark::Trace);
        svg.path(&line(&at, !open), &style);
        // A polygon that degenerates to a point in this panel is a ring.
        if let (Mark::Area, Some([x, y])) = (series.mark, at.first())
            && at.iter().all(|point| (point[0] - x).abs() <= 1.0 && (point[1] - y).abs() <= 1.0)
        {
            svg.path(&ring([*x, *y], 0.45 * self.font), &style);
        }
    }

    /// Spreads marks of different series at one point side by side, with lines to the point. For
    /// each series: the point in pixels, and the position of its mark.
    fn fanned(&self, svg: &mut Svg, series: &[Series], p: usize) -> Vec<Vec<[[f64; 2]; 2]>> {
        let font = self.font;
        let near = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]) < 0.5 * font;
        // Positions, with the series that have a mark there.
        let mut spots: Vec<([f64; 2], Vec<usize>)> = Vec::new();
        for (i, series) in series.iter().enumerate().filter(|(_, series)| series.mark.is_large()) {
            for &point in series.at(p).iter().filter(|point| self.shows(**point)) {
                let at = self.at(point);
                match spots.iter_mut().find(|(spot, of)| near(*spot, at) && !of.contains(&i)) {
                    Some((_, of)) => of.push(i),
                    None => spots.push((at, vec![i])),
                }
            }
        }
        let [[left, top], [right, bottom]] = self.corners;
        let mut fanned = vec![Vec::new(); series.len()];
        let mut lines = String::new();
        for (spot, of) in spots.into_iter().filter(|(_, of)| of.len() > 1) {
            let inwards = [0.5 * (left + right) - spot[0], 0.5 * (top + bottom) - spot[1]];
            let middle = match inwards[0].hypot(inwards[1]) > 0.1 * (right - left) {
                true => inwards[1].atan2(inwards[0]),
                false => -FRAC_PI_2,
            };
            let radius = font * (0.55 * of.len() as f64).max(2.0);
            for (k, i) in of.iter().enumerate() {
                let from_middle = k as f64 - 0.5 * (of.len() - 1) as f64;
                let (sin, cos) = (middle + from_middle * 1.45 * font / radius).sin_cos();
                let room = 0.7 * font;
                let place = [
                    (spot[0] + radius * cos).clamp(left + room, right - room),
                    (spot[1] + radius * sin).clamp(top + room, bottom - room),
                ];
                lines += &line(&[spot, place], false);
                fanned[*i].push([spot, place]);
            }
        }
        svg.path(&lines, &outlined("#606060", 0.06 * font));
        fanned
    }

    /// Marks at points; a ring for a cloud of equal points, arrows for points out of view.
    fn points(
        &self,
        svg: &mut Svg,
        series: &Series,
        points: &[[f64; 2]],
        fanned: &[[[f64; 2]; 2]],
        rings: &mut Vec<[f64; 2]>,
        named: &mut Vec<[f64; 3]>,
    ) {
        if series.mark.joins() {
            return;
        }
        let colour = series.shown_in();
        let seen = points.iter().filter(|point| self.shows(**point));
        let mut at: Vec<[f64; 2]> = seen.map(|point| self.at(*point)).collect();
        // Merges points in the same quarter of a pixel.
        let key = |[x, y]: &[f64; 2]| [(4.0 * x) as i64, (4.0 * y) as i64];
        at.sort_by_key(key);
        at.dedup_by_key(|point| key(point));
        for place in &mut at {
            let near =
                |spot: [f64; 2]| (spot[0] - place[0]).hypot(spot[1] - place[1]) < 0.5 * self.font;
            *place = fanned.iter().find(|[spot, _]| near(*spot)).map_or(*place, |[_, mark]| *mark);
        }
        let (path, style) = marks(series.mark, colour, &at, self.font);
        svg.path(&path, &style);
        if let (Mark::Cloud(_), Some(&first)) = (series.mark, at.first()) {
            let near = |a: &[f64; 2], b: &[f64; 2]| {
                (a[0] - b[0]).abs() <= 1.0 && (a[1] - b[1]).abs() <= 1.0
            };
            if at.iter().all(|point| near(point, &first)) {
                let within = rings.iter().filter(|ring| near(ring, &first)).count();
                let r = self.font * (0.45 + 0.22 * within as f64);
                svg.path(&ring(first, r), &outlined(colour, 0.13 * self.font));
                rings.push(first);
            }
        }
        self.arrows(svg, colour, points, named);
    }

    /// Names next to points; names that would overlap another are left out.
    fn names(&self, svg: &mut Svg, names: &[PlaceName]) {
        let ([[left, top], [right, bottom]], size) = (self.corners, 0.85 * self.font);
        let mut taken: Vec<[f64; 3]> = Vec::new();
        for PlaceName { at, towards: [dx, dy], name } in names {
            let name = shortened(name, size, 0.4 * (right - left));
            let (at, long) = (self.at(*at), width(&name, size));
            let sides = [[*dx, *dy], [-dx.signum(), 0.0], [dx.signum(), 0.0], [-dx, -dy]];
            let places = sides.map(|[dx, dy]| {
                let x = at[0] + 0.9 * size * dx - long * 0.5 * (1.0 - dx);
                let y = at[1] - 1.3 * size * dy + 0.35 * size;
                let x = x.min(right - long - 0.3 * size).max(left + 0.3 * size);
                [x, y.min(bottom - 0.3 * size).max(top + size)]
            });
            let is_free = |[x, y]: &[f64; 2]| {
                let hidden = |[a, b, wide]: &[f64; 3]| {
                    *x < a + wide && *a < x + long && (y - b).abs() < size
                };
                !taken.iter().any(hidden)
            };
            if let Some([x, y]) = places.into_iter().find(is_free) {
                svg.words(&name, [x, y], Type::new(size));
                taken.push([x, y, long]);
            }
        }
    }

    /// Arrows at the border towards points out of view, with their values.
    fn arrows(&self, svg: &mut Svg, colour: &str, points: &[[f64; 2]], named: &mut Vec<[f64; 3]>) {
        let ([[left, top], [right, bottom]], font) = (self.corners, self.font);
        let width_of = coordinate(0.1 * font);
        let style = format!("fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"{width_of}\"");
        let ends = self.views.iter().flat_map(|view| [view.low.abs(), view.high.abs()]);
        let largest = ends.fold(0.0, f64::max);
        for &point in points.iter().filter(|point| !self.shows(**point)) {
            let [x, y] = self.at(point);
            let tip = [x.max(left).min(right), y.max(top).min(bottom)];
            let along = [x - tip[0], y - tip[1]];
            let length = along[0].hypot(along[1]).max(f64::MIN_POSITIVE);
            svg.path(&arrow(tip, along.map(|d| d / length), font), &style);
            let text = point.map(|x| if x.abs() < 1e-9 * largest { 0.0 } else { three_digits(x) });
            let text = text.map(short).join(", ");
            let size = 0.8 * font;
            let half = 0.5 * width(&text, size) + 0.3 * font;
            let up = if tip[1] + 2.4 * font > bottom { -2.0 } else { 2.4 };
            let at =
                [tip[0].max(left + half).min(right - half), (tip[1] + up * font).max(top + font)];
            // Values that would overlap another are left out.
            let apart = |[x, y, wide]: &[f64; 3]| {
                (x - at[0]).abs() > half + wide || (y - at[1]).abs() > font
            };
            if named.iter().all(apart) {
                svg.words(&text, at, Type::new(size).anchored("middle"));
                named.push([at[0], at[1], half]);
            }
        }
    }
}

/// The style of a line of this width.
fn outlined(colour: &str, width: f64) -> String {
    format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\"", coordinate(width))
}

/// The width of the longest tick label.
fn labels(ticks: &Ticks, size: f64) -> f64 {
    ticks.ticks.iter().map(|(_, text)| width(text, size)).fold(0.0, f64::max)
}

/// The title of an axis, with its name shortened to fit.
fn fitted(ticks: &Ticks, panel: &Panel, axis: usize, font: f64, room: f64) -> String {
    let name = &panel.axes[axis].name;
    let rest = ticks.title.get(name.len()..).unwrap_or_default();
    shortened(name, font, (room - width(rest, font)).max(4.0 * font)) + rest
}
