//! Hulls of meshes that are rounded to single precision, as CAD programs store them: cylinders and
//! capsules with rounded edges, boxes with cut corners, turned at random.

use super::*;
use carom::model::spatial::{Attitude, Shape};
use carom::scene::Cast;
use rand_core::Rng;

/// A convex solid: corners, volume, surface, and moment of inertia about z at density 1.
struct Solid {
    corners: Vec<Vector>,
    volume: f64,
    surface: f64,
    axial: f64,
}

/// Rings of `count` corners at radii and heights; a radius of 0 is a point.
///
/// A regular polygon of circumradius r has the area `k r^2`, `k = n/2 sin(2 pi/n)`, and the polar
/// moment `k r^4 (2 + cos(2 pi/n)) / 6`; both are integrated between rings, where r is linear.
fn rings(profile: &[(f64, f64)], count: usize) -> Solid {
    let angle = 2.0 * std::f64::consts::PI / count as f64;
    let k = 0.5 * count as f64 * angle.sin();
    let mut corners = Vec::new();
    for &(r, z) in profile {
        let around = if r == 0.0 { 1 } else { count };
        corners.extend((0..around).map(|i| {
            let (sin, cos) = (angle * i as f64).sin_cos();
            Vector::new(r * cos, r * sin, z)
        }));
    }
    let (mut volume, mut axial, mut surface) = (0.0, 0.0, 0.0);
    for pair in profile.windows(2) {
        let [(a, low), (b, high)] = [pair[0], pair[1]];
        let power =
            |n: i32| (0..=n).map(|i| a.powi(n - i) * b.powi(i)).sum::<f64>() / f64::from(n + 1);
        volume += k * (high - low) * power(2);
        axial += k * (2.0 + angle.cos()) / 6.0 * (high - low) * power(4);
        surface += std::f64::consts::PI * (a + b) * (high - low).hypot(b - a);
    }
    let ends = profile.iter().map(|(r, _)| r * r).fold(0.0, f64::max);
    Solid { corners, volume, surface: surface + 2.0 * std::f64::consts::PI * ends, axial }
}

/// The profile of a cylinder whose edges are rounded by arcs of `steps` parts.
fn rounded(radius: f64, half: f64, edge: f64, steps: usize) -> Vec<(f64, f64)> {
    let arc = |i: usize| {
        let (sin, cos) = (std::f64::consts::FRAC_PI_2 * i as f64 / steps as f64).sin_cos();
        (
            if i == steps && edge == radius { 0.0 } else { radius - edge + edge * cos },
            half - edge + edge * sin,
        )
    };
    let top: Vec<(f64, f64)> = (0..=steps).map(arc).collect();
    top.iter().rev().map(|&(r, z)| (r, -z)).chain(top.iter().copied()).collect()
}

/// A box whose corners are cut off by planes at `cut` from them along each edge.
fn cut_box(sides: Vector, cut: f64) -> Solid {
    let mut corners = Vec::new();
    for i in 0..8 {
        let sign = Vector::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1))
            * 2.0
            - Vector::repeat(1.0);
        let corner = sides.component_mul(&sign) * 0.5;
        corners.extend((0..3).map(|axis| {
            let mut p = corner;
            p[axis] -= sign[axis] * cut;
            p
        }));
    }
    let volume = sides.product() - 8.0 * cut.powi(3) / 6.0;
    let surface = 2.0 * (sides.x * sides.y + sides.y * sides.z + sides.z * sides.x);
    // A tetrahedron at a corner of three edges `c` has int x^2 dV = c^5/60 from its apex there; a
    // half side `a` away that is `a^2 c^3/6 - 2 a c^4/24 + c^5/60`.
    let second = |a: f64| a * a * cut.powi(3) / 6.0 - a * cut.powi(4) / 12.0 + cut.powi(5) / 60.0;
    let whole = sides.product() * (sides.x * sides.x + sides.y * sides.y) / 12.0;
    let axial = whole - 8.0 * (second(sides.x / 2.0) + second(sides.y / 2.0));
    Solid { corners, volume, surface, axial }
}

/// Solids by number, with sizes and turns of their own.
fn solids() -> Vec<(String, Solid)> {
    let mut random = Stream::new(11, 0).rng();
    let mut unit = || f64::from(random.next_u32()) / f64::from(u32::MAX);
    let mut all = Vec::new();
    for case in 0..16 {
        let (radius, half) = (0.02 + 0.1 * unit(), 0.05 + 0.1 * unit());
        let edge = (0.02 + 0.3 * unit()) * radius;
        let cut = (0.01 + 0.4 * unit()) * radius;
        let sides = Vector::new(1.0 + unit(), 1.0 + unit(), 1.0 + unit()) * radius;
        all.push((format!("cylinder {case}"), rings(&rounded(radius, half, edge, 3), 16)));
        all.push((format!("fine cylinder {case}"), rings(&rounded(radius, half, edge, 5), 48)));
        all.push((
            format!("capsule {case}"),
            rings(&rounded(radius, half + radius, radius, 4), 14),
        ));
        all.push((format!("box {case}"), cut_box(sides, cut)));
    }
    all
}

