//! A page of pictures that opens without a network.

use std::fmt::Write;

use super::plot::escaped;

/// A picture of the page.
pub struct Exhibit {
    /// The title of the picture.
    pub title: String,
    /// A description of the picture, in a sentence or two.
    pub caption: String,
    /// The command that draws it alone.
    pub command: String,
    /// The picture.
    pub svg: String,
}

/// The page, with all pictures in it.
pub fn page(title: &str, exhibits: &[Exhibit]) -> String {
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{0}</title>\n<style>\n\
         body {{ font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; line-height: 1.45 }}\n\
         figure {{ margin: 2.5em 0 }}\nimg {{ max-width: 100%; height: auto }}\n\
         code {{ background: #f0f0f0; padding: 0.15em 0.4em }}\n</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
        escaped(title)
    );
    for Exhibit { title, caption, command, svg } in exhibits {
        let [title, caption, command] = [title, caption, command].map(|text| escaped(text));
        let _ = writeln!(
            html,
            "<figure>\n<h2>{title}</h2>\n<img alt=\"{title}\" src=\"data:image/svg+xml,{}\">\n\
             <figcaption><p>{caption}</p><p><code>{command}</code></p></figcaption>\n</figure>",
            percent_encoded(svg)
        );
    }
    let _ = writeln!(html, "<p>carom {}</p>\n</body>\n</html>", env!("CARGO_PKG_VERSION"));
    html
}

/// A text as part of an address.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'%' | b'#' | b'"' | b'<' | b'>' | b'&' | b'\'' | b'\n' | 0x7f.. => {
                let _ = write!(encoded, "%{byte:02X}");
            }
            _ => encoded.push(byte as char),
        }
    }
    encoded
}
