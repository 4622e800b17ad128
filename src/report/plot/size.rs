//! The size of a picture.

use std::str::FromStr;

use carom_core::error::{Error, Result};

/// Pixels to a millimetre, as style sheets count them.
const PIXELS: f64 = 96.0 / 25.4;

/// The width of a picture and perhaps its height: `85mm`, `170x90mm`, `800x600px`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureSize {
    /// Width in pixels.
    pub(super) width: f64,
    /// Height in pixels; without one, it follows from the number of panels.
    pub(super) height: Option<f64>,
    /// Whether the size is in millimetres.
    pub(super) metric: bool,
}

impl PictureSize {
    pub(super) fn length(&self, pixels: f64) -> String {
        if self.metric { format!("{:.2}mm", pixels / PIXELS) } else { format!("{pixels:.0}") }
    }

    /// Pixels of a PNG file for one of the SVG file: 300 to an inch for sizes in millimetres.
    #[cfg(feature = "images")]
    pub(super) fn resolution(size: Option<PictureSize>) -> f64 {
        match size {
            None => 2.0,
            Some(size) if size.metric => 300.0 / 96.0,
            Some(_) => 1.0,
        }
    }
}

impl FromStr for PictureSize {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::usage(format!(
                "expected a size of 30 to 2000 mm or 100 to 8000 px, such as 85mm, 170x90mm or 800x600px, found `{text}`"
            ))
        };
        let text = text.trim();
        let (numbers, metric) = match (text.strip_suffix("mm"), text.strip_suffix("px")) {
            (Some(numbers), _) => (numbers, true),
            (_, Some(numbers)) => (numbers, false),
            _ => return Err(wrong()),
        };
        let length = |text: &str| {
            let text = text.trim().trim_end_matches(if metric { "mm" } else { "px" });
            let x: f64 = text.trim().parse().ok()?;
            let pixels = if metric { x * PIXELS } else { x };
            let least = if metric { 30.0 * PIXELS } else { 100.0 };
            (least - 1e-9..=8000.0).contains(&pixels).then_some(pixels)
        };
        let (width, height) = match numbers.split_once('x') {
            Some((width, height)) => (width, Some(length(height).ok_or_else(wrong)?)),
            None => (numbers, None),
        };
        Ok(PictureSize { width: length(width).ok_or_else(wrong)?, height, metric })
    }
}
