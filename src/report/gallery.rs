//! A page of pictures that opens without a network.

use std::fmt::Write;

use super::plot::escaped;

/// A picture of the page.
pub struct Exhibit {
    /// The name of its file, without the extension.
    pub name: String,
    /// The title of the picture.
    pub title: String,
    /// A description of the picture, in a sentence or two.
    pub caption: String,
    /// The commands that draw it alone.
    pub commands: Vec<String>,
    /// Rows of the table: quantity, value in the paper, of the published steps, of the law.
    pub rows: Vec<[String; 4]>,
    /// The reason for differences from the paper.
    pub differs: String,
    /// The picture.
    pub svg: String,
}

/// The head of a table of numbers.
const HEAD: [&str; 4] = ["", "the paper", "carom: published steps", "carom: the law"];

/// The page, with all pictures in it.
pub fn page(title: &str, introduction: &str, exhibits: &[Exhibit]) -> String {
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{0}</title>\n<style>\n\
         body {{ font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; line-height: 1.45 }}\n\
         figure {{ margin: 2.5em 0 }}\nimg {{ max-width: 100%; height: auto }}\n\
         code {{ background: #f0f0f0; padding: 0.15em 0.4em; overflow-wrap: anywhere }}\n\
         table {{ border-collapse: collapse; display: block; overflow-x: auto }}\n\
         td, th {{ padding: 0.2em 1em 0.2em 0; text-align: left; border-bottom: 1px solid #ccc }}\n\
         </style>\n</head>\n<body>\n<h1>{0}</h1>\n<p>{1}</p>\n",
        escaped(title),
        escaped(introduction)
    );
    for Exhibit { title, caption, commands, rows, differs, svg, .. } in exhibits {
        let [title, caption, differs] = [title, caption, differs].map(|text| escaped(text));
        let commands = commands.iter().map(|command| escaped(command)).collect::<Vec<_>>();
        let _ = writeln!(
            html,
            "<figure>\n<h2>{title}</h2>\n<img alt=\"{title}\" src=\"data:image/svg+xml,{}\">\n\
             <figcaption><p>{caption}</p><p><code>{}</code></p></figcaption>\n</figure>",
            percent_encoded(svg),
            commands.join("<br>")
        );
        if !rows.is_empty() {
            let _ = writeln!(html, "<table>\n{}", line("th", &HEAD));
            rows.iter().for_each(|row| html.push_str(&line("td", row)));
            let _ = writeln!(html, "</table>\n<p>{differs}</p>");
        }
    }
    let _ = writeln!(html, "<p>carom {}</p>\n</body>\n</html>", env!("CARGO_PKG_VERSION"));
    html
}

fn line(tag: &str, cells: &[impl AsRef<str>]) -> String {
    let cell = |cell: &_| format!("<{tag}>{}</{tag}>", escaped(AsRef::as_ref(cell)));
    format!("<tr>{}</tr>\n", cells.iter().map(cell).collect::<String>())
}

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
