//! Pictures as SVG, PNG or PDF: panels of points, lines and areas with labelled axes, and a legend.
//!
//! Colours have the hues of Okabe and Ito, which people with any colour vision tell apart, and
//! differ in lightness; marks differ in shape as well.

mod axis;
mod choice;
mod draw;
mod film;
mod form;
#[cfg(feature = "images")]
mod images;
mod marks;
mod panel;
mod size;
mod svg;

pub use film::{Figure, Film, FilmPart, Flash, Look};
pub use form::Form;
pub use marks::colour;
pub use size::PictureSize;
pub(super) use svg::escaped;

/// The mark of the points of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Small, many, filled: the shape has this number.
    Cloud(usize),
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
    /// Two crossing lines, upright.
    Plus,
    /// A triangle on its corner.
    Wedge,
    /// Two triangles, tip to tip, one above the other.
    Hourglass,
    /// Two triangles, tip to tip, side by side.
    Bow,
    /// A square with a roof.
    House,
    /// No points: a line through them.
    Line,
    /// No points: a broken line through them.
    Dashes,
    /// No points: a thin light line through them, which may leave the view.
    Path,
    /// No points: a closed broken line through them.
    Bound,
    /// No points: a thin closed line through them.
    Outline,
    /// No points: a filled polygon with these corners.
    Area,
    /// No points: a light polygon with these corners, the same where several overlap.
    Shade,
    /// No points: a broad light line through them.
    Trace,
}

/// A series of points, which the legend names.
#[derive(Clone, Debug)]
pub struct Series {
    /// The text of the legend; no entry where it is empty.
    pub label: String,
    /// The number of its colour.
    pub colour: usize,
    /// The mark of the points.
    pub mark: Mark,
    /// The points, panel by panel.
    pub points: Vec<Vec<[f64; 2]>>,
}

impl Series {
    /// A series with points in one panel.
    pub fn in_panel(
        panel: usize,
        label: &str,
        colour: usize,
        mark: Mark,
        points: Vec<[f64; 2]>,
    ) -> Self {
        let mut all = vec![Vec::new(); panel];
        all.push(points);
        Series { label: label.to_string(), colour, mark, points: all }
    }

    /// The points in a panel.
    fn at(&self, panel: usize) -> &[[f64; 2]] {
        self.points.get(panel).map_or(&[], Vec::as_slice)
    }
}

/// The quantity that an axis shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The name of the quantity.
    pub name: String,
    /// The unit, such as `m/s`; may be empty.
    pub unit: String,
    /// Magnitude of the quantity; differences a million times smaller are rounding errors.
    pub scale: f64,
    /// Whether the axis always shows 0.
    pub origin: bool,
}

impl Axis {
    /// An axis whose range fits its numbers.
    pub fn new(name: impl Into<String>, unit: &str) -> Self {
        Axis { name: name.into(), unit: unit.to_string(), scale: 0.0, origin: false }
    }
}

impl Mark {
    /// Whether marks of several series at one point would hide one another.
    fn is_large(self) -> bool {
        !self.joins() && !matches!(self, Mark::Cloud(_))
    }

    /// Whether the mark joins its points by lines.
    pub fn joins(self) -> bool {
        use Mark::{Area, Bound, Dashes, Line, Outline, Path, Shade, Trace};
        matches!(self, Line | Dashes | Path | Bound | Outline | Area | Shade | Trace)
    }
}

/// The name of a place in a panel.
#[derive(Clone, Debug)]
pub struct PlaceName {
    /// The place.
    pub at: [f64; 2],
    /// The direction from the place to its name, of length 1; upwards is positive.
    pub towards: [f64; 2],
    /// The name.
    pub name: String,
}

/// Branches of a tree up to which a legend names each.
pub const NAMED_BRANCHES: usize = 12;
/// The first colours, in which branches are drawn.
pub const BRANCH_COLOURS: usize = 6;

/// A pair of axes.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Names that select the panel: its own name, and the name of a group.
    pub called: Vec<String>,
    /// The title of the panel.
    pub title: String,
    /// The horizontal and the vertical axis.
    pub axes: [Axis; 2],
    /// The range in view, least and largest value on each axis; everything where no range is given.
    /// Marks beyond the range are arrows at the border.
    pub view: Option<[[f64; 2]; 2]>,
    /// Whether both axes have the same scale.
    pub equal: bool,
    /// Names of places.
    pub names: Vec<PlaceName>,
}

impl Panel {
    /// A panel that shows everything.
    pub fn new(title: impl Into<String>, axes: [Axis; 2]) -> Self {
        let (called, names) = (Vec::new(), Vec::new());
        Panel { called, title: title.into(), axes, view: None, equal: false, names }
    }

    /// The panel with names by which it can be chosen.
    pub fn called(self, names: &[&str]) -> Self {
        Panel { called: names.iter().map(|name| name.to_string()).collect(), ..self }
    }
}

/// A picture: panels in rows, with the same series in all panels.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The title of the picture.
    pub title: String,
    /// The panels.
    pub panels: Vec<Panel>,
    /// The series in drawing order: the last ones are in front.
    pub series: Vec<Series>,
    /// A line below the legend: where the numbers come from.
    pub note: String,
}
