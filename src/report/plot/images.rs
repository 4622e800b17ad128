//! Pictures as PNG and PDF, converted from SVG with letters of our own, so that they look the same
//! on every machine.

use std::sync::Arc;

use carom_core::error::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use svg2pdf::{ConversionOptions, PageOptions};

/// Pixels of an SVG file to an inch.
const PIXELS: f32 = 96.0;

/// The picture as a PNG file, with `scale` pixels for one of the SVG file.
pub fn png(svg: &str, scale: f64) -> Result<Vec<u8>> {
    let tree = tree(svg)?;
    let size = [tree.size().width(), tree.size().height()]
        .map(|side| (f64::from(side) * scale).round() as u32);
    let failed = || {
        Error::usage(format!("cannot draw {} by {} pixels", size[0], size[1]))
            .option("size")
            .hint("make the picture smaller, or choose .svg or .pdf")
    };
    let mut pixels = Pixmap::new(size[0], size[1]).ok_or_else(failed)?;
    let scale = scale as f32;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    let mut png = pixels.encode_png().map_err(|_| failed())?;
    png.splice(HEADER..HEADER, resolution(f64::from(PIXELS) * f64::from(scale)));
    Ok(png)
}

/// Bytes of a PNG file up to the end of its first chunk.
const HEADER: usize = 33;

/// The chunk of a PNG file that says how many pixels make an inch.
///
/// Source: W3C, Portable Network Graphics, third edition (2025), 5.4, 11.3.4.3 and annex D.
fn resolution(dpi: f64) -> Vec<u8> {
    let to_a_metre = ((dpi / 0.0254).round() as u32).to_be_bytes();
    let content = [&b"pHYs"[..], &to_a_metre, &to_a_metre, &[1]].concat();
    let remainder = content.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    });
    [&9_u32.to_be_bytes()[..], &content, &(!remainder).to_be_bytes()].concat()
}

/// The picture as a PDF file of one page, in the size of the picture.
pub fn pdf(svg: &str) -> Result<Vec<u8>> {
    svg2pdf::to_pdf(&tree(svg)?, ConversionOptions::default(), PageOptions { dpi: PIXELS })
        .map_err(|error| Error::usage(format!("cannot convert the picture to PDF: {error}")))
}

fn tree(svg: &str) -> Result<Tree> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
    fonts.set_sans_serif_family("Noto Sans");
    let options = Options { dpi: PIXELS, fontdb: Arc::new(fonts), ..Options::default() };
    Tree::from_str(svg, &options)
        .map_err(|error| Error::usage(format!("cannot draw the picture: {error}")))
}
