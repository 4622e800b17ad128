//! The scene file of a robot.

use std::fmt::Write;

use super::links::{Form, Robot, Rubbing};
use super::pairs::{Pairs, Unlike, pairs};
use super::parts::{Names, Part, Welds, parts};
use carom_core::error::Result;
use carom_mechanics::model::spatial::{Attitude, Matrix, Vector};

pub(super) fn text(robot: &Robot, from: &str) -> Result<String> {
    let welds = Welds::of(&robot.links);
    let mut names = Names::default();
    let walls: Vec<String> = robot.walls.iter().map(|wall| names.take(&wall.name)).collect();
    let parts = parts(robot, &welds, &mut names)?;
    let pairs = pairs(robot, &welds, &parts, &walls);
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = scene(&mut text, robot, from, &walls, &parts, &pairs);
    Ok(text)
}

fn scene(
    text: &mut String,
    robot: &Robot,
    from: &str,
    walls: &[String],
    parts: &[Part],
    pairs: &Pairs,
) -> std::fmt::Result {
    let from = line(from);
    writeln!(text, "# From {from} by `carom import`. Lengths in m, angles in rad, masses in kg.")?;
    for note in robot.notes.lines() {
        writeln!(text, "# {}", line(&note))?;
    }
    let (name, friction) = (quoted(&robot.name), pairs.most.friction);
    writeln!(text, "\nname = {name}\ndimensions = 3\nfriction = {friction:?}")?;
    if let Some(restitution) = pairs.most.restitution {
        writeln!(text, "restitution = {restitution:?}")?;
    }
    let mut coordinates: Vec<&String> = parts.iter().flat_map(|part| &part.coordinates).collect();
    let list = strings(coordinates.iter().copied());
    let count = coordinates.len();
    coordinates.sort_unstable();
    coordinates.dedup();
    if coordinates.len() == count {
        writeln!(text, "coordinates = {list}")?;
    }
    if !pairs.unlike.is_empty() {
        writeln!(text, "pairs = [")?;
        for Unlike { between, rubbing } in &pairs.unlike {
            let between = strings(between);
            let differs = match rubbing {
                None => "collide = false".to_string(),
                Some(Rubbing { friction, restitution }) => {
                    let restitution =
                        restitution.filter(|_| *restitution != pairs.most.restitution);
                    let restitution = restitution.map(|e| format!(", restitution = {e:?}"));
                    format!("friction = {friction:?}{}", restitution.unwrap_or_default())
                }
            };
            writeln!(text, "  {{ between = {between}, {differs} }},")?;
        }
        writeln!(text, "]")?;
    }
    for (wall, name) in robot.walls.iter().zip(walls) {
        writeln!(text, "\n[[walls]]\nname = {}", quoted(name))?;
        writeln!(text, "point = {}\nnormal = {}", vector(&wall.point), vector(&wall.normal))?;
    }
    for part in parts {
        writeln!(text)?;
        body(text, part, parts)?;
    }
    Ok(())
}

fn body(text: &mut String, part: &Part, parts: &[Part]) -> std::fmt::Result {
    writeln!(text, "[[bodies]]\nname = {}", quoted(&part.name))?;
    let (joint, state) = &part.joint;
    match part.parent {
        Some(parent) => writeln!(text, "parent = {}", quoted(&parts[parent].name))?,
        None if *joint == "floating" => {}
        None => writeln!(text, "parent = \"world\"")?,
    }
    writeln!(text, "joint = \"{joint}\"")?;
    if part.anchor != Vector::zeros() {
        writeln!(text, "anchor = {}", vector(&part.anchor))?;
    }
    if part.offset != Attitude::identity() {
        writeln!(text, "quaternion = {}", quaternion(&part.offset))?;
    }
    text.push_str(state);
    if part.armature > 0.0 {
        writeln!(text, "armature = {:?}", part.armature)?;
    }
    writeln!(text, "mass = {:?}", part.inertial.mass)?;
    if part.inertial.mass > 0.0
        || part.inertial.inertia != Matrix::zeros()
        || !part.forms.is_empty()
    {
        writeln!(text, "center_of_mass = {}", vector(&part.inertial.centre))?;
        writeln!(text, "inertia = {}", inertia(&part.inertial.inertia))?;
    }
    if !part.forms.is_empty() {
        writeln!(text, "shapes = [")?;
        for form in &part.forms {
            writeln!(text, "  {},", shape(form))?;
        }
        writeln!(text, "]")?;
    }
    Ok(())
}

fn shape(form: &Form) -> String {
    match form {
        Form::Sphere { center, radius } => {
            format!("{{ sphere = {radius:?}, center = {} }}", vector(center))
        }
        Form::Capsule { from, to, radius } => {
            format!("{{ capsule = [{}, {}], radius = {radius:?} }}", vector(from), vector(to))
        }
        Form::Box { sides, center, attitude } => {
            let turn = match *attitude == Attitude::identity() {
                true => String::new(),
                false => format!(", quaternion = {}", quaternion(attitude)),
            };
            format!("{{ box = {}, center = {}{turn} }}", vector(sides), vector(center))
        }
        Form::Polyhedron(points) => {
            let points: Vec<String> = points.iter().map(vector).collect();
            format!("{{ polyhedron = [{}] }}", points.join(", "))
        }
    }
}

pub(super) fn vector(v: &Vector) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

pub(super) fn quaternion(q: &Attitude) -> String {
    format!("[{:?}, {:?}, {:?}, {:?}]", q.w, q.i, q.j, q.k)
}

/// The diagonal, or three rows of a symmetric matrix.
fn inertia(matrix: &Matrix) -> String {
    let matrix = (matrix + matrix.transpose()) * 0.5;
    if matrix == Matrix::from_diagonal(&matrix.diagonal()) {
        return vector(&matrix.diagonal());
    }
    let rows: Vec<String> = matrix.row_iter().map(|row| vector(&row.transpose())).collect();
    format!("[{}]", rows.join(", "))
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

fn strings<'a>(texts: impl IntoIterator<Item = &'a String>) -> String {
    let list: Vec<String> = texts.into_iter().map(|text| quoted(text)).collect();
    format!("[{}]", list.join(", "))
}

/// A text without control characters, for a comment.
fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
