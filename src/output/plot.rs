//! Pictures as SVG: panels of points and lines with labelled axes, and a legend.
//!
//! Colours are those of Okabe and Ito, which people with any colour vision tell apart; markers differ in shape as well.

use plotters::prelude::*;

use crate::error::{Error, Result};

/// Colours of series, in their order.
pub const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Small, many.
    Dot,
    /// A square on its corner.
    Diamond,
    /// A triangle.
    Triangle,
    /// A square.
    Square,
    /// Two crossing lines.
    Cross,
    /// A ring.
    Ring,
    /// No points: a line through them.
    Line,
    /// No points: a filled polygon with these corners.
    Area,
}

/// One thing that the legend names.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend says; nothing where it is empty.
    pub label: String,
    /// The place of its colour in [`COLOURS`].
    pub colour: usize,
    /// How its points are drawn.
    pub mark: Mark,
    /// Its points, panel by panel.
    pub points: Vec<Vec<[f64; 2]>>,
}

/// A pair of axes.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What is shown.
    pub title: String,
    /// The names of both axes, with units.
    pub axes: [String; 2],
}

/// A picture: panels side by side, and the same series in all of them.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What the whole is about.
    pub title: String,
    /// The panels.
    pub panels: Vec<Panel>,
    /// The series, those in front last.
    pub series: Vec<Series>,
    /// A line below the legend: where the numbers come from.
    pub note: String,
}

/// Units of the drawing in a pixel: coordinates are whole numbers.
const FINE: u32 = 4;
const PANEL: [u32; 2] = [480 * FINE, 400 * FINE];
const LINE: u32 = 22 * FINE;
const TEXT: (&str, u32) = ("sans-serif", 14 * FINE);
const SMALL: (&str, u32) = ("sans-serif", 12 * FINE);
/// A line's width.
const WIDTH: u32 = 2 * FINE;

