//! Panels in rows, a title above and a legend below.

use std::collections::BTreeMap;

use super::axis::power;
use super::marks::marks;
use super::panel::{self, PanelPlace};
use super::svg::{self, Svg, Type, coordinate, line, shortened, wrapped};
use super::{Mark, Picture, PictureSize, Series};
use carom_core::error::Result;

/// Default width of a panel, in pixels.
const PANEL: f64 = 380.0;
/// Width and height of the smallest panel, in units of the font size.
const SMALLEST: [f64; 2] = [13.5, 10.0];
/// Approximate aspect ratio of a panel, width over height.
const SHAPE: f64 = 1.25;

/// The positions of the parts of a picture.
struct Layout {
    width: f64,
    height: f64,
    font: f64,
    /// The height of the title.
    head: f64,
    /// Number of panels in each row.
    rows: Vec<usize>,
    /// The height of a panel.
    up: f64,
    /// Corners of the legend's entries, relative to the legend.
    entries: Vec<[f64; 2]>,
    /// Whether the smallest panel fits.
    roomy: bool,
}

impl Picture {
    /// The picture as the text of an SVG file, in the requested size. With a width alone, the
    /// picture is at most as high as wide, and shows as many panels as fit.
    ///
    /// # Errors
    /// A number that is not finite; a size without room for the panels.
    pub fn svg(&self, size: Option<PictureSize>) -> Result<String> {
        if size.is_some_and(|size| size.height.is_none()) && !self.layout(size).roomy {
            let all = self.panels.len();
            let fewer = (1..all).rev().map(|count| {
                let part = self.with_panels(&(0..count).collect::<Vec<_>>());
                let note = format!("{}; {count} of {all} panels", self.note);
                Picture { note, ..part }
            });
            if let Some(part) = fewer.into_iter().find(|part| part.layout(size).roomy) {
                return part.svg(size);
            }
        }
        let layout = self.layout(size);
        let Layout { font, up, .. } = layout;
        let unit = size.unwrap_or(PictureSize { width: layout.width, height: None, metric: false });
        let shown = [unit.length(layout.width), unit.length(layout.height)];
        let mut svg = Svg::new([layout.width, layout.height], shown);
        let room = layout.width - 2.0 * font;
        svg.title(&self.title, font, room);
        let powers = self.powers();
        let mut number = 0;
        for (row, &count) in layout.rows.iter().enumerate() {
            let across = layout.width / count as f64;
            for column in 0..count {
                let panel = &self.panels[number];
                let corner = [column as f64 * across, layout.head + row as f64 * up];
                let corners = [corner, [corner[0] + across, corner[1] + up]];
                let powers = [0, 1].map(|i| powers.get(panel.axes[i].unit.as_str()).copied());
                let place = PanelPlace { number, corners, font, powers };
                panel::draw(&mut svg, &place, panel, &self.series)?;
                number += 1;
            }
        }
        let below = layout.head + layout.rows.len() as f64 * up + 0.6 * font;
        self.draw_legend(&mut svg, &layout, below);
        svg.note(&self.note, font, [room, layout.height]);
        Ok(svg.finish())
    }

    /// A common power of ten for each unit of the axes, so that panels can be compared.
    fn powers(&self) -> BTreeMap<&str, i32> {
        let mut largest: BTreeMap<&str, f64> = BTreeMap::new();
        for (number, panel) in self.panels.iter().enumerate() {
            for (axis, view) in panel.axes.iter().zip(panel::views(number, panel, &self.series)) {
                let most = largest.entry(axis.unit.as_str()).or_insert(0.0);
                *most = most.max(view.low.abs()).max(view.high.abs());
            }
        }
        let with_unit = largest.into_iter().filter(|(unit, most)| !unit.is_empty() && *most > 0.0);
        with_unit.map(|(unit, most)| (unit, power(most))).collect()
    }