#[test]
fn hulls_of_rounded_meshes_are_those_of_the_solids() {
    let mut random = Stream::new(12, 0).rng();
    let mut unit = || 2.0 * f64::from(random.next_u32()) / f64::from(u32::MAX) - 1.0;
    let folder = tempfile::tempdir().unwrap();
    for (name, solid) in solids() {
        let turn = Attitude::from_scaled_axis(Vector::new(unit(), unit(), unit()) * 3.0);
        let shift = Vector::new(unit(), unit(), unit()) * 0.1;
        let stored = solid.corners.iter().map(|p| (turn * p + shift).map(|x| f64::from(x as f32)));
        let points: Vec<Vector> = stored.collect();
        let lines: String = points.iter().map(|p| format!("v {} {} {}\n", p.x, p.y, p.z)).collect();
        std::fs::write(folder.path().join("m.obj"), lines).unwrap();
        let text = "<mujoco><asset><mesh file='m.obj'/></asset><worldbody><body name='b'><freejoint/>\
                    <geom type='mesh' mesh='m' density='1'/></body></worldbody></mujoco>";
        let path = folder.path().join("m.xml");
        let robot = robot::parse(&path, text.to_string(), &Options::default());
        let robot = robot.unwrap_or_else(|error| panic!("{name}: {error}"));
        let scene = Document::new("scene", robot.scene, Format::Toml).unwrap();
        let Some(Cast::Spatial { model, position, .. }) = scene.cast(&[]).unwrap() else {
            panic!("in space")
        };
        // Each point moves by at most sqrt(3) 2^-24 |p|, and points within 1e-6 of the size of a
        // face are left out: the volume changes by at most the surface times both, the moment by
        // that times the squared distance.
        let size = 2.0 * points.iter().map(|p| (p - points[0]).norm()).fold(0.0, f64::max);
        let far = points.iter().map(|p| p.norm()).fold(0.0, f64::max);
        let shell = solid.surface * (3f64.sqrt() * 2f64.powi(-24) * far + 1e-6 * size);
        let mass = model.mass_matrix(&model.poses(&position));
        let off = mass[(0, 0)] - solid.volume;
        assert!(off.abs() < shell, "{name}: {off}");
        let axis = turn * Vector::z();
        let axial = axis.dot(&(mass.fixed_view::<3, 3>(3, 3) * axis));
        let off = axial - solid.axial;
        assert!(off.abs() < shell * size * size, "{name}: {off}");
        // The shape that collides has all corners of small meshes.
        let shape = &model.bodies()[0].shapes[0];
        let (corners, faces, edges) =
            (shape.vertices().len(), shape.faces().len(), shape.edges().count());
        assert_eq!(corners + faces, edges + 2, "{name}");
        if solid.corners.len() <= 128 {
            assert_eq!(corners, solid.corners.len(), "{name}");
            assert!((shape.volume() - solid.volume).abs() < shell, "{name}");
        } else {
            assert!(shape.volume() < solid.volume + shell, "{name}");
            assert!(shape.volume() > 0.9 * solid.volume, "{name}");
        }
        // Ends and sides are faces of all of their corners.
        let most = shape.faces().iter().map(|face| face.corners.len()).max().unwrap();
        let expected = match name.split(' ').next_back().map(|_| &name[..3]) {
            Some("cyl") => 16,
            Some("box") => 8,
            _ => 3,
        };
        assert!(most >= expected, "{name}: {most}");
    }
}

/// A prism of 16 sides: the ends have all corners where coordinates are rounded, too.
#[test]
fn faces_of_a_rounded_prism_are_whole() {
    let prism = rings(&[(0.07, -0.1), (0.07, 0.1)], 16);
    for case in 0..40 {
        let turn = Attitude::from_euler_angles(0.3 * f64::from(case), 0.7, 0.1 * f64::from(case));
        let points = prism.corners.iter().map(|p| (turn * p).map(|x| f64::from(x as f32)));
        let shape = Shape::polyhedron(points.collect()).unwrap();
        assert_eq!((shape.faces().len(), shape.edges().count()), (18, 48), "{case}");
        // As above, without points that are left out.
        let shell = prism.surface * 3f64.sqrt() * 2f64.powi(-24) * 0.13;
        assert!((shape.volume() - prism.volume).abs() < shell, "{case}");
    }
}

/// Errors of a mesh name the file and the link.
#[test]
fn meshes_without_volume_are_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("flat.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n").unwrap();
    std::fs::write(folder.path().join("none.obj"), "f 1 2 3\n").unwrap();
    for (mesh, what) in [("flat.obj", "lie in one plane"), ("none.obj", "has a wrong face")] {
        let text = format!(
            "<robot name='r'><link name='shoulder'><collision><geometry><mesh filename='{mesh}'/></geometry></collision></link></robot>"
        );
        let path = folder.path().join("r.urdf");
        let error = robot::parse(&path, text, &Options::default()).unwrap_err().to_string();
        for words in [mesh, "link `shoulder`", what] {
            assert!(error.contains(words), "{words}: {error}");
        }
    }
}
