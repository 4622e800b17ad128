use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::compiler::Compiler;
use super::defaults::{Defaults, Given};
use super::frames;
use crate::robot::mesh::Mesh;
use crate::robot::xml::{Attribute, Element};
use carom_core::error::Result;
use carom_mechanics::model::spatial::{Attitude, Vector};
use carom_scene::fields::suggestion;

const KNOWN: &str = "class content_type face file inertia material maxhullvert name normal refpos \
                     refquat scale smoothnormal texcoord vertex";

/// The meshes of a file by name, read on demand.
pub(super) struct Meshes<'a> {
    assets: BTreeMap<String, Given<'a>>,
    folder: PathBuf,
    strip_path: bool,
}

impl<'a> Meshes<'a> {
    pub fn new(
        root: &'a Element,
        defaults: &Defaults<'a>,
        compiler: &Compiler,
        file: &Path,
    ) -> Result<Self> {
        let mut assets = BTreeMap::new();
        for element in root.all("asset").flat_map(|asset| asset.all("mesh")) {
            let file =
                element.text("file").map(|file| Path::new(file).file_stem().unwrap_or_default());
            let own = element.text("name").map(str::to_string);
            let name = own.or(file.map(|stem| stem.to_string_lossy().into_owned()));
            let name = name.ok_or_else(|| element.error("a mesh has a name or a file"))?;
            assets.insert(name, defaults.given(element, None)?);
        }
        let folder = file.with_file_name("").join(&compiler.meshes);
        Ok(Meshes { assets, folder, strip_path: compiler.strip_path })
    }

    /// The mesh of a geom, in the geom's frame, and whether its mass lies in its surface.
    pub fn get(&self, name: &Attribute) -> Result<(Mesh, bool)> {
        let given = self.assets.get(&name.value).ok_or_else(|| {
            name.error(format!("no mesh is called `{}`", name.value))
                .hint(suggestion(&name.value, self.assets.keys().map(String::as_str)))
        })?;
        given.check(KNOWN)?;
        let mesh = match (given.get("file"), given.get("vertex")) {
            (Some(file), None) => {
                let written = Path::new(&file.value);
                let path = match written.file_name() {
                    Some(plain) if self.strip_path => self.folder.join(plain),
                    _ => self.folder.join(written),
                };
                Mesh::read(&path).map_err(|error| file.place.locate(error))?
            }
            (None, Some(vertex)) => inline(vertex, given.get("face"))?,
            _ => return Err(given.element.error("a mesh has either a `file` or a `vertex`")),
        };
        let scale = given.get("scale").map_or(Ok(Vector::repeat(1.0)), Attribute::vector)?;
        let origin = given.vector("refpos")?;
        let turn =
            given.get("refquat").map_or(Ok(Attitude::identity()), frames::quaternion)?.inverse();
        // MuJoCo applies the scale last.
        let mut mesh = mesh.moved(|p| (turn * (p - origin)).component_mul(&scale));
        if scale.product() < 0.0 {
            mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let shell = given.get("inertia").is_some_and(|inertia| inertia.value == "shell");
        Ok((mesh, shell))
    }
}

/// A mesh whose points and triangles are attributes in the file.
fn inline(vertex: &Attribute, face: Option<&Attribute>) -> Result<Mesh> {
    let numbers = vertex.numbers()?;
    if numbers.is_empty() || numbers.len() % 3 != 0 {
        return Err(vertex.error("expected three numbers for each point"));
    }
    let points: Vec<Vector> =
        numbers.chunks_exact(3).map(|p| Vector::new(p[0], p[1], p[2])).collect();
    let Some(face) = face else { return Ok(Mesh { points, triangles: Vec::new() }) };
    let index = |word: &str| word.parse().ok().filter(|i: &usize| *i < points.len());
    let indices: Option<Vec<usize>> = face.value.split_whitespace().map(index).collect();
    let wrong =
        || face.error(format!("expected indices of the {} points, three a face", points.len()));
    let indices = indices.filter(|indices| indices.len() % 3 == 0).ok_or_else(wrong)?;
    let triangles = indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    Ok(Mesh { points, triangles })
}
