//! `<include>`: the children of another file's root.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::robot::file;
use crate::robot::file::named;
use crate::robot::xml::Element;
use carom_core::error::{Error, Result};

/// The deepest nesting of elements through all files.
const DEEPEST: usize = 200;

/// Replaces each `<include>` by the children of the named file's root.
pub(super) fn expand(root: &mut Element, path: &Path) -> Result<()> {
    let mut seen = BTreeSet::from([path.to_path_buf()]);
    within(root, path, path, &mut seen, 0)
}

fn within(
    element: &mut Element,
    main: &Path,
    file: &Path,
    seen: &mut BTreeSet<PathBuf>,
    depth: usize,
) -> Result<()> {
    if depth > DEEPEST {
        return Err(element.error("elements are nested too deep"));
    }
    let mut children = Vec::new();
    for mut child in std::mem::take(&mut element.children) {
        if child.name != "include" {
            within(&mut child, main, file, seen, depth + 1)?;
            children.push(child);
            continue;
        }
        child.check("file")?;
        let name = child.require("file")?;
        let candidates = [main, file].map(|base| base.with_file_name(&name.value));
        let other = candidates.iter().find(|path| path.is_file()).unwrap_or(&candidates[0]);
        if !seen.insert(other.clone()) {
            return Err(name.error("the file is included twice"));
        }
        let text = named(other).and_then(file::text);
        let failed = |what| name.place.locate(Error::input(what).at(other.display().to_string()));
        let text = text.map_err(failed)?;
        let mut root = Element::parse(&other.to_string_lossy(), text, false)?;
        within(&mut root, main, other, seen, depth + 1)?;
        children.extend(root.children);
    }
    element.children = children;
    Ok(())
}