    fn legend(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| !series.label.is_empty())
    }

    fn layout(&self, size: Option<PictureSize>) -> Layout {
        let count = self.panels.len().max(1);
        let most = match count {
            1 => 1,
            2 | 4 => 2,
            _ => 3,
        };
        let wide = if count == 1 { 1.5 } else { most as f64 };
        let width = size.map_or(PANEL * wide, |size| size.width);
        let font = size.map_or(12.5, |size| (size.width / 60.0).clamp(8.0, 12.5));
        let entries = self.entries(width, font);
        let lines = |words: &str, size: f64, most: usize| {
            wrapped(words, size * font, width - 2.0 * font, most).len() as f64
        };
        let head = (1.0 + 1.4 * lines(&self.title, 1.2, 2)) * font;
        let foot = (1.1 * lines(&self.note, 0.85, 3) + 1.6) * font;
        let legend = entries.last().map_or(0.0, |[_, y]| y + 1.6 * font);
        let rest = head + legend + foot;
        let room = |rows: usize| match size {
            None => f64::INFINITY,
            Some(size) => (size.height.unwrap_or(width) - rest) / rows as f64,
        };
        let across = |rows: usize| width / count.div_ceil(rows) as f64;
        let is_roomy =
            |rows: &usize| across(*rows) >= SMALLEST[0] * font && room(*rows) >= SMALLEST[1] * font;
        let misshapen = |rows: &usize| (across(*rows) / room(*rows).max(1.0) / SHAPE).ln().abs();
        let rows = match size {
            None => count.div_ceil(most),
            Some(_) => (1..=count)
                .min_by(|a, b| {
                    let roomy = is_roomy(b).cmp(&is_roomy(a));
                    roomy.then(misshapen(a).total_cmp(&misshapen(b)))
                })
                .unwrap_or(1),
        };
        let natural = (across(rows) / SHAPE).min(32.0 * font);
        let up = match size.and_then(|size| size.height) {
            Some(_) => room(rows),
            None => natural.min(room(rows)),
        };
        Layout {
            width,
            height: rest + rows as f64 * up,
            font,
            head,
            // Rows with fewer, wider panels come first.
            rows: (0..rows).map(|row| (count + row) / rows).collect(),
            up,
            entries,
            roomy: is_roomy(&rows),
        }
    }

    /// Corners of the legend's entries: in columns, or in a row if that takes fewer lines.
    fn entries(&self, width: f64, font: f64) -> Vec<[f64; 2]> {
        let long = |series: &Series| svg::width(&series.label, font) + 4.5 * font;
        let longest = self.legend().map(long).fold(0.0, f64::max);
        let columns = (((width - font) / longest) as usize).clamp(1, 3);
        let across = (width - font) / columns as f64;
        let in_columns = (0..self.legend().count())
            .map(|i| [font + (i % columns) as f64 * across, (i / columns) as f64 * 1.6 * font]);
        let mut next = [font, 0.0];
        let in_lines = self.legend().map(|series| {
            if next[0] > font && next[0] + long(series) > width {
                next = [font, next[1] + 1.6 * font];
            }
            let at = next;
            next[0] += long(series);
            at
        });
        let [columns, lines]: [Vec<[f64; 2]>; 2] = [in_columns.collect(), in_lines.collect()];
        let down = |entries: &[[f64; 2]]| entries.last().map_or(0.0, |[_, y]| *y);
        if down(&lines) < down(&columns) { lines } else { columns }
    }

    fn draw_legend(&self, svg: &mut Svg, layout: &Layout, below: f64) {
        let font = layout.font;
        for (series, [x, y]) in self.legend().zip(&layout.entries) {
            let (x, y) = (*x, below + y);
            let at = [x + font, y + 0.1 * font];
            let colour = series.shown_in();
            let w = coordinate(0.12 * font);
            let ends = [[x, at[1]], [x + 2.0 * font, at[1]]];
            let mark = series.mark;
            match mark {
                Mark::Line | Mark::Dashes | Mark::Outline | Mark::Path | Mark::Bound => {
                    let broken = match mark {
                        Mark::Dashes => format!(" stroke-dasharray=\"{}\"", coordinate(0.6 * font)),
                        Mark::Bound => format!(" stroke-dasharray=\"{}\"", coordinate(0.4 * font)),
                        Mark::Path => " stroke-opacity=\"0.7\"".to_string(),
                        _ => String::new(),
                    };
                    svg.path(
                        &line(&ends, false),
                        &format!("stroke=\"{colour}\" stroke-width=\"{w}\"{broken}"),
                    );
                }
                Mark::Area | Mark::Shade | Mark::Trace => {
                    let (up, down) = (at[1] - 0.5 * font, at[1] + 0.5 * font);
                    let corners =
                        [[x, up], [x + 2.0 * font, up], [x + 2.0 * font, down], [x, down]];
                    let opacity = if mark == Mark::Area { "0.22" } else { "1" };
                    let style = format!(
                        "fill=\"{colour}\" fill-opacity=\"{opacity}\" stroke=\"{colour}\" stroke-width=\"{w}\""
                    );
                    svg.path(&line(&corners, true), &style);
                }
                _ => {
                    // Small marks are shown twice as large.
                    let scale = if matches!(mark, Mark::Cloud(_)) { 2.0 } else { 0.9 };
                    let (path, style) = marks(mark, colour, &[at], scale * font);
                    svg.path(&path, &style);
                }
            }
            let label = shortened(&series.label, font, layout.width - x - 3.0 * font);
            svg.words(&label, [x + 2.6 * font, y + 0.45 * font], Type::new(font));
        }
    }
}
