//! Colours, and the shapes of marks.

use std::fmt::Write;

use super::svg::{coordinate, line};
use super::{Mark, Series};

/// Colours of series by number: blue, orange, vermilion, sky blue, green, purple, black, grey.
///
/// They have the hues of Okabe and Ito. The lightness of the first six, L* in the space Lab of the
/// CIE, is 32, 68, 49, 76, 58 and 40, so that they differ in print without colour too.
const COLOURS: [&str; 8] =
    ["#004c87", "#de9800", "#c55100", "#6ac5fb", "#009e73", "#914370", "#000000", "#808080"];

/// The colour of shaded areas in the background; opaque, so overlaps do not show.
const SHADE: &str = "#e4e4e4";

/// The colour of this number.
pub fn colour(number: usize) -> &'static str {
    COLOURS[number % COLOURS.len()]
}

impl Series {
    /// The colour.
    pub fn shown_in(&self) -> &'static str {
        match self.mark {
            Mark::Shade | Mark::Trace => SHADE,
            _ => colour(self.colour),
        }
    }
}

/// Marks at points, in the syntax of SVG's paths, and their style; `font` is the size of letters.
pub fn marks(mark: Mark, colour: &str, points: &[[f64; 2]], font: f64) -> (String, String) {
    let (mut path, width) = (String::new(), coordinate(0.1 * font));
    let stroke = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"");
    if let Mark::Cloud(shape) = mark {
        return cloud(shape, colour, points, font);
    }
    let r = 0.5 * font;
    for &[x, y] in points {
        let corners: &[[f64; 2]] = match mark {
            Mark::Diamond => &[[0.0, -1.1], [1.1, 0.0], [0.0, 1.1], [-1.1, 0.0]],
            Mark::Triangle => &[[0.0, -1.0], [1.0, 0.8], [-1.0, 0.8]],
            Mark::Cross => {
                &[[-0.8, -0.8], [0.8, 0.8], [0.0, 0.0], [0.8, -0.8], [-0.8, 0.8], [0.0, 0.0]]
            }
            Mark::Square => &[[-0.8, -0.8], [0.8, -0.8], [0.8, 0.8], [-0.8, 0.8]],
            Mark::Plus => {
                &[[-1.1, 0.0], [1.1, 0.0], [0.0, 0.0], [0.0, -1.1], [0.0, 1.1], [0.0, 0.0]]
            }
            Mark::Wedge => &[[0.0, 1.0], [1.0, -0.8], [-1.0, -0.8]],
            Mark::Hourglass => &[[-0.8, -0.9], [0.8, -0.9], [-0.8, 0.9], [0.8, 0.9]],
            Mark::Bow => &[[-0.9, -0.8], [-0.9, 0.8], [0.9, -0.8], [0.9, 0.8]],
            Mark::House => &[[0.0, -1.1], [0.9, -0.2], [0.9, 0.9], [-0.9, 0.9], [-0.9, -0.2]],
            _ => {
                path += &ring([x, y], r);
                continue;
            }
        };
        let placed = |[dx, dy]: &[f64; 2]| [x + r * dx, y + r * dy];
        path += &line(&corners.iter().map(placed).collect::<Vec<_>>(), true);
    }
    (path, stroke)
}

fn cloud(shape: usize, colour: &str, points: &[[f64; 2]], font: f64) -> (String, String) {
    let r = 0.16 * font;
    let mut path = String::new();
    for &[x, y] in points {
        let at = |dx, dy| [x + dx * r, y + dy * r].map(coordinate).join(" ");
        let [one, two] = [r, 2.0 * r].map(coordinate);
        let _ = match shape % 6 {
            0 => write!(path, "M{}h.01", at(0.0, 0.0)),
            1 => write!(path, "M{}h{two}M{}v{two}", at(-1.0, 0.0), at(0.0, -1.0)),
            2 => write!(path, "M{}h{two}l-{one} -{two}z", at(-1.0, 0.8)),
            3 => write!(path, "M{}l{two} {two}m0 -{two}l-{two} {two}", at(-1.0, -1.0)),
            4 => write!(path, "M{}h{two}v{two}h-{two}z", at(-1.0, -1.0)),
            _ => write!(path, "M{}h{two}l-{one} {two}z", at(-1.0, -0.8)),
        };
    }
    let thick = coordinate(r * [1.6, 0.6][usize::from(!shape.is_multiple_of(6))]);
    let style = match shape % 6 {
        0 => format!("stroke=\"{colour}\" stroke-width=\"{thick}\" stroke-linecap=\"round\""),
        1 | 3 => format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"{thick}\""),
        _ => format!("fill=\"{colour}\""),
    };
    (path, style)
}

/// A circle about a point.
pub fn ring([x, y]: [f64; 2], r: f64) -> String {
    let [x, y, r, d] = [x - r, y, r, 2.0 * r].map(coordinate);
    format!("M{x} {y}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z")
}

/// An arrow whose tip is at a point, in a direction of length 1.
pub fn arrow([x, y]: [f64; 2], [dx, dy]: [f64; 2], font: f64) -> String {
    let at = |along: f64, across: f64| {
        [x + font * (across * dy - along * dx), y - font * (across * dx + along * dy)]
    };
    line(&[at(1.4, 0.0), at(0.0, 0.0), at(0.6, 0.35), at(0.6, -0.35), at(0.0, 0.0)], false)
}
