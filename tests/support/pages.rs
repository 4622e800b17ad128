//! The Markdown files of the repository, read as lines and as blocks of code.

use std::fs;
use std::path::{Path, PathBuf};

/// A file with its path from the root of the repository.
pub struct Page {
    pub path: String,
    pub text: String,
}

/// A block of code: what stands after the opening fence, the line of that fence, and the content.
pub struct Block<'a> {
    pub language: &'a str,
    /// The file that the block is, where it names one.
    pub file: Option<&'a str>,
    pub line: usize,
    pub text: String,
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages that users read: those at the root and in `docs/`, and those of the folders.
pub fn pages() -> Vec<Page> {
    let folder = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let pages = entries.filter(|path| path.extension().is_some_and(|found| found == "md"));
        pages.map(|path: PathBuf| path.file_name().unwrap().to_str().unwrap().into()).collect()
    };
    let mut paths = folder(".");
    paths.extend(folder("docs").iter().map(|name| format!("docs/{name}")));
    paths.extend(["python", "web", "benches"].map(|folder| format!("{folder}/README.md")));
    paths.sort();
    let read = |path: String| Page { text: fs::read_to_string(root().join(&path)).unwrap(), path };
    paths.into_iter().map(read).collect()
}

impl Page {
    /// The lines outside of blocks of code, with their numbers from 1, and the blocks.
    pub fn parts(&self) -> (Vec<(usize, &str)>, Vec<Block<'_>>) {
        let (mut prose, mut blocks) = (Vec::new(), Vec::new());
        let mut open: Option<Block<'_>> = None;
        for (i, line) in self.text.lines().enumerate() {
            match (line.strip_prefix("```"), open.take()) {
                (None, None) => prose.push((i + 1, line)),
                (None, Some(mut block)) => {
                    block.text += &format!("{line}\n");
                    open = Some(block);
                }
                (Some(_), Some(block)) => blocks.push(block),
                (Some(info), None) => {
                    let (language, file) = match info.split_once(' ') {
                        Some((language, file)) => (language, Some(file)),
                        None => (info, None),
                    };
                    open = Some(Block { language, file, line: i + 1, text: String::new() });
                }
            }
        }
        assert!(open.is_none(), "{}: a block of code does not end", self.path);
        (prose, blocks)
    }

    /// What stands between backticks outside of blocks, with its line.
    pub fn code(&self) -> Vec<(usize, &str)> {
        let spans = |(line, text)| {
            let spans = str::split(text, '`').skip(1).step_by(2);
            spans.map(move |span| (line, span)).collect::<Vec<_>>()
        };
        self.parts().0.into_iter().flat_map(spans).collect()
    }
}
