//! The text of an SVG file, and estimates of text widths.

use std::fmt::Write;

/// The font size and alignment of text.
#[derive(Clone, Copy)]
pub struct Type {
    /// The height of the letters, in pixels.
    pub size: f64,
    /// `start`, `middle` or `end`.
    pub anchor: &'static str,
    /// Whether the text runs upwards.
    pub upwards: bool,
}

impl Type {
    /// Text of this size, aligned at its start.
    pub fn new(size: f64) -> Self {
        Type { size, anchor: "start", upwards: false }
    }

    /// Text of equal size, aligned by `anchor`.
    pub fn anchored(self, anchor: &'static str) -> Self {
        Type { anchor, ..self }
    }
}

/// An SVG file under construction.
pub struct Svg(String);

impl Svg {
    /// A white picture of `size` pixels; `shown`: width and height attributes of the file.
    pub fn new(size: [f64; 2], shown: [String; 2]) -> Self {
        let [width, height] = size.map(coordinate);
        let [w, h] = shown;
        Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"'Noto Sans', Arial, Helvetica, sans-serif\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        ))
    }

    /// Text at a point on its baseline.
    pub fn words(&mut self, words: &str, [x, y]: [f64; 2], set: Type) {
        let (x, y, size) = (coordinate(x), coordinate(y), coordinate(set.size));
        let turned =
            if set.upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
        let _ = writeln!(
            self.0,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{}\"{turned}>{}</text>",
            set.anchor,
            escaped(words)
        );
    }

    /// A title above everything, in at most two lines.
    pub fn title(&mut self, title: &str, font: f64, room: f64) {
        for (i, words) in wrapped(title, 1.2 * font, room, 2).iter().enumerate() {
            self.words(words, [font, (1.7 + 1.4 * i as f64) * font], Type::new(1.2 * font));
        }
    }

    /// A note below everything, in at most three lines, in a picture of this height.
    pub fn note(&mut self, note: &str, font: f64, [room, height]: [f64; 2]) {
        for (i, words) in wrapped(note, 0.85 * font, room, 3).iter().rev().enumerate() {
            let at = [font, height - (0.8 + 1.1 * i as f64) * font];
            self.words(words, at, Type::new(0.85 * font));
        }
    }

    /// A path, in the syntax of SVG, with its style.
    pub fn path(&mut self, path: &str, style: &str) {
        if !path.is_empty() {
            let _ = writeln!(self.0, "<path d=\"{path}\" {style}/>");
        }
    }

    /// Elements, as text.
    pub fn add(&mut self, elements: &str) {
        self.0.push_str(elements);
    }

    /// Begins a group clipped to a rectangle.
    pub fn clip(&mut self, name: usize, [[x0, y0], [x1, y1]]: [[f64; 2]; 2]) {
        let [x, y, w, h] = [x0, y0, x1 - x0, y1 - y0].map(coordinate);
        let _ = writeln!(
            self.0,
            "<clipPath id=\"panel{name}\"><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/></clipPath>\n\
             <g clip-path=\"url(#panel{name})\">"
        );
    }

    /// Ends a group.
    pub fn end(&mut self) {
        self.0.push_str("</g>\n");
    }

    /// The whole file.
    pub fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

/// A coordinate, to a hundredth of a pixel.
pub fn coordinate(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// A line through points.
pub fn line(points: &[[f64; 2]], closed: bool) -> String {
    let mut path = String::new();
    for (i, point) in points.iter().enumerate() {
        path += if i == 0 { "M" } else { "L" };
        path += &point.map(coordinate).join(" ");
    }
    if closed && !path.is_empty() {
        path.push('Z');
    }
    path
}

/// Text with XML markup escaped and characters that are invalid in XML replaced.
pub fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let text = text.replace('"', "&quot;").replace('\'', "&#39;");
    text.replace(|c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'), " ")
}

/// Estimated width of text of this size, in a typeface without serifs.
pub fn width(words: &str, size: f64) -> f64 {
    let of = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'I' | ' ' => 0.29,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.36,
        'm' | 'w' | 'M' | 'W' | '%' | '…' => 0.89,
        c if c.is_ascii_uppercase() => 0.70,
        c if c.is_ascii() => 0.57,
        _ => 0.8,
    };
    size * words.chars().map(of).sum::<f64>()
}

/// Text shortened to `room` by leaving out its middle.
pub fn shortened(words: &str, size: f64, room: f64) -> String {
    if width(words, size) <= room {
        return words.to_string();
    }
    let letters: Vec<char> = words.chars().collect();
    let cut = |kept: usize| {
        let (front, back) = (kept - kept / 3, kept / 3);
        let back = letters[letters.len() - back..].iter();
        letters[..front].iter().chain(['…'].iter()).chain(back).collect::<String>()
    };
    let fits = |kept: &usize| width(&cut(*kept), size) <= room;
    (1..letters.len()).rev().find(fits).map_or(String::new(), cut)
}

/// Text wrapped to `room`, in at most `most` lines.
pub fn wrapped(words: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split(' ') {
        let full = lines.len() == most;
        match lines.last_mut() {
            Some(line) if full || width(line, size) + width(word, size) + 0.3 * size <= room => {
                *line += &format!(" {word}");
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines.iter().map(|line| shortened(line, size, room)).collect()
}
