//! Pictures as PNG and PDF, converted from SVG with letters of our own, so that they look the same on every machine.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use svg2pdf::{ConversionOptions, PageOptions};

use crate::error::{Error, Result};

/// Pixels of an SVG file to an inch.
const PIXELS: f32 = 96.0;

/// The picture as a PNG file, with `scale` pixels for one of the SVG file.
pub fn png(svg: &str, scale: f64) -> Result<Vec<u8>> {
    let tree = tree(svg)?;
    let size =
        [tree.size().width(), tree.size().height()].map(|side| (f64::from(side) * scale).round() as u32);
    let failed = || {
        Error::usage(format!("cannot draw {} by {} pixels", size[0], size[1]))
            .at("--size")
            .hint("make the picture smaller, or choose .svg or .pdf")
    };
    let mut pixels = Pixmap::new(size[0], size[1]).ok_or_else(failed)?;
    let scale = scale as f32;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|_| failed())
}

/// The picture as a PDF file of one page, in the size of the picture.
pub fn pdf(svg: &str) -> Result<Vec<u8>> {
    svg2pdf::to_pdf(&tree(svg)?, ConversionOptions::default(), PageOptions { dpi: PIXELS })
        .map_err(|error| Error::usage(format!("cannot convert the picture to PDF: {error}")))
}

fn tree(svg: &str) -> Result<Tree> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    fonts.set_sans_serif_family("Ubuntu");
    let options = Options { dpi: PIXELS, fontdb: Arc::new(fonts), ..Options::default() };
    Tree::from_str(svg, &options).map_err(|error| Error::usage(format!("cannot draw the picture: {error}")))
}
