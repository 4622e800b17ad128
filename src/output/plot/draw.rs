//! Panels in rows, a title above and a legend below.

use super::marks::{colour, marks};
use super::panel::{self, PanelPlace};
use super::svg::{Svg, Type, coordinate, line, shortened, width, wrapped};
use super::{Mark, Picture, PictureSize, Series};
use crate::error::Result;

/// The width of a panel where no size is asked for, in pixels.
const PANEL: f64 = 380.0;

/// The positions of the parts of a picture.
struct Layout {
    width: f64,
    height: f64,
    font: f64,
    /// The height of the title.
    head: f64,
    columns: usize,
    /// Width and height of a panel.
    cell: [f64; 2],
    /// Columns of the legend.
    entries: usize,
}

impl Picture {
    /// The picture as the text of an SVG file, in the size that is asked for.
    ///
    /// # Errors
    /// A number that is not finite; a size without room for the panels.
    pub fn svg(&self, size: Option<PictureSize>) -> Result<String> {
        let layout = self.layout(size);
        let Layout { font, columns, cell, .. } = layout;
        let unit = size.unwrap_or(PictureSize { width: layout.width, height: None, metric: false });
        let shown = [unit.length(layout.width), unit.length(layout.height)];
        let mut svg = Svg::new([layout.width, layout.height], shown);
        let room = layout.width - 2.0 * font;
        svg.title(&self.title, font, room);
        for (number, panel) in self.panels.iter().enumerate() {
            let (row, column) = (number / columns, number % columns);
            let corner = [column as f64 * cell[0], layout.head + row as f64 * cell[1]];
            let corners = [corner, [corner[0] + cell[0], corner[1] + cell[1]]];
            panel::draw(&mut svg, &PanelPlace { number, corners, font }, panel, &self.series)?;
        }
        let below = layout.head + self.panels.len().div_ceil(columns) as f64 * cell[1] + 0.6 * font;
        self.draw_legend(&mut svg, &layout, below);
        svg.note(&self.note, font, [room, layout.height]);
        Ok(svg.finish())
    }

    fn legend(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| !series.label.is_empty())
    }

    fn layout(&self, size: Option<PictureSize>) -> Layout {
        let count = self.panels.len().max(1);
        let most = (count as f64).sqrt().ceil() as usize;
        let wide = if count == 1 { 1.5 } else { most as f64 };
        let width_all = size.map_or(PANEL * wide, |size| size.width);
        let font = size.map_or(12.5, |size| (size.width / 60.0).clamp(9.4, 12.5));
        let columns = ((width_all / (27.0 * font)) as usize)
            .clamp(1, if size.is_some() { count } else { most });
        let longest =
            self.legend().map(|series| width(&series.label, font)).fold(0.0, f64::max) + 4.5 * font;
        let entries = ((width_all / longest) as usize).clamp(1, 3);
        let lines = |words: &str, size: f64, most: usize| {
            wrapped(words, size * font, width_all - 2.0 * font, most).len() as f64
        };
        let head = (1.0 + 1.4 * lines(&self.title, 1.2, 2)) * font;
        let foot = 1.1 * lines(&self.note, 0.85, 3) + 1.4;
        let legend = (1.6 * self.legend().count().div_ceil(entries) as f64 + foot) * font;
        let rows = count.div_ceil(columns) as f64;
        let across = width_all / columns as f64;
        let rest = head + legend;
        let up = match size.and_then(|size| size.height) {
            Some(height) => (height - rest) / rows,
            None if columns == 1 && count > 1 => 0.66 * across,
            None => (0.8 * across).min(32.0 * font),
        };
        Layout {
            width: width_all,
            height: rest + rows * up,
            font,
            head,
            columns,
            cell: [across, up],
            entries,
        }
    }

    fn draw_legend(&self, svg: &mut Svg, layout: &Layout, below: f64) {
        let Layout { font, entries, .. } = *layout;
        let room = (layout.width - font) / entries as f64;
        for (i, series) in self.legend().enumerate() {
            let (x, y) =
                (font + (i % entries) as f64 * room, below + (i / entries) as f64 * 1.6 * font);
            let at = [x + font, y + 0.1 * font];
            let colour = colour(series.colour);
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
                Mark::Area => {
                    let (up, down) = (at[1] - 0.5 * font, at[1] + 0.5 * font);
                    let corners =
                        [[x, up], [x + 2.0 * font, up], [x + 2.0 * font, down], [x, down]];
                    let style = format!(
                        "fill=\"{colour}\" fill-opacity=\"0.22\" stroke=\"{colour}\" stroke-width=\"{w}\""
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
            let label = shortened(&series.label, font, room - 3.6 * font);
            svg.words(&label, [x + 2.6 * font, y + 0.45 * font], Type::new(font));
        }
    }
}