impl Picture {
    /// The picture as the text of an SVG file.
    ///
    /// # Errors
    /// A number that is not finite.
    pub fn svg(&self) -> Result<String> {
        let columns = self.panels.len().max(1) as u32;
        let rows = self.legend().count() as u32 + 1;
        let size = (PANEL[0] * columns, PANEL[1] + LINE * rows + 56 * FINE);
        let mut text = String::new();
        self.draw(SVGBackend::with_string(&mut text, size).into_drawing_area())
            .map_err(|e| Error::usage(format!("cannot draw `{}`: {e}", self.title)))?;
        let shown = format!(r#"width="{}" height="{}""#, size.0 / FINE, size.1 / FINE);
        Ok(text.replacen(&format!(r#"width="{}" height="{}""#, size.0, size.1), &shown, 1))
    }

    fn legend(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| !series.label.is_empty())
    }

    fn draw<'b>(&self, root: Area<'b>) -> Drawn<'b> {
        root.fill(&WHITE)?;
        root.draw(&Text::new(self.title.clone(), (px(16), px(12)), ("sans-serif", 18 * FINE)))?;
        let (_, below) = root.split_vertically(36 * FINE);
        let (top, bottom) = below.split_vertically(PANEL[1]);
        for (p, (area, panel)) in
            top.split_evenly((1, self.panels.len())).iter().zip(&self.panels).enumerate()
        {
            self.draw_panel(p, panel, area)?;
        }
        for (i, series) in self.legend().enumerate() {
            let y = px(6) + (LINE * i as u32 + LINE / 2) as i32;
            let style = COLOURS[series.colour % COLOURS.len()];
            if matches!(series.mark, Mark::Dot | Mark::Area) {
                bottom.draw(&Circle::new((px(32), y), px(5), style.filled()))?;
            } else if series.mark == Mark::Line {
                bottom.draw(&PathElement::new(vec![(px(20), y), (px(44), y)], style.stroke_width(WIDTH)))?;
            } else {
                bottom.draw(
                    &(EmptyElement::at((px(32), y))
                        + PathElement::new(outline(series.mark), style.stroke_width(WIDTH))),
                )?;
            }
            bottom.draw(&Text::new(series.label.clone(), (px(54), y - px(7)), TEXT))?;
        }
        let y = px(10) + (LINE * self.legend().count() as u32) as i32;
        bottom.draw(&Text::new(self.note.clone(), (px(16), y), SMALL))?;
        root.present()?;
        Ok(())
    }

    fn draw_panel<'b>(&self, p: usize, panel: &Panel, area: &Area<'b>) -> Drawn<'b> {
        let points = || self.series.iter().filter_map(|series| series.points.get(p)).flatten();
        if points().any(|point| point.iter().any(|x| !x.is_finite())) {
            return Err("a number that is not finite".into());
        }
        let range = |axis: usize| padded(points().map(|point| point[axis]));
        let (x, y) = (range(0), range(1));
        let digits = |range: &std::ops::Range<f64>| {
            (2.0 - (range.end - range.start).log10().floor()).clamp(0.0, 12.0) as usize
        };
        let (dx, dy) = (digits(&x), digits(&y));
        let mut chart = ChartBuilder::on(area)
            .margin(12 * FINE)
            .caption(panel.title.clone(), TEXT)
            .x_label_area_size(44 * FINE)
            .y_label_area_size(72 * FINE)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc(panel.axes[0].clone())
            .y_desc(panel.axes[1].clone())
            .x_labels(8)
            .y_labels(8)
            .axis_desc_style(TEXT)
            .label_style(SMALL)
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(225, 225, 225).stroke_width(FINE))
            .axis_style(BLACK.stroke_width(FINE))
            .set_all_tick_mark_size(5 * FINE)
            .x_label_formatter(&|x| short(*x, dx))
            .y_label_formatter(&|y| short(*y, dy))
            .draw()?;
        for series in &self.series {
            let Some(points) = series.points.get(p) else { continue };
            let style = COLOURS[series.colour % COLOURS.len()];
            let points = points.iter().map(|&[x, y]| (x, y));
            match series.mark {
                Mark::Dot => chart.draw_series(points.map(|at| dot(at, style)))?,
                Mark::Area => {
                    let corners = points.collect::<Vec<_>>();
                    let outline = corners.iter().chain(corners.first()).copied().collect::<Vec<_>>();
                    chart.draw_series([Polygon::new(corners, style.mix(0.25).filled())])?;
                    chart.draw_series([PathElement::new(outline, style.stroke_width(WIDTH))])?
                }
                Mark::Line => chart
                    .draw_series([PathElement::new(points.collect::<Vec<_>>(), style.stroke_width(WIDTH))])?,
                mark => chart.draw_series(points.map(|at| {
                    EmptyElement::at(at) + PathElement::new(outline(mark), style.stroke_width(WIDTH))
                }))?,
            };
        }
        Ok(())
    }
}

/// Pixels in units of the drawing.
fn px(pixels: i32) -> i32 {
    pixels * FINE as i32
}

/// The outline of a mark: what is behind it stays in sight.
fn outline(mark: Mark) -> Vec<(i32, i32)> {
    let corners: &[(i32, i32)] = match mark {
        Mark::Dot | Mark::Line | Mark::Area => &[(0, 0)],
        Mark::Ring => &[(0, -8), (6, -6), (8, 0), (6, 6), (0, 8), (-6, 6), (-8, 0), (-6, -6)],
        Mark::Diamond => &[(0, -9), (9, 0), (0, 9), (-9, 0)],
        Mark::Triangle => &[(0, -8), (8, 6), (-8, 6)],
        Mark::Square => &[(-6, -6), (6, -6), (6, 6), (-6, 6)],
        Mark::Cross => &[(-6, -6), (6, 6), (0, 0), (6, -6), (-6, 6), (0, 0)],
    };
    corners.iter().chain(corners.first()).map(|&(x, y)| (px(x), px(y))).collect()
}

/// A dot of a cloud.
fn dot<C>(at: C, colour: RGBColor) -> Circle<C, i32> {
    Circle::new(at, px(2), colour.mix(0.35).filled())
}

type Drawn<'b> = std::result::Result<(), Box<dyn std::error::Error + 'b>>;

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// The range of numbers, with room at both ends, and some width in any case.
fn padded(numbers: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (low, high) =
        numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    if low > high {
        return 0.0..1.0;
    }
    let room = (0.06 * (high - low)).max(1e-3 * low.abs().max(high.abs())).max(1e-9);
    low - room..high + room
}

/// Without digits that say nothing.
fn short(x: f64, digits: usize) -> String {
    let text = format!("{x:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_string() } else { text.to_string() }
}
