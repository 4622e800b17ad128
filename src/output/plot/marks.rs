//! Colours, and the shapes of marks.

use std::fmt::Write;

use super::Mark;
use super::svg::{coordinate, line};

/// Colours of series by number: blue, orange, vermilion, sky blue, green, purple, black, grey.
/// Neighbours differ in lightness too.
const COLOURS: [&str; 8] =
    ["#0072b2", "#e69f00", "#d55e00", "#56b4e9", "#009e73", "#cc79a7", "#000000", "#808080"];

/// The colour of this number.
pub fn colour(number: usize) -> &'static str {
    COLOURS[number % COLOURS.len()]
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
            _ => {
                path += &ring([x, y], r);
                continue;
            }
        };
        let corners: Vec<[f64; 2]> =
            corners.iter().map(|[dx, dy]| [x + r * dx, y + r * dy]).collect();
        path += &line(&corners, true);
    }
    (path, stroke)
}

/// The small marks of a cloud.
fn cloud(shape: usize, colour: &str, points: &[[f64; 2]], font: f64) -> (String, String) {
    let r = 0.16 * font;
    let mut path = String::new();
    for &[x, y] in points {
        let at =
            |dx: f64, dy: f64| format!("{} {}", coordinate(x + dx * r), coordinate(y + dy * r));
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
